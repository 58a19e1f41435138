#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vod_payload.h"


#define VOD_PAYLOAD_SAMPLES  256        /* least room, samples */


typedef struct {
    vod_payload_t  *payload;
    vod_window_t    window;
    int64_t         end;        /* of the window, source, microseconds */

    int64_t        *pts;        /* of the samples; output, ticks */
    int64_t        *dts;
    uint32_t        room;
    uint32_t        last;       /* duration of the last one, ticks, or 0 */

    int             behind;     /* the sync packet of what follows was read */
    int64_t         sync;       /* its presentation time */
    int64_t         next;       /* the earliest of what follows */

    int64_t         next_time;  /* of a packet that has none; source, ticks */
    uint64_t        part;       /* ... and of a tick more, 1/65536 */
    uint32_t        dur;        /* of the packet before it */
    uint32_t        said;       /* ... as the container says, or 0, */
    uint32_t        before;     /* and of the one before that */
} vod_sparse_t;


static int vod_sparse_gather(vod_sparse_t *s, vod_err_t *err);
static int vod_sparse_one(vod_sparse_t *s, int *more, vod_err_t *err);
static uint32_t vod_sparse_said(const vod_sparse_t *s);
static int64_t vod_sparse_time(vod_sparse_t *s);
static int vod_sparse_follows(vod_sparse_t *s, int64_t pts);
static int vod_sparse_over(vod_sparse_t *s);
static int vod_sparse_add(vod_sparse_t *s, int64_t pts, vod_err_t *err);
static int vod_sparse_room(vod_sparse_t *s, vod_err_t *err);
static int vod_sparse_times(vod_sparse_t *s, uint64_t *dts, vod_err_t *err);
static void vod_sparse_decode(vod_sparse_t *s, int64_t *scratch);
static void vod_sparse_in_order(vod_sparse_t *s);
static uint32_t vod_sparse_last(const vod_sparse_t *s);


int
vod_payload_sparse(vod_payload_t *p, uint64_t *dts, vod_err_t *err)
{
    int                         rc;
    int64_t                     start, end;
    vod_sparse_t                s;
    const vod_track_t          *t;
    const vod_av_segment_in_t  *in;

    in = p->in;
    t = in->track;

    memset(&s, 0, sizeof(vod_sparse_t));

    /* what the cuts know nothing of goes with the ends, unless of a clip */

    start = (in->cell->cursor.sample == 0 && in->cell->start == t->first_pts)
            ? INT64_MIN : in->cell->start;
    end = (in->next->cursor.sample == t->n_samples
           && in->next->start == t->end_pts) ? INT64_MAX : in->next->start;

    s.payload = p;
    s.next = INT64_MAX;
    s.next_time = VOD_NO_TIME;
    s.end = (end == INT64_MAX) ? INT64_MAX
            : vod_ticks_us(end - t->origin, t->timescale);

    vod_window_init(&s.window, t->kind, start, end);

    rc = VOD_OK;

    /* 0: where the file's first packet is, whatever comes before it */

    if (in->rows[0].pos) {
        rc = vod_demux_seek(p->demux, in->rows[0].pos, t->stream,
                            in->cell->start - t->origin, err);
    }

    if (rc == VOD_OK) {
        rc = vod_sparse_gather(&s, err);
    }

    if (rc == VOD_OK) {
        rc = vod_sparse_times(&s, dts, err);
    }

    free(s.pts);
    free(s.dts);

    return rc;
}


