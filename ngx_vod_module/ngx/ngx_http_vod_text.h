/*
 * Answers that the zone keeps as text: playlists, MPD, headers, and segments of
 * subtitles that are not long.
 */

#ifndef _NGX_HTTP_VOD_TEXT_H_INCLUDED_
#define _NGX_HTTP_VOD_TEXT_H_INCLUDED_

#include "ngx_http_vod_zone.h"


/*
 * What is to be sent of any but a segment.  NGX_OK; NGX_DONE: it is compressed
 * in a thread, the request is resumed; NGX_DECLINED: index or timeline are not
 * at hand; else the status.
 */
ngx_int_t ngx_http_vod_answer_text(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);

/* the request's key in the zone */
void ngx_http_vod_text_key(ngx_http_request_t *r, ngx_http_vod_key_t *key);

/*
 * The answer that the zone has under this key, in the request pool.  NGX_OK;
 * NGX_DECLINED: it has none; else the status.
 */
ngx_int_t ngx_http_vod_copy_text(ngx_http_request_t *r,
    ngx_http_vod_key_t *key, ngx_http_vod_answer_t *answer);

/*
 * NGX_OK, or 404: the URL has the token of another version of the file, or of
 * its cuts, than these VOD_TOKEN_LEN bytes.
 */
ngx_int_t ngx_http_vod_test_token(ngx_http_request_t *r, const void *token);


#endif /* _NGX_HTTP_VOD_TEXT_H_INCLUDED_ */
