/*
 * Damaged and hostile files: a reason, never a crash, and what is sound is
 * still there.  The shapes of the advisories against MP4 parsers are here by
 * what they do.
 */

#include <time.h>

#include "vod_av.h"
#include "movie.h"
#include "tap.h"


/* the file is refused with this code, and the reason speaks of what */
static void
refused(int code, const char *what, const char *name)
{
    int  rc;

    rc = movie_open();

    ok(rc == code && strstr(movie_err.text, what) && movie_index == NULL,
       "%s", name);

    if (rc != code || strstr(movie_err.text, what) == NULL) {
        printf("#   %d: %s\n", rc, rc == VOD_OK ? movie_notes()
                                                : movie_err.text);
    }
}


/* one track is left out, the note says what, the other one is there */
static void
left_out(unsigned kind, const char *what, const char *name)
{
    int  rc;

    rc = movie_open();

    ok(rc == VOD_OK && movie_tracks() == 1 && movie_track(0)->kind != kind
       && strstr(movie_notes(), " left out: ")
       && strstr(movie_notes(), what), "%s", name);

    if (rc != VOD_OK || movie_tracks() != 1
        || strstr(movie_notes(), what) == NULL)
    {
        printf("#   %d: %s\n", rc, rc == VOD_OK ? movie_notes()
                                                : movie_err.text);
    }
}


/* both tracks, and a note */
static void
repaired(const char *what, const char *name)
{
    int  rc;

    rc = movie_open();

    ok(rc == VOD_OK && movie_tracks() == 2 && strstr(movie_notes(), what),
       "%s", name);

    if (rc != VOD_OK || strstr(movie_notes(), what) == NULL) {
        printf("#   %d: %s\n", rc, rc == VOD_OK ? movie_notes()
                                                : movie_err.text);
    }
}


static void
counts(void)
{
    unsigned  i;
    char      name[64], box[5];

    /* { type, offset of the count } of the audio track, the video's stss and
       ctts */

    static const struct {
        const char  *type;
        unsigned     nth, at, kind;
    } tables[] = {
        { "stts", 1, 4, VOD_AUDIO },
        { "stsc", 1, 4, VOD_AUDIO },
        { "stco", 1, 4, VOD_AUDIO },
        { "stsz", 1, 8, VOD_AUDIO },
        { "ctts", 0, 4, VOD_VIDEO },
        { "stss", 0, 4, VOD_VIDEO },
        { "elst", 0, 4, VOD_VIDEO },
        { "stsz", 0, 8, VOD_VIDEO },
    };

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        movie_make(NULL);
        movie_u32(movie_box(tables[i].type, tables[i].nth) + tables[i].at,
                  0xffffffff);
        snprintf(name, sizeof(name), "%s of 4 billion entries",
                 tables[i].type);
        snprintf(box, sizeof(box), "%s",
                 strcmp(tables[i].type, "elst") == 0 ? "edit"
                                                     : tables[i].type);
        left_out(tables[i].kind, box, name);
    }

    /* samples of one size: no table bounds their number, the file does */

    movie_make(NULL);
    movie_u32(movie_box("stsz", 1) + 4, 1);
    movie_u32(movie_box("stsz", 1) + 8, 0xffffffff);
    movie_u32(movie_box("stsc", 1) + 12, 0x7fffffff);
    movie_u32(movie_box("stsc", 1) + 24, 0x7fffffff);
    repaired("samples are in the file", "4 billion samples of one byte");
    ok(movie_tracks() == 2 && movie_track(1)->n_samples < movie_len,
       "no more samples than bytes");

    /* more samples than the chunks have: the CVE-2024-7347 shape */

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 12, 5);
    repaired("only 14 of 20 samples", "fewer samples in chunks than sizes");
}


