#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libavutil/dict.h>
#include <libavutil/mem.h>

#include "vod_demux_int.h"
#include "vod_lavf.h"


/*
 * Bytes of a transport stream read to find its tables before the first
 * packet; tracks that come later are found then.  Programs repeat their
 * tables every 100 ms.
 */
#define VOD_DEMUX_PROBE   "1048576"

/* and how many may be no transport packets, in one piece */
#define VOD_DEMUX_RESYNC  "16777216"

/* key frame indexes, bytes of memory */
#define VOD_DEMUX_INDEX   (64 * 1024 * 1024)


static int vod_demux_start(vod_demux_t *d, vod_err_t *err);
static int vod_demux_settle(vod_demux_t *d, vod_err_t *err);
static uint32_t vod_demux_raw(const uint8_t *p, uint64_t len);


static const vod_demux_format_t  vod_demux_formats[] = {
    { "matroska", VOD_DEMUX_MATROSKA, 0 },
    { "mpegts", VOD_DEMUX_MPEGTS, 1 },
    { "flv", VOD_DEMUX_FLV, 0 },
    { "ogg", VOD_DEMUX_OGG, 0 },
    { "mp3", VOD_DEMUX_BARE, 1 },
    { "aac", VOD_DEMUX_BARE, 1 },
    { "ac3", VOD_DEMUX_BARE, 1 },
    { "eac3", VOD_DEMUX_BARE, 1 },
    { "flac", VOD_DEMUX_BARE, 1 },
    { NULL, 0, 0 }
};


static const vod_demux_format_t *
vod_demux_format(const char *name)
{
    size_t                     n;
    const vod_demux_format_t  *f;

    n = strcspn(name, ",");

    for (f = vod_demux_formats; f->name; f++) {
        if (strlen(f->name) == n && memcmp(f->name, name, n) == 0) {
            return f;
        }
    }

    return NULL;
}


int
vod_demux_probe(const uint8_t *head, uint64_t len, const char **container,
    vod_err_t *err)
{
    int                        rc;
    const char                *name;
    const vod_demux_format_t  *f;

    *container = NULL;

    if (len > VOD_DEMUX_WINDOW) {
        len = VOD_DEMUX_WINDOW;
    }

    rc = vod_lavf_guess(head, len, &name, err);

    if (rc == VOD_OK && name) {
        f = vod_demux_format(name);
        *container = f ? f->name : NULL;
    }

    return rc;
}


int
vod_demux_open(vod_demux_t **out, vod_source_t *s, const char *container,
    vod_err_t *err)
{
    int           rc;
    vod_demux_t  *d;

    *out = NULL;

    d = calloc(1, sizeof(vod_demux_t));
    if (d == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for libavformat");
    }

    d->source = s;
    d->format = vod_demux_format(container);
    d->only = VOD_DEMUX_STREAMS;
    d->clock = VOD_NO_TIME;

    if (d->format == NULL) {
        rc = vod_fail(err, VOD_UNSUPPORTED, "%s files are not packaged",
                      container);
    } else {
        rc = vod_demux_io_open(d, err);
    }

    if (rc == VOD_OK) {
        rc = vod_demux_start(d, err);
    }

    if (rc == VOD_OK) {
        rc = vod_demux_settle(d, err);
    }

    if (rc != VOD_OK) {
        vod_demux_close(d);
        return rc;
    }

    *out = d;

    return VOD_OK;
}


