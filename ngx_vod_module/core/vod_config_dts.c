/* DTS (ETSI TS 102 114): from its frames' headers to DTSSpecificBox */

#include <string.h>

#include "vod_config_int.h"


#define VOD_DTS_CORE       0x7ffe8001u
#define VOD_DTS_SUBSTREAM  0x64582025u

/* what an extension substream holds, by how each part begins */
#define VOD_DTS_XXCH       0x47004a03u
#define VOD_DTS_X96        0x1d95f262u
#define VOD_DTS_XBR        0x655e315eu
#define VOD_DTS_XLL        0x41a29547u

/* parts, of the core's substream and of the extension's */
#define VOD_DTS_IN_XCH     0x01
#define VOD_DTS_IN_XXCH    0x02
#define VOD_DTS_IN_X96     0x04
#define VOD_DTS_EX_XXCH    0x08
#define VOD_DTS_EX_X96     0x10
#define VOD_DTS_EX_XBR     0x20
#define VOD_DTS_EX_XLL     0x40
#define VOD_DTS_EX         0x80     /* there is one */


typedef struct {
    unsigned  samples;
    unsigned  len;              /* of the core, bytes */
    unsigned  amode, lfe, bits;
    unsigned  parts;
    uint32_t  rate;             /* Hz */
} vod_dts_t;


static int vod_dts_read(vod_dts_t *dts, const uint8_t *data, uint64_t len);
static void vod_dts_parts(vod_dts_t *dts, const uint8_t *data, uint64_t len);
static unsigned vod_dts_construction(unsigned parts);
static unsigned vod_dts_layout(const vod_dts_t *dts);


int
vod_config_dts(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint32_t   rate, type;
    uint64_t   mark, box, bits;
    unsigned   construction, duration;
    vod_dts_t  dts;

    if (!vod_dts_read(&dts, in->sample, in->sample ? in->sample_len : 0)) {
        return vod_fail(err, VOD_DAMAGED, "DTS whose first frame does not "
                        "begin with a core");
    }

    for (duration = 0; duration < 4 && 512u << duration != dts.samples;
         duration++)
    {
        /* void */
    }

    if (duration == 4) {
        return vod_fail(err, VOD_UNSUPPORTED, "DTS with frames of %u samples, "
                        "which ISO BMFF does not know", dts.samples);
    }

    construction = vod_dts_construction(dts.parts);

    type = construction == 1 || construction == 2 || construction == 4
           ? vod_fourcc('d', 't', 's', 'c') : vod_fourcc('d', 't', 's', 'h');

    rate = in->sample_rate > dts.rate ? in->sample_rate : dts.rate;
    bits = in->sample_len * 8 * dts.rate / dts.samples;
    bits = bits < UINT32_MAX ? bits : UINT32_MAX;

    mark = vod_config_sound(out, type, in->channels ? in->channels : 2, 16,
                            rate);

    /* TS 102 114, E.2.2.3 */

    box = vod_wr_box(out, vod_fourcc('d', 'd', 't', 's'));
    vod_wr_u32(out, rate);
    vod_wr_u32(out, (uint32_t) bits);
    vod_wr_u32(out, (uint32_t) bits);
    vod_wr_u8(out, (uint8_t) dts.bits);
    vod_wr_u32(out, (uint32_t) duration << 30 | construction << 25
                    | dts.lfe << 24 | dts.amode << 18
                    | (dts.len & 0x3fff) << 4);
    vod_wr_u16(out, (uint16_t) vod_dts_layout(&dts));
    vod_wr_u8(out, 0);
    vod_wr_box_end(out, box);

    vod_wr_box_end(out, mark);

    return VOD_OK;
}


/* the header of a core frame (5.3.1) */

