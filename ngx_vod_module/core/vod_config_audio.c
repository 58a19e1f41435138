#include <string.h>

#include "vod_config_int.h"


#define VOD_ADTS_HEAD  7        /* bytes, without the check sum */
#define VOD_ASC_MAX    512      /* bytes of one that is made here */


typedef struct {
    unsigned  head;             /* bytes of the header */
    unsigned  len;              /* of the frame with it */
    unsigned  aot, index, channels, blocks;
} vod_adts_t;


static int vod_aac_find(const vod_config_t *in, const vod_adts_t *adts,
    vod_esds_t *esds, uint8_t *made, vod_err_t *err);
static int vod_adts_read(vod_adts_t *adts, const uint8_t *data,
    uint64_t len);
static int vod_aac_made(const vod_config_t *in, const vod_adts_t *adts,
    vod_wr_t *asc);
static int vod_aac_program(vod_wr_t *asc, const vod_adts_t *adts,
    const vod_config_t *in);
static unsigned vod_aac_program_bits(vod_bits_t *bits);
static int vod_aac_explicit(const vod_config_t *in, vod_esds_t *esds,
    const vod_asc_t *asc, uint8_t *made);
static unsigned vod_aac_index(uint32_t rate);


/*
 * AudioSpecificConfig (14496-3, 1.6.2.1), bare or in an elementary stream
 * descriptor, or made of the ADTS header of the first sample.
 */

