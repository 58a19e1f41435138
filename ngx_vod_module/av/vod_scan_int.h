/*
 * What the files of the scan share.  For vod_scan*.c only.
 */

#ifndef _VOD_SCAN_INT_H_INCLUDED_
#define _VOD_SCAN_INT_H_INCLUDED_

#include "vod_payload_time.h"
#include "vod_scan.h"
#include "vod_subs.h"


/* seconds: no time is farther from 0; clocks that count from 1904 are below */
#define VOD_SCAN_MAX_TIME  ((int64_t) 1 << 34)


typedef struct {
    uint64_t  pos, at;
    int64_t   pts, dts;         /* or VOD_NO_TIME, until they are settled */
    uint32_t  size;             /* as it is sent */
    uint32_t  dur;              /* nominal, ticks; 0 = unknown */
    uint16_t  part;             /* of a tick more, 1/65536 */
    uint8_t   key, damaged;
    uint32_t  trim;             /* of its end, ticks */
} vod_scan_sample_t;


typedef struct {
    const vod_demux_stream_t *st;
    uint32_t                  stream;
    vod_index_track_t         out;      /* entry and samples from malloc() */

    int                       code;     /* not VOD_OK: left out, and why */
    char                      why[VOD_ERR_TEXT];
    int                       ready;    /* the entry is made */
    int                       ended;    /* no more samples are taken */
    unsigned                  convert;
    int                       in_place; /* samples are sent as they lie */

    vod_scan_sample_t        *samples;
    uint32_t                  n, room;

    uint32_t                  said;     /* how long the last packet lasts, as */
    uint32_t                  before;   /* the container says, and the one
                                           before; ticks, 0 = it does not */

    uint32_t                  early;    /* before the first key frame */
    uint32_t                  bad;      /* not of the codec's form, left out */
    uint32_t                  damaged;  /* served as they are */
    uint32_t                  repaired; /* times */
    uint32_t                  tries;    /* at making the entry */

    vod_subs_packet_t        *texts;    /* of text, in place of samples */
} vod_scan_track_t;


/* jumps of the clock, for all tracks: from pos on, this is added */
typedef struct {
    uint64_t  pos;
    int64_t   us;               /* in all, microseconds */
} vod_scan_jump_t;

#define VOD_SCAN_JUMPS  256


typedef struct {
    vod_demux_t            *demux;
    vod_source_t           *source;
    const vod_av_limits_t  *limits;
    vod_notes_t            *notes;
    int                     transport;      /* places are of no packet's */

    vod_scan_track_t        tracks[VOD_DEMUX_STREAMS];
    uint32_t                n;
    uint64_t                n_samples;

    uint8_t                *buf;            /* of a converted sample */
    uint64_t                buf_room;

    vod_scan_jump_t         jumps[VOD_SCAN_JUMPS];
    uint32_t                n_jumps;

    uint64_t                behind;         /* of all packets so far: the
                                               farthest place */
} vod_scan_build_t;


/* "track 2 (Vorbis, audio)" */
void vod_scan_what(const vod_scan_track_t *t, char *out, size_t size);

/* ---- vod_scan_sample.c */

/*
 * Takes a packet of the track.  VOD_OK, be it that it was left out (then
 * t->code may say that the track is); VOD_NOMEM, VOD_LIMIT.
 */
int vod_scan_sample(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err);

/* VOD_LIMIT: there are too many of them */
int vod_scan_many(const vod_scan_build_t *b, vod_err_t *err);

/* ---- vod_scan_text.c */

/* the same of a track of text, which is ready once it is found */
int vod_scan_text(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err);

/* its rows: VOD_OK, VOD_NOMEM, VOD_DAMAGED */
int vod_scan_text_rows(vod_scan_build_t *b, vod_scan_track_t *t,
    int64_t origin, vod_err_t *err);

/* ---- vod_scan_entry.c */

/*
 * The sample entry of a configuration from malloc(), and what it says of
 * track.  VOD_OK, or the errors of vod_config_entry() and vod_codec_entry().
 */
int vod_scan_entry(vod_track_t *track, const vod_config_t *config,
    uint8_t **entry, uint64_t *len, unsigned *convert, vod_err_t *err);

/* ---- vod_scan_time.c */

/* all samples have times, in order where there are jumps; else VOD_NOMEM */
int vod_scan_times(vod_scan_build_t *b, vod_scan_track_t *t, vod_err_t *err);

/* ---- vod_scan_rows.c */

/* t->out.samples and times, origin being ticks that are added.  VOD_OK,
   VOD_NOMEM, VOD_DAMAGED */
int vod_scan_rows(vod_scan_build_t *b, vod_scan_track_t *t, int64_t origin,
    vod_err_t *err);

#endif /* _VOD_SCAN_INT_H_INCLUDED_ */
