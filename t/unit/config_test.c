/*
 * Sample entries made of what other containers have, against those that
 * ffmpeg made of the same streams; payload as ISO BMFF has it; and what a
 * sample says of itself.
 */

#include "config_made.h"
#include "configs.h"
#include "entries.h"


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

static made_t   made, before;
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

        made_run(&made, &in);

        is_int(made.rc, VOD_OK, "%s: %s", c->name, made.err.text);
        is_int(made.measured, made.len, "what was measured was written");

        if (!ok(made_child(&made, c->codec, c->box, &body), "%s has %s",
                c->name, c->box))
        {
            continue;
        }

        is_int(vod_rd_left(&body), c->expected_len, "of ffmpeg's length");

        if (vod_rd_left(&body) == c->expected_len) {
            is_mem(body.pos, c->expected, c->expected_len, "and bytes");
        }

        entry_run(&entry, made_is_video(c->codec) ? VOD_VIDEO : VOD_AUDIO,
                  made.out, made.len);
        is_int(entry.rc, VOD_OK, "which is taken: %s", entry.err.text);
        is_str(entry.track.codec, c->string, "its codec string");

        if (made_is_video(c->codec)) {
            is_int(entry.track.width, strcmp(c->name, "hevcrext") ? 64 : 256,
                   "the width that the stream says");
        }
    }
}


/* an avcC, hvcC, av1C is carried as it is */

static void
test_records(void)
{
    unsigned      i;
    vod_rd_t      body;
    vod_config_t  in;

    static const struct {
        vod_codec_id_t  codec;
        const char     *box;
        const uint8_t  *data;
        size_t          len;
        const char     *string;
    } records[] = {
        { VOD_CODEC_AVC, "avcC", avc_box, sizeof(avc_box), "avc1.64000a" },
        { VOD_CODEC_HEVC, "hvcC", hevc_box, sizeof(hevc_box),
          "hvc1.2.4.L30.90" },
        { VOD_CODEC_AV1, "av1C", av1_box, sizeof(av1_box), "av01.0.00M.08" },
    };

    for (i = 0; i < sizeof(records) / sizeof(records[0]); i++) {

        memset(&in, 0, sizeof(vod_config_t));
        in.codec = records[i].codec;
        in.config = records[i].data;
        in.config_len = records[i].len;
        in.width = 1920;
        in.height = 800;
        in.sar_num = 4;
        in.sar_den = 3;

        made_run(&made, &in);

        is_int(made.rc, VOD_OK, "%s", records[i].box);
        is_int(made.convert, VOD_CONVERT_NONE, "samples stay as they are");
        ok(made_child(&made, in.codec, records[i].box, &body)
           && vod_rd_left(&body) == records[i].len
           && memcmp(body.pos, records[i].data, records[i].len) == 0,
           "carried as it is");

        entry_run(&entry, VOD_VIDEO, made.out, made.len);
        is_str(entry.track.codec, records[i].string, "codec string");
        is_int(entry.track.width, 1920, "the container's width");
        is_int(entry.track.height, 800, "and height");
        is_int(entry.track.sar_num * 10 + entry.track.sar_den, 43,
               "its pixel aspect ratio");
    }

    /* parameter sets before all, as an Annex B configuration */

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_AVC;
    in.config = avc_sample;
    in.config_len = sizeof(avc_sample);
    made_run(&made, &in);
    is_int(made.rc, VOD_OK, "parameter sets behind start codes");
    is_int(made.convert, VOD_CONVERT_ANNEXB_AVC, "samples are so too");
    ok(made_child(&made, in.codec, "avcC", &body)
       && vod_rd_left(&body) == sizeof(avc_box)
       && memcmp(body.pos, avc_box, sizeof(avc_box)) == 0,
       "the same avcC");
}


/* a record without sets, as that of an avc3 entry; lengths of 2 bytes */

