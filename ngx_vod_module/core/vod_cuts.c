#include <stddef.h>
#include <string.h>

#include "vod_cuts_int.h"


/*
 * A segment is open.  It may end before best, the last sync sample within
 * its limit so far, or must wait for the next one.
 */
typedef struct {
    vod_cuts_t        *out;
    uint32_t           timescale;
    int64_t            length;  /* ticks a segment may last */
    int64_t            limit;   /* latest end of the open one */
    int64_t            last;    /* sync sample before, ticks */
    vod_box_measure_t  measure; /* of the open one, up to best */
    vod_gop_t          best;    /* with what follows it */
    int                has_best;

    /* cuts that have to be met */
    const vod_grid_t  *grid;    /* NULL = none */
    uint64_t           next;    /* number of the next, up to one behind all */
    int64_t            half;    /* of a frame, microseconds */
} vod_cutter_t;


static int vod_cuts_gops(vod_cutter_t *c, const vod_span_t *span);
static int vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_free(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_meet(vod_cutter_t *c, const vod_gop_t *gop);
static void vod_cuts_skip(vod_cutter_t *c, const vod_gop_t *gop);
static int vod_cuts_missed(const vod_cutter_t *c, int64_t us);
static int vod_cuts_last(vod_cutter_t *c, const vod_span_t *span);
static int vod_cuts_begin(vod_cutter_t *c, const vod_gop_t *gop);


static void
vod_cuts_cutter(vod_cutter_t *c, vod_cuts_t *out, const vod_grid_t *grid,
    const vod_span_t *span)
{
    int       exact;
    uint32_t  timescale;
    uint64_t  ms;

    memset(c, 0, sizeof(vod_cutter_t));

    timescale = span->track->timescale;
    ms = (vod_grid_head(grid, span->start, timescale) + 1) * grid->target
         + VOD_GRID_SLACK;

    c->out = out;
    c->timescale = timescale;
    c->length = vod_grid_length(grid, timescale);
    c->limit = vod_moment_floor(&grid->origin, ms, timescale, &exact);
    c->last = vod_moment_floor(&grid->origin, 0, timescale, &exact);

    out->n = 0;
    out->bytes = 0;
}


int
vod_cuts_video(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_span_t *span)
{
    vod_cutter_t  c;

    vod_cuts_cutter(&c, out, grid, span);

    return vod_cuts_gops(&c, span);
}


int
vod_cuts_grid(vod_cuts_t *out, const vod_grid_t *grid, const vod_span_t *span)
{
    vod_cutter_t  c;

    vod_cuts_cutter(&c, out, grid, span);

    c.grid = grid;
    c.next = 1;
    c.half = vod_span_half(span->track);

    return vod_cuts_gops(&c, span);
}


static int
vod_cuts_gops(vod_cutter_t *c, const vod_span_t *span)
{
    int           rc;
    int64_t       pts;
    uint32_t      i;
    vod_gop_t     gop;
    vod_cursor_t  cur, before;
    vod_sample_t  s;

    memset(&gop, 0, sizeof(vod_gop_t));
    cur = span->cursor;

    for (i = cur.sample; i < span->end; i++) {

        before = cur;

        if (vod_span_next(span, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        if (i == span->cursor.sample || s.key) {

            rc = i != span->cursor.sample ? vod_cuts_gop(c, &gop) : VOD_OK;
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
        vod_box_measure_add(&gop.measure, &s, span->track->kind);
    }

    rc = vod_cuts_gop(c, &gop);

    if (rc == VOD_OK) {
        rc = vod_cuts_last(c, span);
    }

    return rc == VOD_OK ? vod_cuts_end(c->out, span, &cur) : rc;
}


/* a group of pictures is whole: does a segment end before it? */
static int
vod_cuts_gop(vod_cutter_t *c, const vod_gop_t *gop)
{
    if (c->out->n == 0) {
        c->last = gop->sync > c->last ? gop->sync : c->last;
        c->measure = gop->measure;
        vod_cuts_skip(c, gop);

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

    return c->grid ? vod_cuts_meet(c, gop) : vod_cuts_free(c, gop);
}


/* by the track's own sync samples */
static int
vod_cuts_free(vod_cutter_t *c, const vod_gop_t *gop)
{
    int  rc;

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


/* by another file's cuts; behind its end as if there were none */
static int
vod_cuts_meet(vod_cutter_t *c, const vod_gop_t *gop)
{
    int64_t  at, us;

    us = vod_ticks_us(gop->sync, c->timescale);

    if (vod_cuts_missed(c, us)) {
        return VOD_NOT_FOUND;
    }

    at = vod_grid_sync(c->grid, c->next);

    if (us < at - c->half) {
        vod_box_measure_join(&c->measure, &gop->measure);
        return VOD_OK;
    }

    if (c->next > vod_grid_syncs(c->grid)) {
        return vod_cuts_free(c, gop);
    }

    c->next++;

    return vod_cuts_begin(c, gop);
}


/* cuts up to the first sync sample: what is not there needs no cut */
static void
vod_cuts_skip(vod_cutter_t *c, const vod_gop_t *gop)
{
    int64_t  us;

    us = vod_ticks_us(gop->sync, c->timescale);

    while (c->grid && c->next <= vod_grid_syncs(c->grid)
           && vod_grid_sync(c->grid, c->next) <= us + c->half)
    {
        c->next++;
    }
}


/* is the next cut more than half a frame before this time? */
static int
vod_cuts_missed(const vod_cutter_t *c, int64_t us)
{
    return c->next <= vod_grid_syncs(c->grid)
           && vod_grid_sync(c->grid, c->next) < us - c->half;
}


/* the end is a cut like any other: what can reach it is not cut short */
static int
vod_cuts_last(vod_cutter_t *c, const vod_span_t *span)
{
    int  rc;

    if (c->grid
        && vod_cuts_missed(c, vod_ticks_us(span->stop, c->timescale)))
    {
        return VOD_NOT_FOUND;
    }

    if (c->has_best && span->stop > c->limit) {
        rc = vod_cuts_begin(c, &c->best);
        if (rc != VOD_OK) {
            return rc;
        }

    } else if (c->has_best) {
        vod_box_measure_join(&c->measure, &c->best.measure);
    }

    c->out->cells[0].start = span->start;

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


int
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


int
vod_cuts_end(vod_cuts_t *out, const vod_span_t *span,
    const vod_cursor_t *cur)
{
    vod_cell_t  *cell;

    if (cur->sample == span->track->n_samples
        && cur->row != span->track->rows_len)
    {
        return VOD_DAMAGED;
    }

    cell = &out->cells[out->n];

    memset(cell, 0, sizeof(vod_cell_t));
    cell->cursor = *cur;
    cell->start = span->stop;
    cell->sync = span->stop;

    return VOD_OK;
}
