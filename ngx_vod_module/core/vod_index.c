#include <string.h>

#include "vod_index.h"


#define VOD_INDEX_HASHED  24    /* offset of the first byte that is hashed */

/* every section starts at a multiple of 8 */
#define vod_index_align(n)  (((n) + 7) & ~(uint64_t) 7)


static int vod_index_head(const vod_index_in_t *in, vod_index_t *idx,
    uint64_t room, vod_err_t *err);
static uint64_t vod_index_add(uint8_t *out, uint64_t *at, const void *data,
    uint64_t len);
static int vod_index_track(vod_track_t *t, const vod_index_track_t *in,
    uint64_t file_size, int64_t *scratch, vod_err_t *err);
static int vod_index_sums(vod_track_t *t, const vod_index_track_t *in,
    uint64_t file_size, vod_err_t *err);
static uint64_t vod_index_rows(uint8_t *out, uint64_t at, vod_track_t *t,
    const vod_sample_t *samples);
static uint64_t vod_index_hash(const vod_index_t *idx);
static int vod_index_check_track(const vod_index_t *idx,
    const vod_track_t *t, uint64_t tables);


uint64_t
vod_index_bound(const vod_index_in_t *in)
{
    uint32_t                  i;
    uint64_t                  n;
    const vod_index_track_t  *t;

    n = sizeof(vod_index_t) + vod_index_align(in->notes_len);

    for (i = 0; i < in->n_tracks; i++) {
        t = &in->tracks[i];

        n += sizeof(vod_track_t) + vod_index_align(t->entry_len)
             + vod_index_align(t->name_len)
             + vod_index_align((uint64_t) t->n_samples * VOD_ROW_MAX);
    }

    return n;
}


uint64_t
vod_index_write(const vod_index_in_t *in, void *out, uint64_t room,
    vod_err_t *err)
{
    uint32_t      i;
    uint64_t      at;
    vod_index_t  *idx;
    vod_track_t  *tracks;

    if (vod_index_head(in, out, room, err) != VOD_OK) {
        return 0;
    }

    idx = out;
    tracks = (vod_track_t *) (idx + 1);
    at = sizeof(vod_index_t) + in->n_tracks * sizeof(vod_track_t);

    for (i = 0; i < in->n_tracks; i++) {

        /* the room of the rows, which come last, holds scratch until then */

        if (vod_index_track(&tracks[i], &in->tracks[i], in->file_size,
                            (int64_t *) ((uint8_t *) out + at), err)
            != VOD_OK)
        {
            return 0;
        }

        tracks[i].ordinal = i;
        idx->n_samples += tracks[i].n_samples;

        tracks[i].entry_off = vod_index_add(out, &at, in->tracks[i].entry,
                                            in->tracks[i].entry_len);
    }

    for (i = 0; i < in->n_tracks; i++) {
        tracks[i].name_off = vod_index_add(out, &at, in->tracks[i].name,
                                           in->tracks[i].name_len);
    }

    idx->notes_off = vod_index_add(out, &at, in->notes, in->notes_len);
    idx->notes_len = in->notes_len;

    for (i = 0; i < in->n_tracks; i++) {
        at = vod_index_rows(out, at, &tracks[i], in->tracks[i].samples);
    }

    idx->len = at;
    idx->hash = vod_index_hash(idx);

    return at;
}


/* checks that all of it can be written, and begins */
static int
vod_index_head(const vod_index_in_t *in, vod_index_t *idx, uint64_t room,
    vod_err_t *err)
{
    if (room < vod_index_bound(in)) {
        return vod_fail(err, VOD_NOMEM, "no room for the index");
    }

    if (in->n_tracks == 0 || in->n_tracks > UINT16_MAX) {
        return vod_fail(err, VOD_UNSUPPORTED, "it has %u tracks that can be "
                        "sent", in->n_tracks);
    }

    memset(idx, 0, sizeof(vod_index_t));

    idx->magic = VOD_INDEX_MAGIC;
    idx->version = VOD_INDEX_VERSION;
    idx->n_tracks = (uint16_t) in->n_tracks;
    idx->file_size = in->file_size;
    idx->origin = in->origin;
    strncpy(idx->container, in->container ? in->container : "",
            sizeof(idx->container) - 1);

    return VOD_OK;
}


