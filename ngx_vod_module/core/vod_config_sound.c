/* Opus, FLAC, ALAC, MPEG-1 and -2 audio */

#include <string.h>

#include "vod_config_int.h"


#define VOD_STREAMINFO   34     /* bytes (RFC 9639, 8.2) */
#define VOD_ALAC_COOKIE  24     /* bytes of ALACSpecificConfig */


static const uint8_t *vod_flac_info(const vod_config_t *in);
static const uint8_t *vod_alac_cookie(const uint8_t *data, uint64_t len);


/*
 * OpusSpecificBox (Encapsulation of Opus in ISO Base Media File Format,
 * 4.3.2) of an identification header (RFC 7845, 5.1): the same fields, the
 * other byte order.
 */

int
vod_config_opus(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t        mark, box, len;
    unsigned        channels, family;
    const uint8_t  *p;

    p = in->config;
    len = p ? in->config_len : 0;

    if (len < 19 || memcmp(p, "OpusHead", 8) != 0) {
        return vod_fail(err, VOD_DAMAGED, "Opus without its identification "
                        "header");
    }

    channels = p[9];
    family = p[18];

    if ((p[8] & 0xf0) != 0 || channels == 0 || (family == 0 && channels > 2)
        || (family && len < 21 + channels))
    {
        return vod_fail(err, VOD_DAMAGED, "Opus with an identification header "
                        "of version %u, %u channels, mapping family %u and "
                        "%llu bytes", (unsigned) p[8], channels, family,
                        (unsigned long long) len);
    }

    mark = vod_config_sound(out, vod_fourcc('O', 'p', 'u', 's'), channels, 16,
                            48000);

    box = vod_wr_box(out, vod_fourcc('d', 'O', 'p', 's'));
    vod_wr_u8(out, 0);
    vod_wr_u8(out, (uint8_t) channels);
    vod_wr_u16(out, (uint16_t) (p[11] << 8 | p[10]));       /* PreSkip */
    vod_wr_u32(out, (uint32_t) p[15] << 24 | (uint32_t) p[14] << 16
                    | (uint32_t) p[13] << 8 | p[12]);
    vod_wr_u16(out, (uint16_t) (p[17] << 8 | p[16]));       /* gain */
    vod_wr_u8(out, (uint8_t) family);

    if (family) {
        vod_wr_bytes(out, p + 19, 2 + channels);
    }

    vod_wr_box_end(out, box);
    vod_wr_box_end(out, mark);

    return VOD_OK;
}


/* a packet's first byte and the number of its frames (RFC 6716, 3.1) */

uint32_t
vod_opus_frame(const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    unsigned  config, frames;
    uint32_t  one;

    *rate = 48000;

    if (size == 0) {
        return 0;
    }

    config = sample[0] >> 3;

    one = config < 12 ? (config & 3) == 3 ? 2880 : 480u << (config & 3)
          : config < 16 ? 480u << (config & 1)
          : 120u << (config & 3);

    switch (sample[0] & 3) {

    case 0:
        frames = 1;
        break;

    case 3:
        frames = size > 1 ? sample[1] & 0x3f : 0;
        break;

    default:
        frames = 2;
    }

    /* no packet lasts more than 120 ms */

    return one * frames <= 5760 ? one * frames : 0;
}


/* FLACSpecificBox (Encapsulation of FLAC in ISO Base Media File Format) */

int
vod_config_flac(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t        mark, box;
    uint32_t        rate;
    unsigned        channels, bits;
    const uint8_t  *info;

    info = vod_flac_info(in);

    if (info == NULL) {
        return vod_fail(err, VOD_DAMAGED, "FLAC without STREAMINFO");
    }

    rate = (uint32_t) info[10] << 12 | (uint32_t) info[11] << 4
           | info[12] >> 4;
    channels = ((info[12] >> 1) & 7) + 1;
    bits = ((info[12] & 1) << 4 | info[13] >> 4) + 1;

    mark = vod_config_sound(out, vod_fourcc('f', 'L', 'a', 'C'), channels,
                            bits, rate);

    box = vod_wr_full_box(out, vod_fourcc('d', 'f', 'L', 'a'), 0, 0);
    vod_wr_u8(out, 0x80);                   /* the last block, STREAMINFO */
    vod_wr_u24(out, VOD_STREAMINFO);
    vod_wr_bytes(out, info, VOD_STREAMINFO);
    vod_wr_box_end(out, box);

    vod_wr_box_end(out, mark);

    return VOD_OK;
}


static const uint8_t *
vod_flac_info(const vod_config_t *in)
{
    uint64_t        len;
    const uint8_t  *p;

    p = in->config;
    len = p ? in->config_len : 0;

    if (len >= 8 + VOD_STREAMINFO && memcmp(p, "fLaC", 4) == 0) {
        p += 4;
        len -= 4;
    }

    if (len >= 4 + VOD_STREAMINFO && (p[0] & 0x7f) == 0 && p[1] == 0
        && p[2] == 0 && p[3] == VOD_STREAMINFO)
    {
        return p + 4;
    }

    return len == VOD_STREAMINFO ? p : NULL;
}


/* block size of a frame's header (RFC 9639, 9.1.1) */

