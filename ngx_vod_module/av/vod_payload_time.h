/*
 * Times of a sparse track's samples: which packets belong to a segment, and
 * when they are decoded.  Nothing here reads a file.
 *
 * All times are in ticks of the track on the output timeline: what the
 * container says, plus the track's origin.  INT64_MIN and INT64_MAX stand for
 * no bound.
 */

#ifndef _VOD_PAYLOAD_TIME_H_INCLUDED_
#define _VOD_PAYLOAD_TIME_H_INCLUDED_

#include "../core/vod_index.h"


/*
 * Tracks lie side by side in a file, give or take this much, microseconds:
 * when another one is so far behind a segment's end, none of it is left to
 * come.  libavformat's own muxers keep to 10 s at most, and to less than one
 * as a rule.
 */
#define VOD_PAYLOAD_APART  10000000


#define VOD_WINDOW_BEFORE  0
#define VOD_WINDOW_WITHIN  1
#define VOD_WINDOW_BEHIND  2


/*
 * A segment as a span of presentation times, start <= t < end.  A video
 * packet goes where the last sync packet at or before it in decoding order
 * goes, so that leading pictures stay with theirs; any other goes by its own
 * time.  What comes before any sync packet belongs to the first segment.
 */
typedef struct {
    int64_t   start, end;
    unsigned  kind;             /* VOD_VIDEO or other */
    int       place;            /* of the last sync packet */
} vod_window_t;

void vod_window_init(vod_window_t *w, unsigned kind, int64_t start,
    int64_t end);

/* VOD_WINDOW_*: packets in the order of the file, one call each */
int vod_window_place(vod_window_t *w, int64_t pts, int key);


/*
 * Decoding times that the container does not have, for pictures in decoding
 * order from one sync sample to the next: their presentation times in
 * ascending order, delay (the track's media_time) being what these come to
 * later.  No picture is decoded after it is presented, delay included: where
 * delay is too short for that, it is decoded earlier, and so are those
 * before it, by a tick each.  The first one is decoded at the earliest time
 * of all, whatever delay is: so a group's times do not depend on those around
 * it.
 *
 * pts[0..n) in decoding order; dts[0..n) is filled in; scratch has room for
 * n.  n > 0.
 */
void vod_payload_dts(const int64_t *pts, uint32_t n, int64_t delay,
    int64_t *scratch, int64_t *dts);

/*
 * Durations and composition offsets of a segment's samples from their times:
 * a sample lasts until the next one is decoded; the last one until next, the
 * first decoding time of what follows, or where that is INT64_MAX for last
 * ticks.  Where times go back, a sample lasts 0.  VOD_OK; VOD_DAMAGED where a
 * duration or offset is no 32-bit number.
 */
int vod_payload_durations(vod_sample_t *samples, const int64_t *pts,
    const int64_t *dts, uint32_t n, int64_t delay, int64_t next,
    uint32_t last, vod_err_t *err);

/*
 * How long the last frame of sound is presented: nominal, which is what its
 * codec decodes, less trim, which the container says is not presented; and
 * no longer than the container says, where it says less of it (said) than of
 * the frame before (before): some of them do both, so it is not added up.
 * What is said of all frames alike is a default, which may be wrong, and one
 * tick is rounding.  Ticks; said and before 0 where nothing is said.
 */
uint32_t vod_payload_last(uint32_t nominal, uint32_t said, uint32_t before,
    uint32_t trim);

#endif /* _VOD_PAYLOAD_TIME_H_INCLUDED_ */
