#include "vod_rate.h"


#ifndef __SIZEOF_INT128__
#error "bit rates need a compiler with 128-bit integers (any 64-bit one)"
#endif

/* microseconds: how fine dates are; how early a playlist may have a segment,
   within a picture of 30 a second (HLS Authoring Specification, 8.1) */
#define VOD_RATE_DATE   1000
#define VOD_RATE_EARLY  33000

/* bits times microseconds times bits a second do not fit 64 bits */
__extension__ typedef __int128  vod_rate_wide_t;


static int64_t vod_rate_early(const vod_rate_t *r, int64_t us);
static uint64_t vod_rate_single(const vod_rate_t *r);
static uint64_t vod_rate_best_run(const vod_rate_t *r, vod_rate_point_t *p,
    uint64_t rate);
static uint64_t vod_rate_fullest(const vod_rate_t *r, uint64_t rate);


/* n / d, rounded up, cut to 64 bits */
static inline uint64_t
vod_rate_up(vod_rate_wide_t n, vod_rate_wide_t d)
{
    n = (n + d - 1) / d;

    return n > UINT64_MAX ? UINT64_MAX : (uint64_t) n;
}


uint64_t
vod_rate_time(const vod_rate_t *r, uint32_t i)
{
    int64_t  us;

    if (i == 0) {
        return r->origin;
    }

    us = vod_ticks_us(r->keys ? r->cells[i].sync : r->cells[i].start,
                      r->timescale);

    if (i + 1 == r->n && !r->keys && !r->text) {
        us -= vod_rate_early(r, us);
    }

    return us > (int64_t) r->origin ? (uint64_t) us : r->origin;
}


/*
 * How much too late, for Shaka Player, the last segment begins at us: it ends
 * where the date of that segment, with its EXTINF, reaches the date of the
 * first with the sum of all.  Dates are those of tfdt, to the millisecond.
 * The segment before keeps half of its time.
 */
static int64_t
vod_rate_early(const vod_rate_t *r, int64_t us)
{
    int64_t   first, last, early;
    uint64_t  room;

    first = vod_ticks_us((int64_t) r->cells[0].cursor.dts, r->timescale);
    last = vod_ticks_us((int64_t) r->cells[r->n - 1].cursor.dts,
                        r->timescale);
    us -= (int64_t) r->origin;

    if (us - (last - first) < VOD_RATE_DATE) {
        return 0;
    }

    /* times may be as large as they can be */

    first = (int64_t) (((uint64_t) first + VOD_RATE_DATE / 2)
                       / VOD_RATE_DATE);
    last = (int64_t) (((uint64_t) last + VOD_RATE_DATE / 2) / VOD_RATE_DATE);
    early = us - (last - first) * VOD_RATE_DATE;
    early = early < VOD_RATE_EARLY ? early : VOD_RATE_EARLY;

    room = vod_rate_time(r, r->n - 2) - r->origin;
    room = us > (int64_t) room ? ((uint64_t) us - room) / 2 : 0;

    return (uint64_t) early < room ? early : (int64_t) room;
}


uint64_t
vod_rate_average(const vod_rate_t *r)
{
    uint32_t         i;
    uint64_t         us;
    vod_rate_wide_t  bits;

    bits = 0;

    for (i = 0; i < r->n; i++) {
        bits += vod_rate_bytes(r, i);
    }

    bits *= 8;
    us = vod_rate_time(r, r->n) - r->origin;

    /* what does not last is there for a second */

    if (us == 0) {
        us = 1000000;
    }

    bits = (bits * 1000000 + us / 2) / us;

    return bits > UINT64_MAX ? UINT64_MAX : (uint64_t) bits;
}


uint64_t
vod_rate_peak(const vod_rate_t *r, vod_rate_point_t *p)
{
    uint32_t  i;
    uint64_t  bytes, rate, better;

    bytes = 0;

    for (i = 0; i <= r->n; i++) {
        p[i].time = vod_rate_time(r, i);
        p[i].bytes = bytes;
        bytes += i < r->n ? vod_rate_bytes(r, i) : 0;
    }

    /*
     * Newton's way to the largest quotient: the run that has most bits above
     * a rate has itself a higher rate, until no run is above.
     */

    rate = 0;

    for ( ;; ) {
        better = vod_rate_best_run(r, p, rate);

        if (better <= rate) {
            break;
        }

        rate = better;
    }

    return rate ? rate : vod_rate_single(r);
}