static void
test_sets_in_samples(void)
{
    uint8_t       sample[512];
    size_t        n, at;
    vod_rd_t      body, nal, rd;
    vod_config_t  in;

    static const uint8_t  record[] = { 1, 0x64, 0, 0x0a, 0xfd, 0xe0, 0 };

    /* the sets of ffmpeg's record, behind lengths of two bytes */

    vod_rd_init(&rd, avc_box, sizeof(avc_box));
    vod_rd_skip(&rd, 6);
    nal = vod_rd_sub(&rd, vod_rd_u16(&rd));
    n = 0;
    sample[n++] = 0;
    sample[n++] = (uint8_t) vod_rd_left(&nal);
    memcpy(sample + n, nal.pos, vod_rd_left(&nal));
    n += vod_rd_left(&nal);
    vod_rd_skip(&rd, 1);
    nal = vod_rd_sub(&rd, vod_rd_u16(&rd));
    sample[n++] = 0;
    sample[n++] = (uint8_t) vod_rd_left(&nal);
    memcpy(sample + n, nal.pos, vod_rd_left(&nal));
    n += vod_rd_left(&nal);
    at = n;
    memcpy(sample + n, "\0\2\145\210", 4);
    n += 4;

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_AVC;
    in.config = record;
    in.config_len = sizeof(record);
    in.sample = sample;
    in.sample_len = n;

    made_run(&made, &in);

    is_int(made.rc, VOD_OK, "sets that the samples have: %s", made.err.text);
    is_int(made.convert, VOD_CONVERT_NONE, "samples stay as they are");

    if (ok(made_child(&made, in.codec, "avcC", &body), "avcC")) {
        is_int(vod_rd_left(&body), sizeof(avc_box), "made of the sample");
        is_int(body.pos[4], 0xfd, "with the lengths that it had");
        is_mem(body.pos + 5, avc_box + 5, sizeof(avc_box) - 5, "and its sets");
    }

    is_int(vod_config_sync(VOD_CODEC_AVC, sample, n), 1,
           "lengths of two bytes: a sync sample");

    in.sample = sample + at;
    in.sample_len = n - at;
    in.width = 64;
    in.height = 48;
    made_run(&made, &in);
    is_int(made.rc, VOD_OK, "sets that nobody has seen yet");
    entry_run(&entry, VOD_VIDEO, made.out, made.len);
    is_str(entry.track.codec, "avc3.64000a", "are announced as such");
}


/* what of an Annex B sample stands in ffmpeg's MP4, but for parameter sets */

static void
test_convert(void)
{
    uint8_t       out[1024], *in;
    uint64_t      len, bound;
    unsigned      i, zeros;
    vod_config_t  config;

    static const struct {
        vod_codec_id_t  codec;
        unsigned        convert;
        const uint8_t  *sample;
        size_t          sample_len;
        const uint8_t  *mp4;
        size_t          mp4_len;
    } samples[] = {
        { VOD_CODEC_AVC, VOD_CONVERT_ANNEXB_AVC, avc_sample,
          sizeof(avc_sample), avc_mp4, sizeof(avc_mp4) },
        { VOD_CODEC_HEVC, VOD_CONVERT_ANNEXB_HEVC, hevc_sample,
          sizeof(hevc_sample), hevc_mp4, sizeof(hevc_mp4) },
        { VOD_CODEC_AAC, VOD_CONVERT_ADTS, aac_sample, sizeof(aac_sample),
          aac_mp4, sizeof(aac_mp4) },
        { VOD_CODEC_AV1, VOD_CONVERT_OBU, av1_sample, sizeof(av1_sample),
          av1_mp4, sizeof(av1_mp4) },
    };

    for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {

        memset(&config, 0, sizeof(vod_config_t));
        config.codec = samples[i].codec;
        config.sample = samples[i].sample;
        config.sample_len = samples[i].sample_len;

        made_run(&made, &config);
        is_int(made.convert, samples[i].convert, "what %s needs",
               vod_config_name(config.codec));

        in = made_copy(config.sample, config.sample_len);
        bound = vod_config_bound(made.convert, config.sample_len);

        is_int(vod_config_convert(made.convert, made.out, made.len, in,
                                  config.sample_len, NULL, &len),
               VOD_OK, "measured");
        ok(len <= bound && bound <= sizeof(out), "within the bound");

        memset(out, 0xee, sizeof(out));
        is_int(vod_config_convert(made.convert, made.out, made.len, in,
                                  config.sample_len, out, &len),
               VOD_OK, "made");
        is_int(out[len], 0xee, "no byte more than measured");
        free(in);

        /*
         * ffmpeg leaves the sets of the first sample where they are, and
         * counts a zero before the next start code to the unit before
         */

        zeros = (config.codec == VOD_CODEC_HEVC);

        ok(samples[i].mp4_len >= len + zeros, "no more than ffmpeg has");
        is_mem(out + 4, samples[i].mp4 + samples[i].mp4_len - zeros - len + 4,
               len - 4, "the bytes that ffmpeg has at the end");

        if (config.codec == VOD_CODEC_AAC || config.codec == VOD_CODEC_AV1) {
            is_int(len, samples[i].mp4_len, "and all of them");

        } else {
            is_int(vod_config_sync(config.codec, out, len), 1,
                   "a sync sample");
        }
    }
}


