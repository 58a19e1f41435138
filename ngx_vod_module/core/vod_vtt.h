/*
 * What we write of WebVTT: a segment of a subtitle playlist (RFC 8216bis,
 * 3.1.4), and the header that goes with its cues.
 */

#ifndef _VOD_VTT_H_INCLUDED_
#define _VOD_VTT_H_INCLUDED_

#include "vod_text.h"
#include "vod_wr.h"


/*
 * The STYLE and REGION blocks of a header (reader->header), each with an empty
 * line behind it; comments and whatever else stands there go.  Nothing where
 * there are none.  wr measures or writes.
 */
void vod_vtt_header(vod_wr_t *wr, const char *header, size_t len);

/*
 * A segment: signature, X-TIMESTAMP-MAP of 0 to 0, header, cues.  cues are of
 * vod_text_cue(), sorted, those active in the segment, with their own whole
 * times: a cue stands unchanged in every segment it is active in, by which
 * players know it again.  n may be 0: a segment without a cue is one, too.
 * Times are those of presentation, milliseconds from the origin of all tracks.
 */
void vod_vtt_write(vod_wr_t *wr, const char *header, size_t header_len,
    const vod_cue_t *cues, uint32_t n);

#endif /* _VOD_VTT_H_INCLUDED_ */
