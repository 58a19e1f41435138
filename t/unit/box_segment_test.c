/*
 * The bytes of a segment before its payload, read back by a reader of the
 * test's own; the measured length against the written one.
 */

#include <stdlib.h>

#include "tap.h"

#include "vod_box.h"
#include "vod_rd.h"


#define N_MAX  64


/* what a player makes of styp, moof and mdat */
typedef struct {
    uint32_t      styp[4];
    uint32_t      sequence, track_id, tfhd_flags, trun_flags, n;
    uint32_t      flags[N_MAX];
    uint64_t      dts, mdat, data_offset, moof_at;
    vod_sample_t  samples[N_MAX];
    int           good;
} parsed_t;


static parsed_t  seg;


static int
next(vod_rd_t *rd, const char *type, vod_rd_t *body, uint64_t *size)
{
    vod_rd_box_t  box;

    if (vod_rd_box(rd, &box) != 1
        || box.type != vod_fourcc((uint8_t) type[0], (uint8_t) type[1],
                                  (uint8_t) type[2], (uint8_t) type[3]))
    {
        return 0;
    }

    *body = box.body;
    *size = box.header + vod_rd_left(&box.body);

    return 1;
}


static int
parse_tfhd(vod_rd_t rd, vod_sample_t *defaults, uint32_t *flags)
{
    seg.tfhd_flags = vod_rd_u32(&rd);
    seg.track_id = vod_rd_u32(&rd);

    if (seg.tfhd_flags & ~0x020038u) {
        return 0;
    }

    defaults->dur = seg.tfhd_flags & 0x08 ? vod_rd_u32(&rd) : 0;
    defaults->size = seg.tfhd_flags & 0x10 ? vod_rd_u32(&rd) : 0;
    *flags = seg.tfhd_flags & 0x20 ? vod_rd_u32(&rd) : 0;

    return !rd.failed && vod_rd_left(&rd) == 0;
}


static int
parse_trun(vod_rd_t rd, const vod_sample_t *defaults, uint32_t flags)
{
    uint32_t      i, first;
    vod_sample_t  *s;

    seg.trun_flags = vod_rd_u32(&rd);
    seg.n = vod_rd_u32(&rd);
    seg.data_offset = vod_rd_u32(&rd);
    first = seg.trun_flags & 0x04 ? vod_rd_u32(&rd) : flags;

    if (seg.trun_flags >> 24 != 1 || !(seg.trun_flags & 1) || seg.n > N_MAX) {
        return 0;
    }

    for (i = 0; i < seg.n; i++) {
        s = &seg.samples[i];
        *s = *defaults;
        seg.flags[i] = i ? flags : first;

        s->dur = seg.trun_flags & 0x100 ? vod_rd_u32(&rd) : s->dur;
        s->size = seg.trun_flags & 0x200 ? vod_rd_u32(&rd) : s->size;
        seg.flags[i] = seg.trun_flags & 0x400 ? vod_rd_u32(&rd)
                                              : seg.flags[i];
        s->cts = seg.trun_flags & 0x800 ? (int32_t) vod_rd_u32(&rd) : 0;
    }

    return !rd.failed && vod_rd_left(&rd) == 0;
}


static int
parse(const uint8_t *data, uint64_t len)
{
    uint32_t      i, flags;
    uint64_t      size, moof;
    vod_rd_t      rd, body, traf, box;
    vod_sample_t  defaults;

    memset(&seg, 0, sizeof(parsed_t));
    memset(&defaults, 0, sizeof(vod_sample_t));
    vod_rd_init(&rd, data, len);

    if (!next(&rd, "styp", &body, &size) || size != 24) {
        return 0;
    }

    for (i = 0; i < 4; i++) {
        seg.styp[i] = vod_rd_u32(&body);
    }

    seg.moof_at = size;

    if (!next(&rd, "moof", &body, &moof) || !next(&body, "mfhd", &box, &size)
        || vod_rd_u32(&box) != 0)
    {
        return 0;
    }

    seg.sequence = vod_rd_u32(&box);

    if (!next(&body, "traf", &traf, &size) || vod_rd_left(&body)
        || !next(&traf, "tfhd", &box, &size)
        || !parse_tfhd(box, &defaults, &flags)
        || !next(&traf, "tfdt", &box, &size)
        || vod_rd_u32(&box) != 0x01000000)
    {
        return 0;
    }

    seg.dts = vod_rd_u64(&box);

    if (vod_rd_left(&box) || !next(&traf, "trun", &box, &size)
        || !parse_trun(box, &defaults, flags) || vod_rd_left(&traf))
    {
        return 0;
    }

    /* mdat's payload lies beyond what was written: its header by hand */

    seg.mdat = vod_rd_u32(&rd);

    if (vod_rd_u32(&rd) != vod_fourcc('m', 'd', 'a', 't')) {
        return 0;
    }

    seg.mdat = seg.mdat == 1 ? vod_rd_u64(&rd) - 16 : seg.mdat - 8;

    return !rd.failed && vod_rd_left(&rd) == 0
           && seg.data_offset == len - seg.moof_at;
}


