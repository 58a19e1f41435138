#include <inttypes.h>
#include <time.h>

#include "vod_source.h"


static uint64_t
vod_source_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000 + (uint64_t) ts.tv_nsec / 1000000;
}


void
vod_source_init(vod_source_t *s, vod_av_source_t *src, uint32_t timeout)
{
    s->src = src;
    s->timeout = timeout;
    s->deadline = vod_source_now() + timeout;
}


int
vod_source_read(vod_source_t *s, void *buf, uint64_t len, uint64_t offset,
    vod_err_t *err)
{
    int      sys_err;
    int64_t  n;

    if (vod_source_in_time(s, err) != VOD_OK) {
        return VOD_TIMEOUT;
    }

    sys_err = 0;
    n = s->src->read(s->src->data, buf, len, offset, &sys_err);

    if (n < 0) {
        return vod_fail(err, VOD_IO, "reading %" PRIu64 " bytes at offset %"
                        PRIu64 " failed with system error %d, check the disk"
                        " or the mount", len, offset, sys_err);
    }

    s->src->bytes_read += (uint64_t) n;

    if ((uint64_t) n < len) {
        return vod_fail(err, VOD_DAMAGED, "the file ended at byte %" PRIu64
                        " while it was read, it was shortened under the"
                        " server: put it back whole", offset + (uint64_t) n);
    }

    return VOD_OK;
}


int
vod_source_in_time(const vod_source_t *s, vod_err_t *err)
{
    if (vod_source_now() < s->deadline) {
        return VOD_OK;
    }

    return vod_fail(err, VOD_TIMEOUT, "indexing took longer than %u ms"
                    " (vod_index_timeout), check the disk or cut the file"
                    " into shorter ones",
                    s->timeout);
}
