/*
 * What av/ makes of the sample tables against every packet libavformat reads
 * from the file itself: positions, sizes, times, sync samples; without the
 * edit lists, and with them.
 *
 * The packets are read through a context that only moves its position once
 * the header is parsed, so no payload is read; but for fragmented files, whose
 * moof boxes libavformat reads on the way.  Files: those named as
 * arguments, or all of VOD_FIXTURES and VOD_MEDIA.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavformat/avformat.h>
#include <libavutil/mem.h>

#include "vod_av.h"
#include "vod_frag.h"
#include "vod_track.h"
#include "tap.h"


#define MAX_TRACKS  64


typedef struct {
    int       fd;
    int64_t   pos, size;
    int       parsed;           /* from now on nothing is read */
} io_t;

typedef struct {
    int64_t   pos, pts, dts, dur;
    int       size, key, discard, cut;
} packet_t;

typedef struct {
    packet_t  *p;
    uint32_t   n, room;
    int        id;
} stream_t;


static int  checked;


static int
io_read(void *data, uint8_t *buf, int size)
{
    io_t     *io = data;
    ssize_t   n;

    if (io->pos >= io->size) {
        return AVERROR_EOF;
    }

    if (io->parsed) {
        n = (io->size - io->pos < size) ? io->size - io->pos : size;

    } else {
        n = pread(io->fd, buf, (size_t) size, io->pos);
    }

    io->pos += n;

    return (int) n;
}


static int64_t
io_seek(void *data, int64_t offset, int whence)
{
    io_t  *io = data;

    if (whence & AVSEEK_SIZE) {
        return io->size;
    }

    io->pos = offset;

    return offset;
}


/* the packets of all streams, or -1 where libavformat refuses the file */
static int
read_packets(int fd, int64_t size, int edits, int fragmented,
    stream_t *streams, unsigned *n_streams)
{
    io_t              io = { fd, 0, size, 0 };
    AVPacket         *pkt;
    AVIOContext      *pb;
    AVDictionary     *opts;
    AVFormatContext  *ctx;
    packet_t         *p;
    stream_t         *s;
    unsigned          i;

    pb = avio_alloc_context(av_malloc(4096), 4096, 0, &io, io_read, NULL,
                            io_seek);
    ctx = avformat_alloc_context();
    ctx->pb = pb;
    ctx->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE
                  | AVFMT_FLAG_NOFILLIN;

    opts = NULL;
    av_dict_set(&opts, "ignore_editlist", edits ? "0" : "1", 0);
    av_dict_set(&opts, "ignore_chapters", "1", 0);

    if (avformat_open_input(&ctx, "", av_find_input_format("mov"), &opts)
        < 0)
    {
        av_dict_free(&opts);
        av_freep(&pb->buffer);
        avio_context_free(&pb);
        return -1;
    }

    av_dict_free(&opts);

    io.parsed = !fragmented;
    pb->direct = 1;
    pkt = av_packet_alloc();

    for (i = 0; i < ctx->nb_streams && i < MAX_TRACKS; i++) {
        streams[i].id = ctx->streams[i]->id;
    }

    *n_streams = i;

    while (av_read_frame(ctx, pkt) >= 0) {

        if (pkt->stream_index < MAX_TRACKS) {
            s = &streams[pkt->stream_index];

            if (s->n == s->room) {
                s->room = s->room ? s->room * 2 : 256;
                s->p = realloc(s->p, s->room * sizeof(packet_t));
            }

            p = &s->p[s->n++];
            p->pos = pkt->pos;
            p->pts = pkt->pts;
            p->dts = pkt->dts;
            p->dur = pkt->duration;
            p->size = pkt->size;
            p->key = (pkt->flags & AV_PKT_FLAG_KEY) != 0;
            p->discard = (pkt->flags & AV_PKT_FLAG_DISCARD) != 0;
            p->cut = (pkt->flags & AV_PKT_FLAG_CORRUPT) != 0;
        }

        av_packet_unref(pkt);
    }

    av_packet_free(&pkt);
    avformat_close_input(&ctx);
    av_freep(&pb->buffer);
    avio_context_free(&pb);

    return 0;
}


