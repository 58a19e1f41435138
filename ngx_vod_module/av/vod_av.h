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

#include "../core/vod_err.h"


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


typedef struct {
    uint64_t  max_moov;         /* bytes; 0 = default, 128 MiB */
    uint64_t  max_samples;      /* of all tracks; 0 = default, 16,777,216 */
    uint32_t  max_tracks;       /* 0 = default, 64 */
    uint32_t  timeout;          /* ms a build may take; 0 = default, 30,000 */
} vod_av_limits_t;


/* once a process, before the first index: libav's log callback, which drops
   everything, and the largest allocation it may make (1 GiB) */
void vod_av_init(void);

/*
 * Opens the source, finds the tracks CMAF can carry, and writes their index
 * (core/vod_index.h) to memory from malloc(): *index, *len; the caller
 * free()s.  Returns VOD_OK, or an error with the reason in err:
 * VOD_DAMAGED, VOD_UNSUPPORTED, VOD_LIMIT, VOD_NOMEM, VOD_IO.  Tracks left
 * out, and repairs, are lines in the index's notes.
 */
int vod_av_index(vod_av_source_t *src, const vod_av_limits_t *limits,
    void **index, uint64_t *len, vod_err_t *err);

/* "libavformat 59.27.100", static text */
const char *vod_av_version(void);

#endif /* _VOD_AV_H_INCLUDED_ */
