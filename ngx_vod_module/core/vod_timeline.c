#include <stdio.h>
#include <string.h>

#include "vod_cuts.h"
#include "vod_grid.h"
#include "vod_rate.h"
#include "vod_timeline.h"


/* what is being built, and where the next cells go */
typedef struct {
    const vod_index_t     *index;
    const vod_track_t     *tracks;
    vod_timeline_t        *tl;
    vod_timeline_track_t  *tt;
    uint8_t               *out;
    uint64_t               at;
    uint64_t               room;
    uint64_t               n_cells;     /* segments of all tracks so far */
    vod_grid_t             grid;
} vod_timeline_build_t;


static void vod_timeline_head(vod_timeline_t *tl, const vod_index_t *index,
    const vod_timeline_in_t *in);
static int vod_timeline_track(vod_timeline_build_t *b, unsigned ordinal,
    vod_err_t *err);
static int vod_timeline_fail(vod_timeline_build_t *b, unsigned ordinal,
    const vod_cuts_t *cuts, int rc, vod_err_t *err);
static void vod_timeline_longest(vod_timeline_build_t *b);
static void vod_timeline_keys(vod_timeline_build_t *b, unsigned ordinal);
static int vod_timeline_rates(vod_timeline_build_t *b, vod_err_t *err);


/* the first video track, or n_tracks */
static unsigned
vod_timeline_reference(const vod_index_t *index)
{
    unsigned            i;
    const vod_track_t  *tracks;

    tracks = vod_index_tracks(index);

    for (i = 0; i < index->n_tracks; i++) {
        if (tracks[i].kind == VOD_VIDEO) {
            break;
        }
    }

    return i;
}


uint64_t
vod_timeline_bound(const void *index, const vod_timeline_in_t *in)
{
    unsigned            i, ref;
    uint64_t            n, cells, most, reference;
    vod_grid_t          grid;
    const vod_index_t  *idx;
    const vod_track_t  *tracks;

    idx = index;
    tracks = vod_index_tracks(idx);
    ref = vod_timeline_reference(idx);

    vod_grid_init(&grid, in->target, tracks, idx->n_tracks);

    reference = ref < idx->n_tracks
                ? vod_grid_bound(&grid, &tracks[ref], 0) : 0;
    cells = 0;
    most = 0;

    for (i = 0; i < idx->n_tracks; i++) {
        n = vod_grid_bound(&grid, &tracks[i], reference);
        n = n < VOD_TIMELINE_CELLS ? n : VOD_TIMELINE_CELLS;

        cells += n;
        most = n > most ? n : most;
    }

    if (cells > VOD_TIMELINE_CELLS) {
        cells = VOD_TIMELINE_CELLS;
    }

    /* each track has a cell more, its end; rates are found behind all */

    return sizeof(vod_timeline_t)
           + idx->n_tracks * sizeof(vod_timeline_track_t)
           + (cells + idx->n_tracks) * sizeof(vod_cell_t)
           + (most + 1) * sizeof(vod_rate_point_t);
}


uint64_t
vod_timeline_build(const void *index, const vod_timeline_in_t *in, void *out,
    uint64_t room, vod_err_t *err)
{
    unsigned              i, ref;
    vod_timeline_build_t  b;

    memset(&b, 0, sizeof(vod_timeline_build_t));

    b.index = index;
    b.tracks = vod_index_tracks(index);
    b.tl = out;
    b.tt = (vod_timeline_track_t *) (b.tl + 1);
    b.out = out;
    b.room = room;
    b.at = sizeof(vod_timeline_t)
           + b.index->n_tracks * sizeof(vod_timeline_track_t);

    if (room < b.at) {
        vod_fail(err, VOD_NOMEM, "no room for the timeline");
        return 0;
    }

    memset(out, 0, b.at);

    vod_timeline_head(b.tl, b.index, in);
    vod_grid_init(&b.grid, in->target, b.tracks, b.index->n_tracks);

    b.tl->origin = (uint64_t) vod_ticks_us(b.grid.origin.ticks,
                                           b.grid.origin.timescale);

    b.tl->origin_ticks = b.grid.origin.ticks;
    b.tl->origin_timescale = b.grid.origin.timescale;
    b.tl->end_ticks = b.grid.end.ticks;
    b.tl->end_timescale = b.grid.end.timescale;

    /* the reference comes first: its cells are the grid of the others */

    ref = vod_timeline_reference(b.index);

    if (ref < b.index->n_tracks) {
        if (vod_timeline_track(&b, ref, err) != VOD_OK) {
            return 0;
        }

        vod_grid_reference(&b.grid, &b.tracks[ref],
                           vod_timeline_cells(out, &b.tt[ref]),
                           b.tt[ref].n_segments);

        b.tl->reference = ref + 1;
    }

    for (i = 0; i < b.index->n_tracks; i++) {
        if (i != ref && vod_timeline_track(&b, i, err) != VOD_OK) {
            return 0;
        }
    }

    vod_timeline_longest(&b);

    if (vod_timeline_rates(&b, err) != VOD_OK) {
        return 0;
    }

    b.tl->len = b.at;

    return b.at;
}


