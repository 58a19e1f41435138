#include <string.h>

#include "vod_rendition.h"


/* of the times at which all segments of a track begin */
static uint64_t
vod_rendition_cuts_hash(const void *timeline, const vod_timeline_track_t *t)
{
    uint32_t           i;
    uint64_t           hash;
    const vod_cell_t  *cell;

    cell = vod_timeline_cells(timeline, t);
    hash = t->n_segments;

    for (i = 0; i < t->n_segments; i++) {
        hash ^= (uint64_t) vod_ticks_us(cell[i].start, t->timescale);
        hash *= 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }

    return hash;
}


static int
vod_rendition_same_set(const vod_renditions_t *r, unsigned a, unsigned b)
{
    const vod_track_t        *ta, *tb;
    vod_rendition_picture_t   pa, pb;

    ta = &r->tracks[a];
    tb = &r->tracks[b];

    if (ta->kind != tb->kind || ta->kind == VOD_TEXT
        || ta->fourcc != tb->fourcc
        || !vod_rendition_same_lang(ta, tb))
    {
        return 0;
    }

    if (ta->kind == VOD_VIDEO) {
        vod_rendition_picture(&pa, ta);
        vod_rendition_picture(&pb, tb);

        return pa.par_num == pb.par_num && pa.par_den == pb.par_den
               && ta->video_range == tb->video_range;
    }

    /*
     * What only a listener could tell apart must not be switched between:
     * different names, and tracks whose language nobody has said.
     */

    return (strncmp(ta->lang, "und", sizeof(ta->lang)) != 0
            || (r->member_of[a] == r->member_of[b] && ta->part != tb->part))
           && vod_rendition_same_codec(ta, tb)
           && ta->channels == tb->channels
           && ta->sample_rate == tb->sample_rate
           && vod_rendition_purpose(r->index, ta)
              == vod_rendition_purpose(r->index, tb)
           && ta->roles == tb->roles
           && vod_rendition_same_name(r->index, ta, tb);
}


void
vod_rendition_sets(const vod_renditions_t *r,
    uint16_t set[VOD_RENDITION_TRACKS])
{
    unsigned     i, j;
    uint64_t     cuts[VOD_RENDITION_TRACKS];
    const void  *timeline;

    timeline = (const uint8_t *) r->times - sizeof(vod_timeline_t);

    for (i = 0; i < r->n; i++) {

        if (!vod_rendition_listed(r, i)
            || (r->tracks[i].kind == VOD_TEXT
                && r->members[r->member_of[i]].track != i))
        {
            set[i] = VOD_RENDITION_NONE;
            continue;
        }

        set[i] = (uint16_t) i;
        cuts[i] = vod_rendition_cuts_hash(timeline, &r->times[i]);

        for (j = 0; j < i; j++) {
            if (set[j] == j && cuts[j] == cuts[i]
                && vod_rendition_same_set(r, j, i))
            {
                set[i] = (uint16_t) j;
                break;
            }
        }
    }
}


/* 0 what most devices decode */
static unsigned
vod_rendition_rarity(const vod_renditions_t *r, unsigned video)
{
    unsigned            codec;
    const vod_track_t  *t;

    t = &r->tracks[video];
    codec = memcmp(t->codec, "avc", 3) != 0;

    return codec * 4 + (t->video_range != VOD_RANGE_SDR) * 2
           + (r->times[video].off_grid != 0);
}


unsigned
vod_rendition_variants(const vod_renditions_t *r,
    uint16_t order[VOD_RENDITION_TRACKS])
{
    unsigned  i, j, n, rarity;
    uint16_t  start;

    for (n = 0, i = 0; i < r->n; i++) {

        if (r->tracks[i].kind != VOD_VIDEO || !vod_rendition_listed(r, i)) {
            continue;
        }

        rarity = vod_rendition_rarity(r, i);

        for (j = n++; j > 0; j--) {

            if (vod_rendition_rarity(r, order[j - 1]) < rarity
                || (vod_rendition_rarity(r, order[j - 1]) == rarity
                    && r->times[order[j - 1]].average <= r->times[i].average))
            {
                break;
            }

            order[j] = order[j - 1];
        }

        order[j] = (uint16_t) i;
    }

    /* the one to start with, of those that most can play */

    for (i = 1; i < n; i++) {
        if (r->times[order[i]].average > VOD_RENDITION_START
            || vod_rendition_rarity(r, order[i])
               != vod_rendition_rarity(r, order[0]))
        {
            break;
        }
    }

    if (n) {
        start = order[i - 1];
        memmove(order + 1, order, (i - 1) * sizeof(order[0]));
        order[0] = start;
    }

    return n;
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
