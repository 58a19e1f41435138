/*
 * The parts of vod_cues*.c among themselves.
 */

#ifndef _VOD_CUES_INT_H_INCLUDED_
#define _VOD_CUES_INT_H_INCLUDED_

#include "vod_cues.h"
#include "vod_payload_time.h"


/*
 * Bytes that may be read: of the first packets; of these, where a track has
 * none among them; of the last ones; in all.
 */
#define VOD_CUES_HEAD     (1536 * 1024)
#define VOD_CUES_MISSING  (3584 * 1024)
#define VOD_CUES_TAIL     (2048 * 1024)
#define VOD_CUES_PROBE    (256 * 1024)
#define VOD_CUES_ALL      (7168 * 1024)

#define VOD_CUES_PACKETS  512           /* of a video track, looked at */

/* farther apart than this they are no help, microseconds */
#define VOD_CUES_APART    60000000

/* audio may be muxed so much before its time, microseconds */
#define VOD_CUES_EARLY    1000000


/* ticks, 0 = unknown */
typedef struct {
    int64_t                    dur;     /* of a packet, as its codec has it */
    uint32_t                   said;    /* as the file says */
    uint32_t                   before;  /* ... of the packet before */
    uint32_t                   trim;    /* of its end, not presented */
} vod_cues_end_t;


/* carried, but nothing of the file depends on it */
#define VOD_CUES_TEXT  1


typedef struct {
    const vod_demux_stream_t  *st;
    uint32_t                   stream;
    int                        out;     /* VOD_OK, or why it is left out;
                                           VOD_CUES_TEXT */
    char                       why[VOD_ERR_TEXT];

    vod_index_track_t          track;

    vod_key_t                 *cues;    /* its own, those in the file */
    uint32_t                   n_cues;

    /* of the packets read; source, ticks */
    int64_t                    first;   /* earliest presentation */
    int64_t                    sync;    /* of the first sync packet */
    int64_t                    last;    /* latest presentation; VOD_NO_TIME
                                           where none was seen */
    vod_cues_end_t             end;     /* ... and how that packet ends */
    int64_t                    frame;   /* of any packet, or 0 */
    int64_t                    next;    /* time of one that has none */
    int64_t                    late;    /* so much behind the others it lies
                                           in the file, microseconds */

    uint8_t                   *sample;  /* first sync packet */
    uint32_t                   sample_len;

    int64_t                   *pts;     /* of a video track's first packets */
    uint8_t                   *key;
    uint32_t                   n;

    /* bytes a second, least and most of what was read */
    uint64_t                   low, high;
    int64_t                    from;    /* what is being added up */
    uint64_t                   bytes;
    uint64_t                   all;     /* bytes of the first packets */
} vod_cues_track_t;


typedef struct {
    vod_demux_t               *demux;
    vod_source_t              *source;
    const vod_av_limits_t     *limits;
    vod_cues_track_t          *tracks;
    uint32_t                   n;       /* all streams but attachments */
    vod_cues_track_t          *ref;     /* whose entries are the cuts */
    vod_packet_t               packet;
    int                        begin;   /* the first packets are read */
    int                        whole;   /* ... and they were all */
    int64_t                    latest;  /* of what was read in one piece,
                                           microseconds, or VOD_NO_TIME */
} vod_cues_build_t;


/* no times are later, in seconds: so sums of microseconds fit 64 bits */
#define VOD_CUES_SECONDS  ((int64_t) 1 << 33)

#define vod_cues_sane(t, ticks)                                               \
    ((ticks) <= VOD_CUES_SECONDS * (t)->st->timescale                         \
     && (ticks) >= -VOD_CUES_SECONDS * (t)->st->timescale)

/* microseconds of a track's ticks, nearest */
#define vod_cues_us(t, ticks)  vod_ticks_us(ticks, (t)->st->timescale)

/* and back: the first tick that is not before it */
int64_t vod_cues_ticks(const vod_cues_track_t *t, int64_t us);

/*
 * Reads one packet and adds it to what is known of its track.  Results of
 * vod_demux_read(); *t is its track, or NULL where that is not carried.
 */
int vod_cues_packet(vod_cues_build_t *b, vod_cues_track_t **t,
    vod_err_t *err);

/* what is read from now on is of another part of the file */
void vod_cues_part(vod_cues_build_t *b);

/*
 * Goes to an entry of the reference track; *leads is set where the key frame
 * it promises is there, up to which all has been read.
 */
int vod_cues_at(vod_cues_build_t *b, uint32_t i, int *leads, vod_err_t *err);

/*
 * The first packets of all tracks; some in the middle; the last ones.
 * VOD_OK, VOD_NOT_FOUND where entries lead elsewhere, errors of the demuxer.
 */
int vod_cues_head(vod_cues_build_t *b, vod_err_t *err);
int vod_cues_middle(vod_cues_build_t *b, vod_err_t *err);
int vod_cues_tail(vod_cues_build_t *b, vod_err_t *err);

/*
 * Sample entry and properties from the stream and its first packet.
 * Results as for vod_track_entry().
 */
int vod_cues_entry(vod_cues_track_t *t, vod_err_t *err);

/* frame rate and reordering from the first packets */
int vod_cues_pace(vod_cues_track_t *t, vod_err_t *err);

/* the rows of all tracks, and the origin */
int vod_cues_rows(vod_cues_build_t *b, int64_t *origin, vod_err_t *err);

/* and those of text, which are read from the same entries (vod_cues_text.c) */
int vod_cues_text(vod_cues_build_t *b, int64_t origin, vod_err_t *err);

/* leaves it out: why stands in err */
void vod_cues_leave_out(vod_cues_track_t *t, int code, const vod_err_t *err);

#endif /* _VOD_CUES_INT_H_INCLUDED_ */
