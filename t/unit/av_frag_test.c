/*
 * Fragments: where samples are, how long, at what time, and which are sync,
 * by every way a moof can say it.
 */

#include "vod_av.h"
#include "fragments.h"
#include "tap.h"


static void
sample_is(unsigned k, unsigned i, uint64_t pos, uint32_t size, int64_t pts,
    int key, const char *what)
{
    int64_t       p;
    vod_sample_t  s;

    s = movie_sample(k, i, &p);
    ok(s.pos == pos && s.size == size && p == pts && (int) s.key == key,
       "%s: sample %u of track %u", what, i + 1, k + 1);

    if (s.pos != pos || s.size != size || p != pts || (int) s.key != key) {
        printf("# pos %llu size %u pts %lld key %u, expected %llu %u %lld"
               " %d\n", (unsigned long long) s.pos, s.size, (long long) p,
               s.key, (unsigned long long) pos, size, (long long) pts, key);
    }
}


static uint32_t
count(unsigned k)
{
    return k < movie_tracks() ? movie_track(k)->n_samples : 0;
}


static int
opened(const char *what)
{
    return ok(movie_open() == VOD_OK, "%s is indexed", what)
           || (printf("# %s\n", movie_err.text), 0);
}


static void
refused(int code, const char *words, const char *what)
{
    is_int(movie_open(), code, "%s", what);
    ok(strstr(movie_err.text, words) != NULL, "%s: the reason", what);

    if (strstr(movie_err.text, words) == NULL) {
        printf("# %s\n", movie_err.text);
    }
}


static void
noted(const char *words, const char *what)
{
    ok(strstr(movie_notes(), words) != NULL, "%s: the note", what);

    if (strstr(movie_notes(), words) == NULL) {
        printf("# %s\n", movie_notes());
    }
}


static void
defaults(void)
{
    uint64_t  a, b, c;

    frag_header(0);

    plain_fragment(0, 0);
    a = frag_data;

    /* tfhd over trex */

    moof_begin();
    traf_begin(TFHD_MOOF | TFHD_DURATION | TFHD_SIZE | TFHD_FLAGS, 7, 100, 7,
               FRAG_NOT_SYNC);
    tfdt(2560);
    trun(0, TRUN_OFFSET | TRUN_FIRST, 3, 0, FRAG_SYNC);
    traf_end();
    moof_end(21);
    b = frag_data;

    /* trun over tfhd, one field after the other */

    moof_begin();
    traf_begin(TFHD_MOOF | TFHD_DURATION | TFHD_SIZE | TFHD_FLAGS, 7, 100, 7,
               FRAG_NOT_SYNC);
    tfdt(2860);
    trun(0, TRUN_OFFSET | TRUN_DURATION, 2, 0, 30, 40);
    trun(0, TRUN_OFFSET | TRUN_SIZE, 2, 14, 5, 6);
    trun(0, TRUN_OFFSET | TRUN_FLAGS, 3, 25, FRAG_SYNC, 0, 0x03000000);
    trun(1, TRUN_OFFSET | TRUN_DURATION | TRUN_SIZE | TRUN_FLAGS | TRUN_CTS,
         2, 46, 11, 1, FRAG_SYNC, 500, 12, 2, 0x02010000, 3);
    traf_end();
    moof_end(49);
    c = frag_data;

    if (!opened("defaults")) {
        return;
    }

    is_int(count(0), 17, "defaults: video samples");
    is_int(count(1), 4, "defaults: audio samples");

    sample_is(0, 0, a, 10, 0, 1, "trex");
    sample_is(0, 4, a + 40, 10, 2048, 1, "trex");
    sample_is(1, 0, a + 50, 10, 0, 1, "trex");
    sample_is(1, 3, a + 80, 10, 3072, 1, "trex");

    sample_is(0, 5, b, 7, 2560, 1, "tfhd, first flags");
    sample_is(0, 6, b + 7, 7, 2660, 0, "tfhd");
    sample_is(0, 7, b + 14, 7, 2760, 0, "tfhd");

    sample_is(0, 8, c, 7, 2860, 0, "trun duration");
    sample_is(0, 9, c + 7, 7, 2890, 0, "trun duration");
    sample_is(0, 10, c + 14, 5, 2930, 0, "trun size");
    sample_is(0, 11, c + 19, 6, 3030, 0, "trun size");
    sample_is(0, 12, c + 25, 7, 3130, 1, "trun flags: sync");
    sample_is(0, 13, c + 32, 7, 3230, 1, "trun flags: nothing said");
    sample_is(0, 14, c + 39, 7, 3330, 1, "trun flags: reserved dependency");
    sample_is(0, 15, c + 46, 1, 3930, 1, "trun, all fields");
    sample_is(0, 16, c + 47, 2, 3444, 0, "trun, all fields");
}


