#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vod_scan_int.h"


static int vod_scan_read(vod_scan_build_t *b, vod_err_t *err);
static int vod_scan_tracks(vod_scan_build_t *b, vod_err_t *err);
static int vod_scan_broken(vod_scan_build_t *b, vod_err_t *err);
static void vod_scan_unfit(vod_scan_build_t *b, vod_scan_track_t *t,
    vod_err_t *err);
static void vod_scan_cut(vod_scan_build_t *b, vod_scan_track_t *t);
static int vod_scan_settle(vod_scan_build_t *b, vod_err_t *err);
static int vod_scan_origin(vod_scan_build_t *b, int64_t *origin,
    vod_err_t *err);
static void vod_scan_repairs(vod_scan_build_t *b, const vod_scan_track_t *t);
static int vod_scan_out(vod_scan_t *out, vod_scan_build_t *b, vod_err_t *err);
static void vod_scan_end(vod_scan_build_t *b);


int
vod_scan_build(vod_scan_t *out, vod_demux_t *d, vod_source_t *s,
    const vod_av_limits_t *limits, vod_notes_t *notes, vod_err_t *err)
{
    int                rc;
    uint32_t           i;
    vod_scan_build_t  *b;

    memset(out, 0, sizeof(vod_scan_t));

    b = calloc(1, sizeof(vod_scan_build_t));
    if (b == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory to index the file");
    }

    b->demux = d;
    b->source = s;
    b->limits = limits;
    b->notes = notes;

    vod_demux_places(d);

    rc = vod_scan_read(b, err);

    for (i = 0; rc == VOD_OK && i < b->n; i++) {
        vod_scan_unfit(b, &b->tracks[i], err);
    }

    if (rc == VOD_OK) {
        rc = vod_scan_settle(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_scan_origin(b, &out->origin, err);
    }

    if (rc == VOD_OK) {
        rc = vod_scan_out(out, b, err);
    }

    vod_scan_end(b);

    return rc;
}


static int
vod_scan_read(vod_scan_build_t *b, vod_err_t *err)
{
    int           rc;
    vod_packet_t  packet;

    for ( ;; ) {

        rc = vod_source_in_time(b->source, err);

        if (rc == VOD_OK) {
            rc = vod_scan_tracks(b, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }

        rc = vod_demux_read(b->demux, &packet, err);

        if (rc == VOD_END) {
            return vod_scan_tracks(b, err);
        }

        if (rc == VOD_DAMAGED) {
            return vod_scan_broken(b, err);
        }

        if (rc == VOD_OK) {
            rc = vod_scan_tracks(b, err);
        }

        if (rc == VOD_OK) {
            rc = vod_scan_sample(b, &b->tracks[packet.stream], &packet, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }
    }
}


/* those found since */
static int
vod_scan_tracks(vod_scan_build_t *b, vod_err_t *err)
{
    uint32_t           n;
    vod_scan_track_t  *t;

    if (vod_demux_few(b->demux, b->limits, err) != VOD_OK) {
        return VOD_LIMIT;
    }

    n = vod_demux_streams(b->demux);

    while (b->n < n) {
        t = &b->tracks[b->n];
        t->st = vod_demux_stream(b->demux, b->n);
        t->stream = b->n++;

        if (t->st->still) {
            t->code = vod_fail(err, VOD_UNSUPPORTED, "a picture is no video");

        } else if (t->st->encrypted) {
            t->code = vod_fail(err, VOD_UNSUPPORTED, "encrypted");

        } else if (t->st->kind == VOD_TEXT && t->st->text == 0) {
            t->code = vod_subs_stream(t->st, err);

        } else if (t->st->timescale == 0) {
            t->code = vod_fail(err, VOD_DAMAGED, "its times have no unit");
        }

        if (t->code != VOD_OK) {
            memcpy(t->why, err->text, sizeof(t->why));
        }
    }

    return VOD_OK;
}


/*
 * libavformat cannot go on: what stands before is served, unless it is the
 * file that was shortened meanwhile.
 */
static int
vod_scan_broken(vod_scan_build_t *b, vod_err_t *err)
{
    uint8_t    last;
    vod_err_t  why;

    why = *err;

    if (vod_source_read(b->source, &last, 1, b->source->src->size - 1, err)
        != VOD_OK)
    {
        return err->code;
    }

    if (b->n_samples == 0) {
        *err = why;
        return VOD_DAMAGED;
    }

    vod_notes_add(b->notes, "only what is in front of its damaged part is"
                  " served: %s", why.text);

    return VOD_OK;
}


/* what can be said only when all of the file has been read */
static void
vod_scan_unfit(vod_scan_build_t *b, vod_scan_track_t *t, vod_err_t *err)
{
    vod_scan_cut(b, t);

    if (t->code != VOD_OK || t->n) {
        return;
    }

    if (t->st->kind == VOD_TEXT) {
        t->code = vod_fail(err, VOD_DAMAGED, "its text has no cue");

    } else if (t->st->kind != VOD_VIDEO && t->st->kind != VOD_AUDIO) {
        t->code = vod_fail(err, VOD_UNSUPPORTED, "it is neither video nor"
                           " audio");

    } else if (t->st->config.codec == VOD_CODEC_NONE) {
        t->code = vod_fail(err, VOD_UNSUPPORTED, "%s cannot be packaged,"
                           " neither HLS nor DASH players take it",
                           t->st->codec_name);

    } else if (t->early) {
        t->code = vod_fail(err, VOD_DAMAGED, "none of its %u samples is a key"
                           " frame that can be decoded", t->early);

    } else if (t->bad) {
        t->code = vod_fail(err, VOD_DAMAGED, "none of its %u samples is"
                           " whole", t->bad);

    } else {
        t->code = vod_fail(err, VOD_DAMAGED, "it has no samples");
    }

    memcpy(t->why, err->text, sizeof(t->why));
}


/* the end of a file that was cut cuts its last samples */
static void
vod_scan_cut(vod_scan_build_t *b, vod_scan_track_t *t)
{
    char  what[96];

    if (t->n < 2 || t->texts || !t->samples[t->n - 1].damaged) {
        return;
    }

    t->n--;
    t->damaged--;
    t->said = 0;

    vod_scan_what(t, what, sizeof(what));
    vod_notes_add(b->notes, "%s: its last sample is cut and left out, put the"
                  " whole file there", what);
}


/* times; video first, so that the others follow its jumps */
static int
vod_scan_settle(vod_scan_build_t *b, vod_err_t *err)
{
    int                pass, rc;
    uint32_t           i;
    vod_scan_track_t  *t;

    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < b->n; i++) {
            t = &b->tracks[i];

            if (t->code != VOD_OK || t->st->kind == VOD_TEXT
                || (t->st->kind == VOD_VIDEO) == pass)
            {
                continue;
            }

            rc = vod_source_in_time(b->source, err);

            if (rc == VOD_OK) {
                rc = vod_scan_times(b, t, err);
            }

            if (rc != VOD_OK) {
                return rc;
            }
        }
    }

    return VOD_OK;
}


static int64_t
vod_scan_us(const vod_scan_track_t *t, int64_t time)
{
    int64_t  scale;

    scale = t->st->timescale;

    return time / scale * 1000000 + time % scale * 1000000 / scale;
}


/* when the first thing of the track is presented, ticks */
static int64_t
vod_scan_start(const vod_scan_track_t *t)
{
    int64_t   least;
    uint32_t  i;

    least = t->samples[0].pts;

    for (i = 1; i < t->n; i++) {
        least = (t->samples[i].pts < least) ? t->samples[i].pts : least;
    }

    return least + (t->st->kind == VOD_AUDIO ? (int64_t) t->st->delay : 0);
}


/* the least of these is 0 for all, and rows are made */
static int
vod_scan_origin(vod_scan_build_t *b, int64_t *origin, vod_err_t *err)
{
    int                rc;
    int64_t            start, least, scale, to;
    uint32_t           i;
    vod_scan_track_t  *t;

    least = 0;
    scale = 0;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->code != VOD_OK) {
            continue;
        }

        if (t->st->kind == VOD_TEXT) {
            continue;               /* begins when the others do */
        }

        start = vod_scan_start(t);

        if (start / t->st->timescale > VOD_SCAN_MAX_TIME
            || start / t->st->timescale < -VOD_SCAN_MAX_TIME)
        {
            t->code = vod_fail(err, VOD_DAMAGED, "it begins at second %"
                               PRId64 ", which is no time, remux the file",
                               start / t->st->timescale);
            memcpy(t->why, err->text, sizeof(t->why));
            continue;
        }

        if (scale == 0 || vod_scan_us(t, start) < *origin) {
            least = start;
            scale = t->st->timescale;
            *origin = vod_scan_us(t, start);
        }
    }

    scale = scale ? scale : 1;      /* none of them begins at a time */

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->code != VOD_OK) {
            continue;
        }

        to = (t->st->kind == VOD_TEXT) ? 1000 : t->st->timescale;
        start = least / scale * to + least % scale * to / scale;

        rc = (t->st->kind == VOD_TEXT)
             ? vod_scan_text_rows(b, t, -start, err)
             : vod_scan_rows(b, t, -start, err);

        if (rc == VOD_NOMEM) {
            return rc;
        }

        if (rc != VOD_OK) {
            t->code = rc;
            memcpy(t->why, err->text, sizeof(t->why));
            continue;
        }

        vod_scan_repairs(b, t);
    }

    return VOD_OK;
}


