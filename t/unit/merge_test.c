/*
 * Several files as one: what the manifests' writers are given.
 */

#include <stdio.h>

#include "asset.h"

#include "vod_merge.h"


#define MEMBERS  1000


static void
cut(asset_t *a, const void *grid, int64_t from, int64_t to)
{
    uint64_t           room;
    vod_timeline_in_t  in;

    memset(&in, 0, sizeof(in));
    in.target = 6000;
    in.file_size = ((vod_index_t *) a->index)->file_size;
    in.grid = grid;
    in.from = from;
    in.to = to;

    room = vod_timeline_bound(a->index, &in);
    free(a->timeline);
    a->timeline = malloc(room);
    a->timeline_len = vod_timeline_build(a->index, &in, a->timeline, room,
                                         &a->err);

    if (a->timeline_len == 0) {
        printf("Bail out! %s\n", a->err.text);
        exit(1);
    }
}


static void
part(vod_merge_part_t *p, const asset_t *a)
{
    memset(p, 0, sizeof(*p));
    p->index = a->index;
    p->timeline = a->timeline;
    p->roles = -1;
    p->is_default = -1;
}


/* the merged two in room of just the size that was said, freed by the caller */
static int
merge(const vod_merge_part_t *p, unsigned n, void **index, void **timeline,
    vod_err_t *err)
{
    uint64_t  room, room2;

    vod_merge_bound(p, n, &room, &room2);

    *index = malloc(room);
    *timeline = malloc(room2);

    return vod_merge(p, n, *index, *timeline, err);
}


