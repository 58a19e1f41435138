#include <stdio.h>
#include <string.h>

#include "vod_grid.h"
#include "vod_merge.h"


/* every section starts at a multiple of 8 */
#define vod_merge_align(n)  (((n) + 7) & ~(uint64_t) 7)


/* where the next track goes */
typedef struct {
    vod_index_t           *index;
    vod_timeline_t        *timeline;
    uint32_t               part;
    uint32_t               ordinal;
    uint64_t               at;          /* in the index */
    uint64_t               cells;       /* in the timeline */
} vod_merge_t;


static int vod_merge_listed(const vod_merge_part_t *part, unsigned ordinal);
static uint64_t vod_merge_count(const vod_merge_part_t *parts, unsigned n,
    uint64_t *tracks, uint64_t *texts);
static void vod_merge_part(vod_merge_t *m, const vod_merge_part_t *part);
static void vod_merge_track(vod_merge_t *m, const vod_merge_part_t *part,
    unsigned ordinal);
static void vod_merge_end(vod_merge_t *m, const vod_timeline_track_t *tt);
static void vod_merge_said(vod_track_t *t, const vod_merge_part_t *part);
static uint64_t vod_merge_text(vod_merge_t *m, const void *data,
    uint64_t len);
static void vod_merge_times(vod_timeline_t *tl, const vod_timeline_t *more,
    unsigned first);
static uint64_t vod_merge_etag(uint64_t etag, const vod_merge_part_t *part);


void
vod_merge_bound(const vod_merge_part_t *parts, unsigned n,
    uint64_t *index_room, uint64_t *timeline_room)
{
    uint64_t  tracks, texts, cells;

    cells = vod_merge_count(parts, n, &tracks, &texts);

    *index_room = sizeof(vod_index_t) + tracks * sizeof(vod_track_t) + texts;
    *timeline_room = sizeof(vod_timeline_t)
                     + tracks * sizeof(vod_timeline_track_t)
                     + cells * sizeof(vod_cell_t);
}


/* a track that is wanted and has something to play */
static int
vod_merge_listed(const vod_merge_part_t *part, unsigned ordinal)
{
    const vod_timeline_track_t  *tt;

    tt = vod_timeline_tracks(part->timeline) + ordinal;

    return tt->n_segments && !(part->hide && part->hide[ordinal]);
}


/* cells, ends included; how many tracks there are; bytes of their texts */
static uint64_t
vod_merge_count(const vod_merge_part_t *parts, unsigned n, uint64_t *tracks,
    uint64_t *texts)
{
    uint64_t            cells;
    unsigned            i, k;
    const vod_index_t  *index;
    const vod_track_t  *t;

    *tracks = 0;
    *texts = 0;
    cells = 0;

    for (i = 0; i < n; i++) {
        index = parts[i].index;

        for (k = 0; k < index->n_tracks; k++) {

            if (!vod_merge_listed(&parts[i], k)) {
                continue;
            }

            t = vod_index_tracks(index) + k;

            (*tracks)++;
            *texts += vod_merge_align(t->entry_len)
                      + vod_merge_align(parts[i].name ? parts[i].name_len
                                                      : t->name_len);
            cells += (uint64_t) vod_timeline_tracks(parts[i].timeline)[k]
                                .n_segments + 1;
        }
    }

    return cells;
}


