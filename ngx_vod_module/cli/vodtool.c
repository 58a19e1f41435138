/*
 * vodtool: what the server would answer for a media file, without a server.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vodtool.h"


/* asked for: no exit status */
#define VODTOOL_HELP  (-1)


typedef struct {
    const char  *name;
    int          args;
    int        (*run)(vodtool_t *vt);
} vodtool_command_t;


static int vodtool_options(vodtool_t *vt, int argc, char **argv);
static int vodtool_edge(vodtool_t *vt, int c);
static int vodtool_run(vodtool_t *vt);
static int vodtool_open(vodtool_t *vt);
static int vodtool_timeline(vodtool_t *vt);
static int vodtool_master(vodtool_t *vt);
static int vodtool_manifest(vodtool_t *vt);
static int vodtool_media(vodtool_t *vt);
static int vodtool_iframes(vodtool_t *vt);
static int vodtool_text(vodtool_t *vt, unsigned what);
static int vodtool_init(vodtool_t *vt);


static const vodtool_command_t  vodtool_commands[] = {
    { "index", 1, vodtool_dump },
    { "master", 1, vodtool_master },
    { "manifest", 1, vodtool_manifest },
    { "media", 2, vodtool_media },
    { "iframes", 2, vodtool_iframes },
    { "init", 2, vodtool_init },
    { "segment", 3, vodtool_segment },
    { "vtt", 3, vodtool_vtt },
    { NULL, 0, NULL }
};


static const char  vodtool_usage[] =
"usage: vodtool -h\n"
"       vodtool [OPTIONS] [-v] index FILE\n"
"       vodtool [OPTIONS] master FILE\n"
"       vodtool [OPTIONS] manifest FILE\n"
"       vodtool [OPTIONS] media FILE TRACK\n"
"       vodtool [OPTIONS] iframes FILE TRACK\n"
"       vodtool [OPTIONS] init FILE TRACK\n"
"       vodtool [OPTIONS] segment FILE TRACK NUMBER\n"
"       vodtool [OPTIONS] vtt FILE TRACK NUMBER\n"
"       vodtool [OPTIONS] check FILE...\n"
"\n"
"Writes to standard output what the server answers for FILE: the multivariant\n"
"playlist, the MPD, a track's media playlist, I-frame playlist, header or\n"
"segment, a segment of text as WebVTT; index prints what is known of the file\n"
"(-v: every sample).  TRACK is v1, a1, s1, ...\n"
"\n"
"  -d SECONDS  segment duration, vod_segment_duration's 6 by default\n"
"  -f SECONDS  a clip from here, as with ?from=\n"
"  -t SECONDS  up to here, as with ?to=\n"
"  -g FILE     cut as one of several files of which FILE is the reference\n"
"\n"
"check says whether files play, and why not; its exit status is 0 where all\n"
"play exactly, 1 where something of one is left out or was repaired, 2 where\n"
"one cannot be served.\n"
"\n"
"Exit status: 0 done, 1 the file cannot be served, 2 usage, 3 no such track\n"
"or segment.\n";


int
main(int argc, char **argv)
{
    int        status;
    vodtool_t  vt;

    memset(&vt, 0, sizeof(vodtool_t));
    vt.target = 6000;
    vt.to = INT64_MAX;
    vt.fd = -1;

    status = vodtool_options(&vt, argc, argv);

    if (status == VODTOOL_OK && vt.n_paths) {
        status = vodtool_check(&vt);

    } else if (status == VODTOOL_OK) {
        status = vodtool_run(&vt);

    } else if (status == VODTOOL_HELP) {
        fputs(vodtool_usage, stdout);
        status = VODTOOL_OK;

    } else {
        fputs(vodtool_usage, stderr);
    }

    if (vt.n_paths == 0
        && (status == VODTOOL_FAILED || status == VODTOOL_NOT_FOUND))
    {
        fprintf(stderr, "vodtool: \"%s\": %s\n", vt.path, vt.err.text);
    }

    if (fflush(stdout) != 0 && status == VODTOOL_OK) {
        fprintf(stderr, "vodtool: standard output: %s\n", strerror(errno));
        status = VODTOOL_FAILED;
    }

    vodtool_close(&vt);

    return status;
}


