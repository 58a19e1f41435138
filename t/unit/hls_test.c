/*
 * Playlists (core/vod_hls.h).
 */

#include "manifest.h"
#include "tap.h"
#include "vod_hls.h"


#define HEAD  "#EXTM3U\n#EXT-X-INDEPENDENT-SEGMENTS\n"


static char *
master(const asset_track_t *tracks, unsigned n)
{
    char     *text;
    asset_t   asset;

    asset_build(&asset, tracks, n, 0);
    text = asset_text(&asset, vod_hls_master, NULL, 0);
    asset_free(&asset);

    return text;
}


static void
is_master(const asset_track_t *tracks, unsigned n, const char *expected,
    const char *what)
{
    char  *text;

    text = master(tracks, n);
    is_str(text, expected, "%s", what);
    free(text);
}


static void
test_master(void)
{
    asset_track_t  t[3];

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);

    is_master(t, 2, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=2130000,AVERAGE-BANDWIDTH=1628000,"
            "CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,AUDIO=\"aac\","
            "CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n",
        "video and audio");

    is_master(t, 1, HEAD
        "#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,"
            "CODECS=\"avc1.64001f\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n",
        "video only: no AUDIO");

    is_master(t + 1, 1, HEAD
        "#EXT-X-STREAM-INF:BANDWIDTH=130000,AVERAGE-BANDWIDTH=128000,"
            "CODECS=\"mp4a.40.2\",CLOSED-CAPTIONS=NONE\n"
        "a1/index.m3u8\n",
        "one audio track only: no group");

    t[2] = asset_aac("fr", "Le fran\xc3\xa7" "ais");
    t[2].track.flags = VOD_TRACK_DEFAULT;
    t[2].peak = 140000;
    t[2].average = 100000;

    is_master(t + 1, 2, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=NO,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"fr\","
            "NAME=\"Le fran\xc3\xa7" "ais\",DEFAULT=YES,AUTOSELECT=YES,"
            "CHANNELS=\"2\",URI=\"a2/index.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=140000,AVERAGE-BANDWIDTH=128000,"
            "CODECS=\"mp4a.40.2\",AUDIO=\"aac\",CLOSED-CAPTIONS=NONE\n"
        "a2/index.m3u8\n",
        "two audio tracks only: the variant's URI is the default's");
}


static void
test_codec_groups(void)
{
    char           *text;
    asset_track_t   t[6];

    t[0] = asset_avc();
    t[1] = asset_ac3("en", "Surround");
    t[1].track.channels = 6;
    t[1].peak = 448000;
    t[1].average = 448000;
    t[2] = asset_aac("en", "Stereo");
    t[2].track.flags = VOD_TRACK_DEFAULT;
    t[3] = asset_aac("en", "Commentary");

    is_master(t, 4, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a2/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"Commentary\",DEFAULT=NO,AUTOSELECT=NO,CHANNELS=\"2\","
            "URI=\"a3/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"ac-3\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"6\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"ac-3\",LANGUAGE=\"en\","
            "NAME=\"Commentary\",DEFAULT=NO,AUTOSELECT=NO,CHANNELS=\"2\","
            "URI=\"a3/index.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=2130000,AVERAGE-BANDWIDTH=1628000,"
            "CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,AUDIO=\"aac\","
            "CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=2448000,AVERAGE-BANDWIDTH=1948000,"
            "CODECS=\"avc1.64001f,ac-3,mp4a.40.2\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,AUDIO=\"ac-3\","
            "CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n",
        "a group for each codec, with the same members; AAC first");

    t[2] = asset_aac("fr", NULL);

    text = master(t, 3);
    is_int(asset_count(text, "GROUP-ID=\"aac\""), 1,
           "a language that exists in AC-3 only is not in the AAC group");
    is_int(asset_count(text, "GROUP-ID=\"ac-3\""), 2,
           "the AC-3 group has all languages");
    is_int(asset_count(text, "CODECS=\"avc1.64001f,mp4a.40.2\""), 1,
           "a device without AC-3 finds a variant");
    is_int(asset_count(text, "DEFAULT=YES"), 2, "each group has a default");
    is_int(asset_count(text, "DEFAULT=YES,AUTOSELECT=NO"), 0,
           "DEFAULT=YES implies AUTOSELECT=YES");
    free(text);

    t[1] = asset_audio("mp4a.40.5", vod_fourcc('m', 'p', '4', 'a'), "en", "");
    t[3] = asset_aac("de", NULL);

    text = master(t, 4);
    is_int(asset_count(text, "CODECS=\"avc1.64001f,mp4a.40.5,mp4a.40.2\""), 1,
           "CODECS lists every format of the group once");
    free(text);

    t[1] = asset_audio("ec-3", vod_fourcc('e', 'c', '-', '3'), "en", NULL);
    t[1].track.channels = 6;
    t[1].track.joc = 16;

    text = master(t, 2);
    is_int(asset_count(text, "CHANNELS=\"16/JOC\""), 1, "CHANNELS of JOC");
    free(text);

    t[1].track.joc = 0;
    t[1].track.channels = 0;

    text = master(t, 2);
    is_int(asset_count(text, "CHANNELS"), 0, "unknown CHANNELS are left out");
    free(text);

    t[1] = asset_audio("Opus", vod_fourcc('O', 'p', 'u', 's'), "en", NULL);
    t[2] = asset_audio("fLaC", vod_fourcc('f', 'L', 'a', 'C'), "en", NULL);
    t[3] = asset_audio("mp4a.40.34", vod_fourcc('m', 'p', '4', 'a'), "en",
                       NULL);
    t[4] = asset_aac("en", NULL);
    t[5] = asset_video("hvc1.1.6.L93.B0", vod_fourcc('h', 'v', 'c', '1'));

    text = master(t, 6);
    is_int(asset_count(text, "#EXT-X-MEDIA:"), 4, "four codecs, four groups");
    is_int(asset_count(text, "#EXT-X-STREAM-INF:"), 8,
           "two video tracks with each");
    ok(strstr(text, "CODECS=\"avc1.64001f,mp4a.40.2\"")
       < strstr(text, "CODECS=\"avc1.64001f,mp4a.40.34\""),
       "the variant with AAC is first");
    is_int(asset_count(text, "NAME=\"English\""), 4, "all are one member");
    free(text);
}


