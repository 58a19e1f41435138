/*
 * The MPD (core/vod_dash.h).  With a folder as argument every MPD is left
 * there as N.mpd, for a validator.
 */

#include "manifest.h"
#include "tap.h"
#include "vod_dash.h"


static const char  *dump_folder;
static unsigned     dump_number;


static void
dump(const char *text)
{
    char   path[512];
    FILE  *fp;

    if (dump_folder) {
        snprintf(path, sizeof(path), "%s/%u.mpd", dump_folder, ++dump_number);
        fp = fopen(path, "w");

        if (fp) {
            fputs(text, fp);
            fclose(fp);
        }
    }
}


static char *
mpd(const asset_track_t *tracks, unsigned n, uint64_t origin)
{
    char     *text;
    asset_t   asset;

    asset_build(&asset, tracks, n, origin);
    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    asset_free(&asset);

    dump(text);

    return text;
}


static void
test_mpd(void)
{
    char           *text;
    asset_track_t   t[2];

    t[0] = asset_avc();
    t[0].track.fps_num = 30000;
    t[0].track.fps_den = 1001;
    t[1] = asset_aac("en", "Stereo & more");

    text = mpd(t, 2, 0);

    is_str(text,
"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
"<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\""
    " profiles=\"urn:mpeg:dash:profile:isoff-live:2011,"
    "urn:mpeg:dash:profile:cmaf:2019\" type=\"static\""
    " mediaPresentationDuration=\"PT14.500000S\" minBufferTime=\"PT6S\""
    " maxSegmentDuration=\"PT6S\">\n"
" <Period id=\"1\" start=\"PT0S\" duration=\"PT14.500000S\">\n"
"  <AdaptationSet id=\"1\" contentType=\"video\" mimeType=\"video/mp4\""
    " par=\"16:9\" maxWidth=\"1280\" maxHeight=\"720\""
    " maxFrameRate=\"30000/1001\" containerProfiles=\"cmfc\""
    " startWithSAP=\"1\" segmentAlignment=\"true\">\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"main\"/>\n"
"   <Representation id=\"v1\" codecs=\"avc1.64001f\" bandwidth=\"1900000\""
    " width=\"1280\" height=\"720\" sar=\"1:1\" frameRate=\"30000/1001\">\n"
"    <SegmentTemplate timescale=\"1000\" startNumber=\"1\""
    " initialization=\"v1/init-0123456789ab.mp4\""
    " media=\"v1/$Number$-0123456789ab.m4s\">\n"
"     <SegmentTimeline>\n"
"      <S t=\"0\" d=\"6000\" r=\"1\"/>\n"
"      <S d=\"2500\"/>\n"
"     </SegmentTimeline>\n"
"    </SegmentTemplate>\n"
"   </Representation>\n"
"  </AdaptationSet>\n"
"  <AdaptationSet id=\"2\" lang=\"en\" contentType=\"audio\""
    " mimeType=\"audio/mp4\" containerProfiles=\"cmfc\" startWithSAP=\"1\""
    " segmentAlignment=\"true\">\n"
"   <Label>Stereo &amp; more</Label>\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"main\"/>\n"
"   <Representation id=\"a1\" codecs=\"mp4a.40.2\" bandwidth=\"129000\""
    " audioSamplingRate=\"48000\">\n"
"    <AudioChannelConfiguration"
    " schemeIdUri=\"urn:mpeg:mpegB:cicp:ChannelConfiguration\""
    " value=\"2\"/>\n"
"    <SegmentTemplate timescale=\"1000\" startNumber=\"1\""
    " initialization=\"a1/init-0123456789ab.mp4\""
    " media=\"a1/$Number$-0123456789ab.m4s\">\n"
"     <SegmentTimeline>\n"
"      <S t=\"0\" d=\"6000\" r=\"1\"/>\n"
"      <S d=\"2500\"/>\n"
"     </SegmentTimeline>\n"
"    </SegmentTemplate>\n"
"   </Representation>\n"
"  </AdaptationSet>\n"
" </Period>\n"
"</MPD>\n",
           "video and audio");

    free(text);
}


