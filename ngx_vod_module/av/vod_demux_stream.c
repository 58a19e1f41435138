#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/mathematics.h>

#include "../core/vod_text.h"
#include "vod_demux_int.h"


/* odd and very fine clocks are counted in microseconds */
#define VOD_DEMUX_TICKS  1000000


typedef struct {
    enum AVCodecID   av;
    vod_codec_id_t   codec;
} vod_demux_codec_t;


static void vod_demux_clock(vod_demux_t *d, vod_demux_track_t *t,
    const AVStream *st);
static void vod_demux_props(vod_demux_track_t *t, const AVStream *st);
static void vod_demux_dovi(vod_demux_track_t *t, const AVStream *st);
static void vod_demux_light(vod_demux_track_t *t, const AVStream *st);
static int vod_demux_config(vod_demux_track_t *t, const AVStream *st);


static const vod_demux_codec_t  vod_demux_codecs[] = {
    { AV_CODEC_ID_H264, VOD_CODEC_AVC },
    { AV_CODEC_ID_HEVC, VOD_CODEC_HEVC },
    { AV_CODEC_ID_AV1, VOD_CODEC_AV1 },
    { AV_CODEC_ID_VP8, VOD_CODEC_VP8 },
    { AV_CODEC_ID_VP9, VOD_CODEC_VP9 },
    { AV_CODEC_ID_MPEG4, VOD_CODEC_MPEG4 },
    { AV_CODEC_ID_MPEG1VIDEO, VOD_CODEC_MPEG2 },
    { AV_CODEC_ID_MPEG2VIDEO, VOD_CODEC_MPEG2 },
    { AV_CODEC_ID_AAC, VOD_CODEC_AAC },
    { AV_CODEC_ID_AC3, VOD_CODEC_AC3 },
    { AV_CODEC_ID_EAC3, VOD_CODEC_EAC3 },
    { AV_CODEC_ID_DTS, VOD_CODEC_DTS },
    { AV_CODEC_ID_OPUS, VOD_CODEC_OPUS },
    { AV_CODEC_ID_FLAC, VOD_CODEC_FLAC },
    { AV_CODEC_ID_ALAC, VOD_CODEC_ALAC },
    { AV_CODEC_ID_MP1, VOD_CODEC_MP3 },
    { AV_CODEC_ID_MP2, VOD_CODEC_MP3 },
    { AV_CODEC_ID_MP3, VOD_CODEC_MP3 },
    { AV_CODEC_ID_VORBIS, VOD_CODEC_VORBIS }
};


vod_codec_id_t
vod_demux_codec(enum AVCodecID id)
{
    size_t  i;

    for (i = 0; i < sizeof(vod_demux_codecs) / sizeof(vod_demux_codecs[0]);
         i++)
    {
        if (vod_demux_codecs[i].av == id) {
            return vod_demux_codecs[i].codec;
        }
    }

    return VOD_CODEC_NONE;
}


static unsigned
vod_demux_kind(enum AVMediaType type)
{
    switch (type) {

    case AVMEDIA_TYPE_VIDEO:
        return VOD_VIDEO;

    case AVMEDIA_TYPE_AUDIO:
        return VOD_AUDIO;

    case AVMEDIA_TYPE_SUBTITLE:
        return VOD_TEXT;

    default:
        return 0;
    }
}


/* subtitles: pictures, or of Matroska text of which kind */
static void
vod_demux_text(vod_demux_t *d, vod_demux_stream_t *s, enum AVCodecID id)
{
    const AVCodecDescriptor  *desc;

    desc = avcodec_descriptor_get(id);
    s->pictures = desc && (desc->props & AV_CODEC_PROP_BITMAP_SUB);

    if (d->format->type != VOD_DEMUX_MATROSKA) {
        return;
    }

    s->text = (id == AV_CODEC_ID_SUBRIP || id == AV_CODEC_ID_TEXT)
              ? VOD_TEXT_SRT
              : (id == AV_CODEC_ID_ASS) ? VOD_TEXT_ASS
              : (id == AV_CODEC_ID_WEBVTT) ? VOD_TEXT_VTT : 0;
}


