#include <string.h>

#include "vod_text_int.h"


/*
 * SubStation Alpha: lines "Name: value" in sections; the Format line of a
 * section says which field of the others is what.  The last field of a Dialogue
 * is the text and may have commas.
 */

#define VOD_ASS_NONE  255

typedef struct {
    uint8_t  name, bold, italic, underline, align;
} vod_ass_format_t;


static const vod_ass_format_t  vod_ass_v4plus = { 0, 7, 8, 9, 18 };
static const vod_ass_format_t  vod_ass_v4 = { 0, 7, 8, VOD_ASS_NONE, 12 };


static void
vod_ass_events(vod_text_reader_t *reader, vod_text_piece_t format)
{
    uint8_t            i;
    vod_text_piece_t   field;

    reader->at_layer = VOD_ASS_NONE;
    reader->at_style = VOD_ASS_NONE;
    reader->at_start = VOD_ASS_NONE;
    reader->at_end = VOD_ASS_NONE;
    reader->at_text = VOD_ASS_NONE;

    for (i = 0;
         i < VOD_ASS_NONE && vod_text_field(&format.start, format.end, &field);
         i++)
    {
        if (vod_text_is(&field, "Layer")) {
            reader->at_layer = i;

        } else if (vod_text_is(&field, "Start")) {
            reader->at_start = i;

        } else if (vod_text_is(&field, "End")) {
            reader->at_end = i;

        } else if (vod_text_is(&field, "Style")) {
            reader->at_style = i;

        } else if (vod_text_is(&field, "Text")) {
            reader->at_text = i;
        }
    }
}


static void
vod_ass_format(vod_ass_format_t *at, vod_text_piece_t format)
{
    uint8_t            i;
    vod_text_piece_t   field;

    memset(at, VOD_ASS_NONE, sizeof(vod_ass_format_t));

    for (i = 0;
         i < VOD_ASS_NONE && vod_text_field(&format.start, format.end, &field);
         i++)
    {
        if (vod_text_is(&field, "Name")) {
            at->name = i;

        } else if (vod_text_is(&field, "Bold")) {
            at->bold = i;

        } else if (vod_text_is(&field, "Italic")) {
            at->italic = i;

        } else if (vod_text_is(&field, "Underline")) {
            at->underline = i;

        } else if (vod_text_is(&field, "Alignment")) {
            at->align = i;
        }
    }
}


unsigned
vod_text_align(int align, int legacy)
{
    if (!legacy) {
        return align >= 1 && align <= 9 ? (unsigned) align : 0;
    }

    if (align < 1 || align > 11 || align % 4 == 0) {
        return 0;
    }

    return (unsigned) (align % 4 + (align > 8 ? 3 : align > 4 ? 6 : 0));
}


static void
vod_ass_style(vod_text_reader_t *reader, const vod_ass_format_t *at,
    vod_text_piece_t line, int legacy)
{
    unsigned           i;
    vod_text_piece_t   field;
    vod_text_style_t  *style;

    if (reader->n_styles == VOD_TEXT_STYLES) {
        return;
    }

    style = &reader->styles[reader->n_styles];
    memset(style, 0, sizeof(vod_text_style_t));

    for (i = 0;
         i < VOD_ASS_NONE && vod_text_field(&line.start, line.end, &field);
         i++)
    {
        if (i == at->name) {
            style->name = field.start;
            style->len = vod_text_len(&field);

        } else if (i == at->bold && vod_text_int(&field)) {
            style->style |= VOD_TEXT_BOLD;

        } else if (i == at->italic && vod_text_int(&field)) {
            style->style |= VOD_TEXT_ITALIC;

        } else if (i == at->underline && vod_text_int(&field)) {
            style->style |= VOD_TEXT_UNDERLINE;

        } else if (i == at->align) {
            style->align = (uint8_t) vod_text_align(vod_text_int(&field),
                                                    legacy);
        }
    }

    reader->n_styles += (style->len != 0);
}


/* a line that begins with name: line becomes what stands behind it */

static int
vod_ass_named(vod_text_piece_t *line, const char *name)
{
    if (!vod_text_begins(line, name)) {
        return 0;
    }

    line->start += strlen(name);

    while (line->start < line->end && vod_text_space(*line->start)) {
        line->start++;
    }

    return 1;
}


