#include <stdio.h>
#include <string.h>

#include "vod_codec_int.h"


#define VOD_VISUAL_FIXED  78    /* VisualSampleEntry (14496-12, 12.1.3) */


static const struct {
    uint32_t   type;
    uint32_t   config;
    int      (*handler)(vod_entry_t *e, vod_rd_t body);
} vod_video_codecs[] = {
    { vod_fourcc('a', 'v', 'c', '1'), vod_fourcc('a', 'v', 'c', 'C'),
      vod_codec_avc },
    { vod_fourcc('a', 'v', 'c', '3'), vod_fourcc('a', 'v', 'c', 'C'),
      vod_codec_avc },
    { vod_fourcc('h', 'v', 'c', '1'), vod_fourcc('h', 'v', 'c', 'C'),
      vod_codec_hevc },
    { vod_fourcc('h', 'e', 'v', '1'), vod_fourcc('h', 'v', 'c', 'C'),
      vod_codec_hevc },
    { vod_fourcc('d', 'v', 'h', '1'), vod_fourcc('h', 'v', 'c', 'C'),
      vod_codec_hevc },
    { vod_fourcc('d', 'v', 'h', 'e'), vod_fourcc('h', 'v', 'c', 'C'),
      vod_codec_hevc },
    { vod_fourcc('a', 'v', '0', '1'), vod_fourcc('a', 'v', '1', 'C'),
      vod_codec_av1 },
    { vod_fourcc('d', 'a', 'v', '1'), vod_fourcc('a', 'v', '1', 'C'),
      vod_codec_av1 },
    { vod_fourcc('v', 'p', '0', '9'), vod_fourcc('v', 'p', 'c', 'C'),
      vod_codec_vp9 },
    { vod_fourcc('v', 'p', '0', '8'), vod_fourcc('v', 'p', 'c', 'C'),
      vod_codec_vp9 },
    { vod_fourcc('m', 'p', '4', 'v'), vod_fourcc('e', 's', 'd', 's'),
      vod_codec_mp4v }
};


static int vod_video_fixed(vod_entry_t *e);
static void vod_video_colr(vod_entry_t *e);
static void vod_video_pasp(vod_entry_t *e);
static int vod_video_dolby(vod_entry_t *e);
static void vod_video_supplemental(vod_track_t *track, unsigned profile,
    unsigned level, unsigned compatible);
static void vod_video_write(vod_entry_t *e, vod_wr_t *out);
static void vod_video_box(vod_wr_t *out, const vod_rd_box_t *box);
static int vod_video_nclc(vod_rd_t body, vod_wr_t *out);


int
vod_codec_video(vod_entry_t *e, vod_wr_t *out)
{
    int       rc;
    unsigned  i, n;
    vod_rd_t  body;

    n = sizeof(vod_video_codecs) / sizeof(vod_video_codecs[0]);

    for (i = 0; i < n && vod_video_codecs[i].type != e->type; i++) {
        /* void */
    }

    if (i == n) {
        return vod_entry_unsupported(e);
    }

    if (vod_entry_child(&e->children, vod_fourcc('s', 'i', 'n', 'f'), &body)) {
        return vod_fail(e->err, VOD_UNSUPPORTED, "encrypted (sinf)");
    }

    e->config = vod_video_codecs[i].config;

    rc = vod_video_fixed(e);
    if (rc != VOD_OK) {
        return rc;
    }

    if (!vod_entry_child(&e->children, e->config, &body)) {
        return vod_entry_damaged(e, "is missing");
    }

    vod_video_colr(e);
    vod_video_pasp(e);

    rc = vod_video_codecs[i].handler(e, body);
    if (rc != VOD_OK) {
        return rc;
    }

    e->track->video_range = e->transfer == VOD_COLOUR_PQ ? VOD_RANGE_PQ
                            : e->transfer == VOD_COLOUR_HLG ? VOD_RANGE_HLG
                            : VOD_RANGE_SDR;

    if (e->track->sar_den == 0) {
        e->track->sar_num = 1;
        e->track->sar_den = 1;
    }

    rc = vod_video_dolby(e);
    if (rc != VOD_OK) {
        return rc;
    }

    e->track->fourcc = e->type;
    vod_video_write(e, out);

    return VOD_OK;
}


