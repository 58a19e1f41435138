#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_frag.h"


/* runs that were ... */
typedef struct {
    int       sorted;
    uint32_t  cut;              /* behind which the next begins too early */
    uint32_t  dropped;
} vod_frag_repairs_t;


static int vod_frag_prepend(vod_frag_track_t *f, const vod_sample_t *samples,
    uint32_t n, vod_err_t *err);
static int vod_frag_resolve(vod_frag_track_t *f, vod_err_t *err);
static int64_t vod_frag_smooth(const vod_frag_track_t *f,
    const vod_frag_run_t *run, int64_t end, int64_t base);
static int vod_frag_ordered(const vod_frag_track_t *f);
static int vod_frag_sort(vod_frag_track_t *f, int *sorted, vod_err_t *err);
static int vod_frag_earlier(const void *a, const void *b);
static int vod_frag_fit(vod_frag_track_t *f, vod_frag_repairs_t *r,
    vod_err_t *err);
static void vod_frag_move(vod_frag_track_t *f, uint32_t n,
    const vod_frag_run_t *run);
static int vod_frag_fit_one(vod_frag_track_t *f, uint32_t run,
    vod_frag_repairs_t *r, vod_err_t *err);
static int vod_frag_clamp(vod_frag_track_t *f, uint32_t run, int64_t dts,
    vod_err_t *err);
static int64_t vod_frag_last(const vod_frag_track_t *f, uint32_t run);


