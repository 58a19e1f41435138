/*
 * The index of Matroska files by their Cues, and what segments then hold:
 * files made byte by byte, up to 20 GB of holes.
 */

#include "vod_av.h"
#include "demuxed.h"
#include "entries.h"
#include "matroska.h"


#define AVCC      (entry_avc + 94)      /* its configuration record */
#define AVCC_LEN  45


static const uint8_t  aac[] = { 0x11, 0x90 };           /* LC, 48 kHz, 2 */


/* what a film is made of */
typedef struct {
    uint32_t  seconds;
    uint32_t  gop;              /* frames; 25 a second */
    uint64_t  frame;            /* bytes */
    int       reorder;          /* P B B in decoding order I P B B */
    uint64_t  start;            /* ms: all times are later */
    uint32_t  audio_from;       /* ms */
    uint32_t  audio_until;      /* ms; 0 = to the end */
    int       no_cues;
    int       still_open;       /* the groups: two pictures lead */
    uint32_t  pause_from, pause_until;      /* audio has none, ms */
    uint64_t  fill;             /* of nothing behind each cluster, bytes */
    uint32_t  priming;          /* of audio, ms; its times begin earlier */
    uint32_t  late;             /* audio is muxed so much later, ms */
} film_t;


static const film_t  plain = { .seconds = 60, .gop = 50, .frame = 1000 };


static uint32_t  film_n[3];     /* packets of each track */
static int       film_open;     /* mk_end() is left to who asks */


/* the presentation order of frame i of a group, in decoding order */
static uint32_t
film_order(const film_t *f, uint32_t i, uint32_t n)
{
    uint32_t  k;

    if (!f->reorder || i == 0) {
        return i;
    }

    k = (i - 1) / 3 * 3;

    if (k + 3 >= n) {
        return i;
    }

    return (i - 1) % 3 == 0 ? k + 3 : k + (i - 1) % 3;
}


/*
 * 25 frames of video a second, and AAC of 48 kHz, a cluster for each group
 * of pictures.  Frames hold their number, so that they are known again.
 */
static void
film(const film_t *f)
{
    int64_t        time;
    uint8_t        data[16];
    uint32_t       i, n, frames, from, audio, order;
    uint64_t       start, at, end;
    mk_track_t     t[2];

    memset(t, 0, sizeof(t));

    t[0].number = 1;
    t[0].type = 1;
    t[0].codec = "V_MPEG4/ISO/AVC";
    t[0].config = AVCC;
    t[0].config_len = AVCC_LEN;
    t[0].duration = 40000000;
    t[0].width = 128;
    t[0].height = 96;
    t[0].name = "picture";

    t[1].number = 2;
    t[1].type = 2;
    t[1].codec = "A_AAC";
    t[1].config = aac;
    t[1].config_len = sizeof(aac);
    t[1].rate = 48000;
    t[1].channels = 2;
    t[1].duration = 21333333;
    t[1].delay = f->priming * 1000000ull;
    t[1].lang = "ger";
    t[1].name = "sound";

    mk_begin(f->seconds * 1000.0 + f->start);
    mk_tracks(t, 2);

    frames = f->seconds * 25;
    audio = 0;
    film_n[1] = film_n[2] = 0;

    for (from = 0; from < frames; from += f->gop) {
        n = frames - from < f->gop ? frames - from : f->gop;
        start = f->start + from * 40;

        mk_cluster(start);

        if (!f->no_cues) {
            mk_cue(1, start);
        }

        for (i = 0; i < n; i++) {

            /* audio of the 40 ms before the frame's place */

            end = (uint64_t) (from + i + 1) * 40;

            for ( ;; audio++) {
                at = (uint64_t) audio * 1024 / 48;

                if (at + f->late >= end) {
                    break;
                }

                if (at < f->audio_from
                    || (f->audio_until && at >= f->audio_until)
                    || (at >= f->pause_from && at < f->pause_until))
                {
                    continue;
                }

                time = (int64_t) (f->start + at) - (int64_t) start;

                memset(data, 0x21, sizeof(data));
                memcpy(data + 8, &audio, 4);
                mk_block(2, (int) time, MK_KEY, data, sizeof(data), 300);
                film_n[2]++;
            }

            order = film_order(f, i, n);
            time = order * 40;

            if (f->still_open && from && i && i < 3) {
                time = -10 * (int64_t) (3 - i);
            }

            memset(data, 0, sizeof(data));
            data[2] = (uint8_t) ((12 + f->frame) >> 8);
            data[3] = (uint8_t) (12 + f->frame);
            data[1] = (uint8_t) ((12 + f->frame) >> 16);
            data[4] = i ? 0x41 : 0x65;
            order = from + i;
            memcpy(data + 8, &order, 4);

            mk_block(1, (int) time, i ? 0 : MK_KEY, data, sizeof(data),
                     f->frame);
            film_n[1]++;
        }

        mk_cluster_end();

        if (f->fill) {
            mk_void(f->fill);
        }
    }

    if (!film_open) {
        mk_end();
    }

    memset(&dm_source, 0, sizeof(dm_source));
    dm_source.read = mk_read;
    dm_source.size = mk_pos;
}


