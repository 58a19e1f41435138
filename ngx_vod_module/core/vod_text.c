#include <string.h>

#include "vod_text_int.h"


#define VOD_TEXT_LOOK  64               /* lines that tell a format */


static void vod_text_sift(vod_cue_t *cues, uint32_t at, uint32_t n);


int
vod_text_line(const char **pos, const char *end, vod_text_piece_t *line)
{
    const char  *lf;

    if (*pos == end) {
        return 0;
    }

    lf = memchr(*pos, '\n', (size_t) (end - *pos));

    line->start = *pos;
    line->end = lf ? lf : end;
    *pos = lf ? lf + 1 : end;

    if (line->end > line->start && line->end[-1] == '\r') {
        line->end--;
    }

    return 1;
}


void
vod_text_trim(vod_text_piece_t *piece)
{
    while (piece->start < piece->end && vod_text_space(*piece->start)) {
        piece->start++;
    }

    while (piece->end > piece->start
           && (vod_text_space(piece->end[-1]) || piece->end[-1] == '\r'
               || piece->end[-1] == '\0'))
    {
        piece->end--;
    }
}


int
vod_text_field(const char **pos, const char *end, vod_text_piece_t *field)
{
    const char  *comma;

    if (*pos == NULL) {
        return 0;
    }

    comma = (*pos == end) ? NULL : memchr(*pos, ',', (size_t) (end - *pos));

    field->start = *pos;
    field->end = comma ? comma : end;
    *pos = comma ? comma + 1 : NULL;

    vod_text_trim(field);

    return 1;
}


int
vod_text_begins(const vod_text_piece_t *piece, const char *word)
{
    char         a, b;
    const char  *p;

    for (p = piece->start; *word; p++, word++) {

        if (p == piece->end) {
            return 0;
        }

        a = (*p >= 'A' && *p <= 'Z') ? (char) (*p | 0x20) : *p;
        b = (*word >= 'A' && *word <= 'Z') ? (char) (*word | 0x20) : *word;

        if (a != b) {
            return 0;
        }
    }

    return 1;
}


int
vod_text_is(const vod_text_piece_t *piece, const char *word)
{
    return vod_text_len(piece) == strlen(word) && vod_text_begins(piece, word);
}


int
vod_text_int(const vod_text_piece_t *piece)
{
    int          v, n, minus;
    const char  *p;

    p = piece->start;
    minus = (p < piece->end && *p == '-');
    p += minus;

    for (v = 0, n = 0; p < piece->end && vod_text_digit(*p) && n < 9; p++) {
        v = v * 10 + (*p - '0');
        n++;
    }

    return minus ? -v : v;
}


const char *
vod_text_arrow(const vod_text_piece_t *line)
{
    const char  *p;

    for (p = line->start; line->end - p >= 3; p++) {
        if (p[0] == '-' && p[1] == '-' && p[2] == '>') {
            return p;
        }
    }

    return NULL;
}


unsigned
vod_text_format(const char *text, size_t len)
{
    int64_t            start, end;
    unsigned           n;
    const char        *pos, *last;
    vod_text_piece_t   line;

    last = len ? text + len : text;

    /* WebVTT, 6.1: a blank or the end of the line behind the signature */

    if (len >= 6 && memcmp(text, "WEBVTT", 6) == 0
        && (len == 6 || vod_text_space(text[6]) || text[6] == '\n'
            || text[6] == '\r'))
    {
        return VOD_TEXT_VTT;
    }

    for (pos = text, n = 0;
         n < VOD_TEXT_LOOK && vod_text_line(&pos, last, &line);
         n++)
    {
        vod_text_trim(&line);

        if (vod_text_is(&line, "[Script Info]")
            || vod_text_is(&line, "[V4+ Styles]")
            || vod_text_is(&line, "[V4 Styles]")
            || vod_text_is(&line, "[Events]"))
        {
            return VOD_TEXT_ASS;
        }

        if (vod_text_srt_times(&line, &start, &end) == 1) {
            return VOD_TEXT_SRT;
        }
    }

    return 0;
}


