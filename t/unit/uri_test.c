#include "tap.h"

#include "vod_index.h"
#include "vod_uri.h"


typedef struct {
    const char  *path;
    unsigned     what;
    const char  *asset;
    unsigned     kind;
    uint32_t     number;
    uint64_t     segment;
    const char  *token;
} uri_case_t;


static uri_case_t  good[] = {
    { "/x.mp4/master.m3u8", VOD_URI_MASTER, "/x.mp4", 0, 0, 0, NULL },
    { "x/master.m3u8", VOD_URI_MASTER, "x", 0, 0, 0, NULL },
    { "/a/b c/x.mp4/manifest.mpd", VOD_URI_MANIFEST, "/a/b c/x.mp4",
      0, 0, 0, NULL },
    { "/x.mp4/v1/index.m3u8", VOD_URI_MEDIA, "/x.mp4",
      VOD_VIDEO, 1, 0, NULL },
    { "/x.mp4/a12/index.m3u8", VOD_URI_MEDIA, "/x.mp4",
      VOD_AUDIO, 12, 0, NULL },
    { "/x.mp4/s3/index.m3u8", VOD_URI_MEDIA, "/x.mp4",
      VOD_TEXT, 3, 0, NULL },
    { "/x.mp4/v2/iframes.m3u8", VOD_URI_IFRAMES, "/x.mp4",
      VOD_VIDEO, 2, 0, NULL },
    { "/iframes.m3u8/v1/iframes.m3u8", VOD_URI_IFRAMES, "/iframes.m3u8",
      VOD_VIDEO, 1, 0, NULL },
    { "/x.mp4/v1/init.mp4", VOD_URI_INIT, "/x.mp4", VOD_VIDEO, 1, 0, NULL },
    { "/x.mp4/a1/init-0123456789ab.mp4", VOD_URI_INIT, "/x.mp4",
      VOD_AUDIO, 1, 0, "0123456789ab" },
    { "/x.mp4/v1/1.m4s", VOD_URI_SEGMENT, "/x.mp4", VOD_VIDEO, 1, 1, NULL },
    { "/x.mp4/v1/600-cafe00c0ffee.m4s", VOD_URI_SEGMENT, "/x.mp4",
      VOD_VIDEO, 1, 600, "cafe00c0ffee" },
    { "/x.mp4/v4294967295/4294967295.m4s", VOD_URI_SEGMENT, "/x.mp4",
      VOD_VIDEO, 4294967295u, 4294967295u, NULL },

    { "/x.mp4/s1/1.vtt", VOD_URI_TEXT, "/x.mp4", VOD_TEXT, 1, 1, NULL },
    { "/x.mp4/s12/600-cafe00c0ffee.vtt", VOD_URI_TEXT, "/x.mp4",
      VOD_TEXT, 12, 600, "cafe00c0ffee" },
    { "/x.mp4/s1/1.m4s", VOD_URI_SEGMENT, "/x.mp4", VOD_TEXT, 1, 1, NULL },
    { "/x.mp4/s1/init.mp4", VOD_URI_INIT, "/x.mp4", VOD_TEXT, 1, 0, NULL },

    /* names of ours may stand in the asset's */
    { "/s1/1.vtt/s2/3.vtt", VOD_URI_TEXT, "/s1/1.vtt", VOD_TEXT, 2, 3, NULL },
    { "/v1/1.m4s/v2/3.m4s", VOD_URI_SEGMENT, "/v1/1.m4s",
      VOD_VIDEO, 2, 3, NULL },
    { "/x/v1/master.m3u8", VOD_URI_MASTER, "/x/v1", 0, 0, 0, NULL },
    { "/master.m3u8/master.m3u8", VOD_URI_MASTER, "/master.m3u8",
      0, 0, 0, NULL },
    { "/init-x.mp4/v1/init.mp4", VOD_URI_INIT, "/init-x.mp4",
      VOD_VIDEO, 1, 0, NULL },
    { "/1-2.mp4/v1/2.m4s", VOD_URI_SEGMENT, "/1-2.mp4",
      VOD_VIDEO, 1, 2, NULL },
};


