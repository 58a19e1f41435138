/*
 * What we write of ISO BMFF: the CMAF header of a track (ISO/IEC 23000-19,
 * 7.3.1) and the bytes of a CMAF segment that stand before its payload
 * (7.3.2): styp, moof, and mdat's own header.
 */

#ifndef _VOD_BOX_H_INCLUDED_
#define _VOD_BOX_H_INCLUDED_

#include "vod_index.h"
#include "vod_wr.h"


/*
 * ftyp and moov.  entry is the sample entry box of the track, name its
 * name.  wr measures or writes.
 */
void vod_box_init(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry, const char *name);

/*
 * styp, moof and mdat header of a segment.  track_id is the output's
 * (ordinal + 1), sequence from 1, dts that of the first sample; payload
 * is the sum of all sample sizes.  n > 0.
 */
void vod_box_segment(vod_wr_t *wr, uint32_t track_id, unsigned kind,
    uint32_t sequence, uint64_t dts, const vod_sample_t *samples, uint32_t n,
    uint64_t payload);

/*
 * The length vod_box_segment() would write, fed sample by sample, so that a
 * timeline can be built in one pass: init, add for each sample, length.
 */
typedef struct {
    uint32_t  n;
    uint32_t  first_size, first_dur;
    int       sizes_differ, durs_differ, cts_any, flags_differ;
    uint64_t  payload;
} vod_box_measure_t;

void vod_box_measure_init(vod_box_measure_t *m);
void vod_box_measure_add(vod_box_measure_t *m, const vod_sample_t *s,
    unsigned kind);
uint32_t vod_box_measure_len(const vod_box_measure_t *m);

#endif /* _VOD_BOX_H_INCLUDED_ */
