#include "vod_ebml.h"


#define VOD_EBML_SEGMENT  0x18538067u
#define VOD_EBML_UNKNOWN  UINT64_MAX


static uint32_t vod_ebml_id(vod_rd_t *rd);
static uint64_t vod_ebml_size(vod_rd_t *rd);


uint64_t
vod_ebml_segment_end(const uint8_t *head, uint64_t len)
{
    uint32_t  id;
    uint64_t  at, size;
    vod_rd_t  rd;

    vod_rd_init(&rd, head, len);

    /* EBML's own header, perhaps Void elements, Segment */

    for ( ;; ) {
        id = vod_ebml_id(&rd);
        size = vod_ebml_size(&rd);

        if (rd.failed || size == VOD_EBML_UNKNOWN) {
            return 0;
        }

        if (id == VOD_EBML_SEGMENT) {
            break;
        }

        vod_rd_skip(&rd, size);
    }

    at = (uint64_t) (rd.pos - head);

    return (size <= UINT64_MAX - at) ? at + size : UINT64_MAX;
}


/* RFC 8794, 5: the marker is part of the ID */
static uint32_t
vod_ebml_id(vod_rd_t *rd)
{
    int       more;
    uint32_t  id;

    id = vod_rd_u8(rd);
    more = (id & 0x80) ? 0 : (id & 0x40) ? 1 : (id & 0x20) ? 2
           : (id & 0x10) ? 3 : -1;

    if (more == -1) {
        rd->failed = 1;
    }

    while (!rd->failed && more--) {
        id = (id << 8) | vod_rd_u8(rd);
    }

    return id;
}


/* RFC 8794, 6: all ones are an unknown size */
static uint64_t
vod_ebml_size(vod_rd_t *rd)
{
    int       n, ones;
    uint8_t   first, mask;
    uint64_t  size;

    first = vod_rd_u8(rd);

    for (n = 1, mask = 0x80; n <= 8 && !(first & mask); n++) {
        mask >>= 1;
    }

    if (n > 8) {
        rd->failed = 1;
        return 0;
    }

    size = first & (uint8_t) (mask - 1);
    ones = (size == (uint64_t) (mask - 1));

    while (!rd->failed && --n) {
        first = vod_rd_u8(rd);
        ones &= (first == 0xff);
        size = (size << 8) | first;
    }

    return ones ? VOD_EBML_UNKNOWN : size;
}
