/*
 * $vod_kind, $vod_asset, $vod_track, $vod_segment: what a URI in a vod
 * location asks for, from the first phase on.  $vod_cache, $vod_index_time,
 * $vod_read_bytes, $vod_error: how it was answered, for the log.
 */

#include "ngx_http_vod_module.h"

#include "../core/vod_index.h"


typedef enum {
    ngx_http_vod_var_kind = 0,
    ngx_http_vod_var_asset,
    ngx_http_vod_var_track,
    ngx_http_vod_var_segment
} ngx_http_vod_var_e;


static ngx_int_t ngx_http_vod_uri_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_vod_variable_value(ngx_http_request_t *r,
    vod_uri_t *uri, uintptr_t data, ngx_str_t *value);
static ngx_int_t ngx_http_vod_cache_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_vod_index_time_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_vod_read_bytes_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_vod_error_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static void ngx_http_vod_variable_set(ngx_http_variable_value_t *v,
    u_char *data, size_t len);


static ngx_http_variable_t  ngx_http_vod_vars[] = {

    { ngx_string("vod_kind"), NULL, ngx_http_vod_uri_variable,
      ngx_http_vod_var_kind, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_asset"), NULL, ngx_http_vod_uri_variable,
      ngx_http_vod_var_asset, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_track"), NULL, ngx_http_vod_uri_variable,
      ngx_http_vod_var_track, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_segment"), NULL, ngx_http_vod_uri_variable,
      ngx_http_vod_var_segment, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_cache"), NULL, ngx_http_vod_cache_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_index_time"), NULL, ngx_http_vod_index_time_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_read_bytes"), NULL, ngx_http_vod_read_bytes_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("vod_error"), NULL, ngx_http_vod_error_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


ngx_int_t
ngx_http_vod_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var, *v;

    for (v = ngx_http_vod_vars; v->name.len; v++) {
        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}


/* the URI can be rewritten before the handler sees it: parsed each time */

static ngx_int_t
ngx_http_vod_uri_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_int_t                 rc;
    ngx_str_t                 value;
    vod_uri_t                 uri;
    ngx_http_vod_loc_conf_t  *vlcf;

    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    v->not_found = 1;

    if (!vlcf->enable
        || vod_uri_parse(&uri, (char *) r->uri.data, r->uri.len)
           == VOD_URI_NONE)
    {
        return NGX_OK;
    }

    rc = ngx_http_vod_variable_value(r, &uri, data, &value);

    if (rc == NGX_DECLINED) {
        return NGX_OK;
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_vod_variable_set(v, value.data, value.len);

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_variable_value(ngx_http_request_t *r, vod_uri_t *uri,
    uintptr_t data, ngx_str_t *value)
{
    u_char  *p;

    switch (data) {

    case ngx_http_vod_var_kind:
        value->data = (u_char *) vod_uri_kind(uri->what);
        value->len = ngx_strlen(value->data);
        return NGX_OK;

    case ngx_http_vod_var_asset:
        value->data = r->uri.data;
        value->len = uri->asset_len;
        return NGX_OK;

    case ngx_http_vod_var_track:
        if (uri->kind == 0) {
            return NGX_DECLINED;
        }

        break;

    default: /* ngx_http_vod_var_segment */
        if (uri->segment == 0) {
            return NGX_DECLINED;
        }

        break;
    }

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    value->data = p;

    if (data == ngx_http_vod_var_track) {
        *p++ = (uri->kind == VOD_VIDEO) ? 'v'
               : (uri->kind == VOD_AUDIO) ? 'a' : 's';
        p = ngx_sprintf(p, "%uD", uri->number);

    } else {
        p = ngx_sprintf(p, "%uL", uri->segment);
    }

    value->len = p - value->data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_cache_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_vod_ctx_t  *ctx;

    static ngx_str_t  names[] = {
        ngx_null_string,
        ngx_string("HIT"),
        ngx_string("MISS"),
        ngx_string("WAIT"),
        ngx_string("UNCACHED")
    };

    ctx = ngx_http_vod_get_ctx(r);

    if (ctx == NULL || ctx->cache == NGX_HTTP_VOD_CACHE_NONE) {
        v->not_found = 1;
        return NGX_OK;
    }

    ngx_http_vod_variable_set(v, names[ctx->cache].data,
                              names[ctx->cache].len);

    return NGX_OK;
}


/* how long it waited for an index, its own build or another's; so far */

static ngx_int_t
ngx_http_vod_index_time_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char              *p;
    ngx_msec_t           ms;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_vod_get_ctx(r);

    if (ctx == NULL || !ctx->index_waited) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_TIME_T_LEN + 4);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ms = ctx->index_done ? ctx->index_time
                         : ngx_current_msec - ctx->index_start;

    ngx_http_vod_variable_set(v, p, ngx_sprintf(p, "%T.%03M",
                                                (time_t) (ms / 1000),
                                                ms % 1000)
                                    - p);

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_read_bytes_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char              *p;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_vod_get_ctx(r);

    if (ctx == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_http_vod_variable_set(v, p, ngx_sprintf(p, "%O", ctx->read_bytes)
                                    - p);

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_error_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                   *name;
    ngx_uint_t                error;
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_loc_conf_t  *vlcf;

    ctx = ngx_http_vod_get_ctx(r);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    error = (ctx || vlcf->enable) ? ngx_http_vod_error(r, ctx)
                                  : NGX_HTTP_VOD_ERROR_NONE;

    if (error == NGX_HTTP_VOD_ERROR_NONE) {
        v->not_found = 1;
        return NGX_OK;
    }

    name = (u_char *) ngx_http_vod_error_name(error);

    ngx_http_vod_variable_set(v, name, ngx_strlen(name));

    return NGX_OK;
}


static void
ngx_http_vod_variable_set(ngx_http_variable_value_t *v, u_char *data,
    size_t len)
{
    v->data = data;
    v->len = len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
}
