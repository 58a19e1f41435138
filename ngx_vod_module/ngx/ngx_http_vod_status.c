/*
 * The status location: what the zones and their counters say, as JSON or,
 * with ?format=prometheus, as text (ngx_http_vod_status_text.c).  One table
 * names every number that stands for itself once.
 */

#include "ngx_http_vod_status.h"


/* the longest number with what is around it, either form */
#define NGX_HTTP_VOD_STATUS_NUMBER     320

/* the longest histogram: a line a bucket, and sum and count */
#define NGX_HTTP_VOD_STATUS_HISTOGRAM  ((NGX_HTTP_VOD_BUCKETS + 2) * 128)


static ngx_http_vod_status_t *ngx_http_vod_status_create(
    ngx_http_request_t *r);
static void ngx_http_vod_status_collect(ngx_http_vod_status_t *st,
    ngx_http_vod_counters_t *c, ngx_http_vod_zone_stat_t *stat);
static size_t ngx_http_vod_status_room(ngx_http_vod_status_t *st);
static void ngx_http_vod_status_form(ngx_http_request_t *r,
    ngx_http_vod_status_t *st);
static ngx_uint_t ngx_http_vod_status_accepts(ngx_http_request_t *r,
    const char *type);
static void ngx_http_vod_status_json(ngx_http_vod_status_t *st);
static void ngx_http_vod_json_numbers(ngx_http_vod_status_t *st);
static void ngx_http_vod_json_errors(ngx_http_vod_status_t *st,
    const char *name, ngx_atomic_t *counters);
static void ngx_http_vod_json_responses(ngx_http_vod_status_t *st);
static void ngx_http_vod_json_histogram(ngx_http_vod_status_t *st,
    const char *name, ngx_http_vod_histogram_t *h);


#define ngx_http_vod_json(st, ...)                                            \
    (st)->p = ngx_slprintf((st)->p, (st)->last, __VA_ARGS__)


ngx_int_t
ngx_http_vod_status_handler(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_buf_t              *b;
    ngx_chain_t             out;
    ngx_http_vod_status_t  *st;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return NGX_HTTP_NOT_ALLOWED;
    }

    rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK) {
        return rc;
    }

    st = ngx_http_vod_status_create(r);
    if (st == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b = ngx_create_temp_buf(r->pool, ngx_http_vod_status_room(st));
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    st->p = b->last;
    st->last = b->end;

    ngx_http_vod_status_form(r, st);

    if (st->p == st->last) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "vod status is longer than %uz bytes",
                      (size_t) (b->end - b->start));
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b->last = st->p;
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


static ngx_http_vod_status_t *
ngx_http_vod_status_create(ngx_http_request_t *r)
{
    ngx_http_vod_status_t     *st;
    ngx_http_vod_main_conf_t  *vmcf;
    ngx_http_vod_zone_stat_t   stat;

    st = ngx_pcalloc(r->pool, sizeof(ngx_http_vod_status_t));
    if (st == NULL) {
        return NULL;
    }

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_http_vod_zone_stat(vmcf->zone, &stat);
    ngx_http_vod_metrics_sum(vmcf, &st->metrics);

    ngx_http_vod_status_collect(st, &vmcf->zone->sh->counters, &stat);

    return st;
}


/* groups, and metrics, stand together; no metric: it has labels there */

