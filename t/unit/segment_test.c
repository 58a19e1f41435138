#include "asset.h"

#include "vod_segment.h"


/*
 * All segments of a track, each from nothing but its two cells and its own
 * rows, in a buffer of just that size.
 */
static void
test_whole(void)
{
    int                          bad;
    asset_t                      a;
    uint8_t                     *rows;
    uint32_t                     i, k, n, seen, runs;
    uint64_t                     seed, len, sum;
    vod_run_t                   *run;
    vod_sample_t                *s, *out;
    const vod_cell_t            *c;
    const vod_track_t           *t;
    const vod_timeline_track_t  *tt;

    memset(&a, 0, sizeof(a));
    seed = 31;

    s = asset_plain(&a, VOD_VIDEO, 12800, 3000, 512, 50);

    for (i = 0; i < 3000; i++) {
        s[i].size = (uint32_t) (tap_rand(&seed) % 3000);
        s[i].cts = (int32_t) (tap_rand(&seed) % 3) * 512;
    }

    asset_plain(&a, VOD_AUDIO, 48000, 5000, 1024, 1);
    asset_timeline(&a, 6000);

    for (k = 0; k < 2; k++) {
        t = &vod_index_tracks(a.index)[k];
        tt = asset_track(&a, k);
        c = asset_cells(&a, k);
        seen = 0;
        bad = 0;

        for (i = 0; i < tt->n_segments; i++) {
            n = c[i + 1].cursor.sample - c[i].cursor.sample;
            len = c[i + 1].cursor.row - c[i].cursor.row;

            rows = malloc(len);
            memcpy(rows, (uint8_t *) a.index + t->rows_off + c[i].cursor.row,
                   len);
            out = malloc(n * sizeof(vod_sample_t));
            run = malloc(n * sizeof(vod_run_t));

            bad += vod_segment_samples(&c[i], &c[i + 1], rows, out, &a.err)
                   != VOD_OK;
            bad += memcmp(out, a.samples[k] + seen, n * sizeof(vod_sample_t))
                   != 0;

            runs = vod_segment_runs(out, n, run);
            sum = 0;

            while (runs--) {
                sum += run[runs].len;
            }

            bad += sum != c[i].payload;
            seen += n;

            free(rows);
            free(out);
            free(run);
        }

        is_int(bad, 0, "track %u: each segment has its samples and bytes",
               k + 1);
        is_int(seen, t->n_samples, "track %u: each sample is in one", k + 1);
    }

    asset_free(&a);
}


#define damaged(change, what)                                                 \
    cell = c[1];                                                              \
    next = c[2];                                                              \
    memcpy(rows, kept, len);                                                  \
    change;                                                                   \
    err.code = 0;                                                             \
    err.text[0] = '\0';                                                       \
    is_int(vod_segment_samples(&cell, &next, rows, out, &err), VOD_DAMAGED,   \
           what);                                                             \
    ok(err.code == VOD_DAMAGED && err.text[0], "%s: %s", what, err.text)


static void
test_damaged(void)
{
    asset_t            a;
    uint8_t           *rows, *kept;
    uint64_t           len;
    vod_err_t          err;
    vod_cell_t         cell, next;
    vod_sample_t       out[256];
    const vod_cell_t  *c;

    memset(&a, 0, sizeof(a));
    asset_plain(&a, VOD_VIDEO, 12800, 500, 512, 50);
    asset_timeline(&a, 4000);
    c = asset_cells(&a, 0);

    len = c[2].cursor.row - c[1].cursor.row;
    kept = (uint8_t *) a.index + vod_index_tracks(a.index)->rows_off
           + c[1].cursor.row;
    rows = malloc(len);
    memcpy(rows, kept, len);

    is_int(vod_segment_samples(&c[1], &c[2], rows, out, &err), VOD_OK,
           "the rows are those of the cells");

    damaged(cell.payload++, "a payload that is not the sum");
    damaged(next.cursor.dts++, "a time that is not the sum");
    damaged(next.cursor.end++, "an end that is not the last sample's");
    damaged(next.cursor.row--, "rows that end too early");
    damaged(next.cursor.sample--, "rows for more samples");
    damaged(next.cursor.sample++, "rows for fewer samples");
    damaged(next = cell; cell.payload = 0, "no samples");
    damaged(rows[0] |= 0x80, "a row with a flag that is none");
    damaged(rows[1] ^= 1, "a row with another size");
    damaged(memset(rows, 0xff, len), "rows of ones");
    damaged(memset(rows, 0, len), "rows of zeros");

    free(rows);
    asset_free(&a);
}


static void
test_runs(void)
{
    vod_run_t            runs[8];
    static vod_sample_t  s[] = {
        { 100, 10, 1, 0, 1 }, { 110, 5, 1, 0, 1 },      /* together */
        { 200, 7, 1, 0, 1 },                            /* alone */
        { 500, 0, 1, 0, 1 },                            /* nothing */
        { 207, 3, 1, 0, 1 },                            /* goes on at 207 */
        { 207, 3, 1, 0, 1 },                            /* the same again */
        { 50, 4294967295u, 1, 0, 1 },                   /* back */
        { 4294967345u, 4294967295u, 1, 0, 1 },          /* beyond 32 bits */
    };
    static vod_sample_t  empty[] = { { 5, 0, 1, 0, 1 }, { 9, 0, 1, 0, 1 } };

    is_int(vod_segment_runs(s, 8, runs), 4, "eight samples, four runs");

    ok(runs[0].offset == 100 && runs[0].len == 15, "two together");
    ok(runs[1].offset == 200 && runs[1].len == 10,
       "an empty sample does not part what belongs together");
    ok(runs[2].offset == 207 && runs[2].len == 3, "the same bytes twice");
    ok(runs[3].offset == 50 && runs[3].len == 2ull * 4294967295u,
       "a run of 8 GB");
    ok(runs[0].source == 0 && runs[3].source == 0 && runs[0].reserved == 0,
       "all of the asset's file");

    is_int(vod_segment_runs(empty, 2, runs), 0, "empty samples are no runs");
    is_int(vod_segment_runs(s, 0, runs), 0, "nor is nothing");
    is_int(vod_segment_runs(s, 1, runs), 1, "one sample is one");
}


int
main(void)
{
    is_int(sizeof(vod_sample_t), 24, "size of a sample");
    is_int(sizeof(vod_run_t), 24, "size of a run");

    test_whole();
    test_damaged();
    test_runs();

    return done_testing();
}
