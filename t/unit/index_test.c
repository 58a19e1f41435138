#include <stdlib.h>

#include "tap.h"

#include "vod_index.h"


#define MAX_SAMPLES  4096

static vod_sample_t  samples[2][MAX_SAMPLES];


static int
same_sample(const vod_sample_t *a, const vod_sample_t *b)
{
    return a->pos == b->pos && a->size == b->size && a->dur == b->dur
           && a->cts == b->cts && !a->key == !b->key;
}


static void
test_row_example(void)
{
    vod_cursor_t          cur;
    vod_sample_t          s = { 48, 300, 512, 1024, 1 }, again;
    uint8_t               out[VOD_ROW_MAX];
    static const uint8_t  first[] = { 0x0f, 0xac, 0x02, 0x60, 0x80, 0x04,
                                      0x80, 0x10 };
    static const uint8_t  second[] = { 0x08, 0x64, 0xff, 0x07 };

    memset(&cur, 0, sizeof(cur));
    cur.dts = 7;

    is_int(vod_row_write(&cur, &s, out), 8, "the example has 8 bytes");
    is_mem(out, first, 8, "they are those of the header file");

    is_int(cur.row, 8, "row after it");
    is_int(cur.end, 348, "end after it");
    is_int(cur.dts, 519, "dts after it");
    is_int(cur.sample, 1, "sample after it");

    /* what does not change costs nothing */

    s.pos = 348;
    s.size = 100;
    s.cts = -512;
    s.key = 0;

    is_int(vod_row_write(&cur, &s, out + 8), 4,
           "the next one, at its end, as long, has 4 bytes");
    is_mem(out + 8, second, 4, "flags, size, composition offset");

    memset(&cur, 0, sizeof(cur));

    ok(vod_row_read(&cur, out, 0, 12, &again) == VOD_OK && again.pos == 48
       && again.size == 300 && again.dur == 512 && again.cts == 1024
       && again.key == 1, "the first reads back");

    ok(vod_row_read(&cur, out + 8, 8, 4, &again) == VOD_OK
       && same_sample(&s, &again), "the second too, from its own bytes");

    is_int(cur.row, 12, "row at the end");
    is_int(vod_row_read(&cur, out, 0, 12, &again), VOD_DAMAGED,
           "there is no third");
    is_int(cur.row, 12, "which leaves the cursor where it was");
}


static uint64_t
random_bits(uint64_t *seed, unsigned max)
{
    unsigned  bits;

    bits = 1 + tap_rand(seed) % max;

    return tap_rand(seed) >> (64 - bits);
}


static void
test_row_random(void)
{
    int           wrong, broken;
    uint32_t      i, n;
    uint64_t      seed, len, cut;
    vod_cursor_t  cur, end, state, past;
    vod_sample_t  s, *in;
    uint8_t      *rows, *copy;

    seed = 1;
    in = samples[0];
    rows = malloc(MAX_SAMPLES * VOD_ROW_MAX);

    memset(&end, 0, sizeof(end));

    for (i = 0; i < MAX_SAMPLES; i++) {
        in[i].size = (uint32_t) random_bits(&seed, 31);
        in[i].pos = tap_rand(&seed) % 2 ? end.end : random_bits(&seed, 62);
        in[i].dur = tap_rand(&seed) % 2 ? end.dur
                                        : (uint32_t) random_bits(&seed, 31);
        in[i].cts = tap_rand(&seed) % 2 ? end.cts
                                        : (int32_t) tap_rand(&seed);
        in[i].key = tap_rand(&seed) % 2;

        n = vod_row_write(&end, &in[i], rows + end.row);

        if (n > VOD_ROW_MAX) {
            break;
        }
    }

    is_int(i, MAX_SAMPLES, "no random row is longer than VOD_ROW_MAX");

    memset(&cur, 0, sizeof(cur));
    wrong = 0;

    for (i = 0; i < MAX_SAMPLES; i++) {
        if (vod_row_read(&cur, rows, 0, end.row, &s) != VOD_OK
            || !same_sample(&s, &in[i]))
        {
            wrong++;
        }
    }

    is_int(wrong, 0, "%d random samples read back", MAX_SAMPLES);
    is_mem(&cur, &end, sizeof(cur), "the reader ends as the writer does");

    /* cut anywhere: the row says so, and no byte behind is touched */

    memset(&cur, 0, sizeof(cur));
    broken = 0;
    wrong = 0;

    for (i = 0; i < 300; i++) {
        state = cur;
        vod_row_read(&cur, rows, 0, end.row, &s);

        for (cut = 0; cut < cur.row - state.row; cut++) {
            copy = malloc(cut ? cut : 1);
            memcpy(copy, rows + state.row, cut);

            past = state;
            broken++;

            if (vod_row_read(&past, copy, state.row, cut, &s) != VOD_DAMAGED
                || memcmp(&past, &state, sizeof(state)) != 0)
            {
                wrong++;
            }

            free(copy);
        }
    }

    is_int(wrong, 0, "%d rows that end too early are damaged", broken);

    /* garbage: never beyond its end (a sanitizer would see) */

    len = 0;

    for (i = 0; i < 200000; i++) {
        len = tap_rand(&seed) % 40;
        copy = malloc(len ? len : 1);

        for (n = 0; n < len; n++) {
            copy[n] = (uint8_t) (tap_rand(&seed) % 3 ? 0xff
                                                     : tap_rand(&seed));
        }

        if (len) {
            copy[0] &= 0x0f;
        }

        memset(&cur, 0, sizeof(cur));
        cur.end = random_bits(&seed, 62);
        cur.dts = random_bits(&seed, 62);

        if (vod_row_read(&cur, copy, 0, len, &s) == VOD_OK
            && (cur.row > len || s.pos > (uint64_t) INT64_MAX - s.size
                || cur.dts > VOD_TIME_MAX))
        {
            wrong++;
        }

        free(copy);
    }

    is_int(wrong, 0, "no garbage makes a row that is out of bounds");

    free(rows);
}


