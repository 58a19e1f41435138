/*
 * An asset of several files with text (core/vod_hls.h), by the rules of the
 * HLS Authoring Specification ("A") and of RFC 8216bis ("R").  Each that is
 * about the multivariant playlist, or about playlists beside each other, is
 * here by its number:
 *
 *   rule                test       rule                test
 *   A1.27 A9.13 A9.14   rates      A9.15 A9.16         video
 *   A2.12 A2.13         audio      A9.17               audio, text
 *   A4.5 A4.6 A4.7      text       A9.19 A9.20         video
 *   A5.2 A5.5           playlists  R4.2                head, text
 *   A5.11               text       R4.1                head
 *   A6.1 A6.16          iframes    R4.4.1 R8           head
 *   A8.2 A8.3 A8.22     playlists  R4.4.2.2            clip
 *   A8.9 A8.10          audio      R4.4.6.1 R4.4.6.1.1 audio, text
 *   A9.1 to A9.4        video      R4.4.6.2 R4.4.6.2.1 video, audio
 *   A9.5 to A9.8        audio      R4.4.6.3            iframes
 *   A9.11               head       R6.2.4              playlists
 *
 * Not here, and why.  Of the content, which is not ours: A1.13, A1.19, A1.24,
 * A1.30, A1.33, A2.3, A5.8, A9.9, A9.21.  Of tags that there never are: A4.4
 * (captions in video are not looked for, so CLOSED-CAPTIONS is NONE), A8.13 to
 * A8.15, A9.12 (is A9.11's other choice), A9.18, R4.4.6.4 to R4.4.6.6.
 * A5.10 may be, and is not: the text in HLS is not the wvtt of MP4.  Measured
 * with a server: A1.26 A7.x A8.1 A10.x in t/conformance.t.
 */

#include "manifest.h"
#include "tap.h"
#include "vod_hls.h"
#include "vod_rendition.h"


#define MAX_LINES  64


/* a tag with its attributes, and the URI on the line behind it */
typedef struct {
    char  tag[40];
    char  attr[24][2][256];
    int   n;
    char  uri[256];
} tag_t;

typedef struct {
    char   *text;
    tag_t   tags[MAX_LINES];
    int     n;
    int     twice;              /* an attribute is there twice */
} playlist_t;


static playlist_t  list;


/* a strict reader of attribute lists (R4.2) */
static void
attributes(playlist_t *p, tag_t *t, const char *s)
{
    int     i, quoted;
    size_t  n, v;

    while (*s) {
        n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

        if (n == 0 || s[n] != '=' || t->n == 24) {
            printf("Bail out! attribute list: %s\n", s);
            exit(1);
        }

        quoted = s[n + 1] == '"';
        v = quoted ? strcspn(s + n + 2, "\"") : strcspn(s + n + 1, ",");

        snprintf(t->attr[t->n][0], 256, "%.*s", (int) n, s);
        snprintf(t->attr[t->n][1], 256, "%.*s", (int) v, s + n + 1 + quoted);

        for (i = 0; i < t->n; i++) {
            p->twice |= strcmp(t->attr[i][0], t->attr[t->n][0]) == 0;
        }

        t->n++;
        s += n + 1 + v + 2 * quoted;
        s += *s == ',';
    }
}


static void
parse(const asset_t *asset)
{
    char   *line, *end, *colon;
    tag_t  *t;

    free(list.text);
    memset(&list, 0, sizeof(list));

    list.text = asset_text(asset, vod_hls_master, NULL, 0);
    t = NULL;

    for (line = strdup(list.text), end = line; end; ) {

        char  *at = end;

        end = strchr(at, '\n');

        if (end) {
            *end++ = '\0';
        }

        if (*at == '#' && list.n < MAX_LINES) {
            t = &list.tags[list.n++];
            colon = strchr(at, ':');
            snprintf(t->tag, sizeof(t->tag), "%.*s",
                     (int) (colon ? colon - at : (long) strlen(at)), at);

            if (colon) {
                attributes(&list, t, colon + 1);
            }

        } else if (t && *at) {
            snprintf(t->uri, sizeof(t->uri), "%s", at);
        }
    }

    free(line);
}


static const char *
get(const tag_t *t, const char *name)
{
    int  i;

    for (i = 0; i < t->n; i++) {
        if (strcmp(t->attr[i][0], name) == 0) {
            return t->attr[i][1];
        }
    }

    return NULL;
}


