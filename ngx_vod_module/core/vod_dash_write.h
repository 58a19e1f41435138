/*
 * Shared by the files that write the MPD, and by no other.
 */

#ifndef _VOD_DASH_WRITE_H_INCLUDED_
#define _VOD_DASH_WRITE_H_INCLUDED_

#include "vod_links.h"
#include "vod_rendition.h"
#include "vod_timeline.h"


/* what is referred to while an MPD is written */
typedef struct {
    vod_wr_t                    *wr;
    const void                  *index;
    const vod_track_t           *tracks;
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *times;
    const vod_links_t           *links;     /* or NULL */
    unsigned                     n;         /* tracks looked at */

    /* where the Period begins: time 0 is where the files begin */
    int64_t                      begin;
    uint32_t                     begin_timescale;
    uint64_t                     duration;  /* of it, microseconds */

    uint16_t                     set[VOD_RENDITION_TRACKS];
    vod_renditions_t             r;
} vod_dash_t;


/* vod_dash_track.c: a Representation, with its segments */
void vod_dash_representation(const vod_dash_t *d, const vod_track_t *track);


/*
 * vod_dash_write.c: an element that is a descriptor (its value and end are
 * left to the caller), and attributes with the space before them.
 */
void vod_dash_descriptor(vod_wr_t *wr, unsigned indent, const char *element,
    const char *scheme);
void vod_dash_number(vod_wr_t *wr, const char *attribute, uint64_t v);
void vod_dash_ratio(vod_wr_t *wr, const char *attribute, uint32_t num,
    uint32_t den);

/* at most size bytes of text, escaped; it may end earlier in a zero */
void vod_dash_field(vod_wr_t *wr, const char *attribute, const char *field,
    size_t size);

/* FrameRateType (23009-1, 5.3.12.2); nothing where the rate is unknown */
void vod_dash_rate(vod_wr_t *wr, const char *attribute,
    const vod_track_t *track);

/* xs:duration of microseconds: seconds only, with no needless zeros */
void vod_dash_duration(vod_wr_t *wr, const char *attribute, uint64_t us);

#endif /* _VOD_DASH_WRITE_H_INCLUDED_ */
