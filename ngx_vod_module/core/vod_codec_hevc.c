#include <stdio.h>

#include "vod_codec_int.h"


/* nal_unit_type (ISO/IEC 23008-2, 7.4.2.2) */
#define VOD_HEVC_VPS  32
#define VOD_HEVC_SPS  33
#define VOD_HEVC_PPS  34


static void vod_hevc_rename(vod_entry_t *e);
static unsigned vod_hevc_arrays(vod_rd_t *body, vod_rd_t *sps);
static void vod_hevc_string(vod_entry_t *e, const vod_hevc_ptl_t *ptl);
static void vod_hevc_sps(vod_entry_t *e, vod_rd_t nal);


/* HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1) */

int
vod_codec_hevc(vod_entry_t *e, vod_rd_t body)
{
    unsigned         bits, len, sets;
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

    ptl.constraints = vod_rd_uint(&body, 6);
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

    /* zero bytes at the end are not written */

    for (n = 6; n && (ptl->constraints >> (48 - 8 * n) & 0xff) == 0; n--) {
        /* void */
    }

    p = e->track->codec;
    end = p + sizeof(e->track->codec);

    p += snprintf(p, (size_t) (end - p), "%s.%s%u.%X.%c%u",
                  vod_entry_fourcc(e->type, text), space, ptl->profile,
                  (unsigned) reversed, ptl->tier ? 'H' : 'L', ptl->level);

    for (i = 0; i < n; i++) {
        p += snprintf(p, (size_t) (end - p), ".%X",
                      (unsigned) (ptl->constraints >> (40 - 8 * i)) & 0xff);
    }
}


/* what the boxes left unsaid; a set without sense is the decoder's matter */

static void
vod_hevc_sps(vod_entry_t *e, vod_rd_t nal)
{
    vod_hevc_sps_t  sps;

    vod_hevc_sps_read(&sps, nal);
    vod_video_vui(e, &sps.vui);
}
