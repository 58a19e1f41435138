/*
 * The index made by a scan, against every packet libavformat reads by its own
 * means: bytes, times, key frames.  Then the same files cut, changed, and
 * indexed by several threads at once.
 *
 * Files: those named as arguments, or all of VOD_FIXTURES and VOD_MEDIA.
 */

#include <inttypes.h>
#include <pthread.h>

#include <libavformat/avformat.h>
#include <libavutil/mem.h>

#include "vod_scan_int.h"
#include "scanned.h"
#include "tap.h"


#define STREAMS    64
#define THREADS    4
#define CUTS       6
#define CHANGES    12
#define HOSTILE    (1 << 20)    /* larger files are not changed */


typedef struct {
    uint8_t   *data;
    int64_t    pts, pos;
    int        size, key;
} packet_t;

typedef struct {
    packet_t   *p;
    uint32_t    n, room;
    AVRational  tb;
} stream_t;

typedef struct {
    bytes_t    *b;
    void       *index;
    uint64_t    len;
    int         rc;
} job_t;


static int       checked;
static uint64_t  seed = 0x5ca1ab1e;


static int64_t
av_seek(void *data, int64_t offset, int whence)
{
    vod_av_source_t  *src = data;

    if (whence & AVSEEK_SIZE) {
        return (int64_t) src->size;
    }

    src->bytes_read = (uint64_t) offset;

    return offset;
}


static int
av_read(void *data, uint8_t *buf, int size)
{
    int               e;
    int64_t           n;
    vod_av_source_t  *src = data;

    n = src->read(src->data, buf, (uint64_t) size, src->bytes_read, &e);
    src->bytes_read += (uint64_t) n;

    return n ? (int) n : AVERROR_EOF;
}


static void
keep(stream_t *s, const AVPacket *pkt)
{
    packet_t  *p;

    /* what is left of a PID that has ended comes last */

    if (pkt->size == 0
        || (s->n && pkt->pos >= 0 && pkt->pos < s->p[s->n - 1].pos))
    {
        return;
    }

    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 1024;
        s->p = realloc(s->p, s->room * sizeof(packet_t));
    }

    p = &s->p[s->n++];
    p->data = malloc((size_t) pkt->size);
    memcpy(p->data, pkt->data, (size_t) pkt->size);
    p->size = pkt->size;
    p->pts = pkt->pts;
    p->pos = (pkt->pos >= 0) ? pkt->pos : (s->n > 1) ? p[-1].pos : 0;
    p->key = (pkt->flags & AV_PKT_FLAG_KEY) != 0;
}


/* as ffprobe does it */
static void
read_packets(bytes_t *b, stream_t *streams)
{
    unsigned          i;
    AVPacket         *pkt;
    AVIOContext      *pb;
    AVDictionary     *opts;
    AVFormatContext  *ctx;
    vod_av_source_t   src;

    memset(streams, 0, STREAMS * sizeof(stream_t));
    bytes_source(&src, b);

    pb = avio_alloc_context(av_malloc(4096), 4096, 0, &src, av_read, NULL,
                            av_seek);
    ctx = avformat_alloc_context();
    ctx->pb = pb;
    ctx->flags |= AVFMT_FLAG_CUSTOM_IO;
    opts = NULL;
    av_dict_set(&opts, "merge_pmt_versions", "1", 0);
    pkt = av_packet_alloc();

    if (avformat_open_input(&ctx, "", av_find_input_format(bytes_container(b)),
                            &opts) == 0
        && avformat_find_stream_info(ctx, NULL) >= 0)
    {
        while (av_read_frame(ctx, pkt) >= 0) {
            i = (unsigned) pkt->stream_index;

            if (i < STREAMS && !(ctx->streams[i]->disposition
                                 & AV_DISPOSITION_ATTACHED_PIC))
            {
                streams[i].tb = ctx->streams[i]->time_base;
                keep(&streams[i], pkt);
            }

            av_packet_unref(pkt);
        }
    }

    av_packet_free(&pkt);
    av_dict_free(&opts);
    avformat_close_input(&ctx);
    av_freep(&pb->buffer);
    avio_context_free(&pb);
}


static void
free_packets(stream_t *streams)
{
    uint32_t  i, k;

    for (i = 0; i < STREAMS; i++) {
        for (k = 0; k < streams[i].n; k++) {
            free(streams[i].p[k].data);
        }

        free(streams[i].p);
    }
}


static int
build(bytes_t *b, const vod_av_limits_t *limits, void **index, uint64_t *len,
    vod_err_t *err)
{
    vod_av_source_t  src;

    bytes_source(&src, b);

    return vod_av_index(&src, limits, index, len, err);
}


