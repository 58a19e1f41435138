/* AC-3 and E-AC-3 (ETSI TS 102 366), from the headers of their frames */

#include <string.h>

#include "vod_config_int.h"


#define VOD_AC3_SYNC       0x0b77
#define VOD_AC3_BLOCK      256      /* samples of a block */
#define VOD_EAC3_STREAMS   8        /* independent substreams at most */


typedef struct {
    unsigned  enhanced;         /* E-AC-3 */
    unsigned  type;             /* strmtyp: 1 = dependent */
    unsigned  id;               /* substreamid */
    unsigned  fscod, rate_code, bsid, bsmod, acmod, lfe;
    unsigned  chanmap;          /* 16 bits; 0 = none */
    unsigned  joc;              /* complexity_index_type_a; 0 = none */
    unsigned  samples;
    unsigned  len;              /* of the frame, bytes */
    uint32_t  rate;             /* Hz */
} vod_ac3_t;

/* what EC3SpecificBox says of one independent substream and its dependents */
typedef struct {
    unsigned  fscod, bsid, bsmod, acmod, lfe;
    unsigned  dependent;        /* substreams */
    unsigned  location;         /* chan_loc */
} vod_eac3_stream_t;


static int vod_ac3_read(vod_ac3_t *ac3, const uint8_t *data, uint64_t len);
static int vod_ac3_plain(vod_ac3_t *ac3, vod_bits_t *bits);
static int vod_eac3_enhanced(vod_ac3_t *ac3, vod_bits_t *bits);
static void vod_eac3_objects(vod_ac3_t *ac3, vod_bits_t *bits);
static void vod_eac3_mixing(const vod_ac3_t *ac3, vod_bits_t *bits);
static void vod_eac3_programme(const vod_ac3_t *ac3, vod_bits_t *bits);
static void vod_eac3_info(vod_ac3_t *ac3, vod_bits_t *bits);
static int vod_eac3_add(vod_eac3_stream_t *streams, unsigned *n,
    const vod_ac3_t *ac3);
static void vod_eac3_write(vod_wr_t *out, const vod_eac3_stream_t *streams,
    unsigned n, uint64_t kbits, unsigned joc);
static void vod_flagged_skip(vod_bits_t *bits, unsigned n);


/* AC3SpecificBox (F.4) */

int
vod_config_ac3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint64_t   mark, box;
    vod_ac3_t  ac3;

    if (!vod_ac3_read(&ac3, in->sample, in->sample ? in->sample_len : 0)) {
        return vod_fail(err, VOD_DAMAGED, "AC-3 whose first frame has no "
                        "header");
    }

    if (ac3.enhanced) {
        return vod_config_eac3(in, out, err);
    }

    mark = vod_config_sound(out, vod_fourcc('a', 'c', '-', '3'),
                            in->channels ? in->channels : 2, 16, ac3.rate);

    box = vod_wr_box(out, vod_fourcc('d', 'a', 'c', '3'));
    vod_wr_u24(out, ac3.fscod << 22 | ac3.bsid << 17 | ac3.bsmod << 14
                    | ac3.acmod << 11 | ac3.lfe << 10 | ac3.rate_code << 5);
    vod_wr_box_end(out, box);

    vod_wr_box_end(out, mark);

    return VOD_OK;
}


/*
 * EC3SpecificBox (F.6) of all the substreams of the first access unit: those
 * of the programmes, each with what depends on it behind it.
 */

