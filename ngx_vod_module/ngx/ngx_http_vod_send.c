/*
 * An answer: its header, then a text in one buffer, or the beginning of a
 * body that ngx_http_vod_body.c hands over step by step.
 */

#include "ngx_http_vod_send.h"
#include "ngx_http_vod_gzip.h"


/*
 * From this length on a run is sent by sendfile() rather than copied: there
 * a system call of its own costs no more than the copy.  Measured with runs
 * of 8 to 256 KiB: equal at 16 to 24 KiB; where "aio threads" has sendfile()
 * called in a thread, at about 96 KiB.
 */
#define NGX_HTTP_VOD_FILE_RUN         (32 * 1024)
#define NGX_HTTP_VOD_FILE_RUN_THREAD  (128 * 1024)


static ngx_int_t ngx_http_vod_send_text(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_send_header(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_send_etag(ngx_http_request_t *r,
    uint64_t etag);
static ngx_http_vod_send_t *ngx_http_vod_send_create(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_send_runs(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static void ngx_http_vod_send_cleanup(void *data);
static void ngx_http_vod_send_begin(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_send_range(ngx_http_vod_send_t *send, off_t first);


ngx_int_t
ngx_http_vod_send(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t             rc;
    ngx_http_vod_send_t  *send;

    if (answer->nruns == 0) {
        return ngx_http_vod_send_text(r, answer);
    }

    r->connection->log->action = "sending media to client";

    /* all that can fail, before the header */

    send = ngx_http_vod_send_create(r, answer);

    if (send == NULL || ngx_http_vod_send_header(r, answer) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* a body of several buffers makes one range at most */

    r->single_range = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    ngx_http_vod_send_begin(r, send);

    rc = ngx_http_vod_body(r, send);

    if (rc == NGX_AGAIN) {
        r->main->count++;
        return NGX_DONE;
    }

    return rc;
}


static ngx_int_t
ngx_http_vod_send_text(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t    rc;
    ngx_buf_t   *b;
    ngx_chain_t  out;

    r->connection->log->action = "sending response to client";

    b = ngx_calloc_buf(r->pool);

    if (b == NULL || ngx_http_vod_send_header(r, answer) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_vod_gzip_send_header(r, answer);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->pos = answer->head;
    b->last = answer->head + answer->head_len;
    b->temporary = (answer->head_len ? 1 : 0);
    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;
    b->sync = (b->last_buf || b->temporary) ? 0 : 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_int_t
ngx_http_vod_send_header(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = answer->length;
    r->headers_out.last_modified_time = (time_t) ctx->id.mtime_sec;
    r->headers_out.content_type = answer->type;
    r->headers_out.content_type_len = answer->type.len;
    r->headers_out.content_type_lowcase = NULL;

    r->allow_ranges = 1;

    if (ngx_http_vod_gzip_headers(r, answer) != NGX_OK) {
        return NGX_ERROR;
    }

    return clcf->etag ? ngx_http_vod_send_etag(r, answer->etag) : NGX_OK;
}


static ngx_int_t
ngx_http_vod_send_etag(ngx_http_request_t *r, uint64_t etag)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    h->hash = 1;
#if (nginx_version >= 1023000)
    h->next = NULL;
#endif
    ngx_str_set(&h->key, "ETag");

    h->value.data = ngx_pnalloc(r->pool, sizeof("\"0123456789abcdef\"") - 1);
    if (h->value.data == NULL) {
        h->hash = 0;
        return NGX_ERROR;
    }

    h->value.len = ngx_sprintf(h->value.data, "\"%016xL\"", etag)
                   - h->value.data;

    r->headers_out.etag = h;

    return NGX_OK;
}


static ngx_http_vod_send_t *
ngx_http_vod_send_create(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_pool_cleanup_t       *cln;
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_send_t      *send;
    ngx_http_vod_loc_conf_t  *vlcf;

    if (ngx_http_vod_send_runs(r, answer) != NGX_OK) {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_vod_send_t));
    if (cln == NULL) {
        return NULL;
    }

    send = cln->data;
    ngx_memzero(send, sizeof(ngx_http_vod_send_t));

    cln->handler = ngx_http_vod_send_cleanup;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    ctx->send = send;

    send->head = answer->head;
    send->head_len = answer->head_len;
    send->left = answer->length;

    send->gather.fd = ctx->fd;
    send->gather.run = answer->runs;
    send->gather.end = answer->runs + answer->nruns;

    send->file.fd = ctx->fd;
    send->file.name = ctx->path;
    send->file.log = r->connection->log;
    send->direct = NGX_INVALID_FILE;

    send->map = (vlcf->mmap ? 1 : 0);

    return send;
}


/*
 * A mapping is read without further looking: what is asked for has to be
 * inside of the file, and what is promised to be there.
 */

static ngx_int_t
ngx_http_vod_send_runs(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    off_t                length;
    vod_run_t           *run, *last, *end;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    length = (off_t) answer->head_len;
    last = answer->runs;
    end = answer->runs + answer->nruns;

    for (run = answer->runs; run < end; run++) {

        if (run->len > ctx->id.size || run->offset > ctx->id.size - run->len) {
            ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                          "\"%V\" vod: %uL bytes at %uL are to be sent "
                          "of a file of %uL",
                          &ctx->path, run->len, run->offset, ctx->id.size);
            return NGX_ERROR;
        }

        /* samples may be empty, buffers may not */

        if (run->len == 0) {
            continue;
        }

        if (last != run) {
            *last = *run;
        }

        length += run->len;
        last++;
    }

    answer->nruns = last - answer->runs;

    if (length != answer->length) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "\"%V\" vod: produced %O bytes, promised %O",
                      &ctx->path, length, answer->length);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_http_vod_send_cleanup(void *data)
{
    ngx_http_vod_send_t *send = data;

    if (send->retry.timer_set) {
        ngx_del_timer(&send->retry);
    }

    ngx_http_vod_window_free(&send->window);

    if (send->gather.map) {
        ngx_http_vod_map_close(send->gather.map);
    }

    if (send->direct != NGX_INVALID_FILE
        && ngx_close_file(send->direct) == NGX_FILE_ERROR)
    {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed", &send->file.name);
    }
}


static void
ngx_http_vod_send_begin(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    /*
     * Where the copy filter would read a file buffer back into memory, as
     * for TLS without the kernel's help, gathering is the shorter way.
     */

    if (!ctx->directio
        && (!r->connection->sendfile
            || r->main_filter_need_in_memory
            || r->filter_need_in_memory))
    {
        send->file_run = (uint64_t) -1;

    } else if (clcf->aio == NGX_HTTP_AIO_THREADS) {
        send->file_run = NGX_HTTP_VOD_FILE_RUN_THREAD;

    } else {
        send->file_run = NGX_HTTP_VOD_FILE_RUN;
    }

    if (r->headers_out.status == NGX_HTTP_PARTIAL_CONTENT
        && r->headers_out.content_length_n >= 0)
    {
        /* the range filter has said so, see there */

        send->left = r->headers_out.content_length_n;
        ngx_http_vod_send_range(send, r->headers_out.content_offset);
    }
}


/* moves on to the first byte that is wanted */

static void
ngx_http_vod_send_range(ngx_http_vod_send_t *send, off_t first)
{
    off_t                   n;
    ngx_http_vod_gather_t  *gather;

    gather = &send->gather;

    send->skipped = first;

    n = ngx_min(first, (off_t) send->head_len);
    send->head += n;
    send->head_len -= n;
    first -= n;

    while (first && first >= (off_t) gather->run->len) {
        first -= gather->run->len;
        gather->run++;
    }

    gather->skip = first;

    if ((off_t) send->head_len > send->left) {
        send->head_len = send->left;
    }
}