int
vod_merge(const vod_merge_part_t *parts, unsigned n, void *index,
    void *timeline, vod_err_t *err)
{
    int64_t          end;
    uint64_t         tracks, texts, cells;
    unsigned         i;
    vod_index_t     *idx;
    vod_merge_t      m;
    vod_timeline_t  *tl;

    cells = vod_merge_count(parts, n, &tracks, &texts);

    if (tracks == 0) {
        return vod_fail(err, VOD_RANGE, "no track is left of it");
    }

    if (tracks > UINT16_MAX || cells > VOD_MERGE_CELLS) {
        return vod_fail(err, VOD_LIMIT, "it has %llu tracks and %llu segments "
                        "in all, %d and %d are the most",
                        (unsigned long long) tracks,
                        (unsigned long long) cells, UINT16_MAX,
                        VOD_MERGE_CELLS);
    }

    idx = index;
    tl = timeline;

    memset(idx, 0, sizeof(vod_index_t));
    memset(tl, 0, sizeof(vod_timeline_t));

    tl->magic = VOD_TIMELINE_MAGIC;
    tl->version = VOD_TIMELINE_VERSION;
    tl->n_tracks = (uint16_t) tracks;
    tl->etag = VOD_FORMAT_VERSION;

    m.index = idx;
    m.timeline = tl;
    m.ordinal = 0;
    m.at = sizeof(vod_index_t) + tracks * sizeof(vod_track_t);
    m.cells = sizeof(vod_timeline_t) + tracks * sizeof(vod_timeline_track_t);

    for (i = 0; i < n; i++) {
        vod_merge_times(tl, parts[i].timeline, i == 0);
        m.part = i;
        vod_merge_part(&m, &parts[i]);
        tl->etag = vod_merge_etag(tl->etag, &parts[i]);
    }

    tl->len = m.cells;

    end = vod_ticks_us(tl->end_ticks, tl->end_timescale);

    if (end > (int64_t) tl->origin) {
        tl->duration = (uint64_t) end - tl->origin;
    }

    (void) snprintf(tl->token, sizeof(tl->token), "%012llx",
                    (unsigned long long) (tl->etag >> 16));

    idx->magic = VOD_INDEX_MAGIC;
    idx->version = VOD_INDEX_VERSION;
    idx->n_tracks = (uint16_t) tracks;
    idx->origin = ((const vod_index_t *) parts[0].index)->origin;
    idx->notes_off = m.at;
    idx->len = m.at;
    idx->hash = tl->etag;

    return VOD_OK;
}


/* the listed tracks of a member, and what its index adds up to */
static void
vod_merge_part(vod_merge_t *m, const vod_merge_part_t *part)
{
    unsigned               k;
    const vod_index_t     *index;
    const vod_timeline_t  *tl;

    index = part->index;
    tl = part->timeline;

    m->index->file_size += index->file_size;

    for (k = 0; k < index->n_tracks; k++) {

        if (!vod_merge_listed(part, k)) {
            continue;
        }

        vod_merge_track(m, part, k);

        if (m->timeline->reference == 0 && tl->reference == k + 1) {
            m->timeline->reference = m->ordinal + 1;
        }

        m->ordinal++;
    }
}


static void
vod_merge_track(vod_merge_t *m, const vod_merge_part_t *part,
    unsigned ordinal)
{
    uint64_t               len;
    vod_track_t           *t;
    const uint8_t         *base;
    const vod_track_t     *from;
    vod_timeline_track_t  *tt;

    base = part->index;
    from = vod_index_tracks(part->index) + ordinal;

    t = (vod_track_t *) (m->index + 1) + m->ordinal;
    *t = *from;

    t->ordinal = m->ordinal;
    t->part = m->part;
    t->number = vod_index_number(vod_index_tracks(part->index), ordinal)
                + part->first[t->kind];
    t->rows_off = m->at;
    t->rows_len = 0;
    t->entry_off = vod_merge_text(m, base + from->entry_off, from->entry_len);

    if (part->name) {
        t->name_len = part->name_len;
        t->name_off = vod_merge_text(m, part->name, part->name_len);

    } else {
        t->name_off = vod_merge_text(m, base + from->name_off,
                                     from->name_len);
    }

    vod_merge_said(t, part);

    m->index->n_samples += t->n_samples;

    /* its times, and its cells */

    tt = (vod_timeline_track_t *) (m->timeline + 1) + m->ordinal;
    *tt = vod_timeline_tracks(part->timeline)[ordinal];

    len = ((uint64_t) tt->n_segments + 1) * sizeof(vod_cell_t);

    memcpy((uint8_t *) m->timeline + m->cells,
           vod_timeline_cells(part->timeline, tt), len);

    tt->ordinal = m->ordinal;
    tt->cells_off = m->cells;
    m->cells += len;

    m->timeline->off_grid |= tt->off_grid;
    vod_merge_end(m, tt);
}


