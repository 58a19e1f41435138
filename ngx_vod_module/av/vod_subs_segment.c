#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_vtt.h"
#include "vod_subs.h"


/*
 * Text lies beside the sound and the pictures of its time, give or take this
 * much, milliseconds: when they are so far behind the segment's end, none of
 * it is left to come.
 */
#define VOD_SUBS_APART  10000

#define VOD_SUBS_PIECE  65536       /* bytes of texts, at least */
#define VOD_SUBS_CUES   64


typedef struct vod_subs_piece_s  vod_subs_piece_t;

struct vod_subs_piece_s {
    vod_subs_piece_t  *next;
    size_t             room, used;
    char               data[];
};


/* a segment while it is made */
typedef struct {
    vod_source_t               *source;
    uint64_t                    max;
    const vod_av_segment_in_t  *in;
    int64_t                     start, end;     /* milliseconds */

    vod_cue_t                  *cues;
    uint32_t                    n, room;
    vod_subs_piece_t           *pieces;         /* what cues point into */
    uint64_t                    bytes;          /* of all of them */
} vod_subs_t;


static int vod_subs_gather(vod_subs_t *s, vod_err_t *err);
static int vod_subs_file(vod_subs_t *s, vod_err_t *err);
static int vod_subs_samples(vod_subs_t *s, vod_err_t *err);
static int vod_subs_sample(vod_subs_t *s, vod_text_reader_t *reader,
    const uint8_t *data, size_t len, int64_t start, int64_t end,
    vod_err_t *err);
static int vod_subs_packets(vod_subs_t *s, vod_err_t *err);
static int vod_subs_from(vod_subs_t *s, vod_demux_t *d, uint64_t pos,
    vod_err_t *err);
static int vod_subs_packet(vod_subs_t *s, vod_text_reader_t *reader,
    const vod_demux_stream_t *st, const vod_packet_t *packet, int *more,
    vod_err_t *err);
static int vod_subs_over(const vod_subs_t *s, vod_demux_t *d,
    const vod_packet_t *packet);
static int vod_subs_cue(vod_subs_t *s, vod_cue_t *cue, vod_err_t *err);
static int vod_subs_room(vod_subs_t *s, size_t size, vod_err_t *err);
static int vod_subs_write(vod_subs_t *s, vod_av_segment_t *out,
    vod_err_t *err);
static int vod_subs_wvtt(vod_subs_t *s, vod_av_segment_t *out,
    vod_err_t *err);


int
vod_subs_segment(vod_source_t *source, uint64_t max,
    const vod_av_segment_in_t *in, vod_av_segment_t *out, vod_err_t *err)
{
    int                rc;
    vod_subs_t         s;
    vod_subs_piece_t  *piece;

    memset(&s, 0, sizeof(vod_subs_t));

    s.source = source;
    s.max = max;
    s.in = in;
    s.start = in->cell->start;
    s.end = in->next->start;

    rc = in->n_rows ? vod_subs_gather(&s, err) : VOD_OK;

    if (rc == VOD_OK) {
        vod_text_sort(s.cues, s.n);
        rc = vod_subs_write(&s, out, err);
    }

    while (s.pieces) {
        piece = s.pieces;
        s.pieces = piece->next;
        free(piece);
    }

    free(s.cues);

    return rc;
}


static int
vod_subs_gather(vod_subs_t *s, vod_err_t *err)
{
    const vod_av_segment_in_t  *in;

    in = s->in;

    if (in->track->flags & VOD_TRACK_SPARSE) {
        return vod_subs_packets(s, err);
    }

    if (strcmp(in->container, "mp4") == 0
        || strcmp(in->container, "mov") == 0)
    {
        return vod_subs_samples(s, err);
    }

    return vod_subs_file(s, err);
}


/* ---- a file of text alone */

