#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/mathematics.h>

#include "vod_demux_int.h"


/* errors of libavformat that are passed over, one behind another */
#define VOD_DEMUX_ERRORS  64

/* clocks of transport streams have 33 bits (13818-1, 2.4.3.7) */
#define VOD_DEMUX_WRAP    ((int64_t) 1 << 33)

/* no packet that is handed out: VOD_END is -1 */
#define VOD_DEMUX_NEXT    1


static int vod_demux_failed(vod_demux_t *d, int n, vod_err_t *err);
static int vod_demux_take(vod_demux_t *d, vod_packet_t *p, vod_err_t *err);
static int vod_demux_piece(vod_demux_t *d, vod_demux_track_t *t);
static int vod_demux_begins(const vod_demux_t *d, const vod_demux_track_t *t,
    const uint8_t *p, int size);
static int vod_demux_where(vod_demux_t *d, vod_demux_track_t *t,
    vod_packet_t *p);
static uint64_t vod_demux_base(vod_demux_t *d, const vod_demux_track_t *t);
static void vod_demux_when(vod_demux_t *d, vod_demux_track_t *t,
    vod_packet_t *p);
static int64_t vod_demux_unwrap(vod_demux_t *d, vod_demux_track_t *t,
    int64_t time);
static void vod_demux_beside(vod_demux_t *d, vod_demux_track_t *t,
    vod_packet_t *p);


int
vod_demux_read(vod_demux_t *d, vod_packet_t *packet, vod_err_t *err)
{
    int  rc;

    do {
        rc = vod_demux_next(d, err);

        if (rc == VOD_OK) {
            rc = vod_demux_take(d, packet, err);
        }

    } while (rc == VOD_DEMUX_NEXT);

    return rc;
}


int
vod_demux_next(vod_demux_t *d, vod_err_t *err)
{
    int      n, errors;
    int64_t  pos;

    if (d->peeked) {
        d->peeked = 0;
        return VOD_OK;
    }

    for (errors = 0; errors < VOD_DEMUX_ERRORS; errors++) {

        av_packet_unref(d->pkt);
        pos = avio_tell(d->pb);

        n = av_read_frame(d->ctx, d->pkt);

        /* of a read that failed libavformat may make a short packet */

        if (d->code != VOD_OK || n == AVERROR(ENOMEM)) {
            return vod_demux_failed(d, n, err);
        }

        if (n >= 0) {
            return VOD_OK;
        }

        if (n == AVERROR_EOF) {
            return VOD_END;
        }

        if (n != AVERROR(EAGAIN) && avio_tell(d->pb) == pos) {
            break;
        }

        if (avio_feof(d->pb)) {
            return VOD_END;
        }
    }

    return vod_fail(err, VOD_DAMAGED, "its bytes at %" PRId64 " are damaged,"
                    " put a sound file there", avio_tell(d->pb));
}


static int
vod_demux_failed(vod_demux_t *d, int n, vod_err_t *err)
{
    if (d->code != VOD_OK) {
        return vod_fail(err, d->code, "%s", d->why.text);
    }

    (void) n;

    return vod_fail(err, VOD_NOMEM, "no memory for a packet");
}


/* d->pkt is handed out, or VOD_DEMUX_NEXT: it is passed over */
static int
vod_demux_take(vod_demux_t *d, vod_packet_t *p, vod_err_t *err)
{
    uint32_t            i;
    vod_demux_track_t  *t;

    vod_demux_look(d);

    i = (uint32_t) d->pkt->stream_index;

    if (i >= VOD_DEMUX_STREAMS
        || (d->only != VOD_DEMUX_STREAMS && i != d->only)
        || d->pkt->size <= 0)
    {
        return VOD_DEMUX_NEXT;
    }

    t = &d->tracks[i];

    if (t->s.still || vod_demux_piece(d, t)) {
        return VOD_DEMUX_NEXT;
    }

    if (!t->seen) {
        t->seen = 1;

        if (vod_demux_look_at(d, i) != VOD_OK) {
            return vod_fail(err, VOD_NOMEM, "no memory for the configuration"
                            " of a track");
        }
    }

    memset(p, 0, sizeof(vod_packet_t));

    p->stream = i;
    p->data = d->pkt->data;
    p->size = (uint32_t) d->pkt->size;
    p->key = (d->pkt->flags & AV_PKT_FLAG_KEY) || t->s.kind == VOD_AUDIO;
    p->damaged = (d->pkt->flags & AV_PKT_FLAG_CORRUPT) != 0;

    if (vod_demux_where(d, t, p) != VOD_OK) {
        return VOD_DEMUX_NEXT;
    }

    vod_demux_when(d, t, p);
    vod_demux_beside(d, t, p);

    if (t->base != VOD_NO_POS && t->base < d->from) {
        return VOD_DEMUX_NEXT;
    }

    if (d->code != VOD_OK) {
        return vod_fail(err, d->code, "%s", d->why.text);
    }

    return VOD_OK;
}


