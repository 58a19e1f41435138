/*
 * What the files of the demuxer share.  For vod_demux*.c only.
 */

#ifndef _VOD_DEMUX_INT_H_INCLUDED_
#define _VOD_DEMUX_INT_H_INCLUDED_

#include <libavformat/avformat.h>

#include "vod_demux.h"


#define VOD_DEMUX_MATROSKA  1
#define VOD_DEMUX_MPEGTS    2
#define VOD_DEMUX_FLV       3
#define VOD_DEMUX_OGG       4
#define VOD_DEMUX_BARE      5       /* one sound's frames, no times */

#define VOD_DEMUX_DOVI      24
#define VOD_DEMUX_HIDDEN    8


typedef struct {
    const char  *name;              /* first of libavformat's names */
    unsigned     type;              /* VOD_DEMUX_* */
    int          parse;             /* frames have to be found in its packets */
} vod_demux_format_t;


typedef struct {
    vod_demux_stream_t  s;
    uint8_t            *config;
    char                lang[16];
    char                name[256];
    uint8_t             dovi[VOD_DEMUX_DOVI];
    uint8_t             mdcv[24];
    uint8_t             clli[4];
    AVRational          tb;         /* libavformat's ticks, seconds */
    int                 known;      /* s is filled in */
    int                 seen;       /* a packet came: s is what it stays */

    uint64_t            base;       /* libavformat's place of the packet */
    uint32_t            nth;        /* packets there before this one */
    uint64_t            at;         /* end of the packet before, if at base */

    int64_t             near;       /* a time close to the next, unwrapped */
    int64_t             count;      /* ticks of the frames before, bare */

    int                 held;       /* a piece of a frame passes these on */
    int64_t             held_pts, held_dts, held_pos;
} vod_demux_track_t;


struct vod_demux_s {
    vod_source_t             *source;
    const vod_demux_format_t *format;
    AVFormatContext          *ctx;
    AVIOContext              *pb;
    AVPacket                 *pkt;
    int                       peeked;   /* pkt waits to be read */
    int                       counting; /* bare: times are known */
    int                       sought;   /* bare: and from here on unknown */

    uint64_t                  pos;      /* of the next read, bytes */
    int                       code;     /* of a read that failed */
    vod_err_t                 why;

    vod_demux_track_t         tracks[VOD_DEMUX_STREAMS];
    uint32_t                  only;     /* or VOD_DEMUX_STREAMS */
    uint32_t                  raw;      /* size of a transport packet, bytes */
    uint64_t                  first;    /* Matroska: of the first Cluster */
    uint64_t                  from;     /* packets before are passed over */
    int64_t                   clock;    /* transport: a time of any stream */

    uint32_t                  lame_delay, lame_trim;    /* samples */

    uint64_t                  hidden[VOD_DEMUX_HIDDEN]; /* vod_demux_io.c */
    uint32_t                  n_hidden;

    int                       places;   /* at is wanted */
    uint8_t                  *window;   /* of the file */
    uint64_t                  window_pos, window_len;

    vod_key_t                *cues;
    uint32_t                  n_cues;
};


/* ---- vod_demux_io.c */

/* VOD_OK, VOD_NOMEM */
int vod_demux_io_open(vod_demux_t *d, vod_err_t *err);

/* too many comments for libavformat?  (vod_demux_comments.c) */
int vod_demux_comments(vod_demux_t *d, vod_err_t *err);
void vod_demux_io_close(vod_demux_t *d);

/*
 * len bytes of the file at pos, or fewer where it ends: how many, up to
 * VOD_DEMUX_WINDOW; 0 too where they cannot be read (d->code says so).
 */
#define VOD_DEMUX_WINDOW  65536
uint64_t vod_demux_peek(vod_demux_t *d, uint64_t pos, uint64_t len,
    const uint8_t **data);

/* where the packet's bytes lie at or behind from, or VOD_NO_POS */
uint64_t vod_demux_place(vod_demux_t *d, uint64_t from, const uint8_t *data,
    uint64_t size);

/* ---- vod_demux_stream.c */

/* looks at streams libavformat has found since, and at one's properties */
void vod_demux_look(vod_demux_t *d);
int vod_demux_look_at(vod_demux_t *d, uint32_t i);

vod_codec_id_t vod_demux_codec(enum AVCodecID id);

/* ---- vod_demux_read.c */

/* the next packet into d->pkt: as vod_demux_read() */
int vod_demux_next(vod_demux_t *d, vod_err_t *err);

/* libavformat's times to the stream's ticks */
int64_t vod_demux_ticks(const vod_demux_track_t *t, int64_t time);

/* a bare frame's ticks, and *rate, from its own header; 0 = unknown */
uint32_t vod_demux_frame(vod_demux_t *d, uint32_t *rate);

/* ---- vod_demux_mp3.c */

/* delay and padding of the LAME tag, if there is one */
void vod_demux_lame(vod_demux_t *d);

#endif /* _VOD_DEMUX_INT_H_INCLUDED_ */
