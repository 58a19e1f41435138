/*
 * Sample entries that are cut off or changed: every one is answered, nothing
 * is read beyond its end (the copies are of their own size, and the sanitizers
 * look), and an entry that is accepted is accepted again as it was written.
 */

#include "entries.h"
#include "entry.h"


#define SEED(entry, kind)  { #entry, entry_ ## entry, sizeof(entry_ ## entry), \
                             kind }


static const struct {
    const char     *name;
    const uint8_t  *data;
    size_t          len;
    unsigned        kind;
} seeds[] = {
    SEED(avc, VOD_VIDEO),
    SEED(avc_mov, VOD_VIDEO),
    SEED(avc_hlg, VOD_VIDEO),
    SEED(hevc, VOD_VIDEO),
    SEED(av1, VOD_VIDEO),
    SEED(av1_pq, VOD_VIDEO),
    SEED(av1_444, VOD_VIDEO),
    SEED(vp9, VOD_VIDEO),
    SEED(vp9_pq, VOD_VIDEO),
    SEED(aac, VOD_AUDIO),
    SEED(aac_mov, VOD_AUDIO),
    SEED(aac_quad, VOD_AUDIO),
    SEED(mp3, VOD_AUDIO),
    SEED(mp3_mov, VOD_AUDIO),
    SEED(opus, VOD_AUDIO),
    SEED(ac3, VOD_AUDIO),
    SEED(ac3_mov, VOD_AUDIO),
    SEED(eac3, VOD_AUDIO),
    SEED(flac, VOD_AUDIO),
};


static entry_t   e, again;
static unsigned  runs, accepted, bad;


static void
put_size(uint8_t *p, size_t size)
{
    p[0] = (uint8_t) (size >> 24);
    p[1] = (uint8_t) (size >> 16);
    p[2] = (uint8_t) (size >> 8);
    p[3] = (uint8_t) size;
}


/* what holds of every answer */

static void
check(unsigned kind, const uint8_t *data, size_t len)
{
    runs++;
    entry_run(&e, kind, data, len);

    if (e.rc != VOD_OK) {
        bad += (e.len != 0 || e.err.text[0] == '\0');
        return;
    }

    accepted++;

    bad += (e.track.codec[0] == '\0'
            || memchr(e.track.codec, 0, sizeof(e.track.codec)) == NULL);

    if (kind == VOD_VIDEO) {
        bad += (e.track.sar_num == 0 || e.track.sar_den == 0
                || e.track.width == 0 || e.track.height == 0);

    } else {
        bad += (e.track.channels == 0 || e.track.sample_rate == 0);
    }

    entry_run(&again, kind, e.out, e.len);

    if (again.rc != VOD_OK || again.len != e.len
        || memcmp(again.out, e.out, e.len) != 0
        || strcmp(again.track.codec, e.track.codec) != 0)
    {
        bad++;
    }
}


static void
truncations(unsigned kind, const uint8_t *data, size_t len)
{
    size_t   n;
    uint8_t  buf[ENTRY_MAX];

    memcpy(buf, data, len);

    for (n = 0; n < len; n++) {
        check(kind, data, n);

        if (n >= 8) {

            /* with a size that is right, so that its content is looked at */

            put_size(buf, n);
            check(kind, buf, n);
        }
    }
}


/* each child box in turn loses bytes at its end, all sizes being right */

static void
short_children(unsigned kind, const uint8_t *data, size_t len)
{
    size_t    at, size, n;
    uint8_t   buf[ENTRY_MAX];

    for (at = kind == VOD_VIDEO ? 86 : 36; at + 8 <= len; at += size) {

        size = (size_t) data[at] << 24 | data[at + 1] << 16
               | data[at + 2] << 8 | data[at + 3];

        if (size < 8 || size > len - at) {
            return;
        }

        for (n = 8; n < size; n++) {
            memcpy(buf, data, at + n);
            memcpy(buf + at + n, data + at + size, len - at - size);
            put_size(buf + at, n);
            put_size(buf, len - size + n);
            check(kind, buf, len - size + n);
        }
    }
}


static void
mutations(unsigned kind, const uint8_t *data, size_t len, uint64_t *random)
{
    size_t    i;
    uint8_t   buf[ENTRY_MAX];
    unsigned  bit;

    memcpy(buf, data, len);

    for (i = 0; i < len; i++) {

        for (bit = 0; bit < 8; bit++) {
            buf[i] = (uint8_t) (data[i] ^ (1u << bit));
            check(kind, buf, len);
        }

        buf[i] = 0;
        check(kind, buf, len);
        buf[i] = 0xff;
        check(kind, buf, len);
        buf[i] = data[i];
    }

    /* and several bytes at once */

    for (i = 0; i < 2000; i++) {
        memcpy(buf, data, len);

        for (bit = 0; bit < 4; bit++) {
            buf[tap_rand(random) % len] = (uint8_t) tap_rand(random);
        }

        check(kind, buf, len);
    }
}


int
main(void)
{
    unsigned  i;
    uint64_t  random;

    random = 1;

    for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {

        runs = accepted = bad = 0;

        check(seeds[i].kind, seeds[i].data, seeds[i].len);
        is_int(accepted, 1, "%s is accepted", seeds[i].name);

        truncations(seeds[i].kind, seeds[i].data, seeds[i].len);
        short_children(seeds[i].kind, seeds[i].data, seeds[i].len);
        mutations(seeds[i].kind, seeds[i].data, seeds[i].len, &random);

        is_int(bad, 0, "%s: %u changed entries, %u accepted", seeds[i].name,
               runs, accepted);
        ok(accepted < runs, "and some are refused");
    }

    return done_testing();
}
