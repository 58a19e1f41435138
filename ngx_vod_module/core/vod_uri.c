#include <string.h>

#include "vod_index.h"
#include "vod_uri.h"


typedef struct {
    const char  *data;
    size_t       len;
} vod_uri_part_t;


static unsigned vod_uri_file(vod_uri_t *uri, vod_uri_part_t name);
static unsigned vod_uri_track(vod_uri_t *uri, vod_uri_part_t name);
static int vod_uri_token(vod_uri_t *uri, vod_uri_part_t *name);


#define vod_uri_is(part, text)                                                \
    ((part).len == sizeof(text) - 1                                           \
     && memcmp((part).data, text, sizeof(text) - 1) == 0)


/* takes what stands behind the last slash off path; 0 where there is none */
static int
vod_uri_last(vod_uri_part_t *path, vod_uri_part_t *name)
{
    size_t  i;

    for (i = path->len; i > 0; i--) {

        if (path->data[i - 1] == '/') {
            name->data = path->data + i;
            name->len = path->len - i;
            path->len = i - 1;
            return 1;
        }
    }

    return 0;
}


/* takes the text off the end of name; 0 where it does not stand there */
static int
vod_uri_cut(vod_uri_part_t *name, const char *text)
{
    size_t  n;

    n = strlen(text);

    if (name->len < n || memcmp(name->data + name->len - n, text, n) != 0) {
        return 0;
    }

    name->len -= n;

    return 1;
}


/* decimal of 1 to UINT32_MAX without leading zeros, or 0 */
static uint32_t
vod_uri_number(const char *p, size_t n)
{
    size_t    i;
    uint64_t  v;

    if (n == 0 || n > 10 || p[0] == '0') {
        return 0;
    }

    for (v = 0, i = 0; i < n; i++) {

        if (p[i] < '0' || p[i] > '9') {
            return 0;
        }

        v = v * 10 + (uint64_t) (p[i] - '0');
    }

    return v <= UINT32_MAX ? (uint32_t) v : 0;
}


unsigned
vod_uri_parse(vod_uri_t *uri, const char *path, size_t len)
{
    unsigned        what;
    vod_uri_part_t  rest, name, track;

    memset(uri, 0, sizeof(vod_uri_t));

    rest.data = path;
    rest.len = len;

    if (!vod_uri_last(&rest, &name)) {
        return VOD_URI_NONE;
    }

    if (vod_uri_is(name, "master.m3u8")) {
        what = VOD_URI_MASTER;

    } else if (vod_uri_is(name, "manifest.mpd")) {
        what = VOD_URI_MANIFEST;

    } else {
        what = vod_uri_file(uri, name);

        if (what == VOD_URI_NONE || !vod_uri_last(&rest, &track)
            || vod_uri_track(uri, track) == 0)
        {
            goto none;
        }

        /* a segment of any track is CMAF, of text WebVTT too */

        if (what == VOD_URI_TEXT && uri->kind != VOD_TEXT) {
            goto none;
        }
    }

    /* an asset is a file: it has a name, and no file's name has a NUL */

    if (rest.len == 0 || rest.data[rest.len - 1] == '/'
        || memchr(rest.data, '\0', rest.len) != NULL)
    {
        goto none;
    }

    uri->asset_len = rest.len;
    uri->what = what;

    return what;

none:

    memset(uri, 0, sizeof(vod_uri_t));

    return VOD_URI_NONE;
}


/* one of the files of a track */
static unsigned
vod_uri_file(vod_uri_t *uri, vod_uri_part_t name)
{
    unsigned  what;

    if (vod_uri_is(name, "index.m3u8")) {
        return VOD_URI_MEDIA;
    }

    if (vod_uri_is(name, "iframes.m3u8")) {
        return VOD_URI_IFRAMES;
    }

    what = vod_uri_cut(&name, ".m4s") ? VOD_URI_SEGMENT
           : vod_uri_cut(&name, ".vtt") ? VOD_URI_TEXT : VOD_URI_NONE;

    if (what != VOD_URI_NONE) {

        if (!vod_uri_token(uri, &name)) {
            return VOD_URI_NONE;
        }

        uri->segment = vod_uri_number(name.data, name.len);

        return uri->segment ? what : VOD_URI_NONE;
    }

    if (vod_uri_cut(&name, ".mp4") && vod_uri_token(uri, &name)
        && vod_uri_is(name, "init"))
    {
        return VOD_URI_INIT;
    }

    return VOD_URI_NONE;
}


/* takes a token off the end of name; 0 where it is not of the right form */
static int
vod_uri_token(vod_uri_t *uri, vod_uri_part_t *name)
{
    size_t       i;
    const char  *p;

    p = memchr(name->data, '-', name->len);
    if (p == NULL) {
        return 1;
    }

    if ((size_t) (name->data + name->len - p) != 1 + VOD_TOKEN_LEN) {
        return 0;
    }

    for (i = 1; i <= VOD_TOKEN_LEN; i++) {
        if (!(p[i] >= '0' && p[i] <= '9') && !(p[i] >= 'a' && p[i] <= 'f')) {
            return 0;
        }
    }

    uri->token = p + 1;
    name->len = (size_t) (p - name->data);

    return 1;
}


/* kind and number of the track; 0 where it is no track's name */
static unsigned
vod_uri_track(vod_uri_t *uri, vod_uri_part_t name)
{
    if (name.len < 2) {
        return 0;
    }

    switch (name.data[0]) {

    case 'v':
        uri->kind = VOD_VIDEO;
        break;

    case 'a':
        uri->kind = VOD_AUDIO;
        break;

    case 's':
        uri->kind = VOD_TEXT;
        break;

    default:
        return 0;
    }

    uri->number = vod_uri_number(name.data + 1, name.len - 1);

    return uri->number;
}


const char *
vod_uri_kind(unsigned what)
{
    static const char  *kinds[] = {
        "other", "master", "manifest", "media", "init", "segment", "iframes",
        "text"
    };

    return what < VOD_URI_KINDS ? kinds[what] : kinds[VOD_URI_NONE];
}
