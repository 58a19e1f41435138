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
 * ftyp and moov.  entry is the sample entry box of the track
 * (track->entry_len bytes), name its name (track->name_len bytes, not
 * terminated; may be NULL when that is 0).  wr measures or writes.
 */
void vod_box_init(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry, const char *name);

/*
 * styp, moof and mdat header of a segment.  track_id is the output's
 * (ordinal + 1), sequence from 1, dts that of the first sample; payload
 * is the sum of all sample sizes.  n > 0.  wr measures or writes; wr's
 * overflow is also set where the header is longer than VOD_BOX_HEADER_MAX.
 */
void vod_box_segment(vod_wr_t *wr, uint32_t track_id, unsigned kind,
    uint32_t sequence, uint64_t dts, const vod_sample_t *samples, uint32_t n,
    uint64_t payload);

/*
 * The length vod_box_segment() would write, fed sample by sample, so that a
 * timeline can be built in one pass: init, add for each sample, length.
 * The fields are private to vod_box_segment.c.
 */
typedef struct {
    uint32_t  n;
    uint32_t  first_size, first_dur, first_flags;
    uint32_t  rest_flags;       /* of the second sample */
    uint32_t  sizes_differ, durs_differ, cts_any;     /* 0 = no */
    uint32_t  flags_differ;     /* from the second sample on */
    uint64_t  payload;
} vod_box_measure_t;

/* trun's data_offset is signed and 32 bits wide (14496-12, 8.8.8) */
#define VOD_BOX_HEADER_MAX  0x7fffffffu

void vod_box_measure_init(vod_box_measure_t *m);

/* kind is VOD_VIDEO ...: every sample of a kind that is not video is sync */
void vod_box_measure_add(vod_box_measure_t *m, const vod_sample_t *s,
    unsigned kind);

/* takes what more was fed, as if it had been fed to m, behind what m was */
void vod_box_measure_join(vod_box_measure_t *m,
    const vod_box_measure_t *more);

/* in bytes; UINT32_MAX where it is more than VOD_BOX_HEADER_MAX */
uint32_t vod_box_measure_len(const vod_box_measure_t *m);

#endif /* _VOD_BOX_H_INCLUDED_ */