static void
places(void)
{
    uint64_t  a;

    /* no base is said: the first traf counts from moof, the second from the
       end of the data before it; a run without an offset goes on there */

    frag_header(0);
    moof_begin();
    traf_begin(0, 7);
    tfdt(0);
    trun(0, TRUN_OFFSET, 1, 3);
    trun(0, 0, 2);
    traf_end();
    traf_begin(0, 9);
    trun(0, 0, 2);
    trun(0, 0, 1);
    traf_end();
    moof_end(100);
    a = frag_data;

    if (opened("no base")) {
        sample_is(0, 0, a + 3, 10, 0, 1, "no base");
        sample_is(0, 2, a + 23, 10, 1024, 1, "no base, second run");
        sample_is(1, 0, a + 33, 10, 0, 1, "no base, second traf");
        sample_is(1, 2, a + 53, 10, 2048, 1, "no base, its second run");
    }

    /* a base; behind it moof again; a negative offset */

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_BASE, 7, 0, 300);
    put("trun", 0, TRUN_OFFSET, 1, (uint32_t) -100);
    trun(0, 0, 1);
    traf_end();
    traf_begin(TFHD_MOOF, 9);
    trun(0, TRUN_OFFSET, 1, 2);
    traf_end();
    moof_end(20);
    a = frag_data;

    if (opened("a base")) {
        sample_is(0, 0, 200, 10, 0, 1, "a base");
        sample_is(0, 1, 210, 10, 512, 1, "a base, second run");
        sample_is(1, 0, a + 2, 10, 0, 1, "moof as the base");
    }

    /* a track that is not in moov has data too */

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_SIZE, 33, 6);
    trun(0, TRUN_OFFSET, 3, 0);
    traf_end();
    traf_begin(0, 7);
    trun(0, 0, 1);
    traf_end();
    moof_end(100);

    if (opened("an unknown track")) {
        sample_is(0, 0, frag_data + 18, 10, 0, 1, "behind an unknown track");
    }

    /* two trafs of one track; one that is empty; a run of nothing */

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    tfdt(0);
    trun(0, TRUN_OFFSET, 1, 0);
    traf_end();
    traf_begin(TFHD_MOOF | TFHD_EMPTY, 9);
    tfdt(99);
    traf_end();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET, 0, 0);
    trun(0, TRUN_OFFSET, 1, 10);
    traf_end();
    moof_end(20);
    a = frag_data;
    plain_fragment(1024, 4096);

    if (opened("two trafs of a track")) {
        is_int(count(0), 7, "two trafs of a track: samples");
        sample_is(0, 1, a + 10, 10, 512, 1, "two trafs of a track");
        sample_is(0, 2, frag_data, 10, 1024, 1, "two trafs of a track");
    }
}


/* offsets that count from moof though no flag says so: seen by the mdat */
static void
from_moof(void)
{
    uint64_t  a;

    frag_header(0);

    moof_begin();
    traf_begin(0, 7);
    tfdt(0);
    trun(0, TRUN_OFFSET, 2, 3);
    traf_end();
    traf_begin(0, 9);
    tfdt(0);
    trun(0, TRUN_OFFSET, 2, 23);
    trun(0, 0, 1);
    traf_end();
    moof_end(53);
    a = frag_data;

    if (opened("no flag, and moof")) {
        sample_is(0, 0, a + 3, 10, 0, 1, "no flag, and moof");
        sample_is(1, 0, a + 23, 10, 0, 1, "no flag, and moof: second traf");
        sample_is(1, 2, a + 43, 10, 2048, 1, "no flag, and moof: its end");
        noted("where moof counts from", "no flag, and moof");
    }

    /* the standard's reading where both, or neither, lie in the mdat */

    frag_header(0);

    moof_begin();
    traf_begin(0, 7);
    tfdt(0);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    traf_begin(0, 9);
    tfdt(0);
    trun(0, TRUN_OFFSET, 2, 60);
    traf_end();
    moof_end(70);

    if (opened("outside the mdat either way")) {
        is_int(count(1), 0, "outside the mdat: not moof");
        noted("lies beyond the end", "outside the mdat");
    }
}


