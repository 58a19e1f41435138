#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_codec.h"
#include "../core/vod_lang.h"
#include "vod_cues_int.h"


/* Matroska counts milliseconds: a time may be one off */
#define VOD_CUES_ROUND    1

/* seconds; codecs have less than one */
#define VOD_CUES_PRIMING  60


static int vod_cues_config(vod_cues_track_t *t, uint8_t **entry,
    uint64_t *len, vod_err_t *err);
static void vod_cues_properties(vod_cues_track_t *t);
static int vod_cues_frames(vod_cues_track_t *t, vod_err_t *err);
static int64_t vod_cues_delay(const vod_cues_track_t *t, uint32_t n,
    int64_t *sorted);


int
vod_cues_entry(vod_cues_track_t *t, vod_err_t *err)
{
    int           rc;
    uint8_t      *in, *entry;
    uint64_t      len;
    vod_wr_t      wr;
    vod_track_t  *track;

    track = &t->track.track;
    track->kind = (uint8_t) t->st->kind;
    vod_cues_properties(t);

    in = NULL;
    len = 0;

    rc = vod_cues_config(t, &in, &len, err);
    if (rc != VOD_OK) {
        return rc;
    }

    vod_wr_init(&wr, NULL, 0);
    rc = vod_codec_entry(track, in, len, &wr, err);

    if (rc == VOD_OK) {
        entry = malloc(wr.len ? wr.len : 1);
        t->track.entry = entry;
        t->track.entry_len = wr.len;

        vod_wr_init(&wr, entry, entry ? wr.len : 0);
        rc = entry ? vod_codec_entry(track, in, len, &wr, err)
                   : vod_fail(err, VOD_NOMEM, "no memory for a sample entry");
    }

    free(in);

    if (rc != VOD_OK) {
        return rc;
    }

    vod_codec_first_sample(track, t->sample, t->sample_len);

    if (track->kind == VOD_VIDEO && track->sar_den) {
        track->tkhd_width = (uint32_t) (((uint64_t) track->width << 16)
                                        * track->sar_num / track->sar_den);
        track->tkhd_height = track->height << 16;
    }

    return VOD_OK;
}


/* the entry that an MP4 file would have had, from malloc() */
static int
vod_cues_config(vod_cues_track_t *t, uint8_t **entry, uint64_t *len,
    vod_err_t *err)
{
    int           rc;
    uint8_t      *out;
    unsigned      convert;
    vod_wr_t      wr;
    vod_config_t  config;

    config = t->st->config;
    config.sample = t->sample;
    config.sample_len = t->sample_len;

    vod_wr_init(&wr, NULL, 0);

    rc = vod_config_entry(&config, &wr, &convert, err);
    if (rc != VOD_OK) {
        return rc;
    }

    *len = wr.len;

    out = malloc(*len ? *len : 1);
    if (out == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a sample entry");
    }

    vod_wr_init(&wr, out, *len);

    rc = vod_config_entry(&config, &wr, &convert, err);
    if (rc != VOD_OK) {
        free(out);
        return rc;
    }

    t->track.track.convert = convert;
    *entry = out;

    return VOD_OK;
}


static void
vod_cues_properties(vod_cues_track_t *t)
{
    vod_track_t               *track;
    const vod_demux_stream_t  *st;

    st = t->st;
    track = &t->track.track;

    track->source_id = st->id;
    track->stream = t->stream;
    track->timescale = st->timescale;
    track->roles = st->roles;
    track->flags = VOD_TRACK_DEMUX | VOD_TRACK_SPARSE;
    track->flags |= st->enabled ? VOD_TRACK_DEFAULT : 0;
    track->flags |= (st->kind == VOD_AUDIO) ? VOD_TRACK_ALL_SYNC : 0;
    track->fps_den = 1;

    track->matrix[0] = 0x10000;
    track->matrix[4] = 0x10000;
    track->matrix[8] = 0x40000000;

    vod_lang_normalise(st->lang, strlen(st->lang), track->lang,
                       sizeof(track->lang));

    t->track.name = st->name;
    t->track.name_len = strlen(st->name);
}


int
vod_cues_pace(vod_cues_track_t *t, vod_err_t *err)
{
    uint32_t      frame, rate;
    vod_track_t  *track;

    track = &t->track.track;

    if (track->kind == VOD_VIDEO) {
        return vod_cues_frames(t, err);
    }

    if (t->st->delay / track->timescale > VOD_CUES_PRIMING) {
        return vod_fail(err, VOD_DAMAGED, "%u s of it come before its"
                        " begin, which is no delay, remux the file",
                        t->st->delay / track->timescale);
    }

    track->media_time = t->st->delay;

    frame = vod_config_frame(t->st->config.codec, t->track.entry,
                             t->track.entry_len, t->sample, t->sample_len,
                             &rate);
    if (frame && rate) {
        t->frame = ((int64_t) frame * track->timescale + rate / 2) / rate;
    }

    return VOD_OK;
}


/*
 * The frame rate, as of the samples that these would be, and how much later
 * pictures are presented than decoded: as the first ones are, or as the codec
 * says that they may be.
 */
static int
vod_cues_frames(vod_cues_track_t *t, vod_err_t *err)
{
    int            rc, reorder;
    int64_t       *dts, *sorted, delay;
    uint32_t       i, n, from;
    vod_track_t   *track;
    vod_sample_t  *samples;

    track = &t->track.track;

    /* whole groups, where one ends among them */

    for (n = t->n, i = t->n; i-- > 1; /* void */ ) {
        if (t->key[i]) {
            n = i;
            break;
        }
    }

    samples = malloc((n + 1) * (sizeof(vod_sample_t) + 2 * sizeof(int64_t)));
    if (samples == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples", n);
    }

    dts = (int64_t *) (samples + n + 1);
    sorted = dts + n + 1;
    delay = vod_cues_delay(t, n, sorted);

    for (i = 1, from = 0; i <= n; i++) {
        if (i == n || t->key[i]) {
            vod_payload_dts(t->pts + from, i - from, delay, sorted,
                            dts + from);
            from = i;
        }
    }

    memset(samples, 0, n * sizeof(vod_sample_t));
    rc = vod_payload_durations(samples, t->pts, dts, n, delay,
                               (n < t->n) ? t->pts[n] : INT64_MAX, 0, err);

    if (rc == VOD_OK) {
        vod_fps(samples, n, track->timescale, dts, &track->fps_num,
                &track->fps_den);

        t->frame = track->fps_num ? (int64_t) track->timescale
                                    * track->fps_den / track->fps_num : 0;

        reorder = vod_config_reorder(t->track.entry, t->track.entry_len);

        if (reorder > 0 && reorder * t->frame + VOD_CUES_ROUND > delay) {
            delay = reorder * t->frame + VOD_CUES_ROUND;
        }

        track->media_time = (uint64_t) delay;
    }

    free(samples);

    return rc;
}


/* the least delay with which none of these is decoded too late */
static int64_t
vod_cues_delay(const vod_cues_track_t *t, uint32_t n, int64_t *sorted)
{
    int64_t   delay;
    uint32_t  i, k, from;

    delay = 0;

    for (i = 1, from = 0; i <= n; i++) {

        if (i < n && !t->key[i]) {
            continue;
        }

        /* with any delay at all, these are the times in ascending order */

        vod_payload_dts(t->pts + from, i - from, VOD_TIME_MAX / 2,
                        sorted + from, sorted + from);

        for (k = from; k < i; k++) {
            if (sorted[k] - t->pts[k] > delay) {
                delay = sorted[k] - t->pts[k];
            }
        }

        from = i;
    }

    return delay;
}