static void
row_damaged(const char *what, const char *bytes, unsigned len, uint64_t end,
    uint64_t dts, int rc)
{
    vod_cursor_t  cur;
    vod_sample_t  s;

    memset(&cur, 0, sizeof(cur));
    cur.end = end;
    cur.dts = dts;

    is_int(vod_row_read(&cur, (const uint8_t *) bytes, 0, len, &s), rc, "%s",
           what);
}


static void
test_row_limits(void)
{
    row_damaged("a flag that is none", "\x10\x01", 2, 0, 0, VOD_DAMAGED);
    row_damaged("size of 32 bits", "\x00\xff\xff\xff\xff\x0f", 6, 0, 0,
                VOD_OK);
    row_damaged("size of 33 bits", "\x00\x80\x80\x80\x80\x10", 6, 0, 0,
                VOD_DAMAGED);
    row_damaged("duration of 32 bits", "\x04\x01\xff\xff\xff\xff\x0f", 7, 0,
                0, VOD_OK);
    row_damaged("duration of 33 bits", "\x04\x01\x80\x80\x80\x80\x10", 7, 0,
                0, VOD_DAMAGED);
    row_damaged("offset of -2^31", "\x08\x01\xff\xff\xff\xff\x0f", 7, 0, 0,
                VOD_OK);
    row_damaged("offset of 2^31", "\x08\x01\x80\x80\x80\x80\x10", 7, 0, 0,
                VOD_DAMAGED);
    row_damaged("a number of 65 bits",
                "\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 12,
                0x7000000000000000, 0, VOD_DAMAGED);
    row_damaged("a number of 11 bytes",
                "\x02\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 13, 0,
                0, VOD_DAMAGED);
    row_damaged("back to the first byte", "\x02\x01\x13", 3, 10, 0, VOD_OK);
    row_damaged("back before the first byte", "\x02\x01\x15", 3, 10, 0,
                VOD_DAMAGED);
    row_damaged("up to the last byte", "\x00\x01", 2, INT64_MAX - 1, 0,
                VOD_OK);
    row_damaged("beyond the last byte", "\x00\x01", 2, INT64_MAX, 0,
                VOD_DAMAGED);
    row_damaged("up to the last tick", "\x04\x01\x01", 3, 0,
                VOD_TIME_MAX - 1, VOD_OK);
    row_damaged("beyond the last tick", "\x04\x01\x01", 3, 0, VOD_TIME_MAX,
                VOD_DAMAGED);
}