void
vod_text_cue_init(vod_text_reader_t *reader, vod_cue_t *cue)
{
    memset(cue, 0, sizeof(vod_cue_t));

    cue->number = reader->number;
    cue->format = (uint8_t) reader->format;
    cue->source = VOD_TEXT_NO_SOURCE;
}


void
vod_text_open(vod_text_reader_t *reader, unsigned format, const char *text,
    size_t len)
{
    memset(reader, 0, sizeof(vod_text_reader_t));

    /* nothing may be NULL, which C does not let us add 0 to */

    reader->pos = len ? text : "";
    reader->end = reader->pos + len;
    reader->format = format;

    switch (format) {

    case VOD_TEXT_VTT:
        vod_text_vtt_open(reader);
        break;

    case VOD_TEXT_ASS:
        vod_text_ass_open(reader);
        break;

    case VOD_TEXT_TX3G:
        vod_text_tx3g_open(reader);
        break;
    }
}


int
vod_text_next(vod_text_reader_t *reader, vod_cue_t *cue)
{
    int  rc;

    for ( ;; ) {
        vod_text_cue_init(reader, cue);

        switch (reader->format) {

        case VOD_TEXT_VTT:
            rc = vod_text_vtt_next(reader, cue);
            break;

        case VOD_TEXT_SRT:
            rc = vod_text_srt_next(reader, cue);
            break;

        case VOD_TEXT_ASS:
            rc = vod_text_ass_next(reader, cue);
            break;

        default:
            return 0;
        }

        if (rc == 0) {
            return 0;
        }

        if (rc > 0 && cue->end > cue->start) {
            reader->number++;
            return 1;
        }

        reader->damaged++;
    }
}


int
vod_text_sample(vod_text_reader_t *reader, const void *data, size_t len,
    vod_cue_t *cue)
{
    int  rc;

    vod_text_cue_init(reader, cue);

    switch (reader->format) {

    case VOD_TEXT_ASS:
        rc = vod_text_ass_block(reader, data, len, cue);
        break;

    case VOD_TEXT_TX3G:
        rc = vod_text_tx3g_sample(reader, data, len, cue);
        break;

    default:
        cue->text = data;

        while (len && cue->text[len - 1] == '\0') {
            len--;
        }

        cue->text_len = len;
        rc = (len != 0);
    }

    reader->number += (rc > 0);
    reader->damaged += (rc < 0);

    return rc > 0;
}


static int
vod_text_before(const vod_cue_t *a, const vod_cue_t *b)
{
    if (a->start != b->start) {
        return a->start < b->start;
    }

    if (a->layer != b->layer) {
        return a->layer < b->layer;
    }

    return a->number < b->number;
}


/* most files are in order already; the others by a heap, which needs no room */

void
vod_text_sort(vod_cue_t *cues, uint32_t n)
{
    uint32_t   i;
    vod_cue_t  cue;

    for (i = 1; i < n; i++) {
        if (vod_text_before(&cues[i], &cues[i - 1])) {
            break;
        }
    }

    if (i >= n) {
        return;
    }

    for (i = n / 2; i > 0; i--) {
        vod_text_sift(cues, i - 1, n);
    }

    for (i = n - 1; i > 0; i--) {
        cue = cues[0];
        cues[0] = cues[i];
        cues[i] = cue;

        vod_text_sift(cues, 0, i);
    }
}


static void
vod_text_sift(vod_cue_t *cues, uint32_t at, uint32_t n)
{
    uint64_t   child;
    vod_cue_t  cue;

    cue = cues[at];

    for ( ;; ) {
        child = 2 * (uint64_t) at + 1;

        if (child >= n) {
            break;
        }

        if (child + 1 < n
            && vod_text_before(&cues[child], &cues[child + 1]))
        {
            child++;
        }

        if (!vod_text_before(&cue, &cues[child])) {
            break;
        }

        cues[at] = cues[child];
        at = (uint32_t) child;
    }

    cues[at] = cue;
}
