#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_codec.h"
#include "vod_cues_int.h"
#include "vod_subs.h"


static int vod_cues_make(vod_cues_build_t *b, vod_cues_t *out,
    vod_notes_t *notes, vod_err_t *err);
static int vod_cues_streams(vod_cues_build_t *b, vod_err_t *err);
static int vod_cues_stream(vod_cues_track_t *t, vod_err_t *err);
static int vod_cues_copy(vod_cues_build_t *b, vod_cues_track_t *t,
    vod_err_t *err);
static int vod_cues_reference(vod_cues_build_t *b, vod_err_t *err);
static int vod_cues_usable(vod_cues_build_t *b, vod_err_t *err);
static int vod_cues_tracks(vod_cues_build_t *b, vod_err_t *err);
static void vod_cues_what(const vod_demux_stream_t *st, char *out, size_t size);
static int vod_cues_out(vod_cues_build_t *b, vod_cues_t *out,
    vod_notes_t *notes, vod_err_t *err);
static void vod_cues_end(vod_cues_build_t *b);


int
vod_cues_build(vod_cues_t *out, vod_demux_t *d, vod_source_t *s,
    const vod_av_limits_t *limits, vod_notes_t *notes, vod_err_t *err)
{
    int               rc;
    vod_cues_build_t  b;

    memset(out, 0, sizeof(vod_cues_t));
    memset(&b, 0, sizeof(vod_cues_build_t));

    b.demux = d;
    b.source = s;
    b.limits = limits;
    b.latest = VOD_NO_TIME;

    rc = vod_cues_make(&b, out, notes, err);

    vod_cues_end(&b);

    return rc;
}


void
vod_cues_free(vod_cues_t *c)
{
    uint32_t  i;

    for (i = 0; i < c->n_tracks; i++) {
        free((void *) c->tracks[i].entry);
        free((void *) c->tracks[i].samples);
    }

    free(c->tracks);
    memset(c, 0, sizeof(vod_cues_t));
}


