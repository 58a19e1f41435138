/*
 * What a first viewer waits for, without a server: one file opened, indexed,
 * cut, its playlists, header and first segment's header rendered.
 *
 *   load [-c] [-r ROUNDS] [-n HEADERS] FILE
 *
 * -c drops the file's pages from the page cache first.  Prints one JSON
 * object: the parts of each round in microseconds; the headers of segments
 * all over the timeline, in microseconds each; the size of the index and what
 * the process holds.  Built with COUNT and count.c it fails where a header
 * takes anything from the heap; its times then mean nothing.
 */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef COUNT
#include "count.h"
#endif

#include "vod_av.h"
#include "vod_box.h"
#include "vod_dash.h"
#include "vod_hls.h"
#include "vod_segment.h"


#define ROOM         (8 * 1024 * 1024)
#define MAX_SAMPLES  65536


typedef struct {
    int              fd;
    const char      *path;
    void            *index;
    uint64_t         index_len;
    uint64_t         bytes_read;
    vod_timeline_t  *timeline;
    uint64_t         timeline_len;
} load_t;


static uint8_t       text[ROOM];
static vod_sample_t  samples[MAX_SAMPLES];
static vod_run_t     runs[MAX_SAMPLES];
static uint64_t      text_len;


static void
need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "load: %s\n", what);
        exit(1);
    }
}


static double
now_us(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (double) ts.tv_sec * 1e6 + (double) ts.tv_nsec / 1e3;
}


static int64_t
load_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    ssize_t  n;

    n = pread(((load_t *) data)->fd, buf, (size_t) len, (off_t) offset);
    if (n == -1) {
        *sys_err = errno;
    }

    return n;
}


static void
load_index(load_t *l)
{
    vod_err_t        err;
    struct stat      st;
    vod_av_source_t  src;

    l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
    need(l->fd != -1 && fstat(l->fd, &st) == 0, "cannot open the file");

    memset(&src, 0, sizeof(src));
    src.read = load_read;
    src.data = l;
    src.size = (uint64_t) st.st_size;

    need(vod_av_index(&src, NULL, &l->index, &l->index_len, &err) == VOD_OK,
         "cannot index the file");
    l->bytes_read = src.bytes_read;

    (void) close(l->fd);
}


static void
load_timeline(load_t *l)
{
    uint64_t           room;
    vod_err_t          err;
    vod_timeline_in_t  in;

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.file_size = ((vod_index_t *) l->index)->file_size;
    in.to = INT64_MAX;

    room = vod_timeline_bound(l->index, &in);
    l->timeline = malloc(room);
    need(l->timeline != NULL, "no memory");

    l->timeline_len = vod_timeline_build(l->index, &in, l->timeline, room,
                                         &err);
    need(l->timeline_len != 0, "cannot cut the file");
}


#define render(call)                                                          \
    do {                                                                      \
        vod_wr_init(&wr, NULL, 0);                                            \
        call;                                                                 \
        need(wr.len <= ROOM, "no room");                                      \
        vod_wr_init(&wr, text, wr.len);                                       \
        call;                                                                 \
        text_len += wr.len;                                                   \
    } while (0)


static void
load_render(load_t *l)
{
    unsigned            i;
    vod_wr_t            wr;
    const uint8_t      *index = l->index;
    const vod_index_t  *head = l->index;
    const vod_track_t  *t;

    render(vod_hls_master(&wr, index, l->timeline, NULL));
    render(vod_dash_mpd(&wr, index, l->timeline, NULL));

    for (i = 0; i < head->n_tracks; i++) {
        t = &vod_index_tracks(index)[i];
        render(vod_hls_media(&wr, index, l->timeline, i, NULL));
        render(vod_box_init(&wr, t, index + t->entry_off,
                            (const char *) index + t->name_off));
    }
}