/* every packet comes once, in order, in the segment of its time */
static void
whole(const film_t *f, const char *what)
{
    int64_t            pts, last, first;
    uint64_t           dts;
    uint32_t           i, k, n, number, order, joined, late, negative, key;
    uint32_t           off;
    const vod_cell_t  *cell;

    for (i = 0; i < dm_head()->n_tracks; i++) {
        n = 0;
        order = 0;
        joined = 0;
        late = 0;
        negative = 0;
        key = 0;
        off = 0;
        dts = 0;
        last = 0;
        first = INT64_MAX;

        cell = vod_timeline_cells(dm_tl, dm_times(i));

        for (number = 1; number <= dm_times(i)->n_segments; number++) {

            if (dm_segment(i, number) != VOD_OK) {
                ok(0, "%s: segment %u of track %u: %s", what, number, i + 1,
                   dm_err.text);
                return;
            }

            joined += (number > 1 && dts != dm_seg.dts);
            dts = dm_seg.dts;
            off += (i == 1 && (dts < cell[number - 1].cursor.dts
                               || dts > cell[number - 1].cursor.dts + 22));
            key += (dm_seg.n && dm_seg.samples[0].key);

            for (k = 0; k < dm_seg.n; k++, n++) {
                pts = (int64_t) dts + dm_seg.samples[k].cts
                      - (int64_t) dm_track(i)->media_time;

                negative += (dm_seg.samples[k].cts < 0);
                first = pts < first ? pts : first;
                last = pts > last ? pts : last;

                late += (number < dm_times(i)->n_segments
                         && pts >= cell[number].start);

                memcpy(&order, dm_seg.payload + dm_seg.samples[k].pos + 8, 4);
                late += (i == 0 && order != n);
                dts += dm_seg.samples[k].dur;
            }

            vod_av_segment_free(&dm_seg);
        }

        is_int(n, film_n[i + 1], "%s: packets of track %u", what, i + 1);
        is_int(late, 0, "%s: ... in order, in their segment", what);
        is_int(negative, 0, "%s: ... none presented before decoded", what);
        is_int(key, dm_times(i)->n_segments, "%s: ... each segment begins"
               " with a key frame", what);

        is_int(off, 0, "%s: ... decoded within a frame of where they are"
               " listed", what);

        if (f->pause_until == 0) {
            is_int(joined, 0, "%s: ... segments join without a gap", what);
        }

        is_int(first, dm_track(i)->first_pts, "%s: ... the first begins as"
               " listed", what);
        ok(last < dm_track(i)->end_pts, "%s: ... the last before the end",
           what);
    }
}