/* appends len bytes and zeros up to the next section; returns where */
static uint64_t
vod_index_add(uint8_t *out, uint64_t *at, const void *data, uint64_t len)
{
    uint64_t  off, end;

    off = *at;
    end = vod_index_align(off + len);

    if (len) {
        memcpy(out + off, data, len);
    }

    memset(out + off + len, 0, end - off - len);

    *at = end;

    return off;
}


static int
vod_index_track(vod_track_t *t, const vod_index_track_t *in,
    uint64_t file_size, int64_t *scratch, vod_err_t *err)
{
    *t = in->track;

    t->n_samples = in->n_samples;
    t->entry_len = in->entry_len;
    t->name_len = in->name_len;

    if (!(t->flags & VOD_TRACK_SPARSE)) {
        t->fps_num = 0;
        t->fps_den = 1;
    }

    /* texts are read as C strings */

    t->lang[sizeof(t->lang) - 1] = '\0';
    t->codec[sizeof(t->codec) - 1] = '\0';
    t->supplemental[sizeof(t->supplemental) - 1] = '\0';

    if (t->timescale == 0) {
        return vod_fail(err, VOD_DAMAGED, "track %u has a timescale of 0",
                        t->source_id);
    }

    if (t->n_samples == 0) {
        return vod_fail(err, VOD_DAMAGED, "track %u has no samples",
                        t->source_id);
    }

    if (vod_index_sums(t, in, file_size, err) != VOD_OK) {
        return VOD_DAMAGED;
    }

    if (t->kind == VOD_VIDEO && !(t->flags & VOD_TRACK_SPARSE)) {
        vod_fps(in->samples, in->n_samples, t->timescale, scratch,
                &t->fps_num, &t->fps_den);
    }

    return VOD_OK;
}


/* what follows from the samples; each must lie in the file and in time */
static int
vod_index_sums(vod_track_t *t, const vod_index_track_t *in,
    uint64_t file_size, vod_err_t *err)
{
    int                  all_sync;
    int64_t              pts, first, end;
    uint32_t             i;
    uint64_t             dts, held;
    const vod_sample_t  *s;

    if (t->first_dts > VOD_TIME_MAX || t->media_time > VOD_TIME_MAX) {
        return vod_fail(err, VOD_DAMAGED, "track %u begins at a time that "
                        "is out of range", t->source_id);
    }

    all_sync = 1;
    first = INT64_MAX;
    end = INT64_MIN;
    dts = t->first_dts;
    t->payload = 0;

    for (i = 0; i < in->n_samples; i++) {
        s = &in->samples[i];

        /* bytes of the file, unless they are made from it */

        held = (t->flags & VOD_TRACK_DEMUX) ? 0 : s->size;

        if (held > file_size || s->pos > file_size - held) {
            return vod_fail(err, VOD_DAMAGED, "track %u: sample %u (%u bytes "
                            "at %llu) is beyond the end of the file, which "
                            "has %llu bytes: is it still being copied?",
                            t->source_id, i + 1, s->size,
                            (unsigned long long) s->pos,
                            (unsigned long long) file_size);
        }

        if (s->dur > VOD_TIME_MAX - dts || s->size > INT64_MAX - t->payload) {
            return vod_fail(err, VOD_DAMAGED, "track %u: the times or sizes "
                            "of the samples up to %u are out of range",
                            t->source_id, i + 1);
        }

        pts = (int64_t) dts + s->cts - (int64_t) t->media_time;
        dts += s->dur;
        t->payload += s->size;

        first = pts < first ? pts : first;
        end = pts + s->dur > end ? pts + s->dur : end;
        all_sync &= s->key != 0;
    }

    if (first < -VOD_TIME_MAX || end > VOD_TIME_MAX) {
        return vod_fail(err, VOD_DAMAGED, "track %u is presented at times "
                        "that are out of range", t->source_id);
    }

    t->first_pts = first;
    t->end_pts = end;
    t->duration = dts - t->first_dts;

    if (!(t->flags & VOD_TRACK_SPARSE)) {
        t->flags &= ~VOD_TRACK_ALL_SYNC;
        t->flags |= all_sync ? VOD_TRACK_ALL_SYNC : 0;
    }

    return VOD_OK;
}


static uint64_t
vod_index_rows(uint8_t *out, uint64_t at, vod_track_t *t,
    const vod_sample_t *samples)
{
    uint32_t      i;
    uint64_t      end;
    vod_cursor_t  cur;

    memset(&cur, 0, sizeof(vod_cursor_t));
    cur.dts = t->first_dts;

    t->rows_off = at;

    for (i = 0; i < t->n_samples; i++) {
        at += vod_row_write(&cur, &samples[i], out + at);
    }

    t->rows_len = cur.row;

    end = vod_index_align(at);
    memset(out + at, 0, end - at);

    return end;
}


