/*
 * The request, top to bottom, one step a function:
 *
 *   handler   what is asked for; a context
 *   open      the file behind it (ngx_http_vod_file.c)
 *   run       the answer from index and timeline (ngx_http_vod_answer.c);
 *             where they are missing, they are built or waited for
 *             (ngx_http_vod_index.c) and the answer is tried again
 *   send      header and body (ngx_http_vod_send.c)
 */

#include "ngx_http_vod_args.h"
#include "ngx_http_vod_asset.h"
#include "ngx_http_vod_metrics.h"
#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_zone.h"


static ngx_http_vod_ctx_t *ngx_http_vod_create_ctx(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_refuse(ngx_http_vod_ctx_t *ctx,
    ngx_int_t status);
static void ngx_http_vod_cleanup(void *data);
static ngx_int_t ngx_http_vod_step(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_prepare(ngx_http_request_t *r);
static void ngx_http_vod_index_wait(ngx_http_vod_ctx_t *ctx);
static void ngx_http_vod_count_cache(ngx_http_request_t *r);


ngx_int_t
ngx_http_vod_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    vod_uri_t                  uri;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    vod_uri_parse(&uri, (char *) r->uri.data, r->uri.len);

    ngx_http_vod_zone_count(vmcf->zone, requests[uri.what]);

    ctx = ngx_http_vod_create_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->uri = uri;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_vod_refuse(ctx, NGX_HTTP_NOT_ALLOWED);
    }

    if (uri.what == VOD_URI_NONE) {
        return ngx_http_vod_refuse(ctx, NGX_HTTP_NOT_FOUND);
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_args(r);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_open(r);
    if (rc != NGX_OK) {
        return ngx_http_vod_refuse(ctx, rc);
    }

    return ngx_http_vod_run(r);
}


/* said now: an error page may have a status of its own */

static ngx_int_t
ngx_http_vod_refuse(ngx_http_vod_ctx_t *ctx, ngx_int_t status)
{
    ctx->error = ngx_http_vod_error_of_status(status);

    return status;
}


static ngx_http_vod_ctx_t *
ngx_http_vod_create_ctx(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_pool_cleanup_t        *cln;
    ngx_http_vod_loc_conf_t   *vlcf;
    ngx_http_vod_main_conf_t  *vmcf;

    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_vod_ctx_t));
    if (ctx == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     ctx->cuts.grid = NULL;
     *     ctx->cuts.grid_etag = 0;
     *     ctx->cuts.from = 0;
     *     ctx->tracks = { 0, NULL };
     *     ctx->links = { NULL, 0, NULL, 0 };
     *     ctx->own = 0;
     *     ctx->changed = 0;
     *     ctx->alone = 0;
     *     ctx->asset = NULL;
     *     ctx->build = NULL;
     *     ctx->wait = NULL;
     *     ctx->work = NULL;
     *     ctx->send = NULL;
     *     ctx->gzip = NULL;
     *     ctx->demux = NULL;
     *     ctx->text = NULL;
     *     ctx->attempts = 0;
     *     ctx->cache = NGX_HTTP_VOD_CACHE_NONE;
     *     ctx->error = NGX_HTTP_VOD_ERROR_NONE;
     *     ctx->read_bytes = 0;
     *     ctx->answered = 0;
     *     ctx->index_waited = 0;
     *     ctx->index_done = 0;
     */

    ctx->request = r;
    ctx->cuts.target = vlcf->segment_duration;
    ctx->cuts.to = INT64_MAX;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_vod_cleanup;
    cln->data = ctx;

    ngx_http_vod_zone_gauges(vmcf->zone)->in_flight++;

    ngx_http_set_ctx(r, ctx, ngx_http_vod_module);

    return ctx;
}


/* the request's pool goes: it has been logged, and is still whole */

static void
ngx_http_vod_cleanup(void *data)
{
    ngx_http_vod_ctx_t *ctx = data;

    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(ctx->request, ngx_http_vod_module);

    ngx_http_vod_zone_gauges(vmcf->zone)->in_flight--;

    ngx_http_vod_metrics_request(ctx);
}


ngx_http_vod_ctx_t *
ngx_http_vod_get_ctx(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t  *ctx;
    ngx_pool_cleanup_t  *cln;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx || !(r->internal || r->filter_finalize)) {
        return ctx;
    }

    /* a redirect has cleared the contexts; subrequests share the pool */

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_vod_cleanup) {
            ctx = cln->data;

            if (ctx->request == r) {
                return ctx;
            }
        }
    }

    return NULL;
}


ngx_int_t
ngx_http_vod_run(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_answer_t  answer;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    do {
        rc = ngx_http_vod_step(r, &answer);
    } while (rc == NGX_AGAIN);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ctx->index_waited && !ctx->index_done) {
        ctx->index_done = 1;
        ctx->index_time = ngx_current_msec - ctx->index_start;
    }

    ngx_http_vod_index_free(r);
    ngx_http_vod_count_cache(r);

    r->connection->log->action = "sending media to client";

    return ngx_http_vod_send(r, &answer);
}


/*
 * NGX_OK: there is the answer; NGX_AGAIN: what it is made from has changed, or
 * is there now; else what a content handler returns.
 */

