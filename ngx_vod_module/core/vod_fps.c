#include <stdlib.h>

#include "vod_index.h"


static uint32_t vod_fps_fullest(const int64_t *pts, uint32_t n,
    uint32_t timescale, uint64_t *ticks);
static void vod_fps_sort(int64_t *pts, uint32_t n);


static int
vod_fps_cmp(const void *one, const void *two)
{
    int64_t  a, b;

    a = *(const int64_t *) one;
    b = *(const int64_t *) two;

    return (a > b) - (a < b);
}


static uint64_t
vod_fps_gcd(uint64_t a, uint64_t b)
{
    uint64_t  t;

    while (b) {
        t = a % b;
        a = b;
        b = t;
    }

    return a;
}


/* n frames in so many ticks, as a fraction that fits */
static void
vod_fps_reduce(uint64_t n, uint64_t ticks, uint32_t timescale, uint32_t *num,
    uint32_t *den)
{
    uint64_t  a, b, d;

    if (n == 0 || ticks == 0) {
        *num = 0;
        *den = 1;
        return;
    }

    a = n * timescale;
    b = ticks;
    d = vod_fps_gcd(a, b);

    a /= d;
    b /= d;

    while (a > UINT32_MAX || b > UINT32_MAX) {
        a >>= 1;
        b >>= 1;
    }

    *num = (uint32_t) a;
    *den = b ? (uint32_t) b : 1;
}


void
vod_fps(const vod_sample_t *samples, uint32_t n, uint32_t timescale,
    int64_t *pts, uint32_t *num, uint32_t *den)
{
    int64_t   dts;
    uint32_t  i, frames;
    uint64_t  span;

    dts = 0;

    for (i = 0; i < n; i++) {
        pts[i] = dts + samples[i].cts;
        dts += samples[i].dur;
    }

    vod_fps_sort(pts, n);

    /*
     * Counted from frame to frame: the duration of the last one is often
     * what was left, or nothing.
     */

    frames = vod_fps_fullest(pts, n, timescale, &span);

    if (frames == 0) {
        frames = n - 1;
        span = (uint64_t) (pts[n - 1] - pts[0]);
    }

    if (span == 0) {
        frames = n;
        span = (uint64_t) dts;
    }

    vod_fps_reduce(frames, span, timescale, num, den);
}


/*
 * Of the runs of frames that span a second or just over, that of the highest
 * rate: how many frames, in how many ticks.  0 where no run lasts so long.
 */
static uint32_t
vod_fps_fullest(const int64_t *pts, uint32_t n, uint32_t timescale,
    uint64_t *ticks)
{
    uint32_t  i, j, best;
    uint64_t  span, least;

    best = 0;
    least = 1;

    for (i = 0, j = 0; i < n; i++) {

        while (j < n && (uint64_t) (pts[j] - pts[i]) < timescale) {
            j++;
        }

        if (j == n) {
            break;
        }

        span = (uint64_t) (pts[j] - pts[i]);

        /*
         * best / least < (j - i) / span.  A run that lasts so long that the
         * product may not fit is left to the average of all.
         */

        if (span <= UINT32_MAX
            && (uint64_t) best * span < (uint64_t) (j - i) * least)
        {
            best = j - i;
            least = span;
        }
    }

    *ticks = least;

    return best;
}


/*
 * Frames are reordered over a few neighbours, which insertion sorts as it
 * goes; times that are in real disorder are not worth more than qsort().
 */
static void
vod_fps_sort(int64_t *pts, uint32_t n)
{
    int64_t   t;
    uint32_t  i, k;
    uint64_t  moves;

    moves = 0;

    for (i = 1; i < n; i++) {
        t = pts[i];

        for (k = i; k > 0 && pts[k - 1] > t; k--) {
            pts[k] = pts[k - 1];
        }

        pts[k] = t;
        moves += i - k;

        if (moves > (uint64_t) n * 16) {
            qsort(pts, n, sizeof(int64_t), vod_fps_cmp);
            return;
        }
    }
}
