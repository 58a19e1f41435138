#include <string.h>

#include "vod_mp4.h"


static int vod_mp4_set_name(vod_mp4_track_t *t, vod_rd_t text);
static int vod_mp4_generic(const char *name);
static int vod_mp4_utf8(const char *s);


/* 14496-12, 8.4.3; QuickTime's name is a counted string */
void
vod_mp4_hdlr(vod_mp4_track_t *t, vod_rd_t rd)
{
    vod_rd_skip(&rd, 8);
    t->handler = vod_rd_u32(&rd);
    vod_rd_skip(&rd, 12);

    if (rd.failed) {
        t->handler = 0;
        return;
    }

    if (t->name[0]) {
        return;
    }

    if (vod_rd_left(&rd) && *rd.pos == vod_rd_left(&rd) - 1) {
        vod_rd_skip(&rd, 1);
    }

    /* muxers write their own name here more often than the track's */

    if (!vod_mp4_set_name(t, rd) || vod_mp4_generic(t->name)) {
        t->name[0] = '\0';
    }
}


/* the track's name or title in its user data: QuickTime's and HandBrake's
   'name', 3GPP's 'titl' (TS 26.244, 8.3), QuickTime's copyright-sign 'nam' */
void
vod_mp4_name(vod_mp4_track_t *t, vod_rd_t udta)
{
    vod_rd_box_t  box;

    while (vod_rd_box(&udta, &box) == 1) {

        switch (box.type) {

        case vod_fourcc('n', 'a', 'm', 'e'):
            break;

        case vod_fourcc('t', 'i', 't', 'l'):
            vod_rd_skip(&box.body, 6);
            break;

        case vod_fourcc(0xa9, 'n', 'a', 'm'):
            box.body = vod_rd_sub(&box.body, vod_rd_u16(&box.body) + 2u);
            vod_rd_skip(&box.body, 2);
            break;

        default:
            continue;
        }

        if (!box.body.failed && vod_mp4_set_name(t, box.body)) {
            return;
        }
    }
}


/* 1 where the text is a name: not empty, valid UTF-8, not too long */
static int
vod_mp4_set_name(vod_mp4_track_t *t, vod_rd_t text)
{
    size_t  n;

    n = vod_rd_left(&text);

    while (n && text.pos[n - 1] == '\0') {
        n--;
    }

    if (n == 0 || n >= sizeof(t->name)) {
        return 0;
    }

    memcpy(t->name, text.pos, n);
    t->name[n] = '\0';

    if (strlen(t->name) != n || !vod_mp4_utf8(t->name)) {
        t->name[0] = '\0';
        return 0;
    }

    return 1;
}


/* handler names that speak of the muxer or of the component */
static int
vod_mp4_generic(const char *name)
{
    char        low[VOD_MP4_NAME];
    size_t      i;
    const char  *const  *p;

    static const char  *const  generic[] = {
        "handle", "media", "gpac", "muxer", "apple", "quicktime", "@", "#",
        NULL
    };

    for (i = 0; name[i]; i++) {
        low[i] = (char) ((name[i] >= 'A' && name[i] <= 'Z') ? name[i] | 0x20
                                                            : name[i]);
    }

    low[i] = '\0';

    for (p = generic; *p; p++) {
        if (strstr(low, *p)) {
            return 1;
        }
    }

    return 0;
}


/* well-formed (RFC 3629) and free of control characters */
static int
vod_mp4_utf8(const char *s)
{
    int             more;
    uint32_t        c, least;
    const uint8_t  *p;

    for (p = (const uint8_t *) s; *p; /* void */ ) {
        c = *p++;

        if (c < 0x80) {
            if (c < 0x20 || c == 0x7f) {
                return 0;
            }

            continue;
        }

        more = (c >= 0xf0 && c < 0xf8) ? 3 : (c >= 0xe0 && c < 0xf0) ? 2
               : (c >= 0xc2 && c < 0xe0) ? 1 : 0;

        if (more == 0) {
            return 0;
        }

        least = (more == 3) ? 0x10000 : (more == 2) ? 0x800 : 0x80;
        c &= 0x3fu >> more;

        for ( /* void */ ; more; more--) {
            if ((*p & 0xc0) != 0x80) {
                return 0;
            }

            c = (c << 6) | (*p++ & 0x3f);
        }

        if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
            return 0;
        }
    }

    return 1;
}
