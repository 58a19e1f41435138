/*
 * Arguments: what the query of a request says about the clip and the tracks
 * that are wanted, and what playlists put around the URLs in them.
 *
 * The edges of a clip bear on every answer, and so stand behind every URL,
 * written in one way.  A choice of tracks bears on what lists tracks alone, and
 * does not.
 */

#include "ngx_http_vod_args.h"
#include "ngx_http_vod_asset.h"

#include "../core/vod_args.h"
#include "../core/vod_index.h"


/* of a query that is carried into URLs, bytes */
#define NGX_HTTP_VOD_FORWARDED  4096


static ngx_int_t ngx_http_vod_args_read(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);
static ngx_int_t ngx_http_vod_args_links(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);
static ngx_uint_t ngx_http_vod_args_forwarded(ngx_http_vod_loc_conf_t *vlcf,
    vod_arg_t *arg);
static uint64_t ngx_http_vod_args_write(ngx_http_request_t *r, vod_wr_t *wr);
static ngx_int_t ngx_http_vod_args_base(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx, ngx_str_t *base);
static void ngx_http_vod_args_write_base(ngx_http_request_t *r, vod_wr_t *wr,
    ngx_str_t *base);


ngx_int_t
ngx_http_vod_args(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = r->args.len ? ngx_http_vod_args_read(r, ctx) : NGX_OK;

    if (rc != NGX_OK) {
        return rc;
    }

    switch (ctx->uri.what) {

    case VOD_URI_MASTER:
    case VOD_URI_MANIFEST:
    case VOD_URI_MEDIA:
    case VOD_URI_IFRAMES:
        return ngx_http_vod_args_links(r, ctx);

    default:
        return NGX_OK;
    }
}


static ngx_int_t
ngx_http_vod_args_read(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    char                *room;
    vod_err_t            err;
    vod_args_t           args;

    room = ngx_pnalloc(r->pool, r->args.len);
    if (room == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (vod_args_parse((char *) r->args.data, r->args.len, room, &args, &err)
        != VOD_OK)
    {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0, "vod: %s",
                      err.text);

        ctx->error = NGX_HTTP_VOD_ERROR_ARGUMENTS;

        return NGX_HTTP_BAD_REQUEST;
    }

    ctx->cuts.from = args.from;
    ctx->cuts.to = args.to;

    ctx->tracks.data = (u_char *) args.tracks;
    ctx->tracks.len = args.tracks_len;

    return NGX_OK;
}


/* what stands around URLs: links, and own where no other request has it */

static ngx_int_t
ngx_http_vod_args_links(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    u_char              *p;
    vod_wr_t             wr;
    uint64_t             args, forwarded, whole;
    ngx_str_t            base;
    ngx_int_t            rc;

    rc = ngx_http_vod_args_base(r, ctx, &base);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ctx->tracks.len && ctx->uri.kind == 0) {
        ctx->own = 1;
    }

    vod_wr_init(&wr, NULL, 0);

    forwarded = ngx_http_vod_args_write(r, &wr);
    args = wr.len;

    if (forwarded > NGX_HTTP_VOD_FORWARDED) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "vod: arguments of %uL bytes are to be carried into "
                      "URLs, more than %d", forwarded,
                      NGX_HTTP_VOD_FORWARDED);

        ctx->error = NGX_HTTP_VOD_ERROR_ARGUMENTS;

        return NGX_HTTP_BAD_REQUEST;
    }

    ngx_http_vod_args_write_base(r, &wr, &base);
    whole = wr.len;

    if (whole == 0) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, whole);
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    vod_wr_init(&wr, p, whole);

    (void) ngx_http_vod_args_write(r, &wr);
    ngx_http_vod_args_write_base(r, &wr, &base);

    ctx->links.args = (char *) p;
    ctx->links.args_len = args;
    ctx->links.base = (char *) p + args;
    ctx->links.base_len = whole - args;

    if (forwarded) {
        ctx->own = 1;
    }

    return NGX_OK;
}


uint64_t
ngx_http_vod_linked(ngx_http_request_t *r, uint64_t seed)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    /* each with its length, so that one does not run into the other */

    if (ctx->links.base_len) {
        seed = vod_hash64(seed ^ ctx->links.base_len, ctx->links.base,
                          ctx->links.base_len);

        /* one file's track has another number in each asset */

        if (ctx->asset && ctx->asset->served) {
            seed = vod_hash64(seed, &ctx->asset->uri.number,
                              sizeof(ctx->asset->uri.number));
        }
    }

    /* a descriptor's clip is the same, whatever of it is asked for */

    if (ctx->links.args_len) {
        seed = vod_hash64(seed ^ ctx->links.args_len, ctx->links.args,
                          ctx->links.args_len);
    }

    if (ctx->own && ctx->tracks.len) {
        seed = vod_hash64(seed, ctx->tracks.data, ctx->tracks.len);
    }

    return seed;
}


