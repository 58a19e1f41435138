/*
 * Indexes, timelines and segments made by several threads at once are those
 * that one thread makes alone.  Under ThreadSanitizer (make test-tsan) also:
 * the threads share nothing that one of them writes.
 *
 * Files: those named as arguments, or all of VOD_FIXTURES and VOD_MEDIA.
 */

#include <pthread.h>

#include "vod_av.h"
#include "vod_segment.h"
#include "scanned.h"
#include "tap.h"


#define THREADS  4
#define FILES    1024

/* of a track, about as many are made: the first and others behind it */
#define SEGMENTS  4


typedef struct {
    bytes_t    bytes;
    char      *path;
    uint64_t   alone;           /* hash of what one thread made of it */
} file_t;

typedef struct {
    pthread_t  thread;
    uint32_t   shift;           /* where it begins, in parts of the files */
    uint32_t   differ;          /* times something else was made */
    uint32_t   first;           /* of which file, one of them */
} worker_t;


static file_t             files[FILES];
static uint32_t           n_files;
static pthread_barrier_t  barrier;


static uint64_t
demuxed(file_t *f, const vod_av_segment_in_t *in, uint64_t hash)
{
    int               rc;
    vod_err_t         err;
    vod_av_source_t   src;
    vod_av_segment_t  out;

    bytes_source(&src, &f->bytes);
    rc = vod_av_segment(&src, NULL, in, &out, &err);

    if (rc != VOD_OK) {
        return vod_hash64(hash, err.text, strlen(err.text)) + (uint64_t) rc;
    }

    hash = vod_hash64(hash, out.payload, out.len);
    hash = vod_hash64(hash, out.samples, out.n * sizeof(vod_sample_t));
    vod_av_segment_free(&out);

    return hash;
}


static uint64_t
segment(file_t *f, const void *index, const void *timeline, uint32_t t,
    uint32_t k, uint64_t hash, uint32_t *n_demuxed)
{
    vod_err_t                    err;
    const vod_cell_t            *cell;
    vod_sample_t                *samples;
    vod_av_segment_in_t          in;
    const vod_timeline_track_t  *tt;

    tt = vod_timeline_tracks(timeline) + t;
    cell = vod_timeline_cells(timeline, tt) + k;

    in.container = ((const vod_index_t *) index)->container;
    in.track = vod_index_tracks(index) + t;
    in.entry = (const uint8_t *) index + in.track->entry_off;
    in.cell = &cell[0];
    in.next = &cell[1];
    in.number = k + 1;
    in.n_segments = tt->n_segments;
    in.n_rows = cell[1].cursor.sample - cell[0].cursor.sample;

    samples = calloc(in.n_rows, sizeof(vod_sample_t));
    in.rows = samples;

    if (samples == NULL
        || vod_segment_samples(&cell[0], &cell[1], (const uint8_t *) index
                               + in.track->rows_off + cell->cursor.row,
                               samples, &err)
           != VOD_OK)
    {
        free(samples);
        return 0;
    }

    hash = vod_hash64(hash, samples, in.n_rows * sizeof(vod_sample_t));

    if (in.track->flags & VOD_TRACK_DEMUX) {
        hash = demuxed(f, &in, hash);
        (*n_demuxed)++;
    }

    free(samples);

    return hash;
}


static uint64_t
segments(file_t *f, const void *index, const void *timeline, uint64_t hash,
    uint32_t *n_demuxed)
{
    uint32_t                     t, k, n, step;
    const vod_timeline_track_t  *tt;

    tt = vod_timeline_tracks(timeline);

    for (t = 0; t < ((const vod_index_t *) index)->n_tracks; t++) {
        n = tt[t].n_segments;
        step = (n > SEGMENTS) ? (n - 1) / (SEGMENTS - 1) : 1;

        for (k = 0; k < n; k += step) {
            hash = segment(f, index, timeline, t, k, hash, n_demuxed);
        }
    }

    return hash;
}


/* a hash of all that is made of a file, of the error where nothing is */
static uint64_t
made(file_t *f, uint32_t *n_demuxed)
{
    int                rc;
    void              *index, *timeline;
    uint64_t           len, room, hash;
    vod_err_t          err;
    vod_av_source_t    src;
    vod_timeline_in_t  in;

    bytes_source(&src, &f->bytes);
    rc = vod_av_index(&src, NULL, &index, &len, &err);

    if (rc != VOD_OK) {
        return vod_hash64((uint64_t) rc, err.text, strlen(err.text));
    }

    hash = vod_hash64(1, index, len);

    memset(&in, 0, sizeof(in));
    in.target = 1000;
    in.file_size = f->bytes.size;
    in.to = INT64_MAX;

    room = vod_timeline_bound(index, &in);
    timeline = malloc(room);
    len = vod_timeline_build(index, &in, timeline, room, &err);

    if (len) {
        hash = vod_hash64(hash, timeline, len);
        hash = segments(f, index, timeline, hash, n_demuxed);
    }

    free(timeline);
    free(index);

    return hash;
}


/* all threads over the same files in the same order, then each in its own */
static void *
work(void *data)
{
    uint32_t   i, k, pass, n_demuxed;
    worker_t  *w = data;

    n_demuxed = 0;
    (void) pthread_barrier_wait(&barrier);

    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < n_files; i++) {
            k = pass ? (i + w->shift * n_files / THREADS) % n_files : i;

            if (made(&files[k], &n_demuxed) != files[k].alone) {
                w->differ++;
                w->first = k;
            }
        }
    }

    return NULL;
}


static void
add(const char *path)
{
    file_t  *f = &files[n_files];

    if (n_files < FILES && bytes_load(&f->bytes, path)) {
        f->path = strdup(path);
        n_files++;
    }
}


int
main(int argc, char **argv)
{
    uint32_t  i, n_demuxed;
    worker_t  w[THREADS];

    all_files(argc, argv, add);
    ok(n_files > 0, "there are files: %u", n_files);

    if (n_files == 0) {
        return done_testing();
    }

    vod_av_init();

    for (i = 0, n_demuxed = 0; i < n_files; i++) {
        files[i].alone = made(&files[i], &n_demuxed);
    }

    ok(n_demuxed > 0, "some segments are demuxed: %u", n_demuxed);

    (void) pthread_barrier_init(&barrier, NULL, THREADS);
    memset(w, 0, sizeof(w));

    for (i = 0; i < THREADS; i++) {
        w[i].shift = i;
        is_int(pthread_create(&w[i].thread, NULL, work, &w[i]), 0,
               "thread %u starts", i);
    }

    for (i = 0; i < THREADS; i++) {
        (void) pthread_join(w[i].thread, NULL);
        is_int(w[i].differ, 0, "thread %u makes what is made alone%s%s", i,
               w[i].differ ? ", but of " : "",
               w[i].differ ? files[w[i].first].path : "");
    }

    for (i = 0; i < n_files; i++) {
        free(files[i].bytes.data);
        free(files[i].path);
    }

    return done_testing();
}
