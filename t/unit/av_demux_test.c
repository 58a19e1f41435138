/*
 * Packets of the files that are no ISO BMFF, against libavformat as anyone
 * uses it (its own times filled in, streams looked at), and against
 * themselves when they are read again from a place in the middle.
 *
 * Files: those named as arguments, or all of VOD_FIXTURES and VOD_MEDIA.
 */

#include <inttypes.h>

#include <libavformat/avformat.h>
#include <libavutil/mem.h>

#include "vod_demux_int.h"
#include "scanned.h"
#include "tap.h"


#define SEEKS   24              /* a stream */
#define FOLLOW  40              /* packets compared behind a seek */


typedef struct {
    vod_packet_t  p;
    uint64_t      hash;
} packet_t;

typedef struct {
    packet_t  *p;
    uint32_t   n, room;
} list_t;


static int  checked;


static uint64_t
hash(const uint8_t *data, uint64_t n)
{
    return vod_hash64(1, data, n);
}


static int
open_bytes(vod_demux_t **d, vod_source_t *s, vod_av_source_t *src, bytes_t *b,
    vod_err_t *err)
{
    bytes_source(src, b);
    vod_source_init(s, src, 60000);

    return vod_demux_open(d, s, bytes_container(b), err);
}


static void
add(list_t *l, const vod_packet_t *p)
{
    if (l->n == l->room) {
        l->room = l->room ? l->room * 2 : 1024;
        l->p = realloc(l->p, l->room * sizeof(packet_t));
    }

    l->p[l->n].p = *p;
    l->p[l->n++].hash = hash(p->data, p->size);
}


/* all packets; *bad counts places where the file has other bytes */
static int
read_all(list_t *l, bytes_t *b, uint32_t *bad, uint32_t *n_at)
{
    int              rc;
    vod_err_t        err;
    vod_demux_t     *d;
    vod_packet_t     p;
    vod_source_t     s;
    vod_av_source_t  src;

    memset(l, 0, sizeof(*l));
    *bad = 0;
    *n_at = 0;

    rc = open_bytes(&d, &s, &src, b, &err);

    if (rc != VOD_OK) {
        return rc;
    }

    vod_demux_places(d);

    while ((rc = vod_demux_read(d, &p, &err)) == VOD_OK) {
        add(l, &p);

        if (p.at != VOD_NO_POS) {
            (*n_at)++;
            *bad += p.at > b->size || p.size > b->size - p.at
                    || memcmp(b->data + p.at, p.data, p.size) != 0;
        }
    }

    vod_demux_close(d);

    return rc;
}


static int64_t
mem_seek(void *data, int64_t offset, int whence)
{
    vod_av_source_t  *src = data;

    if (whence & AVSEEK_SIZE) {
        return (int64_t) src->size;
    }

    src->bytes_read = (uint64_t) offset;

    return offset;
}


static int
mem_read(void *data, uint8_t *buf, int size)
{
    int               e;
    int64_t           n;
    vod_av_source_t  *src = data;

    n = src->read(src->data, buf, (uint64_t) size, src->bytes_read, &e);
    src->bytes_read += (uint64_t) n;

    return n ? (int) n : AVERROR_EOF;
}


/*
 * As ffprobe reads it.  Compared for each stream: number, sizes, and bytes
 * of packets, and the time between where both have one; but for what comes
 * late, of a PID that has ended.
 */