static void
vod_timeline_head(vod_timeline_t *tl, const vod_index_t *index,
    const vod_timeline_in_t *in)
{
    unsigned  i, k;
    uint8_t   seed[48];
    uint64_t  words[6];

    words[0] = VOD_FORMAT_VERSION;
    words[1] = in->file_size;
    words[2] = (uint64_t) in->mtime_sec;
    words[3] = in->mtime_nsec;
    words[4] = index->hash;
    words[5] = in->target;

    for (i = 0; i < 6; i++) {
        for (k = 0; k < 8; k++) {
            seed[i * 8 + k] = (uint8_t) (words[i] >> (k * 8));
        }
    }

    tl->magic = VOD_TIMELINE_MAGIC;
    tl->version = VOD_TIMELINE_VERSION;
    tl->n_tracks = index->n_tracks;
    tl->target = in->target;
    tl->etag = vod_hash64(VOD_FORMAT_VERSION, seed, sizeof(seed));

    /* 12 digits of the 16 */

    (void) snprintf(tl->token, sizeof(tl->token), "%012llx",
                    (unsigned long long) (tl->etag >> 16));
}


/* cuts one track, behind those that were cut before */
static int
vod_timeline_track(vod_timeline_build_t *b, unsigned ordinal, vod_err_t *err)
{
    int                    rc;
    uint64_t               room;
    vod_cuts_t             cuts;
    const uint8_t         *rows;
    const vod_track_t     *t;
    vod_timeline_track_t  *tt;

    t = &b->tracks[ordinal];
    tt = &b->tt[ordinal];
    rows = (const uint8_t *) b->index + t->rows_off;

    room = (b->room - b->at) / sizeof(vod_cell_t);

    if (room < 2) {
        return vod_fail(err, VOD_NOMEM, "no room for the timeline");
    }

    cuts.cells = (vod_cell_t *) (b->out + b->at);
    cuts.n = 0;
    cuts.max = room - 1;

    if (cuts.max > VOD_TIMELINE_CELLS - b->n_cells) {
        cuts.max = VOD_TIMELINE_CELLS - b->n_cells;
    }

    if (t->kind == VOD_VIDEO) {
        rc = vod_cuts_video(&cuts, &b->grid, t, rows);

    } else {
        rc = vod_cuts_other(&cuts, &b->grid, t, rows);
    }

    if (rc != VOD_OK) {
        return vod_timeline_fail(b, ordinal, &cuts, rc, err);
    }

    memcpy(tt->token, b->tl->token, sizeof(tt->token));
    tt->kind = t->kind;
    tt->ordinal = ordinal;
    tt->timescale = t->timescale;
    tt->n_segments = (uint32_t) cuts.n;
    tt->cells_off = b->at;
    tt->bytes = cuts.bytes;

    b->at += (cuts.n + 1) * sizeof(vod_cell_t);
    b->n_cells += cuts.n;

    return VOD_OK;
}


static int
vod_timeline_fail(vod_timeline_build_t *b, unsigned ordinal,
    const vod_cuts_t *cuts, int rc, vod_err_t *err)
{
    uint32_t  id;

    id = b->tracks[ordinal].source_id;

    if (rc == VOD_LIMIT) {
        return vod_fail(err, rc, "track %u: more than %d samples for one "
                        "segment from sample %u on: sync samples are too far "
                        "apart, re-encode it with more", id,
                        VOD_SEGMENT_SAMPLES,
                        cuts->cells[cuts->n - 1].cursor.sample + 1);
    }

    if (rc == VOD_NOMEM && cuts->max == VOD_TIMELINE_CELLS - b->n_cells) {
        return vod_fail(err, VOD_LIMIT, "it would have more than %d segments "
                        "of %u ms, which asks for a longer segment duration",
                        VOD_TIMELINE_CELLS, b->tl->target);
    }

    if (rc == VOD_NOMEM) {
        return vod_fail(err, rc, "no room for the timeline");
    }

    return vod_fail(err, rc, "the index of track %u is damaged", id);
}


static void
vod_timeline_rate_init(vod_timeline_build_t *b, unsigned ordinal,
    vod_rate_t *r)
{
    r->cells = vod_timeline_cells(b->out, &b->tt[ordinal]);
    r->n = b->tt[ordinal].n_segments;
    r->timescale = b->tt[ordinal].timescale;
    r->origin = b->tl->origin;
    r->target = b->tl->target;
    r->target_duration = b->tl->target_duration;
    r->keys = 0;
    r->text = b->tt[ordinal].kind == VOD_TEXT;
}


/* ticks to milliseconds, up */
static uint64_t
vod_timeline_ms(uint64_t ticks, uint32_t timescale)
{
    uint64_t  sec;

    sec = ticks / timescale;

    if (sec >= UINT32_MAX) {
        return UINT32_MAX;
    }

    return sec * 1000 + (ticks % timescale * 1000 + timescale - 1) / timescale;
}


