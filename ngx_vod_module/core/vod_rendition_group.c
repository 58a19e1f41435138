#include <string.h>

#include "vod_rendition.h"


/*
 * Codec families in the order in which their groups are listed: what most
 * devices decode comes first.  A prefix ends at the end of the codec string
 * or at a dot.
 */
typedef struct {
    const char  *id;
    const char  *prefix[4];
} vod_rendition_family_t;

static const vod_rendition_family_t  vod_rendition_families[] = {
    { "aac",  { "mp4a.40.2", "mp4a.40.5", "mp4a.40.29", NULL } },
    { "mp3",  { "mp4a.40.34", "mp4a.6B", "mp4a.69", NULL } },
    { "ec-3", { "ec-3", NULL } },
    { "ac-3", { "ac-3", NULL } },
    { "opus", { "Opus", NULL } },
    { "flac", { "fLaC", NULL } },
    { "alac", { "alac", NULL } },
    { "aac-other", { "mp4a", NULL } },
    { "other", { "", NULL } }
};


static unsigned vod_rendition_family(const vod_track_t *track);
static int vod_rendition_prefix(const char *s, size_t n, const char *prefix);
static void vod_rendition_order_groups(vod_renditions_t *r);


/*
 * How near a track is to a group: 0 it is of another kind, which the group
 * cannot hold; else the more the nearer.
 */
static unsigned
vod_rendition_near(const vod_track_t *track, unsigned rank)
{
    unsigned  r;

    r = vod_rendition_rank(track);

    if (r <= rank) {
        return VOD_RENDITION_LAYOUTS + r;
    }

    return r / VOD_RENDITION_LAYOUTS == rank / VOD_RENDITION_LAYOUTS
           ? VOD_RENDITION_LAYOUTS - (r - rank) : 0;
}


void
vod_rendition_group_tracks(const vod_renditions_t *r, unsigned rank,
    uint16_t tracks[VOD_RENDITION_TRACKS])
{
    uint8_t   best[VOD_RENDITION_TRACKS];
    unsigned  i, m, near;

    for (i = 0; i < r->n_audio; i++) {
        tracks[i] = VOD_RENDITION_NONE;
        best[i] = 0;
    }

    for (i = 0; i < r->n; i++) {

        m = r->member_of[i];

        if (m >= r->n_audio) {
            continue;
        }

        near = vod_rendition_near(&r->tracks[i], rank);

        /* two that are as near are the same thing at two rates */

        if (near > best[m]
            || (near && near == best[m]
                && r->times[i].average > r->times[tracks[m]].average))
        {
            tracks[m] = (uint16_t) i;
            best[m] = (uint8_t) near;
        }
    }
}


/* what a group is like, and its tracks' hash */
static void
vod_rendition_describe(const vod_renditions_t *r, vod_rendition_group_t *g)
{
    unsigned  i;
    uint16_t  tracks[VOD_RENDITION_TRACKS];

    static const char  *layouts[] = { "", "-surround", "-joc" };

    vod_rendition_group_tracks(r, g->rank, tracks);

    g->id = vod_rendition_families[g->rank / VOD_RENDITION_LAYOUTS].id;
    g->layout = layouts[g->rank % VOD_RENDITION_LAYOUTS];
    g->hash = vod_hash64(0, tracks, r->n_audio * sizeof(tracks[0]));
    g->n = 0;
    g->preferred = VOD_RENDITION_NONE;

    for (i = 0; i < r->n_audio; i++) {

        if (tracks[i] == VOD_RENDITION_NONE) {
            continue;
        }

        g->n++;

        if (g->preferred == VOD_RENDITION_NONE || r->members[i].is_default) {
            g->preferred = i;
        }
    }
}


void
vod_rendition_groups(vod_renditions_t *r)
{
    unsigned                i, rank, present;
    vod_rendition_group_t  *g;

    for (present = 0, i = 0; i < r->n; i++) {
        if (r->member_of[i] < r->n_audio) {
            present |= 1u << vod_rendition_rank(&r->tracks[i]);
        }
    }

    for (rank = 0; rank < VOD_RENDITION_GROUPS; rank++) {

        if (!(present & (1u << rank))) {
            continue;
        }

        g = &r->groups[r->n_groups];
        g->rank = rank;

        vod_rendition_describe(r, g);

        for (i = 0; i < r->n_groups; i++) {
            if (r->groups[i].hash == g->hash) {
                break;
            }
        }

        if (i < r->n_groups) {
            continue;
        }

        /* the first group of a family is called by it alone */

        if (i == 0 || r->groups[i - 1].id != g->id) {
            g->layout = "";
        }

        r->n_groups++;
    }

    vod_rendition_order_groups(r);
}


/*
 * Many players start with the first variant: groups that lack the default
 * member (it exists in no codec so common) stand behind the others.  The
 * default is the group's preferred one where the group has it.
 */
static void
vod_rendition_order_groups(vod_renditions_t *r)
{
    unsigned               i, j;
    vod_rendition_group_t  g;

    for (i = 1; i < r->n_groups; i++) {

        g = r->groups[i];

        if (!r->members[g.preferred].is_default) {
            continue;
        }

        for (j = i; j > 0; j--) {
            if (r->members[r->groups[j - 1].preferred].is_default) {
                break;
            }

            r->groups[j] = r->groups[j - 1];
        }

        r->groups[j] = g;
    }
}


unsigned
vod_rendition_rank(const vod_track_t *track)
{
    return vod_rendition_family(track) * VOD_RENDITION_LAYOUTS
           + (track->joc ? 2 : track->channels > 2);
}


static unsigned
vod_rendition_family(const vod_track_t *track)
{
    size_t              n;
    unsigned            f;
    const char *const  *p;

    n = vod_rendition_field(track->codec, sizeof(track->codec));

    for (f = 0; f < VOD_RENDITION_FAMILIES - 1; f++) {
        for (p = vod_rendition_families[f].prefix; *p; p++) {
            if (vod_rendition_prefix(track->codec, n, *p)) {
                return f;
            }
        }
    }

    return f;
}


static int
vod_rendition_prefix(const char *s, size_t n, const char *prefix)
{
    size_t  len;

    len = strlen(prefix);

    return n >= len && memcmp(s, prefix, len) == 0
           && (n == len || s[len] == '.');
}
