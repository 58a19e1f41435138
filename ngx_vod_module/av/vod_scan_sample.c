#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_lang.h"
#include "vod_scan_int.h"


/* key frames that may be of no use before a track is given up */
#define VOD_SCAN_TRIES  16


static int vod_scan_begin(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err);
static void vod_scan_properties(vod_scan_track_t *t);
static int vod_scan_changed(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err);
static int vod_scan_convert(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_scan_sample_t *s, const uint8_t **data,
    vod_err_t *err);
static int vod_scan_push(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_scan_sample_t *s, vod_err_t *err);
static void vod_scan_nominal(const vod_scan_track_t *t, const vod_packet_t *p,
    vod_scan_sample_t *s);


/* a time that is none is a time that is missing */
static int64_t
vod_scan_sane(const vod_scan_track_t *t, int64_t time)
{
    int64_t  most;

    most = VOD_SCAN_MAX_TIME * (int64_t) t->st->timescale;

    return (time > most || time < -most) ? VOD_NO_TIME : time;
}


int
vod_scan_sample(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err)
{
    int                 rc, sync;
    const uint8_t      *data;
    vod_scan_sample_t   s;

    if (p->pos != VOD_NO_POS && p->pos > b->behind) {
        b->behind = p->pos;
    }

    if (t->code != VOD_OK || t->ended) {
        return VOD_OK;
    }

    if (t->st->kind == VOD_TEXT) {
        return vod_scan_text(b, t, p, err);
    }

    rc = t->ready ? vod_scan_changed(b, t, p, err)
                  : vod_scan_begin(b, t, p, err);

    if (rc != VOD_OK || !t->ready || t->ended || t->code != VOD_OK) {
        return rc;
    }

    memset(&s, 0, sizeof(s));
    s.pos = p->pos;
    s.pts = vod_scan_sane(t, p->pts);
    s.dts = vod_scan_sane(t, p->dts);
    s.trim = p->trim;
    s.damaged = (p->damaged != 0);

    rc = vod_scan_convert(b, t, p, &s, &data, err);

    if (rc == VOD_DAMAGED || (rc == VOD_OK && s.size == 0)) {
        t->bad++;
        return VOD_OK;
    }

    if (rc != VOD_OK) {
        return rc;
    }

    sync = vod_config_sync(t->st->config.codec, data, s.size);

    /* H.264 may also be entered where only its recovery point says so */

    s.key = (sync == 1)
            || (p->key && (sync < 0 || t->st->config.codec == VOD_CODEC_AVC));

    if (t->n == 0 && t->st->kind == VOD_VIDEO && !s.key) {
        t->early++;
        return VOD_OK;
    }

    vod_scan_nominal(t, p, &s);

    t->before = t->said;
    t->said = (p->dur > 0 && p->dur < INT32_MAX) ? (uint32_t) p->dur : 0;

    return vod_scan_push(b, t, &s, err);
}


/* the entry, from the first packet that has what it takes */
static int
vod_scan_begin(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err)
{
    int           rc;
    uint8_t      *entry;
    uint64_t      len;
    vod_config_t  config;

    config = t->st->config;

    if (t->st->kind == VOD_VIDEO && !p->key && config.config_len == 0) {
        t->early++;
        return VOD_OK;
    }

    config.sample = p->data;
    config.sample_len = p->size;
    t->out.track.kind = (uint8_t) t->st->kind;

    rc = vod_scan_entry(&t->out.track, &config, &entry, &len, &t->convert,
                        err);

    if (rc == VOD_NOMEM || rc == VOD_INTERNAL) {
        return rc;
    }

    if (rc != VOD_OK) {
        t->early++;

        if (rc == VOD_UNSUPPORTED || ++t->tries == VOD_SCAN_TRIES) {
            t->code = rc;
            memcpy(t->why, err->text, sizeof(t->why));
        }

        return VOD_OK;
    }

    t->out.entry = entry;
    t->out.entry_len = len;
    t->ready = 1;
    t->in_place = !b->transport;

    vod_scan_properties(t);

    return VOD_OK;
}


static void
vod_scan_properties(vod_scan_track_t *t)
{
    vod_track_t  *track;

    track = &t->out.track;

    track->source_id = t->st->id;
    track->stream = t->stream;
    track->timescale = t->st->timescale;
    track->roles = t->st->roles;
    track->convert = t->convert;
    track->matrix[0] = 0x10000;
    track->matrix[4] = 0x10000;
    track->matrix[8] = 0x40000000;

    if (t->st->enabled) {
        track->flags |= VOD_TRACK_DEFAULT;
    }

    vod_lang_normalise(t->st->lang, strlen(t->st->lang), track->lang,
                       sizeof(track->lang));

    t->out.name = t->st->name;
    t->out.name_len = strlen(t->st->name);
}