/* writes, measures in both ways, reads back, compares; 1 if all is well */

static int
round_trip(const vod_sample_t *samples, uint32_t n, unsigned kind)
{
    int                 good;
    uint8_t            *buf;
    uint32_t            i, len, flags;
    uint64_t            payload;
    vod_wr_t            wr;
    vod_box_measure_t   m;

    payload = 0;
    vod_box_measure_init(&m);

    for (i = 0; i < n; i++) {
        vod_box_measure_add(&m, &samples[i], kind);
        payload += samples[i].size;
    }

    len = vod_box_measure_len(&m);

    vod_wr_init(&wr, NULL, 0);
    vod_box_segment(&wr, 3, kind, 77, 0x123456789aULL, samples, n, payload);
    good = (wr.len == len && !wr.overflow);

    buf = malloc(len);

    vod_wr_init(&wr, buf, len - 1);
    vod_box_segment(&wr, 3, kind, 77, 0x123456789aULL, samples, n, payload);
    good = good && wr.overflow;

    vod_wr_init(&wr, buf, len);
    vod_box_segment(&wr, 3, kind, 77, 0x123456789aULL, samples, n, payload);
    good = good && wr.len == len && !wr.overflow && parse(buf, len);

    free(buf);

    good = good && seg.n == n && seg.mdat == payload && seg.sequence == 77
           && seg.track_id == 3 && seg.dts == 0x123456789aULL;

    for (i = 0; good && i < n; i++) {
        flags = samples[i].key ? 0x02000000 : 0x01010000;

        good = seg.samples[i].size == samples[i].size
               && seg.samples[i].dur == samples[i].dur
               && seg.samples[i].cts == samples[i].cts
               && seg.flags[i] == flags;
    }

    return good;
}


static void
test_random(void)
{
    uint32_t      i, n, run, bad, mask, shapes[16];
    uint64_t      random;
    vod_sample_t  samples[N_MAX];

    random = 7;
    bad = 0;
    memset(shapes, 0, sizeof(shapes));

    for (run = 0; run < 20000; run++) {

        n = (uint32_t) (1 + tap_rand(&random) % N_MAX);
        mask = (uint32_t) tap_rand(&random);

        for (i = 0; i < n; i++) {
            memset(&samples[i], 0, sizeof(vod_sample_t));

            samples[i].size = mask & 1 ? (uint32_t) tap_rand(&random) : 1000;
            samples[i].dur = mask & 2 ? (uint32_t) tap_rand(&random) : 512;
            samples[i].cts = mask & 4 ? (int32_t) tap_rand(&random) : 0;
            samples[i].key = mask & 8 ? tap_rand(&random) & 1
                             : mask & 16 ? 1 : i == 0;
        }

        /* the odd one out is where a default would go wrong */

        if (mask & 32) {
            i = (uint32_t) (tap_rand(&random) % n);

            samples[i].size += (mask >> 6) & 1;
            samples[i].dur += (mask >> 7) & 1;
            samples[i].cts += (mask >> 8) & 1;
            samples[i].key ^= (mask >> 9) & 1;
        }

        bad += !round_trip(samples, n, mask & 1024 ? VOD_AUDIO : VOD_VIDEO);
        shapes[(seg.trun_flags >> 8) & 15]++;
    }

    is_int(bad, 0, "20000 segments of random samples come back");

    for (n = 0, i = 0; i < 16; i++) {
        n += (shapes[i] > 0);
    }

    is_int(n, 16, "in all combinations of trun's fields");
}


static void
set(vod_sample_t *s, uint32_t size, uint32_t dur, int32_t cts, uint32_t key)
{
    memset(s, 0, sizeof(vod_sample_t));

    s->size = size;
    s->dur = dur;
    s->cts = cts;
    s->key = key;
}


