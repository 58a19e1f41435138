/*
 * Playlists, MPD and headers: rendered once from the whole timeline and kept in
 * the zone as text, and what compresses also as that.
 */

#include "ngx_http_vod_args.h"
#include "ngx_http_vod_asset.h"
#include "ngx_http_vod_gzip.h"
#include "ngx_http_vod_text.h"

#include "../core/vod_box.h"
#include "../core/vod_dash.h"
#include "../core/vod_hls.h"
#include "../core/vod_index.h"
#include "../core/vod_timeline.h"


/* what an answer of another kind is rendered from, in the request pool */
typedef struct {
    void                   *index;      /* up to the rows */
    void                   *timeline;
    ngx_int_t               ordinal;
} ngx_http_vod_source_t;


static ngx_int_t ngx_http_vod_answer_plain(ngx_http_request_t *r,
    ngx_http_vod_key_t *key, ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_answer_whole(ngx_http_request_t *r,
    ngx_http_vod_key_t *key, ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_render_text(ngx_http_request_t *r,
    ngx_http_vod_source_t *source, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer);
static void ngx_http_vod_write_text(vod_wr_t *wr, ngx_http_vod_ctx_t *ctx,
    ngx_http_vod_source_t *source);
static ngx_int_t ngx_http_vod_read_source(ngx_http_request_t *r,
    ngx_http_vod_source_t *source);
static void *ngx_http_vod_read_part(ngx_http_request_t *r, ngx_uint_t type,
    uint64_t len);


ngx_int_t
ngx_http_vod_answer_text(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_int_t            rc;
    ngx_uint_t           gzip;
    ngx_http_vod_key_t   key;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->gzip) {
        ngx_http_vod_gzip_result(ctx->gzip, answer);
        return NGX_OK;
    }

    ngx_http_vod_text_key(r, &key);

    gzip = ctx->own ? 0 : ngx_http_vod_gzip_wanted(r, answer);

    if (gzip && ctx->build == NULL) {
        key.encoding = NGX_HTTP_VOD_GZIP;

        rc = ngx_http_vod_copy_text(r, &key, answer);

        if (rc == NGX_OK && answer->head_len) {
            answer->gzip = 1;
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            /* compressing is of no use */
            gzip = 0;

        } else if (rc != NGX_DECLINED) {
            return rc;
        }

        key.encoding = 0;
    }

    rc = ngx_http_vod_answer_plain(r, &key, answer);

    /* where the zone has no room, it would be done for each request */

    if (rc == NGX_OK && gzip && answer->kept) {
        key.encoding = NGX_HTTP_VOD_GZIP;
        return ngx_http_vod_gzip(r, &key, answer);
    }

    return rc;
}


static ngx_int_t
ngx_http_vod_answer_plain(ngx_http_request_t *r, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer)
{
    ngx_int_t               rc;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_source_t   source;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->build == NULL && !ctx->own) {
        rc = ngx_http_vod_copy_text(r, key, answer);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    ngx_memzero(&source, sizeof(ngx_http_vod_source_t));

    if (ctx->asset && ctx->asset->served == 0) {
        return ngx_http_vod_answer_whole(r, key, answer);
    }

    rc = ngx_http_vod_read_source(r, &source);

    if (rc == NGX_OK) {
        rc = ngx_http_vod_render_text(r, &source, key, answer);
    }

    if (source.index) {
        (void) ngx_pfree(r->pool, source.index);
    }

    if (source.timeline) {
        (void) ngx_pfree(r->pool, source.timeline);
    }

    return rc;
}


void
ngx_http_vod_text_key(ngx_http_request_t *r, ngx_http_vod_key_t *key)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ngx_http_vod_zone_key(key, &ctx->id, NGX_HTTP_VOD_TEXT,
                          ngx_http_vod_linked(r,
                                              ngx_http_vod_cuts(&ctx->cuts)));
    key->what = ctx->uri.what;
    key->kind = ctx->uri.kind;
    key->number = ctx->uri.number;
    key->segment = (uint32_t) ctx->uri.segment;
}


/* from what all files of an asset say, and no longer than that */

static ngx_int_t
ngx_http_vod_answer_whole(ngx_http_request_t *r, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer)
{
    ngx_int_t               rc;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_source_t   source;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->asset->timeline_all == NULL) {
        return NGX_DECLINED;
    }

    ngx_memzero(&source, sizeof(ngx_http_vod_source_t));

    source.index = ctx->asset->index_all;
    source.timeline = ctx->asset->timeline_all;

    rc = ngx_http_vod_render_text(r, &source, key, answer);

    ngx_http_vod_walk_cleanup(ctx->asset);

    return rc;
}