static int
vod_video_fixed(vod_entry_t *e)
{
    vod_rd_t  rd;

    rd = e->fixed;

    vod_rd_skip(&rd, 24);
    e->track->width = vod_rd_u16(&rd);
    e->track->height = vod_rd_u16(&rd);

    /* the caller's may be of another life of this structure */

    e->track->sar_num = 0;
    e->track->sar_den = 0;
    e->track->bit_depth = 0;
    memset(e->track->codec, 0, sizeof(e->track->codec));
    memset(e->track->supplemental, 0, sizeof(e->track->supplemental));

    if (rd.failed || vod_rd_left(&e->fixed) < VOD_VISUAL_FIXED) {
        return vod_fail(e->err, VOD_DAMAGED, "the sample entry is cut off");
    }

    if (e->track->width == 0 || e->track->height == 0) {
        return vod_fail(e->err, VOD_DAMAGED,
                        "the sample entry says a picture of %ux%u",
                        (unsigned) e->track->width,
                        (unsigned) e->track->height);
    }

    return VOD_OK;
}


/* ColourInformationBox (14496-12, 12.1.5) and QuickTime's nclc */

static void
vod_video_colr(vod_entry_t *e)
{
    unsigned      primaries, transfer, matrix, full;
    uint32_t      type;
    vod_rd_t      rd, body;
    vod_rd_box_t  box;

    rd = e->children;

    while (vod_rd_box(&rd, &box) == 1) {

        if (box.type != vod_fourcc('c', 'o', 'l', 'r')) {
            continue;
        }

        body = box.body;
        type = vod_rd_u32(&body);
        primaries = vod_rd_u16(&body);
        transfer = vod_rd_u16(&body);
        matrix = vod_rd_u16(&body);

        if (type == vod_fourcc('n', 'c', 'l', 'x')) {
            full = vod_rd_u8(&body) >> 7;

        } else if (type == vod_fourcc('n', 'c', 'l', 'c')) {
            full = 0;

        } else {
            continue;
        }

        if (!body.failed) {
            vod_video_colour(e, primaries, transfer, matrix, full);
        }
    }
}


void
vod_video_colour(vod_entry_t *e, unsigned primaries, unsigned transfer,
    unsigned matrix, unsigned full_range)
{
    if (e->colour && (e->transfer != VOD_COLOUR_UNSPECIFIED
                      || transfer == VOD_COLOUR_UNSPECIFIED))
    {
        return;
    }

    e->colour = 1;
    e->primaries = primaries;
    e->transfer = transfer;
    e->matrix = matrix;
    e->full_range = full_range;
}


int
vod_video_colour_special(const vod_entry_t *e)
{
    return e->full_range
           || (e->primaries != 1 && e->primaries != VOD_COLOUR_UNSPECIFIED)
           || (e->transfer != 1 && e->transfer != VOD_COLOUR_UNSPECIFIED)
           || (e->matrix != 1 && e->matrix != VOD_COLOUR_UNSPECIFIED);
}


static void
vod_video_pasp(vod_entry_t *e)
{
    uint32_t  num, den;
    vod_rd_t  body;

    if (vod_entry_child(&e->children, vod_fourcc('p', 'a', 's', 'p'), &body)) {
        num = vod_rd_u32(&body);
        den = vod_rd_u32(&body);

        vod_video_sar(e, num, den);
    }
}


void
vod_video_sar(vod_entry_t *e, uint32_t num, uint32_t den)
{
    uint32_t  a, b, rest;

    if (num == 0 || den == 0 || e->track->sar_den) {
        return;
    }

    for (a = num, b = den; b; a = b, b = rest) {
        rest = a % b;
    }

    e->track->sar_num = num / a;
    e->track->sar_den = den / a;
}


void
vod_video_vui(vod_entry_t *e, const vod_vui_t *vui)
{
    vod_video_sar(e, vui->sar_num, vui->sar_den);

    if (vui->colour) {
        vod_video_colour(e, vui->primaries, vui->transfer, vui->matrix,
                         vui->full_range);
    }
}


/*
 * DOVIDecoderConfigurationRecord, of Dolby Vision streams within the ISO base
 * media file format, 3.2.  A stream that plays without it as HDR10 or HLG
 * keeps its codec string; what it is more goes to SUPPLEMENTAL-CODECS with
 * the brand of the base layer.
 */

