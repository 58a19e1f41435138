#include <stdio.h>

#include "vod_codec_int.h"


/* nal_unit_type (ISO/IEC 23008-2, 7.4.2.2) */
#define VOD_HEVC_VPS  32
#define VOD_HEVC_SPS  33
#define VOD_HEVC_PPS  34


typedef struct {
    unsigned  space, tier, profile, level;
    uint32_t  compatible;
    uint8_t   constraints[6];
} vod_hevc_ptl_t;


static void vod_hevc_rename(vod_entry_t *e);
static unsigned vod_hevc_arrays(vod_rd_t *body, vod_rd_t *sps);
static void vod_hevc_string(vod_entry_t *e, const vod_hevc_ptl_t *ptl);
static void vod_hevc_sps(vod_entry_t *e, vod_rd_t sps);
static void vod_hevc_profile(vod_bits_t *bits, unsigned sub_layers);
static void vod_hevc_picture(vod_bits_t *bits);
static void vod_hevc_scaling(vod_bits_t *bits);
static void vod_hevc_ref_sets(vod_bits_t *bits);


/* HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1) */

int
vod_codec_hevc(vod_entry_t *e, vod_rd_t body)
{
    unsigned         i, bits, len, sets;
    vod_rd_t         sps;
    vod_hevc_ptl_t   ptl;

    /* writers of before the standard was final left the version at 0 */

    if (vod_rd_u8(&body) > 1) {
        return vod_entry_damaged(e, "has a version that is not 1");
    }

    bits = vod_rd_u8(&body);
    ptl.space = bits >> 6;
    ptl.tier = (bits >> 5) & 1;
    ptl.profile = bits & 0x1f;
    ptl.compatible = vod_rd_u32(&body);

    for (i = 0; i < 6; i++) {
        ptl.constraints[i] = vod_rd_u8(&body);
    }

    ptl.level = vod_rd_u8(&body);

    vod_rd_skip(&body, 4);                  /* segmentation, parallelism,
                                               chroma format */
    e->track->bit_depth = (uint8_t) (8 + (vod_rd_u8(&body) & 7));
    vod_rd_skip(&body, 3);
    len = vod_rd_u8(&body) & 3;

    sps = body;
    sets = vod_hevc_arrays(&body, &sps);

    if (body.failed) {
        return vod_entry_damaged(e, "ends too early");
    }

    if (len == 2) {
        return vod_entry_damaged(e, "says NAL unit lengths of 3 bytes");
    }

    if (sets == 7) {
        vod_hevc_rename(e);
    }

    vod_hevc_string(e, &ptl);

    if (sets & 2) {
        vod_hevc_sps(e, sps);
    }

    return VOD_OK;
}


/*
 * With all parameter sets in hvcC the other name holds too, and is the one to
 * use (HLS authoring specification, 1.10); sets that the samples repeat stay
 * where they are.
 */

static void
vod_hevc_rename(vod_entry_t *e)
{
    if (e->type == vod_fourcc('h', 'e', 'v', '1')) {
        e->type = vod_fourcc('h', 'v', 'c', '1');

    } else if (e->type == vod_fourcc('d', 'v', 'h', 'e')) {
        e->type = vod_fourcc('d', 'v', 'h', '1');
    }
}


/*
 * The arrays of parameter sets: bits 0, 1, 2 for VPS, SPS, PPS found; the
 * first SPS in *sps.
 */

static unsigned
vod_hevc_arrays(vod_rd_t *body, vod_rd_t *sps)
{
    vod_rd_t  set;
    unsigned  arrays, n, type, found;

    found = 0;

    for (arrays = vod_rd_u8(body); arrays && !body->failed; arrays--) {

        type = vod_rd_u8(body) & 0x3f;

        for (n = vod_rd_u16(body); n && !body->failed; n--) {

            set = vod_rd_sub(body, vod_rd_u16(body));

            if (vod_rd_left(&set) == 0 || type < VOD_HEVC_VPS
                || type > VOD_HEVC_PPS)
            {
                continue;
            }

            if (type == VOD_HEVC_SPS && !(found & 2)) {
                *sps = set;
            }

            found |= 1u << (type - VOD_HEVC_VPS);
        }
    }

    return found;
}


