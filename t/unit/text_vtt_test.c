/* WebVTT as a file: the parser's rules (WebVTT, 6.1) and what breaks them */

#include "texts.h"


#define VTT(text)  texts_file(VOD_TEXT_VTT, "WEBVTT\n\n" text)


static void
test_times(void)
{
    is_str(VTT("00:01.500 --> 00:04.000\nOne\n"), "1500-4000 One",
           "minutes alone");
    is_str(VTT("01:00:01.500 --> 01:00:04.000\nOne\n"), "3601500-3604000 One",
           "with hours");
    is_str(VTT("123:59:59.999 --> 1000:00:00.000\nOne\n"),
           "446399999-3600000000 One", "hours of three digits and of four");
    is_str(VTT("0:00:01.000 --> 0:00:02.000\nOne\n"), "1000-2000 One",
           "an hour of one digit");
    is_str(VTT("999999999:00:00.000 --> 999999999:00:00.001\nOne\n"),
           "3599999996400000-3599999996400001 One", "as many as are allowed");
    is_str(VTT("\t 00:01.000-->00:02.000\nOne\n"), "1000-2000 One",
           "no blanks where they may be missing, some where they may stand");

    is_str(VTT("00:01 --> 00:02.000\nOne\n\n00:03.000 --> 00:04.000\nTwo\n"),
           "3000-4000 Two; 1 damaged", "a fraction is missing");
    is_str(VTT("00:01,000 --> 00:02,000\nOne\n"), "1 damaged",
           "a comma is SRT's");
    is_str(VTT("00:01.00 --> 00:02.000\nOne\n"), "1 damaged",
           "two digits of a fraction");
    is_str(VTT("0:01.000 --> 00:02.000\nOne\n"), "1 damaged",
           "minutes of one digit are hours, of which the rest is missing");
    is_str(VTT("00:60.000 --> 02:00.000\nOne\n"), "1 damaged",
           "60 seconds");
    is_str(VTT("00:60:00.000 --> 02:00:00.000\nOne\n"), "1 damaged",
           "60 minutes of an hour");
    is_str(VTT("99999999999999999999:00:00.000 --> 1:00:00.000\nOne\n"),
           "1 damaged", "hours beyond any number");
    is_str(VTT("00:02.000 --> 00:01.000\nOne\n\n00:03.000 --> 00:03.000\nTwo"),
           "2 damaged", "an end that is not behind the start");
    is_str(VTT("00:01.000 00:02.000 --> 00:03.000\nOne\n"), "1 damaged",
           "two times before the arrow");
    is_str(VTT("-00:01.000 --> 00:01.000\nOne\n"), "1 damaged",
           "a time below 0");
}


static void
test_blocks(void)
{
    is_str(texts_file(VOD_TEXT_VTT, "WEBVTT\n00:01.000 --> 00:02.000\nOne\n"),
           "1000-2000 One", "a cue right behind the signature");
    is_str(texts_file(VOD_TEXT_VTT, "WEBVTT - a title\nKind: captions\n\n"
                      "00:01.000 --> 00:02.000\nOne"),
           "1000-2000 One", "a title and lines behind it; no last line end");
    is_str(texts_file(VOD_TEXT_VTT, "WEBVTT\r\n\r\n"
                      "00:01.000 --> 00:02.000\r\nOne\r\nTwo\r\n\r\n"
                      "00:02.000 --> 00:03.000\r\nThree\r\n"),
           "1000-2000 One/Two; 2000-3000 Three", "ends of lines with CR");
    is_str(VTT("an id\n00:01.000 --> 00:02.000 line:0  align:start\nOne\n"),
           "1000-2000 #an id {line:0 align:start} One",
           "identifier and settings");
    is_str(VTT("two\nlines\n00:01.000 --> 00:02.000\nOne\n"),
           "1000-2000 One", "times in the third line begin a block");
    is_str(VTT("00:01.000 --> 00:02.000\nOne\n00:02.000 --> 00:03.000\nTwo\n"),
           "1000-2000 One; 2000-3000 Two", "and end the text before");
    is_str(VTT("00:01.000 --> 00:02.000\nOne\n\n\n\nid\n\nNOTE 00:05.000\n\n"
               "NOTE\nnothing\n\n00:03.000 --> 00:04.000\nTwo\n\nstray\n"),
           "1000-2000 One; 3000-4000 Two", "comments and stray lines");
    is_str(VTT("00:01.000 --> 00:02.000\n\n00:03.000 --> 00:04.000\nTwo\n"),
           "1000-2000 (nothing); 3000-4000 Two", "a cue without a text");
    is_str(VTT("00:03.000 --> 00:04.000\nTwo\n\n00:01.000 --> 00:09.000\nOne"),
           "3000-4000 Two; 1000-9000 One", "in the order of the file");
    is_str(VTT("00:01.000 --> what\nlost\n\n00:03.000 --> 00:04.000\nTwo"),
           "3000-4000 Two; 1 damaged", "a damaged cue takes its text along");
    is_str(texts_file(VOD_TEXT_VTT, "WEBVTT"), "", "no cue at all");
    is_str(texts_file(VOD_TEXT_VTT, ""), "", "nothing at all");
}


