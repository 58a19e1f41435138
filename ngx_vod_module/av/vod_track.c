#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_codec.h"
#include "../core/vod_lang.h"
#include "../core/vod_wr.h"
#include "vod_frag.h"
#include "vod_subs.h"
#include "vod_track.h"


/* seconds; clocks that count from 1970 or 1904 are far below */
#define VOD_TRACK_MAX_START  ((int64_t) 1 << 40)


static int vod_track_expand(const vod_mp4_track_t *t, vod_sample_t *samples,
    vod_notes_t *notes, vod_err_t *err);
static void vod_track_sync(const vod_track_t *track, vod_sample_t *samples,
    uint32_t n);
static int vod_track_cut(const vod_mp4_t *mp4, const vod_mp4_track_t *t,
    const vod_sample_t *samples, uint32_t *n, vod_notes_t *notes,
    vod_err_t *err);
static int vod_track_fragments(vod_index_track_t *out, vod_mp4_track_t *t,
    uint32_t *n, int64_t *dts, vod_notes_t *notes, vod_err_t *err);
static void vod_track_zeros(const vod_mp4_track_t *t, vod_sample_t *samples,
    uint32_t n, vod_notes_t *notes);
static int vod_track_first(vod_index_track_t *out, const vod_mp4_t *mp4,
    vod_err_t *err);
static int vod_track_edit(vod_index_track_t *out, const vod_mp4_t *mp4,
    const vod_mp4_track_t *t, vod_sample_t *samples, uint32_t n,
    int64_t dts, vod_err_t *err);


int
vod_track_entry(vod_index_track_t *out, const vod_mp4_track_t *t,
    vod_err_t *err)
{
    int           rc;
    uint8_t      *entry;
    vod_wr_t      wr;
    vod_track_t  *track;

    track = &out->track;
    track->kind = (uint8_t) t->kind;
    track->source_id = t->id;
    track->timescale = t->timescale;
    track->roles = t->roles;
    track->tkhd_width = t->width;
    track->tkhd_height = t->height;
    memcpy(track->matrix, t->matrix, sizeof(track->matrix));

    if (t->enabled) {
        track->flags |= VOD_TRACK_DEFAULT;
    }

    vod_lang_normalise(t->lang, strlen(t->lang), track->lang,
                       sizeof(track->lang));

    out->name = t->name;
    out->name_len = strlen(t->name);

    if (t->kind == VOD_TEXT) {
        return vod_subs_mp4_entry(out, t, err);
    }

    vod_wr_init(&wr, NULL, 0);

    rc = vod_codec_entry(track, t->entry, t->entry_len, &wr, err);
    if (rc != VOD_OK) {
        return rc;
    }

    entry = malloc(wr.len ? wr.len : 1);
    if (entry == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a sample entry of %"
                        PRIu64 " bytes", wr.len);
    }

    out->entry = entry;
    out->entry_len = wr.len;

    vod_wr_init(&wr, entry, wr.len);

    rc = vod_codec_entry(track, t->entry, t->entry_len, &wr, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (wr.overflow || wr.len != out->entry_len) {
        return vod_fail(err, VOD_INTERNAL, "its sample entry changes its"
                        " length from %" PRIu64 " to %" PRIu64 " while it is"
                        " written", out->entry_len, wr.len);
    }

    return VOD_OK;
}