static int
vod_cues_make(vod_cues_build_t *b, vod_cues_t *out, vod_notes_t *notes,
    vod_err_t *err)
{
    int  rc;

    rc = vod_cues_streams(b, err);

    if (rc == VOD_OK) {
        rc = vod_cues_reference(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_head(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_tracks(b, err);
    }

    if (rc == VOD_OK && b->ref->out != VOD_OK) {
        rc = vod_fail(err, VOD_NOT_FOUND, "the track of its key frame index"
                      " cannot be packaged: %s", b->ref->why);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_middle(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_tail(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_rows(b, &out->origin, err);
    }

    if (rc == VOD_OK) {
        rc = vod_cues_text(b, out->origin, err);
    }

    return (rc == VOD_OK) ? vod_cues_out(b, out, notes, err) : rc;
}


/* entries are copied: libavformat adds to its own what it comes upon */
static int
vod_cues_streams(vod_cues_build_t *b, vod_err_t *err)
{
    int                rc;
    uint32_t           i, n;
    vod_cues_track_t  *t;

    if (vod_demux_few(b->demux, b->limits, err) != VOD_OK) {
        return VOD_LIMIT;
    }

    n = vod_demux_streams(b->demux);

    b->tracks = calloc(n ? n : 1, sizeof(vod_cues_track_t));
    if (b->tracks == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u tracks", n);
    }

    for (i = 0; i < n; i++) {
        t = &b->tracks[b->n];

        t->st = vod_demux_stream(b->demux, i);
        t->stream = i;
        t->first = VOD_NO_TIME;
        t->sync = VOD_NO_TIME;
        t->last = VOD_NO_TIME;
        t->from = VOD_NO_TIME;
        t->next = VOD_NO_TIME;

        /* fonts are no tracks */

        if (t->st->kind == 0 && !t->st->still) {
            continue;
        }

        b->n++;

        rc = vod_cues_stream(t, err);

        if (rc == VOD_OK) {
            rc = vod_cues_copy(b, t, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }
    }

    return VOD_OK;
}


/* what is known to be left out before anything is read */
static int
vod_cues_stream(vod_cues_track_t *t, vod_err_t *err)
{
    int                        rc;
    unsigned                   convert;
    vod_wr_t                   wr;
    const vod_demux_stream_t  *st;

    st = t->st;

    if (st->still) {
        rc = vod_fail(err, VOD_UNSUPPORTED, "a picture is no video");

    } else if (st->encrypted) {
        rc = vod_fail(err, VOD_UNSUPPORTED, "encrypted");

    } else if (st->kind == VOD_TEXT && st->text == 0) {
        rc = vod_subs_stream(st, err);

    } else if (st->timescale == 0) {
        rc = vod_fail(err, VOD_DAMAGED, "its times have no unit");

    } else if (st->kind == VOD_TEXT) {
        t->out = VOD_CUES_TEXT;
        return VOD_OK;

    } else {
        vod_wr_init(&wr, NULL, 0);
        rc = vod_config_entry(&st->config, &wr, &convert, err);

        /* a sample may bring what is missing */

        rc = (rc == VOD_UNSUPPORTED) ? rc : VOD_OK;
    }

    if (rc != VOD_OK) {
        vod_cues_leave_out(t, rc, err);
        return VOD_OK;
    }

    if (st->kind == VOD_VIDEO) {
        t->pts = malloc(VOD_CUES_PACKETS * (sizeof(int64_t) + 1));
        if (t->pts == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for the first"
                            " packets");
        }

        t->key = (uint8_t *) (t->pts + VOD_CUES_PACKETS);
    }

    return VOD_OK;
}


void
vod_cues_leave_out(vod_cues_track_t *t, int code, const vod_err_t *err)
{
    t->out = code;
    memcpy(t->why, err->text, sizeof(t->why));
}


/* the entries that lead into the file */
static int
vod_cues_copy(vod_cues_build_t *b, vod_cues_track_t *t, vod_err_t *err)
{
    int        rc;
    uint32_t   i, n;
    vod_key_t  cue;

    if (t->out != VOD_OK && t->out != VOD_CUES_TEXT) {
        return VOD_OK;
    }

    rc = vod_demux_cues(b->demux, t->stream, &n, err);

    if (rc != VOD_OK || n == 0) {
        return rc;
    }

    t->cues = malloc((size_t) n * sizeof(vod_key_t));
    if (t->cues == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u entries of a key"
                        " frame index", n);
    }

    for (i = 0; i < n; i++) {
        vod_demux_cue(b->demux, t->stream, i, &cue);

        if (cue.pos < b->source->src->size && vod_cues_sane(t, cue.time)) {
            t->cues[t->n_cues++] = cue;
        }
    }

    return VOD_OK;
}


/* the first video track, or the first one, with entries */
static int
vod_cues_reference(vod_cues_build_t *b, vod_err_t *err)
{
    uint32_t           i;
    vod_cues_track_t  *t;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out != VOD_OK) {
            continue;
        }

        if (b->ref == NULL
            || (t->st->kind == VOD_VIDEO && b->ref->st->kind != VOD_VIDEO))
        {
            b->ref = t;
        }
    }

    if (b->ref == NULL) {
        return vod_fail(err, VOD_NOT_FOUND, "no track of it can be"
                        " packaged");
    }

    if (b->ref->st->kind != VOD_VIDEO) {
        for (i = 0; b->ref->n_cues < 2 && i < b->n; i++) {
            t = &b->tracks[i];
            b->ref = (t->n_cues > 1) ? t : b->ref;
        }
    }

    if (b->ref->n_cues < 2) {
        return vod_fail(err, VOD_NOT_FOUND, "it has no key frame index"
                        " (Cues), remux the file");
    }

    return vod_cues_usable(b, err);
}


/*
 * In order of time they lie in the file in that order, near enough to each
 * other.  How far it is from the last one to the end, the file's own
 * duration tells.
 */
static int
vod_cues_usable(vod_cues_build_t *b, vod_err_t *err)
{
    int64_t            before, us;
    uint32_t           i;
    uint64_t           pos, max;
    vod_cues_track_t  *t;

    t = b->ref;
    max = b->limits->max_segment ? b->limits->max_segment : UINT64_MAX;
    before = vod_cues_us(t, t->cues[0].time);

    for (i = 0; i <= t->n_cues; i++) {

        us = (i < t->n_cues) ? vod_cues_us(t, t->cues[i].time)
                             : vod_demux_duration(b->demux);
        pos = (i < t->n_cues) ? t->cues[i].pos : t->cues[i - 1].pos;

        if (i && pos < t->cues[i - 1].pos) {
            return vod_fail(err, VOD_NOT_FOUND, "entry %u of its key frame"
                            " index lies before entry %u", i + 1, i);
        }

        if (us - before > VOD_CUES_APART
            || (i && pos - t->cues[i - 1].pos > max))
        {
            return vod_fail(err, VOD_NOT_FOUND, "entry %u of its key frame"
                            " index lies %" PRId64 " s behind the one"
                            " before, which is too far", i + 1,
                            (us - before) / 1000000);
        }

        before = us;
    }

    return VOD_OK;
}


/* sample entries, frame rates; what is left out is known after this */
static int
vod_cues_tracks(vod_cues_build_t *b, vod_err_t *err)
{
    int                rc;
    uint32_t           i;
    vod_cues_track_t  *t;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out != VOD_OK) {
            continue;
        }

        if (t->st->kind == VOD_VIDEO && t->n_cues < 2) {
            rc = vod_fail(err, VOD_UNSUPPORTED, "it has no entries in the"
                          " file's key frame index, remux the file");
        } else {
            rc = vod_cues_entry(t, err);
        }

        if (rc == VOD_OK) {
            rc = vod_cues_pace(t, err);
        }

        if (rc == VOD_NOMEM || rc == VOD_INTERNAL) {
            return rc;
        }

        if (rc != VOD_OK) {
            vod_cues_leave_out(t, rc, err);
        }
    }

    return VOD_OK;
}


