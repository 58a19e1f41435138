/* SRT: what is found in files of that name */

#include "texts.h"


#define SRT(text)  texts_file(VOD_TEXT_SRT, text)
#define ONE        "1\n00:00:01,000 --> 00:00:02,000\n"
#define IS         "1000-2000 "


static void
test_times(void)
{
    is_str(SRT("1\n00:00:01,500 --> 00:00:04,000\nOne\n\n"
               "2\n01:00:04,000 --> 01:00:05,250\nTwo\nlines\n"),
           "1500-4000 One; 3604000-3605250 Two/lines", "as it should be");
    is_str(SRT("100:00:00,000 --> 1000:00:00,000\nOne\n"),
           "360000000-3600000000 One", "hours of three digits");
    is_str(SRT("00:01,500 --> 00:04.000\nOne\n"), "1500-4000 One",
           "no hours, a full stop");
    is_str(SRT("0:0:1 -> 0:1:4\nOne\n"), "1000-64000 One",
           "one digit, no fraction, a short arrow");
    is_str(SRT("00:00:01,5 --> 00:00:02,0509\nOne\n"), "1500-2050 One",
           "a fraction is a fraction, however long");
    is_str(SRT("00:00:01:500 --> 00:00:02:000\nOne\n"), "1500-2000 One",
           "a colon before the fraction");
    is_str(SRT("\t00: 00: 01 , 500-->00:00:02 ,000\nOne\n"),
           "1500-2000 One", "blanks all over");
    is_str(SRT("00:00:01,000 --> 00:00:02,000  X1:100 X2:200 Y1:1 Y2:2\nOne\n"),
           IS "One", "coordinates go");
    is_str(SRT("00:00:02,000 --> 00:00:01,000\nOne\n\n" ONE "Two\n"),
           IS "Two; 1 damaged", "an end before the start");
    is_str(SRT("3\n00:00:xx,000 --> 00:00:01,000\nOne\n\n" ONE "Two\n"),
           IS "Two; 1 damaged", "a line of times that is none");
    is_str(SRT("-00:00:01,000 --> 00:00:01,000\nOne\n\n" ONE "Two\n"),
           IS "Two; 1 damaged", "a time below 0");
    is_str(SRT("99999999999:00:00,000 --> 99999999999:00:01,000\nOne"),
           "1 damaged", "hours beyond any number");
}


static void
test_blocks(void)
{
    is_str(SRT(ONE "One\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n"),
           IS "One; 3000-4000 Two", "an empty line is missing");
    is_str(SRT("00:00:01,000 --> 00:00:02,000\nOne\n\n"
               "00:00:03,000 --> 00:00:04,000\nTwo\n"),
           IS "One; 3000-4000 Two", "counters are missing");
    is_str(SRT(ONE "One\n\nstill one\n\n\n7\n"
               "00:00:03,000 --> 00:00:04,000\nTwo\n\n\n\n"),
           IS "One/\302\240/still one; 3000-4000 Two",
           "an empty line within the text");
    is_str(SRT(ONE "42\n\n2\n00:00:03,000 --> 00:00:04,000\n43\n"),
           IS "42; 3000-4000 43", "a text that is a number");
    is_str(SRT(ONE "\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n"),
           IS "(nothing); 3000-4000 Two", "no text");
    is_str(SRT(ONE "2\n00:00:03,000 --> 00:00:04,000\nTwo\n"),
           IS "(nothing); 3000-4000 Two", "nor anything else between");
    is_str(SRT("00:00:05,000 --> 00:00:06,000\nTwo\n\n" ONE "One\n"),
           "5000-6000 Two; " IS "One", "in the order of the file");
    is_str(SRT("made by someone\n\n" ONE "One --> two\n10 --> 11 things\n"),
           IS "One --&gt; two; 1 damaged",
           "arrows in a text; one that begins like times");
    is_str(SRT(ONE "It is 10:30 already\n10:30 - 11:00 lunch\n"),
           IS "It is 10:30 already/10:30 - 11:00 lunch", "times in a text");
    is_str(SRT("1\r\n00:00:01,000 --> 00:00:02,000\r\nOne\r\nline\r\n\r\n"),
           IS "One/line", "ends of lines with CR");
    is_str(SRT(""), "", "nothing at all");
}


static void
test_markup(void)
{
    is_str(SRT(ONE "<i>One</i> <B>two</B> <u>three</u>\n"),
           IS "<i>One</i> <b>two</b> <u>three</u>", "styles stay");
    is_str(SRT(ONE "<em>One</em> <strong>two</strong>\n"),
           IS "<i>One</i> <b>two</b>", "also under other names");
    is_str(SRT(ONE "<font color=\"#ff0000\">One</font> <s>two</s><br/>three"),
           IS "One two/three", "other tags go");
    is_str(SRT(ONE "a < b & c > d <- <3 <x> </ <font <i\n"),
           IS "a &lt; b &amp; c &gt; d &lt;- &lt;3 &lt;x&gt; &lt;/ &lt;font "
           "&lt;i", "what is no tag is text");
    is_str(SRT(ONE "<i>One\ntwo\n"), IS "<i>One/two</i>",
           "what is open is closed at the end");
    is_str(SRT(ONE "<i>a<b>b</i>c</b>d\n"), IS "<i>a<b>b</b></i><b>c</b>d",
           "tags across each other");
    is_str(SRT(ONE "<i>a<i>b</i>c</i>d</i>e\n"), IS "<i>abc</i>de",
           "tags within each other, and one end too many");
    is_str(SRT(ONE "<i></i> <b> </b>x<i> </i>\n"), IS "  x",
           "a style of nothing is not written");
    is_str(SRT(ONE "{\\an8}Up {\\i1}here{\\i0}, {y:i}\n"),
           IS "{line:0} Up <i>here</i>, {y:i}",
           "overrides of ASS count, other braces are text");
    is_str(SRT(ONE "{\\an8 Up\n"), IS "{\\an8 Up", "an override without end");
    is_str(SRT(ONE "{\\an2}a{\\an7}b"), IS "ab",
           "of two places the first one counts, and is the usual");
    is_str(SRT(ONE "\xc3\xa9 \xe2\x82 \xff\n"),
           IS "\xc3\xa9 \357\277\275\357\277\275 \357\277\275",
           "what is not UTF-8");
    is_str(SRT(ONE "\302\240\n"), IS "(nothing)", "a no-break space alone");
    is_str(SRT(ONE "a--><i>-</i>->b"), IS "a--&gt;<i>-</i>-&gt;b",
           "no arrow is left");
}


int
main(void)
{
    vod_text_reader_t  reader;

    test_times();
    test_blocks();
    test_markup();

    vod_text_open(&reader, VOD_TEXT_SRT, NULL, 0);
    is_str(texts_sample(&reader, "<i>One</i>\r\nTwo & three\r\n"),
           "<i>One</i>/Two &amp; three", "a block of a container");

    return done_testing();
}
