#include <string.h>

#include "vod_grid.h"


static void vod_grid_include(vod_grid_t *grid, const vod_span_t *span,
    unsigned found);
static uint64_t vod_grid_most(const vod_grid_t *grid, const vod_moment_t *base,
    int64_t ticks, uint32_t timescale);


/* whole seconds, down, and the ticks left over */
static inline int64_t
vod_ticks_split(int64_t ticks, uint32_t timescale, uint32_t *left)
{
    int64_t  sec, rest;

    sec = ticks / timescale;
    rest = ticks % timescale;

    if (rest < 0) {
        rest += timescale;
        sec--;
    }

    *left = (uint32_t) rest;

    return sec;
}


int
vod_ticks_cmp(int64_t a, uint32_t ats, int64_t b, uint32_t bts)
{
    int64_t   asec, bsec;
    uint32_t  aleft, bleft;
    uint64_t  left, right;

    asec = vod_ticks_split(a, ats, &aleft);
    bsec = vod_ticks_split(b, bts, &bleft);

    if (asec != bsec) {
        return asec < bsec ? -1 : 1;
    }

    left = (uint64_t) aleft * bts;
    right = (uint64_t) bleft * ats;

    return (left > right) - (left < right);
}


int64_t
vod_ticks_us(int64_t ticks, uint32_t timescale)
{
    int64_t   sec;
    uint32_t  left;

    sec = vod_ticks_split(ticks, timescale, &left);

    if (sec >= INT64_MAX / 1000000) {
        return INT64_MAX;
    }

    if (sec <= INT64_MIN / 1000000) {
        return INT64_MIN;
    }

    return sec * 1000000
           + (int64_t) (((uint64_t) left * 1000000 + timescale / 2)
                        / timescale);
}


int64_t
vod_moment_floor(const vod_moment_t *m, uint64_t ms, uint32_t timescale,
    int *exact)
{
    int64_t   sec;
    uint32_t  left;
    uint64_t  a, b, arest, brest, unit, rest;

    sec = vod_ticks_split(m->ticks, m->timescale, &left);
    sec += (int64_t) (m->ms / 1000 + ms / 1000);
    ms = m->ms % 1000 + ms % 1000;

    if (sec >= VOD_TIME_MAX / timescale - 2) {
        *exact = 0;
        return VOD_TIME_MAX;
    }

    if (sec <= -VOD_TIME_MAX / timescale) {
        *exact = 0;
        return -VOD_TIME_MAX;
    }

    /* left / m->timescale + ms / 1000 seconds, each in ticks with its rest */

    a = (uint64_t) left * timescale;
    arest = a % m->timescale;
    a /= m->timescale;

    b = ms * timescale;
    brest = b % 1000;
    b /= 1000;

    /* the rests are less than a tick each: do they make one together? */

    unit = (uint64_t) m->timescale * 1000;
    rest = arest * 1000 + brest * m->timescale;

    *exact = (rest % unit == 0);

    return sec * timescale + (int64_t) (a + b + rest / unit);
}


int64_t
vod_moment_ceil(const vod_moment_t *m, uint64_t ms, uint32_t timescale)
{
    int      exact;
    int64_t  tick;

    tick = vod_moment_floor(m, ms, timescale, &exact);

    return exact ? tick : tick + 1;
}


void
vod_grid_init(vod_grid_t *grid, uint32_t target, const void *index,
    const vod_span_t *spans)
{
    unsigned            i, text, found;
    vod_span_t          span;
    const vod_index_t  *idx;

    idx = index;

    memset(grid, 0, sizeof(vod_grid_t));

    grid->target = target;
    grid->origin.timescale = 1;
    grid->end.timescale = 1;

    for (text = 0, found = 0; text < 2 && found == 0; text++) {

        for (i = 0; i < idx->n_tracks; i++) {

            if (spans) {
                span = spans[i];

            } else {
                vod_span_whole(&span, index, &vod_index_tracks(idx)[i]);
            }

            if ((span.track->kind == VOD_TEXT) == (text == 1)
                && !vod_span_empty(&span))
            {
                vod_grid_include(grid, &span, found++);
            }
        }
    }

    grid->last.timescale = 1;
    grid->tail = vod_grid_most(grid, &grid->last, grid->end.ticks,
                               grid->end.timescale);
}


/* origin and end from one more span; found of them have been seen */
static void
vod_grid_include(vod_grid_t *grid, const vod_span_t *span, unsigned found)
{
    int64_t   first;
    uint32_t  timescale;

    timescale = span->track->timescale;
    first = span->start > 0 ? span->start : 0;

    if (found == 0 || vod_ticks_cmp(first, timescale, grid->origin.ticks,
                                    grid->origin.timescale) < 0)
    {
        grid->origin.ticks = first;
        grid->origin.timescale = timescale;
    }

    if (found == 0 || vod_ticks_cmp(span->stop, timescale, grid->end.ticks,
                                    grid->end.timescale) > 0)
    {
        grid->end.ticks = span->stop;
        grid->end.timescale = timescale;
    }
}


