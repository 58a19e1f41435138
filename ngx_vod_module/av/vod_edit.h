/*
 * From a track's own times and its edit list (ISO/IEC 14496-12, 8.6.6) to
 * the output timeline.  Pure: no file, no memory, no library.
 */

#ifndef _VOD_EDIT_H_INCLUDED_
#define _VOD_EDIT_H_INCLUDED_

#include <stdint.h>

#include "../core/vod_err.h"
#include "../core/vod_index.h"


#define VOD_EDIT_RATE_1  0x00010000


typedef struct {
    uint64_t  duration;         /* in ticks of the movie's timescale */
    int64_t   media_time;       /* in ticks of the track's; -1 = empty edit */
    int32_t   rate;             /* 16.16 */
} vod_edit_entry_t;


typedef struct {
    const vod_edit_entry_t  *entries;
    uint32_t                 n_entries;
    uint32_t                 movie_timescale;
    uint32_t                 timescale;     /* of the track, > 0 */
    unsigned                 kind;          /* VOD_VIDEO, VOD_AUDIO */
    int64_t                  dts;           /* of the first sample, >= 0 */
    int                      endless;       /* the last edit lasts as long as
                                               there are samples */
} vod_edit_in_t;


typedef struct {
    uint32_t  first;            /* number of the first sample kept */
    uint32_t  n;                /* samples kept, > 0 */
    uint64_t  first_dts;        /* of the first sample kept, in the output */
    uint64_t  media_time;       /* of the output's edit list; 0 = none */
} vod_edit_out_t;


/*
 * Decides which of the n samples the edit list needs and where they stand.
 * Decoding times are the sums of the durations before, from in->dts; cts is
 * the source's composition offset.
 *
 * What can be said exactly by a shift is accepted: empty edits in front, then
 * one piece of the media (in several entries or one) at rate 1; empty edits
 * behind it say nothing.  Samples that neither lie in that piece nor are
 * needed to decode it are dropped: before the last sync sample presented
 * not later than the piece's start (audio: 1 s before, for the decoder's
 * convergence), and behind the last one presented before its end; of sound,
 * that one lasts until there.
 *
 * Presentation time of a sample in the output = dts + cts - media_time, dts
 * running from first_dts; first_dts or media_time is 0.  Offsets are raised
 * in place so that none is negative.
 *
 * VOD_OK; VOD_UNSUPPORTED with the reason where the edit list asks for more
 * than a shift, or shows nothing; VOD_DAMAGED where numbers overflow.
 * Offsets are expected to be within 2^30.
 */
int vod_edit_apply(const vod_edit_in_t *in, vod_sample_t *samples,
    uint32_t n, vod_edit_out_t *out, vod_err_t *err);

/*
 * Samples that last no time are decoded and presented together with the next:
 * they get one tick, which those behind them give back.  Presentation times
 * change by these ticks alone, and only where two were the same.  The last
 * sample lasts as long as the one before.  Returns how many were presented
 * at the time of the next.
 */
uint32_t vod_edit_zeros(vod_sample_t *samples, uint32_t n);

#endif /* _VOD_EDIT_H_INCLUDED_ */
