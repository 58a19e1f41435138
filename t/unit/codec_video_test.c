/* what video sample entries say, and what is written of them */

#include "entries.h"
#include "entry.h"


/* avcC: High, level 3.1, one SPS and PPS of a byte that says nothing */
#define AVCC      "01 64001f ff e1 0001 67 01 0001 68 fdf8f800"

/* hvcC up to the arrays: Main 10, level 5.1 */
#define HVCC      "01 02 20000000 b00000000000 99 f000 fc fd fa fa 0000 0f "
#define HVCC_SETS "03 a00001000140 a10001000142 a20001000144"


static entry_t  e;


static void
test_made_by_ffmpeg(void)
{
    unsigned  i;

    static const struct {
        const uint8_t  *entry;
        size_t          len;
        const char     *codec;
        unsigned        sar_num, sar_den, range, depth;
    } cases[] = {
        { entry_avc, sizeof(entry_avc), "avc1.64000a",
          3, 2, VOD_RANGE_SDR, 8 },
        { entry_avc_mov, sizeof(entry_avc_mov), "avc1.64000a",
          1, 1, VOD_RANGE_SDR, 8 },
        { entry_avc_hlg, sizeof(entry_avc_hlg), "avc1.6e000a",
          1, 1, VOD_RANGE_HLG, 10 },
        { entry_hevc, sizeof(entry_hevc), "hvc1.2.4.L30.90",
          3, 2, VOD_RANGE_PQ, 10 },
        { entry_av1, sizeof(entry_av1), "av01.0.00M.08",
          1, 1, VOD_RANGE_SDR, 8 },
        { entry_av1_pq, sizeof(entry_av1_pq),
          "av01.0.00M.10.0.110.09.16.09.0", 1, 1, VOD_RANGE_PQ, 10 },
        { entry_av1_444, sizeof(entry_av1_444),
          "av01.1.00M.08.0.000.02.02.02.1", 1, 1, VOD_RANGE_SDR, 8 },
        { entry_vp9, sizeof(entry_vp9), "vp09.00.10.08",
          1, 1, VOD_RANGE_SDR, 8 },
        { entry_vp9_pq, sizeof(entry_vp9_pq),
          "vp09.02.10.10.01.09.16.09.00", 1, 1, VOD_RANGE_PQ, 10 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        entry_run(&e, VOD_VIDEO, cases[i].entry, cases[i].len);

        is_int(e.rc, VOD_OK, "%s: %s", cases[i].codec, e.err.text);
        is_str(e.track.codec, cases[i].codec, "codec string");
        is_int(e.track.width, 128, "width");
        is_int(e.track.height, 96, "height");
        is_int(e.track.sar_num, cases[i].sar_num, "pixel width");
        is_int(e.track.sar_den, cases[i].sar_den, "pixel height");
        is_int(e.track.video_range, cases[i].range, "video range");
        is_int(e.track.bit_depth, cases[i].depth, "bit depth");
    }
}


static void
test_carried_whole(void)
{
    int  at;

    /* the name and frame_count are ffmpeg's already: nothing may change */

    entry_run(&e, VOD_VIDEO, entry_avc, sizeof(entry_avc));
    is_int(e.len, sizeof(entry_avc), "an entry of MP4 keeps its length");
    is_mem(e.out, entry_avc, sizeof(entry_avc), "and its bytes");

    entry_run(&e, VOD_VIDEO, entry_av1_pq, sizeof(entry_av1_pq));
    is_mem(e.out, entry_av1_pq, sizeof(entry_av1_pq), "AV1 with colr, fiel");

    entry_run(&e, VOD_VIDEO, entry_hevc, sizeof(entry_hevc));
    is_mem(e.out + 4, "hvc1", 4, "hev1 with all parameter sets becomes hvc1");
    is_int(e.track.fourcc, vod_fourcc('h', 'v', 'c', '1'), "fourcc as written");
    is_mem(e.out + 8, entry_hevc + 8, sizeof(entry_hevc) - 8,
           "and nothing else changes");

    entry_run(&e, VOD_VIDEO, entry_avc_mov, sizeof(entry_avc_mov));
    at = entry_find(&e, "colr");
    ok(at > 0, "colr of QuickTime is carried");
    is_mem(e.out + at - 4, "\0\0\0\023colrnclx\0\1\0\1\0\1\0", 19,
           "nclc has become nclx in limited range");
    is_int(entry_find(&e, "FFMP"), -1, "QuickTime's vendor is not written");
    is_mem(e.out, "\0\0\0\262", 4, "the size counts one byte more");
}


/* an entry whose boxes of this type are made free space */

static void
without(const uint8_t *entry, size_t len, const char *type, uint8_t *buf)
{
    size_t  i;

    memcpy(buf, entry, len);

    for (i = 8; i + 4 <= len; i++) {
        if (memcmp(buf + i, type, 4) == 0) {
            memcpy(buf + i, "free", 4);
        }
    }
}


/* what no box says stands in the stream's own headers */

static void
test_stream_headers(void)
{
    uint8_t  buf[ENTRY_MAX];

    without(entry_avc, sizeof(entry_avc), "pasp", buf);
    entry_run(&e, VOD_VIDEO, buf, sizeof(entry_avc));
    is_int(e.track.sar_num, 3, "H.264: pixel aspect ratio without pasp");
    is_int(e.track.sar_den, 2, "3:2");

    without(entry_avc_hlg, sizeof(entry_avc_hlg), "colr", buf);
    entry_run(&e, VOD_VIDEO, buf, sizeof(entry_avc_hlg));
    is_int(e.track.video_range, VOD_RANGE_HLG, "H.264: HLG without colr");
    is_int(e.track.bit_depth, 10, "bit depth");

    without(entry_hevc, sizeof(entry_hevc), "pasp", buf);
    entry_run(&e, VOD_VIDEO, buf, sizeof(entry_hevc));
    is_int(e.track.sar_num, 3, "HEVC: pixel aspect ratio without pasp");
    is_int(e.track.sar_den, 2, "3:2");

    without(entry_av1_pq, sizeof(entry_av1_pq), "colr", buf);
    entry_run(&e, VOD_VIDEO, buf, sizeof(entry_av1_pq));
    is_int(e.track.video_range, VOD_RANGE_PQ, "AV1: PQ without colr");
    is_str(e.track.codec, "av01.0.00M.10.0.110.09.16.09.0", "codec string");
}


static void
test_avc(void)
{
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", AVCC);
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "avc1.64001f", "codec string from avcC");
    is_int(e.track.sar_num, 1, "square pixels where nothing is said");
    is_int(e.track.sar_den, 1, "square pixels");

    entry_video(&wr, buf, "avc3");
    entry_box(&wr, "avcC", AVCC);
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "avc1.64001f", "avc3 with its sets becomes avc1");

    entry_video(&wr, buf, "avc3");
    entry_box(&wr, "avcC", "01 64001f ff e0 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "avc3.64001f", "avc3 without them stays avc3");
    is_mem(e.out + 4, "avc3", 4, "in the entry too");

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", AVCC);
    entry_box(&wr, "pasp", "00000010 0000000c");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.track.sar_num, 4, "pasp 16:12 is 4:3");
    is_int(e.track.sar_den, 3, "pasp 16:12 is 4:3");

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", AVCC);
    entry_box(&wr, "pasp", "00000000 00000000");
    entry_box(&wr, "free", "aabbcc");
    entry_box(&wr, "clap", "0102");
    entry_box(&wr, "mdcv", "0304");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.track.sar_den, 1, "pasp 0:0 says nothing");
    ok(entry_find(&e, "clap") > 0, "clap is carried");
    ok(entry_find(&e, "mdcv") > 0, "mdcv is carried");
    is_int(entry_find(&e, "free"), -1, "free is not");

    entry_video(&wr, buf, "avc1");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "no avcC");
    is_str(e.err.text, "sample entry avc1: avcC is missing", "reason");
    is_int(e.len, 0, "nothing was written");

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", "01 64001f ff e1 00ff 67");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.err.text, "sample entry avc1: avcC ends within its parameter sets",
           "a set that is cut off");

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", AVCC);
    buf[32] = buf[33] = 0;
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "a picture without a width");
}