/* the asset ends with the listed track that ends last */
static void
vod_merge_end(vod_merge_t *m, const vod_timeline_track_t *tt)
{
    int64_t          end;
    vod_timeline_t  *tl;

    tl = m->timeline;
    end = vod_timeline_cells(tl, tt)[tt->n_segments].start;

    if (m->ordinal == 0
        || vod_ticks_cmp(end, tt->timescale, tl->end_ticks,
                         tl->end_timescale) > 0)
    {
        tl->end_ticks = end;
        tl->end_timescale = tt->timescale;
    }
}


static void
vod_merge_said(vod_track_t *t, const vod_merge_part_t *part)
{
    if (part->lang) {
        memset(t->lang, 0, sizeof(t->lang));
        (void) snprintf(t->lang, sizeof(t->lang), "%s", part->lang);
    }

    if (part->roles >= 0) {
        t->roles = (uint32_t) part->roles;
    }

    if (part->is_default >= 0) {
        t->flags &= (uint8_t) ~VOD_TRACK_DEFAULT;
        t->flags |= part->is_default ? VOD_TRACK_DEFAULT : 0;
    }
}


/* appends to the index; returns where */
static uint64_t
vod_merge_text(vod_merge_t *m, const void *data, uint64_t len)
{
    uint8_t   *out;
    uint64_t   off;

    off = m->at;
    out = (uint8_t *) m->index + off;

    m->at = vod_merge_align(off + len);

    memset(out, 0, m->at - off);

    if (len) {
        memcpy(out, data, len);
    }

    return off;
}


/* what is said once of all members: the earliest, the longest */
static void
vod_merge_times(vod_timeline_t *tl, const vod_timeline_t *more,
    unsigned first)
{
    if (first) {
        tl->target = more->target;
        tl->from = more->from;
    }

    if (first || more->origin < tl->origin) {
        tl->origin = more->origin;
        tl->origin_ticks = more->origin_ticks;
        tl->origin_timescale = more->origin_timescale;
    }

    tl->to = more->to > tl->to ? more->to : tl->to;
    tl->dated |= more->dated;

    if (more->target_duration > tl->target_duration) {
        tl->target_duration = more->target_duration;
    }

    if (more->max_segment > tl->max_segment) {
        tl->max_segment = more->max_segment;
    }
}


static uint64_t
vod_merge_etag(uint64_t etag, const vod_merge_part_t *part)
{
    unsigned               i, k;
    uint8_t                seed[64];
    uint64_t               words[8];
    const vod_timeline_t  *tl;

    tl = part->timeline;

    words[0] = tl->etag;
    words[1] = part->first[VOD_VIDEO];
    words[2] = part->first[VOD_AUDIO];
    words[3] = part->first[VOD_TEXT];
    words[4] = (uint64_t) part->roles;
    words[5] = (uint64_t) part->is_default;
    words[6] = part->lang ? strlen(part->lang) + 1 : 0;
    words[7] = part->name ? part->name_len + 1 : 0;

    for (i = 0; i < 8; i++) {
        for (k = 0; k < 8; k++) {
            seed[i * 8 + k] = (uint8_t) (words[i] >> (k * 8));
        }
    }

    etag = vod_hash64(etag, seed, sizeof(seed));

    if (part->hide) {
        etag = vod_hash64(etag, part->hide, tl->n_tracks);
    }

    if (part->lang) {
        etag = vod_hash64(etag, part->lang, strlen(part->lang));
    }

    if (part->name) {
        etag = vod_hash64(etag, part->name, part->name_len);
    }

    return etag;
}
