#include <stdlib.h>
#include <string.h>

#include <libavutil/mem.h>

#include "vod_demux_int.h"


#define VOD_DEMUX_BUFFER  65536

/* headers between a packet's place and its bytes: FLV's tag, a Block's */
#define VOD_DEMUX_HEADERS  1024


static int vod_demux_hide(vod_demux_t *d, vod_err_t *err);
static int vod_demux_io_read(void *data, uint8_t *buf, int size);
static int64_t vod_demux_io_seek(void *data, int64_t offset, int whence);
static int vod_demux_io_late(void *data);
static int vod_demux_io_other(AVFormatContext *ctx, AVIOContext **pb,
    const char *url, int flags, AVDictionary **options);


int
vod_demux_io_open(vod_demux_t *d, vod_err_t *err)
{
    uint8_t  *buf;

    buf = av_malloc(VOD_DEMUX_BUFFER);
    d->pb = buf ? avio_alloc_context(buf, VOD_DEMUX_BUFFER, 0, d,
                                     vod_demux_io_read, NULL,
                                     vod_demux_io_seek)
                : NULL;

    if (d->pb == NULL) {
        av_free(buf);
        return vod_fail(err, VOD_NOMEM, "no memory for libavformat");
    }

    d->ctx = avformat_alloc_context();
    d->pkt = av_packet_alloc();

    if (d->ctx == NULL || d->pkt == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for libavformat");
    }

    d->ctx->pb = d->pb;
    d->ctx->io_open = vod_demux_io_other;
    d->ctx->interrupt_callback.callback = vod_demux_io_late;
    d->ctx->interrupt_callback.opaque = d;
    d->ctx->flags |= AVFMT_FLAG_CUSTOM_IO;

    if (d->format->type == VOD_DEMUX_MATROSKA
        || d->format->type == VOD_DEMUX_OGG)
    {
        return vod_demux_comments(d, err);
    }

    return (strcmp(d->format->name, "flac") == 0) ? vod_demux_hide(d, err)
                                                  : VOD_OK;
}


/*
 * Comments of FLAC (RFC 9639, 8.6) are of no use here, and libavformat takes
 * a time for them that grows with the square of their number, hours for
 * 16 MB, and looks at no clock meanwhile: their blocks are passed on to it as
 * padding (8.3).
 */
static int
vod_demux_hide(vod_demux_t *d, vod_err_t *err)
{
    uint64_t        pos;
    const uint8_t  *p;

    pos = 0;

    if (vod_demux_peek(d, 0, 10, &p) == 10 && memcmp(p, "ID3", 3) == 0) {
        pos = 10 + ((uint64_t) (p[6] & 127) << 21 | (p[7] & 127) << 14
                    | (p[8] & 127) << 7 | (p[9] & 127));
        pos += (p[5] & 0x10) ? 10 : 0;
    }

    if (vod_demux_peek(d, pos, 4, &p) < 4 || memcmp(p, "fLaC", 4) != 0) {
        return VOD_OK;
    }

    pos += 4;

    while (vod_demux_peek(d, pos, 4, &p) == 4) {

        if ((p[0] & 127) == 4) {

            if (d->n_hidden == VOD_DEMUX_HIDDEN) {
                return vod_fail(err, VOD_DAMAGED, "it has more than %d blocks"
                                " of comments, remux the file",
                                VOD_DEMUX_HIDDEN);
            }

            d->hidden[d->n_hidden++] = pos;
        }

        if (p[0] & 128) {
            break;
        }

        pos += 4 + ((uint64_t) p[1] << 16 | p[2] << 8 | p[3]);
    }

    return VOD_OK;
}


void
vod_demux_io_close(vod_demux_t *d)
{
    avformat_close_input(&d->ctx);
    av_packet_free(&d->pkt);

    if (d->pb) {
        av_freep(&d->pb->buffer);
        avio_context_free(&d->pb);
    }

    free(d->window);
}