/* a line for each kind of repair */
static void
vod_scan_repairs(vod_scan_build_t *b, const vod_scan_track_t *t)
{
    char  what[96];

    vod_scan_what(t, what, sizeof(what));

    if (t->early) {
        vod_notes_add(b->notes, "%s: %u samples in front of its first key"
                      " frame are left out", what, t->early);
    }

    if (t->bad) {
        vod_notes_add(b->notes, "%s: %u samples that are not whole are left"
                      " out, remux the file", what, t->bad);
    }

    if (t->st->late) {
        vod_notes_add(b->notes, "%s: %u samples where its PID changes are left"
                      " out, remux the file", what, t->st->late);
    }

    if (t->damaged) {
        vod_notes_add(b->notes, "%s: %u samples are damaged, and served as"
                      " they are", what, t->damaged);
    }

    if (t->repaired) {
        vod_notes_add(b->notes, "%s: times that were missing, not in order,"
                      " or there twice were repaired, remux the file", what);
    }
}


/* of each kind one is the default */
static void
vod_scan_default(vod_scan_t *out, unsigned kind)
{
    uint32_t      i;
    vod_track_t  *first;

    first = NULL;

    for (i = 0; i < out->n_tracks; i++) {

        if (out->tracks[i].track.kind != kind) {
            continue;
        }

        if (out->tracks[i].track.flags & VOD_TRACK_DEFAULT) {
            return;
        }

        first = first ? first : &out->tracks[i].track;
    }

    if (first) {
        first->flags |= VOD_TRACK_DEFAULT;
    }
}


