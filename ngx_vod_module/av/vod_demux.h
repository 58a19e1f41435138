/*
 * Packets of a file that is no ISO BMFF, through libavformat.
 *
 * libavformat reads through our own bounded source, opens nothing else, and
 * only the demuxers named in vod_demux.c are ever tried.  What comes out are
 * samples in the form ISO BMFF wants them, with times as the container has
 * them.
 */

#ifndef _VOD_DEMUX_H_INCLUDED_
#define _VOD_DEMUX_H_INCLUDED_

#include "../core/vod_config.h"
#include "vod_notes.h"
#include "vod_source.h"


#define VOD_DEMUX_STREAMS  64
#define VOD_NO_TIME        INT64_MIN
#define VOD_NO_POS         UINT64_MAX


typedef struct vod_demux_s  vod_demux_t;


typedef struct {
    vod_config_t  config;       /* bytes live until vod_demux_close(); sample
                                   is empty */
    unsigned      kind;         /* VOD_VIDEO, VOD_AUDIO; VOD_TEXT; 0 = other */
    uint32_t      id;           /* track number, PID; else number from 1 */
    uint32_t      timescale;    /* of its packets' times, ticks a second */
    int           enabled;      /* default track */
    uint32_t      roles;        /* VOD_ROLE_* */
    int           still;        /* a picture of the whole file (cover) */
    unsigned      text;         /* VOD_TEXT_* of its packets; 0 = none of
                                   these */
    int           pictures;     /* subtitles that are pictures */
    int           encrypted;    /* Matroska's ContentEncryption */
    uint32_t      delay;        /* to be dropped at its begin, ticks: audio
                                   priming (CodecDelay, LAME tag); its times
                                   are before that of the first sound */
    uint32_t      trim;         /* and at its end, beside the packets' */
    uint32_t      late;         /* samples that came when their place was
                                   long over, and were passed over */
    const char   *lang;         /* as the file says, or "" */
    const char   *name;         /* or "" */
    const char   *codec_name;   /* libavformat's, for reasons */
} vod_demux_stream_t;


/* data lives until the next vod_demux_read() */
typedef struct {
    uint32_t        stream;
    int64_t         pts, dts;   /* ticks, or VOD_NO_TIME; unwrapped */
    int64_t         dur;        /* ticks, or 0 */
    int             key;
    int             damaged;    /* the container says so */
    const uint8_t  *data;       /* as the container has it: vod_config_convert()
                                   is the caller's */
    uint32_t        size;
    uint64_t        pos;        /* where to seek to come upon it again; each
                                   packet of a stream has its own, the same
                                   whenever it is read */
    uint64_t        at;         /* where its bytes lie in the file in one
                                   piece, checked; or VOD_NO_POS */
    uint32_t        trim;       /* of its end, not to be presented, ticks */
    const uint8_t  *config;     /* from here on another configuration, */
    uint32_t        config_len; /* or NULL */
    const char     *cue;        /* WebVTT: identifier, or NULL */
    size_t          cue_len;
    const char     *settings;   /* and the cue's settings, or NULL */
    size_t          settings_len;
} vod_packet_t;


/* container: "matroska", "mpegts", ... as vod_demux_probe() named it */
int vod_demux_open(vod_demux_t **d, vod_source_t *s, const char *container,
    vod_err_t *err);
void vod_demux_close(vod_demux_t *d);

/*
 * What begins with these bytes: *container is its name (static text) where
 * this room demuxes it, else NULL.  VOD_OK, VOD_NOMEM.
 */
int vod_demux_probe(const uint8_t *head, uint64_t len,
    const char **container, vod_err_t *err);

/*
 * VOD_OK; VOD_LIMIT where more of the file's streams are video, audio or
 * text than the limits allow (0 = any number), or than are read of such a file
 * (VOD_DEMUX_STREAMS).
 */
int vod_demux_few(vod_demux_t *d, const vod_av_limits_t *limits,
    vod_err_t *err);

/* streams may be found while packets are read (transport streams) */
uint32_t vod_demux_streams(vod_demux_t *d);
const vod_demux_stream_t *vod_demux_stream(vod_demux_t *d, uint32_t i);

/* packets of other streams are skipped, where the demuxer can cheaply */
void vod_demux_only(vod_demux_t *d, uint32_t stream);

/* packets say at from now on, which takes a second reading of the file */
void vod_demux_places(vod_demux_t *d);

/*
 * The next packet.  VOD_OK; VOD_END at the end of the file; VOD_DAMAGED,
 * VOD_IO, VOD_LIMIT (time), VOD_NOMEM.
 */
#define VOD_END  (-1)
int vod_demux_read(vod_demux_t *d, vod_packet_t *packet, vod_err_t *err);

/*
 * Goes on from a packet's pos (bytes), or a cue's: the packets of the stream
 * that follow are the same as when the file is read from its begin, from the
 * one with that pos on; some before it may come first.  near is a time of
 * the stream that is to come, in ticks, for clocks that wrap; VOD_NO_TIME
 * where unknown.  Bare frames, which have no times, have none from now on.
 */
int vod_demux_seek(vod_demux_t *d, uint64_t pos, uint32_t stream,
    int64_t near, vod_err_t *err);

/*
 * The container's own key frame index for a stream, loaded now where it
 * stands elsewhere: entries in order of time, *count of them, 0 where there
 * is none or it cannot be read.  VOD_OK, VOD_IO, VOD_TIMEOUT, VOD_NOMEM.
 * Asked before the first packet is read, which then is the file's first; the
 * entries are those of the stream asked for last.
 */
typedef struct {
    int64_t   time;             /* presentation, ticks of the stream */
    uint64_t  pos;              /* where to seek, bytes */
} vod_key_t;

int vod_demux_cues(vod_demux_t *d, uint32_t stream, uint32_t *count,
    vod_err_t *err);
void vod_demux_cue(vod_demux_t *d, uint32_t stream, uint32_t i,
    vod_key_t *cue);

/* of the whole file as it says itself, microseconds; 0 = unknown */
int64_t vod_demux_duration(vod_demux_t *d);

#endif /* _VOD_DEMUX_H_INCLUDED_ */