/* the k-th tag of this name whose attribute has this value, or NULL */
static const tag_t *
find(const char *tag, const char *name, const char *value, int k)
{
    int          i;
    const char  *v;

    for (i = 0; i < list.n; i++) {

        if (strcmp(list.tags[i].tag, tag) != 0) {
            continue;
        }

        v = name ? get(&list.tags[i], name) : NULL;

        if ((name == NULL || (v && strcmp(v, value) == 0)) && k-- == 0) {
            return &list.tags[i];
        }
    }

    return NULL;
}


#define media(name, value, k)  find("#EXT-X-MEDIA", name, value, k)
#define variant(k)  find("#EXT-X-STREAM-INF", NULL, NULL, k)

#define is_attr(t, name, value, ...)                                          \
    is_str((t) && get(t, name) ? get(t, name) : "(none)", value, __VA_ARGS__)


static int
count(const char *tag)
{
    int  n;

    for (n = 0; find(tag, NULL, NULL, n); n++) { /* void */ }

    return n;
}


static const char  hostile[] = "SDH \"CC\"\r\n#EXT-X-ENDLIST";


/*
 * Three renditions of a film, each with its sound, 800, 3000 and 1800 kb/s,
 * the last off the grid; surround and another language beside them; text.
 */
static unsigned
film(asset_track_t *t)
{
    unsigned  i, n;

    static const uint64_t  rates[] = { 800000, 3000000, 1800000 };
    static const int64_t   odd[] = { 0, 7000, 14500 };

    for (n = 0, i = 0; i < 3; i++) {
        t[n] = asset_avc();
        t[n].track.part = i;
        t[n].track.width = 640 * (i + 1);
        t[n].track.height = 360 * (i + 1);
        t[n].average = rates[i];
        t[n].peak = rates[i] * 2;
        t[n].key_duration = 6;
        t[n].key_peak = rates[i] / 8;
        t[n].key_average = rates[i] / 10;
        n++;

        t[n] = asset_aac("en", NULL);
        t[n].track.part = i;
        t[n].average += 1000 * i;
        t[n].peak += 1000 * i;
        n++;
    }

    t[4].n = 2;
    t[4].starts = odd;
    t[4].off_grid = 1;

    t[n] = asset_ac3("en", NULL);
    t[n].track.part = 3;
    t[n].track.channels = 6;
    t[n].peak = 640000;
    t[n++].average = 448000;

    t[n] = asset_aac("fr", NULL);
    t[n++].track.part = 4;

    t[n] = asset_aac("en", NULL);
    t[n].track.roles = VOD_ROLE_DESCRIPTION;
    t[n++].track.part = 5;

    t[n] = asset_subs("en", hostile, VOD_ROLE_HEARING);
    t[n++].track.part = 6;
    t[n] = asset_subs("en", NULL, 0);
    t[n++].track.part = 7;
    t[n] = asset_subs("fr", NULL, VOD_ROLE_FORCED);
    t[n].peak = 1500;
    t[n++].track.part = 8;
    t[n] = asset_subs("und", NULL, 0);
    t[n++].track.part = 9;

    for (i = 0; i < n; i++) {
        t[i].token = i < 2 ? "aaaaaaaaaaaa" : "bbbbbbbbbbbb";
    }

    return n;
}


static void
test_head(void)
{
    is_int(strncmp(list.text, "#EXTM3U\n", 8), 0, "R4.4.1.1 first line");
    is_int(count("#EXT-X-VERSION"), 0, "R8 no version that is not needed");
    is_int(count("#EXT-X-INDEPENDENT-SEGMENTS"), 1, "A9.11 once");
    is_int(count("#EXT-X-TARGETDURATION") + count("#EXTINF")
           + count("#EXT-X-MAP") + count("#EXT-X-ENDLIST"), 0,
           "R4.1 no tag of a media playlist");
    is_int(list.twice, 0, "R4.2 no attribute is there twice");
    is_int(count("#EXT-X-START"), 0, "R4.4.2.2 no start without a clip");
}