static int
vodtool_options(vodtool_t *vt, int argc, char **argv)
{
    int                       c;
    char                     *end;
    double                    seconds;
    const vodtool_command_t  *cmd;

    while ((c = getopt(argc, argv, "d:f:g:hvt:")) != -1) {

        switch (c) {

        case 'd':
            seconds = strtod(optarg, &end);

            if (end == optarg || *end || !(seconds >= 1 && seconds <= 60)) {
                fputs("vodtool: -d takes 1 to 60 seconds\n", stderr);
                return VODTOOL_USAGE;
            }

            vt->target = (uint32_t) (seconds * 1000 + 0.5);
            break;

        case 'f':
        case 't':
            if (vodtool_edge(vt, c) != VODTOOL_OK) {
                return VODTOOL_USAGE;
            }

            break;

        case 'g':
            vt->grid = optarg;
            break;

        case 'h':
            return VODTOOL_HELP;

        case 'v':
            vt->verbose = 1;
            break;

        default:
            return VODTOOL_USAGE;
        }
    }

    if (argc - optind < 2) {
        return VODTOOL_USAGE;
    }

    vt->path = argv[optind + 1];

    if (strcmp(argv[optind], "check") == 0) {
        vt->paths = &argv[optind + 1];
        vt->n_paths = argc - optind - 1;
        return VODTOOL_OK;
    }

    for (cmd = vodtool_commands; cmd->name; cmd++) {
        if (strcmp(cmd->name, argv[optind]) == 0) {
            break;
        }
    }

    if (cmd->name == NULL || argc - optind - 1 != cmd->args) {
        return VODTOOL_USAGE;
    }

    vt->run = cmd->run;
    vt->track = (cmd->args > 1) ? argv[optind + 2] : NULL;

    if (cmd->args > 2) {
        vt->number = strtoull(argv[optind + 3], &end, 10);

        if (*end || argv[optind + 3][0] < '0' || argv[optind + 3][0] > '9') {
            return VODTOOL_USAGE;
        }
    }

    return VODTOOL_OK;
}


/* an edge of a clip, microseconds */
static int
vodtool_edge(vodtool_t *vt, int c)
{
    char    *end;
    double   seconds;

    seconds = strtod(optarg, &end);

    if (end == optarg || *end || !(seconds >= 0 && seconds <= 1e9)) {
        fprintf(stderr, "vodtool: -%c takes seconds\n", c);
        return VODTOOL_USAGE;
    }

    if (c == 'f') {
        vt->from = (int64_t) (seconds * 1e6 + 0.5);

    } else {
        vt->to = (int64_t) (seconds * 1e6 + 0.5);
    }

    return VODTOOL_OK;
}


static int
vodtool_run(vodtool_t *vt)
{
    int  rc;

    rc = vodtool_load(vt);

    if (rc == VODTOOL_OK
        && (vt->run == vodtool_master || vt->run == vodtool_manifest))
    {
        rc = vodtool_played(vt);
    }

    return (rc == VODTOOL_OK) ? vt->run(vt) : rc;
}


/* text is a part of an asset, and nothing by itself */
int
vodtool_played(vodtool_t *vt)
{
    unsigned            i;
    const vod_index_t  *index;

    index = vt->index;

    for (i = 0; i < index->n_tracks; i++) {
        if (vod_index_tracks(index)[i].kind != VOD_TEXT) {
            return VODTOOL_OK;
        }
    }

    (void) vod_fail(&vt->err, VOD_UNSUPPORTED, "it holds text alone, put the"
                    " film's pictures or sound beside it");

    return VODTOOL_FAILED;
}


int
vodtool_load(vodtool_t *vt)
{
    int       rc;
    uint64_t  len;

    rc = vodtool_open(vt);
    if (rc != VODTOOL_OK) {
        return rc;
    }

    vod_av_init();

    if (vod_av_index(&vt->source, NULL, &vt->index, &len, &vt->err)
        != VOD_OK
        || vodtool_timeline(vt) != VOD_OK)
    {
        return VODTOOL_FAILED;
    }

    return VODTOOL_OK;
}


