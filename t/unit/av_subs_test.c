/*
 * Tracks of text: what is a file of subtitles, which rows an index has of
 * them, and what a segment shows, by whichever way.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demuxed.h"
#include "vod_subs.h"


#define MAX_ROWS  4096


static uint8_t  *file;
static char      shown[65536];
static int64_t   origin;        /* ms, from which shown counts */


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


static void
set_file(const void *data, size_t len)
{
    free(file);
    file = malloc(len ? len : 1);
    memcpy(file, data, len);

    memset(&dm_source, 0, sizeof(dm_source));
    dm_source.read = read_file;
    dm_source.size = len;
}


static int
load(const char *name)
{
    int          found;
    long         size;
    char         path[512], *data;
    FILE        *f;
    const char  *dir;

    dir = getenv("VOD_FIXTURES");
    (void) snprintf(path, sizeof(path), "%s/%s", dir ? dir : "", name);

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    (void) fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    data = malloc((size_t) size + 1);
    found = fread(data, 1, (size_t) size, f) == (size_t) size;
    set_file(data, (size_t) size);

    free(data);
    fclose(f);

    return found;
}


/* "500-2000 text/next line; ..." of a WebVTT segment */
static void
cues_of(const char *vtt, size_t len)
{
    char    *copy, *line, *save, from[32], to[32];
    int      h, m, s, ms, first;
    size_t   n;
    int64_t  times[2];
    unsigned i;

    copy = malloc(len + 1);
    memcpy(copy, vtt, len);
    copy[len] = '\0';
    n = 0;
    first = 0;
    shown[0] = '\0';

    for (line = strtok_r(copy, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
    {
        if (sscanf(line, "%31s --> %31s", from, to) == 2) {

            for (i = 0; i < 2; i++) {
                (void) sscanf(i ? to : from, "%d:%d:%d.%d", &h, &m, &s, &ms);
                times[i] = ((h * 60 + m) * 60 + s) * 1000 + ms;
            }

            n += (size_t) snprintf(shown + n, sizeof(shown) - n, "%s%" PRId64
                                   "-%" PRId64, n ? "; " : "",
                                   times[0] - origin, times[1] - origin);
            first = 1;

        } else if (n) {
            n += (size_t) snprintf(shown + n, sizeof(shown) - n, "%s%s",
                                   first ? " " : "/", line);
            first = 0;
        }
    }

    free(copy);
}


/*
 * A segment from one time to another, ms, by the rows that are active in it;
 * the cues of it in shown.
 */
static int
segment(unsigned i, int64_t from, int64_t to, unsigned vtt)
{
    int                   rc;
    int64_t               time;
    uint32_t              k;
    vod_cell_t            cells[2];
    vod_cursor_t          cur;
    vod_sample_t          row;
    const vod_track_t    *t;
    vod_av_segment_in_t   in;
    static vod_sample_t   rows[MAX_ROWS];

    t = dm_track(i);

    memset(cells, 0, sizeof(cells));
    memset(&in, 0, sizeof(in));
    memset(&cur, 0, sizeof(cur));
    memset(&dm_seg, 0, sizeof(dm_seg));

    cells[0].start = from;
    cells[1].start = to;
    cur.dts = t->first_dts;

    in.container = dm_head()->container;
    in.track = t;
    in.entry = (const uint8_t *) dm_index + t->entry_off;
    in.cell = &cells[0];
    in.next = &cells[1];
    in.number = 1;
    in.n_segments = 1;
    in.rows = rows;
    in.vtt = vtt;

    for (k = 0; k < t->n_samples; k++) {
        cells[0].cursor = in.n_rows ? cells[0].cursor : cur;
        time = (int64_t) cur.dts;

        if (vod_row_read(&cur, (const uint8_t *) dm_index + t->rows_off, 0,
                         t->rows_len, &row) != VOD_OK)
        {
            return VOD_DAMAGED;
        }

        if (time < to && (int64_t) cur.dts > from && in.n_rows < MAX_ROWS) {
            rows[in.n_rows++] = row;
        }
    }

    rc = vod_av_segment(&dm_source, &dm_limits, &in, &dm_seg, &dm_err);
    dm_bytes = dm_source.bytes_read;

    if (rc == VOD_OK && vtt) {
        cues_of((char *) dm_seg.payload, dm_seg.len);
    }

    return rc;
}


static void
shows(unsigned i, int64_t from, int64_t to, const char *expected,
    const char *what)
{
    if (segment(i, from, to, 1) != VOD_OK) {
        ok(0, "%s: %s", what, dm_err.text);
        return;
    }

    is_str(shown, expected, "%s: %lld to %lld", what, (long long) from,
           (long long) to);
    vod_av_segment_free(&dm_seg);
}


/* samples of the segment follow each other and fill it, boxes the payload */
static void
fills(unsigned i, int64_t from, int64_t to, const char *what)
{
    int       good;
    uint32_t  k;
    uint64_t  at, dur;

    if (segment(i, from, to, 0) != VOD_OK) {
        ok(0, "%s: %s", what, dm_err.text);
        return;
    }

    at = 0;
    dur = 0;
    good = dm_seg.n > 0 && dm_seg.dts == (uint64_t) from;

    for (k = 0; k < dm_seg.n; k++) {
        good &= dm_seg.samples[k].pos == at && dm_seg.samples[k].dur > 0
                && dm_seg.samples[k].size >= 8;
        at += dm_seg.samples[k].size;
        dur += dm_seg.samples[k].dur;
    }

    ok(good && at == dm_seg.len && dur == (uint64_t) (to - from),
       "%s: %u samples fill %lld to %lld", what, dm_seg.n, (long long) from,
       (long long) to);

    vod_av_segment_free(&dm_seg);
}


static void
is_probed(const void *data, size_t len, const char *expected,
    const char *what)
{
    char        *copy;
    const char  *name;
    vod_err_t    err;

    copy = malloc(len ? len : 1);
    memcpy(copy, data, len);

    (void) vod_subs_probe((uint8_t *) copy, len, 1, &name, &err);
    is_str(name ? name : "none", expected, "%s", what);

    free(copy);
}

#define probed(data, expected, what)                                          \
    is_probed(data, sizeof(data) - 1, expected, what)


static void
probes(void)
{
    size_t   i;
    char     big[4096];
    uint64_t seed;

    static const char  srt[] = "1\r\n00:00:01,000 --> 00:00:02,000\r\nA\r\n";

    probed("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n", "webvtt", "WebVTT");
    probed("\xef\xbb\xbfWEBVTT", "webvtt", "WebVTT with a mark alone");
    probed("WEBVTTX\n", "none", "a word that begins like it");
    probed("1\r\n00:00:01,000 --> 00:00:02,000\r\nA\r\n", "srt", "SRT");
    probed("1\n00:00:01,000 --> 00:00:02,000\n\xe9t\xe9\n", "srt",
           "SRT in Latin-1");
    probed("[Script Info]\nTitle: x\n", "ass", "ASS");
    probed("", "none", "nothing");
    probed("This is a text, whatever it is called.\n", "none", "a text");
    probed("#EXTM3U\n#EXTINF:1,\n1 --> 2\n", "none", "a playlist");
    probed("ffconcat version 1.0\nfile clip.mp4\n", "none", "a list of files");

    /* UTF-16, with a mark that MP3 begins with too, and without */

    for (i = 0; i < sizeof(srt) - 1; i++) {
        big[2 + 2 * i] = srt[i];
        big[3 + 2 * i] = '\0';
    }

    big[0] = (char) 0xff;
    big[1] = (char) 0xfe;
    is_probed(big, 2 * sizeof(srt), "srt", "SRT in UTF-16");
    is_probed(big + 2, 2 * sizeof(srt) - 2, "srt", "... without a mark");

    /* a line of a subtitle among what is none of text */

    seed = 7;

    for (i = 0; i < sizeof(big); i++) {
        big[i] = (char) tap_rand(&seed);
    }

    memcpy(big, "1\n00:00:01,000 --> 00:00:02,000\nA\n\n", 35);
    is_probed(big, sizeof(big), "none", "bytes at random behind a cue");
    memset(big + 35, 0, sizeof(big) - 35);
    is_probed(big, sizeof(big), "none", "zeros behind a cue");
}


/* rows of packets, as "start+dur@pos ..." */
static void
is_rows(vod_subs_packet_t *p, uint32_t n, int64_t origin, const char *expected,
    const char *what)
{
    int                rc;
    char               got[512];
    size_t             len;
    int64_t            time;
    uint32_t           i;
    vod_err_t          err;
    vod_index_track_t  t;

    memset(&t, 0, sizeof(t));
    got[0] = '\0';
    len = 0;

    rc = vod_subs_rows(&t, p, n, 9999, origin, &err);
    time = (int64_t) t.track.first_dts;

    for (i = 0; rc == VOD_OK && i < t.n_samples; i++) {
        len += (size_t) snprintf(got + len, sizeof(got) - len, "%s%lld+%u@%lld",
                                 i ? " " : "", (long long) time,
                                 t.samples[i].dur,
                                 (long long) t.samples[i].pos);
        time += t.samples[i].dur;
    }

    is_str(rc == VOD_OK ? got : err.text, expected, "%s", what);
    free((void *) t.samples);
}

#define rows_of(expected, what, origin, ...)                                  \
    do {                                                                      \
        vod_subs_packet_t  packets_[] = { __VA_ARGS__ };                      \
        is_rows(packets_, sizeof(packets_) / sizeof(packets_[0]), origin,     \
                expected, what);                                              \
    } while (0)


static void
rows(void)
{
    rows_of("1000+1000@10 2000+1000@20", "one after the other", 0,
            { 1000, 2000, 10, 1 }, { 2000, 3000, 20, 1 });
    rows_of("1000+1000@10 2000+3000@9999 5000+500@20", "a gap", 0,
            { 1000, 2000, 10, 1 }, { 5000, 5500, 20, 1 });
    rows_of("1000+1000@10 2000+2000@10 4000+5000@10 9000+1000@40",
            "one over two others", 0, { 1000, 9000, 10, 1 },
            { 2000, 3000, 20, 1 }, { 4000, 6000, 30, 1 },
            { 9000, 10000, 40, 1 });
    rows_of("1000+2000@10 3000+100@30", "two at once", 0,
            { 1000, 2000, 10, 1 }, { 1000, 3000, 20, 1 },
            { 3000, 3100, 30, 1 });
    rows_of("0+30000@10 30000+70000@9999 100000+1@20", "a very long one", 0,
            { 0, 3600000, 10, 1 }, { 100000, 100001, 20, 1 });
    rows_of("0+30000@10 30000+1000@20", "... and one behind it", 0,
            { 0, 3600000, 10, 1 }, { 30000, 31000, 20, 1 });
    rows_of("0+500@20 500+1000@9999 1500+500@30", "before the begin", -1500,
            { 100, 1500, 10, 1 }, { 1000, 2000, 20, 1 },
            { 3000, 3500, 30, 1 });
    rows_of("1000+1000@10 2000+1000@10", "a place before that of an earlier",
            0, { 1000, 2000, 20, 1 }, { 2000, 3000, 10, 1 });
    rows_of("1000+1000@10 2000+1000@20", "out of order", 0,
            { 2000, 3000, 20, 1 }, { 1000, 2000, 10, 1 });
    rows_of("it shows nothing", "all before the begin", -5000,
            { 1000, 2000, 10, 1 });
    rows_of("it shows nothing for 4294967296 s, remux the file",
            "too long a gap", 0, { 0, 1000, 10, 1 },
            { 4294967297000, 4294967298000, 20, 1 });
}


/* of samples in a track's own ticks, as "start+dur ..." */
static void
is_mp4_rows(const uint32_t *durs, uint32_t n, uint32_t timescale,
    uint64_t first, uint64_t media_time, const char *expected,
    const char *what)
{
    int                rc;
    char               got[256];
    size_t             len;
    uint32_t           i;
    uint64_t           time;
    vod_err_t          err;
    vod_sample_t       s[16];
    vod_index_track_t  t;

    memset(&t, 0, sizeof(t));
    memset(s, 0, sizeof(s));

    for (i = 0; i < n; i++) {
        s[i].dur = durs[i];
        s[i].pos = i;
    }

    t.samples = s;
    t.n_samples = n;
    t.track.first_dts = first;
    t.track.media_time = media_time;

    rc = vod_subs_mp4_rows(&t, timescale, &err);
    time = t.track.first_dts;
    got[0] = '\0';
    len = 0;

    for (i = 0; rc == VOD_OK && i < t.n_samples; i++) {
        len += (size_t) snprintf(got + len, sizeof(got) - len, "%s%u:%u+%u",
                                 i ? " " : "", (unsigned) s[i].pos,
                                 (unsigned) time, s[i].dur);
        time += s[i].dur;
    }

    is_str(rc == VOD_OK ? got : err.text, expected, "%s", what);
}


static void
mp4_rows(void)
{
    static const uint32_t  ms[] = { 500, 1500 };
    static const uint32_t  thirds[] = { 1, 1, 1, 3 };
    static const uint32_t  fine[] = { 90000, 10, 10, 90000, 0 };

    is_mp4_rows(ms, 2, 1000, 0, 0, "0:0+500 1:500+1500", "milliseconds");
    is_mp4_rows(ms, 2, 1000, 250, 0, "0:250+500 1:750+1500", "an empty edit");
    is_mp4_rows(ms, 2, 1000, 0, 300, "0:0+200 1:200+1500", "an edit inside");
    is_mp4_rows(ms, 2, 1000, 0, 500, "1:0+1500", "... at a sample's end");
    is_mp4_rows(ms, 2, 1000, 0, 5000, "it shows nothing", "... behind all");
    is_mp4_rows(thirds, 4, 3, 0, 0, "0:0+333 1:333+334 2:667+333 3:1000+1000",
                "thirds of a second add up");
    is_mp4_rows(fine, 5, 90000, 0, 0, "0:0+1000 3:1000+1000",
                "less than a millisecond goes");
}


/* ---- files */

/* what a file of subtitles shows at its begin, in the middle, over a cut */
static void
is_film(const char *name, const char *container, const char *begin,
    const char *middle, const char *cut)
{
    if (!load(name)) {
        ok(getenv("VOD_FIXTURES") == NULL, "%s is there", name);
        return;
    }

    if (dm_av_index(0) != VOD_OK) {
        ok(0, "%s: %s", name, dm_err.text);
        return;
    }

    is_str(dm_head()->container, container, "%s: what it is", name);
    is_int(dm_head()->n_tracks, 1, "%s: one track", name);
    is_int(dm_track(0)->kind, VOD_TEXT, "%s: of text", name);
    is_int(dm_track(0)->n_samples, 1, "%s: one row", name);
    is_int(dm_track(0)->timescale, 1000, "%s: in milliseconds", name);
    is_str(dm_track(0)->codec, "wvtt", "%s: codec", name);

    shows(0, 0, 2500, begin, name);
    shows(0, 10000, 11000, middle, name);
    shows(0, 18000, 24000, cut, name);
    shows(0, 90000, 96000, "", name);
    is_int(dm_bytes, 0, "%s: behind its end nothing is read", name);

    fills(0, 0, 6000, name);
    fills(0, 6000, 12000, name);
    fills(0, 90000, 96000, name);
}


static void
files(void)
{
    is_film("film.en.vtt", "webvtt", "500-2000 The first <i>cue</i>",
            "3000-23000 <v Anna>Twenty seconds</v>",
            "3000-23000 <v Anna>Twenty seconds</v>/five; 17999-18001 Over a"
            " cut");
    is_film("film.en.sdh.srt", "srt", "500-2000 The first <i>cue</i>",
            "3000-23000 Twenty seconds",
            "3000-23000 Twenty seconds; 17999-18001 Over a cut");
    is_film("film.fr.forced.srt", "srt", "", "", "20000-21000 Sortie");
    is_film("film.de.ass", "ass", "500-2000 Der <i>erste</i> Text",
            "3000-23000 Zwanzig Sekunden",
            "3000-23000 Zwanzig Sekunden; 17990-18010 <b>\xc3\x9c""ber</b>"
            " den Schnitt");

    if (load("film.fr.forced.srt") && dm_av_index(0) == VOD_OK) {
        shows(0, 0, 6000, "4000-6500 D\xc3\xa9""fense d'entrer", "Latin-1");
    }
}


/* files that are damaged, too large, or changed since they were indexed */
static void
odd_files(void)
{
    int          i;
    char        *big;
    size_t       n;
    const char  *text;

    text = "1\n00:00:01,000 --> 00:00:02,000\nA\n\n"
           "2\n00:00:05,000 --> 00:00:04,000\nB\n\n"
           "3\n00:00:06,000 --> 00:00:07,000\nC\n";
    set_file(text, strlen(text));

    is_int(dm_av_index(0), VOD_OK, "a cue that ends before it begins");
    ok(strstr((char *) dm_index + dm_head()->notes_off,
              "1 of its cues have no times") != NULL, "... a note says so");
    shows(0, 0, 10000, "1000-2000 A; 6000-7000 C", "... without it");

    /* the file is another one when its segment is asked for */

    set_file("WEBVTT\n\n00:01.000 --> 00:02.000\nA\n", 34);
    is_int(segment(0, 0, 6000, 1), VOD_DAMAGED, "another kind of text");
    ok(strstr(dm_err.text, "has changed") != NULL, "... said: %s", dm_err.text);

    /* many cues at once: as WebVTT they are many, as samples too many */

    big = malloc(VOD_SUBS_FILE + 1);
    memset(big, '\n', VOD_SUBS_FILE + 1);
    n = (size_t) sprintf(big, "WEBVTT\n\n");

    for (i = 0; i < 1000; i++) {
        n += (size_t) sprintf(big + n, "00:00.%03d --> 00:02.000\nA\n\n", i);
    }

    set_file(big, n);
    dm_limits.max_segment = 1 << 20;
    is_int(dm_av_index(0), VOD_OK, "1,000 cues at once");
    is_int(segment(0, 0, 6000, 1), VOD_OK, "... are a segment of WebVTT");
    vod_av_segment_free(&dm_seg);
    is_int(segment(0, 0, 6000, 0), VOD_LIMIT, "... more than samples may have");
    dm_limits.max_segment = 0;

    set_file(big, VOD_SUBS_FILE + 1);
    is_int(dm_av_index(0), VOD_LIMIT, "too large");
    ok(strstr(dm_err.text, "16777216") != NULL, "... said: %s", dm_err.text);

    free(big);
}


/* ---- containers */

static void
mp4(void)
{
    if (!load("subs.mp4") || dm_av_index(0) != VOD_OK) {
        ok(getenv("VOD_FIXTURES") == NULL, "subs.mp4: %s", dm_err.text);
        return;
    }

    is_int(dm_head()->n_tracks, 4, "subs.mp4: tracks");
    is_str(dm_track(2)->lang, "en", "subs.mp4: language");
    is_str(dm_track(3)->lang, "fr", "subs.mp4: the other one");
    is_int(dm_track(2)->roles & VOD_ROLE_FORCED, 0, "subs.mp4: not forced");
    is_int(dm_track(3)->roles & VOD_ROLE_FORCED, VOD_ROLE_FORCED,
           "subs.mp4: forced");

    shows(2, 0, 6000, "500-2000 The first <i>cue</i>; 3000-5250 Fish &amp;"
          " chips &lt; 5/- Two lines; 5250-19000 From one to the next",
          "subs.mp4");
    shows(2, 6000, 12000, "5250-19000 From one to the next", "subs.mp4");
    ok(dm_bytes < 100, "subs.mp4: its own bytes are read, %llu",
       (unsigned long long) dm_bytes);
    shows(2, 19000, 24000, "", "subs.mp4");
    shows(2, 24000, 30000, "26100-28300 <b>Bold</b>, na\xc3\xafve \xe2\x80\x93"
          " \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "subs.mp4");
    shows(3, 0, 6000, "4000-6500 D\xc3\xa9""fense d\xe2\x80\x99""entrer",
          "subs.mp4");
    fills(2, 0, 6000, "subs.mp4");
    fills(2, 19000, 24000, "subs.mp4");
}


/* by whichever way a file is read, it shows the same */
static void
matroska(const char *name)
{
    int       k;
    unsigned  i, way;

    static const char *const  expected[3][4] = {
        { "521-2021 The first <i>cue</i>; 3021-23021 Twenty seconds;"
          " 5271-7771 Fish &amp; chips &lt; 5/- Two lines",
          "3021-23021 Twenty seconds; 12021-18021 From one cut to another",
          "3021-23021 Twenty seconds",
          "26121-28321 <b>Bold</b>, <u>under</u>; 29021-35021 Longer than the"
          " film" },
        { "521-2021 Der <i>erste</i> Text; 3021-23021 Zwanzig Sekunden;"
          " 5271-7771 Fisch, &amp; &lt; Pommes/- Zwei",
          "3021-23021 Zwanzig Sekunden", "3021-23021 Zwanzig Sekunden", "" },
        { "521-2021 The first <i>cue</i>; 3021-23021 <v Anna>Twenty"
          " seconds</v>; 5271-7771 <c.loud>Fish &amp; chips &lt; 5</c>/- Two"
          " lines", "3021-23021 <v Anna>Twenty seconds</v>; 12021-18021 From"
          " one cut to another", "3021-23021 <v Anna>Twenty seconds</v>",
          "26121-28321 <b>Bold</b>, <u>under</u>; 29021-35021 Longer than the"
          " film" }
    };

    static const int64_t  from[4] = { 0, 12000, 22000, 26000 };
    static const int64_t  to[4] = { 6000, 14000, 24000, 30000 };

    if (!load(name)) {
        ok(getenv("VOD_FIXTURES") == NULL, "%s is there", name);
        return;
    }

    for (way = 0; way < 2; way++) {

        if (dm_av_index(way ? 1 : UINT64_MAX) != VOD_OK) {
            ok(0, "%s: %s", name, dm_err.text);
            return;
        }

        is_int(dm_track(0)->flags & VOD_TRACK_SPARSE,
               way ? VOD_TRACK_SPARSE : 0, "%s: %s", name,
               way ? "by its Cues" : "scanned");
        is_int(dm_head()->n_tracks, 5, "%s: tracks", name);
        is_str(dm_track(3)->lang, "de", "%s: language", name);
        is_int(dm_track(4)->roles, VOD_ROLE_HEARING, "%s: role", name);

        /* new muxers keep the time of sound before 0, old ones do not */

        origin = dm_track(1)->first_pts;

        is_int(dm_track(0)->first_pts, origin + 21,
               "%s: text moves no begin of pictures", name);
        ok(origin == 0 || origin == -21, "%s: nor of sound", name);

        for (i = 0; i < 3; i++) {
            for (k = 0; k < 4; k++) {
                shows(2 + i, from[k], to[k], expected[i][k], name);
            }

            fills(2 + i, 0, 6000, name);
            fills(2 + i, 24000, 26000, name);
        }
    }

    dm_limits.scan = 0;
    origin = 0;
}


int
main(void)
{
    vod_av_init();

    probes();
    rows();
    mp4_rows();
    files();
    odd_files();
    mp4();
    matroska("subs.mkv");
    matroska("cues-subs.mkv");

    dm_free();
    free(file);

    return done_testing();
}