/* which is worst of a group is known from film() */
static void
test_rates(void)
{
    int           i, surround;
    uint64_t      video;
    const char   *v, *audio;
    const tag_t  *t;

    for (i = 0; (t = variant(i)) != NULL; i++) {

        v = t->uri;
        video = v[1] == '1' ? 800000 : v[1] == '2' ? 3000000 : 1800000;
        audio = get(t, "AUDIO") ? get(t, "AUDIO") : "";
        surround = strcmp(audio, "ac-3") == 0;

        is_int(strtoll(get(t, "BANDWIDTH"), NULL, 10),
               (long long) (2 * video + (surround ? 640000 : 132000) + 1500),
               "A9.13 A1.27 %s with %s: the largest sum of peaks", v,
               audio);
        is_int(strtoll(get(t, "AVERAGE-BANDWIDTH"), NULL, 10),
               (long long) (video + (surround ? 448000 : 130000) + 400),
               "A9.14 %s with %s: average", v, audio);
    }

    is_int(i, 6, "A9.13 of each video with each group");
}


static void
test_video(void)
{
    int           i;
    const tag_t  *t;

    is_str(variant(0)->uri, "v1/index.m3u8",
           "the first variant is the richest on the grid of at most 2 Mb/s");
    is_str(variant(1)->uri, "v2/index.m3u8", "the others follow by rate");
    is_str(variant(2)->uri, "v3/index.m3u8", "those off the grid are last");
    is_attr(variant(0), "AUDIO", "aac", "what most can play is first");
    is_attr(variant(3), "AUDIO", "ac-3", "surround after it");

    for (i = 0; (t = variant(i)) != NULL; i++) {
        ok(strncmp(get(t, "CODECS"), "avc1.64001f,", 12) == 0,
           "A9.1 CODECS of %s", t->uri);
        is_attr(t, "RESOLUTION", t->uri[1] == '1' ? "640x360"
                                 : t->uri[1] == '2' ? "1280x720"
                                 : "1920x1080", "A9.2 %s", t->uri);
        is_attr(t, "FRAME-RATE", "25.000", "A9.15 %s", t->uri);
        is_attr(t, "VIDEO-RANGE", "SDR", "A9.16 %s", t->uri);
        is_attr(t, "CLOSED-CAPTIONS", "NONE", "R4.4.6.2 %s: on all", t->uri);
        is_attr(t, "SUBTITLES", "subs", "R4.4.6.2 %s: text for all", t->uri);
        ok(t->uri[0] == 'v', "A9.20 no variant is sound alone");
        ok(get(t, "SCORE") == NULL, "A9.19 SCORE on none");
    }

    is_attr(variant(0), "CODECS", "avc1.64001f,mp4a.40.2",
            "R4.4.6.2 every format of the group");
    is_attr(variant(3), "CODECS", "avc1.64001f,ac-3,mp4a.40.2",
            "R4.4.6.2 and of one where some members have another");
}


static void
test_iframes(void)
{
    int           i;
    const tag_t  *t;

    for (i = 0; (t = find("#EXT-X-I-FRAME-STREAM-INF", NULL, NULL, i)); i++) {
        is_attr(t, "CODECS", "avc1.64001f", "A9.3 the picture's alone");
        ok(get(t, "RESOLUTION") != NULL, "A9.4 RESOLUTION");
        is_attr(t, "VIDEO-RANGE", "SDR", "A6.16 VIDEO-RANGE");
        ok(get(t, "BANDWIDTH") && get(t, "AVERAGE-BANDWIDTH"), "rates");
        ok(!get(t, "FRAME-RATE") && !get(t, "AUDIO") && !get(t, "SUBTITLES")
           && !get(t, "CLOSED-CAPTIONS"), "R4.4.6.3 and no more");
        ok(strstr(get(t, "URI"), "/iframes.m3u8") != NULL, "its URI");
    }

    is_int(i, 3, "A6.1 one for each video track");
}


