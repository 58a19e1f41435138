#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_cues_int.h"


/* a rate is that of a second at least; of less where no more was read */
#define VOD_CUES_RATE_US   1000000
#define VOD_CUES_LEAST_US  100000

/* what of a file is enough to know its frame rate and reordering */
#define VOD_CUES_HEAD_US   3000000


static void vod_cues_lasts(vod_cues_track_t *t, const vod_packet_t *packet,
    int64_t pts);
static void vod_cues_late(vod_cues_build_t *b, vod_cues_track_t *t,
    int64_t pts);
static int vod_cues_keep(vod_cues_track_t *t, const vod_packet_t *packet,
    int64_t pts, vod_err_t *err);
static void vod_cues_rate(vod_cues_track_t *t, int64_t pts, uint32_t size);
static int vod_cues_head_lacks(const vod_cues_build_t *b);
static int vod_cues_head_done(vod_cues_build_t *b);
static int vod_cues_near(vod_cues_build_t *b, uint64_t room, vod_err_t *err);


static int64_t
vod_cues_time(const vod_packet_t *packet)
{
    return (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;
}


int
vod_cues_packet(vod_cues_build_t *b, vod_cues_track_t **track,
    vod_err_t *err)
{
    int                rc;
    int64_t            pts;
    uint32_t           i;
    vod_packet_t      *packet;
    vod_cues_track_t  *t;

    *track = NULL;
    packet = &b->packet;

    rc = vod_source_in_time(b->source, err);

    if (rc == VOD_OK) {
        rc = vod_demux_read(b->demux, packet, err);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    for (i = 0; i < b->n; i++) {
        if (b->tracks[i].stream == packet->stream) {
            break;
        }
    }

    t = &b->tracks[i];
    pts = vod_cues_time(packet);

    /* frames of one block may have no time but the first */

    if (i < b->n && pts == VOD_NO_TIME) {
        pts = t->next;
    }

    if (i == b->n || t->out != VOD_OK || packet->size == 0
        || !vod_cues_sane(t, pts))
    {
        return VOD_OK;
    }

    *track = t;

    vod_cues_lasts(t, packet, pts);
    vod_cues_late(b, t, pts);
    vod_cues_rate(t, pts, packet->size);

    return b->begin ? vod_cues_keep(t, packet, pts, err) : VOD_OK;
}


/* how long it lasts, and whether it is the last one */
static void
vod_cues_lasts(vod_cues_track_t *t, const vod_packet_t *packet, int64_t pts)
{
    uint32_t  frame, rate, dur, said;

    said = (packet->dur > 0 && packet->dur < INT32_MAX)
           ? (uint32_t) packet->dur : 0;
    dur = said;

    if (t->st->kind == VOD_AUDIO && t->frame) {

        /* of the codec it is known since its first packet was read */

        frame = vod_config_frame(t->st->config.codec, t->track.entry,
                                 t->track.entry_len, packet->data,
                                 packet->size, &rate);
        dur = (uint32_t) t->frame;

        if (frame && rate) {
            dur = (uint32_t) (((uint64_t) frame * t->st->timescale + rate / 2)
                              / rate);
        }
    }

    t->next = pts + dur;

    if (t->last == VOD_NO_TIME || pts >= t->last) {
        t->last = pts;
        t->end.dur = dur;
        t->end.before = t->end.said;
        t->end.said = said;
        t->end.trim = packet->trim;
    }
}


/* how far behind the others it lies in the file */
static void
vod_cues_late(vod_cues_build_t *b, vod_cues_track_t *t, int64_t pts)
{
    int64_t  us;

    us = vod_cues_us(t, pts);

    if (b->latest == VOD_NO_TIME || us > b->latest) {
        b->latest = us;
    }

    t->late = (b->latest - us > t->late) ? b->latest - us : t->late;
}


/* the first sync packet, and the times of the first packets */
static int
vod_cues_keep(vod_cues_track_t *t, const vod_packet_t *packet, int64_t pts,
    vod_err_t *err)
{
    if (t->first == VOD_NO_TIME || pts < t->first) {
        t->first = pts;
    }

    if (t->sample == NULL && (packet->key || t->st->kind == VOD_AUDIO)) {
        t->sample = malloc(packet->size);
        if (t->sample == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for a sample of %u"
                            " bytes", packet->size);
        }

        memcpy(t->sample, packet->data, packet->size);
        t->sample_len = packet->size;
        t->sync = pts;
    }

    if (t->pts && t->n < VOD_CUES_PACKETS) {
        t->pts[t->n] = pts;
        t->key[t->n] = (packet->key != 0);
        t->n++;
    }

    return VOD_OK;
}


/* bytes up to a packet that begins later are those of the time before it */
static void
vod_cues_rate(vod_cues_track_t *t, int64_t pts, uint32_t size)
{
    int64_t   us;
    uint64_t  rate;

    if (t->from != VOD_NO_TIME) {

        us = vod_cues_us(t, pts) - vod_cues_us(t, t->from);

        if (us >= VOD_CUES_RATE_US) {
            rate = t->bytes * 1000000 / (uint64_t) us;

            t->low = (t->high == 0 || rate < t->low) ? rate : t->low;
            t->high = (rate > t->high) ? rate : t->high;
            t->from = VOD_NO_TIME;
        }
    }

    if (t->from == VOD_NO_TIME) {
        t->from = pts;
        t->bytes = 0;
    }

    t->bytes += size;
}


void
vod_cues_part(vod_cues_build_t *b)
{
    int64_t            us;
    uint32_t           i;
    uint64_t           rate;
    vod_cues_track_t  *t;

    b->latest = VOD_NO_TIME;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];
        t->next = VOD_NO_TIME;

        if (t->from == VOD_NO_TIME || t->last == VOD_NO_TIME) {
            t->from = VOD_NO_TIME;
            continue;
        }

        us = vod_cues_us(t, t->last) - vod_cues_us(t, t->from);

        /* the last packet's bytes count, its time does not: not less */

        if (us >= VOD_CUES_LEAST_US) {
            rate = t->bytes * 1000000 / (uint64_t) us;
            t->low = t->high ? t->low : rate / 2;
            t->high = (rate > t->high) ? rate : t->high;
        }

        t->from = VOD_NO_TIME;
    }
}


