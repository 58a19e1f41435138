#include <stdlib.h>

#include "tap.h"

#include "vod_wr.h"


static char  text[512];


/* what was written, as a C string, or what went wrong */
static const char *
written(vod_wr_t *wr)
{
    if (wr->overflow || wr->len >= sizeof(text)) {
        return "(overflow)";
    }

    text[wr->len] = '\0';

    return text;
}


static const char *
xml(const char *s, uint64_t n)
{
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text));
    vod_wr_xml(&wr, s, n);

    return written(&wr);
}


static const char *
quoted(const char *s, uint64_t n)
{
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text));
    vod_wr_quoted(&wr, s, n);

    return written(&wr);
}


static const char *
micro(uint64_t v)
{
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text));
    vod_wr_micro(&wr, v);

    return written(&wr);
}


static const char *
dec(uint64_t v)
{
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text));
    vod_wr_dec(&wr, v);

    return written(&wr);
}


/* one of each */
static void
write_all(vod_wr_t *wr)
{
    uint64_t  outer, inner;

    outer = vod_wr_box(wr, 0x6d6f6f76);
    inner = vod_wr_full_box(wr, 0x66726565, 1, 0x020304);
    vod_wr_u8(wr, 0x11);
    vod_wr_u16(wr, 0x2233);
    vod_wr_u24(wr, 0x445566);
    vod_wr_u32(wr, 0x778899aa);
    vod_wr_u64(wr, 0x0102030405060708);
    vod_wr_box_end(wr, inner);
    vod_wr_zero(wr, 3);
    vod_wr_bytes(wr, "xyz", 3);
    vod_wr_bytes(wr, NULL, 0);
    vod_wr_box_end(wr, outer);
    vod_wr_str(wr, "s\"<");
    vod_wr_dec(wr, 4711);
    vod_wr_fmt(wr, "%03d|%s", 7, "f");
    vod_wr_micro(wr, 1500000);
    vod_wr_xml(wr, "a&b", 3);
    vod_wr_quoted(wr, "a\"b", 3);
}


static const uint8_t  all[] =
    "\0\0\0\x2c" "moov" "\0\0\0\x1e" "free" "\x01\x02\x03\x04" "\x11"
    "\x22\x33" "\x44\x55\x66" "\x77\x88\x99\xaa"
    "\x01\x02\x03\x04\x05\x06\x07\x08" "\0\0\0" "xyz"
    "s\"<" "4711" "007|f" "1.500000" "a&amp;b" "a'b";


static void
test_all(void)
{
    uint8_t    *p;
    uint64_t    len, room, bad;
    vod_wr_t    wr;

    len = sizeof(all) - 1;

    vod_wr_init(&wr, NULL, 0);
    write_all(&wr);

    is_int(wr.len, len, "measured");
    is_int(wr.overflow, 0, "measuring does not run out of room");

    p = malloc(len);
    vod_wr_init(&wr, p, len);
    write_all(&wr);

    is_int(wr.len, len, "written");
    is_int(wr.overflow, 0, "into just enough room");
    is_mem(p, all, len, "boxes with their sizes, numbers big-endian, text");
    free(p);

    /* any shorter room: said, counted in full, not a byte beyond */

    for (room = 0, bad = 0; room < len; room++) {
        p = malloc(room ? room : 1);
        vod_wr_init(&wr, p, room);
        write_all(&wr);

        bad += wr.overflow == 0 || wr.len != len;
        free(p);
    }

    is_int(bad, 0, "no room too short goes unnoticed");
}


static void
test_reserve(void)
{
    uint8_t   *p, buf[8];
    vod_wr_t   wr;

    vod_wr_init(&wr, buf, 8);

    p = vod_wr_reserve(&wr, 5);
    ok(p == buf, "room at the start");
    p = vod_wr_reserve(&wr, 3);
    ok(p == buf + 5, "room behind it");
    p = vod_wr_reserve(&wr, 0);
    ok(p == buf + 8 && !wr.overflow, "no room is always there");
    p = vod_wr_reserve(&wr, 1);
    ok(p == NULL && wr.overflow, "and no more");
    ok(vod_wr_reserve(&wr, 0) == NULL, "overflow stays");

    vod_wr_init(&wr, buf, 8);
    ok(vod_wr_reserve(&wr, UINT64_MAX) == NULL && wr.overflow,
       "a length that would wrap");

    vod_wr_init(&wr, NULL, 8);
    ok(vod_wr_reserve(&wr, 100) == NULL && !wr.overflow && wr.len == 100,
       "measuring has no room and no end");
}