/*
 * The rate of the run that has most bits above what rate carries while it
 * lasts; 0 where there is none.  p[].queue[head..tail) are the starts, in
 * order, that no later start beats.
 */
static uint64_t
vod_rate_best_run(const vod_rate_t *r, vod_rate_point_t *p, uint64_t rate)
{
    uint32_t         i, j, k, head, tail;
    uint64_t         least, most, best;
    vod_rate_wide_t  above, highest;

#define vod_rate_above(i)                                                     \
    ((vod_rate_wide_t) p[i].bytes * 8000000                                   \
     - (vod_rate_wide_t) p[i].time * rate)

    least = (uint64_t) r->target_duration * 500000;
    most = (uint64_t) r->target_duration * 1500000;

    best = 0;
    highest = 0;
    head = 0;
    tail = 0;

    for (i = 0, j = 1; j <= r->n; j++) {

        for ( /* void */ ; p[j].time - p[i].time >= least; i++) {

            while (tail > head
                   && vod_rate_above(p[tail - 1].queue) >= vod_rate_above(i))
            {
                tail--;
            }

            p[tail++].queue = i;
        }

        while (head < tail && p[j].time - p[p[head].queue].time > most) {
            head++;
        }

        if (head == tail) {
            continue;
        }

        k = p[head].queue;
        above = vod_rate_above(j) - vod_rate_above(k);

        if (above > highest) {
            highest = above;
            best = vod_rate_up((vod_rate_wide_t) (p[j].bytes - p[k].bytes)
                               * 8000000, p[j].time - p[k].time);
        }
    }

#undef vod_rate_above

    return best;
}


static uint64_t
vod_rate_single(const vod_rate_t *r)
{
    uint32_t  i;
    uint64_t  us, rate, largest;

    largest = 0;

    for (i = 0; i < r->n; i++) {
        us = vod_rate_time(r, i + 1) - vod_rate_time(r, i);

        rate = vod_rate_up((vod_rate_wide_t) vod_rate_bytes(r, i) * 8000000,
                           us ? us : 1000000);

        largest = rate > largest ? rate : largest;
    }

    return largest;
}


uint64_t
vod_rate_buffered(const vod_rate_t *r)
{
    uint64_t  rate, better;

    /* the same way up */

    rate = 0;

    for ( ;; ) {
        better = vod_rate_fullest(r, rate);

        if (better <= rate) {
            return rate;
        }

        rate = better;
    }
}


/*
 * When a client begins to play a segment, in ticks: what lies before zero is
 * not presented, so the first segment may begin later than its samples.
 */
static inline int64_t
vod_rate_start(const vod_rate_t *r, uint32_t i)
{
    return r->cells[i].start > 0 ? r->cells[i].start : 0;
}


/*
 * The least rate that suffices for the run that overfills a buffer which
 * drains with rate most; 0 where none does.  fill is what the run that ends
 * with j has above what has drained up to j's start, the most of all such
 * runs.  Times are in thousandths of a tick, of which a second has unit.
 */
static uint64_t
vod_rate_fullest(const vod_rate_t *r, uint64_t rate)
{
    uint32_t         j, from;
    uint64_t         best, ticks;
    vod_rate_wide_t  unit, buffer, drain, fill, highest, bits, more;

    unit = (vod_rate_wide_t) r->timescale * 1000;
    buffer = (vod_rate_wide_t) r->target * r->timescale;
    drain = (vod_rate_wide_t) rate * 1000;

    best = 0;
    highest = rate * buffer;
    fill = 0;
    bits = 0;
    from = 0;

    for (j = 0; j < r->n; j++) {

        ticks = j ? (uint64_t) (vod_rate_start(r, j)
                                - vod_rate_start(r, j - 1)) : 0;

        if (drain && fill / drain < ticks) {
            fill = 0;
            bits = 0;
            from = j;

        } else {
            fill -= drain * ticks;
        }

        more = (vod_rate_wide_t) vod_rate_bytes(r, j) * 8;
        bits += more;
        fill += more * unit;

        if (fill > highest) {
            highest = fill;
            best = vod_rate_up(bits * unit, buffer + (vod_rate_wide_t) 1000
                               * (vod_rate_start(r, j)
                                  - vod_rate_start(r, from)));
        }
    }

    return best;
}