static void
test_shapes(void)
{
    unsigned      i;
    vod_sample_t  s[4];

    for (i = 0; i < 4; i++) {
        set(&s[i], 100 + i, 1024, 0, 1);
    }

    ok(round_trip(s, 4, VOD_AUDIO), "audio");
    is_int(seg.tfhd_flags, 0x020028, "duration and flags in tfhd");
    is_int(seg.trun_flags, 0x01000201, "sizes in trun");
    is_int(seg.styp[0], vod_fourcc('m', 's', 'd', 'h'), "major brand");
    is_int(seg.styp[1], 0, "minor version");
    is_int(seg.styp[2], vod_fourcc('m', 's', 'd', 'h'), "compatible: msdh");
    is_int(seg.styp[3], vod_fourcc('c', 'm', 'f', 's'), "cmfs");

    s[3].dur = 500;
    ok(round_trip(s, 4, VOD_AUDIO), "audio's last sample is shorter");
    is_int(seg.trun_flags, 0x01000301, "durations in trun");

    set(&s[0], 9000, 512, 1024, 1);
    set(&s[1], 500, 512, -512, 0);
    set(&s[2], 500, 512, 0, 0);
    ok(round_trip(s, 3, VOD_VIDEO), "video that begins with a sync sample");
    is_int(seg.tfhd_flags, 0x020028, "duration and flags in tfhd");
    is_int(seg.trun_flags, 0x01000a05, "first_sample_flags, sizes, offsets");

    s[2].key = 1;
    ok(round_trip(s, 3, VOD_VIDEO), "video with a sync sample inside");
    is_int(seg.trun_flags, 0x01000e01, "flags in trun");
    is_int(seg.tfhd_flags, 0x020008, "and not in tfhd");

    ok(round_trip(s, 1, VOD_VIDEO), "one sample");
    is_int(seg.tfhd_flags, 0x020038, "all in tfhd");
    is_int(seg.trun_flags, 0x01000801, "but its offset");

    set(&s[0], 0, 0, 0, 0);
    ok(round_trip(s, 1, VOD_VIDEO), "a sample of nothing");
}


static void
test_large(void)
{
    uint8_t            buf[256];
    unsigned           i, j;
    vod_wr_t           wr;
    vod_sample_t       s[2];
    vod_box_measure_t  m;

    static const struct {
        uint32_t  last;
        unsigned  header;
    } cases[] = {
        { 0xfffffff6u, 8 },         /* payload + 8 = 2^32 - 1 */
        { 0xfffffff7u, 16 },
        { 0xffffffffu, 16 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        set(&s[0], 1, 10, 0, 1);
        set(&s[1], cases[i].last, 10, 0, 1);

        vod_box_measure_init(&m);

        for (j = 0; j < 2; j++) {
            vod_box_measure_add(&m, &s[j], VOD_VIDEO);
        }

        vod_wr_init(&wr, buf, sizeof(buf));
        vod_box_segment(&wr, 1, VOD_VIDEO, 1, 0, s, 2,
                        1 + (uint64_t) cases[i].last);

        is_int(wr.len, vod_box_measure_len(&m), "length");
        ok(parse(buf, wr.len), "read back");
        is_int(seg.mdat, 1 + (uint64_t) cases[i].last, "payload");
        is_int(seg.data_offset, wr.len - 24, "data_offset");
        is_int(wr.len, 24 + 8 + 16 + 8 + 24 + 20 + 28 + cases[i].header,
               "mdat has a header of %u bytes", cases[i].header);
    }

    /* a header that trun's data_offset cannot reach over */

    set(&s[0], 1, 1, 1, 1);
    set(&s[1], 2, 2, 2, 0);

    vod_box_measure_init(&m);
    vod_box_measure_add(&m, &s[0], VOD_VIDEO);
    vod_box_measure_add(&m, &s[1], VOD_VIDEO);
    vod_box_measure_add(&m, &s[0], VOD_VIDEO);

    m.n = (VOD_BOX_HEADER_MAX - 200) / 16;
    ok(vod_box_measure_len(&m) <= VOD_BOX_HEADER_MAX, "134 million samples");

    m.n = 0xffffffffu;
    is_int(vod_box_measure_len(&m), UINT32_MAX, "4 thousand million are too "
           "many");
}


int
main(void)
{
    test_random();
    test_shapes();
    test_large();

    return done_testing();
}