static void
test_hevc(void)
{
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    entry_video(&wr, buf, "hev1");
    entry_box(&wr, "hvcC", HVCC HVCC_SETS);
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "hvc1.2.4.L153.B0", "Main 10, level 5.1");

    entry_video(&wr, buf, "hev1");
    entry_box(&wr, "hvcC", HVCC "02 a00001000140 a10001000142");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "hev1.2.4.L153.B0", "without PPS it stays hev1");

    entry_video(&wr, buf, "hvc1");
    entry_box(&wr, "hvcC", "01 61 60000000 000001000000 5d f000 fc fd f8 f8 "
                           "0000 0f 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "hvc1.A1.6.H93.0.0.1",
           "profile space, high tier, zero bytes between");

    entry_video(&wr, buf, "hvc1");
    entry_box(&wr, "hvcC", "01 01 60000000 000000000000 5d f000 fc fd f8 f8 "
                           "0000 0f 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "hvc1.1.6.L93", "no constraints");

    entry_video(&wr, buf, "hvc1");
    entry_box(&wr, "hvcC", "01 01 60000000 000000000000 5d f000 fc fd f8 f8 "
                           "0000 0e 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "NAL unit lengths of 3 bytes");
}


static void
test_dolby_vision(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    static const struct {
        const char  *entry, *dv, *dvcc, *colr, *codec, *supplemental;
    } cases[] = {
        { "dvh1", "dvcC", "0100 0a35 00", NULL, "dvh1.05.06", "" },
        { "dvhe", "dvcC", "0100 0a35 00", NULL, "dvh1.05.06", "" },
        { "hvc1", "dvvC", "0100 103d 40",
          "6e636c78 0009 0012 0009 00", "hvc1.2.4.L153.B0",
          "dvh1.08.07/db4h" },
        { "hev1", "dvvC", "0100 1035 10",
          "6e636c78 0009 0010 0009 00", "hvc1.2.4.L153.B0",
          "dvh1.08.06/db1p" },
        { "hvc1", "dvvC", "0100 1035 10",
          "6e636c78 0009 0012 0009 00", "hvc1.2.4.L153.B0", "" },
        { "hvc1", "dvcC", "0100 0e35 60",
          "6e636c78 0009 0010 0009 00", "hvc1.2.4.L153.B0", "" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        entry_video(&wr, buf, cases[i].entry);
        entry_box(&wr, "hvcC", HVCC HVCC_SETS);
        entry_box(&wr, cases[i].dv, cases[i].dvcc);

        if (cases[i].colr) {
            entry_box(&wr, "colr", cases[i].colr);
        }

        entry_end(&e, VOD_VIDEO, &wr);

        is_str(e.track.codec, cases[i].codec, "Dolby Vision: %s",
               cases[i].codec);
        is_str(e.track.supplemental, cases[i].supplemental, "supplemental");
        ok(entry_find(&e, cases[i].dv) > 0, "%s is carried", cases[i].dv);
    }

    entry_video(&wr, buf, "dvh1");
    entry_box(&wr, "hvcC", HVCC HVCC_SETS);
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "dvh1 without a configuration of Dolby Vision");
    is_str(e.err.text, "sample entry dvh1: dvcC is missing", "reason");

    entry_video(&wr, buf, "dvh1");
    entry_box(&wr, "hvcC", HVCC HVCC_SETS);
    entry_box(&wr, "dvcC", "0100 0a35");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "dvh1 with half of one");
    is_str(e.err.text, "sample entry dvh1: dvcC is cut off", "reason");

    entry_video(&wr, buf, "hvc1");
    entry_box(&wr, "hvcC", HVCC HVCC_SETS);
    entry_box(&wr, "dvvC", "0100 0a35");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_OK, "hvc1 plays without it");
    is_str(e.track.supplemental, "", "and does not speak of it");
}


