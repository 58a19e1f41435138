#include <string.h>

#include "vod_hls.h"
#include "vod_rate.h"
#include "vod_rendition.h"


/* three tags, 20 digits three times, a date, a token, what is between */
#define VOD_HLS_LINE  208

/* beyond the year 9999 there is no date (RFC 3339) */
#define VOD_HLS_DATES  253402300800000ull


/* what EXT-X-PROGRAM-DATE-TIME last said, in microseconds */
typedef struct {
    int       said;
    uint64_t  date;
    uint64_t  time;             /* of the playlist */
} vod_hls_clock_t;


static char *vod_hls_number(char *p, uint64_t v);
static char *vod_hls_date(char *p, vod_hls_clock_t *clock, uint64_t media,
    uint64_t time);
static char *vod_hls_digits(char *p, uint64_t v, int n);
static void vod_hls_playlist(vod_wr_t *wr, const vod_timeline_t *tl,
    const vod_timeline_track_t *t, uint32_t keys);
static void vod_hls_segments(vod_wr_t *wr, const vod_timeline_t *tl,
    const vod_timeline_track_t *t, const char *tail, uint32_t keys);


void
vod_hls_media(vod_wr_t *wr, const void *index, const void *timeline,
    unsigned ordinal)
{
    (void) index;

    vod_hls_playlist(wr, timeline, vod_timeline_tracks(timeline) + ordinal,
                     0);
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
    unsigned ordinal)
{
    (void) index;

    vod_hls_playlist(wr, timeline, vod_timeline_tracks(timeline) + ordinal,
                     1);
}


/*
 * Version 6 is what EXT-X-MAP without EXT-X-I-FRAMES-ONLY asks for (8).  With
 * it 5 would do, but up to that version EXT-X-TARGETDURATION was no rounded
 * value; and who cannot read 6 cannot play the asset.
 * EXT-X-INDEPENDENT-SEGMENTS stands here too, for players that are given
 * this playlist and not the multivariant one.
 */
static void
vod_hls_playlist(vod_wr_t *wr, const vod_timeline_t *tl,
    const vod_timeline_track_t *t, uint32_t keys)
{
    char    tail[sizeof(tl->token) + 8];
    size_t  n;

    vod_wr_str(wr, "#EXTM3U\n"
                   "#EXT-X-VERSION:6\n"
                   "#EXT-X-TARGETDURATION:");
    vod_wr_dec(wr, keys ? t->key_duration : tl->target_duration);
    vod_wr_str(wr, "\n"
                   "#EXT-X-MEDIA-SEQUENCE:1\n"
                   "#EXT-X-PLAYLIST-TYPE:VOD\n");
    vod_wr_str(wr, keys ? "#EXT-X-I-FRAMES-ONLY\n"
                        : "#EXT-X-INDEPENDENT-SEGMENTS\n");
    vod_wr_str(wr, "#EXT-X-MAP:URI=\"init-");

    n = vod_rendition_field(tl->token, sizeof(tl->token));

    vod_wr_bytes(wr, tl->token, n);
    vod_wr_str(wr, ".mp4\"\n");

    tail[0] = '-';
    memcpy(tail + 1, tl->token, n);
    memcpy(tail + 1 + n, ".m4s\n", sizeof(".m4s\n"));

    vod_hls_segments(wr, tl, t, tail, keys);

    vod_wr_str(wr, "#EXT-X-ENDLIST\n");
}


/*
 * Segments are as long as the times of their ends, rounded, are apart: the
 * sum of any run of them is off by a microsecond at most.  The times are
 * those from which bit rates and EXT-X-TARGETDURATION were made.
 */
static void
vod_hls_segments(vod_wr_t *wr, const vod_timeline_t *tl,
    const vod_timeline_track_t *t, const char *tail, uint32_t keys)
{
    char             *p, line[VOD_HLS_LINE];
    size_t            len;
    uint32_t          n;
    uint64_t          start, end, span;
    vod_rate_t        times;
    vod_hls_clock_t   clock;

    memset(&times, 0, sizeof(times));

    times.cells = vod_timeline_cells(tl, t);
    times.n = t->n_segments;
    times.timescale = t->timescale;
    times.origin = tl->origin;
    times.keys = keys;

    len = strlen(tail);
    start = vod_rate_time(&times, 0);
    memset(&clock, 0, sizeof(clock));

    for (n = 1; n <= t->n_segments; n++) {

        end = vod_rate_time(&times, n);
        span = end > start ? end - start : 0;
        p = line;

        if (tl->dated) {
            p = vod_hls_date(p, &clock, (uint64_t) vod_ticks_us(
                             (int64_t) times.cells[n - 1].cursor.dts,
                             times.timescale), start);
        }

        start = end > start ? end : start;

        memcpy(p, "#EXTINF:", 8);
        p = vod_hls_number(p + 8, span / 1000000);
        *p++ = '.';
        p = vod_hls_digits(p, span % 1000000, 6);
        *p++ = ',';
        *p++ = '\n';

        if (keys) {
            memcpy(p, "#EXT-X-BYTERANGE:", 17);
            p = vod_hls_number(p + 17, vod_rate_bytes(&times, n - 1));
            memcpy(p, "@0\n", 3);
            p += 3;
        }

        p = vod_hls_number(p, n);

        memcpy(p, tail, len);
        p += len;

        vod_wr_bytes(wr, line, (uint64_t) (p - line));
    }
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
