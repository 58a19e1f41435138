#include <stddef.h>

#include "vod_index.h"


#define VOD_ROW_FLAGS                                                         \
    (VOD_ROW_KEY|VOD_ROW_GAP|VOD_ROW_DUR|VOD_ROW_CTS)


static inline uint8_t *
vod_row_put(uint8_t *p, uint64_t v)
{
    while (v > 0x7f) {
        *p++ = (uint8_t) (v | 0x80);
        v >>= 7;
    }

    *p++ = (uint8_t) v;

    return p;
}


static inline uint64_t
vod_row_zigzag(int64_t v)
{
    return ((uint64_t) v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}


static inline int64_t
vod_row_unzigzag(uint64_t v)
{
    return (int64_t) (v >> 1) ^ -(int64_t) (v & 1);
}


unsigned
vod_row_write(vod_cursor_t *cur, const vod_sample_t *s, uint8_t *out)
{
    uint8_t   flags, *p;
    unsigned  n;

    flags = s->key ? VOD_ROW_KEY : 0;
    p = vod_row_put(out + 1, s->size);

    if (s->pos != cur->end) {
        flags |= VOD_ROW_GAP;
        p = vod_row_put(p, vod_row_zigzag((int64_t) (s->pos - cur->end)));
    }

    if (s->dur != cur->dur) {
        flags |= VOD_ROW_DUR;
        p = vod_row_put(p, s->dur);
    }

    if (s->cts != cur->cts) {
        flags |= VOD_ROW_CTS;
        p = vod_row_put(p, vod_row_zigzag(s->cts));
    }

    out[0] = flags;
    n = (unsigned) (p - out);

    cur->row += n;
    cur->end = s->pos + s->size;
    cur->dts += s->dur;
    cur->sample++;
    cur->dur = s->dur;
    cur->cts = s->cts;

    return n;
}


/* the varint at p, or NULL where it ends behind end or exceeds 64 bits */
static const uint8_t *
vod_row_get_slow(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    unsigned  shift;
    uint64_t  sum, part;

    sum = 0;

    for (shift = 0; p < end && shift < 63; shift += 7) {
        part = *p++;
        sum |= (part & 0x7f) << shift;

        if (part < 0x80) {
            *v = sum;
            return p;
        }
    }

    if (p == end || *p > 1) {
        return NULL;
    }

    *v = sum | ((uint64_t) *p << 63);

    return p + 1;
}


/* the same, three bytes without a loop: that is nearly all there are */
static inline const uint8_t *
vod_row_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint32_t  sum;

    if (end - p < 3) {
        return vod_row_get_slow(p, end, v);
    }

    sum = p[0];

    if (sum < 0x80) {
        *v = sum;
        return p + 1;
    }

    sum += ((uint32_t) p[1] << 7) - 0x80;

    if (p[1] < 0x80) {
        *v = sum;
        return p + 2;
    }

    if (p[2] < 0x80) {
        *v = sum + ((uint32_t) p[2] << 14) - 0x4000;
        return p + 3;
    }

    return vod_row_get_slow(p, end, v);
}


/* the row at p in s and gap, or NULL; what it does not say is as in cur */
static inline const uint8_t *
vod_row_parse(const uint8_t *p, const uint8_t *end, const vod_cursor_t *cur,
    vod_sample_t *s, uint64_t *gap)
{
    uint8_t   flags;
    int64_t   cts;
    uint64_t  size, dur, zigzag;

    flags = *p++;

    if (flags & ~VOD_ROW_FLAGS) {
        return NULL;
    }

    *gap = 0;
    dur = cur->dur;
    cts = cur->cts;

    p = vod_row_get(p, end, &size);

    if (p && (flags & VOD_ROW_GAP)) {
        p = vod_row_get(p, end, gap);
    }

    if (p && (flags & VOD_ROW_DUR)) {
        p = vod_row_get(p, end, &dur);
    }

    if (p && (flags & VOD_ROW_CTS)) {
        p = vod_row_get(p, end, &zigzag);
        cts = p ? vod_row_unzigzag(zigzag) : 0;
    }

    if (p == NULL || size > UINT32_MAX || dur > UINT32_MAX
        || cts < INT32_MIN || cts > INT32_MAX)
    {
        return NULL;
    }

    s->size = (uint32_t) size;
    s->dur = (uint32_t) dur;
    s->cts = (int32_t) cts;
    s->key = flags & VOD_ROW_KEY;

    return p;
}


int
vod_row_read(vod_cursor_t *cur, const uint8_t *rows, uint64_t base,
    uint64_t len, vod_sample_t *s)
{
    uint64_t        at, gap, pos, dts;
    const uint8_t  *p;

    at = cur->row - base;

    if (cur->row < base || at >= len) {
        return VOD_DAMAGED;
    }

    p = vod_row_parse(rows + at, rows + len, cur, s, &gap);
    if (p == NULL) {
        return VOD_DAMAGED;
    }

    /* positions are off_t, which has a sign */

    pos = cur->end + (uint64_t) vod_row_unzigzag(gap);
    dts = cur->dts + s->dur;

    if (pos > (uint64_t) INT64_MAX - s->size || dts > VOD_TIME_MAX
        || cur->sample == UINT32_MAX)
    {
        return VOD_DAMAGED;
    }

    s->pos = pos;

    cur->row = base + (uint64_t) (p - rows);
    cur->end = pos + s->size;
    cur->dts = dts;
    cur->sample++;
    cur->dur = s->dur;
    cur->cts = s->cts;

    return VOD_OK;
}
