#include <stdlib.h>
#include <string.h>

#include <libavformat/avformat.h>
#include <libavutil/log.h>

#include "vod_lavf.h"


#if (LIBAVFORMAT_VERSION_INT < AV_VERSION_INT(59, 27, 100))
#error libavformat 59.27 (FFmpeg 5.1) or later is needed
#endif


#define VOD_LAVF_MAX_ALLOC  ((size_t) 1 << 30)


typedef struct {
    const char  *name;          /* first of libavformat's names */
    const char  *found;
    int          text;          /* a list of other files */
} vod_lavf_format_t;


static int vod_lavf_is_playlist(const uint8_t *head, uint64_t len);
static int vod_lavf_text(vod_err_t *err, const char *found);
static const char *vod_lavf_found(const char *name, int *text);
static void vod_lavf_log(void *avcl, int level, const char *fmt, va_list args);


static const vod_lavf_format_t  vod_lavf_formats[] = {
    { "mpeg", "MPEG program streams are", 0 },
    { "avi", "AVI files are", 0 },
    { "asf", "ASF / WMV files are", 0 },
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
vod_lavf_guess(const uint8_t *head, uint64_t len, const char **name,
    vod_err_t *err)
{
    int                   score;
    uint8_t              *buf;
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

    *name = (fmt && score > AVPROBE_SCORE_RETRY) ? fmt->name : NULL;

    return VOD_OK;
}


int
vod_lavf_probe(const uint8_t *head, uint64_t len, vod_err_t *err)
{
    int          text;
    const char  *name, *found;

    if (vod_lavf_guess(head, len, &name, err) != VOD_OK) {
        return VOD_NOMEM;
    }

    if (vod_lavf_is_playlist(head, len)) {
        return vod_lavf_text(err, "an HLS playlist");
    }

    if (name == NULL) {
        return vod_fail(err, VOD_DAMAGED, "it is not a media file, or its"
                        " beginning is lost: put a sound media file there");
    }

    if (strncmp(name, "mov,", 4) == 0) {
        return VOD_OK;
    }

    found = vod_lavf_found(name, &text);

    if (text) {
        return vod_lavf_text(err, found);
    }

    return vod_fail(err, VOD_UNSUPPORTED, "%s not packaged yet, remux it to"
                    " MP4 (ffmpeg -i FILE -c copy FILE.mp4)", found);
}


/*
 * A playlist begins with this line (RFC 8216, 4.3.1.1); libavformat 61 and
 * newer no longer takes one for a playlist without a file name that says so.
 */
static int
vod_lavf_is_playlist(const uint8_t *head, uint64_t len)
{
    static const char  line[] = "#EXTM3U";

    return len >= sizeof(line) - 1
           && memcmp(head, line, sizeof(line) - 1) == 0;
}


static int
vod_lavf_text(vod_err_t *err, const char *found)
{
    return vod_fail(err, VOD_UNSUPPORTED, "%s is no media file, name the"
                    " media file itself", found);
}


static const char *
vod_lavf_found(const char *name, int *text)
{
    size_t                    n;
    const vod_lavf_format_t  *f;

    *text = 0;
    n = strcspn(name, ",");

    for (f = vod_lavf_formats; f->name; f++) {
        if (strlen(f->name) == n && memcmp(f->name, name, n) == 0) {
            *text = f->text;
            return f->found;
        }
    }

    return "files of its kind are";
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
