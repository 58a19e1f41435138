/*
 * Index and timeline of a file: read from the zone, or built by one request
 * (ngx_http_vod_build.c) for all workers, the others waiting for it.
 *
 * In the builder's process those who wait are woken when it is done; in
 * others they look every few milliseconds, and take over where the builder's
 * process has died.  What the zone has no room for is built by each request
 * for itself.
 *
 * A build needs memory by the file's length: no more than vod_max_builds go
 * on at one time, and requests that would begin another wait, too.
 */

#include "ngx_http_vod_module.h"
#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_zone.h"


/* a request that has waited this often without finding an index builds one */
#define NGX_HTTP_VOD_ATTEMPTS   8

/* how long a waiting request sleeps, ms */
#define NGX_HTTP_VOD_SLEEP_MIN  2
#define NGX_HTTP_VOD_SLEEP_MAX  50


struct ngx_http_vod_wait_s {
    ngx_event_t              event;
    ngx_queue_t              queue;
    ngx_http_request_t      *request;
    ngx_http_vod_zone_t     *zone;
    ngx_http_vod_file_id_t   id;
    ngx_msec_t               since;     /* the request waits, in all */
    ngx_msec_t               delay;
    ngx_http_vod_main_conf_t *conf;
    unsigned                 place:1;   /* it waits for a place to build */
    unsigned                 active:1;
    unsigned                 woken:1;
};


static ngx_int_t ngx_http_vod_wait(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx, ngx_uint_t place);
static ngx_http_vod_wait_t *ngx_http_vod_create_wait(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);
static ngx_int_t ngx_http_vod_wait_test(ngx_http_request_t *r,
    ngx_http_vod_wait_t *wait);
static void ngx_http_vod_wait_handler(ngx_event_t *ev);
static void ngx_http_vod_wait_end(void *data);


ngx_int_t
ngx_http_vod_index(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_uint_t                 claim;
    ngx_msec_t                 since;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_failure_t     failure;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    claim = (ctx->attempts == NGX_HTTP_VOD_ATTEMPTS)
            ? NGX_HTTP_VOD_CLAIM_ALONE
            : ngx_http_vod_zone_claim(vmcf->zone, &ctx->id,
                                      ngx_http_vod_cuts(&ctx->cuts), &since,
                                      &failure);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http vod index claim:%ui", claim);

    switch (claim) {

    case NGX_HTTP_VOD_CLAIM_READY:
        ctx->attempts++;
        return NGX_OK;

    case NGX_HTTP_VOD_CLAIM_BUSY:
        ctx->attempts++;
        return ngx_http_vod_wait(r, ctx, 0);

    case NGX_HTTP_VOD_CLAIM_FAILED:
        return ngx_http_vod_fail(r, failure.code, failure.text);

    default: /* NGX_HTTP_VOD_CLAIM_MINE, NGX_HTTP_VOD_CLAIM_ALONE */
        break;
    }

    rc = ngx_http_vod_quarantine(r);

    if (rc == NGX_OK
        && !ngx_http_vod_zone_enter(vmcf->zone, vmcf->max_builds))
    {
        rc = NGX_DECLINED;
    }

    if (rc != NGX_OK) {

        if (claim == NGX_HTTP_VOD_CLAIM_MINE) {
            ngx_http_vod_zone_release(vmcf->zone, &ctx->id, since);
        }

        return (rc == NGX_DECLINED) ? ngx_http_vod_wait(r, ctx, 1) : rc;
    }

    return ngx_http_vod_build(r, ctx, (claim == NGX_HTTP_VOD_CLAIM_MINE)
                                      ? &since : NULL);
}


ngx_int_t
ngx_http_vod_read(ngx_http_request_t *r, ngx_uint_t type, uint64_t offset,
    void *dst, size_t len)
{
    ngx_http_vod_key_t         key;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->build) {
        return ngx_http_vod_build_get(ctx->build, type, offset, dst, len);
    }

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_http_vod_zone_key(&key, &ctx->id, type,
                          (type == NGX_HTTP_VOD_INDEX)
                          ? 0 : ngx_http_vod_cuts(&ctx->cuts));

    return ngx_http_vod_zone_get(vmcf->zone, &key, offset, dst, len);
}


