#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "vod_mp4.h"


/* deflate makes at most this of a byte, but for the first few */
#define VOD_MP4_RATIO  1032


static int vod_mp4_inflate(vod_rd_t in, uint8_t *out, uint64_t *len);
static int vod_mp4_replace(vod_mp4_t *mp4, uint8_t *out, uint64_t len,
    vod_err_t *err);


/* QuickTime File Format, "Compressed Movie Resources" */
int
vod_mp4_cmov(vod_mp4_t *mp4, vod_rd_t body, const vod_av_limits_t *limits,
    vod_err_t *err)
{
    char             name[5];
    uint8_t         *out;
    uint32_t         method;
    uint64_t         len;
    vod_rd_t         data;
    vod_mp4_child_t  c[2] = {
        vod_mp4_child('d', 'c', 'o', 'm'),
        vod_mp4_child('c', 'm', 'v', 'd'),
    };

    if (vod_mp4_children(body, "cmov", c, 2, err) != VOD_OK) {
        return err->code;
    }

    method = vod_rd_u32(&c[0].body);
    data = c[1].body;
    len = vod_rd_u32(&data);

    if (!c[0].found || !c[1].found || c[0].body.failed || data.failed) {
        return vod_fail(err, VOD_DAMAGED, "its compressed moov (cmov) lacks"
                        " dcom or cmvd, remux the file");
    }

    if (method != vod_fourcc('z', 'l', 'i', 'b')) {
        vod_mp4_fourcc(method, name);

        return vod_fail(err, VOD_UNSUPPORTED, "its moov is compressed with"
                        " %s, not zlib, remux it to plain MP4", name);
    }

    if (len > limits->max_moov) {
        return vod_fail(err, VOD_LIMIT, "its compressed moov has %" PRIu64
                        " bytes, more than the %" PRIu64 " allowed, cut the"
                        " file into shorter ones", len, limits->max_moov);
    }

    if (len < 8 || len / VOD_MP4_RATIO > vod_rd_left(&data)) {
        return vod_fail(err, VOD_DAMAGED, "its compressed moov claims %" PRIu64
                        " bytes in %" PRIu64 ", remux the file", len,
                        vod_rd_left(&data));
    }

    out = malloc(len);
    if (out == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a moov box of %" PRIu64
                        " bytes", len);
    }

    if (!vod_mp4_inflate(data, out, &len)) {
        free(out);
        return vod_fail(err, VOD_DAMAGED, "its compressed moov does not come"
                        " to %" PRIu64 " bytes of zlib's, remux the file",
                        len);
    }

    return vod_mp4_replace(mp4, out, len, err);
}


/* 1 where all of it came out; len becomes what it is */
static int
vod_mp4_inflate(vod_rd_t in, uint8_t *out, uint64_t *len)
{
    int       rc;
    z_stream  z;

    memset(&z, 0, sizeof(z_stream));

    /* zlib's own pointer is not const; 32 bits are enough for both lengths */

    z.next_in = (Bytef *) (uintptr_t) in.pos;
    z.avail_in = (uInt) vod_rd_left(&in);
    z.next_out = out;
    z.avail_out = (uInt) *len;

    if (inflateInit(&z) != Z_OK) {
        return 0;
    }

    rc = inflate(&z, Z_FINISH);
    (void) inflateEnd(&z);

    if (rc != Z_STREAM_END) {
        return 0;
    }

    *len = (uint64_t) z.total_out;

    return 1;
}


/* what came out is the moov box; its body takes the other's place */
static int
vod_mp4_replace(vod_mp4_t *mp4, uint8_t *out, uint64_t len, vod_err_t *err)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    vod_rd_init(&rd, out, len);

    if (vod_rd_box(&rd, &box) != 1
        || box.type != vod_fourcc('m', 'o', 'o', 'v'))
    {
        free(out);
        return vod_fail(err, VOD_DAMAGED, "its compressed moov holds no moov"
                        " box, remux the file");
    }

    len = vod_rd_left(&box.body);
    memmove(out, box.body.pos, len);

    free(mp4->moov);
    mp4->moov = out;
    mp4->moov_len = len;
    mp4->compressed = 1;

    return VOD_OK;
}
