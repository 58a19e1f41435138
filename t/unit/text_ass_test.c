/* SubStation Alpha: files, Matroska's blocks, overrides and styles */

#include "texts.h"


#define EVENTS  "[Script Info]\nTitle: x\n\n[Events]\n"                       \
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, "     \
    "Effect, Text\n"
#define ASS(text)   texts_file(VOD_TEXT_ASS, text)
#define LINE(text)  ASS(EVENTS                                                \
    "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,," text "\n")
#define IS          "1000-2000 "

#define STYLES  "[V4+ Styles]\nFormat: Name, Fontname, Fontsize, "            \
    "PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, "       \
    "Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, "          \
    "BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, "    \
    "Encoding\n"
#define STYLE(name, style, align)                                             \
    "Style: " name ",Arial,20,&H00FFFFFF,&H0,&H0,&H0," style                  \
    ",0,100,100,0,0,1,2,2," align ",10,10,10,1\n"


static void
test_file(void)
{
    is_str(ASS(EVENTS
               "Dialogue: 0,0:00:01.50,0:00:04.00,Default,,0,0,0,,One, two\n"
               "Comment: 0,0:00:01.50,0:00:04.00,Default,,0,0,0,,not this\n"
               "Dialogue: 3,100:00:04.05,100:00:05.25,Default,,0,0,0,,Two\n"),
           "1500-4000 One, two; 360004050-360005250 Two", "a file");
    is_str(ASS("[Events]\nFormat: Text, End\nFormat: Start, End, Text\n"
               "Dialogue: 0:00:01.00,0:00:02.00,One\n"),
           IS "One", "other fields");
    is_str(ASS("Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,One\n"),
           IS "One", "the usual fields where none are named");
    is_str(ASS(EVENTS "Dialogue: 0,0:00:01.00,x,Default,,0,0,0,,One\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00,Default\n"
               "Dialogue: 0,0:00:02.00,0:00:01.00,Default,,0,0,0,,One\n"
               "Dialogue:\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,One\n"),
           IS "One; 4 damaged", "times and fields that are missing");
    is_str(ASS("[Events]\nFormat: Layer, Start, End\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00\n"),
           "1 damaged", "no field is the text");
    is_str(ASS("[Events]\r\nFormat: Start, End, Text\r\n"
               "Dialogue: 0:00:01.00,0:00:02.00,One\r\n"),
           IS "One", "ends of lines with CR");
    is_str(ASS(""), "", "nothing at all");
}


static void
test_overrides(void)
{
    is_str(LINE("One\\Ntwo\\nthree\\hfour \\x"),
           IS "One/two/three\302\240four \\x", "escapes");
    is_str(LINE("\\N\\NOne\\N \\N\\Ntwo\\N"),
           IS "One/\302\240/\302\240/two", "empty lines");
    is_str(LINE("a {\\i1}b{\\i0} {\\b1}c{\\b0} {\\u1}d{\\u0} & <e>"),
           IS "a <i>b</i> <b>c</b> <u>d</u> &amp; &lt;e&gt;", "styles");
    is_str(LINE("{\\i1\\b1\\u1}a{\\i0}b"), IS "<i><b><u>a</u></b></i><b><u>b"
           "</u></b>", "of three that are open the outermost ends");
    is_str(LINE("{\\b700}a{\\b400}b{\\b600}c{\\b}d{\\i2}e"),
           IS "<b>a</b>b<b>c</b>de", "weights");
    is_str(LINE("{\\i1}a{\\r}b{\\i1}c{\\rOther}d"), IS "<i>a</i>b<i>c</i>d",
           "back to what the line began with");
    is_str(LINE("{\\fnArial\\fs20\\bord2\\be1\\blur3\\iclip(1,2,3,4)"
                "\\pos(1,2)\\c&HFF&\\alpha&H80&\\pbo1\\k20\\fad(1,2)}a"),
           IS "a", "other overrides go");
    is_str(LINE("{\\t(0,100,\\i1\\t(\\b1))\\u1}a"), IS "<u>a</u>",
           "those of another time are not applied");
    is_str(LINE("{\\t(\\i1}a{\\i1}b"), IS "a<i>b</i>",
           "a parenthesis that does not end, ends with its block");
    is_str(LINE("{a comment}a{}b{\\}c{ \\i1 }d"), IS "abc<i>d</i>",
           "comments and blanks");
    is_str(LINE("a {b{c"), IS "a {b{c", "braces that do not end");
    is_str(LINE("{\\p1}m 0 0 l 1 0{\\p0}a{\\p2}m 0 0"), IS "a",
           "drawings go");
    is_str(LINE("{\\p1}m 0 0 l 1 0"), IS "(nothing)", "to the last");
    is_str(LINE("{\\an8}a{\\an1}b"), IS "{line:0} ab",
           "where it stands is said once");
    is_str(LINE("{\\an1}a"), IS "{align:left} a", "below, left");
    is_str(LINE("{\\an6}a"), IS "{line:50% align:right} a", "right");
    is_str(LINE("{\\an0}a"), IS "a", "none");
    is_str(LINE("{\\an99999999999}a"), IS "a", "nor that");
    is_str(LINE("{\\a6}a"), IS "{line:0} a", "as SSA has it: above");
    is_str(LINE("{\\a9}a"), IS "{line:50% align:left} a", "left");
    is_str(LINE("{\\a3}a"), IS "{align:right} a", "right");
    is_str(LINE("{\\a4}a"), IS "a", "none");
}


