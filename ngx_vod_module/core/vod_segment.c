#include <stddef.h>

#include "vod_segment.h"


int
vod_segment_samples(const vod_cell_t *cell, const vod_cell_t *next,
    const uint8_t *rows, vod_sample_t *samples, vod_err_t *err)
{
    uint32_t      i, n;
    uint64_t      base, len, payload;
    vod_cursor_t  cur;

    cur = cell->cursor;
    base = cur.row;

    n = next->cursor.sample - cur.sample;
    len = next->cursor.row - base;
    payload = 0;

    for (i = 0; i < n; i++) {

        if (vod_row_read(&cur, rows, base, len, &samples[i]) != VOD_OK) {
            break;
        }

        payload += samples[i].size;
    }

    if (i != n || n == 0 || cur.row != next->cursor.row
        || cur.end != next->cursor.end || cur.dts != next->cursor.dts
        || payload != cell->payload)
    {
        return vod_fail(err, VOD_DAMAGED, "the samples from %u on are not "
                        "those that were indexed", cell->cursor.sample + 1);
    }

    return VOD_OK;
}


uint64_t
vod_segment_bytes(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next)
{
    uint64_t  end;

    end = next->cursor.row;

    if (track->kind == VOD_TEXT) {
        end += VOD_ROW_MAX;
        end = end < track->rows_len ? end : track->rows_len;
    }

    return end - cell->cursor.row;
}


uint32_t
vod_segment_most(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next)
{
    uint32_t  n;

    n = next->cursor.sample - cell->cursor.sample;

    return n + (track->kind == VOD_TEXT && next->cursor.row < track->rows_len);
}


int
vod_segment_rows(const vod_track_t *track, const vod_cell_t *cell,
    const vod_cell_t *next, const uint8_t *rows, uint64_t len,
    vod_sample_t *samples, uint32_t *n, vod_err_t *err)
{
    int64_t       pts;
    uint32_t      i, most;
    vod_cursor_t  cur;

    *n = next->cursor.sample - cell->cursor.sample;

    if (track->kind != VOD_TEXT) {
        return vod_segment_samples(cell, next, rows, samples, err);
    }

    cur = cell->cursor;
    most = vod_segment_most(track, cell, next);

    for (i = 0; i < most; i++) {

        if (i == *n && (cur.row != next->cursor.row
                        || cur.dts != next->cursor.dts))
        {
            break;
        }

        pts = (int64_t) (cur.dts - track->media_time);

        if (vod_row_read(&cur, rows, cell->cursor.row, len, &samples[i])
            != VOD_OK)
        {
            break;
        }

        /* what lies behind the next cell's cursor may have begun before it */

        if (i == *n && pts + samples[i].cts < next->start) {
            (*n)++;
        }
    }

    if (i != most) {
        return vod_fail(err, VOD_DAMAGED, "the rows of text from %u on are "
                        "not those that were indexed",
                        cell->cursor.sample + 1);
    }

    return VOD_OK;
}


uint32_t
vod_segment_runs(const vod_sample_t *samples, uint32_t n, vod_run_t *runs)
{
    uint32_t             i;
    vod_run_t           *run;
    const vod_sample_t  *s;

    run = NULL;

    for (i = 0; i < n; i++) {
        s = &samples[i];

        if (s->size == 0) {
            continue;
        }

        if (run && run->offset + run->len == s->pos) {
            run->len += s->size;
            continue;
        }

        run = run ? run + 1 : runs;

        run->offset = s->pos;
        run->len = s->size;
        run->source = 0;
        run->reserved = 0;
    }

    return run ? (uint32_t) (run - runs) + 1 : 0;
}