static void
test_order(void)
{
    asset_track_t  t[4];

    t[0] = asset_aac("en", "Commentary");
    t[1] = asset_aac("qaa", NULL);
    t[2] = asset_aac("en", NULL);
    t[2].track.flags = VOD_TRACK_DEFAULT;
    t[3] = asset_aac("en", NULL);

    is_master(t, 4, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a3/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English (2)\",DEFAULT=NO,AUTOSELECT=NO,CHANNELS=\"2\","
            "URI=\"a4/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"Commentary\",DEFAULT=NO,AUTOSELECT=NO,CHANNELS=\"2\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"qaa\","
            "NAME=\"Audio 2\",DEFAULT=NO,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a2/index.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=130000,AVERAGE-BANDWIDTH=128000,"
            "CODECS=\"mp4a.40.2\",AUDIO=\"aac\",CLOSED-CAPTIONS=NONE\n"
        "a3/index.m3u8\n",
        "A9.17 by language, the default first, commentary last");
}


static void
test_roles(void)
{
    char           *text;
    asset_track_t   t[5];

    t[0] = asset_avc();
    t[1] = asset_ac3("en", NULL);
    t[1].track.channels = 6;
    t[1].peak = 448000;
    t[1].average = 448000;
    t[2] = asset_aac("en", NULL);
    t[2].track.roles = VOD_ROLE_COMMENTARY;
    t[2].track.flags = VOD_TRACK_DEFAULT;

    is_master(t, 3, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"ac-3\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"6\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"ac-3\",LANGUAGE=\"en\","
            "NAME=\"English, commentary\",DEFAULT=NO,AUTOSELECT=NO,"
            "CHANNELS=\"2\",URI=\"a2/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English, commentary\",DEFAULT=YES,AUTOSELECT=YES,"
            "CHANNELS=\"2\",URI=\"a2/index.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=2448000,AVERAGE-BANDWIDTH=1948000,"
            "CODECS=\"avc1.64001f,ac-3,mp4a.40.2\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,AUDIO=\"ac-3\","
            "CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=2130000,AVERAGE-BANDWIDTH=1628000,"
            "CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,AUDIO=\"aac\","
            "CLOSED-CAPTIONS=NONE\n"
        "v1/index.m3u8\n",
        "commentary in another codec is no other encoding of the film's "
        "sound, nor the default, and no variant starts with it alone");

    t[2].track.roles = 0;
    t[2].name = "Director's COMMENTARY";
    t[2].name_len = strlen(t[2].name);

    text = master(t, 3);
    is_int(asset_count(text, "NAME=\"Director's COMMENTARY\""), 2,
           "by its name, where the file has no roles");
    is_int(asset_count(text, "NAME=\"English\",DEFAULT=YES"), 1,
           "and the main audio is the default");
    free(text);

    t[2].track.roles = VOD_ROLE_MAIN;

    text = master(t, 3);
    is_int(asset_count(text, "NAME=\"English\""), 2,
           "a role that the file has is stronger than a name");
    free(text);

    t[1] = asset_aac("en", NULL);
    t[1].track.roles = VOD_ROLE_DESCRIPTION;
    t[1].track.flags = VOD_TRACK_DEFAULT;
    t[2] = asset_aac("en", NULL);
    t[3] = asset_aac("en", NULL);
    t[3].track.roles = VOD_ROLE_HEARING | VOD_ROLE_ORIGINAL;

    text = master(t, 4);
    ok(strstr(text, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a2/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English, audio description\",DEFAULT=NO,AUTOSELECT=YES,"
            "CHARACTERISTICS=\"public.accessibility.describes-video\","
            "CHANNELS=\"2\",URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English, clear speech\",DEFAULT=NO,AUTOSELECT=YES,"
            "CHARACTERISTICS=\"public.accessibility."
            "enhances-speech-intelligibility\","
            "CHANNELS=\"2\",URI=\"a3/index.m3u8\"\n"),
       "A2.12 A2.13 A9.17 description: CHARACTERISTICS, AUTOSELECT, last");
    free(text);
}


