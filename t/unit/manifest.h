/*
 * Assets for the unit tests of manifests: an index without rows and a
 * timeline whose every number a test chooses.
 */

#ifndef _MANIFEST_H_INCLUDED_
#define _MANIFEST_H_INCLUDED_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vod_links.h"
#include "vod_rd.h"
#include "vod_timeline.h"
#include "vod_wr.h"


typedef struct {
    vod_track_t     track;
    const char     *name;
    size_t          name_len;
    uint32_t        n;              /* segments */
    const int64_t  *starts;         /* n + 1 times, in ticks */
    uint64_t        peak, average, bandwidth;
    const char     *token;          /* NULL = the timeline's */
    uint32_t        off_grid;

    const uint64_t *dts;            /* n times; with these it has dates, else
                                       they are starts */

    /* of an I-frame playlist, where key_duration is set */
    const int64_t  *syncs;          /* n + 1 times, in ticks */
    uint32_t        key, header;    /* bytes in each segment, and one more
                                       in each than in the one before */
    uint32_t        key_duration;
    uint64_t        key_peak, key_average;
} asset_track_t;

typedef struct {
    uint8_t  *index;
    uint8_t  *timeline;

    const vod_links_t  *links;
} asset_t;


/* three segments of 6, 6 and 2.5 s at 1000 ticks a second */
static const int64_t  asset_starts[] = { 0, 6000, 12000, 14500 };


static inline asset_track_t
asset_video(const char *codec, uint32_t fourcc)
{
    asset_track_t  a;

    memset(&a, 0, sizeof(a));

    a.track.kind = VOD_VIDEO;
    a.track.flags = VOD_TRACK_DEFAULT;
    a.track.fourcc = fourcc;
    a.track.timescale = 1000;
    a.track.width = 1280;
    a.track.height = 720;
    a.track.sar_num = 1;
    a.track.sar_den = 1;
    a.track.fps_num = 25;
    a.track.fps_den = 1;
    a.track.matrix[0] = 0x10000;
    a.track.matrix[4] = 0x10000;
    a.track.matrix[8] = 0x40000000;
    strcpy(a.track.lang, "und");
    snprintf(a.track.codec, sizeof(a.track.codec), "%s", codec);

    a.n = 3;
    a.starts = asset_starts;
    a.peak = 2000000;
    a.average = 1500000;
    a.bandwidth = 1900000;

    return a;
}


static inline asset_track_t
asset_audio(const char *codec, uint32_t fourcc, const char *lang,
    const char *name)
{
    asset_track_t  a;

    memset(&a, 0, sizeof(a));

    a.track.kind = VOD_AUDIO;
    a.track.fourcc = fourcc;
    a.track.timescale = 1000;
    a.track.channels = 2;
    a.track.channel_layout = 2;
    a.track.sample_rate = 48000;
    snprintf(a.track.lang, sizeof(a.track.lang), "%s", lang);
    snprintf(a.track.codec, sizeof(a.track.codec), "%s", codec);

    a.name = name;
    a.name_len = name ? strlen(name) : 0;
    a.n = 3;
    a.starts = asset_starts;
    a.peak = 130000;
    a.average = 128000;
    a.bandwidth = 129000;

    return a;
}


#define asset_avc()  asset_video("avc1.64001f",                               \
                                 vod_fourcc('a', 'v', 'c', '1'))
#define asset_aac(lang, name)                                                 \
    asset_audio("mp4a.40.2", vod_fourcc('m', 'p', '4', 'a'), lang, name)
#define asset_ac3(lang, name)                                                 \
    asset_audio("ac-3", vod_fourcc('a', 'c', '-', '3'), lang, name)


static inline asset_track_t
asset_subs(const char *lang, const char *name, unsigned roles)
{
    asset_track_t  a;

    a = asset_audio("wvtt", vod_fourcc('w', 'v', 't', 't'), lang, name);

    a.track.kind = VOD_TEXT;
    a.track.flags = VOD_TRACK_DEMUX;
    a.track.roles = roles;
    a.track.channels = 0;
    a.track.channel_layout = 0;
    a.track.sample_rate = 0;
    a.peak = 900;
    a.average = 400;
    a.bandwidth = 800;

    return a;
}


