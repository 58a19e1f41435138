/*
 * What is done once a file: its index, and its cuts.
 */

#include "micro.h"

#include <stdlib.h>
#include <string.h>


/* open, parse, index the clip of 3 s: with libavformat */

static void
build_index(uint64_t n)
{
    uint64_t  len;

    for (; n; n--) {
        free(micro_clip_index(&len));
        micro_sink += len;
    }
}


/* cut an hour */

static void
build_timeline(uint64_t n)
{
    vod_err_t             err;
    vod_timeline_in_t     in;
    const micro_asset_t  *asset;

    static void          *out;
    static uint64_t       room;

    asset = micro_asset(3600);

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.file_size = ((const vod_index_t *) asset->index)->file_size;
    in.to = INT64_MAX;

    if (out == NULL) {
        room = vod_timeline_bound(asset->index, &in);
        out = malloc(room);
        micro_need(out != NULL, "no memory");
    }

    for (; n; n--) {
        micro_sink += vod_timeline_build(asset->index, &in, out, room, &err);
    }
}


static void
check_index(uint64_t n)
{
    vod_err_t             err;
    const micro_asset_t  *asset = micro_asset(3600);

    for (; n; n--) {
        micro_need(vod_index_check(asset->index, asset->index_len, &err)
                   == VOD_OK, "check");
    }
}


const micro_t  micro_index[] = {
    { "IndexBuildClip", build_index },
    { "IndexTimeline1h", build_timeline },
    { "IndexCheck1h", check_index },
    { NULL, NULL }
};
