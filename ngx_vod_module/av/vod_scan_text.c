#include <stdlib.h>

#include "vod_scan_int.h"


/* a packet's own place is that of its Cluster only if it is a key frame to
   libavformat, which one that overlaps the one before is not */
int
vod_scan_text(vod_scan_build_t *b, vod_scan_track_t *t, const vod_packet_t *p,
    vod_err_t *err)
{
    int                 rc;
    uint32_t            room;
    vod_subs_packet_t  *s;

    if (p->pts == VOD_NO_TIME && p->dts == VOD_NO_TIME) {
        t->bad++;
        return VOD_OK;
    }

    if (!t->ready) {
        rc = vod_subs_demux_track(&t->out, t->stream, t->st, err);
        if (rc != VOD_OK) {
            return rc;
        }

        t->ready = 1;
    }

    if (b->n_samples == b->limits->max_samples) {
        return vod_scan_many(b, err);
    }

    if (t->n == t->room) {
        room = t->room ? t->room + t->room / 2 : 256;

        s = realloc(t->texts, room * sizeof(vod_subs_packet_t));
        if (s == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for %u cues", room);
        }

        t->texts = s;
        t->room = room;
    }

    s = &t->texts[t->n++];
    b->n_samples++;

    vod_subs_span(t->st, p, &s->start, &s->end);

    s->pos = (p->pos != VOD_NO_POS && p->pos > b->behind) ? p->pos
                                                         : b->behind;
    s->size = p->size;

    return VOD_OK;
}


int
vod_scan_text_rows(vod_scan_build_t *b, vod_scan_track_t *t, int64_t origin,
    vod_err_t *err)
{
    t->out.track.origin = origin;

    return vod_subs_rows(&t->out, t->texts, t->n, b->source->src->size,
                         origin, err);
}
