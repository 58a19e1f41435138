#include <string.h>

#include "vod_rendition.h"


/* a track, while members are looked for */
typedef struct {
    uint64_t  key;              /* of what its member's other tracks share
                                   too: kind, language, purpose */
    uint64_t  like;             /* of key, group and name */
    unsigned  group;            /* that it is for */
    uint16_t  nth;              /* of those before it in its file, how many
                                   are alike */
    uint16_t  first;            /* ordinal of the first that is the same thing
                                   at another rate */
} vod_rendition_find_t;


static void vod_rendition_keys(vod_renditions_t *r,
    vod_rendition_find_t find[VOD_RENDITION_TRACKS]);
static void vod_rendition_alike(vod_renditions_t *r,
    vod_rendition_find_t find[VOD_RENDITION_TRACKS]);
static void vod_rendition_members(vod_renditions_t *r, unsigned kind,
    const vod_rendition_find_t find[VOD_RENDITION_TRACKS]);
static unsigned vod_rendition_default(const vod_renditions_t *r,
    unsigned kind);
static void vod_rendition_order(vod_renditions_t *r, unsigned kind,
    unsigned first, unsigned def);
static void vod_rendition_flags(vod_renditions_t *r, unsigned from,
    unsigned end);


void
vod_renditions(vod_renditions_t *r, const void *index, const void *timeline)
{
    vod_rendition_find_t  find[VOD_RENDITION_TRACKS];

    r->index = index;
    r->tracks = vod_index_tracks(index);
    r->times = vod_timeline_tracks(timeline);
    r->n = ((const vod_index_t *) index)->n_tracks;
    r->n_members = 0;
    r->n_groups = 0;

    if (r->n > VOD_RENDITION_TRACKS) {
        r->n = VOD_RENDITION_TRACKS;
    }

    vod_rendition_keys(r, find);
    vod_rendition_alike(r, find);

    vod_rendition_members(r, VOD_AUDIO, find);
    r->n_audio = r->n_members;
    vod_rendition_members(r, VOD_TEXT, find);

    vod_rendition_names(r);
    vod_rendition_groups(r);
}


/* member_of becomes the track itself for those that will have a member */
static void
vod_rendition_keys(vod_renditions_t *r,
    vod_rendition_find_t find[VOD_RENDITION_TRACKS])
{
    unsigned            i, group, key[2];
    uint64_t            n;
    const char         *name;
    const vod_track_t  *t;

    for (i = 0; i < r->n; i++) {

        t = &r->tracks[i];
        r->member_of[i] = VOD_RENDITION_NONE;

        if (t->kind == VOD_VIDEO || !vod_rendition_listed(r, i)) {
            continue;
        }

        r->member_of[i] = (uint16_t) i;

        key[0] = t->kind;
        key[1] = vod_rendition_purpose(r->index, t);

        find[i].key = vod_hash64(vod_hash64(0, key, sizeof(key)), t->lang,
                                 vod_rendition_field(t->lang,
                                                     sizeof(t->lang)));

        group = t->kind == VOD_AUDIO ? vod_rendition_rank(t) : 0;
        find[i].group = group;
        name = vod_rendition_name(r->index, t, &n);

        find[i].like = vod_hash64(vod_hash64(find[i].key + group, name, n),
                                  &group, sizeof(group));
    }
}


/* 1 where two files can have the same thing that is like this track */
static int
vod_rendition_may_repeat(const vod_renditions_t *r, unsigned track,
    const uint8_t *pictures)
{
    uint32_t  part;

    part = r->tracks[track].part;

    return strncmp(r->tracks[track].lang, "und",
                   sizeof(r->tracks[track].lang)) != 0
           || (part <= UINT16_MAX && pictures[part / 8] & (1u << part % 8));
}


/* which tracks are the same thing, in two files (see the header) */
static void
vod_rendition_alike(vod_renditions_t *r,
    vod_rendition_find_t find[VOD_RENDITION_TRACKS])
{
    uint8_t   pictures[(UINT16_MAX + 1) / 8];
    unsigned  i, j;
    uint32_t  part;

    memset(pictures, 0, sizeof(pictures));

    for (i = 0; i < r->n; i++) {
        part = r->tracks[i].part;

        if (r->tracks[i].kind == VOD_VIDEO && part <= UINT16_MAX) {
            pictures[part / 8] |= (uint8_t) (1u << part % 8);
        }
    }

    for (i = 0; i < r->n; i++) {

        if (r->member_of[i] == VOD_RENDITION_NONE) {
            continue;
        }

        part = r->tracks[i].part;
        find[i].nth = 0;
        find[i].first = (uint16_t) i;

        for (j = 0; j < i; j++) {
            if (r->member_of[j] != VOD_RENDITION_NONE
                && find[j].like == find[i].like && r->tracks[j].part == part)
            {
                find[i].nth++;
            }
        }

        if (!vod_rendition_may_repeat(r, i, pictures)) {
            continue;
        }

        for (j = 0; j < i; j++) {
            if (r->member_of[j] != VOD_RENDITION_NONE
                && find[j].first == j && find[j].like == find[i].like
                && find[j].nth == find[i].nth && r->tracks[j].part != part
                && vod_rendition_may_repeat(r, j, pictures))
            {
                find[i].first = (uint16_t) j;
                break;
            }
        }
    }
}


/*
 * A track is the k-th of its language and purpose within its group; so is
 * its member.  Text has no groups: each is a member.
 */
