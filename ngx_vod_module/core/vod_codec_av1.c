#include <stdio.h>

#include "vod_codec_int.h"


#define VOD_OBU_SEQUENCE_HEADER  1


static void vod_av1_obus(vod_entry_t *e, vod_rd_t body);
static int vod_av1_obu(vod_rd_t *rd, unsigned *type, vod_rd_t *payload);
static void vod_av1_sequence(vod_entry_t *e, vod_rd_t payload);
static void vod_av1_operating_points(vod_bits_t *bits);
static void vod_av1_tools(vod_bits_t *bits, unsigned reduced);
static void vod_av1_colour(vod_entry_t *e, vod_bits_t *bits,
    unsigned profile);


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
    unsigned  type;
    vod_rd_t  payload;

    while (vod_av1_obu(&body, &type, &payload)) {
        if (type == VOD_OBU_SEQUENCE_HEADER) {
            vod_av1_sequence(e, payload);
            return;
        }
    }
}


/* next open bitstream unit (AV1 bitstream specification, 5.3); 0 at the end */

static int
vod_av1_obu(vod_rd_t *rd, unsigned *type, vod_rd_t *payload)
{
    uint8_t   header, byte;
    uint64_t  len;
    unsigned  i;

    header = vod_rd_u8(rd);
    *type = (header >> 3) & 0x0f;

    if (header & 0x04) {
        vod_rd_skip(rd, 1);                 /* extension */
    }

    len = vod_rd_left(rd);

    if (header & 0x02) {

        for (i = 0, len = 0; i < 8; i++) {  /* leb128() */
            byte = vod_rd_u8(rd);
            len |= (uint64_t) (byte & 0x7f) << (7 * i);

            if (!(byte & 0x80)) {
                break;
            }
        }
    }

    *payload = vod_rd_sub(rd, len);

    return !rd->failed;
}


/* sequence_header_obu() (5.5.1), for the colour at its end */

static void
vod_av1_sequence(vod_entry_t *e, vod_rd_t payload)
{
    unsigned    profile, reduced, w, h;
    vod_bits_t  bits;

    vod_bits_init(&bits, payload.pos, vod_rd_left(&payload), 0);

    profile = vod_bits_get(&bits, 3);
    vod_bits_skip(&bits, 1);                /* still_picture */
    reduced = vod_bits_get(&bits, 1);

    if (reduced) {
        vod_bits_skip(&bits, 5);

    } else {
        vod_av1_operating_points(&bits);
    }

    w = vod_bits_get(&bits, 4) + 1;
    h = vod_bits_get(&bits, 4) + 1;
    vod_bits_skip(&bits, w);
    vod_bits_skip(&bits, h);

    if (!reduced && vod_bits_get(&bits, 1)) {
        vod_bits_skip(&bits, 4 + 3);        /* frame id lengths */
    }

    vod_av1_tools(&bits, reduced);
    vod_av1_colour(e, &bits, profile);
}


static void
vod_av1_operating_points(vod_bits_t *bits)
{
    unsigned  i, n, decoder_model, delay, delay_bits, zeros;

    decoder_model = 0;
    delay_bits = 0;

    if (vod_bits_get(bits, 1)) {            /* timing_info_present_flag */

        vod_bits_skip(bits, 64);

        if (vod_bits_get(bits, 1)) {        /* equal_picture_interval: uvlc */

            for (zeros = 0; vod_bits_get(bits, 1) == 0 && !bits->failed; ) {
                zeros++;
            }

            if (zeros < 32) {
                vod_bits_skip(bits, zeros);
            }
        }

        decoder_model = vod_bits_get(bits, 1);

        if (decoder_model) {
            delay_bits = vod_bits_get(bits, 5) + 1;
            vod_bits_skip(bits, 32 + 5 + 5);
        }
    }

    delay = vod_bits_get(bits, 1);          /* initial_display_delay_present */
    n = vod_bits_get(bits, 5) + 1;

    for (i = 0; i < n; i++) {

        vod_bits_skip(bits, 12);            /* idc */

        if (vod_bits_get(bits, 5) > 7) {    /* level */
            vod_bits_skip(bits, 1);
        }

        if (decoder_model && vod_bits_get(bits, 1)) {
            vod_bits_skip(bits, 2 * delay_bits + 1);
        }

        if (delay && vod_bits_get(bits, 1)) {
            vod_bits_skip(bits, 4);
        }
    }
}


static void
vod_av1_tools(vod_bits_t *bits, unsigned reduced)
{
    unsigned  force;

    vod_bits_skip(bits, 3);         /* superblocks, filter, edge filter */

    if (!reduced) {

        vod_bits_skip(bits, 4);     /* compounds, warped motion, dual filter */

        if (vod_bits_get(bits, 1)) {            /* enable_order_hint */
            vod_bits_skip(bits, 2);
            force = 1;

        } else {
            force = 0;
        }

        /* bits of order hints are behind the screen content's */

        if (vod_bits_get(bits, 1) || vod_bits_get(bits, 1)) {
            if (vod_bits_get(bits, 1) == 0) {
                vod_bits_skip(bits, 1);
            }
        }

        if (force) {
            vod_bits_skip(bits, 3);
        }
    }

    vod_bits_skip(bits, 3);         /* superres, cdef, restoration */
}


/* color_config() (5.5.2) */

static void
vod_av1_colour(vod_entry_t *e, vod_bits_t *bits, unsigned profile)
{
    unsigned  high, mono, primaries, transfer, matrix, full;

    high = vod_bits_get(bits, 1);

    if (profile == 2 && high) {
        vod_bits_skip(bits, 1);
    }

    mono = profile == 1 ? 0 : vod_bits_get(bits, 1);

    primaries = transfer = matrix = VOD_COLOUR_UNSPECIFIED;

    if (vod_bits_get(bits, 1)) {    /* color_description_present_flag */
        primaries = vod_bits_get(bits, 8);
        transfer = vod_bits_get(bits, 8);
        matrix = vod_bits_get(bits, 8);
    }

    if (!mono && primaries == 1 && transfer == 13 && matrix == 0) {
        full = 1;                   /* sRGB */

    } else {
        full = vod_bits_get(bits, 1);
    }

    if (!bits->failed) {
        vod_video_colour(e, primaries, transfer, matrix, full);
    }
}
