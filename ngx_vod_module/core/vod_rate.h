/*
 * Bit rates of one track's segments, or of its I-frames, as HLS and DASH
 * define them.
 */

#ifndef _VOD_RATE_H_INCLUDED_
#define _VOD_RATE_H_INCLUDED_

#include "vod_timeline.h"


typedef struct {
    const vod_cell_t  *cells;       /* n + 1 */
    uint32_t           n;           /* segments, > 0 */
    uint32_t           timescale;
    uint64_t           origin;      /* of playlist time, microseconds */
    uint32_t           target;      /* ms; DASH's minBufferTime */
    uint32_t           target_duration; /* EXT-X-TARGETDURATION, seconds */
    uint32_t           keys;        /* 1 = of the I-frame playlist */
    uint32_t           text;        /* 1 = of text, whose first sample may have
                                       begun long before the segment */
} vod_rate_t;


/* playlist time (us) and bytes before a segment; scratch of the peak's */
typedef struct {
    uint64_t  time;
    uint64_t  bytes;
    uint32_t  queue;
    uint32_t  reserved;
} vod_rate_point_t;


/*
 * Bytes of segment i, header and payload; of an I-frame, what has to be read
 * for it: from the segment's first byte to the end of its first sample.
 */
#define vod_rate_bytes(r, i)                                                  \
    ((r)->cells[i].header                                                     \
     + ((r)->keys ? (r)->cells[i].key : (r)->cells[i].payload))

/*
 * Where segment i begins in the playlist, in microseconds; the end with
 * i == n.  EXTINF is the difference of two neighbours, so that errors never
 * add up; the first begins at the origin, and none before it.  An I-frame
 * stands until the next is presented (RFC 8216bis, 4.4.3.6).
 *
 * Where tfdt is behind the playlist, the last segment of several begins at
 * its tfdt, counted from the first's, at most 33 ms early.
 * The sum stays what it is.  Otherwise Shaka Player, which goes by the dates
 * (vod_hls.h), waits at the end for what lies between the two.
 */
uint64_t vod_rate_time(const vod_rate_t *r, uint32_t i);

/* bit/s of all segments over their EXTINF, nearest */
uint64_t vod_rate_average(const vod_rate_t *r);

/*
 * Peak segment bit rate (RFC 8216bis, 4.1): the largest rate of any run of
 * segments that lasts between 0.5 and 1.5 target durations; where there is
 * no such run, that of any one segment.  bit/s, rounded up.  points has room
 * for n + 1.
 */
uint64_t vod_rate_peak(const vod_rate_t *r, vod_rate_point_t *points);

/*
 * The least rate that never starves a client which starts at any segment when
 * target ms of it are buffered (23009-1, 5.3.5.2): bits of segments i to j
 * <= rate * (target + start of j - start of i).  bit/s, rounded up.
 */
uint64_t vod_rate_buffered(const vod_rate_t *r);

#endif /* _VOD_RATE_H_INCLUDED_ */