/*
 * Where reading begins within a frame, or bytes are lost, the parser hands
 * out what is left of it as a packet with the time and the place of the
 * frame behind it, which has none then.  So the frame gets them back.
 */
static int
vod_demux_piece(vod_demux_t *d, vod_demux_track_t *t)
{
    AVPacket  *pkt;

    pkt = d->pkt;

    if (!d->format->parse) {
        return 0;
    }

    if (!vod_demux_begins(d, t, pkt->data, pkt->size)) {

        if (pkt->pos >= 0 || pkt->pts != AV_NOPTS_VALUE) {
            t->held = 1;
            t->held_pts = pkt->pts;
            t->held_dts = pkt->dts;
            t->held_pos = pkt->pos;
        }

        return 1;
    }

    if (t->held && pkt->pts == AV_NOPTS_VALUE && pkt->pos < 0) {
        pkt->pts = t->held_pts;
        pkt->dts = t->held_dts;
        pkt->pos = t->held_pos;
    }

    t->held = 0;

    return 0;
}


/* frames of sound begin with their sync word */
static int
vod_demux_begins(const vod_demux_t *d, const vod_demux_track_t *t,
    const uint8_t *p, int size)
{
    enum AVCodecID  id;

    id = d->ctx->streams[t - d->tracks]->codecpar->codec_id;

    switch (id) {

    case AV_CODEC_ID_AAC:
        return size >= 7 && p[0] == 0xff && (p[1] & 0xf6) == 0xf0
               && ((p[3] & 3) << 11 | p[4] << 3 | p[5] >> 5) == size;

    case AV_CODEC_ID_MP1:
    case AV_CODEC_ID_MP2:
    case AV_CODEC_ID_MP3:
        return size >= 4 && p[0] == 0xff && (p[1] & 0xe0) == 0xe0;

    case AV_CODEC_ID_AC3:
    case AV_CODEC_ID_EAC3:
        return size >= 7 && p[0] == 0x0b && p[1] == 0x77;

    case AV_CODEC_ID_FLAC:
        return size >= 6 && p[0] == 0xff && (p[1] & 0xfe) == 0xf8;

    default:
        return 1;
    }
}


/*
 * A packet's place has to be its own, so that it is known again: those that
 * libavformat has at the same place (the frames of a PES packet, the packets
 * of an Ogg page, the blocks of a Cluster) are numbered by bytes behind it,
 * of which each takes at least one.  What libavformat has left of a PID that
 * came to its end long ago is handed out last, and passed over here.
 */
static int
vod_demux_where(vod_demux_t *d, vod_demux_track_t *t, vod_packet_t *p)
{
    uint64_t  base, from;

    base = vod_demux_base(d, t);

    if (d->format->type == VOD_DEMUX_MPEGTS && base != VOD_NO_POS
        && t->base != VOD_NO_POS && base < t->base)
    {
        t->s.late++;
        return VOD_DEMUX_NEXT;
    }

    if (base != VOD_NO_POS && base != t->base) {
        t->base = base;
        t->nth = 0;
        t->at = VOD_NO_POS;

    } else {
        t->nth++;
    }

    p->pos = (t->base != VOD_NO_POS) ? t->base + t->nth : VOD_NO_POS;
    p->at = VOD_NO_POS;

    if (!d->places || d->format->type == VOD_DEMUX_MPEGTS
        || d->format->type == VOD_DEMUX_OGG)
    {
        return VOD_OK;
    }

    /* frames in one Block have one place, and lie behind one another */

    from = (d->pkt->pos >= 0) ? (uint64_t) d->pkt->pos : t->base;

    if (from != VOD_NO_POS) {
        from = (t->at != VOD_NO_POS && t->at > from) ? t->at : from;
        p->at = vod_demux_place(d, from, p->data, p->size);
    }

    t->at = (p->at != VOD_NO_POS) ? p->at + p->size : VOD_NO_POS;

    return VOD_OK;
}


/* of the packet; VOD_NO_POS = that of the one before */
static uint64_t
vod_demux_base(vod_demux_t *d, const vod_demux_track_t *t)
{
    int                  i;
    int64_t              time;
    AVStream            *st;
    const AVIndexEntry  *e;

    if (d->format->type != VOD_DEMUX_MATROSKA) {
        return (d->pkt->pos >= 0) ? (uint64_t) d->pkt->pos : VOD_NO_POS;
    }

    /* Matroska can be entered where a Cluster begins, and libavformat has
       noted where that is for every key frame */

    st = d->ctx->streams[t - d->tracks];
    time = (d->pkt->pts != AV_NOPTS_VALUE) ? d->pkt->pts : d->pkt->dts;

    if ((d->pkt->flags & AV_PKT_FLAG_KEY) && time != AV_NOPTS_VALUE) {
        i = av_index_search_timestamp(st, time, AVSEEK_FLAG_ANY);
        e = (i >= 0) ? avformat_index_get_entry(st, i) : NULL;

        if (e && e->timestamp == time && e->pos >= 0) {
            return (uint64_t) e->pos;
        }
    }

    return (t->base == VOD_NO_POS && d->first) ? d->first : VOD_NO_POS;
}


