/*
 * Memory that is not there: each allocation of ours in a build, and in the
 * making of a demuxed segment, fails once.  The answer is the same as ever, or
 * an error that is none of the file's, and nothing is left behind.  (Those of
 * libavformat are not ours to mend: it does not check them all.)
 */

#define _GNU_SOURCE

#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#include "vod_av.h"
#include "vod_segment.h"
#include "tap.h"

/* a sanitizer has an allocator of its own */

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)

int
main(void)
{
    printf("1..0 # SKIP allocations cannot be made to fail here\n");
    return 0;
}

#else

/* more runs than this a file, and some allocations are not tried */
#define RUNS  400


void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);


static long  calls;             /* since the count began */
static long  fails;             /* the one that fails, from 1; 0 = none */
static long  live;              /* pieces that are in use */


/* the program's own code, as the linker names it */
extern char  __executable_start, etext;


static int
refused(const char *caller)
{
    return caller > &__executable_start && caller < &etext
           && ++calls == fails;
}

#define refused()  refused(__builtin_return_address(0))


static void *
counted(void *p)
{
    live += (p != NULL);
    return p;
}


void *
malloc(size_t n)
{
    return refused() ? NULL : counted(__libc_malloc(n));
}


void *
calloc(size_t n, size_t size)
{
    return refused() ? NULL : counted(__libc_calloc(n, size));
}


void *
realloc(void *p, size_t n)
{
    void  *q;

    if (refused()) {
        return NULL;
    }

    q = __libc_realloc(p, n);
    live += (p == NULL && q != NULL) - (p != NULL && n == 0);

    return q;
}


int
posix_memalign(void **p, size_t align, size_t n)
{
    *p = refused() ? NULL : counted(__libc_memalign(align, n));

    return *p ? 0 : ENOMEM;
}


void
free(void *p)
{
    live -= (p != NULL);
    __libc_free(p);
}


/* ---- a file in memory */

static uint8_t   *file;
static uint64_t   file_len;
static uint8_t   *whole;        /* its index, when nothing fails */
static uint64_t   whole_len;
static vod_err_t  err;


static int64_t
file_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    (void) data;
    (void) sys_err;

    if (offset >= file_len) {
        return 0;
    }

    len = (len < file_len - offset) ? len : file_len - offset;
    memcpy(buf, file + offset, len);

    return (int64_t) len;
}


static void
file_load(const char *name)
{
    FILE  *f;

    f = fopen(name, "rb");
    file = malloc(1 << 20);
    file_len = f ? fread(file, 1, 1 << 20, f) : 0;

    if (f) {
        (void) fclose(f);
    }
}


static int
build(uint64_t scan, void **index, uint64_t *len)
{
    vod_av_source_t  src;
    vod_av_limits_t  limits;

    memset(&src, 0, sizeof(src));
    memset(&limits, 0, sizeof(limits));
    src.read = file_read;
    src.size = file_len;
    limits.scan = scan;

    return vod_av_index(&src, &limits, index, len, &err);
}


/* the first segment of a demuxed track; VOD_OK for others */
static int
segment(const vod_track_t *t, const void *timeline, uint64_t *sum)
{
    int                   rc;
    const vod_cell_t     *cells;
    vod_sample_t         *rows;
    vod_av_source_t       src;
    vod_av_segment_t      out;
    vod_av_segment_in_t   in;

    cells = vod_timeline_cells(timeline,
                               &vod_timeline_tracks(timeline)[t->ordinal]);

    memset(&src, 0, sizeof(src));
    memset(&in, 0, sizeof(in));
    src.read = file_read;
    src.size = file_len;

    in.container = ((const vod_index_t *) (const void *) whole)->container;
    in.track = t;
    in.entry = whole + t->entry_off;
    in.cell = &cells[0];
    in.next = &cells[1];
    in.number = 1;
    in.n_segments = vod_timeline_tracks(timeline)[t->ordinal].n_segments;

    rows = __libc_calloc(vod_segment_most(t, &cells[0], &cells[1]),
                         sizeof(vod_sample_t));
    in.rows = rows;

    rc = vod_segment_rows(t, &cells[0], &cells[1],
                          whole + t->rows_off + cells[0].cursor.row,
                          vod_segment_bytes(t, &cells[0], &cells[1]), rows,
                          &in.n_rows, &err);

    if (rc == VOD_OK) {
        rc = vod_av_segment(&src, NULL, &in, &out, &err);
    }

    if (rc == VOD_OK) {
        *sum = vod_hash64(out.n, out.payload, out.len);
        vod_av_segment_free(&out);
    }

    __libc_free(rows);

    return rc;
}


