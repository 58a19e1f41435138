#include <string.h>

#include "vod_hls_write.h"
#include "vod_rate.h"


/* two tags, a date, 20 digits twice, what is between */
#define VOD_HLS_LINE  160

/* a segment's number, a token, an extension */
#define VOD_HLS_NAME  48

/* beyond the year 9999 there is no date (RFC 3339) */
#define VOD_HLS_DATES  253402300800000ull


/* what EXT-X-PROGRAM-DATE-TIME last said, in microseconds */
typedef struct {
    int       said;
    uint64_t  date;
    uint64_t  time;             /* of the playlist */
} vod_hls_clock_t;

typedef struct {
    vod_wr_t                    *wr;
    const void                  *index;
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *t;
    const vod_links_t           *links;
    unsigned                     ordinal;
    uint32_t                     keys;      /* 1 = the I-frame playlist */
} vod_hls_media_t;


static char *vod_hls_number(char *p, uint64_t v);
static char *vod_hls_date(char *p, vod_hls_clock_t *clock, uint64_t media,
    uint64_t time);
static char *vod_hls_digits(char *p, uint64_t v, int n);
static void vod_hls_track(vod_wr_t *wr, const void *index,
    const void *timeline, unsigned ordinal, const vod_links_t *links,
    uint32_t keys);
static void vod_hls_playlist(const vod_hls_media_t *m);
static void vod_hls_start(const vod_hls_media_t *m);
static void vod_hls_segments(const vod_hls_media_t *m);
static uint64_t vod_hls_media_time(const vod_timeline_track_t *t,
    const vod_cell_t *cell);
static void vod_hls_name(const vod_hls_media_t *m, const char *name,
    size_t len);


void
vod_hls_media(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal, const vod_links_t *links)
{
    vod_hls_track(wr, index, timeline, ordinal, links, 0);
}


/*
 * One entry a segment: its first sample.  The range begins with the segment,
 * because the moof has to be in it (HLS Authoring Specification, 6.10), and
 * ends with that sample, as bytes behind an I-frame may be left out
 * (RFC 8216bis, 3.1.2).  A later key frame of the segment could only be had
 * with all that stands before it, and a client takes the first picture of
 * what it reads to be the I-frame: it has no entry.
 */
void
vod_hls_iframes(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal, const vod_links_t *links)
{
    vod_hls_track(wr, index, timeline, ordinal, links, 1);
}


static void
vod_hls_track(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal, const vod_links_t *links, uint32_t keys)
{
    vod_hls_media_t  m;

    m.wr = wr;
    m.index = index;
    m.tl = timeline;
    m.t = vod_timeline_tracks(timeline) + ordinal;
    m.links = links;
    m.ordinal = ordinal;
    m.keys = keys;

    vod_hls_playlist(&m);
}


/* of a clip whose video begins before it */
static void
vod_hls_start(const vod_hls_media_t *m)
{
    if (m->tl->from <= 0 || (uint64_t) m->tl->from <= m->tl->origin) {
        return;
    }

    vod_wr_str(m->wr, "#EXT-X-START:TIME-OFFSET=");
    vod_wr_micro(m->wr, (uint64_t) m->tl->from - m->tl->origin);
    vod_wr_str(m->wr, ",PRECISE=YES\n");
}


/*
 * Segments of text are WebVTT (HLS Authoring Specification, 5.2), which has no
 * header.
 *
 * Version 6 is what EXT-X-MAP without EXT-X-I-FRAMES-ONLY asks for (8).  With
 * it 5 would do, but up to that version EXT-X-TARGETDURATION was no rounded
 * value; and who cannot read 6 cannot play the asset.
 * EXT-X-INDEPENDENT-SEGMENTS stands here too, for players that are given
 * this playlist and not the multivariant one.
 */
static void
vod_hls_playlist(const vod_hls_media_t *m)
{
    char       name[VOD_HLS_NAME];
    size_t     n;
    vod_wr_t  *wr;

    wr = m->wr;

    vod_wr_str(wr, "#EXTM3U\n"
                   "#EXT-X-VERSION:6\n"
                   "#EXT-X-TARGETDURATION:");
    vod_wr_dec(wr, m->keys ? m->t->key_duration : m->tl->target_duration);
    vod_wr_str(wr, "\n"
                   "#EXT-X-MEDIA-SEQUENCE:1\n"
                   "#EXT-X-PLAYLIST-TYPE:VOD\n");
    vod_wr_str(wr, m->keys ? "#EXT-X-I-FRAMES-ONLY\n"
                           : "#EXT-X-INDEPENDENT-SEGMENTS\n");

    if (!m->keys) {
        vod_hls_start(m);
    }

    if (m->t->kind != VOD_TEXT) {
        n = vod_rendition_field(m->t->token, sizeof(m->t->token));

        memcpy(name, "init-", 5);
        memcpy(name + 5, m->t->token, n);
        memcpy(name + 5 + n, ".mp4", 4);

        vod_wr_str(wr, "#EXT-X-MAP:URI=\"");
        vod_hls_name(m, name, n + 9);
        vod_wr_str(wr, "\"\n");
    }

    vod_hls_segments(m);

    vod_wr_str(wr, "#EXT-X-ENDLIST\n");
}


