/*
 * Static MPD (ISO/IEC 23009-1) over the same segments as HLS.
 *
 * There is no trick-mode AdaptationSet.  Of the same segments it would be
 * worse than none: Shaka Player loads them a second time for winding and
 * drops its buffer behind it, dash.js leaves the set out, and
 * codingDependency="false" would not be true of them.  Of byte ranges, as in
 * HLS, it would need a SegmentList, which isoff-live does not have (8.4), and
 * a moof that describes samples which are not there is no CMAF chunk
 * (23000-19, 7.3.2.3).
 */

#ifndef _VOD_DASH_H_INCLUDED_
#define _VOD_DASH_H_INCLUDED_

#include "vod_links.h"
#include "vod_timeline.h"
#include "vod_wr.h"


/*
 * The whole MPD.  index may end before the rows, timeline is whole, links may
 * be NULL: their base is a BaseURL (5.6), their query stands in each template.
 */
void vod_dash_mpd(vod_wr_t *wr, const void *index, const void *timeline,
    const vod_links_t *links);

#endif /* _VOD_DASH_H_INCLUDED_ */
