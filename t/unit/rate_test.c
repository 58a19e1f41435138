#include "asset.h"

#include "vod_rate.h"


__extension__ typedef __int128  wide_t;

#define MAX_CELLS  200

static vod_cell_t  cells[MAX_CELLS + 1];
static vod_rate_t  rate;

static vod_rate_point_t  points[MAX_CELLS + 1];


/* segments of these ticks and bytes, one after the other from 0 */
static void
make(uint32_t timescale, uint32_t n, const uint32_t *ticks,
    const uint32_t *bytes)
{
    uint32_t  i;
    int64_t   at;

    memset(cells, 0, sizeof(cells));
    memset(&rate, 0, sizeof(rate));

    for (i = 0, at = 0; i < n; i++) {
        cells[i].start = at;
        cells[i].cursor.dts = (uint64_t) at;
        cells[i].header = 8;
        cells[i].payload = bytes[i] - 8;
        at += ticks[i];
    }

    cells[n].start = at;

    rate.cells = cells;
    rate.n = n;
    rate.timescale = timescale;
    rate.target = 6000;
    rate.target_duration = 6;
}


static uint64_t
peak(void)
{
    return vod_rate_peak(&rate, points);
}


static uint64_t
up(wide_t n, wide_t d)
{
    return (uint64_t) ((n + d - 1) / d);
}


/* all runs, one by one */
static uint64_t
slow_peak(void)
{
    uint32_t  i, j;
    uint64_t  bytes, us, least, most, bits, best;

    least = (uint64_t) rate.target_duration * 500000;
    most = (uint64_t) rate.target_duration * 1500000;
    best = 0;

    for (i = 0; i < rate.n; i++) {
        bytes = 0;

        for (j = i; j < rate.n; j++) {
            bytes += cells[j].header + cells[j].payload;
            us = vod_rate_time(&rate, j + 1) - vod_rate_time(&rate, i);

            if (us >= least && us <= most) {
                bits = up((wide_t) bytes * 8000000, us);
                best = bits > best ? bits : best;
            }
        }
    }

    if (best) {
        return best;
    }

    for (i = 0; i < rate.n; i++) {
        us = vod_rate_time(&rate, i + 1) - vod_rate_time(&rate, i);
        bits = up((wide_t) (cells[i].header + cells[i].payload) * 8000000,
                  us ? us : 1000000);
        best = bits > best ? bits : best;
    }

    return best;
}


static uint64_t
slow_buffered(void)
{
    int64_t   from, to;
    uint32_t  i, j;
    uint64_t  bytes, bits, best;
    wide_t    time;

    best = 0;

    for (i = 0; i < rate.n; i++) {
        bytes = 0;

        /* nothing is presented before zero: S@t is never negative */
        from = cells[i].start > 0 ? cells[i].start : 0;

        for (j = i; j < rate.n; j++) {
            bytes += cells[j].header + cells[j].payload;

            to = cells[j].start > 0 ? cells[j].start : 0;
            time = (wide_t) rate.target * rate.timescale
                   + (wide_t) 1000 * (to - from);

            bits = up((wide_t) bytes * 8 * 1000 * rate.timescale, time);
            best = bits > best ? bits : best;
        }
    }

    return best;
}


