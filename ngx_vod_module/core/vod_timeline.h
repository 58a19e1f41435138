/*
 * The timeline: where an asset is cut, for one segment duration.
 *
 * Flat and position-independent like the index.  EXTINF, SegmentTimeline,
 * tfdt, bit rates and Content-Length all come from this one array, and a
 * segment request reads the header, one track's head, two cells and the
 * rows between them: nothing that grows with the file.
 *
 *   offset             what
 *   0                  vod_timeline_t
 *   sizeof header      vod_timeline_track_t[n_tracks]  (index's order)
 *   ...                vod_cell_t[n_segments + 1] for each track (that of
 *                      cells_off); the last one is the end
 *
 * Cuts (one grid for the asset, from the first video track): a segment ends
 * at the last sync sample whose presentation time is not later than start +
 * target + 0.5 s, or else at the next one; the end of the track counts as one
 * too.  Behind the last cut the grid goes on every target for the other
 * tracks while more than target + 0.5 s remain.  Other video tracks are cut
 * by the same rule on their own sync samples.  Audio is cut before the first
 * sample that begins at or after the grid's cut; cells without a sample are
 * merged.  Without video the grid is every target.
 *
 * The first segment's start is here the origin of playlist time, from which
 * its EXTINF runs, and no other begins before it; where a video track begins
 * more than target + 0.5 s behind the origin, the grid comes there every
 * target.
 *
 * Text has a cell for each of the grid's, from the origin to the end of the
 * asset, whether there is a cue or not; it never decides where the asset
 * begins or ends unless there is nothing else.  A cell's start is the cut in
 * the track's ticks, its cursor stands before the first row that may be active
 * there, and the last row of a segment may be the first of the next one too:
 * vod_segment_rows().
 *
 * An asset of several files is cut by the grid of one, the reference: the
 * timeline of that file is given to the build of the others (in->grid), and
 * origin, cuts and end are its.  Sound and text are cut there.  A video track
 * of which a sync sample is presented within half a frame of each cut (of the
 * reference's sync sample there) is cut at these; behind the reference's end
 * it goes on by its own rule.  One that misses a cut is cut by its own rule
 * all along, and off_grid says so.  Sound that lasts more than target +
 * 0.5 s longer than the grid goes on every target.
 *
 * A clip is the timeline of a file that had only some of its samples.  It
 * begins with the last sync sample of the reference that is presented at or
 * before from, and so do all tracks: other video with the last sync sample
 * within half a frame of it or before, sound with the sample that is
 * presented then, text there; without video all begin at from.  (Sound that
 * began at from, behind the video, would be a rendition that begins late: see
 * vod_rate.h for what that does.)  Where playback begins is for the manifests
 * to say, from is theirs.  A clip ends with the last sample in decoding order
 * that is presented before to; a sparse track ends with a row, its sound at
 * to all the same.  Nothing else changes: times stay those of the file,
 * segments are numbered from 1.  A track that presents nothing between from
 * and to has no segment, which is so in clips alone; vod_merge() leaves it
 * out.  With a grid from and to have to be those with which it was made.
 */

#ifndef _VOD_TIMELINE_H_INCLUDED_
#define _VOD_TIMELINE_H_INCLUDED_

#include "vod_index.h"


#define VOD_TIMELINE_MAGIC    0x4e4c4d54u
#define VOD_TIMELINE_VERSION  4

/* bytes of the output format changed: bump, and every ETag and token does */
#define VOD_FORMAT_VERSION    3

/* segments of all tracks of an asset: 12 days of one second, one track */
#define VOD_TIMELINE_CELLS    1048576

/*
 * Samples of a segment: 72 minutes of 60 frames a second without a second
 * sync sample.  A request decodes them all at once, in the event loop, and
 * holds up to 24 bytes for each until it is answered.
 */
#define VOD_SEGMENT_SAMPLES   262144


typedef struct {
    uint32_t  magic;
    uint16_t  version;
    uint16_t  n_tracks;
    uint64_t  len;              /* of the whole timeline, bytes */
    uint64_t  etag;             /* seed of all ETags: file, settings, format */
    char      token[16];        /* version token, 12 hex digits, 0-padded */
    uint32_t  target;           /* segment duration asked for, ms */
    uint32_t  target_duration;  /* EXT-X-TARGETDURATION, seconds */
    uint64_t  origin;           /* of playlist time, microseconds */
    uint64_t  duration;         /* of the asset from origin, microseconds */
    uint32_t  max_segment;      /* longest segment, milliseconds, up; as
                                   presented, and as EXTINF */
    uint32_t  dated;            /* 1 = some segment's tfdt is not the time at
                                   which the playlist has it, see vod_hls.h */
    uint32_t  reference;        /* ordinal + 1 of the track whose cuts are the
                                   grid; 0: every target, or another file's */
    uint32_t  off_grid;         /* 1 = a video track misses another file's
                                   grid, see the track */
    int64_t   from, to;         /* clip, presentation time in microseconds,
                                   within the asset; 0, 0 = it is none */

    /* origin and end of the asset as the grid has them, exact */
    int64_t   origin_ticks;
    int64_t   end_ticks;
    uint32_t  origin_timescale;
    uint32_t  end_timescale;
} vod_timeline_t;


