#include <stdio.h>

#include "vod_codec_int.h"


static void vod_av1_obus(vod_entry_t *e, vod_rd_t body);


/*
 * AV1CodecConfigurationBox and codec string of AV1 Codec ISO Media File
 * Format Binding 1.2, 2.3 and 5.  The optional part is written where it says
 * something else than its defaults; a colour that is unspecified is not
 * spoken of.
 */

int
vod_codec_av1(vod_entry_t *e, vod_rd_t body)
{
    int           n;
    unsigned      marker, bits, profile, level, tier, depth, mono, chroma;
    vod_track_t  *track;

    track = e->track;

    marker = vod_rd_u8(&body);
    bits = vod_rd_u8(&body);
    profile = bits >> 5;
    level = bits & 0x1f;

    bits = vod_rd_u8(&body);
    tier = bits >> 7;
    depth = !(bits & 0x40) ? 8 : profile == 2 && (bits & 0x20) ? 12 : 10;
    mono = (bits >> 4) & 1;
    chroma = (bits >> 2) & 3;

    /* chroma_sample_position is of 4:2:0 alone */

    chroma = (chroma >> 1) * 100 + (chroma & 1) * 10
             + (chroma == 3 ? bits & 3 : 0);

    vod_rd_skip(&body, 1);                  /* initial presentation delay */

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    if (marker != 0x81) {
        return vod_entry_damaged(e, "has a version that is not 1");
    }

    track->bit_depth = (uint8_t) depth;

    vod_av1_obus(e, body);

    n = snprintf(track->codec, sizeof(track->codec), "av01.%u.%02u%c.%02u",
                 profile, level, tier ? 'H' : 'M', depth);

    if (!e->colour) {
        e->primaries = e->transfer = e->matrix = VOD_COLOUR_UNSPECIFIED;
    }

    if (mono || chroma != 110 || vod_video_colour_special(e)) {
        snprintf(track->codec + n, sizeof(track->codec) - (size_t) n,
                 ".%u.%03u.%02u.%02u.%02u.%u", mono, chroma,
                 e->primaries & 0xff, e->transfer & 0xff, e->matrix & 0xff,
                 e->full_range);
    }

    return VOD_OK;
}


static void
vod_av1_obus(vod_entry_t *e, vod_rd_t body)
{
    unsigned            type;
    vod_rd_t            payload;
    vod_av1_sequence_t  seq;

    while (vod_av1_obu(&body, &type, &payload)) {

        if (type != VOD_OBU_SEQUENCE_HEADER) {
            continue;
        }

        if (vod_av1_sequence_read(&seq, payload)) {
            vod_video_colour(e, seq.primaries, seq.transfer, seq.matrix,
                             seq.full_range);
        }

        return;
    }
}