static int
vod_video_dolby(vod_entry_t *e)
{
    int           dolby;
    char          entry[5];
    unsigned      bits, profile, level, compatible;
    vod_rd_t      body;
    vod_track_t  *track;

    track = e->track;

    dolby = e->type == vod_fourcc('d', 'v', 'h', '1')
            || e->type == vod_fourcc('d', 'v', 'h', 'e')
            || e->type == vod_fourcc('d', 'a', 'v', '1');

    if (!vod_entry_child(&e->children, vod_fourcc('d', 'v', 'c', 'C'), &body)
        && !vod_entry_child(&e->children, vod_fourcc('d', 'v', 'v', 'C'),
                            &body)
        && !vod_entry_child(&e->children, vod_fourcc('d', 'v', 'w', 'C'),
                            &body))
    {
        return dolby ? vod_fail(e->err, VOD_DAMAGED, "sample entry %s: dvcC is "
                                "missing", vod_entry_fourcc(e->type, entry))
                     : VOD_OK;
    }

    vod_rd_skip(&body, 2);                  /* version */
    bits = vod_rd_u16(&body);
    compatible = vod_rd_u8(&body) >> 4;

    if (body.failed) {
        return dolby ? vod_fail(e->err, VOD_DAMAGED, "sample entry %s: dvcC is "
                                "cut off", vod_entry_fourcc(e->type, entry))
                     : VOD_OK;
    }

    profile = bits >> 9;
    level = (bits >> 3) & 0x3f;

    if (dolby) {
        snprintf(track->codec, sizeof(track->codec), "%s.%02u.%02u",
                 vod_entry_fourcc(e->type, entry), profile, level);
        return VOD_OK;
    }

    if ((profile == 8 && e->config == vod_fourcc('h', 'v', 'c', 'C'))
        || (profile == 10 && e->config == vod_fourcc('a', 'v', '1', 'C')))
    {
        vod_video_supplemental(track, profile, level, compatible);
    }

    return VOD_OK;
}


/* the brand of the base layer, where its transfer is what the brand says */

static void
vod_video_supplemental(vod_track_t *track, unsigned profile, unsigned level,
    unsigned compatible)
{
    const char  *brand;

    if (compatible == 1 && track->video_range == VOD_RANGE_PQ) {
        brand = "db1p";

    } else if (compatible == 4 && track->video_range == VOD_RANGE_HLG) {
        brand = "db4h";

    } else {
        return;
    }

    snprintf(track->supplemental, sizeof(track->supplemental),
             "%s.%02u.%02u/%s", profile == 8 ? "dvh1" : "dav1", profile,
             level, brand);
}


static void
vod_video_write(vod_entry_t *e, vod_wr_t *out)
{
    int             config;
    uint64_t        mark;
    vod_rd_t        rd;
    vod_rd_box_t    box;
    const uint8_t  *p;

    p = e->fixed.pos;

    mark = vod_wr_box(out, e->type);

    /* what is pre_defined or reserved in 14496-12 has values in QuickTime */

    vod_wr_zero(out, 6);
    vod_wr_u16(out, 1);                     /* data_reference_index */
    vod_wr_zero(out, 16);
    vod_wr_bytes(out, p + 24, 12);          /* width, height, resolutions */
    vod_wr_u32(out, 0);
    vod_wr_u16(out, 1);                     /* frame_count */
    vod_wr_bytes(out, p + 42, 34);          /* compressorname, depth */
    vod_wr_u16(out, 0xffff);

    config = 0;
    rd = e->children;

    while (vod_rd_box(&rd, &box) == 1) {

        switch (box.type) {

        case 0:
        case vod_fourcc('f', 'r', 'e', 'e'):
        case vod_fourcc('s', 'k', 'i', 'p'):
        case vod_fourcc('g', 'a', 'm', 'a'):
        case vod_fourcc('c', 't', 'a', 'b'):
            continue;

        case vod_fourcc('c', 'o', 'l', 'r'):
            if (vod_video_nclc(box.body, out)) {
                continue;
            }

            break;
        }

        if (box.type == e->config && config++) {
            continue;
        }

        vod_video_box(out, &box);
    }

    vod_wr_box_end(out, mark);
}


/* as it is, but for the descriptor's number */

static void
vod_video_box(vod_wr_t *out, const vod_rd_box_t *box)
{
    vod_esds_t  esds;

    if (box->type == vod_fourcc('e', 's', 'd', 's')
        && vod_esds_read(&esds, box->body))
    {
        esds.visual = 1;
        vod_esds_write(out, &esds);
        return;
    }

    vod_entry_box(out, box->type, &box->body);
}


/* QuickTime's colour parameters, as those of 14496-12 */

static int
vod_video_nclc(vod_rd_t body, vod_wr_t *out)
{
    uint64_t        mark;
    const uint8_t  *points;

    if (vod_rd_u32(&body) != vod_fourcc('n', 'c', 'l', 'c')) {
        return 0;
    }

    points = vod_rd_bytes(&body, 6);

    if (points) {
        mark = vod_wr_box(out, vod_fourcc('c', 'o', 'l', 'r'));
        vod_wr_u32(out, vod_fourcc('n', 'c', 'l', 'x'));
        vod_wr_bytes(out, points, 6);
        vod_wr_u8(out, 0);
        vod_wr_box_end(out, mark);
    }

    return 1;
}
