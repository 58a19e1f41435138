/*
 * WebVTT in ISO base media files (ISO/IEC 14496-30, 7): sample entry, samples
 * made of cues, and cues read out of samples.
 */

#ifndef _VOD_WVTT_H_INCLUDED_
#define _VOD_WVTT_H_INCLUDED_

#include "vod_index.h"
#include "vod_text.h"
#include "vod_wr.h"


/*
 * The sample entry box 'wvtt' (14496-30, 7) with the header in vttC, as
 * vod_vtt_header() writes it.  wr measures or writes.
 */
void vod_wvtt_entry(vod_wr_t *wr, const char *header, size_t len);

/* room that vod_wvtt_samples() may need, in samples */
#define vod_wvtt_samples_bound(n)   (2 * (uint64_t) (n) + 1)

/*
 * Samples of [start, end) in milliseconds (start < end): one wherever the set
 * of active cues changes, without gap or overlap (14496-30, 7).  Each holds a
 * vttc for every cue that is active, or one vtte where none is.
 *
 * cues are of vod_text_cue(), sorted by vod_text_sort(); those that are not
 * active in [start, end) do no harm; their member next is written to.  wr takes
 * the payload, or measures it; samples (may be NULL to measure) has room for
 * room of them.  pos is the offset in the payload, dur in milliseconds.
 *
 * VOD_OK, with the number of samples in *n_samples; VOD_LIMIT where the payload
 * would be more than limit bytes, or the span does not fit 32 bits; VOD_NOMEM
 * where room is too short.
 */
int vod_wvtt_samples(vod_cue_t *cues, uint32_t n, int64_t start, int64_t end,
    uint64_t limit, vod_wr_t *wr, vod_sample_t *samples, uint64_t room,
    uint32_t *n_samples, vod_err_t *err);

/*
 * The header out of a sample entry box of len bytes: VOD_OK with *header
 * pointing into it (for vod_vtt_header(); behind the line with the signature),
 * VOD_DAMAGED where there is none.
 */
int vod_wvtt_header(const uint8_t *entry, uint64_t len, const char **header,
    size_t *header_len, vod_err_t *err);

/*
 * The cues of a sample, one after the other: *at begins as 0 and is moved on.
 * 1 with the cue's id, settings, text and source; its times and number are 0,
 * those of the sample are the caller's to set.  0 at the end, -1 where the
 * boxes are damaged.
 */
int vod_wvtt_next(const uint8_t *sample, size_t len, size_t *at,
    vod_cue_t *cue);

/*
 * Puts cues together that a packager had cut at the limits of samples: those
 * equal in all but time, of which one begins where the other one ends.  cues
 * stand in the order of samples.  Returns how many are left.
 */
uint32_t vod_wvtt_join(vod_cue_t *cues, uint32_t n);

#endif /* _VOD_WVTT_H_INCLUDED_ */
