/*
 * An asset of several files, step by step: see the header.  Each step may be
 * left for a thread task or another's build, and is gone on with when the
 * request is resumed.
 */

#include "ngx_http_vod_asset.h"


/* a table is made anew so often in one request */
#define NGX_HTTP_VOD_RESTARTS  3


static ngx_int_t ngx_http_vod_asset_init(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, ngx_uint_t kind, size_t root);
static ngx_int_t ngx_http_vod_asset_base(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, size_t root);
static void ngx_http_vod_asset_cleanup(void *data);
static ngx_int_t ngx_http_vod_asset_find(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_asset_ready(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_asset_serve(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_asset_whole(ngx_http_request_t *r);


ngx_int_t
ngx_http_vod_asset_begin(ngx_http_request_t *r, ngx_uint_t kind, size_t root)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_pool_cleanup_t    *cln;
    ngx_http_vod_asset_t  *asset, init;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_asset_init(r, &init, kind, root);
    if (rc != NGX_OK) {
        return rc;
    }

    /* that nothing stands beside a file costs little to be known */

    if (kind == NGX_HTTP_VOD_SIDECARS
        && ngx_http_vod_table_get(r, &init, 0) == NGX_OK
        && init.head.n == 1 && ctx->tracks.len == 0)
    {
        ctx->alone = 1;
        return NGX_DECLINED;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_vod_asset_t));
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_vod_asset_cleanup;

    asset = cln->data;
    *asset = init;

    ctx->asset = asset;

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_asset_init(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    ngx_uint_t kind, size_t root)
{
    ngx_int_t            rc;
    ngx_file_info_t      fi;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ngx_memzero(asset, sizeof(ngx_http_vod_asset_t));

    asset->kind = kind;
    asset->state = NGX_HTTP_VOD_FIND;
    asset->path = ctx->path;
    asset->uri = ctx->uri;
    asset->cuts = ctx->cuts;
    asset->fd = NGX_INVALID_FILE;

    if (kind != NGX_HTTP_VOD_FOLDER) {
        asset->self = ctx->id;
        asset->fd = ctx->fd;
    }

    rc = ngx_http_vod_asset_base(r, asset, root);
    if (rc != NGX_OK) {
        return rc;
    }

    if (kind != NGX_HTTP_VOD_DESCRIPTOR) {

        if (ngx_file_info(asset->base.data, &fi) == NGX_FILE_ERROR) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, ngx_errno,
                          ngx_file_info_n " \"%V\" failed", &asset->base);

            return ngx_http_vod_open_status(ngx_errno);
        }

        ngx_http_vod_folder_id(&asset->folder, &fi);
    }

    ngx_http_vod_table_key(r, asset);

    return NGX_OK;
}


/*
 * The folder that members are below, and what of the path is below that.  Of a
 * descriptor it is the location's root or alias, or, where an alias names the
 * file itself, the file's folder.
 */

