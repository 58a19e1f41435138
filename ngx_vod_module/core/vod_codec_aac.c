#include <stdio.h>

#include "vod_codec_int.h"


/* audio object types (ISO/IEC 14496-3, table 1.17) */
#define VOD_AOT_MAIN         1
#define VOD_AOT_SSR          3
#define VOD_AOT_LTP          4
#define VOD_AOT_ER_LC       17
#define VOD_AOT_ER_BSAC     22
#define VOD_AOT_ER_LD       23
#define VOD_AOT_LAYER3      34
#define VOD_AOT_ER_ELD      39

#define VOD_ASC_SYNC_SBR    0x2b7
#define VOD_ASC_SYNC_PS     0x548


static int vod_asc_carried(unsigned aot);
static unsigned vod_asc_object(vod_bits_t *bits);
static uint32_t vod_asc_rate(vod_bits_t *bits, unsigned index_bits);
static void vod_asc_general(vod_asc_t *asc, vod_bits_t *bits);
static unsigned vod_asc_program(vod_bits_t *bits);
static void vod_asc_delay(vod_asc_t *asc, vod_bits_t *bits);
static void vod_asc_usac(vod_asc_t *asc, vod_bits_t *bits);
static void vod_asc_extension(vod_asc_t *asc, vod_bits_t *bits);


int
vod_codec_aac(vod_entry_t *e, const vod_esds_t *esds)
{
    unsigned      type;
    vod_asc_t     asc;
    vod_bits_t    bits;
    vod_track_t  *track;

    track = e->track;

    vod_bits_init(&bits, esds->info, esds->info_len, 0);
    vod_asc_read(&asc, &bits);

    if (!vod_asc_carried(asc.aot)) {
        return vod_fail(e->err, VOD_UNSUPPORTED,
                        "MPEG-4 audio object type %u is in no CMAF media "
                        "profile", asc.aot);
    }

    /* 8, 9, 10 and 15 have a meaning in CICP and USAC alone */

    if (asc.config && (asc.aot == VOD_AOT_USAC || asc.config <= 7
                       || (asc.config >= 11 && asc.config <= 14)))
    {
        asc.channels = vod_cicp_channels(asc.config);
    }

    if (bits.failed || asc.rate == 0 || asc.channels == 0) {
        return vod_entry_damaged(e, bits.failed
                         ? "holds an AudioSpecificConfig that is cut off"
                         : "holds an AudioSpecificConfig with reserved values");
    }

    /* parametric stereo makes two channels of one (14496-3, 8.6.4) */

    if (asc.ps && asc.channels == 1) {
        asc.channels = 2;
        asc.config = 2;
    }

    track->sample_rate = asc.sbr && asc.sbr_rate ? asc.sbr_rate : asc.rate;
    track->channels = asc.channels;
    track->channel_layout = asc.config;

    if (esds->oti != VOD_OTI_AAC) {
        snprintf(track->codec, sizeof(track->codec), "mp4a.%02X",
                 (unsigned) esds->oti);
        return VOD_OK;
    }

    type = asc.aot;

    if (type == VOD_AOT_LC && asc.sbr) {
        type = asc.ps ? VOD_AOT_PS : VOD_AOT_SBR;
    }

    snprintf(track->codec, sizeof(track->codec), "mp4a.40.%u", type);

    return VOD_OK;
}


static int
vod_asc_carried(unsigned aot)
{
    switch (aot) {

    case VOD_AOT_MAIN:
    case VOD_AOT_LC:
    case VOD_AOT_SSR:
    case VOD_AOT_LTP:
    case VOD_AOT_ER_LC:
    case VOD_AOT_ER_LD:
    case VOD_AOT_ER_ELD:
    case VOD_AOT_USAC:
        return 1;
    }

    return 0;
}


void
vod_asc_read(vod_asc_t *asc, vod_bits_t *bits)
{
    asc->sbr = 0;
    asc->ps = 0;
    asc->sbr_rate = 0;
    asc->channels = 0;
    asc->frame = 0;

    asc->aot = vod_asc_object(bits);
    asc->rate = vod_asc_rate(bits, 4);
    asc->config = vod_bits_get(bits, 4);

    if (asc->aot == VOD_AOT_SBR || asc->aot == VOD_AOT_PS) {

        /* explicit, hierarchical signalling */

        asc->sbr = 1;
        asc->ps = (asc->aot == VOD_AOT_PS);
        asc->sbr_rate = vod_asc_rate(bits, 4);
        asc->aot = vod_asc_object(bits);

        if (asc->aot == VOD_AOT_ER_BSAC) {
            vod_bits_skip(bits, 4);
        }
    }

    switch (asc->aot) {

    case VOD_AOT_MAIN:
    case VOD_AOT_LC:
    case VOD_AOT_SSR:
    case VOD_AOT_LTP:
    case VOD_AOT_ER_LC:
    case VOD_AOT_ER_LD:
        vod_asc_general(asc, bits);
        break;

    case VOD_AOT_ER_ELD:
        vod_asc_delay(asc, bits);
        return;

    case VOD_AOT_USAC:
        vod_asc_usac(asc, bits);
        return;

    default:
        return;
    }

    if (!asc->sbr) {
        vod_asc_extension(asc, bits);
    }
}


static unsigned
vod_asc_object(vod_bits_t *bits)
{
    unsigned  aot;

    aot = vod_bits_get(bits, 5);

    return aot == 31 ? 32 + vod_bits_get(bits, 6) : aot;
}