static void
test_audio(void)
{
    const tag_t  *t;

    is_int(count("#EXT-X-MEDIA"), 10, "A8.9 A9.5 every rendition is there");

    t = media("GROUP-ID", "aac", 0);
    is_attr(t, "TYPE", "AUDIO", "A9.5 sound in a group of its own");
    is_attr(t, "LANGUAGE", "en", "A8.10 LANGUAGE");
    is_attr(t, "NAME", "English", "R4.4.6.1 NAME");
    is_attr(t, "CHANNELS", "2", "A9.6 CHANNELS");
    is_attr(t, "DEFAULT", "YES", "R4.4.6.1 the default");
    is_attr(t, "AUTOSELECT", "YES", "R4.4.6.1 DEFAULT implies AUTOSELECT");
    is_attr(t, "URI", "a3/index.m3u8",
            "the same sound in three files is one rendition, the richest");
    ok(get(t, "FORCED") == NULL, "R4.4.6.1 no FORCED on audio");

    t = media("GROUP-ID", "aac", 1);
    is_attr(t, "NAME", "English, audio description",
            "A9.17 from general to specific");
    is_attr(t, "CHARACTERISTICS", "public.accessibility.describes-video",
            "A2.12 CHARACTERISTICS");
    is_attr(t, "AUTOSELECT", "YES", "A2.13 AUTOSELECT");
    is_attr(t, "DEFAULT", "NO", "R4.4.6.1.1 one DEFAULT in a group");

    t = media("GROUP-ID", "aac", 2);
    is_attr(t, "LANGUAGE", "fr", "A9.17 by language");
    ok(media("GROUP-ID", "aac", 3) == NULL, "A9.7 three members");

    is_attr(media("GROUP-ID", "ac-3", 0), "CHANNELS", "6",
            "A9.8 a group for each codec");
    is_attr(media("GROUP-ID", "ac-3", 0), "NAME", "English",
            "R4.4.6.2.1 the same members");
    is_attr(media("GROUP-ID", "ac-3", 1), "NAME",
            "English, audio description", "R4.4.6.2.1 in the same order");
    is_attr(media("GROUP-ID", "ac-3", 2), "NAME", "French",
            "R4.4.6.2.1 all of them");
}


static void
test_text(void)
{
    int           i;
    const tag_t  *t;

    for (i = 0; (t = media("TYPE", "SUBTITLES", i)) != NULL; i++) {
        is_attr(t, "GROUP-ID", "subs", "R4.4.6.1 one group of text");
        ok(get(t, "LANGUAGE") && *get(t, "LANGUAGE"), "A4.7 A8.10 LANGUAGE");
        ok(get(t, "CHANNELS") == NULL, "R4.4.6.1 CHANNELS of audio alone");
        is_attr(t, "DEFAULT", "NO", "none is shown that nobody asked for");
        ok(strstr(get(t, "URI"), "/index.m3u8") != NULL, "R4.4.6.1 URI");
    }

    is_int(i, 4, "four renditions of text");

    t = media("TYPE", "SUBTITLES", 0);
    is_attr(t, "NAME", "English", "A9.17 the general first");
    is_attr(t, "AUTOSELECT", "YES", "R4.4.6.1 may be chosen by language");
    ok(!get(t, "CHARACTERISTICS") && !get(t, "FORCED"), "and is plain");

    t = media("TYPE", "SUBTITLES", 1);
    is_attr(t, "CHARACTERISTICS",
            "public.accessibility.transcribes-spoken-dialog,"
            "public.accessibility.describes-music-and-sound",
            "A4.5 both of SDH");
    is_attr(t, "AUTOSELECT", "YES", "A4.6 AUTOSELECT of SDH");
    is_attr(t, "NAME", "SDH 'CC'  #EXT-X-ENDLIST",
            "R4.2 no LF, CR or quote in a quoted-string");

    t = media("TYPE", "SUBTITLES", 2);
    is_attr(t, "FORCED", "YES", "A5.11 FORCED");
    is_attr(t, "AUTOSELECT", "YES", "A5.11 implies AUTOSELECT");
    is_attr(t, "NAME", "French, forced", "and it is said in its name");

    t = media("TYPE", "SUBTITLES", 3);
    is_attr(t, "LANGUAGE", "und", "A8.10 und where it is not known");
    is_attr(t, "NAME", "Subtitles 4", "R4.4.6.1.1 a name all the same");
}


static unsigned
lines_of(const char *text, const char *tag, char *out, size_t size)
{
    unsigned     n;
    size_t       len;
    const char  *p;

    out[0] = '\0';

    for (n = 0, p = text; (p = strstr(p, tag)) != NULL; n++) {
        len = strcspn(p, "\n");
        snprintf(out + strlen(out), size - strlen(out), "%.*s;", (int) len, p);
        p += len;
    }

    return n;
}


