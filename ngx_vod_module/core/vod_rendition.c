#include <string.h>

#include "vod_lang.h"
#include "vod_rendition.h"


static void vod_rendition_find_members(vod_rendition_audio_t *audio);
static void vod_rendition_order(vod_rendition_audio_t *audio);
static void vod_rendition_flags(vod_rendition_audio_t *audio);
static void vod_rendition_names(vod_rendition_audio_t *audio);
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
    unsigned                 i, j, n, purpose;
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
        purpose = vod_rendition_purpose(audio->index, &tracks[i]);

        for (j = 0; j < i; j++) {
            if (tracks[j].kind == VOD_AUDIO
                && vod_rendition_same_lang(&tracks[j], &tracks[i])
                && vod_rendition_purpose(audio->index, &tracks[j]) == purpose
                && vod_rendition_rank(&tracks[j])
                   == vod_rendition_rank(&tracks[i]))
            {
                rank[i]++;
            }
        }

        for (j = 0; j < audio->n_members; j++) {
            m = &audio->members[j];

            if (rank[m->track] == rank[i] && m->roles == purpose
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
            m->roles = (uint8_t) purpose;

        } else if (!vod_rendition_same_name(audio->index, &tracks[m->track],
                                            &tracks[i]))
        {
            m->same_name = 0;
        }

        audio->member_of[i] = m->track;
    }
}


/*
 * The default is the first track enabled in the source, or the first; of
 * commentary and description only where there is nothing else.
 */
static void
vod_rendition_default(vod_rendition_audio_t *audio)
{
    unsigned            i, j, key, best, def;
    const vod_track_t  *t;

    best = 4;
    def = 0;

    for (i = 0; i < vod_rendition_count(audio->index); i++) {

        t = vod_index_tracks(audio->index) + i;

        if (t->kind != VOD_AUDIO) {
            continue;
        }

        for (j = 0; audio->members[j].track != audio->member_of[i]; j++) {
            /* void */
        }

        key = (audio->members[j].roles != 0) * 2
              + !(t->flags & VOD_TRACK_DEFAULT);

        if (key < best) {
            best = key;
            def = j;
        }
    }

    if (audio->n_members) {
        audio->members[def].is_default = 1;
    }
}


/* the place within a language: default, main, the others */
static unsigned
vod_rendition_place(const vod_rendition_member_t *m)
{
    return m->is_default ? 0 : m->roles ? 2 : 1;
}


/* languages in file order; within one by place, then in file order */
static void
vod_rendition_order(vod_rendition_audio_t *audio)
{
    unsigned                 i, j, k;
    const vod_track_t       *tracks;
    vod_rendition_member_t   m, *ms;

    tracks = vod_index_tracks(audio->index);
    ms = audio->members;

    vod_rendition_default(audio);

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

        while (j > 0
               && vod_rendition_place(&ms[j - 1]) > vod_rendition_place(&m)
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
 * every other language; and on what the system's settings for accessibility
 * ask for (HLS Authoring Specification, 2.13).
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
                                                &tracks[ms[i - 1].track])
                           || (ms[i].roles & (VOD_ROLE_DESCRIPTION
                                              | VOD_ROLE_HEARING));
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

        if (m->roles & VOD_ROLE_COMMENTARY) {
            vod_wr_str(&wr, ", commentary");
        }

        if (m->roles & VOD_ROLE_DESCRIPTION) {
            vod_wr_str(&wr, ", audio description");
        }

        if (m->roles & VOD_ROLE_HEARING) {
            vod_wr_str(&wr, ", clear speech");
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
