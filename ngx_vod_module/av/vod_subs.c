#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_subs.h"


int
vod_subs_track(vod_index_track_t *out, uint32_t convert, const char *header,
    size_t len, vod_err_t *err)
{
    uint8_t      *entry;
    vod_wr_t      wr;
    vod_track_t  *track;

    track = &out->track;

    track->kind = VOD_TEXT;
    track->fourcc = vod_fourcc('w', 'v', 't', 't');
    track->timescale = 1000;
    track->flags |= VOD_TRACK_DEMUX | VOD_TRACK_ALL_SYNC;
    track->convert = convert;
    track->fps_den = 1;
    track->matrix[0] = 0x10000;
    track->matrix[4] = 0x10000;
    track->matrix[8] = 0x40000000;
    memcpy(track->codec, "wvtt", sizeof("wvtt"));

    vod_wr_init(&wr, NULL, 0);
    vod_wvtt_entry(&wr, header, len);

    entry = malloc(wr.len);
    if (entry == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a sample entry of %"
                        PRIu64 " bytes", wr.len);
    }

    out->entry = entry;
    out->entry_len = wr.len;

    vod_wr_init(&wr, entry, out->entry_len);
    vod_wvtt_entry(&wr, header, len);

    return VOD_OK;
}


int64_t
vod_subs_ms(int64_t ticks, uint32_t timescale)
{
    int64_t  scale, part;

    scale = timescale;
    part = (ticks % scale * 1000 + (ticks < 0 ? -scale : scale) / 2) / scale;

    return ticks / scale * 1000 + part;
}
