/*
 * A file of any kind, in memory: index, timeline, every playlist and header,
 * every segment.  What is accepted is served without contradiction; what is
 * not is refused with a reason.
 */

#include "answers.h"

#include "vod_av.h"


/* no input needs more than this to be answered; it bounds one run */
#define TIME      20000         /* ms */
#define SAMPLES   200000
#define SEGMENTS  2000


typedef struct {
    const uint8_t  *data;
    size_t          size;
} memory_t;


static int64_t
memory_read(void *data, void *buf, uint64_t len, uint64_t offset,
    int *sys_err)
{
    memory_t  *m = data;

    (void) sys_err;

    if (offset >= m->size) {
        return 0;
    }

    if (len > m->size - offset) {
        len = m->size - offset;
    }

    memcpy(buf, m->data + offset, len);

    return (int64_t) len;
}


static void
demuxed(vod_av_source_t *src, const void *index, const vod_track_t *t,
    const vod_cell_t *cells, uint32_t n_cells, uint32_t at,
    const vod_sample_t *rows, uint32_t n)
{
    int                  rc, made;
    uint32_t             i;
    uint64_t             len, dur;
    vod_err_t            err;
    vod_av_limits_t      limits;
    vod_av_segment_t     out;
    vod_av_segment_in_t  in;

    memset(&limits, 0, sizeof(limits));
    limits.timeout = TIME;
    limits.max_segment = 16 * 1024 * 1024;

    memset(&in, 0, sizeof(in));
    in.container = ((const vod_index_t *) index)->container;
    in.track = t;
    in.entry = (const uint8_t *) index + t->entry_off;
    in.cell = &cells[at];
    in.next = &cells[at + 1];
    in.number = at + 1;
    in.n_segments = n_cells - 1;
    in.rows = rows;
    in.n_rows = n;

    rc = vod_av_segment(src, &limits, &in, &out, &err);

    if (rc != VOD_OK) {
        fuzz_must(err.text[0] && rc != VOD_INTERNAL);
        return;
    }

    /* those of text are made of what its rows lead to */

    made = (t->flags & VOD_TRACK_SPARSE) || t->kind == VOD_TEXT;

    fuzz_must(made || out.n == n);

    for (i = 0, len = 0, dur = 0; i < out.n; i++) {
        fuzz_must(out.samples[i].pos == len);
        fuzz_must(made || out.samples[i].size == rows[i].size);
        len += out.samples[i].size;
        dur += out.samples[i].dur;
    }

    fuzz_must(len == out.len);
    fuzz_must(t->kind != VOD_TEXT || cells[at + 1].start < cells[at].start
              || dur == (uint64_t) (cells[at + 1].start - cells[at].start));

    if (out.n) {
        answer_header(t, at + 1, out.dts, out.samples, out.n, out.len, 0);
    }

    vod_av_segment_free(&out);

    if (t->kind == VOD_TEXT) {
        in.vtt = 1;
        rc = vod_av_segment(src, &limits, &in, &out, &err);

        fuzz_must(rc == VOD_OK ? out.n == 0 && out.len >= 6
                                 && memcmp(out.payload, "WEBVTT", 6) == 0
                               : err.text[0] && rc != VOD_INTERNAL);

        if (rc == VOD_OK) {
            vod_av_segment_free(&out);
        }
    }
}


static void
segments(vod_av_source_t *src, const void *index, const void *timeline)
{
    uint32_t                     i, k, n, n_cells;
    vod_sample_t                *rows;
    const vod_cell_t            *cells;
    const vod_index_t           *idx;
    const vod_track_t           *t;
    const vod_timeline_track_t  *cut;

    idx = index;

    for (i = 0; i < idx->n_tracks; i++) {
        t = &vod_index_tracks(index)[i];
        cut = &vod_timeline_tracks(timeline)[i];
        cells = vod_timeline_cells(timeline, cut);
        n_cells = cut->n_segments + 1;

        for (k = 0; k < cut->n_segments && k < SEGMENTS; k++) {
            rows = answer_rows(index, t, &cells[k], &n);

            if (t->flags & VOD_TRACK_DEMUX) {

                /* each opens the file anew: some, not all */

                if (k < 3 || k + 1 == cut->n_segments) {
                    demuxed(src, index, t, cells, n_cells, k, rows, n);
                }

            } else {
                fuzz_must(rows[n - 1].pos + rows[n - 1].size <= src->size);
                answer_header(t, k + 1, cells[k].cursor.dts, rows, n,
                              cells[k].payload, cells[k].header);
            }

            free(rows);
        }
    }
}


static void
timeline(vod_av_source_t *src, const void *index, uint32_t target)
{
    void               *tl;
    uint64_t            room;
    vod_err_t           err;
    vod_timeline_in_t   in;

    memset(&in, 0, sizeof(in));
    in.target = target;
    in.file_size = src->size;
    in.to = INT64_MAX;

    room = vod_timeline_bound(index, &in);

    if (room > 64 * 1024 * 1024) {
        return;
    }

    tl = malloc(room);
    fuzz_must(tl != NULL);

    if (vod_timeline_build(index, &in, tl, room, &err) == 0) {
        fuzz_must(err.text[0]);

    } else {
        answer_all(index, tl);
        segments(src, index, tl);
    }

    free(tl);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int              rc;
    void            *index;
    uint64_t         len;
    memory_t         memory;
    vod_err_t        err;
    static int       ready;
    vod_av_source_t  src;
    vod_av_limits_t  limits;

    if (!ready) {
        vod_av_init();
        ready = 1;
    }

    memory.data = data;
    memory.size = size;

    memset(&src, 0, sizeof(src));
    src.read = memory_read;
    src.data = &memory;
    src.size = size;

    memset(&limits, 0, sizeof(limits));
    limits.timeout = TIME;
    limits.max_samples = SAMPLES;
    limits.scan = 1;

    rc = vod_av_index(&src, &limits, &index, &len, &err);

    if (rc != VOD_OK) {
        fuzz_must(index == NULL && err.text[0] && rc != VOD_INTERNAL);
        return 0;
    }

    fuzz_must(vod_index_check(index, len, &err) == VOD_OK);
    fuzz_must(((vod_index_t *) index)->n_samples <= SAMPLES);

    timeline(&src, index, 6000);
    timeline(&src, index, 1000);

    free(index);

    return 0;
}