/* n samples behind each other from pos on, a sync sample every gop */
static void
make_samples(vod_sample_t *s, uint32_t n, uint64_t pos, uint32_t size,
    uint32_t dur, uint32_t gop)
{
    uint32_t  i;

    for (i = 0; i < n; i++) {
        s[i].pos = pos;
        s[i].size = size;
        s[i].dur = dur;
        s[i].cts = 0;
        s[i].key = i % gop == 0;
        pos += size;
    }
}


static vod_index_in_t     in;
static vod_index_track_t  in_tracks[2];


static void
make_input(void)
{
    uint32_t  i;

    memset(&in, 0, sizeof(in));
    memset(in_tracks, 0, sizeof(in_tracks));

    make_samples(samples[0], 250, 48, 1000, 512, 50);
    make_samples(samples[1], 431, 250048, 100, 1024, 1);

    for (i = 0; i < 250; i++) {
        samples[0][i].cts = 512;
    }

    /* presented second, third, first */

    samples[0][0].cts = 1536;
    samples[0][1].cts = 0;
    samples[0][2].cts = 0;
    samples[1][430].dur = 300;

    in.file_size = 293148;
    in.container = "mp4";
    in.notes = "track 3 (tmcd) left out\n";
    in.notes_len = strlen(in.notes);
    in.tracks = in_tracks;
    in.n_tracks = 2;

    in_tracks[0].track.kind = VOD_VIDEO;
    in_tracks[0].track.source_id = 1;
    in_tracks[0].track.timescale = 12800;
    in_tracks[0].track.first_dts = 10;
    in_tracks[0].track.media_time = 512;
    in_tracks[0].track.flags = VOD_TRACK_DEFAULT|VOD_TRACK_ALL_SYNC;
    in_tracks[0].entry = (const uint8_t *) "the entry of video";
    in_tracks[0].entry_len = 18;
    in_tracks[0].samples = samples[0];
    in_tracks[0].n_samples = 250;
    strcpy(in_tracks[0].track.codec, "avc1.640028");

    in_tracks[1].track.kind = VOD_AUDIO;
    in_tracks[1].track.source_id = 7;
    in_tracks[1].track.timescale = 48000;
    in_tracks[1].entry = (const uint8_t *) "sound";
    in_tracks[1].entry_len = 5;
    in_tracks[1].name = "Stimme";
    in_tracks[1].name_len = 6;
    in_tracks[1].samples = samples[1];
    in_tracks[1].n_samples = 431;
}


static void
test_write(void)
{
    uint64_t            len, room;
    uint8_t            *out;
    vod_err_t           err;
    vod_index_t        *idx;
    vod_cursor_t        cur;
    vod_sample_t        s;
    uint32_t            i, k, wrong;
    const vod_track_t  *t;

    make_input();

    room = vod_index_bound(&in);
    out = malloc(room);
    memset(out, 0xa5, room);

    len = vod_index_write(&in, out, room, &err);
    idx = (vod_index_t *) out;

    ok(len > 0 && len <= room, "an index of %d bytes", (int) len);
    is_int(vod_index_check(out, len, &err), VOD_OK, "it passes its check");
    is_int(idx->len, len, "its length");
    is_int(idx->n_tracks, 2, "its tracks");
    is_int(idx->n_samples, 681, "its samples");
    is_int(idx->file_size, 293148, "the file's size");
    is_str(idx->container, "mp4", "the container");
    ok(idx->notes_len == in.notes_len
       && memcmp(out + idx->notes_off, in.notes, in.notes_len) == 0,
       "its notes");

    t = vod_index_tracks(out);

    is_int(t[0].ordinal, 0, "video: ordinal");
    is_int(t[0].n_samples, 250, "video: samples");
    is_int(t[0].payload, 250000, "video: bytes");
    is_int(t[0].duration, 128000, "video: duration");
    is_int(t[0].first_pts, 10 + 512 - 512,
           "video: the first sample is not presented first");
    is_int(t[0].end_pts, 10 + 250 * 512, "video: end");
    is_int(t[0].fps_num, 25, "video: frame rate");
    is_int(t[0].fps_den, 1, "video: a second");
    is_int(t[0].flags, VOD_TRACK_DEFAULT, "video: not all are sync samples");
    ok(t[0].entry_len == 18
       && memcmp(out + t[0].entry_off, "the entry of video", 18) == 0,
       "video: sample entry");
    is_int(t[0].name_len, 0, "video: no name");

    is_int(t[1].ordinal, 1, "audio: ordinal");
    is_int(t[1].payload, 43100, "audio: bytes");
    is_int(t[1].duration, 430 * 1024 + 300, "audio: the last sample's own");
    is_int(t[1].first_pts, 0, "audio: first");
    is_int(t[1].end_pts, 430 * 1024 + 300, "audio: end");
    is_int(t[1].flags, VOD_TRACK_ALL_SYNC, "audio: all are sync samples");
    is_int(t[1].fps_num, 0, "audio: no frame rate");
    is_int(t[1].fps_den, 1, "audio: a fraction all the same");
    ok(t[1].name_len == 6 && memcmp(out + t[1].name_off, "Stimme", 6) == 0,
       "audio: name");

    ok(t[0].rows_off % 8 == 0 && t[1].rows_off % 8 == 0
       && t[0].entry_off % 8 == 0 && t[1].entry_off % 8 == 0
       && idx->notes_off % 8 == 0 && t[1].name_off % 8 == 0 && len % 8 == 0,
       "sections begin at multiples of 8");
    ok(t[0].rows_off > idx->notes_off && t[1].rows_off > t[0].rows_off,
       "rows stand behind all else");

    for (i = 0, wrong = 0; i < 2; i++) {
        memset(&cur, 0, sizeof(cur));

        for (k = 0; k < t[i].n_samples; k++) {
            if (vod_row_read(&cur, out + t[i].rows_off, 0, t[i].rows_len, &s)
                != VOD_OK || !same_sample(&s, &samples[i][k]))
            {
                wrong++;
            }
        }

        wrong += cur.row != t[i].rows_len;
    }

    is_int(wrong, 0, "the rows are the samples");

    is_int(vod_index_write(&in, out, room - 1, &err), 0, "no room");
    is_int(err.code, VOD_NOMEM, "which is said");

    free(out);
}


