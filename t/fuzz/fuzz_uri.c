/*
 * The URL grammar: whatever is asked, the parts named lie within it.
 */

#include "fuzz.h"

#include "vod_index.h"
#include "vod_uri.h"


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char       *path;
    unsigned    what;
    vod_uri_t   uri;

    path = (char *) fuzz_copy(data, size);

    what = vod_uri_parse(&uri, path, size);

    fuzz_must(what == uri.what);
    fuzz_must(vod_uri_kind(what) != NULL);

    if (what != VOD_URI_NONE) {
        fuzz_must(uri.asset_len < size && path[uri.asset_len] == '/');
        fuzz_must(uri.kind <= VOD_TEXT);
        fuzz_must((uri.kind == 0) == (uri.number == 0));
        fuzz_must(uri.segment <= UINT32_MAX);
        fuzz_must(what != VOD_URI_TEXT || uri.kind == VOD_TEXT);

        if (uri.token) {
            fuzz_must(uri.token > path + uri.asset_len
                      && uri.token + VOD_TOKEN_LEN <= path + size);
        }
    }

    free(path);

    return 0;
}