int
vod_config_eac3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err)
{
    uint32_t            rate;
    uint64_t            mark, at, len, bytes;
    unsigned            n, joc;
    vod_ac3_t           ac3;
    vod_eac3_stream_t   streams[VOD_EAC3_STREAMS];

    memset(streams, 0, sizeof(streams));

    n = 0;
    joc = 0;
    rate = 0;
    bytes = 0;
    len = in->sample ? in->sample_len : 0;

    for (at = 0; at < len; at += ac3.len) {

        if (!vod_ac3_read(&ac3, in->sample + at, len - at)) {
            break;
        }

        /* the next access unit */

        if (n && ac3.type != 1 && ac3.id <= n - 1) {
            break;
        }

        if (!vod_eac3_add(streams, &n, &ac3)) {
            break;
        }

        /* objects are of the first programme; its bits are spread over it */

        joc = joc || n > 1 ? joc : ac3.joc;
        rate = rate ? rate : ac3.rate;
        bytes += (uint64_t) ac3.len * 1536 / ac3.samples;
    }

    if (n == 0) {
        return vod_fail(err, VOD_DAMAGED, "E-AC-3 whose first frame has no "
                        "header");
    }

    mark = vod_config_sound(out, vod_fourcc('e', 'c', '-', '3'),
                            in->channels ? in->channels : 2, 16, rate);
    vod_eac3_write(out, streams, n, bytes * 8 * rate / 1536 / 1000, joc);
    vod_wr_box_end(out, mark);

    return VOD_OK;
}


/* one more substream, or what the last one's dependent adds; 0 = no room */

static int
vod_eac3_add(vod_eac3_stream_t *streams, unsigned *n, const vod_ac3_t *ac3)
{
    unsigned            i;
    vod_eac3_stream_t  *s;

    if (ac3->type != 1) {

        if (*n == VOD_EAC3_STREAMS) {
            return 0;
        }

        s = &streams[(*n)++];
        s->fscod = ac3->fscod;
        s->bsid = ac3->bsid;
        s->bsmod = ac3->bsmod;
        s->acmod = ac3->acmod;
        s->lfe = ac3->lfe;

        return 1;
    }

    if (*n == 0 || streams[*n - 1].dependent == 15) {
        return 1;
    }

    s = &streams[*n - 1];
    s->dependent++;

    /* bits 5 to 12 of the map, the first one its highest; bit 14 */

    for (i = 0; i < 8; i++) {
        s->location |= (ac3->chanmap >> (10 - i) & 1) << i;
    }

    s->location |= (ac3->chanmap >> 1 & 1) << 8;

    return 1;
}


static void
vod_eac3_write(vod_wr_t *out, const vod_eac3_stream_t *streams, unsigned n,
    uint64_t kbits, unsigned joc)
{
    uint64_t                  box;
    unsigned                  i;
    uint32_t                  v;
    const vod_eac3_stream_t  *s;

    kbits = kbits < 0x1fff ? kbits : 0x1fff;

    box = vod_wr_box(out, vod_fourcc('d', 'e', 'c', '3'));
    vod_wr_u16(out, (uint16_t) (kbits << 3 | (n - 1)));

    for (i = 0; i < n; i++) {

        s = &streams[i];
        v = s->fscod << 22 | s->bsid << 17 | s->bsmod << 12 | s->acmod << 9
            | s->lfe << 8 | s->dependent << 1;

        if (s->dependent) {
            vod_wr_u32(out, (v | s->location >> 8) << 8 | (s->location & 0xff));

        } else {
            vod_wr_u24(out, v);
        }
    }

    /* flag_ec3_extension_type_a (ETSI TS 103 420, C.3.1) */

    if (joc) {
        vod_wr_u8(out, 1);
        vod_wr_u8(out, (uint8_t) joc);
    }

    vod_wr_box_end(out, box);
}


static int
vod_ac3_read(vod_ac3_t *ac3, const uint8_t *data, uint64_t len)
{
    vod_bits_t  bits;

    if (len < 8 || data[0] != VOD_AC3_SYNC >> 8
        || data[1] != (VOD_AC3_SYNC & 0xff))
    {
        return 0;
    }

    memset(ac3, 0, sizeof(vod_ac3_t));
    vod_bits_init(&bits, data, len, 0);

    /* at the same place in both */

    ac3->bsid = data[5] >> 3;

    if (ac3->bsid > 16) {
        return 0;
    }

    ac3->enhanced = ac3->bsid > 10;

    return ac3->enhanced ? vod_eac3_enhanced(ac3, &bits)
                         : vod_ac3_plain(ac3, &bits);
}


