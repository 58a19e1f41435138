#include <inttypes.h>
#include <string.h>

#include "vod_mp4.h"


#define VOD_MP4_ENTRIES    64           /* that are compared */
#define VOD_MP4_MAX_ENTRY  (4 << 20)    /* bytes of one that is */

#define VOD_MP4_VISUAL     78           /* bytes of fields before the boxes */
#define VOD_MP4_AUDIO      28


static int vod_mp4_entry_box(const vod_mp4_track_t *t, uint32_t description,
    vod_rd_box_t *box);
static const char *vod_mp4_differ(const vod_mp4_track_t *t,
    const vod_rd_box_t *a, const vod_rd_box_t *b);
static int vod_mp4_next_box(vod_rd_t *rd, vod_rd_box_t *box);
static int vod_mp4_same_box(const vod_rd_box_t *a, const vod_rd_box_t *b);
static uint64_t vod_mp4_rates(const vod_rd_t *esds);
static int vod_mp4_dref(vod_mp4_track_t *t, vod_rd_t dref, unsigned n);


/* the sample entry the samples use, and where it says their data is */
int
vod_mp4_entry(vod_mp4_track_t *t, uint32_t description)
{
    vod_rd_box_t  box;

    if (!vod_mp4_entry_box(t, description, &box)) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "it uses sample"
                                 " description %u and stsd has no such one,"
                                 " remux the file", description);
    }

    t->description = description;
    t->fourcc = box.type;
    t->entry = box.body.pos - box.header;
    t->entry_len = box.header + vod_rd_left(&box.body);

    vod_rd_skip(&box.body, 6);

    return vod_mp4_dref(t, t->dref, vod_rd_u16(&box.body));
}


int
vod_mp4_entry_like(vod_mp4_track_t *t, uint32_t used, uint32_t other,
    uint64_t *checked, const char *where, uint64_t at)
{
    const char    *differ;
    vod_rd_box_t   a, b;

    if (other < VOD_MP4_ENTRIES && (*checked >> other & 1)) {
        return VOD_OK;
    }

    if (!vod_mp4_entry_box(t, used, &a) || !vod_mp4_entry_box(t, other, &b)) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "it uses sample"
                                 " descriptions %u and %u and stsd has not"
                                 " both, remux the file", used, other);
    }

    differ = (other < VOD_MP4_ENTRIES) ? vod_mp4_differ(t, &a, &b)
                                       : "one of too many";

    if (differ) {
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "it changes its sample"
                                 " description at %s %" PRIu64 " (%s), and a"
                                 " track has one header: re-encode it with"
                                 " one set of parameters", where, at, differ);
    }

    *checked |= (uint64_t) 1 << other;

    vod_rd_skip(&b.body, 6);

    return vod_mp4_dref(t, t->dref, vod_rd_u16(&b.body));
}


/* 14496-12, 8.5.2 */
static int
vod_mp4_entry_box(const vod_mp4_track_t *t, uint32_t description,
    vod_rd_box_t *box)
{
    uint32_t  i, count;
    vod_rd_t  stsd;

    stsd = t->stsd;
    vod_rd_skip(&stsd, 4);
    count = vod_rd_u32(&stsd);

    for (i = 1; i <= count && vod_rd_box(&stsd, box) == 1; i++) {
        if (i == description) {
            return 1;
        }
    }

    return 0;
}


/*
 * What keeps a decoder that was set up by one entry from the samples of the
 * other; NULL = nothing.  Names of encoders, bit rates and padding do not.
 */
