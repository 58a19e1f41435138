/*
 * A segment, as the server sends it.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "vodtool.h"


static int vodtool_number(vodtool_t *vt, unsigned vtt);
static int vodtool_samples(vodtool_t *vt, const vod_track_t *track,
    const vod_cell_t *cell, uint32_t n_segments, unsigned vtt);
static int vodtool_header(vodtool_t *vt, const vod_track_t *track,
    uint64_t dts, const vod_sample_t *samples, uint32_t n, uint64_t payload);
static int vodtool_payload(vodtool_t *vt, const vod_sample_t *samples,
    uint32_t n);
static int vodtool_demuxed(vodtool_t *vt, const vod_av_segment_in_t *in);


int
vodtool_segment(vodtool_t *vt)
{
    return vodtool_number(vt, 0);
}


int
vodtool_vtt(vodtool_t *vt)
{
    return vodtool_number(vt, 1);
}


static int
vodtool_number(vodtool_t *vt, unsigned vtt)
{
    int                          ordinal;
    const vod_track_t           *track;
    const vod_timeline_track_t  *tt;

    ordinal = vodtool_track(vt, vt->track);
    if (ordinal == -1) {
        return VODTOOL_NOT_FOUND;
    }

    track = vod_index_tracks(vt->index) + ordinal;
    tt = vod_timeline_tracks(vt->timeline) + ordinal;

    if (vtt && track->kind != VOD_TEXT) {
        (void) vod_fail(&vt->err, VOD_NOT_FOUND, "%s is no text", vt->track);
        return VODTOOL_NOT_FOUND;
    }

    if (vt->number == 0 || vt->number > tt->n_segments) {
        (void) vod_fail(&vt->err, VOD_NOT_FOUND, "%s has no segment %" PRIu64
                        ", only 1 to %u", vt->track, vt->number,
                        tt->n_segments);
        return VODTOOL_NOT_FOUND;
    }

    return vodtool_samples(vt, track, vod_timeline_cells(vt->timeline, tt)
                                      + (vt->number - 1), tt->n_segments,
                           vtt);
}


static int
vodtool_samples(vodtool_t *vt, const vod_track_t *track,
    const vod_cell_t *cell, uint32_t n_segments, unsigned vtt)
{
    int                   status;
    uint32_t              n;
    vod_sample_t         *samples;
    const uint8_t        *base;
    const vod_index_t    *index;
    vod_av_segment_in_t   in;

    index = vt->index;
    base = vt->index;
    n = vod_segment_most(track, &cell[0], &cell[1]);

    samples = malloc((size_t) (n ? n : 1) * sizeof(vod_sample_t));

    if (samples == NULL) {
        (void) vod_fail(&vt->err, VOD_NOMEM, "no memory for a segment");
        return VODTOOL_FAILED;
    }

    status = VODTOOL_FAILED;

    if (vod_segment_rows(track, &cell[0], &cell[1],
                         base + track->rows_off + cell->cursor.row,
                         vod_segment_bytes(track, &cell[0], &cell[1]),
                         samples, &n, &vt->err)
        != VOD_OK)
    {
        goto done;
    }

    if (track->flags & VOD_TRACK_DEMUX) {
        in.container = index->container;
        in.track = track;
        in.entry = base + track->entry_off;
        in.cell = &cell[0];
        in.next = &cell[1];
        in.number = vt->number;
        in.n_segments = n_segments;
        in.rows = samples;
        in.n_rows = n;
        in.vtt = vtt;

        status = vodtool_demuxed(vt, &in);
        goto done;
    }

    status = vodtool_header(vt, track, cell->cursor.dts, samples, n,
                            cell->payload);

    if (status == VODTOOL_OK) {
        status = vodtool_payload(vt, samples, n);
    }

done:

    free(samples);

    return status;
}


static int
vodtool_header(vodtool_t *vt, const vod_track_t *track, uint64_t dts,
    const vod_sample_t *samples, uint32_t n, uint64_t payload)
{
    int        status;
    uint8_t   *buf;
    vod_wr_t   wr;

    vod_wr_init(&wr, NULL, 0);
    vod_box_segment(&wr, track->ordinal + 1, track->kind,
                    (uint32_t) vt->number, dts, samples, n, payload);

    buf = malloc(wr.len);

    if (buf == NULL) {
        (void) vod_fail(&vt->err, VOD_NOMEM, "no memory for a segment");
        return VODTOOL_FAILED;
    }

    vod_wr_init(&wr, buf, wr.len);
    vod_box_segment(&wr, track->ordinal + 1, track->kind,
                    (uint32_t) vt->number, dts, samples, n, payload);

    status = vodtool_put(vt, buf, wr.len);

    free(buf);

    return status;
}


static int
vodtool_payload(vodtool_t *vt, const vod_sample_t *samples, uint32_t n)
{
    int         status, sys_err;
    uint32_t    i, runs;
    uint64_t    done, len;
    vod_run_t  *run;
    static uint8_t  buf[65536];

    run = malloc((size_t) n * sizeof(vod_run_t));
    if (run == NULL) {
        (void) vod_fail(&vt->err, VOD_NOMEM, "no memory for a segment");
        return VODTOOL_FAILED;
    }

    runs = vod_segment_runs(samples, n, run);
    status = VODTOOL_OK;

    for (i = 0; i < runs && status == VODTOOL_OK; i++) {
        for (done = 0; done < run[i].len && status == VODTOOL_OK;
             done += len)
        {
            len = run[i].len - done;
            len = (len < sizeof(buf)) ? len : sizeof(buf);

            if (vodtool_read(vt, buf, len, run[i].offset + done, &sys_err)
                != (int64_t) len)
            {
                (void) vod_fail(&vt->err, VOD_IO, "its data cannot be read"
                                " at offset %" PRIu64, run[i].offset + done);
                status = VODTOOL_FAILED;

            } else {
                status = vodtool_put(vt, buf, len);
            }
        }
    }

    free(run);

    return status;
}


static int
vodtool_demuxed(vodtool_t *vt, const vod_av_segment_in_t *in)
{
    int               status;
    vod_av_segment_t  segment;

    if (vod_av_segment(&vt->source, NULL, in, &segment, &vt->err) != VOD_OK) {
        return VODTOOL_FAILED;
    }

    status = in->vtt ? VODTOOL_OK
             : vodtool_header(vt, in->track, segment.dts, segment.samples,
                              segment.n, segment.len);

    if (status == VODTOOL_OK) {
        status = vodtool_put(vt, segment.payload, segment.len);
    }

    vod_av_segment_free(&segment);

    return status;
}