/* what stands before the hash seeds it */
static uint64_t
vod_index_hash(const vod_index_t *idx)
{
    uint64_t  seed;

    seed = ((uint64_t) idx->version << 16) | idx->n_tracks;

    return vod_hash64(seed, (const uint8_t *) idx + VOD_INDEX_HASHED,
                      idx->len - VOD_INDEX_HASHED);
}


int
vod_index_check(const void *index, uint64_t len, vod_err_t *err)
{
    uint32_t            i;
    uint64_t            tables, n;
    const vod_index_t  *idx;
    const vod_track_t  *tracks;

    idx = index;

    if (len < sizeof(vod_index_t) || idx->magic != VOD_INDEX_MAGIC
        || idx->version != VOD_INDEX_VERSION || idx->len != len)
    {
        return vod_fail(err, VOD_DAMAGED, "this is no index of version %d",
                        VOD_INDEX_VERSION);
    }

    tables = sizeof(vod_index_t) + idx->n_tracks * sizeof(vod_track_t);

    if (idx->n_tracks == 0 || tables > len
        || idx->hash != vod_index_hash(idx))
    {
        return vod_fail(err, VOD_DAMAGED, "the index was changed since it "
                        "was written");
    }

    tracks = vod_index_tracks(idx);
    n = 0;

    for (i = 0; i < idx->n_tracks; i++) {
        if (tracks[i].ordinal != i
            || vod_index_check_track(idx, &tracks[i], tables) != VOD_OK)
        {
            return vod_fail(err, VOD_DAMAGED, "the index contradicts itself "
                            "about track %u", i + 1);
        }

        n += tracks[i].n_samples;
    }

    if (n != idx->n_samples || idx->notes_off < tables
        || idx->notes_len > len || idx->notes_off > len - idx->notes_len
        || idx->container[sizeof(idx->container) - 1] != '\0')
    {
        return vod_fail(err, VOD_DAMAGED, "the index contradicts itself");
    }

    return VOD_OK;
}


static int
vod_index_within(uint64_t off, uint64_t n, uint64_t from, uint64_t to)
{
    return off >= from && off <= to && n <= to - off;
}


static int
vod_index_check_track(const vod_index_t *idx, const vod_track_t *t,
    uint64_t tables)
{
    if (t->kind < VOD_VIDEO || t->kind > VOD_TEXT || t->timescale == 0
        || t->n_samples == 0 || t->fps_den == 0
        || t->first_dts > VOD_TIME_MAX || t->media_time > VOD_TIME_MAX
        || t->first_pts < -VOD_TIME_MAX || t->end_pts > VOD_TIME_MAX
        || t->first_pts > t->end_pts)
    {
        return VOD_DAMAGED;
    }

    /* a row has 2 bytes at least */

    if (!vod_index_within(t->rows_off, t->rows_len, tables, idx->len)
        || !vod_index_within(t->entry_off, t->entry_len, tables, idx->len)
        || !vod_index_within(t->name_off, t->name_len, tables, idx->len)
        || t->rows_len / 2 < t->n_samples)
    {
        return VOD_DAMAGED;
    }

    if (t->lang[sizeof(t->lang) - 1] || t->codec[sizeof(t->codec) - 1]
        || t->supplemental[sizeof(t->supplemental) - 1])
    {
        return VOD_DAMAGED;
    }

    return VOD_OK;
}


int
vod_index_find(const vod_track_t *tracks, unsigned n_tracks, unsigned kind,
    unsigned number)
{
    unsigned  i, n;

    if (number == 0) {
        return -1;
    }

    for (n = 0, i = 0; i < n_tracks; i++) {

        if (tracks[i].kind != kind) {
            continue;
        }

        n++;

        if ((tracks[i].number ? tracks[i].number : n) == number) {
            return (int) i;
        }
    }

    return -1;
}


unsigned
vod_index_number(const vod_track_t *tracks, unsigned ordinal)
{
    unsigned  i, n;

    if (tracks[ordinal].number) {
        return tracks[ordinal].number;
    }

    for (n = 1, i = 0; i < ordinal; i++) {
        n += tracks[i].kind == tracks[ordinal].kind;
    }

    return n;
}
