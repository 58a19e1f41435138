#include <stdio.h>

#include "vod_codec_int.h"


/*
 * VPCodecConfigurationBox of VP Codec ISO Media File Format Binding 1.0, of
 * VP9 and VP8, and its codec string.  The long form is written only where it
 * says something: where chroma is not 4:2:0, or colour is known and not
 * BT.709 in limited range, which is what the short form means.  Players know
 * the short form best, and some take the unspecified code points (2) for an
 * error.
 */

int
vod_codec_vp9(vod_entry_t *e, vod_rd_t body)
{
    int           n;
    char          type[5];
    unsigned      version, profile, level, bits, depth, chroma, full;
    unsigned      primaries, transfer, matrix;
    vod_track_t  *track;

    track = e->track;

    version = vod_rd_u8(&body);
    vod_rd_skip(&body, 3);                  /* flags */
    profile = vod_rd_u8(&body);
    level = vod_rd_u8(&body);
    bits = vod_rd_u8(&body);
    depth = bits >> 4;

    chroma = (bits >> 1) & 7;
    full = bits & 1;
    primaries = vod_rd_u8(&body);
    transfer = vod_rd_u8(&body);
    matrix = vod_rd_u8(&body);

    if (version == 0) {

        /* the draft numbered colour and chroma in its own way */

        chroma = 1;
        full = 0;
        primaries = transfer = matrix = VOD_COLOUR_UNSPECIFIED;
    }

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    if (profile > 3 || (depth != 8 && depth != 10 && depth != 12)) {
        return vod_entry_damaged(e, "says a profile or bit depth that VP9 "
                                    "does not have");
    }

    vod_video_colour(e, primaries, transfer, matrix, full);

    track->bit_depth = (uint8_t) depth;

    if (level < 10 || level > 62) {         /* undefined */
        level = vod_vp9_level(track->width, track->height);
    }

    n = snprintf(track->codec, sizeof(track->codec), "%s.%02u.%02u.%02u",
                 vod_entry_fourcc(e->type, type), profile, level, depth);

    if (chroma > 1 || vod_video_colour_special(e)) {
        snprintf(track->codec + n, sizeof(track->codec) - (size_t) n,
                 ".%02u.%02u.%02u.%02u.%02u", chroma, e->primaries & 0xff,
                 e->transfer & 0xff, e->matrix & 0xff, e->full_range);
    }

    return VOD_OK;
}


/*
 * A level that was not written, from the picture's size (VP9 levels, luma
 * picture size), for decoders that want one.
 */

unsigned
vod_vp9_level(uint32_t width, uint32_t height)
{
    unsigned  i;
    uint64_t  size;

    static const struct {
        uint32_t  size;
        uint32_t  level;
    } levels[] = {
        { 36864, 10 }, { 73728, 11 }, { 122880, 20 }, { 245760, 21 },
        { 552960, 30 }, { 983040, 31 }, { 2228224, 40 }, { 8912896, 50 },
        { 35651584, 60 }
    };

    size = (uint64_t) width * height;

    for (i = 0; i < sizeof(levels) / sizeof(levels[0]) - 1; i++) {
        if (size <= levels[i].size) {
            break;
        }
    }

    return levels[i].level;
}
