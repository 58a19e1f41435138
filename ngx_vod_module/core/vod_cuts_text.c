#include <string.h>

#include "vod_cuts_int.h"


/* a sample that says that there is nothing: vtte (14496-30, 7.4) */
#define VOD_CUTS_GAP  8


static int vod_cuts_lines(vod_cuts_t *out, const vod_span_t *span,
    vod_cursor_t *cur, int64_t start, int64_t next);
static uint32_t vod_cuts_share(const vod_span_t *span, const vod_sample_t *s,
    int64_t pts, int64_t start, int64_t next);


int
vod_cuts_text(vod_cuts_t *out, const vod_grid_t *grid, const vod_span_t *span,
    int64_t to)
{
    int           rc, exact;
    int64_t       start, next, stop;
    uint32_t      timescale;
    vod_walk_t    walk;
    vod_span_t    whole;
    vod_cursor_t  cur;
    vod_moment_t  clip;

    timescale = span->track->timescale;

    clip.ticks = to;
    clip.ms = 0;
    clip.timescale = 1000000;

    start = vod_moment_ceil(&grid->origin, 0, timescale);
    stop = vod_moment_floor(&grid->end, 0, timescale, &exact);
    next = vod_moment_floor(&clip, 0, timescale, &exact);
    stop = next < stop ? next : stop;

    /* what is shorter than a tick is one */

    stop = stop > start ? stop : start + 1;

    out->n = 0;
    out->bytes = 0;
    cur = span->cursor;

    vod_walk_init(&walk, grid, timescale);

    do {
        vod_walk_beyond(&walk, start);
        next = walk.next < stop ? walk.next : stop;

        rc = vod_cuts_lines(out, span, &cur, start, next);
        if (rc != VOD_OK) {
            return rc;
        }

        start = next;

    } while (start < stop);

    whole = *span;
    whole.stop = stop;

    return vod_cuts_end(out, &whole, &cur);
}


/*
 * One cell.  cur moves to the row that goes on at its end, or is the first
 * behind it.  Rows do not overlap: where they do all the same, one is over
 * when the next begins, so that none is read twice but those at a cut.
 */
static int
vod_cuts_lines(vod_cuts_t *out, const vod_span_t *span, vod_cursor_t *cur,
    int64_t start, int64_t next)
{
    int                rc;
    int64_t            pts;
    vod_gop_t          first;
    vod_cursor_t       ahead, before;
    vod_sample_t       s;
    vod_box_measure_t  m;

    first.start = start;
    first.sync = start;
    first.key = 0;

    memset(&s, 0, sizeof(vod_sample_t));
    s.size = VOD_CUTS_GAP;

    vod_box_measure_init(&m);
    vod_box_measure_add(&m, &s, VOD_TEXT);

    ahead = *cur;
    first.cursor = *cur;

    while (ahead.sample < span->end) {
        before = ahead;

        if (vod_span_next(span, &ahead, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (pts >= next) {
            break;
        }

        *cur = pts + s.dur > next ? before : ahead;

        if (pts < start) {
            first.cursor = pts + s.dur > start ? before : ahead;
        }

        if (pts + s.dur > start) {
            s.size = vod_cuts_share(span, &s, pts, start, next);
            vod_box_measure_add(&m, &s, VOD_TEXT);
        }
    }

    rc = vod_cuts_open(out, &first);

    return rc == VOD_OK ? vod_cuts_close(out, &m) : rc;
}


/* bytes of a row in a cell: all of a sample, its part of what lies between
   two cuts */
static uint32_t
vod_cuts_share(const vod_span_t *span, const vod_sample_t *s, int64_t pts,
    int64_t start, int64_t next)
{
    int64_t  from, to;

    if ((!(span->track->flags & VOD_TRACK_SPARSE)
         && span->track->n_samples > 1) || s->dur == 0)
    {
        return s->size;
    }

    from = pts > start ? pts : start;
    to = pts + s->dur < next ? pts + s->dur : next;

    return (uint32_t) (((uint64_t) s->size * (uint64_t) (to - from) + s->dur
                        - 1) / s->dur);
}