/* uuid: tfxd, 64 bits of time */
static void
tfxd(int64_t t)
{
    uint64_t  box;

    static const uint8_t  id[16] = {
        0x6d, 0x1d, 0x9b, 0x05, 0x42, 0xd5, 0x44, 0xe6,
        0x80, 0xe2, 0x14, 0x1d, 0xaf, 0xf7, 0x57, 0xb2
    };

    box = vod_wr_box(&frag_wr, MOVIE_TYPE("uuid"));
    vod_wr_bytes(&frag_wr, id, 16);
    vod_wr_u32(&frag_wr, 1 << 24);
    vod_wr_u64(&frag_wr, (uint64_t) t);
    vod_wr_u64(&frag_wr, 0);
    vod_wr_box_end(&frag_wr, box);
}


static void
smooth_fragment(int64_t video, int64_t audio)
{
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET | TRUN_CTS, 2, 0, 512, 512);
    tfxd(video);
    traf_end();
    traf_begin(TFHD_MOOF, 9);
    trun(0, TRUN_OFFSET, 2, 20);
    tfxd(audio);
    traf_end();
    moof_end(40);
}


static void
smooth(void)
{
    int64_t  pts;

    frag_header(0);
    smooth_fragment(512, -1024);
    smooth_fragment(512 + 1024 + 3, 1024);
    smooth_fragment(512 + 10240, 40960 - 1024);

    if (!opened("tfxd")) {
        return;
    }

    is_str(movie_notes(), "", "tfxd: no note");
    (void) movie_sample(0, 2, &pts);
    is_int(pts, 512 + 1024, "tfxd: rounded ticks are no gap");
    (void) movie_sample(0, 4, &pts);
    is_int(pts, 512 + 10240, "tfxd: a gap");
    (void) movie_sample(1, 0, &pts);
    is_int(pts, 0, "tfxd: a time before 0 is 0");
    (void) movie_sample(1, 2, &pts);
    is_int(pts, 2048, "tfxd: the next goes on from there");
    (void) movie_sample(1, 4, &pts);
    is_int(pts, 40960, "tfxd: the same gap");

    /* a track that begins late; tfdt says it where it stands */

    frag_header(0);
    smooth_fragment(512, 96000);

    if (opened("tfxd of a late track")) {
        (void) movie_sample(1, 0, &pts);
        is_int(pts, 96000, "tfxd: two seconds late");
    }

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 9);
    tfxd(96000);
    tfdt(48000);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);

    if (opened("tfxd and tfdt")) {
        (void) movie_sample(0, 0, &pts);
        is_int(pts, 48000, "tfdt before tfxd");
    }
}


static void
times(void)
{
    int64_t       p;
    vod_sample_t  s;

    frag_header(0);
    plain_fragment(900000, 3375000);
    plain_fragment(902560, 3379096);

    if (opened("a late begin")) {
        is_int(movie_track(0)->first_pts, 900000, "a late begin is kept");
        is_int(movie_track(1)->first_pts, 3375000, "a late begin: audio");
        is_int(count(0), 10, "a late begin: samples");
    }

    /* 64 bits, and none at all behind them */

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    put("tfdt", 1, 0, 0x100, 5);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);

    if (opened("64 bits")) {
        is_int(movie_track(0)->first_pts, 0x10000000005, "64 bits: begin");
        s = movie_sample(0, 3, &p);
        is_int(p, 0x10000000005 + 3 * 512, "without tfdt it goes on");
    }

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    put("tfdt", 1, 0, 0x08000000, 0);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);
    refused(VOD_DAMAGED, "begin at second", "a begin in a million years");

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    tfdt(0);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    put("tfdt", 1, 0, 2, 0);
    trun(0, TRUN_OFFSET, 2, 0);
    traf_end();
    moof_end(20);
    refused(VOD_DAMAGED, "which is no duration", "a gap of a week");

    /* a gap lengthens, a rounded time shortens the sample before */

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(5000, 4000);

    if (opened("a gap")) {
        s = movie_sample(0, 4, &p);
        is_int(s.dur, 5000 - 2048, "a gap: the sample before lasts");
        s = movie_sample(0, 5, &p);
        is_int(p, 5000, "a gap: the next is where it says");
        s = movie_sample(1, 3, &p);
        is_int(s.dur, 4000 - 3072, "an early fragment: the sample before");
        is_int(movie_notes()[0], '\0', "neither is worth a note");
    }
}


