#include <stdio.h>
#include <string.h>

#include "vod_codec_int.h"


/* start codes (ISO/IEC 14496-2, table 6-3) */
#define VOD_M4V_LAYER     0x120         /* to 0x12f */
#define VOD_M4V_SEQUENCE  0x1b0
#define VOD_M4V_GROUP     0x1b3
#define VOD_M4V_PICTURE   0x1b6


static void vod_m4v_layer(vod_m4v_t *m4v, vod_bits_t *bits);
static void vod_m4v_shape(vod_m4v_t *m4v, vod_bits_t *bits, unsigned verid);


/*
 * MPEG-4 Part 2 (14496-14, 5.6, and RFC 6381, 3.3): the codec string has the
 * object type and profile_level_indication, which stands in the headers of
 * the stream.  CMAF has no media profile for it; what plays HLS and DASH
 * outside of browsers takes it.
 */

int
vod_codec_mp4v(vod_entry_t *e, vod_rd_t body)
{
    vod_m4v_t   m4v;
    vod_esds_t  esds;

    if (!vod_esds_read(&esds, body)) {
        return vod_entry_damaged(e, "holds no decoder configuration");
    }

    if (esds.oti != VOD_OTI_MPEG4_VIDEO) {
        return vod_entry_unsupported(e);
    }

    vod_m4v_read(&m4v, esds.info, esds.info_len);

    snprintf(e->track->codec, sizeof(e->track->codec),
             m4v.level ? "mp4v.20.%u" : "mp4v.20", m4v.level);

    vod_video_sar(e, m4v.sar_num, m4v.sar_den);
    e->track->bit_depth = 8;

    return VOD_OK;
}


void
vod_m4v_read(vod_m4v_t *m4v, const uint8_t *data, uint64_t len)
{
    uint64_t    i;
    uint32_t    code;
    vod_bits_t  bits;

    memset(m4v, 0, sizeof(vod_m4v_t));
    m4v->picture = -1;
    m4v->headers = len;

    code = UINT32_MAX;

    for (i = 0; i < len; i++) {

        code = code << 8 | data[i];

        if (code >> 8 != 1) {
            continue;
        }

        vod_bits_init(&bits, data + i + 1, len - i - 1, 0);

        if (code >= VOD_M4V_LAYER && code < VOD_M4V_LAYER + 16) {
            vod_m4v_layer(m4v, &bits);
            continue;
        }

        switch (code) {

        case VOD_M4V_SEQUENCE:
            m4v->level = vod_bits_get(&bits, 8);
            break;

        case VOD_M4V_PICTURE:
            m4v->picture = (int) vod_bits_get(&bits, 2);

            if (bits.failed) {
                m4v->picture = -1;
            }

            /* fall through */

        case VOD_M4V_GROUP:
            m4v->headers = m4v->headers < i - 3 ? m4v->headers : i - 3;

            if (code == VOD_M4V_PICTURE) {
                return;
            }
        }
    }
}


/* VideoObjectLayer() (6.2.3) */

static void
vod_m4v_layer(vod_m4v_t *m4v, vod_bits_t *bits)
{
    unsigned  idc, num, den, verid;

    static const uint8_t  sar[][2] = {
        { 0, 0 }, { 1, 1 }, { 12, 11 }, { 10, 11 }, { 16, 11 }, { 40, 33 }
    };

    verid = 1;

    vod_bits_skip(bits, 1 + 8);             /* random access, object type */

    if (vod_bits_get(bits, 1)) {
        verid = vod_bits_get(bits, 4);
        vod_bits_skip(bits, 3);
    }

    idc = vod_bits_get(bits, 4);            /* aspect_ratio_info */

    if (idc == 15) {
        num = vod_bits_get(bits, 8);
        den = vod_bits_get(bits, 8);

    } else {
        idc = idc < sizeof(sar) / sizeof(sar[0]) ? idc : 0;
        num = sar[idc][0];
        den = sar[idc][1];
    }

    if (!bits->failed) {
        m4v->sar_num = num;
        m4v->sar_den = den;
    }

    if (vod_bits_get(bits, 1)) {            /* vol_control_parameters */

        vod_bits_skip(bits, 2);
        m4v->low_delay = vod_bits_get(bits, 1);

        if (vod_bits_get(bits, 1)) {
            vod_bits_skip(bits, 79);
        }
    }

    vod_m4v_shape(m4v, bits, verid);
}


/* from video_object_layer_shape on; a rectangle's size */

static void
vod_m4v_shape(vod_m4v_t *m4v, vod_bits_t *bits, unsigned verid)
{
    unsigned  n, shape, ticks, width, height;

    shape = vod_bits_get(bits, 2);

    if (shape == 3 && verid != 1) {
        vod_bits_skip(bits, 4);
    }

    vod_bits_skip(bits, 1);
    ticks = vod_bits_get(bits, 16);
    vod_bits_skip(bits, 1);

    if (vod_bits_get(bits, 1)) {            /* fixed_vop_rate */

        for (n = 1; n < 16 && (ticks - 1) >> n; n++) {
            /* void */
        }

        vod_bits_skip(bits, n);
    }

    if (shape != 0) {
        return;
    }

    vod_bits_skip(bits, 1);
    width = vod_bits_get(bits, 13);
    vod_bits_skip(bits, 1);
    height = vod_bits_get(bits, 13);

    if (!bits->failed) {
        m4v->width = width;
        m4v->height = height;
    }
}