/* playlists beside each other; v3 and what is not on the grid are known */
static void
test_playlists(const asset_t *asset, unsigned n)
{
    char         first[512], other[512], *text;
    unsigned     i, segments;

    text = asset_text(asset, NULL, vod_hls_media, 0);
    segments = lines_of(text, "#EXTINF:", first, sizeof(first));
    ok(strstr(text, "#EXT-X-MAP:URI=\"init-aaaaaaaaaaaa.mp4\"\n")
       && strstr(text, "\n1-aaaaaaaaaaaa.m4s\n"),
       "names have the token of the track's file");
    free(text);

    for (i = 0; i < n; i++) {

        text = asset_text(asset, NULL, vod_hls_media, i);

        is_int(asset_count(text, "#EXT-X-TARGETDURATION:6\n"), 1,
               "A8.2 track %u: the same target duration", i);
        is_int(asset_count(text, "#EXT-X-PLAYLIST-TYPE:VOD\n"), 1,
               "A8.6 track %u: VOD", i);

        if (i != 4) {
            is_int(lines_of(text, "#EXTINF:", other, sizeof(other)), segments,
                   "A8.3 R6.2.4 track %u: as many segments", i);
            is_str(other, first, "A8.22 track %u: the same boundaries", i);
        }

        if (i >= 9) {
            is_int(asset_count(text, "#EXT-X-MAP"), 0,
                   "A5.2 track %u: WebVTT has no header", i);
            ok(strstr(text, "\n1-bbbbbbbbbbbb.vtt\n")
               && strstr(text, "\n3-bbbbbbbbbbbb.vtt\n#EXT-X-ENDLIST\n"),
               "A5.2 A5.5 track %u: WebVTT for all of the programme", i);
            is_int(asset_count(text, ".m4s"), 0, "and nothing else");

        } else {
            is_int(asset_count(text, "#EXT-X-MAP"), 1,
                   "A8.20 track %u: EXT-X-MAP", i);
            is_int(asset_count(text, ".vtt"), 0, "and no text");
        }

        free(text);
    }
}


/* begins at 4 s, in the first segment of 6 */
static void
test_clip(void)
{
    char             *text;
    asset_t           asset;
    asset_track_t     t[16];
    vod_timeline_t   *tl;

    asset_build(&asset, t, film(t), 0);
    tl = (vod_timeline_t *) asset.timeline;

    tl->from = 4000000;
    tl->to = 13000000;

    parse(&asset);
    is_int(count("#EXT-X-START"), 0, "R4.4.2.2 not here, see vod_hls.h");

    text = asset_text(&asset, NULL, vod_hls_media, 9);
    is_int(asset_count(text,
                       "#EXT-X-START:TIME-OFFSET=4.000000,PRECISE=YES\n"), 1,
           "R4.4.2.2 a clip is played from where it begins");
    free(text);

    text = asset_text(&asset, NULL, vod_hls_iframes, 0);
    is_int(asset_count(text, "#EXT-X-START"), 0, "not in I-frames'");
    free(text);

    tl->origin = 4000000;
    text = asset_text(&asset, NULL, vod_hls_media, 9);
    is_int(asset_count(text, "#EXT-X-START"), 0,
           "nor where the first segment is it");
    free(text);

    /* what presents nothing within the clip is not there */

    tl->origin = 0;
    ((vod_timeline_track_t *) (tl + 1))[2].n_segments = 0;
    ((vod_timeline_track_t *) (tl + 1))[7].n_segments = 0;
    ((vod_timeline_track_t *) (tl + 1))[9].n_segments = 0;

    parse(&asset);
    ok(variant(3) && variant(4) == NULL
       && strstr(list.text, "v2/") == NULL, "no variant without a segment");
    ok(media("LANGUAGE", "fr", 0) == media("TYPE", "SUBTITLES", 1),
       "and no rendition of sound");
    is_attr(media("TYPE", "SUBTITLES", 0), "NAME", "English", "or of text");
    ok(media("TYPE", "SUBTITLES", 3) == NULL, "one less");

    asset_free(&asset);
}