static void
chunks(void)
{
    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 8, 0);
    left_out(VOD_AUDIO, "out of order", "chunk 0");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 8, 2);
    left_out(VOD_AUDIO, "out of order", "chunks do not begin with 1");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 20, 1);
    left_out(VOD_AUDIO, "out of order", "two runs of one chunk");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 20, 3);
    left_out(VOD_AUDIO, "out of order", "a run behind the last chunk");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 12, 0);
    left_out(VOD_AUDIO, "out of order", "no samples in a chunk");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 4, 0);
    left_out(VOD_AUDIO, "no sample", "no runs");

    movie_make(NULL);
    movie_u32(movie_box("stco", 1) + 4, 0);
    left_out(VOD_AUDIO, "out of order", "no chunks");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 16, 2);
    left_out(VOD_AUDIO, "stsd has not both", "a description too many");

    movie_make(NULL);
    movie_u32(movie_box("stsc", 1) + 16, 2);
    movie_u32(movie_box("stsc", 1) + 28, 2);
    left_out(VOD_AUDIO, "sample description 2", "no such description");

    movie_make(NULL);
    movie_u32(movie_box("stsz", 1) + 8, 0);
    left_out(VOD_AUDIO, "no sample", "no samples");
}


/* samples of a second entry: kept where a decoder sees no difference */
static void
descriptions(void)
{
    unsigned     i;
    uint8_t     *at;
    movie_opt_t  o;

    static const struct {
        const char  *box, *what;
        unsigned     at, kind;
    } changes[] = {
        { "mp4a", NULL, 21, 0 },                /* compression ID */
        { "mp4a", "other sound", 17, VOD_AUDIO },
        { "esds", NULL, 27, 0 },                /* avgBitrate */
        { "esds", "another configuration", 36, VOD_AUDIO },
        { "avc1", NULL, 50, 0 },                /* compressor's name */
        { "avc1", "another picture size", 25, VOD_VIDEO },
        { "avcC", "another configuration", 12, VOD_VIDEO },
        { "avcC", "another configuration", (unsigned) -1, VOD_VIDEO },
    };

    memset(&o, 0, sizeof(o));
    o.twice = 1;

    for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        movie_make(&o);
        movie_u32(movie_box("stsc", 0) + 28, 2);
        movie_u32(movie_box("stsc", 1) + 28, 2);
        at = movie_box(changes[i].box, 1) + (int) changes[i].at;
        *at ^= 1;

        if (changes[i].what) {
            left_out(changes[i].kind, changes[i].what, changes[i].what);
            ok(strstr(movie_notes(), "at chunk 2 (") != NULL,
               "%s: where", changes[i].what);
        } else {
            is_int(movie_open(), VOD_OK, "%s: another byte at %u",
                   changes[i].box, changes[i].at);
            is_int(movie_tracks(), 2, "%s: another byte at %u goes on",
                   changes[i].box, changes[i].at);
        }
    }

    movie_make(&o);
    movie_u32(movie_box("stsc", 0) + 28, 2);
    memcpy(movie_box("pasp", 0) - 4, "btrt", 4);
    memcpy(movie_box("pasp", 0) - 4, "free", 4);
    is_int(movie_open(), VOD_OK, "bit rates, and padding");
    is_int(movie_tracks(), 2, "bit rates, and padding go on");

    movie_make(&o);
    movie_u32(movie_box("stsc", 0) + 28, 2);
    memcpy(movie_box("pasp", 0) - 4, "btrt", 4);
    left_out(VOD_VIDEO, "another configuration", "a box that one has not");

    movie_make(&o);
    movie_u32(movie_box("stsc", 1) + 28, 70);
    left_out(VOD_AUDIO, "stsd has not both", "description 70");
}


