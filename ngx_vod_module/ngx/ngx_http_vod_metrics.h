/*
 * Numbers that only grow: how long requests took, by kind and by where the
 * index came from, what was sent, what went wrong, how long tasks waited and
 * builds took.
 *
 * They are in a zone of their own, "vod_metrics", that is kept across
 * reloads and dead workers.  Each worker adds to a part of
 * its own (where there are more of them than parts, some share one, which is
 * why all is added atomically): no lock, no allocation, and no cache line
 * that other workers write to.  Who reads takes the sum of all parts, which
 * is of no one moment.
 */

#ifndef _NGX_HTTP_VOD_METRICS_H_INCLUDED_
#define _NGX_HTTP_VOD_METRICS_H_INCLUDED_

#include "ngx_http_vod_module.h"


#define NGX_HTTP_VOD_KINDS    VOD_URI_KINDS
#define NGX_HTTP_VOD_CACHES   (NGX_HTTP_VOD_CACHE_UNCACHED + 1)

/* the last one has no upper bound */
#define NGX_HTTP_VOD_BUCKETS  15


typedef struct {
    ngx_atomic_t              buckets[NGX_HTTP_VOD_BUCKETS];  /* each its own */
    ngx_atomic_t              sum;          /* microseconds */
} ngx_http_vod_histogram_t;


/* requests of one kind whose index came from one place */
typedef struct {
    ngx_http_vod_histogram_t  first;        /* until the header is sent */
    ngx_http_vod_histogram_t  whole;        /* until the end */
    ngx_atomic_t              bytes;        /* of bodies, as far as sent */
} ngx_http_vod_cell_t;


typedef struct {
    ngx_http_vod_cell_t       cells[NGX_HTTP_VOD_KINDS][NGX_HTTP_VOD_CACHES];
    ngx_http_vod_histogram_t  build;        /* run time of tasks that index */
    ngx_http_vod_histogram_t  wait;         /* of any task, in the queue */
    ngx_atomic_t              errors[NGX_HTTP_VOD_ERRORS];
    ngx_atomic_t              failures[NGX_HTTP_VOD_ERRORS];    /* of builds */
} ngx_http_vod_metrics_t;


/* at configuration: the zone; NGX_OK or NGX_ERROR */
ngx_int_t ngx_http_vod_metrics_add(ngx_conf_t *cf,
    ngx_http_vod_main_conf_t *vmcf);

/* at the start of a process: the part that is its own */
void ngx_http_vod_metrics_init_process(ngx_http_vod_main_conf_t *vmcf);

/* of a request, when it is over; ctx->request is still whole */
void ngx_http_vod_metrics_request(ngx_http_vod_ctx_t *ctx);

/* a task has been in the queue of the thread pool for so long */
void ngx_http_vod_metrics_wait(uint64_t usec);

/* the sum of all workers */
void ngx_http_vod_metrics_sum(ngx_http_vod_main_conf_t *vmcf,
    ngx_http_vod_metrics_t *sum);

/* upper bounds of the buckets but the last, as text, in seconds */
extern const char *const  ngx_http_vod_bounds[NGX_HTTP_VOD_BUCKETS - 1];

/* "none", "hit", "miss", "wait", "uncached", by NGX_HTTP_VOD_CACHE_* */
extern const char *const  ngx_http_vod_caches[NGX_HTTP_VOD_CACHES];


#endif /* _NGX_HTTP_VOD_METRICS_H_INCLUDED_ */
