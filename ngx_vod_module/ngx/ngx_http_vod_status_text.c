/*
 * The status as text for Prometheus: families one after the other, each with
 * what it is, then its samples.  OpenMetrics differs in the names of counters
 * and in the last line.
 */

#include "ngx_http_vod_status.h"


static void ngx_http_vod_text_info(ngx_http_vod_status_t *st);
static void ngx_http_vod_text_numbers(ngx_http_vod_status_t *st);
static void ngx_http_vod_text_family(ngx_http_vod_status_t *st,
    const char *metric, const char *type, const char *help);
static void ngx_http_vod_text_errors(ngx_http_vod_status_t *st,
    const char *metric, ngx_atomic_t *counters);
static void ngx_http_vod_text_cells(ngx_http_vod_status_t *st,
    const char *metric, size_t offset);
static void ngx_http_vod_text_bytes(ngx_http_vod_status_t *st,
    const char *metric);
static void ngx_http_vod_text_histogram(ngx_http_vod_status_t *st,
    const char *metric, u_char *labels, ngx_http_vod_histogram_t *h);


#define ngx_http_vod_text(st, ...)                                            \
    (st)->p = ngx_slprintf((st)->p, (st)->last, __VA_ARGS__)


void
ngx_http_vod_status_text(ngx_http_vod_status_t *st)
{
    u_char  none[] = "";

    ngx_http_vod_text_info(st);
    ngx_http_vod_text_numbers(st);

    ngx_http_vod_text_family(st, "vod_errors_total", "counter",
                             "Requests that ended with an error, by its "
                             "code.");
    ngx_http_vod_text_errors(st, "vod_errors_total", st->metrics.errors);

    ngx_http_vod_text_family(st, "vod_index_failures_total", "counter",
                             "Builds of an index that ended with an error, "
                             "by its code.");
    ngx_http_vod_text_errors(st, "vod_index_failures_total",
                             st->metrics.failures);

    ngx_http_vod_text_family(st, "vod_index_build_seconds", "histogram",
                             "How long files were indexed, the wait for a "
                             "thread excepted.");
    ngx_http_vod_text_histogram(st, "vod_index_build_seconds", none,
                                &st->metrics.build);

    ngx_http_vod_text_family(st, "vod_thread_wait_seconds", "histogram",
                             "How long tasks waited for a thread.");
    ngx_http_vod_text_histogram(st, "vod_thread_wait_seconds", none,
                                &st->metrics.wait);

    ngx_http_vod_text_family(st, "vod_sent_bytes_total", "counter",
                             "Bytes of bodies that were sent.");
    ngx_http_vod_text_bytes(st, "vod_sent_bytes_total");

    ngx_http_vod_text_family(st, "vod_first_byte_seconds", "histogram",
                             "From the beginning of a request to the header "
                             "of its answer.");
    ngx_http_vod_text_cells(st, "vod_first_byte_seconds",
                            offsetof(ngx_http_vod_cell_t, first));

    ngx_http_vod_text_family(st, "vod_request_duration_seconds", "histogram",
                             "From the beginning of a request to its end.");
    ngx_http_vod_text_cells(st, "vod_request_duration_seconds",
                            offsetof(ngx_http_vod_cell_t, whole));

    if (st->openmetrics) {
        ngx_http_vod_text(st, "# EOF\n");
    }
}


static void
ngx_http_vod_text_info(ngx_http_vod_status_t *st)
{
    ngx_http_vod_text_family(st, "vod_build_info", "gauge",
                             "The versions that run, as labels.");

    ngx_http_vod_text(st, "vod_build_info{version=\"%s\",nginx=\"%s\","
                      "libavformat=\"%s\"} 1\n",
                      NGX_HTTP_VOD_VERSION, NGINX_VERSION,
                      ngx_http_vod_status_libavformat());
}


static void
ngx_http_vod_text_numbers(ngx_http_vod_status_t *st)
{
    ngx_uint_t              i;
    const char             *metric;
    ngx_http_vod_number_t  *number;

    metric = "";

    for (i = 0; i < st->n; i++) {
        number = &st->numbers[i];

        if (*number->metric == '\0') {
            /* it stands elsewhere, with labels */
            continue;
        }

        if (ngx_strcmp(number->metric, metric) != 0) {
            metric = number->metric;
            ngx_http_vod_text_family(st, metric,
                                     number->counter ? "counter" : "gauge",
                                     number->help);
        }

        if (*number->kind) {
            ngx_http_vod_text(st, "%s{kind=\"%s\"} %uA\n", metric,
                              number->kind, number->value);

        } else {
            ngx_http_vod_text(st, "%s %uA\n", metric, number->value);
        }
    }
}


