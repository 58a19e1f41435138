/*
 * Numbers that only grow: see the header.
 */

#include "ngx_http_vod_metrics.h"


/* workers that have a part of their own */
#define NGX_HTTP_VOD_METRICS_PARTS  32


/* apart from each other by a cache line, and the one fetched beside it */
typedef union {
    ngx_http_vod_metrics_t  metrics;
    u_char                  room[(sizeof(ngx_http_vod_metrics_t) + 127)
                                 / 128 * 128];
} ngx_http_vod_metrics_part_t;


static ngx_int_t ngx_http_vod_metrics_init(ngx_shm_zone_t *shm_zone,
    void *data);
static void ngx_http_vod_metrics_observe(ngx_http_vod_histogram_t *h,
    uint64_t usec);
static ngx_uint_t ngx_http_vod_error_of_limit(const char *text);


#define ngx_http_vod_metrics_inc(counter)                                     \
    (void) ngx_atomic_fetch_add(&(counter), 1)


const char *const  ngx_http_vod_bounds[NGX_HTTP_VOD_BUCKETS - 1] = {
    "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
    "0.5", "1.0", "2.5", "5.0", "10.0", "30.0"
};

/* the same, microseconds */

static const uint64_t  ngx_http_vod_bounds_usec[NGX_HTTP_VOD_BUCKETS - 1] = {
    1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000,
    500000, 1000000, 2500000, 5000000, 10000000, 30000000
};

const char *const  ngx_http_vod_caches[NGX_HTTP_VOD_CACHES] = {
    "none", "hit", "miss", "wait", "uncached"
};


/* a process's own; NULL where there is no zone */
static ngx_http_vod_metrics_t  *ngx_http_vod_metrics;


ngx_int_t
ngx_http_vod_metrics_add(ngx_conf_t *cf, ngx_http_vod_main_conf_t *vmcf)
{
    size_t           size;
    ngx_str_t        name = ngx_string("vod_metrics");
    ngx_shm_zone_t  *shm_zone;

    /* and what the slab pool takes for itself */

    size = NGX_HTTP_VOD_METRICS_PARTS * sizeof(ngx_http_vod_metrics_part_t);
    size = ngx_align(size + size / 16, ngx_pagesize) + 8 * ngx_pagesize;

    shm_zone = ngx_shared_memory_add(cf, &name, size, &ngx_http_vod_module);
    if (shm_zone == NULL) {
        return NGX_ERROR;
    }

    shm_zone->init = ngx_http_vod_metrics_init;
    shm_zone->data = vmcf;

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_metrics_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_http_vod_main_conf_t *ovmcf = data;

    size_t                     size;
    ngx_slab_pool_t           *shpool;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = shm_zone->data;
    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (ovmcf) {
        vmcf->metrics = ovmcf->metrics;
        return NGX_OK;
    }

    if (shm_zone->shm.exists) {
        vmcf->metrics = shpool->data;
        return NGX_OK;
    }

    size = NGX_HTTP_VOD_METRICS_PARTS * sizeof(ngx_http_vod_metrics_part_t);

    vmcf->metrics = ngx_slab_calloc(shpool, size);
    if (vmcf->metrics == NULL) {
        return NGX_ERROR;
    }

    shpool->data = vmcf->metrics;

    return NGX_OK;
}


void
ngx_http_vod_metrics_init_process(ngx_http_vod_main_conf_t *vmcf)
{
    ngx_http_vod_metrics_part_t  *parts;

    parts = vmcf->metrics;

    ngx_http_vod_metrics =
                &parts[ngx_process_slot % NGX_HTTP_VOD_METRICS_PARTS].metrics;
}