static void
vod_rendition_members(vod_renditions_t *r, unsigned kind,
    const vod_rendition_find_t find[VOD_RENDITION_TRACKS])
{
    unsigned                 i, j, first;
    uint16_t                 nth[VOD_RENDITION_TRACKS];
    vod_rendition_member_t  *m;

    first = r->n_members;

    for (i = 0; i < r->n; i++) {

        if (r->tracks[i].kind != kind
            || r->member_of[i] == VOD_RENDITION_NONE)
        {
            continue;
        }

        if (find[i].first != i) {
            r->member_of[i] = r->member_of[find[i].first];
            continue;
        }

        nth[i] = 0;

        for (j = 0; j < i; j++) {
            if (r->member_of[j] != VOD_RENDITION_NONE
                && find[j].first == j && find[j].key == find[i].key
                && find[j].group == find[i].group)
            {
                nth[i]++;
            }
        }

        for (j = first; j < r->n_members; j++) {
            if (nth[r->members[j].track] == nth[i]
                && find[r->members[j].track].key == find[i].key)
            {
                break;
            }
        }

        m = &r->members[j];

        if (j == r->n_members) {
            r->n_members++;
            memset(m, 0, sizeof(*m));
            m->track = (uint16_t) i;
            m->same_name = 1;
            m->roles = (uint8_t) vod_rendition_purpose(r->index,
                                                       &r->tracks[i]);

        } else if (!vod_rendition_same_name(r->index, &r->tracks[m->track],
                                            &r->tracks[i]))
        {
            m->same_name = 0;
        }

        r->member_of[i] = (uint16_t) j;
    }

    vod_rendition_order(r, kind, first, vod_rendition_default(r, kind));
    vod_rendition_flags(r, first, r->n_members);
}


/*
 * The default of audio is the first track enabled in the source, or the
 * first; commentary and description only where there is nothing else.  Text
 * is shown to nobody who did not ask for it, unless the source enables it,
 * and it is for everybody.
 */
static unsigned
vod_rendition_default(const vod_renditions_t *r, unsigned kind)
{
    unsigned                       i, key, best, def;
    const vod_rendition_member_t  *m;

    best = kind == VOD_TEXT ? 1 : 4;
    def = VOD_RENDITION_NONE;

    for (i = 0; i < r->n; i++) {

        if (r->tracks[i].kind != kind
            || r->member_of[i] == VOD_RENDITION_NONE)
        {
            continue;
        }

        m = &r->members[r->member_of[i]];

        key = ((m->roles & ~(unsigned) VOD_ROLE_FORCED) != 0) * 2
              + !(r->tracks[i].flags & VOD_TRACK_DEFAULT);

        if (key < best) {
            best = key;
            def = r->member_of[i];
        }
    }

    return def;
}


/* the ordinal of the first track in the language of a member */
static unsigned
vod_rendition_language(const vod_renditions_t *r, unsigned first,
    unsigned member)
{
    unsigned  i;

    for (i = first; i < member; i++) {
        if (vod_rendition_same_lang(&r->tracks[r->members[i].track],
                                    &r->tracks[r->members[member].track]))
        {
            break;
        }
    }

    return r->members[i].track;
}


/*
 * Languages in file order; within one the default, what is for everybody,
 * the others; of these in file order.  Members are in file order before.
 */
static void
vod_rendition_order(vod_renditions_t *r, unsigned kind, unsigned first,
    unsigned def)
{
    unsigned                i, j, place;
    uint16_t                now[VOD_RENDITION_TRACKS];
    uint64_t                key, keys[VOD_RENDITION_TRACKS];
    vod_rendition_member_t  m;

    for (i = first; i < r->n_members; i++) {

        place = i == def ? 0 : r->members[i].roles ? 2 : 1;

        key = ((uint64_t) vod_rendition_language(r, first, i) << 34)
              | ((uint64_t) place << 32) | i;

        for (j = i; j > first && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
        }

        keys[j] = key;
    }

    for (i = first; i < r->n_members; i++) {
        now[keys[i] & UINT16_MAX] = (uint16_t) i;
        r->members[i].is_default = i == def;
    }

    for (i = 0; i < r->n; i++) {
        if (r->tracks[i].kind == kind
            && r->member_of[i] != VOD_RENDITION_NONE)
        {
            r->member_of[i] = now[r->member_of[i]];
        }
    }

    /* each swap brings one to its place */

    for (i = first; i < r->n_members; i++) {
        while (now[i] != i) {
            j = now[i];

            m = r->members[i];
            r->members[i] = r->members[j];
            r->members[j] = m;

            now[i] = now[j];
            now[j] = (uint16_t) j;
        }
    }
}


/*
 * AUTOSELECT=YES lets a player choose by the system's language and settings
 * for accessibility alone, so it stands where that is no guess: on one member
 * for each language and each of these settings (RFC 8216bis, 4.4.6.1.1; HLS
 * Authoring Specification, 2.13, 4.6, 5.11).  Commentary is no such setting;
 * it is where it comes first in its language.
 */
static void
vod_rendition_flags(vod_renditions_t *r, unsigned from, unsigned end)
{
    int                            other;
    unsigned                       i, j, first;
    vod_rendition_member_t        *m;
    const vod_rendition_member_t  *before;

    for (first = from, i = from; i < end; i++) {

        m = &r->members[i];

        if (!vod_rendition_same_lang(&r->tracks[r->members[first].track],
                                     &r->tracks[m->track]))
        {
            first = i;
        }

        other = 1;
        before = &r->members[first];

        for (j = first; j < i && m->roles; j++, before++) {
            other &= before->roles != m->roles;
        }

        m->autoselect = i == first || (m->roles & VOD_ROLE_FORCED)
                        || (other && (m->roles & (VOD_ROLE_DESCRIPTION
                                                  | VOD_ROLE_HEARING)));
    }
}
