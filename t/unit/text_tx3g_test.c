/* 3GPP timed text: sample entry, samples, style records (TS 26.245, 5.16) */

#include "texts.h"


/* length, text; a styl box of n records; a record */

#define TEXT(len, text)   "\0" len text
#define STYL(size, n)     "\0\0\0" size "styl\0" n
#define REC(from, to, face)                                                   \
    "\0" from "\0" to "\0\1" face "\22\377\377\377\377"

#define SAMPLE(reader, s)  texts_sample_of(reader, s, sizeof(s) - 1)


/* a sample entry: displayFlags in front, a face behind the default box */

#define ENTRY(flags, face)                                                    \
    "\0\0\0\56tx3g\0\0\0\0\0\0\0\1" flags "\1\377\0\0\0\377"                  \
    "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\1" face "\22\377\377\377\377"


static void
test_text(void)
{
    vod_text_reader_t  reader;

    vod_text_open(&reader, VOD_TEXT_TX3G, NULL, 0);

    is_str(SAMPLE(&reader, TEXT("\7", "a < b\nc")), "a &lt; b/c",
           "UTF-8, escaped");
    is_str(SAMPLE(&reader, TEXT("\4", "\xc3\xa9\xff" "b")),
           "\xc3\xa9\357\277\275b", "not well formed");
    is_str(SAMPLE(&reader, TEXT("\16", "\xfe\xff\0a\x20\xac\0\r\0\n\xd8\x3d"
                                "\xde\x00")),
           "a\xe2\x82\xac/\xf0\x9f\x98\x80", "UTF-16");
    is_str(SAMPLE(&reader, TEXT("\7", "\xff\xfe" "a\0<\0b")),
           "a&lt;\357\277\275", "little endian, cut short");
    is_str(SAMPLE(&reader, TEXT("\2", "\xfe\xff")), "(nothing)",
           "a mark alone");
    is_str(SAMPLE(&reader, TEXT("\3", "abcd")), "abc",
           "a byte behind that is no box");
    is_str(SAMPLE(&reader, TEXT("\1", "\n")), "(nothing)", "a line end alone");
    is_str(SAMPLE(&reader, TEXT("\0", "")), "-", "an empty one");
    is_int(reader.damaged, 0, "none of them is damaged");

    is_str(SAMPLE(&reader, TEXT("\4", "abc")), "-", "shorter than it says");
    is_str(SAMPLE(&reader, "\0"), "-", "without a length");
    is_str(SAMPLE(&reader, ""), "-", "nothing");
    is_int(reader.damaged, 3, "they are");
}


static void
test_styles(void)
{
    vod_text_reader_t  reader;

    vod_text_open(&reader, VOD_TEXT_TX3G, NULL, 0);

    is_str(SAMPLE(&reader, TEXT("\7", "abcdefg") STYL("\42", "\2")
                  REC("\1", "\3", "\2") REC("\4", "\7", "\5")),
           "a<i>bc</i>d<b><u>efg</u></b>", "two styles");
    is_str(SAMPLE(&reader, TEXT("\5", "\xc3\xa9\xc3\xa9z") STYL("\26", "\1")
                  REC("\1", "\2", "\2")),
           "\xc3\xa9<i>\xc3\xa9</i>z", "characters are counted, not bytes");
    is_str(SAMPLE(&reader, TEXT("\10", "\xfe\xff\xd8\x3d\xde\0\0a")
                  STYL("\26", "\1") REC("\1", "\2", "\2")),
           "\xf0\x9f\x98\x80<i>a</i>", "in UTF-16, too");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") "\0\0\0\14hlit\0\1\0\2"
                  STYL("\26", "\1") REC("\0", "\1", "\1")),
           "<b>a</b>bcd", "behind another box");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\42", "\2")
                  REC("\2", "\3", "\1") REC("\0", "\1", "\2")),
           "ab<b>c</b>d", "out of order: the later one is not seen");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\26", "\5")
                  REC("\1", "\2", "\1")),
           "a<b>b</b>cd", "fewer records than it says");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\12", "\0")), "abcd",
           "no records");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\26", "\1")
                  REC("\3", "\1", "\1")), "abcd", "an end before the start");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\377", "\1")
                  REC("\0", "\4", "\1")), "abcd", "longer than the sample");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\26", "\1")
                  REC("\0", "\377", "\1")), "<b>abcd</b>",
           "longer than the text");
}


static void
test_entry(void)
{
    vod_cue_t          cue;
    vod_text_reader_t  reader;
    const char        *sample;

    sample = TEXT("\1", "a") "\0\0\0\10frcd";

    vod_text_open(&reader, VOD_TEXT_TX3G, NULL, 0);
    ok(vod_text_sample(&reader, sample, 3, &cue) && !cue.forced,
       "a sample like others");
    ok(vod_text_sample(&reader, sample, 11, &cue) && cue.forced,
       "one that is forced");

    vod_text_open(&reader, VOD_TEXT_TX3G, ENTRY("\300\0\0\0", "\3"), 46);
    ok(vod_text_sample(&reader, sample, 3, &cue) && cue.forced,
       "all are forced");
    is_str(SAMPLE(&reader, TEXT("\4", "abcd") STYL("\26", "\1")
                  REC("\1", "\2", "\4")),
           "<i><b>a</b></i><u>b</u><i><b>cd</b></i>",
           "a style holds but where another one does");

    vod_text_open(&reader, VOD_TEXT_TX3G, ENTRY("\100\0\0\0", "\3"), 40);
    ok(vod_text_sample(&reader, sample, 3, &cue) && !cue.forced
       && cue.style == 0, "an entry that is cut short says nothing");
}


int
main(void)
{
    test_text();
    test_styles();
    test_entry();

    return done_testing();
}
