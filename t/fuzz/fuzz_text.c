/*
 * Subtitles: files of any encoding and format, samples of containers, boxes of
 * wvtt.  The first byte says which.  What is made of them is what the players
 * are promised: no cue's text breaks out of its cue, samples have no gaps, and
 * a segment read again gives the cues it was made of.
 */

#include "fuzz.h"

#include "vod_rd.h"
#include "vod_text.h"
#include "vod_vtt.h"
#include "vod_wvtt.h"


#define CUES   256
#define LIMIT  (1u << 20)


static vod_cue_t     cues[CUES], again[CUES];
static vod_sample_t  samples[2 * CUES + 1];


static int
same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}


/* one line, or lines none of which is empty; no arrow, zero, carriage return */

static void
is_plain(const char *s, size_t len, int lines)
{
    size_t    i;
    uint8_t  *marked;

    for (i = 0; i < len; i++) {
        fuzz_must(s[i] != '\0' && s[i] != '\r');
        fuzz_must(lines || s[i] != '\n');
        fuzz_must(s[i] != '\n' || (i > 0 && i + 1 < len && s[i + 1] != '\n'));
        fuzz_must(len - i < 3 || memcmp(s + i, "-->", 3) != 0);
    }

    /* it is UTF-8: read as such (by its mark) nothing is changed */

    marked = malloc(len + 3);
    fuzz_must(marked != NULL);

    memcpy(marked, "\xef\xbb\xbf", 3);
    memcpy(marked + 3, s, len);

    fuzz_must(vod_text_utf8(marked, len + 3, NULL, 0) == len);

    free(marked);
}


/* 1 where something is left of the cue */

static int
convert(vod_cue_t *cue, char **room)
{
    char       *second;
    size_t      bound, used;
    vod_cue_t   twice;

    bound = vod_text_cue_bound(cue);
    *room = malloc(bound);
    fuzz_must(*room != NULL);

    used = vod_text_cue(cue, *room, bound);
    fuzz_must(used <= bound);

    if (used == 0) {
        free(*room);
        return 0;
    }

    fuzz_must(used == cue->text_len + cue->settings_len + cue->id_len);

    is_plain(cue->text, cue->text_len, 1);
    is_plain(cue->settings, cue->settings_len, 0);
    is_plain(cue->id, cue->id_len, 0);

    twice = *cue;
    bound = vod_text_cue_bound(&twice);
    second = malloc(bound);
    fuzz_must(second != NULL);

    fuzz_must(vod_text_cue(&twice, second, bound) == used);
    fuzz_must(memcmp(*room, second, used) == 0);

    free(second);

    return 1;
}


static void
check_samples(uint32_t n, int64_t start, int64_t end)
{
    int          rc;
    size_t       at;
    uint8_t     *out;
    uint32_t     i, n_samples, written;
    uint64_t     pos, time;
    vod_wr_t     wr;
    vod_cue_t    cue;
    vod_err_t    err;

    vod_wr_init(&wr, NULL, 0);

    if (vod_wvtt_samples(cues, n, start, end, LIMIT, &wr, NULL, 0, &n_samples,
                         &err) != VOD_OK)
    {
        fuzz_must(err.code == VOD_LIMIT && err.text[0]);
        return;
    }

    fuzz_must(n_samples <= vod_wvtt_samples_bound(n));

    out = malloc(wr.len);
    fuzz_must(out != NULL);

    vod_wr_init(&wr, out, wr.len);
    fuzz_must(vod_wvtt_samples(cues, n, start, end, LIMIT, &wr, samples,
                               2 * CUES + 1, &written, &err) == VOD_OK);
    fuzz_must(written == n_samples && wr.len == wr.size);

    for (i = 0, pos = 0, time = 0; i < n_samples; i++) {
        fuzz_must(samples[i].pos == pos && samples[i].dur > 0);

        for (at = 0;
             (rc = vod_wvtt_next(out + pos, samples[i].size, &at, &cue)) == 1;
             /* void */)
        {
            fuzz_must(cue.text_len > 0);
        }

        fuzz_must(rc == 0 && at == samples[i].size);

        pos += samples[i].size;
        time += samples[i].dur;
    }

    fuzz_must(pos == wr.len && time == (uint64_t) (end - start));

    free(out);
}


/* a segment is a file: what is read of it is what went into it */

