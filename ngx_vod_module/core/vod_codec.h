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
 *   - QuickTime's '.mp3' becomes mp4a with an esds, its nclc colour nclx;
 *   - data_reference_index becomes 1, fields that 14496-12 reserves get their
 *     fixed values; esds is written anew with the same decoder configuration
 *     and ES_ID 0 (23000-19, 10.3.4.2.3).
 * Fills in of track: fourcc (of the entry written), codec, supplemental,
 * width, height, sar_*, video_range, bit_depth, sample_rate, channels,
 * channel_layout, dolby_layout, joc.
 *
 * Where no box says the pixel aspect ratio or the colour, the parameter sets
 * within avcC, hvcC and av1C do.  Fields of the other kind stay untouched.
 *
 * VOD_OK; VOD_UNSUPPORTED with the reason why CMAF cannot carry it (then the
 * track is left out); VOD_DAMAGED where the entry or its decoder
 * configuration contradicts itself; VOD_LIMIT for an entry of more than 4 MiB.
 * out may measure; on failure nothing was written.
 */
int vod_codec_entry(vod_track_t *track, const uint8_t *entry, uint64_t len,
    vod_wr_t *out, vod_err_t *err);

/*
 * The sample entry of MP3 does not bind the sound: writers put 2 channels
 * whatever they are.  Reads the header (ISO/IEC 11172-3, 2.4.1.3) of the
 * first frame, that is the first len >= 4 bytes of a sample, and sets channels,
 * channel_layout and sample_rate.  Nothing happens for other codecs, nor where
 * no header stands there.
 */
void vod_codec_first_sample(vod_track_t *track, const uint8_t *data,
    uint64_t len);

#endif /* _VOD_CODEC_H_INCLUDED_ */
