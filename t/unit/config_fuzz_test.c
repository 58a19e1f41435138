/*
 * What containers say, cut off, changed, or nonsense: every function answers,
 * nothing is read or written beyond its end (all copies are of their own
 * size, and the sanitizers look), what was measured is what is written, and
 * nothing is made that vod_codec_entry() has no answer to.
 */

#include "config_made.h"
#include "configs.h"


#define SEED(id, stream)                                                      \
    { id, NULL, 0, stream ## _sample, sizeof(stream ## _sample) }

#define SEED_BOX(id, stream)                                                  \
    { id, stream ## _box, sizeof(stream ## _box), stream ## _sample,          \
      sizeof(stream ## _sample) }

#define SEED_CONFIG(id, stream)                                               \
    { id, stream ## _config, sizeof(stream ## _config), stream ## _sample,    \
      sizeof(stream ## _sample) }


typedef struct {
    vod_codec_id_t  codec;
    const uint8_t  *config;
    size_t          config_len;
    const uint8_t  *sample;
    size_t          sample_len;
} seed_t;


static made_t    made;
static entry_t   entry;
static unsigned  runs, accepted, bad;

static const seed_t  seeds[] = {
    SEED(VOD_CODEC_AVC, avc),
    SEED(VOD_CODEC_AVC, avc422),
    SEED_BOX(VOD_CODEC_AVC, avc),
    SEED_BOX(VOD_CODEC_AVC, avcbase),
    SEED(VOD_CODEC_HEVC, hevc),
    SEED(VOD_CODEC_HEVC, hevcrext),
    SEED_BOX(VOD_CODEC_HEVC, hevc),
    SEED(VOD_CODEC_AV1, av1),
    SEED_BOX(VOD_CODEC_AV1, av1),
    SEED(VOD_CODEC_VP8, vp8),
    SEED(VOD_CODEC_VP9, vp9),
    SEED(VOD_CODEC_VP9, vp92),
    { VOD_CODEC_MPEG4, mpeg4_box + 35, 31, mpeg4_sample,
      sizeof(mpeg4_sample) },
    SEED(VOD_CODEC_AAC, aac),
    SEED(VOD_CODEC_AAC, aacquad),
    SEED_BOX(VOD_CODEC_AAC, aacquad),
    { VOD_CODEC_AAC, aac_box + 4, sizeof(aac_box) - 4, aac_mp4,
      sizeof(aac_mp4) },
    SEED(VOD_CODEC_MP3, mp3),
    SEED(VOD_CODEC_AC3, ac3),
    SEED(VOD_CODEC_AC3, ac351),
    SEED(VOD_CODEC_EAC3, eac3),
    SEED(VOD_CODEC_DTS, dts),
    SEED_CONFIG(VOD_CODEC_OPUS, opus),
    SEED_CONFIG(VOD_CODEC_FLAC, flac),
    SEED_CONFIG(VOD_CODEC_ALAC, alac),
};


/* the sample through what the entry asks for, and what is said of it */

static void
check_sample(vod_codec_id_t codec, unsigned convert, const uint8_t *data,
    size_t len)
{
    int       rc;
    uint8_t  *in, *out;
    uint32_t  rate, frame;
    uint64_t  measured, written, bound;

    in = made_copy(data, len);
    bound = vod_config_bound(convert, len);
    out = malloc(bound ? bound : 1);

    measured = written = 0;
    rc = vod_config_convert(convert, made.out, made.len, in, len, NULL,
                            &measured);

    bad += (vod_config_convert(convert, made.out, made.len, in, len, out,
                               &written) != rc);

    if (rc == VOD_OK) {
        bad += (measured != written || written > bound);
        rc = vod_config_sync(codec, out, written);
        bad += (rc < -1 || rc > 1);
    }

    frame = vod_config_frame(codec, made.out, made.len, in, len, &rate);
    bad += (frame > 65536 && codec != VOD_CODEC_ALAC);

    rc = vod_config_sync(codec, in, len);
    bad += (rc < -1 || rc > 1);

    free(in);
    free(out);
}


static void
check(const seed_t *seed)
{
    int           reorder;
    vod_config_t  in;

    static const uint8_t  boxes[24] = { 1, 0, 0x10, 0x35, 0x10 };

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = seed->codec;
    in.config = seed->config;
    in.config_len = seed->config_len;
    in.sample = seed->sample;
    in.sample_len = seed->sample_len;

    if (runs++ & 1) {
        in.width = 640;
        in.height = 360;
        in.sample_rate = 48000;
        in.channels = 2;
        in.primaries = 9;
        in.mdcv = boxes;
        in.dovi = boxes;
    }

    made_run(&made, &in);

    bad += (made.measured != made.len && made.rc == VOD_OK);

    if (made.rc != VOD_OK) {
        bad += (made.len != 0 || made.err.text[0] == '\0'
                || made.convert != VOD_CONVERT_NONE
                || (made.rc != VOD_DAMAGED && made.rc != VOD_UNSUPPORTED
                    && made.rc != VOD_LIMIT));
        check_sample(in.codec, 1 + runs % 4, in.sample, in.sample_len);
        return;
    }

    accepted++;

    reorder = vod_config_reorder(made.out, made.len);
    bad += (reorder < -1 || reorder > 16);

    check_sample(in.codec, made.convert, in.sample, in.sample_len);

    entry_run(&entry, made_is_video(in.codec) ? VOD_VIDEO : VOD_AUDIO,
              made.out, made.len);

    bad += (entry.rc != VOD_OK && entry.err.text[0] == '\0');

    if (entry.rc == VOD_OK) {

        /* from now on the written entry counts */

        memcpy(made.out, entry.out, entry.len);
        made.len = entry.len;
        check_sample(in.codec, made.convert, in.sample, in.sample_len);
    }
}


static void
test_truncations(void)
{
    size_t    n;
    seed_t    seed;
    unsigned  i;

    for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {

        for (n = 0; n < seeds[i].config_len; n++) {
            seed = seeds[i];
            seed.config_len = n;
            check(&seed);
            seed.sample = NULL;
            seed.sample_len = 0;
            check(&seed);
        }

        for (n = 0; n < seeds[i].sample_len; n++) {
            seed = seeds[i];
            seed.sample_len = n;
            check(&seed);
            seed.config = NULL;
            seed.config_len = 0;
            check(&seed);
        }
    }
}


/* every bit of what is read in turn; then several at random places */

static void
test_changes(void)
{
    size_t    n, at, len;
    seed_t    seed;
    uint8_t   config[256], sample[1024];
    uint64_t  state;
    unsigned  i, j, k;

    state = 20250704;

    for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {

        seed = seeds[i];
        seed.config = seed.config ? config : NULL;
        seed.sample = sample;
        len = seeds[i].config_len;

        for (n = 0; n < 8 * (len + 64) + 2000; n++) {

            if (len) {
                memcpy(config, seeds[i].config, len);
            }

            memcpy(sample, seeds[i].sample, seeds[i].sample_len);

            k = n < 8 * (len + 64) ? 1 : 2 + (unsigned) (n & 7);

            for (j = 0; j < k; j++) {

                at = k == 1 ? n : (size_t) (tap_rand(&state) >> 16)
                                  % (8 * (len + 64));

                if (at < 8 * len) {
                    config[at / 8] ^= (uint8_t) (0x80u >> (at & 7));

                } else if ((at = at / 8 - len) < seeds[i].sample_len) {
                    sample[at] ^= (uint8_t) (0x80u >> (n & 7));
                }
            }

            check(&seed);
        }
    }
}


/* bytes of no sense for every codec, and those of another one */

static void
test_nonsense(void)
{
    size_t    n;
    seed_t    seed;
    uint8_t   config[64], sample[128];
    uint64_t  state;
    unsigned  i, j, codec;

    state = 4;

    for (codec = VOD_CODEC_NONE; codec <= VOD_CODEC_VORBIS; codec++) {

        seed.codec = (vod_codec_id_t) codec;

        for (n = 0; n < 2000; n++) {

            for (i = 0; i < sizeof(config); i++) {
                config[i] = (uint8_t) (tap_rand(&state) >> 32);
            }

            for (i = 0; i < sizeof(sample); i++) {
                j = (unsigned) (tap_rand(&state) >> 32);
                sample[i] = (uint8_t) (j & 0x100 ? j : (j & 1));
            }

            config[0] = n & 1 ? 1 : config[0];
            seed.config = n & 2 ? config : NULL;
            seed.config_len = n & 2 ? n % sizeof(config) : 0;
            seed.sample = sample;
            seed.sample_len = n % sizeof(sample);
            check(&seed);
        }

        for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
            seed = seeds[i];
            seed.codec = (vod_codec_id_t) codec;
            check(&seed);
        }
    }
}


/* more parameter sets than are kept, one that is too long */

static void
test_limits(void)
{
    static uint8_t  sample[80000];

    size_t        n;
    unsigned      i;
    vod_config_t  in;

    for (n = 0, i = 0; i < 100; i++) {
        memcpy(sample + n, "\0\0\1\150", 4);
        sample[n + 4] = (uint8_t) (i + 1);
        n += 5;
    }

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_AVC;
    in.sample = sample;
    in.sample_len = n;
    made_run(&made, &in);
    is_int(made.rc, VOD_LIMIT, "100 parameter sets");

    memset(sample, 0x68, sizeof(sample));
    memcpy(sample, "\0\0\0\1", 4);
    in.sample_len = sizeof(sample);
    made_run(&made, &in);
    is_int(made.rc, VOD_LIMIT, "a parameter set of 79996 bytes: %s",
           made.err.text);
}


int
main(void)
{
    test_limits();
    test_truncations();
    test_changes();
    test_nonsense();

    is_int(bad, 0, "of %u inputs, %u accepted, no answer is wrong", runs,
           accepted);
    ok(runs > 50000 && accepted > 10000, "of both kinds enough");

    return done_testing();
}
