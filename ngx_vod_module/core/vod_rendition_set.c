#include <string.h>

#include "vod_rendition.h"
#include "vod_timeline.h"


unsigned
vod_rendition_count(const void *index)
{
    unsigned  n;

    n = ((const vod_index_t *) index)->n_tracks;

    return n < VOD_RENDITION_TRACKS ? n : VOD_RENDITION_TRACKS;
}


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
    uint64_t     n;
    const char  *name;

    if (track->roles) {
        return track->roles & (VOD_ROLE_COMMENTARY | VOD_ROLE_DESCRIPTION
                               | VOD_ROLE_HEARING);
    }

    name = vod_rendition_name(index, track, &n);

    if (vod_rendition_says(name, n, "commentary")) {
        return VOD_ROLE_COMMENTARY;
    }

    if (vod_rendition_says(name, n, "audio description")
        || vod_rendition_says(name, n, "descriptive")
        || vod_rendition_says(name, n, "described"))
    {
        return VOD_ROLE_DESCRIPTION;
    }

    return 0;
}


/* 1 when all segments of both tracks begin at the same times */
static int
vod_rendition_aligned(const void *timeline, unsigned a, unsigned b)
{
    uint32_t                     i;
    const vod_cell_t            *ca, *cb;
    const vod_timeline_track_t  *ta, *tb;

    ta = vod_timeline_tracks(timeline) + a;
    tb = vod_timeline_tracks(timeline) + b;

    if (ta->n_segments != tb->n_segments) {
        return 0;
    }

    ca = vod_timeline_cells(timeline, ta);
    cb = vod_timeline_cells(timeline, tb);

    for (i = 0; i < ta->n_segments; i++) {

        if (ta->timescale == tb->timescale) {
            if (ca[i].start != cb[i].start) {
                return 0;
            }

        } else if (vod_ticks_us(ca[i].start, ta->timescale)
                   != vod_ticks_us(cb[i].start, tb->timescale))
        {
            return 0;
        }
    }

    return 1;
}


static int
vod_rendition_same_set(const void *index, const vod_track_t *a,
    const vod_track_t *b)
{
    vod_rendition_picture_t  pa, pb;

    if (a->kind != b->kind || a->fourcc != b->fourcc
        || !vod_rendition_same_lang(a, b))
    {
        return 0;
    }

    if (a->kind == VOD_VIDEO) {
        vod_rendition_picture(&pa, a);
        vod_rendition_picture(&pb, b);

        return pa.par_num == pb.par_num && pa.par_den == pb.par_den
               && a->video_range == b->video_range;
    }

    /*
     * What only a listener could tell apart must not be switched between:
     * different names, and tracks whose language nobody has said.
     */

    return strncmp(a->lang, "und", sizeof(a->lang)) != 0
           && vod_rendition_same_codec(a, b)
           && a->channels == b->channels
           && a->sample_rate == b->sample_rate
           && vod_rendition_purpose(index, a)
              == vod_rendition_purpose(index, b)
           && a->roles == b->roles
           && vod_rendition_same_name(index, a, b);
}


void
vod_rendition_sets(uint16_t set[VOD_RENDITION_TRACKS], const void *index,
    const void *timeline)
{
    unsigned            i, j, n;
    const vod_track_t  *tracks;

    tracks = vod_index_tracks(index);
    n = vod_rendition_count(index);

    for (i = 0; i < n; i++) {

        set[i] = (uint16_t) i;

        for (j = 0; j < i; j++) {
            if (set[j] == j
                && vod_rendition_same_set(index, &tracks[j], &tracks[i])
                && vod_rendition_aligned(timeline, j, i))
            {
                set[i] = (uint16_t) j;
                break;
            }
        }
    }
}


static uint64_t
vod_rendition_gcd(uint64_t a, uint64_t b)
{
    uint64_t  t;

    while (b) {
        t = a % b;
        a = b;
        b = t;
    }

    return a;
}


void
vod_rendition_reduce(uint64_t num, uint64_t den, uint32_t *out_num,
    uint32_t *out_den)
{
    uint64_t  g;

    g = vod_rendition_gcd(num, den);

    if (num == 0 || den == 0) {
        *out_num = 1;
        *out_den = 1;
        return;
    }

    num /= g;
    den /= g;

    while (num > UINT32_MAX || den > UINT32_MAX) {
        num = num / 2 + (num == 1);
        den = den / 2 + (den == 1);
    }

    *out_num = (uint32_t) num;
    *out_den = (uint32_t) den;
}


void
vod_rendition_picture(vod_rendition_picture_t *pic, const vod_track_t *track)
{
    uint32_t  t;
    uint64_t  w;

    pic->width = track->width;
    pic->height = track->height;

    vod_rendition_reduce(track->sar_num, track->sar_den, &pic->sar_num,
                         &pic->sar_den);

    /* matrix { a b u  c d v  x y w }: a quarter turn has a = d = 0 */

    if (track->matrix[0] == 0 && track->matrix[4] == 0
        && track->matrix[1] != 0 && track->matrix[3] != 0)
    {
        t = pic->width;
        pic->width = pic->height;
        pic->height = t;

        t = pic->sar_num;
        pic->sar_num = pic->sar_den;
        pic->sar_den = t;
    }

    vod_rendition_reduce((uint64_t) pic->width * pic->sar_num,
                         (uint64_t) pic->height * pic->sar_den,
                         &pic->par_num, &pic->par_den);

    w = ((uint64_t) pic->width * pic->sar_num + pic->sar_den / 2)
        / pic->sar_den;

    pic->square_width = w > UINT32_MAX ? UINT32_MAX : (uint32_t) w;
}


size_t
vod_rendition_field(const char *field, size_t size)
{
    const char  *p;

    p = memchr(field, '\0', size);

    return p ? (size_t) (p - field) : size;
}


void
vod_rendition_url(vod_wr_t *wr, const void *index, unsigned ordinal)
{
    const vod_track_t  *tracks;

    tracks = vod_index_tracks(index);

    vod_wr_str(wr, tracks[ordinal].kind == VOD_VIDEO ? "v"
                   : tracks[ordinal].kind == VOD_AUDIO ? "a" : "s");
    vod_wr_dec(wr, vod_index_number(tracks, ordinal));
}