static void
test_layouts(void)
{
    char           *text;
    asset_track_t   t[4];

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);
    t[2] = asset_aac("en", NULL);
    t[2].track.channels = 6;
    t[2].peak = 330000;
    t[3] = asset_aac("fr", NULL);

    text = master(t, 4);
    ok(strstr(text, HEAD
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a1/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac\",LANGUAGE=\"fr\","
            "NAME=\"French\",DEFAULT=NO,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a3/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac-surround\",LANGUAGE=\"en\","
            "NAME=\"English\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"6\","
            "URI=\"a2/index.m3u8\"\n"
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"aac-surround\",LANGUAGE=\"fr\","
            "NAME=\"French\",DEFAULT=NO,AUTOSELECT=YES,CHANNELS=\"2\","
            "URI=\"a3/index.m3u8\"\n"),
       "4.4.6.1.1 stereo and surround are groups with the same members");
    is_int(asset_count(text, "BANDWIDTH=2330000,"), 1,
           "A9.13 BANDWIDTH is that of the group's worst");
    is_int(asset_count(text, "AUDIO=\"aac-surround\""), 1, "one variant each");
    free(text);

    t[1].track.channels = 6;
    t[2] = asset_aac("fr", NULL);

    text = master(t, 3);
    is_int(asset_count(text, "#EXT-X-MEDIA:"), 2,
           "one language stereo, one surround: one group");
    is_int(asset_count(text, "GROUP-ID=\"aac\""), 2, "called by the codec");
    free(text);
}


static void
test_picture(void)
{
    char           *text;
    asset_track_t   t;

    t = asset_avc();
    t.track.width = 720;
    t.track.height = 576;
    t.track.sar_num = 64;
    t.track.sar_den = 45;
    t.track.fps_num = 30000;
    t.track.fps_den = 1001;
    t.track.video_range = VOD_RANGE_PQ;
    strcpy(t.track.supplemental, "dvh1.08.07/db1p");

    text = master(&t, 1);
    ok(strstr(text, "SUPPLEMENTAL-CODECS=\"dvh1.08.07/db1p\","
                    "RESOLUTION=1024x576,FRAME-RATE=29.970,VIDEO-RANGE=PQ"),
       "pixel aspect ratio, frame rate, range, supplemental codec");
    free(text);

    t.track.matrix[0] = 0;
    t.track.matrix[4] = 0;
    t.track.matrix[1] = 0x10000;
    t.track.matrix[3] = -0x10000;
    t.track.video_range = VOD_RANGE_HLG;
    t.track.fps_num = 0;

    text = master(&t, 1);
    ok(strstr(text, "RESOLUTION=405x720,VIDEO-RANGE=HLG"),
       "turned by a quarter: pixels are higher than wide; no rate");
    free(text);

    t = asset_avc();
    t.track.matrix[0] = -0x10000;
    t.track.matrix[4] = -0x10000;
    t.track.fps_num = 60000;
    t.track.fps_den = 1001;

    text = master(&t, 1);
    ok(strstr(text, "RESOLUTION=1280x720,FRAME-RATE=59.940,"),
       "turned by a half: the same size");
    free(text);
}


