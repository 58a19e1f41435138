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
    vod_edit_out_t *out, int64_t *dts, vod_err_t *err);
static void vod_edit_end(const vod_edit_in_t *in,
    const vod_edit_piece_t *piece, vod_sample_t *samples,
    const vod_edit_out_t *out, int64_t dts);
static void vod_edit_place(int64_t shift, vod_sample_t *samples,
    vod_edit_out_t *out);


int
vod_edit_apply(const vod_edit_in_t *in, vod_sample_t *samples, uint32_t n,
    vod_edit_out_t *out, vod_err_t *err)
{
    int               rc;
    int64_t           dts;
    vod_edit_piece_t  piece;

    rc = vod_edit_piece(in, &piece, err);
    if (rc != VOD_OK) {
        return rc;
    }

    rc = vod_edit_select(in, &piece, samples, n, out, &dts, err);
    if (rc != VOD_OK) {
        return rc;
    }

    vod_edit_end(in, &piece, samples + out->first, out, dts);

    vod_edit_place(piece.delay - piece.start + dts, samples + out->first,
                   out);

    return VOD_OK;
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

    if (in->endless) {
        piece->end = VOD_EDIT_MAX;
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


/* fills in out->first and n; dts is the first kept sample's in the source */
static int
vod_edit_select(const vod_edit_in_t *in, const vod_edit_piece_t *piece,
    const vod_sample_t *samples, uint32_t n, vod_edit_out_t *out,
    int64_t *dts, vod_err_t *err)
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
    *dts = in->dts;
    end = 0;

    for (i = 0, d = in->dts; i < n; i++) {
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

    return VOD_OK;
}


/*
 * What an encoder of sound pads its last packet with lies behind the edit's
 * end: the packet lasts until there.  A header in CMAF cannot say it (its edit
 * has no length, 23000-19, 7.5.13), and a decoder needs the whole packet.
 */
static void
vod_edit_end(const vod_edit_in_t *in, const vod_edit_piece_t *piece,
    vod_sample_t *samples, const vod_edit_out_t *out, int64_t dts)
{
    int64_t        left, tick;
    uint32_t       i;
    vod_sample_t  *last;

    if (in->kind != VOD_AUDIO || piece->end == VOD_EDIT_MAX) {
        return;
    }

    for (i = 0; i + 1 < out->n; i++) {
        dts += samples[i].dur;
    }

    last = &samples[out->n - 1];
    left = piece->end - (dts + last->cts);

    /* less than a tick of the movie's is what the list cannot say better */

    tick = vod_edit_rescale(1, in->timescale, in->movie_timescale);

    if (left > 0 && left + (tick < 1 ? 1 : tick) < (int64_t) last->dur) {
        last->dur = (uint32_t) left;
    }
}


/*
 * shift is the output's dts of the first sample.  Offsets are made unsigned,
 * and what lies before 0 goes into the edit list: players read either that or
 * signed offsets exactly, but libavformat shows a track with signed ones too
 * late by the least of them, and CMAF wants one or the other (23000-19,
 * 9.2.1).
 */
static void
vod_edit_place(int64_t shift, vod_sample_t *samples, vod_edit_out_t *out)
{
    int32_t   least;
    uint32_t  i;

    for (i = 0, least = 0; i < out->n; i++) {
        least = (samples[i].cts < least) ? samples[i].cts : least;
    }

    for (i = 0; least && i < out->n; i++) {
        samples[i].cts -= least;
    }

    shift += least;

    out->first_dts = (shift > 0) ? (uint64_t) shift : 0;
    out->media_time = (shift < 0) ? (uint64_t) -shift : 0;
}


uint32_t
vod_edit_zeros(vod_sample_t *samples, uint32_t n)
{
    int32_t   cts, next;
    uint32_t  i, late, zeros;

    zeros = 0;
    late = 0;           /* ticks that sample i is decoded too late */
    cts = 0;            /* of the one before, as it was */

    for (i = 0; i < n; i++) {
        next = samples[i].cts;

        if (late && next != cts) {
            samples[i].cts -= (int32_t) late;
        }

        cts = next;

        if (i + 1 == n) {
            break;
        }

        if (samples[i].dur == 0) {
            samples[i].dur = 1;
            late++;
            zeros += (samples[i + 1].cts == next);

        } else if (samples[i].dur > late) {
            samples[i].dur -= late;
            late = 0;

        } else {
            late -= samples[i].dur - 1;
            samples[i].dur = 1;
        }
    }

    if (n > 1 && samples[n - 1].dur == 0) {
        samples[n - 1].dur = samples[n - 2].dur;
    }

    return zeros;
}
