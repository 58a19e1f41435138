#include <stdio.h>

#include "vod_codec_int.h"


static unsigned vod_avc_sets(vod_rd_t *body, unsigned n, vod_rd_t *first);
static int vod_avc_high(unsigned profile);
static void vod_avc_sps(vod_entry_t *e, vod_rd_t sps);
static void vod_avc_sps_high(vod_entry_t *e, vod_bits_t *bits);
static void vod_avc_scaling(vod_bits_t *bits, unsigned n);


/* AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1) */

int
vod_codec_avc(vod_entry_t *e, vod_rd_t body)
{
    char         type[5];
    vod_rd_t     sps, pps;
    unsigned     version, profile, compatible, level, len, n_sps, n_pps;
    vod_track_t  *track;

    track = e->track;

    version = vod_rd_u8(&body);
    profile = vod_rd_u8(&body);
    compatible = vod_rd_u8(&body);
    level = vod_rd_u8(&body);
    len = vod_rd_u8(&body) & 3;

    if (body.failed || version != 1) {
        return vod_entry_damaged(e, body.failed ? "is cut off"
                                    : "has a version that is not 1");
    }

    if (len == 2) {
        return vod_entry_damaged(e, "says NAL unit lengths of 3 bytes");
    }

    sps = pps = body;

    n_sps = vod_avc_sets(&body, vod_rd_u8(&body) & 0x1f, &sps);
    n_pps = vod_avc_sets(&body, vod_rd_u8(&body), &pps);

    if (body.failed) {
        return vod_entry_damaged(e, "ends within its parameter sets");
    }

    if (e->type == vod_fourcc('a', 'v', 'c', '3') && n_sps && n_pps) {
        e->type = vod_fourcc('a', 'v', 'c', '1');
    }

    snprintf(track->codec, sizeof(track->codec), "%s.%02x%02x%02x",
             vod_entry_fourcc(e->type, type), profile, compatible, level);

    track->bit_depth = 8;

    if (vod_avc_high(profile)) {
        vod_rd_skip(&body, 1);              /* chroma_format */
        track->bit_depth = (uint8_t) (8 + (vod_rd_u8(&body) & 7));

        if (body.failed) {                  /* old writers leave it out */
            track->bit_depth = 0;
        }
    }

    if (n_sps) {
        vod_avc_sps(e, sps);
    }

    return VOD_OK;
}


/* skips n parameter sets; returns how many are not empty */

static unsigned
vod_avc_sets(vod_rd_t *body, unsigned n, vod_rd_t *first)
{
    vod_rd_t  set;
    unsigned  found;

    for (found = 0; n && !body->failed; n--) {

        set = vod_rd_sub(body, vod_rd_u16(body));

        if (vod_rd_left(&set) && found++ == 0) {
            *first = set;
        }
    }

    return found;
}


/* profiles whose sequence parameter set says the chroma format */

static int
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


/*
 * What the boxes left unsaid: bit depth, pixel aspect ratio, colour (14496-10,
 * 7.3.2.1.1).  A set that makes no sense is the decoder's matter; the samples
 * are carried anyway.
 */

static void
vod_avc_sps(vod_entry_t *e, vod_rd_t sps)
{
    unsigned    i, n, profile;
    vod_bits_t  bits;

    vod_bits_init(&bits, sps.pos, vod_rd_left(&sps), 1);

    vod_bits_skip(&bits, 8);                /* NAL unit header */
    profile = vod_bits_get(&bits, 8);
    vod_bits_skip(&bits, 16);
    (void) vod_bits_ue(&bits);              /* seq_parameter_set_id */

    if (vod_avc_high(profile)) {
        vod_avc_sps_high(e, &bits);
    }

    (void) vod_bits_ue(&bits);              /* log2_max_frame_num_minus4 */

    switch (vod_bits_ue(&bits)) {           /* pic_order_cnt_type */

    case 0:
        (void) vod_bits_ue(&bits);
        break;

    case 1:
        vod_bits_skip(&bits, 1);
        (void) vod_bits_ue(&bits);
        (void) vod_bits_ue(&bits);

        for (n = vod_bits_ue(&bits); n && !bits.failed; n--) {
            (void) vod_bits_ue(&bits);
        }
    }

    (void) vod_bits_ue(&bits);              /* max_num_ref_frames */
    vod_bits_skip(&bits, 1);
    (void) vod_bits_ue(&bits);              /* width, height */
    (void) vod_bits_ue(&bits);

    if (vod_bits_get(&bits, 1) == 0) {      /* frame_mbs_only_flag */
        vod_bits_skip(&bits, 1);
    }

    vod_bits_skip(&bits, 1);

    if (vod_bits_get(&bits, 1)) {           /* frame_cropping_flag */
        for (i = 0; i < 4; i++) {
            (void) vod_bits_ue(&bits);
        }
    }

    if (vod_bits_get(&bits, 1)) {           /* vui_parameters_present_flag */
        vod_video_vui(e, &bits);
    }
}


/* what the higher profiles put in: chroma, bit depth, scaling matrices */

static void
vod_avc_sps_high(vod_entry_t *e, vod_bits_t *bits)
{
    unsigned  i, n, chroma, depth;

    chroma = vod_bits_ue(bits);

    if (chroma == 3) {
        vod_bits_skip(bits, 1);
    }

    depth = 8 + vod_bits_ue(bits);
    (void) vod_bits_ue(bits);
    vod_bits_skip(bits, 1);

    if (!bits->failed && depth <= 14) {
        e->track->bit_depth = (uint8_t) depth;
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
