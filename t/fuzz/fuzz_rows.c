/*
 * The reader of an index's rows, and of a segment between two cells that
 * promise anything.
 */

#include "fuzz.h"

#include "vod_segment.h"


static void
rows(const uint8_t *data, size_t size)
{
    uint64_t      before;
    vod_cursor_t  cur;
    vod_sample_t  s;

    memset(&cur, 0, sizeof(cur));

    for ( ;; ) {
        before = cur.row;

        if (vod_row_read(&cur, data, 0, size, &s) != VOD_OK) {
            break;
        }

        fuzz_must(cur.row > before && cur.row <= size);
        fuzz_must(s.key <= 1);
    }
}


static void
segment(const uint8_t *data, size_t size)
{
    uint8_t        few;
    uint32_t       i, n;
    uint64_t       len, payload;
    vod_err_t      err;
    vod_run_t     *runs;
    vod_cell_t     cells[2];
    vod_sample_t  *samples;

    memset(cells, 0, sizeof(cells));
    fuzz_take(&data, &size, &few, 1);
    fuzz_take(&data, &size, &cells[0].payload, 2);
    fuzz_take(&data, &size, &cells[1].cursor.end, 4);
    fuzz_take(&data, &size, &cells[1].cursor.dts, 4);

    n = few;
    cells[1].cursor.sample = n;
    cells[1].cursor.row = size;

    samples = calloc(n + 1, sizeof(vod_sample_t));
    runs = calloc(n + 1, sizeof(vod_run_t));
    fuzz_must(samples && runs);

    if (vod_segment_samples(&cells[0], &cells[1], data, samples, &err)
        == VOD_OK)
    {
        payload = 0;
        len = 0;

        for (i = 0; i < n; i++) {
            payload += samples[i].size;
        }

        n = vod_segment_runs(samples, n, runs);

        for (i = 0; i < n; i++) {
            len += runs[i].len;
        }

        fuzz_must(payload == cells[0].payload && len == payload);
    }

    free(samples);
    free(runs);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t  *p;

    p = fuzz_copy(data, size);
    rows(p, size);
    segment(p, size);
    free(p);

    return 0;
}
