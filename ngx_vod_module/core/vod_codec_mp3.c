#include <string.h>

#include "vod_codec_int.h"


int
vod_mpa_read(vod_mpa_t *mpa, const uint8_t *data, uint64_t len)
{
    unsigned  version, layer, rate;

    static const uint16_t  rates[] = { 44100, 48000, 32000 };

    if (len < 4 || data[0] != 0xff || (data[1] & 0xe0) != 0xe0) {
        return 0;
    }

    version = (data[1] >> 3) & 3;       /* 0 is 2.5, 1 reserved, 2, 3 is 1 */
    layer = 4 - ((data[1] >> 1) & 3);   /* 4 reserved */
    rate = (data[2] >> 2) & 3;

    if (version == 1 || layer == 4 || rate == 3) {
        return 0;
    }

    mpa->lower = (version != 3);
    mpa->layer = layer;
    mpa->rate = (uint32_t) rates[rate]
                >> (version == 3 ? 0 : version == 2 ? 1 : 2);
    mpa->channels = (data[3] >> 6) == 3 ? 1 : 2;
    mpa->samples = layer == 1 ? 384 : layer == 3 && mpa->lower ? 576 : 1152;

    return 1;
}


void
vod_codec_first_sample(vod_track_t *track, const uint8_t *data, uint64_t len)
{
    vod_mpa_t  mpa;

    if (strcmp(track->codec, "mp4a.6B") != 0
        && strcmp(track->codec, "mp4a.69") != 0)
    {
        return;
    }

    if (vod_mpa_read(&mpa, data, len)) {
        track->sample_rate = mpa.rate;
        track->channels = mpa.channels;
        track->channel_layout = mpa.channels;
    }
}