static ngx_int_t
ngx_http_vod_asset_base(ngx_http_request_t *r, ngx_http_vod_asset_t *asset,
    size_t root)
{
    size_t   len, slash;
    u_char  *path;

    path = asset->path.data;
    len = asset->path.len;

    for (slash = len; slash && path[slash - 1] != '/'; slash--) {
        /* void */
    }

    if (slash == 0 || path[0] != '/') {
        return NGX_HTTP_NOT_FOUND;
    }

    if (asset->kind == NGX_HTTP_VOD_DESCRIPTOR) {

        root = ngx_min(root, slash);
        root += (root < slash && path[root] == '/');

        while (path[root - 1] != '/') {
            root--;
        }

        asset->base.len = root;
        asset->name.data = path + root;
        asset->name.len = (slash > root) ? slash - 1 - root : 0;

    } else if (asset->kind == NGX_HTTP_VOD_SIDECARS) {
        asset->base.len = slash;
        asset->name.data = path + slash;
        asset->name.len = len - slash;

    } else {
        asset->base.len = len;
    }

    while (asset->base.len > 1 && path[asset->base.len - 1] == '/') {
        asset->base.len--;
    }

    asset->base.data = ngx_pnalloc(r->pool, asset->base.len + 1);
    if (asset->base.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    (void) ngx_cpystrn(asset->base.data, path, asset->base.len + 1);

    return NGX_OK;
}


static void
ngx_http_vod_asset_cleanup(void *data)
{
    ngx_http_vod_asset_t *asset = data;

    if (asset->pool) {
        ngx_destroy_pool(asset->pool);
    }

    if (asset->list) {
        free(asset->list->table);
        free(asset->list->ignored);
    }

    ngx_http_vod_walk_cleanup(asset);

    free(asset->table);
}


ngx_int_t
ngx_http_vod_asset_sidecars(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_loc_conf_t  *vlcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    if (ctx->asset || ctx->alone
        || (vlcf->max_members == 1 && ctx->tracks.len == 0))
    {
        return NGX_DECLINED;
    }

    return ngx_http_vod_asset_begin(r, NGX_HTTP_VOD_SIDECARS, 0);
}


/* nothing stands beside the file */

ngx_int_t
ngx_http_vod_asset_alone(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    ctx->path = asset->path;
    ctx->id = asset->self;
    ctx->fd = asset->fd;
    ctx->cuts = asset->cuts;

    ctx->alone = 1;
    ctx->asset = NULL;

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_asset(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    while (ctx->asset) {

        switch (ctx->asset->state) {

        case NGX_HTTP_VOD_FIND:
            rc = ngx_http_vod_asset_find(r);
            break;

        case NGX_HTTP_VOD_LIST:
            rc = ngx_http_vod_asset_listed(r);

            if (rc == NGX_OK && ctx->asset
                && ctx->asset->state == NGX_HTTP_VOD_LIST)
            {
                rc = ngx_http_vod_asset_ready(r);
            }

            break;

        case NGX_HTTP_VOD_WALK:
            rc = ngx_http_vod_walk(r);

            if (rc == NGX_OK) {
                rc = ngx_http_vod_asset_ready(r);
            }

            break;

        default: /* NGX_HTTP_VOD_READY */
            return NGX_OK;
        }

        if (rc == NGX_AGAIN) {
            rc = ngx_http_vod_asset_restart(r);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_asset_restart(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    ngx_http_vod_table_drop(r, asset);
    ngx_http_vod_member_leave(r);
    ngx_http_vod_walk_cleanup(asset);

    free(asset->table);

    asset->table = NULL;
    asset->state = NGX_HTTP_VOD_FIND;

    if (asset->restarts++ < NGX_HTTP_VOD_RESTARTS) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "\"%V\" vod: its files keep changing, "
                  "put them there when they are complete", &asset->path);

    ctx->error = NGX_HTTP_VOD_ERROR_CHANGED;

    return ngx_http_vod_unavailable(r);
}


static ngx_int_t
ngx_http_vod_asset_find(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_asset_t     *asset;
    ngx_http_vod_loc_conf_t  *vlcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    rc = ngx_http_vod_table_get(r, asset, asset->uri.kind == 0);

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_OK) {

        vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

        /* another location allows more */

        if (asset->head.n > (ngx_uint_t) vlcf->max_members) {
            free(asset->table);
            asset->table = NULL;

        } else if (asset->uri.kind || asset->head.n < 2) {
            return ngx_http_vod_asset_ready(r);
        }
    }

    return ngx_http_vod_asset_list(r);
}


/* there is a table */

static ngx_int_t
ngx_http_vod_asset_ready(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    asset->walking = 0;
    asset->numbering = 0;

    if (asset->head.n == 0) {
        ngx_http_vod_open_refuse(r, &asset->path, 1);
        return NGX_HTTP_NOT_FOUND;
    }

    /* a choice of one file's tracks is made as of an asset's */

    if (asset->kind == NGX_HTTP_VOD_SIDECARS && asset->head.n == 1) {

        if (ctx->tracks.len == 0 || asset->uri.kind) {
            return ngx_http_vod_asset_alone(r);
        }

    } else if (asset->head.media == 0) {
        return ngx_http_vod_fail(r, VOD_UNSUPPORTED, asset->head.texts
                                 ? "it holds text alone, put the film's "
                                   "pictures or sound beside it"
                                 : "none of its files can be served, see the "
                                   "lines that say why");
    }

    asset->cuts.from = ngx_max(asset->cuts.from, asset->head.from);
    asset->cuts.to = ngx_min(asset->cuts.to, asset->head.to);

    if (ctx->asset->uri.kind) {
        return ngx_http_vod_asset_serve(r);
    }

    return ngx_http_vod_asset_whole(r);
}


/* the context becomes that of the file that has the track */

static ngx_int_t
ngx_http_vod_asset_serve(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_uint_t             member;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    rc = ngx_http_vod_table_find(r, asset, &member);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_AGAIN
                                    : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (member == 0) {
        return NGX_HTTP_NOT_FOUND;
    }

    asset->served = member;

    rc = ngx_http_vod_member_open(r, member);

    if (rc != NGX_OK) {
        return (rc == NGX_ABORT) ? NGX_AGAIN : rc;
    }

    ctx->uri.number = asset->uri.number - asset->m.first[asset->uri.kind];
    asset->state = NGX_HTTP_VOD_READY;

    return NGX_OK;
}


/* the context becomes that of all files: no file's, but as a key it is one */

static ngx_int_t
ngx_http_vod_asset_whole(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t      *ctx;
    ngx_http_vod_asset_t    *asset;
    ngx_http_vod_file_id_t  *id;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    ngx_http_vod_member_leave(r);

    id = (asset->kind == NGX_HTTP_VOD_FOLDER) ? &asset->folder : &asset->self;

    ctx->id.dev = id->dev;
    ctx->id.ino = id->ino;
    ctx->id.size = asset->head.hash;
    ctx->id.mtime_sec = asset->head.mtime;
    ctx->id.mtime_nsec = 0;

    ctx->cuts = asset->cuts;

    asset->state = NGX_HTTP_VOD_READY;

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_asset_index(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    if (asset->served) {
        rc = ngx_http_vod_member(r, asset->served);

        if (rc == NGX_OK) {
            rc = ngx_http_vod_member_open(r, asset->served);
        }

    } else {
        if (asset->parts == NULL) {
            rc = ngx_http_vod_walk_begin(r, 0);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        rc = ngx_http_vod_walk(r);

        if (rc == NGX_OK) {
            asset->walking = 0;
            rc = ngx_http_vod_merge(r);
        }

        if (rc == NGX_OK) {
            rc = ngx_http_vod_asset_whole(r);
        }
    }

    if (rc == NGX_AGAIN || rc == NGX_ABORT) {
        ctx->uri = asset->uri;
        asset->served = 0;

        return ngx_http_vod_asset_restart(r);
    }

    return rc;
}