static int
vod_sparse_gather(vod_sparse_t *s, vod_err_t *err)
{
    int             rc, more;
    vod_payload_t  *p;

    p = s->payload;
    more = 1;

    while (more) {

        rc = vod_payload_read(p, err);

        /* what was read before the damage is served */

        if (rc == VOD_END || (rc == VOD_DAMAGED && p->n)) {
            return VOD_OK;
        }

        if (rc != VOD_OK) {
            return rc;
        }

        if (!vod_payload_ours(p)) {
            more = !vod_sparse_over(s);
            continue;
        }

        rc = vod_sparse_one(s, &more, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    return VOD_OK;
}


/* a packet of the track; *more is cleared when the segment is complete */
static int
vod_sparse_one(vod_sparse_t *s, int *more, vod_err_t *err)
{
    int             place;
    int64_t         pts;
    vod_payload_t  *p;

    p = s->payload;

    if (p->packet.size == 0) {
        return VOD_OK;
    }

    s->before = s->said;
    s->said = vod_sparse_said(s);

    pts = vod_sparse_time(s);

    if (pts == VOD_NO_TIME) {
        return VOD_OK;
    }

    place = vod_window_place(&s->window, pts, p->packet.key);

    switch (place) {

    case VOD_WINDOW_BEFORE:
        return VOD_OK;

    case VOD_WINDOW_WITHIN:
        return vod_sparse_add(s, pts, err);

    default:
        *more = vod_sparse_follows(s, pts);
        return VOD_OK;
    }
}


/* how long the container says that the packet lasts, ticks; or 0 */
static uint32_t
vod_sparse_said(const vod_sparse_t *s)
{
    int64_t  dur;

    dur = s->payload->packet.dur;

    return (dur > 0 && dur < INT32_MAX) ? (uint32_t) dur : 0;
}


/*
 * The packet's presentation time on the output timeline.  Packets of one
 * block may have none but the first: they go on from there frame by frame.
 */
static int64_t
vod_sparse_time(vod_sparse_t *s)
{
    int64_t                     pts;
    uint32_t                    frame, rate;
    uint64_t                    ticks;
    const vod_packet_t         *packet;
    const vod_demux_stream_t   *st;
    const vod_av_segment_in_t  *in;

    in = s->payload->in;
    packet = &s->payload->packet;

    pts = (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;

    if (pts != VOD_NO_TIME) {
        s->next_time = pts;
        s->part = 0x8000;

    } else if (s->next_time != VOD_NO_TIME) {
        pts = s->next_time + (int64_t) (s->part >> 16);
    }

    if (pts == VOD_NO_TIME || pts < -VOD_TIME_MAX / 2
        || pts > VOD_TIME_MAX / 2)
    {
        return VOD_NO_TIME;
    }

    s->dur = s->said;

    if (in->track->kind == VOD_AUDIO) {
        st = vod_demux_stream(s->payload->demux, packet->stream);
        frame = vod_config_frame(st->config.codec, in->entry,
                                 in->track->entry_len, packet->data,
                                 packet->size, &rate);

        /* to the nearest tick, as the scan of a file has it */

        if (frame && rate) {
            ticks = (uint64_t) frame * in->track->timescale;
            s->dur = (uint32_t) (ticks / rate);
            s->part += ticks % rate * 65536 / rate;
        }
    }

    if (s->next_time == VOD_NO_TIME) {
        s->next_time = pts;
    }

    s->next_time += s->dur;

    return pts + in->track->origin;
}


/*
 * A packet behind the segment: what follows begins with the earliest of its
 * sync sample and the pictures that lead it.  Returns whether to read on.
 */
static int
vod_sparse_follows(vod_sparse_t *s, int64_t pts)
{
    if (s->window.kind != VOD_VIDEO) {
        s->next = pts;
        return 0;
    }

    if (!s->behind) {
        s->behind = 1;
        s->sync = pts;
        s->next = pts;
        return 1;
    }

    if (s->payload->packet.key || pts >= s->sync) {
        return 0;
    }

    s->next = (pts < s->next) ? pts : s->next;

    return 1;
}


/* a packet of another track: has the file gone on from the segment? */
static int
vod_sparse_over(vod_sparse_t *s)
{
    int64_t                    time;
    const vod_packet_t        *packet;
    const vod_demux_stream_t  *st;

    packet = &s->payload->packet;
    time = (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;

    if (s->end == INT64_MAX || time == VOD_NO_TIME) {
        return 0;
    }

    st = vod_demux_stream(s->payload->demux, packet->stream);

    /* captions and covers may stand anywhere */

    if (st->kind != VOD_VIDEO && st->kind != VOD_AUDIO) {
        return 0;
    }

    time = vod_ticks_us(time, st->timescale);

    return time > s->end
           && (uint64_t) time - (uint64_t) s->end > VOD_PAYLOAD_APART;
}


static int
vod_sparse_add(vod_sparse_t *s, int64_t pts, vod_err_t *err)
{
    int             rc;
    uint32_t        size;
    uint64_t        at;
    vod_sample_t   *sample;
    vod_payload_t  *p;

    p = s->payload;

    rc = vod_sparse_room(s, err);
    if (rc != VOD_OK) {
        return rc;
    }

    at = p->len;

    rc = vod_payload_append(p, &size, err);

    /* without the sample that is damaged the others are still served */

    if (rc != VOD_OK || size == 0) {
        return (rc == VOD_DAMAGED) ? VOD_OK : rc;
    }

    sample = &p->samples[p->n];

    memset(sample, 0, sizeof(vod_sample_t));
    sample->pos = at;
    sample->size = size;
    sample->key = (p->packet.key != 0 || p->in->track->kind != VOD_VIDEO);

    s->pts[p->n] = pts;
    s->last = (p->in->track->kind == VOD_AUDIO)
              ? vod_payload_last(s->dur, s->said, s->before, p->packet.trim)
              : s->dur;
    p->n++;

    return VOD_OK;
}


static int
vod_sparse_room(vod_sparse_t *s, vod_err_t *err)
{
    void           *samples, *pts;
    uint32_t        room;
    vod_payload_t  *p;

    p = s->payload;

    if (p->n < s->room) {
        return VOD_OK;
    }

    if (p->n >= VOD_SEGMENT_SAMPLES) {
        return vod_fail(err, VOD_LIMIT, "track %u: segment %" PRIu64 " has"
                        " more than %d samples: key frames are too far apart,"
                        " re-encode it with more", p->in->track->source_id,
                        p->in->number, VOD_SEGMENT_SAMPLES);
    }

    room = s->room ? s->room * 2 : VOD_PAYLOAD_SAMPLES;

    samples = realloc(p->samples, room * sizeof(vod_sample_t));
    p->samples = samples ? samples : p->samples;

    pts = realloc(s->pts, room * sizeof(int64_t));
    s->pts = pts ? pts : s->pts;

    if (samples == NULL || pts == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", room);
    }

    s->room = room;

    /* cppcheck-suppress memleak ; does not follow them through the "?" */
    return VOD_OK;
}


static int
vod_sparse_times(vod_sparse_t *s, uint64_t *dts, vod_err_t *err)
{
    int64_t             delay, *scratch;
    uint32_t            i;
    vod_payload_t      *p;
    const vod_track_t  *t;

    p = s->payload;
    t = p->in->track;
    delay = (int64_t) t->media_time;

    if (p->n == 0) {
        *dts = (uint64_t) (p->in->cell->start + (t->kind == VOD_VIDEO
                                                 ? 0 : delay));
        return VOD_OK;
    }

    /* the second half is scratch */

    s->dts = malloc(2 * (size_t) p->n * sizeof(int64_t));
    if (s->dts == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", p->n);
    }

    scratch = s->dts + p->n;

    if (t->kind == VOD_VIDEO) {
        vod_sparse_decode(s, scratch);

    } else {
        vod_sparse_in_order(s);
        s->next += (s->next != INT64_MAX) ? delay : 0;
    }

    /* the index knew of nothing before 0: what comes there is late */

    for (i = 0; i < p->n && s->dts[i] < 0; i++) {
        s->dts[i] = 0;
    }

    *dts = (uint64_t) s->dts[0];

    return vod_payload_durations(p->samples, s->pts, s->dts, p->n, delay,
                                 s->next, vod_sparse_last(s), err);
}


/* group by group, from one sync sample to the next */
static void
vod_sparse_decode(vod_sparse_t *s, int64_t *scratch)
{
    uint32_t       i, from;
    vod_payload_t  *p;

    p = s->payload;
    from = 0;

    for (i = 1; i <= p->n; i++) {

        if (i < p->n && !p->samples[i].key) {
            continue;
        }

        vod_payload_dts(s->pts + from, i - from,
                        (int64_t) p->in->track->media_time, scratch,
                        s->dts + from);
        from = i;
    }
}


/* decoded as presented; a time that goes back is moved to the one before */
static void
vod_sparse_in_order(vod_sparse_t *s)
{
    int64_t   delay;
    uint32_t  i;

    delay = (int64_t) s->payload->in->track->media_time;

    for (i = 0; i < s->payload->n; i++) {

        if (i && s->pts[i] < s->pts[i - 1]) {
            s->pts[i] = s->pts[i - 1];
        }

        s->dts[i] = s->pts[i] + delay;
    }
}


/*
 * How long the last sample of all lasts, in ticks: as the file says, as its
 * codec does, as the one before it.
 */
static uint32_t
vod_sparse_last(const vod_sparse_t *s)
{
    uint32_t                    n;
    int64_t                     dur;
    const vod_av_segment_in_t  *in;

    in = s->payload->in;
    n = s->payload->n;

    if (s->last) {
        return s->last;
    }

    dur = (n > 1) ? s->dts[n - 1] - s->dts[n - 2]
                  : in->next->start - in->cell->start;

    return (dur < 0) ? 0 : (dur > UINT32_MAX) ? UINT32_MAX : (uint32_t) dur;
}