static void
test_known(void)
{
    /* 6 s at 800 kbit/s, 6 s at 1.6 Mbit/s, 6 s at 400 kbit/s */
    static uint32_t  t[] = { 6, 6, 6 }, b[] = { 600000, 1200000, 300000 };

    /* one second of much in short segments */
    static uint32_t  t2[] = { 6, 1, 1, 4, 6 };
    static uint32_t  b2[] = { 600000, 500000, 10000, 400000, 600000 };

    static uint32_t  t3[] = { 2 }, b3[] = { 100000 };
    static uint32_t  t4[] = { 0 }, b4[] = { 1000 };
    static uint32_t  t5[] = { 3, 3 }, b5[] = { 100, 101 };

    make(1, 3, t, b);
    is_int(peak(), 1600000, "segments of one target: the largest is the peak");
    is_int(vod_rate_average(&rate), 933333, "average, nearest");
    is_int(vod_rate_buffered(&rate), 1600000,
           "with one target buffered, each has its time to arrive");
    is_int(vod_rate_time(&rate, 3), 18000000, "they last 18 s");

    make(1, 5, t2, b2);
    is_int(peak(), (600000 + 500000) * 8 / 7 + 1,
           "1 s is too short for a run of its own, 7 s are not too long");
    is_int(vod_rate_average(&rate), (2110000 * 8 + 9) / 18, "average");

    rate.target_duration = 1;
    is_int(peak(), 4000000, "with a target duration of 1 s it is a run");

    make(1, 1, t3, b3);
    is_int(peak(), 400000, "a single short segment: its own rate");
    is_int(vod_rate_buffered(&rate), up(800000, 6),
           "which may arrive while the buffer fills");

    make(1, 1, t4, b4);
    is_int(peak(), 8000, "what does not last is there for a second");
    is_int(vod_rate_average(&rate), 8000, "its average");

    make(1, 2, t5, b5);
    rate.target_duration = 4;
    is_int(peak(), 270, "rounded up: 101 bytes in 3 s");
    is_int(vod_rate_average(&rate), 268, "201 bytes in 6 s are exact");
}


/* playlist time runs from the origin, whenever the track begins */
static void
test_origin(void)
{
    static uint32_t  t[] = { 6, 6 }, b[] = { 600000, 600000 };

    make(1, 2, t, b);
    cells[0].start = 2;
    rate.origin = 1000000;

    is_int(vod_rate_time(&rate, 0), 1000000, "the first begins there");
    is_int(peak(), up(4800000, 5), "and has that much less time");

    cells[0].start = -3;
    rate.origin = 0;
    is_int(vod_rate_time(&rate, 0), 0, "nothing begins before it");
    is_int(peak(), 800000, "so that pre-roll gives no time");
    is_int(vod_rate_average(&rate), 800000, "nor to the average");

    cells[1].start = -1;
    is_int(vod_rate_time(&rate, 1), 0, "not even a second segment");
}


static void
test_random(void)
{
    int       round, bad_peak, bad_buffered, bad_average;
    uint32_t  i, n, t[MAX_CELLS], b[MAX_CELLS], scale;
    uint64_t  seed, sum, us;
    double    off;
    int64_t   early;

    seed = 17;
    bad_peak = 0;
    bad_buffered = 0;
    bad_average = 0;

    for (round = 0; round < 3000; round++) {

        n = 1 + (uint32_t) (tap_rand(&seed) % 60);
        scale = (uint32_t []) { 1, 1000, 90000, 12800, UINT32_MAX }
                              [tap_rand(&seed) % 5];
        sum = 0;

        for (i = 0; i < n; i++) {
            t[i] = (uint32_t) (tap_rand(&seed) % 12 * scale);

            if (scale > 1 && scale < UINT32_MAX) {
                t[i] += (uint32_t) (tap_rand(&seed) % scale);
            }

            b[i] = 8 + (uint32_t) (tap_rand(&seed)
                                   % (tap_rand(&seed) % 4 ? 100000 : 5000000));
            sum += b[i];
        }

        make(scale, n, t, b);

        /* priming and the like: samples that begin before they are heard */

        if (round % 3 == 0) {
            early = (int64_t) (tap_rand(&seed) % scale);

            for (i = 0; i <= n; i++) {
                cells[i].start -= early;
            }
        }

        rate.target_duration = 1 + (uint32_t) (tap_rand(&seed) % 20);
        rate.target = 1 + (uint32_t) (tap_rand(&seed) % 20000);

        bad_peak += peak() != slow_peak();
        bad_buffered += vod_rate_buffered(&rate) != slow_buffered();

        us = vod_rate_time(&rate, n);
        off = (double) vod_rate_average(&rate)
              - (us ? (double) sum * 8e6 / (double) us : (double) sum * 8);
        bad_average += off > 0.5001 || off < -0.5001;
    }

    is_int(bad_peak, 0, "3000 random tracks: peak as of all runs");
    is_int(bad_buffered, 0, "3000 random tracks: buffered rate of all runs");
    is_int(bad_average, 0, "3000 random tracks: average");
}


