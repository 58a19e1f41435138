#include <stdlib.h>
#include <string.h>

#include "vod_demux_int.h"


/*
 * Bytes of a transport stream read before the place wanted, so that a frame
 * that began in the packet before is known as such and not taken for the
 * first one of its own.
 */
#define VOD_DEMUX_BEFORE   131072

/* numbers of packets at one place go so far behind it, bytes */
#define VOD_DEMUX_NUMBERS  65536

/* times of index entries of our own: before all others */
#define VOD_DEMUX_FIRST    (-((int64_t) 1 << 60))


static int vod_demux_enter(vod_demux_t *d, uint64_t pos, vod_err_t *err);
static uint64_t vod_demux_cluster(vod_demux_t *d, uint64_t pos);
static uint64_t vod_demux_page(vod_demux_t *d, uint64_t pos);
static uint64_t vod_demux_transport(vod_demux_t *d, uint64_t pos);
static int vod_demux_cmp(const void *a, const void *b);


void
vod_demux_only(vod_demux_t *d, uint32_t stream)
{
    d->only = stream;
    vod_demux_look(d);
}


int
vod_demux_seek(vod_demux_t *d, uint64_t pos, uint32_t stream, int64_t near,
    vod_err_t *err)
{
    int       rc;
    uint32_t  i;

    rc = VOD_OK;

    for (i = 0; i < VOD_DEMUX_STREAMS; i++) {
        d->tracks[i].base = VOD_NO_POS;
        d->tracks[i].nth = 0;
        d->tracks[i].at = VOD_NO_POS;
        d->tracks[i].near = near;
        d->tracks[i].held = 0;
    }

    /* streams have their numbers from the order in which they come */

    while (rc == VOD_OK && vod_demux_streams(d) <= stream) {
        d->peeked = 0;
        rc = vod_demux_next(d, err);
    }

    if (rc != VOD_OK) {
        return (rc == VOD_END)
               ? vod_fail(err, VOD_DAMAGED, "its track %u is no longer there,"
                          " the file has changed", stream + 1)
               : rc;
    }

    d->sought = 1;
    d->clock = near;
    d->peeked = 0;

    switch (d->format->type) {

    case VOD_DEMUX_MATROSKA:
        rc = vod_demux_enter(d, vod_demux_cluster(d, pos), err);
        break;

    case VOD_DEMUX_MPEGTS:
        pos = vod_demux_transport(d, pos);

        /* libavformat's place of a packet is raw bytes before its end */

        d->from = (pos > d->raw - 188) ? pos - (d->raw - 188) : 0;

        if (pos > VOD_DEMUX_BEFORE) {
            pos -= VOD_DEMUX_BEFORE / d->raw * d->raw;

        } else {
            pos = pos % d->raw;
        }

        rc = vod_demux_enter(d, pos, err);
        break;

    case VOD_DEMUX_OGG:
        pos = vod_demux_page(d, pos);
        d->from = pos;
        rc = vod_demux_enter(d, pos, err);
        break;

    default:
        d->from = pos;
        rc = vod_demux_enter(d, pos, err);
    }

    return rc;
}


static int
vod_demux_enter(vod_demux_t *d, uint64_t pos, vod_err_t *err)
{
    int        n;
    AVStream  *st;

    av_packet_unref(d->pkt);

    if (d->format->type == VOD_DEMUX_MATROSKA) {

        /*
         * libavformat enters Matroska by an entry of its index.  With two of
         * our own before all others it goes there, passes over nothing, and
         * reads nothing else.
         */

        if (d->ctx->nb_streams == 0) {
            return VOD_OK;
        }

        st = d->ctx->streams[0];
        n = av_add_index_entry(st, (int64_t) pos, VOD_DEMUX_FIRST, 0, 0,
                               AVINDEX_KEYFRAME);

        if (n >= 0) {
            n = av_add_index_entry(st, (int64_t) pos, VOD_DEMUX_FIRST + 1, 0,
                                   0, AVINDEX_KEYFRAME);
        }

        if (n >= 0) {
            n = av_seek_frame(d->ctx, 0, VOD_DEMUX_FIRST, AVSEEK_FLAG_ANY);
        }

    } else {
        n = av_seek_frame(d->ctx, -1, (int64_t) pos, AVSEEK_FLAG_BYTE);
    }

    if (d->code != VOD_OK) {
        return vod_fail(err, d->code, "%s", d->why.text);
    }

    if (n < 0) {
        return vod_fail(err, VOD_DAMAGED, "libavformat cannot go to byte %llu"
                        " of it, remux the file", (unsigned long long) pos);
    }

    return VOD_OK;
}


