#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavformat/version.h>
#include <libavutil/macros.h>

#include "vod_cues.h"
#include "vod_ebml.h"
#include "vod_lavf.h"
#include "vod_scan.h"
#include "vod_subs.h"
#include "vod_track.h"


#define VOD_AV_MAX_MOOV     (128 * 1024 * 1024)
#define VOD_AV_MAX_SAMPLES  16777216
#define VOD_AV_MAX_TRACKS   64
#define VOD_AV_TIMEOUT      30000
#define VOD_AV_SCAN         (8 * 1024 * 1024)
#define VOD_AV_MAX_SEGMENT  (128 * 1024 * 1024)


/* everything a build holds */
typedef struct {
    vod_source_t        source;
    vod_av_limits_t     limits;
    const char         *container;  /* NULL = ISO BMFF */
    int                 is_text;    /* and nothing else */

    vod_mp4_t           mp4;
    vod_index_track_t   text;       /* of a file of text alone */
    vod_index_track_t  *tracks;     /* one for each of mp4's */
    uint32_t            n_tracks;   /* those carried */

    vod_demux_t        *demux;
    vod_scan_t          scan;
    vod_cues_t          cues;

    vod_notes_t         notes;
    uint8_t             head[VOD_LAVF_PROBE];
} vod_av_build_t;


static void vod_av_limits(vod_av_limits_t *out, const vod_av_limits_t *in);
static int vod_av_build(vod_av_build_t *b, void **index, uint64_t *len,
    vod_err_t *err);
static int vod_av_detect(vod_av_build_t *b, vod_err_t *err);
static int vod_av_tagged(vod_av_build_t *b, vod_err_t *err);
static int vod_av_text(vod_av_build_t *b, void **index, uint64_t *len,
    vod_err_t *err);
static int vod_av_demuxed(vod_av_build_t *b, void **index, uint64_t *len,
    vod_err_t *err);
static void vod_av_whole(vod_av_build_t *b);
static int vod_av_cues(vod_av_build_t *b, vod_err_t *err);
static int vod_av_scan(vod_av_build_t *b, vod_err_t *err);
static int vod_av_entries(vod_av_build_t *b, vod_err_t *err);
static int vod_av_samples(vod_av_build_t *b, vod_err_t *err);
static int vod_av_left_out(vod_av_build_t *b, vod_err_t *err);
static int vod_av_write(vod_av_build_t *b, void **index, uint64_t *len,
    vod_err_t *err);
static int vod_av_put(vod_av_build_t *b, vod_index_in_t *in, void **index,
    uint64_t *len, vod_err_t *err);
static void vod_av_free(vod_av_build_t *b);


void
vod_av_init(void)
{
    vod_lavf_init();
}


const char *
vod_av_version(void)
{
    return "libavformat " AV_STRINGIFY(LIBAVFORMAT_VERSION);
}


int
vod_av_index(vod_av_source_t *src, const vod_av_limits_t *limits,
    void **index, uint64_t *len, vod_err_t *err)
{
    int              rc;
    vod_av_build_t  *b;

    *index = NULL;
    *len = 0;
    src->bytes_read = 0;

    b = calloc(1, sizeof(vod_av_build_t));
    if (b == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory to index the file");
    }

    vod_av_limits(&b->limits, limits);
    vod_source_init(&b->source, src, b->limits.timeout);

    rc = vod_av_build(b, index, len, err);

    vod_av_free(b);

    return rc;
}


static void
vod_av_limits(vod_av_limits_t *out, const vod_av_limits_t *in)
{
    memset(out, 0, sizeof(vod_av_limits_t));

    if (in) {
        *out = *in;
    }

    if (out->max_moov == 0) {
        out->max_moov = VOD_AV_MAX_MOOV;
    }

    /* libavformat gets moov with a 32-bit size, and counts by int */

    if (out->max_moov > UINT32_MAX - 8) {
        out->max_moov = UINT32_MAX - 8;
    }

    if (out->max_samples == 0) {
        out->max_samples = VOD_AV_MAX_SAMPLES;
    }

    if (out->max_samples > INT32_MAX) {
        out->max_samples = INT32_MAX;
    }

    if (out->max_tracks == 0) {
        out->max_tracks = VOD_AV_MAX_TRACKS;
    }

    if (out->timeout == 0) {
        out->timeout = VOD_AV_TIMEOUT;
    }

    if (out->scan == 0) {
        out->scan = VOD_AV_SCAN;
    }

    if (out->max_segment == 0) {
        out->max_segment = VOD_AV_MAX_SEGMENT;
    }
}


