/*
 * $vod_kind, $vod_asset, $vod_track, $vod_segment: what a URI in a vod
 * location asks for, from the first phase on.  $vod_cache: where the answer
 * came from, once there is one.
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

    v->data = value.data;
    v->len = value.len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

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

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx == NULL || ctx->cache == NGX_HTTP_VOD_CACHE_NONE) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->data = names[ctx->cache].data;
    v->len = names[ctx->cache].len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}