static void
test_annexb(void)
{
    unsigned  i;
    uint8_t   out[64];
    uint64_t  len;

    static const struct {
        const char  *what;
        unsigned     convert;
        int          rc;
        const char  *in, *out;
    } samples[] = {
        { "start codes of three and four bytes, zeros between",
          VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "00000001 6588 000001 4188 0000000001 0102",
          "00000002 6588 00000002 4188 00000002 0102" },
        { "access unit delimiter and filler go", VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "00000001 09f0 000001 0cff80 000001 6588", "00000002 6588" },
        { "those of H.265 too", VOD_CONVERT_ANNEXB_HEVC, VOD_OK,
          "00000001 460150 000001 4c01ff80 000001 2601af",
          "00000003 2601af" },
        { "emulation prevention stays", VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "00000001 6500000301 00000301", "00000009 650000030100000301" },
        { "units with nothing in them", VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "000001 000001 65", "00000001 65" },
        { "an end of zeros", VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "000001 6580 00000000", "00000002 6580" },
        { "sets that no entry has", VOD_CONVERT_ANNEXB_AVC, VOD_OK,
          "000001 6742 000001 6880 000001 65",
          "00000002 6742 00000002 6880 00000001 65" },
        { "no start code", VOD_CONVERT_ANNEXB_AVC, VOD_DAMAGED, "6588", "" },
        { "lengths instead", VOD_CONVERT_ANNEXB_AVC, VOD_DAMAGED,
          "00000002 6588", "" },
        { "bytes before the first", VOD_CONVERT_ANNEXB_AVC, VOD_DAMAGED,
          "0003 000001 65", "" },
        { "nothing", VOD_CONVERT_ANNEXB_AVC, VOD_OK, "", "" },
        { "ADTS with a check sum", VOD_CONVERT_ADTS, VOD_OK,
          "fff04c80017ffc beef 2110", "2110" },
        { "of another length than it says", VOD_CONVERT_ADTS, VOD_DAMAGED,
          "fff14c80013ffc 211022", "" },
        { "with nothing behind it", VOD_CONVERT_ADTS, VOD_DAMAGED,
          "fff14c8000fffc", "" },
        { "with two frames", VOD_CONVERT_ADTS, VOD_DAMAGED,
          "fff14c80013ffd 2110", "" },
        { "no ADTS", VOD_CONVERT_ADTS, VOD_DAMAGED, "2110045cd001", "" },
        { "temporal delimiters", VOD_CONVERT_OBU, VOD_OK,
          "1200 0a0100 1200 3200", "0a0100 3200" },
        { "a unit that is longer than the sample", VOD_CONVERT_OBU,
          VOD_DAMAGED, "1200 0a0500", "" },
        { "a last unit without a size", VOD_CONVERT_OBU, VOD_OK,
          "1200 30ffff", "30ffff" },
        { "bytes as they are", VOD_CONVERT_NONE, VOD_OK, "0102", "0102" },
        { "a conversion there is not", 77, VOD_DAMAGED, "0102", "" },
    };

    for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {

        uint8_t   in[64], expected[64], *copy;
        unsigned  n, m;

        n = entry_hex(in, samples[i].in);
        m = entry_hex(expected, samples[i].out);
        copy = made_copy(in, n);

        is_int(vod_config_convert(samples[i].convert, NULL, 0, copy, n, out,
                                  &len),
               samples[i].rc, "%s", samples[i].what);

        if (samples[i].rc == VOD_OK) {
            is_int(len, m, "its length");
            is_mem(out, expected, m, "its bytes");
        }

        free(copy);
    }
}


/*
 * Sets that differ from the entry's stay, those that do not go: whatever the
 * sample before was.
 */

