#include <stdio.h>

#include "asset.h"

#include "vod_box.h"


/* exact: ticks and milliseconds in one number of 1 / (1000 * timescale) s */
__extension__ typedef __int128  wide_t;

typedef struct {
    wide_t  n;
    wide_t  d;
} exact_t;

#define MAX_CUTS  400000

static exact_t   cuts[MAX_CUTS];
static uint32_t  n_cuts;
static uint32_t  expected[MAX_CUTS];    /* first samples of segments */


static exact_t
exact(int64_t ticks, uint32_t timescale, int64_t ms)
{
    exact_t  e;

    e.n = (wide_t) ticks * 1000 + (wide_t) ms * timescale;
    e.d = (wide_t) timescale * 1000;

    return e;
}


static exact_t
exact_add(exact_t e, int64_t ms)
{
    e.n = e.n * 1000 + ms * e.d;
    e.d *= 1000;

    /* keep it small: both are multiples of 1000 as they came */

    if (e.n % 1000 == 0 && e.d % 1000 == 0) {
        e.n /= 1000;
        e.d /= 1000;
    }

    return e;
}


static int
exact_cmp(exact_t a, exact_t b)
{
    wide_t  l, r;

    l = a.n * b.d;
    r = b.n * a.d;

    return (l > r) - (l < r);
}


/*
 * The cut rule once more, as it is said and without a thought to speed: what
 * the fast one makes must be the same.
 */

static exact_t
slow_origin(const asset_t *a)
{
    uint32_t            i;
    exact_t             e, least;
    const vod_track_t  *t;

    t = vod_index_tracks(a->index);
    least = exact(0, 1, 0);

    for (i = 0; i < a->n_tracks; i++) {
        e = exact(t[i].first_pts > 0 ? t[i].first_pts : 0, t[i].timescale, 0);

        if (i == 0 || exact_cmp(e, least) < 0) {
            least = e;
        }
    }

    return least;
}


static exact_t
slow_end(const asset_t *a)
{
    uint32_t            i;
    exact_t             e, most;
    const vod_track_t  *t;

    t = vod_index_tracks(a->index);
    most = exact(0, 1, 0);

    for (i = 0; i < a->n_tracks; i++) {
        e = exact(t[i].end_pts, t[i].timescale, 0);

        if (i == 0 || exact_cmp(e, most) > 0) {
            most = e;
        }
    }

    return most;
}


/* earliest presentation time of samples [from, to) of a track */
static int64_t
slow_start(const asset_t *a, uint32_t track, uint32_t from, uint32_t to)
{
    int64_t  least;

    for (least = a->pts[track][from]; from < to; from++) {
        if (a->pts[track][from] < least) {
            least = a->pts[track][from];
        }
    }

    return least;
}


static uint32_t
next_sync(const asset_t *a, uint32_t track, uint32_t i)
{
    do {
        i++;
    } while (i < a->in[track].n_samples && !a->samples[track][i].key);

    return i;
}


/* the next sync sample from which a segment can begin: behind the origin */
static uint32_t
next_cut(const asset_t *a, uint32_t track, uint32_t i)
{
    uint32_t  k;
    int64_t   start;

    for ( ;; ) {
        i = next_sync(a, track, i);

        if (i == a->in[track].n_samples) {
            return i;
        }

        k = next_sync(a, track, i);
        start = slow_start(a, track, i, k);

        if (exact_cmp(exact(start, a->in[track].track.timescale, 0),
                      slow_origin(a))
            > 0)
        {
            return i;
        }
    }
}


/* first samples of the segments of a video track into expected[] */
static uint32_t
slow_video(const asset_t *a, uint32_t track, uint32_t target)
{
    exact_t             start, limit;
    uint32_t            n, i, k, best, count, ts;
    const vod_track_t  *t;

    t = &vod_index_tracks(a->index)[track];
    ts = t->timescale;
    count = a->in[track].n_samples;

    /* from the origin, or the last target before the track begins */

    start = slow_origin(a);

    while (exact_cmp(exact_add(start, target + 500),
                     exact(t->first_pts, ts, 0))
           < 0)
    {
        start = exact_add(start, target);
    }

    n = 0;

    for (i = 0; i < count; i = best) {

        if (n > 0) {
            start = exact(slow_start(a, track, i, next_sync(a, track, i)), ts,
                          0);
        }

        expected[n++] = i;
        limit = exact_add(start, target + 500);

        if (exact_cmp(exact(t->end_pts, ts, 0), limit) <= 0) {
            break;
        }

        best = next_cut(a, track, i);

        for (k = best; k < count; k = next_cut(a, track, k)) {
            if (exact_cmp(exact(a->pts[track][k], ts, 0), limit) <= 0) {
                best = k;
            }
        }
    }

    return n;
}


