#include <stdlib.h>

#include "vod_cues_int.h"
#include "vod_subs.h"


static int vod_cues_text_rows(const vod_cues_build_t *b, vod_cues_track_t *t,
    vod_err_t *err);
static uint64_t vod_cues_text_from(const vod_cues_build_t *b,
    const vod_cues_track_t *t, int64_t from, int64_t to, uint32_t *at);


/* of an entry, ms of the output timeline */
static int64_t
vod_cues_text_ms(const vod_cues_track_t *t, int64_t ticks)
{
    return vod_subs_ms(ticks + t->track.track.origin, t->st->timescale);
}


int
vod_cues_text(vod_cues_build_t *b, int64_t origin, vod_err_t *err)
{
    int                rc;
    uint32_t           i;
    vod_cues_track_t  *t;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out != VOD_CUES_TEXT) {
            continue;
        }

        rc = vod_subs_demux_track(&t->track, t->stream, t->st, err);

        if (rc == VOD_OK) {
            t->track.track.origin = -vod_subs_ms(origin, 1000000);
            rc = vod_cues_text_rows(b, t, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }
    }

    return VOD_OK;
}


/*
 * A row from each of the reference's entries to the next one, and one from the
 * last of them to where its track ends.
 */
static int
vod_cues_text_rows(const vod_cues_build_t *b, vod_cues_track_t *t,
    vod_err_t *err)
{
    int64_t                  from, to;
    uint32_t                 i, n, at;
    vod_sample_t            *rows;
    const vod_cues_track_t  *ref;

    ref = b->ref;

    rows = calloc(ref->n_cues, sizeof(vod_sample_t));
    if (rows == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u cuts", ref->n_cues);
    }

    t->track.samples = rows;
    from = 0;
    at = 0;
    n = 0;

    for (i = 1; i <= ref->n_cues; i++) {

        to = (i < ref->n_cues) ? vod_cues_text_ms(ref, ref->cues[i].time)
                               : vod_cues_text_ms(ref, ref->last) + 1;

        if (to <= from || to - from > UINT32_MAX) {
            continue;
        }

        rows[n].pos = vod_cues_text_from(b, t, from, to, &at);
        rows[n].dur = (uint32_t) (to - from);
        rows[n].size = 1;
        rows[n].key = 1;
        n++;

        from = to;
    }

    t->track.n_samples = n;

    return n ? VOD_OK : vod_fail(err, VOD_DAMAGED, "the times of its key frame"
                                 " index are none, remux the file");
}


/*
 * Where to read for what is shown from one time to another: from the first of
 * its own entries that may have to do with it, if it has entries at all; else
 * from the last of the reference's that is so long before.  *at goes on from
 * row to row.
 */
static uint64_t
vod_cues_text_from(const vod_cues_build_t *b, const vod_cues_track_t *t,
    int64_t from, int64_t to, uint32_t *at)
{
    int64_t                  time;
    const vod_cues_track_t  *ref;

    from -= VOD_SUBS_BEFORE;

    while (*at < t->n_cues) {

        time = vod_subs_ms(t->cues[*at].time, t->st->timescale)
               + t->track.track.origin;

        if (time >= from) {
            return (time < to) ? t->cues[*at].pos : b->source->src->size;
        }

        (*at)++;
    }

    if (t->n_cues) {
        return b->source->src->size;
    }

    ref = b->ref;

    while (*at + 1 < ref->n_cues
           && vod_cues_text_ms(ref, ref->cues[*at + 1].time) <= from)
    {
        (*at)++;
    }

    return *at ? ref->cues[*at].pos : 0;
}