static int64_t
source_read(void *data, void *buf, uint64_t len, uint64_t offset,
    int *sys_err)
{
    ssize_t  n;

    n = pread(*(int *) data, buf, len, (off_t) offset);
    *sys_err = errno;

    return n;
}


/* one track without its edit list: sample by sample the same */
static int
same_raw(const vod_index_track_t *it, const stream_t *s, int damaged)
{
    int64_t              dts, pts, shift;
    uint32_t             i, n;
    const packet_t      *p;
    const vod_sample_t  *v;

    n = it->n_samples;

    if (damaged && n > s->n) {
        printf("# libavformat ends after %u of %u samples\n", s->n, n);
        n = s->n;
    }

    if (n > s->n || s->n == 0) {
        printf("# %u samples, libavformat has %u\n", it->n_samples, s->n);
        return 0;
    }

    /*
     * libavformat lowers dts where an offset is negative, not pts; and it
     * gives no duration where there are offsets: the next dts shows it.
     */

    dts = (int64_t) it->track.first_dts;
    shift = s->p[0].dts - dts;

    for (i = 0; i < n; i++) {
        p = &s->p[i];
        v = &it->samples[i];
        pts = dts + v->cts - (int64_t) it->track.media_time;

        if ((int64_t) v->pos != p->pos || (int) v->size != p->size
            || dts != p->dts - shift || pts != p->pts
            || (int) v->key != p->key
            || (i + 1 < s->n && p->dur && (int64_t) v->dur != p->dur))
        {
            printf("# sample %u: pos %" PRIu64 " size %u dts %" PRId64
                   " pts %" PRId64 " dur %u key %u, libavformat %" PRId64
                   " %d %" PRId64 " %" PRId64 " %" PRId64 " %d\n", i + 1,
                   v->pos, v->size, dts, pts, v->dur, v->key,
                   p->pos, p->size, p->dts - shift, p->pts, p->dur, p->key);
            return 0;
        }

        dts += v->dur;
    }

    return 1;
}


/*
 * One track of the index against libavformat with edit lists: it begins with
 * the same packet, and every packet to be presented is there, in order, at
 * the same time.  libavformat moves video that would begin late to the begin
 * of its edit; then all times differ by the same number of ticks.
 */
static int
same_edited(const uint8_t *index, const vod_track_t *t, const stream_t *s,
    int cut)
{
    int64_t          dts, pts, shift;
    uint32_t         i, k, shown;
    vod_cursor_t     cur;
    vod_sample_t     v;
    const packet_t  *p;

    memset(&cur, 0, sizeof(cur));
    dts = (int64_t) t->first_dts;
    shift = 0;
    shown = 0;
    k = 0;

    for (i = 0; i < t->n_samples; i++) {

        if (vod_row_read(&cur, index + t->rows_off, 0, t->rows_len, &v)
            != VOD_OK)
        {
            printf("# row %u is damaged\n", i);
            return 0;
        }

        if (i == 0 && (int64_t) v.pos != s->p[0].pos) {
            printf("# begins at %" PRIu64 ", libavformat at %" PRId64 "\n",
                   v.pos, s->p[0].pos);
            return 0;
        }

        while (k < s->n && s->p[k].discard) {
            k++;
        }

        p = &s->p[k];
        pts = dts + v.cts - (int64_t) t->media_time;
        dts += v.dur;

        if (k == s->n || (int64_t) v.pos != p->pos) {
            continue;
        }

        if (shown++ == 0) {
            shift = pts - p->pts;
        }

        if ((int) v.size != p->size || pts - p->pts != shift) {
            printf("# sample %u: pos %" PRIu64 " size %u pts %" PRId64
                   ", libavformat %" PRId64 " %d %" PRId64 "\n", i + 1,
                   v.pos, v.size, pts, p->pos, p->size, p->pts);
            return 0;
        }

        k++;
    }

    if (shift) {
        printf("# libavformat presents it %" PRId64 " ticks earlier\n",
               shift);
    }

    /* the rest is to be discarded, or the file ends before */

    while (k < s->n && s->p[k].discard) {
        k++;
    }

    if (k < s->n && (s->p[k].cut || cut)) {
        k = s->n;
    }

    if (k < s->n) {
        printf("# %u samples, then libavformat presents %" PRId64 "\n", i,
               s->p[k].pos);
    }

    return k == s->n && shown
           && (shift == 0 || (t->kind == VOD_VIDEO && shift > 0));
}


