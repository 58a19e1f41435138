/* encodings, formats, times and order of subtitles */

#include "texts.h"


#define BAD  "\357\277\275"             /* U+FFFD */


static char  out[4096];


/* measured, written within the bound, and not beyond */

static const char *
utf8(const char *in, size_t len)
{
    char    *copy, *room;
    size_t   need, n;

    copy = texts_copy(in, len);
    need = vod_text_utf8((uint8_t *) copy, len, NULL, 0);
    room = malloc(need ? need : 1);
    n = vod_text_utf8((uint8_t *) copy, len, room, need);

    if (n != need || n > vod_text_utf8_bound(len) || n >= sizeof(out)) {
        snprintf(out, sizeof(out), "(%zu measured, %zu written)", need, n);

    } else {
        memcpy(out, room, n);
        out[n] = '\0';
    }

    free(copy);
    free(room);

    return out;
}


#define UTF8(in)  utf8(in, sizeof(in) - 1)


static void
test_utf8(void)
{
    is_str(UTF8("\xef\xbb\xbf" "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
           "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "with a mark");
    is_str(UTF8("a\xc3\xa9z"), "a\xc3\xa9z", "without one");
    is_str(UTF8("a\r\nb\rc\n\r\nd\r"), "a\nb\nc\n\nd\n", "ends of lines");
    is_str(UTF8("a\0b"), "a" BAD "b", "a zero");
    is_str(UTF8("\xef\xbb\xbf" "a\xff\xed\xa0\x80\xf4\x90\x80\x80"),
           "a" BAD BAD BAD BAD BAD BAD BAD BAD,
           "with a mark, and not well formed");
    is_str(UTF8("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
                "\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                "\xc3\xa9 \xe2\x82"),
           "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3"
           "\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
           "\xc3\xa9 " BAD BAD, "a character cut short in a file of UTF-8");
    is_str(UTF8(""), "", "nothing");
    is_str(UTF8("\xef\xbb\xbf"), "", "a mark alone");
}


static void
test_1252(void)
{
    is_str(UTF8("caf\xe9 \x80 \x93\x94 \xdf\r\nna\xefve"),
           "caf\xc3\xa9 \xe2\x82\xac \xe2\x80\x9c\xe2\x80\x9d \xc3\x9f\n"
           "na\xc3\xafve", "Windows-1252");
    is_str(UTF8("\x81\x8d\x8f\x90\x9d \xff"),
           "\xc2\x81\xc2\x8d\xc2\x8f\xc2\x90\xc2\x9d \xc3\xbf",
           "places of it that hold nothing");
    is_str(UTF8("\xc3\xa9\xe9"), "\xc3\x83\xc2\xa9\xc3\xa9",
           "one of two is not well formed");
}


static void
test_utf16(void)
{
    is_str(UTF8("\xff\xfe" "a\0\xe9\0\xac\x20\x3d\xd8\x00\xde"),
           "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "little endian");
    is_str(UTF8("\xfe\xff\0a\0\xe9\x20\xac\xd8\x3d\xde\x00"),
           "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "big endian");
    is_str(UTF8("1\0\r\0\n\0" "2\0\n\0" "3\0\r\0"), "1\n2\n3\n",
           "little, without a mark");
    is_str(UTF8("\0" "1\0\r\0\n\0" "2\x65\xe5"), "1\n2\xe6\x97\xa5",
           "big, without a mark");
    is_str(UTF8("\xff\xfe\x3d\xd8" "a\0\x00\xde" "b\0\x3d\xd8"),
           BAD "a" BAD "b" BAD, "halves of pairs");
    is_str(UTF8("\xff\xfe\x3d\xd8\x3d\xd8\x00\xde" "c"),
           BAD "\xf0\x9f\x98\x80" BAD, "a half before a pair; an odd byte");
    is_str(UTF8("\xff\xfe"), "", "a mark alone");
    is_str(UTF8("\xff\xfe\0\0"), BAD, "a zero");
}


static void
test_room(void)
{
    char    room[8];
    size_t  n;

    memset(room, '.', sizeof(room));
    n = vod_text_utf8((const uint8_t *) "abc\xe9" "efg", 7, room, 4);

    is_int(n, 8, "the length is told where room is short");
    is_mem(room + 4, "....", 4, "and nothing is written beyond");
}


#define FORMAT(text)  vod_text_format(text, strlen(text))


static void
test_format(void)
{
    is_int(FORMAT("WEBVTT\n\n"), VOD_TEXT_VTT, "WebVTT");
    is_int(FORMAT("WEBVTT"), VOD_TEXT_VTT, "its signature alone");
    is_int(FORMAT("WEBVTT - x\n"), VOD_TEXT_VTT, "with a title");
    is_int(FORMAT("WEBVTTX\n"), 0, "another word");
    is_int(FORMAT("webvtt\n"), 0, "in small letters");
    is_int(FORMAT("\n\n1\n00:00:01,000 --> 00:00:02,000\nx"), VOD_TEXT_SRT,
           "SRT");
    is_int(FORMAT("a title\n00:01.000 --> 00:02.000\nx"), VOD_TEXT_SRT,
           "WebVTT without its signature is read as SRT");
    is_int(FORMAT("; x\n[script info]\n"), VOD_TEXT_ASS, "ASS");
    is_int(FORMAT("[Events]\n"), VOD_TEXT_ASS, "its events alone");
    is_int(FORMAT("Dialogue: x\n"), 0, "a line that could be ASS");
    is_int(FORMAT("#EXTM3U\n"), 0, "a playlist");
    is_int(FORMAT(""), 0, "nothing");
    is_int(vod_text_format(NULL, 0), 0, "not even a pointer");
    is_int(FORMAT("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                  "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                  "\n\n\n\n\n\n\n\n\n[Events]\n"), 0, "far behind the start");
}


static const char *
clock_of(int64_t ms)
{
    static char  text[VOD_TEXT_TIME + 1];

    text[vod_text_time(ms, text)] = '\0';

    return text;
}


static void
test_time(void)
{
    is_str(clock_of(0), "00:00:00.000", "0");
    is_str(clock_of(3599999), "00:59:59.999", "an hour, but for 1 ms");
    is_str(clock_of(359999999), "99:59:59.999", "the last with two digits");
    is_str(clock_of(360000000), "100:00:00.000", "the first with three");
    is_str(clock_of(-1), "00:00:00.000", "below 0");
    is_str(clock_of(INT64_MAX), "2562047788015:12:55.807", "the largest");
}


static void
test_sort(void)
{
    int         good;
    uint32_t    i, n;
    uint64_t    seed;
    vod_cue_t   cues[200];

    memset(cues, 0, sizeof(cues));
    seed = 5;

    for (n = 0; n <= 200; n += n < 8 ? 1 : 48) {

        for (i = 0; i < n; i++) {
            cues[i].start = (int64_t) (tap_rand(&seed) % 16);
            cues[i].layer = (uint32_t) (tap_rand(&seed) % 3);
            cues[i].number = i;
            cues[i].end = (int64_t) i;
        }

        vod_text_sort(cues, n);
        good = 1;

        for (i = 0; i < n; i++) {
            good &= cues[i].end == (int64_t) cues[i].number;

            if (i) {
                good &= cues[i - 1].start < cues[i].start
                        || (cues[i - 1].start == cues[i].start
                            && (cues[i - 1].layer < cues[i].layer
                                || (cues[i - 1].layer == cues[i].layer
                                    && cues[i - 1].number
                                       < cues[i].number)));
            }
        }

        ok(good, "%u cues in order", n);
    }
}


static void
test_no_format(void)
{
    vod_cue_t          cue;
    vod_text_reader_t  reader;

    vod_text_open(&reader, 0, "WEBVTT\n", 7);
    is_int(vod_text_next(&reader, &cue), 0, "a text of no format has no cue");

    vod_text_open(&reader, VOD_TEXT_TX3G, "WEBVTT\n", 7);
    is_int(vod_text_next(&reader, &cue), 0, "nor has one of samples");
}


static void
test_room_of_cue(void)
{
    char       room[128];
    size_t     n;
    vod_cue_t  cue;

    memset(&cue, 0, sizeof(cue));
    cue.format = VOD_TEXT_SRT;
    cue.text = "One";
    cue.text_len = 3;
    cue.align = 7;
    cue.id = "a --> b";
    cue.id_len = 7;

    is_int(vod_text_cue(&cue, NULL, 0), 0, "no room");
    is_int(vod_text_cue(&cue, room, 19), 0, "too little room");
    is_str(cue.text, "One", "the cue is as it was");

    n = vod_text_cue(&cue, room, vod_text_cue_bound(&cue));
    is_int(n, 20, "all of it");
    is_mem(room, "Oneline:0 align:left", 20, "text, settings; no bad name");
    is_int(cue.format, VOD_TEXT_VTT, "it is WebVTT");
    is_int(cue.align, 0, "and stands where it says");

    cue.id = "x\ny";
    cue.id_len = 3;
    n = vod_text_cue(&cue, room + 64, 64);
    is_int(n, 21, "once more, out of the room");
    is_mem(room + 64, "Oneline:0 align:leftx", 21, "the first line of a name");

    cue.text_len = 0;
    is_int(vod_text_cue(&cue, room, sizeof(room)), 0, "no text");
}


int
main(void)
{
    test_utf8();
    test_1252();
    test_utf16();
    test_room();
    test_format();
    test_time();
    test_sort();
    test_no_format();
    test_room_of_cue();

    return done_testing();
}