/* the clip, and what is carried on; returns the bytes of the latter */

static uint64_t
ngx_http_vod_args_write(ngx_http_request_t *r, vod_wr_t *wr)
{
    size_t                    at;
    uint64_t                  begin;
    vod_arg_t                 arg;
    ngx_http_vod_ctx_t       *ctx;
    ngx_http_vod_loc_conf_t  *vlcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    (void) vod_args_write_clip(wr, ctx->cuts.from, ctx->cuts.to);

    begin = wr->len;
    at = 0;

    if (vlcf->forward == NGX_HTTP_VOD_FORWARD_OFF) {
        return 0;
    }

    while (vod_args_next((char *) r->args.data, r->args.len, &at, &arg)) {

        if (vod_args_ours(&arg) || !ngx_http_vod_args_forwarded(vlcf, &arg)) {
            continue;
        }

        if (wr->len) {
            vod_wr_u8(wr, '&');
        }

        vod_args_write_query(wr, arg.text, arg.len);
    }

    return wr->len - begin;
}


static ngx_uint_t
ngx_http_vod_args_forwarded(ngx_http_vod_loc_conf_t *vlcf, vod_arg_t *arg)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (vlcf->forward == NGX_HTTP_VOD_FORWARD_ON) {
        return 1;
    }

    name = vlcf->forward_args->elts;

    for (i = 0; i < vlcf->forward_args->nelts; i++) {
        if (vod_args_named(arg, (char *) name[i].data, name[i].len)) {
            return 1;
        }
    }

    return 0;
}


/* one that depends on the request makes the answer its own */

static ngx_int_t
ngx_http_vod_args_base(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_str_t *base)
{
    ngx_http_vod_loc_conf_t  *vlcf;

    ngx_str_null(base);

    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    if (vlcf->base_url == NULL) {
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, vlcf->base_url, base) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (vlcf->base_url->lengths && base->len) {
        ctx->own = 1;
    }

    return NGX_OK;
}


/* with a slash at its end it is all that stands before the track */

static void
ngx_http_vod_args_write_base(ngx_http_request_t *r, vod_wr_t *wr,
    ngx_str_t *base)
{
    ngx_http_vod_ctx_t  *ctx;

    if (base->len == 0) {
        return;
    }

    vod_args_write_query(wr, (char *) base->data, base->len);

    if (base->data[base->len - 1] == '/') {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    vod_args_write_path(wr, (char *) r->uri.data, ctx->uri.asset_len);
    vod_wr_u8(wr, '/');
}


char *
ngx_http_vod_forward_args(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_vod_loc_conf_t *vlcf = conf;

    ngx_str_t   *value, *name;
    ngx_uint_t   i;
    vod_arg_t    arg;

    if (vlcf->forward != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (cf->args->nelts == 2 && ngx_strcmp(value[1].data, "off") == 0) {
        vlcf->forward = NGX_HTTP_VOD_FORWARD_OFF;
        return NGX_CONF_OK;
    }

    if (cf->args->nelts == 2 && ngx_strcmp(value[1].data, "on") == 0) {
        vlcf->forward = NGX_HTTP_VOD_FORWARD_ON;
        return NGX_CONF_OK;
    }

    vlcf->forward = NGX_HTTP_VOD_FORWARD_NAMED;

    vlcf->forward_args = ngx_array_create(cf->pool, cf->args->nelts - 1,
                                          sizeof(ngx_str_t));
    if (vlcf->forward_args == NULL) {
        return NGX_CONF_ERROR;
    }

    for (i = 1; i < cf->args->nelts; i++) {

        arg.text = (char *) value[i].data;
        arg.name_len = value[i].len;

        if (vod_args_ours(&arg)) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "argument \"%V\" is the "
                               "module's own, and is carried on by itself",
                               &value[i]);
            return NGX_CONF_ERROR;
        }

        name = ngx_array_push(vlcf->forward_args);
        if (name == NULL) {
            return NGX_CONF_ERROR;
        }

        *name = value[i];
    }

    return NGX_CONF_OK;
}


char *
ngx_http_vod_base_url(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_vod_loc_conf_t *vlcf = conf;

    char       *rv;
    ngx_str_t  *value;

    rv = ngx_http_set_complex_value_slot(cf, cmd, conf);
    if (rv != NGX_CONF_OK) {
        return rv;
    }

    value = cf->args->elts;

    /* what is only known with a request is taken as it comes */

    if (vlcf->base_url->lengths || value[1].len == 0
        || value[1].data[0] == '/'
        || ngx_strncasecmp(value[1].data, (u_char *) "http://", 7) == 0
        || ngx_strncasecmp(value[1].data, (u_char *) "https://", 8) == 0)
    {
        return NGX_CONF_OK;
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"vod_base_url\" is \"%V\", it "
                       "must begin with \"http://\", \"https://\" or \"/\"",
                       &value[1]);

    return NGX_CONF_ERROR;
}
