#include <string.h>

#include "vod_config_int.h"


/* fields before the child boxes, the entry's own size and type included */
#define VOD_VISUAL_HEAD  86
#define VOD_SOUND_HEAD   36


static const char  *vod_config_names[] = {
    "unknown", "H.264", "H.265", "AV1", "VP8", "VP9", "MPEG-4 Part 2",
    "MPEG-2", "AAC", "AC-3", "E-AC-3", "DTS", "Opus", "FLAC", "ALAC", "MP3",
    "Vorbis"
};


static int vod_config_any(const vod_config_t *in, vod_wr_t *out,
    unsigned *convert, vod_err_t *err);
static void vod_config_colour(const vod_config_t *in, vod_wr_t *out);
static int vod_config_dovi(const vod_config_t *in, vod_wr_t *out,
    vod_err_t *err);


const char *
vod_config_name(vod_codec_id_t codec)
{
    unsigned  i;

    i = (unsigned) codec;

    return vod_config_names[
               i < sizeof(vod_config_names) / sizeof(char *) ? i : 0];
}


int
vod_config_entry(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    int       rc, overflow;
    uint64_t  len;

    *convert = VOD_CONVERT_NONE;

    len = out->len;
    overflow = out->overflow;

    rc = vod_config_any(in, out, convert, err);

    if (rc != VOD_OK) {
        out->len = len;
        out->overflow = overflow;
        *convert = VOD_CONVERT_NONE;
    }

    return rc;
}


static int
vod_config_any(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    switch (in->codec) {

    case VOD_CODEC_AVC:
        return vod_config_avc(in, out, convert, err);

    case VOD_CODEC_HEVC:
        return vod_config_hevc(in, out, convert, err);

    case VOD_CODEC_AV1:
        return vod_config_av1(in, out, convert, err);

    case VOD_CODEC_MPEG4:
        return vod_config_mp4v(in, out, err);

    case VOD_CODEC_VP8:
        return vod_config_vp8(in, out, err);

    case VOD_CODEC_VP9:
        return vod_config_vp9(in, out, err);

    case VOD_CODEC_AAC:
        return vod_config_aac(in, out, convert, err);

    case VOD_CODEC_AC3:
        return vod_config_ac3(in, out, err);

    case VOD_CODEC_EAC3:
        return vod_config_eac3(in, out, err);

    case VOD_CODEC_DTS:
        return vod_config_dts(in, out, err);

    case VOD_CODEC_OPUS:
        return vod_config_opus(in, out, err);

    case VOD_CODEC_FLAC:
        return vod_config_flac(in, out, err);

    case VOD_CODEC_ALAC:
        return vod_config_alac(in, out, err);

    case VOD_CODEC_MP3:
        return vod_config_mp3(in, out, err);

    case VOD_CODEC_MPEG2:
        return vod_fail(err, VOD_UNSUPPORTED,
                        "MPEG-2 video is in no CMAF media profile");

    case VOD_CODEC_VORBIS:
        return vod_fail(err, VOD_UNSUPPORTED,
                        "Vorbis has no sample entry in ISO BMFF");

    case VOD_CODEC_NONE:
        break;
    }

    return vod_fail(err, VOD_UNSUPPORTED,
                    "a codec that is in no CMAF media profile");
}


uint64_t
vod_config_visual(const vod_config_t *in, vod_wr_t *out, uint32_t type,
    uint32_t width, uint32_t height)
{
    uint64_t  mark;

    if (in->width && in->height) {
        width = in->width;
        height = in->height;
    }

    /* no field holds more; vod_codec_entry() refuses 0 */

    if (width > UINT16_MAX || height > UINT16_MAX) {
        width = 0;
        height = 0;
    }

    mark = vod_wr_box(out, type);

    vod_wr_zero(out, 6);
    vod_wr_u16(out, 1);                     /* data_reference_index */
    vod_wr_zero(out, 16);
    vod_wr_u16(out, (uint16_t) width);
    vod_wr_u16(out, (uint16_t) height);
    vod_wr_u32(out, 0x00480000);            /* 72 dpi */
    vod_wr_u32(out, 0x00480000);
    vod_wr_u32(out, 0);
    vod_wr_u16(out, 1);                     /* frame_count */
    vod_wr_zero(out, 32);                   /* compressorname */
    vod_wr_u16(out, 0x0018);                /* depth */
    vod_wr_u16(out, 0xffff);

    return mark;
}