static void
test_links(void)
{
    char                *text;
    asset_t              asset;
    asset_track_t        t[16];
    static vod_links_t   links;

    asset_build(&asset, t, film(t), 0);
    asset.links = &links;

    links.args = "from=4&token=a%20b";
    links.args_len = strlen(links.args);

    parse(&asset);
    is_str(variant(0)->uri, "v1/index.m3u8?from=4&token=a%20b",
           "a query is behind the URL of a variant");
    is_attr(media("TYPE", "AUDIO", 0), "URI",
            "a3/index.m3u8?from=4&token=a%20b", "of a rendition");
    is_attr(find("#EXT-X-I-FRAME-STREAM-INF", NULL, NULL, 0), "URI",
            "v1/iframes.m3u8?from=4&token=a%20b", "of an I-frame playlist");

    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, "#EXT-X-MAP:URI=\"init-aaaaaaaaaaaa.mp4"
                    "?from=4&token=a%20b\"\n"), "of a header");
    is_int(asset_count(text, ".m4s?from=4&token=a%20b\n"), 3,
           "of each segment");
    free(text);

    text = asset_text(&asset, NULL, vod_hls_iframes, 0);
    is_int(asset_count(text, ".m4s?from=4&token=a%20b\n"), 3,
           "of each I-frame");
    free(text);

    links.base = "https://cdn.example/f \"x\"/";
    links.base_len = strlen(links.base);
    links.args_len = 0;

    parse(&asset);
    is_str(variant(0)->uri, "https://cdn.example/f 'x'/v1/index.m3u8",
           "a base is before it, and closes no string");
    is_attr(media("TYPE", "SUBTITLES", 0), "URI",
            "https://cdn.example/f 'x'/s2/index.m3u8", "of text, too");

    text = asset_text(&asset, NULL, vod_hls_media, 10);
    is_int(asset_count(text, "https://cdn.example/f 'x'/s2/"), 3,
           "segments are in the folder of their track");
    is_int(asset_count(text, "\nhttps://cdn.example/f 'x'/s2/"
                             "2-bbbbbbbbbbbb.vtt\n"), 1, "each by its name");
    free(text);

    text = asset_text(&asset, NULL, vod_hls_media, 0);
    ok(strstr(text, "#EXT-X-MAP:URI=\"https://cdn.example/f 'x'/v1/"
                    "init-aaaaaaaaaaaa.mp4\"\n"), "and the header");
    free(text);

    asset_free(&asset);
}


static int
renditions(const asset_track_t *t, unsigned n, const char *type)
{
    int      k;
    asset_t  asset;

    asset_build(&asset, t, n, 0);
    parse(&asset);
    asset_free(&asset);

    for (k = 0; media("TYPE", type, k); k++) { /* void */ }

    return k;
}


