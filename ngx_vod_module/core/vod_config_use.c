/* what an entry, or a sample by itself, says of samples */

#include <string.h>

#include "vod_config_int.h"


uint64_t
vod_config_bound(unsigned convert, uint64_t size)
{
    switch (convert) {

    case VOD_CONVERT_ANNEXB_AVC:
    case VOD_CONVERT_ANNEXB_HEVC:

        /* the shortest unit has a start code of 3 bytes and one byte */

        return size + size / 4 + 4;
    }

    return size;
}


int
vod_config_convert(unsigned convert, const uint8_t *entry,
    uint64_t entry_len, const uint8_t *in, uint64_t size, uint8_t *out,
    uint64_t *len)
{
    switch (convert) {

    case VOD_CONVERT_NONE:
        break;

    case VOD_CONVERT_ANNEXB_AVC:
        return vod_nal_convert(0, entry, entry_len, in, size, out, len);

    case VOD_CONVERT_ANNEXB_HEVC:
        return vod_nal_convert(1, entry, entry_len, in, size, out, len);

    case VOD_CONVERT_ADTS:
        return vod_adts_convert(in, size, out, len);

    case VOD_CONVERT_OBU:
        return vod_obu_convert(in, size, out, len);

    default:
        return VOD_DAMAGED;
    }

    if (out && size) {
        memcpy(out, in, size);
    }

    *len = size;

    return VOD_OK;
}


uint32_t
vod_config_frame(vod_codec_id_t codec, const uint8_t *entry,
    uint64_t entry_len, const uint8_t *sample, uint64_t size,
    uint32_t *rate)
{
    *rate = 0;

    if (sample == NULL) {
        size = 0;
    }

    switch (codec) {

    case VOD_CODEC_AAC:
        return vod_aac_frame(entry, entry_len, rate);

    case VOD_CODEC_AC3:
        return vod_ac3_frame(sample, size, rate);

    case VOD_CODEC_EAC3:
        return vod_eac3_frame(sample, size, rate);

    case VOD_CODEC_DTS:
        return vod_dts_frame(sample, size, rate);

    case VOD_CODEC_OPUS:
        return vod_opus_frame(sample, size, rate);

    case VOD_CODEC_FLAC:
        return vod_flac_frame(entry, entry_len, sample, size, rate);

    case VOD_CODEC_ALAC:
        return vod_alac_frame(entry, entry_len, sample, size, rate);

    case VOD_CODEC_MP3:
        return vod_mp3_frame(sample, size, rate);

    default:
        return 0;
    }
}


int
vod_config_reorder(const uint8_t *entry, uint64_t entry_len)
{
    vod_rd_t  body;

    if (vod_config_child(entry, entry_len, vod_fourcc('a', 'v', 'c', 'C'),
                         &body))
    {
        return vod_avc_reorder(&body);
    }

    if (vod_config_child(entry, entry_len, vod_fourcc('h', 'v', 'c', 'C'),
                         &body))
    {
        return vod_hevc_reorder(&body);
    }

    switch (vod_config_type(entry, entry_len)) {

    case vod_fourcc('m', 'p', '4', 'v'):
        return vod_config_child(entry, entry_len,
                                vod_fourcc('e', 's', 'd', 's'), &body)
               ? vod_m4v_reorder(&body) : -1;

    case vod_fourcc('a', 'v', '0', '1'):
    case vod_fourcc('d', 'a', 'v', '1'):
    case vod_fourcc('v', 'p', '0', '8'):
    case vod_fourcc('v', 'p', '0', '9'):
        return 0;
    }

    return -1;
}


int
vod_config_sync(vod_codec_id_t codec, const uint8_t *sample, uint64_t size)
{
    if (sample == NULL || size == 0) {
        return -1;
    }

    switch (codec) {

    case VOD_CODEC_AVC:
        return vod_avc_sync(sample, size);

    case VOD_CODEC_HEVC:
        return vod_hevc_sync(sample, size);

    case VOD_CODEC_AV1:
        return vod_av1_sync(sample, size);

    case VOD_CODEC_VP8:
        return !(sample[0] & 1);            /* RFC 6386, 9.1 */

    case VOD_CODEC_MPEG4:
        return vod_m4v_sync(sample, size);

    case VOD_CODEC_VP9:
        return vod_vp9_sync(sample, size);

    case VOD_CODEC_AC3:
    case VOD_CODEC_EAC3:
    case VOD_CODEC_DTS:
    case VOD_CODEC_OPUS:
    case VOD_CODEC_FLAC:
    case VOD_CODEC_ALAC:
    case VOD_CODEC_MP3:
    case VOD_CODEC_VORBIS:
        return 1;

    default:
        return -1;                          /* AAC too: USAC has others */
    }
}
