#include <string.h>

#include "vod_codec.h"


void
vod_codec_first_sample(vod_track_t *track, const uint8_t *data, uint64_t len)
{
    unsigned  version, layer, rate, mono;

    static const uint16_t  rates[] = { 44100, 48000, 32000 };

    if (strcmp(track->codec, "mp4a.6B") != 0
        && strcmp(track->codec, "mp4a.69") != 0)
    {
        return;
    }

    if (len < 4 || data[0] != 0xff || (data[1] & 0xe0) != 0xe0) {
        return;
    }

    version = (data[1] >> 3) & 3;       /* 0 is 2.5, 1 reserved, 2, 3 is 1 */
    layer = (data[1] >> 1) & 3;         /* 0 reserved */
    rate = (data[2] >> 2) & 3;
    mono = (data[3] >> 6) == 3;

    if (version == 1 || layer == 0 || rate == 3) {
        return;
    }

    track->sample_rate = (uint32_t) rates[rate]
                         >> (version == 3 ? 0 : version == 2 ? 1 : 2);
    track->channels = mono ? 1 : 2;
    track->channel_layout = track->channels;
}