static void
test_vp9_av1(void)
{
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    entry_video(&wr, buf, "vp09");
    entry_box(&wr, "vpcC", "01000000 00 00 82 02 02 02 0000");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "vp09.00.21.08", "a level that is not said");

    entry_video(&wr, buf, "vp09");
    entry_box(&wr, "vpcC", "01000000 02 33 a2 09 12 09 0000");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "vp09.02.51.10.01.09.18.09.00", "HLG in vpcC");
    is_int(e.track.video_range, VOD_RANGE_HLG, "its range");

    entry_video(&wr, buf, "vp09");
    entry_box(&wr, "vpcC", "01000000 04 33 a2 09 12 09 0000");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "VP9 has no profile 4");

    entry_video(&wr, buf, "av01");
    entry_box(&wr, "av1C", "81 08 0c 00");
    entry_box(&wr, "colr", "6e636c78 0001 0001 0001 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "av01.0.08M.08", "the default colour is not said");

    entry_video(&wr, buf, "av01");
    entry_box(&wr, "av1C", "81 4d e0 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.track.codec, "av01.2.13H.12.0.000.02.02.02.0",
           "12 bits 4:4:4, high tier");

    entry_video(&wr, buf, "av01");
    entry_box(&wr, "av1C", "82 08 0c 00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_int(e.rc, VOD_DAMAGED, "av1C of another version");
}


static void
test_left_out(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    static const struct {
        const char  *type;
        unsigned     kind;
        const char  *reason;
    } cases[] = {
        { "s263", VOD_VIDEO, "H.263 video is in no CMAF media profile" },
        { "apcn", VOD_VIDEO,
          "Apple ProRes video is in no CMAF media profile" },
        { "vvc1", VOD_VIDEO, "VVC video is not supported" },
        { "xyz1", VOD_VIDEO,
          "video of type xyz1 is in no CMAF media profile" },
        { "encv", VOD_VIDEO, "encrypted (encv)" },
        { "tx3g", VOD_TEXT, "subtitle track of type tx3g" },
        { "tmcd", VOD_TEXT, "data track of type tmcd" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        entry_video(&wr, buf, cases[i].type);
        entry_end(&e, cases[i].kind, &wr);
        is_int(e.rc, VOD_UNSUPPORTED, "%s is left out", cases[i].type);
        is_str(e.err.text, cases[i].reason, "the reason");
        is_int(e.len, 0, "nothing was written");
    }

    entry_video(&wr, buf, "mp4v");
    entry_esds(&wr, 0x61, "00");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.err.text, "MPEG-2 video (mp4v with object type 0x61) is in no "
           "CMAF media profile", "mp4v is named by its object type");

    entry_video(&wr, buf, "avc1");
    entry_box(&wr, "avcC", AVCC);
    entry_box(&wr, "sinf", "");
    entry_end(&e, VOD_VIDEO, &wr);
    is_str(e.err.text, "encrypted (sinf)", "a sinf in a clear entry");

    entry_run(&e, VOD_VIDEO, (const uint8_t *) "\0\0\0", 3);
    is_int(e.rc, VOD_DAMAGED, "an entry of three bytes");
    is_str(e.err.text, "the sample entry is cut off", "reason");
}


static void
test_limit(void)
{
    static uint8_t  large[4 * 1024 * 1024 + 16];

    memcpy(large, "\0\100\0\020avc1", 8);
    entry_run(&e, VOD_VIDEO, large, sizeof(large));
    is_int(e.rc, VOD_LIMIT, "an entry of more than 4 MiB");
    is_str(e.err.text, "the sample entry avc1 has 4194312 bytes, the limit is "
           "4194304", "reason");
}


int
main(void)
{
    test_made_by_ffmpeg();
    test_carried_whole();
    test_stream_headers();
    test_avc();
    test_hevc();
    test_dolby_vision();
    test_vp9_av1();
    test_left_out();
    test_limit();

    return done_testing();
}