/* one track's S elements, as text */
static void
is_timeline(uint32_t n, const int64_t *starts, uint64_t origin,
    const char *expected, const char *what)
{
    char           *text, *from, *to;
    asset_track_t   t;

    t = asset_aac("en", NULL);
    t.n = n;
    t.starts = starts;

    text = mpd(&t, 1, origin);
    from = strstr(text, "<S ");
    to = strstr(text, "     </SegmentTimeline>");

    if (from && to) {
        *to = '\0';
    }

    is_str(from, expected, "%s", what);
    free(text);
}


static void
test_timeline(void)
{
    char           *text;
    asset_track_t   t[3];
    static const int64_t  one[] = { 0, 1 };
    static const int64_t  equal[] = { 0, 9, 18, 27, 36 };
    static const int64_t  runs[] = { 0, 5, 10, 16, 22, 28, 29 };
    static const int64_t  early[] = { -24, 5976, 11976 };
    static const int64_t  before[] = { -24, -4, 11976 };
    static const int64_t  late[] = { 500, 6500, 14000 };
    static const int64_t  later[] = { 90000, 540000, 1305000 };
    static const int64_t  huge[] = { 0, 9000000000000000000,
                                     9000000000000000001 };

    is_timeline(1, one, 0, "<S t=\"0\" d=\"1\"/>\n", "one segment");
    is_timeline(4, equal, 0, "<S t=\"0\" d=\"9\" r=\"3\"/>\n", "four equal");
    is_timeline(6, runs, 0,
                "<S t=\"0\" d=\"5\" r=\"1\"/>\n"
                "      <S d=\"6\" r=\"2\"/>\n"
                "      <S d=\"1\"/>\n", "runs");
    is_timeline(2, early, 0,
                "<S t=\"0\" d=\"5976\"/>\n      <S d=\"6000\"/>\n",
                "what is presented before 0 does not count");
    is_timeline(2, before, 0,
                "<S t=\"0\" d=\"0\"/>\n      <S d=\"11976\"/>\n",
                "not even a whole segment");
    is_timeline(2, huge, 0, "<S t=\"0\" d=\"9000000000000000000\"/>\n"
                "      <S d=\"1\"/>\n", "64-bit times");

    is_timeline(2, late, 500000,
                "<S t=\"500\" d=\"6000\"/>\n      <S d=\"7500\"/>\n",
                "an asset that begins late");

    t[0] = asset_aac("en", NULL);
    t[0].n = 2;
    t[0].starts = late;
    t[1] = asset_avc();
    t[1].track.timescale = 90000;

    text = mpd(t, 1, 500000);
    is_int(asset_count(text, "presentationTimeOffset=\"500\""), 1,
           "its Period begins at its first sample");
    is_int(asset_count(text, "mediaPresentationDuration=\"PT13.500000S\""), 1,
           "and is as long as it is from there");
    free(text);

    text = mpd(t, 2, 0);
    is_int(asset_count(text, "presentationTimeOffset"), 0,
           "one track that begins at 0 is enough");
    free(text);

    t[1].n = 2;
    t[1].starts = later;

    text = mpd(t, 2, 500000);
    is_int(asset_count(text, "presentationTimeOffset=\"500\""), 1,
           "the least first time,");
    is_int(asset_count(text, "presentationTimeOffset=\"45000\""), 1,
           "in each timescale");
    free(text);
}


