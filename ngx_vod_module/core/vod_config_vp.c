#include <string.h>

#include "vod_config_int.h"


typedef struct {
    unsigned  profile, depth, chroma, full_range, matrix;
    uint32_t  width, height;
} vod_vp9_head_t;


static int vod_vp9_head(vod_vp9_head_t *head, const uint8_t *data,
    uint64_t len);
static void vod_vp9_colour(vod_vp9_head_t *head, vod_bits_t *bits);
static int vod_av1_find(const uint8_t *data, uint64_t len, vod_rd_t *unit,
    vod_rd_t *payload);
static void vod_av1_write(vod_wr_t *out, const vod_av1_sequence_t *seq,
    const vod_rd_t *unit, const vod_rd_t *payload);


/*
 * VP8 (RFC 6386, 9.1) by the same binding: its version is the profile.  No
 * browser takes it in MP4; players that are programs of their own do.
 */

int
vod_config_vp8(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t        mark, box;
    uint32_t        width, height;
    const uint8_t  *p;

    p = in->sample;

    if (p == NULL || in->sample_len < 10 || (p[0] & 1) || p[3] != 0x9d
        || p[4] != 0x01 || p[5] != 0x2a)
    {
        return vod_fail(err, VOD_DAMAGED, "VP8 whose first sync sample is no "
                        "key frame");
    }

    width = (p[7] & 0x3fu) << 8 | p[6];     /* and two bits of scale */
    height = (p[9] & 0x3fu) << 8 | p[8];

    mark = vod_config_visual(in, out, vod_fourcc('v', 'p', '0', '8'), width,
                             height);

    box = vod_wr_full_box(out, vod_fourcc('v', 'p', 'c', 'C'), 1, 0);
    vod_wr_u8(out, (p[0] >> 1) & 7);
    vod_wr_u8(out, (uint8_t) vod_vp9_level(width, height));
    vod_wr_u8(out, 8 << 4 | 1 << 1);        /* 8 bits, 4:2:0 */
    vod_wr_u8(out, VOD_COLOUR_UNSPECIFIED);
    vod_wr_u8(out, VOD_COLOUR_UNSPECIFIED);
    vod_wr_u8(out, VOD_COLOUR_UNSPECIFIED);
    vod_wr_u16(out, 0);
    vod_wr_box_end(out, box);

    return vod_config_visual_end(in, out, mark, err);
}


/*
 * VPCodecConfigurationBox (VP Codec ISO Media File Format Binding 1.0).  What
 * Matroska keeps of it (profile, level, depth, chroma) the first key frame
 * says too, and says right.
 */

int
vod_config_vp9(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t        mark, box;
    uint32_t        width, height;
    vod_vp9_head_t  head;

    if (in->sample == NULL || !vod_vp9_head(&head, in->sample, in->sample_len))
    {
        return vod_fail(err, VOD_DAMAGED, "VP9 whose first sync sample is no "
                        "key frame");
    }

    width = in->width ? in->width : head.width;
    height = in->height ? in->height : head.height;

    mark = vod_config_visual(in, out, vod_fourcc('v', 'p', '0', '9'),
                             head.width, head.height);

    box = vod_wr_full_box(out, vod_fourcc('v', 'p', 'c', 'C'), 1, 0);
    vod_wr_u8(out, (uint8_t) head.profile);
    vod_wr_u8(out, (uint8_t) vod_vp9_level(width, height));
    vod_wr_u8(out, (uint8_t) (head.depth << 4 | head.chroma << 1
                              | head.full_range));
    vod_wr_u8(out, in->primaries ? in->primaries : VOD_COLOUR_UNSPECIFIED);
    vod_wr_u8(out, in->transfer ? in->transfer : VOD_COLOUR_UNSPECIFIED);
    vod_wr_u8(out, in->matrix ? in->matrix : (uint8_t) head.matrix);
    vod_wr_u16(out, 0);                     /* no initialization data */
    vod_wr_box_end(out, box);

    return vod_config_visual_end(in, out, mark, err);
}


/* uncompressed_header() of a key frame (VP9 bitstream specification, 6.2) */

