/*
 * Clips and the grid of another file: against what the rules say, sample by
 * sample.
 */

#include <stdio.h>

#include "asset.h"

#include "vod_segment.h"


#define FRAME  512              /* ticks of 12800: 25 a second */
#define GOP    49
#define SEC    1000000ll


/* pictures in groups of GOP, two B behind each P; size tells them apart */
static void
film(asset_t *a, uint32_t n)
{
    uint32_t       i, j;
    vod_sample_t  *s;

    s = asset_plain(a, VOD_VIDEO, 12800, n, FRAME, GOP);

    for (i = 0; i < n; i++) {
        j = i % GOP;
        s[i].cts = j == 0 ? FRAME : j % 3 == 1 ? 3 * FRAME : 0;
        s[i].size = 1000 + i;
    }

    a->in[a->n_tracks - 1].track.media_time = FRAME;
}


/* the timeline of an asset that has its index; its length, or 0 */
static uint64_t
cut(asset_t *a, uint32_t target, const void *grid, int64_t from, int64_t to)
{
    void               *out;
    uint64_t            room;
    vod_timeline_in_t   in;

    memset(&in, 0, sizeof(in));
    in.target = target;
    in.file_size = ((vod_index_t *) a->index)->file_size;
    in.grid = grid;
    in.from = from;
    in.to = to;

    room = vod_timeline_bound(a->index, &in);
    out = malloc(room);
    a->err.code = 0;
    a->timeline_len = vod_timeline_build(a->index, &in, out, room, &a->err);

    free(a->timeline);
    a->timeline = out;

    return a->timeline_len;
}


static const vod_timeline_t *
head(const asset_t *a)
{
    return a->timeline;
}


/*
 * Do the segments hold samples [first, end) of the track, each once and as
 * they were given, and are their bytes counted?
 */
static int
holds(const asset_t *a, uint32_t track, uint32_t first, uint32_t end)
{
    uint32_t                     i, n, at;
    uint64_t                     bytes;
    vod_err_t                    err;
    const uint8_t               *rows;
    vod_sample_t                *s;
    const vod_cell_t            *c;
    const vod_track_t           *t;
    const vod_timeline_track_t  *tt;

    t = &vod_index_tracks(a->index)[track];
    tt = asset_track(a, track);
    c = asset_cells(a, track);
    rows = (const uint8_t *) a->index + t->rows_off;
    bytes = 0;
    at = first;

    for (i = 0; i < tt->n_segments; i++) {
        s = malloc((vod_segment_most(t, &c[i], &c[i + 1]) + 1) * sizeof(*s));

        if (c[i].cursor.sample != at
            || vod_segment_rows(t, &c[i], &c[i + 1], rows + c[i].cursor.row,
                                vod_segment_bytes(t, &c[i], &c[i + 1]), s, &n,
                                &err)
               != VOD_OK
            || memcmp(s, a->samples[track] + at, n * sizeof(*s)) != 0)
        {
            free(s);
            return 0;
        }

        free(s);
        bytes += c[i].header + c[i].payload;
        at += n;
    }

    return at == end && bytes == tt->bytes;
}


/* the number of the sample that is presented at a time, in order */
static uint32_t
presented(const asset_t *a, uint32_t track, int64_t us)
{
    uint32_t  i, n, ts;

    n = a->in[track].n_samples;
    ts = a->in[track].track.timescale;

    for (i = 0; i + 1 < n && vod_ticks_us(a->pts[track][i + 1], ts) <= us;
         i++)
    {
        /* void */
    }

    return i;
}


/* what the rule says of video: the sync sample, and one behind the last */
static void
wanted(const asset_t *a, int64_t from, int64_t to, uint32_t *first,
    uint32_t *end)
{
    uint32_t  i;
    int64_t   us;

    *first = 0;
    *end = 0;

    for (i = 0; i < a->in[0].n_samples; i++) {
        us = vod_ticks_us(a->pts[0][i], 12800);
        *first = a->samples[0][i].key && us <= from ? i : *first;
        *end = us < to ? i + 1 : *end;
    }
}


