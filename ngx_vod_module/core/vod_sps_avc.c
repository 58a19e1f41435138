#include <string.h>

#include "vod_sps.h"


static void vod_avc_sps_high(vod_avc_sps_t *sps, vod_bits_t *bits);
static void vod_avc_scaling(vod_bits_t *bits, unsigned n);
static unsigned vod_avc_order(vod_bits_t *bits);
static void vod_avc_picture(vod_avc_sps_t *sps, vod_bits_t *bits);
static void vod_avc_vui_rest(vod_avc_sps_t *sps, vod_bits_t *bits);
static void vod_avc_hrd(vod_bits_t *bits);


int
vod_avc_high(unsigned profile)
{
    switch (profile) {

    case 44:
    case 83:
    case 86:
    case 100:
    case 110:
    case 118:
    case 122:
    case 128:
    case 134:
    case 135:
    case 138:
    case 139:
    case 144:
    case 244:
        return 1;
    }

    return 0;
}


void
vod_vui_read(vod_vui_t *vui, vod_bits_t *bits)
{
    unsigned  idc;

    static const uint8_t  sar[][2] = {
        { 0, 0 }, { 1, 1 }, { 12, 11 }, { 10, 11 }, { 16, 11 }, { 40, 33 },
        { 24, 11 }, { 20, 11 }, { 32, 11 }, { 80, 33 }, { 18, 11 },
        { 15, 11 }, { 64, 33 }, { 160, 99 }, { 4, 3 }, { 3, 2 }, { 2, 1 }
    };

    if (vod_bits_get(bits, 1)) {            /* aspect_ratio_info_present */

        idc = vod_bits_get(bits, 8);

        if (idc == 255) {
            vui->sar_num = vod_bits_get(bits, 16);
            vui->sar_den = vod_bits_get(bits, 16);

        } else {
            idc = idc < sizeof(sar) / sizeof(sar[0]) ? idc : 0;
            vui->sar_num = sar[idc][0];
            vui->sar_den = sar[idc][1];
        }

        if (bits->failed) {
            vui->sar_num = 0;
            vui->sar_den = 0;
        }
    }

    if (vod_bits_get(bits, 1)) {            /* overscan_info_present_flag */
        vod_bits_skip(bits, 1);
    }

    if (vod_bits_get(bits, 1) == 0) {       /* video_signal_type_present */
        return;
    }

    vod_bits_skip(bits, 3);                 /* video_format */
    vui->full_range = vod_bits_get(bits, 1);

    if (vod_bits_get(bits, 1) == 0) {       /* colour_description_present */
        return;
    }

    vui->primaries = vod_bits_get(bits, 8);
    vui->transfer = vod_bits_get(bits, 8);
    vui->matrix = vod_bits_get(bits, 8);

    vui->colour = !bits->failed;
}


/* seq_parameter_set_data() (14496-10, 7.3.2.1.1) */

void
vod_avc_sps_read(vod_avc_sps_t *sps, vod_rd_t nal)
{
    unsigned    order;
    vod_bits_t  bits;

    memset(sps, 0, sizeof(vod_avc_sps_t));
    sps->reorder = -1;
    sps->chroma = 1;

    vod_bits_init(&bits, nal.pos, vod_rd_left(&nal), 1);

    vod_bits_skip(&bits, 8);                /* NAL unit header */
    sps->profile = vod_bits_get(&bits, 8);
    sps->compatible = vod_bits_get(&bits, 8);
    sps->level = vod_bits_get(&bits, 8);
    (void) vod_bits_ue(&bits);              /* seq_parameter_set_id */

    if (vod_avc_high(sps->profile)) {
        vod_avc_sps_high(sps, &bits);

    } else {
        sps->depth = bits.failed ? 0 : 8;
        sps->depth_chroma = sps->depth;
    }

    (void) vod_bits_ue(&bits);              /* log2_max_frame_num_minus4 */
    order = vod_avc_order(&bits);

    (void) vod_bits_ue(&bits);              /* max_num_ref_frames */
    vod_bits_skip(&bits, 1);

    vod_avc_picture(sps, &bits);

    /* E.2.1: what is decoded is presented, in these */

    if (!bits.failed
        && (order == 2 || sps->profile == 66
            || ((sps->compatible & 0x10)
                && (sps->profile == 44 || sps->profile == 86
                    || sps->profile == 100 || sps->profile == 110
                    || sps->profile == 122 || sps->profile == 244))))
    {
        sps->reorder = 0;
    }

    if (vod_bits_get(&bits, 1)) {           /* vui_parameters_present_flag */
        vod_vui_read(&sps->vui, &bits);
        vod_avc_vui_rest(sps, &bits);
    }

    sps->whole = !bits.failed;
}


/* what the higher profiles put in: chroma, bit depth, scaling matrices */