int
vod_track_samples(vod_index_track_t *out, vod_mp4_t *mp4, vod_mp4_track_t *t,
    vod_notes_t *notes, vod_err_t *err)
{
    int            rc;
    int64_t        dts;
    uint32_t       n;
    vod_sample_t  *samples;

    n = t->single ? 0 : t->n_samples;

    samples = malloc((n ? (size_t) n : 1) * sizeof(vod_sample_t));
    if (samples == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", n);
    }

    out->samples = samples;

    rc = vod_track_expand(t, samples, notes, err);

    if (rc == VOD_OK) {
        rc = vod_track_cut(mp4, t, samples, &n, notes, err);
    }

    dts = 0;

    if (rc == VOD_OK && t->frag && t->frag->n) {
        rc = vod_track_fragments(out, t, &n, &dts, notes, err);
        samples = (vod_sample_t *) out->samples;
    }

    if (rc == VOD_OK) {
        vod_track_sync(&out->track, samples, n);

        if (t->kind != VOD_TEXT) {
            vod_track_zeros(t, samples, n, notes);
        }

        rc = vod_track_edit(out, mp4, t, samples, n, dts, err);
    }

    if (rc == VOD_OK && t->kind == VOD_TEXT) {
        return vod_subs_mp4_rows(out, t->timescale, err);
    }

    return (rc == VOD_OK) ? vod_track_first(out, mp4, err) : rc;
}


static int
vod_track_expand(const vod_mp4_track_t *t, vod_sample_t *samples,
    vod_notes_t *notes, vod_err_t *err)
{
    int   rc, repaired;
    char  what[64];

    rc = vod_mp4_samples(t, samples, &repaired, err);

    if (rc == VOD_OK && repaired) {
        vod_track_what(t, what, sizeof(what));
        vod_notes_add(notes, "%s: sample durations that are no durations"
                      " were repaired, remux the file", what);
    }

    return rc;
}


/*
 * Every sample of sound and text is a sync sample, whatever the file says; but
 * of xHE-AAC only those are that a decoder can begin with (23003-3, 5.5).
 */
static void
vod_track_sync(const vod_track_t *track, vod_sample_t *samples, uint32_t n)
{
    uint32_t  i;

    if ((track->kind != VOD_AUDIO && track->kind != VOD_TEXT)
        || strncmp(track->codec, "mp4a.40.42", sizeof(track->codec)) == 0)
    {
        return;
    }

    for (i = 0; i < n; i++) {
        samples[i].key = 1;
    }
}


/* what the file does not hold cannot be served, nor what depends on it */
static int
vod_track_cut(const vod_mp4_t *mp4, const vod_mp4_track_t *t,
    const vod_sample_t *samples, uint32_t *n, vod_notes_t *notes,
    vod_err_t *err)
{
    char      what[64];
    uint32_t  i;

    for (i = 0; i < *n; i++) {
        if (samples[i].pos > mp4->file_size
            || samples[i].size > mp4->file_size - samples[i].pos)
        {
            break;
        }
    }

    if (i == *n && t->missing == 0) {
        return VOD_OK;
    }

    if (i == 0) {
        return vod_fail(err, VOD_DAMAGED, "the data of its first sample lies"
                        " beyond the end of the file (%" PRIu64 " bytes), put"
                        " the whole file there", mp4->file_size);
    }

    vod_track_what(t, what, sizeof(what));
    vod_notes_add(notes, "%s: only %u of %" PRIu64 " samples are in the file"
                  " and served, put the whole file there", what, i,
                  (uint64_t) *n + t->missing);

    *n = i;

    return VOD_OK;
}


/* the samples become those of moov and of the fragments together */
static int
vod_track_fragments(vod_index_track_t *out, vod_mp4_track_t *t, uint32_t *n,
    int64_t *dts, vod_notes_t *notes, vod_err_t *err)
{
    int                rc;
    char               what[64];
    vod_frag_track_t  *f;

    f = t->frag;
    vod_track_what(t, what, sizeof(what));

    rc = vod_frag_join(f, out->samples, *n, what, dts, notes, err);
    if (rc != VOD_OK) {
        return rc;
    }

    /* playlists count microseconds in 64 bits */

    if (*dts / t->timescale > VOD_TRACK_MAX_START) {
        return vod_fail(err, VOD_DAMAGED, "its fragments begin at second %"
                        PRId64 ", which is no time, remux the file",
                        *dts / t->timescale);
    }

    free((void *) out->samples);
    out->samples = f->samples;
    *n = f->n;

    f->samples = NULL;
    f->n = 0;
    f->room = 0;

    return VOD_OK;
}