static void
write_fails(const char *what, int code)
{
    void       *out;
    uint64_t    room;
    vod_err_t   err;

    room = vod_index_bound(&in);
    out = malloc(room ? room : 1);
    err.code = 0;
    err.text[0] = '\0';

    is_int(vod_index_write(&in, out, room, &err), 0, "%s", what);
    is_int(err.code, code, "%s: code", what);
    ok(err.text[0] != '\0', "%s: %s", what, err.text);

    free(out);

    make_input();
}


static void
test_write_limits(void)
{
    void       *out;
    uint64_t    room;
    vod_err_t   err;

    make_input();

    in.file_size = 293147;
    write_fails("the last sample ends beyond the file", VOD_DAMAGED);

    samples[0][3].pos = INT64_MAX;
    write_fails("a sample is far beyond the file", VOD_DAMAGED);

    samples[0][3].pos = UINT64_MAX;
    write_fails("a position that wraps", VOD_DAMAGED);

    samples[0][3].size = UINT32_MAX;
    write_fails("a sample is larger than the file", VOD_DAMAGED);

    in_tracks[1].n_samples = 0;
    write_fails("a track is empty", VOD_DAMAGED);

    in_tracks[1].track.timescale = 0;
    write_fails("a timescale is 0", VOD_DAMAGED);

    in_tracks[0].track.first_dts = VOD_TIME_MAX - 1000;
    write_fails("times end out of range", VOD_DAMAGED);

    in_tracks[0].track.first_dts = UINT64_MAX;
    write_fails("times begin out of range", VOD_DAMAGED);

    in_tracks[0].track.media_time = (uint64_t) INT64_MAX + 1;
    write_fails("media_time is out of range", VOD_DAMAGED);

    in.n_tracks = 0;
    write_fails("no track", VOD_UNSUPPORTED);

    /* allowed */

    samples[0][3].size = 0;
    samples[0][4].dur = 0;
    in_tracks[0].track.media_time = VOD_TIME_MAX / 2;
    room = vod_index_bound(&in);
    out = malloc(room);

    ok(vod_index_write(&in, out, room, &err) > 0,
       "an empty sample, one that does not last, a start far before 0");
    is_int(vod_index_check(out, ((vod_index_t *) out)->len, &err), VOD_OK,
           "which passes the check");

    free(out);
}


/* hash as the writer makes it, for an index changed on purpose */
static void
seal(vod_index_t *idx)
{
    idx->hash = vod_hash64(((uint64_t) idx->version << 16) | idx->n_tracks,
                           (uint8_t *) idx + 24, idx->len - 24);
}


