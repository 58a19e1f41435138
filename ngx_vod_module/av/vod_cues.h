/*
 * The index of a file that has a key frame index of its own (Matroska's
 * Cues): where it can be cut, and no more.
 *
 * Read are the header, the Cues, the first packets of each track and the
 * last ones, 8 MiB at most however long the file is.  The tracks that come
 * of it are VOD_TRACK_SPARSE (core/vod_index.h): a row is what lies between
 * two entries of the reference track, the first video track or, without
 * video, the first one with entries.
 *
 * What is not known without reading all of the file is told so that it errs
 * on the safe side: bytes of a row (and so all bit rates) are those between
 * two entries less what the other tracks are sure to have; an audio track's
 * are what its largest second of those that were read had; the frame rate
 * is that of the first frames.  A segment whose leading pictures come before
 * its key frame begins that much earlier than it is listed, and the one
 * before ends there.
 */

#ifndef _VOD_CUES_H_INCLUDED_
#define _VOD_CUES_H_INCLUDED_

#include "vod_demux.h"


typedef struct {
    vod_index_track_t  *tracks;     /* those carried, in file order; sources
                                       of their names live in the demuxer */
    uint32_t            n_tracks;
    int64_t             origin;     /* vod_index_t.origin, microseconds */
} vod_cues_t;


/*
 * Makes the tracks of an open file, from which no packet has been read.
 * Notes are added for what is left out.  d has to stay open while out is
 * used; vod_cues_free() in every case.
 *
 * VOD_OK; VOD_NOT_FOUND where its entries cannot be used (there are none,
 * they are in disorder, lead nowhere, or are too far apart): err says why,
 * the notes are as they were, and the file has to be scanned; VOD_UNSUPPORTED
 * or VOD_DAMAGED where no track is left; VOD_IO, VOD_LIMIT, VOD_NOMEM.
 */
int vod_cues_build(vod_cues_t *out, vod_demux_t *d, vod_source_t *s,
    const vod_av_limits_t *limits, vod_notes_t *notes, vod_err_t *err);

void vod_cues_free(vod_cues_t *c);

#endif /* _VOD_CUES_H_INCLUDED_ */
