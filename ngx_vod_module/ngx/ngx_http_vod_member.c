/*
 * A member of an asset in hand: the request's context is about its file, and
 * what is done for any file is done for it.
 *
 * Its file is opened where it has to be read, as nginx opens all files, and
 * closed with the next member's turn: an asset of a thousand files has one
 * open at a time.  The cuts of the reference are brought here where they are
 * wanted for a build, at the worst by a build of the reference's.
 */

#include "ngx_http_vod_asset.h"
#include "ngx_http_vod_quarantine.h"


static ngx_int_t ngx_http_vod_member_enter(ngx_http_request_t *r,
    ngx_uint_t member);
static void ngx_http_vod_member_cuts(ngx_http_vod_ctx_t *ctx,
    ngx_uint_t member);
static ngx_int_t ngx_http_vod_member_path(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);
static ngx_int_t ngx_http_vod_member_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_member_file(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_member_missing(ngx_http_request_t *r,
    ngx_open_file_info_t *of);
static ngx_int_t ngx_http_vod_member_grid(ngx_http_request_t *r);


ngx_int_t
ngx_http_vod_member(ngx_http_request_t *r, ngx_uint_t member)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    for ( ;; ) {

        if (asset->for_grid && member != asset->head.reference) {
            rc = ngx_http_vod_member_grid(r);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        rc = ngx_http_vod_member_enter(r, member);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_http_vod_quarantine(r);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_http_vod_member_read(r);
        if (rc != NGX_DECLINED) {
            return rc;
        }

        if (ctx->cuts.grid_etag && ctx->cuts.grid == NULL) {
            asset->for_grid = 1;
            continue;
        }

        rc = ngx_http_vod_member_file(r);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_http_vod_index(r);
        if (rc != NGX_OK) {
            return rc;
        }
    }
}


ngx_int_t
ngx_http_vod_member_open(ngx_http_request_t *r, ngx_uint_t member)
{
    ngx_int_t  rc;

    rc = ngx_http_vod_member_enter(r, member);

    return (rc == NGX_OK) ? ngx_http_vod_member_file(r) : rc;
}


static ngx_int_t
ngx_http_vod_member_enter(ngx_http_request_t *r, ngx_uint_t member)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    if (asset->member != member) {

        ngx_http_vod_member_leave(r);

        rc = ngx_http_vod_table_read(r, asset, sizeof(ngx_http_vod_table_t)
                                     + (member - 1)
                                       * sizeof(ngx_http_vod_member_t),
                                     &asset->m,
                                     sizeof(ngx_http_vod_member_t));
        if (rc != NGX_OK) {
            return NGX_AGAIN;
        }

        asset->pool = ngx_create_pool(1024, r->connection->log);
        if (asset->pool == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        rc = ngx_http_vod_member_path(r, ctx);
        if (rc != NGX_OK) {
            return rc;
        }

        asset->member = member;
        ctx->id = asset->m.id;
    }

    ngx_http_vod_member_cuts(ctx, member);

    return asset->m.error ? NGX_ABORT : NGX_OK;
}


/* a file that is there several times has its own cuts each time */

static void
ngx_http_vod_member_cuts(ngx_http_vod_ctx_t *ctx, ngx_uint_t member)
{
    ngx_http_vod_asset_t  *asset;

    asset = ctx->asset;

    ctx->cuts = asset->cuts;

    if (asset->numbering) {
        ctx->cuts.from = 0;
        ctx->cuts.to = INT64_MAX;
    }

    if (asset->head.reference == 0
        || asset->head.reference == member
        || ngx_memcmp(&asset->head.grid, &ctx->id,
                      sizeof(ngx_http_vod_file_id_t))
           == 0)
    {
        return;
    }

    /* from which file it is decides all of a grid, but for target and clip */

    ctx->cuts.grid_etag = vod_hash64(0, &asset->head.grid,
                                     sizeof(ngx_http_vod_file_id_t)) | 1;
    ctx->cuts.grid = asset->grid;
}


void
ngx_http_vod_member_leave(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    ngx_http_vod_index_free(r);

    ctx->build = NULL;
    ctx->attempts = 0;
    ctx->changed = 0;
    ctx->path = asset->path;
    ctx->id = asset->self;
    ctx->fd = NGX_INVALID_FILE;

    asset->member = 0;

    if (asset->pool) {
        ngx_destroy_pool(asset->pool);
        asset->pool = NULL;
    }
}


static ngx_int_t
ngx_http_vod_member_path(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    u_char                *p;
    ngx_int_t              rc;
    ngx_http_vod_asset_t  *asset;

    asset = ctx->asset;

    p = ngx_pnalloc(asset->pool, asset->base.len + 1 + asset->m.path_len + 1);
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->path.data = p;

    p = ngx_cpymem(p, asset->base.data, asset->base.len);

    if (asset->base.len != 1 || asset->base.data[0] != '/') {
        *p++ = '/';
    }

    rc = ngx_http_vod_table_read(r, asset, asset->m.path, p,
                                 asset->m.path_len);

    p += asset->m.path_len;
    *p = '\0';

    ctx->path.len = p - ctx->path.data;

    return (rc == NGX_OK) ? NGX_OK : NGX_AGAIN;
}


/* what the zone has, or the request has built */

static ngx_int_t
ngx_http_vod_member_read(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, 0, &asset->index,
                           sizeof(vod_index_t));
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE, 0, &asset->timeline,
                             sizeof(vod_timeline_t));
}


