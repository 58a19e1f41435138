/*
 * Static MPD (ISO/IEC 23009-1) over the same segments as HLS.
 */

#ifndef _VOD_DASH_H_INCLUDED_
#define _VOD_DASH_H_INCLUDED_

#include "vod_timeline.h"
#include "vod_wr.h"


/*
 * The whole MPD.  index may end before the rows, timeline is whole.
 */
void vod_dash_mpd(vod_wr_t *wr, const void *index, const void *timeline);

#endif /* _VOD_DASH_H_INCLUDED_ */