int
vod_cues_head(vod_cues_build_t *b, vod_err_t *err)
{
    int                rc;
    uint32_t           i;
    uint64_t           start;
    vod_cues_track_t  *t;

    start = b->source->src->bytes_read;
    b->begin = 1;

    do {
        rc = vod_cues_packet(b, &t, err);

        if (rc == VOD_END) {
            b->whole = 1;
            break;
        }

        if (rc != VOD_OK) {
            return rc;
        }

        if (t) {
            t->all += b->packet.size;
        }

    } while (!vod_cues_head_done(b)
             && b->source->src->bytes_read - start
                < (vod_cues_head_lacks(b) ? VOD_CUES_MISSING
                                          : VOD_CUES_HEAD));

    b->begin = 0;
    vod_cues_part(b);

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out == VOD_OK && t->sample == NULL) {
            (void) vod_fail(err, VOD_UNSUPPORTED, "none of its samples is in"
                            " the first %" PRIu64 " bytes, where it should"
                            " begin: remux the file",
                            b->source->src->bytes_read);
            vod_cues_leave_out(t, VOD_UNSUPPORTED, err);
        }
    }

    return VOD_OK;
}


static int
vod_cues_head_lacks(const vod_cues_build_t *b)
{
    uint32_t  i;

    for (i = 0; i < b->n; i++) {
        if (b->tracks[i].out == VOD_OK && b->tracks[i].sample == NULL) {
            return 1;
        }
    }

    return 0;
}


static int
vod_cues_head_done(vod_cues_build_t *b)
{
    uint32_t           i;
    vod_cues_track_t  *t;

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out == VOD_OK
            && (t->sample == NULL
                || vod_cues_us(t, t->last) - vod_cues_us(t, t->first)
                   < VOD_CUES_HEAD_US))
        {
            return 0;
        }
    }

    return 1;
}


int
vod_cues_at(vod_cues_build_t *b, uint32_t i, int *leads, vod_err_t *err)
{
    int                rc;
    int64_t            pts, off;
    uint64_t           start;
    vod_key_t         *cue;
    vod_cues_track_t  *t;

    *leads = 0;
    cue = &b->ref->cues[i];
    start = b->source->src->bytes_read;

    vod_cues_part(b);

    rc = vod_demux_seek(b->demux, cue->pos, b->ref->stream, cue->time, err);

    while (rc == VOD_OK) {

        rc = vod_cues_packet(b, &t, err);

        if (rc == VOD_OK && t && t == b->ref) {
            pts = vod_cues_time(&b->packet);
            off = vod_cues_us(t, pts) - vod_cues_us(t, cue->time);

            *leads = (t->st->kind == VOD_VIDEO)
                     ? (pts == cue->time && b->packet.key)
                     : (off > -VOD_CUES_EARLY && off < VOD_CUES_EARLY);

            if (*leads || off > 0) {
                return VOD_OK;
            }
        }

        if (b->source->src->bytes_read - start > VOD_CUES_PROBE) {
            return VOD_OK;
        }
    }

    return (rc == VOD_END || rc == VOD_DAMAGED) ? VOD_OK : rc;
}


/* do entries in the middle lead to key frames? how fast is audio there? */
int
vod_cues_middle(vod_cues_build_t *b, vod_err_t *err)
{
    int       rc, leads;
    uint32_t  i, at;

    if (b->whole) {
        return VOD_OK;
    }

    for (i = 1; i < 4; i++) {
        at = (uint32_t) ((uint64_t) b->ref->n_cues * i / 4);

        rc = vod_cues_at(b, at, &leads, err);
        if (rc != VOD_OK) {
            return rc;
        }

        if (!leads) {
            return vod_fail(err, VOD_NOT_FOUND, "entry %u of its key frame"
                            " index leads to no key frame, remux the file",
                            at + 1);
        }

        rc = vod_cues_near(b, VOD_CUES_PROBE, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    return VOD_OK;
}


/* reads on for as long as bytes last, or half a second of the file */
static int
vod_cues_near(vod_cues_build_t *b, uint64_t room, vod_err_t *err)
{
    int                rc;
    int64_t            from;
    uint64_t           start;
    vod_cues_track_t  *t;

    start = b->source->src->bytes_read;
    from = VOD_NO_TIME;

    do {
        rc = vod_cues_packet(b, &t, err);

        if (rc != VOD_OK) {
            return (rc == VOD_END || rc == VOD_DAMAGED) ? VOD_OK : rc;
        }

        if (t && from == VOD_NO_TIME) {
            from = vod_cues_us(t, t->last);
        }

        if (t && vod_cues_us(t, t->last) - from > VOD_CUES_RATE_US) {
            break;
        }

    } while (b->source->src->bytes_read - start < room);

    return VOD_OK;
}