static void
ngx_http_vod_text_family(ngx_http_vod_status_t *st, const char *metric,
    const char *type, const char *help)
{
    ngx_str_t  name;

    name.data = (u_char *) metric;
    name.len = ngx_strlen(metric);

    /* there a counter's family is named without what its samples end in */

    if (st->openmetrics && ngx_strcmp(type, "counter") == 0) {
        name.len -= sizeof("_total") - 1;
    }

    ngx_http_vod_text(st, "# HELP %V %s\n# TYPE %V %s\n", &name, help, &name,
                      type);
}


static void
ngx_http_vod_text_errors(ngx_http_vod_status_t *st, const char *metric,
    ngx_atomic_t *counters)
{
    ngx_uint_t  i;

    for (i = NGX_HTTP_VOD_ERROR_NONE + 1; i < NGX_HTTP_VOD_ERRORS; i++) {
        ngx_http_vod_text(st, "%s{error=\"%s\"} %uA\n", metric,
                          ngx_http_vod_error_name(i),
                          (ngx_atomic_uint_t) counters[i]);
    }
}


/* those that never were are left out, as long as they are */

static void
ngx_http_vod_text_cells(ngx_http_vod_status_t *st, const char *metric,
    size_t offset)
{
    u_char                     labels[64];
    ngx_uint_t                 what, cache;
    ngx_http_vod_cell_t       *cell;
    ngx_http_vod_histogram_t  *h;

    for (what = 0; what < NGX_HTTP_VOD_KINDS; what++) {
        for (cache = 0; cache < NGX_HTTP_VOD_CACHES; cache++) {

            cell = &st->metrics.cells[what][cache];
            h = (ngx_http_vod_histogram_t *) ((u_char *) cell + offset);

            if (ngx_http_vod_status_count(h) == 0) {
                continue;
            }

            (void) ngx_snprintf(labels, sizeof(labels),
                                "kind=\"%s\",cache=\"%s\"%Z",
                                vod_uri_kind(what),
                                ngx_http_vod_caches[cache]);

            ngx_http_vod_text_histogram(st, metric, labels, h);
        }
    }
}


static void
ngx_http_vod_text_bytes(ngx_http_vod_status_t *st, const char *metric)
{
    ngx_uint_t            what, cache;
    ngx_http_vod_cell_t  *cell;

    for (what = 0; what < NGX_HTTP_VOD_KINDS; what++) {
        for (cache = 0; cache < NGX_HTTP_VOD_CACHES; cache++) {

            cell = &st->metrics.cells[what][cache];

            ngx_http_vod_text(st, "%s{kind=\"%s\",cache=\"%s\"} %uA\n",
                              metric, vod_uri_kind(what),
                              ngx_http_vod_caches[cache],
                              (ngx_atomic_uint_t) cell->bytes);
        }
    }
}


static void
ngx_http_vod_text_histogram(ngx_http_vod_status_t *st, const char *metric,
    u_char *labels, ngx_http_vod_histogram_t *h)
{
    ngx_uint_t          i;
    const char         *comma;
    ngx_str_t           set;
    ngx_atomic_uint_t   n;
    u_char              braced[80];

    comma = *labels ? "," : "";
    n = 0;

    set.data = braced;
    set.len = *labels ? ngx_snprintf(braced, sizeof(braced), "{%s}", labels)
                        - braced
                      : 0;

    for (i = 0; i < NGX_HTTP_VOD_BUCKETS; i++) {
        n += h->buckets[i];

        ngx_http_vod_text(st, "%s_bucket{%s%sle=\"%s\"} %uA\n", metric,
                          labels, comma,
                          (i < NGX_HTTP_VOD_BUCKETS - 1)
                          ? ngx_http_vod_bounds[i] : "+Inf",
                          n);
    }

    ngx_http_vod_text(st, "%s_sum%V %uA.%06uA\n%s_count%V %uA\n",
                      metric, &set, (ngx_atomic_uint_t) h->sum / 1000000,
                      (ngx_atomic_uint_t) h->sum % 1000000,
                      metric, &set, n);
}