/* a note for each track left out; when none is left, they are the answer */
static int
vod_scan_out(vod_scan_t *out, vod_scan_build_t *b, vod_err_t *err)
{
    int                n, code;
    char               all[VOD_ERR_TEXT], what[96];
    uint32_t           i;
    vod_scan_track_t  *t;

    code = VOD_DAMAGED;
    all[0] = '\0';
    n = 0;

    out->tracks = calloc(b->n ? b->n : 1, sizeof(vod_index_track_t));
    if (out->tracks == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u tracks", b->n);
    }

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->code == VOD_OK) {
            out->tracks[out->n_tracks++] = t->out;
            memset(&t->out, 0, sizeof(vod_index_track_t));
            continue;
        }

        code = (t->code == VOD_UNSUPPORTED) ? VOD_UNSUPPORTED : code;

        vod_scan_what(t, what, sizeof(what));

        /* a cover belongs to the file: nobody misses it among the tracks */

        if (!t->st->still) {
            vod_notes_add(b->notes, "%s left out: %s", what, t->why);
        }

        if ((size_t) n < sizeof(all)) {
            n += snprintf(all + n, sizeof(all) - (size_t) n, "%s%s: %s",
                          n ? "; " : "", what, t->why);
        }
    }

    if (out->n_tracks) {
        vod_scan_default(out, VOD_VIDEO);
        vod_scan_default(out, VOD_AUDIO);
        return VOD_OK;
    }

    if (b->n == 0) {
        return vod_fail(err, VOD_DAMAGED, "there is no track in it, put the"
                        " whole file there");
    }

    return vod_fail(err, code, "no track of it can be packaged: %s", all);
}


void
vod_scan_what(const vod_scan_track_t *t, char *out, size_t size)
{
    const char                *kind, *codec;
    const vod_demux_stream_t  *st;

    st = t->st;

    kind = (st->kind == VOD_VIDEO) ? "video"
           : (st->kind == VOD_AUDIO) ? "audio"
           : (st->kind == VOD_TEXT) ? "text" : "data";

    codec = st->config.codec ? vod_config_name(st->config.codec)
                             : st->codec_name;

    (void) snprintf(out, size, "track %u (%s, %s)", st->id, codec, kind);
}


static void
vod_scan_end(vod_scan_build_t *b)
{
    uint32_t  i;

    for (i = 0; i < b->n; i++) {
        free((void *) b->tracks[i].out.entry);
        free((void *) b->tracks[i].out.samples);
        free(b->tracks[i].samples);
        free(b->tracks[i].texts);
    }

    free(b->buf);
    free(b);
}


void
vod_scan_free(vod_scan_t *scan)
{
    uint32_t  i;

    for (i = 0; scan->tracks && i < scan->n_tracks; i++) {
        free((void *) scan->tracks[i].entry);
        free((void *) scan->tracks[i].samples);
    }

    free(scan->tracks);
    scan->tracks = NULL;
    scan->n_tracks = 0;
}
