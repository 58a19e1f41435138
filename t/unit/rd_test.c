#include <stdlib.h>

#include "tap.h"

#include "vod_rd.h"


/* bytes in memory of just their size, so that a sanitizer sees one too far */
static uint8_t *
exactly(const void *bytes, size_t n)
{
    uint8_t  *p;

    p = malloc(n ? n : 1);
    memcpy(p, bytes, n);

    return p;
}


static void
test_numbers(void)
{
    uint8_t   *p;
    vod_rd_t   rd;

    p = exactly("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\xff\xff\xff\xff\xff"
                "\xff\xff\xff\xaa", 19);

    vod_rd_init(&rd, p, 19);

    is_int(vod_rd_left(&rd), 19, "19 bytes");
    is_int(vod_rd_u8(&rd), 1, "8 bits");
    is_int(vod_rd_u16(&rd), 0x0203, "16 bits, the high ones first");
    is_int(vod_rd_u24(&rd), 0x040506, "24 bits");
    is_int(vod_rd_u32(&rd), 0x0708090a, "32 bits");
    ok(vod_rd_u64(&rd) == UINT64_MAX, "64 bits");
    is_int(vod_rd_left(&rd), 1, "1 byte is left");
    is_int(rd.failed, 0, "nothing has failed");

    is_int(vod_rd_u16(&rd), 0, "16 bits of 8 are 0");
    is_int(rd.failed, 1, "and a failure");
    is_int(vod_rd_u8(&rd), 0, "which stays: the last byte is not read");
    is_int(rd.failed, 1, "still failed");

    free(p);
}


static void
test_bytes(void)
{
    uint8_t        *p;
    vod_rd_t        rd, sub;
    const uint8_t  *q;

    p = exactly("abcdefgh", 8);
    vod_rd_init(&rd, p, 8);

    q = vod_rd_bytes(&rd, 3);
    ok(q == p, "bytes are read in place");
    vod_rd_skip(&rd, 1);
    is_int(vod_rd_left(&rd), 4, "3 read, 1 skipped");

    sub = vod_rd_sub(&rd, 3);
    is_int(vod_rd_left(&sub), 3, "a reader of 3 bytes");
    is_int(vod_rd_left(&rd), 1, "the first goes on behind it");
    is_int(vod_rd_u32(&sub), 0, "it ends where it ends");
    ok(sub.failed && !rd.failed, "its failure is its own");

    ok(vod_rd_bytes(&rd, 0) != NULL, "no bytes are always there");
    ok(vod_rd_bytes(&rd, UINT64_MAX) == NULL && rd.failed,
       "a length that would wrap is too long");

    vod_rd_init(&rd, p, 8);
    sub = vod_rd_sub(&rd, 9);
    ok(sub.failed && rd.failed && vod_rd_left(&sub) == 0,
       "a reader of more than there is has nothing");

    vod_rd_init(&rd, p, 0);
    is_int(vod_rd_u8(&rd), 0, "nothing to read");
    is_int(rd.failed, 1, "is a failure");

    free(p);
}


static void
box_is(const char *what, const char *bytes, size_t n, int rc, uint32_t type,
    uint64_t body, uint64_t header, uint64_t left)
{
    int           got;
    uint8_t      *p;
    vod_rd_t      rd;
    vod_rd_box_t  box;

    p = exactly(bytes, n);
    vod_rd_init(&rd, p, n);
    memset(&box, 0, sizeof(box));

    got = vod_rd_box(&rd, &box);
    is_int(got, rc, "%s", what);

    if (rc == 1) {
        is_int(box.type, type, "%s: type", what);
        is_int(vod_rd_left(&box.body), body, "%s: body", what);
        is_int(box.header, header, "%s: header", what);
        is_int(vod_rd_left(&rd), left, "%s: what is left", what);

    } else {
        is_int(rd.failed, rc == -1, "%s: failed", what);
    }

    free(p);
}


static void
test_boxes(void)
{
    uint32_t  free_;

    free_ = vod_fourcc('f', 'r', 'e', 'e');
    is_int(free_, 0x66726565, "a type");

    box_is("an empty box", "\0\0\0\x08" "free", 8, 1, free_, 0, 8, 0);
    box_is("a box and more", "\0\0\0\x0a" "freexyz", 11, 1, free_, 2, 8, 1);
    box_is("size 0: all the rest", "\0\0\0\0" "freexyz", 11, 1, free_, 3, 8,
           0);
    box_is("a size of 64 bits",
           "\0\0\0\x01" "free" "\0\0\0\0\0\0\0\x12" "xyz", 19, 1, free_, 2,
           16, 1);

    box_is("no bytes", "", 0, 0, 0, 0, 0, 0);
    box_is("32 bits of zero, as QuickTime ends a container", "\0\0\0\0", 4, 0,
           0, 0, 0, 0);
    box_is("7 bytes", "\0\0\0\x07" "fre", 7, 0, 0, 0, 0, 0);

    box_is("smaller than its header", "\0\0\0\x07" "free", 8, -1, 0, 0, 0, 0);
    box_is("a size of 64 bits, smaller than its header",
           "\0\0\0\x01" "free" "\0\0\0\0\0\0\0\x0f", 16, -1, 0, 0, 0, 0);
    box_is("larger than its parent", "\0\0\0\x0c" "freexyz", 11, -1, 0, 0, 0,
           0);
    box_is("far larger", "\xff\xff\xff\xff" "freexyz", 11, -1, 0, 0, 0, 0);
    box_is("larger than 63 bits",
           "\0\0\0\x01" "free" "\xff\xff\xff\xff\xff\xff\xff\xff", 16, -1, 0,
           0, 0, 0);
    box_is("a size of 64 bits that is cut",
           "\0\0\0\x01" "free" "\0\0\0\0\0\0\0", 15, -1, 0, 0, 0, 0);
}


/* boxes one after the other, and boxes in boxes, of random bytes */
static void
test_random(void)
{
    int           rc, bad, boxes;
    size_t        i, n;
    uint8_t      *p;
    uint64_t      seed, before;
    vod_rd_t      rd, outer;
    vod_rd_box_t  box;

    seed = 41;
    boxes = 0;
    bad = 0;

    for (i = 0; i < 20000; i++) {
        n = tap_rand(&seed) % 60;
        p = malloc(n ? n : 1);

        for (rc = 0; (size_t) rc < n; rc++) {
            p[rc] = tap_rand(&seed) % 3 ? 0 : tap_rand(&seed) % 24;
        }

        vod_rd_init(&outer, p, n);
        rd = outer;

        for ( ;; ) {
            before = vod_rd_left(&rd);
            rc = vod_rd_box(&rd, &box);

            if (rc != 1) {
                break;
            }

            boxes++;

            if (vod_rd_left(&rd) >= before
                || vod_rd_left(&box.body) > before - box.header
                || box.body.pos < p || box.body.end > p + n)
            {
                bad++;
            }

            rd = tap_rand(&seed) % 4 ? rd : box.body;
        }

        free(p);
    }

    is_int(bad, 0, "each of %d boxes lies within its parent", boxes);
    ok(boxes > 1000, "which were not too few");
}


int
main(void)
{
    test_numbers();
    test_bytes();
    test_boxes();
    test_random();

    return done_testing();
}