static void
test_sets(void)
{
    char           *text;
    asset_track_t   t[7];
    static const int64_t  other[] = { 0, 5000, 12000, 14500 };
    static const int64_t  fine[] = { 0, 540000, 1080000, 1300000 };

    t[0] = asset_avc();
    t[1] = asset_avc();
    t[1].track.width = 640;
    t[1].track.height = 360;
    t[1].track.fps_num = 50;
    t[1].track.timescale = 90000;
    t[1].starts = fine;
    strcpy(t[1].track.codec, "avc1.4d401e");

    text = mpd(t, 2, 0);
    is_int(asset_count(text, "<AdaptationSet"), 1,
           "two sizes of a picture, cut at the same times, are one set");
    is_int(asset_count(text, "maxWidth=\"1280\" maxHeight=\"720\" "
                             "maxFrameRate=\"50\""), 1, "with the largest");
    is_int(asset_count(text, "frameRate=\"25\""), 1, "and each its own");
    free(text);

    t[1].track.timescale = 1000;
    t[1].starts = other;

    text = mpd(t, 2, 0);
    is_int(asset_count(text, "<AdaptationSet"), 2,
           "cut at other times: two sets");
    is_int(asset_count(text, "value=\"main\""), 1, "one of them is main");
    is_int(asset_count(text, "value=\"alternate\""), 1, "one is not");
    free(text);

    t[1] = asset_avc();
    t[1].track.height = 960;

    text = mpd(t, 2, 0);
    is_int(asset_count(text, "<AdaptationSet"), 2, "another aspect ratio");
    ok(strstr(text, "par=\"4:3\""), "4:3");
    free(text);

    t[1] = asset_video("hvc1.1.6.L93.B0", vod_fourcc('h', 'v', 'c', '1'));
    t[2] = asset_video("hvc1.2.4.L93.B0", vod_fourcc('h', 'v', 'c', '1'));
    t[2].track.video_range = VOD_RANGE_PQ;
    t[3] = asset_video("hvc1.2.4.L93.B0", vod_fourcc('h', 'v', 'c', '1'));
    t[3].track.video_range = VOD_RANGE_HLG;
    t[0].track.flags = 0;
    t[2].track.flags = 0;
    t[3].track.flags = 0;
    strcpy(t[3].track.supplemental, "dvh1.08.07/db4h,x/y");

    text = mpd(t, 4, 0);
    is_int(asset_count(text, "<AdaptationSet"), 4,
           "another codec or transfer function");
    is_int(asset_count(text, "<SupplementalProperty schemeIdUri="
                       "\"urn:mpeg:mpegB:cicp:TransferCharacteristics\" "
                       "value=\"16\"/>"), 1, "PQ");
    is_int(asset_count(text, "TransferCharacteristics\" value=\"18\"/>"), 1,
           "HLG");
    is_int(asset_count(text, " scte214:supplementalCodecs=\"dvh1.08.07\""
                             " scte214:supplementalProfiles=\"db4h\""), 1,
           "what a codec adds to another");
    is_int(asset_count(text, "xmlns:scte214="), 1, "and its name space");
    ok(strstr(text, "value=\"main\"") > strstr(text, "id=\"v1\""),
       "the track enabled in the source is main");
    free(text);

    t[0] = asset_aac("en", NULL);
    t[1] = asset_aac("en", NULL);
    t[2] = asset_aac("en", "Commentary");
    t[3] = asset_aac("fr", NULL);
    t[4] = asset_ac3("en", NULL);
    t[5] = asset_aac("und", NULL);
    t[6] = asset_aac("und", NULL);

    text = mpd(t, 7, 0);
    is_int(asset_count(text, "<AdaptationSet"), 6,
           "audio: one set for each language, codec, name");
    is_int(asset_count(text, "<Representation"), 7, "every track is there");
    is_int(asset_count(text, "value=\"main\""), 2,
           "the default is main in each codec");
    is_int(asset_count(text, "<Label>Commentary</Label>"), 1,
           "the label is the name");
    is_int(asset_count(text, "<Label>Audio 6</Label>"), 1,
           "or, where sets are alike, what tells them apart");
    is_int(asset_count(text, "<Label>"), 4, "and else there is none");
    is_int(asset_count(text, "lang=\"und\""), 2,
           "an unknown language has a set a track, and lang");
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
    t.track.fps_num = 0;

    text = mpd(&t, 1, 0);
    ok(strstr(text, "par=\"16:9\"") && strstr(text, "sar=\"64:45\"")
       && strstr(text, "width=\"720\" height=\"576\""), "pixels not square");
    is_int(asset_count(text, "rameRate"), 0, "an unknown rate is left out");
    free(text);

    t.track.matrix[0] = 0;
    t.track.matrix[4] = 0;
    t.track.matrix[1] = -0x10000;
    t.track.matrix[3] = 0x10000;

    text = mpd(&t, 1, 0);
    ok(strstr(text, "par=\"9:16\"") && strstr(text, "sar=\"45:64\"")
       && strstr(text, "width=\"576\" height=\"720\""),
       "turned by a quarter");
    free(text);

    t.track.sar_num = UINT32_MAX;
    t.track.sar_den = UINT32_MAX - 1;
    t.track.width = 65535;
    t.track.height = 1;
    t.bandwidth = (uint64_t) 1 << 40;

    text = mpd(&t, 1, 0);
    ok(strstr(text, " bandwidth=\"4294967295\""), "numbers fit their types");
    free(text);

    t.bandwidth = 0;

    text = mpd(&t, 1, 0);
    ok(strstr(text, " bandwidth=\"1\""), "a rate is positive");
    free(text);
}


