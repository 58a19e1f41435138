/*
 * The status page: what is collected for it, and its two forms.
 */

#ifndef _NGX_HTTP_VOD_STATUS_H_INCLUDED_
#define _NGX_HTTP_VOD_STATUS_H_INCLUDED_

#include "ngx_http_vod_metrics.h"
#include "ngx_http_vod_zone.h"


/* one that stands for itself; those of a group, and of a metric, together */
typedef struct {
    const char              *group;     /* of JSON, "" = none */
    const char              *name;      /* in the group */
    const char              *metric;    /* of Prometheus */
    const char              *kind;      /* its label's value, "" = none */
    const char              *help;
    ngx_uint_t               counter;   /* else a gauge */
    ngx_atomic_uint_t        value;
} ngx_http_vod_number_t;


#define NGX_HTTP_VOD_NUMBERS  64        /* at most */


typedef struct {
    ngx_http_vod_number_t    numbers[NGX_HTTP_VOD_NUMBERS];
    ngx_uint_t               n;
    ngx_http_vod_metrics_t   metrics;
    ngx_uint_t               openmetrics;   /* of the text, the newer form */

    /* where it is written: p == last, and it had no room */
    u_char                  *p;
    u_char                  *last;
} ngx_http_vod_status_t;


/* "59.27.100", static text */
const char *ngx_http_vod_status_libavformat(void);

/* how many observations a histogram has */
ngx_atomic_uint_t ngx_http_vod_status_count(ngx_http_vod_histogram_t *h);

/*
 * ngx_http_vod_status_text.c: Prometheus text, exposition format 0.0.4, or
 * OpenMetrics 1.0.0.
 */
void ngx_http_vod_status_text(ngx_http_vod_status_t *st);


#endif /* _NGX_HTTP_VOD_STATUS_H_INCLUDED_ */