static void
order(void)
{
    uint64_t  first, second;

    /* written in another order than they play in */

    frag_header(0);
    plain_fragment(2560, 4096);
    first = frag_data;
    plain_fragment(0, 0);
    second = frag_data;
    plain_fragment(5120, 8192);

    if (opened("out of order")) {
        sample_is(0, 0, second, 10, 0, 1, "out of order");
        sample_is(0, 5, first, 10, 2560, 1, "out of order");
        sample_is(0, 14, frag_data + 40, 10, 7168, 1, "out of order");
        sample_is(1, 4, first + 50, 10, 4096, 1, "out of order");
        noted("were sorted", "out of order");
    }

    /* one of them twice */

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    first = frag_data;
    plain_fragment(2560, 4096);
    plain_fragment(5120, 8192);

    if (opened("a fragment twice")) {
        is_int(count(0), 15, "a fragment twice: once served");
        sample_is(0, 5, first, 10, 2560, 1, "a fragment twice");
        sample_is(0, 10, frag_data, 10, 5120, 1, "a fragment twice");
        noted("go back to times", "a fragment twice");
    }

    /* the next begins in the midst of one: presentation times hold */

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(1000, 1500);

    if (opened("an overlap")) {
        is_int(count(0), 10, "an overlap: all are there");
        noted("last longer than to the begin", "an overlap");
    }
}


static void
overlap_times(void)
{
    unsigned      i;
    int64_t       p;
    vod_sample_t  s;

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(1000, 1500);

    if (!opened("an overlap")) {
        return;
    }

    for (i = 0; i < 5; i++) {
        s = movie_sample(0, i, &p);
        is_int(p, 512 * i, "an overlap: presentation of sample %u", i + 1);
    }

    is_int(s.dur, 1, "an overlap: the last one is decoded at once");

    for (i = 0; i < 5; i++) {
        s = movie_sample(0, 5 + i, &p);
        is_int(p, 1000 + 512 * i, "an overlap: presentation of sample %u",
               i + 6);
    }
}


/* moov has samples as well: 10 of video (5108 ticks), 20 of audio (20456) */
static void
hybrid(void)
{
    int64_t   p;
    uint64_t  a;

    frag_header(1);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET, 5, 0);
    traf_end();
    traf_begin(TFHD_MOOF, 9);
    tfdt(21000);
    trun(0, TRUN_OFFSET, 4, 50);
    traf_end();
    moof_end(90);
    a = frag_data;

    if (!opened("samples in moov too")) {
        return;
    }

    is_int(count(0), 15, "samples in moov too: video");
    is_int(count(1), 24, "samples in moov too: audio");
    (void) movie_sample(0, 0, &p);
    is_int(p, 512, "samples in moov too: the first");
    sample_is(0, 10, a, 10, 5108, 1, "behind moov's");
    sample_is(1, 20, a + 50, 10, 21000, 1, "behind moov's, with tfdt");

    frag_header(1);
    is_int(movie_open(), VOD_OK, "mvex and no fragment");
    is_int(count(0), 10, "mvex and no fragment: what moov has");
}


static void
edits(void)
{
    int64_t  p;

    /* the edit's end is of the time before the fragments */

    frag_header(0);
    memcpy(movie_box("elst", 0) - 12, "edts", 4);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    plain_fragment(5120, 8192);

    if (opened("an edit list")) {
        is_int(count(0), 14, "an edit list: none is cut off at the end");
        (void) movie_sample(0, 0, &p);
        is_int(p, 0, "an edit list: from the sync sample at its begin");
        (void) movie_sample(0, 13, &p);
        is_int(p, 13 * 512, "an edit list: to the last");
    }
}