static void
ngx_http_vod_status_collect(ngx_http_vod_status_t *st,
    ngx_http_vod_counters_t *c, ngx_http_vod_zone_stat_t *stat)
{
    ngx_http_vod_number_t  all[] = {
        { "index", "builds", "vod_index_builds_total", "",
          "Builds of an index, those in vain included.", 1, c->builds },
        { "index", "building", "vod_index_building", "",
          "Builds that go on.", 0, stat->building },
        { "index", "hits", "vod_index_hits_total", "",
          "Requests answered from the zone.", 1, c->hits },
        { "index", "misses", "vod_index_misses_total", "",
          "Requests answered after a build.", 1, c->misses },
        { "index", "waits", "vod_index_waits_total", "",
          "Requests answered after the build of another.", 1, c->waits },
        { "index", "failures", "", "", "", 1, c->failures },
        { "index", "uncached", "vod_index_uncached_total", "",
          "Requests answered from an index that the zone had no room for.",
          1, c->uncached },

        { "zone", "size", "vod_zone_size_bytes", "",
          "Size of the zone.", 0, stat->size },
        { "zone", "used_bytes", "vod_zone_used_bytes", "",
          "Bytes of the zone that objects take, in whole pages.",
          0, (stat->pages - stat->free_pages) * ngx_pagesize },
        { "zone", "free_bytes", "vod_zone_free_bytes", "",
          "Bytes of the zone that are free, in whole pages.",
          0, stat->free_pages * ngx_pagesize },
        { "zone", "free_pages", "vod_zone_free_pages", "",
          "Pages of the zone that are free.", 0, stat->free_pages },
        { "zone", "entries", "vod_zone_entries", "",
          "Objects in the zone.", 0, stat->entries },
        { "zone", "evictions", "vod_zone_evictions_total", "",
          "Objects that made room for others.", 1, c->evictions },
        { "zone", "restarts", "vod_zone_restarts_total", "",
          "How often the zone was emptied, a process having died in it.",
          1, stat->restarts },

        { "requests", "master", "vod_requests_total", "master",
          "Requests, by what was asked for.", 1,
          c->requests[VOD_URI_MASTER] },
        { "requests", "manifest", "vod_requests_total", "manifest", "", 1,
          c->requests[VOD_URI_MANIFEST] },
        { "requests", "media", "vod_requests_total", "media", "", 1,
          c->requests[VOD_URI_MEDIA] },
        { "requests", "init", "vod_requests_total", "init", "", 1,
          c->requests[VOD_URI_INIT] },
        { "requests", "segment", "vod_requests_total", "segment", "", 1,
          c->requests[VOD_URI_SEGMENT] },
        { "requests", "iframes", "vod_requests_total", "iframes", "", 1,
          c->requests[VOD_URI_IFRAMES] },
        { "requests", "text", "vod_requests_total", "text", "", 1,
          c->requests[VOD_URI_TEXT] },
        { "requests", "other", "vod_requests_total", "other", "", 1,
          c->requests[VOD_URI_NONE] },

        { "", "quarantined", "vod_quarantined", "",
          "Files that are refused, having ended a worker.", 0,
          stat->quarantined },
        { "", "in_flight", "vod_in_flight", "",
          "Requests that are being answered.", 0, stat->in_flight },
        { "", "source_read_bytes", "vod_source_read_bytes_total", "",
          "Bytes of media files read by the module, not by sendfile.",
          1, c->read_bytes },
        { "", "waiting", "vod_waiting", "",
          "Requests that wait for an index.", 0, stat->waiting },
        { "", "shed", "vod_shed_total", "",
          "Requests answered 503.", 1, c->shed }
    };

    ngx_memcpy(st->numbers, all, sizeof(all));

    st->n = sizeof(all) / sizeof(all[0]);
}


/* no more than is asked for: a page of it all would have 160 KB */

static size_t
ngx_http_vod_status_room(ngx_http_vod_status_t *st)
{
    size_t                histograms, numbers;
    ngx_uint_t            what, cache;
    ngx_http_vod_cell_t  *cell;

    histograms = 2;
    numbers = NGX_HTTP_VOD_NUMBERS + 2 * NGX_HTTP_VOD_ERRORS
              + NGX_HTTP_VOD_KINDS * NGX_HTTP_VOD_CACHES;

    for (what = 0; what < NGX_HTTP_VOD_KINDS; what++) {
        for (cache = 0; cache < NGX_HTTP_VOD_CACHES; cache++) {

            cell = &st->metrics.cells[what][cache];
            histograms += (ngx_http_vod_status_count(&cell->first) != 0)
                          + (ngx_http_vod_status_count(&cell->whole) != 0);
        }
    }

    return numbers * NGX_HTTP_VOD_STATUS_NUMBER
           + histograms * NGX_HTTP_VOD_STATUS_HISTOGRAM;
}


static void
ngx_http_vod_status_form(ngx_http_request_t *r, ngx_http_vod_status_t *st)
{
    ngx_str_t  format;

    if (ngx_http_arg(r, (u_char *) "format", 6, &format) != NGX_OK
        || format.len != 10
        || ngx_strncmp(format.data, "prometheus", 10) != 0)
    {
        ngx_str_set(&r->headers_out.content_type, "application/json");
        ngx_http_vod_status_json(st);

    } else if (ngx_http_vod_status_accepts(r,
                                           "application/openmetrics-text"))
    {
        ngx_str_set(&r->headers_out.content_type,
                    "application/openmetrics-text; version=1.0.0; "
                    "charset=utf-8");
        st->openmetrics = 1;
        ngx_http_vod_status_text(st);

    } else {
        ngx_str_set(&r->headers_out.content_type,
                    "text/plain; version=0.0.4; charset=utf-8");
        ngx_http_vod_status_text(st);
    }

    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;
}


/* nginx keeps the header's place only where modules it was built with ask */

static ngx_uint_t
ngx_http_vod_status_accepts(ngx_http_request_t *r, const char *type)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (h[i].key.len == 6
                && ngx_strncasecmp(h[i].key.data, (u_char *) "accept", 6) == 0
                && ngx_strnstr(h[i].value.data, (char *) type,
                               h[i].value.len))
            {
                return 1;
            }
        }
    }

    return 0;
}


ngx_atomic_uint_t
ngx_http_vod_status_count(ngx_http_vod_histogram_t *h)
{
    ngx_uint_t         i;
    ngx_atomic_uint_t  n;

    n = 0;

    for (i = 0; i < NGX_HTTP_VOD_BUCKETS; i++) {
        n += h->buckets[i];
    }

    return n;
}


const char *
ngx_http_vod_status_libavformat(void)
{
    const char  *version, *space;

    version = vod_av_version();
    space = ngx_strchr(version, ' ');

    return space ? space + 1 : version;
}