void
vodtool_close(vodtool_t *vt)
{
    free(vt->index);
    free(vt->timeline);

    vt->index = NULL;
    vt->timeline = NULL;

    if (vt->fd != -1) {
        (void) close(vt->fd);
        vt->fd = -1;
    }
}


static int
vodtool_open(vodtool_t *vt)
{
    vt->fd = open(vt->path, O_RDONLY);

    if (vt->fd == -1 || fstat(vt->fd, &vt->st) == -1) {
        (void) vod_fail(&vt->err, VOD_IO, "%s", strerror(errno));
        return VODTOOL_FAILED;
    }

    if (!S_ISREG(vt->st.st_mode)) {
        (void) vod_fail(&vt->err, VOD_IO, "is not a regular file");
        return VODTOOL_FAILED;
    }

    vt->source.read = vodtool_read;
    vt->source.data = vt;
    vt->source.size = (uint64_t) vt->st.st_size;

    return VODTOOL_OK;
}


int64_t
vodtool_read(void *data, void *buf, uint64_t len, uint64_t offset,
    int *sys_err)
{
    ssize_t     n;
    uint64_t    done;
    vodtool_t  *vt = data;

    for (done = 0; done < len; done += (uint64_t) n) {
        n = pread(vt->fd, (char *) buf + done, len - done,
                  (off_t) (offset + done));

        if (n == -1) {
            if (errno == EINTR) {
                n = 0;
                continue;
            }

            *sys_err = errno;
            return -1;
        }

        if (n == 0) {
            break;
        }
    }

    return (int64_t) done;
}


static int
vodtool_timeline(vodtool_t *vt)
{
    int                rc;
    uint64_t           room;
    vodtool_t          reference;
    vod_timeline_in_t  in;

    memset(&reference, 0, sizeof(vodtool_t));
    reference.fd = -1;
    rc = VOD_OK;

    if (vt->grid) {
        reference.path = vt->grid;
        reference.target = vt->target;
        reference.from = vt->from;
        reference.to = vt->to;

        if (vodtool_load(&reference) != VODTOOL_OK) {
            rc = vod_fail(&vt->err, reference.err.code, "\"%s\": %s",
                          vt->grid, reference.err.text);
            goto done;
        }
    }

    in.target = vt->target;
    in.file_size = vt->source.size;
    in.mtime_sec = vt->st.st_mtim.tv_sec;
    in.mtime_nsec = (uint32_t) vt->st.st_mtim.tv_nsec;
    in.grid = reference.timeline;
    in.from = vt->from;
    in.to = vt->to;

    room = vod_timeline_bound(vt->index, &in);

    vt->timeline = malloc(room);

    if (vt->timeline == NULL) {
        rc = vod_fail(&vt->err, VOD_NOMEM, "no memory for a timeline");

    } else if (vod_timeline_build(vt->index, &in, vt->timeline, room, &vt->err)
               == 0)
    {
        rc = vt->err.code;
    }

done:

    vodtool_close(&reference);

    return rc;
}


int
vodtool_track(vodtool_t *vt, const char *name)
{
    char                *end;
    int                  ordinal;
    unsigned             kind;
    unsigned long        number;
    const vod_index_t   *index;

    kind = (name[0] == 'v') ? VOD_VIDEO : (name[0] == 'a') ? VOD_AUDIO
           : (name[0] == 's') ? VOD_TEXT : 0;

    ordinal = -1;
    index = vt->index;

    if (kind && name[1] >= '1' && name[1] <= '9') {
        number = strtoul(name + 1, &end, 10);

        if (*end == '\0' && number <= index->n_tracks) {
            ordinal = vod_index_find(vod_index_tracks(index),
                                     index->n_tracks, kind,
                                     (unsigned) number);
        }
    }

    if (ordinal == -1) {
        (void) vod_fail(&vt->err, VOD_NOT_FOUND, "has no track %s", name);
    }

    return ordinal;
}