/* whether the row's bytes are those of the packet */
static int
same_bytes(bytes_t *b, const uint8_t *index, const vod_track_t *t,
    const vod_sample_t *v, const packet_t *p)
{
    int        rc;
    uint8_t   *out;
    uint64_t   len;

    if (!(t->flags & VOD_TRACK_DEMUX)) {
        return v->size <= (uint32_t) p->size
               && memcmp(b->data + v->pos, p->data + p->size - v->size,
                         v->size) == 0;
    }

    out = malloc(vod_config_bound(t->convert, (uint64_t) p->size) + 1);
    rc = vod_config_convert(t->convert, index + t->entry_off, t->entry_len,
                            p->data, (uint64_t) p->size, out, &len);
    free(out);

    return rc == VOD_OK && len == v->size && v->pos < b->size;
}


/*
 * The rows of a track are its packets, in order: but for those before its
 * first key frame, and a last one that is cut or only padding.  All their
 * presentation times differ from libavformat's by the same; a tick is for
 * rounding.
 */
static int
same_rows(bytes_t *b, const uint8_t *index, const vod_track_t *t,
    const stream_t *s, int repaired)
{
    int64_t       dts, pts, shift;
    uint32_t      i, k;
    AVRational    tb;
    vod_cursor_t  cur;
    vod_sample_t  v;

    memset(&cur, 0, sizeof(cur));
    dts = (int64_t) t->first_dts;
    shift = INT64_MIN;
    tb.num = 1;
    tb.den = (int) t->timescale;
    k = 0;

    for (i = 0; i < t->n_samples; i++, k++) {

        if (vod_row_read(&cur, index + t->rows_off, 0, t->rows_len, &v)
            != VOD_OK)
        {
            printf("# row %u is damaged\n", i);
            return 0;
        }

        while (i == 0 && k < s->n && t->kind == VOD_VIDEO
               && (!s->p[k].key
                   || !same_bytes(b, index, t, &v, &s->p[k])))
        {
            k++;
        }

        if (k == s->n || !same_bytes(b, index, t, &v, &s->p[k])
            || (t->kind == VOD_VIDEO && (int) v.key != s->p[k].key)
            || v.cts < 0)
        {
            printf("# row %u: pos %" PRIu64 " size %u key %u cts %d, packet"
                   " %u of %u: pos %" PRId64 " size %d key %d\n", i, v.pos,
                   v.size, v.key, v.cts, k, s->n,
                   k < s->n ? s->p[k].pos : 0, k < s->n ? s->p[k].size : 0,
                   k < s->n ? s->p[k].key : 0);
            return 0;
        }

        pts = dts + v.cts - (int64_t) t->media_time;
        dts += v.dur;

        if (s->p[k].pts == AV_NOPTS_VALUE) {
            continue;
        }

        pts -= av_rescale_q(s->p[k].pts, s->tb, tb);
        shift = (shift == INT64_MIN) ? pts : shift;

        if (!repaired && (pts - shift > 1 || pts - shift < -1)) {
            printf("# row %u is presented %" PRId64 " ticks late\n", i,
                   pts - shift);
            return 0;
        }
    }

    if (s->n - k > 1) {
        printf("# %u packets beyond the last row\n", s->n - k);
    }

    return s->n - k <= 1;
}


/* the reason stands in a note of that track */
static int
noted(const uint8_t *index, const vod_track_t *t, const char *what)
{
    char               head[32], *line, *save, *text;
    int                found;
    const vod_index_t  *idx;

    idx = (const vod_index_t *) index;
    text = calloc(1, idx->notes_len + 1);
    memcpy(text, index + idx->notes_off, idx->notes_len);
    snprintf(head, sizeof(head), "track %u (", t->source_id);
    found = 0;

    for (line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
    {
        found |= strncmp(line, head, strlen(head)) == 0
                 && strstr(line, what) != NULL;
    }

    free(text);

    return found;
}


static void
check_rows(const char *name, bytes_t *b, const uint8_t *index)
{
    uint32_t            i;
    const vod_index_t  *idx;
    const vod_track_t  *t;
    static stream_t     streams[STREAMS];

    idx = (const vod_index_t *) index;
    read_packets(b, streams);

    for (i = 0; i < idx->n_tracks; i++) {
        t = vod_index_tracks(index) + i;

        /* of text rows are no packets: av_subs_test.c */

        if (t->kind == VOD_TEXT) {
            continue;
        }

        /* where it ends early a note says so */

        ok(noted(index, t, "only these are served")
           || noted(index, t, "not whole")
           || same_rows(b, index, t, &streams[t->stream],
                        noted(index, t, "repaired")),
           "%s: track %u, %u rows as libavformat's packets", name,
           t->source_id, t->n_samples);
    }

    free_packets(streams);
}


static void *
work(void *data)
{
    job_t      *job = data;
    vod_err_t   err;

    job->rc = build(job->b, NULL, &job->index, &job->len, &err);

    return NULL;
}


/* several at once give the same bytes */
static void
check_threads(const char *name, bytes_t *b, const void *index, uint64_t len)
{
    int        i, same;
    job_t      jobs[THREADS];
    pthread_t  threads[THREADS];

    same = 1;
    memset(jobs, 0, sizeof(jobs));

    for (i = 0; i < THREADS; i++) {
        jobs[i].b = b;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }

    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        same &= jobs[i].rc == VOD_OK && jobs[i].len == len
                && memcmp(jobs[i].index, index, len) == 0;
        free(jobs[i].index);
    }

    ok(same, "%s: %d threads at once give the same index", name, THREADS);
}


