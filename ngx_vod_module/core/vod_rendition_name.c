#include <string.h>

#include "vod_lang.h"
#include "vod_rendition.h"


static unsigned vod_rendition_base_name(const vod_renditions_t *r,
    const vod_rendition_member_t *m, char *out, size_t size);
static unsigned vod_rendition_suffix(char *out, unsigned number);


int
vod_rendition_same_lang(const vod_track_t *a, const vod_track_t *b)
{
    return strncmp(a->lang, b->lang, sizeof(a->lang)) == 0;
}


int
vod_rendition_same_codec(const vod_track_t *a, const vod_track_t *b)
{
    return strncmp(a->codec, b->codec, sizeof(a->codec)) == 0;
}


int
vod_rendition_same_name(const void *index, const vod_track_t *a,
    const vod_track_t *b)
{
    uint64_t     na, nb;
    const char  *pa, *pb;

    pa = vod_rendition_name(index, a, &na);
    pb = vod_rendition_name(index, b, &nb);

    return na == nb && (na == 0 || memcmp(pa, pb, (size_t) na) == 0);
}


const char *
vod_rendition_name(const void *index, const vod_track_t *track, uint64_t *len)
{
    uint64_t     n;
    const char  *p;

    p = (const char *) index + track->name_off;
    n = track->name_len;

    while (n && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
        n--;
    }

    if (n >= VOD_RENDITION_NAME) {
        n = VOD_RENDITION_NAME - 1;

        /* not within a character; bytes that are no UTF-8 have no edges */

        while (n > VOD_RENDITION_NAME - 5 && (p[n] & 0xc0) == 0x80) {
            n--;
        }
    }

    while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\n'
                 || p[n - 1] == '\r' || p[n - 1] == '\0'))
    {
        n--;
    }

    *len = n;

    return p;
}


/* is a word, in lower case, in a name of n bytes, in any case? */
static int
vod_rendition_says(const char *name, uint64_t n, const char *word)
{
    size_t    len, k;
    uint64_t  i;

    len = strlen(word);

    for (i = 0; i + len <= n; i++) {

        for (k = 0; k < len; k++) {
            if ((name[i + k] | (name[i + k] >= 'A' && name[i + k] <= 'Z'
                                ? 0x20 : 0)) != word[k])
            {
                break;
            }
        }

        if (k == len) {
            return 1;
        }
    }

    return 0;
}


unsigned
vod_rendition_purpose(const void *index, const vod_track_t *track)
{
    unsigned     i, mask, purpose;
    uint64_t     n;
    const char  *name;

    static const struct {
        unsigned     role;
        const char  *word;
    } words[] = {
        { VOD_ROLE_COMMENTARY, "commentary" },
        { VOD_ROLE_DESCRIPTION, "audio description" },
        { VOD_ROLE_DESCRIPTION, "descriptive" },
        { VOD_ROLE_DESCRIPTION, "described" },
        { VOD_ROLE_FORCED, "forced" },
        { VOD_ROLE_HEARING, "sdh" },
        { VOD_ROLE_HEARING, "hearing impaired" },
        { VOD_ROLE_HEARING, "hard of hearing" },
        { VOD_ROLE_HEARING, "closed caption" }
    };

    mask = VOD_ROLE_COMMENTARY | VOD_ROLE_DESCRIPTION | VOD_ROLE_HEARING;

    if (track->kind == VOD_TEXT) {
        mask |= VOD_ROLE_FORCED;
    }

    if (track->roles) {
        return track->roles & mask;
    }

    /* of sound nothing is forced, and "SDH" is said of text */

    if (track->kind != VOD_TEXT) {
        mask &= ~(unsigned) VOD_ROLE_HEARING;
    }

    name = vod_rendition_name(index, track, &n);
    purpose = 0;

    for (i = 0; i < sizeof(words) / sizeof(words[0]) && purpose == 0; i++) {
        if (vod_rendition_says(name, n, words[i].word)) {
            purpose = words[i].role & mask;
        }
    }

    return purpose;
}


/* the name without a suffix: at most VOD_RENDITION_NAME bytes */
static unsigned
vod_rendition_base_name(const vod_renditions_t *r,
    const vod_rendition_member_t *m, char *out, size_t size)
{
    vod_wr_t            wr;
    uint64_t            n;
    unsigned            i;
    const char         *name;
    const vod_track_t  *track;

    static const struct {
        unsigned     role;
        const char  *text[2];   /* of sound, of text */
    } roles[] = {
        { VOD_ROLE_COMMENTARY, { ", commentary", ", commentary" } },
        { VOD_ROLE_DESCRIPTION, { ", audio description", ", description" } },
        { VOD_ROLE_HEARING, { ", clear speech", ", SDH" } },
        { VOD_ROLE_FORCED, { "", ", forced" } }
    };

    track = &r->tracks[m->track];

    vod_wr_init(&wr, out, size);

    name = vod_rendition_name(r->index, track, &n);

    if (n && m->same_name) {
        vod_wr_quoted(&wr, name, n);

    } else {
        name = track->lang[sizeof(track->lang) - 1] == '\0'
               && strcmp(track->lang, "und") != 0
               ? vod_lang_name(track->lang) : NULL;

        if (name) {
            vod_wr_quoted(&wr, name, strlen(name));

        } else {
            vod_wr_str(&wr, track->kind == VOD_AUDIO ? "Audio "
                                                     : "Subtitles ");
            vod_wr_dec(&wr, vod_index_number(r->tracks, m->track));
        }

        for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
            if (m->roles & roles[i].role) {
                vod_wr_str(&wr, roles[i].text[track->kind == VOD_TEXT]);
            }
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
void
vod_rendition_names(vod_renditions_t *r)
{
    char                     name[VOD_RENDITION_NAME + 16];
    unsigned                 i, j, k, n;
    vod_rendition_member_t  *m;

    for (i = 0; i < r->n_members; i++) {

        m = &r->members[i];
        k = i < r->n_audio ? 0 : r->n_audio;

        n = vod_rendition_base_name(r, m, name, VOD_RENDITION_NAME);
        m->base_hash = vod_hash64(0, name, n);

        /* of many with one name each begins where the last one ended */

        for (j = i; j > k; j--) {
            if (r->members[j - 1].base_hash == m->base_hash) {
                m->suffix = (uint16_t) (r->members[j - 1].suffix
                                        + (r->members[j - 1].suffix ? 1 : 2));
                break;
            }
        }

        for ( ;; ) {
            m->name_hash = vod_hash64(0, name,
                               n + vod_rendition_suffix(name + n, m->suffix));

            for (j = k; j < i; j++) {
                if (r->members[j].name_hash == m->name_hash) {
                    break;
                }
            }

            if (j == i) {
                break;
            }

            m->suffix = (uint16_t) (m->suffix ? m->suffix + 1 : 2);
        }
    }
}


void
vod_rendition_member_name(vod_wr_t *wr, const vod_renditions_t *r,
    unsigned member)
{
    char                           name[VOD_RENDITION_NAME + 16];
    unsigned                       n;
    const vod_rendition_member_t  *m;

    m = &r->members[member];

    n = vod_rendition_base_name(r, m, name, VOD_RENDITION_NAME);
    n += vod_rendition_suffix(name + n, m->suffix);

    vod_wr_bytes(wr, name, n);
}