static void
places(void)
{
    movie_opt_t  o;

    movie_make(NULL);
    movie_u32(movie_box("stco", 1) + 12, 0xfffffff0);
    repaired("only 10 of 20 samples", "second chunk behind the end");

    movie_make(NULL);
    movie_u32(movie_box("stco", 1) + 8, 0xfffffff0);
    left_out(VOD_AUDIO, "beyond the end", "first chunk behind the end");

    memset(&o, 0, sizeof(o));
    o.wide = 1;
    movie_make(&o);
    memset(movie_box("co64", 1) + 16, 0xff, 8);
    repaired("only 10 of 20 samples", "a chunk at 2^64 - 1");

    movie_make(&o);
    memset(movie_box("co64", 1) + 16, 0x7f, 8);
    repaired("only 10 of 20 samples", "a chunk at 2^63 - something");

    movie_make(NULL);
    movie_u32(movie_box("stsz", 1) + 12 + 4 * 5, 0xffffffff);
    repaired("only 5 of 20 samples", "a sample of 4 GiB");

    movie_make(NULL);
    movie_u32(movie_box("stco", 0) + 8, 0xfffffff0);
    movie_u32(movie_box("stco", 1) + 8, 0xfffffff0);
    refused(VOD_DAMAGED, "beyond the end", "no track has data");
}


static void
times(void)
{
    int64_t       pts;
    vod_sample_t  s;

    movie_make(NULL);
    movie_u32(movie_box("stts", 1) + 12, 0xffffff00);
    repaired("durations", "negative durations");

    movie_make(NULL);
    movie_u32(movie_box("stts", 1) + 20, 0xffffff00);
    repaired("durations", "negative last duration");
    s = movie_sample(1, 19, &pts);
    is_int(s.dur, 1024, "negative last duration: the one before");

    movie_make(NULL);
    movie_u32(movie_box("ctts", 0) + 20, 0x7fffffff);
    left_out(VOD_VIDEO, "composition offset", "an offset of 2^31 - 1");

    movie_make(NULL);
    movie_u32(movie_box("ctts", 0) + 20, 0x80000000);
    left_out(VOD_VIDEO, "composition offset", "an offset of -2^31");

    movie_make(NULL);
    movie_u32(movie_box("mdhd", 1) + 12, 0);
    left_out(VOD_AUDIO, "timescale is 0", "timescale 0");

    movie_make(NULL);
    movie_u32(movie_box("mvhd", 0) + 12, 0);
    left_out(VOD_VIDEO, "movie timescale of 0", "movie timescale 0");

    movie_make(NULL);
    movie_u32(movie_box("elst", 0) + 16, 0x20000);
    left_out(VOD_VIDEO, "rate 2.000", "an edit at rate 2");

    /* stss: 0 counts from 0, unordered entries count, none is one */

    movie_make(NULL);
    movie_u32(movie_box("stss", 0) + 8, 0);
    is_int(movie_open(), VOD_OK, "stss with entry 0");
    s = movie_sample(0, 6, &pts);
    is_int(s.key, 1, "stss with entry 0 counts from 0");

    movie_make(NULL);
    movie_u32(movie_box("stss", 0) + 8, 9);
    is_int(movie_open(), VOD_OK, "stss out of order");
    s = movie_sample(0, 5, &pts);
    is_int(s.key, 1, "stss out of order: the sixth is sync");
    s = movie_sample(0, 8, &pts);
    is_int(s.key, 1, "stss out of order: the ninth is sync");
    s = movie_sample(0, 0, &pts);
    is_int(s.key, 0, "stss out of order: the first is not");

    movie_make(NULL);
    movie_u32(movie_box("stss", 0) + 4, 0);
    is_int(movie_open(), VOD_OK, "stss without entries");
    s = movie_sample(0, 0, &pts);
    is_int(s.key, 1, "stss without entries: the first is sync");
    s = movie_sample(0, 5, &pts);
    is_int(s.key, 0, "stss without entries: no other is");
}


/* the audio track's stts in its spare box: n entries of count, duration */
static void
audio_stts(const uint32_t *words, unsigned n)
{
    unsigned  i;
    uint8_t  *at;

    movie_make(NULL);
    memcpy(movie_box("stts", 1) - 4, "skip", 4);
    at = movie_box("free", 5);
    memcpy(at - 4, "stts", 4);
    movie_u32(at + 4, n);

    for (i = 0; i < 2 * n; i++) {
        movie_u32(at + 8 + 4 * i, words[i]);
    }
}