void
vod_grid_reference(vod_grid_t *grid, uint32_t timescale,
    const vod_cell_t *cells, uint64_t n)
{
    grid->cells = cells;
    grid->timescale = timescale;
    grid->head = vod_grid_head(grid, cells[0].start, timescale);
    grid->middle = n - 1;

    if (n > 1) {
        grid->last.ticks = cells[n - 1].start;
        grid->last.ms = 0;
        grid->last.timescale = timescale;

    } else {
        grid->last = grid->origin;
        grid->last.ms = grid->head * grid->target;
    }

    grid->tail = vod_grid_most(grid, &grid->last, grid->end.ticks,
                               grid->end.timescale);
}


void
vod_grid_foreign(vod_grid_t *grid, uint32_t target, const vod_timeline_t *tl)
{
    const vod_timeline_track_t  *tt;

    memset(grid, 0, sizeof(vod_grid_t));

    grid->target = target;
    grid->origin.ticks = tl->origin_ticks;
    grid->origin.timescale = tl->origin_timescale;
    grid->end.ticks = tl->end_ticks;
    grid->end.timescale = tl->end_timescale;

    if (tl->reference == 0) {
        grid->last.timescale = 1;
        grid->tail = vod_grid_most(grid, &grid->last, grid->end.ticks,
                                   grid->end.timescale);
        return;
    }

    tt = vod_timeline_tracks(tl) + tl->reference - 1;

    vod_grid_reference(grid, tt->timescale, vod_timeline_cells(tl, tt),
                       tt->n_segments);
}


void
vod_grid_extend(vod_grid_t *grid, const vod_span_t *span)
{
    uint32_t  timescale;

    timescale = span->track->timescale;

    if (span->stop <= vod_moment_ceil(&grid->end, (uint64_t) grid->target
                                                  + VOD_GRID_SLACK,
                                      timescale))
    {
        return;
    }

    grid->end.ticks = span->stop;
    grid->end.timescale = timescale;

    grid->tail = vod_grid_most(grid, &grid->last, grid->end.ticks,
                               grid->end.timescale);
}


uint64_t
vod_grid_head(const vod_grid_t *grid, int64_t ticks, uint32_t timescale)
{
    return vod_grid_most(grid, &grid->origin, ticks, timescale);
}


uint64_t
vod_grid_syncs(const vod_grid_t *grid)
{
    return grid->cells ? grid->middle : grid->tail;
}


int64_t
vod_grid_sync(const vod_grid_t *grid, uint64_t i)
{
    if (grid->cells) {
        return vod_ticks_us(grid->cells[i].sync, grid->timescale);
    }

    if (i == 0 || i > grid->tail) {
        return INT64_MIN;
    }

    return vod_ticks_us(vod_grid_tick(grid, i, 1000000), 1000000);
}


int64_t
vod_grid_length(const vod_grid_t *grid, uint32_t timescale)
{
    int                        exact;
    static const vod_moment_t  zero = { 0, 0, 1 };

    return vod_moment_floor(&zero, (uint64_t) grid->target + VOD_GRID_SLACK,
                            timescale, &exact);
}


/*
 * The largest n so that more than VOD_GRID_SLACK lies between base + n
 * targets and the time in ticks; 0 where there is none.
 */
static uint64_t
vod_grid_most(const vod_grid_t *grid, const vod_moment_t *base, int64_t ticks,
    uint32_t timescale)
{
    int       exact;
    uint64_t  low, high, mid;

    low = 0;
    high = VOD_TIME_MAX / grid->target - 1;

    while (low < high) {
        mid = high - (high - low) / 2;

        if (vod_moment_floor(base, mid * grid->target + VOD_GRID_SLACK,
                             timescale, &exact) < ticks)
        {
            low = mid;

        } else {
            high = mid - 1;
        }
    }

    return low;
}


int64_t
vod_grid_tick(const vod_grid_t *grid, uint64_t i, uint32_t timescale)
{
    uint64_t      ms;
    vod_moment_t  cut;

    ms = 0;

    if (i <= grid->head) {
        cut = grid->origin;
        ms = i * grid->target;

    } else if (i <= grid->head + grid->middle) {
        cut.ticks = grid->cells[i - grid->head].start;
        cut.timescale = grid->timescale;
        cut.ms = 0;

    } else {
        cut = grid->last;
        ms = (i - grid->head - grid->middle) * grid->target;
    }

    return vod_moment_ceil(&cut, ms, timescale);
}


/*
 * Of video, any three segments in a row span more than target +
 * VOD_GRID_SLACK (two, but for pictures that lead their sync sample), or it
 * is cut as another file's is; others are cut at the grid's cuts.
 */
uint64_t
vod_grid_bound(const vod_grid_t *grid, const vod_track_t *track,
    uint64_t reference)
{
    uint64_t  n, length;

    if (track->kind == VOD_VIDEO) {
        length = (uint64_t) vod_grid_length(grid, track->timescale);
        n = (uint64_t) track->end_pts - (uint64_t) track->first_pts;
        n = length ? n / length : n;
        n = n > UINT32_MAX ? n : n * 3 + 6;
        n += grid->cells ? grid->middle : 0;

    } else {

        /* the tail can only be shorter with a reference than without */

        n = vod_grid_cuts(grid) + reference + 3;
    }

    return n < track->n_samples || track->kind == VOD_TEXT
           ? n : track->n_samples;
}