uint32_t
vod_flac_frame(const uint8_t *entry, uint64_t entry_len,
    const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    unsigned  code, n;
    vod_rd_t  body, rd;

    if (!vod_config_child(entry, entry_len, vod_fourcc('d', 'f', 'L', 'a'),
                          &body)
        || vod_rd_left(&body) < 8 + VOD_STREAMINFO)
    {
        return 0;
    }

    *rate = (uint32_t) body.pos[18] << 12 | (uint32_t) body.pos[19] << 4
            | body.pos[20] >> 4;

    if (size < 6 || sample[0] != 0xff || (sample[1] & 0xfe) != 0xf8) {
        return 0;
    }

    code = sample[2] >> 4;

    if (code == 1) {
        return 192;
    }

    if (code >= 2 && code <= 5) {
        return 576u << (code - 2);
    }

    if (code >= 8) {
        return 256u << (code - 8);
    }

    if (code == 0) {
        return 0;
    }

    /* behind a number coded as UTF-8 does */

    for (n = 0; n < 7 && (sample[4] & (0x80u >> n)); n++) {
        /* void */
    }

    vod_rd_init(&rd, sample, size);
    vod_rd_skip(&rd, 4 + (n ? n : 1));
    n = (code == 6 ? vod_rd_u8(&rd) : vod_rd_u16(&rd)) + 1u;

    return rd.failed ? 0 : n;
}


/*
 * ALACSpecificConfig ("magic cookie"), bare or with the boxes that QuickTime
 * has before it.
 */

int
vod_config_alac(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t        mark, box;
    uint32_t        rate;
    const uint8_t  *cookie;

    cookie = vod_alac_cookie(in->config, in->config ? in->config_len : 0);

    if (cookie == NULL) {
        return vod_fail(err, VOD_DAMAGED, "ALAC without its magic cookie");
    }

    rate = (uint32_t) cookie[20] << 24 | (uint32_t) cookie[21] << 16
           | (uint32_t) cookie[22] << 8 | cookie[23];

    mark = vod_config_sound(out, vod_fourcc('a', 'l', 'a', 'c'), cookie[9],
                            cookie[5], rate);

    box = vod_wr_full_box(out, vod_fourcc('a', 'l', 'a', 'c'), 0, 0);
    vod_wr_bytes(out, cookie, VOD_ALAC_COOKIE);
    vod_wr_box_end(out, box);

    vod_wr_box_end(out, mark);

    return VOD_OK;
}


static const uint8_t *
vod_alac_cookie(const uint8_t *data, uint64_t len)
{
    if (len >= 12 && memcmp(data + 4, "frma", 4) == 0) {
        data += 12;
        len -= 12;
    }

    if (len >= 12 && memcmp(data + 4, "alac", 4) == 0) {
        data += 12;
        len -= 12;
    }

    return len >= VOD_ALAC_COOKIE ? data : NULL;
}


/* a frame that is shorter than the others says so in its first element */

uint32_t
vod_alac_frame(const uint8_t *entry, uint64_t entry_len,
    const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    uint32_t    frame, partial;
    vod_rd_t    body;
    vod_bits_t  bits;

    if (!vod_config_child(entry, entry_len, vod_fourcc('a', 'l', 'a', 'c'),
                          &body))
    {
        return 0;
    }

    vod_rd_skip(&body, 4);
    frame = vod_rd_u32(&body);
    vod_rd_skip(&body, 16);
    *rate = vod_rd_u32(&body);

    if (body.failed) {
        *rate = 0;
        return 0;
    }

    vod_bits_init(&bits, sample, size, 0);

    switch (vod_bits_get(&bits, 3)) {

    case 0:                                 /* one channel, two, LFE */
    case 1:
    case 3:
        vod_bits_skip(&bits, 4 + 12);

        if (vod_bits_get(&bits, 1)) {
            vod_bits_skip(&bits, 3);
            partial = vod_bits_get(&bits, 32);

            if (!bits.failed && partial && partial < frame) {
                return partial;
            }
        }
    }

    return frame;
}


/* MPEG audio has no configuration beside its frames' headers */

int
vod_config_mp3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t    mark;
    vod_esds_t  esds;
    vod_mpa_t   mpa;

    memset(&mpa, 0, sizeof(vod_mpa_t));

    if (!vod_mpa_read(&mpa, in->sample, in->sample ? in->sample_len : 0)) {

        if (in->sample || in->sample_rate == 0 || in->channels == 0) {
            return vod_fail(err, VOD_DAMAGED, "MPEG audio whose first frame "
                            "has no header");
        }

        mpa.rate = in->sample_rate;
        mpa.channels = in->channels;
        mpa.lower = in->sample_rate < 32000;
    }

    memset(&esds, 0, sizeof(vod_esds_t));
    esds.oti = mpa.lower ? VOD_OTI_MPEG2_AUDIO : VOD_OTI_MPEG1_AUDIO;

    mark = vod_config_sound(out, vod_fourcc('m', 'p', '4', 'a'), mpa.channels,
                            16, mpa.rate);
    vod_esds_write(out, &esds);
    vod_wr_box_end(out, mark);

    return VOD_OK;
}


uint32_t
vod_mp3_frame(const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    vod_mpa_t  mpa;

    if (!vod_mpa_read(&mpa, sample, size)) {
        return 0;
    }

    *rate = mpa.rate;

    return mpa.samples;
}
