/*
 * Sample entries made of what other containers have, against those that
 * ffmpeg made of the same streams; payload as ISO BMFF has it; and what a
 * sample says of itself.
 */

#include "vod_config.h"

#include "configs.h"
#include "entry.h"


#define CASE(id, stream, box, string)                                         \
    { id, #stream, box, NULL, 0, stream ## _sample, sizeof(stream ## _sample),\
      stream ## _box, sizeof(stream ## _box), string }

#define CASE_CONFIG(id, stream, box, string)                                  \
    { id, #stream, box, stream ## _config, sizeof(stream ## _config),         \
      stream ## _sample, sizeof(stream ## _sample),                           \
      stream ## _box, sizeof(stream ## _box), string }


typedef struct {
    vod_codec_id_t  codec;
    const char     *name;
    const char     *box;
    const uint8_t  *config;
    size_t          config_len;
    const uint8_t  *sample;
    size_t          sample_len;
    const uint8_t  *expected;
    size_t          expected_len;
    const char     *string;     /* RFC 6381 */
} case_t;

typedef struct {
    int        rc;
    unsigned   convert;
    uint8_t    out[ENTRY_MAX];
    uint64_t   len;
    vod_err_t  err;
} made_t;


static made_t   made;
static entry_t  entry;

static const case_t  cases[] = {
    CASE(VOD_CODEC_AVC, avc, "avcC", "avc1.64000a"),
    CASE(VOD_CODEC_AVC, avc422, "avcC", "avc1.7a000a"),
    CASE(VOD_CODEC_AVC, avcbase, "avcC", "avc1.42c00a"),
    CASE(VOD_CODEC_HEVC, hevc, "hvcC", "hvc1.2.4.L30.90"),
    CASE(VOD_CODEC_HEVC, hevcrext, "hvcC", "hvc1.4.10.L60.9C.8"),
    CASE(VOD_CODEC_AV1, av1, "av1C", "av01.0.00M.08"),
    CASE(VOD_CODEC_VP9, vp9, "vpcC", "vp09.00.10.08"),
    CASE(VOD_CODEC_VP9, vp92, "vpcC", "vp09.02.10.10.01.02.02.09.00"),
    CASE(VOD_CODEC_AC3, ac3, "dac3", "ac-3"),
    CASE(VOD_CODEC_AC3, ac351, "dac3", "ac-3"),
    CASE(VOD_CODEC_EAC3, eac3, "dec3", "ec-3"),
    CASE_CONFIG(VOD_CODEC_OPUS, opus, "dOps", "Opus"),
    CASE_CONFIG(VOD_CODEC_OPUS, opus1, "dOps", "Opus"),
    CASE_CONFIG(VOD_CODEC_FLAC, flac, "dfLa", "fLaC"),
    CASE_CONFIG(VOD_CODEC_ALAC, alac, "alac", "alac"),
};


static void
make(const vod_config_t *in)
{
    vod_wr_t  wr;

    memset(&made, 0, sizeof(made_t));
    vod_wr_init(&wr, made.out, sizeof(made.out));
    made.rc = vod_config_entry(in, &wr, &made.convert, &made.err);
    made.len = wr.len;
}


/* the child box of the entry made, without size and type */

static int
child(const uint8_t *data, uint64_t len, uint64_t head, const char *type,
    vod_rd_t *body)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    vod_rd_init(&rd, data, len);
    vod_rd_skip(&rd, head);

    while (vod_rd_box(&rd, &box) == 1) {
        if (box.type == entry_type(type)) {
            *body = box.body;
            return 1;
        }
    }

    return 0;
}


static void
test_like_ffmpeg(void)
{
    size_t        i;
    vod_rd_t      body;
    vod_config_t  in;
    const case_t *c;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        c = &cases[i];
        memset(&body, 0, sizeof(vod_rd_t));
        memset(&in, 0, sizeof(vod_config_t));
        in.codec = c->codec;
        in.config = c->config;
        in.config_len = c->config_len;
        in.sample = c->sample;
        in.sample_len = c->sample_len;

        make(&in);

        is_int(made.rc, VOD_OK, "%s: %s", c->name, made.err.text);

        if (!ok(child(made.out, made.len, c->codec < VOD_CODEC_AAC ? 86 : 36,
                      c->box, &body), "%s has %s", c->name, c->box))
        {
            continue;
        }

        is_int(vod_rd_left(&body), c->expected_len, "of ffmpeg's length");

        if (vod_rd_left(&body) == c->expected_len) {
            is_mem(body.pos, c->expected, c->expected_len, "and bytes");
        }

        entry_run(&entry, c->codec < VOD_CODEC_AAC ? VOD_VIDEO : VOD_AUDIO,
                  made.out, made.len);
        is_int(entry.rc, VOD_OK, "which is taken: %s", entry.err.text);
        is_str(entry.track.codec, c->string, "its codec string");
    }
}


int
main(void)
{
    test_like_ffmpeg();

    return done_testing();
}
