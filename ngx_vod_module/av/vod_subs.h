/*
 * Tracks of text on their way into the index, and their segments.
 *
 * Whatever holds the text, the index has a track of WebVTT in ISO BMFF
 * (14496-30): entry wvtt, milliseconds, VOD_TRACK_DEMUX.  What a row is:
 *
 *   MP4               a sample, and where it lies
 *   other containers  cuts (VOD_TRACK_SPARSE): of a scanned file one where
 *                     each cue begins, else one at each entry of the key frame
 *                     index.  The position is where to begin to read to come
 *                     upon all that is shown then; or the file's end, where
 *                     there is nothing
 *   a text file       one row, the whole file
 *
 * Cues may overlap, and last as long as they like.  One that began more than
 * VOD_SUBS_BEFORE in front of a segment is not looked for there: whoever has
 * played up to it knows it, and others miss it.  (A file of text alone and MP4
 * have no such bound.)
 */

#ifndef _VOD_SUBS_H_INCLUDED_
#define _VOD_SUBS_H_INCLUDED_

#include "../core/vod_text.h"
#include "../core/vod_wvtt.h"
#include "vod_demux.h"
#include "vod_mp4.h"
#include "vod_notes.h"


#define VOD_SUBS_WVTT     5     /* beside VOD_TEXT_*: samples of MP4 */

#define VOD_SUBS_BEFORE   30000     /* ms */
#define VOD_SUBS_UNSAID   5000      /* ms a cue lasts that does not say */

#define VOD_SUBS_FILE     (16 * 1024 * 1024)    /* bytes of a text file */

/*
 * vod_track_t.convert of text: its form, VOD_TEXT_* or VOD_SUBS_WVTT, and what
 * a tx3g entry says of all samples (vod_text_reader_t.style).
 */
#define vod_subs_convert(form, style)  ((uint32_t) (form) | (style) << 8)
#define vod_subs_form(convert)         ((convert) & 0xff)
#define vod_subs_style(convert)        ((uint8_t) ((convert) >> 8))


/* ---- vod_subs.c */

/*
 * Kind, codec, flags and the entry (from malloc()) of a track of text; header
 * is WebVTT's as vod_text_open() leaves it, or NULL.  VOD_OK, VOD_NOMEM.
 */
int vod_subs_track(vod_index_track_t *out, uint32_t convert,
    const char *header, size_t len, vod_err_t *err);

/* milliseconds of ticks, nearest */
int64_t vod_subs_ms(int64_t ticks, uint32_t timescale);

/* ---- vod_subs_file.c */

/*
 * Whether a file that begins with these bytes is one of subtitles: *container
 * becomes its name (static), or NULL.  whole: they are all of it.  VOD_OK,
 * VOD_NOMEM.
 */
int vod_subs_probe(const uint8_t *head, uint64_t len, int whole,
    const char **container, vod_err_t *err);

/* its track, of malloc(); VOD_OK, VOD_LIMIT, VOD_IO, VOD_DAMAGED, VOD_NOMEM */
int vod_subs_index(vod_source_t *s, const char *container,
    vod_index_track_t *out, vod_notes_t *notes, vod_err_t *err);

/*
 * All of it as UTF-8, from malloc(), and its form (0 where it is none).
 * Results as above.
 */
int vod_subs_read(vod_source_t *s, char **text, size_t *len, unsigned *form,
    vod_err_t *err);

/* ---- vod_subs_mp4.c */

/*
 * What a text track of MP4 is: VOD_OK where it is carried; else left out with
 * the reason.
 */
int vod_subs_mp4(vod_mp4_track_t *t);

/* text that other tracks name as their chapters is left out */
void vod_subs_mp4_chapters(vod_mp4_t *mp4);

/* convert, roles and header of its sample entry: as vod_track_entry() */
int vod_subs_mp4_entry(vod_index_track_t *out, const vod_mp4_track_t *t,
    vod_err_t *err);

/*
 * out's samples, placed by the edit list in ticks of timescale, become rows in
 * milliseconds that begin at 0 or later.  VOD_OK; VOD_UNSUPPORTED where none
 * of them is shown.
 */
int vod_subs_mp4_rows(vod_index_track_t *out, uint32_t timescale,
    vod_err_t *err);

/* ---- vod_subs_demux.c */

/* of a stream of text that is not carried: VOD_UNSUPPORTED with the reason */
int vod_subs_stream(const vod_demux_stream_t *st, vod_err_t *err);

/* all but rows and origin; results of vod_subs_track() */
int vod_subs_demux_track(vod_index_track_t *out, uint32_t stream,
    const vod_demux_stream_t *st, vod_err_t *err);

/* when a packet is shown, ms of the source; end > start */
void vod_subs_span(const vod_demux_stream_t *st, const vod_packet_t *packet,
    int64_t *start, int64_t *end);

/* a packet of a track while a file is scanned */
typedef struct {
    int64_t   start, end;       /* milliseconds, end > start */
    uint64_t  pos;              /* where to read to come upon it */
    uint32_t  size;
} vod_subs_packet_t;

/*
 * Rows of packets, which are changed; origin (ms) is added to their times;
 * nothing is the file's size.  VOD_OK; VOD_DAMAGED where nothing is shown;
 * VOD_NOMEM.
 */
int vod_subs_rows(vod_index_track_t *out, vod_subs_packet_t *packets,
    uint32_t n, uint64_t nothing, int64_t origin, vod_err_t *err);

/* ---- vod_subs_segment.c */

/* vod_av_segment() of text; max is the most bytes of a segment */
int vod_subs_segment(vod_source_t *s, uint64_t max,
    const vod_av_segment_in_t *in, vod_av_segment_t *out, vod_err_t *err);

#endif /* _VOD_SUBS_H_INCLUDED_ */