static void
around(void)
{
    uint64_t  a;

    frag_header(0);
    top_box("sidx", 40);
    plain_fragment(0, 0);
    a = frag_data;
    top_box("styp", 16);
    top_box("prft", 24);
    top_box("emsg", 60);
    top_box("uuid", 40);
    plain_fragment(2560, 4096);
    top_box("mfra", 59);

    if (opened("boxes around")) {
        is_int(count(0), 10, "boxes around: samples");
        sample_is(0, 0, a, 10, 0, 1, "boxes around");
        sample_is(0, 9, frag_data + 40, 10, 4608, 1, "boxes around");
        is_int(movie_notes()[0], '\0', "boxes around: nothing to say");
    }

    /* 64-bit sizes, and an mdat without one at the end */

    frag_header(0);
    plain_fragment(0, 0);
    movie_u32(movie + frag_data - 8, 0);

    if (opened("mdat to the end")) {
        is_int(count(0), 5, "mdat to the end: samples");
    }

    /* a stray word at the end, as some writers leave it */

    frag_header(0);
    plain_fragment(0, 0);
    memset(movie + movie_len, 0, 4);
    movie_len += 4;

    if (opened("a stray word")) {
        is_int(movie_notes()[0], '\0', "a stray word is nothing to say");
    }
}


/* a file that is being written, byte by byte */
static void
growing(void)
{
    int       rc, bad;
    uint32_t  whole;
    uint64_t  end[4], len;

    frag_header(0);
    end[0] = movie_len;
    plain_fragment(0, 0);
    end[1] = movie_len;
    plain_fragment(2560, 4096);
    end[2] = movie_len;
    plain_fragment(5120, 8192);
    end[3] = movie_len;

    bad = 0;

    for (len = end[0]; len <= end[3]; len++) {
        movie_len = len;
        whole = (len >= end[1]) + (len >= end[2]) + (len >= end[3]);
        rc = movie_open();

        if (whole == 0) {
            bad += (rc != VOD_DAMAGED);
            continue;
        }

        bad += (rc != VOD_OK || count(0) != 5 * whole
                || count(1) != 4 * whole);

        if (len != end[1] && len != end[2] && len != end[3]
            && len - end[whole] >= 8)
        {
            bad += (strstr(movie_notes(), "the file ends inside") == NULL);
        }
    }

    is_int(bad, 0, "whole fragments alone, wherever the file ends");
}


static void
reads(void)
{
    uint64_t  header, before;

    frag_header(0);
    (void) movie_open();
    header = movie_read_bytes;

    plain_fragment(0, 0);
    before = movie_len;
    plain_fragment(2560, 4096);
    before = movie_len - before;

    /* 16 bytes a header; the first moof is met twice */

    is_int(movie_open(), VOD_OK, "reads");
    is_int(movie_read_bytes, header + 16 + 2 * (16 + before - 90 - 16 + 16),
           "moofs and headers are read, payload is not");
}