static void
films(void)
{
    film_t  f;

    f = plain;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "a film: %s", dm_err.text);

    if (dm_index == NULL) {
        return;
    }

    is_int(dm_head()->n_tracks, 2, "tracks");
    is_int(dm_track(0)->n_samples, 30, "cuts of video");
    is_int(dm_track(0)->end_pts, 60000, "end of video");
    is_int(dm_track(0)->media_time, 81, "a delay of the two frames that the"
           " codec may reorder");
    is_int(dm_track(0)->fps_num, 25, "frames a second");
    is_int(dm_track(0)->fps_den, 1, "... whole");
    is_int(dm_track(1)->n_samples, 30, "cuts of audio");
    is_int(dm_track(1)->end_pts, 60010, "end of audio");
    is_str(dm_track(1)->lang, "de", "language");
    is_str(dm_track(1)->codec, "mp4a.40.2", "codec of audio");
    ok(dm_track(1)->flags & VOD_TRACK_DEFAULT, "the default track");
    is_int(dm_track(1)->name_len, 5, "name of audio");
    is_int(dm_notes.len, 0, "no notes");

    ok(dm_timeline(6000), "a timeline");
    is_int(dm_times(0)->n_segments, 10, "segments of video");
    is_int(dm_times(1)->n_segments, 10, "segments of audio");
    whole(&f, "a film");

    f.reorder = 1;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "B pictures: %s", dm_err.text);
    ok(dm_track(0)->media_time >= 40, "a delay of a frame at least");
    ok(dm_timeline(6000), "a timeline");
    whole(&f, "B pictures");

    f = plain;
    f.still_open = 1;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "leading pictures: %s", dm_err.text);
    ok(dm_timeline(6000), "a timeline");
    whole(&f, "leading pictures");

    f = plain;
    f.start = 3600000;
    f.audio_from = 2500;
    f.audio_until = 31000;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "late begin: %s", dm_err.text);
    is_int(dm_head()->origin, 3600000000, "the origin is kept");
    is_int(dm_track(0)->first_pts, 0, "video begins at 0");
    is_int(dm_track(1)->first_pts, 2517, "audio begins later");
    is_int(dm_track(1)->end_pts, 31018, "... and ends earlier");
    ok(dm_timeline(6000), "a timeline");
    is_int(dm_times(1)->n_segments, 6, "no segment behind its end");
    whole(&f, "late begin, early end");

    f = plain;
    f.priming = 43;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "priming: %s", dm_err.text);
    is_int(dm_track(1)->media_time, 43, "it is hidden");
    is_int(dm_track(1)->first_dts, 0, "and decoded at first");
    is_int(dm_track(1)->first_pts, -43, "... before all is presented");
    is_int(dm_track(1)->n_samples, 30, "no cut within it");
    is_int(dm_track(0)->first_pts, 0, "video begins at 0");
    ok(dm_timeline(6000), "a timeline");
    is_int(((const vod_timeline_t *) dm_tl)->dated, 1, "times of audio in"
           " playlists are not those of its segments");
    whole(&f, "priming");
}


