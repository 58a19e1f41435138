/*
 * Edit lists: which samples are kept, and where they stand in the output.
 */

#include "vod_edit.h"
#include "tap.h"


#define N  64


static vod_sample_t    samples[N];
static uint32_t        n_samples;
static int64_t         first_dts;      /* in the source */
static int             endless;
static vod_edit_out_t  out;
static vod_err_t       err;


/* n samples of dur ticks, every key-th one sync, offset cts */
static void
plain(uint32_t n, uint32_t dur, uint32_t key, int32_t cts)
{
    uint32_t  i;

    memset(samples, 0, sizeof(samples));

    for (i = 0; i < n; i++) {
        samples[i].size = i + 1;
        samples[i].dur = dur;
        samples[i].cts = cts;
        samples[i].key = (i % key == 0);
    }

    n_samples = n;
}


/*
 * IBBP in decode order I P B B, presented 0 3 1 2 (closed groups of 4):
 * offsets 1 3 0 0 times dur, so the first picture is shown at dur.
 */
static void
reordered(uint32_t n, uint32_t dur, int32_t base)
{
    uint32_t              i;
    static const int32_t  off[4] = { 1, 3, 0, 0 };

    plain(n, dur, 4, 0);

    for (i = 0; i < n; i++) {
        samples[i].cts = (off[i % 4] + base) * (int32_t) dur;
    }
}


static int
apply(unsigned kind, uint32_t timescale, uint32_t movie,
    const vod_edit_entry_t *entries, uint32_t n)
{
    vod_edit_in_t  in;

    in.entries = entries;
    in.n_entries = n;
    in.movie_timescale = movie;
    in.timescale = timescale;
    in.kind = kind;
    in.dts = first_dts;
    in.endless = endless;

    memset(&out, 0xff, sizeof(out));
    err.text[0] = '\0';

    return vod_edit_apply(&in, samples, n_samples, &out, &err);
}


/* presentation time in the output of the k-th kept sample */
static int64_t
pts(uint32_t k)
{
    uint32_t  i;
    int64_t   dts;

    dts = (int64_t) out.first_dts;

    for (i = 0; i < k; i++) {
        dts += samples[out.first + i].dur;
    }

    return dts + samples[out.first + k].cts - (int64_t) out.media_time;
}


static void
is_out(uint32_t first, uint32_t n, uint64_t dts, uint64_t media_time,
    const char *what)
{
    is_int(out.first, first, "%s: first sample", what);
    is_int(out.n, n, "%s: samples", what);
    is_int(out.first_dts, dts, "%s: first dts", what);
    is_int(out.media_time, media_time, "%s: media time", what);
}


/* samples that last no time */
static void
zeros(void)
{
    uint32_t  i;

    plain(10, 512, 5, 0);
    is_int(vod_edit_zeros(samples, 10), 0, "no zeros");
    is_int(samples[3].dur, 512, "no zeros: nothing changes");

    plain(10, 512, 5, 0);
    samples[2].dur = 0;
    samples[3].dur = 0;
    samples[9].dur = 0;
    is_int(vod_edit_zeros(samples, 10), 2, "zeros");
    is_int(samples[2].dur, 1, "zeros: a tick");
    is_int(samples[3].dur, 1, "zeros: a tick again");
    is_int(samples[4].dur, 510, "zeros: given back");
    is_int(samples[5].dur, 512, "zeros: over");
    is_int(samples[9].dur, 512, "zeros: the last as the one before");
    is_int(samples[4].cts, 0, "zeros: two presented at one time are not");

    /* more than the next can give back */

    plain(10, 2, 5, 0);
    samples[0].dur = 0;
    samples[1].dur = 0;
    samples[2].dur = 0;
    is_int(vod_edit_zeros(samples, 10), 3, "many zeros");

    for (i = 0; i < 6; i++) {
        is_int(samples[i].dur, 1, "many zeros: sample %u", i + 1);
    }

    is_int(samples[6].dur, 2, "many zeros: all given back");

    /* presented at other times: those stay */

    reordered(8, 512, 0);
    samples[1].dur = 0;
    is_int(vod_edit_zeros(samples, 8), 0, "reordered zero");
    is_int(samples[1].cts, 3 * 512, "reordered zero: its offset");
    is_int(samples[2].cts, -1, "reordered zero: the next one's time stays");
    is_int(samples[2].dur, 511, "reordered zero: given back");

    plain(1, 0, 1, 0);
    is_int(vod_edit_zeros(samples, 1), 0, "one sample alone");
    is_int(samples[0].dur, 0, "one sample alone: as it is");
}