static void
test_other_sets(void)
{
    uint8_t       in[64], out[64];
    uint64_t      len;
    unsigned      n;
    vod_config_t  config;

    memset(&config, 0, sizeof(vod_config_t));
    config.codec = VOD_CODEC_AVC;
    config.sample = avc_sample;
    config.sample_len = sizeof(avc_sample);
    made_run(&made, &config);

    /* that entry's picture parameter set, and one that is another's */

    n = entry_hex(in, "00000001 6742 00000001 68ee 00000001 6588");

    is_int(vod_config_convert(made.convert, made.out, made.len, in, n, out,
                              &len), VOD_OK, "other sets");
    is_int(len, 3 * 4 + 6, "stay");
}


static void
sound(vod_codec_id_t codec, const char *config, const uint8_t *sample,
    size_t sample_len, uint32_t rate, uint32_t channels)
{
    uint8_t       bytes[64];
    vod_config_t  in;

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = codec;
    in.config = bytes;
    in.config_len = entry_hex(bytes, config);
    in.sample = sample;
    in.sample_len = sample_len;
    in.sample_rate = rate;
    in.channels = channels;

    if (in.config_len == 0) {
        in.config = NULL;
    }

    made_run(&made, &in);
    entry_run(&entry, VOD_AUDIO, made.out, made.len);
}


/* bytes of DecoderSpecificInfo, where they stand in ffmpeg's esds */

static void
test_aac(void)
{
    vod_rd_t  body;
    uint32_t  rate;

    sound(VOD_CODEC_AAC, "", aac_sample, sizeof(aac_sample), 0, 0);
    is_int(made.rc, VOD_OK, "AAC of an ADTS header: %s", made.err.text);
    is_str(entry.track.codec, "mp4a.40.2", "its codec string");
    is_int(entry.track.sample_rate, 48000, "sample rate");
    is_int(entry.track.channels, 2, "channels");
    ok(made_child(&made, VOD_CODEC_AAC, "esds", &body)
       && memcmp(body.pos + vod_rd_left(&body) - 7, "\5\2\21\220\6\1\2", 7) == 0
       && memcmp(aac_box + sizeof(aac_box) - 9, "\2\21\220\6", 4) == 0,
       "the AudioSpecificConfig of ffmpeg");
    is_int(vod_config_frame(VOD_CODEC_AAC, made.out, made.len, NULL, 0,
                            &rate), 1024, "samples of a frame");
    is_int(rate, 48000, "at this rate");

    sound(VOD_CODEC_AAC, "", aacquad_sample, sizeof(aacquad_sample), 0, 0);
    is_int(made.rc, VOD_OK, "channels by elements: %s", made.err.text);
    is_int(entry.track.channels, 4, "channels");
    ok(made_child(&made, VOD_CODEC_AAC, "esds", &body)
       && memcmp(body.pos + vod_rd_left(&body) - 16,
                 aacquad_box + sizeof(aacquad_box) - 19, 13) == 0,
       "the AudioSpecificConfig of ffmpeg, which has 13 bytes");

    sound(VOD_CODEC_AAC, "1190", NULL, 0, 48000, 2);
    is_int(made.convert, VOD_CONVERT_NONE, "AudioSpecificConfig, bare frames");
    is_str(entry.track.codec, "mp4a.40.2", "its codec string");

    sound(VOD_CODEC_AAC, "1190", aac_sample, sizeof(aac_sample), 48000, 2);
    is_int(made.convert, VOD_CONVERT_ADTS, "with frames of ADTS");

    /* 24 kHz that a decoder makes 48 of: SBR, and PS where mono gets wide */

    sound(VOD_CODEC_AAC, "1310", NULL, 0, 48000, 2);
    is_str(entry.track.codec, "mp4a.40.5", "SBR that is not mentioned");
    is_int(entry.track.sample_rate, 48000, "its rate");
    is_int(entry.track.channels, 2, "channels");
    is_int(vod_config_frame(VOD_CODEC_AAC, made.out, made.len, NULL, 0,
                            &rate), 1024, "samples of a frame");
    is_int(rate, 24000, "of the core");

    sound(VOD_CODEC_AAC, "1308", NULL, 0, 48000, 2);
    is_str(entry.track.codec, "mp4a.40.29", "and parametric stereo");
    is_int(entry.track.channels, 2, "channels");

    sound(VOD_CODEC_AAC, "1308", NULL, 0, 48000, 1);
    is_str(entry.track.codec, "mp4a.40.5", "mono stays mono");
    is_int(entry.track.channels, 1, "channels");

    sound(VOD_CODEC_AAC, "1310", NULL, 0, 24000, 2);
    is_str(entry.track.codec, "mp4a.40.2", "no SBR at its own rate");

    sound(VOD_CODEC_AAC, "03 19 0000 00 04 11 40 15 000000 00000000 00000000 "
          "05 02 1190 060102", NULL, 0, 0, 0);
    is_int(made.rc, VOD_OK, "descriptors: %s", made.err.text);
    is_str(entry.track.codec, "mp4a.40.2", "its codec string");

    sound(VOD_CODEC_AAC, "", NULL, 0, 48000, 2);
    is_int(made.rc, VOD_DAMAGED, "nothing at all");
    is_str(made.err.text, "AAC with no configuration, and no ADTS header "
           "before its first frame", "the reason");
    is_int(made.len, 0, "nothing was written");
}