/* "track 2 (Opus, audio)" */
static void
vod_cues_what(const vod_demux_stream_t *st, char *out, size_t size)
{
    const char  *kind, *codec;

    kind = (st->kind == VOD_VIDEO) ? "video"
           : (st->kind == VOD_AUDIO) ? "audio"
           : (st->kind == VOD_TEXT) ? "text" : "data";

    codec = st->config.codec ? vod_config_name(st->config.codec)
                             : st->codec_name;

    (void) snprintf(out, size, "track %u (%s, %s)", st->id, codec, kind);
}


/* hands over what is carried, and says what is not */
static int
vod_cues_out(vod_cues_build_t *b, vod_cues_t *out, vod_notes_t *notes,
    vod_err_t *err)
{
    char               what[96];
    uint32_t           i;
    vod_cues_track_t  *t;

    out->tracks = calloc(b->n, sizeof(vod_index_track_t));
    if (out->tracks == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u tracks", b->n);
    }

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];
        vod_cues_what(t->st, what, sizeof(what));

        if (t->out != VOD_OK && t->out != VOD_CUES_TEXT) {
            vod_notes_add(notes, "%s left out: %s", what, t->why);
            continue;
        }

        if (t->late > VOD_PAYLOAD_APART) {
            vod_notes_add(notes, "%s: it lies %" PRId64 " s behind the others"
                          " in the file, what is more than %d s behind is"
                          " missing, remux the file", what,
                          t->late / 1000000, VOD_PAYLOAD_APART / 1000000);
        }

        out->tracks[out->n_tracks++] = t->track;
        memset(&t->track, 0, sizeof(vod_index_track_t));
    }

    return VOD_OK;
}


static void
vod_cues_end(vod_cues_build_t *b)
{
    uint32_t           i;
    vod_cues_track_t  *t;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        free((void *) t->track.entry);
        free((void *) t->track.samples);
        free(t->cues);
        free(t->sample);
        free(t->pts);
    }

    free(b->tracks);
}
