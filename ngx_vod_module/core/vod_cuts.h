/*
 * One track's cuts; the rule stands in vod_timeline.h.
 */

#ifndef _VOD_CUTS_H_INCLUDED_
#define _VOD_CUTS_H_INCLUDED_

#include "vod_grid.h"


/* cells to be written: room for max of them and the one that is the end */
typedef struct {
    vod_cell_t  *cells;
    uint64_t     n;
    uint64_t     max;
    uint64_t     bytes;         /* of all segments, headers included */
} vod_cuts_t;


/*
 * Cuts a span, which is not empty, in one pass over its rows: fills its
 * cells, the end included, n, which is > 0, and bytes.  Video is cut at its
 * own sync samples, all else by the grid, at the first sync sample that begins
 * there or later.
 *
 * VOD_OK; VOD_DAMAGED where rows are not the track's; VOD_NOMEM where there
 * are more than max segments; VOD_LIMIT where one holds more samples than a
 * moof can describe.
 */
int vod_cuts_video(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_span_t *span);
int vod_cuts_other(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_span_t *span);

/*
 * Video by another file's grid, at its own sync samples that meet the cuts;
 * VOD_NOT_FOUND where one is missed.
 */
int vod_cuts_grid(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_span_t *span);

/*
 * Text: a cell for each of the grid's from the asset's origin to its end, or
 * to to, in microseconds, where that is earlier.  The bytes of payload are
 * estimated for a sparse track and one of a single row: the row's by the time
 * it shares with the cell.
 */
int vod_cuts_text(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_span_t *span, int64_t to);

#endif /* _VOD_CUTS_H_INCLUDED_ */
