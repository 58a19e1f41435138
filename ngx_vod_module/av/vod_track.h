/*
 * One track on its way into the index.
 */

#ifndef _VOD_TRACK_H_INCLUDED_
#define _VOD_TRACK_H_INCLUDED_

#include "vod_mp4.h"


/*
 * Headers and sample entry: fills in out->track, entry and name (which
 * stays t's).  VOD_OK; VOD_UNSUPPORTED or VOD_DAMAGED with the reason to
 * leave it out; VOD_NOMEM.
 */
int vod_track_entry(vod_index_track_t *out, const vod_mp4_track_t *t,
    vod_err_t *err);

/*
 * Samples and times: fills in out->samples, n_samples and the times of
 * out->track; of MP3, what the first sample says of the sound.  Repairs become
 * notes.  Results as above; VOD_IO, VOD_LIMIT where reading that sample fails.
 */
int vod_track_samples(vod_index_track_t *out, vod_mp4_t *mp4,
    vod_mp4_track_t *t, vod_notes_t *notes, vod_err_t *err);

void vod_track_free(vod_index_track_t *out);

/* "track 3 (mp4s, data)" into out */
void vod_track_what(const vod_mp4_track_t *t, char *out, size_t size);

#endif /* _VOD_TRACK_H_INCLUDED_ */