typedef struct {
    uint32_t  n_segments;
    uint32_t  timescale;
    uint64_t  cells_off;
    uint64_t  bytes;            /* all segments, headers included */
    uint64_t  peak;             /* bit/s, RFC 8216bis peak segment rate */
    uint64_t  average;          /* bit/s, over the sum of its EXTINF */
    uint64_t  bandwidth;        /* bit/s, DASH @bandwidth for a
                                   minBufferTime of target (23009-1, 5.3.5.2) */
    uint32_t  ordinal;

    /*
     * The I-frame playlist: EXT-X-TARGETDURATION in seconds, 0 where there is
     * none, and its rates in bit/s.  It wants video whose every segment begins
     * with a sync sample of known size; where all samples are sync samples
     * the track itself is what it would be.
     */
    uint32_t  key_duration;
    uint64_t  key_peak;
    uint64_t  key_average;

    char      token[16];        /* of its timeline: a merged one's tracks keep
                                   theirs */
    uint32_t  kind;             /* VOD_VIDEO, VOD_AUDIO, VOD_TEXT */
    uint32_t  off_grid;         /* 1 = misses another file's grid */
} vod_timeline_track_t;


typedef struct {
    vod_cursor_t  cursor;       /* before the segment's first sample */
    int64_t       start;        /* earliest presentation time, ticks; of the
                                   last cell: the track's end_pts */
    int64_t       sync;         /* presentation time of the first sample, which
                                   others may precede; of the last cell as
                                   start */
    uint64_t      payload;      /* bytes of mdat's content */
    uint32_t      header;       /* bytes before the payload */
    uint32_t      key;          /* bytes of the first sample; 0 where it is no
                                   sync sample */
} vod_cell_t;


typedef struct {
    uint32_t  target;           /* ms, > 0 */
    uint64_t  file_size;        /* of the source */
    int64_t   mtime_sec;        /* of the source */
    uint32_t  mtime_nsec;
    const void  *grid;          /* whole timeline of the asset's reference
                                   file; NULL = this file's own cuts */
    int64_t   from, to;         /* clip, presentation time in microseconds;
                                   0, INT64_MAX = all of it */
} vod_timeline_in_t;


/*
 * Room for the timeline of this index, in bytes.  Reads no rows: index may
 * end before them.
 */
uint64_t vod_timeline_bound(const void *index, const vod_timeline_in_t *in);

/*
 * Builds it into out (room bytes, 8-byte aligned); returns its length, or 0
 * with err set: VOD_LIMIT, VOD_DAMAGED, VOD_NOMEM; VOD_RANGE where the clip is
 * empty (from < 0, from >= to, or no track presents anything in it);
 * VOD_INTERNAL where the grid is that of another clip.  Costs a pass over all
 * rows, two of a clip: call it where waiting is allowed.
 *
 * ETags and tokens follow from file, settings, grid and clip.
 */
uint64_t vod_timeline_build(const void *index, const vod_timeline_in_t *in,
    void *out, uint64_t room, vod_err_t *err);

#define vod_timeline_tracks(tl)                                               \
    ((const vod_timeline_track_t *)                                           \
     ((const uint8_t *) (tl) + sizeof(vod_timeline_t)))

/* cells of a track in a timeline that is whole in memory */
#define vod_timeline_cells(tl, tt)                                            \
    ((const vod_cell_t *) ((const uint8_t *) (tl) + (tt)->cells_off))

/*
 * ETag of one answer: what = VOD_URI_* kind, track ordinal, segment number.
 */
uint64_t vod_timeline_etag(const vod_timeline_t *tl, unsigned what,
    unsigned track, uint64_t number);

/* ticks to microseconds, nearest, no overflow for any 64-bit time */
int64_t vod_ticks_us(int64_t ticks, uint32_t timescale);

#endif /* _VOD_TIMELINE_H_INCLUDED_ */
