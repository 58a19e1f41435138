/* WebVTT in MP4 (14496-30, 7): the entry, samples of cues, cues of samples */

#include "texts.h"

#include "vod_rd.h"
#include "vod_wvtt.h"


static uint8_t       out[65536];
static vod_sample_t  samples[64];
static uint32_t      n_samples;
static vod_err_t     err;


/* "start-end text" cues; a text of more than a byte is not told apart */

static vod_cue_t
cue_of(int64_t start, int64_t end, const char *text)
{
    vod_cue_t  cue;

    memset(&cue, 0, sizeof(cue));

    cue.start = start;
    cue.end = end;
    cue.text = text;
    cue.text_len = strlen(text);
    cue.format = VOD_TEXT_VTT;
    cue.source = VOD_TEXT_NO_SOURCE;

    return cue;
}


/*
 * Samples as text: "1000 vtte; 500 a+b", durations, and texts of the cues; an
 * asterisk behind those that are said to be parts of another one.
 */

static const char *
made(vod_cue_t *cues, uint32_t n, int64_t start, int64_t end)
{
    int         rc;
    size_t      at;
    uint32_t    i;
    uint64_t    pos;
    vod_wr_t    wr, text;
    vod_cue_t   cue;

    vod_wr_init(&wr, NULL, 0);
    if (vod_wvtt_samples(cues, n, start, end, 60000, &wr, NULL, 0, &i, &err)
        != VOD_OK)
    {
        return err.text;
    }

    pos = wr.len;
    vod_wr_init(&wr, out, pos);
    rc = vod_wvtt_samples(cues, n, start, end, pos, &wr, samples,
                          vod_wvtt_samples_bound(n), &n_samples, &err);

    if (rc != VOD_OK || i != n_samples || wr.len != pos) {
        return "(measured otherwise)";
    }

    vod_wr_init(&text, texts_out, sizeof(texts_out));

    for (i = 0, pos = 0; i < n_samples; i++) {

        vod_wr_fmt(&text, "%s%u", i ? "; " : "", samples[i].dur);

        if (samples[i].pos != pos || !samples[i].key || samples[i].cts) {
            return "(a sample out of place)";
        }

        for (at = 0;
             (rc = vod_wvtt_next(out + pos, samples[i].size, &at, &cue)) == 1;
             /* void */)
        {
            vod_wr_fmt(&text, " %.*s%s", (int) cue.text_len, cue.text,
                       cue.source != VOD_TEXT_NO_SOURCE ? "*" : "");
        }

        if (rc < 0 || at != samples[i].size) {
            return "(damaged)";
        }

        pos += samples[i].size;
    }

    return pos == wr.len ? texts_end(&text) : "(bytes behind)";
}


static void
test_samples(void)
{
    vod_cue_t  cues[4];

    is_str(made(NULL, 0, 6000, 12000), "6000", "no cue");
    is_mem(out, "\0\0\0\10vtte", 8, "which is an empty one");
    is_int(samples[0].size, 8, "of eight bytes");

    cues[0] = cue_of(1000, 2500, "a");
    is_str(made(cues, 1, 0, 4000), "1000; 1500 a; 1500", "one cue");
    is_mem(out + 8, "\0\0\0\21vttc\0\0\0\11payla", 17, "of two boxes");

    is_str(made(cues, 1, 1000, 2500), "1500 a", "it fits");
    is_str(made(cues, 1, 2000, 4000), "500 a*; 1500", "its end");
    is_str(made(cues, 1, 0, 2000), "1000; 1000 a*", "its start");
    is_str(made(cues, 1, 1500, 2000), "500 a*", "its middle");
    is_str(made(cues, 1, 2500, 3000), "500", "behind it");
    is_str(made(cues, 1, 0, 1000), "1000", "before it");

    cues[1] = cue_of(2000, 3000, "b");
    cues[2] = cue_of(2500, 2600, "c");
    is_str(made(cues, 3, 0, 4000),
           "1000; 1000 a*; 500 a* b*; 100 b* c; 400 b*; 1000",
           "three that overlap");
    is_str(made(cues, 3, 2400, 2500), "100 a* b*", "cut within");

    cues[1] = cue_of(1000, 2500, "b");
    cues[2] = cue_of(2500, 3000, "a");
    is_str(made(cues, 3, 1000, 3000), "1500 a b; 500 a",
           "two at the same time, another one right behind");

    cues[0] = cue_of(-5000, INT64_MAX / 4, "a");
    cues[1] = cue_of(-4000, -3000, "b");
    cues[2] = cue_of(-2000, 7, "c");
    cues[3] = cue_of(9, 100, "d");
    is_str(made(cues, 4, 5, 12), "2 a* c*; 2 a*; 3 a* d*",
           "some have ended, one has not");
}


