/*
 * libavformat, and nothing of its types outside.
 *
 * It never sees a path, opens nothing, and reads from memory only: the first
 * bytes of the source to tell what it is.
 */

#ifndef _VOD_LAVF_H_INCLUDED_
#define _VOD_LAVF_H_INCLUDED_

#include <stdint.h>

#include "../core/vod_err.h"


#define VOD_LAVF_PROBE  32768   /* bytes of the source that are looked at */


/* once a process */
void vod_lavf_init(void);

/*
 * What begins with these len bytes.  VOD_OK for MP4 and QuickTime;
 * VOD_UNSUPPORTED naming what it is; VOD_DAMAGED where it is nothing known.
 */
int vod_lavf_probe(const uint8_t *head, uint64_t len, vod_err_t *err);

/*
 * What libavformat takes these bytes for: the first of its names for the
 * format, and more behind a comma (static text); NULL = nothing it knows.
 * VOD_OK, VOD_NOMEM.
 */
int vod_lavf_guess(const uint8_t *head, uint64_t len, const char **name,
    vod_err_t *err);

#endif /* _VOD_LAVF_H_INCLUDED_ */
