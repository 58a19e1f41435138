/*
 * From a media file to its index, with libavformat.
 *
 * The one header of this room that others may include; it names no type of
 * libav's.  No global state but av_log's callback and av_max_alloc()'s
 * ceiling, set once by vod_av_init().  Functions may be called from several
 * threads at once.
 */

#ifndef _VOD_AV_H_INCLUDED_
#define _VOD_AV_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>

#include "../core/vod_timeline.h"


/*
 * Where bytes come from.  read returns the bytes read at offset (fewer only
 * at the end of the source), 0 at the end, -1 with *sys_err set on failure.
 * It may block.
 */
typedef struct {
    int64_t   (*read)(void *data, void *buf, uint64_t len, uint64_t offset,
                  int *sys_err);
    void       *data;
    uint64_t    size;           /* of the source, bytes */
    uint64_t    bytes_read;     /* counted by vod_av_index() */
} vod_av_source_t;


/* a reason names the server's directive in parentheses */
typedef struct {
    uint64_t  max_moov;         /* bytes of moov, of a moof; 0 = default,
                                   128 MiB */
    uint64_t  max_samples;      /* of all tracks; 0 = default, 16,777,216 */
    uint32_t  max_tracks;       /* 0 = default, 64 */
    uint32_t  timeout;          /* ms a build may take; 0 = default, 30,000 */
    uint64_t  scan;             /* bytes; a file up to this size is read whole
                                   though it has a key frame index; 0 =
                                   default, 8 MiB; 1 = none is */
    uint64_t  max_segment;      /* bytes of a demuxed segment; 0 = default,
                                   128 MiB */
} vod_av_limits_t;


/* once a process, before the first index: libav's log callback, which drops
   everything, and the largest allocation it may make (1 GiB) */
void vod_av_init(void);

/*
 * Opens the source, finds the tracks CMAF can carry, and writes their index
 * (core/vod_index.h) to memory from malloc(): *index, *len; the caller
 * free()s.  Returns VOD_OK, or an error with the reason in err:
 * VOD_DAMAGED, VOD_UNSUPPORTED, VOD_LIMIT, VOD_TIMEOUT (of the time only: it
 * may do the next time), VOD_NOMEM, VOD_IO.  Tracks left out, and repairs, are
 * lines in the index's notes.
 *
 * A file of subtitles (WebVTT, SRT, ASS or SSA; UTF-8, UTF-16 or Windows-1252,
 * at most 16 MiB) has one track of text and nothing else: it is a part of an
 * asset, and nothing to be played by itself.
 */
int vod_av_index(vod_av_source_t *src, const vod_av_limits_t *limits,
    void **index, uint64_t *len, vod_err_t *err);

/*
 * A segment of a track with VOD_TRACK_DEMUX.  Which one: its two cells, its
 * number and how many there are, and the rows between the cells (as
 * vod_segment_rows() gives them, at least one; of text perhaps none).
 */
typedef struct {
    const char          *container;     /* of the index */
    const vod_track_t   *track;
    const uint8_t       *entry;         /* its sample entry, entry_len bytes */
    const vod_cell_t    *cell, *next;
    uint64_t             number;        /* from 1 */
    uint64_t             n_segments;
    const vod_sample_t  *rows;
    uint32_t             n_rows;
    unsigned             vtt;           /* text: as a segment of HLS */
} vod_av_segment_in_t;

/* one piece of memory from malloc(); pointers into it */
typedef struct {
    vod_sample_t  *samples;     /* pos: offset in payload */
    uint32_t       n;
    uint64_t       dts;         /* of the first, as tfdt has it */
    uint8_t       *payload;     /* what mdat holds */
    uint64_t       len;
} vod_av_segment_t;

/*
 * Reads the source where the rows say and makes the segment's samples and
 * payload.  What a track's samples are does not depend on where it is cut,
 * nor on what was asked for before: each is in one segment.  Of a track that
 * is not sparse the samples are the rows, or it is VOD_DAMAGED: the file
 * has changed, or its demuxer does not come upon the same samples again.
 * Of one that is, n is 0 where it has nothing in a segment (sound that
 * pauses, which its cuts do not tell): what is sent then is a fragment
 * without samples, with which playback goes on as it would not with an error.
 * VOD_OK, or the errors of vod_av_index(), VOD_LIMIT beyond max_segment.
 *
 * Of text the samples are those of WebVTT in ISO BMFF (core/vod_wvtt.h), which
 * last from one cell to the next whether there are cues or not; with vtt the
 * payload is a segment of HLS (core/vod_vtt.h), and n is 0.  Cues that cannot
 * be read are passed over.
 *
 * src->bytes_read counts.  Free with vod_av_segment_free().
 */
int vod_av_segment(vod_av_source_t *src, const vod_av_limits_t *limits,
    const vod_av_segment_in_t *in, vod_av_segment_t *out, vod_err_t *err);

void vod_av_segment_free(vod_av_segment_t *segment);

/* "libavformat 59.27.100", static text */
const char *vod_av_version(void);

#endif /* _VOD_AV_H_INCLUDED_ */
