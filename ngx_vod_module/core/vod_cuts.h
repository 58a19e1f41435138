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
} vod_cuts_t;


/*
 * Cuts a track: fills cursor and start of its cells, the end included, and
 * cuts->n, which is > 0.  Video is cut at its own sync samples, all else by
 * the grid.  rows are the track's.  VOD_OK; VOD_DAMAGED where they are not;
 * VOD_LIMIT where there are more than cuts->max segments.
 */
int vod_cuts_video(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows);
int vod_cuts_other(vod_cuts_t *cuts, const vod_grid_t *grid,
    const vod_track_t *track, const uint8_t *rows);

#endif /* _VOD_CUTS_H_INCLUDED_ */
