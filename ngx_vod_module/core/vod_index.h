/*
 * The index: one media file as a flat, position-independent table.
 *
 * It does not depend on any setting (segment duration, protocol), holds no
 * pointer, and is at most 8 bytes a sample over everything.  It is made once
 * by av/, lives in shared memory, and is read by core/.  Integers are in the
 * machine's byte order: an index never leaves the machine.
 *
 *   offset            what
 *   0                 vod_index_t           (header, 128 bytes)
 *   sizeof header     vod_track_t[n_tracks] (512 bytes each, file order)
 *   ...               entries   sample entry boxes, byte for byte as they
 *                               go into stsd (one a track)
 *   ...               names     track names, UTF-8, not terminated
 *   ...               notes     what was left out and why, one line each,
 *                               UTF-8, every line ends in LF
 *   ...               rows      one run of rows a track, see below
 *
 * All offsets are in bytes from the start of the index, 64-bit.
 *
 * Times are those of the output timeline: presentation time of a sample =
 * dts + cts - media_time, in ticks of the track's timescale, 0 being the
 * common origin of all tracks of the file.  dts is what goes to tfdt and is
 * never negative.
 *
 * A row is a sample, in decode order:
 *
 *   flags    1 byte   VOD_ROW_*
 *   size     varint   bytes of the sample
 *   gap      zigzag   if VOD_ROW_GAP: file position minus the end of the
 *                     track's previous sample (at first: minus 0)
 *   dur      varint   if VOD_ROW_DUR: duration in ticks; else as before
 *   cts      zigzag   if VOD_ROW_CTS: composition offset; else as before
 *
 * varint = 7 bits a byte, least significant first, high bit = more follow;
 * zigzag = varint of (v << 1) ^ (v >> 63).  Before a track's first row the
 * state is all zero.  Example: key frame of 300 bytes at position 48,
 * duration 512, offset 1024:   0f  ac 02  60  80 04  80 10
 *
 * Most containers hold a sample's bytes in one piece as they are sent: then
 * position and size say where.  Of a track with VOD_TRACK_DEMUX they do not:
 * the size is that of the sample as it is sent, the position is where the
 * demuxer has to begin reading to come upon it (a transport stream's packet,
 * an Ogg page), and av/ makes the payload of each segment when it is asked
 * for (vod_av_segment()).
 *
 * Of a track with VOD_TRACK_SPARSE (then also VOD_TRACK_DEMUX) not even the
 * samples are known, but only where it can be cut: a row is all that lies
 * between two entries of the container's own key frame index (Matroska's
 * Cues).  It has the entry's time, the duration up to the next one, the
 * position where the demuxer begins to read, and in size an estimate of the
 * bytes between, for the bit rates.  All rows are sync samples with a
 * composition offset of media_time (so that dts is their presentation time);
 * those of all tracks lie at the same times, so that all are cut alike.
 *
 * Rows of a VOD_TEXT track (always VOD_TRACK_DEMUX) do not overlap in time,
 * and a segment has those that are active in it: one that goes on over a cut
 * is in both.  Where they are samples they follow each other without a gap;
 * with VOD_TRACK_SPARSE they are cuts; of a file of text alone one row is the
 * whole file.
 */

#ifndef _VOD_INDEX_H_INCLUDED_
#define _VOD_INDEX_H_INCLUDED_

#include <stdint.h>

#include "vod_err.h"


#define VOD_INDEX_MAGIC    0x58444956u  /* "VIDX" */
#define VOD_INDEX_VERSION  3

#define VOD_ROW_KEY        0x01         /* sync sample */
#define VOD_ROW_GAP        0x02
#define VOD_ROW_DUR        0x04
#define VOD_ROW_CTS        0x08

#define VOD_ROW_MAX        36           /* bytes of the longest row */

/* no time is larger, in ticks: so sums and differences fit 64 bits */
#define VOD_TIME_MAX       (INT64_MAX / 2)

#define VOD_VIDEO          1
#define VOD_AUDIO          2
#define VOD_TEXT           3

#define VOD_RANGE_SDR      0
#define VOD_RANGE_PQ       1
#define VOD_RANGE_HLG      2

#define VOD_TRACK_DEFAULT  0x01         /* enabled in the source (tkhd) */
#define VOD_TRACK_ALL_SYNC 0x02         /* every sample is a sync sample */
#define VOD_TRACK_DEMUX    0x04         /* payload is made by av/, see above */
#define VOD_TRACK_SPARSE   0x08         /* rows are cuts, not samples */