static void
damage(void)
{
    uint8_t  *at;

    frag_header(0);
    refused(VOD_DAMAGED, "a header without fragments", "no fragment");

    frag_header(0);
    memcpy(movie_box("moov", 0) - 4, "free", 4);
    plain_fragment(0, 0);
    refused(VOD_DAMAGED, "a media segment", "fragments without moov");

    movie_len = 0;
    top_box("styp", 16);
    plain_fragment(0, 0);
    refused(VOD_DAMAGED, "a media segment", "a segment alone");

    movie_len = 0;
    plain_fragment(0, 0);
    refused(VOD_DAMAGED, "a media segment", "a moof alone");

    frag_header(0);
    plain_fragment(0, 0);
    top_box("moov", 20);
    refused(VOD_DAMAGED, "two moov boxes", "moov behind fragments");

    frag_header(0);
    movie_u32(movie_box("trex", 1) + 4, 7);
    plain_fragment(0, 0);
    refused(VOD_DAMAGED, "two trex boxes for track 7", "trex twice");

    frag_header(0);
    memcpy(movie_box("free", 8) - 4, "mvex", 4);
    plain_fragment(0, 0);
    ok(movie_open() == VOD_OK, "mvex in a trak is not looked at");

    /* the first fragment holds, the second does not */

#define second(words, what)                                                   \
    if (opened(what)) {                                                       \
        is_int(count(0), 5, what ": what is before it");                      \
        noted(words, what);                                                   \
    }

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    memcpy(movie_box("traf", 3) - 4, "mfhd", 4);
    second("two mfhd", "mfhd twice");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    put("tfhd", 0, 0, 7);
    traf_end();
    moof_end(10);
    second("two tfhd", "tfhd twice");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    tfdt(2560);
    tfdt(2560);
    trun(0, TRUN_OFFSET, 1, 0);
    traf_end();
    moof_end(10);
    second("two tfdt", "tfdt twice");

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    memcpy(movie_box("tfhd", 2) - 4, "free", 4);
    second("no tfhd", "no tfhd");

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    at = movie_box("traf", 2) - 8;
    movie_u32(at, 5000);
    second("larger than moof", "a traf larger than moof");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    put("tfdt", 1, 0, 0x20000000, 0);
    trun(0, TRUN_OFFSET, 1, 0);
    traf_end();
    moof_end(10);
    second("no time", "a time that is none");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET | TRUN_DURATION, 1, 0, 0x80000000);
    traf_end();
    moof_end(10);
    second("no time", "a duration that is none");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET | TRUN_CTS, 1, 0, 0x40000000);
    traf_end();
    moof_end(10);
    second("no time", "an offset that is none");

    frag_header(0);
    plain_fragment(0, 0);
    memset(movie + movie_len, 0, 64);
    movie_len += 64;
    second("there is no box", "zeros at the end");
}


static void
claims(void)
{
    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET, 0xffffffff, 0);
    traf_end();
    moof_end(10);
    second("claims 4294967295 samples", "billions of samples of 10 bytes");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF | TFHD_SIZE, 7, 0);
    trun(0, TRUN_OFFSET, 0xffffffff, 0);
    traf_end();
    moof_end(10);
    second("claims 4294967295 samples", "billions of samples of nothing");

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET | TRUN_SIZE, 0x40000001, 0, 5, 5);
    traf_end();
    moof_end(10);
    second("too short", "more sizes than there are");

    frag_header(0);
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    movie_limits.max_samples = 17;
    refused(VOD_LIMIT, "more samples than the 17 allowed", "a limit");
    movie_limits.max_samples = 18;
    is_int(movie_open(), VOD_OK, "a limit that holds");

    frag_header(1);
    plain_fragment(5120, 21000);
    movie_limits.max_samples = 38;
    refused(VOD_LIMIT, "more samples than the 38 allowed",
            "a limit with moov's samples");

    frag_header(0);
    moof_begin();
    put("free", 0, 0, 0);
    traf_begin(TFHD_MOOF, 7);
    trun(0, TRUN_OFFSET, 1, 0);
    traf_end();
    vod_wr_zero(&frag_wr, 8000);
    moof_end(10);
    movie_limits.max_moov = 6000;
    refused(VOD_LIMIT, "more than the 6000 allowed", "a large moof");

    frag_header(0);
    plain_fragment(0, 0);
    movie_fail_at = frag_data - 60;
    refused(VOD_IO, "system error", "a read that fails");
}


static void
lost(void)
{
    /* offsets that point beyond the file, behind a whole mdat */

    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    tfdt(2560);
    trun(0, TRUN_OFFSET, 5, 0);
    traf_end();
    traf_begin(TFHD_MOOF, 9);
    tfdt(4096);
    trun(0, TRUN_OFFSET, 4, 50000);
    traf_end();
    moof_end(90);
    plain_fragment(5120, 8192);

    if (opened("data of one track beyond the end")) {
        is_int(count(0), 15, "data beyond: the other track goes on");
        is_int(count(1), 4, "data beyond: the track ends");
        noted("track 9 (mp4a, audio): the data of its fragment", "data beyond");
    }
}


