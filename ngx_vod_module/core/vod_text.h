/*
 * Subtitles as text: WebVTT (W3C, 6), SubRip (SRT), SubStation Alpha (SSA,
 * ASS) and the samples of 3GPP timed text (tx3g; 3GPP TS 26.245, 5.17), read
 * as they come, and their markup made that of WebVTT.
 *
 * The order of things: vod_text_utf8() makes of a file's bytes the text that
 * the others read; vod_text_format() says what it is; a reader gives its cues
 * one by one; vod_text_cue() makes a cue's text, settings and name those of
 * WebVTT.  Samples that a container holds (Matroska's blocks, tx3g) go to
 * vod_text_sample() instead of vod_text_next().
 *
 * Nothing is allocated: texts point into what the caller gave.  Whatever the
 * bytes are, the work done is proportional to their number.
 */

#ifndef _VOD_TEXT_H_INCLUDED_
#define _VOD_TEXT_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>

#include "vod_err.h"


#define VOD_TEXT_VTT         1
#define VOD_TEXT_SRT         2
#define VOD_TEXT_ASS         3          /* SSA, too */
#define VOD_TEXT_TX3G        4          /* as samples alone */

/* room that vod_text_utf8() needs for len bytes */
#define vod_text_utf8_bound(len)    (3 * (size_t) (len) + 3)

/* room that vod_text_cue() needs for a cue */
#define vod_text_cue_bound(cue)                                               \
    (6 * ((cue)->text_len + (cue)->settings_len + (cue)->id_len) + 128)

#define VOD_TEXT_ITALIC      0x01
#define VOD_TEXT_BOLD        0x02
#define VOD_TEXT_UNDERLINE   0x04

#define VOD_TEXT_NO_SOURCE   0xffffffffu

#define VOD_TEXT_STYLES      64         /* of one ASS file; more are plain */


/*
 * One cue.  start < end, milliseconds of the file's own time.  Texts are UTF-8
 * and not terminated; NULL or of length 0 where there are none.
 */
typedef struct {
    int64_t      start, end;
    const char  *id;            /* WebVTT's identifier; SRT's counter is none */
    size_t       id_len;
    const char  *settings;      /* as WebVTT has them */
    size_t       settings_len;
    const char  *text;          /* in the source's markup */
    size_t       text_len;
    uint32_t     number;        /* in the file, from 0: of equal starts the
                                   first comes first */
    uint32_t     layer;         /* ASS; 0 elsewhere */
    uint8_t      format;        /* VOD_TEXT_* of the markup */
    uint8_t      style;         /* VOD_TEXT_ITALIC..., what the text begins
                                   with (ASS style, tx3g entry) */
    uint8_t      align;         /* 1 to 9 as on a number pad, 0 = unsaid */
    uint8_t      forced;        /* tx3g: this one is, whatever the track */
    uint32_t     source;        /* wvtt: number of the cue it was cut from, or
                                   VOD_TEXT_NO_SOURCE */
    uint32_t     next;          /* vod_wvtt_samples()'s own */
} vod_cue_t;


typedef struct {
    const char  *name;
    size_t       len;
    uint8_t      style, align;
} vod_text_style_t;

typedef struct {
    const char  *pos, *end;
    unsigned     format;
    uint32_t     number;        /* of the next cue */
    uint32_t     damaged;       /* cues skipped: no time that can be read, end
                                   not behind start */

    /*
     * WebVTT: what stands between the first line and the first cue, for
     * vod_vtt_header().  NULL elsewhere.
     */
    const char  *header;
    size_t       header_len;

    /* ASS: which field of a Dialogue line is what, from 0; 255 = none */
    uint8_t      at_layer, at_start, at_end, at_style, at_text;

    /* tx3g: what the sample entry says of all samples */
    uint8_t      style, forced;

    uint32_t     n_styles;
    vod_text_style_t  styles[VOD_TEXT_STYLES];
} vod_text_reader_t;


/*
 * A file's bytes as UTF-8 with LF at the ends of lines, without a byte order
 * mark, NUL and what is not well formed become U+FFFD.  The bytes are UTF-8,
 * UTF-16 (LE, BE) by their byte order mark; without one UTF-16 where zeros
 * stand at every other place, UTF-8 where nearly all that is not ASCII is well
 * formed, and Windows-1252 else (WHATWG Encoding, 9.1).
 *
 * Returns the length.  out may be NULL to measure; what does not fit into room
 * is not written, and the length is more than room.
 */
size_t vod_text_utf8(const uint8_t *in, size_t len, char *out, size_t room);

/* VOD_TEXT_VTT, _SRT, _ASS; 0 where it is none of them */
unsigned vod_text_format(const char *text, size_t len);

/*
 * Begins to read a text of vod_text_utf8().  Of ASS the styles are read here,
 * of WebVTT the header.  text stays the caller's and has to stay.
 */
void vod_text_open(vod_text_reader_t *reader, unsigned format,
    const char *text, size_t len);

/*
 * The next cue in the order of the file: 1, or 0 at the end.  Cues are neither
 * sorted nor free of overlaps.  One that cannot be read, or does not end
 * behind its start, is counted in damaged and passed over.
 */
int vod_text_next(vod_text_reader_t *reader, vod_cue_t *cue);

/*
 * A cue of a container's sample; its times are the caller's to set, before or
 * behind.  The reader was opened with the container's private data (Matroska's
 * CodecPrivate for ASS and WebVTT; for tx3g the whole sample entry box, whose
 * default style and display flags count) or nothing.  Of ASS data is Matroska's
 * block (ReadOrder, Layer, Style, ... Text); of WebVTT and SRT the text of the
 * cue alone.  1, or 0 where nothing is shown (an empty tx3g sample) or it
 * cannot be read (damaged is raised).
 */
int vod_text_sample(vod_text_reader_t *reader, const void *data, size_t len,
    vod_cue_t *cue);

/*
 * Writes the cue's text as WebVTT cue text, its settings and its identifier to
 * out, points the cue there and makes it VOD_TEXT_VTT; out stays the caller's.
 *
 *   WebVTT     as it is
 *   SRT        i, b, u (em, strong) stay; font and the like go; {\an8} becomes
 *              settings; & < > are escaped
 *   ASS        {\i1 \b1 \u1 \r \an8 \a6} count, other overrides go; drawings
 *              (\p1) go; \N \n are new lines, \h is a no-break space
 *   tx3g       style records count
 *
 * In all of them what is not UTF-8 becomes U+FFFD, no line is empty (an empty
 * one in the middle becomes a no-break space), "-->" does not occur.  Returns
 * the bytes of out used, at most vod_text_cue_bound(); 0 where no text is left
 * (drawings, blanks) and the cue is to be passed over, or room is too short.
 */
size_t vod_text_cue(vod_cue_t *cue, char *out, size_t room);

/* sorts by start, layer, number; in place, without room */
void vod_text_sort(vod_cue_t *cues, uint32_t n);

/*
 * A time as WebVTT has it, "00:00:00.000" with as many digits of hours as are
 * needed; out has room for VOD_TEXT_TIME bytes, is not terminated.  Times below
 * 0 are 0.  Returns the length.
 */
#define VOD_TEXT_TIME  32

unsigned vod_text_time(int64_t ms, char *out);

#endif /* _VOD_TEXT_H_INCLUDED_ */