static void
load_header(load_t *l, unsigned ordinal, uint32_t number)
{
    uint32_t                     n;
    vod_wr_t                     wr;
    vod_err_t                    err;
    const uint8_t               *rows;
    const vod_cell_t            *cells;
    const vod_track_t           *t;
    const vod_timeline_track_t  *cut;

    t = &vod_index_tracks(l->index)[ordinal];
    cut = &vod_timeline_tracks(l->timeline)[ordinal];
    cells = vod_timeline_cells(l->timeline, cut) + number;
    rows = (uint8_t *) l->index + t->rows_off + cells[0].cursor.row;
    n = cells[1].cursor.sample - cells[0].cursor.sample;

    need(n <= MAX_SAMPLES
         && vod_segment_samples(&cells[0], &cells[1], rows, samples, &err)
            == VOD_OK, "segment");

    vod_wr_init(&wr, text, ROOM);
    vod_box_segment(&wr, ordinal + 1, t->kind, number + 1,
                    cells[0].cursor.dts, samples, n, cells[0].payload);
    need(!wr.overflow && wr.len == cells[0].header, "header");

    text_len += vod_segment_runs(samples, n, runs);
}


static void
round_print(load_t *l, int first)
{
    double  t[6];

    t[0] = now_us();
    load_index(l);
    t[1] = now_us();
    load_timeline(l);
    t[2] = now_us();
    load_render(l);
    t[3] = now_us();
    load_header(l, 0, 0);
    t[4] = now_us();

    printf("%s{\"total\": %.1f, \"index\": %.1f, \"timeline\": %.1f, "
           "\"render\": %.1f, \"header\": %.1f}", first ? "" : ", ",
           t[4] - t[0], t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3]);
}


static void
headers_print(load_t *l, unsigned want)
{
    double                       t;
    unsigned                     i, ordinal, n_tracks;
    const vod_timeline_track_t  *cuts;

#ifdef COUNT
    uint64_t                     allocs;
#endif

    n_tracks = ((vod_index_t *) l->index)->n_tracks;
    cuts = vod_timeline_tracks(l->timeline);

    printf("\"headers\": [");
    (void) fflush(stdout);

    for (i = 0; i < want; i++) {
        ordinal = i % n_tracks;

#ifdef COUNT
        allocs = vod_counts->allocs;
#endif
        t = now_us();
        load_header(l, ordinal,
                    (uint32_t) ((uint64_t) i * 7919
                                % cuts[ordinal].n_segments));
        t = now_us() - t;
#ifdef COUNT
        need(vod_counts->allocs == allocs, "a header took from the heap");
#endif

        printf("%s%.2f", i ? ", " : "", t);
    }

    printf("], ");
}


static long
vm_rss(void)
{
    FILE  *f;
    char   line[256];
    long   kb;

    f = fopen("/proc/self/status", "r");
    need(f != NULL, "no /proc");

    for (kb = 0; fgets(line, sizeof(line), f); ) {
        if (sscanf(line, "RssAnon: %ld", &kb) == 1) {
            break;
        }
    }

    (void) fclose(f);

    return kb * 1024;
}


int
main(int argc, char **argv)
{
    int       c, cold, fd;
    long      rss;
    load_t    l;
    unsigned  i, rounds, headers;

    cold = 0;
    rounds = 1;
    headers = 0;

    while ((c = getopt(argc, argv, "cr:n:")) != -1) {

        switch (c) {
        case 'c': cold = 1; break;
        case 'r': rounds = (unsigned) atoi(optarg); break;
        case 'n': headers = (unsigned) atoi(optarg); break;
        default: return 2;
        }
    }

    need(optind + 1 == argc && rounds, "usage: load [-c] [-r N] [-n N] FILE");

    memset(&l, 0, sizeof(l));
    l.path = argv[optind];
    vod_av_init();
    memset(text, 1, sizeof(text));
    memset(samples, 1, sizeof(samples));

    if (cold) {
        fd = open(l.path, O_RDONLY | O_CLOEXEC);
        need(fd != -1 && fsync(fd) == 0
             && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0,
             "cannot drop the file's pages");
        (void) close(fd);
    }

    printf("{\"rounds\": [");
    rss = vm_rss();

    for (i = 0; i < rounds; i++) {
        if (i) {
            free(l.index);
            free(l.timeline);
        }
        round_print(&l, i == 0);
    }

    printf("], ");
    rss = vm_rss() - rss;

    headers_print(&l, headers);

    printf("\"samples\": %" PRIu64 ", \"index_len\": %" PRIu64
           ", \"timeline_len\": %" PRIu64 ", \"bytes_read\": %" PRIu64
           ", \"held\": %ld, \"libavformat\": \"%s\"}\n",
           ((vod_index_t *) l.index)->n_samples, l.index_len,
           l.timeline_len, l.bytes_read, rss, vod_av_version());

    return text_len == 0;
}