/* a track of which libavformat reads other bytes: it counts from where the
   traf before ended, whatever lies there */
static int
from_moof(const vod_mp4_t *mp4, uint32_t id)
{
    uint32_t  i;

    for (i = 0; i < mp4->n_tracks; i++) {
        if (mp4->tracks[i].id == id && mp4->tracks[i].frag
            && mp4->tracks[i].frag->from_moof)
        {
            printf("# track %u is left to the unit tests\n", id);
            return 1;
        }
    }

    return 0;
}


static const stream_t *
find_stream(const stream_t *streams, unsigned n, uint32_t id)
{
    unsigned  i;

    for (i = 0; i < n; i++) {
        if ((uint32_t) streams[i].id == id && streams[i].n) {
            return &streams[i];
        }
    }

    return NULL;
}


static void
free_streams(stream_t *streams)
{
    unsigned  i;

    for (i = 0; i < MAX_TRACKS; i++) {
        free(streams[i].p);
    }

    memset(streams, 0, MAX_TRACKS * sizeof(stream_t));
}


/* the tables of the tracks in the index, as they are without edit lists */
static void
check_raw(const char *name, vod_av_source_t *src, const void *index,
    stream_t *streams, unsigned n)
{
    int                 same;
    vod_err_t           err;
    vod_mp4_t           mp4;
    vod_notes_t         notes;
    vod_source_t        source;
    vod_av_limits_t     limits = { .max_moov = 1 << 28,
                                   .max_samples = 1 << 24,
                                   .max_tracks = 64, .timeout = 60000 };
    vod_mp4_track_t    *t;
    vod_index_track_t   it;
    const stream_t     *s;
    const vod_track_t  *track;
    uint32_t            i, k;

    memset(&notes, 0, sizeof(notes));
    vod_source_init(&source, src, 60000);

    if (!ok(vod_mp4_open(&mp4, &source, &limits, &err) == VOD_OK,
            "%s: tables are read", name))
    {
        vod_mp4_close(&mp4);
        return;
    }

    for (i = 0, k = 0; i < mp4.n_tracks; i++) {
        t = &mp4.tracks[i];

        if (t->code != VOD_OK) {
            continue;
        }

        /* of text rows are no packets: av_subs_test.c */

        if (t->kind == VOD_TEXT) {
            k++;
            continue;
        }

        track = vod_index_tracks(index) + k;
        s = find_stream(streams, n, t->id);

        if (k < ((const vod_index_t *) index)->n_tracks
            && track->source_id == t->id && s)
        {
            memset(&it, 0, sizeof(it));
            memset(&t->elst, 0, sizeof(t->elst));

            same = vod_track_samples(&it, &mp4, t, &notes, &err) == VOD_OK;
            same = same && (from_moof(&mp4, t->id)
                            || same_raw(&it, s, ((const vod_index_t *) index)
                                                ->notes_len != 0));

            ok(same, "%s: track %u, %u samples as in its packets", name, t->id,
               it.n_samples);

            k++;
            vod_track_free(&it);
        }
    }

    vod_mp4_close(&mp4);
}


static int
earlier(const void *a, const void *b)
{
    const packet_t  *x = a, *y = b;

    if (x->dts != y->dts) {
        return (x->dts < y->dts) ? -1 : 1;
    }

    return (x->pos < y->pos) ? -1 : 1;
}


/*
 * libavformat presents the fragments of a track with negative composition
 * offsets too late by the least of them: it means to lower the decoding times
 * by as much, which it does for samples of moov alone.  And it reads fragments
 * as they lie in the file, not as they follow in time.
 */