/*
 * What a track is for, as the file says: the kind box of a track's udta
 * (14496-12, 8.10.4; urn:mpeg:dash:role:2011 of 23009-1, 5.8.5.5), Matroska's
 * FlagCommentary, FlagVisualImpaired, FlagHearingImpaired, FlagOriginal and
 * FlagForced.
 */
#define VOD_ROLE_MAIN         0x01
#define VOD_ROLE_COMMENTARY   0x02
#define VOD_ROLE_DESCRIPTION  0x04      /* describes what is to be seen */
#define VOD_ROLE_HEARING      0x08      /* clearer speech; SDH of text */
#define VOD_ROLE_FORCED       0x10      /* of text */
#define VOD_ROLE_ORIGINAL     0x20      /* language */
#define VOD_ROLE_DUB          0x40


typedef struct {
    uint32_t  magic;
    uint16_t  version;
    uint16_t  n_tracks;
    uint64_t  len;              /* of the whole index, bytes */
    uint64_t  hash;             /* of all bytes from offset 24 on */
    uint64_t  file_size;        /* bytes; no sample ends beyond it */
    uint64_t  notes_off;
    uint64_t  notes_len;
    uint64_t  n_samples;        /* of all tracks */
    char      container[32];    /* name of the source's format, 0-padded */
    int64_t   origin;           /* the source's own time at our 0, microseconds;
                                   of a recording that begins later than 0 */
    uint8_t   reserved[32];
} vod_index_t;


typedef struct {
    uint8_t   kind;             /* VOD_VIDEO, VOD_AUDIO, VOD_TEXT */
    uint8_t   video_range;      /* VOD_RANGE_* */
    uint8_t   flags;            /* VOD_TRACK_* */
    uint8_t   bit_depth;        /* of luma; 0 = unknown */
    uint32_t  fourcc;           /* type of the sample entry */
    uint32_t  source_id;        /* track_ID in the source */
    uint32_t  ordinal;          /* in the index, from 0; output ID is + 1 */

    uint32_t  timescale;        /* ticks a second, > 0 */
    uint32_t  n_samples;        /* > 0 */
    uint64_t  rows_off;
    uint64_t  rows_len;
    uint64_t  entry_off;        /* the sample entry box */
    uint64_t  entry_len;
    uint64_t  name_off;
    uint64_t  name_len;

    uint64_t  first_dts;        /* dts of the first sample */
    uint64_t  media_time;       /* of the header's edit list; 0 = none */
    uint64_t  duration;         /* sum of all sample durations */
    int64_t   first_pts;        /* least presentation time */
    int64_t   end_pts;          /* largest presentation time + duration */
    uint64_t  payload;          /* sum of all sample sizes */

    /* video */
    uint32_t  width, height;    /* coded picture as in the sample entry */
    uint32_t  sar_num, sar_den; /* pixel aspect ratio; 1:1 when unsaid */
    uint32_t  fps_num, fps_den; /* highest rate over any second; 0:1 none */
    uint32_t  tkhd_width;       /* 16.16, carried into the header */
    uint32_t  tkhd_height;
    int32_t   matrix[9];        /* tkhd; 14496-12, 8.3.2 */

    /* audio */
    uint32_t  sample_rate;      /* of the decoded output, SBR counted */
    uint32_t  channels;         /* of the decoded output, PS counted */
    uint32_t  channel_layout;   /* CICP ChannelConfiguration (23091-3), or 0 */
    uint32_t  dolby_layout;     /* AC-3/E-AC-3 channel mask as in ETSI TS
                                   102 366 chan_loc (16 bits), or 0 */
    uint32_t  joc;              /* complexity_index_type_a, 0 = no JOC */

    char      lang[16];         /* BCP 47, lower case; "und" when unknown */
    char      codec[64];        /* RFC 6381, as registered */
    char      supplemental[48]; /* SUPPLEMENTAL-CODECS value, or "" */

    /* what vod_av_segment() has to know of a VOD_TRACK_DEMUX track */
    uint32_t  convert;          /* VOD_CONVERT_* (core/vod_config.h) */
    int64_t   origin;           /* added to the source's times, ticks */
    uint32_t  stream;           /* av/'s number of the stream */
    uint32_t  roles;            /* VOD_ROLE_*, 0 where the file does not say */
    uint32_t  number;           /* in URLs, from 1; 0 = its place among the
                                   tracks of its kind, as in all indexes that
                                   are no merged ones */
    uint32_t  part;             /* of a merged index: which of its parts the
                                   track is from, from 0 */
    uint8_t   reserved[144];
} vod_track_t;