static void
test_patch(void)
{
    uint8_t   buf[8];
    vod_wr_t  wr;

    vod_wr_init(&wr, buf, 8);
    vod_wr_u32(&wr, 0);
    vod_wr_u16(&wr, 0);

    vod_wr_patch32(&wr, 2, 0x01020304);
    is_mem(buf, "\0\0\x01\x02\x03\x04", 6, "four bytes are replaced");
    is_int(wr.len, 6, "the length is the same");

    vod_wr_patch32(&wr, 3, 1);
    is_int(wr.overflow, 1, "not beyond what was written");

    vod_wr_init(&wr, buf, 8);
    vod_wr_u16(&wr, 0);
    vod_wr_patch32(&wr, 0, 1);
    is_int(wr.overflow, 1, "nor where less was");

    vod_wr_init(&wr, buf, 8);
    vod_wr_u64(&wr, 0);
    vod_wr_patch32(&wr, UINT64_MAX, 1);
    is_int(wr.overflow, 1, "nor at an offset that wraps");
}


static void
test_text(void)
{
    char      longer[600];
    vod_wr_t  wr;

    is_str(dec(0), "0", "0");
    is_str(dec(10), "10", "10");
    is_str(dec(UINT64_MAX), "18446744073709551615", "the largest number");

    is_str(micro(0), "0.000000", "0 s");
    is_str(micro(1), "0.000001", "a microsecond");
    is_str(micro(999999), "0.999999", "nearly a second");
    is_str(micro(6006000), "6.006000", "6.006 s");
    is_str(micro(UINT64_MAX), "18446744073709.551615", "ages");

    memset(longer, 'x', sizeof(longer));
    longer[599] = '\0';

    vod_wr_init(&wr, NULL, 0);
    vod_wr_fmt(&wr, "%s", longer);
    is_int(wr.overflow, 1, "printf of more than it can hold is an error");

    vod_wr_init(&wr, NULL, 0);
    vod_wr_str(&wr, longer);
    is_int(wr.len, 599, "a long string is none");
}


static void
test_xml(void)
{
    is_str(xml("plain", 5), "plain", "plain");
    is_str(xml("", 0), "", "nothing");
    is_str(xml("<a href='x'>&\"", 14),
           "&lt;a href=&#39;x&#39;&gt;&amp;&quot;",
           "what XML means something by");
    is_str(xml("a\tb\nc\rd", 7), "a b c d", "white space");
    is_str(xml("a\0b\x01\x1f\x7f", 6), "a?b???", "control characters");
    is_str(xml("\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xac", 9),
           "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xac", "2, 3 and 4 bytes UTF-8");
    is_str(xml("\xc2\x85\xc2\x9f\xc2\xa0", 6), "????\xc2\xa0",
           "C1 controls are none, a no-break space is a character");

    is_str(xml("\xe9t\xe9", 3), "?t?", "Latin-1");
    is_str(xml("\xc3", 1), "?", "a sequence that is cut");
    is_str(xml("\xe2\x82", 2), "??", "one of three that is cut");
    is_str(xml("\xe2\x82<", 3), "??&lt;", "what follows it is escaped");
    is_str(xml("\xc0\xbc", 2), "??", "'<' in two bytes");
    is_str(xml("\xe0\x80\xbc", 3), "???", "'<' in three");
    is_str(xml("\xf0\x80\x80\xbc", 4), "????", "'<' in four");
    is_str(xml("\xed\xa0\x80", 3), "???", "half a surrogate pair");
    is_str(xml("\xf4\x90\x80\x80", 4), "????", "beyond Unicode");
    is_str(xml("\xf5\x80\x80\x80\xff\xfe", 6), "??????", "no UTF-8 at all");
    is_str(xml("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", 9),
           "??????\xef\xbf\xbd", "two that are no characters, one that is");
    is_str(xml("\xee\x80\x80\xf4\x8f\xbf\xbd", 7),
           "\xee\x80\x80\xf4\x8f\xbf\xbd", "private use");
}


static void
test_quoted(void)
{
    is_str(quoted("plain <&> 'x'", 13), "plain <&> 'x'", "plain");
    is_str(quoted("a\"b", 3), "a'b", "a quotation mark");
    is_str(quoted("a\r\nb\tc", 6), "a  b c", "the end of a line");
    is_str(quoted("a\0b\x1b[1m", 7), "a?b?[1m", "control characters");
    is_str(quoted("\xc3\xa9\xff", 3), "\xc3\xa9?", "UTF-8 and what is none");
    is_str(quoted("\xc2\x85", 2), "??", "NEL, to some the end of a line");
}


int
main(void)
{
    test_all();
    test_reserve();
    test_patch();
    test_text();
    test_xml();
    test_quoted();

    return done_testing();
}