/* 1 when an attribute list is well formed (RFC 8216bis, 4.2) */
static int
attributes_ok(const char *p, const char *end)
{
    for ( ;; ) {
        if (p == end || *p < 'A' || *p > 'Z') {
            return 0;
        }

        while (p < end && ((*p >= 'A' && *p <= 'Z') || *p == '-')) {
            p++;
        }

        if (p == end || *p++ != '=') {
            return 0;
        }

        if (p < end && *p == '"') {
            p = memchr(p + 1, '"', (size_t) (end - p - 1));

            if (p == NULL) {
                return 0;
            }

            p++;

        } else {
            while (p < end && *p != ',') {
                if (*p == '"' || (unsigned char) *p <= ' ') {
                    return 0;
                }

                p++;
            }
        }

        if (p == end) {
            return 1;
        }

        if (*p++ != ',') {
            return 0;
        }
    }
}


/* every line is a tag with a well-formed list, or a URI after STREAM-INF */
static int
lines_ok(const char *text)
{
    int          uri;
    const char  *p, *end, *colon;

    uri = 0;

    for (p = text; *p; p = end + 1) {

        end = strchr(p, '\n');

        if (end == NULL || end == p) {
            return 0;
        }

        for (colon = p; colon < end; colon++) {
            if ((unsigned char) *colon < ' ' || *colon == 0x7f) {
                return 0;
            }
        }

        if (uri) {
            uri = 0;

            if (strncmp(p + 2, "/index.m3u8\n", 12) != 0
                && strncmp(p + 3, "/index.m3u8\n", 12) != 0)
            {
                return 0;
            }

            continue;
        }

        if (strncmp(p, "#EXT-X-MEDIA:", 13) != 0
            && strncmp(p, "#EXT-X-STREAM-INF:", 18) != 0)
        {
            if (strncmp(p, "#EXTM3U\n", 8) != 0
                && strncmp(p, "#EXT-X-INDEPENDENT-SEGMENTS\n", 28) != 0)
            {
                return 0;
            }

            continue;
        }

        colon = memchr(p, ':', (size_t) (end - p));
        uri = p[7] == 'S';

        if (!attributes_ok(colon + 1, end)) {
            return 0;
        }
    }

    return uri == 0;
}


/* names of EXT-X-MEDIA tags of a group that stand twice */
static unsigned
clashes(const char *text, const char *group)
{
    unsigned     n;
    const char  *p, *q, *name, *other;

    n = 0;

    for (p = text; (p = strstr(p, group)) != NULL; p++) {
        name = strstr(p, "NAME=\"") + 6;

        for (q = p + 1; (q = strstr(q, group)) != NULL; q++) {
            other = strstr(q, "NAME=\"") + 6;

            n += strchr(name, '"') - name == strchr(other, '"') - other
                 && memcmp(name, other, (size_t) (strchr(name, '"') - name))
                    == 0;
        }
    }

    return n;
}


