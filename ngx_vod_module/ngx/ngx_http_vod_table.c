/*
 * The table of an asset's files: made, found in the zone, and asked which of
 * them has a track.
 */

#include "ngx_http_vod_asset.h"

#include "../core/vod_choice.h"


static ngx_int_t ngx_http_vod_table_member(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, ngx_uint_t i);
static ngx_int_t ngx_http_vod_table_chosen(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset);
static uint64_t ngx_http_vod_table_hash(ngx_http_vod_table_t *table);


ngx_http_vod_table_t *
ngx_http_vod_table_create(ngx_uint_t n, size_t bytes)
{
    uint64_t               room;
    ngx_http_vod_table_t  *table;

    room = sizeof(ngx_http_vod_table_t)
           + (uint64_t) n * sizeof(ngx_http_vod_member_t) + bytes;

    if (room > UINT32_MAX) {
        return NULL;
    }

    table = calloc(1, room);
    if (table == NULL) {
        return NULL;
    }

    table->len = room - bytes;
    table->n = n;
    table->to = INT64_MAX;

    return table;
}


uint32_t
ngx_http_vod_table_add(ngx_http_vod_table_t *table, const void *string,
    size_t len)
{
    uint32_t  offset;

    offset = table->len;

    memcpy((u_char *) table + offset, string, len);

    table->len += len;

    return offset;
}


/*
 * The same files may be an asset by several names, and of several locations,
 * which have other limits, other segments, and take links or do not.
 */

void
ngx_http_vod_table_key(ngx_http_request_t *r, ngx_http_vod_asset_t *asset)
{
    uint64_t                   cuts;
    ngx_str_t                 *name;
    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_vod_loc_conf_t   *vlcf;
    ngx_http_vod_main_conf_t  *vmcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    cuts = asset->cuts.target;

    if (asset->kind != NGX_HTTP_VOD_FOLDER) {
        name = (asset->kind == NGX_HTTP_VOD_SIDECARS) ? &asset->name
                                                      : &asset->base;
        cuts = vod_hash64(cuts, name->data, name->len);
        cuts = vod_hash64(cuts, &asset->folder,
                          sizeof(ngx_http_vod_file_id_t));
    }

    ngx_http_vod_zone_key(&asset->key,
                          (asset->kind == NGX_HTTP_VOD_FOLDER)
                          ? &asset->folder : &asset->self,
                          NGX_HTTP_VOD_TABLE, cuts);

    asset->key.what = asset->kind;
    asset->key.kind = (vlcf->max_members == 1);
    asset->key.number = vmcf->zone->limits;

#if (NGX_HAVE_OPENAT)
    asset->key.encoding = clcf->disable_symlinks;
#else
    (void) clcf;
#endif
}


ngx_int_t
ngx_http_vod_table_get(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    ngx_uint_t all)
{
    ngx_int_t              rc;
    ngx_http_vod_table_t  *table;

    rc = ngx_http_vod_table_read(r, asset, 0, &asset->head,
                                 sizeof(ngx_http_vod_table_t));

    if (rc == NGX_OK && asset->head.expires
        && asset->head.expires <= ngx_time())
    {
        ngx_http_vod_table_drop(r, asset);
        rc = NGX_DECLINED;
    }

    if (rc != NGX_OK || !all) {
        return rc;
    }

    table = malloc(asset->head.len);
    if (table == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_vod_table_read(r, asset, 0, table, asset->head.len);

    /* another may have come in its place, between two holds of the lock */

    if (rc != NGX_OK
        || table->len != asset->head.len
        || table->hash != ngx_http_vod_table_hash(table))
    {
        free(table);
        return NGX_DECLINED;
    }

    asset->table = table;

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_table_find(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    ngx_uint_t *member)
{
    ngx_int_t   rc;
    ngx_uint_t  low, high, middle, kind;

    *member = 0;
    kind = asset->uri.kind;

    /* the last one before which there are fewer than that number */

    for (low = 0, high = asset->head.n; high - low > 1; /* void */ ) {
        middle = low + (high - low) / 2;

        rc = ngx_http_vod_table_member(r, asset, middle);
        if (rc != NGX_OK) {
            return rc;
        }

        if (asset->m.first[kind] < asset->uri.number) {
            low = middle;

        } else {
            high = middle;
        }
    }

    rc = ngx_http_vod_table_member(r, asset, low);
    if (rc != NGX_OK) {
        return rc;
    }

    if (asset->uri.number - asset->m.first[kind] <= asset->m.n[kind]) {

        rc = ngx_http_vod_table_chosen(r, asset);

        if (rc == NGX_OK) {
            *member = low + 1;
        }
    }

    return (rc == NGX_ABORT) ? NGX_OK : rc;
}


static ngx_int_t
ngx_http_vod_table_member(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    ngx_uint_t i)
{
    return ngx_http_vod_table_read(r, asset, sizeof(ngx_http_vod_table_t)
                                   + i * sizeof(ngx_http_vod_member_t),
                                   &asset->m, sizeof(ngx_http_vod_member_t));
}


/* NGX_ABORT: the descriptor leaves this track of the file out */

static ngx_int_t
ngx_http_vod_table_chosen(ngx_http_request_t *r, ngx_http_vod_asset_t *asset)
{
    char                   *text;
    ngx_int_t               rc;
    ngx_http_vod_member_t  *m;

    m = &asset->m;

    if (m->tracks_len == 0) {
        return NGX_OK;
    }

    text = ngx_pnalloc(r->pool, m->tracks_len);
    if (text == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_vod_table_read(r, asset, m->tracks, text, m->tracks_len);
    if (rc != NGX_OK) {
        return rc;
    }

    return vod_choice_has(text, m->tracks_len, asset->uri.kind,
                          asset->uri.number - m->first[asset->uri.kind])
           ? NGX_OK : NGX_ABORT;
}


ngx_int_t
ngx_http_vod_table_read(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    uint64_t offset, void *dst, size_t len)
{
    ngx_http_vod_main_conf_t  *vmcf;

    if (asset->table) {
        ngx_memcpy(dst, (u_char *) asset->table + offset, len);
        return NGX_OK;
    }

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    return ngx_http_vod_zone_get(vmcf->zone, &asset->key, offset, dst, len);
}


static uint64_t
ngx_http_vod_table_hash(ngx_http_vod_table_t *table)
{
    size_t  from;

    from = offsetof(ngx_http_vod_table_t, mtime);

    return vod_hash64(0, (u_char *) table + from, table->len - from);
}


ngx_int_t
ngx_http_vod_table_put(ngx_http_request_t *r, ngx_http_vod_asset_t *asset)
{
    ngx_http_vod_meta_t        meta;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    meta.len = asset->table->len;

    asset->table->hash = ngx_http_vod_table_hash(asset->table);
    asset->head = *asset->table;

    return ngx_http_vod_zone_add(vmcf->zone, &asset->key, &meta,
                                 asset->table);
}


void
ngx_http_vod_table_drop(ngx_http_request_t *r, ngx_http_vod_asset_t *asset)
{
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_http_vod_zone_drop(vmcf->zone, &asset->key);
}
