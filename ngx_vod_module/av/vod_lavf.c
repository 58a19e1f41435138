#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>

#include "vod_lavf.h"


#if (LIBAVFORMAT_VERSION_MAJOR < 59)
#error libavformat 59 (FFmpeg 5.0) or later is needed
#endif


#define VOD_LAVF_BUFFER     32768
#define VOD_LAVF_MAX_ALLOC  ((size_t) 1 << 30)


/* the copy of moov as a file: ftyp, moov's header, moov's body */
typedef struct {
    uint8_t         head[512];
    uint64_t        head_len;
    const uint8_t  *body;
    uint64_t        body_len;
    uint64_t        pos;
} vod_lavf_view_t;


struct vod_lavf_s {
    AVFormatContext  *ctx;
    AVIOContext      *pb;
    vod_lavf_view_t   view;
};


typedef struct {
    const char  *name;          /* first of libavformat's names */
    const char  *found;
    int          text;          /* a list of other files */
} vod_lavf_format_t;


static const char *vod_lavf_found(const AVInputFormat *fmt, int *text);
static void vod_lavf_view(vod_lavf_view_t *v, const vod_mp4_t *mp4);
static int vod_lavf_open_ctx(vod_lavf_t *lavf, vod_err_t *err);
static int vod_lavf_read(void *data, uint8_t *buf, int size);
static int64_t vod_lavf_seek(void *data, int64_t offset, int whence);
static int vod_lavf_io_open(AVFormatContext *ctx, AVIOContext **pb,
    const char *url, int flags, AVDictionary **options);
static void vod_lavf_log(void *avcl, int level, const char *fmt, va_list args);


static const vod_lavf_format_t  vod_lavf_formats[] = {
    { "matroska", "Matroska / WebM files are", 0 },
    { "mpegts", "MPEG transport streams are", 0 },
    { "mpeg", "MPEG program streams are", 0 },
    { "flv", "FLV files are", 0 },
    { "ogg", "Ogg files are", 0 },
    { "avi", "AVI files are", 0 },
    { "asf", "ASF / WMV files are", 0 },
    { "mp3", "bare MP3 files are", 0 },
    { "aac", "bare AAC (ADTS) files are", 0 },
    { "ac3", "bare AC-3 files are", 0 },
    { "eac3", "bare E-AC-3 files are", 0 },
    { "flac", "bare FLAC files are", 0 },
    { "wav", "WAV files are", 0 },
    { "h264", "bare H.264 streams are", 0 },
    { "hevc", "bare HEVC streams are", 0 },
    { "hls", "an HLS playlist", 1 },
    { "dash", "a DASH manifest", 1 },
    { "concat", "a concat script", 1 },
    { NULL, NULL, 0 }
};


void
vod_lavf_init(void)
{
    av_log_set_level(AV_LOG_QUIET);
    av_log_set_callback(vod_lavf_log);
    av_max_alloc(VOD_LAVF_MAX_ALLOC);
}


int
vod_lavf_probe(const uint8_t *head, uint64_t len, vod_err_t *err)
{
    int                   score, text;
    uint8_t              *buf;
    const char           *found;
    AVProbeData           pd;
    const AVInputFormat  *fmt;

    buf = calloc(1, len + AVPROBE_PADDING_SIZE);
    if (buf == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory to look at the file");
    }

    memcpy(buf, head, len);

    memset(&pd, 0, sizeof(AVProbeData));
    pd.filename = "";
    pd.buf = buf;
    pd.buf_size = (int) len;

    score = 0;
    fmt = av_probe_input_format3(&pd, 1, &score);

    free(buf);

    if (fmt == NULL || score <= AVPROBE_SCORE_RETRY) {
        return vod_fail(err, VOD_DAMAGED, "it is not a media file, or its"
                        " beginning is lost: put a sound MP4 file there");
    }

    if (strncmp(fmt->name, "mov,", 4) == 0) {
        return VOD_OK;
    }

    found = vod_lavf_found(fmt, &text);

    if (text) {
        return vod_fail(err, VOD_UNSUPPORTED, "%s is no media file, name the"
                        " media file itself", found);
    }

    return vod_fail(err, VOD_UNSUPPORTED, "%s not packaged yet, remux it to"
                    " MP4 (ffmpeg -i FILE -c copy FILE.mp4)", found);
}


