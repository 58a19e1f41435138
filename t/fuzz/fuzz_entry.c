/*
 * Sample entries: one that is accepted is written as long as it was measured,
 * and is accepted again as it was written.
 */

#include "fuzz.h"

#include "vod_codec.h"


static void
entry(unsigned kind, const uint8_t *data, size_t size)
{
    int          rc;
    uint8_t     *out;
    uint64_t     len;
    vod_wr_t     wr;
    vod_err_t    err;
    vod_track_t  track, again;

    memset(&track, 0, sizeof(track));
    track.kind = (uint8_t) kind;
    again = track;

    vod_wr_init(&wr, NULL, 0);

    if (vod_codec_entry(&track, data, size, &wr, &err) != VOD_OK) {
        fuzz_must(wr.len == 0 && err.text[0]);
        return;
    }

    len = wr.len;
    out = malloc(len ? len : 1);
    fuzz_must(out != NULL);

    vod_wr_init(&wr, out, len);
    rc = vod_codec_entry(&track, data, size, &wr, &err);
    fuzz_must(rc == VOD_OK && wr.len == len && !wr.overflow);
    fuzz_must(memchr(track.codec, 0, sizeof(track.codec)) && track.codec[0]);

    if (kind == VOD_VIDEO) {
        fuzz_must(track.sar_num && track.sar_den);
        fuzz_must(track.width && track.height);

    } else {
        fuzz_must(track.channels && track.sample_rate);
    }

    vod_wr_init(&wr, NULL, 0);
    rc = vod_codec_entry(&again, out, len, &wr, &err);
    fuzz_must(rc == VOD_OK && strcmp(again.codec, track.codec) == 0);

    free(out);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t   kind;
    uint8_t  *p;

    fuzz_take(&data, &size, &kind, 1);

    p = fuzz_copy(data, size);
    entry((kind & 1) ? VOD_AUDIO : VOD_VIDEO, p, size);
    free(p);

    return 0;
}
