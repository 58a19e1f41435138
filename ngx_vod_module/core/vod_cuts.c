#include <stddef.h>
#include <string.h>

#include "vod_box.h"
#include "vod_cuts.h"


/* samples from one sync sample to the next */
typedef struct {
    vod_cursor_t       cursor;  /* before the sync sample */
    int64_t            sync;    /* its presentation time */
    uint32_t           key;     /* its size; 0 of a first sample that is none */
    int64_t            start;   /* earliest one of all */
    vod_box_measure_t  measure;
} vod_gop_t;


/*
 * A segment is open.  It may end before best, the last sync sample within
 * its limit so far, or must wait for the next one.
 */
typedef struct {
    vod_cuts_t        *out;
    int64_t            length;  /* ticks a segment may last */
    int64_t            limit;   /* latest end of the open one */
    int64_t            last;    /* sync sample before, ticks */
    vod_box_measure_t  measure; /* of the open one, up to best */
    vod_gop_t          best;    /* with what follows it */
    int                has_best;
} vod_cutter_t;


/* one track's way along the grid */
typedef struct {
    const vod_grid_t  *grid;
    uint32_t           timescale;
    uint64_t           i;       /* number of the next cut */
    int64_t            next;    /* the first tick that is not before it */
} vod_walk_t;


