/*
 * The files of an asset are listed, or looked at, by a thread
 * (ngx_http_vod_folder.c): what is asked for, and what comes of it.
 */

#include "ngx_http_vod_asset.h"


/*
 * Where the pool's queue is full: how often it is tried again, and after how
 * many ms, which double up to the second number.
 */
#define NGX_HTTP_VOD_LIST_TRIES  20
#define NGX_HTTP_VOD_LIST_PAUSE  10
#define NGX_HTTP_VOD_LIST_LONG   1000


static ngx_int_t ngx_http_vod_list_refused(ngx_http_request_t *r,
    ngx_http_vod_list_t *list);
static void ngx_http_vod_list_log(ngx_http_request_t *r,
    ngx_http_vod_list_t *list);


ngx_int_t
ngx_http_vod_asset_list(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_msec_t                time;
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_list_t      *list;
    ngx_http_vod_asset_t     *asset;
    ngx_http_vod_loc_conf_t  *vlcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);
    asset = ctx->asset;

    list = ngx_pcalloc(r->pool, sizeof(ngx_http_vod_list_t));
    if (list == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    list->kind = asset->kind;
    list->base = (char *) asset->base.data;
    list->name = asset->name;
    list->fd = asset->fd;
    list->self = asset->self;
    list->folder = asset->folder;
    list->max = vlcf->max_members;
    list->looked = (asset->table != NULL);
    list->table = asset->table;

    asset->list = list;
    asset->table = NULL;
    asset->state = NGX_HTTP_VOD_LIST;

    rc = ngx_http_vod_thread_run(r, ngx_http_vod_list, NULL, list,
                                 ngx_http_vod_resume);
    if (rc == NGX_OK) {
        return NGX_DONE;
    }

    if (rc != NGX_BUSY) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* whose file has been indexed is not sent away for what stands beside it */

    if (asset->kind == NGX_HTTP_VOD_SIDECARS
        && asset->busy < NGX_HTTP_VOD_LIST_TRIES)
    {
        time = (ngx_msec_t) NGX_HTTP_VOD_LIST_PAUSE << asset->busy++;

        free(list->table);
        list->table = NULL;

        asset->state = NGX_HTTP_VOD_FIND;

        return ngx_http_vod_asset_pause(r, ngx_min(time,
                                                   NGX_HTTP_VOD_LIST_LONG));
    }

    return ngx_http_vod_unavailable(r);
}


ngx_int_t
ngx_http_vod_asset_listed(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_list_t   *list;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;
    list = asset->list;

    if (list->table == NULL) {
        return ngx_http_vod_list_refused(r, list);
    }

    asset->table = list->table;
    asset->head = *list->table;

    list->table = NULL;

    if (list->same) {
        return NGX_OK;
    }

    if (list->looked) {
        ngx_http_vod_table_drop(r, asset);
    }

    asset->folder = list->folder;

    ngx_http_vod_table_key(r, asset);

    if (asset->table->n > (asset->kind == NGX_HTTP_VOD_SIDECARS)) {
        ngx_http_vod_list_log(r, list);

        asset->state = NGX_HTTP_VOD_WALK;

        return ngx_http_vod_walk_begin(r, 1);
    }

    rc = ngx_http_vod_table_put(r, asset);

    if (rc != NGX_BUSY) {
        ngx_http_vod_list_log(r, list);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_list_refused(ngx_http_request_t *r, ngx_http_vod_list_t *list)
{
    ngx_int_t            rc;
    ngx_uint_t           level;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (list->err.code) {
        return ngx_http_vod_fail(r, list->err.code, list->err.text);
    }

    rc = ngx_http_vod_open_status(list->sys_err);

    level = (rc == NGX_HTTP_INTERNAL_SERVER_ERROR) ? NGX_LOG_CRIT
                                                   : NGX_LOG_ERR;

    /* a file may be read where its folder may not */

    if (ctx->asset->kind == NGX_HTTP_VOD_SIDECARS) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, list->sys_err,
                      "\"%V\" vod: the folder cannot be read, no files "
                      "beside it are taken", &ctx->asset->path);

        return ngx_http_vod_asset_alone(r);
    }

    ngx_log_error(level, r->connection->log, list->sys_err,
                  "\"%V\" vod: the folder cannot be read", &ctx->asset->path);

    return rc;
}


/* once for each table */

static void
ngx_http_vod_list_log(ngx_http_request_t *r, ngx_http_vod_list_t *list)
{
    ngx_log_t           *log;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    log = r->connection->log;

    if (list->ignored) {
        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "\"%V\" vod: fields without a meaning here: %s",
                      &ctx->asset->path, list->ignored);
    }

    if (list->strange) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "\"%V\" vod: files left out, with control "
                      "characters in their names: %ui",
                      &ctx->asset->path, list->strange);
    }

    if (list->crowded) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "\"%V\" vod: its folder has too many entries for files "
                      "beside it to be looked for", &ctx->asset->path);
    }
}
