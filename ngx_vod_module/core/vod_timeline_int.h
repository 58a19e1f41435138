/*
 * What the parts of a timeline's building share.
 */

#ifndef _VOD_TIMELINE_INT_H_INCLUDED_
#define _VOD_TIMELINE_INT_H_INCLUDED_

#include "vod_grid.h"
#include "vod_rate.h"


#define vod_timeline_clipped(in)  ((in)->from != 0 || (in)->to != INT64_MAX)


/* what is being built, and where the next cells go */
typedef struct {
    const vod_index_t        *index;
    const vod_timeline_in_t  *in;
    const vod_timeline_t     *foreign;  /* whose grid it is, or NULL */
    const vod_track_t        *tracks;
    vod_timeline_t           *tl;
    vod_timeline_track_t     *tt;
    vod_span_t               *spans;    /* of the tracks, behind all */
    uint8_t                  *out;
    uint64_t                  at;
    uint64_t                  room;
    uint64_t                  n_cells;  /* segments of all tracks so far */
    vod_grid_t                grid;
} vod_timeline_build_t;


/*
 * What of each track is there, and the grid as far as it follows from that.
 * VOD_OK, VOD_DAMAGED, VOD_RANGE, VOD_INTERNAL.
 */
int vod_timeline_spans(vod_timeline_build_t *b, vod_err_t *err);

/*
 * When all tracks are cut: the clip as it is within the asset, and what all
 * playlists of an asset have to agree on (RFC 8216bis, 6.2.4), as far as the
 * reference's file knows it.
 */
void vod_timeline_limits(vod_timeline_build_t *b);

/*
 * What is said once of all tracks, from their cells: how long the longest
 * EXTINF and the longest segment are (the first EXTINF may run from before
 * the segment), how long the asset lasts, and whether playlists have dates.
 */
void vod_timeline_longest(vod_timeline_t *tl);

/*
 * Each track's rates, and whether it has an I-frame playlist.  tracks are the
 * index's; points are scratch with room for so many.  VOD_OK, or VOD_NOMEM
 * where the longest track needs more.
 */
int vod_timeline_rates(vod_timeline_t *tl, const vod_track_t *tracks,
    vod_rate_point_t *points, uint64_t room, vod_err_t *err);

#endif /* _VOD_TIMELINE_INT_H_INCLUDED_ */