/* an index that holds, or a reason */
static int
sane(bytes_t *b)
{
    int         rc, good;
    void       *index;
    uint64_t    len;
    vod_err_t   err;

    err.text[0] = '\0';
    rc = build(b, NULL, &index, &len, &err);

    if (rc == VOD_OK) {
        good = vod_index_check(index, len, &err) == VOD_OK;
        free(index);

        return good;
    }

    return (rc == VOD_UNSUPPORTED || rc == VOD_DAMAGED || rc == VOD_LIMIT)
           && err.text[0] && index == NULL;
}


static void
check_hostile(const char *name, const bytes_t *b)
{
    int        good;
    bytes_t    c;
    uint32_t   i, k;
    uint64_t   at, n;

    c.data = malloc(b->size);
    good = 1;

    for (i = 0; i < CUTS && good; i++) {
        memcpy(c.data, b->data, b->size);
        c.size = 1 + tap_rand(&seed) % b->size;
        good = sane(&c);
    }

    ok(good, "%s: cut anywhere it gives an index or a reason", name);

    c.size = b->size;

    for (i = 0; i < CHANGES && good; i++) {
        memcpy(c.data, b->data, b->size);

        /* some anywhere, some in the header; runs of zeros and others */

        for (k = 0; k < 1 + i; k++) {
            at = tap_rand(&seed) % ((k & 1) && b->size > 1024 ? 1024
                                                              : b->size);
            n = (k % 3 == 0) ? tap_rand(&seed) % 64 : 1;

            for (; n && at < b->size; n--, at++) {
                c.data[at] = (k % 3 == 0) ? 0 : (uint8_t) tap_rand(&seed);
            }
        }

        good = sane(&c);
    }

    ok(good, "%s: changed anywhere it gives an index or a reason", name);

    free(c.data);
}


static void
check(const char *path)
{
    int          rc;
    void        *index, *again;
    bytes_t      b;
    uint64_t     len, len2;
    vod_err_t    err;
    const char  *name;

    if (!bytes_load(&b, path)) {
        return;
    }

    if (bytes_container(&b)
        && build(&b, &(vod_av_limits_t) { .scan = 1 << 30 }, &index, &len,
                 &err) == VOD_OK)
    {
        name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        checked++;

        check_rows(name, &b, index);

        rc = build(&b, &(vod_av_limits_t) { .scan = 1 << 30 }, &again, &len2,
                   &err);
        ok(rc == VOD_OK && len == len2 && memcmp(index, again, len) == 0,
           "%s: the same index again", name);

        if (b.size <= HOSTILE) {
            check_threads(name, &b, index, len);
            check_hostile(name, &b);
        }

        free(again);
        free(index);
    }

    free(b.data);
}


/* a fixture by name, or nothing */
static int
fixture(bytes_t *b, const char *name, void **index, uint64_t *len)
{
    char         path[4096];
    vod_err_t    err;
    const char  *dir;

    dir = getenv("VOD_FIXTURES");
    snprintf(path, sizeof(path), "%s/%s", dir ? dir : "", name);

    if (!bytes_load(b, path)) {
        return 0;
    }

    if (build(b, NULL, index, len, &err) != VOD_OK) {
        ok(0, "%s: %s", name, err.text);
        free(b->data);
        return 0;
    }

    return 1;
}


