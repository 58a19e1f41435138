/*
 * Every answer there is for an index: rendered, measured against what is
 * written, and looked at for what no name may do to it.
 */

#ifndef _ANSWERS_H_INCLUDED_
#define _ANSWERS_H_INCLUDED_

#include "fuzz.h"

#include "vod_box.h"
#include "vod_dash.h"
#include "vod_hls.h"
#include "vod_segment.h"


typedef enum {
    ANSWER_MASTER,
    ANSWER_MEDIA,
    ANSWER_MPD,
    ANSWER_INIT
} answer_t;


/* what stands in all URLs, or NULL */
static const vod_links_t  *answer_links;


/*
 * A playlist: lines of ours only, quotes closed on their line, no control
 * character (RFC 8216bis, 4.1).
 */
static inline void
answer_hls(const uint8_t *text, uint64_t len)
{
    uint64_t  i, begin;
    unsigned  quotes;

    fuzz_must(len > 8 && memcmp(text, "#EXTM3U\n", 8) == 0);
    fuzz_must(text[len - 1] == '\n');

    quotes = 0;
    begin = 0;

    for (i = 0; i < len; i++) {

        if (text[i] != '\n') {
            fuzz_must(text[i] >= ' ' && text[i] != 0x7f);
            quotes += (text[i] == '"');
            continue;
        }

        fuzz_must(quotes % 2 == 0);
        quotes = 0;

        if (i > begin && text[begin] != '#') {
            fuzz_must(text[begin] == 'v' || text[begin] == 'a'
                      || text[begin] == 's'
                      || (text[begin] >= '1' && text[begin] <= '9'));
        }

        begin = i + 1;
    }
}


/* an MPD: tags closed, quotes closed within them, no '<' between */
static inline void
answer_mpd(const uint8_t *text, uint64_t len)
{
    int       tag, quote;
    uint64_t  i;

    tag = 0;
    quote = 0;

    for (i = 0; i < len; i++) {
        fuzz_must(text[i] >= ' ' || text[i] == '\n');

        switch (text[i]) {

        case '<':
            fuzz_must(!tag && !quote);
            tag = 1;
            break;

        case '>':
            if (!quote) {
                fuzz_must(tag);
                tag = 0;
            }
            break;

        case '"':
            if (tag) {
                quote = !quote;
            }
            break;
        }
    }

    fuzz_must(!tag && !quote);
}


static inline void
answer_write(vod_wr_t *wr, answer_t what, const void *index,
    const void *timeline, uint32_t ordinal)
{
    const uint8_t      *p;
    const vod_track_t  *t;

    switch (what) {

    case ANSWER_MASTER:
        vod_hls_master(wr, index, timeline, answer_links);
        break;

    case ANSWER_MPD:
        vod_dash_mpd(wr, index, timeline, answer_links);
        break;

    case ANSWER_MEDIA:
        vod_hls_media(wr, index, timeline, ordinal, answer_links);
        break;

    default:
        p = index;
        t = &vod_index_tracks(index)[ordinal];
        vod_box_init(wr, t, p + t->entry_off, (const char *) p + t->name_off);
    }
}


static inline void
answer(answer_t what, const void *index, const void *timeline,
    uint32_t ordinal)
{
    uint8_t   *text;
    vod_wr_t   wr;
    uint64_t   len;

    vod_wr_init(&wr, NULL, 0);
    answer_write(&wr, what, index, timeline, ordinal);

    len = wr.len;
    text = malloc(len);
    fuzz_must(text != NULL);

    vod_wr_init(&wr, text, len);
    answer_write(&wr, what, index, timeline, ordinal);
    fuzz_must(wr.len == len && !wr.overflow);

    if (what == ANSWER_MPD) {
        answer_mpd(text, len);

    } else if (what != ANSWER_INIT) {
        answer_hls(text, len);
    }

    free(text);
}


static inline void
answer_all(const void *index, const void *timeline)
{
    uint32_t            i;
    const vod_index_t  *idx;

    idx = index;

    answer(ANSWER_MASTER, index, timeline, 0);
    answer(ANSWER_MPD, index, timeline, 0);

    for (i = 0; i < idx->n_tracks; i++) {
        answer(ANSWER_MEDIA, index, timeline, i);
        answer(ANSWER_INIT, index, timeline, i);
    }
}


/*
 * One segment's rows: as many as its cells say, and a header as long as they
 * say.  samples is the caller's to free.
 */
static inline vod_sample_t *
answer_rows(const void *index, const vod_track_t *t, const vod_cell_t *cells,
    uint32_t *n)
{
    vod_err_t       err;
    const uint8_t  *rows;
    vod_sample_t   *samples;

    *n = vod_segment_most(t, &cells[0], &cells[1]);
    fuzz_must(t->kind == VOD_TEXT || (*n > 0 && *n <= VOD_SEGMENT_SAMPLES));

    samples = malloc((*n + 1) * sizeof(vod_sample_t));
    fuzz_must(samples != NULL);

    rows = (const uint8_t *) index + t->rows_off + cells[0].cursor.row;
    fuzz_must(vod_segment_rows(t, &cells[0], &cells[1], rows,
                               vod_segment_bytes(t, &cells[0], &cells[1]),
                               samples, n, &err)
              == VOD_OK);

    return samples;
}


/* styp, moof, mdat's header: the bytes promised, or any number (0) */
static inline void
answer_header(const vod_track_t *t, uint64_t number, uint64_t dts,
    const vod_sample_t *samples, uint32_t n, uint64_t payload,
    uint64_t promised)
{
    uint8_t   *head;
    vod_wr_t   wr;
    uint64_t   len;

    vod_wr_init(&wr, NULL, 0);
    vod_box_segment(&wr, t->ordinal + 1, t->kind, (uint32_t) number, dts,
                    samples, n, payload);

    len = wr.len;
    fuzz_must(promised == 0 || len == promised);

    head = malloc(len);
    fuzz_must(head != NULL);

    vod_wr_init(&wr, head, len);
    vod_box_segment(&wr, t->ordinal + 1, t->kind, (uint32_t) number, dts,
                    samples, n, payload);
    fuzz_must(wr.len == len && !wr.overflow);

    free(head);
}

#endif /* _ANSWERS_H_INCLUDED_ */