static void
descriptions(void)
{
    frag_header(0);
    plain_fragment(0, 0);
    moof_begin();
    traf_begin(TFHD_MOOF | TFHD_DESCRIPTION, 7, 2);
    trun(0, TRUN_OFFSET, 5, 0);
    traf_end();
    traf_begin(TFHD_MOOF | TFHD_DESCRIPTION, 9, 1);
    trun(0, TRUN_OFFSET, 4, 50);
    traf_end();
    moof_end(90);

    if (opened("another description")) {
        is_int(movie_tracks(), 1, "another description: left out");
        is_int(count(0), 8, "another description: the other is served");
        noted("sample descriptions 1 and 2 and stsd has not both",
              "another description");
    }

    /* one that a decoder does not see, and one that it does */

    frag_movie.twice = 1;
    frag_header(1);
    plain_fragment(5120, 20480);
    movie_u32(movie_box("trex", 0) + 8, 2);
    movie_u32(movie_box("trex", 1) + 8, 2);
    moof_begin();
    traf_begin(TFHD_MOOF | TFHD_DESCRIPTION, 7, 1);
    trun(0, TRUN_OFFSET, 5, 0);
    traf_end();
    moof_end(50);

    if (opened("another number")) {
        is_int(count(0), 20, "another number: video goes on");
        is_int(count(1), 24, "another number: audio goes on");
        is_str(movie_notes(), "", "another number: no note");
    }

    movie_box("mp4a", 1)[16]++;

    if (opened("other sound in the fragments")) {
        is_int(movie_tracks(), 1, "other sound in the fragments: left out");
        noted("changes its sample description at sample 21 (other sound)",
              "other sound in the fragments");
    }

    movie_box("mp4a", 1)[16]--;
    movie_box("avcC", 1)[3]++;

    if (opened("another avcC in the fragments")) {
        is_int(movie_tracks(), 1, "another avcC in the fragments: left out");
        noted("(another configuration)", "another avcC in the fragments");
    }

    memset(&frag_movie, 0, sizeof(frag_movie));

    frag_header(0);
    movie_u32(movie_box("trex", 0) + 8, 2);
    plain_fragment(0, 0);

    if (opened("a description that is not there")) {
        is_int(movie_tracks(), 1, "a description that is not there");
        noted("sample description 2 and stsd has no such",
              "a description that is not there");
    }

    frag_header(0);
    moof_begin();
    traf_begin(TFHD_MOOF, 9);
    trun(0, TRUN_OFFSET, 4, 0);
    traf_end();
    moof_end(40);

    if (opened("a track without samples")) {
        is_int(movie_tracks(), 1, "a track without samples is left out");
        noted("track 7 (avc1, video) left out: it holds no sample",
              "a track without samples");
    }
}


/* bytes changed at random: an answer, and no sample beyond the file */
static void
fuzz(void)
{
    int                 rc, bad, served;
    uint32_t            i, k, n, seed;
    uint64_t            from;
    vod_err_t           err;
    static uint8_t      good[MOVIE_ROOM];
    const vod_index_t  *index;

    frag_header(0);
    from = movie_box("mvex", 0) - movie;
    plain_fragment(0, 0);
    plain_fragment(2560, 4096);
    memcpy(good, movie, movie_len);

    seed = 1;
    bad = 0;
    served = 0;

    for (i = 0; i < 8000; i++) {
        memcpy(movie, good, movie_len);

        for (k = 0, n = 1 + i % 4; k < n; k++) {
            seed = seed * 1664525 + 1013904223;
            movie[from + (seed >> 8) % (movie_len - from)]
                = (uint8_t) ((seed >> 4) % 3 ? seed >> 24 : 0xff);
        }

        rc = movie_open();
        index = movie_index;

        if (rc == VOD_OK) {
            served++;
            bad += vod_index_check(index, index->len, &err) != VOD_OK;

        } else {
            bad += (rc == VOD_INTERNAL || movie_err.text[0] == '\0');
        }
    }

    is_int(bad, 0, "bytes changed at random: an index, or a reason");
    ok(served > 4000, "most of them are served (%d)", served);
}


int
main(void)
{
    vod_av_init();

    defaults();
    places();
    from_moof();
    smooth();
    times();
    order();
    overlap_times();
    hybrid();
    edits();
    around();
    growing();
    reads();
    damage();
    claims();
    lost();
    descriptions();
    fuzz();

    free(movie_index);

    return done_testing();
}