/* syncinfo() and bsi() of 4.3 */

static int
vod_ac3_plain(vod_ac3_t *ac3, vod_bits_t *bits)
{
    unsigned  code, words;

    static const uint16_t  rates[] = { 48000, 44100, 32000 };
    static const uint16_t  kbits[] = {
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
        448, 512, 576, 640
    };

    vod_bits_skip(bits, 32);
    ac3->fscod = vod_bits_get(bits, 2);
    code = vod_bits_get(bits, 6);
    vod_bits_skip(bits, 5);
    ac3->bsmod = vod_bits_get(bits, 3);
    ac3->acmod = vod_bits_get(bits, 3);

    if ((ac3->acmod & 1) && ac3->acmod != 1) {
        vod_bits_skip(bits, 2);
    }

    if (ac3->acmod & 4) {
        vod_bits_skip(bits, 2);
    }

    if (ac3->acmod == 2) {
        vod_bits_skip(bits, 2);
    }

    ac3->lfe = vod_bits_get(bits, 1);

    if (bits->failed || ac3->fscod == 3 || code > 37) {
        return 0;
    }

    ac3->rate_code = code >> 1;
    ac3->rate = rates[ac3->fscod];

    /* 1536 samples of so many kbit/s; at 44.1 kHz a word more at times */

    words = kbits[code >> 1] * 96000u / ac3->rate;
    words += ac3->fscod == 1 && (code & 1);
    ac3->len = 2 * words;
    ac3->samples = 6 * VOD_AC3_BLOCK;

    if (ac3->bsid > 8) {
        ac3->rate >>= ac3->bsid - 8;
    }

    return 1;
}


/* syncinfo() and bsi() of E.1.2 */

static int
vod_eac3_enhanced(vod_ac3_t *ac3, vod_bits_t *bits)
{
    unsigned  i, blocks;

    static const uint16_t  rates[] = { 48000, 44100, 32000, 0 };

    vod_bits_skip(bits, 16);
    ac3->type = vod_bits_get(bits, 2);
    ac3->id = vod_bits_get(bits, 3);
    ac3->len = 2 * (vod_bits_get(bits, 11) + 1);
    ac3->fscod = vod_bits_get(bits, 2);
    ac3->rate = rates[ac3->fscod];
    blocks = vod_bits_get(bits, 2);

    if (ac3->fscod == 3) {
        ac3->rate = rates[blocks] / 2u;
        blocks = 3;
    }

    ac3->rate_code = blocks;                /* numblkscod, here */
    ac3->samples = VOD_AC3_BLOCK * (blocks == 3 ? 6 : blocks + 1);
    ac3->acmod = vod_bits_get(bits, 3);
    ac3->lfe = vod_bits_get(bits, 1);
    vod_bits_skip(bits, 5);

    for (i = 0; i < (ac3->acmod ? 1 : 2); i++) {
        vod_bits_skip(bits, 5);             /* dialnorm */
        vod_flagged_skip(bits, 8);
    }

    if (bits->failed || ac3->rate == 0 || ac3->type == 3 || ac3->len < 8) {
        return 0;
    }

    if (ac3->type == 1 && vod_bits_get(bits, 1)) {
        ac3->chanmap = vod_bits_get(bits, 16);
    }

    if (vod_bits_get(bits, 1)) {
        vod_eac3_mixing(ac3, bits);
    }

    if (vod_bits_get(bits, 1)) {
        vod_eac3_info(ac3, bits);
    }

    if (ac3->type == 0 && blocks != 3) {
        vod_bits_skip(bits, 1);             /* convsync */
    }

    if (ac3->type == 2 && (blocks == 3 || vod_bits_get(bits, 1))) {
        vod_bits_skip(bits, 6);             /* frmsizecod */
    }

    vod_eac3_objects(ac3, bits);

    return 1;
}


/* addbsi (TS 103 420, 8.3): 7 bits, the flag, the index */

