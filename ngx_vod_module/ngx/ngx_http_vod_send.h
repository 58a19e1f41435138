/*
 * A body being sent: what is kept between the steps in which it is handed
 * over, and the door to what hands it over.
 */

#ifndef _NGX_HTTP_VOD_SEND_H_INCLUDED_
#define _NGX_HTTP_VOD_SEND_H_INCLUDED_

#include "ngx_http_vod_gather.h"


/* the parts of a step, in this order */
#define NGX_HTTP_VOD_PART_SKIPPED  0
#define NGX_HTTP_VOD_PART_HEAD     1
#define NGX_HTTP_VOD_PART_WINDOW   2
#define NGX_HTTP_VOD_PART_FILE     3
#define NGX_HTTP_VOD_PARTS         4


struct ngx_http_vod_send_s {
    u_char                 *head;           /* not yet handed over */
    size_t                  head_len;
    off_t                   skipped;        /* by a Range, likewise */
    off_t                   left;           /* to be sent, likewise */
    off_t                   turn;           /* handed over without a wait */

    ngx_http_vod_gather_t   gather;         /* run and skip: the body's next */
    ngx_http_vod_window_t   window;
    size_t                  window_len;     /* to be handed over */
    size_t                  gathered;       /* of them, from the file */

    ngx_file_t              file;
    ngx_fd_t                direct;         /* opened for direct transfer */
    ngx_buf_t               bufs[NGX_HTTP_VOD_PARTS];

    uint64_t                file_run;       /* long enough for a file buffer */
    unsigned                map:1;          /* to be tried */

    /* where the thread pool has no place for a window to be read */
    ngx_event_t             retry;
    ngx_msec_t              refused;        /* for the first time */
    ngx_msec_t              delay;          /* of the last retry; 0: none */
};


/*
 * ngx_http_vod_body.c: goes on with the body.  NGX_OK: all handed over,
 * nginx's writer does the rest; NGX_AGAIN: the write handler goes on;
 * NGX_DONE: a thread task does, which has taken a reference of the request;
 * NGX_ERROR.
 */
ngx_int_t ngx_http_vod_body(ngx_http_request_t *r, ngx_http_vod_send_t *send);


#endif /* _NGX_HTTP_VOD_SEND_H_INCLUDED_ */
