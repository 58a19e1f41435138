#include <string.h>

#include "vod_codec_int.h"


static unsigned vod_xiph_layout(unsigned channels);


/*
 * OpusSpecificBox (Encapsulation of Opus in ISO Base Media File Format,
 * 4.3.2); Opus decodes to 48 kHz whatever went in.
 */

int
vod_codec_opus(vod_entry_t *e, vod_rd_t body)
{
    unsigned      version, channels, family;
    vod_track_t  *track;

    track = e->track;

    version = vod_rd_u8(&body);
    channels = vod_rd_u8(&body);
    vod_rd_skip(&body, 8);                  /* PreSkip, rate, OutputGain */
    family = vod_rd_u8(&body);

    if (family) {
        vod_rd_skip(&body, 2 + (uint64_t) channels);
    }

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    if (version != 0 || channels == 0 || (family == 0 && channels > 2)) {
        return vod_entry_damaged(e, "contradicts itself");
    }

    memcpy(track->codec, "Opus", 5);

    track->sample_rate = 48000;
    track->channels = channels;
    track->channel_layout = family <= 1 ? vod_xiph_layout(channels) : 0;

    return VOD_OK;
}


/* FLACSpecificBox: STREAMINFO comes first (Encapsulation of FLAC, 3.3.2) */

int
vod_codec_flac(vod_entry_t *e, vod_rd_t body)
{
    uint32_t      rate;
    unsigned      header, len, bits;
    vod_track_t  *track;

    track = e->track;

    vod_rd_skip(&body, 4);                  /* version, flags */
    header = vod_rd_u8(&body);
    len = vod_rd_u24(&body);
    vod_rd_skip(&body, 10);                 /* block and frame sizes */
    rate = vod_rd_u24(&body);
    bits = vod_rd_u8(&body);
    vod_rd_skip(&body, 20);                 /* samples, MD5 */

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    if ((header & 0x7f) != 0 || len != 34) {
        return vod_entry_damaged(e, "does not begin with STREAMINFO");
    }

    memcpy(track->codec, "fLaC", 5);

    /* 20 bits of rate, 3 of channels - 1, 5 of bits a sample - 1 */

    track->sample_rate = rate >> 4;
    track->channels = ((rate >> 1) & 7) + 1;
    track->bit_depth = (uint8_t) (((rate & 1) << 4 | bits >> 4) + 1);
    track->channel_layout = vod_xiph_layout(track->channels);

    return VOD_OK;
}


/*
 * CICP layout of the channel orders that FLAC and Vorbis (and with it Opus)
 * define for this many channels; both put the surround pair of four behind.
 */

static unsigned
vod_xiph_layout(unsigned channels)
{
    static const uint8_t  layouts[] = { 0, 1, 2, 3, 10, 5, 6, 11, 12 };

    return channels < sizeof(layouts) ? layouts[channels] : 0;
}