/*
 * samplingFrequencyIndex of 4 bits, or usacSamplingFrequencyIndex of 5
 * (23003-3, table 67); all ones: 24 bits in Hz.  0 where reserved.
 */

static uint32_t
vod_asc_rate(vod_bits_t *bits, unsigned index_bits)
{
    unsigned  index;

    static const uint32_t  rates[] = {
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000,
        11025, 8000, 7350, 0, 0, 57600, 51200, 40000, 38400, 34150, 28800,
        25600, 20000, 19200, 17075, 14400, 12800, 9600
    };

    index = vod_bits_get(bits, index_bits);

    if (index == (1u << index_bits) - 1) {
        return vod_bits_get(bits, 24);
    }

    return index < sizeof(rates) / sizeof(rates[0]) ? rates[index] : 0;
}


/* GASpecificConfig (4.4.1) */

static void
vod_asc_general(vod_asc_t *asc, vod_bits_t *bits)
{
    unsigned  extension;

    asc->frame = vod_bits_get(bits, 1) ? 960 : 1024;

    if (asc->aot == VOD_AOT_ER_LD) {
        asc->frame /= 2;
    }

    if (vod_bits_get(bits, 1)) {            /* dependsOnCoreCoder */
        vod_bits_skip(bits, 14);
    }

    extension = vod_bits_get(bits, 1);

    if (asc->config == 0) {
        asc->channels = vod_asc_program(bits);

        /* mono and stereo leave no doubt of where the channels are */

        asc->config = asc->channels <= 2 ? asc->channels : 0;
    }

    if (extension) {
        vod_bits_skip(bits, asc->aot == VOD_AOT_ER_LC
                            || asc->aot == VOD_AOT_ER_LD ? 3 : 0);
        vod_bits_skip(bits, 1);             /* extensionFlag3 */
    }

    if (asc->aot == VOD_AOT_ER_LC || asc->aot == VOD_AOT_ER_LD) {
        vod_bits_skip(bits, 2);             /* epConfig */
    }
}


/* program_config_element() (4.4.1.1): how many channels it names */

static unsigned
vod_asc_program(vod_bits_t *bits)
{
    unsigned  i, n, lfe, data, coupling, channels;

    vod_bits_skip(bits, 4 + 2 + 4);         /* tag, profile, rate */

    n = vod_bits_get(bits, 4);              /* front, side, back */
    n += vod_bits_get(bits, 4);
    n += vod_bits_get(bits, 4);
    lfe = vod_bits_get(bits, 2);
    data = vod_bits_get(bits, 3);
    coupling = vod_bits_get(bits, 4);

    for (i = 0; i < 2; i++) {               /* mono, stereo mixdown */
        if (vod_bits_get(bits, 1)) {
            vod_bits_skip(bits, 4);
        }
    }

    if (vod_bits_get(bits, 1)) {            /* matrix mixdown */
        vod_bits_skip(bits, 3);
    }

    channels = n + lfe;

    for (i = 0; i < n; i++) {
        channels += vod_bits_get(bits, 1);  /* a pair */
        vod_bits_skip(bits, 4);
    }

    vod_bits_skip(bits, 4 * lfe + 4 * data + 5 * coupling);

    /* the record began on a byte's boundary */

    bits->left = 0;
    vod_bits_skip(bits, 8 * vod_bits_get(bits, 8));

    return channels;
}


/* ELDSpecificConfig (4.6.20.2): SBR of its own, at once or twice the rate */

static void
vod_asc_delay(vod_asc_t *asc, vod_bits_t *bits)
{
    asc->frame = vod_bits_get(bits, 1) ? 480 : 512;
    vod_bits_skip(bits, 3);                 /* resilience */

    if (vod_bits_get(bits, 1) && vod_bits_get(bits, 1)) {
        asc->sbr = 1;
        asc->sbr_rate = 2 * asc->rate;
    }
}


/* UsacConfig (ISO/IEC 23003-3, 5.2): it says the rate of the output */

static void
vod_asc_usac(vod_asc_t *asc, vod_bits_t *bits)
{
    unsigned  n, more;

    /* by coreSbrFrameLengthIndex, of the output (23003-3, table 70) */

    static const uint16_t  frames[] = { 768, 1024, 2048, 2048, 4096, 0, 0, 0 };

    asc->rate = vod_asc_rate(bits, 5);
    asc->frame = frames[vod_bits_get(bits, 3)];
    asc->config = vod_bits_get(bits, 5);

    if (asc->config == 0) {

        /* UsacChannelConfig: escapedValue(5, 8, 16) of channels */

        n = vod_bits_get(bits, 5);

        if (n == 31) {
            more = vod_bits_get(bits, 8);
            n += more;

            if (more == 255) {
                n += vod_bits_get(bits, 16);
            }
        }

        asc->channels = n;
    }
}


/* SBR and PS in a form that old decoders skip (14496-3, 1.6.5.2) */

static void
vod_asc_extension(vod_asc_t *asc, vod_bits_t *bits)
{
    if (bits->failed || vod_bits_left(bits) < 16
        || vod_bits_get(bits, 11) != VOD_ASC_SYNC_SBR
        || vod_asc_object(bits) != VOD_AOT_SBR
        || vod_bits_get(bits, 1) == 0)
    {
        return;
    }

    asc->sbr = 1;
    asc->sbr_rate = vod_asc_rate(bits, 4);

    if (vod_bits_left(bits) >= 12 && vod_bits_get(bits, 11) == VOD_ASC_SYNC_PS)
    {
        asc->ps = vod_bits_get(bits, 1);
    }
}
