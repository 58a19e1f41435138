/*
 * All members of an asset, one after the other: to number their tracks, for
 * a new table; to have what a whole playlist is made from.
 *
 * A member that cannot be served is left out.  Why is said when the table
 * goes to the zone, so once for all workers and requests.  Members that
 * are there already cost little, and still an asset of many lets others have
 * a turn of the event loop.
 */

#include "ngx_http_vod_asset.h"


/* members at a stretch, and bytes of copies */
#define NGX_HTTP_VOD_TURN        64
#define NGX_HTTP_VOD_TURN_BYTES  (4 * 1024 * 1024)

/* how long a table is good for that misses what may be back, seconds */
#define NGX_HTTP_VOD_TABLE_VALID  30


static ngx_int_t ngx_http_vod_walk_number(ngx_http_request_t *r);
static ngx_int_t ngx_http_vod_walk_part(ngx_http_request_t *r);
static void *ngx_http_vod_walk_copy(ngx_http_request_t *r, ngx_uint_t type,
    uint64_t len);
static void ngx_http_vod_pause_handler(ngx_event_t *ev);
static ngx_uint_t ngx_http_vod_walk_again(ngx_http_vod_asset_t *asset);
static void ngx_http_vod_walk_table(ngx_http_request_t *r);
static void ngx_http_vod_walk_log(ngx_http_request_t *r);


