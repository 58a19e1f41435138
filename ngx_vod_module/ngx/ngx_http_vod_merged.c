/*
 * Index and timeline of a whole asset, brought together from those of its
 * files (core/vod_merge.h) and from what names and descriptor say of them.
 */

#include "ngx_http_vod_asset.h"

#include "../core/vod_choice.h"
#include "../core/vod_merge.h"


static ngx_int_t ngx_http_vod_merge_parts(ngx_http_request_t *r,
    vod_merge_part_t *parts, ngx_uint_t *n);
static ngx_uint_t ngx_http_vod_merge_named(ngx_http_vod_table_t *table);
static int ngx_http_vod_merge_default(ngx_http_vod_member_t *m,
    ngx_uint_t named);
static ngx_int_t ngx_http_vod_merge_hide(ngx_http_request_t *r,
    vod_merge_part_t *part, const char *choice, size_t len);


ngx_int_t
ngx_http_vod_merge(ngx_http_request_t *r)
{
    int                    code;
    uint64_t               index_room, timeline_room;
    ngx_uint_t             n;
    vod_err_t              err;
    vod_merge_part_t      *parts;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    parts = ngx_pcalloc(r->pool, asset->head.n * sizeof(vod_merge_part_t));
    if (parts == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_vod_merge_parts(r, parts, &n) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (n == 0) {
        return ngx_http_vod_fail(r, VOD_RANGE, "nothing of it lies in the "
                                               "clip that is asked for");
    }

    vod_merge_bound(parts, n, &index_room, &timeline_room);

    asset->index_all = malloc(index_room);
    asset->timeline_all = malloc(timeline_room);

    if (asset->index_all == NULL || asset->timeline_all == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    code = vod_merge(parts, n, asset->index_all, asset->timeline_all, &err);

    return (code == VOD_OK) ? NGX_OK : ngx_http_vod_fail(r, code, err.text);
}


/* those that are there, and what is said of them beside what they say */

static ngx_int_t
ngx_http_vod_merge_parts(ngx_http_request_t *r, vod_merge_part_t *parts,
    ngx_uint_t *n)
{
    uint32_t                i;
    ngx_uint_t              named;
    vod_merge_part_t       *part;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_asset_t   *asset;
    ngx_http_vod_member_t  *m;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;
    m = ngx_http_vod_members(asset->table);
    named = ngx_http_vod_merge_named(asset->table);

    for (i = 0, *n = 0; i < asset->table->n; i++, m++) {

        if (asset->parts[i].timeline == NULL) {
            continue;
        }

        part = &parts[(*n)++];

        part->index = asset->parts[i].index;
        part->timeline = asset->parts[i].timeline;
        part->roles = m->roles;
        part->is_default = ngx_http_vod_merge_default(m, named);

        ngx_memcpy(part->first, m->first, sizeof(part->first));

        if (m->lang[0]) {
            part->lang = m->lang;
        }

        if (m->label_len) {
            part->name = (char *) asset->table + m->label;
            part->name_len = m->label_len;
        }

        if ((m->tracks_len || ctx->tracks.len)
            && ngx_http_vod_merge_hide(r, part, (char *) asset->table
                                                + m->tracks, m->tracks_len)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Each file says of its own tracks which is the default.  Where one is named as
 * that of its kind, the others are not: these kinds, as bits.
 */

static ngx_uint_t
ngx_http_vod_merge_named(ngx_http_vod_table_t *table)
{
    uint32_t                i, kind;
    ngx_uint_t              named;
    ngx_http_vod_member_t  *m;

    m = ngx_http_vod_members(table);

    for (i = 0, named = 0; i < table->n; i++) {

        for (kind = VOD_AUDIO; kind <= VOD_TEXT; kind++) {

            if (m[i].is_default == 1 && m[i].n[kind]) {
                named |= (ngx_uint_t) 1 << kind;
            }
        }
    }

    return named;
}


static int
ngx_http_vod_merge_default(ngx_http_vod_member_t *m, ngx_uint_t named)
{
    uint32_t  kind;

    for (kind = VOD_AUDIO; m->is_default == -1 && kind <= VOD_TEXT; kind++) {

        if (m->n[kind] && (named & (ngx_uint_t) 1 << kind)) {
            return 0;
        }
    }

    return m->is_default;
}


/* the tracks that the descriptor does not choose, or the request */

static ngx_int_t
ngx_http_vod_merge_hide(ngx_http_request_t *r, vod_merge_part_t *part,
    const char *choice, size_t len)
{
    u_char              *hide;
    uint32_t             i, kind, n[4];
    const vod_index_t   *index;
    const vod_track_t   *tracks;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    index = part->index;
    tracks = vod_index_tracks(index);

    hide = ngx_pcalloc(r->pool, index->n_tracks);
    if (hide == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(n, sizeof(n));

    for (i = 0; i < index->n_tracks; i++) {
        kind = tracks[i].kind & 3;
        n[kind]++;

        hide[i] = !vod_choice_has(choice, len, kind, n[kind])
                  || !vod_choice_has((char *) ctx->tracks.data,
                                     ctx->tracks.len, kind,
                                     part->first[kind] + n[kind]);
    }

    part->hide = hide;

    return NGX_OK;
}


void
ngx_http_vod_merge_free(ngx_http_vod_asset_t *asset)
{
    free(asset->index_all);
    free(asset->timeline_all);

    asset->index_all = NULL;
    asset->timeline_all = NULL;
}