static void
test_clip(void)
{
    int        bad;
    int64_t    from, to;
    asset_t    a;
    uint32_t   k, first, end, first2, end2;
    uint64_t   seed, whole;

    memset(&a, 0, sizeof(a));
    film(&a, 40 * GOP);
    asset_plain(&a, VOD_AUDIO, 48000, 3675, 1024, 1);
    asset_index(&a);

    cut(&a, 6000, NULL, 0, INT64_MAX);
    whole = head(&a)->etag;
    ok(head(&a)->from == 0 && head(&a)->to == 0, "all of it is no clip");
    ok(holds(&a, 0, 0, 40 * GOP) && holds(&a, 1, 0, 3675), "all is there");

    ok(cut(&a, 6000, NULL, 11 * SEC, 20 * SEC) > 0, "11 to 20 s");
    is_int(head(&a)->from, 11 * SEC, "from");
    is_int(head(&a)->to, 20 * SEC, "to");
    is_int(head(&a)->origin,
           vod_ticks_us(presented(&a, 1, 5 * GOP * 40000) * 1024, 48000),
           "playlist time begins with the sound that is presented with the"
           " sync sample before");
    is_int(asset_cells(&a, 0)[0].start, 5 * GOP * FRAME, "times stay those of"
           " the file");
    ok(holds(&a, 1, presented(&a, 1, 5 * GOP * 40000),
             presented(&a, 1, 20 * SEC - 1) + 1),
       "sound begins with the picture and ends at the end");
    ok(head(&a)->etag != whole, "a clip has its own etag");
    is_int(head(&a)->reference, 1, "its video is the reference");

    /* any */

    seed = 5;
    bad = 0;

    for (k = 0; k < 300; k++) {
        from = (int64_t) (tap_rand(&seed) % (78 * SEC));
        to = from + 1 + (int64_t) (tap_rand(&seed) % (20 * SEC));

        wanted(&a, from, to, &first, &end);
        first2 = presented(&a, 1, vod_ticks_us(a.pts[0][first], 12800));
        end2 = presented(&a, 1, to - 1) + 1;

        if (cut(&a, 2000 + k * 20, NULL, from, to) == 0
            || !holds(&a, 0, first, end) || !holds(&a, 1, first2, end2)
            || head(&a)->origin != (uint64_t) vod_ticks_us(first2 * 1024,
                                                           48000))
        {
            bad++;
        }
    }

    is_int(bad, 0, "300 clips have the packets of the source that they need");

    asset_free(&a);
}


#define refused(from, to, want, what)                                         \
    is_int(cut(&a, 6000, NULL, from, to), 0, what);                           \
    is_int(a.err.code, want, "... %s", a.err.text)


