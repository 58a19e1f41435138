#include <string.h>

#include "vod_text_int.h"


static void vod_text_tag(vod_text_out_t *out, const vod_text_piece_t *tag,
    unsigned style, int *drawing);


static char
vod_text_letter(unsigned style)
{
    return style == VOD_TEXT_ITALIC ? 'i' : style == VOD_TEXT_BOLD ? 'b' : 'u';
}


/* closes down to the outermost that no longer holds */

static void
vod_text_close(vod_text_out_t *out, unsigned style)
{
    unsigned  keep;

    for (keep = 0; keep < out->n_open; keep++) {
        if (!(out->open[keep] & style)) {
            break;
        }
    }

    while (out->n_open > keep) {
        out->n_open--;

        vod_wr_str(&out->wr, "</");
        vod_wr_u8(&out->wr,
                  (uint8_t) vod_text_letter(out->open[out->n_open]));
        vod_wr_u8(&out->wr, '>');
    }
}


static void
vod_text_reopen(vod_text_out_t *out, unsigned style)
{
    unsigned  i, bit;

    for (i = 0; i < out->n_open; i++) {
        style &= ~(unsigned) out->open[i];
    }

    for (bit = VOD_TEXT_ITALIC; bit <= VOD_TEXT_UNDERLINE; bit <<= 1) {

        if (style & bit) {
            vod_wr_u8(&out->wr, '<');
            vod_wr_u8(&out->wr, (uint8_t) vod_text_letter(bit));
            vod_wr_u8(&out->wr, '>');

            out->open[out->n_open++] = (uint8_t) bit;
        }
    }
}


/* an empty line would end the cue: a no-break space keeps its place */

static void
vod_text_flush(vod_text_out_t *out)
{
    vod_text_close(out, out->style);

    if (out->written) {

        while (out->lines > 1) {
            vod_wr_str(&out->wr, "\n" VOD_TEXT_NBSP);
            out->lines--;
        }

        if (out->lines) {
            vod_wr_u8(&out->wr, '\n');
            out->dashes = 0;
        }
    }

    if (out->blanks) {
        out->dashes = 0;
    }

    for ( /* void */ ; out->blanks; out->blanks--) {
        vod_wr_u8(&out->wr, ' ');
    }

    out->lines = 0;
    out->written = 1;

    vod_text_reopen(out, out->style);
}


static void
vod_text_put_char(vod_text_out_t *out, const char *p, unsigned n)
{
    vod_text_flush(out);

    if (*p == '>' && (!out->raw || out->dashes >= 2)) {
        vod_wr_str(&out->wr, "&gt;");

    } else if (*p == '&' && !out->raw) {
        vod_wr_str(&out->wr, "&amp;");

    } else if (*p == '<' && !out->raw) {
        vod_wr_str(&out->wr, "&lt;");

    } else if (n == 0 || *p == '\0') {
        vod_wr_str(&out->wr, VOD_TEXT_BAD);

    } else {
        vod_wr_bytes(&out->wr, p, n);
    }

    out->dashes = (*p == '-') ? out->dashes + 1 : 0;

    if (n != 2 || memcmp(p, VOD_TEXT_NBSP, 2) != 0) {
        out->seen = 1;
    }
}


void
vod_text_break(vod_text_out_t *out)
{
    out->lines++;
    out->blanks = 0;
}


const char *
vod_text_put(vod_text_out_t *out, const char *p, const char *end)
{
    unsigned  n;

    switch (*p) {

    case '\r':
        if (end - p > 1 && p[1] == '\n') {
            return p + 1;
        }

        /* fall through */

    case '\n':
        vod_text_break(out);
        return p + 1;

    case ' ':
    case '\t':
        out->blanks++;
        return p + 1;
    }

    n = vod_text_char(p, end);
    vod_text_put_char(out, p, n);

    return p + (n ? n : 1);
}


void
vod_text_finish(vod_text_out_t *out)
{
    vod_text_close(out, 0);
}


int
vod_text_override(vod_text_out_t *out, const char **p, const char *end,
    unsigned style, int *drawing)
{
    int                deep;
    const char        *q, *close;
    vod_text_piece_t   tag;

    if (out->endless) {
        return 0;
    }

    close = memchr(*p, '}', (size_t) (end - *p));

    if (close == NULL) {
        out->endless = 1;
        return 0;
    }

    /* what stands in parentheses, \t(...) above all, is another time's */

    tag.start = NULL;

    for (q = *p + 1, deep = 0; q <= close; q++) {

        if (q < close && (*q == '(' || *q == ')')) {
            deep += (*q == '(') ? 1 : -1;
        }

        if (q < close && (deep > 0 || *q != '\\')) {
            continue;
        }

        if (tag.start) {
            tag.end = q;
            vod_text_tag(out, &tag, style, drawing);
        }

        tag.start = q + 1;
    }

    *p = close + 1;

    return 1;
}


/* the number of a tag: -1 where there is none, -2 where it is another tag */

static int
vod_text_value(const vod_text_piece_t *tag, size_t name)
{
    const char        *p;
    vod_text_piece_t   value;

    value.start = tag->start + name;
    value.end = tag->end;

    vod_text_trim(&value);

    if (value.start == value.end) {
        return -1;
    }

    for (p = value.start; p < value.end; p++) {
        if (!vod_text_digit(*p)) {
            return -2;
        }
    }

    return vod_text_int(&value);
}


static void
vod_text_toggle(vod_text_out_t *out, int value, unsigned bit, unsigned style)
{
    unsigned  on;

    if (value == -2) {
        return;
    }

    /* \b says the weight, too: 700 is bold */

    on = (value == -1) ? (style & bit)
                       : (value == 1 || (bit == VOD_TEXT_BOLD && value >= 600));

    out->style = on ? out->style | bit : out->style & ~bit;
}


static void
vod_text_tag(vod_text_out_t *out, const vod_text_piece_t *tag, unsigned style,
    int *drawing)
{
    int  v;

    if (tag->start == tag->end) {
        return;
    }

    switch (*tag->start) {

    case 'i':
        vod_text_toggle(out, vod_text_value(tag, 1), VOD_TEXT_ITALIC, style);
        break;

    case 'b':
        vod_text_toggle(out, vod_text_value(tag, 1), VOD_TEXT_BOLD, style);
        break;

    case 'u':
        vod_text_toggle(out, vod_text_value(tag, 1), VOD_TEXT_UNDERLINE,
                        style);
        break;

    case 'r':
        out->style = style;
        break;

    case 'p':
        v = vod_text_value(tag, 1);
        *drawing = (v >= -1) ? v > 0 : *drawing;
        break;

    case 'a':
        /* of several the first one counts */

        if (out->align) {
            break;
        }

        if (vod_text_begins(tag, "an")) {
            v = vod_text_value(tag, 2);
            out->align = vod_text_align(v, 0);

        } else {
            v = vod_text_value(tag, 1);
            out->align = vod_text_align(v, 1);
        }
    }
}
