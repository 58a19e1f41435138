#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_cues_int.h"


/* where the rows of one track come from */
typedef struct {
    const vod_cues_build_t  *b;
    vod_cues_track_t        *t;
    const vod_cues_track_t  *owner;     /* of the entries */
    vod_sample_t            *rows;
    uint32_t                 n;
    int64_t                  start;     /* of the row to be closed: when it
                                           is presented, ticks */
    int32_t                  cts;       /* of all rows */
    uint64_t                 pos;       /* of the entry it begins with */
} vod_cues_fill_t;


static int vod_cues_track_rows(vod_cues_build_t *b, vod_cues_track_t *t,
    vod_err_t *err);
static int64_t vod_cues_shown(const vod_cues_track_t *t);
static void vod_cues_fill(vod_cues_fill_t *f);
static void vod_cues_close(vod_cues_fill_t *f, int64_t end, uint64_t pos);
static uint64_t vod_cues_before(const vod_cues_fill_t *f, uint32_t i);
static uint64_t vod_cues_bytes(const vod_cues_fill_t *f, int64_t ticks,
    uint64_t span);


int64_t
vod_cues_ticks(const vod_cues_track_t *t, int64_t us)
{
    int64_t   sec, left;
    uint32_t  scale;

    scale = t->st->timescale;
    sec = us / 1000000;
    left = us % 1000000;

    if (left < 0) {
        left += 1000000;
        sec--;
    }

    return sec * scale + (left * scale + 999999) / 1000000;
}


int
vod_cues_rows(vod_cues_build_t *b, int64_t *origin, vod_err_t *err)
{
    int                rc;
    int64_t            us, least;
    uint32_t           i;
    uint64_t           n, max;
    vod_cues_track_t  *t;

    least = INT64_MAX;
    n = 0;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out == VOD_OK) {
            us = vod_cues_us(t, t->first + (int64_t) t->st->delay);
            least = (us < least) ? us : least;
            n += (t->st->kind == VOD_VIDEO) ? t->n_cues : b->ref->n_cues;
        }
    }

    max = b->limits->max_samples ? b->limits->max_samples : UINT32_MAX;

    if (n > max) {
        return vod_fail(err, VOD_LIMIT, "its key frame index has %" PRIu64
                        " entries, more than %" PRIu64, n, max);
    }

    *origin = least;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out != VOD_OK) {
            continue;
        }

        t->track.track.origin = -vod_cues_ticks(t, least);

        rc = vod_cues_track_rows(b, t, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    return VOD_OK;
}


static int
vod_cues_track_rows(vod_cues_build_t *b, vod_cues_track_t *t, vod_err_t *err)
{
    int64_t          delay;
    vod_cues_fill_t  f;

    memset(&f, 0, sizeof(vod_cues_fill_t));

    f.b = b;
    f.t = t;
    f.owner = (t->st->kind == VOD_VIDEO) ? t : b->ref;

    /* pictures of a row are decoded from its time on; sound has no offsets */

    delay = (int64_t) t->track.track.media_time;
    f.cts = (t->st->kind == VOD_VIDEO) ? (int32_t) delay : 0;
    delay -= f.cts;

    f.rows = calloc((size_t) f.owner->n_cues + 1, sizeof(vod_sample_t));
    if (f.rows == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u cuts",
                        f.owner->n_cues + 1);
    }

    t->track.samples = f.rows;

    f.start = t->first + t->track.track.origin;
    f.start = (f.start > -delay) ? f.start : -delay;
    t->track.track.first_dts = (uint64_t) (f.start + delay);

    vod_cues_fill(&f);

    vod_cues_close(&f, t->last + t->track.track.origin + vod_cues_shown(t),
                   b->source->src->size);

    t->track.n_samples = f.n;

    return VOD_OK;
}


/* how long the last packet is presented, ticks */
static int64_t
vod_cues_shown(const vod_cues_track_t *t)
{
    int64_t  dur;

    dur = t->end.dur ? t->end.dur : t->frame ? t->frame : 1;

    if (t->st->kind != VOD_AUDIO || dur > UINT32_MAX) {
        return dur;
    }

    return vod_payload_last((uint32_t) dur, t->end.said, t->end.before,
                            t->end.trim);
}