ngx_int_t
ngx_http_vod_walk_begin(ngx_http_request_t *r, ngx_uint_t numbering)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    ngx_http_vod_member_leave(r);
    ngx_http_vod_walk_cleanup(asset);

    asset->next = 1;
    asset->turn = 0;
    asset->tries = 0;
    asset->walking = 1;
    asset->numbering = numbering;

    if (numbering) {
        asset->reasons = ngx_pcalloc(r->pool,
                                     asset->head.n * sizeof(u_char *));
        return asset->reasons ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    asset->reasons = NULL;
    asset->parts = calloc(asset->head.n, sizeof(ngx_http_vod_part_t));

    return asset->parts ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


void
ngx_http_vod_walk_cleanup(ngx_http_vod_asset_t *asset)
{
    uint32_t  i;

    if (asset->paused) {
        asset->paused = 0;
        ngx_del_timer(&asset->pause);
    }

    if (asset->parts) {

        for (i = 0; i < asset->head.n; i++) {
            free(asset->parts[i].index);
            free(asset->parts[i].timeline);
        }

        free(asset->parts);
    }

    free(asset->grid);

    asset->parts = NULL;
    asset->grid = NULL;
    asset->bytes = 0;
    asset->for_grid = 0;

    ngx_http_vod_merge_free(asset);
}


ngx_int_t
ngx_http_vod_walk(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    for ( /* void */ ;
         asset->next <= asset->head.n || ngx_http_vod_walk_again(asset);
         asset->next++)
    {
        if (asset->turn >= NGX_HTTP_VOD_TURN) {
            return ngx_http_vod_asset_pause(r, 1);
        }

        rc = ngx_http_vod_member(r, asset->next);

        if (rc == NGX_OK) {
            rc = asset->numbering ? ngx_http_vod_walk_number(r)
                                  : ngx_http_vod_walk_part(r);
        }

        if (rc != NGX_OK && rc != NGX_ABORT) {
            return rc;
        }

        asset->turn++;
    }

    ngx_http_vod_member_leave(r);

    if (asset->numbering) {
        ngx_http_vod_walk_table(r);
    }

    return NGX_OK;
}


/* which tracks the member in hand has */

static ngx_int_t
ngx_http_vod_walk_number(ngx_http_request_t *r)
{
    uint32_t                i;
    ngx_int_t               rc;
    vod_track_t            *tracks;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_asset_t   *asset;
    ngx_http_vod_table_t   *table;
    ngx_http_vod_member_t  *m;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;
    table = asset->table;
    m = &ngx_http_vod_members(table)[asset->next - 1];

    tracks = ngx_http_vod_scratch(r, asset->index.n_tracks
                                     * sizeof(vod_track_t));
    if (tracks == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, sizeof(vod_index_t), tracks,
                           asset->index.n_tracks * sizeof(vod_track_t));

    ngx_memzero(m->n, sizeof(m->n));

    for (i = 0; rc == NGX_OK && i < asset->index.n_tracks; i++) {
        m->n[tracks[i].kind & 3]++;
    }

    ngx_http_vod_scratch_free(r, tracks);

    if (rc != NGX_OK) {
        return NGX_AGAIN;
    }

    m->id = ctx->id;
    m->off_grid = asset->timeline.off_grid;

    if (m->n[VOD_VIDEO] && table->reference == 0
        && (asset->kind != NGX_HTTP_VOD_SIDECARS || asset->next == 1))
    {
        table->reference = asset->next;
        table->grid = m->id;

        asset->head = *table;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_walk_part(ngx_http_request_t *r)
{
    char                       text[VOD_ERR_TEXT];
    uint64_t                   len;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_part_t       *part;
    ngx_http_vod_asset_t      *asset;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    asset = ctx->asset;
    part = &asset->parts[asset->next - 1];

    /* rows come last, behind the notes */

    len = asset->index.notes_off + asset->index.notes_len
          + asset->timeline.len;

    asset->bytes += len;
    asset->turn += len * NGX_HTTP_VOD_TURN / NGX_HTTP_VOD_TURN_BYTES;

    if (asset->bytes > vmcf->max_index_size) {
        asset->walking = 0;
        ngx_http_vod_member_leave(r);

        ngx_sprintf((u_char *) text, "a playlist of its %uD files needs more "
                    "than %uz bytes of memory (vod_max_index_size)%Z",
                    asset->head.n, vmcf->max_index_size);

        return ngx_http_vod_fail(r, VOD_LIMIT, text);
    }

    part->index = ngx_http_vod_walk_copy(r, NGX_HTTP_VOD_INDEX,
                                         asset->index.notes_off
                                         + asset->index.notes_len);
    part->timeline = ngx_http_vod_walk_copy(r, NGX_HTTP_VOD_TIMELINE,
                                            asset->timeline.len);

    return (part->index && part->timeline) ? NGX_OK : NGX_AGAIN;
}


static void *
ngx_http_vod_walk_copy(ngx_http_request_t *r, ngx_uint_t type, uint64_t len)
{
    void  *p;

    p = malloc(len);
    if (p == NULL) {
        return NULL;
    }

    if (ngx_http_vod_read(r, type, 0, p, len) != NGX_OK) {
        free(p);
        return NULL;
    }

    return p;
}


ngx_int_t
ngx_http_vod_asset_pause(ngx_http_request_t *r, ngx_msec_t time)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_asset_t  *asset;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;

    asset->turn = 0;
    asset->paused = 1;

    asset->pause.handler = ngx_http_vod_pause_handler;
    asset->pause.data = r;
    asset->pause.log = r->connection->log;

    ngx_add_timer(&asset->pause, time);

    r->write_event_handler = ngx_http_request_empty_handler;
    r->main->count++;

    ngx_http_vod_watch_client(r);

    return NGX_DONE;
}


static void
ngx_http_vod_pause_handler(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;
    ngx_http_vod_ctx_t  *ctx;

    r = ev->data;
    c = r->connection;
    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ctx->asset->paused = 0;

    ngx_http_set_log_request(c->log, r);
    ngx_http_vod_unwatch_client(r);

    if (c->error) {
        ngx_http_finalize_request(r, NGX_ERROR);

    } else {
        ngx_http_vod_resume(r);
    }

    ngx_http_run_posted_requests(c);
}


/*
 * Where most renditions miss the first one's cuts, it is the odd one: the
 * first that misses them is tried as reference, and kept if that is better.
 */

static ngx_uint_t
ngx_http_vod_walk_again(ngx_http_vod_asset_t *asset)
{
    uint32_t                i, n, off, first, reference;
    ngx_http_vod_table_t   *table;
    ngx_http_vod_member_t  *m;

    table = asset->table;
    reference = 0;

    if (!asset->numbering || table->reference == 0 || asset->tries == 2) {
        return 0;
    }

    m = ngx_http_vod_members(table);

    for (i = 0, n = 0, off = 0, first = 0; i < table->n; i++) {
        n += (m[i].error == 0 && m[i].n[VOD_VIDEO]);

        if (m[i].error == 0 && m[i].off_grid && off++ == 0) {
            first = i + 1;
        }
    }

    if (asset->tries++ == 0) {

        if (off * 2 > n) {
            reference = first;
        }

    } else if (off >= asset->off) {
        reference = asset->reference;
    }

    if (reference == 0) {
        asset->tries = 2;
        return 0;
    }

    asset->off = off;
    asset->reference = table->reference;

    table->reference = reference;
    table->grid = m[reference - 1].id;

    asset->head = *table;
    asset->next = 1;
    asset->member = 0;

    free(asset->grid);
    asset->grid = NULL;

    return 1;
}


/* the numbers of their tracks, once all have been seen */

static void
ngx_http_vod_walk_table(ngx_http_request_t *r)
{
    uint32_t                i, kind, sum[4];
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_asset_t   *asset;
    ngx_http_vod_table_t   *table;
    ngx_http_vod_member_t  *m;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;
    table = asset->table;
    m = ngx_http_vod_members(table);

    ngx_memzero(sum, sizeof(sum));

    for (i = 0; i < table->n; i++) {

        if (m[i].error) {
            ngx_memzero(m[i].n, sizeof(m[i].n));
        }

        for (kind = 0; kind < 4; kind++) {
            m[i].first[kind] = sum[kind];
            sum[kind] += m[i].n[kind];
        }

        table->mtime = ngx_max(table->mtime, m[i].id.mtime_sec);

        if (m[i].error == VOD_TIMEOUT || m[i].error == VOD_IO
            || m[i].error == NGX_HTTP_VOD_QUARANTINED)
        {
            table->expires = ngx_time() + NGX_HTTP_VOD_TABLE_VALID;
        }
    }

    table->media = sum[VOD_VIDEO] + sum[VOD_AUDIO];
    table->texts = sum[VOD_TEXT];

    if (ngx_http_vod_table_put(r, asset) != NGX_BUSY) {
        ngx_http_vod_walk_log(r);
    }
}


static void
ngx_http_vod_walk_log(ngx_http_request_t *r)
{
    uint32_t                i;
    ngx_str_t               path;
    ngx_log_t              *log;
    ngx_http_vod_ctx_t     *ctx;
    ngx_http_vod_asset_t   *asset;
    ngx_http_vod_member_t  *m;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    asset = ctx->asset;
    log = r->connection->log;
    m = ngx_http_vod_members(asset->table);

    for (i = 0; i < asset->table->n; i++) {

        path.data = (u_char *) asset->table + m[i].path;
        path.len = m[i].path_len;

        if (m[i].error) {
            ngx_log_error(NGX_LOG_ERR, log, 0,
                          "\"%V\" vod: \"%V\" left out: %s", &asset->path,
                          &path, asset->reasons[i]);

        } else if (m[i].off_grid) {
            ngx_log_error(NGX_LOG_WARN, log, 0,
                          "\"%V\" vod: the key frames of \"%V\" are not where "
                          "the others have theirs: it has cuts of its own, "
                          "and players may not switch to it smoothly",
                          &asset->path, &path);
        }
    }
}