/* what may be answered where memory was short, and never kept */
static int
no_fault_of_the_file(int rc)
{
    return rc == VOD_NOMEM || rc == VOD_IO || rc == VOD_INTERNAL
           || rc == VOD_TIMEOUT;
}


static void
builds(const char *name, uint64_t scan)
{
    int        rc;
    long       n, i, step, before, kept, wrong, left;
    void      *index;
    uint64_t   len;

    calls = 0;
    rc = build(scan, &index, &len);
    n = calls;

    ok(rc == VOD_OK, "%s is indexed, in %ld allocations", name, n);

    free(whole);
    whole = (rc == VOD_OK) ? index : NULL;
    whole_len = len;

    if (whole == NULL) {
        return;
    }

    step = n / RUNS + 1;
    kept = wrong = left = 0;

    for (i = 1; i <= n; i += step) {
        before = live;
        calls = 0;
        fails = i;
        rc = build(scan, &index, &len);
        fails = 0;

        if (rc == VOD_OK) {
            wrong += (len != whole_len || memcmp(index, whole, len) != 0);
            free(index);

        } else if (!no_fault_of_the_file(rc)) {
            printf("# %s: allocation %ld: %d, %s\n", name, i, rc, err.text);
            kept++;
        }

        left += (live != before);
    }

    is_int(wrong, 0, "%s: no index is another one for want of memory", name);
    is_int(kept, 0, "%s: want of memory is no fault of the file", name);
    is_int(left, 0, "%s: nothing is left behind", name);
}


static void
segments(const char *name)
{
    int                 rc;
    long                n, i, step, before, kept, wrong, left;
    void               *timeline;
    uint32_t            k;
    uint64_t            sum, got, room;
    vod_timeline_in_t   in;
    const vod_track_t  *t;

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.to = INT64_MAX;
    room = vod_timeline_bound(whole, &in);
    timeline = malloc(room);

    if (vod_timeline_build(whole, &in, timeline, room, &err) == 0) {
        ok(0, "%s: %s", name, err.text);
        return;
    }

    for (k = 0; k < ((vod_index_t *) (void *) whole)->n_tracks; k++) {
        t = &vod_index_tracks(whole)[k];

        if (!(t->flags & VOD_TRACK_DEMUX)) {
            continue;
        }

        calls = 0;
        rc = segment(t, timeline, &sum);
        n = calls;

        ok(rc == VOD_OK, "%s, track %u: a segment, in %ld allocations", name,
           k, n);

        step = n / RUNS + 1;
        kept = wrong = left = 0;

        for (i = 1; rc == VOD_OK && i <= n; i += step) {
            before = live;
            calls = 0;
            fails = i;
            got = sum;
            rc = segment(t, timeline, &got);
            fails = 0;

            if (rc != VOD_OK && !no_fault_of_the_file(rc)) {
                printf("# %s: allocation %ld: %d, %s\n", name, i, rc,
                       err.text);
                kept++;
            }

            wrong += (rc == VOD_OK && got != sum);
            left += (live != before);
            rc = VOD_OK;
        }

        is_int(wrong, 0, "%s, track %u: no other bytes", name, k);
        is_int(kept, 0, "%s, track %u: no fault of the file", name, k);
        is_int(left, 0, "%s, track %u: nothing is left behind", name, k);
    }

    free(timeline);
}


int
main(void)
{
    size_t       i;
    glob_t       found;
    const char  *name;

    vod_av_init();

    ok(glob("t/fuzz/corpus/file/*.*", 0, NULL, &found) == 0,
       "there are small files");

    for (i = 0; i < found.gl_pathc; i++) {
        name = strrchr(found.gl_pathv[i], '/') + 1;
        file_load(found.gl_pathv[i]);

        builds(name, 0);

        if (whole) {
            segments(name);
        }

        if (strstr(name, ".mkv") || strstr(name, ".webm")) {
            builds(name, 1);

            if (whole) {
                segments(name);
            }
        }

        free(file);
    }

    globfree(&found);
    free(whole);

    return done_testing();
}

#endif
