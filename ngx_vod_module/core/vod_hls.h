/*
 * HLS playlists (RFC 8216bis) for CMAF tracks.  wr measures or writes.
 */

#ifndef _VOD_HLS_H_INCLUDED_
#define _VOD_HLS_H_INCLUDED_

#include "vod_timeline.h"
#include "vod_wr.h"


/*
 * Multivariant playlist (4.4.6).  index may end before the rows: only header,
 * tracks, entries, names are read.  timeline is whole.
 */
void vod_hls_master(vod_wr_t *wr, const void *index, const void *timeline);

/*
 * Media playlist (4.4.3) of the track with this ordinal.
 */
void vod_hls_media(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal);

/*
 * I-frame playlist (4.4.3.6) of the track with this ordinal: byte ranges of
 * its segments.  Only of a track with key_duration (vod_timeline.h): another
 * has none.
 */
void vod_hls_iframes(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal);

#endif /* _VOD_HLS_H_INCLUDED_ */