#define check_fails(change, what)                                             \
    memcpy(copy, out, len);                                                   \
    change;                                                                   \
    seal((vod_index_t *) copy);                                               \
    is_int(vod_index_check(copy, len, &err), VOD_DAMAGED, what)


static void
test_check(void)
{
    uint8_t      *out, *copy;
    uint64_t      len, room, i, missed;
    vod_err_t     err;
    vod_index_t  *idx;
    vod_track_t  *t;

    make_input();

    room = vod_index_bound(&in);
    out = malloc(room);
    len = vod_index_write(&in, out, room, &err);
    copy = malloc(len);

    for (i = 0, missed = 0; i < len; i++) {
        memcpy(copy, out, len);
        copy[i] ^= 1 << (i % 8);

        missed += vod_index_check(copy, len, &err) == VOD_OK;
    }

    is_int(missed, 0, "no byte of %d can change unseen", (int) len);

    for (i = 0, missed = 0; i < len; i++) {
        memcpy(copy, out, i);
        missed += vod_index_check(copy, i, &err) == VOD_OK;
    }

    is_int(missed, 0, "it cannot be cut");

    idx = (vod_index_t *) copy;
    t = (vod_track_t *) (idx + 1);

    check_fails(t[0].timescale = 0, "no timescale");
    check_fails(t[1].n_samples = 0, "no samples");
    check_fails(t[1].n_samples++, "sums that differ");
    check_fails(t[1].ordinal = 0, "a wrong ordinal");
    check_fails(t[1].kind = 9, "a kind that is none");
    check_fails(t[1].rows_off = len, "rows at the end");
    check_fails(t[1].rows_off = UINT64_MAX, "rows far away");
    check_fails(t[1].rows_len = len, "rows too long");
    check_fails(t[1].rows_len = 860, "rows too short");
    check_fails(t[0].entry_off = 0, "an entry in the header");
    check_fails(t[0].entry_len = UINT64_MAX, "an entry that wraps");
    check_fails(t[0].name_off = UINT64_MAX - 1, "a name far away");
    check_fails(idx->notes_len = len + 1, "notes too long");
    check_fails(idx->notes_off = len + 1, "notes behind the end");
    check_fails(t[0].first_pts = INT64_MIN, "a time out of range");
    check_fails(t[0].end_pts = t[0].first_pts - 1, "an end before the start");
    check_fails(memset(t[0].codec, 'x', 64), "a text without end");
    check_fails(idx->n_tracks = 60000, "more tracks than bytes");
    check_fails(idx->n_tracks = 0, "no tracks");

    memcpy(copy, out, len);
    seal(idx);
    is_int(vod_index_check(copy, len, &err), VOD_OK,
           "unchanged and sealed again it passes");

    free(copy);
    free(out);
}


static void
test_find(void)
{
    unsigned     i;
    vod_track_t  t[5];

    memset(t, 0, sizeof(t));
    t[0].kind = VOD_AUDIO;
    t[1].kind = VOD_VIDEO;
    t[2].kind = VOD_AUDIO;
    t[3].kind = VOD_TEXT;
    t[4].kind = VOD_VIDEO;

    is_int(vod_index_find(t, 5, VOD_VIDEO, 1), 1, "v1");
    is_int(vod_index_find(t, 5, VOD_VIDEO, 2), 4, "v2");
    is_int(vod_index_find(t, 5, VOD_VIDEO, 3), -1, "no v3");
    is_int(vod_index_find(t, 5, VOD_AUDIO, 1), 0, "a1");
    is_int(vod_index_find(t, 5, VOD_AUDIO, 2), 2, "a2");
    is_int(vod_index_find(t, 5, VOD_TEXT, 1), 3, "s1");
    is_int(vod_index_find(t, 5, VOD_TEXT, 2), -1, "no s2");
    is_int(vod_index_find(t, 5, VOD_VIDEO, 0), -1, "no v0");
    is_int(vod_index_find(t, 5, VOD_VIDEO, UINT32_MAX), -1, "no v4294967295");
    is_int(vod_index_find(t, 0, VOD_VIDEO, 1), -1, "nothing in nothing");

    for (i = 0; i < 5; i++) {
        is_int(vod_index_find(t, 5, t[i].kind, vod_index_number(t, i)), i,
               "the number of track %u finds it", i);
    }
}


