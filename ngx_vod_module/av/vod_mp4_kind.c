#include <string.h>

#include "vod_mp4.h"


static uint32_t vod_mp4_role(const char *value);


/*
 * What the track is for: boxes kind of its user data (14496-12, 8.10.4) that
 * name a role of DASH (23009-1, 5.8.5.5).  Other schemes say nothing to us.
 */
void
vod_mp4_kinds(vod_mp4_track_t *t, vod_rd_t udta)
{
    uint64_t       n;
    const char    *scheme, *value;
    vod_rd_box_t   box;

    while (vod_rd_box(&udta, &box) == 1) {

        if (box.type != vod_fourcc('k', 'i', 'n', 'd')) {
            continue;
        }

        vod_rd_skip(&box.body, 4);
        n = vod_rd_left(&box.body);

        if (box.body.failed || n == 0 || box.body.pos[n - 1] != '\0') {
            continue;
        }

        scheme = (const char *) box.body.pos;
        value = scheme + strlen(scheme) + 1;

        if (value < scheme + n
            && strcmp(scheme, "urn:mpeg:dash:role:2011") == 0)
        {
            t->roles |= vod_mp4_role(value);
        }
    }
}


static uint32_t
vod_mp4_role(const char *value)
{
    size_t  i;

    static const struct {
        const char  *value;
        uint32_t     role;
    } roles[] = {
        { "main", VOD_ROLE_MAIN },
        { "commentary", VOD_ROLE_COMMENTARY },
        { "description", VOD_ROLE_DESCRIPTION },
        { "enhanced-audio-intelligibility", VOD_ROLE_HEARING },
        { "caption", VOD_ROLE_HEARING },
        { "forced-subtitle", VOD_ROLE_FORCED },
        { "forced_subtitle", VOD_ROLE_FORCED },
        { "dub", VOD_ROLE_DUB }
    };

    for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strcmp(value, roles[i].value) == 0) {
            return roles[i].role;
        }
    }

    return 0;
}