int
vod_config_aac(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    int         rc, framed;
    uint8_t     made[VOD_ASC_MAX];
    uint64_t    mark;
    uint32_t    rate;
    vod_asc_t   asc;
    vod_adts_t  adts;
    vod_bits_t  bits;
    vod_esds_t  esds;

    memset(&esds, 0, sizeof(vod_esds_t));
    esds.oti = VOD_OTI_AAC;

    framed = in->sample && vod_adts_read(&adts, in->sample, in->sample_len);

    rc = vod_aac_find(in, framed ? &adts : NULL, &esds, made, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (framed && adts.blocks > 1) {
        return vod_fail(err, VOD_UNSUPPORTED, "AAC with %u frames behind one "
                        "ADTS header", adts.blocks);
    }

    vod_bits_init(&bits, esds.info, esds.info_len, 0);
    vod_asc_read(&asc, &bits);

    if (!bits.failed && vod_aac_explicit(in, &esds, &asc, made)) {
        vod_bits_init(&bits, esds.info, esds.info_len, 0);
        vod_asc_read(&asc, &bits);
    }

    rate = asc.sbr && asc.sbr_rate ? asc.sbr_rate : asc.rate;

    mark = vod_config_sound(out, vod_fourcc('m', 'p', '4', 'a'),
                            in->channels ? in->channels
                            : asc.config ? vod_cicp_channels(asc.config)
                            : asc.channels, 16, rate);
    vod_esds_write(out, &esds);
    vod_wr_box_end(out, mark);

    *convert = framed ? VOD_CONVERT_ADTS : VOD_CONVERT_NONE;

    return VOD_OK;
}


/* the AudioSpecificConfig; adts is the first sample's header, or NULL */

static int
vod_aac_find(const vod_config_t *in, const vod_adts_t *adts, vod_esds_t *esds,
    uint8_t *made, vod_err_t *err)
{
    vod_rd_t  rd;
    vod_wr_t  wr;

    if (in->config && in->config_len) {

        esds->info = in->config;
        esds->info_len = in->config_len;

        /* object type 0 is none: these are tags of descriptors */

        if (in->config[0] == 3 || in->config[0] == 4) {
            vod_rd_init(&rd, in->config, in->config_len);

            if (!vod_esds_descriptors(esds, rd) || esds->info_len == 0) {
                return vod_fail(err, VOD_DAMAGED, "AAC with a descriptor that "
                                "holds no AudioSpecificConfig");
            }
        }

        return VOD_OK;
    }

    vod_wr_init(&wr, made, VOD_ASC_MAX);

    if (adts == NULL || !vod_aac_made(in, adts, &wr)) {
        return vod_fail(err, VOD_DAMAGED, "AAC with no configuration, and no "
                        "ADTS header before its first frame");
    }

    esds->info = made;
    esds->info_len = wr.len;

    return VOD_OK;
}


/* one frame of ADTS (14496-3, 1.A.3.2) that is all of data: 1, else 0 */

static int
vod_adts_read(vod_adts_t *adts, const uint8_t *data, uint64_t len)
{
    if (len < VOD_ADTS_HEAD || data[0] != 0xff || (data[1] & 0xf6) != 0xf0) {
        return 0;
    }

    adts->head = VOD_ADTS_HEAD + (data[1] & 1 ? 0 : 2);
    adts->aot = (data[2] >> 6) + 1;
    adts->index = (data[2] >> 2) & 0x0f;
    adts->channels = (data[2] & 1) << 2 | data[3] >> 6;
    adts->len = (unsigned) (data[3] & 3) << 11 | (unsigned) data[4] << 3
                | data[5] >> 5;
    adts->blocks = (data[6] & 3) + 1;

    return adts->len == len && adts->len > adts->head && adts->index <= 12;
}


int
vod_adts_convert(const uint8_t *in, uint64_t size, uint8_t *out,
    uint64_t *len)
{
    vod_adts_t  adts;

    if (!vod_adts_read(&adts, in, size) || adts.blocks > 1) {
        return VOD_DAMAGED;
    }

    *len = size - adts.head;

    if (out) {
        memcpy(out, in + adts.head, *len);
    }

    return VOD_OK;
}


/* what a header says, as an AudioSpecificConfig */

static int
vod_aac_made(const vod_config_t *in, const vod_adts_t *adts, vod_wr_t *asc)
{
    vod_wr_u8(asc, (uint8_t) (adts->aot << 3 | adts->index >> 1));
    vod_wr_u8(asc, (uint8_t) (adts->index << 7 | adts->channels << 3));

    return adts->channels ? 1 : vod_aac_program(asc, adts, in);
}


/*
 * Channels by a program_config_element() that stands first in the frame: it
 * goes into the configuration, with its own alignment (14496-3, 4.4.1.1).
 */

static int
vod_aac_program(vod_wr_t *asc, const vod_adts_t *adts, const vod_config_t *in)
{
    unsigned    n, comment, wanted;
    vod_bits_t  bits;

    vod_bits_init(&bits, in->sample + adts->head, adts->len - adts->head, 0);

    if (vod_bits_get(&bits, 3) != 5) {      /* ID_PCE */
        return 0;
    }

    wanted = vod_aac_program_bits(&bits);

    vod_bits_init(&bits, in->sample + adts->head, adts->len - adts->head, 0);
    vod_bits_skip(&bits, 3);

    /* in whole bytes behind the 16 bits that are there already */

    for (n = wanted; n >= 8; n -= 8) {
        vod_wr_u8(asc, (uint8_t) vod_bits_get(&bits, 8));
    }

    if (n) {
        vod_wr_u8(asc, (uint8_t) (vod_bits_get(&bits, n) << (8 - n)));
    }

    bits.left = 0;
    comment = vod_bits_get(&bits, 8);
    vod_wr_u8(asc, (uint8_t) comment);

    for ( /* void */ ; comment; comment--) {
        vod_wr_u8(asc, (uint8_t) vod_bits_get(&bits, 8));
    }

    return !bits.failed && !asc->overflow;
}


/* bits of the element up to its alignment */

static unsigned
vod_aac_program_bits(vod_bits_t *bits)
{
    unsigned  i, n, elements;

    vod_bits_skip(bits, 10);                /* tag, profile, rate */

    for (elements = 0, i = 0; i < 3; i++) { /* front, side, back */
        elements += 5 * vod_bits_get(bits, 4);
    }

    elements += 4 * vod_bits_get(bits, 2);  /* LFE, data, coupling */
    elements += 4 * vod_bits_get(bits, 3);
    elements += 5 * vod_bits_get(bits, 4);

    n = 10 + 21;

    for (i = 0; i < 3; i++) {               /* mixdowns: mono, stereo, matrix */

        n++;

        if (vod_bits_get(bits, 1)) {
            vod_bits_skip(bits, i < 2 ? 4 : 3);
            n += i < 2 ? 4 : 3;
        }
    }

    return n + elements;
}


/*
 * SBR, and parametric stereo, that the configuration does not mention but the
 * container or a decoder does (twice the rate, two channels of one): said at
 * first, as HLS wants it (authoring specification, 2.24).  made may hold the
 * configuration itself.
 */

static int
vod_aac_explicit(const vod_config_t *in, vod_esds_t *esds,
    const vod_asc_t *asc, uint8_t *made)
{
    int         stereo;
    unsigned    aot, general, index;
    uint64_t    v;
    vod_bits_t  bits;

    if (asc->aot != VOD_AOT_LC || asc->sbr || asc->rate > 24000
        || in->sample_rate != 2 * asc->rate || esds->oti != VOD_OTI_AAC)
    {
        return 0;
    }

    vod_bits_init(&bits, esds->info, esds->info_len, 0);

    aot = vod_bits_get(&bits, 5);
    index = vod_bits_get(&bits, 4);
    v = vod_bits_get(&bits, 4);
    general = vod_bits_get(&bits, 3);

    /* a rate with a number, channels with one, no dependency, no extension */

    if (aot != VOD_AOT_LC || index > 12 || v == 0 || (general & 3)
        || vod_aac_index(in->sample_rate) > 12)
    {
        return 0;
    }

    stereo = (v == 1 && in->channels == 2);

    v |= (uint64_t) (stereo ? VOD_AOT_PS : VOD_AOT_SBR) << 8 | index << 4;
    v = v << 4 | vod_aac_index(in->sample_rate);
    v = v << 5 | VOD_AOT_LC;
    v = (v << 3 | general) << 7;            /* 25 bits of 32 */

    made[0] = (uint8_t) (v >> 24);
    made[1] = (uint8_t) (v >> 16);
    made[2] = (uint8_t) (v >> 8);
    made[3] = (uint8_t) v;

    esds->info = made;
    esds->info_len = 4;

    return 1;
}


static unsigned
vod_aac_index(uint32_t rate)
{
    unsigned  i;

    static const uint32_t  rates[] = {
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000,
        11025, 8000, 7350
    };

    for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        if (rates[i] == rate) {
            break;
        }
    }

    return i;
}


uint32_t
vod_aac_frame(const uint8_t *entry, uint64_t entry_len, uint32_t *rate)
{
    vod_rd_t    body;
    vod_asc_t   asc;
    vod_esds_t  esds;
    vod_bits_t  bits;

    if (!vod_config_child(entry, entry_len, vod_fourcc('e', 's', 'd', 's'),
                          &body)
        || !vod_esds_read(&esds, body))
    {
        return 0;
    }

    vod_bits_init(&bits, esds.info, esds.info_len, 0);
    vod_asc_read(&asc, &bits);

    if (bits.failed || asc.rate == 0) {
        return 0;
    }

    *rate = asc.rate;

    return asc.frame;
}