typedef struct {
    uint64_t  pos;              /* in the file, bytes */
    uint32_t  size;
    uint32_t  dur;              /* ticks */
    int32_t   cts;              /* composition offset, ticks */
    uint32_t  key;              /* 1 = sync sample */
} vod_sample_t;


/*
 * Where reading of a track's rows can begin: the row's offset from the
 * track's rows_off, and the decoder's state before it.
 */
typedef struct {
    uint64_t  row;
    uint64_t  end;              /* file position after the sample before */
    uint64_t  dts;              /* of the sample to come */
    uint32_t  sample;           /* its number, from 0 */
    uint32_t  dur;
    int32_t   cts;
    uint32_t  reserved;
} vod_cursor_t;


/*
 * Appends one row at out, which has room for VOD_ROW_MAX bytes; cur is the
 * state before it (all zero at first, but for dts) and moves on.  Returns
 * the bytes written.
 */
unsigned vod_row_write(vod_cursor_t *cur, const vod_sample_t *s,
    uint8_t *out);

/*
 * Reads the row at cur from rows[0..len), rows being the bytes that start at
 * offset base of the track's rows.  cur moves on.  VOD_OK, or VOD_DAMAGED
 * where the bytes end within a row or a number overflows.
 */
int vod_row_read(vod_cursor_t *cur, const uint8_t *rows, uint64_t base,
    uint64_t len, vod_sample_t *s);


/*
 * What av/ hands over for one track; pointers are the caller's and are
 * copied.  track holds all but n_samples, rows_*, entry_*, name_*,
 * ordinal, duration, first_pts, end_pts, payload, fps_* and
 * VOD_TRACK_ALL_SYNC, which vod_index_write() fills in; of a
 * VOD_TRACK_SPARSE track fps_* and VOD_TRACK_ALL_SYNC are the caller's.
 */
typedef struct {
    vod_track_t          track;
    const uint8_t       *entry;
    uint64_t             entry_len;
    const char          *name;
    uint64_t             name_len;
    const vod_sample_t  *samples;
    uint32_t             n_samples;
} vod_index_track_t;

typedef struct {
    uint64_t                  file_size;
    int64_t                   origin;       /* see vod_index_t */
    const char               *container;
    const char               *notes;
    uint64_t                  notes_len;
    const vod_index_track_t  *tracks;
    uint32_t                  n_tracks;
} vod_index_in_t;


/* room that vod_index_write() may need, in bytes */
uint64_t vod_index_bound(const vod_index_in_t *in);

/*
 * Writes the index into out (room bytes, 8-byte aligned) and returns its
 * length, or 0 with err set: VOD_DAMAGED where a sample is empty of meaning
 * (beyond the file, times that overflow), VOD_NOMEM where room is short.
 */
uint64_t vod_index_write(const vod_index_in_t *in, void *out, uint64_t room,
    vod_err_t *err);

/*
 * Checks an index that was not written by this process: magic, version,
 * length, hash, every offset.  VOD_OK or VOD_DAMAGED.
 */
int vod_index_check(const void *index, uint64_t len, vod_err_t *err);

#define vod_index_tracks(idx)                                                 \
    ((const vod_track_t *) ((const uint8_t *) (idx) + sizeof(vod_index_t)))

/*
 * The track named in a URL: its kind and its number, that which it has or,
 * where that is 0, from 1 among the tracks of its kind.  Returns its ordinal,
 * or -1.
 */
int vod_index_find(const vod_track_t *tracks, unsigned n_tracks,
    unsigned kind, unsigned number);

/* the number in a URL of the track with this ordinal, from 1 */
unsigned vod_index_number(const vod_track_t *tracks, unsigned ordinal);

/*
 * Highest number of frames a second over any second (HLS FRAME-RATE, DASH
 * @frameRate): of the runs of frames that last one second or just over, the
 * fullest, as a reduced fraction; of all frames where they last less.
 * samples in decode order, n > 0; 0/1 where no frame lasts.  pts is scratch,
 * with room for n + 1.
 */
void vod_fps(const vod_sample_t *samples, uint32_t n, uint32_t timescale,
    int64_t *pts, uint32_t *num, uint32_t *den);

/* 64-bit hash of bytes, seeded; stable for ever (it stands in ETags) */
uint64_t vod_hash64(uint64_t seed, const void *data, uint64_t len);

#endif /* _VOD_INDEX_H_INCLUDED_ */
