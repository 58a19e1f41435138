#include <stdlib.h>
#include <string.h>

#include "vod_scan_int.h"


/*
 * Seconds.  A clock that goes back by more has begun anew: decoding times
 * never go back, presentation times do by what pictures are reordered.  One
 * time that is off by more, between two that are not, is no time.
 */
#define VOD_SCAN_BACK      1
#define VOD_SCAN_REORDER   10
#define VOD_SCAN_OFF       10


static void vod_scan_outliers(vod_scan_track_t *t);
static void vod_scan_straighten(vod_scan_build_t *b, vod_scan_track_t *t);
static int64_t vod_scan_jump(vod_scan_build_t *b, const vod_scan_track_t *t,
    const vod_scan_sample_t *s, uint32_t *jump, int64_t time, int64_t next,
    int64_t add);
static void vod_scan_missing(vod_scan_track_t *t);


#define vod_scan_time(s)                                                      \
    (((s)->dts != VOD_NO_TIME) ? (s)->dts : (s)->pts)


int
vod_scan_times(vod_scan_build_t *b, vod_scan_track_t *t, vod_err_t *err)
{
    uint32_t            i;
    vod_scan_sample_t  *s;

    (void) err;

    for (i = 0; i < t->n; i++) {
        s = &t->samples[i];

        if (t->st->kind == VOD_AUDIO) {

            /* sound is decoded as it is presented */

            s->pts = (s->pts != VOD_NO_TIME) ? s->pts : s->dts;
            s->dts = s->pts;

        } else if (s->pts == VOD_NO_TIME) {
            s->pts = s->dts;
        }
    }

    vod_scan_outliers(t);
    vod_scan_straighten(b, t);
    vod_scan_missing(t);

    return VOD_OK;
}


static int64_t
vod_scan_off(int64_t a, int64_t b)
{
    return (a > b) ? a - b : b - a;
}


static void
vod_scan_outliers(vod_scan_track_t *t)
{
    int64_t             far, last, time, next;
    uint32_t            i, k;
    vod_scan_sample_t  *s;

    far = VOD_SCAN_OFF * (int64_t) t->st->timescale;
    last = VOD_NO_TIME;

    for (i = 0; i < t->n; i++) {

        s = &t->samples[i];
        time = vod_scan_time(s);

        if (time == VOD_NO_TIME) {
            continue;
        }

        next = VOD_NO_TIME;

        for (k = i + 1; k < t->n && next == VOD_NO_TIME; k++) {
            next = vod_scan_time(&t->samples[k]);
        }

        if (last != VOD_NO_TIME && next != VOD_NO_TIME
            && vod_scan_off(time, last) > far
            && vod_scan_off(next, last) <= far)
        {
            s->pts = VOD_NO_TIME;
            s->dts = VOD_NO_TIME;
            t->repaired++;
            continue;
        }

        last = time;
    }
}


/* where the clock begins anew, what follows goes on behind what was */
static void
vod_scan_straighten(vod_scan_build_t *b, vod_scan_track_t *t)
{
    int64_t             add, back, last, next, time, step;
    uint32_t            i, jump;
    vod_scan_sample_t  *s;

    add = 0;
    jump = 0;
    step = 0;
    last = VOD_NO_TIME;
    next = VOD_NO_TIME;

    for (i = 0; i < t->n; i++) {

        s = &t->samples[i];
        time = vod_scan_time(s);

        if (time == VOD_NO_TIME) {
            continue;
        }

        back = (int64_t) t->st->timescale
               * (s->dts != VOD_NO_TIME ? VOD_SCAN_BACK : VOD_SCAN_REORDER);

        if (next != VOD_NO_TIME && time + add < next - back) {
            add = vod_scan_jump(b, t, s, &jump, time, next, add);
            t->repaired++;
        }

        s->pts += add;
        s->dts += (s->dts != VOD_NO_TIME) ? add : 0;
        time += add;

        /*
         * how long it lasts: as it says, or as the one before lasted, unless
         * there was a gap: behind that, times go on in smaller steps and would
         * seem to go back
         */

        step = s->dur ? (int64_t) s->dur
               : (last != VOD_NO_TIME && time > last
                  && time - last <= VOD_SCAN_BACK
                                    * (int64_t) t->st->timescale)
                 ? time - last : step;
        last = time;
        time += step;

        next = (next != VOD_NO_TIME && next > time && s->dts == VOD_NO_TIME)
               ? next : time;
    }
}


static int64_t
vod_scan_scale(int64_t time, int64_t to, int64_t from)
{
    return time / from * to + time % from * to / from;
}


/* the same as for a track before, where it fits: they stay together */
static int64_t
vod_scan_jump(vod_scan_build_t *b, const vod_scan_track_t *t,
    const vod_scan_sample_t *s, uint32_t *jump, int64_t time, int64_t next,
    int64_t add)
{
    int64_t   then, scale;
    uint32_t  i;

    scale = t->st->timescale;

    for (i = *jump; i < b->n_jumps; i++) {

        then = vod_scan_scale(b->jumps[i].us, scale, 1000000);

        if (vod_scan_off(time + then, next) < VOD_SCAN_OFF * scale) {
            *jump = i + 1;

            return then;
        }
    }

    /* what has jumped that far has no times: they stay in disorder */

    if (vod_scan_off(next, time) > 2 * VOD_SCAN_MAX_TIME * scale) {
        return add;
    }

    add = next - time;

    if (*jump == b->n_jumps && b->n_jumps < VOD_SCAN_JUMPS) {
        b->jumps[b->n_jumps].pos = s->pos;
        b->jumps[b->n_jumps].us = vod_scan_scale(add, 1000000, scale);
        b->n_jumps++;
        (*jump)++;
    }

    return add;
}


/* when the first sample is presented, from the first time there is */
static int64_t
vod_scan_begins(const vod_scan_track_t *t)
{
    int64_t   time;
    uint32_t  i, k;
    uint64_t  part;

    for (k = 0; k < t->n && t->samples[k].pts == VOD_NO_TIME; k++) {
        /* void */
    }

    if (k == t->n) {
        return 0;
    }

    time = t->samples[k].pts;
    part = 0;

    for (i = k; i > 0; i--) {
        time -= t->samples[i - 1].dur;
        part += t->samples[i - 1].part;
    }

    return time - (int64_t) ((part + 0x8000) >> 16);
}


/* as the frames before last; at the begin, as those behind it did */
static void
vod_scan_missing(vod_scan_track_t *t)
{
    int64_t             next;
    uint32_t            i, last;
    uint64_t            part;
    vod_scan_sample_t  *s;

    next = vod_scan_begins(t);
    last = 0;
    part = 0x8000;

    for (i = 0; i < t->n; i++) {
        s = &t->samples[i];

        if (s->pts == VOD_NO_TIME) {
            s->pts = next + (int64_t) (part >> 16);
            s->dts = (t->st->kind == VOD_AUDIO) ? s->pts : VOD_NO_TIME;
            t->repaired += (t->st->kind != VOD_AUDIO);

        } else {
            next = s->pts;
            part = 0x8000;
        }

        if (s->dur == 0 && i && s->pts > t->samples[i - 1].pts
            && s->pts - t->samples[i - 1].pts < INT32_MAX)
        {
            last = (uint32_t) (s->pts - t->samples[i - 1].pts);
        }

        next += s->dur ? s->dur : last;
        part += s->part;
    }
}