static void
test_edges(void)
{
    asset_t  a, other;

    memset(&a, 0, sizeof(a));
    memset(&other, 0, sizeof(other));
    film(&a, 10 * GOP);
    asset_plain(&a, VOD_AUDIO, 48000, 700, 1024, 1);
    asset_index(&a);

    refused(5, 5, VOD_RANGE, "an empty clip");
    refused(6 * SEC, 5 * SEC, VOD_RANGE, "one that is reversed");
    refused(-1, 5 * SEC, VOD_RANGE, "one before the beginning");
    refused(20 * SEC, 30 * SEC, VOD_RANGE, "one behind the end");
    refused(20 * SEC, INT64_MAX, VOD_RANGE, "one that begins there");
    refused(0, 0, VOD_RANGE, "nothing at all");

    ok(cut(&a, 6000, NULL, 0, 1) > 0, "a microsecond");
    ok(holds(&a, 0, 0, 1) && holds(&a, 1, 0, 1), "is a sample of each");

    ok(cut(&a, 6000, NULL, 5 * SEC, INT64_MAX) > 0, "from 5 s on");
    is_int(head(&a)->to, 10 * GOP * 40000, "to the end");
    ok(cut(&a, 6000, NULL, 0, INT64_MAX - 1) > 0, "to the last microsecond");
    ok(holds(&a, 0, 0, 10 * GOP) && holds(&a, 1, 0, 700), "is all of it");

    /* sound is over at 14.9 s */

    ok(cut(&a, 6000, NULL, 15 * SEC, 19 * SEC) > 0, "without the sound");
    is_int(asset_track(&a, 1)->n_segments, 0, "which has no segment");
    is_int(asset_track(&a, 1)->peak, 0, "nor a rate");
    is_int(head(&a)->reference, 1, "the video is there");
    is_int(head(&a)->max_segment, 5280, "and alone decides what is longest");

    /* the grid of something else */

    cut(&a, 6000, NULL, 0, INT64_MAX);
    film(&other, 10 * GOP);
    asset_index(&other);
    is_int(cut(&other, 6000, a.timeline, 0, SEC), 0, "a clip by the grid of"
           " all");
    is_int(other.err.code, VOD_INTERNAL, "... %s", other.err.text);

    asset_free(&other);
    asset_free(&a);

    /* pictures that begin late, at 4 s: sound begins at from */

    film(&a, 4 * GOP);
    a.in[0].track.first_dts = 4 * 12800;
    asset_plain(&a, VOD_AUDIO, 48000, 500, 1024, 1);
    asset_index(&a);
    ok(cut(&a, 6000, NULL, SEC, 8 * SEC) > 0, "pictures that begin late");
    is_int(asset_cells(&a, 1)[0].cursor.sample, presented(&a, 1, SEC),
           "do not keep sound from beginning");
    is_int(head(&a)->origin, presented(&a, 1, SEC) * 1024 * SEC / 48000,
           "nor playlist time");
    asset_free(&a);

    /* sound alone begins with the sample at from; times of 32 bits and more */

    asset_plain(&a, VOD_AUDIO, 48000, 700, 1024, 1);
    a.in[0].track.first_dts = 48000ull << 32;
    a.in[0].track.media_time = (48000ull << 32) - 48000 * 5000;
    asset_index(&a);

    ok(cut(&a, 2000, NULL, 5003 * SEC, 5008 * SEC) > 0, "sound alone");
    ok(holds(&a, 0, presented(&a, 0, 5003 * SEC),
             presented(&a, 0, 5008 * SEC - 1) + 1), "what is presented");
    is_int(asset_cells(&a, 0)[0].cursor.dts, (48000ull << 32) + 140 * 1024,
           "decode times of more than 32 bits");
    refused(0, 5000 * SEC, VOD_RANGE, "what is before it");
    asset_free(&a);
}


