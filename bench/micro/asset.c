/*
 * The asset of the benches: see micro.h.
 */

#define _POSIX_C_SOURCE 200809L

#include "micro.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vod_av.h"


#define CLIP_SECONDS  3
#define MAX_TRACKS    8
#define MAX_ASSETS    4


extern const char  *micro_clip;


static int64_t
clip_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    ssize_t  n;

    n = pread(*(int *) data, buf, (size_t) len, (off_t) offset);
    if (n == -1) {
        *sys_err = errno;
    }

    return n;
}


void *
micro_clip_index(uint64_t *len)
{
    int              fd, rc;
    void            *index;
    vod_err_t        err;
    struct stat      st;
    vod_av_source_t  src;

    fd = open(micro_clip, O_RDONLY | O_CLOEXEC);
    micro_need(fd != -1 && fstat(fd, &st) == 0, "cannot open the clip");

    memset(&src, 0, sizeof(src));
    src.read = clip_read;
    src.data = &fd;
    src.size = (uint64_t) st.st_size;

    rc = vod_av_index(&src, NULL, &index, len, &err);
    micro_need(rc == VOD_OK, "cannot index the clip");

    (void) close(fd);

    return index;
}


/* the samples of a track, repeated; positions go on behind each other */

static vod_sample_t *
repeat(const uint8_t *index, const vod_track_t *track, unsigned times,
    uint64_t file_size)
{
    unsigned       k;
    uint32_t       i;
    vod_cursor_t   cur;
    vod_sample_t  *samples;

    samples = malloc((size_t) track->n_samples * times
                     * sizeof(vod_sample_t));
    micro_need(samples != NULL, "no memory");

    memset(&cur, 0, sizeof(cur));
    cur.dts = track->first_dts;

    for (i = 0; i < track->n_samples; i++) {
        micro_need(vod_row_read(&cur, index + track->rows_off, 0,
                                track->rows_len, &samples[i])
                   == VOD_OK, "the clip's rows cannot be read");
    }

    for (k = 1; k < times; k++) {
        for (i = 0; i < track->n_samples; i++) {
            samples[k * track->n_samples + i] = samples[i];
            samples[k * track->n_samples + i].pos += k * file_size;
        }
    }

    return samples;
}


static void
make_index(micro_asset_t *asset, unsigned times)
{
    unsigned            i;
    uint64_t            len, room;
    uint8_t            *clip;
    vod_err_t           err;
    vod_index_t        *head;
    vod_index_in_t      in;
    const vod_track_t  *tracks;
    vod_index_track_t   list[MAX_TRACKS];

    clip = micro_clip_index(&len);
    head = (vod_index_t *) (void *) clip;
    tracks = vod_index_tracks(clip);

    micro_need(head->n_tracks <= MAX_TRACKS, "too many tracks");
    memset(list, 0, sizeof(list));

    for (i = 0; i < head->n_tracks; i++) {
        list[i].track = tracks[i];
        list[i].entry = clip + tracks[i].entry_off;
        list[i].entry_len = tracks[i].entry_len;
        list[i].name = (const char *) clip + tracks[i].name_off;
        list[i].name_len = tracks[i].name_len;
        list[i].samples = repeat(clip, &tracks[i], times, head->file_size);
        list[i].n_samples = tracks[i].n_samples * times;
    }

    memset(&in, 0, sizeof(in));
    in.file_size = head->file_size * times;
    in.container = head->container;
    in.notes = "";
    in.tracks = list;
    in.n_tracks = head->n_tracks;

    room = vod_index_bound(&in);
    asset->index = malloc(room);
    micro_need(asset->index != NULL, "no memory");

    asset->index_len = vod_index_write(&in, asset->index, room, &err);
    micro_need(asset->index_len != 0, "cannot write the index");

    for (i = 0; i < head->n_tracks; i++) {
        free((void *) list[i].samples);
    }

    free(clip);
}


static void
make_timeline(micro_asset_t *asset)
{
    uint64_t           room;
    vod_err_t          err;
    vod_timeline_in_t  in;

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.file_size = ((vod_index_t *) asset->index)->file_size;
    in.to = INT64_MAX;

    room = vod_timeline_bound(asset->index, &in);
    asset->timeline = malloc(room);
    micro_need(asset->timeline != NULL, "no memory");

    asset->timeline_len = vod_timeline_build(asset->index, &in,
                                             asset->timeline, room, &err);
    micro_need(asset->timeline_len != 0, "cannot cut the asset");
}


const micro_asset_t *
micro_asset(unsigned seconds)
{
    unsigned  i;

    static struct {
        unsigned       seconds;
        micro_asset_t  asset;
    } made[MAX_ASSETS];

    for (i = 0; i < MAX_ASSETS && made[i].seconds; i++) {
        if (made[i].seconds == seconds) {
            return &made[i].asset;
        }
    }

    micro_need(i < MAX_ASSETS, "too many assets");

    make_index(&made[i].asset, seconds / CLIP_SECONDS);
    make_timeline(&made[i].asset);
    made[i].seconds = seconds;

    return &made[i].asset;
}
