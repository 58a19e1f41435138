/*
 * vodtool check: what the server makes of files, for people.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../core/vod_rendition.h"
#include "vodtool.h"


/* distances between the sync samples of a track, microseconds */
typedef struct {
    int64_t   least, most, sum;
    uint32_t  n;
} vodtool_keys_t;


static int vodtool_check_one(vodtool_t *vt);
static int vodtool_check_notes(const vodtool_t *vt);
static int vodtool_check_left_out(const char *line, size_t len);
static void vodtool_check_file(const vodtool_t *vt);
static void vodtool_check_track(const vodtool_t *vt, const vod_track_t *t);
static void vodtool_check_video(const vodtool_t *vt, const vod_track_t *t);
static void vodtool_check_audio(const vod_track_t *t);
static int vodtool_check_keys(const vodtool_t *vt, const vod_track_t *t,
    vodtool_keys_t *keys);
static void vodtool_check_longest(const vodtool_t *vt);
static void vodtool_check_time(int64_t us);


int
vodtool_check(vodtool_t *vt)
{
    int  i, status, worst;

    worst = VODTOOL_EXACT;

    for (i = 0; i < vt->n_paths; i++) {
        vt->path = vt->paths[i];

        if (i) {
            putchar('\n');
        }

        status = vodtool_check_one(vt);
        worst = (status > worst) ? status : worst;

        vodtool_close(vt);
    }

    return worst;
}


static int
vodtool_check_one(vodtool_t *vt)
{
    int                 status;
    unsigned            i;
    const vod_index_t  *index;

    if (vodtool_load(vt) != VODTOOL_OK || vodtool_played(vt) != VODTOOL_OK) {
        printf("%s: cannot be served\n  reason     %s\n", vt->path,
               vt->err.text);
        return VODTOOL_REFUSED;
    }

    index = vt->index;

    status = vodtool_check_notes(vt);
    vodtool_check_file(vt);

    for (i = 0; i < index->n_tracks; i++) {
        vodtool_check_track(vt, vod_index_tracks(index) + i);
    }

    vodtool_check_longest(vt);

    return status;
}


/* the verdict, and the lines that the server writes to its error log */
static int
vodtool_check_notes(const vodtool_t *vt)
{
    unsigned            pass, left, other;
    const char         *p, *end, *lf;
    const vod_index_t  *index = vt->index;

    left = 0;
    other = 0;

    for (pass = 0; pass < 2; pass++) {

        if (pass) {
            printf("%s: plays%s%s\n", vt->path,
                   left ? " with tracks left out" : other ? "" : " exactly",
                   other ? (left ? ", and what could be repaired"
                                 : " as far as it could be repaired") : "");
        }

        p = (const char *) vt->index + index->notes_off;
        end = p + index->notes_len;

        for ( /* void */ ; p < end; p = lf + 1) {
            lf = memchr(p, '\n', (size_t) (end - p));
            lf = lf ? lf : end;

            if (pass) {
                printf("  warning    %.*s\n", (int) (lf - p), p);

            } else if (vodtool_check_left_out(p, (size_t) (lf - p))) {
                left++;

            } else {
                other++;
            }
        }
    }

    return (left || other) ? VODTOOL_PARTLY : VODTOOL_EXACT;
}


/* "track 2 (Vorbis, audio) left out: ...", as vod_av_index() has it */
static int
vodtool_check_left_out(const char *line, size_t len)
{
    size_t  i;

    static const char  what[] = " left out: ";

    for (i = 0; i + sizeof(what) - 1 <= len; i++) {
        if (memcmp(line + i, what, sizeof(what) - 1) == 0) {
            return 1;
        }
    }

    return 0;
}


static void
vodtool_check_file(const vodtool_t *vt)
{
    const vod_index_t     *index = vt->index;
    const vod_timeline_t  *tl = vt->timeline;

    printf("  container  %.*s, %" PRIu64 " bytes, ",
           (int) vod_rendition_field(index->container,
                                     sizeof(index->container)),
           index->container, index->file_size);
    vodtool_check_time((int64_t) tl->duration);

    if (index->origin || tl->origin) {
        printf(", begins at ");
        vodtool_check_time(index->origin + (int64_t) tl->origin);
        printf(" of its own clock");
    }

    printf("\n  read       %" PRIu64 " bytes to index it\n",
           vt->source.bytes_read);
}