static void
ngx_http_vod_status_json(ngx_http_vod_status_t *st)
{
    ngx_uint_t  i;

    ngx_http_vod_json(st, "{\"version\":\"%s\",\"nginx\":\"%s\","
                      "\"libavformat\":\"%s\"",
                      NGX_HTTP_VOD_VERSION, NGINX_VERSION,
                      ngx_http_vod_status_libavformat());

    ngx_http_vod_json_numbers(st);

    ngx_http_vod_json_errors(st, "errors", st->metrics.errors);
    ngx_http_vod_json_errors(st, "index_failures", st->metrics.failures);

    ngx_http_vod_json(st, ",\"buckets\":[");

    for (i = 0; i < NGX_HTTP_VOD_BUCKETS - 1; i++) {
        ngx_http_vod_json(st, "%s%s", i ? "," : "", ngx_http_vod_bounds[i]);
    }

    ngx_http_vod_json(st, "],");
    ngx_http_vod_json_histogram(st, "index_build", &st->metrics.build);
    ngx_http_vod_json(st, ",");
    ngx_http_vod_json_histogram(st, "thread_wait", &st->metrics.wait);

    ngx_http_vod_json_responses(st);

    ngx_http_vod_json(st, "}\n");
}


static void
ngx_http_vod_json_numbers(ngx_http_vod_status_t *st)
{
    ngx_uint_t              i;
    const char             *group;
    ngx_http_vod_number_t  *number;

    group = "";

    for (i = 0; i < st->n; i++) {
        number = &st->numbers[i];

        if (ngx_strcmp(number->group, group) != 0) {

            ngx_http_vod_json(st, "%s", *group ? "}" : "");

            group = number->group;

            if (*group) {
                ngx_http_vod_json(st, ",\"%s\":{\"%s\":%uA", group,
                                  number->name, number->value);
                continue;
            }
        }

        ngx_http_vod_json(st, ",\"%s\":%uA", number->name, number->value);
    }

    ngx_http_vod_json(st, "%s", *group ? "}" : "");
}


static void
ngx_http_vod_json_errors(ngx_http_vod_status_t *st, const char *name,
    ngx_atomic_t *counters)
{
    ngx_uint_t  i;

    ngx_http_vod_json(st, ",\"%s\":{", name);

    for (i = NGX_HTTP_VOD_ERROR_NONE + 1; i < NGX_HTTP_VOD_ERRORS; i++) {
        ngx_http_vod_json(st, "%s\"%s\":%uA",
                          (i > NGX_HTTP_VOD_ERROR_NONE + 1) ? "," : "",
                          ngx_http_vod_error_name(i),
                          (ngx_atomic_uint_t) counters[i]);
    }

    ngx_http_vod_json(st, "}");
}


/* kinds, and in them caches, that there have been */

static void
ngx_http_vod_json_responses(ngx_http_vod_status_t *st)
{
    ngx_uint_t            what, cache, kinds, caches;
    ngx_http_vod_cell_t  *cell;

    ngx_http_vod_json(st, ",\"responses\":{");

    kinds = 0;

    for (what = 0; what < NGX_HTTP_VOD_KINDS; what++) {
        caches = 0;

        for (cache = 0; cache < NGX_HTTP_VOD_CACHES; cache++) {
            cell = &st->metrics.cells[what][cache];

            if (ngx_http_vod_status_count(&cell->whole) == 0) {
                continue;
            }

            if (caches++ == 0) {
                ngx_http_vod_json(st, "%s\"%s\":{", kinds++ ? "," : "",
                                  vod_uri_kind(what));

            } else {
                ngx_http_vod_json(st, ",");
            }

            ngx_http_vod_json(st, "\"%s\":{\"sent_bytes\":%uA,",
                              ngx_http_vod_caches[cache],
                              (ngx_atomic_uint_t) cell->bytes);
            ngx_http_vod_json_histogram(st, "first_byte", &cell->first);
            ngx_http_vod_json(st, ",");
            ngx_http_vod_json_histogram(st, "duration", &cell->whole);
            ngx_http_vod_json(st, "}");
        }

        if (caches) {
            ngx_http_vod_json(st, "}");
        }
    }

    ngx_http_vod_json(st, "}");
}


static void
ngx_http_vod_json_histogram(ngx_http_vod_status_t *st, const char *name,
    ngx_http_vod_histogram_t *h)
{
    ngx_uint_t  i;

    ngx_http_vod_json(st, "\"%s\":{\"count\":%uA,\"seconds\":%uA.%06uA,"
                      "\"buckets\":[", name, ngx_http_vod_status_count(h),
                      (ngx_atomic_uint_t) h->sum / 1000000,
                      (ngx_atomic_uint_t) h->sum % 1000000);

    for (i = 0; i < NGX_HTTP_VOD_BUCKETS; i++) {
        ngx_http_vod_json(st, "%s%uA", i ? "," : "",
                          (ngx_atomic_uint_t) h->buckets[i]);
    }

    ngx_http_vod_json(st, "]}");
}
