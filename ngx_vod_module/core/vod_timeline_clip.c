#include <stddef.h>

#include "vod_timeline_int.h"


/* where a clip begins, microseconds */
typedef struct {
    unsigned  reference;        /* ordinal of the video that decides it, or
                                   the number of tracks */
    int64_t   sync;             /* of video, its first sync sample */
    int64_t   start;            /* of all else, its earliest picture */
} vod_timeline_begin_t;


static int vod_timeline_clip(vod_timeline_build_t *b, vod_err_t *err);
static int vod_timeline_begin(vod_timeline_build_t *b,
    vod_timeline_begin_t *begin, vod_err_t *err);
static int vod_timeline_clip_one(vod_timeline_build_t *b, unsigned ordinal,
    const vod_timeline_begin_t *begin, vod_err_t *err);


int
vod_timeline_spans(vod_timeline_build_t *b, vod_err_t *err)
{
    int              rc;
    unsigned         i;
    vod_timeline_t  *tl;

    tl = b->tl;

    for (i = 0; i < b->index->n_tracks; i++) {
        vod_span_whole(&b->spans[i], b->index, &b->tracks[i]);
    }

    if (b->foreign) {
        vod_grid_foreign(&b->grid, b->in->target, b->foreign);

        if ((b->foreign->to != 0) != vod_timeline_clipped(b->in)) {
            return vod_fail(err, VOD_INTERNAL, "the grid is that of another "
                            "clip");
        }
    }

    if (vod_timeline_clipped(b->in)) {
        rc = vod_timeline_clip(b, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    if (b->foreign == NULL) {
        vod_grid_init(&b->grid, b->in->target, b->index, b->spans);
    }

    tl->origin = (uint64_t) vod_ticks_us(b->grid.origin.ticks,
                                         b->grid.origin.timescale);
    tl->origin_ticks = b->grid.origin.ticks;
    tl->origin_timescale = b->grid.origin.timescale;
    tl->end_ticks = b->grid.end.ticks;
    tl->end_timescale = b->grid.end.timescale;

    return VOD_OK;
}


static int
vod_timeline_outside(const vod_timeline_in_t *in, const char *why,
    vod_err_t *err)
{
    if (in->to == INT64_MAX) {
        return vod_fail(err, VOD_RANGE, "a clip from %.6f s on %s",
                        (double) in->from / 1e6, why);
    }

    return vod_fail(err, VOD_RANGE, "a clip from %.6f s to %.6f s %s",
                    (double) in->from / 1e6, (double) in->to / 1e6, why);
}


static int
vod_timeline_clip(vod_timeline_build_t *b, vod_err_t *err)
{
    int                       rc;
    unsigned                  i, media, left;
    vod_timeline_begin_t      begin;
    const vod_timeline_in_t  *in;

    in = b->in;

    if (in->from < 0 || in->from >= in->to) {
        return vod_timeline_outside(in, "is empty", err);
    }

    rc = vod_timeline_begin(b, &begin, err);

    media = 0;
    left = 0;

    for (i = 0; rc == VOD_OK && i < b->index->n_tracks; i++) {

        if (b->tracks[i].kind != VOD_TEXT) {
            rc = vod_timeline_clip_one(b, i, &begin, err);
            media++;
            left += !vod_span_empty(&b->spans[i]);
        }
    }

    if (rc == VOD_OK && media && left == 0) {
        rc = vod_timeline_outside(in, "has nothing of the file in it", err);
    }

    return rc;
}


/* video to begin with: that of the grid, or the first that has something */
static int
vod_timeline_begin(vod_timeline_build_t *b, vod_timeline_begin_t *begin,
    vod_err_t *err)
{
    unsigned           i;
    const vod_span_t  *span;

    begin->reference = b->index->n_tracks;
    begin->sync = b->in->from;
    begin->start = b->in->from;

    if (b->grid.cells) {
        begin->sync = vod_grid_sync(&b->grid, 0);
        begin->start = (int64_t) b->foreign->origin;
    }

    for (i = 0; b->foreign == NULL && i < b->index->n_tracks; i++) {
        span = &b->spans[i];

        if (b->tracks[i].kind != VOD_VIDEO) {
            continue;
        }

        if (vod_timeline_clip_one(b, i, begin, err) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (!vod_span_empty(span)) {
            begin->reference = i;
            begin->sync = vod_ticks_us(span->sync, span->track->timescale);
            begin->start = vod_ticks_us(span->start, span->track->timescale);
            break;
        }
    }

    return VOD_OK;
}


/* a time of the grid is met within half a frame */
static int
vod_timeline_clip_one(vod_timeline_build_t *b, unsigned ordinal,
    const vod_timeline_begin_t *begin, vod_err_t *err)
{
    int64_t             at;
    vod_span_t         *span;
    const vod_track_t  *t;

    t = &b->tracks[ordinal];
    span = &b->spans[ordinal];

    if (ordinal == begin->reference) {
        return VOD_OK;
    }

    /* pictures that begin late do not keep sound from beginning */

    at = begin->start < b->in->from ? begin->start : b->in->from;

    if (t->kind == VOD_VIDEO) {
        at = begin->sync;
        at += at != b->in->from ? vod_span_half(t) : 0;
    }

    vod_span_whole(span, b->index, t);

    if (vod_span_clip(span, at, b->in->from, b->in->to) != VOD_OK) {
        return vod_fail(err, VOD_DAMAGED, "the index of track %u is damaged",
                        t->source_id);
    }

    return VOD_OK;
}


void
vod_timeline_limits(vod_timeline_build_t *b)
{
    int64_t                from, to, end;
    vod_grid_t             whole;
    vod_timeline_t        *tl;
    const vod_timeline_t  *grid;

    tl = b->tl;
    grid = b->foreign;

    if (grid) {
        tl->dated |= grid->dated;

        if (tl->target_duration < grid->target_duration) {
            tl->target_duration = grid->target_duration;
        }
    }

    if (!vod_timeline_clipped(b->in)) {
        return;
    }

    if (grid) {
        from = grid->from;
        end = (int64_t) (tl->origin + tl->duration);
        end = end > grid->to ? end : grid->to;

    } else {
        vod_grid_init(&whole, tl->target, b->index, NULL);

        from = vod_ticks_us(whole.origin.ticks, whole.origin.timescale);
        from = b->in->from > from ? b->in->from : from;
        end = vod_ticks_us(whole.end.ticks, whole.end.timescale);
    }

    to = b->in->to < end ? b->in->to : end;

    tl->from = from;
    tl->to = to > from ? to : from;
}