/* how much is read of files that nobody would want to read */
static void
long_films(void)
{
    film_t  f;

    f = plain;
    f.seconds = 7200;
    f.frame = 100000;
    f.reorder = 1;
    film(&f);
    ok(dm_source.size > 18000000000ull, "a file of %llu bytes",
       (unsigned long long) dm_source.size);

    is_int(dm_av_index(0), VOD_OK, "its index: %s", dm_err.text);

    if (dm_index == NULL) {
        return;
    }

    ok(dm_bytes < 8 * 1024 * 1024, "... from %llu bytes",
       (unsigned long long) dm_bytes);
    ok(dm_track(0)->flags & VOD_TRACK_SPARSE, "... by its Cues");
    is_int(dm_track(0)->n_samples, 3600, "cuts");
    is_int(dm_track(0)->end_pts, 7200000, "its end");
    ok(dm_track(1)->end_pts >= 7200000 && dm_track(1)->end_pts <= 7200021,
       "end of audio: %lld", (long long) dm_track(1)->end_pts);
    ok(dm_index_len < 65536, "an index of %llu bytes",
       (unsigned long long) dm_index_len);

    ok(dm_timeline(6000), "a timeline");
    ok(dm_times(0)->average > 20000000 && dm_times(0)->average < 20200000,
       "bit rate of video: %llu of 20,003,200 bit/s",
       (unsigned long long) dm_times(0)->average);
    ok(dm_times(1)->average > 118500 && dm_times(1)->average < 160000,
       "bit rate of audio: %llu of 118,500 bit/s",
       (unsigned long long) dm_times(1)->average);

    is_int(dm_segment(0, 600), VOD_OK, "a segment in the middle: %s",
           dm_err.text);
    is_int(dm_seg.n, 150, "... its samples");
    ok(dm_bytes < 22 * 1024 * 1024, "... from %llu bytes",
       (unsigned long long) dm_bytes);
    vod_av_segment_free(&dm_seg);

    /* sound from the 26th picture on, behind 2.5 MB */

    f.seconds = 600;
    f.audio_from = 1000;
    film(&f);
    is_int(dm_av_index(0), VOD_OK, "sound behind 2.5 MB: %s", dm_err.text);
    is_int(dm_head()->n_tracks, 2, "... is found");
    ok(dm_bytes < 8 * 1024 * 1024, "... from %llu bytes",
       (unsigned long long) dm_bytes);

    /* and where it is too far away, that is said */

    f.audio_from = 20000;
    film(&f);
    is_int(dm_av_index(0), VOD_OK, "sound behind 50 MB: %s", dm_err.text);
    is_int(dm_head()->n_tracks, 1, "... is left out");
    ok(dm_head()->notes_len > 40, "... %.*s", (int) dm_head()->notes_len - 1,
       (const char *) dm_index + dm_head()->notes_off);
    ok(dm_bytes < 8 * 1024 * 1024, "... from %llu bytes",
       (unsigned long long) dm_bytes);

    f.seconds = 7200;
    f.audio_from = 0;

    /* audio that ends an hour before video does */

    f.frame = 20000;
    f.audio_until = 3600000;
    film(&f);
    is_int(dm_av_index(0), VOD_OK, "early end: %s", dm_err.text);
    ok(dm_bytes < 8 * 1024 * 1024, "... from %llu bytes",
       (unsigned long long) dm_bytes);
    ok(dm_track(1)->end_pts > 3598000 && dm_track(1)->end_pts <= 3600021,
       "... is found at %lld", (long long) dm_track(1)->end_pts);
    is_int(dm_track(1)->n_samples, 1800, "... no cut behind it");
}


static int
refused(const char *what, const char *why)
{
    is_int(by_cues("matroska"), VOD_NOT_FOUND, "%s: not by its Cues", what);

    return ok(strstr(dm_err.text, why), "%s: %s", what, dm_err.text);
}


/* entries that are no help: the file has to be scanned */
static void
bogus(void)
{
    film_t    f;
    uint32_t  i;

    f = plain;
    f.no_cues = 1;
    film(&f);
    (void) refused("no Cues", "no key frame index");

    /* the index is written anew, by other entries, behind the last cluster */

#define bogus_cues(statement)                                                 \
    f = plain;                                                                \
    film_open = 1;                                                            \
    film(&f);                                                                 \
    film_open = 0;                                                            \
    for (i = 0; i < mk_n_cues; i++) {                                         \
        statement;                                                            \
    }                                                                         \
    mk_end();                                                                 \
    dm_source.size = mk_pos

    bogus_cues(mk_n_cues = 1);
    (void) refused("one entry", "no key frame index");

    bogus_cues(mk_cue_list[i].time += 40);
    (void) refused("entries beside key frames", "leads to no key frame");

    bogus_cues(mk_cue_list[i].pos = mk_cue_list[0].pos + 2 * (29 - i));
    (void) refused("entries in disorder", "lies before");

    bogus_cues(mk_cue_list[i].pos += 1 << 30);
    (void) refused("entries beyond the file", "no key frame index");

    bogus_cues(mk_cue_list[i].time *= 100);
    (void) refused("entries far apart", "too far");

    bogus_cues(mk_cue_list[i].pos = mk_cue_list[i].pos + 7);
    (void) by_cues("matroska");
    ok(dm_index == NULL || dm_timeline(6000), "entries within clusters: %s",
       dm_err.text);

    /* the last ones lead nowhere, as in a file that was cut */

    bogus_cues(mk_cue_list[i].time += (i > 27) ? 7 : 0);
    is_int(by_cues("matroska"), VOD_OK, "the last ones are off: %s",
           dm_err.text);
    ok(dm_timeline(6000), "a timeline");
    whole(&f, "the last ones are off");
}


