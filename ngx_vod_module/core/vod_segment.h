/*
 * One segment: from two cells and the rows between them to the bytes before
 * the payload, and the runs of the source that are the payload.
 */

#ifndef _VOD_SEGMENT_H_INCLUDED_
#define _VOD_SEGMENT_H_INCLUDED_

#include "vod_timeline.h"


/* contiguous bytes of the source; source 0 is the asset's file */
typedef struct {
    uint64_t  offset;
    uint64_t  len;
    uint32_t  source;
    uint32_t  reserved;
} vod_run_t;


/*
 * Decodes the samples of the segment between two neighbouring cells.  rows
 * are the bytes [cell->cursor.row, next->cursor.row) of the track's rows;
 * samples has room for next->cursor.sample - cell->cursor.sample.
 * VOD_OK, or VOD_DAMAGED where the rows are not what the cells promise.
 */
int vod_segment_samples(const vod_cell_t *cell, const vod_cell_t *next,
    const uint8_t *rows, vod_sample_t *samples, vod_err_t *err);

/*
 * The same of any track, text too: there the last row may be one more than
 * lies between the cells, the first of the next segment, which has begun
 * before it.
 *
 * vod_segment_bytes() are to be read of the track's rows from
 * cell->cursor.row on, and given with len; samples has room for
 * vod_segment_most(); *n becomes how many there are, of text perhaps 0.
 */
uint64_t vod_segment_bytes(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next);
uint32_t vod_segment_most(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next);
int vod_segment_rows(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next, const uint8_t *rows, uint64_t len,
    vod_sample_t *samples, uint32_t *n, vod_err_t *err);

/* merges samples that follow each other in the file; returns the runs */
uint32_t vod_segment_runs(const vod_sample_t *samples, uint32_t n,
    vod_run_t *runs);

#endif /* _VOD_SEGMENT_H_INCLUDED_ */