static void
test_two(void)
{
    void                        *index, *timeline;
    asset_t                      film, dub;
    uint64_t                     etag, room, room2;
    vod_err_t                    err;
    const vod_track_t           *t;
    const vod_index_t           *idx;
    vod_merge_part_t             p[2];
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *tt;

    static const uint8_t  hide[] = { 0, 1 };

    memset(&film, 0, sizeof(film));
    memset(&dub, 0, sizeof(dub));

    asset_plain(&film, VOD_VIDEO, 25, 1000, 1, 50);
    asset_plain(&film, VOD_AUDIO, 48000, 1800, 1024, 1);
    film.in[1].name = "Original";
    film.in[1].name_len = 8;
    strcpy(film.in[1].track.lang, "en");
    film.in[1].track.flags = VOD_TRACK_DEFAULT;
    asset_index(&film);
    cut(&film, NULL, 0, INT64_MAX);

    asset_plain(&dub, VOD_AUDIO, 44100, 1723, 1024, 1);
    asset_index(&dub);
    cut(&dub, film.timeline, 0, INT64_MAX);

    part(&p[0], &film);
    part(&p[1], &dub);
    p[1].first[VOD_VIDEO] = 1;
    p[1].first[VOD_AUDIO] = 1;
    p[1].lang = "pt-br";
    p[1].name = "Dublado";
    p[1].name_len = 7;
    p[1].roles = VOD_ROLE_DUB;
    p[1].is_default = 1;

    is_int(merge(p, 2, &index, &timeline, &err), VOD_OK, "two files");

    idx = index;
    t = vod_index_tracks(index);
    tl = timeline;
    tt = vod_timeline_tracks(timeline);
    vod_merge_bound(p, 2, &room, &room2);

    is_int(idx->n_tracks, 3, "three tracks");
    is_int(idx->len, room, "the room that was said");
    is_int(tl->len, room2, "of both");
    is_int(t[2].ordinal, 2, "in one order");
    is_int(vod_index_number(t, 2), 2, "the second file's is a2");
    is_int(vod_index_find(t, 3, VOD_AUDIO, 2), 2, "and is found so");
    ok(t[0].part == 0 && t[1].part == 0 && t[2].part == 1,
       "each says which file it is from");
    is_int(vod_index_find(t, 3, VOD_AUDIO, 1), 1, "a1 is the first file's");
    is_str(t[2].lang, "pt-br", "its language is what was said");
    is_int(t[2].roles, VOD_ROLE_DUB, "what it is for");
    is_int(t[2].flags & VOD_TRACK_DEFAULT, VOD_TRACK_DEFAULT, "its default");
    ok(memcmp((char *) index + t[2].name_off, "Dublado", 7) == 0
       && t[2].name_len == 7, "its name");
    ok(memcmp((char *) index + t[1].name_off, "Original", 8) == 0
       && strcmp(t[1].lang, "en") == 0, "the other's stay");
    ok(memcmp((char *) index + t[2].entry_off, "entry", 5) == 0, "entries");

    is_str(tt[2].token, ((vod_timeline_t *) dub.timeline)->token,
           "the token of its own file");
    ok(strcmp(tt[0].token, tt[2].token) != 0, "which is not the first's");
    ok(memcmp(vod_timeline_cells(tl, &tt[2]), asset_cells(&dub, 0),
              (tt[2].n_segments + 1) * sizeof(vod_cell_t)) == 0, "its cells");
    is_int(tt[2].peak, asset_track(&dub, 0)->peak, "its rates");
    is_int(tl->reference, 1, "the reference");
    is_int(tl->duration, 40007982, "the longest of all");
    is_int(tl->target_duration,
           ((vod_timeline_t *) film.timeline)->target_duration,
           "one target duration");

    etag = tl->etag;
    free(index);
    free(timeline);

    /* each change is another answer */

    p[1].name_len = 3;
    merge(p, 2, &index, &timeline, &err);
    ok(((vod_timeline_t *) timeline)->etag != etag, "another name");
    free(index);
    free(timeline);

    p[1].name_len = 7;
    p[0].hide = hide;
    merge(p, 2, &index, &timeline, &err);
    ok(((vod_timeline_t *) timeline)->etag != etag, "another choice");
    is_int(((vod_index_t *) index)->n_tracks, 2, "has fewer tracks");
    is_int(vod_index_find(vod_index_tracks(index), 2, VOD_AUDIO, 2), 1,
           "a2 is a2");
    is_int(vod_index_find(vod_index_tracks(index), 2, VOD_AUDIO, 1), -1,
           "there is no a1");
    free(index);
    free(timeline);

    p[0].hide = NULL;
    merge(p, 2, &index, &timeline, &err);
    is_int(((vod_timeline_t *) timeline)->etag, etag, "the same, the same");
    free(index);
    free(timeline);

    /* a clip behind the sound: 38.4 s */

    cut(&film, NULL, 39000000, INT64_MAX);
    p[0].timeline = film.timeline;
    merge(p, 1, &index, &timeline, &err);
    is_int(((vod_index_t *) index)->n_tracks, 1, "what is over is left out");
    is_int(((vod_timeline_t *) timeline)->from, 39000000, "from");
    is_int(((vod_timeline_t *) timeline)->to, 40000000, "to");
    free(index);
    free(timeline);

    p[0].hide = (const uint8_t *) "\1\1";
    is_int(merge(p, 1, &index, &timeline, &err), VOD_RANGE, "nothing left");
    free(index);
    free(timeline);

    asset_free(&film);
    asset_free(&dub);
}


static void
test_many(void)
{
    void                     *index, *timeline;
    asset_t                   a;
    unsigned                  i, bad;
    vod_err_t                 err;
    const vod_track_t        *t;
    static vod_merge_part_t   p[MEMBERS];

    memset(&a, 0, sizeof(a));
    asset_plain(&a, VOD_AUDIO, 48000, 1800, 1024, 1);
    asset_index(&a);
    cut(&a, NULL, 0, INT64_MAX);

    for (i = 0; i < MEMBERS; i++) {
        part(&p[i], &a);
        p[i].first[VOD_AUDIO] = i;
    }

    is_int(merge(p, MEMBERS, &index, &timeline, &err), VOD_OK, "1,000 files");
    t = vod_index_tracks(index);
    bad = 0;

    for (i = 0; i < MEMBERS; i++) {
        bad += vod_index_find(t, MEMBERS, VOD_AUDIO, i + 1) != (int) i;
    }

    is_int(bad, 0, "each is found");
    free(index);
    free(timeline);
    asset_free(&a);
}


int
main(void)
{
    test_two();
    test_many();

    return done_testing();
}
