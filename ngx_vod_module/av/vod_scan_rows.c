#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_scan_int.h"


typedef struct {
    int64_t   pts;
    uint32_t  i;
} vod_scan_order_t;


static int vod_scan_ordered(const vod_scan_track_t *t);
static int vod_scan_sort(vod_scan_track_t *t, vod_err_t *err);
static int vod_scan_cmp(const void *a, const void *b);
static void vod_scan_sound(vod_scan_track_t *t);
static int vod_scan_row(const vod_scan_track_t *t, uint32_t i,
    vod_sample_t *row, vod_err_t *err);
static uint32_t vod_scan_last(const vod_scan_track_t *t);
static void vod_scan_trim(vod_scan_track_t *t, vod_sample_t *rows);


int
vod_scan_rows(vod_scan_build_t *b, vod_scan_track_t *t, int64_t origin,
    vod_err_t *err)
{
    int            rc;
    int64_t        dts;
    uint32_t       i;
    vod_sample_t  *rows;

    (void) b;

    rows = calloc(t->n, sizeof(vod_sample_t));
    if (rows == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", t->n);
    }

    t->out.samples = rows;
    t->out.n_samples = t->n;

    rc = VOD_OK;

    if (t->st->kind == VOD_AUDIO) {
        vod_scan_sound(t);

    } else if (!vod_scan_ordered(t)) {
        rc = vod_scan_sort(t, err);
    }

    for (i = 0; rc == VOD_OK && i < t->n; i++) {
        rc = vod_scan_row(t, i, &rows[i], err);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    vod_scan_trim(t, rows);

    dts = t->samples[0].dts + origin;

    t->out.track.origin = origin;
    t->out.track.first_dts = (dts > 0) ? (uint64_t) dts : 0;
    t->out.track.media_time = (dts < 0) ? (uint64_t) -dts : 0;

    if (t->in_place) {
        t->out.track.convert = VOD_CONVERT_NONE;

    } else {
        t->out.track.flags |= VOD_TRACK_DEMUX;
    }

    free(t->samples);
    t->samples = NULL;

    return VOD_OK;
}


/* decoding times that can be kept: ascending, none behind its presentation */
static int
vod_scan_ordered(const vod_scan_track_t *t)
{
    uint32_t                  i;
    const vod_scan_sample_t  *s;

    for (i = 0; i < t->n; i++) {
        s = &t->samples[i];

        if (s->dts == VOD_NO_TIME || s->dts > s->pts
            || (i && s->dts <= t->samples[i - 1].dts))
        {
            return 0;
        }
    }

    return 1;
}


/*
 * Decoding times are the presentation times in ascending order, all earlier
 * by the least that lets no picture be presented before it is decoded.
 */
static int
vod_scan_sort(vod_scan_track_t *t, vod_err_t *err)
{
    int                had;
    int64_t            late, off;
    uint32_t           i;
    vod_scan_order_t  *order;

    order = malloc(t->n * sizeof(vod_scan_order_t));
    if (order == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", t->n);
    }

    had = 0;

    for (i = 0; i < t->n; i++) {
        order[i].pts = t->samples[i].pts;
        order[i].i = i;
        had |= (t->samples[i].dts != VOD_NO_TIME);
    }

    qsort(order, t->n, sizeof(vod_scan_order_t), vod_scan_cmp);

    /* no two pictures are presented at once */

    for (i = 1; i < t->n; i++) {
        if (order[i].pts <= order[i - 1].pts) {
            order[i].pts = order[i - 1].pts + 1;
            t->samples[order[i].i].pts = order[i].pts;
            t->repaired++;
        }
    }

    late = 0;

    for (i = 0; i < t->n; i++) {
        off = order[i].pts - t->samples[i].pts;
        late = (off > late) ? off : late;
    }

    for (i = 0; i < t->n; i++) {
        t->samples[i].dts = order[i].pts - late;
    }

    free(order);

    t->repaired += (had != 0);

    return VOD_OK;
}


static int
vod_scan_cmp(const void *a, const void *b)
{
    const vod_scan_order_t  *x = a, *y = b;

    if (x->pts != y->pts) {
        return (x->pts < y->pts) ? -1 : 1;
    }

    return (x->i < y->i) ? -1 : 1;
}


static void
vod_scan_sound(vod_scan_track_t *t)
{
    uint32_t            i;
    vod_scan_sample_t  *s;

    for (i = 0; i < t->n; i++) {
        s = &t->samples[i];

        if (i && s->pts <= t->samples[i - 1].pts) {
            s->pts = t->samples[i - 1].pts + 1;
            t->repaired++;
        }

        s->dts = s->pts;
    }
}


static int
vod_scan_row(const vod_scan_track_t *t, uint32_t i, vod_sample_t *row,
    vod_err_t *err)
{
    int64_t                   dur, cts;
    const vod_scan_sample_t  *s;

    s = &t->samples[i];

    dur = (i + 1 < t->n) ? t->samples[i + 1].dts - s->dts
                         : (int64_t) vod_scan_last(t);
    cts = s->pts - s->dts;

    if (dur > UINT32_MAX || cts > INT32_MAX) {
        return vod_fail(err, VOD_DAMAGED, "its sample %u lasts %" PRId64
                        " ticks and is presented %" PRId64 " after it is"
                        " decoded, which are no times, remux the file", i + 1,
                        dur, cts);
    }

    row->pos = t->in_place ? s->at : s->pos;
    row->size = s->size;
    row->dur = (uint32_t) dur;
    row->cts = (int32_t) cts;
    row->key = s->key;

    return VOD_OK;
}


/* how long the last one lasts: as it says, or as the one before */
static uint32_t
vod_scan_last(const vod_scan_track_t *t)
{
    int64_t                   dur;
    const vod_scan_sample_t  *s;

    s = &t->samples[t->n - 1];

    if (s->dur) {
        return s->dur + (s->part >= 0x8000);
    }

    dur = (t->n > 1) ? s->dts - s[-1].dts : 0;

    return (dur > 0 && dur <= INT32_MAX) ? (uint32_t) dur
                                         : t->st->timescale / 25 + 1;
}


/* padding at the end of sound is not presented: trim, and a short frame */
static void
vod_scan_trim(vod_scan_track_t *t, vod_sample_t *rows)
{
    uint32_t  n, said;
    uint64_t  trim;

    if (t->st->kind != VOD_AUDIO || t->ended) {
        return;
    }

    trim = (uint64_t) t->samples[t->n - 1].trim + t->st->trim;
    n = t->n;

    while (n > 1 && trim >= rows[n - 1].dur) {
        trim -= rows[n - 1].dur;
        n--;
    }

    trim = (trim < rows[n - 1].dur) ? trim : 0;
    said = (n == t->n) ? t->said : 0;
    rows[n - 1].dur = vod_payload_last(rows[n - 1].dur, said, t->before,
                                       (uint32_t) trim);

    t->out.n_samples = n;
}