static void
is_channels(const asset_track_t *t, const char *expected, const char *what)
{
    char  *text, *from, *to;

    text = mpd(t, 1, 0);
    from = strstr(text, "    <AudioChannelConfiguration");

    if (from) {
        to = strstr(from, "    <SegmentTemplate");
        *to = '\0';
    }

    is_str(from, expected, "%s", what);
    free(text);
}


static void
test_channels(void)
{
    asset_track_t  t;

#define CICP(v)                                                               \
    "    <AudioChannelConfiguration"                                          \
    " schemeIdUri=\"urn:mpeg:mpegB:cicp:ChannelConfiguration\" value=\"" v    \
    "\"/>\n"
#define DOLBY(v)                                                              \
    "    <AudioChannelConfiguration schemeIdUri="                             \
    "\"tag:dolby.com,2014:dash:audio_channel_configuration:2011\" value=\""   \
    v "\"/>\n"

    t = asset_aac("en", NULL);
    t.track.channel_layout = 12;
    t.track.channels = 8;
    is_channels(&t, CICP("12"), "7.1: an index, not a count");

    t.track.channel_layout = 0;
    is_channels(&t, NULL, "8 channels nobody knows where: nothing is said");

    t.track.channels = 2;
    is_channels(&t, CICP("2"), "a count of 2 is stereo");

    t.track.channels = 1;
    is_channels(&t, CICP("1"), "a count of 1 is mono");

    t.track.channels = 0;
    is_channels(&t, NULL, "an unknown count");

    t = asset_ac3("en", NULL);
    t.track.channels = 6;
    t.track.channel_layout = 6;
    t.track.dolby_layout = 0xf801;
    is_channels(&t, DOLBY("F801"), "AC-3 5.1");

    t.track.dolby_layout = 0x00a0;
    is_channels(&t, DOLBY("00A0"), "four digits");

    t.track.dolby_layout = 0;
    is_channels(&t, CICP("6"), "AC-3 without a mask");

    t = asset_audio("ec-3", vod_fourcc('e', 'c', '-', '3'), "en", NULL);
    t.track.channels = 6;
    t.track.dolby_layout = 0xf801;
    t.track.joc = 16;
    is_channels(&t, DOLBY("F801")
        "    <SupplementalProperty schemeIdUri="
        "\"tag:dolby.com,2018:dash:EC3_ExtensionType:2018\" value=\"JOC\"/>\n"
        "    <SupplementalProperty schemeIdUri="
        "\"tag:dolby.com,2018:dash:EC3_ExtensionComplexityIndex:2018\""
        " value=\"16\"/>\n", "E-AC-3 with objects");
}


/*
 * 1 when the text is well-formed XML of the kind we write: elements nest,
 * attributes are quoted, entities are known.
 */
