/*
 * Cues as text, for the tests of subtitles: what a reader gives and what
 * vod_text_cue() makes of it, one cue after the other:
 *
 *     1500-4000 #id {settings} first line/second line; 4000-5000 ...
 *
 * "(nothing)" stands for one of which nothing is left; the number of damaged
 * ones ends it.
 */

#ifndef _TEXTS_H_INCLUDED_
#define _TEXTS_H_INCLUDED_

#include <inttypes.h>
#include <stdlib.h>

#include "tap.h"

#include "vod_text.h"
#include "vod_wr.h"


static char  texts_out[65536];


/* every byte is read from memory of its own size */
static inline char *
texts_copy(const char *text, size_t len)
{
    char  *p;

    p = malloc(len ? len : 1);

    if (p && len) {
        memcpy(p, text, len);
    }

    return p;
}


static inline void
texts_write(vod_wr_t *wr, const char *text, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        vod_wr_u8(wr, text[i] == '\n' ? '/' : (uint8_t) text[i]);
    }
}


static inline void
texts_cue(vod_wr_t *wr, const vod_cue_t *from)
{
    char       *room;
    size_t      used, bound;
    vod_cue_t   cue;

    cue = *from;
    bound = vod_text_cue_bound(&cue);
    room = malloc(bound);
    used = vod_text_cue(&cue, room, bound);

    if (used == 0) {
        vod_wr_str(wr, "(nothing)");

    } else {
        if (cue.id_len) {
            vod_wr_str(wr, "#");
            texts_write(wr, cue.id, cue.id_len);
            vod_wr_str(wr, " ");
        }

        if (cue.settings_len) {
            vod_wr_str(wr, "{");
            texts_write(wr, cue.settings, cue.settings_len);
            vod_wr_str(wr, "} ");
        }

        texts_write(wr, cue.text, cue.text_len);
    }

    free(room);
}


static inline const char *
texts_end(vod_wr_t *wr)
{
    vod_wr_u8(wr, 0);

    return wr->overflow ? "(overflow)" : texts_out;
}


/* all of a file */
static inline const char *
texts_file_of(unsigned format, const char *text, size_t len)
{
    char               *copy;
    vod_wr_t            wr;
    vod_cue_t           cue;
    vod_text_reader_t   reader;

    copy = texts_copy(text, len);
    vod_wr_init(&wr, texts_out, sizeof(texts_out));

    vod_text_open(&reader, format, copy, len);

    while (vod_text_next(&reader, &cue)) {
        vod_wr_fmt(&wr, "%s%" PRId64 "-%" PRId64 " ", wr.len ? "; " : "",
                   cue.start, cue.end);
        texts_cue(&wr, &cue);
    }

    if (reader.damaged) {
        vod_wr_fmt(&wr, "%s%u damaged", wr.len ? "; " : "", reader.damaged);
    }

    free(copy);

    return texts_end(&wr);
}


#define texts_file(format, text)                                              \
    texts_file_of(format, text, strlen(text))


/* the text of one sample of a container; "-" where there is none */
static inline const char *
texts_sample_of(vod_text_reader_t *reader, const char *data, size_t len)
{
    char       *copy;
    vod_wr_t    wr;
    vod_cue_t   cue;

    copy = texts_copy(data, len);
    vod_wr_init(&wr, texts_out, sizeof(texts_out));

    if (vod_text_sample(reader, copy, len, &cue)) {
        texts_cue(&wr, &cue);

    } else {
        vod_wr_str(&wr, "-");
    }

    free(copy);

    return texts_end(&wr);
}


#define texts_sample(reader, text)                                            \
    texts_sample_of(reader, text, strlen(text))

#endif /* _TEXTS_H_INCLUDED_ */