/* durations below 0 correct the times of decoding, where that can be */
static void
corrections(void)
{
    int64_t       pts;
    vod_sample_t  s;

    static const uint32_t  early[] = { 3, 1024, 1, 2048, 1, (uint32_t) -512,
                                       15, 1024 };
    static const uint32_t  before[] = { 2, 1024, 4, (uint32_t) -1024,
                                        14, 1024 };
    static const uint32_t  long_one[] = { 1, 3000000000u, 19, 1024 };
    static const uint32_t  none[] = { 0, 77, 20, 1024 };
    static const uint32_t  zero[] = { 3, 1024, 2, 0, 15, 1024 };

    audio_stts(early, 4);
    repaired("durations", "a duration of -512");
    s = movie_sample(1, 3, &pts);
    is_int(pts, 3 * 1024, "before it: its time");
    is_int(s.dur, 1536, "before it: lasts to the corrected time");
    s = movie_sample(1, 4, &pts);
    is_int(pts, 5 * 1024, "the one too late: presented when it said");
    is_int(s.dur, 1, "the one too late: decoded with the next");
    (void) movie_sample(1, 5, &pts);
    is_int(pts, 5 * 1024 - 512, "behind it: the corrected time");
    (void) movie_sample(1, 19, &pts);
    is_int(pts, 19 * 1024 - 512, "the last: the corrected time");

    audio_stts(before, 3);
    repaired("durations", "back before the first sample");
    (void) movie_sample(1, 6, &pts);
    is_int(pts, 6 * 1024, "back before the first: as the one before");

    audio_stts(long_one, 2);
    is_int(movie_open(), VOD_OK, "a duration above 2^31");
    is_str(movie_notes(), "", "a duration above 2^31 is one");
    (void) movie_sample(1, 1, &pts);
    is_int(pts, 3000000000, "a duration above 2^31: the next one's time");

    audio_stts(zero, 3);
    repaired("2 samples last no time", "samples that last no time");
    (void) movie_sample(1, 5, &pts);
    is_int(pts, 3 * 1024 + 2, "samples that last no time: two ticks");
    (void) movie_sample(1, 6, &pts);
    is_int(pts, 4 * 1024, "samples that last no time: the time behind");

    audio_stts(none, 2);
    is_int(movie_open(), VOD_OK, "an entry for no sample");
    (void) movie_sample(1, 19, &pts);
    is_int(pts, 19 * 1024, "an entry for no sample says nothing");

    audio_stts(none, 0);
    left_out(VOD_AUDIO, "stts box is empty", "no durations");
}


/* QuickTime counts PCM in single samples: billions do not stand in the way */
static void
single(void)
{
    movie_make(NULL);
    movie_u32(movie_box("stsz", 1) + 4, 1);
    movie_u32(movie_box("stsz", 1) + 8, 2000);
    movie_u32(movie_box("stsc", 1) + 12, 1000);
    movie_u32(movie_box("stsc", 1) + 24, 1000);
    movie_u32(movie_box("stts", 1) + 4, 1);
    movie_u32(movie_box("stts", 1) + 12, 1);
    movie_limits.max_samples = 100;
    left_out(VOD_AUDIO, "single samples", "packets of single samples");

    memcpy(movie_box("mp4a", 0) - 4, "sowt", 4);
    left_out(VOD_AUDIO, "PCM", "PCM, with more samples than allowed");
}