static int
xml_ok(const char *p)
{
    char         names[16][64];
    unsigned     depth;
    const char  *q, *r;

    depth = 0;

    if (strncmp(p, "<?xml ", 6) != 0) {
        return 0;
    }

    p = strstr(p, "?>") + 2;

    for ( ; *p; p++) {

        if (*p == '&') {
            if (strncmp(p, "&amp;", 5) != 0 && strncmp(p, "&lt;", 4) != 0
                && strncmp(p, "&gt;", 4) != 0 && strncmp(p, "&quot;", 6) != 0
                && strncmp(p, "&#39;", 5) != 0)
            {
                return 0;
            }
        }

        if (((unsigned char) *p < ' ' && *p != '\n') || *p == 0x7f) {
            return 0;
        }

        if (*p != '<') {
            continue;
        }

        p++;
        q = p + (*p == '/');
        r = q + strspn(q, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "abcdefghijklmnopqrstuvwxyz");

        if (r == q || r - q > 63) {
            return 0;
        }

        if (*p == '/') {
            if (depth == 0 || *r != '>'
                || strncmp(names[depth - 1], q, (size_t) (r - q)) != 0
                || names[depth - 1][r - q] != '\0')
            {
                return 0;
            }

            depth--;
            p = r;
            continue;
        }

        if (depth == 16) {
            return 0;
        }

        memcpy(names[depth], q, (size_t) (r - q));
        names[depth++][r - q] = '\0';

        for (p = r; *p == ' '; p++) {
            p += strcspn(p, "=<>\"");

            if (p[0] != '=' || p[1] != '"') {
                return 0;
            }

            for (p += 2; *p != '"'; p++) {
                if ((unsigned char) *p < ' ' || *p == '<') {
                    return 0;
                }
            }
        }

        if (*p == '/') {
            depth--;
            p++;
        }

        if (*p != '>') {
            return 0;
        }
    }

    return depth == 0;
}


static void
test_hostile(void)
{
    char           *text, *huge, *from, *to;
    unsigned        i, k, n, bad;
    uint64_t        seed;
    asset_track_t   t[10];
    char            names[10][64];
    const char     *folder;
    static const char  bytes[] = "<>&\"']]>\n\r\t\x01\x7f\xc3\xa9\xff\xed\xa0"
                                 "\x80\xef\xbf\xbf" "Az ";

    t[0] = asset_aac("en", "</Label><script>&\"'\n\x01\xff\xc3(");
    t[0].name_len += 1;                             /* with its zero */

    text = mpd(t, 1, 0);
    ok(xml_ok(text), "a name that would be markup");
    ok(strstr(text, "<Label>&lt;/Label&gt;&lt;script&gt;&amp;&quot;&#39; ??"
                    "?(</Label>"), "is text");
    free(text);

    huge = malloc(65536);
    memset(huge, '&', 65536);
    t[0].name = huge;
    t[0].name_len = 65536;

    text = mpd(t, 1, 0);
    ok(xml_ok(text) && strlen(text) < 8192, "64 KB of a name");
    free(text);
    free(huge);

    /* no index has these; well formed all the same, if not valid */

    folder = dump_folder;
    dump_folder = NULL;

    t[0] = asset_aac("<&\"", NULL);
    memset(t[0].track.codec, '<', sizeof(t[0].track.codec));

    text = mpd(t, 1, 0);
    ok(xml_ok(text), "fields that are full, and markup");
    free(text);

    dump_folder = folder;

    seed = 7;
    bad = 0;

    for (i = 0; i < 300; i++) {

        n = 1 + (unsigned) (tap_rand(&seed) % 10);

        for (k = 0; k < n; k++) {
            unsigned  j;

            t[k] = tap_rand(&seed) % 3 ? asset_aac("en", NULL) : asset_avc();
            t[k].track.flags = (uint8_t) (tap_rand(&seed) % 2);
            t[k].track.channels = (uint32_t) (tap_rand(&seed) % 9);
            t[k].track.sample_rate = tap_rand(&seed) % 2 ? 0 : 44100;
            t[k].track.fps_num = (uint32_t) (tap_rand(&seed) % 3);
            t[k].track.fps_den = (uint32_t) (tap_rand(&seed) % 3);
            t[k].track.sar_num = (uint32_t) tap_rand(&seed);
            t[k].track.sar_den = (uint32_t) tap_rand(&seed);
            t[k].track.width = 1 + (uint32_t) (tap_rand(&seed) % 8192);
            t[k].track.video_range = (uint8_t) (tap_rand(&seed) % 3);
            t[k].name = names[k];
            t[k].name_len = tap_rand(&seed) % 20;

            for (j = 0; j < t[k].name_len; j++) {
                names[k][j] = bytes[tap_rand(&seed) % (sizeof(bytes) - 1)];
            }
        }

        text = mpd(t, n, 0);

        for (from = text, k = 0; (from = strstr(from, "<AdaptationSet id=\""));
             from = to)
        {
            k++;

            if ((unsigned) strtoul(from + 19, &to, 10) != k) {
                k = 1000;
            }
        }

        if (!xml_ok(text) || k > n
            || asset_count(text, "<Representation id=") != n
            || asset_count(text, "<Role ") != k)
        {
            bad++;
            printf("# %s\n", text);
        }

        free(text);
    }

    is_int(bad, 0, "300 random assets: well formed, every track once, "
           "ids in order");
}


