#include <string.h>

#include "vod_codec_int.h"


static void vod_av1_operating_points(vod_av1_sequence_t *seq,
    vod_bits_t *bits);
static void vod_av1_tools(vod_bits_t *bits, unsigned reduced);
static void vod_av1_colour(vod_av1_sequence_t *seq, vod_bits_t *bits);


/* next open bitstream unit (AV1 bitstream specification, 5.3); 0 at the end */

int
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


/* sequence_header_obu() (5.5.1) */

int
vod_av1_sequence_read(vod_av1_sequence_t *seq, vod_rd_t payload)
{
    unsigned    w, h;
    vod_bits_t  bits;

    memset(seq, 0, sizeof(vod_av1_sequence_t));
    vod_bits_init(&bits, payload.pos, vod_rd_left(&payload), 0);

    seq->profile = vod_bits_get(&bits, 3);
    vod_bits_skip(&bits, 1);                /* still_picture */
    seq->reduced = vod_bits_get(&bits, 1);

    if (seq->reduced) {
        seq->level = vod_bits_get(&bits, 5);

    } else {
        vod_av1_operating_points(seq, &bits);
    }

    w = vod_bits_get(&bits, 4) + 1;
    h = vod_bits_get(&bits, 4) + 1;
    seq->width = vod_bits_get(&bits, w) + 1;
    seq->height = vod_bits_get(&bits, h) + 1;

    if (!seq->reduced && vod_bits_get(&bits, 1)) {
        vod_bits_skip(&bits, 4 + 3);        /* frame id lengths */
    }

    vod_av1_tools(&bits, seq->reduced);
    vod_av1_colour(seq, &bits);

    return !bits.failed && seq->profile <= 2;
}


static void
vod_av1_operating_points(vod_av1_sequence_t *seq, vod_bits_t *bits)
{
    unsigned  i, n, level, tier, decoder_model, delay, delay_bits, zeros;

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

        level = vod_bits_get(bits, 5);
        tier = level > 7 ? vod_bits_get(bits, 1) : 0;

        if (i == 0) {
            seq->level = level;
            seq->tier = tier;
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
vod_av1_colour(vod_av1_sequence_t *seq, vod_bits_t *bits)
{
    seq->high = vod_bits_get(bits, 1);

    if (seq->profile == 2 && seq->high) {
        seq->twelve = vod_bits_get(bits, 1);
    }

    seq->mono = seq->profile == 1 ? 0 : vod_bits_get(bits, 1);

    seq->primaries = VOD_COLOUR_UNSPECIFIED;
    seq->transfer = VOD_COLOUR_UNSPECIFIED;
    seq->matrix = VOD_COLOUR_UNSPECIFIED;

    if (vod_bits_get(bits, 1)) {    /* color_description_present_flag */
        seq->primaries = vod_bits_get(bits, 8);
        seq->transfer = vod_bits_get(bits, 8);
        seq->matrix = vod_bits_get(bits, 8);
    }

    seq->sub_x = 1;
    seq->sub_y = 1;

    if (seq->mono) {
        seq->full_range = vod_bits_get(bits, 1);
        return;
    }

    if (seq->primaries == 1 && seq->transfer == 13 && seq->matrix == 0) {
        seq->full_range = 1;        /* sRGB */
        seq->sub_x = 0;
        seq->sub_y = 0;
        return;
    }

    seq->full_range = vod_bits_get(bits, 1);

    switch (seq->profile) {

    case 0:
        break;

    case 1:
        seq->sub_x = 0;
        seq->sub_y = 0;
        break;

    default:
        seq->sub_x = seq->twelve ? vod_bits_get(bits, 1) : 1;
        seq->sub_y = seq->twelve && seq->sub_x ? vod_bits_get(bits, 1) : 0;
    }

    if (seq->sub_x && seq->sub_y) {
        seq->position = vod_bits_get(bits, 2);
    }
}
