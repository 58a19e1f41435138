/*
 * HLS playlists (RFC 8216bis) for CMAF tracks.  wr measures or writes;
 * links may be NULL.
 */

#ifndef _VOD_HLS_H_INCLUDED_
#define _VOD_HLS_H_INCLUDED_

#include "vod_links.h"
#include "vod_timeline.h"
#include "vod_wr.h"


/*
 * Multivariant playlist (4.4.6).  index may end before the rows: only header,
 * tracks, entries, names are read.  timeline is whole.
 */
void vod_hls_master(vod_wr_t *wr, const void *index, const void *timeline,
    const vod_links_t *links);

/*
 * Media playlist (4.4.3) of the track with this ordinal.
 *
 * Where tfdt says another time than the sum of EXTINF (a track that begins
 * late, whose first EXTINF runs from the playlist's start; audio with priming;
 * open GOPs), all playlists of the asset have EXT-X-PROGRAM-DATE-TIME: tfdt
 * as a date from 1970 on, so that date and media time map alike in all of
 * them (6.2.4).  Shaka Player shifts a segment to its time in the playlist,
 * unless there are dates.  EXT-X-GAP would tell it of a late begin only, and
 * hls.js does not begin to play where a rendition begins with one.
 *
 * A clip whose video begins before it has EXT-X-START (4.4.2.2) here and not in
 * the multivariant playlist, which FFmpeg 9 takes for a media playlist then
 * and refuses; hls.js and Shaka Player look in both.
 */
void vod_hls_media(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal, const vod_links_t *links);

/*
 * I-frame playlist (4.4.3.6) of the track with this ordinal: byte ranges of
 * its segments.  Only of a track with key_duration (vod_timeline.h): another
 * has none.
 */
void vod_hls_iframes(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal, const vod_links_t *links);

#endif /* _VOD_HLS_H_INCLUDED_ */