int64_t
vod_demux_ticks(const vod_demux_track_t *t, int64_t time)
{
    AVRational  to;

    if (time == AV_NOPTS_VALUE || time > VOD_TIME_MAX
        || time < -VOD_TIME_MAX)
    {
        return VOD_NO_TIME;
    }

    if (t->tb.num == 1 && (uint32_t) t->tb.den == t->s.timescale) {
        return time;
    }

    to.num = 1;
    to.den = (int) t->s.timescale;

    time = av_rescale_q(time, t->tb, to);

    return (time > VOD_TIME_MAX || time < -VOD_TIME_MAX) ? VOD_NO_TIME : time;
}


static void
vod_demux_when(vod_demux_t *d, vod_demux_track_t *t, vod_packet_t *p)
{
    uint32_t  n, rate;

    if (d->counting) {

        /* no times in the file: frames are counted */

        n = vod_demux_frame(d, &rate);

        p->pts = d->sought ? VOD_NO_TIME
                           : t->count - (int64_t) t->s.delay;
        p->dts = p->pts;
        p->dur = n;
        t->count += n;

        return;
    }

    p->pts = vod_demux_ticks(t, d->pkt->pts);
    p->dts = vod_demux_ticks(t, d->pkt->dts);
    p->dur = vod_demux_ticks(t, d->pkt->duration);
    p->dur = (p->dur > 0) ? p->dur : 0;

    if (d->format->type == VOD_DEMUX_MPEGTS) {
        p->dts = vod_demux_unwrap(d, t, p->dts);
        p->pts = vod_demux_unwrap(d, t, p->pts);
    }
}


/* the time with these 33 bits that is nearest to the one before */
static int64_t
vod_demux_unwrap(vod_demux_t *d, vod_demux_track_t *t, int64_t time)
{
    int64_t  near, off;

    if (time == VOD_NO_TIME) {
        return time;
    }

    near = (t->near != VOD_NO_TIME) ? t->near : d->clock;

    if (near != VOD_NO_TIME) {
        off = (near - time) % VOD_DEMUX_WRAP;

        if (off > VOD_DEMUX_WRAP / 2) {
            off -= VOD_DEMUX_WRAP;

        } else if (off < -VOD_DEMUX_WRAP / 2) {
            off += VOD_DEMUX_WRAP;
        }

        time = near - off;
    }

    t->near = time;
    d->clock = (d->clock != VOD_NO_TIME) ? d->clock : time;

    return time;
}


uint32_t
vod_demux_frame(vod_demux_t *d, uint32_t *rate)
{
    uint32_t                  n;
    const uint8_t            *p;
    const AVCodecParameters  *par;

    /* 14496-3, table 1.18 */

    static const uint32_t  rates[16] = {
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000,
        11025, 8000, 7350, 0, 0, 0
    };

    par = d->ctx->streams[d->pkt->stream_index]->codecpar;
    p = d->pkt->data;

    if (par->codec_id == AV_CODEC_ID_AAC) {

        /* ADTS (14496-3, 1.A.2.2): up to four blocks of 1024 samples */

        if (d->pkt->size < 7) {
            *rate = 0;
            return 0;
        }

        *rate = rates[(p[2] >> 2) & 15];

        return *rate ? ((uint32_t) (p[6] & 3) + 1) * 1024 : 0;
    }

    n = vod_config_frame(vod_demux_codec(par->codec_id), NULL, 0,
                         p, (uint64_t) d->pkt->size, rate);

    if (*rate == 0 && par->sample_rate > 0) {
        *rate = (uint32_t) par->sample_rate;
    }

    return *rate ? n : 0;
}


/* end padding, another configuration, what WebVTT has beside a cue's text */
static void
vod_demux_beside(vod_demux_t *d, vod_demux_track_t *t, vod_packet_t *p)
{
    int       rate;
    size_t    size;
    int64_t   trim;
    uint8_t  *data;

    size = 0;
    data = av_packet_get_side_data(d->pkt, AV_PKT_DATA_SKIP_SAMPLES, &size);
    rate = d->ctx->streams[t - d->tracks]->codecpar->sample_rate;

    if (data && size >= 10 && rate > 0) {
        trim = av_rescale(AV_RL32(data + 4), t->s.timescale, rate);
        p->trim = (trim < UINT32_MAX) ? (uint32_t) trim : 0;
    }

    size = 0;
    data = av_packet_get_side_data(d->pkt, AV_PKT_DATA_NEW_EXTRADATA, &size);

    if (data && size && size <= UINT32_MAX) {
        p->config = data;
        p->config_len = (uint32_t) size;
    }

    if (t->s.text) {
        p->cue = (const char *) av_packet_get_side_data(d->pkt,
                     AV_PKT_DATA_WEBVTT_IDENTIFIER, &p->cue_len);
        p->settings = (const char *) av_packet_get_side_data(d->pkt,
                          AV_PKT_DATA_WEBVTT_SETTINGS, &p->settings_len);
    }
}