static void
test_hash(void)
{
    unsigned  i, bit, k, least, most, bits;
    uint8_t   data[64], moved[72];
    uint64_t  h, seen[65], diff;

    /* the ETags of the world depend on these: they never change */

    is_int(vod_hash64(0, "", 0), 0xccfc4fc2b9c91143ULL, "hash of nothing");
    is_int(vod_hash64(1, "", 0), 0xa1ae614e394b8d0fULL, "of another seed");
    is_int(vod_hash64(0, "abc", 3), 0xcfdea91c7d9fdd55ULL, "hash of abc");
    is_int(vod_hash64(0, "0123456789abcdef", 16), 0x6ce60c308ddbd261ULL,
           "of two words");

    for (i = 0; i < 64; i++) {
        data[i] = (uint8_t) (i * 7);
    }

    for (i = 0; i < 8; i++) {
        memcpy(moved + i, data, 64);
        h = vod_hash64(5, moved + i, 64);

        if (h != vod_hash64(5, data, 64)) {
            break;
        }
    }

    is_int(i, 8, "the hash does not depend on where the bytes are");

    memset(data, 0, 64);

    for (i = 0; i <= 64; i++) {
        seen[i] = vod_hash64(0, data, i);

        for (k = 0; k < i && seen[k] != seen[i]; k++) { /* void */ }

        if (k < i) {
            break;
        }
    }

    is_int(i, 65, "zeros of each length have a hash of their own");

    least = 64;
    most = 0;
    h = vod_hash64(0, data, 64);

    for (bit = 0; bit < 512; bit++) {
        data[bit / 8] ^= 1 << (bit % 8);
        diff = h ^ vod_hash64(0, data, 64);
        data[bit / 8] ^= 1 << (bit % 8);

        for (bits = 0; diff; diff &= diff - 1) {
            bits++;
        }

        least = bits < least ? bits : least;
        most = bits > most ? bits : most;
    }

    ok(least >= 16 && most <= 48, "a bit in changes %u to %u bits out of 64",
       least, most);
}


/* of the first n of samples[0], with no more scratch than is asked for */
static void
fps(uint32_t n, uint32_t timescale, uint32_t *num, uint32_t *den)
{
    int64_t  *pts;

    pts = malloc((n + 1) * sizeof(int64_t));
    vod_fps(samples[0], n, timescale, pts, num, den);
    free(pts);
}


/* frame rate of n frames, duration i of them from durs[i % n_durs] */
static void
fps_is(const char *what, uint32_t timescale, const uint32_t *durs,
    uint32_t n_durs, uint32_t n, uint32_t num, uint32_t den)
{
    uint32_t  i, got_num, got_den;

    make_samples(samples[0], n, 0, 1, 0, 1);

    for (i = 0; i < n; i++) {
        samples[0][i].dur = durs[i % n_durs];
    }

    fps(n, timescale, &got_num, &got_den);

    ok(got_num == num && got_den == den, "%s: %u/%u", what, got_num, got_den);

    if (got_num != num || got_den != den) {
        printf("#   expected %u/%u\n", num, den);
    }
}