/* all cuts of the asset into cuts[] */
static void
slow_grid(const asset_t *a, uint32_t target)
{
    exact_t             at, end;
    uint32_t            i, k, n, ref;
    const vod_track_t  *t;

    t = vod_index_tracks(a->index);
    end = slow_end(a);
    n_cuts = 0;

    for (ref = 0; ref < a->n_tracks; ref++) {
        if (t[ref].kind == VOD_VIDEO) {
            break;
        }
    }

    at = exact(0, 1, 0);

    if (ref < a->n_tracks) {
        at = slow_origin(a);

        while (exact_cmp(exact_add(at, target + 500),
                         exact(t[ref].first_pts, t[ref].timescale, 0))
               < 0)
        {
            at = exact_add(at, target);
            cuts[n_cuts++] = at;
        }

        n = slow_video(a, ref, target);

        for (i = 1; i < n; i++) {
            k = i + 1 < n ? expected[i + 1] : a->in[ref].n_samples;
            at = exact(slow_start(a, ref, expected[i], k), t[ref].timescale,
                       0);
            cuts[n_cuts++] = at;
        }
    }

    while (n_cuts < MAX_CUTS && exact_cmp(exact_add(at, target + 500), end) < 0)
    {
        at = exact_add(at, target);
        cuts[n_cuts++] = at;
    }
}


/* first samples of the segments of another track into expected[] */
static uint32_t
slow_other(const asset_t *a, uint32_t track, uint32_t target)
{
    exact_t   e;
    uint32_t  n, i, cut;

    slow_grid(a, target);

    n = 0;
    cut = 0;

    for (i = 0; i < a->in[track].n_samples; i++) {

        e = exact(a->pts[track][i], a->in[track].track.timescale, 0);

        if (i > 0 && (cut == n_cuts || exact_cmp(e, cuts[cut]) < 0
                      || !a->samples[track][i].key))
        {
            continue;
        }

        expected[n++] = i;

        while (cut < n_cuts && exact_cmp(e, cuts[cut]) >= 0) {
            cut++;
        }
    }

    return n;
}


/* EXT-X-TARGETDURATION of the I-frame playlist; 0 where there is to be none */
static uint32_t
slow_keys(const asset_t *a, uint32_t track)
{
    wide_t                       first;
    int64_t                      from, to, o;
    exact_t                      origin;
    uint32_t                     i, all;
    uint64_t                     longest;
    const vod_cell_t            *c;
    const vod_timeline_track_t  *tt;

    tt = asset_track(a, track);
    c = asset_cells(a, track);
    origin = slow_origin(a);
    first = (origin.n * 1000000 + origin.d / 2) / origin.d;
    o = first < INT64_MAX ? (int64_t) first : INT64_MAX;
    longest = 0;

    for (all = 1, i = 0; i < a->in[track].n_samples; i++) {
        all &= a->samples[track][i].key;
    }

    if (all || a->in[track].track.kind != VOD_VIDEO) {
        return 0;
    }

    for (i = 0; i < tt->n_segments; i++) {

        if (!a->samples[track][c[i].cursor.sample].key
            || a->samples[track][c[i].cursor.sample].size == 0)
        {
            return 0;
        }

        from = o;

        if (i && vod_ticks_us(a->pts[track][c[i].cursor.sample],
                              tt->timescale) > o)
        {
            from = vod_ticks_us(a->pts[track][c[i].cursor.sample],
                                tt->timescale);
        }

        to = i + 1 < tt->n_segments
             ? a->pts[track][c[i + 1].cursor.sample] : c[i + 1].start;
        to = vod_ticks_us(to, tt->timescale);
        to = to > o ? to : o;

        /* both are at or behind the origin, which is not negative */

        if (to > from && (uint64_t) (to - from) > longest) {
            longest = (uint64_t) (to - from);
        }
    }

    longest = (longest + 500000) / 1000000;

    return longest > UINT32_MAX ? UINT32_MAX
           : longest ? (uint32_t) longest : 1;
}


/*
 * What holds of any timeline: returns the first thing that does not, or NULL.
 * sane = pictures that lead a sync sample follow the one before.
 */
static const char *
wrong_track(const asset_t *a, uint32_t track, int sane)
{
    uint32_t                     i, k, n;
    uint64_t                     bytes, payload;
    vod_wr_t                     wr;
    vod_cursor_t                 cur;
    vod_sample_t                 s;
    const vod_cell_t            *c;
    const vod_track_t           *t;
    const vod_timeline_track_t  *tt;

    t = &vod_index_tracks(a->index)[track];
    tt = asset_track(a, track);
    c = asset_cells(a, track);
    n = tt->n_segments;

    if (tt->timescale != t->timescale || tt->ordinal != track || n == 0) {
        return "head of the track";
    }

    if (c[0].start != t->first_pts || c[n].start != t->end_pts
        || c[n].cursor.sample != t->n_samples
        || c[n].cursor.row != t->rows_len || c[n].payload || c[n].header)
    {
        return "first or last cell";
    }

    memset(&cur, 0, sizeof(cur));
    cur.dts = t->first_dts;
    bytes = 0;

    for (i = 0; i < n; i++) {

        if (memcmp(&c[i].cursor, &cur, sizeof(cur)) != 0) {
            return "a cursor is not the decoder's state";
        }

        if (c[i + 1].cursor.sample <= cur.sample) {
            return "a segment is empty";
        }

        if (i > 0 && c[i].start <= c[i - 1].start) {
            return "starts do not rise";
        }

        if (i > 0 && !a->samples[track][cur.sample].key) {
            return "a segment does not begin with a sync sample";
        }

        if (c[i].sync != a->pts[track][cur.sample]
            || c[i].key != (a->samples[track][cur.sample].key
                            ? a->samples[track][cur.sample].size : 0))
        {
            return "the first sample's time or size";
        }

        if (sane && c[i].start != slow_start(a, track, cur.sample,
                                             c[i + 1].cursor.sample))
        {
            return "a start is not the earliest presentation time";
        }

        k = cur.sample;
        payload = 0;

        while (cur.sample < c[i + 1].cursor.sample) {
            vod_row_read(&cur, (uint8_t *) a->index + t->rows_off, 0,
                         t->rows_len, &s);
            payload += s.size;
        }

        vod_wr_init(&wr, NULL, 0);
        vod_box_segment(&wr, track + 1, t->kind, i + 1, c[i].cursor.dts,
                        a->samples[track] + k, cur.sample - k, payload);

        if (c[i].payload != payload || c[i].header != wr.len) {
            return "the bytes of a segment are not counted right";
        }

        bytes += wr.len + payload;
    }

    if (memcmp(&c[n].cursor, &cur, sizeof(cur)) != 0) {
        return "the last cursor is not the decoder's state";
    }

    if (tt->key_duration != slow_keys(a, track)) {
        return "target duration of the I-frames";
    }

    return tt->bytes == bytes ? NULL : "the sum of all bytes";
}


