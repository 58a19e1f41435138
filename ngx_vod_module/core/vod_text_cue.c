#include <string.h>

#include "vod_text_int.h"


typedef struct {
    const char  *name;
    unsigned     style;
    unsigned     line;          /* 1 = ends one */
} vod_text_html_t;


static const vod_text_html_t  vod_text_html[] = {
    { "b", VOD_TEXT_BOLD, 0 },
    { "br", 0, 1 },
    { "center", 0, 0 },
    { "div", 0, 0 },
    { "em", VOD_TEXT_ITALIC, 0 },
    { "font", 0, 0 },
    { "i", VOD_TEXT_ITALIC, 0 },
    { "p", 0, 0 },
    { "s", 0, 0 },
    { "small", 0, 0 },
    { "span", 0, 0 },
    { "strike", 0, 0 },
    { "strong", VOD_TEXT_BOLD, 0 },
    { "tt", 0, 0 },
    { "u", VOD_TEXT_UNDERLINE, 0 }
};

static const char  vod_text_nbsp[] = VOD_TEXT_NBSP;

#define VOD_TEXT_HTML  (sizeof(vod_text_html) / sizeof(vod_text_html[0]))


/* the tag at p ("<"), which is moved behind it; NULL where none stands there */

static const vod_text_html_t *
vod_text_html_tag(const char **p, const char *end, int *closing)
{
    unsigned           i;
    const char        *q;
    vod_text_piece_t   name;

    q = *p + 1;
    *closing = (q < end && *q == '/');
    q += *closing;

    name.start = q;

    while (q < end && ((*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z'))) {
        q++;
    }

    name.end = q;

    if (q == end || (*q != '>' && *q != '/' && !vod_text_space(*q))) {
        return NULL;
    }

    while (q < end && *q != '>' && *q != '<' && *q != '\n') {
        q++;
    }

    if (q == end || *q != '>') {
        return NULL;
    }

    for (i = 0; i < VOD_TEXT_HTML; i++) {
        if (vod_text_is(&name, vod_text_html[i].name)) {
            *p = q + 1;
            return &vod_text_html[i];
        }
    }

    return NULL;
}


void
vod_text_put_srt(vod_text_out_t *out, const vod_cue_t *cue)
{
    int                     closing, drawing;
    size_t                  depth[VOD_TEXT_UNDERLINE + 1];
    const char             *p, *end;
    const vod_text_html_t  *tag;

    memset(depth, 0, sizeof(depth));
    drawing = 0;

    for (p = cue->text, end = p + cue->text_len; p < end; /* void */) {

        if (*p == '{' && end - p > 1 && p[1] == '\\'
            && vod_text_override(out, &p, end, 0, &drawing))
        {
            continue;
        }

        tag = (*p == '<') ? vod_text_html_tag(&p, end, &closing) : NULL;

        if (tag == NULL) {
            p = vod_text_put(out, p, end);
            continue;
        }

        if (tag->line) {
            vod_text_break(out);
            continue;
        }

        /* tags of a kind stand within each other, some end and never began */

        if (closing) {
            depth[tag->style] -= (depth[tag->style] > 0);

        } else {
            depth[tag->style]++;
        }

        out->style = depth[tag->style] ? out->style | tag->style
                                       : out->style & ~tag->style;
    }
}


void
vod_text_put_ass(vod_text_out_t *out, const vod_cue_t *cue)
{
    int          drawing;
    const char  *p, *end;

    out->style = cue->style;
    drawing = 0;

    for (p = cue->text, end = p + cue->text_len; p < end; /* void */) {

        if (*p == '{'
            && vod_text_override(out, &p, end, cue->style, &drawing))
        {
            continue;
        }

        if (drawing) {
            p++;
            continue;
        }

        if (*p == '\\' && end - p > 1) {

            if (p[1] == 'N' || p[1] == 'n') {
                vod_text_break(out);
                p += 2;
                continue;
            }

            if (p[1] == 'h') {
                (void) vod_text_put(out, vod_text_nbsp, vod_text_nbsp + 2);
                p += 2;
                continue;
            }
        }

        p = vod_text_put(out, p, end);
    }
}


static void
vod_text_put_vtt(vod_text_out_t *out, const vod_cue_t *cue)
{
    const char  *p, *end;

    out->raw = 1;

    for (p = cue->text, end = p + cue->text_len; p < end; /* void */) {
        p = vod_text_put(out, p, end);
    }
}


/* the settings of WebVTT, 4.4 to 4.9; others would be passed over there */

static int
vod_text_setting(const vod_text_piece_t *token)
{
    unsigned                  i;
    static const char *const  names[] = {
        "vertical:", "line:", "position:", "size:", "align:", "region:"
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        if (vod_text_begins(token, names[i])) {
            return vod_text_len(token) > strlen(names[i])
                   && vod_text_arrow(token) == NULL;
        }
    }

    return 0;
}


static void
vod_text_settings(vod_wr_t *wr, const vod_cue_t *cue)
{
    int                n;
    const char        *p, *end;
    vod_text_piece_t   token;

    n = 0;

    for (p = cue->settings, end = p + cue->settings_len; p < end; /* void */) {

        if (vod_text_space(*p) || *p == '\n' || *p == '\r') {
            p++;
            continue;
        }

        token.start = p;

        while (p < end && !vod_text_space(*p) && *p != '\n' && *p != '\r') {
            p++;
        }

        token.end = p;

        if (vod_text_setting(&token)) {

            if (n++) {
                vod_wr_u8(wr, ' ');
            }

            vod_text_clean(wr, token.start, vod_text_len(&token));
        }
    }
}


/* 2, in the middle below, is what WebVTT does by itself */

static void
vod_text_alignment(vod_wr_t *wr, unsigned align)
{
    unsigned  row, column;

    row = (align - 1) / 3;
    column = (align - 1) % 3;

    if (row) {
        vod_wr_str(wr, row == 1 ? "line:50%" : "line:0");
    }

    if (column != 1) {
        vod_wr_str(wr, row ? " " : "");
        vod_wr_str(wr, column ? "align:right" : "align:left");
    }
}


static void
vod_text_identifier(vod_wr_t *wr, const vod_cue_t *cue)
{
    const char        *pos;
    vod_text_piece_t   line;

    pos = cue->id;

    if (cue->id_len && vod_text_line(&pos, pos + cue->id_len, &line)
        && vod_text_arrow(&line) == NULL)
    {
        vod_text_clean(wr, line.start, vod_text_len(&line));
    }
}


static void
vod_text_body(vod_text_out_t *out, const vod_cue_t *cue)
{
    if (cue->text_len == 0) {
        return;
    }

    switch (cue->format) {

    case VOD_TEXT_SRT:
        vod_text_put_srt(out, cue);
        break;

    case VOD_TEXT_ASS:
        vod_text_put_ass(out, cue);
        break;

    case VOD_TEXT_TX3G:
        vod_text_put_tx3g(out, cue);
        break;

    case VOD_TEXT_VTT:
        vod_text_put_vtt(out, cue);
        break;
    }

    vod_text_finish(out);
}


size_t
vod_text_cue(vod_cue_t *cue, char *start, size_t room)
{
    size_t           text, settings;
    unsigned         align;
    vod_text_out_t   out;

    memset(&out, 0, sizeof(vod_text_out_t));
    vod_wr_init(&out.wr, start, room);

    vod_text_body(&out, cue);

    if (!out.seen) {
        return 0;
    }

    text = (size_t) out.wr.len;
    align = out.align ? out.align : cue->align;

    if (cue->settings_len) {
        vod_text_settings(&out.wr, cue);

    } else if (align) {
        vod_text_alignment(&out.wr, align);
    }

    settings = (size_t) out.wr.len - text;

    vod_text_identifier(&out.wr, cue);

    if (start == NULL || out.wr.overflow) {
        return 0;
    }

    cue->text = start;
    cue->text_len = text;
    cue->settings = start + text;
    cue->settings_len = settings;
    cue->id = start + text + settings;
    cue->id_len = (size_t) out.wr.len - text - settings;
    cue->format = VOD_TEXT_VTT;
    cue->style = 0;
    cue->align = 0;

    return (size_t) out.wr.len;
}