void
vod_text_ass_open(vod_text_reader_t *reader)
{
    int                events, legacy;
    const char        *pos;
    vod_ass_format_t   at;
    vod_text_piece_t   line, format;

    format.start = "Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,"
                   "Effect,Text";
    format.end = format.start + strlen(format.start);

    vod_ass_events(reader, format);

    at = vod_ass_v4plus;
    events = 0;
    legacy = 0;

    for (pos = reader->pos; vod_text_line(&pos, reader->end, &line); ) {

        vod_text_trim(&line);

        if (vod_text_begins(&line, "[")) {
            events = vod_text_is(&line, "[Events]");

            if (vod_text_is(&line, "[V4 Styles]")) {
                at = vod_ass_v4;
                legacy = 1;
            }

        } else if (vod_ass_named(&line, "Format:")) {

            if (events) {
                vod_ass_events(reader, line);

            } else {
                vod_ass_format(&at, line);
            }

        } else if (vod_ass_named(&line, "Style:")) {
            vod_ass_style(reader, &at, line, legacy);
        }
    }
}


/* later styles of a name replace earlier ones; a name may have a star before */

static void
vod_ass_apply(const vod_text_reader_t *reader, vod_text_piece_t name,
    vod_cue_t *cue)
{
    uint32_t                 i;
    const vod_text_style_t  *style;

    if (name.start < name.end && *name.start == '*') {
        name.start++;
    }

    for (i = reader->n_styles; i > 0; i--) {
        style = &reader->styles[i - 1];

        if (style->len == vod_text_len(&name)
            && memcmp(style->name, name.start, style->len) == 0)
        {
            cue->style = style->style;
            cue->align = style->align;
            return;
        }
    }
}


static int
vod_ass_dialogue(vod_text_reader_t *reader, vod_text_piece_t line,
    vod_cue_t *cue)
{
    int                layer, found;
    unsigned           i;
    const char        *p;
    vod_text_piece_t   field;

    found = 0;

    for (i = 0;
         i < reader->at_text
         && vod_text_field(&line.start, line.end, &field);
         i++)
    {
        p = field.start;

        if (i == reader->at_layer) {
            layer = vod_text_int(&field);
            cue->layer = layer > 0 ? (uint32_t) layer : 0;

        } else if (i == reader->at_start) {
            found += vod_text_clock(&p, field.end, 0, &cue->start);

        } else if (i == reader->at_end) {
            found += vod_text_clock(&p, field.end, 0, &cue->end);

        } else if (i == reader->at_style) {
            vod_ass_apply(reader, field, cue);
        }
    }

    if (found != 2 || i != reader->at_text || line.start == NULL) {
        return -1;
    }

    cue->text = line.start;
    cue->text_len = vod_text_len(&line);

    return 1;
}


int
vod_text_ass_next(vod_text_reader_t *reader, vod_cue_t *cue)
{
    vod_text_piece_t  line;

    while (vod_text_line(&reader->pos, reader->end, &line)) {

        if (vod_ass_named(&line, "Dialogue:")) {
            return vod_ass_dialogue(reader, line, cue);
        }
    }

    return 0;
}


/*
 * Matroska's codec mapping of S_TEXT/ASS and SSA: the times are those of the
 * block, and the fields are always ReadOrder, Layer, Style, Name, MarginL,
 * MarginR, MarginV, Effect, Text.
 */

int
vod_text_ass_block(vod_text_reader_t *reader, const char *data, size_t len,
    vod_cue_t *cue)
{
    int                layer;
    unsigned           i;
    vod_text_piece_t   line, field;

    line.start = len ? data : "";
    line.end = line.start + len;

    vod_text_trim(&line);

    for (i = 0; i < 8 && vod_text_field(&line.start, line.end, &field); i++) {

        if (i == 1) {
            layer = vod_text_int(&field);
            cue->layer = layer > 0 ? (uint32_t) layer : 0;

        } else if (i == 2) {
            vod_ass_apply(reader, field, cue);
        }
    }

    if (i != 8 || line.start == NULL) {
        return -1;
    }

    cue->text = line.start;
    cue->text_len = vod_text_len(&line);

    return cue->text_len != 0;
}
