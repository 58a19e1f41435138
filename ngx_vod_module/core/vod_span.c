#include <string.h>

#include "vod_grid.h"
#include "vod_span.h"


/* where a frame rate is not known, times are as exact as Matroska's */
#define VOD_SPAN_HALF  1000


static void vod_span_sample(vod_span_t *span, const vod_cursor_t *before,
    const vod_sample_t *s, int64_t pts, int64_t begin, int64_t to);
static void vod_span_trim(vod_span_t *span, int64_t begin, int64_t to);


void
vod_span_whole(vod_span_t *span, const void *index, const vod_track_t *track)
{
    memset(span, 0, sizeof(vod_span_t));

    span->track = track;
    span->rows = (const uint8_t *) index + track->rows_off;
    span->cursor.dts = track->first_dts;
    span->end = track->n_samples;
    span->start = track->first_pts;
    span->stop = track->end_pts;
}


int
vod_span_next(const vod_span_t *span, vod_cursor_t *cur, vod_sample_t *s,
    int64_t *pts)
{
    uint64_t  dts;

    dts = cur->dts;

    if (vod_row_read(cur, span->rows, 0, span->track->rows_len, s) != VOD_OK) {
        return VOD_DAMAGED;
    }

    *pts = (int64_t) dts + s->cts - (int64_t) span->track->media_time;

    return VOD_OK;
}


int64_t
vod_span_half(const vod_track_t *track)
{
    uint64_t  half;

    if (track->fps_num == 0) {
        return VOD_SPAN_HALF;
    }

    half = (uint64_t) track->fps_den * 500000 / track->fps_num;

    return half > VOD_SPAN_HALF ? (int64_t) half : VOD_SPAN_HALF;
}


int
vod_span_clip(vod_span_t *span, int64_t begin, int64_t from, int64_t to)
{
    int64_t       pts;
    uint32_t      i, n;
    vod_cursor_t  cur, before;
    vod_sample_t  s;

    cur = span->cursor;
    n = span->track->n_samples;

    for (i = 0; i < n; i++) {
        before = cur;

        if (vod_span_next(span, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        vod_span_sample(span, &before, &s, pts, begin, to);
    }

    if (!vod_span_empty(span)
        && vod_ticks_us(span->stop, span->track->timescale) <= from)
    {
        span->end = span->cursor.sample;
    }

    vod_span_trim(span, begin, to);

    return VOD_OK;
}


/*
 * What is presented at or behind the end counts only where it is decoded
 * before something that is not: pictures that others are made from.
 */
static void
vod_span_sample(vod_span_t *span, const vod_cursor_t *before,
    const vod_sample_t *s, int64_t pts, int64_t begin, int64_t to)
{
    int64_t  us;

    us = vod_ticks_us(pts, span->track->timescale);

    /* what is before 0 is not presented, but for decoders to begin with */

    if (before->sample == 0 || (s->key && us <= begin && begin > 0)) {
        span->cursor = *before;
        span->end = before->sample;
        span->sync = pts;
        span->start = pts;
        span->stop = INT64_MIN;
    }

    span->start = pts < span->start ? pts : span->start;

    if (us < to) {
        span->end = before->sample + 1;
        span->stop = pts + s->dur > span->stop ? pts + s->dur : span->stop;
    }
}


/*
 * The samples of a sparse track are found by their times, between those of
 * the cells: sound is cut to them, and a group of pictures stays whole.
 */
static void
vod_span_trim(vod_span_t *span, int64_t begin, int64_t to)
{
    int64_t       start, stop;
    vod_moment_t  moment;

    if (vod_span_empty(span) || span->track->kind == VOD_VIDEO
        || !(span->track->flags & VOD_TRACK_SPARSE))
    {
        return;
    }

    moment.ms = 0;
    moment.timescale = 1000000;

    moment.ticks = begin;
    start = vod_moment_ceil(&moment, 0, span->track->timescale);

    moment.ticks = to;
    stop = vod_moment_ceil(&moment, 0, span->track->timescale);

    span->start = start > span->start ? start : span->start;
    span->stop = stop < span->stop ? stop : span->stop;

    if (span->stop <= span->start) {
        span->end = span->cursor.sample;
    }
}