static const char  *bad[] = {
    "", "/", "//", "x", "x.mp4", "/x.mp4", "/x.mp4/", "/x.mp4/v1",
    "/x.mp4/v1/",

    /* no asset */
    "/master.m3u8", "master.m3u8", "//master.m3u8", "/manifest.mpd",
    "/v1/index.m3u8", "v1/index.m3u8", "//v1/1.m4s", "/x//master.m3u8",
    "/x.mp4//v1/1.m4s",

    /* nearly our names */
    "/x.mp4/master.m3u", "/x.mp4/master.m3u8x", "/x.mp4/xmaster.m3u8",
    "/x.mp4/MASTER.M3U8", "/x.mp4/Manifest.mpd", "/x.mp4/index.m3u8",
    "/x.mp4/v1/index.m3u8/", "/x.mp4/v1/v1/", "/x.mp4/v1/manifest.mpd/x",
    "/x.mp4/iframes.m3u8", "/x.mp4/v1/iframes.m3u", "/x.mp4/v1/1.vtt",
    "/x.mp4/a1/1.vtt", "/x.mp4/s1/.vtt", "/x.mp4/s1/0.vtt", "/x.mp4/1.vtt",
    "/x.mp4/s1/1.vtt.m4s", "/x.mp4/s1/1-0123456789a.vtt", "/x.mp4/s1/1.VTT",
    "/x.mp4/s1/init.vtt", "/s1/1.vtt",
    "/x.mp4/v1/init",
    "/x.mp4/v1/.mp4", "/x.mp4/v1/init.m4s", "/x.mp4/v1/1.mp4",
    "/x.mp4/v1/inits.mp4", "/x.mp4/init.mp4", "/x.mp4/1.m4s",

    /* tracks */
    "/x.mp4/v0/1.m4s", "/x.mp4/v01/1.m4s", "/x.mp4/v/1.m4s",
    "/x.mp4/1/1.m4s", "/x.mp4/x1/1.m4s", "/x.mp4/V1/1.m4s",
    "/x.mp4/v-1/1.m4s", "/x.mp4/v+1/1.m4s", "/x.mp4/v1 /1.m4s",
    "/x.mp4/ v1/1.m4s", "/x.mp4/v1a1/1.m4s", "/x.mp4/v0x1/1.m4s",
    "/x.mp4/v4294967296/1.m4s", "/x.mp4/v4294967297/1.m4s",
    "/x.mp4/v99999999999999999999/1.m4s",
    "x/master.m3u8/index.m3u8",

    /* segments */
    "/x.mp4/v1/0.m4s", "/x.mp4/v1/01.m4s", "/x.mp4/v1/.m4s",
    "/x.mp4/v1/-1.m4s", "/x.mp4/v1/+1.m4s", "/x.mp4/v1/1e3.m4s",
    "/x.mp4/v1/4294967296.m4s", "/x.mp4/v1/4294967297.m4s",
    "/x.mp4/v1/18446744073709551617.m4s",
    "/x.mp4/v1/100000000000000000000000000000000000000001.m4s",
    "/x.mp4/v1/1.m4s.m4s", "/x.mp4/v1/1.M4S",

    /* tokens */
    "/x.mp4/v1/1-.m4s", "/x.mp4/v1/1-0123456789a.m4s",
    "/x.mp4/v1/1-0123456789abc.m4s", "/x.mp4/v1/1-0123456789AB.m4s",
    "/x.mp4/v1/1-0123456789ag.m4s", "/x.mp4/v1/-0123456789ab.m4s",
    "/x.mp4/v1/1--0123456789ab.m4s", "/x.mp4/v1/01-0123456789ab.m4s",
    "/x.mp4/v1/init-0123456789aB.mp4", "/x.mp4/v1/init-.mp4",
    "/x.mp4/v1/init0123456789ab.mp4", "/x.mp4/v1/index-0123456789ab.m3u8",
    "/x.mp4/v1/1-0123456789ab-0123456789ab.m4s",
    "/x.mp4/v1/init-0123456789ab.m4s",
};


static void
test_good(const uri_case_t *c)
{
    vod_uri_t  uri;

    memset(&uri, 0xff, sizeof(uri));

    is_int(vod_uri_parse(&uri, c->path, strlen(c->path)), c->what, "%s",
           c->path);
    is_int(uri.what, c->what, "%s: what", c->path);

    ok(uri.asset_len == strlen(c->asset)
       && memcmp(c->path, c->asset, uri.asset_len) == 0,
       "%s: the asset is %s", c->path, c->asset);

    is_int(uri.kind, c->kind, "%s: kind of track", c->path);
    is_int(uri.number, c->number, "%s: number of track", c->path);
    is_int(uri.segment, c->segment, "%s: segment", c->path);

    if (c->token == NULL) {
        ok(uri.token == NULL, "%s: no token", c->path);

    } else {
        ok(uri.token >= c->path
           && uri.token + VOD_TOKEN_LEN <= c->path + strlen(c->path)
           && memcmp(uri.token, c->token, VOD_TOKEN_LEN) == 0,
           "%s: token %s", c->path, c->token);
    }
}