/* a spare box becomes a second one of a kind */
static void
twice(void)
{
    unsigned  i;
    char      name[32];

    /* nth spare box: 0 top, 1-4 video stbl minf mdia trak, 5-8 audio, 9 moov */

    static const struct {
        const char  *type;
        unsigned     nth;
    } boxes[] = {
        { "stsd", 5 }, { "stts", 5 }, { "stsc", 5 }, { "stsz", 5 },
        { "stco", 5 }, { "stbl", 6 }, { "dinf", 6 }, { "mdhd", 7 },
        { "hdlr", 7 }, { "minf", 7 }, { "tkhd", 8 }, { "mdia", 8 },
    };

    for (i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
        movie_make(NULL);
        memcpy(movie_box("free", boxes[i].nth) - 4, boxes[i].type, 4);
        snprintf(name, sizeof(name), "two %s boxes", boxes[i].type);
        left_out(VOD_AUDIO, name, name);
    }

    movie_make(NULL);
    memcpy(movie_box("free", 5) - 4, "stz2", 4);
    left_out(VOD_AUDIO, "one each of", "stsz and stz2");

    movie_make(NULL);
    memcpy(movie_box("free", 5) - 4, "co64", 4);
    left_out(VOD_AUDIO, "one each of", "stco and co64");

    movie_make(NULL);
    memcpy(movie_box("free", 3) - 4, "hdlr", 4);
    left_out(VOD_VIDEO, "two hdlr", "two hdlr boxes in video");

    movie_make(NULL);
    memcpy(movie_box("free", 9) - 4, "mvhd", 4);
    refused(VOD_DAMAGED, "two mvhd", "two mvhd boxes");

    movie_make(NULL);
    memcpy(movie_box("free", 9) - 4, "mvex", 4);
    memcpy(movie_box("trak", 1) - 4, "mvex", 4);
    refused(VOD_DAMAGED, "two mvex", "two mvex boxes");

    movie_make(NULL);
    memcpy(movie_box("free", 0) - 4, "moov", 4);
    refused(VOD_DAMAGED, "two moov", "two moov boxes");
}


static void
missing(void)
{
    unsigned  i;
    char      name[32];

    static const char *const  types[] = {
        "stsd", "stts", "stsc", "stsz", "stco", "stbl", "minf", "mdia",
        "mdhd", "hdlr"
    };

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        movie_make(NULL);
        memcpy(movie_box(types[i], 1) - 4, "none", 4);
        snprintf(name, sizeof(name), "no %s box", types[i]);
        left_out(VOD_AUDIO, "", name);
    }

    movie_make(NULL);
    memcpy(movie_box("trak", 0) - 4, "none", 4);
    memcpy(movie_box("trak", 0) - 4, "none", 4);
    refused(VOD_UNSUPPORTED, "no track", "no track");

    movie_make(NULL);
    memcpy(movie_box("moov", 0) - 4, "none", 4);
    refused(VOD_DAMAGED, "no moov", "no moov");

    movie_make(NULL);
    memcpy(movie_box("moov", 0) - 4, "meta", 4);
    refused(VOD_UNSUPPORTED, "a still image", "meta and no moov");
}


static void
sizes(void)
{
    unsigned  i;
    char      name[40];

    static const char *const  types[] = {
        "tkhd", "mdhd", "hdlr", "stsd", "stts", "stsc", "stsz", "stco",
        "stbl", "minf", "mdia"
    };

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        movie_make(NULL);
        movie_u32(movie_box(types[i], 1) - 8, 0x7fffffff);
        snprintf(name, sizeof(name), "%s larger than its parent", types[i]);
        left_out(VOD_AUDIO, "larger than", name);

        movie_make(NULL);
        movie_u32(movie_box(types[i], 1) - 8, 4);
        snprintf(name, sizeof(name), "%s smaller than its header", types[i]);
        left_out(VOD_AUDIO, "larger than", name);

        movie_make(NULL);
        movie_u32(movie_box(types[i], 1) - 8, 8);
        snprintf(name, sizeof(name), "%s without content", types[i]);
        (void) movie_open();
        ok(movie_tracks() < 2, "%s", name);
    }

    movie_make(NULL);
    movie_u32(movie_box("trak", 1) - 8, 0x7fffffff);
    refused(VOD_DAMAGED, "larger than moov", "trak larger than moov");

    movie_make(NULL);
    movie_u32(movie_box("free", 0) - 8, 4);
    refused(VOD_DAMAGED, "no moov", "a box of 4 bytes before moov");

    movie_make(NULL);
    movie_u32(movie_box("free", 0) - 8, 0x7fffffff);
    refused(VOD_DAMAGED, "ends inside its free box",
            "a box before moov that is larger than the file");

    movie_make(NULL);
    movie_u32(movie_box("moov", 0) - 8, 0x7fffffff);
    refused(VOD_DAMAGED, "ends inside its moov box", "moov behind the end");

    movie_make(NULL);
    movie_u32(movie_box("mdat", 0) - 8, 0x7fffffff);
    is_int(movie_open(), VOD_OK, "mdat larger than the file");
    is_int(movie_tracks(), 2, "mdat larger than the file: both tracks");
}


