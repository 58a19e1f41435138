/*
 * What a segment of a demuxed track is made of: which packets are in it, and
 * their decoding times.
 */

#include <stdlib.h>

#include "demuxed.h"
#include "vod_payload_time.h"
#include "tap.h"


#define N  4096


static int64_t       scratch[N], dts[N];
static vod_sample_t  samples[N];


static void
windows(void)
{
    vod_window_t  w;

    vod_window_init(&w, VOD_AUDIO, 100, 200);
    is_int(vod_window_place(&w, 99, 1), VOD_WINDOW_BEFORE, "audio before");
    is_int(vod_window_place(&w, 100, 1), VOD_WINDOW_WITHIN, "audio at start");
    is_int(vod_window_place(&w, 199, 0), VOD_WINDOW_WITHIN,
           "audio goes by its time, sync or not");
    is_int(vod_window_place(&w, 200, 1), VOD_WINDOW_BEHIND, "audio at end");

    vod_window_init(&w, VOD_VIDEO, 100, 200);
    is_int(vod_window_place(&w, 150, 0), VOD_WINDOW_BEFORE,
           "video without a sync sample before it");
    is_int(vod_window_place(&w, 100, 1), VOD_WINDOW_WITHIN, "sync sample");
    is_int(vod_window_place(&w, 90, 0), VOD_WINDOW_WITHIN,
           "a leading picture stays with it");
    is_int(vod_window_place(&w, 210, 0), VOD_WINDOW_WITHIN,
           "one beyond the end, before the next sync sample");
    is_int(vod_window_place(&w, 200, 1), VOD_WINDOW_BEHIND, "the next one");
    is_int(vod_window_place(&w, 190, 0), VOD_WINDOW_BEHIND,
           "its leading picture");

    vod_window_init(&w, VOD_VIDEO, INT64_MIN, 200);
    is_int(vod_window_place(&w, 5, 0), VOD_WINDOW_WITHIN,
           "what comes before any sync sample is in the first segment");
    is_int(vod_window_place(&w, -7, 1), VOD_WINDOW_WITHIN, "before 0");

    vod_window_init(&w, VOD_AUDIO, 100, INT64_MAX);
    is_int(vod_window_place(&w, INT64_MAX, 1), VOD_WINDOW_WITHIN,
           "the last segment has no end");
}


static void
decode(const int64_t *pts, uint32_t n, int64_t delay, const int64_t *expected,
    const char *what)
{
    vod_payload_dts(pts, n, delay, scratch, dts);
    is_mem(dts, expected, n * sizeof(int64_t), "%s", what);
}


static void
groups(void)
{
    static const int64_t  plain[] = { 0, 40, 80, 120 };
    static const int64_t  ipbb[] = { 0, 120, 40, 80, 240, 160, 200 };
    static const int64_t  ipbb_dts[] = { 0, 40, 80, 120, 160, 200, 240 };
    static const int64_t  ipbb_short[] = { 0, 39, 40, 80, 159, 160, 200 };
    static const int64_t  open[] = { 400, 320, 360, 520, 440, 480 };
    static const int64_t  open_dts[] = { 320, 360, 400, 440, 480, 520 };
    static const int64_t  open_none[] = { 320, 320, 360, 439, 440, 480 };
    static const int64_t  twice[] = { 0, 40, 40, 40, 80 };
    static const int64_t  twice_dts[] = { 0, 38, 39, 40, 80 };
    static const int64_t  crowd[] = { 0, 1, 1, 1, 1 };
    static const int64_t  crowd_dts[] = { 0, 0, 0, 0, 1 };

    decode(plain, 4, 0, plain, "no reordering");
    decode(plain, 4, 80, plain, "a delay does not move them");
    decode(ipbb, 7, 40, ipbb_dts, "two B pictures");
    decode(ipbb, 7, 0, ipbb_short, "a delay that is too short");
    decode(open, 6, 80, open_dts, "leading pictures");
    decode(open, 6, 0, open_none, "leading pictures, no delay");
    decode(twice, 5, 40, twice_dts, "times that stand twice");
    decode(crowd, 5, 0, crowd_dts, "no tick is left");
    decode(plain + 2, 1, 40, plain + 2, "one picture");
}


/* what must hold of any times at all */
static void
any_times(void)
{
    int       start, order, offset;
    int64_t   pts[64], least;
    uint32_t  i, n, run;
    uint64_t  seed;
    int64_t   delay;

    seed = 20;
    start = 1;
    order = 1;
    offset = 1;

    for (run = 0; run < 20000; run++) {
        n = 1 + tap_rand(&seed) % 64;
        delay = (int64_t) (tap_rand(&seed) % 200);
        least = INT64_MAX;

        for (i = 0; i < n; i++) {
            pts[i] = (int64_t) (tap_rand(&seed) % 1000) - 100;
            least = pts[i] < least ? pts[i] : least;
        }

        vod_payload_dts(pts, n, delay, scratch, dts);

        start &= (dts[0] == least);

        for (i = 0; i < n; i++) {
            offset &= (pts[i] + delay >= dts[i]);
            order &= (i == 0 || dts[i] >= dts[i - 1]);
        }
    }

    ok(start, "20,000 groups: the first is decoded at the earliest time");
    ok(order, "... decoding times never go back");
    ok(offset, "... none is decoded after it is presented");
}