/* when segment k begins in the playlist, us */
static int64_t
slow_begin(const vod_cell_t *c, const vod_timeline_track_t *t, uint32_t k,
    int64_t origin)
{
    int64_t  at, date, before;

    if (k == 0) {
        return origin;
    }

    at = vod_ticks_us(c[k].start, t->timescale);
    at = at > origin ? at : origin;

    if (k + 1 != t->n_segments) {
        return at;
    }

    /* the last: where its date is, seen from the first's */

    date = vod_ticks_us((int64_t) c[k].cursor.dts, t->timescale)
           - vod_ticks_us((int64_t) c[0].cursor.dts, t->timescale) + origin;

    if (at < date + 1000) {
        return at;
    }

    date = origin + ((vod_ticks_us((int64_t) c[k].cursor.dts, t->timescale)
                      + 500) / 1000
                     - (vod_ticks_us((int64_t) c[0].cursor.dts, t->timescale)
                        + 500) / 1000) * 1000;

    before = slow_begin(c, t, k - 1, origin);
    date = date > at - 33000 ? date : at - 33000;

    return date > at - (at - before) / 2 ? date : at - (at - before) / 2;
}


/* the same for what is said of the asset, by its own arithmetic */
static const char *
wrong_asset(const asset_t *a, uint32_t target)
{
    exact_t                      origin;
    int64_t                      o, from, to, longest, end, ms, d;
    uint32_t                     i, k;
    const vod_cell_t            *c;
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *tt;

    tl = a->timeline;
    origin = slow_origin(a);
    o = (int64_t) ((origin.n * 1000000 + origin.d / 2) / origin.d);
    longest = 0;
    end = 0;
    ms = 0;

    for (i = 0; i < a->n_tracks; i++) {
        c = asset_cells(a, i);
        tt = asset_track(a, i);

        for (k = 0; k < tt->n_segments; k++) {
            from = slow_begin(c, tt, k, o);
            to = slow_begin(c, tt, k + 1, o);
            longest = to - from > longest ? to - from : longest;

            d = c[k + 1].start - c[k].start;
            d = (d * 1000 + tt->timescale - 1) / tt->timescale;
            ms = d > ms ? d : ms;
        }

        to = vod_ticks_us(c[tt->n_segments].start, tt->timescale) - o;
        end = to > end ? to : end;
    }

    d = (longest + 500000) / 1000000;

    if (tl->target_duration != (uint32_t) (d ? d : 1)) {
        return "target duration";
    }

    d = (longest + 999) / 1000;
    ms = d > ms ? d : ms;

    if (tl->max_segment != (uint32_t) ms) {
        return "longest segment";
    }

    if (tl->origin != (uint64_t) o || tl->duration != (uint64_t) end) {
        return "origin or duration";
    }

    if (tl->magic != VOD_TIMELINE_MAGIC || tl->n_tracks != a->n_tracks
        || tl->target != target || tl->len != a->timeline_len)
    {
        return "header";
    }

    return NULL;
}


static const char *
wrong_cuts(const asset_t *a, uint32_t track, uint32_t target)
{
    uint32_t           i, n;
    const vod_cell_t  *c;

    c = asset_cells(a, track);

    if (a->in[track].track.kind == VOD_VIDEO) {
        n = slow_video(a, track, target);

    } else {
        n = slow_other(a, track, target);
    }

    if (n != asset_track(a, track)->n_segments) {
        return "the number of segments is not that of the slow rule";
    }

    for (i = 0; i < n; i++) {
        if (c[i].cursor.sample != expected[i]) {
            return "a cut is not that of the slow rule";
        }
    }

    return NULL;
}


static const char *
wrong(const asset_t *a, uint32_t target, int sane)
{
    uint32_t     i;
    const char  *text;

    text = wrong_asset(a, target);

    for (i = 0; text == NULL && i < a->n_tracks; i++) {
        text = wrong_track(a, i, sane);

        if (text == NULL && sane) {
            text = wrong_cuts(a, i, target);
        }
    }

    return text;
}


/*
 * Checks an asset in all ways, and against the starts of its segments in
 * milliseconds, the end included: "0 6000 8000".
 */
