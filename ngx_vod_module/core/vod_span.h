/*
 * What of a track is in a timeline: all of it, or what a clip has to have;
 * the rule stands in vod_timeline.h.
 */

#ifndef _VOD_SPAN_H_INCLUDED_
#define _VOD_SPAN_H_INCLUDED_

#include "vod_index.h"


/* a run of samples in decoding order; none where end is the first's number */
typedef struct {
    const vod_track_t  *track;
    const uint8_t      *rows;
    vod_cursor_t        cursor; /* before the first sample */
    uint32_t            end;    /* number of the sample behind the last */
    int64_t             sync;   /* presentation time of the first sample,
                                   ticks; of a clip alone */
    int64_t             start;  /* least presentation time */
    int64_t             stop;   /* largest presentation time + duration */
} vod_span_t;


#define vod_span_empty(span)  ((span)->cursor.sample == (span)->end)

/* all of a track; rows are not read */
void vod_span_whole(vod_span_t *span, const void *index,
    const vod_track_t *track);

/*
 * A clip of a track that is no text, from the whole of it; times in
 * microseconds.  It begins with the last sync sample that is presented at or
 * before begin, and has all that is needed for what is presented before to.
 * Empty where nothing is presented between from and to.  One pass over the
 * rows.
 *
 * VOD_OK, or VOD_DAMAGED where rows are not the track's.
 */
int vod_span_clip(vod_span_t *span, int64_t begin, int64_t from, int64_t to);

/* half of a video track's shortest frame, microseconds; at least one ms */
int64_t vod_span_half(const vod_track_t *track);

/*
 * The sample at cur and its presentation time; cur moves on.  VOD_OK, or
 * VOD_DAMAGED.
 */
int vod_span_next(const vod_span_t *span, vod_cursor_t *cur, vod_sample_t *s,
    int64_t *pts);

#endif /* _VOD_SPAN_H_INCLUDED_ */