static int
vod_subs_file(vod_subs_t *s, vod_err_t *err)
{
    int                 rc;
    char               *text;
    size_t              len;
    unsigned            form;
    vod_cue_t           cue;
    vod_text_reader_t   reader;

    rc = vod_subs_read(s->source, &text, &len, &form, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (form != vod_subs_form(s->in->track->convert)) {
        free(text);
        return vod_fail(err, VOD_DAMAGED, "its text is no longer what was"
                        " indexed, the file has changed");
    }

    vod_text_open(&reader, form, text, len);

    while (rc == VOD_OK && vod_text_next(&reader, &cue)) {
        rc = vod_subs_cue(s, &cue, err);
    }

    free(text);

    return rc;
}


/* ---- MP4 */

static int
vod_subs_samples(vod_subs_t *s, vod_err_t *err)
{
    int                  rc;
    int64_t              time;
    uint8_t             *data, *more;
    uint32_t             i, room;
    vod_text_reader_t    reader;
    const vod_sample_t  *row;

    vod_text_open(&reader, VOD_TEXT_TX3G, NULL, 0);
    reader.style = vod_subs_style(s->in->track->convert);

    time = (int64_t) s->in->cell->cursor.dts;
    data = NULL;
    room = 0;
    rc = VOD_OK;

    for (i = 0; rc == VOD_OK && i < s->in->n_rows; i++) {

        row = &s->in->rows[i];

        if (row->size > s->max) {
            rc = vod_fail(err, VOD_LIMIT, "track %u: a text has %u bytes",
                          s->in->track->source_id, row->size);
            break;
        }

        if (row->size > room) {
            more = realloc(data, row->size);
            if (more == NULL) {
                rc = vod_fail(err, VOD_NOMEM, "no memory for a text of %u"
                              " bytes", row->size);
                break;
            }

            data = more;
            room = row->size;
        }

        if (row->size) {
            rc = vod_source_read(s->source, data, row->size, row->pos, err);

            if (rc == VOD_OK) {
                rc = vod_subs_sample(s, &reader, data, row->size, time,
                                     time + row->dur, err);
            }
        }

        time += row->dur;
    }

    free(data);

    if (vod_subs_form(s->in->track->convert) == VOD_SUBS_WVTT) {
        s->n = vod_wvtt_join(s->cues, s->n);
    }

    return rc;
}


static int
vod_subs_sample(vod_subs_t *s, vod_text_reader_t *reader, const uint8_t *data,
    size_t len, int64_t start, int64_t end, vod_err_t *err)
{
    int        rc;
    size_t     at;
    vod_cue_t  cue;

    if (vod_subs_form(s->in->track->convert) == VOD_TEXT_TX3G) {

        if (!vod_text_sample(reader, data, len, &cue)) {
            return VOD_OK;
        }

        cue.start = start;
        cue.end = end;

        return vod_subs_cue(s, &cue, err);
    }

    at = 0;
    rc = VOD_OK;

    while (rc == VOD_OK && vod_wvtt_next(data, len, &at, &cue) > 0) {
        cue.start = start;
        cue.end = end;
        cue.number = s->n;

        rc = vod_subs_cue(s, &cue, err);
    }

    return rc;
}


/* ---- other containers */

static int
vod_subs_packets(vod_subs_t *s, vod_err_t *err)
{
    int           rc;
    uint32_t      i;
    uint64_t      pos, size;
    vod_demux_t  *d;

    size = s->source->src->size;
    pos = size;

    for (i = 0; i < s->in->n_rows; i++) {
        pos = (s->in->rows[i].pos < pos) ? s->in->rows[i].pos : pos;
    }

    if (pos == size) {
        return VOD_OK;
    }

    rc = vod_demux_open(&d, s->source, s->in->container, err);

    if (rc == VOD_OK) {
        rc = vod_subs_from(s, d, pos, err);
    }

    vod_demux_close(d);

    return rc;
}


static int
vod_subs_from(vod_subs_t *s, vod_demux_t *d, uint64_t pos, vod_err_t *err)
{
    int                         rc, more;
    vod_packet_t                packet;
    vod_text_reader_t           reader;
    const vod_track_t          *t;
    const vod_demux_stream_t   *st;

    t = s->in->track;
    rc = VOD_OK;

    if (pos) {
        rc = vod_demux_seek(d, pos, t->stream, VOD_NO_TIME, err);
    }

    if (rc == VOD_OK && vod_demux_streams(d) <= t->stream) {
        rc = vod_fail(err, VOD_DAMAGED, "its track %u is no longer there, the"
                      " file has changed", t->stream + 1);
    }

    if (rc != VOD_OK) {
        return rc;
    }

    st = vod_demux_stream(d, t->stream);

    vod_text_open(&reader, vod_subs_form(t->convert),
                  (const char *) st->config.config,
                  (size_t) st->config.config_len);

    more = 1;

    while (rc == VOD_OK && more) {

        rc = vod_source_in_time(s->source, err);

        if (rc == VOD_OK) {
            rc = vod_demux_read(d, &packet, err);
        }

        /* what was read before the damage is served */

        if (rc == VOD_END || rc == VOD_DAMAGED) {
            return VOD_OK;
        }

        if (rc != VOD_OK) {
            break;
        }

        if (packet.stream != t->stream) {
            more = !vod_subs_over(s, d, &packet);
            continue;
        }

        rc = vod_subs_packet(s, &reader, st, &packet, &more, err);
    }

    return rc;
}


static int
vod_subs_packet(vod_subs_t *s, vod_text_reader_t *reader,
    const vod_demux_stream_t *st, const vod_packet_t *packet, int *more,
    vod_err_t *err)
{
    int64_t    pts;
    vod_cue_t  cue;

    pts = (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;

    if (pts == VOD_NO_TIME || st->timescale == 0
        || !vod_text_sample(reader, packet->data, packet->size, &cue))
    {
        return VOD_OK;
    }

    vod_subs_span(st, packet, &cue.start, &cue.end);

    cue.start += s->in->track->origin;
    cue.end += s->in->track->origin;
    cue.start = (cue.start > 0) ? cue.start : 0;

    if (cue.start >= s->end) {
        *more = 0;
        return VOD_OK;
    }

    if (packet->cue_len) {
        cue.id = packet->cue;
        cue.id_len = packet->cue_len;
    }

    if (packet->settings_len) {
        cue.settings = packet->settings;
        cue.settings_len = packet->settings_len;
    }

    return vod_subs_cue(s, &cue, err);
}


/* a packet of another track: has the file gone on from the segment? */
static int
vod_subs_over(const vod_subs_t *s, vod_demux_t *d, const vod_packet_t *packet)
{
    int64_t                    time, end;
    const vod_demux_stream_t  *st;

    time = (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;
    st = vod_demux_stream(d, packet->stream);

    if (time == VOD_NO_TIME || st->timescale == 0
        || (st->kind != VOD_VIDEO && st->kind != VOD_AUDIO))
    {
        return 0;
    }

    end = s->end - s->in->track->origin;
    time = vod_subs_ms(time, st->timescale);

    return time - VOD_SUBS_APART > end;
}


/* ---- cues */

/* keeps one that is shown in the segment, with its whole time */
static int
vod_subs_cue(vod_subs_t *s, vod_cue_t *cue, vod_err_t *err)
{
    int                rc;
    size_t             used;
    vod_subs_piece_t  *piece;

    if (cue->start >= s->end || cue->end <= s->start
        || cue->end <= cue->start)
    {
        return VOD_OK;
    }

    rc = vod_subs_room(s, vod_text_cue_bound(cue), err);
    if (rc != VOD_OK) {
        return rc;
    }

    piece = s->pieces;

    used = vod_text_cue(cue, piece->data + piece->used,
                        piece->room - piece->used);
    if (used == 0) {
        return VOD_OK;
    }

    piece->used += used;
    s->cues[s->n++] = *cue;

    return VOD_OK;
}


/* room for one cue more, and so many bytes of it */
static int
vod_subs_room(vod_subs_t *s, size_t size, vod_err_t *err)
{
    uint32_t           room;
    vod_cue_t         *cues;
    vod_subs_piece_t  *piece;

    if (s->n == s->room) {
        room = s->room ? s->room * 2 : VOD_SUBS_CUES;

        cues = realloc(s->cues, (size_t) room * sizeof(vod_cue_t));
        if (cues == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for %u cues", room);
        }

        s->cues = cues;
        s->room = room;
        s->bytes += (room - s->n) * sizeof(vod_cue_t);
    }

    if (s->pieces == NULL || s->pieces->room - s->pieces->used < size) {

        size = (size > VOD_SUBS_PIECE) ? size : VOD_SUBS_PIECE;

        if (size > s->max || s->bytes > s->max - size) {
            return vod_fail(err, VOD_LIMIT, "track %u: segment %" PRIu64
                            " has more than %" PRIu64 " bytes of text",
                            s->in->track->source_id, s->in->number, s->max);
        }

        piece = malloc(sizeof(vod_subs_piece_t) + size);
        if (piece == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for a text of %zu"
                            " bytes", size);
        }

        piece->next = s->pieces;
        piece->room = size;
        piece->used = 0;

        s->pieces = piece;
        s->bytes += size;
    }

    return VOD_OK;
}


/* ---- what is sent */

static int
vod_subs_write(vod_subs_t *s, vod_av_segment_t *out, vod_err_t *err)
{
    size_t       len;
    vod_wr_t     wr;
    const char  *header;

    out->dts = (s->start > 0) ? (uint64_t) s->start : 0;

    if (!s->in->vtt) {
        return vod_subs_wvtt(s, out, err);
    }

    if (vod_wvtt_header(s->in->entry, s->in->track->entry_len, &header, &len,
                        err)
        != VOD_OK)
    {
        return err->code;
    }

    vod_wr_init(&wr, NULL, 0);
    vod_vtt_write(&wr, header, len, s->cues, s->n);

    out->len = wr.len;

    if (wr.len > s->max) {
        return vod_fail(err, VOD_LIMIT, "track %u: segment %" PRIu64 " has %"
                        PRIu64 " bytes of text", s->in->track->source_id,
                        s->in->number, wr.len);
    }

    out->payload = malloc(wr.len ? wr.len : 1);
    if (out->payload == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a segment of %" PRIu64
                        " bytes", wr.len);
    }

    vod_wr_init(&wr, out->payload, out->len);
    vod_vtt_write(&wr, header, len, s->cues, s->n);

    return VOD_OK;
}


/* payload and samples are one piece of memory */
static int
vod_subs_wvtt(vod_subs_t *s, vod_av_segment_t *out, vod_err_t *err)
{
    int        rc;
    size_t     at;
    uint32_t   n;
    vod_wr_t   wr;

    if (s->end <= s->start) {
        out->payload = malloc(1);
        return out->payload ? VOD_OK : vod_fail(err, VOD_NOMEM, "no memory");
    }

    vod_wr_init(&wr, NULL, 0);

    rc = vod_wvtt_samples(s->cues, s->n, s->start, s->end, s->max, &wr, NULL,
                          0, &n, err);
    if (rc != VOD_OK) {
        return rc;
    }

    out->len = wr.len;
    at = ((size_t) wr.len + 15) & ~(size_t) 15;

    out->payload = malloc(at + n * sizeof(vod_sample_t));
    if (out->payload == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a segment of %" PRIu64
                        " bytes", wr.len);
    }

    out->samples = (vod_sample_t *) (void *) (out->payload + at);

    vod_wr_init(&wr, out->payload, out->len);

    return vod_wvtt_samples(s->cues, s->n, s->start, s->end, s->max, &wr,
                            out->samples, n, &out->n, err);
}