static void
check(asset_t *a, const char *name, uint32_t target, const char **starts)
{
    char               text[4096];
    size_t             len;
    uint32_t           i, k;
    const char        *what;
    const vod_cell_t  *c;

    if (!ok(asset_timeline(a, target) > 0, "%s: a timeline", name)) {
        printf("#   %s\n", a->err.text);
        return;
    }

    what = wrong(a, target, 1);
    ok(what == NULL, "%s: %s", name, what ? what : "whole, cut by the rule");

    for (i = 0; i < a->n_tracks && starts[i]; i++) {
        c = asset_cells(a, i);
        len = 0;
        text[0] = '\0';

        for (k = 0; k <= asset_track(a, i)->n_segments && len < 4000; k++) {
            len += (size_t) sprintf(text + len, "%s%lld", k ? " " : "",
                                    (long long) c[k].start * 1000
                                    / a->in[i].track.timescale);
        }

        is_str(text, starts[i], "%s: track %u", name, i + 1);
    }
}


#define timeline(a)  ((const vod_timeline_t *) (a)->timeline)


static void
test_plain(void)
{
    asset_t  a;

    memset(&a, 0, sizeof(a));

    asset_plain(&a, VOD_VIDEO, 12800, 500, 512, 50);
    asset_plain(&a, VOD_AUDIO, 48000, 938, 1024, 1);

    check(&a, "GOPs of 2 s", 6000, (const char *[]) {
              "0 6000 12000 18000 20000", "0 6016 12010 18005 20010" });
    is_int(timeline(&a)->target_duration, 6, "EXT-X-TARGETDURATION");
    is_int(timeline(&a)->max_segment, 6016, "longest segment, ms");
    is_int(timeline(&a)->duration, 20010667, "duration");

    check(&a, "the same, target 4 s", 4000, (const char *[]) {
              "0 4000 8000 12000 16000 20000", NULL });
    check(&a, "the same, target 1 s", 1000, (const char *[]) {
              "0 2000 4000 6000 8000 10000 12000 14000 16000 18000 20000",
              NULL });
    is_int(timeline(&a)->target_duration, 2,
           "EXT-X-TARGETDURATION follows what there is");
    check(&a, "the same, target 1.5 s", 1500, (const char *[]) {
              "0 2000 4000 6000 8000 10000 12000 14000 16000 18000 20000",
              NULL });
    check(&a, "the same, target 19.6 s", 19600, (const char *[]) {
              "0 20000", "0 20010" });
    check(&a, "the same, target 60 s", 60000, (const char *[]) {
              "0 20000", "0 20010" });

    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 12800, 75, 512, 25);
    asset_plain(&a, VOD_AUDIO, 48000, 141, 1024, 1);
    check(&a, "a clip of 3 s is one segment", 6000, (const char *[]) {
              "0 3000", "0 3008" });
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 25, 1500, 1, 300);
    asset_plain(&a, VOD_AUDIO, 44100, 2584, 1024, 1);
    check(&a, "GOPs of 12 s", 6000, (const char *[]) {
              "0 12000 24000 36000 48000 60000",
              "0 12004 24009 36014 48018 54009 60000" });
    is_int(timeline(&a)->target_duration, 12, "EXT-X-TARGETDURATION");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 25, 500, 1, 1);
    asset_plain(&a, VOD_AUDIO, 1000, 2000, 10, 1);
    check(&a, "every sample is a sync sample", 6000, (const char *[]) {
              "0 6480 12960 19440 20000", "0 6480 12960 19440 20000" });
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 90000, 1, 3600, 1);
    check(&a, "video of one frame", 6000, (const char *[]) { "0 40" });
    is_int(timeline(&a)->target_duration, 1, "EXT-X-TARGETDURATION is >= 1");

    a.samples[0][0].dur = 0;
    check(&a, "one frame that does not last", 6000, (const char *[]) { "0 0" });
    is_int(timeline(&a)->duration, 0, "and no duration at all");
    ok(asset_track(&a, 0)->peak >= asset_track(&a, 0)->average
       && asset_track(&a, 0)->average > 0, "it has bit rates all the same");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 25, 1000, 1, 1000);
    asset_plain(&a, VOD_AUDIO, 1000, 4000, 10, 1);
    check(&a, "one sync sample in 40 s", 6000, (const char *[]) {
              "0 40000", "0 6000 12000 18000 24000 30000 36000 40000" });
    asset_free(&a);
}


