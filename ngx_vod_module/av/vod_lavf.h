/*
 * libavformat, and nothing of its types outside.
 *
 * It never sees a path, opens nothing, and reads from memory only: the first
 * bytes of the source to tell what it is, and the checked copy of moov
 * (vod_mp4.h) to expand the sample tables.
 */

#ifndef _VOD_LAVF_H_INCLUDED_
#define _VOD_LAVF_H_INCLUDED_

#include "vod_mp4.h"


#define VOD_LAVF_PROBE  32768   /* bytes of the source that are looked at */


typedef struct vod_lavf_s  vod_lavf_t;


/* once a process */
void vod_lavf_init(void);

/*
 * What begins with these len bytes.  VOD_OK for MP4 and QuickTime;
 * VOD_UNSUPPORTED naming what it is; VOD_DAMAGED where it is nothing known.
 */
int vod_lavf_probe(const uint8_t *head, uint64_t len, vod_err_t *err);

/*
 * Opens the copy of moov with this one track in sight, so that a track
 * libavformat refuses does not take the others with it, and its tables are
 * there for one track at a time.  *lavf is set only on success.
 * VOD_DAMAGED with the reason; VOD_NOMEM; VOD_INTERNAL.
 */
int vod_lavf_open(vod_lavf_t **lavf, vod_mp4_t *mp4, vod_mp4_track_t *t,
    vod_err_t *err);

void vod_lavf_close(vod_lavf_t *lavf);

/*
 * The track's samples: pos, size, key; and dur but for the last one's,
 * which is 0.  Exactly n of them, or VOD_DAMAGED.
 */
int vod_lavf_samples(vod_lavf_t *lavf, vod_sample_t *samples, uint32_t n,
    vod_err_t *err);

/* language as the file says, ISO 639-2, or ""; lives until close */
const char *vod_lavf_lang(const vod_lavf_t *lavf);

#endif /* _VOD_LAVF_H_INCLUDED_ */
