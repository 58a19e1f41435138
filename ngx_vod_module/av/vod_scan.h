/*
 * The index of a file that has none of its own: every packet is read once.
 *
 * Rows are samples.  A track whose samples all lie in the file in one piece,
 * in the form that is sent, is like one of an MP4 file; of the others
 * (VOD_TRACK_DEMUX) a row has the size that is sent and the place where
 * vod_demux_seek() comes upon the packet.
 *
 * Times are those of the container: one origin for all tracks, the least
 * time at which anything is presented; sound that begins with priming is
 * presented from behind it.  Where the container has no decoding times, or
 * some that contradict themselves, they are the presentation times in
 * ascending order, earlier by the least that puts each before its own.  What
 * goes back, or is missing, is put in a row again, and a note says so.
 */

#ifndef _VOD_SCAN_H_INCLUDED_
#define _VOD_SCAN_H_INCLUDED_

#include "vod_demux.h"


typedef struct {
    vod_index_track_t  *tracks;     /* those carried, in file order;
                                       their names live in the demuxer */
    uint32_t            n_tracks;
    int64_t             origin;     /* vod_index_t.origin, microseconds */
} vod_scan_t;


/*
 * Makes the tracks of an open file, from which no packet has been read.
 * Notes are added for what is left out or repaired.  vod_scan_free() in
 * every case.
 *
 * VOD_OK; VOD_UNSUPPORTED or VOD_DAMAGED where no track is left, with the
 * codecs found; VOD_LIMIT for tracks, samples, or time beyond the limits;
 * VOD_IO, VOD_NOMEM.
 */
int vod_scan_build(vod_scan_t *out, vod_demux_t *d, vod_source_t *s,
    const vod_av_limits_t *limits, vod_notes_t *notes, vod_err_t *err);

void vod_scan_free(vod_scan_t *scan);

#endif /* _VOD_SCAN_H_INCLUDED_ */