static int
vod_av_build(vod_av_build_t *b, void **index, uint64_t *len, vod_err_t *err)
{
    int  rc;

    rc = vod_av_detect(b, err);

    if (rc == VOD_OK && b->is_text) {
        return vod_av_text(b, index, len, err);
    }

    if (rc == VOD_OK && b->container) {
        return vod_av_demuxed(b, index, len, err);
    }

    if (rc == VOD_OK) {
        rc = vod_mp4_open(&b->mp4, &b->source, &b->limits, err);
    }

    if (rc == VOD_OK) {
        if (b->mp4.note[0]) {
            vod_notes_add(&b->notes, "%s", b->mp4.note);
        }

        rc = vod_av_entries(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_av_samples(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_av_left_out(b, err);
    }

    if (rc == VOD_OK) {
        rc = vod_av_write(b, index, len, err);
    }

    return rc;
}


/* by content, never by name */
static int
vod_av_detect(vod_av_build_t *b, vod_err_t *err)
{
    int       rc;
    uint64_t  n;

    n = b->source.src->size;

    if (n == 0) {
        return vod_fail(err, VOD_DAMAGED, "the file is empty, put a media"
                        " file there");
    }

    n = (n < 16) ? n : 16;

    rc = vod_source_read(&b->source, b->head, n, 0, err);
    if (rc != VOD_OK || vod_mp4_probe(b->head, n)) {
        return rc;
    }

    n = b->source.src->size;
    n = (n < sizeof(b->head)) ? n : sizeof(b->head);

    rc = vod_source_read(&b->source, b->head, n, 0, err);
    if (rc != VOD_OK) {
        return rc;
    }

    /* UTF-16 begins as MP3 does */

    rc = vod_subs_probe(b->head, n, n == b->source.src->size, &b->container,
                        err);

    if (rc != VOD_OK || b->container) {
        b->is_text = (b->container != NULL);
        return rc;
    }

    rc = vod_demux_probe(b->head, n, &b->container, err);

    if (rc == VOD_OK && b->container == NULL && n >= 10
        && memcmp(b->head, "ID3", 3) == 0)
    {
        rc = vod_av_tagged(b, err);
    }

    if (rc != VOD_OK || b->container) {
        return rc;
    }

    return vod_lavf_probe(b->head, n, err);
}


/* what follows an ID3v2 tag, which may hold pictures of any size */
static int
vod_av_tagged(vod_av_build_t *b, vod_err_t *err)
{
    int             rc;
    uint64_t        n, at;
    const uint8_t  *p;

    p = b->head;

    at = 10 + ((uint64_t) (p[6] & 0x7f) << 21 | (uint64_t) (p[7] & 0x7f) << 14
               | (uint64_t) (p[8] & 0x7f) << 7 | (p[9] & 0x7f));

    if (at >= b->source.src->size) {
        return vod_fail(err, VOD_DAMAGED, "it ends within its ID3 tag, put"
                        " the whole file there");
    }

    n = b->source.src->size - at;
    n = (n < sizeof(b->head)) ? n : sizeof(b->head);

    rc = vod_source_read(&b->source, b->head, n, at, err);

    if (rc == VOD_OK) {
        rc = vod_demux_probe(b->head, n, &b->container, err);
    }

    return rc;
}


static int
vod_av_text(vod_av_build_t *b, void **index, uint64_t *len, vod_err_t *err)
{
    int             rc;
    vod_index_in_t  in;

    rc = vod_subs_index(&b->source, b->container, &b->text, &b->notes, err);
    if (rc != VOD_OK) {
        return rc;
    }

    in.file_size = b->source.src->size;
    in.origin = 0;
    in.container = b->container;
    in.tracks = &b->text;
    in.n_tracks = 1;

    return vod_av_put(b, &in, index, len, err);
}


/*
 * A long Matroska file is cut by its own key frame index; all others are
 * read whole, and so is one whose index is of no use.
 */
static int
vod_av_demuxed(vod_av_build_t *b, void **index, uint64_t *len, vod_err_t *err)
{
    int             rc;
    vod_index_in_t  in;

    rc = VOD_NOT_FOUND;

    if (strcmp(b->container, "matroska") == 0
        && b->source.src->size > b->limits.scan)
    {
        rc = vod_av_cues(b, err);

        if (rc == VOD_NOT_FOUND) {
            vod_notes_add(&b->notes, "all of the file is read to index it:"
                          " %s", err->text);
        }
    }

    if (rc == VOD_NOT_FOUND) {
        rc = vod_av_scan(b, err);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    vod_av_whole(b);

    in.file_size = b->source.src->size;
    in.container = b->container;

    if (b->cues.n_tracks) {
        in.tracks = b->cues.tracks;
        in.n_tracks = b->cues.n_tracks;
        in.origin = b->cues.origin;

    } else {
        in.tracks = b->scan.tracks;
        in.n_tracks = b->scan.n_tracks;
        in.origin = b->scan.origin;
    }

    return vod_av_put(b, &in, index, len, err);
}


/* a Matroska file says how long it is; what is missing plays as if all were
   there */
static void
vod_av_whole(vod_av_build_t *b)
{
    uint64_t  n, end;

    if (strcmp(b->container, "matroska") != 0) {
        return;
    }

    n = b->source.src->size;
    end = vod_ebml_segment_end(b->head, (n < sizeof(b->head))
                                        ? n : sizeof(b->head));

    if (end > n) {
        vod_notes_add(&b->notes, "the file ends at %" PRIu64 " of %" PRIu64
                      " bytes, put the whole file there", n, end);
    }
}


/* VOD_NOT_FOUND: the file has to be scanned */
static int
vod_av_cues(vod_av_build_t *b, vod_err_t *err)
{
    int  rc;

    rc = vod_demux_open(&b->demux, &b->source, b->container, err);

    if (rc == VOD_OK) {
        rc = vod_cues_build(&b->cues, b->demux, &b->source, &b->limits,
                            &b->notes, err);
    }

    if (rc == VOD_NOT_FOUND) {
        vod_cues_free(&b->cues);
        memset(&b->cues, 0, sizeof(vod_cues_t));

        vod_demux_close(b->demux);
        b->demux = NULL;
    }

    return rc;
}


static int
vod_av_scan(vod_av_build_t *b, vod_err_t *err)
{
    int  rc;

    rc = vod_demux_open(&b->demux, &b->source, b->container, err);

    return (rc == VOD_OK)
           ? vod_scan_build(&b->scan, b->demux, &b->source, &b->limits,
                            &b->notes, err)
           : rc;
}


/* sample entries: tracks that CMAF cannot carry go before the tables are
   expanded */
static int
vod_av_entries(vod_av_build_t *b, vod_err_t *err)
{
    int               rc;
    uint32_t          i;
    vod_mp4_track_t  *t;

    b->tracks = calloc(b->mp4.n_tracks, sizeof(vod_index_track_t));
    if (b->tracks == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u tracks",
                        b->mp4.n_tracks);
    }

    for (i = 0; i < b->mp4.n_tracks; i++) {
        t = &b->mp4.tracks[i];

        if (t->code != VOD_OK) {
            continue;
        }

        rc = vod_track_entry(&b->tracks[i], t, err);

        if (rc == VOD_NOMEM || rc == VOD_INTERNAL) {
            return rc;
        }

        if (rc != VOD_OK) {
            vod_mp4_leave_out(t, rc, "%s", err->text);
            continue;
        }

        b->n_tracks++;
    }

    return VOD_OK;
}


static int
vod_av_samples(vod_av_build_t *b, vod_err_t *err)
{
    int               rc;
    uint32_t          i;
    vod_mp4_track_t  *t;

    for (i = 0; i < b->mp4.n_tracks; i++) {
        t = &b->mp4.tracks[i];

        if (t->code != VOD_OK) {
            continue;
        }

        rc = vod_source_in_time(&b->source, err);
        if (rc != VOD_OK) {
            return rc;
        }

        rc = vod_track_samples(&b->tracks[i], &b->mp4, t, &b->notes, err);

        if (rc == VOD_NOMEM || rc == VOD_INTERNAL || rc == VOD_IO
            || rc == VOD_LIMIT)
        {
            return rc;
        }

        if (rc != VOD_OK) {
            vod_mp4_leave_out(t, rc, "%s", err->text);
            b->n_tracks--;
        }
    }

    return VOD_OK;
}


/* a note for each; when none is left, the reasons are the answer */
static int
vod_av_left_out(vod_av_build_t *b, vod_err_t *err)
{
    int               n, code;
    char              all[VOD_ERR_TEXT], one[VOD_ERR_TEXT + 64];
    uint32_t          i;
    vod_mp4_track_t  *t;

    code = VOD_DAMAGED;
    all[0] = '\0';
    n = 0;

    for (i = 0; i < b->mp4.n_tracks; i++) {
        t = &b->mp4.tracks[i];

        if (t->code == VOD_OK) {
            continue;
        }

        if (t->code == VOD_UNSUPPORTED) {
            code = VOD_UNSUPPORTED;
        }

        vod_track_what(t, one, sizeof(one));
        vod_notes_add(&b->notes, "%s left out: %s", one, t->why);

        if ((size_t) n < sizeof(all)) {
            n += snprintf(all + n, sizeof(all) - (size_t) n, "%s%s: %s",
                          n ? "; " : "", one, t->why);
        }
    }

    if (b->n_tracks) {
        return VOD_OK;
    }

    return vod_fail(err, code, "no track of it can be packaged: %s", all);
}


static int
vod_av_write(vod_av_build_t *b, void **index, uint64_t *len, vod_err_t *err)
{
    uint32_t        i, n;
    vod_index_in_t  in;

    for (i = 0, n = 0; i < b->mp4.n_tracks; i++) {
        if (b->mp4.tracks[i].code == VOD_OK) {
            if (n != i) {
                vod_track_free(&b->tracks[n]);
                b->tracks[n] = b->tracks[i];
                memset(&b->tracks[i], 0, sizeof(vod_index_track_t));
            }

            n++;
        }
    }

    in.file_size = b->mp4.file_size;
    in.origin = 0;
    in.container = b->mp4.quicktime ? "mov" : "mp4";
    in.tracks = b->tracks;
    in.n_tracks = n;

    return vod_av_put(b, &in, index, len, err);
}


static int
vod_av_put(vod_av_build_t *b, vod_index_in_t *in, void **index, uint64_t *len,
    vod_err_t *err)
{
    void      *out, *fit;
    uint64_t   room;

    vod_notes_close(&b->notes);

    in->notes = b->notes.text;
    in->notes_len = b->notes.len;

    room = vod_index_bound(in);

    out = (room == (size_t) room) ? malloc(room) : NULL;
    if (out == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for an index of %" PRIu64
                        " bytes", room);
    }

    *len = vod_index_write(in, out, room, err);

    if (*len == 0) {
        free(out);
        return err->code;
    }

    fit = realloc(out, *len);
    *index = fit ? fit : out;

    /* cppcheck-suppress memleak ; does not follow fit through the "?" */
    return VOD_OK;
}


static void
vod_av_free(vod_av_build_t *b)
{
    uint32_t  i;

    for (i = 0; b->tracks && i < b->mp4.n_tracks; i++) {
        vod_track_free(&b->tracks[i]);
    }

    vod_track_free(&b->text);
    free(b->tracks);
    vod_mp4_close(&b->mp4);
    vod_scan_free(&b->scan);
    vod_cues_free(&b->cues);
    vod_demux_close(b->demux);
    free(b);
}
