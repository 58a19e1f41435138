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
static void vod_rendition_order_groups(vod_rendition_audio_t *audio);


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


static void
vod_rendition_fill_group(vod_rendition_audio_t *audio,
    vod_rendition_group_t *g, unsigned rank)
{
    unsigned            i, m, near, best[VOD_RENDITION_TRACKS];
    const vod_track_t  *tracks;

    static const char  *layouts[] = { "", "-surround", "-joc" };

    tracks = vod_index_tracks(audio->index);

    g->id = vod_rendition_families[rank / VOD_RENDITION_LAYOUTS].id;
    g->layout = layouts[rank % VOD_RENDITION_LAYOUTS];
    g->n = 0;
    g->preferred = VOD_RENDITION_NONE;

    for (i = 0; i < audio->n_members; i++) {
        g->tracks[i] = VOD_RENDITION_NONE;
        best[i] = 0;
    }

    for (i = 0; i < vod_rendition_count(audio->index); i++) {

        if (tracks[i].kind != VOD_AUDIO) {
            continue;
        }

        m = audio->member_of[i];
        near = vod_rendition_near(&tracks[i], rank);

        if (near > best[m]) {
            g->tracks[m] = (uint16_t) i;
            best[m] = near;
        }
    }

    for (i = 0; i < audio->n_members; i++) {

        if (g->tracks[i] == VOD_RENDITION_NONE) {
            continue;
        }

        g->n++;

        if (g->preferred == VOD_RENDITION_NONE
            || audio->members[i].is_default)
        {
            g->preferred = i;
        }
    }
}


void
vod_rendition_groups(vod_rendition_audio_t *audio)
{
    unsigned                i, r, present;
    const vod_track_t      *tracks;
    vod_rendition_group_t  *g;

    tracks = vod_index_tracks(audio->index);

    for (present = 0, i = 0; i < vod_rendition_count(audio->index); i++) {
        if (tracks[i].kind == VOD_AUDIO) {
            present |= 1u << vod_rendition_rank(&tracks[i]);
        }
    }

    for (r = 0; r < VOD_RENDITION_GROUPS; r++) {

        if (!(present & (1u << r))) {
            continue;
        }

        g = &audio->groups[audio->n_groups];

        vod_rendition_fill_group(audio, g, r);

        for (i = 0; i < audio->n_groups; i++) {
            if (memcmp(audio->groups[i].tracks, g->tracks,
                       audio->n_members * sizeof(g->tracks[0])) == 0)
            {
                break;
            }
        }

        if (i < audio->n_groups) {
            continue;
        }

        /* the first group of a family is called by it alone */

        if (i == 0 || audio->groups[i - 1].id != g->id) {
            g->layout = "";
        }

        audio->n_groups++;
    }

    vod_rendition_order_groups(audio);
}


/*
 * Many players start with the first variant: groups that lack the default
 * member (it exists in no codec so common) stand behind the others.
 */
static void
vod_rendition_order_groups(vod_rendition_audio_t *audio)
{
    unsigned               i, j, def;
    vod_rendition_group_t  g;

    for (def = 0; def < audio->n_members; def++) {
        if (audio->members[def].is_default) {
            break;
        }
    }

    for (i = 1; i < audio->n_groups; i++) {

        g = audio->groups[i];

        if (g.tracks[def] == VOD_RENDITION_NONE) {
            continue;
        }

        for (j = i; j > 0; j--) {
            if (audio->groups[j - 1].tracks[def] != VOD_RENDITION_NONE) {
                break;
            }

            audio->groups[j] = audio->groups[j - 1];
        }

        audio->groups[j] = g;
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
