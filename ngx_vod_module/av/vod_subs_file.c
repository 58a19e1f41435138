#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_subs.h"


/* of so many bytes of text one at most is none that belongs into text */
#define VOD_SUBS_BINARY  64


static const char *vod_subs_name(unsigned form);
static int vod_subs_is_text(const char *text, size_t len);
static int vod_subs_row(vod_index_track_t *out, vod_text_reader_t *reader,
    uint64_t size, vod_notes_t *notes, vod_err_t *err);


static const char *
vod_subs_name(unsigned form)
{
    return form == VOD_TEXT_VTT ? "webvtt" : form == VOD_TEXT_SRT ? "srt"
           : form == VOD_TEXT_ASS ? "ass" : NULL;
}


int
vod_subs_probe(const uint8_t *head, uint64_t len, int whole,
    const char **container, vod_err_t *err)
{
    char    *text;
    size_t   n;

    *container = NULL;

    text = malloc(vod_text_utf8_bound(len));
    if (text == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory to see whether it is text");
    }

    n = vod_text_utf8(head, (size_t) len, text, vod_text_utf8_bound(len));

    /* a character may be cut */

    if (!whole && n > 4) {
        n -= 4;
    }

    if (vod_subs_is_text(text, n)) {
        *container = vod_subs_name(vod_text_format(text, n));
    }

    free(text);

    return VOD_OK;
}


/* no control characters, and what became none of what was none of UTF-8 */
static int
vod_subs_is_text(const char *text, size_t len)
{
    size_t          i, odd;
    const uint8_t  *p;

    p = (const uint8_t *) text;
    odd = 0;

    for (i = 0; i < len; i++) {
        odd += (p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\f')
               || (p[i] == 0xef && i + 2 < len && p[i + 1] == 0xbf
                   && p[i + 2] == 0xbd);
    }

    return odd <= len / VOD_SUBS_BINARY;
}


int
vod_subs_read(vod_source_t *s, char **text, size_t *len, unsigned *form,
    vod_err_t *err)
{
    int        rc;
    char      *fit;
    size_t     room;
    uint8_t   *bytes;
    uint64_t   size;

    *text = NULL;
    size = s->src->size;

    if (size > VOD_SUBS_FILE) {
        return vod_fail(err, VOD_LIMIT, "its text has %" PRIu64 " bytes, more"
                        " than the %d that are read, cut it into shorter ones",
                        size, VOD_SUBS_FILE);
    }

    room = vod_text_utf8_bound(size);
    bytes = malloc(size ? (size_t) size : 1);
    fit = malloc(room);

    rc = (bytes && fit)
         ? vod_source_read(s, bytes, size, 0, err)
         : vod_fail(err, VOD_NOMEM, "no memory for a text of %" PRIu64
                    " bytes", size);

    if (rc == VOD_OK) {
        *len = vod_text_utf8(bytes, (size_t) size, fit, room);
        *form = vod_text_format(fit, *len);
        *text = fit;

    } else {
        free(fit);
    }

    free(bytes);

    return rc;
}


int
vod_subs_index(vod_source_t *s, const char *container,
    vod_index_track_t *out, vod_notes_t *notes, vod_err_t *err)
{
    int                 rc;
    char               *text;
    size_t              len;
    unsigned            form;
    vod_text_reader_t   reader;

    rc = vod_subs_read(s, &text, &len, &form, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (form == 0 || strcmp(vod_subs_name(form), container) != 0) {
        free(text);
        return vod_fail(err, VOD_DAMAGED, "it is not a media file: its text"
                        " does not go on as it begins");
    }

    vod_text_open(&reader, form, text, len);

    rc = vod_subs_track(out, vod_subs_convert(form, 0), reader.header,
                        reader.header_len, err);

    if (rc == VOD_OK) {
        rc = vod_subs_row(out, &reader, s->src->size, notes, err);
    }

    free(text);

    return rc;
}


/* the whole file, until its last cue ends */
static int
vod_subs_row(vod_index_track_t *out, vod_text_reader_t *reader, uint64_t size,
    vod_notes_t *notes, vod_err_t *err)
{
    int64_t        end;
    vod_cue_t      cue;
    vod_sample_t  *row;

    end = 1;

    while (vod_text_next(reader, &cue)) {
        end = (cue.end > end) ? cue.end : end;
    }

    if (reader->damaged) {
        vod_notes_add(notes, "%u of its cues have no times that can be read"
                      " and are left out", reader->damaged);
    }

    row = calloc(1, sizeof(vod_sample_t));
    if (row == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a row");
    }

    row->size = (uint32_t) size;
    row->dur = (end < UINT32_MAX) ? (uint32_t) end : UINT32_MAX;
    row->key = 1;

    out->samples = row;
    out->n_samples = 1;
    out->track.source_id = 1;
    memcpy(out->track.lang, "und", sizeof("und"));

    return VOD_OK;
}