/* 14496-15, annex E.3 */

static void
vod_hevc_string(vod_entry_t *e, const vod_hevc_ptl_t *ptl)
{
    char         space[2], text[5], *p, *end;
    uint32_t     reversed;
    unsigned     i, n;

    space[0] = ptl->space ? (char) ('A' + ptl->space - 1) : '\0';
    space[1] = '\0';

    reversed = 0;

    for (i = 0; i < 32; i++) {
        reversed |= ((ptl->compatible >> i) & 1) << (31 - i);
    }

    for (n = 6; n && ptl->constraints[n - 1] == 0; n--) {
        /* void */
    }

    p = e->track->codec;
    end = p + sizeof(e->track->codec);

    p += snprintf(p, (size_t) (end - p), "%s.%s%u.%X.%c%u",
                  vod_entry_fourcc(e->type, text), space, ptl->profile,
                  (unsigned) reversed, ptl->tier ? 'H' : 'L', ptl->level);

    for (i = 0; i < n; i++) {
        p += snprintf(p, (size_t) (end - p), ".%X",
                      (unsigned) ptl->constraints[i]);
    }
}


/*
 * What the boxes left unsaid stands behind everything else (23008-2,
 * 7.3.2.2.1).  A set that makes no sense is the decoder's matter.
 */

static void
vod_hevc_sps(vod_entry_t *e, vod_rd_t sps)
{
    unsigned    i, sub_layers, poc_bits;
    vod_bits_t  bits;

    vod_bits_init(&bits, sps.pos, vod_rd_left(&sps), 1);

    vod_bits_skip(&bits, 16 + 4);           /* NAL unit header, VPS */
    sub_layers = vod_bits_get(&bits, 3);
    vod_bits_skip(&bits, 1);
    vod_hevc_profile(&bits, sub_layers);
    vod_hevc_picture(&bits);
    poc_bits = vod_bits_ue(&bits) + 4;

    for (i = vod_bits_get(&bits, 1) ? 0 : sub_layers; i <= sub_layers; i++) {
        (void) vod_bits_ue(&bits);
        (void) vod_bits_ue(&bits);
        (void) vod_bits_ue(&bits);
    }

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
        vod_video_vui(e, &bits);
    }
}


/* profile_tier_level(1, sub_layers) (23008-2, 7.3.3) */

static void
vod_hevc_profile(vod_bits_t *bits, unsigned sub_layers)
{
    unsigned  i, present;

    vod_bits_skip(bits, 88 + 8);

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
vod_hevc_picture(vod_bits_t *bits)
{
    unsigned  i;

    (void) vod_bits_ue(bits);               /* sps_seq_parameter_set_id */

    if (vod_bits_ue(bits) == 3) {           /* chroma_format_idc */
        vod_bits_skip(bits, 1);
    }

    (void) vod_bits_ue(bits);               /* width, height */
    (void) vod_bits_ue(bits);

    if (vod_bits_get(bits, 1)) {            /* conformance_window_flag */
        for (i = 0; i < 4; i++) {
            (void) vod_bits_ue(bits);
        }
    }

    (void) vod_bits_ue(bits);               /* bit depths */
    (void) vod_bits_ue(bits);
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
    unsigned  i, j, n, pictures, kept;

    n = vod_bits_ue(bits);

    if (n > 64) {
        bits->failed = 1;
    }

    pictures = 0;                           /* of the set before */

    for (i = 0; i < n && !bits->failed; i++) {

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

            pictures = kept;

        } else {
            pictures = vod_bits_ue(bits);
            pictures += vod_bits_ue(bits);

            for (j = 0; j < pictures && !bits->failed; j++) {
                (void) vod_bits_ue(bits);
                vod_bits_skip(bits, 1);
            }
        }

        if (pictures > 32) {
            bits->failed = 1;
        }
    }
}