static int
vod_vp9_head(vod_vp9_head_t *head, const uint8_t *data, uint64_t len)
{
    unsigned    marker, shown, inter, sync;
    vod_bits_t  bits;

    memset(head, 0, sizeof(vod_vp9_head_t));
    vod_bits_init(&bits, data, len, 0);

    marker = vod_bits_get(&bits, 2);
    head->profile = vod_bits_get(&bits, 1);
    head->profile |= vod_bits_get(&bits, 1) << 1;

    if (head->profile == 3) {
        vod_bits_skip(&bits, 1);
    }

    shown = vod_bits_get(&bits, 1);         /* show_existing_frame */
    inter = vod_bits_get(&bits, 1);         /* frame_type */

    if (bits.failed || marker != 2 || shown || inter) {
        return 0;
    }

    vod_bits_skip(&bits, 2);
    sync = vod_bits_get(&bits, 24);

    vod_vp9_colour(head, &bits);

    head->width = vod_bits_get(&bits, 16) + 1;
    head->height = vod_bits_get(&bits, 16) + 1;

    return !bits.failed && sync == 0x498342;
}


/* color_config() (6.2.2): chroma as in vpcC, matrix as in 23091-2 */

static void
vod_vp9_colour(vod_vp9_head_t *head, vod_bits_t *bits)
{
    unsigned  space, x, y;

    static const uint8_t  matrices[] = { 2, 5, 1, 6, 7, 9, 2, 0 };

    head->depth = 8;

    if (head->profile >= 2) {
        head->depth = vod_bits_get(bits, 1) ? 12 : 10;
    }

    space = vod_bits_get(bits, 3);
    head->matrix = matrices[space];

    x = y = 1;

    if (space == 7) {                       /* sRGB */
        head->full_range = 1;
        x = y = 0;

        if (head->profile & 1) {
            vod_bits_skip(bits, 1);
        }

    } else {
        head->full_range = vod_bits_get(bits, 1);

        if (head->profile & 1) {
            x = vod_bits_get(bits, 1);
            y = vod_bits_get(bits, 1);
            vod_bits_skip(bits, 1);
        }
    }

    /* 4:2:0 lies on luma where nobody says otherwise; 4:4:0 has no number */

    head->chroma = x && y ? 1 : x ? 2 : 3;
}


/* a superframe begins with its first frame (annex B) */

int
vod_vp9_sync(const uint8_t *sample, uint64_t size)
{
    unsigned    marker, profile, shown, inter;
    vod_bits_t  bits;

    vod_bits_init(&bits, sample, size, 0);

    marker = vod_bits_get(&bits, 2);
    profile = vod_bits_get(&bits, 1);
    profile |= vod_bits_get(&bits, 1) << 1;

    if (profile == 3) {
        vod_bits_skip(&bits, 1);
    }

    shown = vod_bits_get(&bits, 1);
    inter = vod_bits_get(&bits, 1);

    if (bits.failed || marker != 2) {
        return -1;
    }

    return !shown && !inter;
}


int
vod_config_av1(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    int                 record, found;
    uint32_t            type;
    uint64_t            mark;
    unsigned            first;
    vod_rd_t            rd, unit, payload;
    vod_av1_sequence_t  seq;

    memset(&seq, 0, sizeof(vod_av1_sequence_t));

    record = in->config && in->config_len >= 4 && in->config[0] == 0x81;

    found = (record && vod_av1_find(in->config + 4, in->config_len - 4, &unit,
                                    &payload))
            || (!record && in->config
                && vod_av1_find(in->config, in->config_len, &unit, &payload))
            || (in->sample
                && vod_av1_find(in->sample, in->sample_len, &unit, &payload));

    if (found && !vod_av1_sequence_read(&seq, payload)) {
        return vod_fail(err, VOD_DAMAGED, "AV1 with a sequence header that "
                        "makes no sense");
    }

    if (!found && !record) {
        return vod_fail(err, VOD_DAMAGED, "AV1 with no sequence header in its "
                        "configuration nor in its first sync sample");
    }

    type = in->dovi && (in->dovi[4] >> 4) == 0
           ? vod_fourcc('d', 'a', 'v', '1') : vod_fourcc('a', 'v', '0', '1');

    mark = vod_config_visual(in, out, type, seq.width, seq.height);

    if (record) {
        vod_config_box(out, vod_fourcc('a', 'v', '1', 'C'), in->config,
                       in->config_len);
    } else {
        vod_av1_write(out, &seq, &unit, &payload);
    }

    if (in->sample) {
        vod_rd_init(&rd, in->sample, in->sample_len);

        if (vod_av1_obu(&rd, &first, &payload)
            && first == VOD_OBU_TEMPORAL_DELIMITER)
        {
            *convert = VOD_CONVERT_OBU;
        }
    }

    return vod_config_visual_end(in, out, mark, err);
}