static void
test_hostile(void)
{
    char           *text, *huge;
    unsigned        i, bad, n, k;
    uint64_t        seed;
    asset_track_t   t[12];
    char            names[12][64];

    t[0] = asset_avc();
    t[1] = asset_aac("en", "a\"b\nc\rd\te\x01\x7f\xff\xc3(\xed\xa0\x80");
    t[2] = asset_aac("en", "a'b c d e\x02?\xfe?(???");
    t[3] = asset_aac("en", "  \n ");
    t[4] = asset_aac("en", "English");

    text = master(t, 5);
    ok(lines_ok(text), "a name with quotes, line breaks, no UTF-8");
    is_int(clashes(text, "GROUP-ID=\"aac\""), 0, "names differ as written");
    is_int(asset_count(text, "a'b c d e??"), 2,
           "what cannot stand is replaced");
    free(text);

    huge = malloc(65536);
    memset(huge, 0xe2, 65536);

    for (i = 0; i + 2 < 65536; i += 3) {
        huge[i + 1] = (char) 0x82;
        huge[i + 2] = (char) 0xac;
    }

    t[1].name = huge;
    t[1].name_len = 65536;
    t[2] = t[1];

    text = master(t, 3);
    ok(lines_ok(text), "a name of 64 KB");
    is_int(clashes(text, "GROUP-ID=\"aac\""), 0, "and the same again");
    is_int(asset_count(text, "?"), 0, "is cut between characters");
    ok(strlen(text) < 2048, "to what a menu can show");
    free(text);
    free(huge);

    seed = 20;
    bad = 0;

    for (i = 0; i < 300; i++) {

        n = 1 + (unsigned) (tap_rand(&seed) % 12);

        for (k = 0; k < n; k++) {
            static const char *langs[] = { "en", "und", "x\"\n", "pt-br" };
            static const char  bytes[] = "\"',\n\r (2)E\xc3\xa9\xff\x01";
            unsigned           j;

            switch (tap_rand(&seed) % 4) {
            case 0:
                t[k] = asset_avc();
                break;
            case 1:
                t[k] = asset_ac3(langs[tap_rand(&seed) % 4], NULL);
                break;
            default:
                t[k] = asset_aac(langs[tap_rand(&seed) % 4], NULL);
            }

            t[k].track.flags = (uint8_t) (tap_rand(&seed) % 2);
            t[k].name = names[k];
            t[k].name_len = tap_rand(&seed) % 4;

            for (j = 0; j < t[k].name_len; j++) {
                names[k][j] = bytes[tap_rand(&seed) % (sizeof(bytes) - 1)];
            }
        }

        text = master(t, n);

        if (!lines_ok(text) || clashes(text, "GROUP-ID=\"aac\"")
            || clashes(text, "GROUP-ID=\"ac-3\"")
            || asset_count(text, "DEFAULT=YES,AUTOSELECT=NO")
            || asset_count(text, "DEFAULT=YES")
               != (asset_count(text, "#EXT-X-MEDIA:") == 0 ? 0u
                   : (unsigned) (strstr(text, "GROUP-ID=\"aac\"") != NULL)
                     + (strstr(text, "GROUP-ID=\"ac-3\"") != NULL)))
        {
            bad++;
            printf("# %s\n", text);
        }

        free(text);
    }

    is_int(bad, 0, "300 random assets: lists well formed, names differ, "
           "one default a group");
}


static void
test_dates(void)
{
    char           *text;
    asset_t         asset;
    asset_track_t   t;
    static const int64_t   late[] = { 1178, 6000, 12000, 18000, 24000 };
    static const uint64_t  priming[] = { 1178, 6021, 12021, 18022 };
    static const int64_t   pictures[] = { 21, 6021, 12021, 16021 };
    static const uint64_t  decoded[] = { 0, 6000, 12000 };
    static const int64_t   days[] = { 951868799000, 951868800000,
                                      1709251200000, 4107542400000,
                                      253402300800000 };
    static const uint64_t  dates[] = { 951868799999, 951868801000,
                                       1709164800000, 4107542399999,
                                       253402300799999 };

    t = asset_aac("en", NULL);
    t.n = 4;
    t.starts = late;
    t.dts = priming;

    asset_build(&asset, &t, 1, 0);
    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, ".mp4\"\n"
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:01.178Z\n"
        "#EXTINF:6.000000,\n"
        "1-0123456789ab.m4s\n"
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:06.021Z\n"
        "#EXTINF:6.000000,\n"
        "2-0123456789ab.m4s\n"
        "#EXTINF:5.967000,\n"
        "3-0123456789ab.m4s\n"
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:18.022Z\n"
        "#EXTINF:6.033000,\n"
        "4-0123456789ab.m4s\n"),
       "6.2.4 dates of tfdt, where they do not follow from those before");
    free(text);
    asset_free(&asset);

    /* a picture 21 ms behind its tfdt: 12 s and 4.021 s are the 16.021 s */

    t.n = 3;
    t.starts = pictures;
    t.dts = decoded;

    asset_build(&asset, &t, 1, 0);
    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, ":1970-01-01T00:00:00.000Z\n"
        "#EXTINF:6.021000,\n"
        "1-0123456789ab.m4s\n"
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:06.000Z\n"
        "#EXTINF:5.979000,\n"
        "2-0123456789ab.m4s\n"
        "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:12.000Z\n"
        "#EXTINF:4.021000,\n"
        "3-0123456789ab.m4s\n"),
       "the last date with its EXTINF is where the sum of all ends");
    free(text);
    asset_free(&asset);

    t.n = 4;
    t.starts = days;
    t.dts = dates;

    asset_build(&asset, &t, 1, 951868799000000);
    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, ":2000-02-29T23:59:59.999Z\n"), "a leap day");
    ok(strstr(text, ":2000-03-01T00:00:01.000Z\n"), "and the day behind it");
    ok(strstr(text, ":2024-02-29T00:00:00.000Z\n"), "another");
    ok(strstr(text, ":2100-02-28T23:59:59.999Z\n"), "and none in 2100");
    free(text);
    asset_free(&asset);

    t.n = 1;
    t.starts = days + 3;
    t.dts = dates + 4;

    asset_build(&asset, &t, 1, 4107542400000000);
    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, ":9999-12-31T23:59:59.999Z\n"), "the last day");
    free(text);
    asset_free(&asset);
}


