/*
 * Bounded bit reader, most significant bit first, for decoder
 * configurations.  Like vod_rd_t it returns 0 beyond the end and stays
 * failed.
 */

#ifndef _VOD_BITS_H_INCLUDED_
#define _VOD_BITS_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>


typedef struct {
    const uint8_t  *pos;
    const uint8_t  *end;
    uint8_t         byte;
    uint8_t         left;       /* bits of byte not read yet */
    uint8_t         zeros;      /* zero bytes in a row before pos */
    uint8_t         escaped;
    int             failed;
} vod_bits_t;


/*
 * escaped: the bytes are a NAL unit, where 00 00 03 stands for 00 00
 * (ISO/IEC 14496-10 and 23008-2, 7.3.1).
 */
static inline void
vod_bits_init(vod_bits_t *bits, const uint8_t *data, uint64_t len,
    int escaped)
{
    bits->pos = data;
    bits->end = data + len;
    bits->byte = 0;
    bits->left = 0;
    bits->zeros = 0;
    bits->escaped = (uint8_t) escaped;
    bits->failed = 0;
}


static inline void
vod_bits_fill(vod_bits_t *bits)
{
    if (bits->escaped && bits->zeros >= 2 && bits->pos < bits->end
        && *bits->pos == 3)
    {
        bits->pos++;
        bits->zeros = 0;
    }

    if (bits->failed || bits->pos == bits->end) {
        bits->failed = 1;
        return;
    }

    bits->byte = *bits->pos++;
    bits->left = 8;

    if (bits->byte) {
        bits->zeros = 0;

    } else if (bits->zeros < 2) {
        bits->zeros++;
    }
}


/* n bits, n <= 32 */
static inline uint32_t
vod_bits_get(vod_bits_t *bits, unsigned n)
{
    uint32_t  v;

    for (v = 0; n; n--) {

        if (bits->left == 0) {
            vod_bits_fill(bits);
        }

        if (bits->failed) {
            return 0;
        }

        bits->left--;
        v = (v << 1) | ((bits->byte >> bits->left) & 1u);
    }

    return v;
}


static inline void
vod_bits_skip(vod_bits_t *bits, unsigned n)
{
    for ( /* void */ ; n > 32; n -= 32) {
        (void) vod_bits_get(bits, 32);
    }

    (void) vod_bits_get(bits, n);
}


/* what is left; of no meaning in an escaped NAL unit */
static inline uint64_t
vod_bits_left(const vod_bits_t *bits)
{
    return bits->failed ? 0
           : (uint64_t) (bits->end - bits->pos) * 8 + bits->left;
}


/* ue(v) (14496-10, 9.1) below 2^32 - 1 */
static inline uint32_t
vod_bits_ue(vod_bits_t *bits)
{
    unsigned  zeros;

    for (zeros = 0; vod_bits_get(bits, 1) == 0; zeros++) {
        if (bits->failed || zeros == 31) {
            bits->failed = 1;
            return 0;
        }
    }

    return (uint32_t) ((1u << zeros) - 1 + vod_bits_get(bits, zeros));
}


static inline int32_t
vod_bits_se(vod_bits_t *bits)
{
    uint32_t  v;

    v = vod_bits_ue(bits);

    return (v & 1) ? (int32_t) (v / 2 + 1) : -(int32_t) (v / 2);
}

#endif /* _VOD_BITS_H_INCLUDED_ */
