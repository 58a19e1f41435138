#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_payload.h"
#include "vod_subs.h"


#define VOD_PAYLOAD_TIMEOUT  30000
#define VOD_PAYLOAD_MAX      (128 * 1024 * 1024)
#define VOD_PAYLOAD_FIRST    65536      /* least room, bytes */


static int vod_payload_make(vod_payload_t *p, uint64_t *dts, vod_err_t *err);
static int vod_payload_room(vod_payload_t *p, uint64_t more, vod_err_t *err);
static int vod_payload_fit(vod_payload_t *p, vod_err_t *err);


int
vod_av_segment(vod_av_source_t *src, const vod_av_limits_t *limits,
    const vod_av_segment_in_t *in, vod_av_segment_t *out, vod_err_t *err)
{
    int            rc;
    uint32_t       timeout;
    uint64_t       dts;
    vod_payload_t  p;

    memset(out, 0, sizeof(vod_av_segment_t));
    memset(&p, 0, sizeof(vod_payload_t));

    timeout = (limits && limits->timeout) ? limits->timeout
                                          : VOD_PAYLOAD_TIMEOUT;

    p.max = (limits && limits->max_segment) ? limits->max_segment
                                            : VOD_PAYLOAD_MAX;

    src->bytes_read = 0;
    vod_source_init(&p.source, src, timeout);

    if (in->track->kind == VOD_TEXT) {
        return vod_subs_segment(&p.source, p.max, in, out, err);
    }

    p.in = in;
    dts = 0;

    rc = vod_payload_make(&p, &dts, err);

    if (rc == VOD_OK) {
        rc = vod_payload_fit(&p, err);
    }

    vod_demux_close(p.demux);

    if (rc != VOD_OK) {
        free(p.mem);
        free(p.samples);
        return rc;
    }

    out->payload = p.mem;
    out->len = p.len;
    out->samples = p.samples;
    out->n = p.n;
    out->dts = dts;

    return VOD_OK;
}


void
vod_av_segment_free(vod_av_segment_t *segment)
{
    free(segment->payload);
    memset(segment, 0, sizeof(vod_av_segment_t));
}


static int
vod_payload_make(vod_payload_t *p, uint64_t *dts, vod_err_t *err)
{
    int                         rc;
    const vod_av_segment_in_t  *in;

    in = p->in;

    rc = vod_demux_open(&p->demux, &p->source, in->container, err);
    if (rc != VOD_OK) {
        return rc;
    }

    /* what is expected, and a little: most segments are allocated once */

    rc = vod_payload_room(p, in->cell->payload + in->cell->payload / 8, err);
    if (rc != VOD_OK) {
        return rc;
    }

    return (in->track->flags & VOD_TRACK_SPARSE)
           ? vod_payload_sparse(p, dts, err)
           : vod_payload_rows(p, dts, err);
}


int
vod_payload_read(vod_payload_t *p, vod_err_t *err)
{
    int  rc;

    rc = vod_source_in_time(&p->source, err);

    return (rc == VOD_OK) ? vod_demux_read(p->demux, &p->packet, err) : rc;
}


int
vod_payload_append(vod_payload_t *p, uint32_t *size, vod_err_t *err)
{
    int                         rc;
    uint64_t                    len, most;
    const vod_track_t          *t;
    const vod_av_segment_in_t  *in;

    in = p->in;
    t = in->track;

    most = vod_config_bound(t->convert, p->packet.size);

    rc = vod_payload_room(p, most, err);
    if (rc != VOD_OK) {
        return rc;
    }

    rc = vod_config_convert(t->convert, in->entry, t->entry_len,
                            p->packet.data, p->packet.size, p->mem + p->len,
                            &len);
    if (rc != VOD_OK || len > most) {
        return vod_fail(err, VOD_DAMAGED, "track %u: the sample of %u bytes"
                        " at byte %" PRIu64 " is not of its codec's form,"
                        " remux the file", t->source_id, p->packet.size,
                        p->packet.pos);
    }

    p->len += len;
    *size = (uint32_t) len;

    return VOD_OK;
}


/* room for so many bytes more: twice as much as before, up to the limit */
static int
vod_payload_room(vod_payload_t *p, uint64_t more, vod_err_t *err)
{
    uint64_t                    room;
    uint8_t                    *mem;
    const vod_av_segment_in_t  *in;

    in = p->in;

    if (p->mem && more <= p->room - p->len) {
        return VOD_OK;
    }

    if (more > p->max || p->len > p->max - more) {

        /* an estimate is no reason */

        if (p->mem) {
            return vod_fail(err, VOD_LIMIT, "track %u: segment %" PRIu64
                            " has more than %" PRIu64 " bytes: key frames are"
                            " too far apart, re-encode it with more",
                            in->track->source_id, in->number, p->max);
        }

        more = 0;
    }

    room = p->room ? p->room * 2 : VOD_PAYLOAD_FIRST;

    if (room < p->len + more) {
        room = p->len + more;
    }

    if (room > p->max) {
        room = p->max;
    }

    mem = (room == (size_t) room) ? realloc(p->mem, room ? room : 1) : NULL;
    if (mem == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a segment of %" PRIu64
                        " bytes", room);
    }

    p->mem = mem;
    p->room = room;

    return VOD_OK;
}


/* payload and samples become one piece of memory, and no more than that */
static int
vod_payload_fit(vod_payload_t *p, vod_err_t *err)
{
    uint8_t   *mem;
    uint64_t   at, size, total;

    at = (p->len + 15) & ~(uint64_t) 15;
    size = (uint64_t) p->n * sizeof(vod_sample_t);
    total = at + size;

    mem = (total == (size_t) total) ? realloc(p->mem, total ? total : 1)
                                    : NULL;
    if (mem == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a segment of %" PRIu64
                        " bytes", total);
    }

    p->mem = mem;

    if (size) {
        memcpy(mem + at, p->samples, size);
    }

    free(p->samples);
    p->samples = (vod_sample_t *) (void *) (mem + at);

    return VOD_OK;
}