/*
 * A row up to each entry that has something before it and something behind:
 * of video a sync sample, of audio any.
 */
static void
vod_cues_fill(vod_cues_fill_t *f)
{
    int64_t                  time, first;
    uint32_t                 i;
    vod_cues_track_t        *t;
    const vod_cues_track_t  *owner;

    t = f->t;
    owner = f->owner;

    /* no cut in what is decoded in front of all, and not heard */

    first = (t->st->kind == VOD_VIDEO)
            ? t->sync : t->first + (int64_t) t->track.track.media_time;

    /* the file's begin is not known but by its first entry */

    f->pos = owner->cues[0].pos;

    for (i = 0; i < owner->n_cues; i++) {

        time = owner->cues[i].time;

        if (owner->st->timescale != t->st->timescale) {
            time = vod_cues_ticks(t, vod_cues_us(owner, time));
        }

        if (time > t->last) {
            break;
        }

        if (time <= first || time + t->track.track.origin <= f->start) {
            f->pos = owner->cues[i].pos;
            continue;
        }

        vod_cues_close(f, time + t->track.track.origin,
                       owner->cues[i].pos);

        f->rows[f->n].pos = (t->st->kind == VOD_VIDEO)
                            ? owner->cues[i].pos : vod_cues_before(f, i);
    }
}


/* the open row ends; the first one is read from where the file begins */
static void
vod_cues_close(vod_cues_fill_t *f, int64_t end, uint64_t pos)
{
    int64_t        dur;
    uint64_t       bytes;
    vod_sample_t  *row;

    dur = end - f->start;
    dur = (dur < 1) ? 1 : (dur > UINT32_MAX) ? UINT32_MAX : dur;

    bytes = vod_cues_bytes(f, dur, (pos > f->pos) ? pos - f->pos : 0);

    row = &f->rows[f->n++];

    row->size = (bytes < UINT32_MAX) ? (uint32_t) bytes : UINT32_MAX;
    row->dur = (uint32_t) dur;
    row->cts = f->cts;
    row->key = 1;

    f->start += dur;
    f->pos = pos;
}


/* where packets are come upon that are muxed before their time */
static uint64_t
vod_cues_before(const vod_cues_fill_t *f, uint32_t i)
{
    int64_t           us;
    const vod_key_t  *cues;

    cues = f->owner->cues;
    us = vod_cues_us(f->owner, cues[i].time) - VOD_CUES_EARLY;

    while (i && vod_cues_us(f->owner, cues[i].time) > us) {
        i--;
    }

    return i ? cues[i].pos : 0;
}


/*
 * What the track has of these bytes of the file, rather more than less: the
 * only track all of them; audio as much as where it has most; video what the
 * others are sure to leave, and its share of it.
 */
static uint64_t
vod_cues_bytes(const vod_cues_fill_t *f, int64_t ticks, uint64_t span)
{
    uint32_t                 i;
    uint64_t                 ms, sure, video, left;
    const vod_cues_track_t  *t, *o;

    t = f->t;
    ms = (uint64_t) vod_cues_us(t, ticks) / 1000;

    sure = 0;
    video = 0;

    for (i = 0; i < f->b->n; i++) {
        o = &f->b->tracks[i];

        if (o->st->kind == VOD_VIDEO && o->out == VOD_OK) {
            video += o->all;

        } else if (o != t) {
            sure += (o->low - o->low / 8) * ms / 1000;
        }
    }

    if (t->st->kind != VOD_VIDEO && f->b->n > 1) {
        left = t->high ? t->high + t->high / 8 : t->all;
        return left * ms / 1000 + 1;
    }

    left = (span - span / 8 > sure) ? span - sure : span / 8;

    if (t->st->kind != VOD_VIDEO || t->all == video || video == 0) {
        return left;
    }

    sure = (left / video + 1) * (t->all + t->all / 4);

    return (sure < left) ? sure : left;
}
