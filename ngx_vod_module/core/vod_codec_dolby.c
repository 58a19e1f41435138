#include <string.h>

#include "vod_codec_int.h"


/* bits of the custom channel map (ETSI TS 102 366, E.1.3.1.8) */
#define VOD_DOLBY_L    0x8000u
#define VOD_DOLBY_C    0x4000u
#define VOD_DOLBY_R    0x2000u
#define VOD_DOLBY_LS   0x1000u
#define VOD_DOLBY_RS   0x0800u
#define VOD_DOLBY_LRS  0x0200u      /* Lrs/Rrs pair */
#define VOD_DOLBY_CS   0x0100u
#define VOD_DOLBY_TS   0x0080u
#define VOD_DOLBY_LW   0x0020u      /* Lw/Rw pair */
#define VOD_DOLBY_LVH  0x0010u      /* Lvh/Rvh pair */
#define VOD_DOLBY_LFE2 0x0002u
#define VOD_DOLBY_LFE  0x0001u

/* those that stand for two channels */
#define VOD_DOLBY_PAIRS  0x0674u


static int vod_dolby_rate(vod_entry_t *e, unsigned fscod, unsigned bsid);
static unsigned vod_dolby_acmod(unsigned acmod, unsigned lfe);
static void vod_dolby_layout(vod_track_t *track, unsigned mask);


/* AC3SpecificBox (TS 102 366, F.4) */

int
vod_codec_ac3(vod_entry_t *e, vod_rd_t body)
{
    unsigned    fscod, bsid, acmod, lfe;
    vod_bits_t  bits;

    vod_bits_init(&bits, body.pos, vod_rd_left(&body), 0);

    fscod = vod_bits_get(&bits, 2);
    bsid = vod_bits_get(&bits, 5);
    vod_bits_skip(&bits, 3);                /* bsmod */
    acmod = vod_bits_get(&bits, 3);
    lfe = vod_bits_get(&bits, 1);
    vod_bits_skip(&bits, 5 + 5);            /* bit rate, reserved */

    if (bits.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    memcpy(e->track->codec, "ac-3", 5);
    vod_dolby_layout(e->track, vod_dolby_acmod(acmod, lfe));

    return vod_dolby_rate(e, fscod, bsid);
}


/*
 * EC3SpecificBox (F.6): the first independent substream and the channels
 * that its dependent ones add are what is heard; more independent substreams
 * are other programmes.
 */

int
vod_codec_eac3(vod_entry_t *e, vod_rd_t body)
{
    unsigned    i, n, fscod, bsid, acmod, lfe, dependent, more, mask, location;
    vod_bits_t  bits;

    vod_bits_init(&bits, body.pos, vod_rd_left(&body), 0);

    vod_bits_skip(&bits, 13);               /* data_rate */
    n = vod_bits_get(&bits, 3) + 1;

    fscod = bsid = mask = 0;

    for (i = 0; i < n; i++) {

        fscod = i ? fscod : vod_bits_get(&bits, 2);
        bsid = i ? bsid : vod_bits_get(&bits, 5);
        vod_bits_skip(&bits, i ? 7 + 5 : 5);
        acmod = vod_bits_get(&bits, 3);
        lfe = vod_bits_get(&bits, 1);
        vod_bits_skip(&bits, 3);
        dependent = vod_bits_get(&bits, 4);
        more = vod_bits_get(&bits, dependent ? 9 : 1);

        if (i || bits.failed) {
            continue;
        }

        mask = vod_dolby_acmod(acmod, lfe);

        if (dependent) {

            /* bit 0 is Lc/Rc, bit 7 Cvh: the map's bits 10 to 3; LFE2 */

            for (location = 0; location < 8; location++) {
                mask |= ((more >> location) & 1) << (10 - location);
            }

            mask |= (more & 0x100) ? VOD_DOLBY_LFE2 : 0;
        }
    }

    if (bits.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    /* joint object coding was added behind the record */

    if (vod_bits_left(&bits) >= 16) {
        vod_bits_skip(&bits, 7);

        if (vod_bits_get(&bits, 1)) {       /* flag_ec3_extension_type_a */
            e->track->joc = vod_bits_get(&bits, 8);
        }
    }

    memcpy(e->track->codec, "ec-3", 5);
    vod_dolby_layout(e->track, mask);

    return vod_dolby_rate(e, fscod, bsid);
}


static int
vod_dolby_rate(vod_entry_t *e, unsigned fscod, unsigned bsid)
{
    static const uint16_t  rates[] = { 48000, 44100, 32000 };

    if (fscod == 3) {
        return vod_entry_damaged(e, "says a reserved sample rate");
    }

    e->track->sample_rate = rates[fscod];

    /* AC-3 at half and quarter of the rate */

    if (bsid == 9 || bsid == 10) {
        e->track->sample_rate >>= bsid - 8;
    }

    return VOD_OK;
}


static unsigned
vod_dolby_acmod(unsigned acmod, unsigned lfe)
{
    static const uint16_t  masks[] = {
        VOD_DOLBY_L | VOD_DOLBY_R,          /* 1+1, two programmes */
        VOD_DOLBY_C,
        VOD_DOLBY_L | VOD_DOLBY_R,
        VOD_DOLBY_L | VOD_DOLBY_C | VOD_DOLBY_R,
        VOD_DOLBY_L | VOD_DOLBY_R | VOD_DOLBY_CS,
        VOD_DOLBY_L | VOD_DOLBY_C | VOD_DOLBY_R | VOD_DOLBY_CS,
        VOD_DOLBY_L | VOD_DOLBY_R | VOD_DOLBY_LS | VOD_DOLBY_RS,
        VOD_DOLBY_L | VOD_DOLBY_C | VOD_DOLBY_R | VOD_DOLBY_LS | VOD_DOLBY_RS
    };

    return masks[acmod] | (lfe ? VOD_DOLBY_LFE : 0);
}


/* channels and CICP number of a map (TS 102 366, table I.1.1) */

static void
vod_dolby_layout(vod_track_t *track, unsigned mask)
{
    unsigned  i, front, surround;

    track->dolby_layout = mask;
    track->channels = 0;

    for (i = 0; i < 16; i++) {
        if (mask & (1u << i)) {
            track->channels += (VOD_DOLBY_PAIRS & (1u << i)) ? 2 : 1;
        }
    }

    front = VOD_DOLBY_L | VOD_DOLBY_C | VOD_DOLBY_R;
    surround = front | VOD_DOLBY_LS | VOD_DOLBY_RS | VOD_DOLBY_LFE;

    track->channel_layout =
        mask == VOD_DOLBY_C ? 1
        : mask == (VOD_DOLBY_L | VOD_DOLBY_R) ? 2
        : mask == front ? 3
        : mask == (front | VOD_DOLBY_CS) ? 4
        : mask == (surround & ~VOD_DOLBY_LFE) ? 5
        : mask == surround ? 6
        : mask == (surround | VOD_DOLBY_LW) ? 7
        : mask == (VOD_DOLBY_L | VOD_DOLBY_R | VOD_DOLBY_CS) ? 9
        : mask == (VOD_DOLBY_L | VOD_DOLBY_R | VOD_DOLBY_LS | VOD_DOLBY_RS)
          ? 10
        : mask == (front | VOD_DOLBY_LRS | VOD_DOLBY_CS | VOD_DOLBY_LFE) ? 11
        : mask == (surround | VOD_DOLBY_LRS) ? 12
        : mask == (surround | VOD_DOLBY_LVH) ? 14
        : 0;
}
