#include "vod_index.h"


/*
 * Odd numbers of the fractional parts of the golden ratio and of the square
 * roots of 2, 3, 5 and 7.  They and the shifts are part of every ETag: a
 * change here is a change of VOD_FORMAT_VERSION.
 */
#define VOD_HASH_PHI  0x9e3779b97f4a7c15ULL
#define VOD_HASH_2    0x6a09e667f3bcc909ULL
#define VOD_HASH_3    0xbb67ae8584caa73bULL
#define VOD_HASH_5    0x3c6ef372fe94f82bULL
#define VOD_HASH_7    0xa54ff53a5f1d36f1ULL


static inline uint64_t
vod_hash_rotate(uint64_t v, unsigned n)
{
    return (v << n) | (v >> (64 - n));
}


/* n bytes, n <= 8, as a little-endian number on any machine */
static inline uint64_t
vod_hash_word(const uint8_t *p, unsigned n)
{
    uint64_t  v;

    for (v = 0; n; n--) {
        v = (v << 8) | p[n - 1];
    }

    return v;
}


static inline uint64_t
vod_hash_step(uint64_t h, uint64_t word)
{
    word *= VOD_HASH_PHI;
    word ^= word >> 32;
    word *= VOD_HASH_3;

    h ^= word;

    return vod_hash_rotate(h, 29) * VOD_HASH_5 + VOD_HASH_7;
}


uint64_t
vod_hash64(uint64_t seed, const void *data, uint64_t len)
{
    uint64_t        h, left;
    const uint8_t  *p;

    p = data;
    h = vod_hash_step(seed ^ VOD_HASH_2, len);

    for (left = len; left >= 8; left -= 8) {
        h = vod_hash_step(h, vod_hash_word(p, 8));
        p += 8;
    }

    if (left) {
        h = vod_hash_step(h, vod_hash_word(p, (unsigned) left));
    }

    h ^= h >> 32;
    h *= VOD_HASH_PHI;
    h ^= h >> 29;
    h *= VOD_HASH_3;

    return h ^ (h >> 32);
}