static void
test_mpeg_audio(void)
{
    uint32_t  rate;

    sound(VOD_CODEC_MP3, "", mp3_sample, sizeof(mp3_sample), 0, 0);
    is_str(entry.track.codec, "mp4a.6B", "MP3");
    is_int(entry.track.sample_rate, 48000, "sample rate");
    is_int(entry.track.channels, 2, "channels");
    is_int(vod_config_frame(VOD_CODEC_MP3, NULL, 0, mp3_sample, 4, &rate),
           1152, "samples of a frame");
    is_int(rate, 48000, "rate");

    sound(VOD_CODEC_MP3, "", mp3low_sample, sizeof(mp3low_sample), 0, 0);
    is_str(entry.track.codec, "mp4a.69", "MP3 of MPEG-2");
    is_int(entry.track.sample_rate, 22050, "sample rate");
    is_int(entry.track.channels, 1, "channels");
    is_int(vod_config_frame(VOD_CODEC_MP3, NULL, 0, mp3low_sample, 4, &rate),
           576, "samples of a frame");

    sound(VOD_CODEC_MP3, "", mp2_sample, sizeof(mp2_sample), 0, 0);
    is_str(entry.track.codec, "mp4a.6B", "layer 2");
    is_int(vod_config_frame(VOD_CODEC_MP3, NULL, 0, mp2_sample, 4, &rate),
           1152, "samples of a frame");

    sound(VOD_CODEC_MP3, "", aac_mp4, sizeof(aac_mp4), 48000, 2);
    is_int(made.rc, VOD_DAMAGED, "no header");
}


static void
test_dolby(void)
{
    uint8_t   sample[64];
    uint32_t  rate;
    vod_rd_t  body;

    sound(VOD_CODEC_AC3, "", ac351_sample, sizeof(ac351_sample), 0, 0);
    is_int(entry.track.channels, 6, "AC-3: channels");
    is_int(entry.track.channel_layout, 6, "layout");
    is_int(entry.track.sample_rate, 44100, "sample rate");
    is_int(vod_config_frame(VOD_CODEC_AC3, NULL, 0, ac351_sample,
                            sizeof(ac351_sample), &rate),
           1536, "samples of a frame");
    is_int(rate, 44100, "rate");

    sound(VOD_CODEC_EAC3, "", eac3_sample, sizeof(eac3_sample), 0, 0);
    is_int(entry.track.channels, 6, "E-AC-3: channels");
    is_int(entry.track.joc, 0, "no objects");
    is_int(vod_config_frame(VOD_CODEC_EAC3, NULL, 0, eac3_sample,
                            sizeof(eac3_sample), &rate),
           1536, "samples of a frame");

    sound(VOD_CODEC_AC3, "", eac3_sample, sizeof(eac3_sample), 0, 0);
    is_str(entry.track.codec, "ec-3", "E-AC-3 under AC-3's name");

    /*
     * 3/2.1 at 448 kbit/s with 2 bytes of addbsi, objects of complexity 16:
     * frmsiz 895, fscod 0, six blocks, acmod 7, lfe, bsid 16, dialnorm 31, no
     * compre, mixmdate, infomdate; addbsie, addbsil 1, 7 bits, the flag, 16
     */

    entry_hex(sample, "0b77 037f 3f 87 c4 60 44 00");
    sample[5] = 0x87;                   /* bsid 16, 3 bits of dialnorm */
    sample[6] = 0xc4;                   /* 2 more, 0 0 0, 1, 00 */
    sample[7] = 0x10;                   /* 0001, 0000 */
    sample[8] = 0x11;                   /* 000, 1, 0001 */
    sample[9] = 0x00;                   /* 0000 */
    sound(VOD_CODEC_EAC3, "", sample, 10, 0, 0);
    is_int(made.rc, VOD_OK, "an additional record: %s", made.err.text);
    is_int(entry.track.joc, 16, "objects, as CHANNELS=\"16/JOC\" has them");
    ok(made_child(&made, VOD_CODEC_EAC3, "dec3", &body)
       && vod_rd_left(&body) == 7
       && memcmp(body.pos, "\016\000\040\017\000\001\020", 7) == 0,
       "dec3 of 448 kbit/s with the extension");

    sound(VOD_CODEC_EAC3, "", NULL, 0, 48000, 6);
    is_int(made.rc, VOD_DAMAGED, "no sample");
}


