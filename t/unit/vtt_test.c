/* segments of WebVTT (RFC 8216bis, 3.1.4) */

#include "texts.h"

#include "vod_vtt.h"


#define SIGNATURE  "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"


static char  out[4096];


static const char *
header(const char *text)
{
    char      *copy;
    size_t     len;
    vod_wr_t   wr;

    len = strlen(text);
    copy = texts_copy(text, len);

    vod_wr_init(&wr, out, sizeof(out));
    vod_vtt_header(&wr, copy, len);
    vod_wr_u8(&wr, 0);

    free(copy);

    return out;
}


static const char *
segment(const char *text, const vod_cue_t *cues, uint32_t n)
{
    vod_wr_t  wr, measure;

    vod_wr_init(&measure, NULL, 0);
    vod_vtt_write(&measure, text, strlen(text), cues, n);

    vod_wr_init(&wr, out, sizeof(out));
    vod_vtt_write(&wr, text, strlen(text), cues, n);
    vod_wr_u8(&wr, 0);

    return measure.len + 1 == wr.len ? out : "(measured otherwise)";
}


static void
test_header(void)
{
    is_str(header("STYLE\n::cue {}\n\nREGION\nid:a\nwidth:50%\n"),
           "STYLE\n::cue {}\n\nREGION\nid:a\nwidth:50%\n\n",
           "styles and regions");
    is_str(header("NOTE x\n\n\nSTYLE \t\n::cue {}\n\nNOTE\nSTYLE\n\nSTYLES\nx"),
           "STYLE \t\n::cue {}\n\n", "comments and other words go");
    is_str(header("STYLE\na\n00:01.000 --> 00:02.000\nb\n"), "STYLE\na\n\n",
           "nothing that would be a cue");
    is_str(header("STYLE\n--> {}\n"), "STYLE\n\n", "whatever it looks like");
    is_str(header("STYLE\r\n\xff\r\n\r\nREGION"),
           "STYLE\n\357\277\275\n\nREGION\n\n",
           "other line ends, and what is not UTF-8");
    is_str(header(""), "", "none");
    vod_vtt_header(&(vod_wr_t) { 0 }, NULL, 0);
}


static void
test_segment(void)
{
    vod_cue_t  cues[3];

    memset(cues, 0, sizeof(cues));

    cues[0].start = -500;
    cues[0].end = 2500;
    cues[0].text = "One\nline";
    cues[0].text_len = 8;

    cues[1].start = 1000;
    cues[1].end = 360000001;
    cues[1].id = "name";
    cues[1].id_len = 4;
    cues[1].settings = "line:0";
    cues[1].settings_len = 6;
    cues[1].text = "Two";
    cues[1].text_len = 3;

    is_str(segment("", NULL, 0), SIGNATURE, "no cue");
    is_str(segment("NOTE x\n\nSTYLE\ny", cues, 2),
           SIGNATURE "STYLE\ny\n\n"
           "00:00:00.000 --> 00:00:02.500\nOne\nline\n\n"
           "name\n00:00:01.000 --> 100:00:00.001 line:0\nTwo\n\n",
           "cues with their whole times");
}


/* what is read, written and read again stays what it was */

static void
test_again(void)
{
    char               *room, first[1024];
    size_t              used;
    uint32_t            n;
    vod_cue_t           cues[8];
    vod_text_reader_t   reader;
    static const char   file[] =
        "1\n00:00:03,000 --> 00:00:04,000\n{\\an8}a --> <i>b</i>\n\n\nc & d\n\n"
        "2\n00:00:01,000 --> 00:00:09,000\n1 < 2\n";

    room = malloc(4096);
    used = 0;

    vod_text_open(&reader, VOD_TEXT_SRT, file, sizeof(file) - 1);

    for (n = 0; vod_text_next(&reader, &cues[n]); n++) {
        used += vod_text_cue(&cues[n], room + used, 4096 - used);
    }

    vod_text_sort(cues, n);
    snprintf(first, sizeof(first), "%s", segment("", cues, n));
    free(room);

    is_str(texts_file(VOD_TEXT_VTT, first),
           "1000-9000 1 &lt; 2; 3000-4000 {line:0} a --&gt; <i>b</i>/"
           "\302\240/\302\240/c &amp; d", "a segment is a file of its own");
}


int
main(void)
{
    test_header();
    test_segment();
    test_again();

    return done_testing();
}