static void
no_list(void)
{
    plain(10, 512, 5, 0);
    is_int(apply(VOD_VIDEO, 12800, 0, NULL, 0), VOD_OK, "no edit list");
    is_out(0, 10, 0, 0, "no edit list");

    reordered(12, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 0, NULL, 0), VOD_OK, "offsets, no list");
    is_out(0, 12, 0, 0, "offsets, no list");
    is_int(pts(0), 512, "offsets, no list: the delay stays");

    reordered(12, 512, -1);
    is_int(apply(VOD_VIDEO, 12800, 0, NULL, 0), VOD_OK, "negative offsets");
    is_out(0, 12, 0, 512, "negative offsets");
    is_int(samples[2].cts, 0, "negative offsets: raised to 0");
    is_int(samples[0].cts, 512, "negative offsets: all raised");
    is_int(pts(0), 0, "negative offsets: the times stay");
    is_int(pts(2), 512, "negative offsets: the times stay");
}


static void
video(void)
{
    vod_edit_entry_t  e[] = { { 480, 512, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  late[] = {
        { 1000, -1, VOD_EDIT_RATE_1 }, { 480, 512, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  early[] = {
        { 10, -1, VOD_EDIT_RATE_1 }, { 480, 512, VOD_EDIT_RATE_1 }
    };

    /* what every encoder with B-frames writes */

    reordered(12, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, e, 1), VOD_OK, "media time");
    is_out(0, 12, 0, 512, "media time");
    is_int(samples[0].cts, 512, "media time: first offset");
    is_int(samples[1].cts, 1536, "media time: second offset");
    is_int(samples[2].cts, 0, "media time: third offset");
    is_int(pts(0), 0, "media time: begins at 0");
    is_int(pts(1), 3 * 512, "media time: second sample");
    is_int(pts(2), 512, "media time: third sample");

    /* E > M: there is room to decode before */

    reordered(12, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, late, 2), VOD_OK, "late");
    is_out(0, 12, 12800 - 512, 0, "late");
    is_int(pts(0), 12800, "late: begins after the empty edit");

    /* 0 < E < M: 10 ms are 128 ticks */

    reordered(12, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, early, 2), VOD_OK, "a little late");
    is_out(0, 12, 0, 512 - 128, "a little late");
    is_int(pts(0), 128, "a little late: begins after the empty edit");
}


static void
video_from_the_middle(void)
{
    vod_edit_entry_t  key[] = { { 240, 4 * 512 + 512, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  mid[] = { { 240, 6 * 512 + 512, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  off[] = { { 240, 6 * 512 + 512 + 100,
                                  VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  late[] = {
        { 1000, -1, VOD_EDIT_RATE_1 },
        { 240, 6 * 512 + 512, VOD_EDIT_RATE_1 }
    };

    reordered(16, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, key, 1), VOD_OK, "from a key frame");

    /* 240 ms are 3072 ticks, six pictures: I P B B I . B, without the last */

    is_out(4, 7, 0, 512, "from a key frame");
    is_int(pts(0), 0, "from a key frame: begins at 0");

    reordered(16, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, mid, 1), VOD_OK, "inside a group");
    is_out(4, 8, 0, 1536, "inside a group");
    is_int(pts(0), -2 * 512, "inside a group: key frame before the edit");
    is_int(pts(3), 0, "inside a group: the edit's first picture at 0");
    is_int(samples[4].cts, 512, "inside a group: offsets stay");

    reordered(16, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, off, 1), VOD_OK, "inside a picture");
    is_out(4, 9, 0, 1636, "inside a picture");
    is_int(pts(3), -100, "inside a picture: it began before");
    is_int(pts(1), 512 - 100, "inside a picture: the next is exact");

    reordered(16, 512, 0);
    is_int(apply(VOD_VIDEO, 12800, 1000, late, 2), VOD_OK, "late and inside");
    is_out(4, 8, 12800 - 1536, 0, "late and inside");
    is_int(pts(3), 12800, "late and inside: after the empty edit");
}


static void
negative_offsets(void)
{
    vod_edit_entry_t  zero[] = { { 640, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  key[] = { { 240, 4 * 512, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  late[] = {
        { 1000, -1, VOD_EDIT_RATE_1 }, { 640, 0, VOD_EDIT_RATE_1 }
    };

    reordered(16, 512, -1);
    is_int(apply(VOD_VIDEO, 12800, 1000, zero, 1), VOD_OK, "version 1");
    is_out(0, 16, 0, 512, "version 1");
    is_int(pts(0), 0, "version 1: begins at 0");
    is_int(pts(2), 512, "version 1: third sample");

    reordered(16, 512, -1);
    is_int(apply(VOD_VIDEO, 12800, 1000, key, 1), VOD_OK, "version 1, cut");
    is_out(4, 7, 0, 512, "version 1, cut");
    is_int(pts(0), 0, "version 1, cut: begins at 0");

    /* an empty edit longer than the offsets reach back: no edit list */

    reordered(16, 512, -1);
    is_int(apply(VOD_VIDEO, 12800, 1000, late, 2), VOD_OK, "version 1, late");
    is_out(0, 16, 12800 - 512, 0, "version 1, late");
    is_int(pts(0), 12800, "version 1, late: after the empty edit");
}


static void
audio(void)
{
    vod_edit_entry_t  priming[] = { { 1000, 1024, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  he[] = { { 1000, 5058, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  late[] = {
        { 1150, -1, VOD_EDIT_RATE_1 }, { 1000, 1024, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  far[] = { { 100, 50 * 1000, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  edge[] = { { 100, 48 * 1000, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  padded[] = { { 970, 1024, VOD_EDIT_RATE_1 } };

    plain(47, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 48000, 1000, priming, 1), VOD_OK, "priming");
    is_out(0, 47, 0, 1024, "priming");
    is_int(pts(0), -1024, "priming: before 0");
    is_int(pts(1), 0, "priming: sound at 0");
    is_int(samples[0].cts, 0, "priming: offsets stay 0");

    plain(47, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 44100, 1000, he, 1), VOD_OK, "HE-AAC priming");
    is_out(0, 47, 0, 5058, "HE-AAC priming");

    plain(47, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 48000, 1000, late, 2), VOD_OK, "late sound");
    is_out(0, 47, 1150 * 48 - 1024, 0, "late sound");
    is_int(pts(1), 1150 * 48, "late sound: after the empty edit");

    /* a second of sound in front is kept for the decoder: 1000 ticks a
       sample, timescale 20000, wanted from 30000 */

    plain(64, 1000, 1, 0);
    is_int(apply(VOD_AUDIO, 20000, 1000, far, 1), VOD_OK, "far inside");
    is_out(30, 22, 0, 20000, "far inside");
    is_int(pts(20), 0, "far inside: the edit's first sample at 0");

    /* 48000 - 20000 = 28000: the sample that ends there is not needed */

    plain(64, 1000, 1, 0);
    is_int(apply(VOD_AUDIO, 20000, 1000, edge, 1), VOD_OK, "on the edge");
    is_out(28, 22, 0, 20000, "on the edge");

    /* padding: the last packet ends with the edit; not within its ticks,
       nor of video, nor where the end is the header's of a fragmented file */

    plain(47, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 48000, 1000, padded, 1), VOD_OK, "padding");
    is_out(0, 47, 0, 1024, "padding");
    is_int(samples[46].dur, 1024 + 970 * 48 - 46 * 1024, "padding: the end");
    is_int(samples[45].dur, 1024, "padding: only the last");

    plain(47, 1024, 1, 0);
    padded[0].duration = 981;
    is_int(apply(VOD_AUDIO, 48000, 1000, padded, 1), VOD_OK, "rounded end");
    is_int(samples[46].dur, 1024, "rounded end: none");

    plain(47, 1024, 1, 0);
    padded[0].duration = 970;
    is_int(apply(VOD_VIDEO, 48000, 1000, padded, 1), VOD_OK, "video's end");
    is_int(samples[46].dur, 1024, "video's end: whole");

    endless = 1;
    is_int(apply(VOD_AUDIO, 48000, 1000, padded, 1), VOD_OK, "no end");
    is_int(samples[46].dur, 1024, "no end: whole");
    endless = 0;

    /* only every 16th can be decoded from */

    plain(64, 1000, 16, 0);
    is_int(apply(VOD_AUDIO, 20000, 1000, far, 1), VOD_OK, "sync samples");
    is_out(16, 36, 0, 34000, "sync samples");
}


static void
ends(void)
{
    vod_edit_entry_t  whole[] = { { 0, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  longer[] = { { 99999, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  tail[] = { { 200, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  inside[] = { { 205, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  behind[] = {
        { 200, 0, VOD_EDIT_RATE_1 }, { 500, -1, VOD_EDIT_RATE_1 }
    };

    plain(20, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, whole, 1), VOD_OK, "duration 0");
    is_out(0, 20, 0, 0, "duration 0 is to the end");

    plain(20, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, longer, 1), VOD_OK, "too long");
    is_out(0, 20, 0, 0, "longer than the media");

    plain(40, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, tail, 1), VOD_OK, "tail");
    is_out(0, 20, 0, 0, "ends between two samples");

    plain(40, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, inside, 1), VOD_OK, "inside");
    is_out(0, 21, 0, 0, "ends inside a sample");

    plain(40, 100, 10, 0);
    is_int(apply(VOD_AUDIO, 10000, 1000, inside, 1), VOD_OK, "inside");
    is_out(0, 21, 0, 0, "ends inside a sound sample");

    plain(40, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, behind, 2), VOD_OK, "silence");
    is_out(0, 20, 0, 0, "an empty edit behind says nothing");

    /* decode order I P B B: presented until 3, the P in front is needed */

    reordered(8, 100, 0);
    tail[0].duration = 40;
    is_int(apply(VOD_VIDEO, 10000, 1000, tail, 1), VOD_OK, "reordered tail");
    is_out(0, 4, 0, 0, "reordered tail");
}


static void
several(void)
{
    vod_edit_entry_t  two[] = {
        { 200, 1000, VOD_EDIT_RATE_1 }, { 100, 3000, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  tick[] = {
        { 200, 1000, VOD_EDIT_RATE_1 }, { 100, 3010, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  jump[] = {
        { 200, 1000, VOD_EDIT_RATE_1 }, { 100, 3011, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  back[] = {
        { 200, 1000, VOD_EDIT_RATE_1 }, { 100, 1000, VOD_EDIT_RATE_1 }
    };
    vod_edit_entry_t  waits[] = {
        { 30, -1, VOD_EDIT_RATE_1 }, { 20, -1, VOD_EDIT_RATE_1 },
        { 200, 0, VOD_EDIT_RATE_1 }, { 0, 700, VOD_EDIT_RATE_1 },
        { 0, -1, VOD_EDIT_RATE_1 }, { 100, 2000, VOD_EDIT_RATE_1 }
    };

    plain(60, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, two, 2), VOD_OK, "continued");
    is_out(10, 30, 0, 0, "continued");

    plain(60, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, tick, 2), VOD_OK,
           "one tick of the movie off is rounding");

    plain(60, 100, 10, 0);
    is_int(apply(VOD_VIDEO, 10000, 1000, jump, 2), VOD_UNSUPPORTED, "jump");
    ok(strstr(err.text, "jumps at entry 2") != NULL, "jump: %s", err.text);

    is_int(apply(VOD_VIDEO, 10000, 1000, back, 2), VOD_UNSUPPORTED, "back");

    is_int(apply(VOD_VIDEO, 10000, 1000, waits, 6), VOD_OK,
           "several empty edits, edits of no length");
    is_out(0, 30, 500, 0, "several empty edits");

    waits[4].duration = 1;
    is_int(apply(VOD_VIDEO, 10000, 1000, waits, 6), VOD_UNSUPPORTED, "gap");
    ok(strstr(err.text, "gap before entry 6") != NULL, "gap: %s", err.text);
}


static void
refused(void)
{
    vod_edit_entry_t  rate[] = { { 200, 0, 0x8000 } };
    vod_edit_entry_t  dwell[] = { { 200, 0, 0 } };
    vod_edit_entry_t  nothing[] = { { 200, -1, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  beyond[] = { { 200, 600000, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  before[] = { { 200, -2, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  huge[] = { { UINT64_MAX, -1, VOD_EDIT_RATE_1 },
                                 { 200, 0, VOD_EDIT_RATE_1 } };
    vod_edit_entry_t  far[] = { { 200, INT64_MAX, VOD_EDIT_RATE_1 } };

    plain(60, 100, 10, 0);

    is_int(apply(VOD_VIDEO, 10000, 1000, rate, 1), VOD_UNSUPPORTED, "rate");
    ok(strstr(err.text, "rate 0.500") != NULL, "rate: %s", err.text);
    is_int(apply(VOD_VIDEO, 10000, 1000, dwell, 1), VOD_UNSUPPORTED, "dwell");
    is_int(apply(VOD_VIDEO, 10000, 1000, nothing, 1), VOD_UNSUPPORTED,
           "only empty edits");
    is_int(apply(VOD_VIDEO, 10000, 1000, beyond, 1), VOD_UNSUPPORTED,
           "begins behind the media");
    is_int(apply(VOD_VIDEO, 10000, 1000, before, 1), VOD_DAMAGED,
           "media time -2");
    is_int(apply(VOD_VIDEO, 10000, 0, beyond, 1), VOD_DAMAGED,
           "movie timescale 0");
    is_int(apply(VOD_VIDEO, 10000, 1000, huge, 2), VOD_DAMAGED,
           "empty edit of 2^64 - 1");
    is_int(apply(VOD_VIDEO, 10000, 1000, far, 1), VOD_DAMAGED,
           "media time of 2^63 - 1");
}


static void
rounding(void)
{
    vod_edit_entry_t  e[] = {
        { 1001, -1, VOD_EDIT_RATE_1 }, { 0, 0, VOD_EDIT_RATE_1 }
    };

    /* 1001 / 600 s = 73573.5 ticks of 44100 */

    plain(20, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 44100, 600, e, 2), VOD_OK, "rounding");
    is_int(out.first_dts, 73574, "an empty edit is rounded to the nearest");

    /* 1 / 90000 s is less than half a tick of 24 */

    e[0].duration = 1;
    is_int(apply(VOD_AUDIO, 24, 90000, e, 2), VOD_OK, "rounding to 0");
    is_int(out.first_dts, 0, "less than half a tick is none");
}


/* fragments: decoding begins where the first one says */
static void
from_a_time(void)
{
    vod_edit_entry_t  e[] = { { 1000, 1024, VOD_EDIT_RATE_1 } };

    first_dts = 90000;

    plain(60, 1024, 1, 0);
    is_int(apply(VOD_AUDIO, 48000, 1000, NULL, 0), VOD_OK, "from 90000");
    is_int(out.first_dts, 90000, "from 90000: kept");
    is_int(out.n, 60, "from 90000: all samples");

    is_int(apply(VOD_AUDIO, 48000, 1000, e, 1), VOD_UNSUPPORTED,
           "an edit that ends before the samples begin");

    endless = 1;
    is_int(apply(VOD_AUDIO, 48000, 1000, e, 1), VOD_OK, "an edit without end");
    is_int(out.first_dts, 90000 - 1024, "an edit without end: shifted");
    is_int(out.media_time, 0, "an edit without end: nothing to hide");
    is_int(out.n, 60, "an edit without end: all samples");

    first_dts = 512;
    is_int(apply(VOD_AUDIO, 48000, 1000, e, 1), VOD_OK, "from 512");
    is_int(out.first_dts, 0, "from 512: begins before 0");
    is_int(out.media_time, 512, "from 512: which is hidden");

    first_dts = 0;
    endless = 0;
}


int
main(void)
{
    no_list();
    zeros();
    video();
    video_from_the_middle();
    negative_offsets();
    audio();
    ends();
    several();
    refused();
    rounding();
    from_a_time();

    return done_testing();
}