static void
test_text(void)
{
    is_str(VTT("00:01.000 --> 00:02.000\n<v Bob><i>Hi</i> &amp; bye</v>\n"),
           "1000-2000 <v Bob><i>Hi</i> &amp; bye</v>", "markup is left alone");
    is_str(VTT("00:01.000 --> 00:02.000\n \t\nTwo  \n   \n three\n \n"),
           "1000-2000 Two/\302\240/ three",
           "lines of blanks: none at the ends, one is kept within");
    is_str(VTT("00:01.000 --> 00:02.000 line:0 bad size: x:1 size:50% "
               "region:r\xff vertical:rl position:1%,line-left a-->b\nOne\n"),
           "1000-2000 {line:0 size:50% region:r\357\277\275 vertical:rl "
           "position:1%,line-left} One",
           "settings that are none go");
    is_str(VTT("00:01.000 --> 00:02.000 --> 00:03.000\nOne\n"),
           "1000-2000 One", "a second arrow");
    is_str(texts_file_of(VOD_TEXT_VTT,
                         "WEBVTT\n\n00:01.000 --> 00:02.000\na\0b\xe2\x82",
                         37),
           "1000-2000 a\357\277\275b\357\277\275\357\277\275",
           "zeros, and a character that is cut short");
}


static const char *
header_of(const char *text)
{
    static char        out[256];
    vod_text_reader_t  reader;

    vod_text_open(&reader, VOD_TEXT_VTT, text, strlen(text));

    snprintf(out, sizeof(out), "%.*s", (int) reader.header_len,
             reader.header);

    return out;
}


static void
test_header(void)
{
    is_str(header_of("WEBVTT x\nKind: y\n\nSTYLE\n::cue {}\n\nREGION\nid:a\n\n"
                     "1\n00:01.000 --> 00:02.000\nOne\n\nSTYLE\nlate\n"),
           "STYLE\n::cue {}\n\nREGION\nid:a\n\n",
           "the header ends before the first cue's identifier");
    is_str(header_of("WEBVTT\n\nSTYLE\n::cue {}\n::cue(b) {}\n"
                     "00:01.000 --> 00:02.000\nOne\n"),
           "STYLE\n::cue {}\n::cue(b) {}\n", "or before a third line's arrow");
    is_str(header_of("WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n"), "",
           "there may be none");
    is_str(header_of("WEBVTT\nSTYLE\n::cue {}\n"), "",
           "lines right behind the signature are none");
    is_str(header_of("WEBVTT\n\nNOTE\nx"), "NOTE\nx", "no cue");
    is_str(header_of("WEBVTT"), "", "the signature alone");
    is_str(header_of(""), "", "not even that");
}


static void
test_samples(void)
{
    vod_text_reader_t  reader;

    vod_text_open(&reader, VOD_TEXT_VTT, "WEBVTT\n\nSTYLE\nx", 15);
    is_int(reader.header_len, 7, "a container's header");

    is_str(texts_sample(&reader, "a --> b\n\nc"),
           "a --&gt; b/\302\240/c",
           "a block of a container: what would end a cue is made harmless");
    is_str(texts_sample_of(&reader, "One\0\0", 5), "One", "padded with zeros");
    is_str(texts_sample(&reader, "--- > -->> <c>"), "--- > --&gt;> <c>",
           "and nothing else is");
    is_str(texts_sample(&reader, ""), "-", "an empty block");
    is_str(texts_sample(&reader, "\n \n"), "(nothing)", "a blank one");
    is_int(reader.number, 4, "they are counted");
}


int
main(void)
{
    test_times();
    test_blocks();
    test_text();
    test_header();
    test_samples();

    return done_testing();
}
