#include <inttypes.h>
#include <stddef.h>

#include "vod_edit.h"


/* times beyond this, 35 million years at 1 MHz, are no times */
#define VOD_EDIT_MAX  ((int64_t) 1 << 60)


/* what an edit list comes down to, in ticks of the track */
typedef struct {
    int64_t  delay;             /* empty edits in front */
    int64_t  start;             /* of the piece, in media time */
    int64_t  end;
} vod_edit_piece_t;


static int vod_edit_piece(const vod_edit_in_t *in, vod_edit_piece_t *piece,
    vod_err_t *err);
static int vod_edit_empty(const vod_edit_in_t *in,
    const vod_edit_entry_t *e, vod_edit_piece_t *piece, int *gap,
    vod_err_t *err);
static int vod_edit_add(const vod_edit_in_t *in, const vod_edit_entry_t *e,
    uint32_t i, int pieces, vod_edit_piece_t *piece, vod_err_t *err);
static int64_t vod_edit_rescale(uint64_t v, uint32_t to, uint32_t from);
static int vod_edit_select(const vod_edit_in_t *in,
    const vod_edit_piece_t *piece, const vod_sample_t *samples, uint32_t n,
    vod_edit_out_t *out, int64_t *dts, int64_t *pts, vod_err_t *err);
static int vod_edit_place(const vod_edit_in_t *in, int64_t shift,
    int64_t first_pts, vod_sample_t *samples, vod_edit_out_t *out,
    vod_err_t *err);


int
vod_edit_apply(const vod_edit_in_t *in, vod_sample_t *samples, uint32_t n,
    vod_edit_out_t *out, vod_err_t *err)
{
    int               rc;
    int64_t           dts, pts, shift;
    vod_edit_piece_t  piece;

    rc = vod_edit_piece(in, &piece, err);
    if (rc != VOD_OK) {
        return rc;
    }

    rc = vod_edit_select(in, &piece, samples, n, out, &dts, &pts, err);
    if (rc != VOD_OK) {
        return rc;
    }

    shift = piece.delay - piece.start;

    return vod_edit_place(in, shift + dts, shift + pts, samples + out->first,
                          out, err);
}


