#include <stddef.h>
#include <string.h>

#include "vod_cuts.h"
#include "vod_grid.h"


/* samples from one sync sample to the next */
typedef struct {
    vod_cursor_t  cursor;       /* before the sync sample */
    int64_t       sync;         /* its presentation time */
    int64_t       start;        /* earliest one of all */
} vod_gop_t;


typedef struct {
    vod_cuts_t   *out;
    int64_t       length;       /* ticks a segment may last */
    int64_t       limit;        /* latest end of the one that is open */
    int64_t       last;         /* sync sample before, ticks */
    vod_gop_t     best;         /* where the open one ends best so far */
    int           has_best;
} vod_cutter_t;


/* one track's way along the grid */
typedef struct {
    const vod_grid_t  *grid;
    uint32_t           timescale;
    uint64_t           i;       /* number of the next cut */
    int64_t            next;    /* the first tick that is not before it */
} vod_walk_t;


static int vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_open(vod_cuts_t *out, const vod_cursor_t *cur,
    int64_t start);
static int vod_cuts_end(vod_cuts_t *out, const vod_track_t *track,
    const vod_cursor_t *cur);
static void vod_walk_beyond(vod_walk_t *w, int64_t pts);


static inline void
vod_cuts_begin(vod_cuts_t *out, const vod_track_t *track, vod_cursor_t *cur)
{
    out->n = 0;

    memset(cur, 0, sizeof(vod_cursor_t));
    cur->dts = track->first_dts;
}


/* the next sample's presentation time; cur moves on */
static inline int
vod_cuts_next(const vod_track_t *track, const uint8_t *rows,
    vod_cursor_t *cur, vod_sample_t *s, int64_t *pts)
{
    uint64_t  dts;

    dts = cur->dts;

    if (vod_row_read(cur, rows, 0, track->rows_len, s) != VOD_OK) {
        return VOD_DAMAGED;
    }

    *pts = (int64_t) dts + s->cts - (int64_t) track->media_time;

    return VOD_OK;
}


int
vod_cuts_video(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows)
{
    int           rc, exact;
    int64_t       pts;
    uint32_t      i;
    uint64_t      head;
    vod_gop_t     gop;
    vod_cursor_t  cur, before;
    vod_cutter_t  c;
    vod_sample_t  s;

    memset(&c, 0, sizeof(vod_cutter_t));
    memset(&gop, 0, sizeof(vod_gop_t));

    head = vod_grid_head(grid, track);

    c.out = out;
    c.length = vod_grid_length(grid, track->timescale);
    c.limit = vod_moment_floor(&grid->origin, head * grid->target
                               + grid->target + VOD_GRID_SLACK,
                               track->timescale, &exact);
    c.last = vod_moment_floor(&grid->origin, 0, track->timescale, &exact);

    vod_cuts_begin(out, track, &cur);

    for (i = 0; i < track->n_samples; i++) {

        before = cur;

        if (vod_cuts_next(track, rows, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (i == 0 || s.key) {

            if (i > 0) {
                rc = vod_cuts_gop(&c, &gop);
                if (rc != VOD_OK) {
                    return rc;
                }
            }

            gop.cursor = before;
            gop.sync = pts;
            gop.start = pts;
        }

        if (pts < gop.start) {
            gop.start = pts;
        }
    }

    rc = vod_cuts_gop(&c, &gop);

    /* the end is a cut like any other: what it can reach is not cut short */

    if (rc == VOD_OK && c.has_best && track->end_pts > c.limit) {
        rc = vod_cuts_open(out, &c.best.cursor, c.best.start);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    out->cells[0].start = track->first_pts;

    return vod_cuts_end(out, track, &cur);
}


/* a group of pictures has ended: may the one before it end a segment? */
static int
vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop)
{
    int  rc;

    if (c->out->n == 0) {
        c->last = gop->sync > c->last ? gop->sync : c->last;
        return vod_cuts_open(c->out, &gop->cursor, gop->start);
    }

    /*
     * Pictures that lead a sync sample follow the sync sample before
     * (14496-10 and 23008-2 ask for it).  Where they do not, or begin before
     * the playlist, times are in disorder: no cut, so that segments begin
     * later and later whatever a file says.
     */

    if (gop->start <= c->last) {
        return VOD_OK;
    }

    c->last = gop->sync;

    if (gop->sync > c->limit && c->has_best) {

        rc = vod_cuts_open(c->out, &c->best.cursor, c->best.start);
        if (rc != VOD_OK) {
            return rc;
        }

        c->limit = c->best.start + c->length;
        c->has_best = 0;
    }

    if (gop->sync <= c->limit) {
        c->best = *gop;
        c->has_best = 1;
        return VOD_OK;
    }

    c->limit = gop->start + c->length;

    return vod_cuts_open(c->out, &gop->cursor, gop->start);
}


int
vod_cuts_other(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows)
{
    int           rc;
    int64_t       pts;
    uint32_t      i;
    vod_walk_t    walk;
    vod_cursor_t  cur, before;
    vod_sample_t  s;

    walk.grid = grid;
    walk.timescale = track->timescale;
    walk.i = 0;
    walk.next = INT64_MIN;

    vod_cuts_begin(out, track, &cur);

    for (i = 0; i < track->n_samples; i++) {

        before = cur;

        if (vod_cuts_next(track, rows, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (i > 0 && pts < walk.next) {
            continue;
        }

        rc = vod_cuts_open(out, &before, i ? pts : track->first_pts);
        if (rc != VOD_OK) {
            return rc;
        }

        vod_walk_beyond(&walk, pts);
    }

    return vod_cuts_end(out, track, &cur);
}


static int
vod_cuts_open(vod_cuts_t *out, const vod_cursor_t *cur, int64_t start)
{
    vod_cell_t  *cell;

    if (out->n == out->max) {
        return VOD_LIMIT;
    }

    cell = &out->cells[out->n++];

    memset(cell, 0, sizeof(vod_cell_t));
    cell->cursor = *cur;
    cell->start = start;

    return VOD_OK;
}


static int
vod_cuts_end(vod_cuts_t *out, const vod_track_t *track,
    const vod_cursor_t *cur)
{
    vod_cell_t  *cell;

    if (cur->row != track->rows_len) {
        return VOD_DAMAGED;
    }

    cell = &out->cells[out->n];

    memset(cell, 0, sizeof(vod_cell_t));
    cell->cursor = *cur;
    cell->start = track->end_pts;

    return VOD_OK;
}


/*
 * To the first cut behind pts.  The one that comes next is the usual case; a
 * sample may also outlast any number of cuts.
 */
static void
vod_walk_beyond(vod_walk_t *w, int64_t pts)
{
    uint64_t  low, high, mid;

    low = w->i + 1;
    high = vod_grid_cuts(w->grid) + 1;

    if (low < high && vod_grid_tick(w->grid, low, w->timescale) > pts) {
        high = low;
    }

    while (low < high) {
        mid = low + (high - low) / 2;

        if (vod_grid_tick(w->grid, mid, w->timescale) > pts) {
            high = mid;

        } else {
            low = mid + 1;
        }
    }

    w->i = low;
    w->next = low > vod_grid_cuts(w->grid)
              ? INT64_MAX : vod_grid_tick(w->grid, low, w->timescale);
}
