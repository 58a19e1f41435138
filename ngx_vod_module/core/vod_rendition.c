#include <string.h>

#include "vod_lang.h"
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
static void vod_rendition_find_members(vod_rendition_audio_t *audio);
static void vod_rendition_order(vod_rendition_audio_t *audio);
static void vod_rendition_flags(vod_rendition_audio_t *audio);
static void vod_rendition_names(vod_rendition_audio_t *audio);
static void vod_rendition_groups(vod_rendition_audio_t *audio);
static unsigned vod_rendition_base_name(const vod_rendition_audio_t *audio,
    const vod_rendition_member_t *m, char *out, size_t size);


void
vod_rendition_audio(vod_rendition_audio_t *audio, const void *index)
{
    audio->index = index;
    audio->n_members = 0;
    audio->n_groups = 0;

    vod_rendition_find_members(audio);
    vod_rendition_order(audio);
    vod_rendition_flags(audio);
    vod_rendition_names(audio);
    vod_rendition_groups(audio);
}


/*
 * A track is the k-th of its language within its family; so is its member.
 * Here member_of holds the ordinal of the member's first track.
 */
static void
vod_rendition_find_members(vod_rendition_audio_t *audio)
{
    unsigned                 i, j, n;
    uint16_t                 rank[VOD_RENDITION_TRACKS];
    const vod_track_t       *tracks;
    vod_rendition_member_t  *m;

    tracks = vod_index_tracks(audio->index);
    n = vod_rendition_count(audio->index);

    for (i = 0; i < n; i++) {

        audio->member_of[i] = VOD_RENDITION_NONE;

        if (tracks[i].kind != VOD_AUDIO) {
            continue;
        }

        rank[i] = 0;

        for (j = 0; j < i; j++) {
            if (tracks[j].kind == VOD_AUDIO
                && vod_rendition_same_lang(&tracks[j], &tracks[i])
                && vod_rendition_family(&tracks[j])
                   == vod_rendition_family(&tracks[i]))
            {
                rank[i]++;
            }
        }

        for (j = 0; j < audio->n_members; j++) {
            m = &audio->members[j];

            if (rank[m->track] == rank[i]
                && vod_rendition_same_lang(&tracks[m->track], &tracks[i]))
            {
                break;
            }
        }

        m = &audio->members[j];

        if (j == audio->n_members) {
            audio->n_members++;
            memset(m, 0, sizeof(*m));
            m->track = (uint16_t) i;
            m->same_name = 1;

        } else if (!vod_rendition_same_name(audio->index, &tracks[m->track],
                                            &tracks[i]))
        {
            m->same_name = 0;
        }

        audio->member_of[i] = m->track;
    }
}


/* languages in file order; within one the default first, then file order */
static void
vod_rendition_order(vod_rendition_audio_t *audio)
{
    int                      before;
    unsigned                 i, j, k, def;
    const vod_track_t       *tracks;
    vod_rendition_member_t   m, *ms;

    tracks = vod_index_tracks(audio->index);
    ms = audio->members;

    /* the default is the first track enabled in the source, or the first */

    for (def = 0, i = 0; i < vod_rendition_count(audio->index); i++) {
        if (tracks[i].kind == VOD_AUDIO
            && (tracks[i].flags & VOD_TRACK_DEFAULT))
        {
            while (ms[def].track != audio->member_of[i]) {
                def++;
            }

            break;
        }
    }

    if (audio->n_members) {
        ms[def].is_default = 1;
    }

    /* members are in file order: move each behind the last of its language */

    for (i = 1; i < audio->n_members; i++) {

        m = ms[i];

        for (j = i; j > 0; j--) {
            if (vod_rendition_same_lang(&tracks[ms[j - 1].track],
                                        &tracks[m.track]))
            {
                break;
            }
        }

        if (j == 0) {
            continue;
        }

        before = m.is_default;

        while (before && j > 0
               && vod_rendition_same_lang(&tracks[ms[j - 1].track],
                                          &tracks[m.track]))
        {
            j--;
        }

        for (k = i; k > j; k--) {
            ms[k] = ms[k - 1];
        }

        ms[j] = m;
    }

    for (i = 0; i < vod_rendition_count(audio->index); i++) {

        if (tracks[i].kind != VOD_AUDIO) {
            continue;
        }

        for (j = 0; ms[j].track != audio->member_of[i]; j++) { /* void */ }

        audio->member_of[i] = (uint16_t) j;
    }
}


/*
 * AUTOSELECT=YES lets a player choose by the system's language alone, so it
 * stands where that is no guess: on the default, and on the first member of
 * every other language.
 */
static void
vod_rendition_flags(vod_rendition_audio_t *audio)
{
    unsigned                 i;
    const vod_track_t       *tracks;
    vod_rendition_member_t  *ms;

    tracks = vod_index_tracks(audio->index);
    ms = audio->members;

    /* in order of listing the default is the first of its language */

    for (i = 0; i < audio->n_members; i++) {
        ms[i].autoselect = i == 0
                           || !vod_rendition_same_lang(&tracks[ms[i].track],
                                                &tracks[ms[i - 1].track]);
    }
}


