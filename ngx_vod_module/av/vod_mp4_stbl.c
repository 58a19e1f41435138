#include <inttypes.h>
#include <string.h>

#include "vod_mp4.h"


#define VOD_MP4_MAX_SIZE  0x3fffffffu     /* bytes of a sample */

#define VOD_MP4_SOUND     vod_fourcc('s', 'o', 'u', 'n')


/* children of stbl that are read */
enum { STSD, STTS, CTTS, STSS, STSC, STSZ, STZ2, STCO, CO64, N_STBL };


/* how the samples lie in chunks */
typedef struct {
    uint32_t  chunks;
    uint64_t  samples;          /* in all chunks */
    uint32_t  description;      /* the one sample description used */
} vod_mp4_chunks_t;


static int vod_mp4_table(vod_mp4_track_t *t, vod_mp4_child_t *c,
    unsigned entry, uint32_t *count);
static int vod_mp4_times(vod_mp4_track_t *t);
static int vod_mp4_chunks(vod_mp4_track_t *t, vod_mp4_child_t *c,
    vod_mp4_chunks_t *k);
static int vod_mp4_sizes(const vod_mp4_t *mp4, vod_mp4_track_t *t,
    const vod_mp4_child_t *c, const vod_mp4_chunks_t *k);
static uint64_t vod_mp4_there(const vod_mp4_t *mp4, const uint8_t *sizes,
    uint32_t size, unsigned bits, uint64_t n);


/* 14496-12, 8.5, 8.6, 8.7 */
int
vod_mp4_stbl(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body)
{
    uint32_t          n;
    vod_rd_t          rd;
    vod_err_t         err;
    vod_mp4_child_t   c[N_STBL] = {
        [STSD] = vod_mp4_child('s', 't', 's', 'd'),
        [STTS] = vod_mp4_child('s', 't', 't', 's'),
        [CTTS] = vod_mp4_child('c', 't', 't', 's'),
        [STSS] = vod_mp4_child('s', 't', 's', 's'),
        [STSC] = vod_mp4_child('s', 't', 's', 'c'),
        [STSZ] = vod_mp4_child('s', 't', 's', 'z'),
        [STZ2] = vod_mp4_child('s', 't', 'z', '2'),
        [STCO] = vod_mp4_child('s', 't', 'c', 'o'),
        [CO64] = vod_mp4_child('c', 'o', '6', '4'),
    };
    vod_mp4_chunks_t  k;

    memset(&k, 0, sizeof(k));

    if (vod_mp4_children(body, "stbl", c, N_STBL, &err) != VOD_OK) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
    }

    /* the codec first: a reason should name what it is about */

    rd = c[STSD].body;
    vod_rd_skip(&rd, 12);
    t->fourcc = vod_rd_u32(&rd);
    t->stsd = c[STSD].body;

    if (!c[STSD].found || !c[STTS].found || !c[STSC].found
        || !c[STSZ].found == !c[STZ2].found
        || !c[STCO].found == !c[CO64].found)
    {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its stbl box does not hold"
                                 " one each of stsd, stts, stsc, stsz and"
                                 " stco, remux the file");
    }

    if (vod_mp4_table(t, &c[STTS], 8, &n) != VOD_OK
        || vod_mp4_table(t, &c[CTTS], 8, &n) != VOD_OK
        || vod_mp4_table(t, &c[STSS], 4, &n) != VOD_OK
        || vod_mp4_chunks(t, c, &k) != VOD_OK
        || vod_mp4_sizes(mp4, t, c, &k) != VOD_OK)
    {
        return t->code;
    }

    t->stts = c[STTS].body;
    t->ctts = c[CTTS].body;
    t->stss = c[STSS].body;

    if (vod_mp4_times(t) != VOD_OK) {
        return t->code;
    }

    return vod_mp4_entry(t, k.description);
}


/* version, flags, count, and count entries of entry bytes; what follows is
   cut off */
static int
vod_mp4_table(vod_mp4_track_t *t, vod_mp4_child_t *c, unsigned entry,
    uint32_t *count)
{
    char      name[5];
    vod_rd_t  rd;

    *count = 0;

    if (!c->found) {
        return VOD_OK;
    }

    rd = c->body;
    vod_rd_skip(&rd, 4);
    *count = vod_rd_u32(&rd);

    if (rd.failed || *count > vod_rd_left(&rd) / entry) {
        vod_mp4_fourcc(c->type, name);

        return vod_mp4_leave_out(t, VOD_DAMAGED, "its %s box claims %u"
                                 " entries and has room for %" PRIu64 ", remux"
                                 " the file", name, *count,
                                 vod_rd_left(&rd) / entry);
    }

    c->body.end = rd.pos + (uint64_t) *count * entry;

    return VOD_OK;
}


/* 14496-12, 8.6.1.2; one duration of 1 for all is QuickTime's way of counting
   sound in single samples */