static int vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_last(vod_cutter_t *c, const vod_track_t *track);
static int vod_cuts_begin(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_open(vod_cuts_t *out, const vod_gop_t *gop);
static int vod_cuts_close(vod_cuts_t *out, const vod_box_measure_t *m);
static int vod_cuts_end(vod_cuts_t *out, const vod_track_t *track,
    const vod_cursor_t *cur);
static void vod_walk_beyond(vod_walk_t *w, int64_t pts);


static inline void
vod_cuts_first(vod_cuts_t *out, const vod_track_t *track, vod_cursor_t *cur)
{
    out->n = 0;
    out->bytes = 0;

    memset(cur, 0, sizeof(vod_cursor_t));
    cur->dts = track->first_dts;
}


/* the next sample and its presentation time; cur moves on */
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


static void
vod_cuts_cutter(vod_cutter_t *c, vod_cuts_t *out, const vod_grid_t *grid,
    const vod_track_t *track)
{
    int       exact;
    uint64_t  ms;

    memset(c, 0, sizeof(vod_cutter_t));

    ms = (vod_grid_head(grid, track) + 1) * grid->target + VOD_GRID_SLACK;

    c->out = out;
    c->length = vod_grid_length(grid, track->timescale);
    c->limit = vod_moment_floor(&grid->origin, ms, track->timescale, &exact);
    c->last = vod_moment_floor(&grid->origin, 0, track->timescale, &exact);
}


int
vod_cuts_video(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows)
{
    int           rc;
    int64_t       pts;
    uint32_t      i;
    vod_gop_t     gop;
    vod_cursor_t  cur, before;
    vod_cutter_t  c;
    vod_sample_t  s;

    memset(&gop, 0, sizeof(vod_gop_t));

    vod_cuts_cutter(&c, out, grid, track);
    vod_cuts_first(out, track, &cur);

    for (i = 0; i < track->n_samples; i++) {

        before = cur;

        if (vod_cuts_next(track, rows, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (i == 0 || s.key) {

            rc = i ? vod_cuts_gop(&c, &gop) : VOD_OK;
            if (rc != VOD_OK) {
                return rc;
            }

            gop.cursor = before;
            gop.sync = pts;
            gop.start = pts;
            gop.key = s.key ? s.size : 0;
            vod_box_measure_init(&gop.measure);
        }

        gop.start = pts < gop.start ? pts : gop.start;
        vod_box_measure_add(&gop.measure, &s, track->kind);
    }

    rc = vod_cuts_gop(&c, &gop);

    if (rc == VOD_OK) {
        rc = vod_cuts_last(&c, track);
    }

    return rc == VOD_OK ? vod_cuts_end(out, track, &cur) : rc;
}


/* a group of pictures is whole: does a segment end before it? */
static int
vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop)
{
    int  rc;

    if (c->out->n == 0) {
        c->last = gop->sync > c->last ? gop->sync : c->last;
        c->measure = gop->measure;

        return vod_cuts_open(c->out, gop);
    }

    /*
     * Pictures that lead a sync sample follow the sync sample before
     * (14496-10 and 23008-2 ask for it).  Where they do not, or begin before
     * the playlist, times are in disorder: no cut, so that segments begin
     * later and later whatever a file says.
     */

    if (gop->start <= c->last) {
        vod_box_measure_join(c->has_best ? &c->best.measure : &c->measure,
                             &gop->measure);
        return VOD_OK;
    }

    c->last = gop->sync;

    if (gop->sync > c->limit && c->has_best) {
        rc = vod_cuts_begin(c, &c->best);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    if (gop->sync > c->limit) {
        return vod_cuts_begin(c, gop);
    }

    if (c->has_best) {
        vod_box_measure_join(&c->measure, &c->best.measure);
    }

    c->best = *gop;
    c->has_best = 1;

    return VOD_OK;
}


/* the end is a cut like any other: what can reach it is not cut short */
static int
vod_cuts_last(vod_cutter_t *c, const vod_track_t *track)
{
    int  rc;

    if (c->has_best && track->end_pts > c->limit) {
        rc = vod_cuts_begin(c, &c->best);
        if (rc != VOD_OK) {
            return rc;
        }

    } else if (c->has_best) {
        vod_box_measure_join(&c->measure, &c->best.measure);
    }

    c->out->cells[0].start = track->first_pts;

    return vod_cuts_close(c->out, &c->measure);
}


/* the open segment ends before gop, with which the next begins */
static int
vod_cuts_begin(vod_cutter_t *c, const vod_gop_t *gop)
{
    int  rc;

    rc = vod_cuts_close(c->out, &c->measure);

    if (rc == VOD_OK) {
        rc = vod_cuts_open(c->out, gop);
    }

    c->measure = gop->measure;
    c->limit = gop->start + c->length;
    c->has_best = 0;

    return rc;
}


int
vod_cuts_other(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows)
{
    int                rc;
    int64_t            pts;
    uint32_t           i;
    vod_gop_t          first;
    vod_walk_t         walk;
    vod_cursor_t       cur;
    vod_sample_t       s;
    vod_box_measure_t  m;

    walk.grid = grid;
    walk.timescale = track->timescale;
    walk.i = 0;
    walk.next = INT64_MIN;

    vod_box_measure_init(&m);
    vod_cuts_first(out, track, &cur);

    for (i = 0; i < track->n_samples; i++) {

        first.cursor = cur;

        if (vod_cuts_next(track, rows, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        /* of sound, xHE-AAC has samples that are no sync samples */

        if (i == 0 || (pts >= walk.next && s.key)) {

            rc = i ? vod_cuts_close(out, &m) : VOD_OK;

            if (rc == VOD_OK) {
                first.start = i ? pts : track->first_pts;
                first.sync = pts;
                first.key = s.key ? s.size : 0;

                rc = vod_cuts_open(out, &first);
            }

            if (rc != VOD_OK) {
                return rc;
            }

            vod_box_measure_init(&m);
            vod_walk_beyond(&walk, pts);
        }

        vod_box_measure_add(&m, &s, track->kind);
    }

    rc = vod_cuts_close(out, &m);
    if (rc != VOD_OK) {
        return rc;
    }

    return vod_cuts_end(out, track, &cur);
}


/* a segment begins; of the gop, its measure is not read */
static int
vod_cuts_open(vod_cuts_t *out, const vod_gop_t *gop)
{
    vod_cell_t  *cell;

    if (out->n == out->max) {
        return VOD_NOMEM;
    }

    cell = &out->cells[out->n++];

    memset(cell, 0, sizeof(vod_cell_t));
    cell->cursor = gop->cursor;
    cell->start = gop->start;
    cell->sync = gop->sync;
    cell->key = gop->key;

    return VOD_OK;
}


/* all samples of the last cell have been measured */
static int
vod_cuts_close(vod_cuts_t *out, const vod_box_measure_t *m)
{
    vod_cell_t  *cell;

    cell = &out->cells[out->n - 1];

    cell->payload = m->payload;
    cell->header = vod_box_measure_len(m);

    if (m->n > VOD_SEGMENT_SAMPLES || cell->header > VOD_BOX_HEADER_MAX) {
        return VOD_LIMIT;
    }

    out->bytes += cell->header + cell->payload;

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
    cell->sync = track->end_pts;

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