static void
test_nul(const char *path, size_t at)
{
    char       text[64];
    size_t     len;
    vod_uri_t  uri;

    len = strlen(path);
    memcpy(text, path, len);
    text[at] = '\0';

    is_int(vod_uri_parse(&uri, text, len), VOD_URI_NONE,
           "%s with a NUL at %d is none of ours", path, (int) at);
}


/*
 * Any bytes: what is taken for one of ours is written again from its parts
 * and must come out the same.
 */
static void
test_random(void)
{
    int                 n, wrong, found;
    char                text[64], again[128];
    size_t              len, k, part;
    uint64_t            seed;
    vod_uri_t           uri;
    static const char  *parts[] = {
        "/", "/", "/", "v", "a", "s", "1", "0", "9", "4294967295", "-",
        "init", ".mp4", ".m4s", ".vtt", "index.m3u8", "master.m3u8",
        "manifest.mpd", "0123456789ab", "x", "A",
    };

    seed = 42;
    wrong = 0;
    found = 0;

    for (n = 0; n < 400000; n++) {

        len = 0;

        while (len < 24) {
            part = tap_rand(&seed) % (sizeof(parts) / sizeof(parts[0]) + 2);

            if (part >= sizeof(parts) / sizeof(parts[0])) {
                break;
            }

            k = strlen(parts[part]);
            memcpy(text + len, parts[part], k);
            len += k;
        }

        if (vod_uri_parse(&uri, text, len) == VOD_URI_NONE) {
            continue;
        }

        found++;

        k = (size_t) sprintf(again, "%.*s/", (int) uri.asset_len, text);

        if (uri.what >= VOD_URI_MEDIA) {
            k += (size_t) sprintf(again + k, "%c%u/", " vas"[uri.kind],
                                  (unsigned) uri.number);
        }

        if (uri.what == VOD_URI_SEGMENT || uri.what == VOD_URI_TEXT) {
            k += (size_t) sprintf(again + k, "%llu",
                                  (unsigned long long) uri.segment);
        }

        if (uri.what == VOD_URI_INIT) {
            k += (size_t) sprintf(again + k, "init");
        }

        if (uri.token) {
            k += (size_t) sprintf(again + k, "-%.12s", uri.token);
        }

        k += (size_t) sprintf(again + k, "%s",
                              uri.what == VOD_URI_MASTER ? "master.m3u8"
                              : uri.what == VOD_URI_MANIFEST ? "manifest.mpd"
                              : uri.what == VOD_URI_MEDIA ? "index.m3u8"
                              : uri.what == VOD_URI_IFRAMES ? "iframes.m3u8"
                              : uri.what == VOD_URI_INIT ? ".mp4"
                              : uri.what == VOD_URI_TEXT ? ".vtt" : ".m4s");

        if (k != len || memcmp(again, text, len) != 0) {
            wrong++;
        }
    }

    ok(found > 100, "%d of 400000 random paths are ours", found);
    is_int(wrong, 0, "each is what its parts spell");
}


int
main(void)
{
    size_t     i;
    vod_uri_t  uri;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        test_good(&good[i]);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&uri, 0xff, sizeof(uri));

        is_int(vod_uri_parse(&uri, bad[i], strlen(bad[i])), VOD_URI_NONE,
               "'%s' is none of ours", bad[i]);
        is_int(uri.what, VOD_URI_NONE, "'%s': what", bad[i]);
        ok(uri.asset_len == 0 && uri.token == NULL && uri.segment == 0,
           "'%s': nothing is left behind", bad[i]);
    }

    for (i = 0; i < strlen("/x.mp4/v1/12-0123456789ab.m4s"); i++) {
        test_nul("/x.mp4/v1/12-0123456789ab.m4s", i);
    }

    for (i = 0; i < strlen("/x.mp4/master.m3u8"); i++) {
        test_nul("/x.mp4/master.m3u8", i);
    }

    test_random();

    is_str(vod_uri_kind(VOD_URI_NONE), "other", "kind of none");
    is_str(vod_uri_kind(VOD_URI_MASTER), "master", "kind of master");
    is_str(vod_uri_kind(VOD_URI_MANIFEST), "manifest", "kind of manifest");
    is_str(vod_uri_kind(VOD_URI_MEDIA), "media", "kind of media");
    is_str(vod_uri_kind(VOD_URI_INIT), "init", "kind of init");
    is_str(vod_uri_kind(VOD_URI_SEGMENT), "segment", "kind of segment");
    is_str(vod_uri_kind(VOD_URI_IFRAMES), "iframes", "kind of iframes");
    is_str(vod_uri_kind(VOD_URI_TEXT), "text", "kind of text");
    is_str(vod_uri_kind(1000), "other", "kind of anything else");

    return done_testing();
}