static void
as_fragments(const vod_mp4_t *mp4, stream_t *streams, unsigned n)
{
    int32_t                  least;
    unsigned                 k;
    uint32_t                 i, j;
    const vod_frag_track_t  *f;

    for (i = 0; i < mp4->n_tracks; i++) {
        f = mp4->tracks[i].frag;

        if (f == NULL) {
            continue;
        }

        for (j = 0, least = 0; j < f->n; j++) {
            least = (f->samples[j].cts < least) ? f->samples[j].cts : least;
        }

        for (k = 0; k < n; k++) {
            if (streams[k].id == (int) mp4->tracks[i].id) {
                for (j = 0; j < streams[k].n; j++) {
                    streams[k].p[j].pts += least;
                }

                qsort(streams[k].p, streams[k].n, sizeof(packet_t), earlier);
            }
        }
    }
}


static void
check_file(const char *path)
{
    int                 fd;
    vod_mp4_t           mp4;
    vod_source_t        source;
    vod_av_limits_t     limits = { .max_moov = 1 << 28,
                                   .max_samples = 1 << 24,
                                   .max_tracks = 64, .timeout = 60000 };
    void               *index;
    uint32_t            i;
    uint64_t            len;
    unsigned            n;
    const char         *name;
    vod_err_t           err;
    struct stat         st;
    const stream_t     *s;
    const vod_track_t  *t;
    vod_av_source_t     src;
    static stream_t     streams[MAX_TRACKS];

    name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    fd = open(path, O_RDONLY);
    if (fd == -1 || fstat(fd, &st) == -1) {
        ok(0, "%s can be opened", path);
        return;
    }

    memset(&src, 0, sizeof(src));
    src.read = source_read;
    src.data = &fd;
    src.size = (uint64_t) st.st_size;

    if (vod_av_index(&src, NULL, &index, &len, &err) == VOD_OK) {
        checked++;

        vod_source_init(&source, &src, 60000);
        (void) vod_mp4_open(&mp4, &source, &limits, &err);

        if (read_packets(fd, st.st_size, 0, mp4.fragmented, streams, &n)
            == 0)
        {
            as_fragments(&mp4, streams, n);
            check_raw(name, &src, index, streams, n);
            free_streams(streams);

            if (read_packets(fd, st.st_size, 1, mp4.fragmented, streams, &n)
                == 0)
            {
                as_fragments(&mp4, streams, n);

                for (i = 0; i < ((vod_index_t *) index)->n_tracks; i++) {
                    t = vod_index_tracks(index) + i;
                    s = find_stream(streams, n, t->source_id);

                    if (t->kind == VOD_TEXT) {
                        continue;
                    }

                    ok(s && (from_moof(&mp4, t->source_id)
                             || same_edited(index, t, s, mp4.note[0])),
                       "%s: track %u presented as by libavformat", name,
                       t->source_id);
                }
            }

            free_streams(streams);
        }

        vod_mp4_close(&mp4);
        free(index);
    }

    close(fd);
}


static void
check_tree(const char *path)
{
    DIR            *dir;
    char            sub[4096];
    struct stat     st;
    struct dirent  *e;

    dir = opendir(path);
    if (dir == NULL) {
        return;
    }

    while ((e = readdir(dir)) != NULL) {

        if (e->d_name[0] == '.'
            || snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name)
               >= (int) sizeof(sub)
            || stat(sub, &st) == -1)
        {
            continue;
        }

        if (S_ISDIR(st.st_mode)) {
            check_tree(sub);

        } else if (S_ISREG(st.st_mode)) {
            check_file(sub);
        }
    }

    closedir(dir);
}


int
main(int argc, char **argv)
{
    int          i;
    const char  *dir[2];

    vod_av_init();

    for (i = 1; i < argc; i++) {
        check_file(argv[i]);
    }

    if (argc > 1) {
        return done_testing();
    }

    dir[0] = getenv("VOD_FIXTURES");
    dir[1] = getenv("VOD_MEDIA");

    for (i = 0; i < 2; i++) {
        if (dir[i] && dir[i][0]) {
            check_tree(dir[i]);
        }
    }

    if (checked == 0) {
        printf("1..0 # SKIP no media files: VOD_FIXTURES, VOD_MEDIA\n");
        return 0;
    }

    return done_testing();
}
