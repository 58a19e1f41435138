#include <stdio.h>

#include "vod_codec_int.h"


static unsigned vod_avc_sets(vod_rd_t *body, unsigned n, vod_rd_t *first);
static void vod_avc_sps(vod_entry_t *e, vod_rd_t nal);


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


/*
 * What the boxes left unsaid: bit depth, pixel aspect ratio, colour.  A set
 * that makes no sense is the decoder's matter; the samples are carried
 * anyway.
 */

static void
vod_avc_sps(vod_entry_t *e, vod_rd_t nal)
{
    vod_avc_sps_t  sps;

    vod_avc_sps_read(&sps, nal);

    if (vod_avc_high(sps.profile) && sps.depth) {
        e->track->bit_depth = (uint8_t) sps.depth;
    }

    vod_video_vui(e, &sps.vui);
}
