/*
 * Between the files of vod_text*.c.
 */

#ifndef _VOD_TEXT_INT_H_INCLUDED_
#define _VOD_TEXT_INT_H_INCLUDED_

#include "vod_text.h"
#include "vod_wr.h"


#define VOD_TEXT_NBSP  "\302\240"       /* U+00A0 */
#define VOD_TEXT_BAD   "\357\277\275"   /* U+FFFD */


/* a piece of text: a line without its end, a field */
typedef struct {
    const char  *start, *end;
} vod_text_piece_t;

#define vod_text_len(p)    ((size_t) ((p)->end - (p)->start))
#define vod_text_space(c)  ((c) == ' ' || (c) == '\t' || (c) == '\f')
#define vod_text_digit(c)  ((c) >= '0' && (c) <= '9')


/* the next line, ended by LF or CR LF: 1, or 0 where there is none left */
int vod_text_line(const char **pos, const char *end, vod_text_piece_t *line);

/* takes blanks (and NUL) off both ends */
void vod_text_trim(vod_text_piece_t *piece);

/* what stands before the next comma, trimmed; 0 where no more fields are */
int vod_text_field(const char **pos, const char *end,
    vod_text_piece_t *field);

/* begins with word, whatever the case of its letters */
int vod_text_begins(const vod_text_piece_t *piece, const char *word);

/* is word, whatever the case of its letters */
int vod_text_is(const vod_text_piece_t *piece, const char *word);

/* a decimal, perhaps with a sign; 0 where there is none; at most 9 digits */
int vod_text_int(const vod_text_piece_t *piece);

/* where "-->" stands, or NULL */
const char *vod_text_arrow(const vod_text_piece_t *line);

/*
 * A time at *pos, which moves on: 1, or 0 where none stands there.  WebVTT's
 * are strict (6.1 of WebVTT, "collect a WebVTT timestamp"); others may lack
 * hours or the fraction, have blanks, a comma or a full stop.
 */
int vod_text_clock(const char **pos, const char *end, int strict,
    int64_t *ms);

/* bytes of the well-formed UTF-8 sequence at p (p < end), or 0 */
#define vod_text_char(p, end)  vod_wr_sequence(p, (uint64_t) ((end) - (p)))

/* c as UTF-8, at most 4 bytes, and their number; 0 as U+FFFD */
unsigned vod_text_encode(uint32_t c, char *out);

/* the next character of UTF-16 (in < end); what is none is U+FFFD */
uint32_t vod_text_utf16_next(const uint8_t **in, const uint8_t *end,
    int little);

/* what is not UTF-8, and NUL, as U+FFFD; CR LF and CR as LF */
void vod_text_clean(vod_wr_t *wr, const char *s, size_t len);

/* a cue without anything, of this reader's format, with its number */
void vod_text_cue_init(vod_text_reader_t *reader, vod_cue_t *cue);

void vod_text_vtt_open(vod_text_reader_t *reader);
int vod_text_vtt_next(vod_text_reader_t *reader, vod_cue_t *cue);
int vod_text_srt_next(vod_text_reader_t *reader, vod_cue_t *cue);

/* whether a line is that with an SRT cue's times: 1, 0; -1 damaged ones */
int vod_text_srt_times(const vod_text_piece_t *line, int64_t *start,
    int64_t *end);

void vod_text_ass_open(vod_text_reader_t *reader);
int vod_text_ass_next(vod_text_reader_t *reader, vod_cue_t *cue);
int vod_text_ass_block(vod_text_reader_t *reader, const char *data,
    size_t len, vod_cue_t *cue);

/*
 * Alignment as on a number pad, of ASS, or of SSA (legacy), which counts 1 to
 * 3 below, adds 4 above and 8 in the middle; 0 where it is none.
 */
unsigned vod_text_align(int align, int legacy);

void vod_text_tx3g_open(vod_text_reader_t *reader);
int vod_text_tx3g_sample(vod_text_reader_t *reader, const char *data,
    size_t len, vod_cue_t *cue);


/*
 * Cue text as it is written.  Ends of lines, blanks and changes of style are
 * held back until something follows that is seen.
 */
typedef struct {
    vod_wr_t  wr;
    unsigned  style;            /* VOD_TEXT_ITALIC... that holds from now on */
    unsigned  n_open;
    uint8_t   open[3];          /* as they are written, the outermost first */
    size_t    lines, blanks;    /* held back */
    unsigned  dashes;           /* written last */
    int       written;          /* something was */
    int       seen;             /* and it was no no-break space */
    int       endless;          /* no override ends from here on */
    unsigned  align;            /* of an override, 0 = none */
    int       raw;              /* the text is WebVTT already */
} vod_text_out_t;

/* the character at p (p < end); returns where the next one stands */
const char *vod_text_put(vod_text_out_t *out, const char *p,
    const char *end);

/* an end of line */
void vod_text_break(vod_text_out_t *out);

/* closes what is open */
void vod_text_finish(vod_text_out_t *out);

/*
 * Overrides of ASS at p ("{\..."), which p is moved behind; 0 where there is no
 * end to them.  style is that of the line's beginning; *drawing that of \p.
 */
int vod_text_override(vod_text_out_t *out, const char **p, const char *end,
    unsigned style, int *drawing);

void vod_text_put_srt(vod_text_out_t *out, const vod_cue_t *cue);
void vod_text_put_ass(vod_text_out_t *out, const vod_cue_t *cue);
void vod_text_put_tx3g(vod_text_out_t *out, const vod_cue_t *cue);

#endif /* _VOD_TEXT_INT_H_INCLUDED_ */
