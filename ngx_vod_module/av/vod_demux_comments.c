/*
 * Comments of Ogg files and of FLAC in Matroska: titles and the like, which
 * nobody asks us for.  libavformat keeps them in a list it goes through for
 * each one, so that their number costs its square, hours for a megabyte, and
 * no clock is looked at meanwhile.  They are counted before it sees them.
 */

#include <string.h>

#include "vod_demux_int.h"


/* a file that says more of itself takes 10 ms for it */
#define VOD_DEMUX_COMMENTS  4096


static uint32_t vod_demux_comments_at(const uint8_t *p, uint64_t len);
static uint32_t vod_demux_comments_flac(const uint8_t *p, uint64_t len);


/*
 * Looks at the first bytes of the file, where headers stand.  VOD_OK, or
 * VOD_LIMIT where a comment header there has too many, or does not say how
 * many within them.
 */
int
vod_demux_comments(vod_demux_t *d, vod_err_t *err)
{
    uint32_t        n, most;
    uint64_t        i, len;
    const uint8_t  *p;

    len = vod_demux_peek(d, 0, VOD_DEMUX_WINDOW, &p);
    most = 0;

    for (i = 0; i + 8 <= len; i++) {

        if (memcmp(p + i, "OpusTags", 8) == 0) {
            n = vod_demux_comments_at(p + i + 8, len - i - 8);

        } else if (memcmp(p + i, "\3vorbis", 7) == 0
                   || memcmp(p + i, "\x81theora", 7) == 0)
        {
            n = vod_demux_comments_at(p + i + 7, len - i - 7);

        } else if (memcmp(p + i, "fLaC", 4) == 0) {
            n = vod_demux_comments_flac(p + i + 4, len - i - 4);

        } else {
            continue;
        }

        most = (n > most) ? n : most;
    }

    if (most > VOD_DEMUX_COMMENTS) {
        return vod_fail(err, VOD_LIMIT, "it has more than %d comments, or a"
                        " comment of more than %d bytes in front of them,"
                        " remux the file without (-map_metadata -1)",
                        VOD_DEMUX_COMMENTS, VOD_DEMUX_WINDOW);
    }

    return VOD_OK;
}


/*
 * How many a comment header says (Vorbis I, 5.2.1): the vendor's name, then
 * the number, little-endian.  UINT32_MAX where it is not within len.
 */
static uint32_t
vod_demux_comments_at(const uint8_t *p, uint64_t len)
{
    uint32_t  vendor;

    if (len < 8) {
        return UINT32_MAX;
    }

    vendor = p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16
             | (uint32_t) p[3] << 24;

    if (vendor > len - 8) {
        return UINT32_MAX;
    }

    p += 4 + vendor;

    return p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16
           | (uint32_t) p[3] << 24;
}


/*
 * The same of FLAC's blocks (RFC 9639, 8): in Matroska they follow one
 * another; in Ogg each is a packet with the page's header in front of it.
 */
static uint32_t
vod_demux_comments_flac(const uint8_t *p, uint64_t len)
{
    uint32_t  n, most;
    uint64_t  size;

    most = 0;

    while (len >= 4) {

        if (len >= 27 && memcmp(p, "OggS", 4) == 0) {
            size = 27 + (uint64_t) p[26];

            if (size > len) {
                break;
            }

            p += size;
            len -= size;
            continue;
        }

        size = 4 + ((uint64_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3]);

        if ((p[0] & 127) == 4) {
            n = vod_demux_comments_at(p + 4, len - 4);
            most = (n > most) ? n : most;
        }

        if ((p[0] & 128) || size > len) {
            break;
        }

        p += size;
        len -= size;
    }

    return most;
}
