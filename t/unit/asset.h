/*
 * Assets made up for the tests of the timeline: samples in memory, the index
 * and the timeline made of them.
 */

#ifndef _ASSET_H_INCLUDED_
#define _ASSET_H_INCLUDED_

#include <stdlib.h>

#include "tap.h"

#include "vod_index.h"
#include "vod_timeline.h"


#define ASSET_TRACKS  4


typedef struct {
    vod_sample_t       *samples[ASSET_TRACKS];
    int64_t            *pts[ASSET_TRACKS];      /* of each sample */
    vod_index_track_t   in[ASSET_TRACKS];
    uint32_t            n_tracks;

    void               *index;
    uint64_t            index_len;
    void               *timeline;
    uint64_t            timeline_len;
    vod_err_t           err;
} asset_t;


/* a track of n samples, to be filled in */
static inline vod_sample_t *
asset_add(asset_t *a, unsigned kind, uint32_t timescale, uint32_t n)
{
    uint32_t            i;
    vod_index_track_t  *t;

    i = a->n_tracks++;
    t = &a->in[i];

    memset(t, 0, sizeof(vod_index_track_t));

    a->samples[i] = calloc(n, sizeof(vod_sample_t));
    a->pts[i] = calloc(n, sizeof(int64_t));

    t->track.kind = (uint8_t) kind;
    t->track.timescale = timescale;
    t->track.source_id = i + 1;
    t->entry = (const uint8_t *) "entry";
    t->entry_len = 5;
    t->samples = a->samples[i];
    t->n_samples = n;

    return a->samples[i];
}


/* a track whose samples are all alike; a sync sample every gop */
static inline vod_sample_t *
asset_plain(asset_t *a, unsigned kind, uint32_t timescale, uint32_t n,
    uint32_t dur, uint32_t gop)
{
    uint32_t       i;
    vod_sample_t  *s;

    s = asset_add(a, kind, timescale, n);

    for (i = 0; i < n; i++) {
        s[i].size = kind == VOD_VIDEO ? 2000 + i % 7 : 300 + i % 5;
        s[i].dur = dur;
        s[i].key = i % gop == 0;
    }

    return s;
}


/* frees what asset_index() and asset_timeline() made, not the samples */
static inline void
asset_forget(asset_t *a)
{
    free(a->index);
    free(a->timeline);
    a->index = NULL;
    a->timeline = NULL;
}


static inline void
asset_free(asset_t *a)
{
    uint32_t  i;

    asset_forget(a);

    for (i = 0; i < a->n_tracks; i++) {
        free(a->samples[i]);
        free(a->pts[i]);
    }

    memset(a, 0, sizeof(asset_t));
}


/*
 * Places the samples in the file, one of each track in turn, and writes the
 * index.  Returns its length, 0 where that fails.
 */
static inline uint64_t
asset_index(asset_t *a)
{
    uint32_t        i, k, more;
    uint64_t        pos, room, dts;
    vod_sample_t   *s;
    vod_index_in_t  in;

    asset_forget(a);

    pos = 48;

    for (k = 0, more = 1; more; k++) {
        more = 0;

        for (i = 0; i < a->n_tracks; i++) {
            if (k >= a->in[i].n_samples) {
                continue;
            }

            a->samples[i][k].pos = pos;
            pos += a->samples[i][k].size;
            more = 1;
        }
    }

    for (i = 0; i < a->n_tracks; i++) {
        dts = a->in[i].track.first_dts;

        for (k = 0; k < a->in[i].n_samples; k++) {
            s = &a->samples[i][k];
            a->pts[i][k] = (int64_t) dts + s->cts
                           - (int64_t) a->in[i].track.media_time;
            dts += s->dur;
        }
    }

    memset(&in, 0, sizeof(in));
    in.file_size = pos;
    in.container = "test";
    in.tracks = a->in;
    in.n_tracks = a->n_tracks;

    room = vod_index_bound(&in);
    a->index = malloc(room);
    a->index_len = vod_index_write(&in, a->index, room, &a->err);

    return a->index_len;
}


/* index and timeline; target in ms.  Returns 0 where that fails */
static inline uint64_t
asset_timeline(asset_t *a, uint32_t target)
{
    uint64_t           room;
    vod_timeline_in_t  in;

    if (asset_index(a) == 0) {
        return 0;
    }

    memset(&in, 0, sizeof(in));
    in.target = target;
    in.file_size = ((vod_index_t *) a->index)->file_size;
    in.mtime_sec = 1700000000;
    in.mtime_nsec = 123456789;
    in.to = INT64_MAX;

    room = vod_timeline_bound(a->index, &in);
    a->timeline = malloc(room);
    a->timeline_len = vod_timeline_build(a->index, &in, a->timeline, room,
                                         &a->err);

    return a->timeline_len;
}


static inline const vod_timeline_track_t *
asset_track(const asset_t *a, uint32_t track)
{
    return &vod_timeline_tracks(a->timeline)[track];
}


static inline const vod_cell_t *
asset_cells(const asset_t *a, uint32_t track)
{
    return vod_timeline_cells(a->timeline, asset_track(a, track));
}

#endif /* _ASSET_H_INCLUDED_ */