/* a track has one configuration: it ends where another one begins */
static int
vod_scan_changed(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_err_t *err)
{
    int            rc;
    char           what[96];
    uint8_t       *entry;
    uint64_t       len;
    unsigned       convert;
    vod_track_t    other;
    vod_config_t   config;

    config = t->st->config;

    if (p->config) {
        t->ended = p->config_len != config.config_len
                   || memcmp(p->config, config.config, p->config_len);

    } else if (t->st->kind == VOD_VIDEO && p->key && config.config_len == 0) {

        config.sample = p->data;
        config.sample_len = p->size;

        memset(&other, 0, sizeof(other));
        other.kind = VOD_VIDEO;

        rc = vod_scan_entry(&other, &config, &entry, &len, &convert, err);
        free(entry);

        if (rc == VOD_NOMEM) {
            return rc;
        }

        t->ended = (rc == VOD_OK)
                   && (other.width != t->out.track.width
                       || other.height != t->out.track.height
                       || strcmp(other.codec, t->out.track.codec));
    }

    if (t->ended) {
        vod_scan_what(t, what, sizeof(what));
        vod_notes_add(b->notes, "%s: its codec's configuration changes after"
                      " %u samples, only these are served, cut the file"
                      " there", what, t->n);
    }

    return VOD_OK;
}


/* what is sent, at data; and where that lies in the file, if it does */
static int
vod_scan_convert(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_packet_t *p, vod_scan_sample_t *s, const uint8_t **data,
    vod_err_t *err)
{
    int        rc;
    uint8_t   *buf;
    uint64_t   len, room, off;

    *data = p->data;
    s->size = p->size;
    s->at = p->at;

    if (t->convert == VOD_CONVERT_NONE) {
        t->in_place &= (s->at != VOD_NO_POS);
        return VOD_OK;
    }

    room = vod_config_bound(t->convert, p->size);

    if (room > b->buf_room) {
        buf = realloc(b->buf, room);
        if (buf == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for a sample of %"
                            PRIu64 " bytes", room);
        }

        b->buf = buf;
        b->buf_room = room;
    }

    rc = vod_config_convert(t->convert, t->out.entry, t->out.entry_len,
                            p->data, p->size, b->buf, &len);

    if (rc != VOD_OK || len > UINT32_MAX) {
        return VOD_DAMAGED;
    }

    *data = b->buf;
    s->size = (uint32_t) len;

    /* where only something before it is taken off, the rest lies there */

    if (s->at != VOD_NO_POS && len <= p->size) {
        off = p->size - len;
        s->at = memcmp(p->data + off, b->buf, len) ? VOD_NO_POS
                                                   : s->at + off;
    } else {
        s->at = VOD_NO_POS;
    }

    t->in_place &= (s->at != VOD_NO_POS);

    return VOD_OK;
}


/* how long the sample lasts by itself */
static void
vod_scan_nominal(const vod_scan_track_t *t, const vod_packet_t *p,
    vod_scan_sample_t *s)
{
    uint32_t  n, rate;
    uint64_t  dur;

    dur = (p->dur > 0) ? (uint64_t) p->dur : 0;

    if (t->st->kind == VOD_AUDIO) {

        n = vod_config_frame(t->st->config.codec, t->out.entry,
                             t->out.entry_len, p->data, p->size, &rate);

        if (n && rate) {
            dur = (uint64_t) n * t->st->timescale;
            s->part = (uint16_t) (dur % rate * 65536 / rate);
            dur /= rate;
        }
    }

    s->dur = (dur <= INT32_MAX) ? (uint32_t) dur : 0;
}


int
vod_scan_many(const vod_scan_build_t *b, vod_err_t *err)
{
    return vod_fail(err, VOD_LIMIT, "its tracks hold more than the %" PRIu64
                    " samples allowed (vod_max_samples), cut the file into"
                    " shorter ones", b->limits->max_samples);
}


static int
vod_scan_push(vod_scan_build_t *b, vod_scan_track_t *t,
    const vod_scan_sample_t *s, vod_err_t *err)
{
    uint32_t            room;
    vod_scan_sample_t  *samples;

    if (b->n_samples == b->limits->max_samples) {
        return vod_scan_many(b, err);
    }

    if (t->n == t->room) {
        room = t->room ? t->room + t->room / 2 : 1024;

        samples = realloc(t->samples, room * sizeof(vod_scan_sample_t));
        if (samples == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for %u samples", room);
        }

        t->samples = samples;
        t->room = room;
    }

    t->samples[t->n++] = *s;
    t->damaged += s->damaged;
    b->n_samples++;

    return VOD_OK;
}