static void
test_uneven(void)
{
    uint32_t       i;
    asset_t        a;
    vod_sample_t  *s;

    memset(&a, 0, sizeof(a));

    /* exactly at the limit, and a tick beyond */

    s = asset_plain(&a, VOD_VIDEO, 1000, 20, 500, 1);
    for (i = 0; i < 20; i++) {
        s[i].key = i == 0 || i == 8 || i == 13;
    }
    check(&a, "a sync sample at target + 0.5 s", 6000, (const char *[]) {
              "0 6500 10000" });

    s[12].dur = 501;
    check(&a, "one a tick later", 6000, (const char *[]) {
              "0 4000 10001" });
    asset_free(&a);

    /* audio longer than video by an hour, then video longer than audio */

    asset_plain(&a, VOD_VIDEO, 25, 250, 1, 50);
    asset_plain(&a, VOD_AUDIO, 1000, 361000, 10, 1);
    check(&a, "audio goes on for an hour", 60000, (const char *[]) {
              "0 10000", NULL });
    is_int(asset_track(&a, 1)->n_segments, 61, "in segments of a minute");
    is_int(timeline(&a)->target_duration, 60, "EXT-X-TARGETDURATION");
    is_int(timeline(&a)->duration, 3610000000, "duration");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 25, 1000, 1, 50);
    asset_plain(&a, VOD_AUDIO, 1000, 700, 10, 1);
    check(&a, "audio ends early", 6000, (const char *[]) {
              "0 6000 12000 18000 24000 30000 36000 40000", "0 6000 7000" });
    asset_free(&a);

    /* audio that begins behind the first cuts */

    asset_plain(&a, VOD_VIDEO, 25, 1000, 1, 50);
    asset_plain(&a, VOD_AUDIO, 1000, 1000, 10, 1);
    a.in[1].track.first_dts = 13000;
    check(&a, "audio begins late", 6000, (const char *[]) {
              "0 6000 12000 18000 24000 30000 36000 40000",
              "13000 18000 23000" });
    is_int(timeline(&a)->origin, 0, "playlist time begins with video");
    is_int(timeline(&a)->target_duration, 18,
           "EXT-X-TARGETDURATION counts what is missing before");
    asset_free(&a);

    /* video that begins late: a little, and much */

    asset_plain(&a, VOD_VIDEO, 25, 500, 1, 50);
    asset_plain(&a, VOD_AUDIO, 1000, 2100, 10, 1);
    a.in[0].track.first_dts = 2;
    check(&a, "video begins 80 ms late", 6000, (const char *[]) {
              "80 6080 12080 18080 20080", "0 6080 12080 18080 21000" });
    is_int(timeline(&a)->target_duration, 6, "EXT-X-TARGETDURATION");

    a.in[0].track.first_dts = 25 * 100;
    check(&a, "video begins 100 s late", 6000, (const char *[]) {
              "100000 102000 108000 114000 120000",
              "0 6000 12000 18000 21000" });
    asset_free(&a);

    /* pre-roll: presented from before 0, which playlists do not see */

    asset_plain(&a, VOD_VIDEO, 1000, 300, 100, 20);
    asset_plain(&a, VOD_AUDIO, 48000, 1400, 1024, 1);
    a.in[0].track.media_time = 1500;
    a.in[1].track.media_time = 1024;
    check(&a, "pre-roll", 6000, (const char *[]) {
              "-1500 6500 12500 18500 24500 28500",
              "-21 6506 12501 18517 24512 29845" });
    is_int(timeline(&a)->origin, 0, "playlist time begins with 0");

    for (i = 0; i < 300; i++) {
        a.samples[0][i].key = i == 0 || i == 20 || i == 140;
    }

    a.in[0].track.media_time = 5000;
    check(&a, "no segment ends before playlist time", 4000, (const char *[]) {
              "-5000 9000 25000", NULL });
    asset_free(&a);

    /* a stretch of samples that each outlast several cuts */

    asset_plain(&a, VOD_VIDEO, 25, 2500, 1, 50);
    s = asset_plain(&a, VOD_AUDIO, 1000, 20, 10, 1);
    for (i = 0; i < 20; i++) {
        s[i].dur = i < 5 ? 15000 : 1000;
    }
    check(&a, "sound in samples of 15 s, then 1 s", 6000, (const char *[]) {
              "0 6000 12000 18000 24000 30000 36000 42000 48000 54000 60000 "
              "66000 72000 78000 84000 90000 96000 100000",
              "0 15000 30000 45000 60000 75000 78000 84000 90000" });
    asset_free(&a);
}


static void
test_others(void)
{
    uint32_t       i;
    asset_t        a;
    vod_sample_t  *s;

    memset(&a, 0, sizeof(a));

    asset_plain(&a, VOD_AUDIO, 1000, 2500, 10, 1);
    check(&a, "audio alone", 6000, (const char *[]) {
              "0 6000 12000 18000 24000 25000" });
    asset_free(&a);

    asset_plain(&a, VOD_AUDIO, 1000, 2450, 10, 1);
    a.in[0].track.first_dts = 5000;
    check(&a, "audio alone, from 5 s on", 6000, (const char *[]) {
              "5000 6000 12000 18000 24000 29500" });
    is_int(timeline(&a)->origin, 5000000, "playlist time begins there");
    is_int(timeline(&a)->duration, 24500000, "and lasts as long as it");
    asset_free(&a);

    /* a second picture has sync samples of its own */

    asset_plain(&a, VOD_AUDIO, 1000, 2000, 10, 1);
    asset_plain(&a, VOD_VIDEO, 25, 500, 1, 50);
    asset_plain(&a, VOD_VIDEO, 25, 500, 1, 75);
    check(&a, "two video tracks behind audio", 4000, (const char *[]) {
              "0 4000 8000 12000 16000 20000",
              "0 4000 8000 12000 16000 20000",
              "0 3000 6000 9000 12000 15000 18000 20000" });
    asset_free(&a);

    /* open GOPs: two pictures lead each sync sample but the first */

    s = asset_plain(&a, VOD_VIDEO, 25, 400, 1, 50);
    asset_plain(&a, VOD_AUDIO, 1000, 1600, 10, 1);
    a.in[0].track.media_time = 2;

    for (i = 0; i < 400; i++) {
        s[i].cts = i >= 50 && i % 50 == 0 ? 4 : 2;
        s[i].cts = i >= 50 && (i % 50 == 1 || i % 50 == 2) ? 1 : s[i].cts;
    }

    check(&a, "pictures that lead", 6000, (const char *[]) {
              "0 6000 12000 16000", "0 6000 12000 16000" });
    is_int(asset_cells(&a, 0)[1].cursor.sample, 150,
           "they belong to their sync sample's segment");
    asset_free(&a);

    /* the first samples are no sync samples */

    s = asset_plain(&a, VOD_VIDEO, 25, 300, 1, 50);
    s[0].key = 0;
    check(&a, "no sync sample at first", 2000, (const char *[]) {
              "0 2000 4000 6000 8000 10000 12000" });
    is_int(asset_cells(&a, 0)[1].cursor.sample, 50,
           "what comes before it belongs to the first segment");

    for (i = 0; i < 300; i++) {
        s[i].key = 0;
    }

    check(&a, "no sync sample at all", 2000, (const char *[]) { "0 12000" });
    asset_free(&a);
}