static void
test_other_sound(void)
{
    uint8_t   one[2];
    uint32_t  rate;
    unsigned  i;

    static const struct {
        uint8_t   toc;
        uint8_t   count;
        uint32_t  frame;
    } packets[] = {
        { 0x00, 0, 480 }, { 0x18, 0, 2880 }, { 0x1b, 2, 5760 },
        { 0x60, 0, 480 }, { 0x68, 0, 960 }, { 0x80, 0, 120 },
        { 0xfc, 0, 960 }, { 0xfd, 0, 1920 }, { 0xff, 6, 5760 },
        { 0xff, 7, 0 }, { 0x03, 0, 0 },
    };

    for (i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
        one[0] = packets[i].toc;
        one[1] = packets[i].count;
        is_int(vod_config_frame(VOD_CODEC_OPUS, NULL, 0, one, 2, &rate),
               packets[i].frame, "Opus packet %02x", packets[i].toc);
    }

    is_int(rate, 48000, "rate of Opus");

    sound(VOD_CODEC_OPUS, "4f70757348656164 01 03 0000 80bb0000 0000 01 02 01",
          NULL, 0, 0, 0);
    is_int(made.rc, VOD_DAMAGED, "a channel mapping that is cut off");

    sound(VOD_CODEC_OPUS, "4f70757348656164 01 09 3801 80bb0000 0000 ff 09 00 "
          "000102030405060708", NULL, 0, 0, 0);
    is_int(made.rc, VOD_OK, "mapping family 255: %s", made.err.text);
    is_int(entry.track.channels, 9, "channels");
    is_int(entry.track.channel_layout, 0, "of no known layout");

    sound(VOD_CODEC_DTS, "", dts_sample, sizeof(dts_sample), 48000, 6);
    is_int(made.rc, VOD_OK, "DTS: %s", made.err.text);
    is_str(entry.track.codec, "dtsc", "its codec string");
    is_int(entry.track.channels, 6, "channels");
    is_int(entry.track.channel_layout, 6, "layout");
    is_int(entry.track.sample_rate, 48000, "sample rate");
    is_int(vod_config_frame(VOD_CODEC_DTS, NULL, 0, dts_sample,
                            sizeof(dts_sample), &rate),
           512, "samples of a frame");

    sound(VOD_CODEC_VORBIS, "", NULL, 0, 48000, 2);
    is_int(made.rc, VOD_UNSUPPORTED, "Vorbis");
    is_str(made.err.text, "Vorbis has no sample entry in ISO BMFF",
           "the reason");
}


/* frames of FLAC and ALAC, whose configuration counts too */

static void
test_frames(void)
{
    uint32_t      rate;
    vod_config_t  in;

    static const uint8_t  short_frame[] = {
        0xff, 0xf8, 0x6b, 0x08, 0x05, 0x63, 0x00
    };

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_FLAC;
    in.config = flac_config;
    in.config_len = sizeof(flac_config);
    made_run(&made, &in);

    is_int(vod_config_frame(in.codec, made.out, made.len, flac_sample,
                            sizeof(flac_sample), &rate),
           (flac_config[0] << 8) + flac_config[1], "FLAC");
    is_int(rate, 96000, "its rate");
    is_int(vod_config_frame(in.codec, made.out, made.len, short_frame,
                            sizeof(short_frame), &rate), 100, "a last frame");

    in.codec = VOD_CODEC_ALAC;
    in.config = alac_config;
    in.config_len = sizeof(alac_config);
    made_run(&made, &in);

    is_int(vod_config_frame(in.codec, made.out, made.len, alac_sample,
                            sizeof(alac_sample), &rate), 4096, "ALAC");
    is_int(rate, 48000, "its rate");
    is_int(vod_config_frame(in.codec, made.out, made.len, (const uint8_t *)
                            "\040\000\020\000\000\002\000\000", 8, &rate),
           256, "a last frame");

    entry_run(&entry, VOD_AUDIO, made.out, made.len);
    is_int(entry.track.bit_depth, 16, "its bit depth");
}


