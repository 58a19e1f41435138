/*
 * The gzip form of a text: made once, kept in the zone, taken back to plain
 * text where a filter of nginx turns out to work on it.
 */

#include "ngx_http_vod_gzip.h"

#include "../core/vod_index.h"

#include <zlib.h>


/*
 * Texts above this length are compressed by a thread.  Measured: playlists
 * take 9 to 15 ns a byte, and 60 us for zlib's memory, so that the event loop
 * is held for half a millisecond at most.
 */
#define NGX_HTTP_VOD_GZIP_THREAD  (32 * 1024)

/*
 * Of 143073 bytes of a media playlist level 1 leaves 12835 (0.6 ms), level 6
 * 11317 (1.7 ms), level 9 10215 (7 ms).
 */
#define NGX_HTTP_VOD_GZIP_LEVEL   6

/* for windowBits: with the header and trailer of RFC 1952 */
#define NGX_HTTP_VOD_GZIP_WRAP    16

/* "Unix" in the OS field, as nginx's own; the same on all nodes */
#define NGX_HTTP_VOD_GZIP_OS      3


struct ngx_http_vod_gzip_s {
    ngx_http_vod_key_t       key;
    ngx_http_vod_answer_t    answer;    /* plain, until the task is done */
    ngx_str_t               *path;

    u_char                  *out;       /* in the request pool */
    size_t                   len;       /* 0: not shorter than the text */
    uint64_t                 etag;
    int                      rc;        /* zlib's */
};


static void ngx_http_vod_gzip_work(void *data);
static void ngx_http_vod_gzip_done(ngx_http_request_t *r, void *data);
static ngx_int_t ngx_http_vod_gzip_add_header(ngx_http_request_t *r,
    const char *key, const char *value, ngx_table_elt_t **header);