/* sound that is not there for a while */
static void
pauses(void)
{
    film_t  f;

    f = plain;
    f.pause_from = 13000;
    f.pause_until = 31000;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "a pause: %s", dm_err.text);
    ok(dm_timeline(6000), "a timeline");

    is_int(dm_segment(1, 4), VOD_OK, "its segment");
    is_int(dm_seg.n, 0, "... is empty");
    is_int(dm_seg.dts, 18000, "... and has a time");
    vod_av_segment_free(&dm_seg);

    is_int(dm_segment(1, 6), VOD_OK, "the one behind");
    ok(dm_seg.n > 200, "... has samples");
    vod_av_segment_free(&dm_seg);
}


/* sound that lies behind its pictures in the file */
static void
apart(void)
{
    film_t  f;

    f = plain;
    f.late = 9000;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "9 s late: %s", dm_err.text);
    is_int(dm_notes.len, 0, "no notes");
    ok(dm_timeline(6000), "a timeline");
    whole(&f, "9 s late");

    f.late = 12000;
    film(&f);
    is_int(by_cues("matroska"), VOD_OK, "12 s late: %s", dm_err.text);
    ok(strstr(dm_notes.text, "track 2 (AAC, audio): it lies 11 s behind"),
       "a note of what is missing: %s", dm_notes.text);
    ok(strstr(dm_notes.text, "track 1") == NULL, "... of no other track");
}


/* a long file without Cues is served, and the log says why it took long */
static void
without(void)
{
    film_t  f;
    char    text[VOD_NOTES_ROOM];

    f = plain;
    f.no_cues = 1;
    film(&f);
    is_int(dm_av_index(1), VOD_OK, "no Cues: %s", dm_err.text);

    memcpy(text, (const uint8_t *) dm_index + dm_head()->notes_off,
           dm_head()->notes_len);
    text[dm_head()->notes_len] = '\0';

    is_str(text, "all of the file is read to index it: it has no key frame"
           " index (Cues), remux the file\n", "a note of it");
    ok(!(dm_track(0)->flags & VOD_TRACK_SPARSE), "it is read whole");

    is_int(dm_av_index(UINT64_MAX), VOD_OK, "within the limit: %s",
           dm_err.text);
    is_int(dm_head()->notes_len, 0, "no notes, for all such files are read");

    dm_limits.scan = 0;
}


/* any file at all: an index or a reason, and the same of its segments */
static void
mutated(void)
{
    film_t    f;
    uint64_t  seed, at;
    uint32_t  i, k, run, n, made;
    uint8_t  *bytes;

    f = plain;
    f.seconds = 20;
    f.reorder = 1;
    film(&f);

    bytes = malloc(mk_len);
    memcpy(bytes, mk_bytes, mk_len);
    seed = 4;
    made = 0;
    dm_limits.timeout = 5000;

    for (run = 0; run < 150; run++) {

        memcpy(mk_bytes, bytes, mk_len);
        n = 1 + tap_rand(&seed) % 8;

        for (k = 0; k < n; k++) {

            /* headers at the begin, Cues at the end, or anything */

            at = tap_rand(&seed) % mk_len;
            at = (run % 3 == 0) ? at % 600
                 : (run % 3 == 1) ? mk_len - 1 - at % 1000 : at;
            mk_bytes[at] = (uint8_t) tap_rand(&seed);
        }

        if (by_cues("matroska") != VOD_OK || !dm_timeline(6000)) {
            continue;
        }

        for (i = 0; i < dm_head()->n_tracks; i++) {
            for (k = 1; k <= dm_times(i)->n_segments; k++) {
                made += dm_segment(i, k) == VOD_OK;
                vod_av_segment_free(&dm_seg);
            }
        }
    }

    ok(made > 100, "%u segments of 150 files with wrong bytes", made);

    dm_limits.timeout = 0;
    free(bytes);
}


int
main(void)
{
    vod_av_init();

    films();
    bogus();
    pauses();
    apart();
    without();
    mutated();
    long_films();

    dm_free();

    return done_testing();
}
