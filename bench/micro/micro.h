/*
 * The regression suite of core/ and av/: what one operation costs.
 *
 * Each bench runs one operation n times.  Counts (heap, copies, system calls)
 * come from a build with count.c, times from one without; both print Go's
 * benchmark text format, one line a bench.
 */

#ifndef _MICRO_H_INCLUDED_
#define _MICRO_H_INCLUDED_

#include <stdint.h>

#include "vod_index.h"
#include "vod_segment.h"
#include "vod_timeline.h"


typedef struct {
    const char  *name;          /* CamelCase, group first: WireReadU32 */
    void       (*run)(uint64_t n);
} micro_t;

extern const micro_t  micro_wire[];
extern const micro_t  micro_message[];
extern const micro_t  micro_request[];
extern const micro_t  micro_index[];


/*
 * The committed clip of three seconds as an asset of any length: its own
 * index, repeated, so that all builds have the same input whatever ffmpeg
 * would make of it.  Made once, never freed.
 */
typedef struct {
    void            *index;
    uint64_t         index_len;
    vod_timeline_t  *timeline;  /* cut at 6 s */
    uint64_t         timeline_len;
} micro_asset_t;

const micro_asset_t *micro_asset(unsigned seconds);

/* the clip itself: an open file, its index built anew; caller frees */
void *micro_clip_index(uint64_t *len);

/* results go here, so that no operation is left out */
extern volatile uint64_t  micro_sink;

/* ends the program with a reason where what it needs is not so */
void micro_need(int condition, const char *what);

#endif /* _MICRO_H_INCLUDED_ */