/* the same media in another wrapping: all times and sizes are the same */
static void
check_alike(const char *one, const char *other)
{
    int                 same;
    void               *index[2];
    bytes_t             b[2];
    uint32_t            i, k;
    uint64_t            len;
    vod_cursor_t        cur[2];
    vod_sample_t        v[2];
    const vod_track_t  *t[2];

    if (!fixture(&b[0], one, &index[0], &len)) {
        printf("# no %s\n", one);
        return;
    }

    if (!fixture(&b[1], other, &index[1], &len)) {
        printf("# no %s\n", other);
        free(index[0]);
        free(b[0].data);
        return;
    }

    same = ((vod_index_t *) index[0])->n_tracks
           == ((vod_index_t *) index[1])->n_tracks;

    for (i = 0; same && i < ((vod_index_t *) index[0])->n_tracks; i++) {

        t[0] = vod_index_tracks(index[0]) + i;
        t[1] = vod_index_tracks(index[1]) + i;
        memset(cur, 0, sizeof(cur));

        same = t[0]->n_samples == t[1]->n_samples
               && t[0]->media_time == t[1]->media_time
               && t[0]->first_dts == t[1]->first_dts;

        for (k = 0; same && k < t[0]->n_samples; k++) {
            (void) vod_row_read(&cur[0], (uint8_t *) index[0] + t[0]->rows_off,
                                0, t[0]->rows_len, &v[0]);
            (void) vod_row_read(&cur[1], (uint8_t *) index[1] + t[1]->rows_off,
                                0, t[1]->rows_len, &v[1]);

            same = v[0].size == v[1].size && v[0].dur == v[1].dur
                   && v[0].cts == v[1].cts && v[0].key == v[1].key;
        }
    }

    ok(same, "%s has the samples and times of %s", one, other);

    for (i = 0; i < 2; i++) {
        free(index[i]);
        free(b[i].data);
    }
}


static void
check_values(void)
{
    void               *index;
    bytes_t             b;
    uint64_t            len;
    vod_err_t           err;
    const vod_index_t  *idx;
    const vod_track_t  *t;

    if (fixture(&b, "ts-late.ts", &index, &len)) {
        idx = index;

        /* 36000 s, and FFmpeg's 1.4 s before the first packet, less 21 ms */

        ok(idx->origin / 1000000 == 36001, "ts-late.ts: begins at %" PRId64
           " us", idx->origin);
        free(index);
        free(b.data);
    }

    if (fixture(&b, "audio-mp3.mp3", &index, &len)) {
        t = vod_index_tracks((uint8_t *) index);

        ok(t->media_time == 1105, "audio-mp3.mp3: 576 + 529 samples are not"
           " presented");
        ok(t->end_pts == 8 * 44100, "audio-mp3.mp3: nor is its padding");
        ok(!(t->flags & VOD_TRACK_DEMUX), "audio-mp3.mp3: lies as it is"
           " sent");
        free(index);
        free(b.data);
    }

    if (fixture(&b, "audio-adts.aac", &index, &len)) {
        t = vod_index_tracks((uint8_t *) index);

        ok(!(t->flags & VOD_TRACK_DEMUX) && t->convert == 0,
           "audio-adts.aac: lies as it is sent, behind its headers");
        free(index);
        free(b.data);
    }

    if (fixture(&b, "mpegts.ts", &index, &len)) {
        t = vod_index_tracks((uint8_t *) index);
        ok((t->flags & VOD_TRACK_DEMUX)
           && t->convert == VOD_CONVERT_ANNEXB_AVC,
           "mpegts.ts: is demuxed and converted");
        free(index);

        ok(build(&b, &(vod_av_limits_t) { .max_samples = 100 }, &index, &len,
                 &err) == VOD_LIMIT && strstr(err.text, "vod_max_samples"),
           "more samples than allowed");
        ok(build(&b, &(vod_av_limits_t) { .max_tracks = 1 }, &index, &len,
                 &err) == VOD_LIMIT && strstr(err.text, "vod_max_tracks"),
           "more tracks than allowed");
        free(b.data);
    }
}


/*
 * Decoding times in milliseconds, before and after; how long samples last, or
 * 0 where the container does not say.
 */