static int
vod_edit_piece(const vod_edit_in_t *in, vod_edit_piece_t *piece,
    vod_err_t *err)
{
    int                      rc, pieces, gap;
    uint32_t                 i;
    const vod_edit_entry_t  *e;

    piece->delay = 0;
    piece->start = 0;
    piece->end = VOD_EDIT_MAX;

    pieces = 0;
    gap = 0;

    if (in->n_entries && in->movie_timescale == 0) {
        return vod_fail(err, VOD_DAMAGED, "its edit list counts in a movie"
                        " timescale of 0, remux the file");
    }

    for (i = 0; i < in->n_entries; i++) {
        e = &in->entries[i];

        if (e->media_time == -1) {
            rc = vod_edit_empty(in, e, pieces ? NULL : piece, &gap, err);

        } else if (e->duration == 0 && pieces) {
            continue;

        } else if (gap) {
            return vod_fail(err, VOD_UNSUPPORTED, "its edit list leaves a gap"
                            " before entry %u, re-encode the track without"
                            " gaps", i + 1);

        } else {
            rc = vod_edit_add(in, e, i, pieces++, piece, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }
    }

    if (in->n_entries && pieces == 0) {
        return vod_fail(err, VOD_UNSUPPORTED, "its edit list shows nothing of"
                        " it (only empty edits), remove the list or the"
                        " track");
    }

    return VOD_OK;
}


/* in front (piece is given) it delays, behind a piece it is a gap */
static int
vod_edit_empty(const vod_edit_in_t *in, const vod_edit_entry_t *e,
    vod_edit_piece_t *piece, int *gap, vod_err_t *err)
{
    int64_t  d;

    d = vod_edit_rescale(e->duration, in->timescale, in->movie_timescale);

    if (d < 0 || (piece && piece->delay + d > VOD_EDIT_MAX)) {
        return vod_fail(err, VOD_DAMAGED, "its edit list waits %" PRIu64
                        " ticks, which is no time, remux the file",
                        e->duration);
    }

    if (piece) {
        piece->delay += d;

    } else {
        *gap |= (d != 0);
    }

    return VOD_OK;
}


static int
vod_edit_add(const vod_edit_in_t *in, const vod_edit_entry_t *e, uint32_t i,
    int pieces, vod_edit_piece_t *piece, vod_err_t *err)
{
    int64_t  d, off, tick;

    if (e->rate != VOD_EDIT_RATE_1) {
        return vod_fail(err, VOD_UNSUPPORTED, "entry %u of its edit list plays"
                        " at rate %.3f, re-encode it at normal speed", i + 1,
                        (double) e->rate / VOD_EDIT_RATE_1);
    }

    d = vod_edit_rescale(e->duration, in->timescale, in->movie_timescale);

    if (d < 0 || e->media_time < 0 || e->media_time > VOD_EDIT_MAX - d) {
        return vod_fail(err, VOD_DAMAGED, "entry %u of its edit list (%" PRId64
                        " for %" PRIu64 ") is no time, remux the file", i + 1,
                        e->media_time, e->duration);
    }

    if (!pieces) {
        piece->start = e->media_time;

        /* duration 0: to the end, whatever that will be (8.6.6.3) */

        if (e->duration) {
            piece->end = e->media_time + d;
        }

        return VOD_OK;
    }

    /*
     * Entries that go on where the one before stopped are one piece.  Their
     * lengths are counted in the movie's ticks, so a difference of up to one
     * of these is what the list cannot say better.
     */

    tick = vod_edit_rescale(1, in->timescale, in->movie_timescale);
    tick = (tick < 1) ? 1 : tick;
    off = e->media_time - piece->end;

    if (off > tick || off < -tick) {
        return vod_fail(err, VOD_UNSUPPORTED, "its edit list jumps at entry %u"
                        " (to %" PRId64 " from %" PRId64 "), re-encode the"
                        " track as one piece", i + 1, e->media_time,
                        piece->end);
    }

    piece->end = e->media_time + d;

    return VOD_OK;
}


/* v * to / from, nearest, half up; -1 where that is beyond VOD_EDIT_MAX */
static int64_t
vod_edit_rescale(uint64_t v, uint32_t to, uint32_t from)
{
    uint64_t  whole, part;

    whole = v / from;
    part = ((v % from) * to + from / 2) / from;

    if (to && whole > (uint64_t) VOD_EDIT_MAX / to) {
        return -1;
    }

    whole = whole * to + part;

    return (whole > (uint64_t) VOD_EDIT_MAX) ? -1 : (int64_t) whole;
}


/*
 * Fills in out->first and n; dts is the first kept sample's in the source,
 * pts the least of all kept samples.
 */
static int
vod_edit_select(const vod_edit_in_t *in, const vod_edit_piece_t *piece,
    const vod_sample_t *samples, uint32_t n, vod_edit_out_t *out,
    int64_t *dts, int64_t *pts, vod_err_t *err)
{
    int       shown;
    int64_t   d, p, wanted, sync;
    uint32_t  i, end;

    wanted = piece->start;
    sync = VOD_EDIT_MAX;
    shown = 0;

    if (in->kind == VOD_AUDIO) {
        wanted -= in->timescale;
    }

    out->first = 0;
    *dts = 0;
    *pts = VOD_EDIT_MAX;
    end = 0;

    for (i = 0, d = 0; i < n; i++) {
        p = d + samples[i].cts;

        if (samples[i].key && p <= wanted && p != sync) {
            out->first = i;
            *dts = d;
            sync = p;
        }

        if (p < piece->end) {
            end = i + 1;
            shown |= (p >= piece->start
                      || p + (int64_t) samples[i].dur > piece->start);
        }

        d += samples[i].dur;
    }

    if (!shown || end <= out->first) {
        return vod_fail(err, VOD_UNSUPPORTED, "its edit list shows nothing of"
                        " its %u samples, remove the list or the track", n);
    }

    out->n = end - out->first;

    for (i = out->first, d = *dts; i < end; i++) {
        p = d + samples[i].cts;
        *pts = (p < *pts) ? p : *pts;
        d += samples[i].dur;
    }

    return VOD_OK;
}


/* shift: the output's dts of the first sample; first_pts: the least */
static int
vod_edit_place(const vod_edit_in_t *in, int64_t shift, int64_t first_pts,
    vod_sample_t *samples, vod_edit_out_t *out, vod_err_t *err)
{
    int64_t   cts;
    uint32_t  i;

    out->media_time = 0;

    if (shift >= 0) {
        out->first_dts = (uint64_t) shift;
        return VOD_OK;
    }

    out->first_dts = 0;

    if (in->kind != VOD_VIDEO || first_pts < 0) {
        out->media_time = (uint64_t) -shift;
        return VOD_OK;
    }

    for (i = 0; i < out->n; i++) {
        cts = samples[i].cts + shift;

        if (cts < INT32_MIN) {
            return vod_fail(err, VOD_DAMAGED, "a composition offset of %"
                            PRId64 " ticks is no offset, remux the file",
                            cts);
        }

        samples[i].cts = (int32_t) cts;
    }

    return VOD_OK;
}
