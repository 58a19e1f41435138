#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vod_wr.h"


void
vod_wr_init(vod_wr_t *wr, void *start, uint64_t size)
{
    wr->start = start;
    wr->size = start ? size : 0;
    wr->len = 0;
    wr->overflow = 0;
}


uint8_t *
vod_wr_reserve(vod_wr_t *wr, uint64_t n)
{
    uint64_t  at;

    at = wr->len;
    wr->len += n;

    if (wr->start == NULL) {
        return NULL;
    }

    if (wr->overflow || n > wr->size - at) {
        wr->overflow = 1;
        return NULL;
    }

    return wr->start + at;
}


void
vod_wr_bytes(vod_wr_t *wr, const void *data, uint64_t n)
{
    uint8_t  *p;

    p = vod_wr_reserve(wr, n);
    if (p && n) {
        memcpy(p, data, n);
    }
}


void
vod_wr_zero(vod_wr_t *wr, uint64_t n)
{
    uint8_t  *p;

    p = vod_wr_reserve(wr, n);
    if (p && n) {
        memset(p, 0, n);
    }
}


static void
vod_wr_uint(vod_wr_t *wr, uint64_t v, unsigned n)
{
    uint8_t  *p;

    p = vod_wr_reserve(wr, n);
    if (p == NULL) {
        return;
    }

    while (n--) {
        p[n] = (uint8_t) v;
        v >>= 8;
    }
}


void
vod_wr_u8(vod_wr_t *wr, uint8_t v)
{
    vod_wr_uint(wr, v, 1);
}


void
vod_wr_u16(vod_wr_t *wr, uint16_t v)
{
    vod_wr_uint(wr, v, 2);
}


void
vod_wr_u24(vod_wr_t *wr, uint32_t v)
{
    vod_wr_uint(wr, v, 3);
}


void
vod_wr_u32(vod_wr_t *wr, uint32_t v)
{
    vod_wr_uint(wr, v, 4);
}


void
vod_wr_u64(vod_wr_t *wr, uint64_t v)
{
    vod_wr_uint(wr, v, 8);
}


void
vod_wr_patch32(vod_wr_t *wr, uint64_t at, uint32_t v)
{
    uint8_t  *p;

    if (wr->start == NULL || wr->overflow) {
        return;
    }

    if (wr->len < 4 || at > wr->len - 4) {
        wr->overflow = 1;
        return;
    }

    p = wr->start + at;

    p[0] = (uint8_t) (v >> 24);
    p[1] = (uint8_t) (v >> 16);
    p[2] = (uint8_t) (v >> 8);
    p[3] = (uint8_t) v;
}


uint64_t
vod_wr_box(vod_wr_t *wr, uint32_t type)
{
    uint64_t  mark;

    mark = wr->len;

    vod_wr_u32(wr, 0);
    vod_wr_u32(wr, type);

    return mark;
}


uint64_t
vod_wr_full_box(vod_wr_t *wr, uint32_t type, uint8_t version, uint32_t flags)
{
    uint64_t  mark;

    mark = vod_wr_box(wr, type);

    vod_wr_u8(wr, version);
    vod_wr_u24(wr, flags);

    return mark;
}


void
vod_wr_box_end(vod_wr_t *wr, uint64_t mark)
{
    vod_wr_patch32(wr, mark, (uint32_t) (wr->len - mark));
}


void
vod_wr_str(vod_wr_t *wr, const char *s)
{
    vod_wr_bytes(wr, s, strlen(s));
}


void
vod_wr_dec(vod_wr_t *wr, uint64_t v)
{
    char   text[20], *p;

    p = text + sizeof(text);

    do {
        *--p = (char) ('0' + v % 10);
        v /= 10;
    } while (v);

    vod_wr_bytes(wr, p, (uint64_t) (text + sizeof(text) - p));
}


void
vod_wr_fmt(vod_wr_t *wr, const char *fmt, ...)
{
    int      n;
    char     text[512];
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    if (n < 0 || (size_t) n >= sizeof(text)) {

        /* long text goes through vod_wr_str(): this is a bug, not data */

        wr->overflow = 1;
        return;
    }

    vod_wr_bytes(wr, text, (uint64_t) n);
}


void
vod_wr_micro(vod_wr_t *wr, uint64_t v)
{
    int       i;
    char      text[7];
    uint64_t  frac;

    vod_wr_dec(wr, v / 1000000);

    frac = v % 1000000;

    for (i = 6; i > 0; i--) {
        text[i] = (char) ('0' + frac % 10);
        frac /= 10;
    }

    text[0] = '.';

    vod_wr_bytes(wr, text, sizeof(text));
}


unsigned
vod_wr_sequence(const void *data, uint64_t len)
{
    unsigned        i, n;
    const uint8_t  *s;

    s = data;

    if (s[0] < 0x80) {
        return 1;
    }

    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }

    n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (n > len) {
        return 0;
    }

    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }

    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)
        || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
    {
        return 0;
    }

    return n;
}


/* the same where it is an XML 1.0 character (2.2), too, and no control */

static unsigned
vod_wr_utf8(const uint8_t *s, uint64_t len)
{
    unsigned  n;

    n = vod_wr_sequence(s, len);

    switch (n) {

    case 1:
        return (s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r')
               && s[0] != 0x7f;

    case 2:
        return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n;

    case 3:
        return s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : n;
    }

    return n;
}


void
vod_wr_xml(vod_wr_t *wr, const char *s, uint64_t n)
{
    unsigned        len;
    const uint8_t  *p, *end;

    for (p = (const uint8_t *) s, end = p + n; p < end; p += len) {

        len = vod_wr_utf8(p, (uint64_t) (end - p));

        if (len == 0) {
            vod_wr_u8(wr, '?');
            len = 1;
            continue;
        }

        switch (*p) {

        case '&':
            vod_wr_str(wr, "&amp;");
            break;

        case '<':
            vod_wr_str(wr, "&lt;");
            break;

        case '>':
            vod_wr_str(wr, "&gt;");
            break;

        case '"':
            vod_wr_str(wr, "&quot;");
            break;

        case '\'':
            vod_wr_str(wr, "&#39;");
            break;

        case '\t':
        case '\n':
        case '\r':
            vod_wr_u8(wr, ' ');
            break;

        default:
            vod_wr_bytes(wr, p, len);
        }
    }
}


void
vod_wr_quoted(vod_wr_t *wr, const char *s, uint64_t n)
{
    unsigned        len;
    const uint8_t  *p, *end;

    for (p = (const uint8_t *) s, end = p + n; p < end; p += len) {

        len = vod_wr_utf8(p, (uint64_t) (end - p));

        if (len == 0) {
            vod_wr_u8(wr, '?');
            len = 1;
            continue;
        }

        if (*p == '"') {
            vod_wr_u8(wr, '\'');

        } else if (*p == '\t' || *p == '\n' || *p == '\r') {
            vod_wr_u8(wr, ' ');

        } else {
            vod_wr_bytes(wr, p, len);
        }
    }
}