static void
test_room(void)
{
    char           text[8192];
    asset_t        asset;
    vod_wr_t       wr;
    uint64_t       i, len;
    unsigned       bad;
    asset_track_t  t[2];

    t[0] = asset_avc();
    t[1] = asset_aac("en", "x");

    asset_build(&asset, t, 2, 0);

    vod_wr_init(&wr, NULL, 0);
    vod_dash_mpd(&wr, asset.index, asset.timeline, NULL);
    len = wr.len;

    for (bad = 0, i = 0; i < len; i++) {
        vod_wr_init(&wr, text, i);
        vod_dash_mpd(&wr, asset.index, asset.timeline, NULL);
        bad += !wr.overflow || wr.len != len;
    }

    is_int(bad, 0, "too little room is noticed, whatever is missing");

    asset_free(&asset);
}


static void
test_roles(void)
{
    char           *text;
    asset_track_t   t[5];

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);
    t[2] = asset_aac("en", NULL);
    t[2].track.roles = VOD_ROLE_COMMENTARY;
    t[3] = asset_aac("en", NULL);
    t[3].track.roles = VOD_ROLE_DESCRIPTION;
    t[4] = asset_aac("en", NULL);
    t[4].track.roles = VOD_ROLE_HEARING | VOD_ROLE_DUB;

    text = mpd(t, 5, 0);
    is_int(asset_count(text, "<AdaptationSet"), 5, "a set for each role");
    is_int(asset_count(text,
        "   <Label>English, commentary</Label>\n"
        "   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\""
        " value=\"commentary\"/>\n"), 1, "commentary");
    is_int(asset_count(text,
        "   <Label>English, audio description</Label>\n"
        "   <Accessibility"
        " schemeIdUri=\"urn:tva:metadata:cs:AudioPurposeCS:2007\""
        " value=\"1\"/>\n"
        "   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\""
        " value=\"description\"/>\n"), 1, "description");
    is_int(asset_count(text,
        " value=\"2\"/>\n"
        "   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\""
        " value=\"enhanced-audio-intelligibility\"/>\n"
        "   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\""
        " value=\"dub\"/>\n"), 1, "for hard hearing, and dubbed");
    is_int(asset_count(text, "value=\"main\""), 2, "one main of each kind");
    is_int(asset_count(text, "alternate"), 0, "nothing is just something else");
    free(text);
}


