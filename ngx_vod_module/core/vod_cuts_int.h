/*
 * What the ways of cutting share.
 */

#ifndef _VOD_CUTS_INT_H_INCLUDED_
#define _VOD_CUTS_INT_H_INCLUDED_

#include "vod_box.h"
#include "vod_cuts.h"


/* with what a segment begins: samples from one sync sample to the next */
typedef struct {
    vod_cursor_t       cursor;  /* before the sync sample */
    int64_t            sync;    /* its presentation time */
    uint32_t           key;     /* its size; 0 of a first sample that is none */
    int64_t            start;   /* earliest one of all */
    vod_box_measure_t  measure;
} vod_gop_t;


/* the next segment begins; of gop, its measure is not read */
int vod_cuts_open(vod_cuts_t *out, const vod_gop_t *gop);

/* all samples of the open one have been measured */
int vod_cuts_close(vod_cuts_t *out, const vod_box_measure_t *m);

/* the cell behind the last; cur is where reading has ended */
int vod_cuts_end(vod_cuts_t *out, const vod_span_t *span,
    const vod_cursor_t *cur);


/* one track's way along the grid */
typedef struct {
    const vod_grid_t  *grid;
    uint32_t           timescale;
    uint64_t           i;       /* number of the next cut */
    int64_t            next;    /* the first tick that is not before it */
} vod_walk_t;

void vod_walk_init(vod_walk_t *w, const vod_grid_t *grid,
    uint32_t timescale);

/*
 * To the first cut behind pts; next is INT64_MAX where there is none.  The
 * one that comes next is the usual case; a sample may also outlast any number
 * of cuts.
 */
void vod_walk_beyond(vod_walk_t *w, int64_t pts);

#endif /* _VOD_CUTS_INT_H_INCLUDED_ */