static int
vodtool_master(vodtool_t *vt)
{
    return vodtool_text(vt, VOD_URI_MASTER);
}


static int
vodtool_manifest(vodtool_t *vt)
{
    return vodtool_text(vt, VOD_URI_MANIFEST);
}


static int
vodtool_media(vodtool_t *vt)
{
    return vodtool_text(vt, VOD_URI_MEDIA);
}


static int
vodtool_iframes(vodtool_t *vt)
{
    return vodtool_text(vt, VOD_URI_IFRAMES);
}


static int
vodtool_text(vodtool_t *vt, unsigned what)
{
    int       ordinal, pass, status;
    void     *buf;
    vod_wr_t  wr;

    ordinal = 0;

    if (what == VOD_URI_MEDIA || what == VOD_URI_IFRAMES) {
        ordinal = vodtool_track(vt, vt->track);
        if (ordinal == -1) {
            return VODTOOL_NOT_FOUND;
        }
    }

    if (what == VOD_URI_IFRAMES
        && vod_timeline_tracks(vt->timeline)[ordinal].key_duration == 0)
    {
        (void) vod_fail(&vt->err, VOD_NOT_FOUND, "has no I-frame playlist of "
                        "%s: it is made of video of which every segment, but "
                        "not every sample, begins with a key frame",
                        vt->track);
        return VODTOOL_NOT_FOUND;
    }

    buf = NULL;
    wr.len = 0;

    for (pass = 0; pass < 2; pass++) {

        if (pass) {
            buf = malloc(wr.len ? wr.len : 1);
            if (buf == NULL) {
                (void) vod_fail(&vt->err, VOD_NOMEM, "no memory");
                return VODTOOL_FAILED;
            }
        }

        vod_wr_init(&wr, buf, wr.len);

        switch (what) {

        case VOD_URI_MASTER:
            vod_hls_master(&wr, vt->index, vt->timeline, NULL);
            break;

        case VOD_URI_MANIFEST:
            vod_dash_mpd(&wr, vt->index, vt->timeline, NULL);
            break;

        case VOD_URI_IFRAMES:
            vod_hls_iframes(&wr, vt->index, vt->timeline, (unsigned) ordinal,
                            NULL);
            break;

        default:
            vod_hls_media(&wr, vt->index, vt->timeline, (unsigned) ordinal,
                          NULL);
        }
    }

    status = vodtool_put(vt, buf, wr.len);
    free(buf);

    return status;
}


static int
vodtool_init(vodtool_t *vt)
{
    int                 ordinal, status;
    char               *name;
    void               *buf;
    vod_wr_t            wr;
    const uint8_t      *base;
    const vod_track_t  *track;

    ordinal = vodtool_track(vt, vt->track);
    if (ordinal == -1) {
        return VODTOOL_NOT_FOUND;
    }

    base = vt->index;
    track = vod_index_tracks(base) + ordinal;

    name = calloc(1, track->name_len + 1);
    if (name == NULL) {
        (void) vod_fail(&vt->err, VOD_NOMEM, "no memory");
        return VODTOOL_FAILED;
    }

    memcpy(name, base + track->name_off, track->name_len);

    vod_wr_init(&wr, NULL, 0);
    vod_box_init(&wr, track, base + track->entry_off, name);

    status = VODTOOL_FAILED;
    buf = malloc(wr.len);

    if (buf) {
        vod_wr_init(&wr, buf, wr.len);
        vod_box_init(&wr, track, base + track->entry_off, name);
        status = vodtool_put(vt, buf, wr.len);

    } else {
        (void) vod_fail(&vt->err, VOD_NOMEM, "no memory");
    }

    free(name);
    free(buf);

    return status;
}


int
vodtool_put(vodtool_t *vt, const void *data, uint64_t len)
{
    if (len && fwrite(data, 1, len, stdout) != len) {
        (void) vod_fail(&vt->err, VOD_IO, "standard output: %s",
                        strerror(errno));
        return VODTOOL_FAILED;
    }

    return VODTOOL_OK;
}