/* the place at or before pos where these bytes stand, or pos */
static uint64_t
vod_demux_back(vod_demux_t *d, uint64_t pos, const char *mark, uint64_t far)
{
    uint64_t        at, n, start;
    const uint8_t  *p;

    start = (pos > far) ? pos - far : 0;
    n = vod_demux_peek(d, start, pos - start + 4, &p);

    for (at = n; at >= 4; at--) {
        if (memcmp(p + at - 4, mark, 4) == 0) {
            return start + at - 4;
        }
    }

    return pos;
}


static uint64_t
vod_demux_cluster(vod_demux_t *d, uint64_t pos)
{
    return vod_demux_back(d, pos, "\x1f\x43\xb6\x75",
                          VOD_DEMUX_NUMBERS - 4);
}


/* packets are numbered by the bytes of one page's header: 27 to 282 */
static uint64_t
vod_demux_page(vod_demux_t *d, uint64_t pos)
{
    return vod_demux_back(d, pos, "OggS", 282);
}


/* of the transport packet with this byte: where its sync byte stands */
static uint64_t
vod_demux_transport(vod_demux_t *d, uint64_t pos)
{
    uint64_t        c, k, at, n, start;
    const uint8_t  *p;

    /* libavformat's places are before that by a recorder's time */

    pos += d->raw - 188;
    start = (pos > 3 * (uint64_t) d->raw) ? pos - 3 * d->raw : 0;
    n = vod_demux_peek(d, start, 8 * (uint64_t) d->raw, &p);

    for (c = 0; c < d->raw && c <= pos - start; c++) {

        /* the byte, those of the packets around it, and the mark that
           a PES packet begins here */

        at = pos - start - c;

        if (at + 1 >= n || p[at] != 0x47 || !(p[at + 1] & 0x40)) {
            continue;
        }

        for (k = at % d->raw; k < n; k += d->raw) {
            if (p[k] != 0x47) {
                break;
            }
        }

        if (k >= n) {
            return start + at;
        }
    }

    return pos;
}


int
vod_demux_cues(vod_demux_t *d, uint32_t stream, uint32_t *count,
    vod_err_t *err)
{
    int                  i, n, rc;
    AVStream            *st;
    vod_key_t           *c;
    const AVIndexEntry  *e;

    free(d->cues);
    d->cues = NULL;
    d->n_cues = 0;
    *count = 0;

    if (d->format->type != VOD_DEMUX_MATROSKA || d->first == 0
        || stream >= vod_demux_streams(d))
    {
        return VOD_OK;
    }

    rc = vod_demux_seek(d, d->first, stream, VOD_NO_TIME, err);

    if (rc != VOD_OK) {
        return (rc == VOD_DAMAGED) ? VOD_OK : rc;
    }

    st = d->ctx->streams[stream];
    n = avformat_index_get_entries_count(st);

    d->cues = malloc(n > 0 ? (size_t) n * sizeof(vod_key_t) : 1);
    if (d->cues == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %d entries of a key"
                        " frame index", n);
    }

    for (i = 0; i < n; i++) {
        e = avformat_index_get_entry(st, i);

        if (e == NULL || e->timestamp <= VOD_DEMUX_FIRST + 1 || e->pos < 0
            || (uint64_t) e->pos >= d->source->src->size)
        {
            continue;
        }

        c = &d->cues[d->n_cues];
        c->time = vod_demux_ticks(&d->tracks[stream], e->timestamp);
        c->pos = (uint64_t) e->pos;

        if (c->time != VOD_NO_TIME) {
            d->n_cues++;
        }
    }

    qsort(d->cues, d->n_cues, sizeof(vod_key_t), vod_demux_cmp);

    *count = d->n_cues;

    return VOD_OK;
}


static int
vod_demux_cmp(const void *a, const void *b)
{
    const vod_key_t  *x = a, *y = b;

    if (x->time != y->time) {
        return (x->time < y->time) ? -1 : 1;
    }

    return (x->pos > y->pos) - (x->pos < y->pos);
}


void
vod_demux_cue(vod_demux_t *d, uint32_t stream, uint32_t i, vod_key_t *cue)
{
    (void) stream;

    *cue = d->cues[i];
}