/* what libavformat has of Matroska's flags and of a program's audio_type */
static uint32_t
vod_demux_roles(int disposition)
{
    size_t    i;
    uint32_t  roles;

    static const struct {
        int       flag;
        uint32_t  role;
    } flags[] = {
        { AV_DISPOSITION_COMMENT, VOD_ROLE_COMMENTARY },
        { AV_DISPOSITION_VISUAL_IMPAIRED, VOD_ROLE_DESCRIPTION },
        { AV_DISPOSITION_DESCRIPTIONS, VOD_ROLE_DESCRIPTION },
        { AV_DISPOSITION_HEARING_IMPAIRED, VOD_ROLE_HEARING },
        { AV_DISPOSITION_FORCED, VOD_ROLE_FORCED },
        { AV_DISPOSITION_ORIGINAL, VOD_ROLE_ORIGINAL },
        { AV_DISPOSITION_DUB, VOD_ROLE_DUB }
    };

    roles = 0;

    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        roles |= (disposition & flags[i].flag) ? flags[i].role : 0;
    }

    return roles;
}


/* a copy: libavformat may change its own while packets are read */
static const char *
vod_demux_tag(const AVStream *st, const char *name, char *out, size_t size)
{
    const AVDictionaryEntry  *e;

    e = av_dict_get(st->metadata, name, NULL, 0);
    (void) snprintf(out, size, "%s", e ? e->value : "");

    return out;
}


int
vod_demux_few(vod_demux_t *d, const vod_av_limits_t *limits, vod_err_t *err)
{
    uint32_t  i, n;

    for (i = 0, n = 0; i < d->ctx->nb_streams; i++) {
        n += (vod_demux_kind(d->ctx->streams[i]->codecpar->codec_type) != 0);
    }

    if (limits->max_tracks && n > limits->max_tracks) {
        return vod_fail(err, VOD_LIMIT, "it holds %u tracks, more than the %u"
                        " allowed (vod_max_tracks), remux it with fewer", n,
                        limits->max_tracks);
    }

    if (n > VOD_DEMUX_STREAMS) {
        return vod_fail(err, VOD_LIMIT, "it holds %u tracks, more than the %d"
                        " that are read of a file that is no MP4, remux it"
                        " with fewer", n, VOD_DEMUX_STREAMS);
    }

    return VOD_OK;
}


uint32_t
vod_demux_streams(vod_demux_t *d)
{
    return (d->ctx->nb_streams < VOD_DEMUX_STREAMS)
           ? d->ctx->nb_streams : VOD_DEMUX_STREAMS;
}


const vod_demux_stream_t *
vod_demux_stream(vod_demux_t *d, uint32_t i)
{
    return &d->tracks[i].s;
}


void
vod_demux_look(vod_demux_t *d)
{
    uint32_t  i, n;

    n = vod_demux_streams(d);

    for (i = 0; i < n; i++) {
        if (!d->tracks[i].known) {
            (void) vod_demux_look_at(d, i);
        }

        if (d->only != VOD_DEMUX_STREAMS && i != d->only) {
            d->ctx->streams[i]->discard = AVDISCARD_ALL;
        }
    }
}


/*
 * FLV has a codec's configuration, and transport streams the codec's name,
 * only when packets have been read: so this is done again for the first one.
 */