void
ngx_http_vod_metrics_sum(ngx_http_vod_main_conf_t *vmcf,
    ngx_http_vod_metrics_t *sum)
{
    ngx_uint_t                    i, n;
    ngx_atomic_t                 *from, *to;
    ngx_http_vod_metrics_part_t  *parts;

    ngx_memzero(sum, sizeof(ngx_http_vod_metrics_t));

    /* it is numbers of one type throughout */

    to = (ngx_atomic_t *) sum;
    parts = vmcf->metrics;

    for (i = 0; i < NGX_HTTP_VOD_METRICS_PARTS; i++) {
        from = (ngx_atomic_t *) &parts[i].metrics;

        for (n = 0; n < sizeof(ngx_http_vod_metrics_t) / sizeof(*from); n++) {
            to[n] += from[n];
        }
    }
}


static void
ngx_http_vod_metrics_observe(ngx_http_vod_histogram_t *h, uint64_t usec)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_HTTP_VOD_BUCKETS - 1; i++) {
        if (usec <= ngx_http_vod_bounds_usec[i]) {
            break;
        }
    }

    ngx_http_vod_metrics_inc(h->buckets[i]);

    if (usec) {
        (void) ngx_atomic_fetch_add(&h->sum, (ngx_atomic_int_t) usec);
    }
}


void
ngx_http_vod_metrics_request(ngx_http_vod_ctx_t *ctx)
{
    off_t                 bytes;
    ngx_uint_t            error, cache;
    ngx_connection_t     *c;
    ngx_http_request_t   *r;
    ngx_http_vod_cell_t  *cell;

    if (ngx_http_vod_metrics == NULL) {
        return;
    }

    r = ctx->request;
    c = r->connection;

    error = ngx_http_vod_error(r, ctx);
    cache = ctx->cache;

    if (error) {
        ngx_http_vod_metrics_inc(ngx_http_vod_metrics->errors[error]);

        if (!ctx->answered) {
            cache = NGX_HTTP_VOD_CACHE_NONE;
        }
    }

    cell = &ngx_http_vod_metrics->cells[ctx->uri.what][cache];

    if (ctx->answered) {
        ngx_http_vod_metrics_observe(&cell->first,
                                     (uint64_t) ctx->first * 1000);
    }

    ngx_http_vod_metrics_observe(&cell->whole,
                                 (uint64_t) ngx_http_vod_elapsed(r) * 1000);

    /* as $body_bytes_sent; those of a subrequest are the main request's */

    bytes = (r == r->main) ? c->sent - (off_t) r->header_size : 0;

    if (bytes > 0) {
        (void) ngx_atomic_fetch_add(&cell->bytes, (ngx_atomic_int_t) bytes);
    }
}


void
ngx_http_vod_metrics_wait(uint64_t usec)
{
    if (ngx_http_vod_metrics) {
        ngx_http_vod_metrics_observe(&ngx_http_vod_metrics->wait, usec);
    }
}


void
ngx_http_vod_metrics_build(ngx_http_request_t *r, ngx_uint_t indexed,
    vod_err_t *err)
{
    ngx_uint_t  error;

    if (ngx_http_vod_metrics == NULL) {
        return;
    }

    if (indexed) {
        ngx_http_vod_metrics_observe(&ngx_http_vod_metrics->build,
                                     ngx_http_vod_thread_spent(r));
    }

    if (err->code != VOD_OK) {
        error = ngx_http_vod_error_of(err->code, err->text);
        ngx_http_vod_metrics_inc(ngx_http_vod_metrics->failures[error]);
    }
}


/* as $request_time */

ngx_msec_t
ngx_http_vod_elapsed(ngx_http_request_t *r)
{
    ngx_time_t      *tp;
    ngx_msec_int_t   ms;

    tp = ngx_timeofday();

    ms = (ngx_msec_int_t) ((tp->sec - r->start_sec) * 1000
                           + (tp->msec - r->start_msec));

    return (ngx_msec_t) ngx_max(ms, 0);
}