int
vod_config_visual_end(const vod_config_t *in, vod_wr_t *out, uint64_t mark,
    vod_err_t *err)
{
    int       rc;
    uint64_t  box;

    if (in->sar_num && in->sar_den && in->sar_num != in->sar_den) {
        box = vod_wr_box(out, vod_fourcc('p', 'a', 's', 'p'));
        vod_wr_u32(out, in->sar_num);
        vod_wr_u32(out, in->sar_den);
        vod_wr_box_end(out, box);
    }

    vod_config_colour(in, out);

    if (in->mdcv) {
        vod_config_box(out, vod_fourcc('m', 'd', 'c', 'v'), in->mdcv, 24);
    }

    if (in->clli) {
        vod_config_box(out, vod_fourcc('c', 'l', 'l', 'i'), in->clli, 4);
    }

    rc = vod_config_dovi(in, out, err);
    vod_wr_box_end(out, mark);

    return rc;
}


/* ColourInformationBox (14496-12, 12.1.5) */

static void
vod_config_colour(const vod_config_t *in, vod_wr_t *out)
{
    uint64_t  box;

    if (in->primaries == 0 && in->transfer == 0 && in->matrix == 0) {
        return;
    }

    box = vod_wr_box(out, vod_fourcc('c', 'o', 'l', 'r'));
    vod_wr_u32(out, vod_fourcc('n', 'c', 'l', 'x'));
    vod_wr_u16(out, in->primaries ? in->primaries : VOD_COLOUR_UNSPECIFIED);
    vod_wr_u16(out, in->transfer ? in->transfer : VOD_COLOUR_UNSPECIFIED);
    vod_wr_u16(out, in->matrix ? in->matrix : VOD_COLOUR_UNSPECIFIED);
    vod_wr_u8(out, in->range ? 0x80 : 0);
    vod_wr_box_end(out, box);
}


/*
 * The box's name goes by the profile (Dolby Vision streams within the ISO
 * base media file format, 3.1).
 */

static int
vod_config_dovi(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    unsigned  profile;
    uint32_t  type;

    if (in->dovi == NULL) {
        return VOD_OK;
    }

    profile = in->dovi[2] >> 1;

    if (in->dovi[0] != 1) {
        return vod_fail(err, VOD_DAMAGED, "a Dolby Vision configuration of "
                        "version %u, not 1", (unsigned) in->dovi[0]);
    }

    type = profile > 10 ? vod_fourcc('d', 'v', 'w', 'C')
           : profile > 7 ? vod_fourcc('d', 'v', 'v', 'C')
           : vod_fourcc('d', 'v', 'c', 'C');

    vod_config_box(out, type, in->dovi, 24);

    return VOD_OK;
}


uint64_t
vod_config_sound(vod_wr_t *out, uint32_t type, unsigned channels,
    unsigned bits, uint32_t rate)
{
    uint64_t  mark;

    mark = vod_wr_box(out, type);

    vod_wr_zero(out, 6);
    vod_wr_u16(out, 1);                     /* data_reference_index */
    vod_wr_zero(out, 8);
    vod_wr_u16(out, (uint16_t) channels);
    vod_wr_u16(out, (uint16_t) (bits ? bits : 16));
    vod_wr_zero(out, 4);
    vod_wr_u32(out, rate <= UINT16_MAX ? rate << 16 : 0);

    return mark;
}


void
vod_config_box(vod_wr_t *out, uint32_t type, const void *data, uint64_t len)
{
    uint64_t  mark;

    mark = vod_wr_box(out, type);
    vod_wr_bytes(out, data, len);
    vod_wr_box_end(out, mark);
}


uint32_t
vod_config_type(const uint8_t *entry, uint64_t entry_len)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    vod_rd_init(&rd, entry, entry ? entry_len : 0);

    return vod_rd_box(&rd, &box) == 1 ? box.type : 0;
}


int
vod_config_child(const uint8_t *entry, uint64_t entry_len, uint32_t type,
    vod_rd_t *body)
{
    uint64_t  head;
    vod_rd_t  rd;

    switch (vod_config_type(entry, entry_len)) {

    case 0:
        return 0;

    case vod_fourcc('m', 'p', '4', 'a'):
    case vod_fourcc('a', 'c', '-', '3'):
    case vod_fourcc('e', 'c', '-', '3'):
    case vod_fourcc('O', 'p', 'u', 's'):
    case vod_fourcc('f', 'L', 'a', 'C'):
    case vod_fourcc('a', 'l', 'a', 'c'):
    case vod_fourcc('d', 't', 's', 'c'):
    case vod_fourcc('d', 't', 's', 'h'):
        head = VOD_SOUND_HEAD;
        break;

    default:
        head = VOD_VISUAL_HEAD;
    }

    vod_rd_init(&rd, entry, entry_len);
    vod_rd_skip(&rd, head);

    return !rd.failed && vod_entry_child(&rd, type, body);
}
