#include <string.h>

#include "vod_sps.h"


static void vod_hevc_picture(vod_hevc_sps_t *sps, vod_bits_t *bits);
static void vod_hevc_ordering(vod_hevc_sps_t *sps, vod_bits_t *bits);
static void vod_hevc_scaling(vod_bits_t *bits);
static void vod_hevc_ref_sets(vod_bits_t *bits);
static unsigned vod_hevc_ref_set(vod_bits_t *bits, unsigned i,
    unsigned pictures);
static void vod_hevc_vui_rest(vod_hevc_sps_t *sps, vod_bits_t *bits);
static void vod_hevc_hrd(vod_bits_t *bits, unsigned sub_layers);
static void vod_hevc_hrd_layer(vod_bits_t *bits, unsigned n,
    unsigned sub_pictures);


/* seq_parameter_set_rbsp() (23008-2, 7.3.2.2.1) */

void
vod_hevc_sps_read(vod_hevc_sps_t *sps, vod_rd_t nal)
{
    unsigned    i, poc_bits;
    vod_bits_t  bits;

    memset(sps, 0, sizeof(vod_hevc_sps_t));
    sps->reorder = -1;
    sps->chroma = 1;

    vod_bits_init(&bits, nal.pos, vod_rd_left(&nal), 1);

    vod_bits_skip(&bits, 16 + 4);           /* NAL unit header, VPS */
    sps->sub_layers = vod_bits_get(&bits, 3);
    sps->nested = vod_bits_get(&bits, 1);
    vod_hevc_ptl_read(&sps->ptl, &bits, sps->sub_layers);
    vod_hevc_picture(sps, &bits);

    poc_bits = vod_bits_ue(&bits) + 4;
    vod_hevc_ordering(sps, &bits);

    for (i = 0; i < 6; i++) {               /* block sizes and depths */
        (void) vod_bits_ue(&bits);
    }

    if (vod_bits_get(&bits, 1) && vod_bits_get(&bits, 1)) {
        vod_hevc_scaling(&bits);
    }

    vod_bits_skip(&bits, 2);                /* amp, sao */

    if (vod_bits_get(&bits, 1)) {           /* pcm_enabled_flag */
        vod_bits_skip(&bits, 8);
        (void) vod_bits_ue(&bits);
        (void) vod_bits_ue(&bits);
        vod_bits_skip(&bits, 1);
    }

    vod_hevc_ref_sets(&bits);

    if (vod_bits_get(&bits, 1)) {           /* long-term pictures */
        for (i = vod_bits_ue(&bits); i && !bits.failed; i--) {
            vod_bits_skip(&bits, (poc_bits & 0x1f) + 1);
        }
    }

    vod_bits_skip(&bits, 2);                /* temporal mvp, smoothing */

    if (vod_bits_get(&bits, 1)) {           /* vui_parameters_present_flag */
        vod_vui_read(&sps->vui, &bits);
        vod_hevc_vui_rest(sps, &bits);
    }

    sps->whole = !bits.failed;
}


void
vod_hevc_ptl_read(vod_hevc_ptl_t *ptl, vod_bits_t *bits, unsigned sub_layers)
{
    unsigned  i, present;

    ptl->space = vod_bits_get(bits, 2);
    ptl->tier = vod_bits_get(bits, 1);
    ptl->profile = vod_bits_get(bits, 5);
    ptl->compatible = vod_bits_get(bits, 32);
    ptl->constraints = (uint64_t) vod_bits_get(bits, 16) << 32;
    ptl->constraints |= vod_bits_get(bits, 32);
    ptl->level = vod_bits_get(bits, 8);

    if (sub_layers == 0) {
        return;
    }

    present = vod_bits_get(bits, 16);       /* two bits for each of eight */

    for (i = 0; i < sub_layers; i++) {

        if (present & (0x8000u >> (2 * i))) {
            vod_bits_skip(bits, 88);
        }

        if (present & (0x4000u >> (2 * i))) {
            vod_bits_skip(bits, 8);
        }
    }
}


/* what the sequence parameter set says of the picture */

static void
vod_hevc_picture(vod_hevc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, chroma, depth, depth_chroma;
    uint64_t  width, height, crop[4];

    (void) vod_bits_ue(bits);               /* sps_seq_parameter_set_id */

    chroma = vod_bits_ue(bits);             /* chroma_format_idc */
    if (chroma == 3) {
        vod_bits_skip(bits, 1);
    }

    width = vod_bits_ue(bits);
    height = vod_bits_ue(bits);

    memset(crop, 0, sizeof(crop));

    if (vod_bits_get(bits, 1)) {            /* conformance_window_flag */
        for (i = 0; i < 4; i++) {
            crop[i] = vod_bits_ue(bits);
        }
    }

    depth = vod_bits_ue(bits);
    depth_chroma = vod_bits_ue(bits);

    crop[0] = (chroma == 1 || chroma == 2 ? 2 : 1) * (crop[0] + crop[1]);
    crop[2] = (chroma == 1 ? 2 : 1) * (crop[2] + crop[3]);

    if (bits->failed || chroma > 3 || depth > 8 || depth_chroma > 8
        || crop[0] >= width || crop[2] >= height || width > UINT16_MAX
        || height > UINT16_MAX)
    {
        bits->failed = 1;
        return;
    }

    sps->chroma = chroma;
    sps->depth = 8 + depth;
    sps->depth_chroma = 8 + depth_chroma;
    sps->width = (uint32_t) (width - crop[0]);
    sps->height = (uint32_t) (height - crop[2]);
}


/* sizes of the picture buffer; the last ones are those of all layers */

