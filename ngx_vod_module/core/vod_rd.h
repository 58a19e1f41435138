/*
 * Bounded big-endian reader: it cannot run past the end.
 *
 * A read beyond the end returns 0 and sets the failed flag, which stays set;
 * a parser may read a whole record and check once.  Lengths are 64-bit.
 */

#ifndef _VOD_RD_H_INCLUDED_
#define _VOD_RD_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>
#include <string.h>


typedef struct {
    const uint8_t  *pos;
    const uint8_t  *end;
    int             failed;
} vod_rd_t;


static inline void
vod_rd_init(vod_rd_t *rd, const void *data, uint64_t len)
{
    /* nothing may be NULL, which C does not let us add 0 to */

    rd->pos = len ? data : (const void *) "";
    rd->end = rd->pos + len;
    rd->failed = 0;
}


static inline uint64_t
vod_rd_left(const vod_rd_t *rd)
{
    return (uint64_t) (rd->end - rd->pos);
}


/* n bytes to read in place, or NULL (failed is set); advances */
static inline const uint8_t *
vod_rd_bytes(vod_rd_t *rd, uint64_t n)
{
    const uint8_t  *p;

    if (rd->failed || n > vod_rd_left(rd)) {
        rd->failed = 1;
        return NULL;
    }

    p = rd->pos;
    rd->pos += n;

    return p;
}


static inline void
vod_rd_skip(vod_rd_t *rd, uint64_t n)
{
    (void) vod_rd_bytes(rd, n);
}


/* big-endian unsigned of n bytes, 1 <= n <= 8 */
static inline uint64_t
vod_rd_uint(vod_rd_t *rd, unsigned n)
{
    uint64_t        v;
    const uint8_t  *p;

    p = vod_rd_bytes(rd, n);
    if (p == NULL) {
        return 0;
    }

    for (v = 0; n; n--) {
        v = (v << 8) | *p++;
    }

    return v;
}


#define vod_rd_u8(rd)   ((uint8_t) vod_rd_uint(rd, 1))
#define vod_rd_u16(rd)  ((uint16_t) vod_rd_uint(rd, 2))
#define vod_rd_u24(rd)  ((uint32_t) vod_rd_uint(rd, 3))
#define vod_rd_u32(rd)  ((uint32_t) vod_rd_uint(rd, 4))
#define vod_rd_u64(rd)  (vod_rd_uint(rd, 8))


/* a reader over the next n bytes; rd advances past them */
static inline vod_rd_t
vod_rd_sub(vod_rd_t *rd, uint64_t n)
{
    vod_rd_t        sub;
    const uint8_t  *p;

    p = vod_rd_bytes(rd, n);

    sub.pos = p ? p : rd->end;
    sub.end = p ? p + n : rd->end;
    sub.failed = (p == NULL);

    return sub;
}


#define vod_fourcc(a, b, c, d)                                                \
    (((uint32_t) (a) << 24) | ((uint32_t) (b) << 16)                          \
     | ((uint32_t) (c) << 8) | (uint32_t) (d))


typedef struct {
    uint32_t  type;
    vod_rd_t  body;             /* without size, type and largesize */
    uint64_t  header;           /* bytes of the box header: 8 or 16 */
} vod_rd_box_t;


/*
 * Next box of a container (ISO/IEC 14496-12, 4.2), bounded by its parent.
 * size 0 means "to the end of the parent".  Returns 1 for a box, 0 at the
 * end, -1 where the size is smaller than its header or larger than what is
 * left (rd->failed is set).  Fewer than 8 trailing bytes are the end
 * (QuickTime closes some containers with a 32-bit zero).
 */
static inline int
vod_rd_box(vod_rd_t *rd, vod_rd_box_t *box)
{
    uint64_t        size;
    const uint8_t  *start;

    if (rd->failed) {
        return -1;
    }

    if (vod_rd_left(rd) < 8) {
        return 0;
    }

    start = rd->pos;
    size = vod_rd_u32(rd);
    box->type = vod_rd_u32(rd);

    if (size == 1) {
        size = vod_rd_u64(rd);

    } else if (size == 0) {
        size = (uint64_t) (rd->end - start);
    }

    box->header = (uint64_t) (rd->pos - start);

    if (rd->failed || size < box->header
        || size - box->header > vod_rd_left(rd))
    {
        rd->failed = 1;
        return -1;
    }

    box->body = vod_rd_sub(rd, size - box->header);

    return 1;
}

#endif /* _VOD_RD_H_INCLUDED_ */