static void
vod_avc_sps_high(vod_avc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, n, chroma, depth, depth_chroma;

    chroma = vod_bits_ue(bits);

    if (chroma == 3) {
        sps->planes = vod_bits_get(bits, 1);
    }

    depth = vod_bits_ue(bits);
    depth_chroma = vod_bits_ue(bits);
    vod_bits_skip(bits, 1);

    if (chroma > 3 || depth > 6 || depth_chroma > 6) {
        bits->failed = 1;
    }

    if (!bits->failed) {
        sps->chroma = chroma;
        sps->depth = 8 + depth;
        sps->depth_chroma = 8 + depth_chroma;
    }

    if (vod_bits_get(bits, 1) == 0) {       /* scaling matrix */
        return;
    }

    n = chroma == 3 ? 12 : 8;

    for (i = 0; i < n; i++) {
        if (vod_bits_get(bits, 1)) {
            vod_avc_scaling(bits, i < 6 ? 16 : 64);
        }
    }
}


static void
vod_avc_scaling(vod_bits_t *bits, unsigned n)
{
    int  last, next;

    last = 8;
    next = 8;

    for ( /* void */ ; n && next && !bits->failed; n--) {
        next = (int) (((unsigned) last + (unsigned) vod_bits_se(bits)) & 0xff);
        last = next ? next : last;
    }
}


/* pic_order_cnt_type and what belongs to it; returns the type */

static unsigned
vod_avc_order(vod_bits_t *bits)
{
    unsigned  n, order;

    order = vod_bits_ue(bits);

    switch (order) {

    case 0:
        (void) vod_bits_ue(bits);
        break;

    case 1:
        vod_bits_skip(bits, 1);
        (void) vod_bits_ue(bits);
        (void) vod_bits_ue(bits);

        for (n = vod_bits_ue(bits); n && !bits->failed; n--) {
            (void) vod_bits_ue(bits);
        }
    }

    return order;
}


/* 14496-10, 7.4.2.1.1, equations 7-13 to 7-22 */

static void
vod_avc_picture(vod_avc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, frames;
    uint64_t  width, height, crop[4], unit_x, unit_y;

    width = (uint64_t) vod_bits_ue(bits) + 1;
    height = (uint64_t) vod_bits_ue(bits) + 1;

    frames = vod_bits_get(bits, 1);         /* frame_mbs_only_flag */
    if (frames == 0) {
        vod_bits_skip(bits, 1);
    }

    vod_bits_skip(bits, 1);

    memset(crop, 0, sizeof(crop));

    if (vod_bits_get(bits, 1)) {            /* frame_cropping_flag */
        for (i = 0; i < 4; i++) {
            crop[i] = vod_bits_ue(bits);
        }
    }

    unit_x = sps->chroma == 1 || sps->chroma == 2 ? 2 : 1;
    unit_y = (sps->chroma == 1 ? 2 : 1) * (2 - frames);

    width *= 16;
    height *= 16 * (2 - frames);

    crop[0] = unit_x * (crop[0] + crop[1]);
    crop[2] = unit_y * (crop[2] + crop[3]);

    if (bits->failed || crop[0] >= width || crop[2] >= height
        || width > UINT16_MAX || height > UINT16_MAX)
    {
        bits->failed = 1;
        return;
    }

    sps->width = (uint32_t) (width - crop[0]);
    sps->height = (uint32_t) (height - crop[2]);
}


/* vui_parameters() from chroma_loc_info_present_flag on (E.1.1) */

static void
vod_avc_vui_rest(vod_avc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, n, hrd, reorder;

    if (vod_bits_get(bits, 1)) {            /* chroma location */
        (void) vod_bits_ue(bits);
        (void) vod_bits_ue(bits);
    }

    if (vod_bits_get(bits, 1)) {            /* timing */
        vod_bits_skip(bits, 65);
    }

    for (n = 0, i = 0; i < 2; i++) {        /* of NAL, of VCL */

        hrd = vod_bits_get(bits, 1);
        n += hrd;

        if (hrd) {
            vod_avc_hrd(bits);
        }
    }

    vod_bits_skip(bits, n ? 2 : 1);         /* low delay, pic_struct */

    if (vod_bits_get(bits, 1) == 0) {       /* bitstream_restriction_flag */
        return;
    }

    vod_bits_skip(bits, 1);

    for (i = 0; i < 4; i++) {
        (void) vod_bits_ue(bits);
    }

    reorder = vod_bits_ue(bits);

    /* a frame buffer holds 16 frames at most (A.3.1) */

    if (!bits->failed && reorder <= 16) {
        sps->reorder = (int) reorder;
    }
}


static void
vod_avc_hrd(vod_bits_t *bits)
{
    unsigned  n;

    n = vod_bits_ue(bits);
    vod_bits_skip(bits, 8);

    if (n > 31) {
        bits->failed = 1;
    }

    for (n++; n && !bits->failed; n--) {
        (void) vod_bits_ue(bits);
        (void) vod_bits_ue(bits);
        vod_bits_skip(bits, 1);
    }

    vod_bits_skip(bits, 20);
}