/* what no file should hold must not overflow */
static void
test_extreme(void)
{
    uint32_t           i, n;
    uint64_t           bits;
    vod_cell_t        *many;
    vod_rate_point_t  *scratch;

    n = 100000;
    many = calloc(n + 1, sizeof(vod_cell_t));
    scratch = malloc((n + 1) * sizeof(vod_rate_point_t));

    for (i = 0; i <= n; i++) {
        many[i].start = (int64_t) i * (VOD_TIME_MAX / n);
        many[i].cursor.dts = (uint64_t) many[i].start;
        many[i].payload = i < n ? (uint64_t) INT64_MAX / n : 0;
    }

    rate.cells = many;
    rate.n = n;
    rate.timescale = 1;
    rate.origin = 0;
    rate.target = UINT32_MAX;
    rate.target_duration = UINT32_MAX;

    ok(vod_rate_peak(&rate, scratch) > 0, "ages of exabytes: peak");
    ok(vod_rate_buffered(&rate) > 0, "ages of exabytes: buffered rate");
    is_int(vod_rate_average(&rate) > 0, 1, "ages of exabytes: average");

    /* a window of very many segments */

    for (i = 0; i <= n; i++) {
        many[i].start = i;
        many[i].cursor.dts = i;
        many[i].payload = i < n ? 1000 + i % 100 : 0;
    }

    many[n].start = 2 * n;

    rate.timescale = 1000;
    rate.target = 6000;
    rate.target_duration = 100;

    bits = vod_rate_peak(&rate, scratch);
    ok(bits >= 8 * 1049500 && bits <= 8 * 1049600,
       "100,000 segments of 1 ms: peak %llu", (unsigned long long) bits);

    free(many);
    free(scratch);
}


/* the timeline says the same of its tracks */
static void
test_timeline(void)
{
    uint32_t                     i, k, bad;
    asset_t                      a;
    uint64_t                     seed;
    vod_sample_t                *s;
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *tt;

    memset(&a, 0, sizeof(a));
    seed = 23;

    s = asset_plain(&a, VOD_VIDEO, 12800, 2500, 512, 50);

    for (i = 0; i < 2500; i++) {
        s[i].size = (uint32_t) (tap_rand(&seed) % 20000);
    }

    asset_plain(&a, VOD_AUDIO, 48000, 4700, 1024, 1);
    asset_timeline(&a, 6000);
    tl = a.timeline;
    bad = 0;

    for (i = 0; i < 2; i++) {
        tt = asset_track(&a, i);

        memcpy(cells, asset_cells(&a, i),
               (tt->n_segments + 1) * sizeof(vod_cell_t));

        rate.cells = cells;
        rate.n = tt->n_segments;
        rate.timescale = tt->timescale;
        rate.origin = tl->origin;
        rate.target = 6000;
        rate.target_duration = tl->target_duration;

        bad += tt->peak != slow_peak();
        bad += tt->bandwidth != slow_buffered();
        bad += tt->average != vod_rate_average(&rate);
        bad += tt->peak < tt->average;

        is_int(tt->key_duration != 0, i == 0, "I-frames of track %u", i + 1);

        if (tt->key_duration == 0) {
            continue;
        }

        /* the slow rule knows segments alone: let each be its I-frame */

        for (k = 0; k < tt->n_segments; k++) {
            cells[k].start = cells[k].sync;
            cells[k].payload = cells[k].key;
        }

        rate.target_duration = tt->key_duration;

        bad += tt->key_peak != slow_peak();
        bad += tt->key_average != vod_rate_average(&rate);
        bad += tt->key_peak < tt->key_average || tt->key_peak >= tt->peak;
    }

    is_int(bad, 0, "a timeline's rates are those of its cells");

    asset_free(&a);
}


int
main(void)
{
    test_known();
    test_origin();
    test_random();
    test_extreme();
    test_timeline();

    return done_testing();
}