/* a cue in two segments names the same source, and another one another */

static uint32_t
source(vod_cue_t *cue, int64_t start)
{
    size_t     at;
    vod_cue_t  got;

    at = 0;

    return strchr(made(cue, 1, start, start + 1000), '*')
           && vod_wvtt_next(out, samples[0].size, &at, &got) == 1
           ? got.source : VOD_TEXT_NO_SOURCE;
}


static void
test_boxes(void)
{
    vod_cue_t  cue;

    cue = cue_of(1000, 4000, "<00:00:02.000>a");
    cue.number = 3;

    ok(source(&cue, 1000) == source(&cue, 3000)
       && source(&cue, 2000) != VOD_TEXT_NO_SOURCE
       && source(&cue, 2000) < 0x80000000u, "parts name one source");
    is_mem(out + 8, "\0\0\0\14vsid", 8, "in front");
    is_mem(out + 20, "\0\0\0\24ctim00:00:02.000\0\0\0\27payl<00:", 32,
           "a time within the text: that of the sample stands there");

    ok(source(&cue, 1000) != VOD_TEXT_NO_SOURCE, "it is cut");
    cue.end--;
    ok(source(&cue, 1000) != source((cue.end++, &cue), 1000),
       "another time is another source");

    cue = cue_of(1000, 2000, "a");
    cue.id = "x";
    cue.id_len = 1;
    cue.settings = "line:0";
    cue.settings_len = 6;

    (void) made(&cue, 1, 1000, 2000);
    is_mem(out, "\0\0\0\50vttc\0\0\0\11idenx\0\0\0\16sttgline:0\0\0\0\11payla",
           40, "identifier, settings, payload");
}


static void
test_limits(void)
{
    int         rc;
    uint32_t    i, n;
    vod_wr_t    wr;
    vod_cue_t   cues[32];

    for (i = 0; i < 32; i++) {
        cues[i] = cue_of(i, 1000 - (int64_t) i, "a");
    }

    vod_wr_init(&wr, NULL, 0);
    rc = vod_wvtt_samples(cues, 32, 0, 1000, 1000, &wr, NULL, 0, &n, &err);
    is_int(rc, VOD_LIMIT, "more bytes than are allowed");
    ok(strstr(err.text, "1000 bytes") != NULL, "it says how many");
    ok(wr.len < 1100, "and stops there");

    vod_wr_init(&wr, out, sizeof(out));
    is_int(vod_wvtt_samples(cues, 32, 0, 1000, 60000, &wr, samples, 62, &n,
                            &err), VOD_NOMEM, "too little room for samples");
    vod_wr_init(&wr, out, 1000);
    is_int(vod_wvtt_samples(cues, 32, 0, 1000, 60000, &wr, samples, 64, &n,
                            &err), VOD_NOMEM, "or for their bytes");
    vod_wr_init(&wr, out, sizeof(out));
    is_int(vod_wvtt_samples(cues, 32, 0, 1000, UINT64_MAX, &wr, samples, 63,
                            &n, &err), VOD_OK, "enough");
    is_int(n, 63, "of all");

    vod_wr_init(&wr, NULL, 0);
    is_int(vod_wvtt_samples(NULL, 0, 0, 0x100000000, 100, &wr, NULL, 0, &n,
                            &err), VOD_LIMIT, "a sample of 50 days");
    is_int(vod_wvtt_samples(NULL, 0, 0, 0xffffffff, 100, &wr, NULL, 0, &n,
                            &err), VOD_OK, "the longest one");
    is_int(vod_wvtt_samples(NULL, 0, 5, 5, 100, &wr, NULL, 0, &n, &err),
           VOD_LIMIT, "nothing is no segment");
}