ngx_uint_t
ngx_http_vod_error_of(int code, const char *text)
{
    switch (code) {

    case VOD_NOT_FOUND:
        return NGX_HTTP_VOD_ERROR_NOT_FOUND;

    case VOD_UNSUPPORTED:
        return NGX_HTTP_VOD_ERROR_UNSUPPORTED;

    case VOD_DAMAGED:
        return NGX_HTTP_VOD_ERROR_DAMAGED;

    case VOD_LIMIT:
        return ngx_http_vod_error_of_limit(text);

    case VOD_RANGE:
        return NGX_HTTP_VOD_ERROR_ARGUMENTS;

    case NGX_HTTP_VOD_QUARANTINED:
        return NGX_HTTP_VOD_ERROR_QUARANTINED;

    case VOD_TIMEOUT:
        return NGX_HTTP_VOD_ERROR_TIMEOUT;

    case VOD_IO:
        return NGX_HTTP_VOD_ERROR_IO;

    case VOD_NOMEM:
        return NGX_HTTP_VOD_ERROR_MEMORY;

    default: /* VOD_INTERNAL */
        return NGX_HTTP_VOD_ERROR_INTERNAL;
    }
}


/* the reason names the directive that would have to be changed */

static ngx_uint_t
ngx_http_vod_error_of_limit(const char *text)
{
    if (ngx_strstr(text, "vod_max_index_size")) {
        return NGX_HTTP_VOD_ERROR_LIMIT_INDEX;
    }

    if (ngx_strstr(text, "vod_max_samples")) {
        return NGX_HTTP_VOD_ERROR_LIMIT_SAMPLES;
    }

    if (ngx_strstr(text, "vod_max_tracks")) {
        return NGX_HTTP_VOD_ERROR_LIMIT_TRACKS;
    }

    if (ngx_strstr(text, "vod_max_segments")) {
        return NGX_HTTP_VOD_ERROR_LIMIT_SEGMENTS;
    }

    return NGX_HTTP_VOD_ERROR_LIMIT;
}


ngx_uint_t
ngx_http_vod_error(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    if (ctx && ctx->error) {
        return ctx->error;
    }

    return ngx_http_vod_error_of_status(r->err_status
                                        ? r->err_status
                                        : r->headers_out.status);
}


ngx_uint_t
ngx_http_vod_error_of_status(ngx_uint_t status)
{
    switch (status) {

    case NGX_HTTP_NOT_FOUND:
        return NGX_HTTP_VOD_ERROR_NOT_FOUND;

    case NGX_HTTP_UNAUTHORIZED:
    case NGX_HTTP_FORBIDDEN:
        return NGX_HTTP_VOD_ERROR_FORBIDDEN;

    case NGX_HTTP_NOT_ALLOWED:
        return NGX_HTTP_VOD_ERROR_METHOD;

    case NGX_HTTP_RANGE_NOT_SATISFIABLE:
        return NGX_HTTP_VOD_ERROR_RANGE;

    case NGX_HTTP_CLIENT_CLOSED_REQUEST:
        return NGX_HTTP_VOD_ERROR_CLOSED;

    case NGX_HTTP_TOO_MANY_REQUESTS:
    case NGX_HTTP_SERVICE_UNAVAILABLE:
        return NGX_HTTP_VOD_ERROR_BUSY;

    default:
        return (status >= NGX_HTTP_INTERNAL_SERVER_ERROR)
               ? NGX_HTTP_VOD_ERROR_INTERNAL : NGX_HTTP_VOD_ERROR_NONE;
    }
}


const char *
ngx_http_vod_error_name(ngx_uint_t error)
{
    static const char  *names[NGX_HTTP_VOD_ERRORS] = {
        "",
        "not_found",
        "forbidden",
        "method",
        "range",
        "closed",
        "unsupported",
        "damaged",
        "limit",
        "limit_index_size",
        "limit_samples",
        "limit_tracks",
        "limit_segments",
        "quarantined",
        "timeout",
        "busy",
        "changed",
        "io",
        "memory",
        "internal",
        "arguments"
    };

    return names[error];
}
