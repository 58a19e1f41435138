#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_payload_time.h"


void
vod_window_init(vod_window_t *w, unsigned kind, int64_t start, int64_t end)
{
    w->start = start;
    w->end = end;
    w->kind = kind;
    w->place = (start == INT64_MIN) ? VOD_WINDOW_WITHIN : VOD_WINDOW_BEFORE;
}


int
vod_window_place(vod_window_t *w, int64_t pts, int key)
{
    if (w->kind == VOD_VIDEO && !key) {
        return w->place;
    }

    w->place = (pts < w->start) ? VOD_WINDOW_BEFORE
               : (pts < w->end || w->end == INT64_MAX) ? VOD_WINDOW_WITHIN
               : VOD_WINDOW_BEHIND;

    return w->place;
}


static int
vod_payload_cmp(const void *one, const void *two)
{
    int64_t  a, b;

    a = *(const int64_t *) one;
    b = *(const int64_t *) two;

    return (a > b) - (a < b);
}


void
vod_payload_dts(const int64_t *pts, uint32_t n, int64_t delay,
    int64_t *scratch, int64_t *dts)
{
    int64_t   latest;
    uint32_t  i;

    memcpy(scratch, pts, n * sizeof(int64_t));
    qsort(scratch, n, sizeof(int64_t), vod_payload_cmp);

    latest = INT64_MAX;

    for (i = n; i-- > 0; /* void */ ) {
        dts[i] = scratch[i];

        if (dts[i] > pts[i] + delay) {
            dts[i] = pts[i] + delay;
        }

        if (dts[i] > latest) {
            dts[i] = latest;
        }

        if (dts[i] < scratch[0]) {
            dts[i] = scratch[0];
        }

        latest = dts[i] - 1;
    }
}


int
vod_payload_durations(vod_sample_t *samples, const int64_t *pts,
    const int64_t *dts, uint32_t n, int64_t delay, int64_t next,
    uint32_t last, vod_err_t *err)
{
    int64_t   dur, cts;
    uint32_t  i;

    for (i = 0; i < n; i++) {

        dur = (i + 1 < n) ? dts[i + 1] - dts[i]
              : (next == INT64_MAX) ? (int64_t) last : next - dts[i];

        if (dur < 0) {
            dur = 0;
        }

        cts = pts[i] + delay - dts[i];

        if (dur > UINT32_MAX || cts > INT32_MAX || cts < INT32_MIN) {
            return vod_fail(err, VOD_DAMAGED, "a sample at %" PRId64 " ticks"
                            " lasts %" PRId64 " and is presented %" PRId64
                            " later, which are no times, remux the file",
                            dts[i], dur, cts);
        }

        samples[i].dur = (uint32_t) dur;
        samples[i].cts = (int32_t) cts;
    }

    return VOD_OK;
}


uint32_t
vod_payload_last(uint32_t nominal, uint32_t said, uint32_t before,
    uint32_t trim)
{
    uint32_t  last;

    last = (trim < nominal) ? nominal - trim : nominal;

    if (said && (before == 0 || said < before) && nominal > said
        && nominal - said > 1 && said < last)
    {
        last = said;
    }

    return last;
}
