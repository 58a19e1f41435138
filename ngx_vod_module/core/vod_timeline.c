#include <stdio.h>
#include <string.h>

#include "vod_cuts.h"
#include "vod_timeline_int.h"


static int vod_timeline_start(vod_timeline_build_t *b, uint64_t room,
    vod_err_t *err);
static void vod_timeline_head(vod_timeline_t *tl, const vod_index_t *index,
    const vod_timeline_in_t *in);
static unsigned vod_timeline_reference(const vod_timeline_build_t *b);
static int vod_timeline_track(vod_timeline_build_t *b, unsigned ordinal,
    vod_err_t *err);
static int vod_timeline_cut(vod_timeline_build_t *b, unsigned ordinal,
    vod_cuts_t *cuts);
static int vod_timeline_fail(vod_timeline_build_t *b, unsigned ordinal,
    const vod_cuts_t *cuts, int rc, vod_err_t *err);


uint64_t
vod_timeline_bound(const void *index, const vod_timeline_in_t *in)
{
    unsigned            i;
    uint64_t            n, cells, most, reference;
    vod_grid_t          grid, own;
    vod_span_t          span;
    const vod_index_t  *idx;
    const vod_track_t  *t;

    idx = index;
    reference = 0;

    if (in->grid) {
        vod_grid_foreign(&grid, in->target, in->grid);

    } else {
        vod_grid_init(&grid, in->target, index, NULL);
    }

    for (i = 0; in->grid == NULL && i < idx->n_tracks; i++) {
        t = &vod_index_tracks(idx)[i];

        if (t->kind == VOD_VIDEO) {
            n = vod_grid_bound(&grid, t, 0);
            reference = n > reference ? n : reference;
        }
    }

    cells = 0;
    most = 0;

    for (i = 0; i < idx->n_tracks; i++) {
        t = &vod_index_tracks(idx)[i];
        own = grid;

        if (in->grid) {
            vod_span_whole(&span, index, t);
            vod_grid_extend(&own, &span);
        }

        n = vod_grid_bound(&own, t, reference);
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
           + (most + 1) * sizeof(vod_rate_point_t)
           + idx->n_tracks * sizeof(vod_span_t);
}


uint64_t
vod_timeline_build(const void *index, const vod_timeline_in_t *in, void *out,
    uint64_t room, vod_err_t *err)
{
    unsigned              i, ref;
    vod_timeline_build_t  b;

    memset(&b, 0, sizeof(vod_timeline_build_t));

    b.index = index;
    b.in = in;
    b.foreign = in->grid;
    b.tracks = vod_index_tracks(b.index);
    b.tl = out;
    b.tt = (vod_timeline_track_t *) (b.tl + 1);
    b.out = out;

    if (vod_timeline_start(&b, room, err) != VOD_OK
        || vod_timeline_spans(&b, err) != VOD_OK)
    {
        return 0;
    }

    /* the reference comes first: its cells are the grid of the others */

    ref = vod_timeline_reference(&b);

    if (ref < b.index->n_tracks) {
        if (vod_timeline_track(&b, ref, err) != VOD_OK) {
            return 0;
        }

        vod_grid_reference(&b.grid, b.tt[ref].timescale,
                           vod_timeline_cells(out, &b.tt[ref]),
                           b.tt[ref].n_segments);

        b.tl->reference = ref + 1;
    }

    for (i = 0; i < b.index->n_tracks; i++) {
        if (i != ref && vod_timeline_track(&b, i, err) != VOD_OK) {
            return 0;
        }
    }

    vod_timeline_longest(b.tl);
    vod_timeline_limits(&b);

    /* behind the cells */

    if (vod_timeline_rates(b.tl, b.tracks,
                           (vod_rate_point_t *) (b.out + b.at),
                           (b.room - b.at) / sizeof(vod_rate_point_t), err)
        != VOD_OK)
    {
        return 0;
    }

    b.tl->len = b.at;

    return b.at;
}


static int
vod_timeline_start(vod_timeline_build_t *b, uint64_t room, vod_err_t *err)
{
    uint64_t  spans;

    spans = b->index->n_tracks * sizeof(vod_span_t);

    b->at = sizeof(vod_timeline_t)
            + b->index->n_tracks * sizeof(vod_timeline_track_t);

    if (room < b->at + spans) {
        return vod_fail(err, VOD_NOMEM, "no room for the timeline");
    }

    b->room = (room - spans) & ~(uint64_t) 7;
    b->spans = (vod_span_t *) (void *) (b->out + b->room);

    memset(b->out, 0, b->at);

    vod_timeline_head(b->tl, b->index, b->in);

    return VOD_OK;
}


static void
vod_timeline_head(vod_timeline_t *tl, const vod_index_t *index,
    const vod_timeline_in_t *in)
{
    unsigned               i, k, n;
    uint8_t                seed[72];
    uint64_t               words[9];
    const vod_timeline_t  *grid;

    grid = in->grid;
    n = 6;

    words[0] = VOD_FORMAT_VERSION;
    words[1] = in->file_size;
    words[2] = (uint64_t) in->mtime_sec;
    words[3] = in->mtime_nsec;
    words[4] = index->hash;
    words[5] = in->target;

    if (grid || vod_timeline_clipped(in)) {
        words[6] = grid ? grid->etag : 0;
        words[7] = (uint64_t) in->from;
        words[8] = (uint64_t) in->to;
        n = 9;
    }

    for (i = 0; i < n; i++) {
        for (k = 0; k < 8; k++) {
            seed[i * 8 + k] = (uint8_t) (words[i] >> (k * 8));
        }
    }

    tl->magic = VOD_TIMELINE_MAGIC;
    tl->version = VOD_TIMELINE_VERSION;
    tl->n_tracks = index->n_tracks;
    tl->target = in->target;
    tl->etag = vod_hash64(VOD_FORMAT_VERSION, seed, n * 8);

    /* 12 digits of the 16 */

    (void) snprintf(tl->token, sizeof(tl->token), "%012llx",
                    (unsigned long long) (tl->etag >> 16));
}


/* the first video track that has something, or n_tracks */
static unsigned
vod_timeline_reference(const vod_timeline_build_t *b)
{
    unsigned  i;

    for (i = 0; b->foreign == NULL && i < b->index->n_tracks; i++) {
        if (b->tracks[i].kind == VOD_VIDEO && !vod_span_empty(&b->spans[i])) {
            return i;
        }
    }

    return b->index->n_tracks;
}


/* cuts one track, behind those that were cut before */
static int
vod_timeline_track(vod_timeline_build_t *b, unsigned ordinal, vod_err_t *err)
{
    int                    rc;
    uint64_t               room;
    vod_cuts_t             cuts;
    const vod_track_t     *t;
    vod_timeline_track_t  *tt;

    t = &b->tracks[ordinal];
    tt = &b->tt[ordinal];

    room = (b->room - b->at) / sizeof(vod_cell_t);

    if (room < 2) {
        return vod_fail(err, VOD_NOMEM, "no room for the timeline");
    }

    cuts.cells = (vod_cell_t *) (b->out + b->at);
    cuts.n = 0;
    cuts.bytes = 0;
    cuts.max = room - 1;

    if (cuts.max > VOD_TIMELINE_CELLS - b->n_cells) {
        cuts.max = VOD_TIMELINE_CELLS - b->n_cells;
    }

    rc = vod_timeline_cut(b, ordinal, &cuts);
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

    b->tl->off_grid |= tt->off_grid;
    b->at += (cuts.n + 1) * sizeof(vod_cell_t);
    b->n_cells += cuts.n;

    return VOD_OK;
}


static int
vod_timeline_cut(vod_timeline_build_t *b, unsigned ordinal, vod_cuts_t *cuts)
{
    int                rc;
    vod_grid_t         grid;
    const vod_span_t  *span;

    span = &b->spans[ordinal];

    if (span->track->kind == VOD_TEXT) {
        return vod_cuts_text(cuts, &b->grid, span, b->in->to);
    }

    if (vod_span_empty(span)) {
        memset(cuts->cells, 0, sizeof(vod_cell_t));
        return VOD_OK;
    }

    grid = b->grid;

    if (b->foreign) {
        vod_grid_extend(&grid, span);
    }

    if (span->track->kind != VOD_VIDEO) {
        return vod_cuts_other(cuts, &grid, span);
    }

    if (b->foreign) {
        rc = vod_cuts_grid(cuts, &grid, span);

        if (rc != VOD_NOT_FOUND && rc != VOD_LIMIT) {
            return rc;
        }

        b->tt[ordinal].off_grid = 1;
    }

    return vod_cuts_video(cuts, &grid, span);
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