static const char *
vod_lavf_found(const AVInputFormat *fmt, int *text)
{
    size_t                    n;
    const vod_lavf_format_t  *f;

    *text = 0;
    n = strcspn(fmt->name, ",");

    for (f = vod_lavf_formats; f->name; f++) {
        if (strlen(f->name) == n && memcmp(f->name, fmt->name, n) == 0) {
            *text = f->text;
            return f->found;
        }
    }

    return "files of its kind (neither MP4 nor QuickTime) are";
}


int
vod_lavf_open(vod_lavf_t **out, vod_mp4_t *mp4, vod_mp4_track_t *t,
    vod_err_t *err)
{
    int          rc;
    vod_lavf_t  *lavf;

    lavf = calloc(1, sizeof(vod_lavf_t));
    if (lavf == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for libavformat");
    }

    vod_lavf_view(&lavf->view, mp4);

    vod_mp4_show(t, 1);
    rc = vod_lavf_open_ctx(lavf, err);
    vod_mp4_show(t, 0);

    if (rc == VOD_OK && lavf->ctx->nb_streams != 1) {
        rc = vod_fail(err, VOD_DAMAGED, "libavformat sees %u tracks in its"
                      " trak box, remux the file", lavf->ctx->nb_streams);
    }

    if (rc != VOD_OK) {
        vod_lavf_close(lavf);
        return rc;
    }

    *out = lavf;

    return VOD_OK;
}


static void
vod_lavf_view(vod_lavf_view_t *v, const vod_mp4_t *mp4)
{
    uint64_t  size;

    memcpy(v->head, mp4->ftyp, mp4->ftyp_len);
    v->head_len = mp4->ftyp_len;

    size = mp4->moov_len + 8;
    v->head[v->head_len++] = (uint8_t) (size >> 24);
    v->head[v->head_len++] = (uint8_t) (size >> 16);
    v->head[v->head_len++] = (uint8_t) (size >> 8);
    v->head[v->head_len++] = (uint8_t) size;
    memcpy(v->head + v->head_len, "moov", 4);
    v->head_len += 4;

    v->body = mp4->moov;
    v->body_len = mp4->moov_len;
}


static int
vod_lavf_open_ctx(vod_lavf_t *lavf, vod_err_t *err)
{
    int                   n;
    char                  reason[AV_ERROR_MAX_STRING_SIZE];
    uint8_t              *buf;
    AVDictionary         *opts;
    const AVInputFormat  *fmt;

    fmt = av_find_input_format("mov");
    if (fmt == NULL) {
        return vod_fail(err, VOD_INTERNAL, "this libavformat has no MP4"
                        " demuxer, install a complete one");
    }

    buf = av_malloc(VOD_LAVF_BUFFER);
    lavf->pb = buf ? avio_alloc_context(buf, VOD_LAVF_BUFFER, 0, &lavf->view,
                                        vod_lavf_read, NULL, vod_lavf_seek)
                   : NULL;
    lavf->ctx = lavf->pb ? avformat_alloc_context() : NULL;

    if (lavf->ctx == NULL) {
        if (lavf->pb == NULL) {
            av_free(buf);
        }

        return vod_fail(err, VOD_NOMEM, "no memory for libavformat");
    }

    lavf->ctx->pb = lavf->pb;
    lavf->ctx->io_open = vod_lavf_io_open;
    lavf->ctx->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE
                        | AVFMT_FLAG_NOFILLIN;

    opts = NULL;
    (void) av_dict_set(&opts, "protocol_whitelist", "", 0);
    (void) av_dict_set(&opts, "format_whitelist", "mov", 0);
    (void) av_dict_set(&opts, "ignore_editlist", "1", 0);
    (void) av_dict_set(&opts, "advanced_editlist", "0", 0);
    (void) av_dict_set(&opts, "ignore_chapters", "1", 0);
    (void) av_dict_set(&opts, "use_absolute_path", "0", 0);
    (void) av_dict_set(&opts, "enable_drefs", "0", 0);

    n = avformat_open_input(&lavf->ctx, "", fmt, &opts);

    av_dict_free(&opts);

    if (n == AVERROR(ENOMEM)) {
        return vod_fail(err, VOD_NOMEM, "no memory for its sample tables");
    }

    if (n < 0) {
        (void) av_strerror(n, reason, sizeof(reason));

        return vod_fail(err, VOD_DAMAGED, "libavformat refuses its boxes"
                        " (%s), remux the file", reason);
    }

    return VOD_OK;
}