static void
test_styles(void)
{
    is_str(ASS(STYLES STYLE("Default", "-1,0,0", "2")
               STYLE("Sign", "0,1,0", "9") EVENTS
               "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a{\\b0}b\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00,*Sign,,0,0,0,,a{\\i0}b{\\i}"
               "c{\\u1}d{\\r}e\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00,Other,,0,0,0,,a\n"
               "Dialogue: 0,0:00:01.00,0:00:02.00,Sign,,0,0,0,,{\\an5}a\n"),
           IS "<b>a</b>b; "
           IS "{line:0 align:right} <i>a</i>b<i>c<u>d</u>e</i>; "
           IS "a; " IS "{line:50%} <i>a</i>", "of a file");
    is_str(ASS("[V4 Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, "
               "SecondaryColour, TertiaryColour, BackColour, Bold, Italic, "
               "BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, "
               "MarginV, AlphaLevel, Encoding\n"
               "Style: Default,Arial,20,0,0,0,0,0,-1,1,2,2,6,10,10,10,0,1\n"
               "[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, "
               "MarginR, MarginV, Effect, Text\n"
               "Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a\n"),
           IS "{line:0} <i>a</i>", "of SSA");
    is_str(ASS("[V4 Styles]\n"
               "Style: D,Arial,20,0,0,0,0,0,-1,1,2,2,5,10,10,10,0,1\n"
               EVENTS "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,a\n"),
           IS "{line:0 align:left} <i>a</i>", "without their format");
    is_str(ASS(STYLES STYLE("D", "0,-1,0", "2") STYLE("D", "0,0,-1", "0")
               EVENTS "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,a\n"),
           IS "<u>a</u>", "the last one of a name");
    is_str(ASS("[V4+ Styles]\nStyle:\nStyle: ,a\nStyle: D\n"
               EVENTS "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,a\n"),
           IS "a", "lines with too little");
}


static void
test_many_styles(void)
{
    int                  i;
    char                 file[16384];
    vod_cue_t            cue;
    vod_text_reader_t    reader;
    static const char    line[] =
        "Dialogue: 7,0:00:01.00,0:00:02.00,S99,,0,0,0,,a\n"
        "Dialogue: -7,0:00:01.00,0:00:02.00,S63,,0,0,0,,a\n";

    strcpy(file, STYLES);

    for (i = 0; i < 100; i++) {
        sprintf(file + strlen(file), STYLE("S%d", "-1,0,0", "2"), i);
    }

    strcat(file, EVENTS);
    strcat(file, line);

    vod_text_open(&reader, VOD_TEXT_ASS, file, strlen(file));
    is_int(reader.n_styles, VOD_TEXT_STYLES, "as many styles as there is room");

    ok(vod_text_next(&reader, &cue) && cue.style == 0 && cue.layer == 7,
       "more are plain; a layer");
    ok(vod_text_next(&reader, &cue) && cue.style == VOD_TEXT_BOLD
       && cue.layer == 0, "the last one there was room for; no layer below 0");
    ok(!vod_text_next(&reader, &cue), "the end");
}


static void
test_blocks(void)
{
    vod_text_reader_t   reader;
    static const char   private[] = "[Script Info]\r\n\r\n" STYLES
        STYLE("Default", "0,-1,0", "8") "\r\n[Events]\r\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, "
        "Effect, Text\r\n";

    vod_text_open(&reader, VOD_TEXT_ASS, private, sizeof(private));

    is_str(texts_sample(&reader, "0,1,Default,,0,0,0,,One, {\\i0}two\\Nthree"),
           "{line:0} <i>One,</i> two/three", "a block of Matroska's");
    is_str(texts_sample_of(&reader, "1,0,None,,0,0,0,,One\r\n\0", 23), "One",
           "padded");
    is_str(texts_sample(&reader, "2,0,Default,,0,0,0"), "-",
           "a field is missing");
    is_str(texts_sample(&reader, ""), "-", "an empty one");
    is_int(reader.damaged, 2, "both are counted");
    is_str(texts_sample(&reader, "3,0,Default,,0,0,0,,"), "-", "no text");
    is_int(reader.damaged, 2, "which is no damage");
    is_int(reader.number, 2, "what was good, too");
}


int
main(void)
{
    test_file();
    test_overrides();
    test_styles();
    test_many_styles();
    test_blocks();

    return done_testing();
}