static ngx_int_t
ngx_http_vod_step(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_prepare(r);

    if (rc == NGX_OK) {
        ngx_memzero(answer, sizeof(ngx_http_vod_answer_t));

        rc = ngx_http_vod_answer(r, answer);
    }

    if (rc == NGX_HTTP_VOD_NO_TRACK) {
        rc = ngx_http_vod_asset_sidecars(r);

        return (rc == NGX_OK) ? NGX_AGAIN
               : (rc == NGX_DECLINED) ? NGX_HTTP_NOT_FOUND : rc;
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    r->connection->log->action = "reading media index";

    /* the number of attempts is bounded there */

    rc = ctx->asset ? ngx_http_vod_asset_index(r) : ngx_http_vod_index(r);

    if (rc == NGX_DONE) {
        ngx_http_vod_index_wait(ctx);
    }

    return (rc == NGX_OK) ? NGX_AGAIN : rc;
}


/*
 * Which file it is, of several.  Beside a media file others are looked for
 * once it is known to be one.  NGX_DECLINED: it has to be indexed first.
 */

static ngx_int_t
ngx_http_vod_prepare(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    vod_index_t          index;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->asset == NULL) {
        rc = ngx_http_vod_quarantine(r);

        if (rc != NGX_OK || ctx->alone || ctx->uri.kind) {
            return rc;
        }

        rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, 0, &index,
                               sizeof(vod_index_t));
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_http_vod_asset_sidecars(r);
        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED) ? NGX_OK : rc;
        }
    }

    rc = ngx_http_vod_asset(r);

    if (rc == NGX_DONE && ngx_http_vod_asset_indexing(ctx->asset)) {
        ngx_http_vod_index_wait(ctx);
    }

    return (rc == NGX_OK) ? ngx_http_vod_quarantine(r) : rc;
}


static void
ngx_http_vod_index_wait(ngx_http_vod_ctx_t *ctx)
{
    if (!ctx->index_waited) {
        ctx->index_waited = 1;
        ctx->index_start = ngx_current_msec;
    }
}


void
ngx_http_vod_resume(ngx_http_request_t *r)
{
    ngx_http_finalize_request(r, ngx_http_vod_run(r));
}


/* how the answer came about, for $vod_cache and the status */

static void
ngx_http_vod_count_cache(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    if (ctx->cache == NGX_HTTP_VOD_CACHE_NONE) {
        ctx->cache = NGX_HTTP_VOD_CACHE_HIT;
        ngx_http_vod_zone_count(vmcf->zone, hits);
        return;
    }

    ngx_http_vod_zone_count(vmcf->zone, misses);

    if (ctx->cache == NGX_HTTP_VOD_CACHE_WAIT) {
        ngx_http_vod_zone_count(vmcf->zone, waits);

    } else if (ctx->cache == NGX_HTTP_VOD_CACHE_UNCACHED) {
        ngx_http_vod_zone_count(vmcf->zone, uncached);
    }
}


void
ngx_http_vod_count_read(ngx_http_request_t *r, off_t bytes)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    if (ctx) {
        ctx->read_bytes += bytes;
    }

    (void) ngx_atomic_fetch_add(&vmcf->zone->sh->counters.read_bytes, bytes);
}


ngx_int_t
ngx_http_vod_fail(ngx_http_request_t *r, int code, const char *text)
{
    ngx_int_t            rc;
    ngx_uint_t           level;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ngx_http_vod_member_fails(ctx, code)) {
        return ngx_http_vod_member_fail(r, code, text);
    }

    ctx->error = ngx_http_vod_error_of(code, text);

    switch (code) {

    case VOD_NOT_FOUND:
        return NGX_HTTP_NOT_FOUND;

    case VOD_RANGE:
        level = NGX_LOG_INFO;
        rc = NGX_HTTP_BAD_REQUEST;
        break;

    case VOD_UNSUPPORTED:
    case VOD_DAMAGED:
    case VOD_LIMIT:
    case NGX_HTTP_VOD_QUARANTINED:
        level = NGX_LOG_ERR;
        rc = NGX_HTTP_VOD_UNPROCESSABLE;
        break;

    case VOD_TIMEOUT:
        level = NGX_LOG_ERR;
        rc = NGX_HTTP_SERVICE_UNAVAILABLE;
        break;

    case VOD_IO:
    case VOD_NOMEM:
        level = NGX_LOG_CRIT;
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
        break;

    default: /* VOD_INTERNAL */
        level = NGX_LOG_ALERT;
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
        break;
    }

    ngx_log_error(level, r->connection->log, 0,
                  "\"%V\" vod: %s", &ctx->path, text);

    return (rc == NGX_HTTP_SERVICE_UNAVAILABLE) ? ngx_http_vod_unavailable(r)
                                                : rc;
}


ngx_int_t
ngx_http_vod_unavailable(ngx_http_request_t *r)
{
    ngx_table_elt_t           *h;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    if (ctx->error == NGX_HTTP_VOD_ERROR_NONE) {
        ctx->error = NGX_HTTP_VOD_ERROR_BUSY;
    }

    ngx_http_vod_zone_count(vmcf->zone, shed);

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    h->hash = 1;
#if (nginx_version >= 1023000)
    h->next = NULL;
#endif
    ngx_str_set(&h->key, "Retry-After");
    ngx_str_set(&h->value, "1");

    return NGX_HTTP_SERVICE_UNAVAILABLE;
}


ngx_int_t
ngx_http_vod_changed(ngx_http_request_t *r, ngx_http_vod_file_id_t *seen)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (!ctx->changed) {
        ctx->changed = 1;
        ctx->id = *seen;
        return NGX_OK;
    }

    if (ngx_http_vod_member_fails(ctx, VOD_TIMEOUT)) {
        return ngx_http_vod_member_fail(r, VOD_TIMEOUT,
                                        "the file keeps changing, put it "
                                        "there when it is complete");
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "\"%V\" vod: the file keeps changing, "
                  "put it there when it is complete", &ctx->path);

    ctx->error = NGX_HTTP_VOD_ERROR_CHANGED;

    return ngx_http_vod_unavailable(r);
}