void
vod_lavf_close(vod_lavf_t *lavf)
{
    if (lavf == NULL) {
        return;
    }

    avformat_close_input(&lavf->ctx);

    if (lavf->pb) {
        av_freep(&lavf->pb->buffer);
        avio_context_free(&lavf->pb);
    }

    free(lavf);
}


int
vod_lavf_samples(vod_lavf_t *lavf, vod_sample_t *samples, uint32_t n,
    vod_err_t *err)
{
    int                  count;
    int64_t              dur;
    uint32_t             i;
    AVStream            *st;
    vod_sample_t        *s;
    const AVIndexEntry  *e, *next;

    st = lavf->ctx->streams[0];
    count = avformat_index_get_entries_count(st);

    if (count < 0 || (uint32_t) count != n) {
        return vod_fail(err, VOD_DAMAGED, "libavformat finds %d samples where"
                        " its tables say %u, remux the file", count, n);
    }

    next = avformat_index_get_entry(st, 0);

    for (i = 0; i < n; i++) {
        e = next;
        next = (i + 1 < n) ? avformat_index_get_entry(st, (int) i + 1) : e;

        dur = next->timestamp - e->timestamp;

        if (dur < 0 || dur > UINT32_MAX) {
            return vod_fail(err, VOD_DAMAGED, "sample %u lasts %" PRId64
                            " ticks, which is no duration, remux the file",
                            i + 1, dur);
        }

        /* a place below 0 is one above 2^63 in the file: beyond its end */

        s = &samples[i];
        s->pos = (uint64_t) e->pos;
        s->size = (uint32_t) e->size;
        s->dur = (uint32_t) dur;
        s->cts = 0;
        s->key = (e->flags & AVINDEX_KEYFRAME) != 0;
    }

    return VOD_OK;
}


const char *
vod_lavf_lang(const vod_lavf_t *lavf)
{
    const AVDictionaryEntry  *e;

    e = av_dict_get(lavf->ctx->streams[0]->metadata, "language", NULL, 0);

    return e ? e->value : "";
}


static int
vod_lavf_read(void *data, uint8_t *buf, int size)
{
    uint64_t          n;
    const uint8_t    *p;
    vod_lavf_view_t  *v = data;

    if (v->pos < v->head_len) {
        p = v->head + v->pos;
        n = v->head_len - v->pos;

    } else {
        if (v->pos - v->head_len >= v->body_len) {
            return AVERROR_EOF;
        }

        p = v->body + (v->pos - v->head_len);
        n = v->body_len - (v->pos - v->head_len);
    }

    if (n > (uint64_t) size) {
        n = (uint64_t) size;
    }

    memcpy(buf, p, n);
    v->pos += n;

    return (int) n;
}


static int64_t
vod_lavf_seek(void *data, int64_t offset, int whence)
{
    vod_lavf_view_t  *v = data;

    if (whence & AVSEEK_SIZE) {
        return (int64_t) (v->head_len + v->body_len);
    }

    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) {
        return AVERROR(EINVAL);
    }

    v->pos = (uint64_t) offset;

    return offset;
}


/* no file leads to another one */
static int
vod_lavf_io_open(AVFormatContext *ctx, AVIOContext **pb, const char *url,
    int flags, AVDictionary **options)
{
    (void) ctx;
    (void) pb;
    (void) url;
    (void) flags;
    (void) options;

    return AVERROR(EACCES);
}


/* what it would say is said by us, once, with the file's name */
static void
vod_lavf_log(void *avcl, int level, const char *fmt, va_list args)
{
    (void) avcl;
    (void) level;
    (void) fmt;
    (void) args;
}
