#include <string.h>

#include "vod_config_int.h"


/*
 * MPEG-4 Part 2 (14496-14, 5.6): the headers up to the first picture are the
 * decoder's configuration; samples keep those that they have.
 */

int
vod_config_mp4v(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t    mark;
    vod_m4v_t   m4v;
    vod_esds_t  esds;

    memset(&esds, 0, sizeof(vod_esds_t));
    esds.oti = VOD_OTI_MPEG4_VIDEO;
    esds.visual = 1;
    esds.info = in->config;
    esds.info_len = in->config ? in->config_len : 0;

    vod_m4v_read(&m4v, esds.info, esds.info_len);

    if (m4v.width == 0) {
        esds.info = in->sample;
        esds.info_len = in->sample ? in->sample_len : 0;

        vod_m4v_read(&m4v, esds.info, esds.info_len);
        esds.info_len = m4v.headers;
    }

    if (m4v.width == 0 || m4v.height == 0) {
        return vod_fail(err, VOD_DAMAGED, "MPEG-4 Part 2 with no video object "
                        "layer in its configuration nor in its first sync "
                        "sample");
    }

    if (esds.info_len > 65535) {
        return vod_fail(err, VOD_LIMIT, "MPEG-4 Part 2 with headers of %llu "
                        "bytes, the limit is 65535",
                        (unsigned long long) esds.info_len);
    }

    mark = vod_config_visual(in, out, vod_fourcc('m', 'p', '4', 'v'),
                             m4v.width, m4v.height);
    vod_esds_write(out, &esds);

    return vod_config_visual_end(in, out, mark, err);
}


/* pictures of both directions stand behind the one that they need: by one */

int
vod_m4v_reorder(const vod_rd_t *body)
{
    vod_m4v_t   m4v;
    vod_esds_t  esds;

    if (!vod_esds_read(&esds, *body)) {
        return -1;
    }

    vod_m4v_read(&m4v, esds.info, esds.info_len);

    return m4v.width == 0 ? -1 : m4v.low_delay ? 0 : 1;
}


/* an intra-coded picture (14496-14, 5.6.1) */

int
vod_m4v_sync(const uint8_t *sample, uint64_t size)
{
    vod_m4v_t  m4v;

    vod_m4v_read(&m4v, sample, size);

    return m4v.picture < 0 ? -1 : m4v.picture == 0;
}
