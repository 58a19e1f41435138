/*
 * The window of a body: filled with the short runs that come next, by the
 * event loop where they are in memory, else by a thread, now or when there is
 * one.  Both before the header and behind it: what a failure means is the
 * caller's.
 */

#include "ngx_http_vod_send.h"

#if (NGX_LINUX)
#include <linux/sock_diag.h>
#endif


/* for how long there are no large windows after one was held, ms */
#define NGX_HTTP_VOD_FILL_SMALL_TIME  1000


/* until a full thread pool is asked again, ms */
#define NGX_HTTP_VOD_FILL_RETRY_MIN   10
#define NGX_HTTP_VOD_FILL_RETRY_MAX   500


static size_t ngx_http_vod_fill_room(ngx_http_request_t *r, off_t left);
static size_t ngx_http_vod_fill_socket(ngx_connection_t *c);
static size_t ngx_http_vod_fill_short(ngx_http_vod_send_t *send, size_t max);
static ngx_int_t ngx_http_vod_fill_post(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_fill_resume(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_fill_later(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_fill_retry(ngx_event_t *ev);
static ngx_int_t ngx_http_vod_fill_result(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static ngx_uint_t ngx_http_vod_fill_changed(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);


/* a worker's own: until then, in ms, there are no large windows */
static ngx_msec_t  ngx_http_vod_fill_until;


ngx_int_t
ngx_http_vod_fill(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    size_t                  size, head, n;
    ngx_int_t               rc;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_gather_t  *gather;

    gather = &send->gather;

    size = ngx_http_vod_fill_room(r, send->left);
    head = (send->head_len <= size / 2) ? send->head_len : 0;

    n = ngx_http_vod_fill_short(send, size - head);

    send->window_len = 0;
    send->gathered = n;

    if (n == 0) {
        ngx_http_vod_window_free(&send->window);
        return NGX_OK;
    }

    if (ngx_http_vod_window_alloc(&send->window, head + n,
                                  r->connection->log)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (send->map) {
        ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
        gather->map = ngx_http_vod_map_open(&ctx->id, ctx->fd,
                                            r->connection->log);
        send->map = 0;
    }

    gather->dst = ngx_cpymem(send->window.start, send->head, head);
    gather->size = n;

    send->head_len -= head;
    send->window_len = head + n;

    rc = ngx_http_vod_gather(gather);

    if (rc == NGX_AGAIN) {
        return ngx_http_vod_fill_post(r, send);
    }

    return ngx_http_vod_fill_result(r, send);
}


void
ngx_http_vod_fill_small(void)
{
    ngx_http_vod_fill_until = ngx_current_msec + NGX_HTTP_VOD_FILL_SMALL_TIME;
}


/*
 * Bytes to be gathered at once: what the socket has room for, so that the
 * window is free again as soon as it has been handed over.  Where the
 * socket's room is not what counts, a small window.
 */

static size_t
ngx_http_vod_fill_room(ngx_http_request_t *r, off_t left)
{
    size_t                     room;
    ngx_connection_t          *c;
    ngx_http_core_loc_conf_t  *clcf;

    c = r->connection;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (left <= NGX_HTTP_VOD_WINDOW_SMALL
        || c->send_chain != ngx_send_chain
        || r != c->data
        || clcf->limit_rate
        || r->limit_rate
        || (ngx_msec_int_t) (ngx_http_vod_fill_until - ngx_current_msec) > 0)
    {
        return NGX_HTTP_VOD_WINDOW_SMALL;
    }

    room = ngx_http_vod_fill_socket(c);

    if (clcf->sendfile_max_chunk) {
        room = ngx_min(room, clcf->sendfile_max_chunk);
    }

    room = ngx_min(room, NGX_HTTP_VOD_WINDOW_LARGE);

    return ngx_max(room, NGX_HTTP_VOD_WINDOW_SMALL);
}


static size_t
ngx_http_vod_fill_socket(ngx_connection_t *c)
{
#ifdef SO_MEMINFO

    size_t     room;
    uint32_t   mem[SK_MEMINFO_VARS];
    socklen_t  len;

    len = sizeof(mem);

    if (getsockopt(c->fd, SOL_SOCKET, SO_MEMINFO, mem, &len) == -1
        || mem[SK_MEMINFO_SNDBUF] <= mem[SK_MEMINFO_WMEM_QUEUED])
    {
        return 0;
    }

    room = mem[SK_MEMINFO_SNDBUF] - mem[SK_MEMINFO_WMEM_QUEUED];

    /* the kernel's own structures count, too */

    return room - room / 4;

#else

    return 0;

#endif
}


static size_t
ngx_http_vod_fill_short(ngx_http_vod_send_t *send, size_t max)
{
    size_t      n;
    uint64_t    len, skip;
    vod_run_t  *run;

    max = (size_t) ngx_min((off_t) max, send->left - (off_t) send->head_len);

    skip = send->gather.skip;
    n = 0;

    for (run = send->gather.run; n < max; run++) {
        len = run->len - skip;

        if (len >= send->file_run) {
            break;
        }

        n += ngx_min(len, max - n);
        skip = 0;
    }

    return n;
}


static ngx_int_t
ngx_http_vod_fill_post(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_int_t           rc;
    ngx_event_t        *wev;
    ngx_connection_t   *c;

    c = r->connection;
    wev = c->write;

    /* the disk's slowness is not the client's */

    if (r == c->data && wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    send->turn = 0;

    rc = ngx_http_vod_thread_post(r, ngx_http_vod_gather_read, &send->gather,
                                  ngx_http_vod_fill_resume);

    if (rc == NGX_BUSY) {
        return ngx_http_vod_fill_later(r, send);
    }

    send->delay = 0;

    return (rc == NGX_OK) ? NGX_DONE : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static void
ngx_http_vod_fill_resume(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_send_t  *send;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    send = ctx->send;

    send->filled(r, ngx_http_vod_fill_result(r, send));
}


/*
 * The pool's queue is full.  The client gets it later, if that is not later
 * than it might let us wait itself.
 */

static ngx_int_t
ngx_http_vod_fill_later(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (send->delay == 0) {
        send->refused = ngx_current_msec;
        send->delay = NGX_HTTP_VOD_FILL_RETRY_MIN;

    } else {
        send->delay = ngx_min(send->delay * 2, NGX_HTTP_VOD_FILL_RETRY_MAX);
    }

    if (ngx_current_msec - send->refused > clcf->send_timeout) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: no thread was free to read it for %M ms",
                      &send->file.name, clcf->send_timeout);
        return NGX_BUSY;
    }

    r->write_event_handler = ngx_http_request_empty_handler;
    ngx_http_vod_watch_client(r);

    send->retry.handler = ngx_http_vod_fill_retry;
    send->retry.data = r;
    send->retry.log = r->connection->log;

    ngx_add_timer(&send->retry, send->delay);

    return NGX_AGAIN;
}


static void
ngx_http_vod_fill_retry(ngx_event_t *ev)
{
    ngx_int_t             rc;
    ngx_connection_t     *c;
    ngx_http_request_t   *r;
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_send_t  *send;

    r = ev->data;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    send = ctx->send;

    ngx_http_vod_unwatch_client(r);

    rc = c->error ? NGX_ERROR : ngx_http_vod_fill_post(r, send);

    if (rc == NGX_DONE) {
        /* the task has a reference of its own */
        ngx_http_finalize_request(r, NGX_DONE);

    } else if (rc != NGX_AGAIN) {
        send->filled(r, rc);
    }

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_vod_fill_result(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_gather_t  *gather;

    gather = &send->gather;

    ngx_http_vod_count_read(r, (off_t) (send->gathered - gather->size));

    if (gather->size && !gather->eof) {
        ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
        ctx->error = NGX_HTTP_VOD_ERROR_IO;

        ngx_log_error(NGX_LOG_CRIT, r->connection->log, gather->err,
                      "pread() \"%V\" failed", &ctx->path);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* bytes behind the end of a file may read as zeros: ask after the copy */

    if (ngx_http_vod_fill_changed(r, send) || gather->size) {

        if (gather->map) {
            ngx_http_vod_map_drop(gather->map);
        }

        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_vod_fill_changed(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_file_info_t      fi;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ngx_fd_info(ctx->fd, &fi) == NGX_FILE_ERROR) {
        send->seen = ctx->id;
        return 1;
    }

    ngx_http_vod_file_id(&send->seen, &fi);

    return ngx_memcmp(&send->seen, &ctx->id, sizeof(ngx_http_vod_file_id_t))
           != 0;
}