static void
vod_eac3_objects(vod_ac3_t *ac3, vod_bits_t *bits)
{
    if (vod_bits_get(bits, 1) && vod_bits_get(bits, 6) >= 1) {
        vod_bits_skip(bits, 7);

        if (vod_bits_get(bits, 1)) {
            ac3->joc = vod_bits_get(bits, 8);
        }
    }
}


/* mixmdata (E.1.2.2) */

static void
vod_eac3_mixing(const vod_ac3_t *ac3, vod_bits_t *bits)
{
    unsigned  acmod;

    acmod = ac3->acmod;

    if (acmod > 2) {
        vod_bits_skip(bits, 2);
    }

    if ((acmod & 1) && acmod > 2) {
        vod_bits_skip(bits, 6);
    }

    if (acmod & 4) {
        vod_bits_skip(bits, 6);
    }

    if (ac3->lfe) {
        vod_flagged_skip(bits, 5);
    }

    if (ac3->type == 0) {
        vod_eac3_programme(ac3, bits);
    }
}


/* how a programme mixes with another */

static void
vod_eac3_programme(const vod_ac3_t *ac3, vod_bits_t *bits)
{
    unsigned  i;

    vod_flagged_skip(bits, 6);

    if (ac3->acmod == 0) {
        vod_flagged_skip(bits, 6);
    }

    vod_flagged_skip(bits, 6);

    switch (vod_bits_get(bits, 2)) {        /* mixdef */

    case 1:
        vod_bits_skip(bits, 5);
        break;

    case 2:
        vod_bits_skip(bits, 12);
        break;

    case 3:
        vod_bits_skip(bits, 8 * (vod_bits_get(bits, 5) + 2));
    }

    if (ac3->acmod < 2) {
        vod_flagged_skip(bits, 14);
    }

    if (ac3->acmod == 0) {
        vod_flagged_skip(bits, 14);
    }

    if (vod_bits_get(bits, 1)) {            /* frmmixcfginfoe */

        if (ac3->rate_code == 0) {
            vod_bits_skip(bits, 5);

        } else {
            for (i = 0; i < ac3->samples / VOD_AC3_BLOCK; i++) {
                vod_flagged_skip(bits, 5);
            }
        }
    }
}


/* infomdata (E.1.2.2) */

static void
vod_eac3_info(vod_ac3_t *ac3, vod_bits_t *bits)
{
    ac3->bsmod = vod_bits_get(bits, 3);
    vod_bits_skip(bits, 2);

    if (ac3->acmod == 2) {
        vod_bits_skip(bits, 4);
    }

    if (ac3->acmod >= 6) {
        vod_bits_skip(bits, 2);
    }

    vod_flagged_skip(bits, 8);

    if (ac3->acmod == 0) {
        vod_flagged_skip(bits, 8);
    }

    if (ac3->fscod < 3) {
        vod_bits_skip(bits, 1);
    }
}


/* n bits, where the bit before them says that they are there */

static void
vod_flagged_skip(vod_bits_t *bits, unsigned n)
{
    if (vod_bits_get(bits, 1)) {
        vod_bits_skip(bits, n);
    }
}


uint32_t
vod_ac3_frame(const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    vod_ac3_t  ac3;

    if (!vod_ac3_read(&ac3, sample, size)) {
        return 0;
    }

    *rate = ac3.rate;

    return ac3.samples;
}


/* frames of the first substream, one behind the other */

uint32_t
vod_eac3_frame(const uint8_t *sample, uint64_t size, uint32_t *rate)
{
    uint32_t   samples;
    uint64_t   at;
    vod_ac3_t  ac3;

    samples = 0;

    for (at = 0; at < size; at += ac3.len) {

        if (!vod_ac3_read(&ac3, sample + at, size - at)) {
            break;
        }

        if (ac3.type != 1 && ac3.id == 0) {
            samples += ac3.samples;
            *rate = *rate ? *rate : ac3.rate;
        }
    }

    return samples;
}