static int
as_ffprobe(const char *name, bytes_t *b, const list_t *l)
{
    int                  same;
    int64_t              pts, shift[VOD_DEMUX_STREAMS];
    int64_t              pos[VOD_DEMUX_STREAMS];
    uint32_t             i, at[VOD_DEMUX_STREAMS], n;
    AVPacket            *pkt;
    AVRational           ms = { 1, 1000 };
    AVIOContext         *pb;
    vod_demux_t         *d;
    vod_err_t            err;
    vod_source_t         s;
    vod_av_source_t      src, mine;
    AVDictionary        *opts;
    AVFormatContext     *ctx;
    const vod_packet_t  *p;

    bytes_source(&src, b);
    pb = avio_alloc_context(av_malloc(4096), 4096, 0, &src, mem_read, NULL,
                            mem_seek);
    ctx = avformat_alloc_context();
    ctx->pb = pb;
    ctx->flags |= AVFMT_FLAG_CUSTOM_IO;
    same = 1;
    n = 0;
    opts = NULL;
    av_dict_set(&opts, "merge_pmt_versions", "1", 0);

    memset(at, 0, sizeof(at));
    memset(pos, 0, sizeof(pos));
    pkt = av_packet_alloc();

    if (avformat_open_input(&ctx, "", av_find_input_format(bytes_container(b)),
                            &opts) < 0
        || avformat_find_stream_info(ctx, NULL) < 0
        || open_bytes(&d, &s, &mine, b, &err) != VOD_OK)
    {
        return 0;
    }

    /* streams are known when their packets have been read */

    while (vod_demux_read(d, &(vod_packet_t) { 0 }, &err) == VOD_OK) {
        /* void */
    }

    while (same && av_read_frame(ctx, pkt) >= 0) {

        i = (uint32_t) pkt->stream_index;

        if ((ctx->streams[i]->disposition & AV_DISPOSITION_ATTACHED_PIC)
            || i >= vod_demux_streams(d) || pkt->size == 0
            || (pkt->pos >= 0 && pkt->pos < pos[i]))
        {
            av_packet_unref(pkt);
            continue;
        }

        pos[i] = pkt->pos;

        while (at[i] < l->n && l->p[at[i]].p.stream != i) {
            at[i]++;
        }

        p = (at[i] < l->n) ? &l->p[at[i]].p : NULL;

        if (p == NULL || (int) p->size != pkt->size
            || l->p[at[i]].hash != hash(pkt->data, (uint64_t) pkt->size))
        {
            printf("# %s: stream %u, packet at %" PRId64 " of %d bytes: %u"
                   " at %" PRIu64 "\n", name, i, pkt->pos, pkt->size,
                   p ? p->size : 0, p ? p->pos : 0);
            same = 0;
        }

        if (p && pkt->pts != AV_NOPTS_VALUE && p->pts != VOD_NO_TIME) {

            /* from the stream's first packet on as much later */


            pts = av_rescale_q(pkt->pts, ctx->streams[i]->time_base, ms)
                  - av_rescale(p->pts, 1000,
                               vod_demux_stream(d, i)->timescale);

            for (n = 0; n < at[i] && l->p[n].p.stream != i; n++) {
                /* void */
            }

            shift[i] = (n == at[i]) ? pts : shift[i];

            if (pts - shift[i] > 2 || pts - shift[i] < -2) {
                printf("# %s: stream %u, packet at %" PRIu64 " comes %" PRId64
                       " ms late\n", name, i, p->pos, shift[i] - pts);
                same = 0;
            }
        }

        at[i]++;
        av_packet_unref(pkt);
    }

    vod_demux_close(d);
    av_dict_free(&opts);
    av_packet_free(&pkt);
    avformat_close_input(&ctx);
    av_freep(&pb->buffer);
    avio_context_free(&pb);

    for (i = 0; same && i < VOD_DEMUX_STREAMS; i++) {
        for (n = at[i]; n < l->n; n++) {
            if (l->p[n].p.stream == i) {
                printf("# %s: stream %u has packets beyond\n", name, i);
                same = 0;
                break;
            }
        }
    }

    return same;
}


/* packets from one's place on are those that came the first time */
static int
follows(const char *name, vod_demux_t *d, const list_t *l, uint32_t from)
{
    int                  begun, rc;
    int64_t              near;
    uint32_t             i, k, stream;
    vod_err_t            err;
    vod_packet_t         p;
    const vod_packet_t  *was;

    was = &l->p[from].p;
    stream = was->stream;
    begun = 0;
    i = from;

    near = VOD_NO_TIME;

    for (k = from + 1; k > 0 && near == VOD_NO_TIME; k--) {
        near = (l->p[k - 1].p.stream == stream) ? l->p[k - 1].p.pts : near;
    }

    rc = vod_demux_seek(d, was->pos, stream, near, &err);

    for (k = 0; rc == VOD_OK && k < FOLLOW; ) {

        rc = vod_demux_read(d, &p, &err);

        if (rc != VOD_OK || p.stream != stream
            || (!begun && p.pos != was->pos))
        {
            continue;
        }

        begun = 1;
        was = &l->p[i].p;

        if (p.pos != was->pos || p.size != was->size || p.key != was->key
            || hash(p.data, p.size) != l->p[i].hash
            || (p.pts != VOD_NO_TIME && was->pts != VOD_NO_TIME
                && p.pts != was->pts))
        {
            printf("# %s: stream %u from %" PRIu64 ": pos %" PRIu64 " size %u"
                   " pts %" PRId64 ", was %" PRIu64 " %u %" PRId64 "\n",
                   name, stream, l->p[from].p.pos, p.pos, p.size, p.pts,
                   was->pos, was->size, was->pts);
            return 0;
        }

        for (k++, i++; i < l->n && l->p[i].p.stream != stream; i++) {
            /* void */
        }

        if (i == l->n) {
            break;
        }
    }

    if (!begun) {
        printf("# %s: stream %u does not come upon %" PRIu64 "\n", name,
               stream, l->p[from].p.pos);
    }

    return begun && (rc == VOD_OK || (rc == VOD_END && i == l->n));
}