static void
vod_track_zeros(const vod_mp4_track_t *t, vod_sample_t *samples, uint32_t n,
    vod_notes_t *notes)
{
    char      what[64];
    uint32_t  zeros;

    zeros = vod_edit_zeros(samples, n);

    if (zeros) {
        vod_track_what(t, what, sizeof(what));
        vod_notes_add(notes, "%s: %u samples last no time and were given a"
                      " tick each, remux the file", what, zeros);
    }
}


static int
vod_track_edit(vod_index_track_t *out, const vod_mp4_t *mp4,
    const vod_mp4_track_t *t, vod_sample_t *samples, uint32_t n,
    int64_t dts, vod_err_t *err)
{
    int                rc;
    vod_edit_in_t      in;
    vod_edit_out_t     edit;
    vod_edit_entry_t  *entries;

    in.movie_timescale = mp4->movie_timescale;
    in.timescale = t->timescale;
    in.kind = t->kind;
    in.dts = dts;

    /*
     * The header of a fragmented file is written before its media: the end
     * its edits name, if any, is that of what was known then.
     */

    in.endless = mp4->fragmented;

    rc = vod_mp4_edits(t, &entries, &in.n_entries, err);
    if (rc != VOD_OK) {
        return rc;
    }

    in.entries = entries;
    rc = vod_edit_apply(&in, samples, n, &edit, err);

    free(entries);

    if (rc != VOD_OK) {
        return rc;
    }

    if (edit.first) {
        memmove(samples, samples + edit.first,
                (size_t) edit.n * sizeof(vod_sample_t));
    }

    out->n_samples = edit.n;
    out->track.first_dts = edit.first_dts;
    out->track.media_time = edit.media_time;

    return VOD_OK;
}


/* the sample entry of MP3 says less than the header of its frames */
static int
vod_track_first(vod_index_track_t *out, const vod_mp4_t *mp4, vod_err_t *err)
{
    int      rc;
    uint8_t  head[4];

    if (strncmp(out->track.codec, "mp4a.6", 6) != 0
        || out->samples[0].size < sizeof(head))
    {
        return VOD_OK;
    }

    rc = vod_source_read(mp4->source, head, sizeof(head), out->samples[0].pos,
                         err);

    if (rc == VOD_OK) {
        vod_codec_first_sample(&out->track, head, sizeof(head));
    }

    return rc;
}


void
vod_track_free(vod_index_track_t *out)
{
    free((void *) out->entry);
    free((void *) out->samples);
    out->entry = NULL;
    out->samples = NULL;
}


void
vod_track_what(const vod_mp4_track_t *t, char *out, size_t size)
{
    char         codec[5];
    const char  *kind;

    vod_mp4_fourcc(t->fourcc, codec);

    switch (t->handler) {

    case vod_fourcc('v', 'i', 'd', 'e'):
        kind = "video";
        break;

    case vod_fourcc('s', 'o', 'u', 'n'):
        kind = "audio";
        break;

    case vod_fourcc('t', 'e', 'x', 't'):
    case vod_fourcc('s', 'b', 't', 'l'):
    case vod_fourcc('s', 'u', 'b', 't'):
    case vod_fourcc('c', 'l', 'c', 'p'):
    case vod_fourcc('s', 'u', 'b', 'p'):
        kind = "text";
        break;

    case vod_fourcc('t', 'm', 'c', 'd'):
        kind = "timecode";
        break;

    default:
        kind = "data";
    }

    if (t->fourcc) {
        (void) snprintf(out, size, "track %u (%s, %s)", t->id, codec, kind);

    } else {
        (void) snprintf(out, size, "track %u (%s)", t->id, kind);
    }
}