static void
durations(void)
{
    vod_err_t             err;
    static const int64_t  pts[] = { 0, 120, 40, 80 };
    static const int64_t  back[] = { 100, 90, 120 };
    static const int64_t  far[] = { 0, (int64_t) 1 << 33 };

    vod_payload_dts(pts, 4, 40, scratch, dts);

    is_int(vod_payload_durations(samples, pts, dts, 4, 40, 160, 7, &err),
           VOD_OK, "durations");
    is_int(samples[0].dur, 40, "of the first");
    is_int(samples[3].dur, 40, "of the last, up to the next segment");
    is_int(samples[0].cts, 40, "offset of the first");
    is_int(samples[1].cts, 120, "of the second");
    is_int(samples[2].cts, 0, "of the third");

    (void) vod_payload_durations(samples, pts, dts, 4, 40, INT64_MAX, 7,
                                 &err);
    is_int(samples[3].dur, 7, "of the last of all");

    (void) vod_payload_durations(samples, pts, dts, 4, 40, 100, 7, &err);
    is_int(samples[3].dur, 0, "where the next segment begins before it");

    is_int(vod_payload_durations(samples, back, back, 3, 0, 140, 7, &err),
           VOD_OK, "times that go back");
    is_int(samples[0].dur, 0, "... last 0");
    is_int(samples[1].dur, 30, "... and go on");

    is_int(vod_payload_durations(samples, far, far, 2, 0, INT64_MAX, 7,
                                 &err),
           VOD_DAMAGED, "a duration of more than 32 bits");
    ok(strstr(err.text, "8589934592"), "... is named: %s", err.text);
}


/* ---- files, by their Cues and by a scan: the samples are the same */

typedef struct {
    int64_t   pts;
    uint64_t  hash;
    uint32_t  size;
    uint32_t  key;
} packet_t;


static uint8_t   *file;
static packet_t  *packets[2][VOD_DEMUX_STREAMS];
static uint32_t   n_packets[2][VOD_DEMUX_STREAMS];


static int64_t
read_file(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    (void) data;
    (void) sys_err;

    if (offset >= dm_source.size) {
        return 0;
    }

    len = len < dm_source.size - offset ? len : dm_source.size - offset;
    memcpy(buf, file + offset, len);

    return (int64_t) len;
}


static int
load(const char *dir, const char *name)
{
    long   size;
    char   path[512];
    FILE  *f;

    (void) snprintf(path, sizeof(path), "%s/%s", dir, name);

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    (void) fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    free(file);
    file = malloc(size > 0 ? (size_t) size : 1);

    memset(&dm_source, 0, sizeof(dm_source));
    dm_source.read = read_file;
    dm_source.size = fread(file, 1, (size_t) size, f);

    fclose(f);

    return 1;
}


/* all samples of all segments; the first time that is wrong, or -1 */
static int
collect(int way, const char *name)
{
    uint32_t      i, k, n, number;
    uint64_t      dts;
    packet_t     *p;
    vod_sample_t *s;

    for (i = 0; i < dm_head()->n_tracks; i++) {
        n = 0;
        p = NULL;

        for (number = 1; number <= dm_times(i)->n_segments; number++) {

            if (dm_segment(i, number) != VOD_OK) {
                return ok(0, "%s: track %u, segment %u: %s", name, i + 1,
                          number, dm_err.text);
            }

            p = realloc(p, (n + dm_seg.n + 1) * sizeof(packet_t));
            dts = dm_seg.dts;

            for (k = 0; k < dm_seg.n; k++, n++) {
                s = &dm_seg.samples[k];
                p[n].pts = (int64_t) dts + s->cts
                           - (int64_t) dm_track(i)->media_time;
                p[n].hash = vod_hash64(0, dm_seg.payload + s->pos, s->size);
                p[n].size = s->size;
                p[n].key = (s->key != 0);
                dts += s->dur;
            }

            vod_av_segment_free(&dm_seg);
        }

        free(packets[way][i]);
        packets[way][i] = p;
        n_packets[way][i] = n;
    }

    return 1;
}


