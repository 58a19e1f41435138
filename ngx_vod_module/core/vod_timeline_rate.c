#include "vod_timeline_int.h"


static void
vod_timeline_rate_init(const vod_timeline_t *tl,
    const vod_timeline_track_t *tt, vod_rate_t *r)
{
    r->cells = vod_timeline_cells(tl, tt);
    r->n = tt->n_segments;
    r->timescale = tt->timescale;
    r->origin = tl->origin;
    r->target = tl->target;
    r->target_duration = tl->target_duration;
    r->keys = 0;
    r->text = tt->kind == VOD_TEXT;
}


/* ticks to milliseconds, up */
static uint64_t
vod_timeline_ms(uint64_t ticks, uint32_t timescale)
{
    uint64_t  sec;

    sec = ticks / timescale;

    if (sec >= UINT32_MAX) {
        return UINT32_MAX;
    }

    return sec * 1000 + (ticks % timescale * 1000 + timescale - 1) / timescale;
}


/* are a playlist's time and tfdt a millisecond or more apart? */
static int
vod_timeline_apart(uint64_t us, uint64_t dts, uint32_t timescale)
{
    uint64_t  media;

    media = (uint64_t) vod_ticks_us((int64_t) dts, timescale);

    return media > us ? media - us >= 1000 : us - media >= 1000;
}


void
vod_timeline_longest(vod_timeline_t *tl)
{
    uint64_t                     us, ms, extinf, longest;
    unsigned                     i;
    uint32_t                     k;
    vod_rate_t                   r;
    const vod_timeline_track_t  *tt;

    extinf = 0;
    longest = 0;

    for (i = 0; i < tl->n_tracks; i++) {

        tt = vod_timeline_tracks(tl) + i;
        vod_timeline_rate_init(tl, tt, &r);

        for (k = 0; k < r.n; k++) {
            us = vod_rate_time(&r, k + 1) - vod_rate_time(&r, k);
            extinf = us > extinf ? us : extinf;

            /* the samples of text begin with the cell */

            if (tt->kind != VOD_TEXT
                && vod_timeline_apart(vod_rate_time(&r, k),
                                      r.cells[k].cursor.dts, r.timescale))
            {
                tl->dated = 1;
            }

            ms = vod_timeline_ms((uint64_t) (r.cells[k + 1].start
                                             - r.cells[k].start),
                                 r.timescale);
            longest = ms > longest ? ms : longest;
        }

        us = r.n ? vod_rate_time(&r, r.n) - r.origin : 0;
        tl->duration = us > tl->duration ? us : tl->duration;
    }

    us = (extinf + 500000) / 1000000;

    tl->target_duration = us == 0 ? 1
                          : us < UINT32_MAX ? (uint32_t) us : UINT32_MAX;

    ms = (extinf + 999) / 1000;
    longest = ms > longest ? ms : longest;

    tl->max_segment = longest < UINT32_MAX ? (uint32_t) longest : UINT32_MAX;
}


/* is there an I-frame playlist, and how long is its longest EXTINF? */
static void
vod_timeline_keys(const vod_timeline_t *tl, const vod_track_t *track,
    vod_timeline_track_t *tt)
{
    uint32_t    k;
    uint64_t    us, longest;
    vod_rate_t  r;

    if (track->kind != VOD_VIDEO
        || (track->flags & (VOD_TRACK_ALL_SYNC | VOD_TRACK_SPARSE)))
    {
        return;
    }

    vod_timeline_rate_init(tl, tt, &r);

    r.keys = 1;
    longest = 0;

    for (k = 0; k < r.n; k++) {

        if (r.cells[k].key == 0) {
            return;
        }

        us = vod_rate_time(&r, k + 1) - vod_rate_time(&r, k);
        longest = us > longest ? us : longest;
    }

    us = (longest + 500000) / 1000000;

    tt->key_duration = us == 0 ? 1
                       : us < UINT32_MAX ? (uint32_t) us : UINT32_MAX;
}


int
vod_timeline_rates(vod_timeline_t *tl, const vod_track_t *tracks,
    vod_rate_point_t *points, uint64_t room, vod_err_t *err)
{
    unsigned               i;
    vod_rate_t             r;
    vod_timeline_track_t  *tt;

    tt = (vod_timeline_track_t *) (tl + 1);

    for (i = 0; i < tl->n_tracks; i++, tt++) {

        if (tt->n_segments == 0) {
            continue;
        }

        if (room <= tt->n_segments) {
            return vod_fail(err, VOD_NOMEM, "no room for the timeline");
        }

        vod_timeline_rate_init(tl, tt, &r);

        tt->peak = vod_rate_peak(&r, points);
        tt->average = vod_rate_average(&r);
        tt->bandwidth = vod_rate_buffered(&r);

        /* segments too short for a run of their own may raise the average */

        if (tt->peak < tt->average) {
            tt->peak = tt->average;
        }

        vod_timeline_keys(tl, &tracks[i], tt);

        if (tt->key_duration == 0) {
            continue;
        }

        r.keys = 1;
        r.target_duration = tt->key_duration;

        tt->key_peak = vod_rate_peak(&r, points);
        tt->key_average = vod_rate_average(&r);

        if (tt->key_peak < tt->key_average) {
            tt->key_peak = tt->key_average;
        }
    }

    return VOD_OK;
}