static int
vod_demux_start(vod_demux_t *d, vod_err_t *err)
{
    int                   n;
    char                  reason[AV_ERROR_MAX_STRING_SIZE];
    AVDictionary         *opts;
    const AVInputFormat  *fmt;

    fmt = av_find_input_format(d->format->name);
    if (fmt == NULL) {
        return vod_fail(err, VOD_INTERNAL, "this libavformat has no demuxer"
                        " for %s, install a complete one", d->format->name);
    }

    /* no times made up, and none moved */

    d->ctx->flags |= AVFMT_FLAG_NOFILLIN;
    d->ctx->flags |= d->format->parse ? 0 : AVFMT_FLAG_NOPARSE;
    d->ctx->correct_ts_overflow = 0;
    d->ctx->max_index_size = VOD_DEMUX_INDEX;

    opts = NULL;
    (void) av_dict_set(&opts, "protocol_whitelist", "", 0);
    (void) av_dict_set(&opts, "format_whitelist", d->format->name, 0);

    if (d->format->type == VOD_DEMUX_MPEGTS) {
        (void) av_dict_set(&opts, "probesize", VOD_DEMUX_PROBE, 0);
        (void) av_dict_set(&opts, "resync_size", VOD_DEMUX_RESYNC, 0);

        /* a track whose PID changes is the same track */

        (void) av_dict_set(&opts, "merge_pmt_versions", "1", 0);
    }

    n = avformat_open_input(&d->ctx, "", fmt, &opts);

    av_dict_free(&opts);

    if (d->code != VOD_OK) {
        return vod_fail(err, d->code, "%s", d->why.text);
    }

    if (n == AVERROR(ENOMEM)) {
        return vod_fail(err, VOD_NOMEM, "no memory for its header");
    }

    if (n < 0) {
        (void) av_strerror(n, reason, sizeof(reason));

        return vod_fail(err, VOD_DAMAGED, "libavformat refuses its header"
                        " (%s), remux the file", reason);
    }

    return VOD_OK;
}


/* what each kind of file needs known before its first packet is read */
static int
vod_demux_settle(vod_demux_t *d, vod_err_t *err)
{
    int             rc;
    int64_t         pos;
    uint64_t        n;
    const uint8_t  *p;

    switch (d->format->type) {

    case VOD_DEMUX_MATROSKA:

        /* libavformat has read the ID of the first Cluster, and stands there */

        pos = avio_tell(d->pb) - 4;

        if (pos > 0 && vod_demux_peek(d, (uint64_t) pos, 4, &p) == 4
            && memcmp(p, "\x1f\x43\xb6\x75", 4) == 0)
        {
            d->first = (uint64_t) pos;
        }

        break;

    case VOD_DEMUX_MPEGTS:
        n = vod_demux_peek(d, 0, 8192, &p);
        d->raw = vod_demux_raw(p, n);
        break;

    case VOD_DEMUX_BARE:

        if (strcmp(d->format->name, "mp3") == 0) {
            vod_demux_lame(d);
        }

        /* ticks are those of its frames: the first one says how long */

        do {
            rc = vod_demux_next(d, err);

        } while (rc == VOD_OK
                 && (d->ctx->streams[d->pkt->stream_index]->disposition
                     & AV_DISPOSITION_ATTACHED_PIC));

        if (rc == VOD_OK) {
            d->peeked = 1;

        } else if (rc == VOD_END) {
            return vod_fail(err, VOD_DAMAGED, "it has no whole frame, put the"
                            " whole file there");
        } else {
            return rc;
        }

        break;
    }

    if (d->code != VOD_OK) {
        return vod_fail(err, d->code, "%s", d->why.text);
    }

    vod_demux_look(d);

    return VOD_OK;
}


/* 188 bytes; with 4 of a recorder's time before, or 16 of parity behind */
static uint32_t
vod_demux_raw(const uint8_t *p, uint64_t len)
{
    uint32_t         i, k, off, n, best, most;
    const uint32_t   sizes[] = { 188, 192, 204 };

    best = 188;
    most = 0;

    for (i = 0; i < 3; i++) {
        for (off = 0; off < sizes[i]; off++) {
            n = 0;

            for (k = off; k < len; k += sizes[i]) {
                n += (p[k] == 0x47);
            }

            /* of the same part of all: there are fewer of longer ones */

            n *= sizes[i];

            if (n > most) {
                most = n;
                best = sizes[i];
            }
        }
    }

    return best;
}


void
vod_demux_close(vod_demux_t *d)
{
    uint32_t  i;

    if (d == NULL) {
        return;
    }

    vod_demux_io_close(d);

    for (i = 0; i < VOD_DEMUX_STREAMS; i++) {
        free(d->tracks[i].config);
    }

    free(d->cues);
    free(d);
}


void
vod_demux_places(vod_demux_t *d)
{
    d->places = 1;
}


int64_t
vod_demux_duration(vod_demux_t *d)
{
    int64_t  duration;

    duration = d->ctx->duration;

    return (duration == AV_NOPTS_VALUE || duration < 0) ? 0 : duration;
}