/* the name without a suffix: at most VOD_RENDITION_NAME bytes */
static unsigned
vod_rendition_base_name(const vod_rendition_audio_t *audio,
    const vod_rendition_member_t *m, char *out, size_t size)
{
    vod_wr_t            wr;
    uint64_t            n;
    const char         *name;
    const vod_track_t  *track;

    track = vod_index_tracks(audio->index) + m->track;

    vod_wr_init(&wr, out, size);

    name = vod_rendition_name(audio->index, track, &n);

    if (n && m->same_name) {
        vod_wr_quoted(&wr, name, n);

    } else {
        name = track->lang[sizeof(track->lang) - 1] == '\0'
               && strcmp(track->lang, "und") != 0
               ? vod_lang_name(track->lang) : NULL;

        if (name) {
            vod_wr_quoted(&wr, name, strlen(name));

        } else {
            vod_wr_str(&wr, "Audio ");
            vod_wr_dec(&wr, vod_index_number(vod_index_tracks(audio->index),
                                             m->track));
        }
    }

    return wr.overflow ? 0 : (unsigned) wr.len;
}


static unsigned
vod_rendition_suffix(char *out, unsigned number)
{
    vod_wr_t  wr;

    if (number == 0) {
        return 0;
    }

    vod_wr_init(&wr, out, 16);
    vod_wr_str(&wr, " (");
    vod_wr_dec(&wr, number);
    vod_wr_str(&wr, ")");

    return (unsigned) wr.len;
}


/*
 * Names differ within a group (RFC 8216bis, 4.4.6.1.1): compared as they are
 * written, by hash; two that collide only get a number they did not need.
 */
static void
vod_rendition_names(vod_rendition_audio_t *audio)
{
    char                     name[VOD_RENDITION_NAME + 16];
    unsigned                 i, j, n;
    vod_rendition_member_t  *m;

    for (i = 0; i < audio->n_members; i++) {

        m = &audio->members[i];
        n = vod_rendition_base_name(audio, m, name, VOD_RENDITION_NAME);

        for ( ;; ) {
            m->name_hash = vod_hash64(0, name,
                               n + vod_rendition_suffix(name + n, m->suffix));

            for (j = 0; j < i; j++) {
                if (audio->members[j].name_hash == m->name_hash) {
                    break;
                }
            }

            if (j == i) {
                break;
            }

            m->suffix = m->suffix ? m->suffix + 1 : 2;
        }
    }
}


void
vod_rendition_member_name(vod_wr_t *wr, const vod_rendition_audio_t *audio,
    unsigned member)
{
    char                           name[VOD_RENDITION_NAME + 16];
    unsigned                       n;
    const vod_rendition_member_t  *m;

    m = &audio->members[member];

    n = vod_rendition_base_name(audio, m, name, VOD_RENDITION_NAME);
    n += vod_rendition_suffix(name + n, m->suffix);

    vod_wr_bytes(wr, name, n);
}


/* a track for each member, from this family or one listed before it */
static void
vod_rendition_fill_group(vod_rendition_audio_t *audio,
    vod_rendition_group_t *g, unsigned family)
{
    unsigned            i, f, best[VOD_RENDITION_TRACKS];
    const vod_track_t  *tracks;

    tracks = vod_index_tracks(audio->index);

    g->id = vod_rendition_families[family].id;
    g->n = 0;
    g->preferred = VOD_RENDITION_NONE;

    for (i = 0; i < audio->n_members; i++) {
        g->tracks[i] = VOD_RENDITION_NONE;
    }

    for (i = 0; i < vod_rendition_count(audio->index); i++) {

        if (tracks[i].kind != VOD_AUDIO) {
            continue;
        }

        f = vod_rendition_family(&tracks[i]);

        if (f > family) {
            continue;
        }

        if (g->tracks[audio->member_of[i]] == VOD_RENDITION_NONE
            || f > best[audio->member_of[i]])
        {
            g->tracks[audio->member_of[i]] = (uint16_t) i;
            best[audio->member_of[i]] = f;
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


static void
vod_rendition_groups(vod_rendition_audio_t *audio)
{
    unsigned            i, f, present;
    const vod_track_t  *tracks;

    tracks = vod_index_tracks(audio->index);

    for (present = 0, i = 0; i < vod_rendition_count(audio->index); i++) {
        if (tracks[i].kind == VOD_AUDIO) {
            present |= 1u << vod_rendition_family(&tracks[i]);
        }
    }

    for (f = 0; f < VOD_RENDITION_GROUPS; f++) {
        if (present & (1u << f)) {
            vod_rendition_fill_group(audio, &audio->groups[audio->n_groups],
                                     f);
            audio->n_groups++;
        }
    }
}


static unsigned
vod_rendition_family(const vod_track_t *track)
{
    size_t              n;
    unsigned            f;
    const char *const  *p;

    n = vod_rendition_field(track->codec, sizeof(track->codec));

    for (f = 0; f < VOD_RENDITION_GROUPS - 1; f++) {
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
