/*
 * The request path from the cells to the plan: rows decoded, header written,
 * runs found, as the server does it with memory of its own.
 */

#include "micro.h"

#include "vod_box.h"


#define MAX_SAMPLES  1024
#define MAX_HEADER   16384


static vod_sample_t  samples[MAX_SAMPLES];
static vod_run_t     runs[MAX_SAMPLES];
static uint8_t       header[MAX_HEADER];


static void
plan(unsigned seconds, unsigned ordinal, uint64_t n)
{
    uint32_t                     i, count;
    vod_wr_t                     wr;
    vod_err_t                    err;
    const uint8_t               *rows;
    const vod_cell_t            *cells;
    const vod_track_t           *track;
    const micro_asset_t         *asset;
    const vod_timeline_track_t  *cut;

    asset = micro_asset(seconds);
    track = &vod_index_tracks(asset->index)[ordinal];
    cut = &vod_timeline_tracks(asset->timeline)[ordinal];
    rows = (uint8_t *) asset->index + track->rows_off;

    for (i = 0; n; n--) {
        cells = vod_timeline_cells(asset->timeline, cut) + i;
        count = cells[1].cursor.sample - cells[0].cursor.sample;

        micro_need(count <= MAX_SAMPLES && cells[0].header <= MAX_HEADER
                   && vod_segment_samples(&cells[0], &cells[1],
                                          rows + cells[0].cursor.row, samples,
                                          &err)
                      == VOD_OK, "segment");

        vod_wr_init(&wr, header, cells[0].header);
        vod_box_segment(&wr, ordinal + 1, track->kind, i + 1,
                        cells[0].cursor.dts, samples, count,
                        cells[0].payload);
        micro_need(wr.len == cells[0].header, "header");

        micro_sink += vod_segment_runs(samples, count, runs);

        /* all over the asset, not its beginning alone */
        i = (i + 37) % cut->n_segments;
    }
}


static void
video_1h(uint64_t n)
{
    plan(3600, 0, n);
}


static void
audio_1h(uint64_t n)
{
    plan(3600, 1, n);
}


static void
video_1min(uint64_t n)
{
    plan(60, 0, n);
}


static void
video_10h(uint64_t n)
{
    plan(36000, 0, n);
}


static void
etag(uint64_t n)
{
    const micro_asset_t  *asset = micro_asset(3600);

    for (; n; n--) {
        micro_sink += vod_timeline_etag(asset->timeline, 5, 0, n);
    }
}


const micro_t  micro_request[] = {
    { "RequestPlanVideo1min", video_1min },
    { "RequestPlanVideo1h", video_1h },
    { "RequestPlanVideo10h", video_10h },
    { "RequestPlanAudio1h", audio_1h },
    { "RequestEtag", etag },
    { NULL, NULL }
};
