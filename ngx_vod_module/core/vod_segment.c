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
