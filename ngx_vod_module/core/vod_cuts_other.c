#include <string.h>

#include "vod_cuts_int.h"


int
vod_cuts_other(vod_cuts_t *out, const vod_grid_t *grid,
    const vod_span_t *span)
{
    int                rc;
    int64_t            pts;
    uint32_t           i;
    vod_gop_t          first;
    vod_walk_t         walk;
    vod_cursor_t       cur;
    vod_sample_t       s;
    vod_box_measure_t  m;

    vod_walk_init(&walk, grid, span->track->timescale);
    vod_box_measure_init(&m);

    out->n = 0;
    out->bytes = 0;
    cur = span->cursor;

    for (i = cur.sample; i < span->end; i++) {

        first.cursor = cur;

        if (vod_span_next(span, &cur, &s, &pts) != VOD_OK) {
            return VOD_DAMAGED;
        }

        /* of sound, xHE-AAC has samples that are no sync samples */

        if (out->n == 0 || (pts >= walk.next && s.key)) {

            rc = out->n ? vod_cuts_close(out, &m) : VOD_OK;

            if (rc == VOD_OK) {
                first.start = out->n ? pts : span->start;
                first.sync = pts;
                first.key = s.key ? s.size : 0;

                rc = vod_cuts_open(out, &first);
            }

            if (rc != VOD_OK) {
                return rc;
            }

            vod_box_measure_init(&m);
            vod_walk_beyond(&walk, pts > first.start ? pts : first.start);
        }

        vod_box_measure_add(&m, &s, span->track->kind);
    }

    rc = vod_cuts_close(out, &m);
    if (rc != VOD_OK) {
        return rc;
    }

    return vod_cuts_end(out, span, &cur);
}


void
vod_walk_init(vod_walk_t *w, const vod_grid_t *grid, uint32_t timescale)
{
    w->grid = grid;
    w->timescale = timescale;
    w->i = 0;
    w->next = INT64_MIN;
}


void
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