/* 23009-1, 5.8.5.5: what text is for */
static void
test_text(void)
{
    char           *text;
    asset_track_t   t[5];

    t[0] = asset_avc();
    t[1] = asset_subs("en", NULL, 0);
    t[2] = asset_subs("en", NULL, VOD_ROLE_HEARING);
    t[3] = asset_subs("fr", NULL, VOD_ROLE_FORCED);
    t[4] = asset_subs("und", NULL, VOD_ROLE_COMMENTARY);

    text = mpd(t, 2, 0);
    ok(strstr(text,
"  <AdaptationSet id=\"2\" lang=\"en\" contentType=\"text\""
    " mimeType=\"application/mp4\" containerProfiles=\"cmfc\""
    " startWithSAP=\"1\" segmentAlignment=\"true\">\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"subtitle\"/>\n"
"   <Representation id=\"s1\" codecs=\"wvtt\" bandwidth=\"800\">\n"
"    <SegmentTemplate timescale=\"1000\" startNumber=\"1\""
    " initialization=\"s1/init-0123456789ab.mp4\""
    " media=\"s1/$Number$-0123456789ab.m4s\">\n"
"     <SegmentTimeline>\n"
"      <S t=\"0\" d=\"6000\" r=\"1\"/>\n"
"      <S d=\"2500\"/>\n"
"     </SegmentTimeline>\n"
"    </SegmentTemplate>\n"
"   </Representation>\n"
"  </AdaptationSet>\n"), "text is wvtt in fragments");
    free(text);

    text = mpd(t, 5, 0);
    is_int(asset_count(text, "contentType=\"text\""), 4, "a set for each");
    ok(strstr(text,
"   <Label>English, SDH</Label>\n"
"   <Accessibility schemeIdUri=\"urn:tva:metadata:cs:AudioPurposeCS:2007\""
    " value=\"2\"/>\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"caption\"/>\n"
"   <Representation id=\"s2\""), "SDH: a caption, and Accessibility");
    ok(strstr(text,
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"subtitle\"/>\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\""
    " value=\"forced-subtitle\"/>\n"
"   <Representation id=\"s3\""), "forced subtitles");
    ok(strstr(text,
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"subtitle\"/>\n"
"   <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"commentary\"/>\n"
"   <Representation id=\"s4\""), "commentary");
    ok(strstr(text, "lang=\"und\" contentType=\"text\"") != NULL,
       "an unknown language is said to be");
    is_int(asset_count(text, "value=\"main\""), 1, "no text is the main one");
    free(text);

    t[1].track.flags |= VOD_TRACK_DEFAULT;
    text = mpd(t, 2, 0);
    is_int(asset_count(text, "value=\"main\""), 2, "but what is enabled");
    free(text);

    t[2] = t[1];
    t[2].track.part = 1;
    text = mpd(t, 3, 0);
    is_int(asset_count(text, "contentType=\"text\""), 1,
           "the same text in two files is there once");
    free(text);
}


/* renditions in files of their own */
static void
test_files(void)
{
    char           *text;
    asset_track_t   t[6];

    static const int64_t  odd[] = { 0, 7000, 14500 };

    t[0] = asset_avc();
    t[1] = asset_aac("und", NULL);
    t[2] = asset_avc();
    t[2].track.part = 1;
    t[2].token = "bbbbbbbbbbbb";
    t[2].track.number = 5;
    t[3] = asset_aac("und", NULL);
    t[3].track.part = 1;
    t[3].bandwidth = 64000;
    t[4] = asset_avc();
    t[4].track.part = 2;
    t[4].n = 2;
    t[4].starts = odd;
    t[4].off_grid = 1;
    t[5] = asset_aac("und", NULL);
    t[5].track.part = 3;

    text = mpd(t, 6, 0);

    is_int(asset_count(text, "contentType=\"video\""), 2,
           "same boundaries, one set; others, another");
    is_int(asset_count(text, "contentType=\"audio\""), 2,
           "sound of unknown language: one set beside pictures, one alone");
    is_int(asset_count(text, "value=\"main\""), 2, "a main one of each kind");
    ok(strstr(text, "initialization=\"v5/init-bbbbbbbbbbbb.mp4\""
                    " media=\"v5/$Number$-bbbbbbbbbbbb.m4s\"")
       && strstr(text, "\"v1/init-0123456789ab.mp4\""),
       "number and token are those of the file");
    ok(strstr(text, "<Representation id=\"v5\"") != NULL, "its id, too");

    free(text);
}


