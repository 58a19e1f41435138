/*
 * Sample entries put together for a test, and what became of one.
 */

#ifndef _ENTRY_H_INCLUDED_
#define _ENTRY_H_INCLUDED_

#include <stdlib.h>

#include "vod_codec.h"
#include "vod_rd.h"
#include "vod_wr.h"

#include "tap.h"


#define ENTRY_MAX  8192


typedef struct {
    int          rc;
    vod_err_t    err;
    vod_track_t  track;
    uint8_t      out[ENTRY_MAX];
    uint64_t     len;
} entry_t;


/* bytes written as hex digits, spaces ignored; returns how many */
static inline unsigned
entry_hex(uint8_t *out, const char *hex)
{
    int       digit;
    unsigned  n;

    for (n = 0; *hex; hex++) {

        if (*hex == ' ') {
            continue;
        }

        digit = *hex <= '9' ? *hex - '0' : (*hex | 0x20) - 'a' + 10;
        out[n / 2] = (uint8_t) (n & 1 ? out[n / 2] | digit : digit << 4);
        n++;
    }

    return n / 2;
}


static inline uint32_t
entry_type(const char *type)
{
    return vod_fourcc((uint8_t) type[0], (uint8_t) type[1],
                      (uint8_t) type[2], (uint8_t) type[3]);
}


/* a box of these bytes */
static inline void
entry_box(vod_wr_t *wr, const char *type, const char *hex)
{
    uint8_t   bytes[ENTRY_MAX];
    uint64_t  mark;

    mark = vod_wr_box(wr, entry_type(type));
    vod_wr_bytes(wr, bytes, entry_hex(bytes, hex));
    vod_wr_box_end(wr, mark);
}


/* the fixed part of a VisualSampleEntry of 640x360; ended by entry_end() */
static inline void
entry_video(vod_wr_t *wr, uint8_t *buf, const char *type)
{
    vod_wr_init(wr, buf, ENTRY_MAX);
    (void) vod_wr_box(wr, entry_type(type));

    vod_wr_zero(wr, 7);
    vod_wr_u8(wr, 1);
    vod_wr_zero(wr, 16);
    vod_wr_u16(wr, 640);
    vod_wr_u16(wr, 360);
    vod_wr_u32(wr, 0x00480000);
    vod_wr_u32(wr, 0x00480000);
    vod_wr_u32(wr, 0);
    vod_wr_u16(wr, 1);
    vod_wr_zero(wr, 32);
    vod_wr_u16(wr, 0x18);
    vod_wr_u16(wr, 0xffff);
}


/* the fixed part of an AudioSampleEntry of this version */
static inline void
entry_audio(vod_wr_t *wr, uint8_t *buf, const char *type, unsigned version,
    unsigned channels, uint32_t rate)
{
    vod_wr_init(wr, buf, ENTRY_MAX);
    (void) vod_wr_box(wr, entry_type(type));

    vod_wr_zero(wr, 7);
    vod_wr_u8(wr, 1);
    vod_wr_u16(wr, (uint16_t) version);
    vod_wr_zero(wr, 6);
    vod_wr_u16(wr, (uint16_t) channels);
    vod_wr_u16(wr, 16);
    vod_wr_u32(wr, 0);
    vod_wr_u32(wr, rate << 16);
}


/* an esds as MP4 writers make it, around this DecoderSpecificInfo */
static inline void
entry_esds(vod_wr_t *wr, unsigned oti, const char *info)
{
    char      hex[512];
    uint8_t   bytes[256];
    unsigned  n;

    n = entry_hex(bytes, info);

    snprintf(hex, sizeof(hex), "00000000 03%02x 0001 00 04%02x %02x 15 001800 "
             "0001f400 0001e000 05%02x %s 060102", 3 + 2 + 13 + 2 + n + 3,
             13 + 2 + n, oti, n, info);

    entry_box(wr, "esds", hex);
}


/* a copy of its own size, so that a sanitizer sees what lies beyond it */
static inline void
entry_run(entry_t *e, unsigned kind, const uint8_t *data, uint64_t len)
{
    uint8_t   *copy;
    vod_wr_t   wr;

    memset(e, 0, sizeof(entry_t));
    e->track.kind = (uint8_t) kind;

    copy = malloc(len ? len : 1);
    memcpy(copy, data, len);

    vod_wr_init(&wr, e->out, sizeof(e->out));
    e->rc = vod_codec_entry(&e->track, copy, len, &wr, &e->err);
    e->len = wr.len;

    free(copy);
}


static inline void
entry_end(entry_t *e, unsigned kind, vod_wr_t *wr)
{
    vod_wr_box_end(wr, 0);
    entry_run(e, kind, wr->start, wr->len);
}


/* where this type stands in the entry written, or -1 */
static inline int
entry_find(const entry_t *e, const char *type)
{
    uint64_t  i;

    for (i = 4; i + 4 <= e->len; i++) {
        if (memcmp(e->out + i, type, 4) == 0) {
            return (int) i;
        }
    }

    return -1;
}

#endif /* _ENTRY_H_INCLUDED_ */
