#include <string.h>

#include "vod_rd.h"
#include "vod_text_int.h"


#define VOD_TX3G_BOLD       0x01        /* face-style-flags (5.17.1.2) */
#define VOD_TX3G_ITALIC     0x02
#define VOD_TX3G_UNDERLINE  0x04

#define VOD_TX3G_FORCED     0x80000000u /* QuickTime: all samples are forced */


static unsigned
vod_tx3g_face(unsigned face)
{
    return (face & VOD_TX3G_BOLD ? VOD_TEXT_BOLD : 0u)
           | (face & VOD_TX3G_ITALIC ? VOD_TEXT_ITALIC : 0u)
           | (face & VOD_TX3G_UNDERLINE ? VOD_TEXT_UNDERLINE : 0u);
}


/*
 * TextSampleEntry (3GPP TS 26.245, 5.16): displayFlags, justification and
 * background, the default box, the default style.
 */

void
vod_text_tx3g_open(vod_text_reader_t *reader)
{
    uint32_t  flags;
    unsigned  face;
    vod_rd_t  rd;

    vod_rd_init(&rd, reader->pos, (uint64_t) (reader->end - reader->pos));
    reader->pos = reader->end;

    vod_rd_skip(&rd, 8 + 8);
    flags = vod_rd_u32(&rd);
    vod_rd_skip(&rd, 2 + 4 + 8);
    vod_rd_skip(&rd, 2 + 2 + 2);            /* startChar, endChar, font-ID */
    face = vod_rd_u8(&rd);

    if (!rd.failed) {
        reader->style = (uint8_t) vod_tx3g_face(face);
        reader->forced = (flags & VOD_TX3G_FORCED) != 0;
    }
}


/* the boxes behind a sample's text: the one of this type, or an empty one */

static vod_rd_t
vod_tx3g_box(vod_rd_t rd, uint32_t type, int *found)
{
    vod_rd_box_t  box;

    *found = 0;

    while (vod_rd_box(&rd, &box) == 1) {
        if (box.type == type) {
            *found = 1;
            return box.body;
        }
    }

    vod_rd_init(&rd, NULL, 0);

    return rd;
}


int
vod_text_tx3g_sample(vod_text_reader_t *reader, const char *data, size_t len,
    vod_cue_t *cue)
{
    int       found;
    uint64_t  text;
    vod_rd_t  rd;

    vod_rd_init(&rd, data, len);
    text = vod_rd_u16(&rd);
    vod_rd_skip(&rd, text);

    if (rd.failed) {
        return -1;
    }

    if (text == 0) {
        return 0;
    }

    (void) vod_tx3g_box(rd, vod_fourcc('f', 'r', 'c', 'd'), &found);

    cue->text = data;
    cue->text_len = len;
    cue->style = reader->style;
    cue->forced = (uint8_t) (found || reader->forced);

    return 1;
}


/* style records of a sample, in the order of the characters (5.17.1.1) */

typedef struct {
    vod_rd_t  rd;
    unsigned  left;
    unsigned  from, to, style;
} vod_tx3g_styles_t;


static void
vod_tx3g_next(vod_tx3g_styles_t *s)
{
    s->from = 0;
    s->to = 0;
    s->style = 0;

    if (s->left == 0) {
        return;
    }

    s->left--;

    s->from = vod_rd_u16(&s->rd);
    s->to = vod_rd_u16(&s->rd);
    vod_rd_skip(&s->rd, 2);
    s->style = vod_tx3g_face(vod_rd_u8(&s->rd));
    vod_rd_skip(&s->rd, 5);                 /* font-size, colour */

    if (s->rd.failed) {
        s->left = 0;
        s->to = 0;
    }
}


/* endChar is that behind the last one the style is for */

static unsigned
vod_tx3g_style(vod_tx3g_styles_t *s, unsigned at, unsigned style)
{
    while (s->left && s->to <= at) {
        vod_tx3g_next(s);
    }

    return at >= s->from && at < s->to ? s->style : style;
}


static void
vod_tx3g_utf16(vod_text_out_t *out, const vod_cue_t *cue, const uint8_t *p,
    const uint8_t *end, vod_tx3g_styles_t *s)
{
    int       little;
    char      text[4];
    uint32_t  c, last;
    unsigned  at, n;

    little = (p[0] == 0xff);
    last = 0;

    for (p += 2, at = 0; p < end; at++, last = c) {

        c = vod_text_utf16_next(&p, end, little);

        if (c == '\n' && last == '\r') {
            continue;
        }

        n = vod_text_encode(c, text);

        out->style = vod_tx3g_style(s, at, cue->style);
        (void) vod_text_put(out, text, text + n);
    }
}


/*
 * The text is UTF-8, or UTF-16 where it begins with a byte order mark, which
 * counts for none (5.17.1.1).
 */

void
vod_text_put_tx3g(vod_text_out_t *out, const vod_cue_t *cue)
{
    int                 found;
    uint64_t            len;
    unsigned            at;
    vod_rd_t            rd;
    const char         *p, *end;
    const uint8_t      *text;
    vod_tx3g_styles_t   s;

    vod_rd_init(&rd, cue->text, cue->text_len);
    len = vod_rd_u16(&rd);
    text = vod_rd_bytes(&rd, len);

    if (text == NULL) {
        return;
    }

    memset(&s, 0, sizeof(vod_tx3g_styles_t));
    s.rd = vod_tx3g_box(rd, vod_fourcc('s', 't', 'y', 'l'), &found);
    s.left = found ? vod_rd_u16(&s.rd) : 0;

    if (len >= 2 && ((text[0] == 0xff && text[1] == 0xfe)
                     || (text[0] == 0xfe && text[1] == 0xff)))
    {
        vod_tx3g_utf16(out, cue, text, text + len, &s);
        return;
    }

    p = (const char *) text;

    for (end = p + len, at = 0; p < end; at++) {
        out->style = vod_tx3g_style(&s, at, cue->style);
        p = vod_text_put(out, p, end);
    }
}