static int
vod_demux_io_read(void *data, uint8_t *buf, int size)
{
    uint32_t      i;
    uint64_t      n;
    vod_demux_t  *d = data;

    n = d->source->src->size;

    if (d->code != VOD_OK) {
        return AVERROR(EIO);
    }

    if (d->pos >= n || size <= 0) {
        return AVERROR_EOF;
    }

    n -= d->pos;
    n = (n < (uint64_t) size) ? n : (uint64_t) size;

    d->code = vod_source_read(d->source, buf, n, d->pos, &d->why);
    if (d->code != VOD_OK) {
        return AVERROR(EIO);
    }

    for (i = 0; i < d->n_hidden; i++) {
        if (d->hidden[i] >= d->pos && d->hidden[i] - d->pos < n) {
            buf[d->hidden[i] - d->pos] &= 128;
            buf[d->hidden[i] - d->pos] |= 1;
        }
    }

    d->pos += n;

    return (int) n;
}


static int64_t
vod_demux_io_seek(void *data, int64_t offset, int whence)
{
    vod_demux_t  *d = data;

    if (whence & AVSEEK_SIZE) {
        return (int64_t) d->source->src->size;
    }

    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) {
        return AVERROR(EINVAL);
    }

    d->pos = (uint64_t) offset;

    return offset;
}


static int
vod_demux_io_late(void *data)
{
    vod_demux_t  *d = data;

    if (d->code == VOD_OK) {
        d->code = vod_source_in_time(d->source, &d->why);
    }

    return d->code != VOD_OK;
}


/* no file leads to another one */
static int
vod_demux_io_other(AVFormatContext *ctx, AVIOContext **pb, const char *url,
    int flags, AVDictionary **options)
{
    (void) ctx;
    (void) pb;
    (void) url;
    (void) flags;
    (void) options;

    return AVERROR(EACCES);
}


uint64_t
vod_demux_peek(vod_demux_t *d, uint64_t pos, uint64_t len,
    const uint8_t **data)
{
    uint64_t  n, size;

    size = d->source->src->size;

    if (pos >= size || d->code != VOD_OK) {
        return 0;
    }

    n = size - pos;
    len = (len < n) ? len : n;
    len = (len < VOD_DEMUX_WINDOW) ? len : VOD_DEMUX_WINDOW;

    if (d->window == NULL) {
        d->window = malloc(VOD_DEMUX_WINDOW);

        if (d->window == NULL) {
            d->code = vod_fail(&d->why, VOD_NOMEM, "no memory to read the"
                               " file");
            return 0;
        }
    }

    if (pos < d->window_pos || pos - d->window_pos > d->window_len
        || d->window_len - (pos - d->window_pos) < len)
    {
        n = (n < VOD_DEMUX_WINDOW) ? n : VOD_DEMUX_WINDOW;
        d->window_len = 0;

        d->code = vod_source_read(d->source, d->window, n, pos, &d->why);
        if (d->code != VOD_OK) {
            return 0;
        }

        d->window_pos = pos;
        d->window_len = n;
    }

    *data = d->window + (pos - d->window_pos);

    return len;
}


uint64_t
vod_demux_place(vod_demux_t *d, uint64_t from, const uint8_t *data,
    uint64_t size)
{
    uint64_t        at, n, done, head;
    const uint8_t  *p;

    if (size == 0) {
        return VOD_NO_POS;
    }

    head = (size < 64) ? size : 64;
    n = vod_demux_peek(d, from, VOD_DEMUX_HEADERS + head, &p);

    for (at = 0; at + head <= n; at++) {
        if (p[at] == data[0] && memcmp(p + at, data, head) == 0) {
            break;
        }
    }

    if (at + head > n) {
        return VOD_NO_POS;
    }

    at += from;

    for (done = head; done < size; done += n) {
        n = size - done;
        n = (n < VOD_DEMUX_WINDOW) ? n : VOD_DEMUX_WINDOW;

        if (vod_demux_peek(d, at + done, n, &p) != n
            || memcmp(p, data + done, n))
        {
            return VOD_NO_POS;
        }
    }

    return at;
}
