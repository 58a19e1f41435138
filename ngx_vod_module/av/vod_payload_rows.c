#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_payload.h"


static int vod_payload_take(vod_payload_t *p, vod_err_t *err);
static int vod_payload_changed(const vod_payload_t *p, vod_err_t *err);


/*
 * Every packet of a track has a place of its own, by which it is known
 * again; in a row it stands as the sample's.  Packets without a row were
 * left out of the index.
 */
int
vod_payload_rows(vod_payload_t *p, uint64_t *dts, vod_err_t *err)
{
    int                         rc;
    const vod_track_t          *t;
    const vod_av_segment_in_t  *in;

    in = p->in;
    t = in->track;

    p->samples = malloc(in->n_rows * sizeof(vod_sample_t));
    if (p->samples == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples",
                        in->n_rows);
    }

    vod_demux_only(p->demux, t->stream);

    *dts = in->cell->cursor.dts;

    rc = vod_demux_seek(p->demux, in->rows[0].pos, t->stream,
                        (int64_t) *dts + in->rows[0].cts
                        - (int64_t) t->media_time - t->origin, err);

    while (rc == VOD_OK && p->n < in->n_rows) {

        rc = vod_payload_read(p, err);

        if (rc == VOD_END) {
            return vod_payload_changed(p, err);
        }

        if (rc == VOD_OK && vod_payload_ours(p)) {
            rc = vod_payload_take(p, err);
        }
    }

    return rc;
}


/* is the packet the next row? */
static int
vod_payload_take(vod_payload_t *p, vod_err_t *err)
{
    int                  rc;
    uint32_t             size;
    uint64_t             at;
    const vod_sample_t  *row;

    row = &p->in->rows[p->n];

    if (p->packet.pos < row->pos || p->packet.pos == VOD_NO_POS) {
        return VOD_OK;
    }

    if (p->packet.pos > row->pos) {
        return vod_payload_changed(p, err);
    }

    at = p->len;

    rc = vod_payload_append(p, &size, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (size != row->size) {
        return vod_payload_changed(p, err);
    }

    p->samples[p->n] = *row;
    p->samples[p->n].pos = at;
    p->n++;

    return VOD_OK;
}


static int
vod_payload_changed(const vod_payload_t *p, vod_err_t *err)
{
    return vod_fail(err, VOD_DAMAGED, "track %u: sample %u does not come"
                    " again as it was indexed, remux the file",
                    p->in->track->source_id,
                    p->in->cell->cursor.sample + p->n + 1);
}