static void
test_grid(void)
{
    uint32_t       i;
    asset_t        ref, a;
    vod_sample_t  *s;

    memset(&ref, 0, sizeof(ref));
    memset(&a, 0, sizeof(a));
    film(&ref, 40 * GOP);
    asset_plain(&ref, VOD_AUDIO, 48000, 3675, 1024, 1);
    asset_index(&ref);
    cut(&ref, 6000, NULL, 0, INT64_MAX);

    /* 30000 ticks, sync samples at the same pictures and half way */

    s = asset_plain(&a, VOD_VIDEO, 30000, 40 * GOP, 1200, 1);

    for (i = 0; i < 40 * GOP; i++) {
        s[i].key = i % GOP == 0 || i % GOP == 24;
    }

    asset_plain(&a, VOD_AUDIO, 44100, 3376, 1024, 1);
    asset_index(&a);

    ok(cut(&a, 6000, ref.timeline, 0, INT64_MAX) > 0, "by another's grid");
    ok(head(&a)->off_grid == 0 && head(&a)->reference == 0, "is met");
    is_int(asset_track(&a, 0)->n_segments, asset_track(&ref, 0)->n_segments,
           "as many segments");

    for (i = 0; i <= asset_track(&a, 0)->n_segments; i++) {
        if (vod_ticks_us(asset_cells(&a, 0)[i].start, 30000)
            != vod_ticks_us(asset_cells(&ref, 0)[i].start, 12800)
            || (i && i < asset_track(&a, 1)->n_segments
                && vod_ticks_us(asset_cells(&a, 1)[i].start, 44100)
                   - vod_ticks_us(asset_cells(&ref, 0)[i].start, 12800)
                   >= 23220))
        {
            break;
        }
    }

    is_int(i, asset_track(&ref, 0)->n_segments + 1, "at the same times");
    ok(holds(&a, 0, 0, 40 * GOP) && holds(&a, 1, 0, 3376), "all is there");

    /* the same clip of both */

    cut(&ref, 6000, NULL, 11 * SEC, 30 * SEC);
    ok(cut(&a, 6000, ref.timeline, 11 * SEC, 30 * SEC) > 0, "the same clip");
    is_int(head(&a)->origin, head(&ref)->origin, "one playlist time");
    is_int(head(&a)->from, 11 * SEC, "one begin of playback");
    is_int(asset_cells(&a, 0)[0].cursor.sample, 5 * GOP, "video begins where"
           " the reference's does, not half way");
    is_int(asset_track(&a, 0)->n_segments, asset_track(&ref, 0)->n_segments,
           "as many segments");
    ok(head(&a)->off_grid == 0, "the grid is met");

    /* one sync sample that a cut needs is none */

    cut(&ref, 6000, NULL, 0, INT64_MAX);
    s[asset_cells(&ref, 0)[3].cursor.sample].key = 0;
    asset_index(&a);

    ok(cut(&a, 6000, ref.timeline, 0, INT64_MAX) > 0, "one cut is missed");
    ok(head(&a)->off_grid == 1 && asset_track(&a, 0)->off_grid == 1
       && asset_track(&a, 1)->off_grid == 0, "it says so");
    ok(holds(&a, 0, 0, 40 * GOP), "all is there");

    asset_free(&a);

    /* shorter, later, longer */

    s = asset_plain(&a, VOD_VIDEO, 25, 15 * GOP, 1, GOP);
    asset_index(&a);
    cut(&a, 6000, ref.timeline, 0, INT64_MAX);
    is_int(head(&a)->off_grid, 0, "what ends earlier meets it");

    a.in[0].track.first_dts = 3 * GOP;
    asset_index(&a);
    cut(&a, 6000, ref.timeline, 0, INT64_MAX);
    is_int(head(&a)->off_grid, 0, "what begins later meets it");
    asset_free(&a);

    asset_plain(&a, VOD_VIDEO, 25, 60 * GOP, 1, GOP);
    asset_plain(&a, VOD_AUDIO, 48000, 4700, 1024, 1);
    asset_index(&a);
    cut(&a, 6000, ref.timeline, 0, INT64_MAX);
    is_int(head(&a)->off_grid, 0, "what lasts longer meets it");
    ok(head(&a)->max_segment <= 6500, "and goes on as before: %u ms",
       head(&a)->max_segment);
    ok(holds(&a, 0, 0, 60 * GOP) && holds(&a, 1, 0, 4700), "all is there");
    asset_free(&a);

    /* half a frame off, and more */

    asset_plain(&a, VOD_VIDEO, 12800, 40 * GOP, FRAME, GOP);
    a.in[0].track.first_dts = FRAME / 2;
    asset_index(&a);
    cut(&a, 6000, ref.timeline, 0, INT64_MAX);
    is_int(head(&a)->off_grid, 0, "half a frame late meets it");
    a.in[0].track.first_dts++;
    asset_index(&a);
    cut(&a, 6000, ref.timeline, 0, INT64_MAX);
    is_int(head(&a)->off_grid, 1, "a tick later does not");
    asset_free(&a);

    asset_free(&ref);
}