static void
kinds(void)
{
    uint8_t  *entry;

    movie_make(NULL);
    memcpy(movie_box("free", 9) - 4, "mvex", 4);
    is_int(movie_open(), VOD_OK, "mvex, and no fragment");
    is_int(movie_tracks(), 2, "mvex, and no fragment: the tracks of moov");

    movie_make(NULL);
    memcpy(movie_box("free", 9) - 4, "cmov", 4);
    refused(VOD_DAMAGED, "lacks dcom or cmvd", "cmov without content");

    movie_make(NULL);
    memcpy(movie_box("mdat", 0) - 4, "moof", 4);
    is_int(movie_open(), VOD_OK, "a moof that is none");
    ok(strstr(movie_notes(), "in the fragment at offset") != NULL,
       "a moof that is none: a note");

    movie_make(NULL);
    memcpy(movie_box("free", 0) - 4, "moof", 4);
    refused(VOD_DAMAGED, "without its header", "moof before moov");

    movie_make(NULL);
    memcpy(movie_box("hdlr", 1) + 8, "text", 4);
    left_out(VOD_AUDIO, "track 9 (mp4a, text) left out", "text");

    movie_make(NULL);
    memcpy(movie_box("hdlr", 1) + 8, "\1\2\3\4", 4);
    left_out(VOD_AUDIO, "track 9 (mp4a, data) left out", "unknown kind");

    movie_make(NULL);
    memcpy(movie_box("mp4a", 0) - 4, "sowt", 4);
    left_out(VOD_AUDIO, "track 9 (sowt, audio) left out", "PCM");

    movie_make(NULL);
    memcpy(movie_box("mp4a", 0) - 4, "\n\0\377z", 4);
    left_out(VOD_AUDIO, "track 9 (...z, audio) left out", "no letters");

    /* a data reference that leads out of the file */

    movie_make(NULL);
    movie_u32(movie_box("url ", 1), 0);
    left_out(VOD_AUDIO, "another file", "data in another file");

    movie_make(NULL);
    movie_u32(movie_box("url ", 1), 0);
    movie_box("url ", 1)[4] = '\0';
    is_int(movie_open(), VOD_OK, "an empty URL");
    is_int(movie_tracks(), 2, "an empty URL is this file");

    movie_make(NULL);
    entry = movie_box("avc1", 0);
    memcpy(entry - 4, "encv", 4);
    left_out(VOD_VIDEO, "encrypted", "encrypted");
}


static void
not_mp4(void)
{
    unsigned  i;

    static const struct {
        const char  *text, *what;
        int          code;
    } texts[] = {
        { "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nfile:///etc/passwd\n",
          "HLS playlist", VOD_UNSUPPORTED },
        { "ffconcat version 1.0\nfile '/etc/passwd'\n", "concat",
          VOD_UNSUPPORTED },
        { "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nm=video 1 RTP/AVP 96\n",
          "not a media file", VOD_DAMAGED },
        { "hello, world\n", "not a media file", VOD_DAMAGED },
        { "<html><body>404</body></html>\n", "not a media file",
          VOD_DAMAGED },
        { "ftyp", "not a media file", VOD_DAMAGED },
        { "", "empty", VOD_DAMAGED },
    };

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        movie_make(NULL);
        movie_len = strlen(texts[i].text);
        memcpy(movie, texts[i].text, movie_len);
        refused(texts[i].code, texts[i].what, texts[i].what);
    }

    movie_make(NULL);
    memset(movie, 0, movie_len);
    refused(VOD_DAMAGED, "not a media file", "only zeros");

    memset(movie, 0xff, movie_len);
    refused(VOD_DAMAGED, "not a media file", "only ones");
}


