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
 * Cuts a track in one pass over its rows: fills its cells, the end included,
 * n, which is > 0, and bytes.  Video is cut at its own sync samples, all else
 * by the grid, at the first sync sample that begins there or later.
 *
 * VOD_OK; VOD_DAMAGED where rows are not the track's; VOD_NOMEM where there
 * are more than max segments; VOD_LIMIT where one holds more samples than a
 * moof can describe.
 */
int vod_cuts_video(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows);
int vod_cuts_other(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows);

#endif /* _VOD_CUTS_H_INCLUDED_ */