/* a number of 1 to max bits */
static uint64_t
random_bits(uint64_t *seed, unsigned max)
{
    unsigned  bits;

    bits = 1 + tap_rand(seed) % max;

    return tap_rand(seed) >> (64 - bits);
}


/* a random asset that keeps the rules of its codecs */
static void
random_asset(asset_t *a, uint64_t *seed)
{
    uint32_t                i, k, n, gop, dur, lead, tracks, vary, g;
    unsigned                kind;
    uint32_t                scale;
    vod_sample_t           *s;
    static const uint32_t   scales[] = { 1000, 12800, 25, 90000, 44100, 48000,
                                         24000, 30000, 600, 1000000, 7 };

    tracks = 1 + tap_rand(seed) % 3;

    for (i = 0; i < tracks; i++) {

        n = 1 + tap_rand(seed) % (tap_rand(seed) % 3 ? 1000 : 20);

        kind = tap_rand(seed) % 2 ? VOD_VIDEO : VOD_AUDIO;
        scale = scales[tap_rand(seed) % 11];

        s = asset_add(a, kind, scale, n);

        gop = 1 + tap_rand(seed) % (tap_rand(seed) % 4 ? 40 : 400);
        dur = a->in[i].track.timescale / (1 + tap_rand(seed) % 60);
        dur = dur ? dur : 1;
        vary = tap_rand(seed) % 4 == 0;
        lead = a->in[i].track.kind == VOD_VIDEO ? tap_rand(seed) % 3 : 0;

        for (k = 0, g = 0; k < n; k++) {

            s[k].key = k == 0 || g >= gop
                       || (vary && tap_rand(seed) % gop == 0);
            g = s[k].key ? 1 : g + 1;

            s[k].size = (uint32_t) (tap_rand(seed) % 5000);
            s[k].dur = dur;

            if (vary) {
                s[k].dur = 1 + (uint32_t) (tap_rand(seed) % (2 * dur));

                if (tap_rand(seed) % 200 == 0) {
                    s[k].dur *= 200;
                }
            }
        }

        /*
         * Each sync sample swaps its place in time with that of the lead
         * samples behind it: dts stays, cts is made of where it goes.
         */

        if (lead && !vary) {
            for (k = 0; k < n; k++) {
                s[k].cts = (int32_t) (lead * dur);
            }

            for (k = 1; k < n; k++) {
                if (s[k].key && k + lead < n && !s[k + 1].key
                    && !s[k + lead].key)
                {
                    s[k].cts = (int32_t) (2 * lead * dur);

                    for (g = 1; g <= lead; g++) {
                        s[k + g].cts = (int32_t) ((lead - 1) * dur);
                    }
                }
            }
        }

        if (tap_rand(seed) % 3 == 0) {
            a->in[i].track.first_dts = tap_rand(seed)
                                       % (20 * a->in[i].track.timescale);
        }

        if (tap_rand(seed) % 3 == 0) {
            a->in[i].track.media_time = tap_rand(seed) % (4 * dur);
        }
    }
}


static void
test_random(void)
{
    int                     round, bad, segments;
    uint32_t                i, target;
    asset_t                 a;
    uint64_t                seed;
    const char             *what;
    static const uint32_t   targets[] = { 1000, 2000, 6000, 4004, 60000,
                                          10000, 333 };

    memset(&a, 0, sizeof(a));
    seed = 7;
    bad = 0;
    segments = 0;

    for (round = 0; round < 600; round++) {

        random_asset(&a, &seed);
        target = targets[tap_rand(&seed) % 7];

        if (asset_timeline(&a, target) == 0) {
            what = a.err.text;

        } else {
            what = wrong(&a, target, 1);
        }

        if (what && bad++ < 10) {
            printf("#   round %d, target %u: %s\n", round, target, what);
        }

        for (i = 0; what == NULL && i < a.n_tracks; i++) {
            segments += asset_track(&a, i)->n_segments;
        }

        asset_free(&a);
    }

    is_int(bad, 0, "600 random assets are cut by the rule, whole, in order");
    ok(segments > 5000, "into %d segments", segments);
}