static void
test_entry(void)
{
    size_t        len;
    vod_wr_t      wr;
    const char   *header;

    vod_wr_init(&wr, out, sizeof(out));
    vod_wvtt_entry(&wr, NULL, 0);
    is_int(wr.len, 31, "an entry without a header");
    is_mem(out, "\0\0\0\37wvtt\0\0\0\0\0\0\0\1\0\0\0\17vttCWEBVTT\n", 31,
           "its bytes");
    is_int(vod_wvtt_header(out, wr.len, &header, &len, &err), VOD_OK, "read");
    is_int(len, 0, "no header");

    vod_wr_init(&wr, out, sizeof(out));
    vod_wvtt_entry(&wr, "NOTE x\n\nSTYLE\ny", 15);
    is_mem(out + 16, "\0\0\0\31vttCWEBVTT\n\nSTYLE\ny\n\n", 25, "a style");
    is_int(wr.len, 41, "is all");
    is_int(vod_wvtt_header(out, wr.len, &header, &len, &err), VOD_OK, "read");
    ok(len == 10 && memcmp(header, "\nSTYLE\ny\n\n", 10) == 0, "as it was");

    is_int(vod_wvtt_header(out, 40, &header, &len, &err), VOD_DAMAGED,
           "cut short");
    is_int(vod_wvtt_header(out, 3, &header, &len, &err), VOD_DAMAGED,
           "cut shorter");
    is_int(vod_wvtt_header((const uint8_t *) "\0\0\0\20wvtt\0\0\0\0\0\0\0\1",
                           16, &header, &len, &err), VOD_DAMAGED, "no vttC");
    is_int(vod_wvtt_header((const uint8_t *)
                           "\0\0\0\37wvtt\0\0\0\0\0\0\0\1\0\0\0\17vttC"
                           "WEBVTT\0", 31, &header, &len, &err), VOD_OK,
           "a string with its end");
    is_int(len, 0, "is none more");
    is_int(vod_wvtt_header((const uint8_t *)
                           "\0\0\0\51wvtt\0\0\0\0\0\0\0\1\0\0\0\12vlabx:"
                           "\0\0\0\17vttCWEBVTT\n", 41, &header, &len, &err),
           VOD_OK, "behind a label");
}


static void
test_read(void)
{
    size_t     at;
    vod_cue_t  cue;

    at = 0;
    is_int(vod_wvtt_next((const uint8_t *)
                         "\0\0\0\12vttax!\0\0\0\10vttc\0\0\0\21vttc"
                         "\0\0\0\11payla\0\0\0\10vtte", 43, &at, &cue), 1,
           "a comment is passed over");
    ok(cue.text_len == 0 && at == 18, "a cue may have no text");
    is_int(vod_wvtt_next((const uint8_t *)
                         "\0\0\0\12vttax!\0\0\0\10vttc\0\0\0\21vttc"
                         "\0\0\0\11payla\0\0\0\10vtte", 43, &at, &cue), 1,
           "the next one");
    ok(cue.text_len == 1 && *cue.text == 'a' && cue.start == 0
       && cue.source == VOD_TEXT_NO_SOURCE, "has one");
    is_int(vod_wvtt_next((const uint8_t *)
                         "\0\0\0\12vttax!\0\0\0\10vttc\0\0\0\21vttc"
                         "\0\0\0\11payla\0\0\0\10vtte", 43, &at, &cue), 0,
           "there are no more");
    is_int(at, 43, "all was read");

    at = 0;
    is_int(vod_wvtt_next((const uint8_t *) "\0\0\0\21vttc\0\0\0\11payl", 16,
                         &at, &cue), -1, "cut short");
    at = 0;
    is_int(vod_wvtt_next((const uint8_t *) "\0\0\0\7vttc", 8, &at, &cue), -1,
           "a box that is too small");
    at = 0;
    is_int(vod_wvtt_next((const uint8_t *) "\0\0\0\20vttc\0\0\0\77payl", 16,
                         &at, &cue), 1, "a box that leaves its cue");
    is_int(cue.text_len, 0, "is not read");
    at = 0;
    is_int(vod_wvtt_next(NULL, 0, &at, &cue), 0, "an empty sample");
}


static void
test_join(void)
{
    uint32_t   n, i;
    vod_cue_t  cues[200];

    cues[0] = cue_of(0, 10, "a");
    cues[1] = cue_of(10, 20, "a");
    cues[2] = cue_of(10, 20, "b");
    cues[3] = cue_of(20, 30, "a");
    cues[4] = cue_of(20, 30, "b");
    cues[5] = cue_of(40, 50, "b");
    cues[6] = cue_of(50, 60, "b");
    cues[6].source = 1;
    cues[7] = cue_of(60, 70, "b");
    cues[7].source = 1;
    cues[8] = cue_of(70, 80, "b");
    cues[8].source = 1;
    cues[8].settings = "line:0";
    cues[8].settings_len = 6;

    n = vod_wvtt_join(cues, 9);

    is_int(n, 5, "parts are put together");
    ok(cues[0].start == 0 && cues[0].end == 30, "the first");
    ok(cues[1].start == 10 && cues[1].end == 30, "the second");
    ok(cues[2].start == 40 && cues[2].end == 50, "behind a gap");
    ok(cues[3].start == 50 && cues[3].end == 70, "of another source");
    ok(cues[4].start == 70 && cues[4].end == 80, "with other settings");

    for (i = 0; i < 200; i++) {
        cues[i] = cue_of(i / 100 * 10, i / 100 * 10 + 10, "a");
    }

    is_int(vod_wvtt_join(cues, 200), 136,
           "of very many at a time not all are looked at");
    is_int(vod_wvtt_join(cues, 0), 0, "none");
}


int
main(void)
{
    test_samples();
    test_boxes();
    test_limits();
    test_entry();
    test_read();
    test_join();

    return done_testing();
}