static inline void
asset_build(asset_t *asset, const asset_track_t *in, unsigned n,
    uint64_t origin)
{
    unsigned               i;
    uint64_t               at, cells;
    vod_cell_t            *c;
    vod_index_t           *idx;
    vod_track_t           *t;
    vod_timeline_t        *tl;
    vod_timeline_track_t  *tt;

    asset->links = NULL;

    at = sizeof(vod_index_t) + n * sizeof(vod_track_t);
    cells = sizeof(vod_timeline_t) + n * sizeof(vod_timeline_track_t);

    for (i = 0; i < n; i++) {
        at += in[i].name_len;
        cells += (in[i].n + 1) * sizeof(vod_cell_t);
    }

    /* exactly as long as they are, for the sanitizer's sake */

    asset->index = calloc(1, at);
    asset->timeline = calloc(1, cells);

    if (asset->index == NULL || asset->timeline == NULL) {
        abort();
    }

    idx = (vod_index_t *) asset->index;
    idx->magic = VOD_INDEX_MAGIC;
    idx->version = VOD_INDEX_VERSION;
    idx->n_tracks = (uint16_t) n;
    idx->len = at;

    tl = (vod_timeline_t *) asset->timeline;
    tl->magic = VOD_TIMELINE_MAGIC;
    tl->version = VOD_TIMELINE_VERSION;
    tl->n_tracks = (uint16_t) n;
    tl->len = cells;
    tl->target = 6000;
    tl->target_duration = 6;
    tl->max_segment = 6000;
    tl->origin = origin;
    memcpy(tl->token, "0123456789ab", 12);

    t = (vod_track_t *) (asset->index + sizeof(vod_index_t));
    tt = (vod_timeline_track_t *) (asset->timeline + sizeof(vod_timeline_t));

    at = sizeof(vod_index_t) + n * sizeof(vod_track_t);
    cells = sizeof(vod_timeline_t) + n * sizeof(vod_timeline_track_t);

    for (i = 0; i < n; i++) {
        uint32_t  k;
        uint64_t  end;

        t[i] = in[i].track;
        t[i].ordinal = i;
        t[i].name_off = at;
        t[i].name_len = in[i].name_len;
        t[i].first_pts = in[i].starts[0];
        t[i].end_pts = in[i].starts[in[i].n];

        if (in[i].name_len) {
            memcpy(asset->index + at, in[i].name, in[i].name_len);
            at += in[i].name_len;
        }

        tt[i].ordinal = i;
        tt[i].timescale = in[i].track.timescale;
        tt[i].kind = in[i].track.kind;
        tt[i].off_grid = in[i].off_grid;
        memcpy(tt[i].token, in[i].token ? in[i].token : tl->token, 12);
        tt[i].n_segments = in[i].n;
        tt[i].cells_off = cells;
        tt[i].peak = in[i].peak;
        tt[i].average = in[i].average;
        tt[i].bandwidth = in[i].bandwidth;
        tt[i].key_duration = in[i].key_duration;
        tt[i].key_peak = in[i].key_peak;
        tt[i].key_average = in[i].key_average;

        if (i == 0 || (vod_ticks_us(t[i].first_pts, t[i].timescale)
                       < vod_ticks_us(tl->origin_ticks,
                                      tl->origin_timescale)))
        {
            tl->origin_ticks = t[i].first_pts;
            tl->origin_timescale = t[i].timescale;
        }

        tl->dated |= in[i].dts != NULL;

        c = (vod_cell_t *) (asset->timeline + cells);

        for (k = 0; k <= in[i].n; k++) {
            c[k].start = in[i].starts[k];
            c[k].sync = in[i].syncs ? in[i].syncs[k] : in[i].starts[k];
            c[k].header = in[i].header;
            c[k].cursor.dts = in[i].starts[k] > 0
                              ? (uint64_t) in[i].starts[k] : 0;

            if (in[i].dts && k < in[i].n) {
                c[k].cursor.dts = in[i].dts[k];
            }

            c[k].key = in[i].key + k;
        }

        cells += (in[i].n + 1) * sizeof(vod_cell_t);

        end = (uint64_t) vod_ticks_us(t[i].end_pts, t[i].timescale);

        if (end > origin && end - origin > tl->duration) {
            tl->duration = end - origin;
        }
    }
}


static inline void
asset_free(asset_t *asset)
{
    free(asset->index);
    free(asset->timeline);
}


/*
 * A manifest as a C string from malloc(), by one() or, of the track with this
 * ordinal, by media(); measured first and written into exactly that room.
 */
static inline char *
asset_text(const asset_t *asset,
    void (*one)(vod_wr_t *, const void *, const void *, const vod_links_t *),
    void (*media)(vod_wr_t *, const void *, const void *, unsigned,
                  const vod_links_t *),
    unsigned ordinal)
{
    char      *text;
    vod_wr_t   wr, measure;

    vod_wr_init(&measure, NULL, 0);

    if (one) {
        one(&measure, asset->index, asset->timeline, asset->links);

    } else {
        media(&measure, asset->index, asset->timeline, ordinal, asset->links);
    }

    text = malloc(measure.len + 1);

    if (text == NULL) {
        abort();
    }

    vod_wr_init(&wr, text, measure.len);

    if (one) {
        one(&wr, asset->index, asset->timeline, asset->links);

    } else {
        media(&wr, asset->index, asset->timeline, ordinal, asset->links);
    }

    if (wr.overflow || wr.len != measure.len) {
        fprintf(stderr, "measured %llu bytes, wrote %llu\n",
                (unsigned long long) measure.len,
                (unsigned long long) wr.len);
        abort();
    }

    text[wr.len] = '\0';

    return text;
}


/* occurrences of a text in a text */
static inline unsigned
asset_count(const char *text, const char *what)
{
    unsigned  n;

    for (n = 0; (text = strstr(text, what)) != NULL; n++) {
        text += strlen(what);
    }

    return n;
}

#endif /* _MANIFEST_H_INCLUDED_ */