int
vod_demux_look_at(vod_demux_t *d, uint32_t i)
{
    AVStream           *st;
    vod_demux_track_t  *t;

    st = d->ctx->streams[i];
    t = &d->tracks[i];

    if (!t->known) {
        t->near = VOD_NO_TIME;
        t->base = VOD_NO_POS;
        t->at = VOD_NO_POS;
    }

    t->known = 1;

    t->s.kind = vod_demux_kind(st->codecpar->codec_type);
    t->s.id = (st->id > 0) ? (uint32_t) st->id : i + 1;
    t->s.enabled = (st->disposition & AV_DISPOSITION_DEFAULT) != 0
                   || d->format->type != VOD_DEMUX_MATROSKA;
    t->s.roles = vod_demux_roles(st->disposition);
    t->s.still = (st->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;

    if (t->s.kind == VOD_TEXT) {
        vod_demux_text(d, &t->s, st->codecpar->codec_id);
    }

    t->s.encrypted = av_dict_get(st->metadata, "enc_key_id", NULL, 0) != NULL;
    t->s.lang = vod_demux_tag(st, "language", t->lang, sizeof(t->lang));
    t->s.name = vod_demux_tag(st, "title", t->name, sizeof(t->name));
    t->s.codec_name = avcodec_get_name(st->codecpar->codec_id);

    if (d->format->type == VOD_DEMUX_MATROSKA
        || d->format->type == VOD_DEMUX_OGG)
    {
        t->s.id = i + 1;
    }

    vod_demux_clock(d, t, st);
    vod_demux_props(t, st);
    vod_demux_dovi(t, st);
    vod_demux_light(t, st);

    return vod_demux_config(t, st);
}


static void
vod_demux_clock(vod_demux_t *d, vod_demux_track_t *t, const AVStream *st)
{
    int64_t   delay;
    uint32_t  rate;

    t->tb = st->time_base;

    if (d->counting && !t->s.still) {
        return;
    }

    if (d->format->type == VOD_DEMUX_BARE && !t->s.still && d->peeked
        && vod_demux_frame(d, &rate))
    {
        t->s.timescale = rate;
        t->s.delay = d->lame_delay;
        t->s.trim = d->lame_trim;
        d->counting = 1;
        return;
    }

    if (t->tb.num <= 0 || t->tb.den <= 0) {
        t->tb.num = 1;
        t->tb.den = VOD_DEMUX_TICKS;
    }

    t->s.timescale = (t->tb.num == 1 && t->tb.den <= VOD_DEMUX_TICKS)
                     ? (uint32_t) t->tb.den : VOD_DEMUX_TICKS;

    delay = 0;

    if (st->codecpar->initial_padding > 0 && st->codecpar->sample_rate > 0) {
        delay = av_rescale(st->codecpar->initial_padding, t->s.timescale,
                           st->codecpar->sample_rate);
    }

    t->s.delay = (delay <= INT32_MAX) ? (uint32_t) delay : 0;
}


static uint32_t
vod_demux_positive(int n)
{
    return (n > 0) ? (uint32_t) n : 0;
}


static uint8_t
vod_demux_colour(int n)
{
    return (n == 2 || n < 0 || n > 255) ? 0 : (uint8_t) n;
}


static void
vod_demux_props(vod_demux_track_t *t, const AVStream *st)
{
    AVRational                sar;
    vod_config_t             *c;
    const AVCodecParameters  *par;

    c = &t->s.config;
    par = st->codecpar;

    c->codec = vod_demux_codec(par->codec_id);
    c->width = vod_demux_positive(par->width);
    c->height = vod_demux_positive(par->height);

    sar = st->sample_aspect_ratio.num ? st->sample_aspect_ratio
                                      : par->sample_aspect_ratio;

    if (sar.num > 0 && sar.den > 0) {
        c->sar_num = (uint32_t) sar.num;
        c->sar_den = (uint32_t) sar.den;
    }

    c->sample_rate = vod_demux_positive(par->sample_rate);
#if (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100))
    c->channels = vod_demux_positive(par->ch_layout.nb_channels);
#else
    c->channels = vod_demux_positive(par->channels);
#endif
    c->bits = vod_demux_positive(par->bits_per_raw_sample
                                 ? par->bits_per_raw_sample
                                 : par->bits_per_coded_sample);

    c->primaries = vod_demux_colour((int) par->color_primaries);
    c->transfer = vod_demux_colour((int) par->color_trc);
    c->matrix = vod_demux_colour((int) par->color_space);
    c->range = (par->color_range == AVCOL_RANGE_JPEG);
}


/* what a container says of a whole stream, or NULL */
static const void *
vod_demux_side(const AVStream *st, enum AVPacketSideDataType type,
    size_t least)
{
    size_t       size;
    const void  *data;

#if (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100))
    const AVPacketSideData  *sd;

    sd = av_packet_side_data_get(st->codecpar->coded_side_data,
                                 st->codecpar->nb_coded_side_data, type);
    size = sd ? sd->size : 0;
    data = sd ? sd->data : NULL;
#else
    size = 0;
    data = av_stream_get_side_data(st, type, &size);
#endif

    return (size >= least) ? data : NULL;
}


/* dvcC (Dolby Vision Streams Within the ISO BMFF, 3.2) as it was */
static void
vod_demux_dovi(vod_demux_track_t *t, const AVStream *st)
{
    uint8_t                                 *p;
    const AVDOVIDecoderConfigurationRecord  *r;

    r = vod_demux_side(st, AV_PKT_DATA_DOVI_CONF, sizeof(*r));

    if (r == NULL) {
        return;
    }

    p = t->dovi;

    p[0] = r->dv_version_major;
    p[1] = r->dv_version_minor;
    p[2] = (uint8_t) (r->dv_profile << 1 | r->dv_level >> 5);
    p[3] = (uint8_t) (r->dv_level << 3 | (r->rpu_present_flag & 1) << 2
                      | (r->el_present_flag & 1) << 1
                      | (r->bl_present_flag & 1));
    p[4] = (uint8_t) (r->dv_bl_signal_compatibility_id << 4);

    t->s.config.dovi = p;
}


static void
vod_demux_put(uint8_t *p, unsigned n, AVRational value, int unit)
{
    int64_t  v;

    v = value.den ? av_rescale(value.num, unit, value.den) : 0;

    while (n--) {
        p[n] = (uint8_t) v;
        v >>= 8;
    }
}


/* mdcv and clli (23008-2, D.3.28; 14496-12, 12.1.6): green, blue, red */
static void
vod_demux_light(vod_demux_track_t *t, const AVStream *st)
{
    unsigned                           i;
    uint8_t                           *p;
    const AVContentLightMetadata      *light;
    const AVMasteringDisplayMetadata  *m;

    static const unsigned  order[] = { 1, 2, 0 };

    m = vod_demux_side(st, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
                       sizeof(*m));

    if (m && m->has_primaries && m->has_luminance) {
        p = t->mdcv;

        for (i = 0; i < 3; i++) {
            vod_demux_put(p + 4 * i, 2, m->display_primaries[order[i]][0],
                          50000);
            vod_demux_put(p + 4 * i + 2, 2,
                          m->display_primaries[order[i]][1], 50000);
        }

        vod_demux_put(p + 12, 2, m->white_point[0], 50000);
        vod_demux_put(p + 14, 2, m->white_point[1], 50000);
        vod_demux_put(p + 16, 4, m->max_luminance, 10000);
        vod_demux_put(p + 20, 4, m->min_luminance, 10000);

        t->s.config.mdcv = p;
    }

    light = vod_demux_side(st, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
                           sizeof(*light));

    if (light) {
        p = t->clli;

        p[0] = (uint8_t) (light->MaxCLL >> 8);
        p[1] = (uint8_t) light->MaxCLL;
        p[2] = (uint8_t) (light->MaxFALL >> 8);
        p[3] = (uint8_t) light->MaxFALL;

        t->s.config.clli = p;
    }
}


static int
vod_demux_config(vod_demux_track_t *t, const AVStream *st)
{
    size_t  n;

    if (t->config || st->codecpar->extradata == NULL
        || st->codecpar->extradata_size <= 0)
    {
        return VOD_OK;
    }

    n = (size_t) st->codecpar->extradata_size;

    t->config = malloc(n);
    if (t->config == NULL) {
        return VOD_NOMEM;
    }

    memcpy(t->config, st->codecpar->extradata, n);

    t->s.config.config = t->config;
    t->s.config.config_len = n;

    return VOD_OK;
}
