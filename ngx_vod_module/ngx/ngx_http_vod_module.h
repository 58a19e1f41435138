/*
 * The nginx room: configuration, request context, and the functions its files
 * share.  In the order of a request: handler, file, index (zone, thread),
 * answer, send (gather).
 */

#ifndef _NGX_HTTP_VOD_MODULE_H_INCLUDED_
#define _NGX_HTTP_VOD_MODULE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "../core/vod_err.h"
#include "../core/vod_segment.h"
#include "../core/vod_uri.h"


#if !(NGX_THREADS)
#error "ngx_http_vod_module needs nginx built with --with-threads"
#endif


#define NGX_HTTP_VOD_VERSION  "0.1.0"


typedef struct ngx_http_vod_zone_s  ngx_http_vod_zone_t;
typedef struct ngx_http_vod_send_s  ngx_http_vod_send_t;
typedef struct ngx_http_vod_work_s  ngx_http_vod_work_t;


typedef struct {
    ngx_shm_zone_t       *shm_zone;     /* made with 64m without being asked */
    size_t                zone_size;
} ngx_http_vod_main_conf_t;


typedef struct {
    ngx_flag_t            enable;
    ngx_msec_t            segment_duration;
    ngx_flag_t            mmap;
    ngx_thread_pool_t    *thread_pool;  /* of "aio threads=", or "default" */
} ngx_http_vod_loc_conf_t;


/* which bytes these are; see HAZARDS: never the path */
typedef struct {
    uint64_t              dev;
    uint64_t              ino;
    uint64_t              size;
    int64_t               mtime_sec;
    uint64_t              mtime_nsec;
} ngx_http_vod_file_id_t;


typedef struct {
    vod_uri_t             uri;

    ngx_str_t             path;         /* of the media file, 0-terminated */
    ngx_fd_t              fd;           /* the request pool closes it */
    ngx_http_vod_file_id_t id;
    unsigned              directio:1;   /* file is larger than "directio" */

    ngx_http_vod_work_t  *work;         /* thread task in flight, or NULL */
    ngx_http_vod_send_t  *send;         /* body being sent; send.c's own */

    ngx_uint_t            cache;        /* NGX_HTTP_VOD_CACHE_* */
    off_t                 read_bytes;   /* read from the source by us */
} ngx_http_vod_ctx_t;


#define NGX_HTTP_VOD_CACHE_NONE      0
#define NGX_HTTP_VOD_CACHE_HIT       1  /* all came from the zone */
#define NGX_HTTP_VOD_CACHE_MISS      2  /* this request built the index */
#define NGX_HTTP_VOD_CACHE_WAIT      3  /* it waited for another's build */
#define NGX_HTTP_VOD_CACHE_UNCACHED  4  /* built, but the zone has no room */


/* what is to be sent: bytes in memory, then runs of the file */
typedef struct {
    ngx_str_t             type;
    uint64_t              etag;
    u_char               *head;         /* in the request pool */
    size_t                head_len;
    vod_run_t            *runs;         /* in the request pool; source 0 */
    ngx_uint_t            nruns;
    off_t                 length;       /* head_len + sum of runs */
} ngx_http_vod_answer_t;


extern ngx_module_t  ngx_http_vod_module;


/* ngx_http_vod_handler.c: the request, top to bottom */
ngx_int_t ngx_http_vod_handler(ngx_http_request_t *r);


/*
 * ngx_http_vod_thread.c: the only place that touches blocked and aio.
 *
 * Posts work(data) to the location's thread pool; work() uses nothing but
 * data.  When it has run, resume(r) is called in the event loop, through
 * r->write_event_handler, with the request's reference given back: it ends
 * with ngx_http_finalize_request() exactly once, as a write event handler
 * does.  data must live until then: allocate it in the request pool, or free
 * it in a pool cleanup.  One task in flight per request.
 *
 * NGX_OK: posted, the caller returns NGX_DONE to nginx.  NGX_BUSY: the
 * pool's queue is full.  NGX_ERROR: no memory.
 */
typedef void (*ngx_http_vod_work_pt)(void *data);
typedef void (*ngx_http_vod_resume_pt)(ngx_http_request_t *r);

ngx_int_t ngx_http_vod_thread_post(ngx_http_request_t *r,
    ngx_http_vod_work_pt work, void *data, ngx_http_vod_resume_pt resume);


/*
 * ngx_http_vod_send.c: header and body.  Status 200 (filters make 206, 304,
 * 412, 416 of it), type, length, ETag, Last-Modified, ranges; then head and
 * runs: long runs as file buffers, short ones gathered window by window as
 * the socket drains.  Returns what a content handler returns, NGX_DONE where
 * it goes on by itself (the request's reference is then its own).
 */
ngx_int_t ngx_http_vod_send(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);


/* counters shared by all workers, in the zone; see ngx_http_vod_status.c */
void ngx_http_vod_count_read(ngx_http_request_t *r, off_t bytes);


#endif /* _NGX_HTTP_VOD_MODULE_H_INCLUDED_ */
