/*
 * Messages: playlists and MPD of an hour, header, URL.
 */

#include "micro.h"

#include <stdlib.h>
#include <string.h>

#include "vod_box.h"
#include "vod_dash.h"
#include "vod_hls.h"
#include "vod_uri.h"


#define HOUR  3600
#define ROOM  (1024 * 1024)


static uint8_t  text[ROOM];


/* as the server does: measured, then written */

#define render(wr, call)                                                      \
    do {                                                                      \
        vod_wr_init(&wr, NULL, 0);                                            \
        call;                                                                 \
        micro_need(wr.len <= ROOM, "no room");                                \
        vod_wr_init(&wr, text, wr.len);                                       \
        call;                                                                 \
        micro_sink += wr.len;                                                 \
    } while (0)


static void
hls_master(uint64_t n)
{
    vod_wr_t              wr;
    const micro_asset_t  *a = micro_asset(HOUR);

    for (; n; n--) {
        render(wr, vod_hls_master(&wr, a->index, a->timeline, NULL));
    }
}


static void
hls_media(uint64_t n)
{
    vod_wr_t              wr;
    const micro_asset_t  *a = micro_asset(HOUR);

    for (; n; n--) {
        render(wr, vod_hls_media(&wr, a->index, a->timeline, 0, NULL));
    }
}


static void
dash_mpd(uint64_t n)
{
    vod_wr_t              wr;
    const micro_asset_t  *a = micro_asset(HOUR);

    for (; n; n--) {
        render(wr, vod_dash_mpd(&wr, a->index, a->timeline, NULL));
    }
}


static void
init_header(uint64_t n)
{
    vod_wr_t              wr;
    const uint8_t        *index;
    const vod_track_t    *track;

    index = micro_asset(HOUR)->index;
    track = vod_index_tracks(index);

    for (; n; n--) {
        render(wr, vod_box_init(&wr, track, index + track->entry_off,
                                (const char *) index + track->name_off));
    }
}


static void
parse_uri(uint64_t n)
{
    vod_uri_t  uri;

    static const char  path[] = "/vod/films/some.film.mp4/v1/"
                                "317-0123456789ab.m4s";

    for (; n; n--) {
        micro_sink += vod_uri_parse(&uri, path, sizeof(path) - 1);
    }
}


const micro_t  micro_message[] = {
    { "MessageHlsMaster1h", hls_master },
    { "MessageHlsMedia1h", hls_media },
    { "MessageDashMpd1h", dash_mpd },
    { "MessageInit", init_header },
    { "MessageUri", parse_uri },
    { NULL, NULL }
};
