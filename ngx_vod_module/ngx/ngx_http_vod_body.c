/*
 * A body is handed to nginx's filters step by step, the next when the last
 * has left for the socket:
 *
 *     step:  [skipped] [head] [window] [file]
 *
 *     skipped  what a Range leaves out in front: never read
 *     head     bytes in memory; in the window where there is one
 *     window   short runs, gathered
 *     file     one long run, for sendfile() and its kin
 *
 * each part where there is something for it.  What is kept between steps:
 * the next run and one window, whatever the size of the body.
 *
 * Waiting is for the socket (the write handler is the writer's; the request
 * keeps its reference) or for a thread that fills a window from disk.
 */

#include "ngx_http_vod_send.h"

typedef struct {
    ngx_chain_t             links[NGX_HTTP_VOD_PARTS];
    ngx_uint_t              n;
} ngx_http_vod_step_t;


static ngx_uint_t ngx_http_vod_body_busy(ngx_http_vod_send_t *send);
static ngx_int_t ngx_http_vod_body_failed(ngx_http_request_t *r,
    ngx_int_t rc);
static ngx_int_t ngx_http_vod_body_step(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_body_memory(ngx_http_vod_send_t *send,
    ngx_http_vod_step_t *step, ngx_uint_t part, u_char *p, size_t len);
static void ngx_http_vod_body_file(ngx_http_vod_send_t *send,
    ngx_http_vod_step_t *step, ngx_uint_t part, off_t offset, off_t len);
static ngx_buf_t *ngx_http_vod_body_part(ngx_http_vod_send_t *send,
    ngx_http_vod_step_t *step, ngx_uint_t part);
static void ngx_http_vod_body_direct(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static ngx_int_t ngx_http_vod_body_wait(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static ngx_int_t ngx_http_vod_body_pause(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_body_handlers(ngx_http_request_t *r);
static void ngx_http_vod_body_writer(ngx_http_request_t *r);
static void ngx_http_vod_body_filled(ngx_http_request_t *r, ngx_int_t rc);
static void ngx_http_vod_body_finalize(ngx_http_request_t *r, ngx_int_t rc);


ngx_int_t
ngx_http_vod_body(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_int_t                  rc;
    ngx_uint_t                 busy;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    send->filled = ngx_http_vod_body_filled;

    for ( ;; ) {
        busy = ngx_http_vod_body_busy(send);

        if (!busy && !send->ready
            && (send->left == 0 || r->connection->write->delayed))
        {
            ngx_http_vod_window_free(&send->window);
        }

        /* a subrequest's window lives no longer than needed */

        if (send->left == 0 && (!busy || r == r->main)) {
            return NGX_OK;
        }

        if (busy || r->connection->write->delayed) {
            return ngx_http_vod_body_wait(r, send);
        }

        if (clcf->sendfile_max_chunk
            && send->turn >= (off_t) clcf->sendfile_max_chunk
            && r == r->connection->data)
        {
            return ngx_http_vod_body_pause(r, send);
        }

        rc = send->ready ? NGX_OK : ngx_http_vod_fill(r, send);

        if (rc != NGX_OK) {
            return ngx_http_vod_body_failed(r, rc);
        }

        send->ready = 0;

        if (ngx_http_vod_body_step(r, send) == NGX_ERROR) {
            return NGX_ERROR;
        }
    }
}


/* the header is gone, and can no longer say so */

static ngx_int_t
ngx_http_vod_body_failed(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_vod_ctx_t  *ctx;

    if (rc == NGX_AGAIN || rc == NGX_DONE) {
        return rc;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (rc == NGX_DECLINED) {
        ctx->error = NGX_HTTP_VOD_ERROR_CHANGED;

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: file changed while being sent",
                      &ctx->path);

    } else if (ctx->error == NGX_HTTP_VOD_ERROR_NONE) {
        ctx->error = (rc == NGX_BUSY) ? NGX_HTTP_VOD_ERROR_BUSY
                     : (rc == NGX_ERROR) ? NGX_HTTP_VOD_ERROR_CLOSED
                     : NGX_HTTP_VOD_ERROR_INTERNAL;
    }

    return NGX_ERROR;
}


/* whether a buffer handed over is still to be sent */

static ngx_uint_t
ngx_http_vod_body_busy(ngx_http_vod_send_t *send)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_HTTP_VOD_PARTS; i++) {
        if (ngx_buf_size(&send->bufs[i])) {
            return 1;
        }
    }

    return 0;
}


/* hands over what has been filled, and a long run where one comes next */

static ngx_int_t
ngx_http_vod_body_step(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    off_t                   len, n;
    ngx_buf_t              *b;
    ngx_http_vod_step_t     step;
    ngx_http_vod_gather_t  *gather;

    gather = &send->gather;
    step.n = 0;
    n = send->head_len + send->window_len;

    if (send->skipped) {
        ngx_http_vod_body_file(send, &step, NGX_HTTP_VOD_PART_SKIPPED,
                               0, send->skipped);
        send->skipped = 0;
    }

    if (send->head_len) {
        ngx_http_vod_body_memory(send, &step, NGX_HTTP_VOD_PART_HEAD,
                                 send->head, send->head_len);
        send->head_len = 0;
    }

    if (send->window_len) {
        ngx_http_vod_body_memory(send, &step, NGX_HTTP_VOD_PART_WINDOW,
                                 send->window.start, send->window_len);
        send->window_len = 0;
    }

    if (n < send->left) {
        len = gather->run->len - gather->skip;

        if ((uint64_t) len >= send->file_run) {
            ngx_http_vod_body_direct(r, send);

            len = ngx_min(len, send->left - n);
            ngx_http_vod_body_file(send, &step, NGX_HTTP_VOD_PART_FILE,
                                   gather->run->offset + gather->skip, len);
            gather->run++;
            gather->skip = 0;
            n += len;
        }
    }

    if (step.n == 0) {
        return NGX_ERROR;               /* never: a window or a run is there */
    }

    send->left -= n;
    send->turn += n;

    b = step.links[step.n - 1].buf;

    if (send->left == 0) {
        b->last_buf = (r == r->main) ? 1 : 0;
        b->last_in_chain = 1;
    }

    /* what is waited for is not to be kept back for more to come */

    b->flush = !b->last_buf;

    return ngx_http_output_filter(r, step.links);
}


static void
ngx_http_vod_body_memory(ngx_http_vod_send_t *send, ngx_http_vod_step_t *step,
    ngx_uint_t part, u_char *p, size_t len)
{
    ngx_buf_t  *b;

    b = ngx_http_vod_body_part(send, step, part);

    b->start = p;
    b->pos = p;
    b->last = p + len;
    b->end = b->last;
    b->temporary = 1;
}


static void
ngx_http_vod_body_file(ngx_http_vod_send_t *send, ngx_http_vod_step_t *step,
    ngx_uint_t part, off_t offset, off_t len)
{
    ngx_buf_t  *b;

    b = ngx_http_vod_body_part(send, step, part);

    b->file = &send->file;
    b->file_pos = offset;
    b->file_last = offset + len;
    b->in_file = 1;
}


static ngx_buf_t *
ngx_http_vod_body_part(ngx_http_vod_send_t *send, ngx_http_vod_step_t *step,
    ngx_uint_t part)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    b = &send->bufs[part];
    cl = &step->links[step->n];

    ngx_memzero(b, sizeof(ngx_buf_t));
    b->tag = (ngx_buf_tag_t) &ngx_http_vod_module;

    cl->buf = b;
    cl->next = NULL;

    if (step->n) {
        step->links[step->n - 1].next = cl;
    }

    step->n++;

    return b;
}


/*
 * O_DIRECT belongs to an open file, and this one is shared with others that
 * read it unaligned: it is opened once more, by a name that cannot have come
 * to mean another file.  Where that fails, the page cache is used.
 */

static void
ngx_http_vod_body_direct(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
#ifdef O_DIRECT

    u_char               name[sizeof("/proc/self/fd/") + NGX_INT_T_LEN];
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (!ctx->directio || send->direct != NGX_INVALID_FILE) {
        return;
    }

    ngx_sprintf(name, "/proc/self/fd/%d%Z", ctx->fd);

    send->direct = open((char *) name, O_RDONLY|O_DIRECT|O_CLOEXEC);

    if (send->direct == NGX_INVALID_FILE) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, ngx_errno,
                       "http vod no direct transfer of \"%V\"", &ctx->path);
        ctx->directio = 0;
        return;
    }

    send->file.fd = send->direct;
    send->file.directio = 1;