static void
test_iframes(void)
{
    char           *text;
    asset_t         asset;
    asset_track_t   t[3];
    static const int64_t  late[] = { 480, 6000, 12040, 14500 };
    static const int64_t  syncs[] = { 520, 6040, 12120, 14500 };

    t[0] = asset_avc();
    t[0].starts = late;
    t[0].syncs = syncs;
    t[0].header = 1000;
    t[0].key = 20000;
    t[0].key_duration = 6;
    t[0].key_peak = 40000;
    t[0].key_average = 30000;
    t[1] = asset_video("hvc1.2.4.L93.B0", vod_fourcc('h', 'v', 'c', '1'));
    t[1].track.video_range = VOD_RANGE_PQ;
    t[1].key_duration = 7;
    t[1].key_peak = 41000;
    t[1].key_average = 31000;
    t[2] = asset_video("avc1.7a1020", vod_fourcc('a', 'v', 'c', '1'));

    asset_build(&asset, t, 3, 0);

    text = asset_text(&asset, NULL, vod_hls_iframes, 0);
    is_str(text, "#EXTM3U\n"
        "#EXT-X-VERSION:6\n"
        "#EXT-X-TARGETDURATION:6\n"
        "#EXT-X-MEDIA-SEQUENCE:1\n"
        "#EXT-X-PLAYLIST-TYPE:VOD\n"
        "#EXT-X-I-FRAMES-ONLY\n"
        "#EXT-X-MAP:URI=\"init-0123456789ab.mp4\"\n"
        "#EXTINF:6.040000,\n"
        "#EXT-X-BYTERANGE:21000@0\n"
        "1-0123456789ab.m4s\n"
        "#EXTINF:6.080000,\n"
        "#EXT-X-BYTERANGE:21001@0\n"
        "2-0123456789ab.m4s\n"
        "#EXTINF:2.380000,\n"
        "#EXT-X-BYTERANGE:21002@0\n"
        "3-0123456789ab.m4s\n"
        "#EXT-X-ENDLIST\n",
        "A6.8 A6.10 I-frames, from one to the next as presented");
    free(text);

    text = asset_text(&asset, vod_hls_master, NULL, 0);
    ok(strstr(text,
        "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=40000,AVERAGE-BANDWIDTH=30000,"
            "CODECS=\"avc1.64001f\",RESOLUTION=1280x720,VIDEO-RANGE=SDR,"
            "URI=\"v1/iframes.m3u8\"\n"
        "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=41000,AVERAGE-BANDWIDTH=31000,"
            "CODECS=\"hvc1.2.4.L93.B0\",RESOLUTION=1280x720,VIDEO-RANGE=PQ,"
            "URI=\"v2/iframes.m3u8\"\n"),
       "A6.1 A6.16 one for each video track that has them, of each range");
    is_int(asset_count(text, "I-FRAME"), 2, "and for no other");
    free(text);

    asset_free(&asset);
}


