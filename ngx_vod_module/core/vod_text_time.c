#include <string.h>

#include "vod_text_int.h"


/* no number of a time is larger: sums stay far below VOD_TIME_MAX */
#define VOD_TEXT_HOURS  1000000000


static const char *
vod_text_digits(const char *p, const char *end, int64_t *v)
{
    for (*v = 0; p < end && vod_text_digit(*p); p++) {
        *v = (*v >= VOD_TEXT_HOURS) ? VOD_TEXT_HOURS : *v * 10 + (*p - '0');
    }

    return p;
}


static const char *
vod_text_skip(const char *p, const char *end, int blanks)
{
    while (blanks && p < end && vod_text_space(*p)) {
        p++;
    }

    return p;
}


/* "5" is five tenths, "0005" half a thousandth, which is none */

static const char *
vod_text_fraction(const char *p, const char *end, int64_t *ms)
{
    int  unit;

    *ms = 0;

    for (unit = 100; p < end && vod_text_digit(*p); p++) {
        *ms += (*p - '0') * unit;
        unit /= 10;
    }

    return p;
}


/*
 * Up to three numbers with colons between them; strict: the first has two
 * digits where it is minutes, the others always, and 59 is the largest.
 */

static unsigned
vod_text_sexagesimal(const char **pos, const char *end, int strict,
    int64_t *seconds)
{
    int64_t      v, parts[3];
    unsigned     i, n;
    size_t       width[3];
    const char  *p, *start;

    p = *pos;

    for (n = 0; n < 3; n++) {
        start = vod_text_skip(p, end, !strict && n);
        p = vod_text_digits(start, end, &parts[n]);

        width[n] = (size_t) (p - start);

        if (width[n] == 0 || parts[n] >= VOD_TEXT_HOURS) {
            return 0;
        }

        *pos = p;

        if (p == end || *p != ':') {
            n++;
            break;
        }

        p++;
    }

    for (v = 0, i = 0; i < n; i++) {

        if (strict && (i || n == 2) && (width[i] != 2 || parts[i] > 59)) {
            return 0;
        }

        v = v * 60 + parts[i];
    }

    *seconds = v;

    return n;
}


int
vod_text_clock(const char **pos, const char *end, int strict, int64_t *ms)
{
    int64_t      seconds, fraction;
    unsigned     n;
    const char  *p, *start;

    p = *pos;
    n = vod_text_sexagesimal(&p, end, strict, &seconds);
    fraction = 0;

    if (n < 2) {
        return 0;
    }

    start = p;
    p = vod_text_skip(p, end, !strict);

    if (p < end && (*p == '.' || (!strict && (*p == ',' || *p == ':')))) {

        start = vod_text_skip(p + 1, end, !strict);
        p = vod_text_fraction(start, end, &fraction);

        if (strict && p - start != 3) {
            return 0;
        }

    } else if (strict) {
        return 0;

    } else {
        p = start;
    }

    *pos = p;
    *ms = seconds * 1000 + fraction;

    return 1;
}


unsigned
vod_text_time(int64_t ms, char *out)
{
    char       text[VOD_TEXT_TIME], *p;
    int64_t    v;
    unsigned   i, n;

    v = ms > 0 ? ms : 0;
    p = text + sizeof(text);

    for (i = 0; i < 3; i++) {
        *--p = (char) ('0' + v % 10);
        v /= 10;
    }

    *--p = '.';

    for (i = 0; i < 2; i++) {
        *--p = (char) ('0' + v % 10);
        *--p = (char) ('0' + v / 10 % 6);
        *--p = ':';
        v /= 60;
    }

    for (n = 0; n < 2 || v; n++) {
        *--p = (char) ('0' + v % 10);
        v /= 10;
    }

    n = (unsigned) (text + sizeof(text) - p);
    memcpy(out, p, n);

    return n;
}