static void
test_text(void)
{
    int                  bad;
    uint32_t             i, n;
    asset_t              a;
    vod_err_t            err;
    vod_sample_t        *s, got[16];
    const uint8_t       *rows;
    const vod_cell_t    *c, *v;
    const vod_track_t   *t;

    memset(&a, 0, sizeof(a));
    film(&a, 40 * GOP);

    /* real samples: every 2.5 s one, of which some are empty */

    s = asset_plain(&a, VOD_TEXT, 1000, 20, 2500, 1);
    a.in[1].track.flags = VOD_TRACK_DEMUX;
    a.in[1].track.first_dts = 1000;

    /* a file of text: one row, which lasts beyond the asset */

    asset_plain(&a, VOD_TEXT, 1000, 1, 300000, 1)[0].size = 30000;
    a.in[2].track.flags = VOD_TRACK_DEMUX;
    asset_index(&a);

    ok(cut(&a, 6000, NULL, 0, INT64_MAX) > 0, "text");
    is_int(head(&a)->duration, 78400000, "does not decide where it ends");

    v = asset_cells(&a, 0);
    t = &vod_index_tracks(a.index)[1];
    rows = (const uint8_t *) a.index + t->rows_off;
    c = asset_cells(&a, 1);
    bad = 0;

    is_int(asset_track(&a, 1)->n_segments, asset_track(&a, 0)->n_segments,
           "a cell for each of the grid's");
    is_int(c[0].start, 0, "from the origin");
    is_int(c[asset_track(&a, 1)->n_segments].start, 78400, "to the end");

    for (i = 0; i < asset_track(&a, 1)->n_segments; i++) {
        bad += vod_ticks_us(c[i].start, 1000)
               != vod_ticks_us(v[i].start, 12800);
        bad += vod_segment_rows(t, &c[i], &c[i + 1], rows + c[i].cursor.row,
                                vod_segment_bytes(t, &c[i], &c[i + 1]), got,
                                &n, &err)
               != VOD_OK;

        /* those that share a time with the cell */

        while (n--) {
            bad += a.pts[1][c[i].cursor.sample + n] >= c[i + 1].start
                   || a.pts[1][c[i].cursor.sample + n] + 2500 <= c[i].start;
            bad += memcmp(&got[n], &s[c[i].cursor.sample + n], sizeof(*s))
                   != 0;
        }

        /* and none but those */

        n = c[i].cursor.sample;
        bad += n && a.pts[1][n - 1] + 2500 > c[i].start;
        n = c[i + 1].cursor.sample;
        bad += n < 20 && a.pts[1][n] + 2500 <= c[i + 1].start;
    }

    is_int(bad, 0, "each has the rows that are active in it");

    t = &vod_index_tracks(a.index)[2];
    c = asset_cells(&a, 2);
    rows = (const uint8_t *) a.index + t->rows_off;

    for (i = 0, bad = 0; i < asset_track(&a, 2)->n_segments; i++) {
        bad += vod_segment_rows(t, &c[i], &c[i + 1], rows + c[i].cursor.row,
                                vod_segment_bytes(t, &c[i], &c[i + 1]), got,
                                &n, &err)
               != VOD_OK || n != 1;
    }

    is_int(bad, 0, "one row is in each");
    ok(c[0].payload > 500 && c[0].payload < 700, "its bytes are shared: %d",
       (int) c[0].payload);

    /* rows that are not what they were */

    c = asset_cells(&a, 1);
    t = &vod_index_tracks(a.index)[1];
    rows = (const uint8_t *) a.index + t->rows_off;
    is_int(vod_segment_rows(t, &c[1], &c[2], rows + c[1].cursor.row, 1, got,
                            &n, &err), VOD_DAMAGED, "rows that end early");

    /* a clip */

    ok(cut(&a, 6000, NULL, 11 * SEC, 20 * SEC) > 0, "a clip");
    c = asset_cells(&a, 1);
    is_int(c[0].start, 9800, "text begins with playlist time");
    is_int(c[asset_track(&a, 1)->n_segments].start, 20000, "and ends at to");

    asset_free(&a);

    /* any times at all: cells rise, rows are read in a bounded way */

    asset_plain(&a, VOD_VIDEO, 25, 1000, 1, 10);
    s = asset_plain(&a, VOD_TEXT, 1000, 5000, 0, 1);
    a.in[1].track.flags = VOD_TRACK_DEMUX;

    for (i = 0; i < 5000; i++) {
        s[i].dur = i % 3 ? 7 : i % 5 ? 0 : 100000000;
        s[i].cts = (int32_t) ((i * 7919) % 50000) - 25000;
    }

    asset_index(&a);
    ok(cut(&a, 1000, NULL, 0, INT64_MAX) > 0, "rows in disorder");
    c = asset_cells(&a, 1);

    for (i = 0, bad = 0; i < asset_track(&a, 1)->n_segments; i++) {
        bad += c[i + 1].start <= c[i].start
               || c[i + 1].cursor.sample < c[i].cursor.sample;
    }

    is_int(bad, 0, "cells rise all the same");
    asset_free(&a);
}


int
main(void)
{
    test_clip();
    test_edges();
    test_grid();
    test_text();

    return done_testing();
}