static int64_t
slow_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    struct timespec  ts = { 0, 20000000 };

    nanosleep(&ts, NULL);

    return movie_read(data, buf, len, offset, sys_err);
}


static void
limits(void)
{
    uint64_t         len;
    vod_av_source_t  src = { slow_read, NULL, 0, 0 };

    movie_make(NULL);
    movie_limits.max_moov = 1000;
    refused(VOD_LIMIT, "1000 allowed", "max_moov");

    movie_make(NULL);
    movie_limits.max_tracks = 1;
    refused(VOD_LIMIT, "2 tracks", "max_tracks");

    movie_make(NULL);
    movie_limits.max_samples = 29;
    refused(VOD_LIMIT, "30 samples", "max_samples");

    movie_limits.max_samples = 30;
    is_int(movie_open(), VOD_OK, "as many samples as allowed");

    free(movie_index);
    movie_index = NULL;

    movie_make(NULL);
    movie_limits.timeout = 30;
    src.size = movie_len;
    is_int(vod_av_index(&src, &movie_limits, &movie_index, &len, &movie_err),
           VOD_TIMEOUT, "a source too slow");
    ok(strstr(movie_err.text, "30 ms") != NULL, "%s", movie_err.text);
}


static void
source(void)
{
    unsigned  i, good;

    movie_make(NULL);
    movie_fail_at = 0;
    refused(VOD_IO, "system error 5", "the first read fails");

    movie_make(NULL);
    movie_fail_at = 200;
    refused(VOD_IO, "system error 5", "reading moov fails");

    movie_make(NULL);
    movie_short_at = 200;
    refused(VOD_DAMAGED, "shortened", "the file shrinks meanwhile");

    /* cut at every byte: refused until moov is whole, then what is there */

    movie_make(NULL);
    good = 0;

    for (i = (unsigned) movie_len; i > 0; i--) {
        movie_len = i;

        if (movie_open() == VOD_OK) {
            good++;

        } else if (movie_err.text[0] == '\0') {
            break;
        }
    }

    is_int(i, 0, "cut at every byte: a reason for each");
    ok(good > 1000 && good < 2000, "cut in mdat: %u lengths are served", good);
}


/* whatever the bytes are: no crash, and a reason or an index */
static void
mutated(void)
{
    uint64_t  seed, at;
    unsigned  i, k, n, good, bad;

    seed = 0x766f64;
    good = 0;
    bad = 0;

    for (i = 0; i < 6000; i++) {
        movie_make(NULL);
        n = 1 + tap_rand(&seed) % 4;

        for (k = 0; k < n; k++) {
            at = 148 + tap_rand(&seed) % 2700;

            switch (tap_rand(&seed) % 3) {
            case 0:
                movie[at] = (uint8_t) tap_rand(&seed);
                break;
            case 1:
                movie[at] ^= (uint8_t) (1 << tap_rand(&seed) % 8);
                break;
            default:
                movie_u32(movie + at, (uint32_t) tap_rand(&seed));
            }
        }

        if (movie_open() == VOD_OK) {
            good += (vod_index_check(movie_index,
                                     ((vod_index_t *) movie_index)->len,
                                     &movie_err) == VOD_OK);

        } else {
            bad += (movie_err.text[0] != '\0');
        }
    }

    is_int(good + bad, 6000, "6000 random changes: an index or a reason");
    ok(good > 1000 && bad > 100, "%u served, %u refused", good, bad);
}


int
main(void)
{
    vod_av_init();

    counts();
    chunks();
    descriptions();
    places();
    times();
    corrections();
    single();
    twice();
    missing();
    sizes();
    kinds();
    not_mp4();
    limits();
    source();
    mutated();

    free(movie_index);

    return done_testing();
}