ngx_int_t
ngx_http_vod_copy_text(ngx_http_request_t *r, ngx_http_vod_key_t *key,
    ngx_http_vod_answer_t *answer)
{
    ngx_int_t                  rc;
    ngx_http_vod_meta_t        meta;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    rc = ngx_http_vod_zone_find(vmcf->zone, key, &meta);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_test_token(r, meta.token);
    if (rc != NGX_OK) {
        return rc;
    }

    answer->head = ngx_pnalloc(r->pool, meta.len);
    if (answer->head == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    answer->head_len = meta.len;
    answer->length = meta.len;
    answer->etag = meta.etag;
    answer->kept = 1;

    return ngx_http_vod_zone_get(vmcf->zone, key, 0, answer->head, meta.len);
}


static ngx_int_t
ngx_http_vod_render_text(ngx_http_request_t *r, ngx_http_vod_source_t *source,
    ngx_http_vod_key_t *key, ngx_http_vod_answer_t *answer)
{
    vod_wr_t                   wr;
    ngx_int_t                  rc;
    vod_timeline_t            *timeline;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_meta_t        meta;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    timeline = source->timeline;

    rc = ngx_http_vod_test_token(r, timeline->token);
    if (rc != NGX_OK) {
        return rc;
    }

    vod_wr_init(&wr, NULL, 0);
    ngx_http_vod_write_text(&wr, ctx, source);

    answer->head_len = wr.len;
    answer->length = wr.len;
    answer->etag = ngx_http_vod_linked(r,
                           vod_timeline_etag(timeline, ctx->uri.what,
                                             source->ordinal, 0));

    answer->head = ngx_pnalloc(r->pool, answer->head_len);
    if (answer->head == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    vod_wr_init(&wr, answer->head, answer->head_len);
    ngx_http_vod_write_text(&wr, ctx, source);

    if (wr.overflow || wr.len != answer->head_len) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "%s of \"%V\" is %uL bytes, expected %uz",
                      vod_uri_kind(ctx->uri.what), &ctx->path, wr.len,
                      answer->head_len);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->own) {
        return NGX_OK;
    }

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    meta.len = answer->head_len;
    meta.etag = answer->etag;
    ngx_memcpy(meta.token, timeline->token, VOD_TOKEN_LEN);

    /* without room it is rendered again */

    if (ngx_http_vod_zone_put(vmcf->zone, key, &meta, answer->head)
        == NGX_OK)
    {
        answer->kept = 1;
    }

    return NGX_OK;
}


static void
ngx_http_vod_write_text(vod_wr_t *wr, ngx_http_vod_ctx_t *ctx,
    ngx_http_vod_source_t *source)
{
    const uint8_t      *index;
    const vod_track_t  *track;

    switch (ctx->uri.what) {

    case VOD_URI_MASTER:
        vod_hls_master(wr, source->index, source->timeline, &ctx->links);
        break;

    case VOD_URI_MANIFEST:
        vod_dash_mpd(wr, source->index, source->timeline, &ctx->links);
        break;

    case VOD_URI_MEDIA:
        vod_hls_media(wr, source->index, source->timeline, source->ordinal,
                      &ctx->links);
        break;

    case VOD_URI_IFRAMES:
        vod_hls_iframes(wr, source->index, source->timeline, source->ordinal,
                        &ctx->links);
        break;

    default: /* VOD_URI_INIT */
        index = source->index;
        track = &vod_index_tracks(index)[source->ordinal];

        vod_box_init(wr, track, index + track->entry_off,
                     (const char *) index + track->name_off);
        break;
    }
}


/* how many tracks of text it has */

static ngx_uint_t
ngx_http_vod_texts(const void *index)
{
    ngx_uint_t          i, n;
    const vod_index_t  *idx;

    idx = index;
    n = 0;

    for (i = 0; i < idx->n_tracks; i++) {
        n += (vod_index_tracks(index)[i].kind == VOD_TEXT);
    }

    return n;
}


static ngx_int_t
ngx_http_vod_read_source(ngx_http_request_t *r, ngx_http_vod_source_t *source)
{
    ngx_int_t            rc;
    vod_index_t          index;
    vod_track_t         *track;
    vod_timeline_t       timeline;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, 0, &index,
                           sizeof(vod_index_t));
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE, 0, &timeline,
                           sizeof(vod_timeline_t));
    if (rc != NGX_OK) {
        return rc;
    }

    /* rows come last, behind the notes */

    source->index = ngx_http_vod_read_part(r, NGX_HTTP_VOD_INDEX,
                                           index.notes_off + index.notes_len);
    if (source->index == NULL) {
        return NGX_DECLINED;
    }

    if (ctx->uri.kind) {
        source->ordinal = vod_index_find(vod_index_tracks(source->index),
                                         index.n_tracks, ctx->uri.kind,
                                         ctx->uri.number);
        if (source->ordinal < 0) {
            return NGX_HTTP_VOD_NO_TRACK;
        }

        if (ctx->asset) {
            track = (vod_track_t *) vod_index_tracks(source->index)
                    + source->ordinal;
            track->number = ctx->asset->uri.number;
        }

    } else if (ngx_http_vod_texts(source->index) == index.n_tracks) {
        return ngx_http_vod_fail(r, VOD_UNSUPPORTED, "it holds text alone, "
                                 "put the film's pictures or sound beside "
                                 "it");
    }

    source->timeline = ngx_http_vod_read_part(r, NGX_HTTP_VOD_TIMELINE,
                                              timeline.len);
    if (source->timeline == NULL) {
        return NGX_DECLINED;
    }

    if (ctx->uri.what == VOD_URI_IFRAMES
        && vod_timeline_tracks(source->timeline)[source->ordinal].key_duration
           == 0)
    {
        return NGX_HTTP_NOT_FOUND;
    }

    return NGX_OK;
}


static void *
ngx_http_vod_read_part(ngx_http_request_t *r, ngx_uint_t type, uint64_t len)
{
    void  *p;

    p = ngx_palloc(r->pool, len);
    if (p == NULL) {
        return NULL;
    }

    if (ngx_http_vod_read(r, type, 0, p, len) != NGX_OK) {
        (void) ngx_pfree(r->pool, p);
        return NULL;
    }

    return p;
}


/* a URL with the token of another version of the file, or of its cuts */

ngx_int_t
ngx_http_vod_test_token(ngx_http_request_t *r, const void *token)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->uri.token
        && ngx_memcmp(ctx->uri.token, token, VOD_TOKEN_LEN) != 0)
    {
        return NGX_HTTP_NOT_FOUND;
    }

    return NGX_OK;
}