static void
test_other_pictures(void)
{
    uint8_t       joined[256];
    vod_rd_t      body;
    vod_config_t  in;

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_VP8;
    in.sample = vp8_sample;
    in.sample_len = sizeof(vp8_sample);
    made_run(&made, &in);
    entry_run(&entry, VOD_VIDEO, made.out, made.len);

    is_int(made.rc, VOD_OK, "VP8: %s", made.err.text);
    is_str(entry.track.codec, "vp08.00.10.08", "its codec string");
    is_int(entry.track.width, 64, "width");
    is_int(entry.track.height, 48, "height");
    is_int(vod_config_sync(in.codec, vp8_sample, 10), 1, "a key frame");

    in.codec = VOD_CODEC_MPEG4;
    in.config = mpeg4_box + 35;
    in.config_len = 31;
    in.sample = mpeg4_sample;
    in.sample_len = sizeof(mpeg4_sample);
    made_run(&made, &in);
    entry_run(&entry, VOD_VIDEO, made.out, made.len);

    is_int(made.rc, VOD_OK, "MPEG-4 Part 2: %s", made.err.text);
    is_str(entry.track.codec, "mp4v.20.241", "its codec string");
    is_int(entry.track.width, 64, "width");
    is_int(entry.track.height, 48, "height");
    is_int(vod_config_reorder(made.out, made.len), 1, "pictures move by one");
    is_int(vod_config_sync(in.codec, mpeg4_sample, sizeof(mpeg4_sample)), 1,
           "a key frame");
    is_int(vod_config_sync(in.codec, mpeg4_inter, sizeof(mpeg4_inter)), 0,
           "one that is none");
    ok(made_child(&made, in.codec, "esds", &body)
       && body.pos[11] == 0x20 && body.pos[12] == 0x11, "esds of a picture");

    memcpy(joined, in.config, in.config_len);
    memcpy(joined + in.config_len, mpeg4_sample, sizeof(mpeg4_sample));
    in.sample = joined;
    in.sample_len = in.config_len + sizeof(mpeg4_sample);
    in.config = NULL;
    in.config_len = 0;
    before = made;
    made_run(&made, &in);
    ok(made.len == before.len && memcmp(made.out, before.out, made.len) == 0,
       "the same of the headers in the first sample");

    in.codec = VOD_CODEC_MPEG2;
    made_run(&made, &in);
    is_str(made.err.text, "MPEG-2 video is in no CMAF media profile",
           "MPEG-2");
}


static void
test_samples(void)
{
    vod_config_t  in;

    is_int(vod_config_sync(VOD_CODEC_AVC, avc_mp4, sizeof(avc_mp4)), 1,
           "H.264: IDR");
    is_int(vod_config_sync(VOD_CODEC_AVC, avc_inter, sizeof(avc_inter)), 0,
           "none");
    is_int(vod_config_sync(VOD_CODEC_HEVC, hevc_mp4, sizeof(hevc_mp4)), 1,
           "H.265: IDR");
    is_int(vod_config_sync(VOD_CODEC_HEVC, hevc_inter, sizeof(hevc_inter)), 0,
           "none");
    is_int(vod_config_sync(VOD_CODEC_AV1, av1_mp4, sizeof(av1_mp4)), 1,
           "AV1: key frame");
    is_int(vod_config_sync(VOD_CODEC_AV1, av1_inter, sizeof(av1_inter)), 0,
           "none");
    is_int(vod_config_sync(VOD_CODEC_VP9, vp9_sample, sizeof(vp9_sample)), 1,
           "VP9: key frame");
    is_int(vod_config_sync(VOD_CODEC_VP9, (const uint8_t *) "\206", 1), 0,
           "none");
    is_int(vod_config_sync(VOD_CODEC_AVC, avc_mp4, 3), -1, "cut off");
    is_int(vod_config_sync(VOD_CODEC_AAC, aac_mp4, sizeof(aac_mp4)), -1,
           "AAC, where USAC is among it");
    is_int(vod_config_sync(VOD_CODEC_OPUS, opus_sample, 1), 1, "Opus");

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_AVC;
    in.config = avc_box;
    in.config_len = sizeof(avc_box);
    made_run(&made, &in);
    is_int(vod_config_reorder(made.out, made.len), 2,
           "a pyramid of B pictures: 2 frames");

    in.config = avcbase_box;
    in.config_len = sizeof(avcbase_box);
    made_run(&made, &in);
    is_int(vod_config_reorder(made.out, made.len), 0, "Baseline: none");

    in.codec = VOD_CODEC_HEVC;
    in.config = hevc_box;
    in.config_len = sizeof(hevc_box);
    made_run(&made, &in);
    is_int(vod_config_reorder(made.out, made.len), 2, "H.265: 2 frames");

    is_int(vod_config_reorder(entry_aac, 4), -1, "no entry");
}


