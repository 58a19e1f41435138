/*
 * The status location: what the zone and its counters say, as JSON or, with
 * ?format=prometheus, as Prometheus text (exposition format 0.0.4).  One
 * table names every number once.
 */

#include "ngx_http_vod_module.h"
#include "ngx_http_vod_zone.h"


typedef struct {
    const char             *group;      /* of JSON, "" = none */
    const char             *name;       /* in the group */
    const char             *metric;     /* of Prometheus */
    const char             *label;      /* its label's value, "" = none */
    ngx_uint_t              counter;    /* else a gauge */
    ngx_atomic_uint_t       value;
} ngx_http_vod_number_t;


#define NGX_HTTP_VOD_NUMBERS     32     /* at most */
#define NGX_HTTP_VOD_NUMBER_LEN  160    /* longest line and its TYPE line */


static ngx_uint_t ngx_http_vod_collect(ngx_http_vod_counters_t *c,
    ngx_http_vod_zone_stat_t *stat, ngx_http_vod_number_t *numbers);
static u_char *ngx_http_vod_status_json(u_char *p,
    ngx_http_vod_number_t *numbers, ngx_uint_t n);
static u_char *ngx_http_vod_status_text(u_char *p,
    ngx_http_vod_number_t *numbers, ngx_uint_t n);


ngx_int_t
ngx_http_vod_status_handler(ngx_http_request_t *r)
{
    size_t                     size;
    ngx_int_t                  rc;
    ngx_buf_t                 *b;
    ngx_str_t                  format;
    ngx_uint_t                 n;
    ngx_chain_t                out;
    ngx_http_vod_number_t      numbers[NGX_HTTP_VOD_NUMBERS];
    ngx_http_vod_main_conf_t  *vmcf;
    ngx_http_vod_zone_stat_t   stat;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return NGX_HTTP_NOT_ALLOWED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_http_vod_zone_stat(vmcf->zone, &stat);

    n = ngx_http_vod_collect(&vmcf->zone->sh->counters, &stat, numbers);

    size = (n + 1) * NGX_HTTP_VOD_NUMBER_LEN;

    b = ngx_create_temp_buf(r->pool, size);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_arg(r, (u_char *) "format", 6, &format) == NGX_OK
        && format.len == 10
        && ngx_strncmp(format.data, "prometheus", 10) == 0)
    {
        ngx_str_set(&r->headers_out.content_type,
                    "text/plain; version=0.0.4; charset=utf-8");
        b->last = ngx_http_vod_status_text(b->last, numbers, n);

    } else {
        ngx_str_set(&r->headers_out.content_type, "application/json");
        b->last = ngx_http_vod_status_json(b->last, numbers, n);
    }

    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = b->last - b->pos;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


/* groups and metrics stand together */

static ngx_uint_t
ngx_http_vod_collect(ngx_http_vod_counters_t *c,
    ngx_http_vod_zone_stat_t *stat, ngx_http_vod_number_t *numbers)
{
    ngx_http_vod_number_t  all[] = {
        { "index", "builds", "vod_index_builds_total", "", 1, c->builds },
        { "index", "building", "vod_index_building", "", 0, stat->building },
        { "index", "hits", "vod_index_hits_total", "", 1, c->hits },
        { "index", "misses", "vod_index_misses_total", "", 1, c->misses },
        { "index", "waits", "vod_index_waits_total", "", 1, c->waits },
        { "index", "failures", "vod_index_failures_total", "", 1,
          c->failures },
        { "index", "uncached", "vod_index_uncached_total", "", 1,
          c->uncached },

        { "zone", "size", "vod_zone_size_bytes", "", 0, stat->size },
        { "zone", "entries", "vod_zone_entries", "", 0, stat->entries },
        { "zone", "evictions", "vod_zone_evictions_total", "", 1,
          c->evictions },
        { "zone", "free_pages", "vod_zone_free_pages", "", 0,
          stat->free_pages },

        { "requests", "master", "vod_requests_total", "master", 1,
          c->requests[VOD_URI_MASTER] },
        { "requests", "manifest", "vod_requests_total", "manifest", 1,
          c->requests[VOD_URI_MANIFEST] },
        { "requests", "media", "vod_requests_total", "media", 1,
          c->requests[VOD_URI_MEDIA] },
        { "requests", "init", "vod_requests_total", "init", 1,
          c->requests[VOD_URI_INIT] },
        { "requests", "segment", "vod_requests_total", "segment", 1,
          c->requests[VOD_URI_SEGMENT] },
        { "requests", "iframes", "vod_requests_total", "iframes", 1,
          c->requests[VOD_URI_IFRAMES] },
        { "requests", "other", "vod_requests_total", "other", 1,
          c->requests[VOD_URI_NONE] },

        { "", "quarantined", "vod_quarantined", "", 0, stat->quarantined },
        { "", "in_flight", "vod_in_flight", "", 0, stat->in_flight },
        { "", "source_read_bytes", "vod_source_read_bytes_total", "", 1,
          c->read_bytes },
        { "", "waiting", "vod_waiting", "", 0, stat->waiting },
        { "", "shed", "vod_shed_total", "", 1, c->shed }
    };

    ngx_memcpy(numbers, all, sizeof(all));

    return sizeof(all) / sizeof(all[0]);
}


static u_char *
ngx_http_vod_status_json(u_char *p, ngx_http_vod_number_t *numbers,
    ngx_uint_t n)
{
    ngx_uint_t   i;
    const char  *group;

    p = ngx_sprintf(p, "{\"version\":\"%s\"", NGX_HTTP_VOD_VERSION);

    group = "";

    for (i = 0; i < n; i++) {

        if (ngx_strcmp(numbers[i].group, group) == 0) {
            *p++ = ',';

        } else {
            if (*group) {
                *p++ = '}';
            }

            group = numbers[i].group;
            *p++ = ',';

            if (*group) {
                p = ngx_sprintf(p, "\"%s\":{", group);
            }
        }

        p = ngx_sprintf(p, "\"%s\":%uA", numbers[i].name, numbers[i].value);
    }

    if (*group) {
        *p++ = '}';
    }

    return ngx_cpymem(p, "}\n", 2);
}


static u_char *
ngx_http_vod_status_text(u_char *p, ngx_http_vod_number_t *numbers,
    ngx_uint_t n)
{
    ngx_uint_t   i;
    const char  *metric;

    metric = "";

    for (i = 0; i < n; i++) {

        if (ngx_strcmp(numbers[i].metric, metric) != 0) {
            metric = numbers[i].metric;
            p = ngx_sprintf(p, "# TYPE %s %s\n", metric,
                            numbers[i].counter ? "counter" : "gauge");
        }

        if (*numbers[i].label) {
            p = ngx_sprintf(p, "%s{kind=\"%s\"} %uA\n", metric,
                            numbers[i].label, numbers[i].value);

        } else {
            p = ngx_sprintf(p, "%s %uA\n", metric, numbers[i].value);
        }
    }

    return p;
}