static ngx_int_t
ngx_http_vod_member_file(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_open_file_info_t   of;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    if (ctx->fd != NGX_INVALID_FILE) {
        return NGX_OK;
    }

    rc = ngx_http_vod_open_path(r, &of, asset->pool);

    if (rc == NGX_DECLINED) {
        return ngx_http_vod_member_missing(r, &of);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (!of.is_file) {
        return ngx_http_vod_member_fail(r, VOD_NOT_FOUND,
                                        "it is not a regular file");
    }

    if (ngx_memcmp(&ctx->id, &asset->m.id, sizeof(ngx_http_vod_file_id_t))
        == 0)
    {
        return NGX_OK;
    }

    if (!asset->numbering) {
        return NGX_AGAIN;
    }

    /* since a moment ago, when it was listed */

    asset->m.id = ctx->id;
    ngx_http_vod_members(asset->table)[asset->member - 1].id = ctx->id;

    ngx_http_vod_member_cuts(ctx, asset->member);

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_member_missing(ngx_http_request_t *r, ngx_open_file_info_t *of)
{
    u_char               text[VOD_ERR_TEXT], *p;
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    rc = ngx_http_vod_open_status(of->err);

    if (rc == NGX_HTTP_INTERNAL_SERVER_ERROR) {
        ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

        ngx_log_error(NGX_LOG_CRIT, r->connection->log, of->err,
                      "%s \"%V\" failed", of->failed, &ctx->path);
        return rc;
    }

    p = ngx_slprintf(text, text + VOD_ERR_TEXT - 32, "%s failed (%d: ",
                     of->failed, of->err);
    p = ngx_strerror(of->err, p, text + VOD_ERR_TEXT - 2 - p);

    *p++ = ')';
    *p = '\0';

    return ngx_http_vod_member_fail(r, VOD_NOT_FOUND, (char *) text);
}


/*
 * Sidecars are of no use without the file that they stand beside; and where
 * the reference has nothing in a clip, nothing has.
 */

ngx_uint_t
ngx_http_vod_member_fails(ngx_http_vod_ctx_t *ctx, int code)
{
    ngx_http_vod_asset_t  *asset;

    asset = ctx->asset;

    if (asset == NULL || asset->member == 0
        || !(asset->walking || asset->for_grid)
        || (asset->kind == NGX_HTTP_VOD_SIDECARS && asset->member == 1))
    {
        return 0;
    }

    switch (code) {

    case VOD_NOT_FOUND:
    case VOD_UNSUPPORTED:
    case VOD_DAMAGED:
    case VOD_LIMIT:
    case VOD_IO:
    case VOD_TIMEOUT:
    case NGX_HTTP_VOD_QUARANTINED:
        return 1;

    case VOD_RANGE:
        return asset->head.reference != asset->member;

    default:
        return 0;
    }
}


ngx_int_t
ngx_http_vod_member_fail(ngx_http_request_t *r, int code, const char *text)
{
    size_t                 len;
    u_char                *p;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    asset->m.error = code;

    /* a table that says otherwise holds no longer, unless it is of a clip */

    if (!asset->numbering) {
        return (code == VOD_RANGE) ? NGX_ABORT : NGX_AGAIN;
    }

    len = ngx_strlen(text) + 1;

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memcpy(p, text, len);

    asset->reasons[asset->member - 1] = p;
    ngx_http_vod_members(asset->table)[asset->member - 1].error = code;

    return NGX_ABORT;
}


/* the reference's timeline, which another is built by; then none is in hand */

static ngx_int_t
ngx_http_vod_member_grid(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    rc = ngx_http_vod_member(r, asset->head.reference);

    if (rc == NGX_ABORT) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    asset->grid = malloc(asset->timeline.len);
    if (asset->grid == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE, 0, asset->grid,
                          asset->timeline.len)
        != NGX_OK)
    {
        free(asset->grid);
        asset->grid = NULL;

        return NGX_AGAIN;
    }

    asset->for_grid = 0;

    return NGX_OK;
}