static void
test_media(void)
{
    char           *text;
    asset_t         asset;
    asset_track_t   t[3];
    static const int64_t  late[] = { 500, 6500, 6500, 14000 };
    static const int64_t  early[] = { -24, 5976, 14476 };

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);
    t[1].n = 2;
    t[1].starts = early;
    t[2] = asset_aac("en", NULL);
    t[2].starts = late;

    asset_build(&asset, t, 3, 0);

    text = asset_text(&asset, NULL, vod_hls_media, 0);
    is_str(text,
           "#EXTM3U\n"
           "#EXT-X-VERSION:6\n"
           "#EXT-X-TARGETDURATION:6\n"
           "#EXT-X-MEDIA-SEQUENCE:1\n"
           "#EXT-X-PLAYLIST-TYPE:VOD\n"
           "#EXT-X-INDEPENDENT-SEGMENTS\n"
           "#EXT-X-MAP:URI=\"init-0123456789ab.mp4\"\n"
           "#EXTINF:6.000000,\n"
           "1-0123456789ab.m4s\n"
           "#EXTINF:6.000000,\n"
           "2-0123456789ab.m4s\n"
           "#EXTINF:2.500000,\n"
           "3-0123456789ab.m4s\n"
           "#EXT-X-ENDLIST\n",
           "a media playlist");
    free(text);

    text = asset_text(&asset, NULL, vod_hls_media, 1);
    ok(strstr(text, "#EXTINF:5.976000,\n1-0123456789ab.m4s\n"
                    "#EXTINF:8.500000,\n2-0123456789ab.m4s\n#EXT-X-ENDLIST"),
       "what is presented before 0 does not count");
    free(text);

    text = asset_text(&asset, NULL, vod_hls_media, 2);
    ok(strstr(text, "#EXTINF:6.500000,\n1-0123456789ab.m4s\n"
                    "#EXTINF:0.000000,\n2-0123456789ab.m4s\n"
                    "#EXTINF:7.500000,\n"),
       "a track that begins late: the first segment is from the origin");
    free(text);

    asset_free(&asset);

    asset_build(&asset, t + 2, 1, 500000);
    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, "#EXTINF:6.000000,\n1-"), "an asset that begins late");
    free(text);
    asset_free(&asset);
}


/* sums of EXTINF against the truth, in any run (HLS authoring, 8.1) */
static void
test_sums(void)
{
    int64_t        *starts;
    char           *text, *p;
    double          value;
    asset_t         asset;
    uint32_t        i, k, n;
    uint64_t        seed;
    long long       worst, off, sum, us;
    asset_track_t   t;
    static const uint32_t  scales[] = { 24, 25, 90000, 44100, 30000, 48000,
                                        1000000, 10000000, 705600000 };

    n = 5000;
    seed = 1;
    worst = 0;
    starts = malloc((n + 1) * sizeof(int64_t));

    t = asset_avc();
    t.n = n;
    t.starts = starts;

    for (k = 0; k < sizeof(scales) / sizeof(scales[0]); k++) {

        t.track.timescale = scales[k];
        starts[0] = 0;

        for (i = 1; i <= n; i++) {
            starts[i] = starts[i - 1] + 1
                        + (int64_t) (tap_rand(&seed) % (7 * scales[k]));
        }

        asset_build(&asset, &t, 1, 0);
        text = asset_text(&asset, NULL, vod_hls_media, 0);

        sum = 0;
        i = 0;

        for (p = text; (p = strstr(p, "#EXTINF:")) != NULL; p++) {

            value = strtod(p + 8, NULL);
            us = (long long) (value * 1e6 + 0.5);
            sum += us;
            i++;

            off = (long long) ((long double) starts[i] * 1e6L / scales[k]
                               + 0.5L) - sum;
            off = off < 0 ? -off : off;
            worst = off > worst ? off : worst;
        }

        is_int(i, n, "%u segments at timescale %u", n, scales[k]);

        free(text);
        asset_free(&asset);
    }

    is_int(worst, 0, "the sum of EXTINF is the rounded time of the end");

    free(starts);
}


static void
test_room(void)
{
    char           text[4096];
    asset_t        asset;
    vod_wr_t       wr;
    uint64_t       i, len;
    unsigned       bad;
    asset_track_t  t[2];

    t[0] = asset_avc();
    t[1] = asset_aac("en", "x");

    asset_build(&asset, t, 2, 0);

    vod_wr_init(&wr, NULL, 0);
    vod_hls_master(&wr, asset.index, asset.timeline, NULL);
    len = wr.len;

    for (bad = 0, i = 0; i < len; i++) {
        vod_wr_init(&wr, text, i);
        vod_hls_master(&wr, asset.index, asset.timeline, NULL);
        bad += !wr.overflow || wr.len != len;
    }

    is_int(bad, 0, "too little room is noticed, whatever is missing");

    asset_free(&asset);
}


int
main(void)
{
    test_master();
    test_codec_groups();
    test_order();
    test_roles();
    test_layouts();
    test_picture();
    test_hostile();
    test_dates();
    test_iframes();
    test_media();
    test_sums();
    test_room();

    return done_testing();
}