static void
check_segment(const vod_text_reader_t *from, uint32_t n)
{
    char               *out, *room;
    uint32_t            i;
    vod_wr_t            wr, header;
    vod_cue_t           cue;
    vod_text_reader_t   reader;

    vod_wr_init(&wr, NULL, 0);
    vod_vtt_write(&wr, from->header, from->header_len, cues, n);

    out = malloc(wr.len);
    fuzz_must(out != NULL);

    vod_wr_init(&wr, out, wr.len);
    vod_vtt_write(&wr, from->header, from->header_len, cues, n);
    fuzz_must(!wr.overflow && wr.len == wr.size);

    fuzz_must(vod_text_format(out, wr.len) == VOD_TEXT_VTT);
    vod_text_open(&reader, VOD_TEXT_VTT, out, wr.len);

    vod_wr_init(&header, NULL, 0);
    vod_vtt_header(&header, from->header, from->header_len);
    fuzz_must(same(reader.header, reader.header_len,
                   out + (reader.header - out), header.len));

    for (i = 0; i < n; i++) {
        fuzz_must(vod_text_next(&reader, &cue));
        fuzz_must(cue.start == cues[i].start && cue.end == cues[i].end);

        fuzz_must(convert(&cue, &room));
        fuzz_must(same(cue.text, cue.text_len, cues[i].text,
                       cues[i].text_len));
        fuzz_must(same(cue.settings, cue.settings_len, cues[i].settings,
                       cues[i].settings_len));
        fuzz_must(same(cue.id, cue.id_len, cues[i].id, cues[i].id_len));
        free(room);
    }

    fuzz_must(!vod_text_next(&reader, &cue) && reader.damaged == 0);

    free(out);
}


static void
check_all(const vod_text_reader_t *reader, uint32_t n)
{
    uint32_t  i;

    vod_text_sort(cues, n);

    for (i = 1; i < n; i++) {
        fuzz_must(cues[i - 1].start <= cues[i].start);
    }

    check_segment(reader, n);

    check_samples(n, 0, 6000);

    if (n) {
        check_samples(n, cues[n / 2].start, cues[n / 2].end);
    }
}


static void
file(unsigned format, const uint8_t *data, size_t size)
{
    char               *text, *room;
    size_t              len;
    uint32_t            i, n;
    vod_text_reader_t   reader;

    len = vod_text_utf8(data, size, NULL, 0);
    fuzz_must(len <= vod_text_utf8_bound(size));

    text = malloc(len ? len : 1);
    fuzz_must(text != NULL);
    fuzz_must(vod_text_utf8(data, size, text, len) == len);

    vod_text_open(&reader, format ? format : vod_text_format(text, len), text,
                  len);

    for (n = 0; n < CUES && vod_text_next(&reader, &cues[n]); /* void */) {
        fuzz_must(cues[n].start >= 0 && cues[n].start < cues[n].end);
        n += (uint32_t) convert(&cues[n], &room);
    }

    check_all(&reader, n);

    for (i = 0; i < n; i++) {
        free((void *) (uintptr_t) cues[i].text);
    }

    free(text);
}


/* private data and samples, each with its length in front */

static void
container(unsigned format, const uint8_t *data, size_t size)
{
    char               *room;
    uint8_t             len, *copies[CUES + 1];
    uint32_t            i, n, made;
    vod_text_reader_t   reader;

    for (n = 0, made = 0; n <= CUES && size; n++) {
        fuzz_take(&data, &size, &len, 1);
        len = (uint8_t) (len < size ? len : size);

        copies[n] = fuzz_copy(data, len);
        data += len;
        size -= len;

        if (n == 0) {
            vod_text_open(&reader, format, (const char *) copies[0], len);
            continue;
        }

        if (vod_text_sample(&reader, copies[n], len, &cues[made])) {
            cues[made].start = len * 100;
            cues[made].end = len * 100 + 1 + (made & 1) * 10000;
            made += (uint32_t) convert(&cues[made], &room);
        }
    }

    if (n) {
        check_all(&reader, made);
    }

    for (i = 0; i < made; i++) {
        free((void *) (uintptr_t) cues[i].text);
    }

    for (i = 0; i < n; i++) {
        free(copies[i]);
    }
}


static void
boxes(const uint8_t *data, size_t size)
{
    char         *room;
    size_t        at, last, len;
    uint32_t      n;
    uint8_t      *copy;
    vod_err_t     err;
    const char   *header;

    copy = fuzz_copy(data, size);
    at = 0;
    last = 0;

    for (n = 0; n < CUES && vod_wvtt_next(copy, size, &at, &again[n]) == 1;
         n++)
    {
        fuzz_must(at > last && at <= size);
        last = at;

        again[n].start = (int64_t) (n / 3);
        again[n].end = (int64_t) (n / 3 + 1);

        cues[n] = again[n];

        if (convert(&cues[n], &room)) {
            free(room);
        }
    }

    fuzz_must(vod_wvtt_join(again, n) <= n);

    if (vod_wvtt_header(copy, size, &header, &len, &err) == VOD_OK) {
        fuzz_must(len <= size);
        fuzz_must(len == 0 || (header > (char *) copy
                               && header + len <= (char *) copy + size));
    }

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t  what;

    fuzz_take(&data, &size, &what, 1);

    switch (what % 9) {

    case 0:
    case VOD_TEXT_VTT:
    case VOD_TEXT_SRT:
    case VOD_TEXT_ASS:
        file(what % 9, data, size);
        break;

    case 8:
        boxes(data, size);
        break;

    default:
        container(what % 9 - 3, data, size);
    }

    return 0;
}