static void
both_ways(const char *dir, const char *name, int there)
{
    int64_t   first[VOD_DEMUX_STREAMS], end[VOD_DEMUX_STREAMS];
    uint32_t  i, k, n, tracks;

    if (!load(dir, name)) {
        ok(!there, "%s is not there%s", name, there ? "" : " # SKIP");
        return;
    }

    if (dm_av_index(UINT64_MAX) != VOD_OK || !dm_timeline(2000)) {
        ok(0, "%s, scanned: %s", name, dm_err.text);
        return;
    }

    if (!collect(0, name)) {
        return;
    }

    tracks = dm_head()->n_tracks;

    while (tracks && dm_track(tracks - 1)->kind == VOD_TEXT) {
        tracks--;
    }

    for (i = 0; i < tracks; i++) {
        first[i] = dm_track(i)->first_pts;
        end[i] = dm_track(i)->end_pts;
    }

    if (dm_av_index(1) != VOD_OK || !dm_timeline(2000)) {
        ok(0, "%s, by its Cues: %s", name, dm_err.text);
        return;
    }

    /* libavformat makes nothing of a single entry: it has one key frame */

    is_int((dm_track(0)->flags & VOD_TRACK_SPARSE) != 0,
           strstr(name, "webm.webm") == NULL, "%s: by its Cues", name);

    ok(dm_head()->n_tracks >= tracks, "%s: tracks", name);

    if (dm_head()->n_tracks < tracks
        || !collect(1, name))
    {
        return;
    }

    for (i = 0; i < tracks; i++) {

        /* what is shown is the same, its cuts are not: av_subs_test.c */

        if (dm_track(i)->kind == VOD_TEXT) {
            continue;
        }

        n = n_packets[0][i];
        n = n < n_packets[1][i] ? n : n_packets[1][i];

        for (k = 0; k < n; k++) {
            if (memcmp(&packets[0][i][k], &packets[1][i][k],
                       sizeof(packet_t)))
            {
                printf("# %u: pts %lld %lld size %u %u key %u %u\n", k,
                       (long long) packets[0][i][k].pts,
                       (long long) packets[1][i][k].pts,
                       packets[0][i][k].size, packets[1][i][k].size,
                       packets[0][i][k].key, packets[1][i][k].key);
                break;
            }
        }

        is_int(k, n, "%s: samples of track %u", name, i + 1);
        is_int(n_packets[1][i], n_packets[0][i], "%s: ... how many", name);

        ok(end[i] - dm_track(i)->end_pts <= 1
           && dm_track(i)->end_pts - end[i] <= 1, "%s: ... it ends at %lld,"
           " or %lld", name, (long long) dm_track(i)->end_pts,
           (long long) end[i]);
        is_int(dm_track(i)->first_pts, first[i], "%s: ... it begins", name);
    }
}


static void
fixtures(void)
{
    int          there;
    unsigned     i;
    const char  *dir;

    static const char  *names[] = {
        "matroska.mkv", "mkv-hevc.mkv", "mkv-av1.mkv", "mkv-laced.mkv",
        "mkv-laced-xiph.mkv", "mkv-groups.mkv", "mkv-negative.mkv",
        "mkv-no-durations.mkv", "mkv-stripped.mkv", "mkv-cues-front.mkv",
        "mkv-audio-short.mkv", "mkv-late.mkv", "webm.webm",
        "cues-front.mkv", "cues-hevc.mkv", "mkv-padded.mkv",
        "mkv-last-short.mkv", "cues-padded.mkv", "cues-last-short.mkv",
        "cues-flac.mkv"
    };

    static const char  *media[] = {
        "05_mkv_webm/bear-320x240-cues-in-front.webm",
        "05_mkv_webm/bear-320x240-vp9-opus.webm",
        "05_mkv_webm/bear-vp8-webvtt.webm",
        "05_mkv_webm/emptyvideoaudio.mkv",
        "05_mkv_webm/sample_with_multiple_key_frames.mkv",
        "12_multitrack_abr/matroska-test-w1-test5-short.mkv"
    };

    /* where there are fixtures at all, none of these is missing */

    dir = getenv("VOD_FIXTURES");
    there = dir && load(dir, "INDEX.tsv");

    for (i = 0; dir && i < sizeof(names) / sizeof(names[0]); i++) {
        both_ways(dir, names[i], there);
    }

    /* files that others made */

    dir = getenv("VOD_MEDIA");

    for (i = 0; dir && *dir && i < sizeof(media) / sizeof(media[0]); i++) {
        both_ways(dir, media[i], 0);
    }

    dm_limits.scan = 0;
}


/* how much of a last frame is heard */
static void
last_frames(void)
{
    is_int(vod_payload_last(21, 0, 0, 0), 21, "nothing is said");
    is_int(vod_payload_last(21, 21, 21, 0), 21, "a whole one");
    is_int(vod_payload_last(21, 16, 21, 0), 16, "a short one");
    is_int(vod_payload_last(21, 16, 0, 0), 16, "the only one that has it");
    is_int(vod_payload_last(21, 20, 21, 0), 21, "rounding");
    is_int(vod_payload_last(43, 21, 21, 0), 43, "a default that is wrong");
    is_int(vod_payload_last(21, 30, 43, 0), 21, "never longer");
    is_int(vod_payload_last(21, 0, 0, 8), 13, "padding");
    is_int(vod_payload_last(21, 21, 21, 8), 13, "... beside the duration");
    is_int(vod_payload_last(21, 13, 21, 8), 13, "... within the duration");
    is_int(vod_payload_last(21, 0, 0, 21), 21, "... which would leave nothing");
    is_int(vod_payload_last(1, 0, 0, UINT32_MAX), 1, "... nor by far");
}


int
main(void)
{
    vod_av_init();

    last_frames();
    windows();
    groups();
    any_times();
    durations();
    fixtures();

    dm_free();

    return done_testing();
}
