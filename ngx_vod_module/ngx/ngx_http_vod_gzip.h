/*
 * Playlists compressed once and kept so in the zone beside the plain text,
 * for clients that accept gzip by nginx's own rules.
 *
 * A compressed answer is a representation of its own: strong ETag, length and
 * ranges are those of its bytes (RFC 9110, 8.8.3 and 14).  Where another
 * filter (SSI, sub_filter, a script) is to work on the text, it gets the text;
 * that shows only when the header goes through the filters, so that a header
 * filter of ours stands behind them.
 */

#ifndef _NGX_HTTP_VOD_GZIP_H_INCLUDED_
#define _NGX_HTTP_VOD_GZIP_H_INCLUDED_

#include "ngx_http_vod_zone.h"


#if (NGX_HTTP_GZIP)

/*
 * Whether the request is to be answered with the gzip form.  Sets r->gzip_vary
 * and answer->vary where that is a question at all.
 */
ngx_uint_t ngx_http_vod_gzip_wanted(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);

/*
 * Compresses a plain answer and keeps the result in the zone under key.
 * NGX_OK: answer is the gzip form, or still the plain one where compressing
 * was of no use, or not possible.  NGX_DONE: a thread does it, the request is
 * resumed with ctx->gzip set.  Else the status to answer with.
 */
ngx_int_t ngx_http_vod_gzip(ngx_http_request_t *r, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer);

/* what came of that */
void ngx_http_vod_gzip_result(ngx_http_vod_gzip_t *gzip,
    ngx_http_vod_answer_t *answer);

/* adds Content-Encoding and Vary to the header; NGX_ERROR: no memory */
ngx_int_t ngx_http_vod_gzip_headers(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);

/*
 * ngx_http_send_header() for a text: afterwards answer->head is what the body
 * is to be, also where a filter needs the plain text.
 */
ngx_int_t ngx_http_vod_gzip_send_header(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);

/* installs the header filter, at postconfiguration */
void ngx_http_vod_gzip_init(void);

#else

#define ngx_http_vod_gzip_wanted(r, answer)       0
#define ngx_http_vod_gzip(r, key, answer)         NGX_OK
#define ngx_http_vod_gzip_result(gzip, answer)
#define ngx_http_vod_gzip_headers(r, answer)      NGX_OK
#define ngx_http_vod_gzip_send_header(r, answer)  ngx_http_send_header(r)
#define ngx_http_vod_gzip_init()

#endif


#endif /* _NGX_HTTP_VOD_GZIP_H_INCLUDED_ */