/* colour, HDR and Dolby Vision that stand beside the stream */

static void
test_beside(void)
{
    vod_rd_t      body;
    vod_config_t  in;

    static const uint8_t  mdcv[24] = { 0x33, 0xc2 };
    static const uint8_t  clli[4] = { 0x03, 0xe8, 0x01, 0x90 };
    static const uint8_t  dv5[24] = { 1, 0, 0x0a, 0x35, 0x00 };
    static const uint8_t  dv81[24] = { 1, 0, 0x10, 0x35, 0x10 };
    static const uint8_t  dv84[24] = { 1, 0, 0x10, 0x35, 0x40 };

    memset(&in, 0, sizeof(vod_config_t));
    in.codec = VOD_CODEC_HEVC;
    in.config = hevc_box;
    in.config_len = sizeof(hevc_box);
    in.primaries = 9;
    in.transfer = 16;
    in.matrix = 9;
    in.mdcv = mdcv;
    in.clli = clli;

    made_run(&made, &in);
    ok(made_child(&made, in.codec, "mdcv", &body)
       && vod_rd_left(&body) == 24 && body.pos[0] == 0x33, "mdcv");
    ok(made_child(&made, in.codec, "clli", &body)
       && vod_rd_left(&body) == 4 && body.pos[3] == 0x90, "clli");
    ok(made_child(&made, in.codec, "colr", &body) && vod_rd_left(&body) == 11
       && memcmp(body.pos, "nclx\0\11\0\20\0\11\0", 11) == 0, "colr");

    entry_run(&entry, VOD_VIDEO, made.out, made.len);
    is_int(entry.track.video_range, VOD_RANGE_PQ, "PQ");
    is_str(entry.track.supplemental, "", "nothing beside it");

    in.dovi = dv81;
    made_run(&made, &in);
    entry_run(&entry, VOD_VIDEO, made.out, made.len);
    is_str(entry.track.codec, "hvc1.2.4.L30.90", "Dolby Vision 8.1");
    is_str(entry.track.supplemental, "dvh1.08.06/db1p", "is supplemental");
    ok(made_child(&made, in.codec, "dvvC", &body), "in dvvC");

    in.dovi = dv84;
    in.transfer = 18;
    made_run(&made, &in);
    entry_run(&entry, VOD_VIDEO, made.out, made.len);
    is_int(entry.track.video_range, VOD_RANGE_HLG, "HLG");
    is_str(entry.track.supplemental, "dvh1.08.06/db4h", "Dolby Vision 8.4");

    in.dovi = dv5;
    made_run(&made, &in);
    entry_run(&entry, VOD_VIDEO, made.out, made.len);
    is_str(entry.track.codec, "dvh1.05.06", "Dolby Vision 5");
    ok(made_child(&made, in.codec, "dvcC", &body), "in dvcC");
    is_int(vod_config_reorder(made.out, made.len), 2, "still H.265");
}


int
main(void)
{
    test_like_ffmpeg();
    test_records();
    test_sets_in_samples();
    test_convert();
    test_annexb();
    test_other_sets();
    test_aac();
    test_mpeg_audio();
    test_dolby();
    test_other_sound();
    test_frames();
    test_other_pictures();
    test_samples();
    test_beside();

    return done_testing();
}
