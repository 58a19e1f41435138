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


static void ngx_http_vod_send_filled(ngx_http_request_t *r, ngx_int_t rc);
static ngx_int_t ngx_http_vod_send_first(ngx_http_request_t *r,
    ngx_http_vod_send_t *send, ngx_int_t rc);
static ngx_int_t ngx_http_vod_send_begin(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static ngx_int_t ngx_http_vod_send_memory(ngx_http_request_t *r,
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
static ngx_uint_t ngx_http_vod_send_guess(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static void ngx_http_vod_send_guess_range(ngx_str_t *range, off_t length,
    off_t *first, off_t *len);
static void ngx_http_vod_send_settle(ngx_http_request_t *r,
    ngx_http_vod_send_t *send);
static uint64_t ngx_http_vod_send_file_run(ngx_http_request_t *r);
static void ngx_http_vod_send_seek(ngx_http_vod_send_t *send, off_t first,
    off_t length);


ngx_int_t
ngx_http_vod_send(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t             rc;
    ngx_http_vod_send_t  *send;

    if (answer->nruns == 0) {
        return ngx_http_vod_send_memory(r, answer);
    }

    r->connection->log->action = "sending media to client";

    send = ngx_http_vod_send_create(r, answer);

    if (send == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* all that can fail, before the header: the first window too */

    if (!ngx_http_vod_send_guess(r, send)) {
        return ngx_http_vod_send_begin(r, send);
    }

    rc = ngx_http_vod_fill(r, send);

    if (rc == NGX_AGAIN) {
        r->main->count++;
        return NGX_DONE;
    }

    return (rc == NGX_DONE) ? rc : ngx_http_vod_send_first(r, send, rc);
}


/* somebody else has filled the first window, or has tried to */

static void
ngx_http_vod_send_filled(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ngx_http_finalize_request(r, ngx_http_vod_send_first(r, ctx->send, rc));
}


static ngx_int_t
ngx_http_vod_send_first(ngx_http_request_t *r, ngx_http_vod_send_t *send,
    ngx_int_t rc)
{
    ngx_http_vod_ctx_t  *ctx;

    if (rc == NGX_OK) {
        send->ready = 1;
        return ngx_http_vod_send_begin(r, send);
    }

    ngx_http_vod_window_free(&send->window);

    if (rc == NGX_BUSY) {
        return ngx_http_vod_unavailable(r);
    }

    if (rc == NGX_DECLINED) {
        rc = ngx_http_vod_changed(r, &send->seen);

        if (rc == NGX_OK) {
            ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
            ctx->send = NULL;
            ctx->cache = NGX_HTTP_VOD_CACHE_NONE;

            return ngx_http_vod_run(r);
        }
    }

    return rc;
}


static ngx_int_t
ngx_http_vod_send_begin(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    ngx_int_t  rc;

    if (ngx_http_vod_send_header(r, &send->answer) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* a body of several buffers makes one range at most */

    r->single_range = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        ngx_http_vod_window_free(&send->window);
        return rc;
    }

    ngx_http_vod_send_settle(r, send);

    rc = ngx_http_vod_body(r, send);

    if (rc == NGX_AGAIN) {
        r->main->count++;
        return NGX_DONE;
    }

    return rc;
}


/* nginx's writer takes of it what limit_rate and sendfile_max_chunk allow */

static ngx_int_t
ngx_http_vod_send_memory(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t    rc;
    ngx_buf_t   *b;
    ngx_chain_t  out[2];

    r->connection->log->action = "sending response to client";

    b = ngx_pcalloc(r->pool, 2 * sizeof(ngx_buf_t));

    if (b == NULL || ngx_http_vod_send_header(r, answer) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (answer->body_len) {
        /* as of all segments */
        r->single_range = 1;
    }

    rc = ngx_http_vod_gzip_send_header(r, answer);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->pos = answer->head;
    b->last = answer->head + answer->head_len;

    out[0].buf = b;
    out[0].next = NULL;

    if (answer->body_len) {
        /* both are not for filters to write to: others send them, too */

        if (answer->head_len) {
            b->memory = 1;

            out[0].next = &out[1];
            out[1].buf = ++b;
            out[1].next = NULL;
        }

        b->pos = answer->body;
        b->last = answer->body + answer->body_len;
        b->memory = 1;

    } else if (answer->head_len) {
        b->temporary = 1;
    }

    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;
    b->sync = (b->last_buf || ngx_buf_in_memory(b)) ? 0 : 1;

    return ngx_http_output_filter(r, out);
}


static ngx_int_t
ngx_http_vod_send_header(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ctx->answered = 1;
    ctx->first = ngx_http_vod_elapsed(r);

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

    send->answer = *answer;
    send->filled = ngx_http_vod_send_filled;

    send->gather.fd = ctx->fd;
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


/*
 * What is going to be sent is known when the header has gone through the
 * filters.  A range that is asked for will be it, or all; a wrong guess costs
 * a window that is not of use.  0: it might be no body at all.
 */

static ngx_uint_t
ngx_http_vod_send_guess(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    off_t                   first, length;
    ngx_http_headers_in_t  *in;

    first = 0;
    length = send->answer.length;
    in = &r->headers_in;

    /* of a subrequest they are not heeded */

    if (r == r->main) {

        if (r->method == NGX_HTTP_HEAD
            || in->if_none_match || in->if_modified_since
            || in->if_match || in->if_unmodified_since)
        {
            return 0;
        }

        if (in->range) {
            ngx_http_vod_send_guess_range(&in->range->value, length, &first,
                                          &length);
        }
    }

    if (length <= 0) {
        return 0;
    }

    send->file_run = ngx_http_vod_send_file_run(r);
    ngx_http_vod_send_seek(send, first, length);

    return 1;
}


/* "bytes=100-", "bytes=100-199", "bytes=-100"; else all */

static void
ngx_http_vod_send_guess_range(ngx_str_t *range, off_t length, off_t *first,
    off_t *len)
{
    off_t    from, to;
    u_char  *p, *dash, *last;

    p = range->data;
    last = range->data + range->len;

    if (range->len < 7 || ngx_strncasecmp(p, (u_char *) "bytes=", 6) != 0) {
        return;
    }

    p += 6;

    dash = ngx_strlchr(p, last, '-');
    if (dash == NULL) {
        return;
    }

    from = ngx_atoof(p, dash - p);
    to = ngx_atoof(dash + 1, last - dash - 1);

    if (dash == p && to >= 0) {
        from = (to < length) ? length - to : 0;
        to = length - 1;

    } else if (dash + 1 == last) {
        to = length - 1;
    }

    if (from < 0 || to < 0) {
        return;
    }

    *first = from;
    *len = ngx_min(to, length - 1) - from + 1;
}


/* now it is known what is to be sent, and how */

static void
ngx_http_vod_send_settle(ngx_http_request_t *r, ngx_http_vod_send_t *send)
{
    off_t     first, length;
    uint64_t  file_run;

    first = 0;
    length = send->answer.length;

    if (r->headers_out.status == NGX_HTTP_PARTIAL_CONTENT
        && r->headers_out.content_length_n >= 0)
    {
        /* the range filter has said so, see there */

        first = r->headers_out.content_offset;
        length = r->headers_out.content_length_n;
    }

    file_run = ngx_http_vod_send_file_run(r);

    if (send->ready && first == send->first && length == send->length
        && file_run == send->file_run)
    {
        return;
    }

    send->file_run = file_run;
    ngx_http_vod_send_seek(send, first, length);
}


static uint64_t
ngx_http_vod_send_file_run(ngx_http_request_t *r)
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
        return (uint64_t) -1;
    }

    return (clcf->aio == NGX_HTTP_AIO_THREADS) ? NGX_HTTP_VOD_FILE_RUN_THREAD
                                               : NGX_HTTP_VOD_FILE_RUN;
}


/* to the first byte that is wanted */

static void
ngx_http_vod_send_seek(ngx_http_vod_send_t *send, off_t first, off_t length)
{
    off_t                   n;
    ngx_http_vod_gather_t  *gather;

    gather = &send->gather;

    send->first = first;
    send->length = length;
    send->left = length;
    send->skipped = first;
    send->window_len = 0;
    send->ready = 0;

    n = ngx_min(first, (off_t) send->answer.head_len);
    send->head = send->answer.head + n;
    send->head_len = send->answer.head_len - n;
    first -= n;

    gather->run = send->answer.runs;

    while (first && first >= (off_t) gather->run->len) {
        first -= gather->run->len;
        gather->run++;
    }

    gather->skip = first;

    if ((off_t) send->head_len > send->left) {
        send->head_len = send->left;
    }
}