static int
seeks(const char *name, bytes_t *b, const list_t *l)
{
    int              same;
    uint32_t         i, keys[VOD_DEMUX_STREAMS], seen[VOD_DEMUX_STREAMS], n;
    vod_err_t        err;
    vod_demux_t     *d, *fresh;
    vod_source_t     s, s2;
    vod_av_source_t  src, src2;

    memset(keys, 0, sizeof(keys));
    memset(seen, 0, sizeof(seen));
    same = 1;

    for (i = 0; i < l->n; i++) {
        keys[l->p[i].p.stream] += l->p[i].p.key;
    }

    if (open_bytes(&d, &s, &src, b, &err) != VOD_OK) {
        return 0;
    }

    for (i = l->n; i > 0 && same; i--) {

        if (!l->p[i - 1].p.key) {
            continue;
        }

        n = l->p[i - 1].p.stream;

        if (seen[n]++ % (keys[n] / SEEKS + 1)) {
            continue;
        }

        same = follows(name, d, l, i - 1);

        /* and where nothing has been read before */

        if (same && (seen[n] & 1)
            && open_bytes(&fresh, &s2, &src2, b, &err) == VOD_OK)
        {
            vod_demux_only(fresh, n);
            same = follows(name, fresh, l, i - 1);
            vod_demux_close(fresh);
        }
    }

    vod_demux_close(d);

    return same;
}


static void
check(const char *path)
{
    int          rc;
    bytes_t      b;
    list_t       l;
    uint32_t     bad, n_at;
    const char  *name, *container;

    if (!bytes_load(&b, path)) {
        return;
    }

    container = bytes_container(&b);

    if (container) {
        name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        checked++;

        rc = read_all(&l, &b, &bad, &n_at);

        if (rc == VOD_END) {
            ok(l.n > 0, "%s: %s, %u packets", name, container, l.n);
            ok(bad == 0, "%s: %u places hold the packet's bytes", name, n_at);
            ok(seeks(name, &b, &l), "%s: packets come again from their"
               " places", name);
            ok(as_ffprobe(name, &b, &l), "%s: packets as libavformat has"
               " them", name);

        } else {
            printf("# %s: %d\n", name, rc);
        }

        free(l.p);
    }

    free(b.data);
}


static void
probes(void)
{
    uint8_t      head[512] = "ftypisom";
    vod_err_t    err;
    const char  *container;

    ok(vod_demux_probe(head, sizeof(head), &container, &err) == VOD_OK
       && container == NULL, "zeros are no container");
    ok(vod_demux_probe(head, 0, &container, &err) == VOD_OK
       && container == NULL, "nothing is no container");

    memcpy(head, "FLV\1\5\0\0\0\11\0\0\0\0", 13);
    (void) vod_demux_probe(head, sizeof(head), &container, &err);
    is_str(container, "flv", "FLV by its header");
}


/* FFmpeg names itself in a comment of each file */
static void
comments(void)
{
    char             path[4096];
    bytes_t          b;
    vod_err_t        err;
    vod_demux_t     *d;
    vod_source_t     s;
    vod_av_source_t  src;

    snprintf(path, sizeof(path), "%s/audio-flac.flac",
             getenv("VOD_FIXTURES") ? getenv("VOD_FIXTURES") : ".");

    if (!bytes_load(&b, path)) {
        return;
    }

    if (ok(open_bytes(&d, &s, &src, &b, &err) == VOD_OK, "FLAC is open")) {
        is_int(av_dict_count(d->ctx->metadata), 0,
               "comments of FLAC are not read");
        vod_demux_close(d);
    }

    free(b.data);
}


/* the number in the comment header behind what, of a file that is sound */
static void
many_comments(const char *path, const char *what, size_t header)
{
    int              rc;
    size_t           i;
    bytes_t          b;
    vod_err_t        err;
    vod_demux_t     *d;
    vod_source_t     s;
    vod_av_source_t  src;

    if (!ok(bytes_load(&b, path), "%s is there", path)) {
        return;
    }

    rc = open_bytes(&d, &s, &src, &b, &err);
    ok(rc == VOD_OK, "%s is open", path);

    if (rc == VOD_OK) {
        vod_demux_close(d);
    }

    for (i = 0; i + 200 < b.size && memcmp(b.data + i, what, header); i++) {
        /* void */
    }

    i += header + 4 + b.data[i + header];       /* a vendor of < 256 bytes */
    b.data[i + 1] = 0x20;                       /* 8,192 more */

    rc = open_bytes(&d, &s, &src, &b, &err);
    ok(rc == VOD_LIMIT && strstr(err.text, "4096 comments"),
       "%s with 8,192 comments is refused", path);

    if (rc == VOD_OK) {
        vod_demux_close(d);
    }

    free(b.data);
}


int
main(int argc, char **argv)
{
    vod_av_init();

    probes();
    comments();
    many_comments("t/fuzz/corpus/file/opus.ogg", "OpusTags", 8);
    all_files(argc, argv, check);

    if (checked == 0) {
        printf("# no files: VOD_FIXTURES, VOD_MEDIA\n");
    }

    return done_testing();
}