/* what of several files is the same thing */
static void
test_alike(void)
{
    asset_track_t  t[6];

    t[0] = asset_avc();
    t[1] = asset_aac("en", NULL);
    t[2] = asset_avc();
    t[3] = asset_aac("en", NULL);
    t[2].track.part = t[3].track.part = 1;

    is_int(renditions(t, 4, "AUDIO"), 1, "one sound of two renditions");
    is_attr(media("TYPE", "AUDIO", 0), "URI", "a1/index.m3u8",
            "at one rate it is the first");

    t[3].average++;
    is_int(renditions(t, 4, "AUDIO"), 1, "at two rates");
    is_attr(media("TYPE", "AUDIO", 0), "URI", "a2/index.m3u8",
            "it is the richer");

    t[2].track.part = t[3].track.part = 0;
    is_int(renditions(t, 4, "AUDIO"), 2, "two tracks of one file are two");

    t[2].track.part = t[3].track.part = 1;
    t[3].name = "Director's cut";
    t[3].name_len = strlen(t[3].name);
    is_int(renditions(t, 4, "AUDIO"), 2, "two of different names are two");

    t[3].name_len = 0;
    t[3].track.roles = VOD_ROLE_COMMENTARY;
    is_int(renditions(t, 4, "AUDIO"), 2, "and of different roles");

    t[3].track.roles = 0;
    strcpy(t[1].track.lang, "und");
    strcpy(t[3].track.lang, "und");
    is_int(renditions(t, 4, "AUDIO"), 1,
           "of unknown language they are one beside pictures");

    t[3].track.part = 2;
    is_int(renditions(t, 4, "AUDIO"), 2, "and two in a file of their own");

    t[3] = t[1];
    t[3].track.part = 1;
    t[4] = t[1];
    t[5] = t[1];
    t[5].track.part = 1;
    is_int(renditions(t, 6, "AUDIO"), 2,
           "the second of each file is the second");

    t[1] = asset_subs("en", NULL, 0);
    t[3] = t[1];
    t[3].track.part = 1;
    is_int(renditions(t, 4, "SUBTITLES"), 1, "one text of two renditions");
    is_attr(media("TYPE", "SUBTITLES", 0), "URI", "s1/index.m3u8",
            "is the first");

    t[3].track.roles = VOD_ROLE_FORCED;
    is_int(renditions(t, 4, "SUBTITLES"), 2, "forced text is another");

    t[3] = t[1];
    is_int(renditions(t, 4, "SUBTITLES"), 2, "two texts of one file are two");
    is_attr(media("TYPE", "SUBTITLES", 1), "NAME", "English (2)",
            "with two names");
    is_attr(media("TYPE", "SUBTITLES", 1), "AUTOSELECT", "NO",
            "R4.4.6.1.1 of which a player may choose one");

    t[3].track.flags |= VOD_TRACK_DEFAULT;
    is_int(renditions(t, 4, "SUBTITLES"), 2, "what the file enables");
    is_attr(media("TYPE", "SUBTITLES", 0), "URI", "s2/index.m3u8",
            "is first,");
    is_attr(media("TYPE", "SUBTITLES", 0), "DEFAULT", "YES",
            "and the default");

    t[3].track.roles = VOD_ROLE_HEARING;
    (void) renditions(t, 4, "SUBTITLES");
    is_attr(media("TYPE", "SUBTITLES", 1), "DEFAULT", "NO",
            "but for SDH, which not everybody wants");

    t[3] = asset_subs("en", "English SDH", 0);
    (void) renditions(t, 4, "SUBTITLES");
    ok(get(media("TYPE", "SUBTITLES", 1), "CHARACTERISTICS") != NULL,
       "SDH by its name");

    t[3] = asset_subs("en", "English (Forced)", 0);
    (void) renditions(t, 4, "SUBTITLES");
    is_attr(media("TYPE", "SUBTITLES", 1), "FORCED", "YES",
            "forced by its name");

    t[3] = asset_aac("en", "Enforced SDH");
    is_int(renditions(t, 4, "AUDIO"), 1, "sound of such a name");
    ok(get(media("TYPE", "AUDIO", 0), "CHARACTERISTICS") == NULL
       && get(media("TYPE", "AUDIO", 0), "FORCED") == NULL,
       "is only called so");

    is_int(renditions(t + 1, 3, "SUBTITLES"), 1, "text beside sound alone");
}


/* as many as may be listed, all of one name */
static void
test_many(void)
{
    char           *text;
    asset_t         asset;
    unsigned        i;
    asset_track_t  *t;

    t = malloc(VOD_RENDITION_TRACKS * sizeof(*t));

    for (i = 0; i < VOD_RENDITION_TRACKS; i++) {
        t[i] = i % 4 == 0 ? asset_avc()
               : i % 4 == 3 ? asset_subs("en", "The same", 0)
               : asset_aac("en", "The same");
        t[i].track.part = i / 4;
        t[i].average += i;

        if (i % 8 >= 4 && i % 4) {
            snprintf(t[i].track.lang, sizeof(t[i].track.lang), "q%u", i);
        }
    }

    asset_build(&asset, t, VOD_RENDITION_TRACKS, 0);
    text = asset_text(&asset, vod_hls_master, NULL, 0);

    is_int(asset_count(text, "#EXT-X-STREAM-INF:"), VOD_RENDITION_TRACKS / 4,
           "1,024 variants");
    is_int(asset_count(text, "TYPE=AUDIO"), VOD_RENDITION_TRACKS / 4 + 2,
           "every language of sound");
    is_int(asset_count(text, "TYPE=SUBTITLES"), VOD_RENDITION_TRACKS / 8 + 1,
           "and of text");
    is_int(asset_count(text, "NAME=\"The same\""), 2, "one name of a kind");
    ok(strstr(text, "NAME=\"The same (2)\"")
       && strstr(text, "NAME=\"The same (1026)\""), "the others differ");
    is_int(asset_count(text, "NAME=\"The same (1027)\""), 0, "all of them");

    free(text);
    asset_free(&asset);
    free(t);
}


int
main(void)
{
    unsigned        n;
    asset_t         asset;
    asset_track_t   t[16];

    n = film(t);

    asset_build(&asset, t, n, 0);
    parse(&asset);

    test_head();
    test_rates();
    test_video();
    test_iframes();
    test_audio();
    test_text();
    test_playlists(&asset, n);

    asset_free(&asset);

    test_clip();
    test_links();
    test_alike();
    test_many();

    free(list.text);

    return done_testing();
}