static const char *
vod_mp4_differ(const vod_mp4_track_t *t, const vod_rd_box_t *a,
    const vod_rd_box_t *b)
{
    vod_rd_t        x, y;
    vod_rd_box_t    m, n;
    const uint8_t  *f, *g;

    x = a->body;
    y = b->body;

    if (a->type != b->type || vod_rd_left(&x) > VOD_MP4_MAX_ENTRY) {
        return "another codec";
    }

    /* of text only its style is another */

    if (a->type == vod_fourcc('t', 'x', '3', 'g')) {
        return NULL;
    }

    if (t->handler == vod_fourcc('v', 'i', 'd', 'e')) {
        f = vod_rd_bytes(&x, VOD_MP4_VISUAL);
        g = vod_rd_bytes(&y, VOD_MP4_VISUAL);

        if (f == NULL || g == NULL || memcmp(f + 24, g + 24, 4) != 0) {
            return "another picture size";
        }

    } else {
        f = vod_rd_bytes(&x, VOD_MP4_AUDIO);
        g = vod_rd_bytes(&y, VOD_MP4_AUDIO);

        /* version, channels and bits, rate */

        if (f == NULL || g == NULL
            || memcmp(f + 8, g + 8, 2) != 0
            || memcmp(f + 16, g + 16, 4) != 0
            || memcmp(f + 24, g + 24, 4) != 0)
        {
            return "other sound";
        }
    }

    /* QuickTime's longer entries of sound are no boxes: byte for byte */

    if (vod_rd_left(&x) == vod_rd_left(&y)
        && memcmp(x.pos, y.pos, vod_rd_left(&x)) == 0)
    {
        return NULL;
    }

    while (vod_mp4_next_box(&x, &m)) {
        if (!vod_mp4_next_box(&y, &n) || !vod_mp4_same_box(&m, &n)) {
            return "another configuration";
        }
    }

    if (vod_mp4_next_box(&y, &n) || x.failed || y.failed) {
        return "another configuration";
    }

    return NULL;
}


/* the next one that counts, or 0 */
static int
vod_mp4_next_box(vod_rd_t *rd, vod_rd_box_t *box)
{
    while (vod_rd_box(rd, box) == 1) {
        if (box->type != vod_fourcc('b', 't', 'r', 't')
            && box->type != vod_fourcc('f', 'r', 'e', 'e')
            && box->type != vod_fourcc('s', 'k', 'i', 'p'))
        {
            return 1;
        }
    }

    return 0;
}


static int
vod_mp4_same_box(const vod_rd_box_t *a, const vod_rd_box_t *b)
{
    uint64_t  len, at;

    len = vod_rd_left(&a->body);

    if (a->type != b->type || len != vod_rd_left(&b->body)) {
        return 0;
    }

    at = len;

    if (a->type == vod_fourcc('e', 's', 'd', 's')) {
        at = vod_mp4_rates(&a->body);
    }

    if (memcmp(a->body.pos, b->body.pos, at) != 0) {
        return 0;
    }

    at += (at < len) ? 11 : 0;

    return memcmp(a->body.pos + at, b->body.pos + at, len - at) == 0;
}


/* where bufferSizeDB, maxBitrate and avgBitrate begin, 11 bytes, in an esds
   (14496-1, 7.2.6.6); its length where they do not */
static uint64_t
vod_mp4_rates(const vod_rd_t *esds)
{
    uint8_t   flags;
    vod_rd_t  rd;

    rd = *esds;
    vod_rd_skip(&rd, 4);

    if (vod_rd_u8(&rd) == 3) {
        while (vod_rd_u8(&rd) & 0x80) { /* void */ }
        vod_rd_skip(&rd, 2);
        flags = vod_rd_u8(&rd);

        if ((flags & 0xe0) == 0 && vod_rd_u8(&rd) == 4) {
            while (vod_rd_u8(&rd) & 0x80) { /* void */ }
            vod_rd_skip(&rd, 2);

            if (!rd.failed && vod_rd_left(&rd) >= 11) {
                return (uint64_t) (rd.pos - esds->pos);
            }
        }
    }

    return vod_rd_left(esds);
}


/* 14496-12, 8.7.2; no entry at all means this file */
static int
vod_mp4_dref(vod_mp4_track_t *t, vod_rd_t dref, unsigned n)
{
    uint32_t      flags;
    unsigned      i;
    vod_rd_box_t  box;

    vod_rd_skip(&dref, 8);

    for (i = 1; vod_rd_box(&dref, &box) == 1; i++) {

        if (i < n) {
            continue;
        }

        vod_rd_skip(&box.body, 1);
        flags = vod_rd_u24(&box.body);

        /*
         * self-contained, or a URL that says nothing; an alias of QuickTime
         * begins with zeros whatever it says
         */

        if ((flags & 1)
            || vod_rd_left(&box.body) == 0
            || (box.type == vod_fourcc('u', 'r', 'l', ' ')
                && *box.body.pos == '\0'))
        {
            return VOD_OK;
        }

        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "its data is in another"
                                 " file, which is never opened: remux both"
                                 " into one");
    }

    return VOD_OK;
}