/* the first sequence header: the whole unit, and its payload */

static int
vod_av1_find(const uint8_t *data, uint64_t len, vod_rd_t *unit,
    vod_rd_t *payload)
{
    unsigned        type;
    vod_rd_t        rd;
    const uint8_t  *start;

    vod_rd_init(&rd, data, len);

    for (start = rd.pos; vod_av1_obu(&rd, &type, payload); start = rd.pos) {
        if (type == VOD_OBU_SEQUENCE_HEADER) {
            vod_rd_init(unit, start, (uint64_t) (rd.pos - start));
            return 1;
        }
    }

    return 0;
}


/* AV1CodecConfigurationRecord (AV1 Codec ISO Media File Format Binding 2.3) */

static void
vod_av1_write(vod_wr_t *out, const vod_av1_sequence_t *seq,
    const vod_rd_t *unit, const vod_rd_t *payload)
{
    uint64_t  mark, len;

    mark = vod_wr_box(out, vod_fourcc('a', 'v', '1', 'C'));

    vod_wr_u8(out, 0x81);
    vod_wr_u8(out, (uint8_t) (seq->profile << 5 | seq->level));
    vod_wr_u8(out, (uint8_t) (seq->tier << 7 | seq->high << 6
                              | seq->twelve << 5 | seq->mono << 4
                              | seq->sub_x << 3 | seq->sub_y << 2
                              | seq->position));
    vod_wr_u8(out, 0);                      /* no presentation delay known */

    /* its units have sizes (2.3.3) */

    if (unit->pos[0] & 0x02) {
        vod_wr_bytes(out, unit->pos, vod_rd_left(unit));

    } else {
        vod_wr_u8(out, 0x02 | VOD_OBU_SEQUENCE_HEADER << 3);

        for (len = vod_rd_left(payload); len >= 0x80; len >>= 7) {
            vod_wr_u8(out, (uint8_t) (0x80 | (len & 0x7f)));
        }

        vod_wr_u8(out, (uint8_t) len);
        vod_wr_bytes(out, payload->pos, vod_rd_left(payload));
    }

    vod_wr_box_end(out, mark);
}


/* a sequence header and a key frame that is shown (2.4) */

int
vod_av1_sync(const uint8_t *sample, uint64_t size)
{
    int                 header;
    unsigned            type;
    vod_rd_t            rd, payload;
    vod_bits_t          bits;
    vod_av1_sequence_t  seq;

    header = 0;
    memset(&seq, 0, sizeof(vod_av1_sequence_t));
    vod_rd_init(&rd, sample, size);

    while (vod_av1_obu(&rd, &type, &payload)) {

        if (type == VOD_OBU_SEQUENCE_HEADER) {

            if (!vod_av1_sequence_read(&seq, payload)) {
                return -1;
            }

            header = 1;
        }

        if (type != VOD_OBU_FRAME_HEADER && type != VOD_OBU_FRAME) {
            continue;
        }

        if (!header || seq.reduced) {
            return header;
        }

        vod_bits_init(&bits, payload.pos, vod_rd_left(&payload), 0);

        /* show_existing_frame 0, frame_type 0, show_frame 1 (5.9.2) */

        type = vod_bits_get(&bits, 4);

        return bits.failed ? -1 : type == 1;
    }

    return -1;
}


/* temporal delimiters are not part of samples (2.4) */

int
vod_obu_convert(const uint8_t *in, uint64_t size, uint8_t *out, uint64_t *len)
{
    uint64_t        n, left;
    unsigned        type;
    vod_rd_t        rd, payload;
    const uint8_t  *start;

    n = 0;
    vod_rd_init(&rd, in, size);

    while (vod_rd_left(&rd)) {

        start = rd.pos;

        if (!vod_av1_obu(&rd, &type, &payload)) {
            return VOD_DAMAGED;
        }

        if (type == VOD_OBU_TEMPORAL_DELIMITER) {
            continue;
        }

        left = (uint64_t) (rd.pos - start);

        if (out) {
            memcpy(out + n, start, left);
        }

        n += left;
    }

    *len = n;

    return VOD_OK;
}
