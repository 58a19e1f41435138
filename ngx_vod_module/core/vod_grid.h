/*
 * The grid of an asset: the moments at which it is cut, exact in any track's
 * timescale, and never listed (a file may say that it lasts for ages).
 */

#ifndef _VOD_GRID_H_INCLUDED_
#define _VOD_GRID_H_INCLUDED_

#include "vod_span.h"
#include "vod_timeline.h"


/* ms beyond the target at which a segment may still end */
#define VOD_GRID_SLACK  500


/* a moment that no single timescale need hold: ticks and milliseconds */
typedef struct {
    int64_t   ticks;
    uint64_t  ms;
    uint32_t  timescale;        /* of ticks, > 0 */
} vod_moment_t;


/*
 * Cuts are numbered from 1: first head of them, every target from the origin
 * until the reference track begins; then those of the reference track; then
 * tail of them, every target behind the last.
 */
typedef struct {
    uint32_t           target;      /* ms */
    uint32_t           timescale;   /* of cells */
    vod_moment_t       origin;      /* of playlist time */
    vod_moment_t       end;         /* of the asset */
    vod_moment_t       last;        /* where the tail counts from */
    const vod_cell_t  *cells;       /* of the reference track, or NULL */
    uint64_t           head;
    uint64_t           middle;
    uint64_t           tail;
} vod_grid_t;


/* -1, 0, 1: a ticks of timescale ats are before, at, after b of bts */
int vod_ticks_cmp(int64_t a, uint32_t ats, int64_t b, uint32_t bts);

/*
 * The last tick of timescale that is not later than m + ms; *exact is set
 * where it is that very moment.  Beyond VOD_TIME_MAX it is VOD_TIME_MAX.
 */
int64_t vod_moment_floor(const vod_moment_t *m, uint64_t ms,
    uint32_t timescale, int *exact);

/* the first tick of timescale that is not before m + ms */
int64_t vod_moment_ceil(const vod_moment_t *m, uint64_t ms,
    uint32_t timescale);

/*
 * The grid of an asset without a reference track: every target.  target is
 * in ms, > 0.  Origin and end are those of the spans that are not empty, of
 * the whole tracks where spans is NULL; text counts where there is nothing
 * else.
 */
void vod_grid_init(vod_grid_t *grid, uint32_t target, const void *index,
    const vod_span_t *spans);

/* the cuts of this track, whose n > 0 segments stay in cells, become the
   grid's */
void vod_grid_reference(vod_grid_t *grid, uint32_t timescale,
    const vod_cell_t *cells, uint64_t n);

/* the grid with which that timeline was made, which stays where it is */
void vod_grid_foreign(vod_grid_t *grid, uint32_t target,
    const vod_timeline_t *tl);

/*
 * A span that outlasts another file's grid by more than a segment may last:
 * the grid goes on until its end.
 */
void vod_grid_extend(vod_grid_t *grid, const vod_span_t *span);

/*
 * How many targets pass from the origin before the time in ticks, while more
 * than target + VOD_GRID_SLACK remain until then.
 */
uint64_t vod_grid_head(const vod_grid_t *grid, int64_t ticks,
    uint32_t timescale);

/*
 * Another file's cuts as its video has them: how many, and when, in
 * microseconds, the sync sample is presented with which a segment begins; 0 is
 * where the grid's video begins, the number behind the last where it ends.
 * INT64_MIN where there is none such: a grid without video.
 */
uint64_t vod_grid_syncs(const vod_grid_t *grid);
int64_t vod_grid_sync(const vod_grid_t *grid, uint64_t i);

/* how many ticks a segment may last: target + VOD_GRID_SLACK, down */
int64_t vod_grid_length(const vod_grid_t *grid, uint32_t timescale);

#define vod_grid_cuts(grid)  ((grid)->head + (grid)->middle + (grid)->tail)

/* the first tick that is not before cut i; 1 <= i <= vod_grid_cuts() */
int64_t vod_grid_tick(const vod_grid_t *grid, uint64_t i, uint32_t timescale);

/*
 * A number of segments that a track does not exceed; reference is that of the
 * reference track, 0 without, for itself, and with another file's grid.
 */
uint64_t vod_grid_bound(const vod_grid_t *grid, const vod_track_t *track,
    uint64_t reference);

#endif /* _VOD_GRID_H_INCLUDED_ */