int
vod_frag_join(vod_frag_track_t *f, const vod_sample_t *samples, uint32_t n,
    const char *what, int64_t *dts, vod_notes_t *notes, vod_err_t *err)
{
    int                 rc;
    vod_frag_repairs_t  r = { 0, 0, 0 };

    rc = vod_frag_prepend(f, samples, n, err);

    if (rc == VOD_OK) {
        rc = vod_frag_resolve(f, err);
    }

    if (rc == VOD_OK && !vod_frag_ordered(f)) {
        rc = vod_frag_sort(f, &r.sorted, err);
    }

    if (rc == VOD_OK) {
        rc = vod_frag_fit(f, &r, err);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    if (r.sorted) {
        vod_notes_add(notes, "%s: its fragments are not in the order of their"
                      " times and were sorted, remux the file", what);
    }

    if (f->from_moof) {
        vod_notes_add(notes, "%s: the data of its fragments is where moof"
                      " counts from, though its boxes do not say so, remux"
                      " the file", what);
    }

    if (f->lost) {
        vod_notes_add(notes, "%s: the data of its fragment at offset %" PRIu64
                      " lies beyond the end of the file, the %u samples"
                      " before are served, put the whole file there", what,
                      f->lost, f->n);
    }

    if (r.cut) {
        vod_notes_add(notes, "%s: %u of its %u fragments last longer than to"
                      " the begin of the next, their decoding times were"
                      " repaired, remux the file", what, r.cut, f->n_runs);
    }

    if (r.dropped) {
        vod_notes_add(notes, "%s: %u fragments go back to times that others"
                      " hold and are left out, %u are served, cut the file"
                      " where its times begin again", what, r.dropped,
                      f->n_runs);
    }

    *dts = f->runs[0].dts;

    return VOD_OK;
}


/* the samples of moov are the first run, at time 0 */
static int
vod_frag_prepend(vod_frag_track_t *f, const vod_sample_t *samples, uint32_t n,
    vod_err_t *err)
{
    int              rc;
    uint32_t         i;
    vod_frag_run_t  *run;

    if (n == 0) {
        return VOD_OK;
    }

    rc = vod_frag_reserve(f, n, err);
    if (rc != VOD_OK) {
        return rc;
    }

    memmove(f->samples + n, f->samples, (size_t) f->n * sizeof(vod_sample_t));
    memcpy(f->samples, samples, (size_t) n * sizeof(vod_sample_t));
    f->n += n;

    run = f->runs;
    memmove(run + 1, run, (size_t) f->n_runs * sizeof(vod_frag_run_t));
    f->n_runs++;

    run->dts = 0;
    run->timed = 0;
    run->first = 0;
    run->n = n;

    for (i = 0, run->span = 0; i < n; i++) {
        run->span += samples[i].dur;
    }

    for (i = 1; i < f->n_runs; i++) {
        f->runs[i].first += n;
    }

    return VOD_OK;
}


/* times that the file leaves out, before anything is moved */
static int
vod_frag_resolve(vod_frag_track_t *f, vod_err_t *err)
{
    int64_t          end, base;
    uint32_t         i;
    vod_frag_run_t  *run;

    base = 0;

    for (i = 0, end = 0; i < f->n_runs; i++) {
        run = &f->runs[i];

        if (i == 0 && run->timed) {
            base = run->smooth - f->samples[run->first].cts;
            base = (base < 0) ? base : 0;
        }

        run->dts = (run->dts == -1) ? vod_frag_smooth(f, run, end, base)
                                    : run->dts;

        /* both are below 2^61: 2^32 samples of 2^31 ticks would be 2^63 */

        if (run->span > VOD_TIME_MAX / 2
            || run->dts + (int64_t) run->span > VOD_TIME_MAX / 2)
        {
            return vod_fail(err, VOD_DAMAGED, "its fragments reach beyond"
                            " all times (%" PRId64 " + %" PRIu64 " ticks),"
                            " remux the file", run->dts, run->span);
        }

        end = run->dts + (int64_t) run->span;
    }

    return VOD_OK;
}


/* when a run is decoded whose file says it in Smooth Streaming's way, or not
   at all: its ticks are rounded, so that less than a sample is no gap */
static int64_t
vod_frag_smooth(const vod_frag_track_t *f, const vod_frag_run_t *run,
    int64_t end, int64_t base)
{
    int64_t  dts, off;

    if (!run->timed) {
        return end;
    }

    dts = run->smooth - f->samples[run->first].cts - base;
    off = (dts > end) ? dts - end : end - dts;

    return (dts < 0 || off <= (int64_t) (run->span / run->n)) ? end : dts;
}


/* no run begins before the last sample of the one before it */
static int
vod_frag_ordered(const vod_frag_track_t *f)
{
    uint32_t  i;

    for (i = 1; i < f->n_runs; i++) {
        if (f->runs[i].dts < vod_frag_last(f, i - 1)) {
            return 0;
        }
    }

    return 1;
}


/* by time, where that leaves no overlap; else nothing changes */
static int
vod_frag_sort(vod_frag_track_t *f, int *sorted, vod_err_t *err)
{
    uint32_t          i, at;
    vod_sample_t     *samples;
    vod_frag_run_t   *runs, *old;

    runs = malloc((size_t) f->n_runs * sizeof(vod_frag_run_t));
    samples = malloc((size_t) f->n * sizeof(vod_sample_t));

    if (runs == NULL || samples == NULL) {
        free(runs);
        free(samples);
        return vod_fail(err, VOD_NOMEM, "no memory to sort %u fragments",
                        f->n_runs);
    }

    memcpy(runs, f->runs, (size_t) f->n_runs * sizeof(vod_frag_run_t));
    qsort(runs, f->n_runs, sizeof(vod_frag_run_t), vod_frag_earlier);

    old = f->runs;
    f->runs = runs;
    *sorted = vod_frag_ordered(f);

    if (!*sorted) {
        f->runs = old;
        free(runs);
        free(samples);
        return VOD_OK;
    }

    for (i = 0, at = 0; i < f->n_runs; i++) {
        memcpy(samples + at, f->samples + runs[i].first,
               (size_t) runs[i].n * sizeof(vod_sample_t));
        runs[i].first = at;
        at += runs[i].n;
    }

    free(old);
    free(f->samples);
    f->samples = samples;
    f->room = f->n;
    f->run_room = f->n_runs;

    return VOD_OK;
}


static int
vod_frag_earlier(const void *a, const void *b)
{
    const vod_frag_run_t  *x = a, *y = b;

    if (x->dts != y->dts) {
        return (x->dts < y->dts) ? -1 : 1;
    }

    return (x->first < y->first) ? -1 : 1;
}


/*
 * Each run ends where the next begins.  One that begins before the run ahead
 * of it does is a time that is over: it goes, and those behind it move up,
 * each once however many go.
 */
static int
vod_frag_fit(vod_frag_track_t *f, vod_frag_repairs_t *r, vod_err_t *err)
{
    int              rc;
    uint32_t         i, n;
    vod_frag_run_t  *run;

    for (i = 1, n = 1; i < f->n_runs; i++) {
        run = &f->runs[i];

        if (run->dts <= f->runs[n - 1].dts
            && run->dts < vod_frag_last(f, n - 1))
        {
            r->dropped++;
            continue;
        }

        vod_frag_move(f, n, run);

        rc = vod_frag_fit_one(f, n++, r, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    f->n_runs = n;
    f->n = f->runs[n - 1].first + f->runs[n - 1].n;

    return VOD_OK;
}


/* makes it number n, behind the samples of the one before */
static void
vod_frag_move(vod_frag_track_t *f, uint32_t n, const vod_frag_run_t *run)
{
    uint32_t  from;

    from = run->first;

    f->runs[n] = *run;
    f->runs[n].first = f->runs[n - 1].first + f->runs[n - 1].n;

    if (f->runs[n].first != from) {
        memmove(f->samples + f->runs[n].first, f->samples + from,
                (size_t) f->runs[n].n * sizeof(vod_sample_t));
    }
}


/* the run before this one ends where it begins */
static int
vod_frag_fit_one(vod_frag_track_t *f, uint32_t run, vod_frag_repairs_t *r,
    vod_err_t *err)
{
    int64_t   d;
    uint32_t  first;

    first = f->runs[run].first;
    d = f->runs[run].dts - vod_frag_last(f, run - 1);

    if (d < 0) {
        r->cut++;
        return vod_frag_clamp(f, run - 1, f->runs[run].dts, err);
    }

    if (d > UINT32_MAX) {
        return vod_fail(err, VOD_DAMAGED, "%" PRId64 " ticks lie between its"
                        " samples %u and %u, which is no duration, cut the"
                        " file there", d, first, first + 1);
    }

    f->samples[first - 1].dur = (uint32_t) d;

    return VOD_OK;
}


/* no sample of a run is decoded after dts; it is presented when it was */
static int
vod_frag_clamp(vod_frag_track_t *f, uint32_t run, int64_t dts,
    vod_err_t *err)
{
    int64_t        d;
    vod_sample_t  *s;

    s = &f->samples[f->runs[run].first + f->runs[run].n - 1];

    d = vod_frag_last(f, run);

    if (d - dts > VOD_MP4_MAX_CTS) {
        return vod_fail(err, VOD_DAMAGED, "the fragment behind its sample %u"
                        " begins %" PRId64 " ticks before that one is"
                        " decoded, cut the file there",
                        f->runs[run + 1].first, d - dts);
    }

    for ( /* void */ ; d > dts; d -= s->dur) {
        s->cts += (int32_t) (d - dts);
        s->dur = 0;
        s--;
    }

    s->dur = (uint32_t) (dts - d);

    return VOD_OK;
}


/* decoding time of a run's last sample */
static int64_t
vod_frag_last(const vod_frag_track_t *f, uint32_t run)
{
    const vod_frag_run_t  *r;

    r = &f->runs[run];

    return r->dts + (int64_t) r->span - f->samples[r->first + r->n - 1].dur;
}
