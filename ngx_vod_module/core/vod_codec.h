/*
 * What a sample entry says: codec string, picture and sound properties; and
 * the entry as CMAF wants it.
 */

#ifndef _VOD_CODEC_H_INCLUDED_
#define _VOD_CODEC_H_INCLUDED_

#include "vod_index.h"
#include "vod_wr.h"


/*
 * Reads one sample entry box (with its size and type; ISO/IEC 14496-12,
 * 8.5.2, QuickTime sound descriptions of version 0, 1 and 2 included) of a
 * track of this kind, and writes to out the entry that goes into the header:
 * carried over whole, except that
 *   - hev1 becomes hvc1 (and dvhe dvh1) where hvcC holds VPS, SPS and PPS;
 *   - avc3 becomes avc1 where avcC holds SPS and PPS;
 *   - QuickTime sound descriptions become version 0 with the decoder
 *     configuration (esds out of 'wave') as a direct child, and boxes with
 *     no meaning outside QuickTime are dropped;
 *   - data_reference_index becomes 1; esds gets ES_ID 0 (23000-19, 10.3.4.2.3).
 * Fills in of track: fourcc (of the entry written), codec, supplemental,
 * width, height, sar_*, video_range, bit_depth, sample_rate, channels,
 * channel_layout, dolby_layout, joc.
 *
 * VOD_OK; VOD_UNSUPPORTED with the reason why CMAF cannot carry it (then the
 * track is left out); VOD_DAMAGED where the entry or its decoder
 * configuration contradicts itself.  out may measure.
 */
int vod_codec_entry(vod_track_t *track, const uint8_t *entry, uint64_t len,
    vod_wr_t *out, vod_err_t *err);

#endif /* _VOD_CODEC_H_INCLUDED_ */