static void
vodtool_check_track(const vodtool_t *vt, const vod_track_t *t)
{
    char                         kind;
    const vod_timeline_track_t  *tt;

    kind = (t->kind == VOD_VIDEO) ? 'v' : (t->kind == VOD_AUDIO) ? 'a' : 's';
    tt = vod_timeline_tracks(vt->timeline) + t->ordinal;

    printf("  %c%-9u %.*s%s%.*s, ", kind,
           vod_index_number(vod_index_tracks(vt->index), t->ordinal),
           (int) vod_rendition_field(t->codec, sizeof(t->codec)), t->codec,
           t->supplemental[0] ? " or " : "",
           (int) vod_rendition_field(t->supplemental,
                                     sizeof(t->supplemental)),
           t->supplemental);

    if (t->kind == VOD_VIDEO) {
        vodtool_check_video(vt, t);

    } else if (t->kind == VOD_AUDIO) {
        vodtool_check_audio(t);

    } else {
        printf("%slanguage %.*s\n", (t->roles & VOD_ROLE_FORCED) ? "forced, "
               : (t->roles & VOD_ROLE_HEARING) ? "for the hard of hearing, "
               : "", (int) vod_rendition_field(t->lang, sizeof(t->lang)),
               t->lang);
    }

    printf("             ");
    vodtool_check_time(vod_ticks_us(t->first_pts, t->timescale));
    printf(" to ");
    vodtool_check_time(vod_ticks_us(t->end_pts, t->timescale));
    printf(", %u segment%s, %.1f kbit/s, at most %.1f%s\n", tt->n_segments,
           tt->n_segments == 1 ? "" : "s", (double) tt->average / 1e3,
           (double) tt->peak / 1e3,
           (t->flags & VOD_TRACK_SPARSE) ? " (estimated)" : "");
}


static void
vodtool_check_video(const vodtool_t *vt, const vod_track_t *t)
{
    vodtool_keys_t  keys;

    static const char *const  range[] = { "", ", PQ", ", HLG" };

    printf("%ux%u", t->width, t->height);

    if (t->fps_num) {
        printf(", %.3f pictures/s", (double) t->fps_num / t->fps_den);
    }

    printf("%s\n", t->video_range < 3 ? range[t->video_range] : "");

    if (!vodtool_check_keys(vt, t, &keys)) {
        return;
    }

    if (keys.n == 0) {
        printf("             one key frame alone\n");
        return;
    }

    printf("             a key frame every %.3f s, from %.3f to %.3f\n",
           (double) keys.sum / keys.n / 1e6, (double) keys.least / 1e6,
           (double) keys.most / 1e6);
}


static void
vodtool_check_audio(const vod_track_t *t)
{
    printf("%u Hz, %u channel%s, language %.*s\n", t->sample_rate,
           t->channels, t->channels == 1 ? "" : "s",
           (int) vod_rendition_field(t->lang, sizeof(t->lang)), t->lang);
}


/* of a sparse track: between its cuts, which are what segments begin with */
static int
vodtool_check_keys(const vodtool_t *vt, const vod_track_t *t,
    vodtool_keys_t *keys)
{
    int64_t         pts, last, us;
    uint64_t        dts;
    uint32_t        i, n;
    const uint8_t  *base = vt->index;
    vod_cursor_t    cur;
    vod_sample_t    s;

    memset(keys, 0, sizeof(vodtool_keys_t));
    memset(&cur, 0, sizeof(vod_cursor_t));
    cur.dts = t->first_dts;
    last = 0;
    n = 0;

    for (i = 0; i < t->n_samples; i++) {
        dts = cur.dts;

        if (vod_row_read(&cur, base + t->rows_off, 0, t->rows_len, &s)
            != VOD_OK)
        {
            return 0;
        }

        if (!s.key) {
            continue;
        }

        pts = (int64_t) dts + s.cts;

        if (n++) {
            us = vod_ticks_us(pts - last, t->timescale);
            keys->least = (keys->n == 0 || us < keys->least) ? us
                          : keys->least;
            keys->most = (keys->n == 0 || us > keys->most) ? us : keys->most;
            keys->sum += us;
            keys->n++;
        }

        last = pts;
    }

    return 1;
}


static void
vodtool_check_longest(const vodtool_t *vt)
{
    const vod_timeline_t  *tl = vt->timeline;

    if (tl->max_segment <= tl->target + 500) {
        return;
    }

    printf("  advice     a segment lasts %.3f s, %.3f are wanted: encode it"
           " with a key frame every %.0f s or more often\n",
           tl->max_segment / 1e3, tl->target / 1e3, tl->target / 1e3);
}


/* hours, minutes, seconds; to the millisecond */
static void
vodtool_check_time(int64_t us)
{
    uint64_t  ms;

    ms = ((us < 0) ? 0 - (uint64_t) us : (uint64_t) us) / 1000;

    printf("%s%" PRIu64 ":%02u:%02u.%03u", (us < 0) ? "-" : "", ms / 3600000,
           (unsigned) (ms / 60000 % 60), (unsigned) (ms / 1000 % 60),
           (unsigned) (ms % 1000));
}