static int
vod_dts_read(vod_dts_t *dts, const uint8_t *data, uint64_t len)
{
    unsigned    blocks, extension;
    vod_bits_t  bits;

    static const uint32_t  rates[] = {
        0, 8000, 16000, 32000, 0, 0, 11025, 22050, 44100, 0, 0, 12000, 24000,
        48000, 0, 0
    };
    static const uint8_t  depths[] = { 16, 16, 20, 20, 0, 24, 24, 0 };

    memset(dts, 0, sizeof(vod_dts_t));
    vod_bits_init(&bits, data, len, 0);

    if (vod_bits_get(&bits, 32) != VOD_DTS_CORE) {
        return 0;
    }

    vod_bits_skip(&bits, 1 + 5);            /* FTYPE, SHORT */
    len = vod_bits_get(&bits, 1);           /* CPF: a check sum */
    blocks = vod_bits_get(&bits, 7) + 1;
    dts->len = vod_bits_get(&bits, 14) + 1;
    dts->amode = vod_bits_get(&bits, 6);
    dts->rate = rates[vod_bits_get(&bits, 4)];
    vod_bits_skip(&bits, 5 + 5);            /* RATE, five flags */
    extension = vod_bits_get(&bits, 3);     /* EXT_AUDIO_ID */

    if (vod_bits_get(&bits, 1)) {
        dts->parts = extension == 0 ? VOD_DTS_IN_XCH
                     : extension == 2 ? VOD_DTS_IN_X96
                     : extension == 6 ? VOD_DTS_IN_XXCH : 0;
    }

    vod_bits_skip(&bits, 1);
    dts->lfe = vod_bits_get(&bits, 2) ? 1 : 0;
    vod_bits_skip(&bits, 1 + (len ? 16 : 0) + 1 + 4 + 2);
    dts->bits = depths[vod_bits_get(&bits, 3)];

    dts->samples = 32 * blocks;

    if (bits.failed || dts->rate == 0 || dts->bits == 0 || dts->len < 96) {
        return 0;
    }

    vod_dts_parts(dts, data, (uint64_t) (bits.end - data));

    return 1;
}


/* an extension substream behind the core; its parts are aligned to 4 bytes */

static void
vod_dts_parts(vod_dts_t *dts, const uint8_t *data, uint64_t len)
{
    uint32_t  word;
    vod_rd_t  rd;

    vod_rd_init(&rd, data, len);
    vod_rd_skip(&rd, ((uint64_t) dts->len + 3) & ~3ull);

    if (vod_rd_u32(&rd) != VOD_DTS_SUBSTREAM) {
        return;
    }

    dts->parts |= VOD_DTS_EX;

    while (vod_rd_left(&rd) >= 4) {

        word = vod_rd_u32(&rd);

        dts->parts |= word == VOD_DTS_XXCH ? VOD_DTS_EX_XXCH
                      : word == VOD_DTS_X96 ? VOD_DTS_EX_X96
                      : word == VOD_DTS_XBR ? VOD_DTS_EX_XBR
                      : word == VOD_DTS_XLL ? VOD_DTS_EX_XLL : 0;
    }
}


/* StreamConstruction (table E-2); 0 where the table has no such stream */

static unsigned
vod_dts_construction(unsigned parts)
{
    unsigned  i;

    static const struct {
        uint8_t  parts;
        uint8_t  construction;
    } table[] = {
        { 0, 1 },
        { VOD_DTS_IN_XCH, 2 },
        { VOD_DTS_IN_XXCH, 3 },
        { VOD_DTS_IN_X96, 4 },
        { VOD_DTS_EX | VOD_DTS_EX_XXCH, 5 },
        { VOD_DTS_EX | VOD_DTS_EX_XBR, 6 },
        { VOD_DTS_EX | VOD_DTS_EX_XBR | VOD_DTS_IN_XCH, 7 },
        { VOD_DTS_EX | VOD_DTS_EX_XBR | VOD_DTS_IN_XXCH, 8 },
        { VOD_DTS_EX | VOD_DTS_EX_XBR | VOD_DTS_EX_XXCH, 9 },
        { VOD_DTS_EX | VOD_DTS_EX_X96, 10 },
        { VOD_DTS_EX | VOD_DTS_EX_X96 | VOD_DTS_IN_XCH, 11 },
        { VOD_DTS_EX | VOD_DTS_EX_X96 | VOD_DTS_IN_XXCH, 12 },
        { VOD_DTS_EX | VOD_DTS_EX_X96 | VOD_DTS_EX_XXCH, 13 },
        { VOD_DTS_EX | VOD_DTS_EX_XLL, 14 },
        { VOD_DTS_EX | VOD_DTS_EX_XLL | VOD_DTS_IN_XCH, 15 },
        { VOD_DTS_EX | VOD_DTS_EX_XLL | VOD_DTS_IN_X96, 16 }
    };

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].parts == parts) {
            return table[i].construction;
        }
    }

    return 0;
}


/* ChannelLayout of AMODE (table 5-4); 0 where its bits have no such place */

static unsigned
vod_dts_layout(const vod_dts_t *dts)
{
    unsigned  layout;

    static const uint8_t  layouts[] = {
        0x01, 0x02, 0x02, 0x02, 0x02, 0x03, 0x12, 0x13, 0x06, 0x07
    };

    if (dts->amode >= sizeof(layouts)) {
        return 0;
    }

    layout = layouts[dts->amode] | dts->lfe << 3;

    return dts->parts & VOD_DTS_IN_XCH ? layout | 0x10 : layout;
}


uint32_t
vod_dts_frame(const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    vod_dts_t  dts;

    if (!vod_dts_read(&dts, sample, size)) {
        return 0;
    }

    *rate = dts.rate;

    return dts.samples;
}