static void
check_repair(const char *what, unsigned kind, uint32_t dur,
    const int64_t *in, const int64_t *out, uint32_t n)
{
    int                  same;
    uint32_t             i;
    vod_err_t            err;
    vod_scan_build_t    *b;
    vod_scan_track_t    *t;
    vod_scan_sample_t    samples[16];
    vod_demux_stream_t   st;

    memset(&st, 0, sizeof(st));
    memset(samples, 0, sizeof(samples));
    st.kind = kind;
    st.timescale = 1000;

    for (i = 0; i < n; i++) {
        samples[i].pts = in[i];
        samples[i].dts = in[i];
        samples[i].dur = dur;
    }

    b = calloc(1, sizeof(*b));
    t = &b->tracks[0];
    t->st = &st;
    t->samples = samples;
    t->n = n;
    b->n = 1;

    same = vod_scan_times(b, t, &err) == VOD_OK;

    for (i = 0; same && i < n; i++) {
        same = samples[i].pts == out[i];
    }

    if (!same) {
        printf("# sample %u: %" PRId64 "\n", i - 1, samples[i - 1].pts);
    }

    ok(same, "times: %s", what);
    free(b);
}


static void
check_repairs(void)
{
    int64_t  none = VOD_NO_TIME, far = VOD_SCAN_MAX_TIME * 1000;

    check_repair("in order they stay", VOD_VIDEO, 40,
                 (int64_t[]) { 7, 47, 87 }, (int64_t[]) { 7, 47, 87 }, 3);
    check_repair("one that is off is as the others", VOD_VIDEO, 40,
                 (int64_t[]) { 0, 40, 9000000, 120 },
                 (int64_t[]) { 0, 40, 80, 120 }, 4);
    check_repair("a clock that begins anew goes on", VOD_VIDEO, 40,
                 (int64_t[]) { 5000, 5040, 0, 40, 80 },
                 (int64_t[]) { 5000, 5040, 5080, 5120, 5160 }, 5);
    check_repair("and again", VOD_AUDIO, 40,
                 (int64_t[]) { 5000, 0, 40, 7000, 7040, 0 },
                 (int64_t[]) { 5000, 5040, 5080, 12040, 12080, 12120 }, 6);
    check_repair("a gap stays", VOD_AUDIO, 40,
                 (int64_t[]) { 0, 40, 60000, 60040 },
                 (int64_t[]) { 0, 40, 60000, 60040 }, 4);
    check_repair("a gap stays where nothing says how long it is", VOD_VIDEO, 0,
                 (int64_t[]) { 0, 40, 60000, 60040, 60080, 65080, 65120 },
                 (int64_t[]) { 0, 40, 60000, 60040, 60080, 65080, 65120 }, 7);
    check_repair("and the clock that begins anew behind it", VOD_VIDEO, 0,
                 (int64_t[]) { 0, 40, 3040, 3080, 0, 40, 80 },
                 (int64_t[]) { 0, 40, 3040, 3080, 3120, 3160, 3200 }, 7);
    check_repair("those missing follow and precede", VOD_AUDIO, 40,
                 (int64_t[]) { none, none, 100, none, 200 },
                 (int64_t[]) { 20, 60, 100, 140, 200 }, 5);
    check_repair("without any they begin at 0", VOD_AUDIO, 40,
                 (int64_t[]) { none, none }, (int64_t[]) { 0, 40 }, 2);
    check_repair("the farthest there are stay", VOD_VIDEO, 40,
                 (int64_t[]) { far, -far, -far + 40 },
                 (int64_t[]) { far, -far, -far + 40 }, 3);
}


/* a file that is shorter than it was when it was opened */
static void
check_shortened(void)
{
    char             path[4096];
    void            *index;
    bytes_t          b;
    uint64_t         len;
    vod_err_t        err;
    const char      *dir;
    vod_av_source_t  src;

    dir = getenv("VOD_FIXTURES");
    snprintf(path, sizeof(path), "%s/mpegts.ts", dir ? dir : "");

    if (!bytes_load(&b, path)) {
        return;
    }

    bytes_source(&src, &b);
    b.size /= 2;

    ok(vod_av_index(&src, NULL, &index, &len, &err) == VOD_DAMAGED
       && strstr(err.text, "shortened"), "a file that was shortened");

    free(b.data);
}


int
main(int argc, char **argv)
{
    vod_av_init();

    check_repairs();
    all_files(argc, argv, check);

    if (argc == 1) {
        check_alike("ts-wrap.ts", "mpegts.ts");
        check_alike("ts-late.ts", "mpegts.ts");
        check_alike("ts-m2ts.m2ts", "mpegts.ts");
        check_alike("ts-parity.ts", "mpegts.ts");
        check_alike("mkv-no-cues.mkv", "matroska.mkv");
        check_alike("mkv-late.mkv", "matroska.mkv");
        check_alike("mkv-groups.mkv", "matroska.mkv");
        check_alike("ogg-flac.oga", "audio-flac.flac");
        check_values();
        check_shortened();
    }

    if (checked == 0) {
        printf("# no media files: VOD_FIXTURES, VOD_MEDIA\n");
    }

    return done_testing();
}
