#include <string.h>

#include "vod_text_int.h"


#define VOD_TEXT_UTF8    0
#define VOD_TEXT_UTF16LE 1
#define VOD_TEXT_UTF16BE 2
#define VOD_TEXT_1252    3

#define VOD_TEXT_PROBE   4096           /* bytes that tell UTF-16 */


static unsigned vod_text_encoding(const uint8_t *in, size_t len, size_t *bom);
static void vod_text_utf16(vod_wr_t *wr, const uint8_t *in, size_t len,
    unsigned encoding);
static void vod_text_1252(vod_wr_t *wr, const uint8_t *in, size_t len);


/* 0x80 to 0x9f of Windows-1252 (WHATWG Encoding, index windows-1252) */

static const uint16_t  vod_text_c1[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
    0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178
};


size_t
vod_text_utf8(const uint8_t *in, size_t len, char *out, size_t room)
{
    size_t    bom;
    unsigned  encoding;
    vod_wr_t  wr;

    vod_wr_init(&wr, out, room);

    encoding = vod_text_encoding(in, len, &bom);

    in = len ? in + bom : in;
    len -= bom;

    switch (encoding) {

    case VOD_TEXT_UTF8:
        vod_text_clean(&wr, (const char *) in, len);
        break;

    case VOD_TEXT_1252:
        vod_text_1252(&wr, in, len);
        break;

    default:
        vod_text_utf16(&wr, in, len, encoding);
    }

    return (size_t) wr.len;
}


/* zeros at every other place: UTF-16, whose text is ASCII for a good part */

static unsigned
vod_text_zeros(const uint8_t *in, size_t len)
{
    size_t  i, n, zero[2];

    n = (len < VOD_TEXT_PROBE ? len : VOD_TEXT_PROBE) / 2;
    zero[0] = 0;
    zero[1] = 0;

    for (i = 0; i < 2 * n; i++) {
        zero[i & 1] += (in[i] == 0);
    }

    if (zero[1] > n / 4 + 1 && zero[0] <= zero[1] / 16) {
        return VOD_TEXT_UTF16LE;
    }

    if (zero[0] > n / 4 + 1 && zero[1] <= zero[0] / 16) {
        return VOD_TEXT_UTF16BE;
    }

    return VOD_TEXT_UTF8;
}


static unsigned
vod_text_encoding(const uint8_t *in, size_t len, size_t *bom)
{
    int          broken;
    size_t       good, bad;
    unsigned     n, encoding;
    const char  *p, *end;

    *bom = 2;

    if (len >= 2 && in[0] == 0xff && in[1] == 0xfe) {
        return VOD_TEXT_UTF16LE;
    }

    if (len >= 2 && in[0] == 0xfe && in[1] == 0xff) {
        return VOD_TEXT_UTF16BE;
    }

    if (len >= 3 && in[0] == 0xef && in[1] == 0xbb && in[2] == 0xbf) {
        *bom = 3;
        return VOD_TEXT_UTF8;
    }

    *bom = 0;

    encoding = vod_text_zeros(in, len);

    if (encoding != VOD_TEXT_UTF8 || len == 0) {
        return encoding;
    }

    good = 0;
    bad = 0;
    broken = 0;
    p = (const char *) in;

    for (end = p + len; p < end; p += n) {
        n = vod_text_char(p, end);

        good += (n > 1);
        bad += (n == 0 && !broken);

        broken = (n == 0);
        n = n ? n : 1;
    }

    /* a few broken places do not make another encoding of a whole file */

    return bad <= good / 16 ? VOD_TEXT_UTF8 : VOD_TEXT_1252;
}


unsigned
vod_text_encode(uint32_t c, char *out)
{
    if (c == 0) {
        memcpy(out, VOD_TEXT_BAD, 3);
        return 3;
    }

    if (c < 0x80) {
        out[0] = (char) c;
        return 1;
    }

    if (c < 0x800) {
        out[0] = (char) (0xc0 | c >> 6);
        out[1] = (char) (0x80 | (c & 0x3f));
        return 2;
    }

    if (c < 0x10000) {
        out[0] = (char) (0xe0 | c >> 12);
        out[1] = (char) (0x80 | (c >> 6 & 0x3f));
        out[2] = (char) (0x80 | (c & 0x3f));
        return 3;
    }

    out[0] = (char) (0xf0 | c >> 18);
    out[1] = (char) (0x80 | (c >> 12 & 0x3f));
    out[2] = (char) (0x80 | (c >> 6 & 0x3f));
    out[3] = (char) (0x80 | (c & 0x3f));

    return 4;
}


static void
vod_text_code(vod_wr_t *wr, uint32_t c)
{
    char  text[4];

    vod_wr_bytes(wr, text, vod_text_encode(c, text));
}


/* a surrogate without its other half is no character (Unicode 3.8, D75) */

uint32_t
vod_text_utf16_next(const uint8_t **in, const uint8_t *end, int little)
{
    uint32_t        c, tail;
    const uint8_t  *p;

    p = *in;

    if (end - p < 2) {
        *in = end;
        return 0xfffd;
    }

    c = (uint32_t) (p[little] << 8 | p[1 - little]);
    p += 2;

    if (c >= 0xd800 && c < 0xe000) {

        tail = (c < 0xdc00 && end - p >= 2)
               ? (uint32_t) (p[little] << 8 | p[1 - little]) : 0;

        if (tail >= 0xdc00 && tail < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (tail - 0xdc00);
            p += 2;

        } else {
            c = 0xfffd;
        }
    }

    *in = p;

    return c;
}


static void
vod_text_utf16(vod_wr_t *wr, const uint8_t *in, size_t len, unsigned encoding)
{
    uint32_t        c, last;
    const uint8_t  *end;

    last = 0;

    for (end = in + len; in < end; last = c) {

        c = vod_text_utf16_next(&in, end, encoding == VOD_TEXT_UTF16LE);

        if (c == '\r' || c != '\n' || last != '\r') {
            vod_text_code(wr, c == '\r' ? '\n' : c);
        }
    }
}


static void
vod_text_1252(vod_wr_t *wr, const uint8_t *in, size_t len)
{
    size_t   i;
    uint8_t  last;

    last = 0;

    for (i = 0; i < len; i++) {

        if (in[i] == '\r' || in[i] != '\n' || last != '\r') {
            vod_text_code(wr, in[i] == '\r' ? '\n'
                              : in[i] >= 0x80 && in[i] < 0xa0
                                ? vod_text_c1[in[i] - 0x80] : in[i]);
        }

        last = in[i];
    }
}


void
vod_text_clean(vod_wr_t *wr, const char *s, size_t len)
{
    unsigned     n;
    const char  *p, *end, *run;

    end = len ? s + len : s;

    for (p = s; p < end; /* void */) {

        run = p;

        while (p < end && *p != '\0' && *p != '\r'
               && (n = vod_text_char(p, end)) != 0)
        {
            p += n;
        }

        vod_wr_bytes(wr, run, (uint64_t) (p - run));

        if (p == end) {
            break;
        }

        if (*p == '\r') {
            vod_wr_u8(wr, '\n');
            p += (end - p > 1 && p[1] == '\n') ? 2 : 1;

        } else {
            vod_wr_str(wr, VOD_TEXT_BAD);
            p++;
        }
    }
}
