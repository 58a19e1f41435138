/*
 * Reads of the source, bounded in time: every read of this room goes through
 * here, and every long loop asks here whether it may go on.
 */

#ifndef _VOD_SOURCE_H_INCLUDED_
#define _VOD_SOURCE_H_INCLUDED_

#include "vod_av.h"


typedef struct {
    vod_av_source_t  *src;
    uint64_t          deadline;     /* ms of the monotonic clock */
    uint32_t          timeout;      /* ms, for the reason */
} vod_source_t;


/* starts the clock: timeout ms from now */
void vod_source_init(vod_source_t *s, vod_av_source_t *src, uint32_t timeout);

/*
 * Reads exactly len bytes at offset.  VOD_OK; VOD_DAMAGED where the source
 * ends before; VOD_IO; VOD_TIMEOUT when the time is over.
 */
int vod_source_read(vod_source_t *s, void *buf, uint64_t len,
    uint64_t offset, vod_err_t *err);

/* VOD_OK, or VOD_TIMEOUT when the time is over */
int vod_source_in_time(const vod_source_t *s, vod_err_t *err);

#endif /* _VOD_SOURCE_H_INCLUDED_ */