static void
test_fps(void)
{
    uint32_t         i, num, den;
    static uint32_t  d25[] = { 512 }, ntsc[] = { 1001 }, film[] = { 1001 };
    static uint32_t  d120[] = { 100 }, ms[] = { 33, 33, 34 };
    static uint32_t  msfilm[] = { 42, 42, 41 }, mix[100], zero[] = { 0 };
    static uint32_t  still[] = { 90000 * 10 }, huge[] = { UINT32_MAX };
    static uint32_t  odd[] = { 1001, 1001, 1001, 1001, 1001, 1001, 1001, 1574 };
    static uint32_t  none[] = { 1001, 1001, 1001, 1001, 1001, 1001, 1001, 0 };

    fps_is("25 frames a second", 12800, d25, 1, 250, 25, 1);
    fps_is("30000/1001", 30000, ntsc, 1, 3000, 30000, 1001);
    fps_is("24000/1001", 24000, film, 1, 3000, 24000, 1001);
    fps_is("120 frames a second", 12000, d120, 1, 1200, 120, 1);
    fps_is("30 in milliseconds", 1000, ms, 3, 300, 30, 1);
    fps_is("24 in milliseconds", 1000, msfilm, 3, 300, 24, 1);
    fps_is("less than a second", 30000, ntsc, 1, 10, 30000, 1001);
    fps_is("one frame", 30000, ntsc, 1, 1, 30000, 1001);
    fps_is("one frame that does not last", 30000, zero, 1, 1, 0, 1);
    fps_is("no frame lasts", 30000, zero, 1, 100, 0, 1);
    fps_is("a picture every 10 seconds", 90000, still, 1, 100, 1, 10);
    fps_is("pictures that stay for ages", 1, huge, 1, 3, 1, UINT32_MAX);

    /* what the last frame says of itself is no rate */

    fps_is("a last duration out of step, under a second", 30000, odd, 8, 8,
           30000, 1001);
    fps_is("a last duration of nothing", 30000, none, 8, 8, 30000, 1001);

    /* a doubled frame is one frame more in its second, not 12800 a second */

    for (i = 0; i < 100; i++) {
        mix[i] = 512;
    }

    mix[50] = 1;
    fps_is("25 and one tick between two frames", 12800, mix, 100, 500,
           332800, 12801);

    mix[50] = 0;
    fps_is("25 and two frames at once", 12800, mix, 100, 500, 26, 1);

    /* the fullest second counts */

    for (i = 0; i < 100; i++) {
        mix[i] = i < 40 ? 1000 : 500;
    }

    fps_is("25, then 50", 25000, mix, 100, 100, 50, 1);

    /* B-frames: presentation order decides */

    make_samples(samples[0], 300, 0, 1, 1001, 1);

    for (i = 0; i < 300; i++) {
        samples[0][i].cts = i % 3 == 0 ? 3003 : 0;
    }

    fps(300, 30000, &num, &den);
    ok(num == 30000 && den == 1001, "30000/1001 with B-frames: %u/%u", num,
       den);

    /* in full disorder: backwards */

    for (i = 0; i < 3000; i++) {
        samples[0][i].dur = 40;
        samples[0][i].cts = (int32_t) ((3000 - 2 * (int32_t) i) * 40);
    }

    fps(3000, 1000, &num, &den);
    ok(num == 25 && den == 1, "25 backwards: %u/%u", num, den);
}


/* an hour as the usual tools write it: 25 frames a second, B-frames, AAC */
static void
test_density(void)
{
    uint32_t       i, nv, na;
    uint64_t       seed, pos, room, len;
    void          *out;
    vod_err_t      err;
    vod_sample_t  *v, *a, *s;

    make_input();

    nv = 90000;
    na = 168750;
    v = malloc(nv * sizeof(vod_sample_t));
    a = malloc(na * sizeof(vod_sample_t));
    seed = 3;
    pos = 48;

    for (i = 0; i < nv + na; i++) {
        if ((uint64_t) i * nv / (nv + na)
            != (uint64_t) (i + 1) * nv / (nv + na))
        {
            s = &v[(uint64_t) i * nv / (nv + na)];
            s->size = 500 + (uint32_t) (tap_rand(&seed) % 20000);
            s->dur = 512;
            s->cts = (int32_t[]) { 1024, 2560, 1024, 0 } [(s - v) % 4];
            s->key = (s - v) % 50 == 0;

        } else {
            s = &a[i - (uint64_t) i * nv / (nv + na)];
            s->size = 200 + (uint32_t) (tap_rand(&seed) % 300);
            s->dur = 1024;
            s->cts = 0;
            s->key = 1;
        }

        s->pos = pos;
        pos += s->size;
    }

    in.file_size = pos;
    in_tracks[0].samples = v;
    in_tracks[0].n_samples = nv;
    in_tracks[1].samples = a;
    in_tracks[1].n_samples = na;

    room = vod_index_bound(&in);
    out = malloc(room);
    len = vod_index_write(&in, out, room, &err);

    ok(len > 0 && len <= 8ull * (nv + na),
       "an hour, interleaved sample by sample: %.2f bytes a sample",
       (double) len / (nv + na));

    free(out);
    free(v);
    free(a);
}


int
main(void)
{
    is_int(sizeof(vod_index_t), 128, "size of the header");
    is_int(sizeof(vod_track_t), 512, "size of a track");

    test_row_example();
    test_row_random();
    test_row_limits();
    test_write();
    test_write_limits();
    test_check();
    test_find();
    test_hash();
    test_fps();
    test_density();

    return done_testing();
}
