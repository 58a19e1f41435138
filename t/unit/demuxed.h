/*
 * An asset whose payload is made by av: its index, its timeline, and the
 * samples of its segments.
 *
 *     by_cues(&source)             -> dm_index, or dm_err
 *     dm_timeline(6000)
 *     dm_segment(track, number)    -> dm_seg
 */

#ifndef _DEMUXED_H_INCLUDED_
#define _DEMUXED_H_INCLUDED_

#include <stdlib.h>

#include "vod_av.h"
#include "vod_cues.h"
#include "vod_segment.h"
#include "tap.h"


static void              *dm_index, *dm_tl;
static uint64_t           dm_index_len;
static vod_err_t          dm_err;
static vod_av_source_t    dm_source;
static vod_av_limits_t    dm_limits;
static vod_av_segment_t   dm_seg;
static uint64_t           dm_bytes;     /* read for the index, or segment */
static vod_notes_t        dm_notes;


#define dm_head()     ((const vod_index_t *) dm_index)
#define dm_track(i)   (&vod_index_tracks(dm_index)[i])
#define dm_times(i)   (&vod_timeline_tracks(dm_tl)[i])


static inline void
dm_free(void)
{
    free(dm_index);
    free(dm_tl);
    dm_index = NULL;
    dm_tl = NULL;
}


/* what vod_av_index() does for a file with a key frame index */
static inline int
by_cues(const char *container)
{
    int             rc;
    uint64_t        room;
    vod_cues_t      cues;
    vod_demux_t    *d;
    vod_source_t    s;
    vod_index_in_t  in;

    dm_free();
    memset(&dm_notes, 0, sizeof(dm_notes));
    memset(&dm_err, 0, sizeof(dm_err));
    memset(&cues, 0, sizeof(cues));

    dm_source.bytes_read = 0;
    vod_source_init(&s, &dm_source, 30000);

    rc = vod_demux_open(&d, &s, container, &dm_err);

    if (rc == VOD_OK) {
        rc = vod_cues_build(&cues, d, &s, &dm_limits, &dm_notes, &dm_err);
    }

    if (rc == VOD_OK) {
        memset(&in, 0, sizeof(in));
        in.file_size = dm_source.size;
        in.container = container;
        in.origin = cues.origin;
        in.notes = dm_notes.text;
        in.notes_len = dm_notes.len;
        in.tracks = cues.tracks;
        in.n_tracks = cues.n_tracks;

        room = vod_index_bound(&in);
        dm_index = malloc(room);
        dm_index_len = vod_index_write(&in, dm_index, room, &dm_err);
        rc = dm_index_len ? VOD_OK : dm_err.code;
    }

    vod_cues_free(&cues);
    vod_demux_close(d);
    dm_bytes = dm_source.bytes_read;

    if (rc != VOD_OK) {
        dm_free();
    }

    return rc;
}


static inline int
dm_av_index(uint64_t scan)
{
    int  rc;

    dm_free();
    memset(&dm_err, 0, sizeof(dm_err));

    dm_limits.scan = scan;
    rc = vod_av_index(&dm_source, &dm_limits, &dm_index, &dm_index_len,
                      &dm_err);
    dm_bytes = dm_source.bytes_read;

    return rc;
}


static inline int
dm_timeline(uint32_t target)
{
    uint64_t           room;
    vod_timeline_in_t  in;

    memset(&in, 0, sizeof(in));
    in.target = target;
    in.file_size = dm_source.size;
    in.to = INT64_MAX;

    room = vod_timeline_bound(dm_index, &in);

    free(dm_tl);
    dm_tl = malloc(room);

    return vod_timeline_build(dm_index, &in, dm_tl, room, &dm_err) != 0;
}


/* a segment whose payload is the file's: as vod_av_segment() would have it */
static inline int
dm_verbatim(const vod_sample_t *rows, uint32_t n, const vod_cell_t *cell)
{
    int       sys_err;
    uint32_t  k;
    uint64_t  at;

    dm_seg.payload = malloc(cell->payload + 16 + n * sizeof(vod_sample_t));
    dm_seg.samples = (vod_sample_t *) (void *)
                     (dm_seg.payload + ((cell->payload + 15) & ~15ull));
    dm_seg.n = n;
    dm_seg.len = cell->payload;
    dm_seg.dts = cell->cursor.dts;

    for (at = 0, k = 0; k < n; k++) {
        dm_seg.samples[k] = rows[k];
        dm_seg.samples[k].pos = at;

        if (dm_source.read(dm_source.data, dm_seg.payload + at, rows[k].size,
                           rows[k].pos, &sys_err) != rows[k].size)
        {
            return vod_fail(&dm_err, VOD_DAMAGED, "sample %u is not in the"
                            " file", k + 1);
        }

        at += rows[k].size;
    }

    return VOD_OK;
}


/* a segment's samples as the source has them: dm_seg, to be freed */
static inline int
dm_segment(unsigned i, uint32_t number)
{
    int                   rc;
    uint32_t              n;
    vod_sample_t         *rows;
    const vod_cell_t     *cell;
    const vod_track_t    *t;
    vod_av_segment_in_t   in;

    t = dm_track(i);
    cell = vod_timeline_cells(dm_tl, dm_times(i)) + number - 1;
    rows = malloc((vod_segment_most(t, cell, cell + 1) + 1)
                  * sizeof(vod_sample_t));

    memset(&dm_seg, 0, sizeof(dm_seg));

    rc = vod_segment_rows(t, cell, cell + 1, (const uint8_t *) dm_index
                          + t->rows_off + cell->cursor.row,
                          vod_segment_bytes(t, cell, cell + 1), rows, &n,
                          &dm_err);

    if (rc == VOD_OK && (t->flags & VOD_TRACK_DEMUX)) {
        memset(&in, 0, sizeof(in));
        in.container = dm_head()->container;
        in.track = t;
        in.entry = (const uint8_t *) dm_index + t->entry_off;
        in.cell = cell;
        in.next = cell + 1;
        in.number = number;
        in.n_segments = dm_times(i)->n_segments;
        in.rows = rows;
        in.n_rows = n;

        rc = vod_av_segment(&dm_source, &dm_limits, &in, &dm_seg, &dm_err);
        dm_bytes = dm_source.bytes_read;
    }

    if (rc == VOD_OK && !(t->flags & VOD_TRACK_DEMUX)) {
        rc = dm_verbatim(rows, n, cell);
    }

    free(rows);

    return rc;
}

#endif /* _DEMUXED_H_INCLUDED_ */