static int
vod_mp4_times(vod_mp4_track_t *t)
{
    uint32_t  n;
    vod_rd_t  rd;

    rd = t->stts;
    vod_rd_skip(&rd, 4);
    n = vod_rd_u32(&rd);

    if (n == 0 && t->n_samples) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its stts box is empty,"
                                 " remux the file");
    }

    vod_rd_skip(&rd, 4);

    t->single = (n == 1 && vod_rd_u32(&rd) == 1 && t->size_bits == 0
                 && t->n_samples > 1 && t->handler == VOD_MP4_SOUND);

    return VOD_OK;
}


/* 14496-12, 8.7.4, 8.7.5 */
static int
vod_mp4_chunks(vod_mp4_track_t *t, vod_mp4_child_t *c, vod_mp4_chunks_t *k)
{
    int       wide;
    uint32_t  i, n, first, next, per, id;
    uint64_t  checked;
    vod_rd_t  rd;

    wide = c[CO64].found;

    if (vod_mp4_table(t, &c[wide ? CO64 : STCO], wide ? 8 : 4, &k->chunks)
        != VOD_OK
        || vod_mp4_table(t, &c[STSC], 12, &n) != VOD_OK)
    {
        return t->code;
    }

    t->far = wide;
    t->chunks = c[wide ? CO64 : STCO].body;
    t->stsc = c[STSC].body;

    checked = 0;
    k->samples = 0;
    k->description = 1;

    rd = c[STSC].body;
    vod_rd_skip(&rd, 8);
    next = n ? vod_rd_u32(&rd) : 0;

    for (i = 0; i < n; i++) {
        first = next;
        per = vod_rd_u32(&rd);
        id = vod_rd_u32(&rd);
        next = (i + 1 < n) ? vod_rd_u32(&rd) : k->chunks + 1;

        if (i == 0) {
            k->description = id;
        }

        if ((i == 0 && first != 1) || next <= first || per == 0 || id == 0
            || next - 1 > k->chunks)
        {
            return vod_mp4_leave_out(t, VOD_DAMAGED, "entry %u of its stsc"
                                     " box (%u samples a chunk from chunk %u"
                                     " of %u) is out of order, remux the"
                                     " file", i + 1, per, first, k->chunks);
        }

        if (id != k->description
            && vod_mp4_entry_like(t, k->description, id, &checked, "chunk",
                                  first) != VOD_OK)
        {
            return t->code;
        }

        k->samples += (uint64_t) per * (next - first);
    }

    return VOD_OK;
}


/*
 * 14496-12, 8.7.3.  Samples count that have a size and a chunk; samples of
 * one size also as far as the file can hold them, since no table stands
 * behind their number.
 */
static int
vod_mp4_sizes(const vod_mp4_t *mp4, vod_mp4_track_t *t,
    const vod_mp4_child_t *c, const vod_mp4_chunks_t *k)
{
    unsigned        bits;
    uint64_t        n;
    vod_rd_t        rd;
    uint32_t        size, count;

    rd = c[STSZ].found ? c[STSZ].body : c[STZ2].body;

    vod_rd_skip(&rd, 4);
    size = vod_rd_u32(&rd);
    bits = 32;

    if (!c[STSZ].found) {
        bits = size & 0xff;
        size = 0;
    }

    count = vod_rd_u32(&rd);
    n = count;

    if (rd.failed || (bits != 4 && bits != 8 && bits != 16 && bits != 32)
        || (size == 0 && n * bits > vod_rd_left(&rd) * 8))
    {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its stsz box claims %u"
                                 " sizes and is too short for them, remux the"
                                 " file", count);
    }

    n = vod_mp4_there(mp4, rd.pos, size, bits, n);

    if (n > k->samples) {
        n = k->samples;
    }

    if (n == 0 && !mp4->fragmented) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "it holds no sample");
    }

    t->sizes = rd.pos;
    t->size_bits = size ? 0 : bits;
    t->size = size;
    t->n_samples = (uint32_t) n;

    if (n < count) {
        t->missing = (uint32_t) (count - n);
    }

    return VOD_OK;
}


/*
 * How many of n samples come before one that is larger than a sample can be;
 * of samples of one size, how many the file can hold.
 */
static uint64_t
vod_mp4_there(const vod_mp4_t *mp4, const uint8_t *sizes, uint32_t size,
    unsigned bits, uint64_t n)
{
    uint64_t  i;

    if (size) {
        i = (size > VOD_MP4_MAX_SIZE) ? 0 : mp4->file_size / size;

        return (n < i) ? n : i;
    }

    if (bits < 32) {
        return n;
    }

    for (i = 0; i < n; i++) {
        if (sizes[4 * i] >= (VOD_MP4_MAX_SIZE + 1) >> 24) {
            break;
        }
    }

    return i;
}