/* times in any disorder: no rule holds, but for what must */
static void
test_disorder(void)
{
    int            round, bad, failed;
    asset_t        a;
    unsigned       kind;
    uint32_t       i, k, n, target, scale, tracks;
    uint64_t       seed;
    const char    *what;
    vod_sample_t  *s;

    memset(&a, 0, sizeof(a));
    seed = 11;
    bad = 0;
    failed = 0;

    for (round = 0; round < 600; round++) {

        tracks = 1 + tap_rand(&seed) % 3;

        for (i = 0; i < tracks; i++) {

            n = 1 + tap_rand(&seed) % 500;
            kind = 1 + tap_rand(&seed) % 2;
            scale = (uint32_t) random_bits(&seed, 31) | 1;
            s = asset_add(&a, kind, scale, n);

            for (k = 0; k < n; k++) {
                s[k].size = (uint32_t) (tap_rand(&seed) % 100);
                s[k].dur = (uint32_t) random_bits(&seed, 32);
                s[k].cts = (int32_t) random_bits(&seed, 31);
                s[k].cts = tap_rand(&seed) % 2 ? s[k].cts : -s[k].cts;
                s[k].key = tap_rand(&seed) % 3 == 0;
            }

            a.in[i].track.first_dts = tap_rand(&seed) % 4 ? 0
                                      : tap_rand(&seed) >> 3;
            a.in[i].track.media_time = tap_rand(&seed) % 4 ? 0
                                       : tap_rand(&seed) >> 3;
        }

        target = 1 + tap_rand(&seed) % 60000;

        if (asset_timeline(&a, target) == 0) {
            failed++;
            what = a.err.code == VOD_DAMAGED || a.err.code == VOD_LIMIT
                   ? NULL : a.err.text;

        } else {
            what = NULL;

            for (i = 0; what == NULL && i < a.n_tracks; i++) {
                what = wrong_track(&a, i, 0);
            }
        }

        if (what && bad++ < 10) {
            printf("#   round %d, target %u: %s\n", round, target, what);
        }

        asset_free(&a);
    }

    is_int(bad, 0, "times in disorder: still no empty segment, none twice");
    ok(failed < 120, "few are refused: %d of 600", failed);
}


/* 10 hours; and a file that says it lasts for ages */
static void
test_long(void)
{
    uint32_t  i;
    asset_t   a;

    memset(&a, 0, sizeof(a));

    asset_plain(&a, VOD_VIDEO, 90000, 900000, 3600, 50);
    asset_plain(&a, VOD_AUDIO, 48000, 1687500, 1024, 1);

    ok(asset_timeline(&a, 6000) > 0, "10 hours: a timeline");
    ok(wrong_track(&a, 0, 1) == NULL && wrong_track(&a, 1, 1) == NULL,
       "whole");
    is_int(asset_track(&a, 0)->n_segments, 6000, "6000 segments of video");
    is_int(asset_track(&a, 1)->n_segments, 6000, "and of audio");
    is_int(timeline(&a)->duration, 36000000000LL, "duration");
    ok(a.timeline_len < 2 * 6001 * 72 + 1024, "a cell has 72 bytes");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 1, 1000, UINT32_MAX, 1);
    asset_plain(&a, VOD_AUDIO, 1, 1000, UINT32_MAX, 1);
    ok(asset_timeline(&a, 1000) > 0, "136 years a sample: a timeline");
    is_int(asset_track(&a, 1)->n_segments, 1000, "a segment each");
    ok(wrong_track(&a, 0, 1) == NULL && wrong_track(&a, 1, 1) == NULL,
       "whole");
    asset_free(&a);

    /* one group of pictures as large as we take, and one larger */

    asset_plain(&a, VOD_VIDEO, 60, VOD_SEGMENT_SAMPLES, 1, UINT32_MAX);
    ok(asset_timeline(&a, 1000) > 0, "a segment of very many samples");
    is_int(asset_track(&a, 0)->n_segments, 1, "is one");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 60, VOD_SEGMENT_SAMPLES + 1, 1, UINT32_MAX);
    is_int(asset_timeline(&a, 1000), 0, "one sample more");
    is_int(a.err.code, VOD_LIMIT, "which is a limit");
    ok(strstr(a.err.text, "more than 262144 samples for one segment from "
                          "sample 1 on") != NULL, "%s", a.err.text);
    asset_free(&a);

    asset_plain(&a, VOD_AUDIO, 48000, VOD_SEGMENT_SAMPLES + 1, 0, 1);
    is_int(asset_timeline(&a, 1000), 0, "samples that last no time");
    is_int(a.err.code, VOD_LIMIT, "are a limit, too");
    asset_free(&a);

    /* more segments than we make */

    asset_plain(&a, VOD_AUDIO, 1, VOD_TIMELINE_CELLS + 1, 1, 1);
    is_int(asset_timeline(&a, 1000), 0, "too many segments");
    is_int(a.err.code, VOD_LIMIT, "which is a limit");
    ok(strstr(a.err.text, "segment duration") != NULL, "%s", a.err.text);
    asset_free(&a);

    for (i = 0; i < 4; i++) {
        asset_plain(&a, VOD_AUDIO, 1, VOD_TIMELINE_CELLS / 4 + 1, 1, 1);
    }

    is_int(asset_timeline(&a, 1000), 0, "too many segments in all tracks");
    is_int(a.err.code, VOD_LIMIT, "which is a limit");
    asset_free(&a);

    asset_plain(&a, VOD_AUDIO, 1, VOD_TIMELINE_CELLS, 1, 1);
    ok(asset_timeline(&a, 1000) > 0, "just as many as we make");
    is_int(asset_track(&a, 0)->n_segments, VOD_TIMELINE_CELLS, "all of them");
    asset_free(&a);
}