static void
vod_hevc_ordering(vod_hevc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, reorder;

    for (i = vod_bits_get(bits, 1) ? 0 : sps->sub_layers; i <= sps->sub_layers;
         i++)
    {
        (void) vod_bits_ue(bits);
        reorder = vod_bits_ue(bits);
        (void) vod_bits_ue(bits);

        if (!bits->failed && reorder <= 16) {
            sps->reorder = (int) reorder;
        }
    }
}


/* scaling_list_data() (23008-2, 7.3.4) */

static void
vod_hevc_scaling(vod_bits_t *bits)
{
    unsigned  size, matrix, n;

    for (size = 0; size < 4; size++) {
        for (matrix = 0; matrix < 6; matrix += (size == 3) ? 3 : 1) {

            if (vod_bits_get(bits, 1) == 0) {
                (void) vod_bits_ue(bits);
                continue;
            }

            if (size > 1) {
                (void) vod_bits_se(bits);
            }

            n = size == 0 ? 16 : 64;

            for ( /* void */ ; n && !bits->failed; n--) {
                (void) vod_bits_se(bits);
            }
        }
    }
}


/* all st_ref_pic_set() of a sequence (23008-2, 7.3.7) */

static void
vod_hevc_ref_sets(vod_bits_t *bits)
{
    unsigned  i, n, pictures;

    n = vod_bits_ue(bits);

    if (n > 64) {
        bits->failed = 1;
    }

    pictures = 0;                           /* of the set before */

    for (i = 0; i < n && !bits->failed; i++) {

        pictures = vod_hevc_ref_set(bits, i, pictures);

        if (pictures > 32) {
            bits->failed = 1;
        }
    }
}


static unsigned
vod_hevc_ref_set(vod_bits_t *bits, unsigned i, unsigned pictures)
{
    unsigned  j, kept;

    if (i && vod_bits_get(bits, 1)) {

        /* predicted from the set before */

        vod_bits_skip(bits, 1);
        (void) vod_bits_ue(bits);
        kept = 0;

        for (j = 0; j <= pictures; j++) {
            if (vod_bits_get(bits, 1) || vod_bits_get(bits, 1)) {
                kept++;
            }
        }

        return kept;
    }

    pictures = vod_bits_ue(bits);
    pictures += vod_bits_ue(bits);

    for (j = 0; j < pictures && !bits->failed; j++) {
        (void) vod_bits_ue(bits);
        vod_bits_skip(bits, 1);
    }

    return pictures;
}


/* vui_parameters() from chroma_loc_info_present_flag on (E.2.1) */

static void
vod_hevc_vui_rest(vod_hevc_sps_t *sps, vod_bits_t *bits)
{
    unsigned  i, segmentation;

    if (vod_bits_get(bits, 1)) {            /* chroma location */
        (void) vod_bits_ue(bits);
        (void) vod_bits_ue(bits);
    }

    vod_bits_skip(bits, 3);                 /* neutral chroma, fields */

    if (vod_bits_get(bits, 1)) {            /* default display window */
        for (i = 0; i < 4; i++) {
            (void) vod_bits_ue(bits);
        }
    }

    if (vod_bits_get(bits, 1)) {            /* timing */

        vod_bits_skip(bits, 64);

        if (vod_bits_get(bits, 1)) {
            (void) vod_bits_ue(bits);
        }

        if (vod_bits_get(bits, 1)) {
            vod_hevc_hrd(bits, sps->sub_layers);
        }
    }

    if (vod_bits_get(bits, 1) == 0) {       /* bitstream_restriction_flag */
        return;
    }

    vod_bits_skip(bits, 3);
    segmentation = vod_bits_ue(bits);

    for (i = 0; i < 4; i++) {
        (void) vod_bits_ue(bits);
    }

    if (!bits->failed && segmentation < 4096) {
        sps->segmentation = segmentation;
    }
}


/* hrd_parameters(1, sub_layers) (E.2.2) */

static void
vod_hevc_hrd(vod_bits_t *bits, unsigned sub_layers)
{
    unsigned  i, n, nal, vcl, sub_pictures, low_delay;

    nal = vod_bits_get(bits, 1);
    vcl = vod_bits_get(bits, 1);
    sub_pictures = 0;

    if (nal || vcl) {
        sub_pictures = vod_bits_get(bits, 1);
        vod_bits_skip(bits, (sub_pictures ? 19 + 4 : 0) + 8 + 15);
    }

    for (i = 0; i <= sub_layers && !bits->failed; i++) {

        low_delay = 0;

        if (vod_bits_get(bits, 1) || vod_bits_get(bits, 1)) {
            (void) vod_bits_ue(bits);       /* fixed rate: its duration */

        } else {
            low_delay = vod_bits_get(bits, 1);
        }

        n = 1 + (low_delay ? 0 : vod_bits_ue(bits));

        if (nal) {
            vod_hevc_hrd_layer(bits, n, sub_pictures);
        }

        if (vcl) {
            vod_hevc_hrd_layer(bits, n, sub_pictures);
        }
    }
}


/* sub_layer_hrd_parameters() (E.2.3) */

static void
vod_hevc_hrd_layer(vod_bits_t *bits, unsigned n, unsigned sub_pictures)
{
    if (n > 32) {
        bits->failed = 1;
    }

    for ( /* void */ ; n && !bits->failed; n--) {
        (void) vod_bits_ue(bits);
        (void) vod_bits_ue(bits);

        if (sub_pictures) {
            (void) vod_bits_ue(bits);
            (void) vod_bits_ue(bits);
        }

        vod_bits_skip(bits, 1);
    }
}