/* are a playlist's time and tfdt a millisecond or more apart? */
static int
vod_timeline_apart(uint64_t us, uint64_t dts, uint32_t timescale)
{
    uint64_t  media;

    media = (uint64_t) vod_ticks_us((int64_t) dts, timescale);

    return media > us ? media - us >= 1000 : us - media >= 1000;
}


/*
 * What is said once of all tracks: how long the longest EXTINF and the
 * longest segment are (the first EXTINF may run from before the segment), and
 * how long the asset lasts.
 */
static void
vod_timeline_longest(vod_timeline_build_t *b)
{
    uint64_t    us, ms, extinf, longest;
    unsigned    i;
    uint32_t    k;
    vod_rate_t  r;

    extinf = 0;
    longest = 0;

    for (i = 0; i < b->index->n_tracks; i++) {

        vod_timeline_rate_init(b, i, &r);

        for (k = 0; k < r.n; k++) {
            us = vod_rate_time(&r, k + 1) - vod_rate_time(&r, k);
            extinf = us > extinf ? us : extinf;

            if (vod_timeline_apart(vod_rate_time(&r, k),
                                   r.cells[k].cursor.dts, r.timescale))
            {
                b->tl->dated = 1;
            }

            ms = vod_timeline_ms((uint64_t) (r.cells[k + 1].start
                                             - r.cells[k].start),
                                 r.timescale);
            longest = ms > longest ? ms : longest;
        }

        us = vod_rate_time(&r, r.n) - r.origin;
        b->tl->duration = us > b->tl->duration ? us : b->tl->duration;
    }

    us = (extinf + 500000) / 1000000;

    b->tl->target_duration = us == 0 ? 1
                             : us < UINT32_MAX ? (uint32_t) us : UINT32_MAX;

    ms = (extinf + 999) / 1000;
    longest = ms > longest ? ms : longest;

    b->tl->max_segment = longest < UINT32_MAX ? (uint32_t) longest
                                              : UINT32_MAX;
}


/* is there an I-frame playlist, and how long is its longest EXTINF? */
static void
vod_timeline_keys(vod_timeline_build_t *b, unsigned ordinal)
{
    uint32_t            k;
    uint64_t            us, longest;
    vod_rate_t          r;
    const vod_track_t  *t;

    t = &b->tracks[ordinal];

    if (t->kind != VOD_VIDEO
        || (t->flags & (VOD_TRACK_ALL_SYNC | VOD_TRACK_SPARSE)))
    {
        return;
    }

    vod_timeline_rate_init(b, ordinal, &r);

    r.keys = 1;
    longest = 0;

    for (k = 0; k < r.n; k++) {

        if (r.cells[k].key == 0) {
            return;
        }

        us = vod_rate_time(&r, k + 1) - vod_rate_time(&r, k);
        longest = us > longest ? us : longest;
    }

    us = (longest + 500000) / 1000000;

    b->tt[ordinal].key_duration = us == 0 ? 1
                                  : us < UINT32_MAX ? (uint32_t) us
                                                    : UINT32_MAX;
}


static int
vod_timeline_rates(vod_timeline_build_t *b, vod_err_t *err)
{
    unsigned               i;
    uint64_t               room;
    vod_rate_t             r;
    vod_rate_point_t      *points;
    vod_timeline_track_t  *tt;

    /* behind the cells */

    points = (vod_rate_point_t *) (b->out + b->at);
    room = (b->room - b->at) / sizeof(vod_rate_point_t);

    for (i = 0; i < b->index->n_tracks; i++) {

        tt = &b->tt[i];

        if (room <= tt->n_segments) {
            return vod_fail(err, VOD_NOMEM, "no room for the timeline");
        }

        vod_timeline_rate_init(b, i, &r);

        tt->peak = vod_rate_peak(&r, points);
        tt->average = vod_rate_average(&r);
        tt->bandwidth = vod_rate_buffered(&r);

        /* segments too short for a run of their own may raise the average */

        if (tt->peak < tt->average) {
            tt->peak = tt->average;
        }

        vod_timeline_keys(b, i);

        if (tt->key_duration == 0) {
            continue;
        }

        r.keys = 1;
        r.target_duration = tt->key_duration;

        tt->key_peak = vod_rate_peak(&r, points);
        tt->key_average = vod_rate_average(&r);

        if (tt->key_peak < tt->key_average) {
            tt->key_peak = tt->key_average;
        }
    }

    return VOD_OK;
}


uint64_t
vod_timeline_etag(const vod_timeline_t *tl, unsigned what, unsigned track,
    uint64_t number)
{
    unsigned  i;
    uint8_t   name[16];

    for (i = 0; i < 4; i++) {
        name[i] = (uint8_t) (what >> (i * 8));
        name[i + 4] = (uint8_t) (track >> (i * 8));
    }

    for (i = 0; i < 8; i++) {
        name[i + 8] = (uint8_t) (number >> (i * 8));
    }

    return vod_hash64(tl->etag, name, sizeof(name));
}