static void
test_room(void)
{
    void               *out;
    asset_t             a;
    uint64_t            room, len, said, enough;
    vod_err_t           err;
    vod_timeline_in_t   in;

    memset(&a, 0, sizeof(a));

    asset_plain(&a, VOD_VIDEO, 12800, 500, 512, 50);
    asset_plain(&a, VOD_AUDIO, 48000, 938, 1024, 1);
    asset_timeline(&a, 1000);

    memset(&in, 0, sizeof(in));
    in.target = 1000;
    in.to = INT64_MAX;

    /* any room: said to be too short, up to where it is enough */

    enough = 0;
    said = 0;

    for (room = 0; enough == 0; room++) {
        out = malloc(room ? room : 1);
        err.code = 0;
        len = vod_timeline_build(a.index, &in, out, room, &err);
        said += len == 0 && err.code == VOD_NOMEM;
        enough = len ? room : 0;
        free(out);
    }

    is_int(said, enough, "any room that is too short is said to be");
    ok(enough >= a.timeline_len
       && enough <= vod_timeline_bound(a.index, &in),
       "the bound is enough: %d of %d bytes", (int) enough,
       (int) vod_timeline_bound(a.index, &in));

    /* a track of one sample */

    asset_free(&a);
    asset_plain(&a, VOD_VIDEO, 1, 1, 1, 1);
    ok(asset_timeline(&a, 1000) > 0, "for a single sample too");

    asset_free(&a);
}


static void
test_etag(void)
{
    unsigned            i, k, n;
    void               *out;
    asset_t             a;
    uint64_t            room, seen[64];
    vod_timeline_t     *tl;
    vod_timeline_in_t   in, changed;

    memset(&a, 0, sizeof(a));
    asset_plain(&a, VOD_VIDEO, 12800, 500, 512, 50);
    asset_index(&a);

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.file_size = 1000;
    in.mtime_sec = 5;
    in.mtime_nsec = 6;
    in.to = INT64_MAX;

    room = vod_timeline_bound(a.index, &in);
    out = malloc(room);
    tl = out;
    n = 0;

    for (i = 0; i < 7; i++) {
        changed = in;

        if (i == 1) { changed.target = 6001; }
        if (i == 2) { changed.file_size++; }
        if (i == 3) { changed.mtime_sec++; }
        if (i == 4) { changed.mtime_nsec++; }

        if (i == 5) {
            a.samples[0][7].cts++;
            asset_index(&a);
        }

        if (i == 6) {
            a.samples[0][7].cts--;
            asset_index(&a);
        }

        vod_timeline_build(a.index, &changed, out, room, &a.err);
        seen[n++] = tl->etag;

        if (i == 0) {
            is_int(strspn(tl->token, "0123456789abcdef"), 12,
                   "a token of 12 digits: %s", tl->token);
            is_int(tl->token[12], 0, "and no more");
            is_int(strtoull(tl->token, NULL, 16), tl->etag >> 16,
                   "the first of the seed");
        }
    }

    is_int(seen[6], seen[0], "the same input, the same seed");
    n--;

    for (i = 0; i < 6; i++) {
        for (k = 0; k < 4; k++) {
            seen[n++] = vod_timeline_etag(tl, i, k / 2, k % 2);
        }
    }

    for (i = 0; i < n; i++) {
        for (k = 0; k < i && seen[k] != seen[i]; k++) { /* void */ }

        if (k < i) {
            break;
        }
    }

    is_int(i, n, "another file, setting or answer has another ETag");
    is_int(vod_timeline_etag(tl, 5, 1, 7), vod_timeline_etag(tl, 5, 1, 7),
           "the same answer has the same");
    ok(vod_timeline_etag(tl, 5, 0, 1) != vod_timeline_etag(tl, 5, 0,
                                                          1ull << 32),
       "numbers count in full");

    free(out);
    asset_free(&a);
}


static void
test_ticks(void)
{
    int       bad;
    int64_t   t, us;
    wide_t    twice, ts2;
    uint32_t  i, ts;
    uint64_t  seed;

    is_int(vod_ticks_us(0, 1), 0, "0 ticks");
    is_int(vod_ticks_us(1, 3), 333333, "a third");
    is_int(vod_ticks_us(2, 3), 666667, "two thirds, nearest");
    is_int(vod_ticks_us(-1, 3), -333333, "minus a third");
    is_int(vod_ticks_us(1001, 30000), 33367, "a frame");
    is_int(vod_ticks_us(INT64_MAX, 1), INT64_MAX, "for ever");
    is_int(vod_ticks_us(INT64_MIN, 1), INT64_MIN, "since ever");
    is_int(vod_ticks_us(INT64_MAX, UINT32_MAX), 2147483648500000LL,
           "the largest of the finest");

    seed = 5;
    bad = 0;

    for (i = 0; i < 200000; i++) {
        ts = (uint32_t) random_bits(&seed, 32) | 1;
        t = (int64_t) random_bits(&seed, 42);
        t = tap_rand(&seed) % 2 ? t : -t;
        us = vod_ticks_us(t, ts);

        /* |us / 1000000 - t / ts| <= half a microsecond */

        twice = ((wide_t) us * ts - (wide_t) t * 1000000) * 2;
        ts2 = ts;
        bad += twice > ts2 || twice < -ts2;
    }

    is_int(bad, 0, "always the nearest microsecond");
}


int
main(void)
{
    is_int(sizeof(vod_timeline_t), 120, "size of the header");
    is_int(sizeof(vod_timeline_track_t), 96, "size of a track's head");
    is_int(sizeof(vod_cell_t), 72, "size of a cell");

    test_plain();
    test_uneven();
    test_others();
    test_random();
    test_disorder();
    test_long();
    test_room();
    test_etag();
    test_ticks();

    return done_testing();
}