#endif
}


static ngx_int_t
ngx_http_vod_body_wait(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_event_t               *wev;
    ngx_http_core_loc_conf_t  *clcf;

    ngx_http_vod_body_handlers(r);

    send->turn = 0;

    if (send->window.size == NGX_HTTP_VOD_WINDOW_LARGE
        && ngx_buf_size(&send->bufs[NGX_HTTP_VOD_PART_WINDOW]))
    {
        /* the host has less memory for sockets than this one may use */

        ngx_http_vod_fill_small();
    }

    wev = r->connection->write;

    if (r != r->connection->data || (wev->ready && wev->delayed)) {

        /* woken when it is its turn, or by the timer of the delay */

        return NGX_AGAIN;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


/* lets the worker's other connections have their turn, as sendfile() does */

static ngx_int_t
ngx_http_vod_body_pause(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_http_vod_body_handlers(r);

    ngx_http_vod_window_free(&send->window);

    send->turn = 0;

    ngx_post_event(r->connection->write, &ngx_posted_next_events);

    return NGX_AGAIN;
}


static void
ngx_http_vod_body_handlers(ngx_http_request_t *r)
{
    r->http_state = NGX_HTTP_WRITING_REQUEST_STATE;

    r->read_event_handler = r->discard_body
                            ? ngx_http_discarded_request_body_handler
                            : ngx_http_test_reading;

    r->write_event_handler = ngx_http_vod_body_writer;
}


static void
ngx_http_vod_body_writer(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_event_t         *wev;
    ngx_connection_t    *c;
    ngx_http_vod_ctx_t  *ctx;

    c = r->connection;
    wev = c->write;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "client timed out");
        c->timedout = 1;

        ngx_http_finalize_request(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (wev->delayed || r->aio) {
        rc = ngx_http_vod_body_wait(r, ctx->send);

    } else {
        rc = ngx_http_output_filter(r, NULL);

        if (rc != NGX_ERROR) {
            rc = ngx_http_vod_body(r, ctx->send);
        }
    }

    ngx_http_vod_body_finalize(r, rc);
}


static void
ngx_http_vod_body_filled(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_send_t  *send;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    send = ctx->send;

    rc = (rc == NGX_OK) ? ngx_http_vod_body_step(r, send)
                        : ngx_http_vod_body_failed(r, rc);

    if (rc != NGX_ERROR) {
        rc = ngx_http_vod_body(r, send);
    }

    ngx_http_vod_body_finalize(r, rc);
}


static void
ngx_http_vod_body_finalize(ngx_http_request_t *r, ngx_int_t rc)
{
    if (rc != NGX_AGAIN) {
        ngx_http_finalize_request(r, rc);
    }
}
