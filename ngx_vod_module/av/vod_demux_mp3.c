#include <string.h>

#include "vod_demux_int.h"


/* delay of any decoder, samples: what LAME counts from */
#define VOD_LAME_DECODER  529


static uint32_t
vod_demux_be32(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}


/* behind ID3v2 tags: 10 bytes, and a size of four times 7 bits */
static uint64_t
vod_demux_id3(vod_demux_t *d)
{
    uint64_t        pos;
    const uint8_t  *p;

    pos = 0;

    while (vod_demux_peek(d, pos, 10, &p) == 10
           && memcmp(p, "ID3", 3) == 0)
    {
        pos += 10 + ((uint64_t) (p[6] & 0x7f) << 21
                     | (uint64_t) (p[7] & 0x7f) << 14
                     | (uint64_t) (p[8] & 0x7f) << 7 | (p[9] & 0x7f))
               + ((p[5] & 0x10) ? 10 : 0);
    }

    return pos;
}


/*
 * The first frame may hold no sound but a Xing or Info tag: behind the side
 * information "Xing", flags, then as the flags say number of frames, number
 * of bytes, 100 bytes of places, quality; then LAME's 36 bytes, with 12 bits
 * of delay and 12 of padding at byte 21.  libavformat passes over the frame.
 */
void
vod_demux_lame(vod_demux_t *d)
{
    uint64_t        n;
    uint32_t        head, flags, delay, pad;
    const uint8_t  *p, *end;

    n = vod_demux_peek(d, vod_demux_id3(d), 512, &p);
    if (n < 4) {
        return;
    }

    end = p + n;
    head = vod_demux_be32(p);

    /* sync, and layer 3 */

    if ((head >> 21) != 0x7ff || ((head >> 17) & 3) != 1) {
        return;
    }

    /* side information: MPEG-1 stereo 32, mono 17; MPEG-2 17, 9 */

    if (head & (1 << 19)) {
        p += 4 + (((head >> 6) & 3) == 3 ? 17 : 32);

    } else {
        p += 4 + (((head >> 6) & 3) == 3 ? 9 : 17);
    }

    if (end - p < 8 || (memcmp(p, "Xing", 4) && memcmp(p, "Info", 4))) {
        return;
    }

    flags = vod_demux_be32(p + 4);

    p += 8 + ((flags & 1) ? 4 : 0) + ((flags & 2) ? 4 : 0)
         + ((flags & 4) ? 100 : 0) + ((flags & 8) ? 4 : 0);

    if (end - p < 24 || p[0] == 0) {
        return;
    }

    delay = (uint32_t) p[21] << 4 | p[22] >> 4;
    pad = (uint32_t) (p[22] & 0x0f) << 8 | p[23];

    d->lame_delay = delay + VOD_LAME_DECODER;
    d->lame_trim = (pad > VOD_LAME_DECODER) ? pad - VOD_LAME_DECODER : 0;
}