/* the URL of a file of the track */
static void
vod_hls_name(const vod_hls_media_t *m, const char *name, size_t len)
{
    if (m->links && m->links->base_len) {
        vod_links_base(m->wr, m->links);
        vod_rendition_url(m->wr, m->index, m->ordinal);
        vod_wr_str(m->wr, "/");
    }

    vod_wr_bytes(m->wr, name, len);
    vod_links_args(m->wr, m->links);
}


/*
 * Segments are as long as the times of their ends, rounded, are apart: the
 * sum of any run of them is off by a microsecond at most.  The times are
 * those from which bit rates and EXT-X-TARGETDURATION were made.
 */
static void
vod_hls_segments(const vod_hls_media_t *m)
{
    char                         *p, line[VOD_HLS_LINE], name[VOD_HLS_NAME];
    size_t                        len;
    uint32_t                      n;
    uint64_t                      start, end, span;
    vod_rate_t                    times;
    vod_hls_clock_t               clock;
    const vod_timeline_track_t   *t;

    t = m->t;

    memset(&times, 0, sizeof(times));

    times.cells = vod_timeline_cells(m->tl, t);
    times.n = t->n_segments;
    times.timescale = t->timescale;
    times.origin = m->tl->origin;
    times.keys = m->keys;
    times.text = t->kind == VOD_TEXT;

    len = vod_rendition_field(t->token, sizeof(t->token));
    start = vod_rate_time(&times, 0);
    memset(&clock, 0, sizeof(clock));

    for (n = 1; n <= t->n_segments; n++) {

        end = vod_rate_time(&times, n);
        span = end > start ? end - start : 0;
        p = line;

        if (m->tl->dated) {
            p = vod_hls_date(p, &clock,
                             vod_hls_media_time(t, &times.cells[n - 1]),
                             start);
        }

        start = end > start ? end : start;

        memcpy(p, "#EXTINF:", 8);
        p = vod_hls_number(p + 8, span / 1000000);
        *p++ = '.';
        p = vod_hls_digits(p, span % 1000000, 6);
        *p++ = ',';
        *p++ = '\n';

        if (m->keys) {
            memcpy(p, "#EXT-X-BYTERANGE:", 17);
            p = vod_hls_number(p + 17, vod_rate_bytes(&times, n - 1));
            memcpy(p, "@0\n", 3);
            p += 3;
        }

        vod_wr_bytes(m->wr, line, (uint64_t) (p - line));

        p = vod_hls_number(name, n);
        *p++ = '-';
        memcpy(p, t->token, len);
        p += len;
        memcpy(p, t->kind == VOD_TEXT ? ".vtt" : ".m4s", 4);

        vod_hls_name(m, name, (size_t) (p + 4 - name));
        vod_wr_str(m->wr, "\n");
    }
}


/*
 * What the media itself says, in microseconds: tfdt, or of text, whose cues
 * may have begun long before, the begin of the segment.
 */
static uint64_t
vod_hls_media_time(const vod_timeline_track_t *t, const vod_cell_t *cell)
{
    int64_t  ticks;

    ticks = t->kind != VOD_TEXT ? (int64_t) cell->cursor.dts
            : cell->start > 0 ? cell->start : 0;

    return (uint64_t) vod_ticks_us(ticks, t->timescale);
}


/*
 * The tag, where what a client counts on from the last one is half a
 * millisecond or more off media: dates have milliseconds (4.4.4.6).
 */
static char *
vod_hls_date(char *p, vod_hls_clock_t *clock, uint64_t media, uint64_t time)
{
    uint64_t  ms, counted, day, era, year, month;

    counted = clock->date + (time - clock->time);

    if (clock->said && counted < media + 500 && media < counted + 500) {
        return p;
    }

    ms = (media + 500) / 1000;

    if (ms >= VOD_HLS_DATES) {
        return p;
    }

    clock->said = 1;
    clock->date = ms * 1000;
    clock->time = time;

    /*
     * The Gregorian calendar repeats every 400 years of 146097 days; counted
     * from the first of March a leap day is the last of its year.
     */

    day = ms / 86400000 + 719468;
    era = day / 146097;
    day %= 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= year * 365 + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    year += era * 400 + (month >= 10);
    month = month < 10 ? month + 3 : month - 9;

    memcpy(p, "#EXT-X-PROGRAM-DATE-TIME:", 25);
    p = vod_hls_digits(p + 25, year, 4);
    *p++ = '-';
    p = vod_hls_digits(p, month, 2);
    *p++ = '-';
    p = vod_hls_digits(p, day + 1, 2);
    *p++ = 'T';
    p = vod_hls_digits(p, ms / 3600000 % 24, 2);
    *p++ = ':';
    p = vod_hls_digits(p, ms / 60000 % 60, 2);
    *p++ = ':';
    p = vod_hls_digits(p, ms / 1000 % 60, 2);
    *p++ = '.';
    p = vod_hls_digits(p, ms % 1000, 3);
    *p++ = 'Z';
    *p++ = '\n';

    return p;
}


/* n digits, with leading zeros */
static char *
vod_hls_digits(char *p, uint64_t v, int n)
{
    int  i;

    for (i = n - 1; i >= 0; i--, v /= 10) {
        p[i] = (char) ('0' + v % 10);
    }

    return p + n;
}


static char *
vod_hls_number(char *p, uint64_t v)
{
    char    digits[20];
    size_t  n;

    n = sizeof(digits);

    do {
        digits[--n] = (char) ('0' + v % 10);
        v /= 10;
    } while (v);

    memcpy(p, digits + n, sizeof(digits) - n);

    return p + sizeof(digits) - n;
}
