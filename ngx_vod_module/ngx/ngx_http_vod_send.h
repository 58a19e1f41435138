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


typedef void (*ngx_http_vod_filled_pt)(ngx_http_request_t *r, ngx_int_t rc);


struct ngx_http_vod_send_s {
    ngx_http_vod_answer_t   answer;
    off_t                   first;          /* of its bytes to be sent, and */
    off_t                   length;         /* how many of them */

    u_char                 *head;           /* not yet handed over */
    size_t                  head_len;
    off_t                   skipped;        /* by a Range, likewise */
    off_t                   left;           /* to be sent, likewise */
    off_t                   turn;           /* handed over without a wait */

    ngx_http_vod_gather_t   gather;         /* run and skip: the body's next */
    ngx_http_vod_window_t   window;
    size_t                  window_len;     /* to be handed over */
    size_t                  gathered;       /* of them, from the file */
    ngx_http_vod_filled_pt  filled;         /* when others have filled it */
    ngx_http_vod_file_id_t  seen;           /* the file, after that */

    ngx_file_t              file;
    ngx_fd_t                direct;         /* opened for direct transfer */
    ngx_buf_t               bufs[NGX_HTTP_VOD_PARTS];

    uint64_t                file_run;       /* long enough for a file buffer */
    unsigned                map:1;          /* to be tried */
    unsigned                ready:1;        /* the window has been filled */

    /* where the thread pool has no place for a window to be read */
    ngx_event_t             retry;
    ngx_msec_t              refused;        /* for the first time */
    ngx_msec_t              delay;          /* of the last retry; 0: none */
};


/*
 * ngx_http_vod_fill.c: fills the window with the short runs that come next,
 * if any.  NGX_OK: done.  NGX_DONE: a thread does, which has taken a reference
 * of the request; NGX_AGAIN: a thread will, when there is one: send->filled()
 * follows with one of the others.  NGX_DECLINED: the file is no longer what
 * it was, but send->seen; NGX_BUSY: there was no thread for send_timeout; else
 * NGX_ERROR, or a status; what is wrong has been logged, but for NGX_DECLINED.
 */
ngx_int_t ngx_http_vod_fill(ngx_http_request_t *r, ngx_http_vod_send_t *send);

/* a large window had to be held: for a while there are only small ones */
void ngx_http_vod_fill_small(void);

/*
 * ngx_http_vod_body.c: goes on with the body.  NGX_OK: all handed over,
 * nginx's writer does the rest; NGX_AGAIN: the write handler goes on;
 * NGX_DONE: a thread task does, which has taken a reference of the request;
 * NGX_ERROR.
 */
ngx_int_t ngx_http_vod_body(ngx_http_request_t *r, ngx_http_vod_send_t *send);


#endif /* _NGX_HTTP_VOD_SEND_H_INCLUDED_ */