static void
test_links(void)
{
    char                *text;
    asset_t              asset;
    vod_links_t          links;
    asset_track_t        t[1];

    t[0] = asset_avc();
    asset_build(&asset, t, 1, 0);

    memset(&links, 0, sizeof(links));
    links.args = "a=$1&b=2$";
    links.args_len = strlen(links.args);
    asset.links = &links;

    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    dump(text);
    ok(strstr(text, " initialization=\"v1/init-0123456789ab.mp4"
                    "?a=$$1&amp;b=2$$\""
                    " media=\"v1/$Number$-0123456789ab.m4s"
                    "?a=$$1&amp;b=2$$\">"),
       "5.3.9.4.4 a query: escaped for XML, \"$\" doubled");
    is_int(asset_count(text, "BaseURL"), 0, "URLs are relative");
    free(text);

    links.base = "https://cdn.example/a&b/";
    links.base_len = strlen(links.base);
    links.args_len = 0;

    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    dump(text);
    ok(strstr(text, ">\n <BaseURL>https://cdn.example/a&amp;b/</BaseURL>\n"
                    " <Period"), "5.6.4 a base is BaseURL, of all");
    ok(strstr(text, " initialization=\"v1/init-0123456789ab.mp4\"") != NULL,
       "and the templates are relative to it");
    free(text);

    asset_free(&asset);
}


static void
test_clip(void)
{
    char            *text;
    asset_t          asset;
    asset_track_t    t[3];
    vod_timeline_t  *tl;

    static const int64_t  sound[] = { 192000, 288000, 576000, 624000 };
    static const int64_t  cues[] = { 4000, 6000, 12000, 13000 };

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);
    t[1].track.timescale = 48000;
    t[1].starts = sound;
    t[2] = asset_subs("en", NULL, 0);
    t[2].starts = cues;

    asset_build(&asset, t, 3, 0);
    tl = (vod_timeline_t *) asset.timeline;
    tl->from = 4000000;
    tl->to = 13000000;

    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    dump(text);
    is_int(asset_count(text, "mediaPresentationDuration=\"PT9S\""), 1,
           "a clip is as long as it is");
    is_int(asset_count(text, "duration=\"PT9S\""), 1, "and so is its Period");
    is_int(asset_count(text, "presentationTimeOffset=\"4000\""), 2,
           "5.3.9.2.2 which begins where it does,");
    is_int(asset_count(text, "presentationTimeOffset=\"192000\""), 1,
           "in ticks of each track");
    is_int(asset_count(text, "<S t=\"0\" d=\"6000\""), 1,
           "times of video stay those of the file,");
    is_int(asset_count(text, "<S t=\"192000\" d=\"96000\""), 1, "of sound");
    is_int(asset_count(text, "<S t=\"4000\" d=\"2000\""), 1, "and of text");
    free(text);

    tl->from = 0;
    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    dump(text);
    is_int(asset_count(text, "presentationTimeOffset"), 0,
           "a clip from the begin");
    is_int(asset_count(text, "mediaPresentationDuration=\"PT13S\""), 1,
           "ends where it does");
    free(text);

    ((vod_timeline_track_t *) (tl + 1))[1].n_segments = 0;
    text = asset_text(&asset, vod_dash_mpd, NULL, 0);
    dump(text);
    is_int(asset_count(text, "contentType=\"audio\""), 0,
           "a track without a segment is not there");
    free(text);

    asset_free(&asset);
}


int
main(int argc, char **argv)
{
    dump_folder = argc > 1 ? argv[1] : NULL;

    test_mpd();
    test_timeline();
    test_sets();
    test_picture();
    test_channels();
    test_hostile();
    test_room();
    test_roles();
    test_text();
    test_files();
    test_links();
    test_clip();

    return done_testing();
}