static ngx_int_t ngx_http_vod_gzip_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_gzip_undo(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static u_char *ngx_http_vod_gzip_inflate(ngx_http_request_t *r, u_char *in,
    size_t len, size_t *size);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


ngx_uint_t
ngx_http_vod_gzip_wanted(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (r != r->main || ctx->uri.what == VOD_URI_INIT) {
        return 0;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    r->gzip_vary = 1;

    /* a proxy that always gets the plain form need not keep several */

    answer->vary = (r->http_version >= clcf->gzip_http_version
                    && (r->headers_in.via == NULL
                        || !(clcf->gzip_proxied
                             & NGX_HTTP_GZIP_PROXIED_OFF)));

    return ngx_http_gzip_ok(r) == NGX_OK;
}


ngx_int_t
ngx_http_vod_gzip(ngx_http_request_t *r, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_gzip_t  *gzip;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    gzip = ngx_pcalloc(r->pool, sizeof(ngx_http_vod_gzip_t));
    if (gzip == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    gzip->out = ngx_pnalloc(r->pool, answer->head_len);
    if (gzip->out == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    gzip->key = *key;
    gzip->answer = *answer;
    gzip->path = &ctx->path;

    if (answer->head_len > NGX_HTTP_VOD_GZIP_THREAD) {

        if (ngx_http_vod_thread_run(r, ngx_http_vod_gzip_work,
                                    ngx_http_vod_gzip_done, gzip,
                                    ngx_http_vod_resume)
            != NGX_OK)
        {
            /* the plain form is at hand */
            return NGX_OK;
        }

        ctx->gzip = gzip;

        return NGX_DONE;
    }

    ngx_http_vod_gzip_work(gzip);
    ngx_http_vod_gzip_done(r, gzip);
    ngx_http_vod_gzip_result(gzip, answer);

    return NGX_OK;
}


/* in a thread, or for a short text in the event loop */

static void
ngx_http_vod_gzip_work(void *data)
{
    ngx_http_vod_gzip_t *gzip = data;

    z_stream   zs;
    gz_header  header;

    ngx_memzero(&zs, sizeof(z_stream));
    ngx_memzero(&header, sizeof(gz_header));

    gzip->rc = deflateInit2(&zs, NGX_HTTP_VOD_GZIP_LEVEL, Z_DEFLATED,
                            MAX_WBITS + NGX_HTTP_VOD_GZIP_WRAP,
                            MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY);
    if (gzip->rc != Z_OK) {
        return;
    }

    header.os = NGX_HTTP_VOD_GZIP_OS;

    (void) deflateSetHeader(&zs, &header);

    /* what does not get shorter has no room */

    zs.next_in = gzip->answer.head;
    zs.avail_in = gzip->answer.head_len;
    zs.next_out = gzip->out;
    zs.avail_out = gzip->answer.head_len - 1;

    gzip->rc = deflate(&zs, Z_FINISH);

    if (gzip->rc == Z_STREAM_END) {
        gzip->len = zs.total_out;

        /* of the bytes: another zlib may give others */
        gzip->etag = vod_hash64(gzip->answer.etag, gzip->out, gzip->len);
    }

    (void) deflateEnd(&zs);
}


/* in the event loop again, perhaps without a client */

static void
ngx_http_vod_gzip_done(ngx_http_request_t *r, void *data)
{
    ngx_http_vod_gzip_t *gzip = data;

    ngx_http_vod_meta_t        meta;
    ngx_http_vod_main_conf_t  *vmcf;

    if (gzip->rc < 0 && gzip->rc != Z_BUF_ERROR) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "\"%V\" vod: zlib cannot compress %uz bytes: %d",
                      gzip->path, gzip->answer.head_len, gzip->rc);
        return;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http vod gzip bytes:%uz of:%uz",
                   gzip->len, gzip->answer.head_len);

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    meta.len = gzip->len;
    meta.etag = gzip->etag;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    (void) ngx_http_vod_zone_put(vmcf->zone, &gzip->key, &meta, gzip->out);

    if (gzip->len == 0) {
        return;
    }

    (void) ngx_pfree(r->pool, gzip->answer.head);

    gzip->answer.head = gzip->out;
    gzip->answer.head_len = gzip->len;
    gzip->answer.length = gzip->len;
    gzip->answer.etag = gzip->etag;
    gzip->answer.gzip = 1;
}


void
ngx_http_vod_gzip_result(ngx_http_vod_gzip_t *gzip,
    ngx_http_vod_answer_t *answer)
{
    *answer = gzip->answer;
}


ngx_int_t
ngx_http_vod_gzip_headers(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    /* nobody has switched this on, so it has to be right without gzip_vary */

    if (answer->vary && !clcf->gzip_vary
        && ngx_http_vod_gzip_add_header(r, "Vary", "Accept-Encoding", NULL)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (answer->gzip) {
        return ngx_http_vod_gzip_add_header(r, "Content-Encoding", "gzip",
                                            &r->headers_out.content_encoding);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_gzip_add_header(ngx_http_request_t *r, const char *key,
    const char *value, ngx_table_elt_t **header)
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
    h->key.data = (u_char *) key;
    h->key.len = ngx_strlen(key);
    h->value.data = (u_char *) value;
    h->value.len = ngx_strlen(value);

    if (header) {
        *header = h;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_gzip_send_header(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer)
{
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    if (!answer->gzip) {
        return ngx_http_send_header(r);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ctx->text = answer;

    rc = ngx_http_send_header(r);

    ctx->text = NULL;

    if (rc == NGX_OK && !answer->passed && !r->header_only) {
        /* a filter holds the header back, to make another body (XSLT) */
        rc = ngx_http_vod_gzip_undo(r, answer);
    }

    return rc;
}


/*
 * Stands behind the filters that work on text, before those that compress.
 * They have said by now that they need the body in memory, or that its length
 * is going to be another one.  (main_filter_need_in_memory says nothing: TLS
 * sets it.)
 */

static ngx_int_t
ngx_http_vod_gzip_header_filter(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_answer_t  *answer;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx == NULL || ctx->text == NULL || r != r->main) {
        return ngx_http_next_header_filter(r);
    }

    answer = ctx->text;
    answer->passed = 1;

    /* 304 has lost its encoding */

    if (r->headers_out.content_encoding
        && (r->filter_need_in_memory || r->headers_out.content_length_n == -1)
        && ngx_http_vod_gzip_undo(r, answer) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/* the answer is the plain text after all */

static ngx_int_t
ngx_http_vod_gzip_undo(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    size_t   size;
    u_char  *text;

    text = ngx_http_vod_gzip_inflate(r, answer->head, answer->head_len, &size);
    if (text == NULL) {
        return NGX_ERROR;
    }

    answer->head = text;
    answer->head_len = size;
    answer->length = size;
    answer->gzip = 0;

    if (r->headers_out.content_encoding) {
        r->headers_out.content_encoding->hash = 0;
        r->headers_out.content_encoding = NULL;
    }

    if (r->headers_out.content_length_n != -1) {
        r->headers_out.content_length_n = size;
    }

    /* the strong one is that of the compressed bytes */
    ngx_http_weak_etag(r);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http vod gzip undone:%uz", size);

    return NGX_OK;
}


static u_char *
ngx_http_vod_gzip_inflate(ngx_http_request_t *r, u_char *in, size_t len,
    size_t *size)
{
    int        rc;
    u_char    *p, *out;
    z_stream   zs;

    /* we made it: its last four bytes are the length of the text */

    p = in + len - 4;
    *size = p[0] | p[1] << 8 | p[2] << 16 | (size_t) p[3] << 24;

    out = ngx_pnalloc(r->pool, *size);
    if (out == NULL) {
        return NULL;
    }

    ngx_memzero(&zs, sizeof(z_stream));

    zs.next_in = in;
    zs.avail_in = len;
    zs.next_out = out;
    zs.avail_out = *size;

    rc = inflateInit2(&zs, MAX_WBITS + NGX_HTTP_VOD_GZIP_WRAP);

    if (rc == Z_OK) {
        rc = inflate(&zs, Z_FINISH);
        (void) inflateEnd(&zs);
    }

    if (rc != Z_STREAM_END || zs.avail_out) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "vod: zlib cannot unpack %uz bytes: %d", len, rc);
        return NULL;
    }

    return out;
}


void
ngx_http_vod_gzip_init(void)
{
    ngx_http_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_vod_gzip_header_filter;
}
