/*
 * Configurations of other containers: the entry made is measured as it is
 * written, and samples are converted within their bound.
 */

#include "fuzz.h"

#include "vod_codec.h"
#include "vod_config.h"


static void
samples(unsigned convert, vod_codec_id_t codec, const uint8_t *entry,
    uint64_t entry_len, const uint8_t *data, size_t size)
{
    uint8_t   *out;
    uint32_t   rate;
    uint64_t   bound, len, again;

    bound = vod_config_bound(convert, size);
    out = malloc(bound ? bound : 1);
    fuzz_must(out != NULL);

    if (vod_config_convert(convert, entry, entry_len, data, size, NULL, &len)
        == VOD_OK)
    {
        fuzz_must(len <= bound);
        fuzz_must(vod_config_convert(convert, entry, entry_len, data, size,
                                     out, &again) == VOD_OK);
        fuzz_must(len == again);

        (void) vod_config_sync(codec, out, len);
        (void) vod_config_frame(codec, entry, entry_len, out, len, &rate);
    }

    (void) vod_config_reorder(entry, entry_len);

    free(out);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t        head[8], *config, *sample, *entry;
    unsigned       convert;
    vod_wr_t       wr;
    vod_err_t      err;
    vod_config_t   in;

    memset(&in, 0, sizeof(in));
    fuzz_take(&data, &size, head, sizeof(head));

    in.codec = (vod_codec_id_t) (head[0] % (VOD_CODEC_VORBIS + 1));
    in.config_len = head[1] < size ? head[1] : size;
    in.sample_len = size - in.config_len;
    in.width = head[2] * 16u;
    in.height = head[3] * 16u;
    in.sample_rate = (head[4] & 1) ? 48000 : head[4] * 441u;
    in.channels = head[5];
    in.bits = head[6];
    in.range = head[7] & 1;

    config = fuzz_copy(data, in.config_len);
    sample = fuzz_copy(data + in.config_len, in.sample_len);
    in.config = config;
    in.sample = sample;

    vod_wr_init(&wr, NULL, 0);

    if (vod_config_entry(&in, &wr, &convert, &err) == VOD_OK) {
        entry = malloc(wr.len ? wr.len : 1);
        fuzz_must(entry != NULL);

        vod_wr_init(&wr, entry, wr.len);
        fuzz_must(vod_config_entry(&in, &wr, &convert, &err) == VOD_OK);
        fuzz_must(!wr.overflow && wr.len == wr.size);

        samples(convert, in.codec, entry, wr.len, sample, in.sample_len);
        free(entry);

    } else {
        fuzz_must(wr.len == 0 && err.text[0]);
    }

    free(config);
    free(sample);

    return 0;
}