static ngx_int_t
ngx_http_vod_wait(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_uint_t place)
{
    ngx_int_t                  rc;
    ngx_http_vod_wait_t       *wait;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    if (ngx_http_vod_zone_waiting(vmcf->zone)
        >= (ngx_uint_t) vmcf->max_waiting)
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: %i requests are waiting for an index "
                      "already (vod_max_waiting)",
                      &ctx->path, vmcf->max_waiting);
        return ngx_http_vod_unavailable(r);
    }

    wait = ctx->wait ? ctx->wait : ngx_http_vod_create_wait(r, ctx);
    if (wait == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_vod_wait_test(r, wait);
    if (rc != NGX_OK) {
        return rc;
    }

    wait->id = ctx->id;
    wait->place = place;
    wait->woken = 0;
    wait->active = 1;
    wait->delay = NGX_HTTP_VOD_SLEEP_MIN;

    ngx_add_timer(&wait->event, wait->delay);
    ngx_queue_insert_tail(&vmcf->zone->waits, &wait->queue);
    ngx_http_vod_zone_gauges(vmcf->zone)->waiting++;

    ctx->cache = NGX_HTTP_VOD_CACHE_WAIT;

    r->write_event_handler = ngx_http_request_empty_handler;
    r->main->count++;

    ngx_http_vod_watch_client(r);

    return NGX_DONE;
}


static ngx_http_vod_wait_t *
ngx_http_vod_create_wait(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    ngx_pool_cleanup_t   *cln;
    ngx_http_vod_wait_t  *wait;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_vod_wait_t));
    if (cln == NULL) {
        return NULL;
    }

    wait = cln->data;
    ngx_memzero(wait, sizeof(ngx_http_vod_wait_t));

    cln->handler = ngx_http_vod_wait_end;

    wait->conf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);
    wait->zone = wait->conf->zone;
    wait->request = r;
    wait->since = ngx_current_msec;

    wait->event.handler = ngx_http_vod_wait_handler;
    wait->event.data = wait;
    wait->event.log = r->connection->log;

    ctx->wait = wait;

    return wait;
}


/* builds that fail by time, one after the other, are not waited for */

static ngx_int_t
ngx_http_vod_wait_test(ngx_http_request_t *r, ngx_http_vod_wait_t *wait)
{
    ngx_msec_t           time;
    ngx_http_vod_ctx_t  *ctx;

    time = ngx_current_msec - wait->since;

    if (time <= wait->conf->index_timeout) {
        return NGX_OK;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ctx->error = NGX_HTTP_VOD_ERROR_TIMEOUT;

    if (wait->place) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: has waited %M ms (vod_index_timeout) for "
                      "one of %i builds to end (vod_max_builds)",
                      &ctx->path, time, wait->conf->max_builds);

    } else {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: has waited %M ms (vod_index_timeout) for "
                      "its index, check the disk", &ctx->path, time);
    }

    return ngx_http_vod_unavailable(r);
}


static void
ngx_http_vod_wait_handler(ngx_event_t *ev)
{
    ngx_int_t             rc;
    ngx_connection_t     *c;
    ngx_http_request_t   *r;
    ngx_http_vod_wait_t  *wait;

    wait = ev->data;
    r = wait->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    rc = NGX_OK;

    if (!wait->woken
        && (wait->place
            ? ngx_http_vod_zone_full(wait->zone, wait->conf->max_builds)
            : ngx_http_vod_zone_building(wait->zone, &wait->id)))
    {
        rc = ngx_http_vod_wait_test(r, wait);

        if (rc == NGX_OK) {
            wait->delay = ngx_min(wait->delay * 2, NGX_HTTP_VOD_SLEEP_MAX);
            ngx_add_timer(&wait->event, wait->delay);
            return;
        }
    }

    ngx_http_vod_wait_end(wait);
    ngx_http_vod_unwatch_client(r);

    if (c->error) {
        ngx_http_finalize_request(r, NGX_ERROR);

    } else if (rc != NGX_OK) {
        ngx_http_finalize_request(r, rc);

    } else {
        ngx_http_vod_resume(r);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_vod_wake(ngx_http_vod_zone_t *zone, ngx_http_vod_file_id_t *id)
{
    ngx_uint_t            place;
    ngx_queue_t          *q;
    ngx_http_vod_wait_t  *wait;

    place = 1;

    for (q = ngx_queue_head(&zone->waits);
         q != ngx_queue_sentinel(&zone->waits);
         q = ngx_queue_next(q))
    {
        wait = ngx_queue_data(q, ngx_http_vod_wait_t, queue);

        if (wait->woken) {
            continue;
        }

        if (wait->place && place) {
            place = 0;

        } else if (ngx_memcmp(&wait->id, id, sizeof(ngx_http_vod_file_id_t))
                   != 0)
        {
            continue;
        }

        wait->woken = 1;

        if (wait->event.timer_set) {
            ngx_del_timer(&wait->event);
        }

        ngx_post_event(&wait->event, &ngx_posted_events);
    }
}


static void
ngx_http_vod_wait_end(void *data)
{
    ngx_http_vod_wait_t *wait = data;

    if (!wait->active) {
        return;
    }

    wait->active = 0;

    if (wait->event.timer_set) {
        ngx_del_timer(&wait->event);
    }

    if (wait->event.posted) {
        ngx_delete_posted_event(&wait->event);
    }

    ngx_queue_remove(&wait->queue);
    ngx_http_vod_zone_gauges(wait->zone)->waiting--;
}
