/*
 * A build: index and timeline of a file made by one thread task.
 *
 * It belongs to the request that posted it, and its result goes to the zone
 * whether or not the client is still there.  The request itself is served
 * from the task's memory.
 */

#include "ngx_http_vod_module.h"
#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_zone.h"

#include "../core/vod_timeline.h"


struct ngx_http_vod_build_s {
    ngx_http_vod_ctx_t      *ctx;       /* the request may have lost it */
    ngx_http_vod_main_conf_t *conf;
    ngx_fd_t                 fd;
    ngx_http_vod_file_id_t   id;
    ngx_http_vod_file_id_t   seen;      /* when it was done */
    ngx_http_vod_cuts_t      cuts;
    ngx_msec_t               since;     /* of our claim */
    unsigned                 claimed:1;
    unsigned                 indexed:1; /* libavformat was asked */
    unsigned                 changed:1; /* the file did, meanwhile */
    unsigned                 done:1;

    void                    *index;     /* both from malloc() */
    void                    *timeline;
    uint64_t                 index_len;
    uint64_t                 timeline_len;
    uint64_t                 bytes_read;
    vod_err_t                err;       /* code is VOD_OK where all is well */
};


static ngx_http_vod_build_t *ngx_http_vod_create_build(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);
static void ngx_http_vod_build_cleanup(void *data);
static void ngx_http_vod_load_index(ngx_http_vod_zone_t *zone,
    ngx_http_vod_build_t *build);
static void ngx_http_vod_build_work(void *data);
static int ngx_http_vod_build_index(ngx_http_vod_build_t *build);
static int ngx_http_vod_build_timeline(ngx_http_vod_build_t *build);
static int ngx_http_vod_build_segments(ngx_http_vod_build_t *build);
static void ngx_http_vod_build_done(ngx_http_request_t *r, void *data);
static void ngx_http_vod_store(ngx_http_request_t *r,
    ngx_http_vod_build_t *build);
static void ngx_http_vod_store_failure(ngx_http_vod_zone_t *zone,
    ngx_http_vod_build_t *build, int code, const char *text);
static void ngx_http_vod_log_notes(ngx_http_request_t *r,
    ngx_http_vod_build_t *build);
static void ngx_http_vod_build_resume(ngx_http_request_t *r);


ngx_int_t
ngx_http_vod_build(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_msec_t *since)
{
    ngx_int_t                  rc;
    ngx_http_vod_build_t      *build;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    if (ctx->build && ctx->build->done) {
        /* it has an index of its own, which does not serve it */
        rc = NGX_ERROR;
        build = NULL;

        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "index of \"%V\" is not what was built", &ctx->path);
        goto failed;
    }

    rc = NGX_ERROR;

    build = ngx_http_vod_create_build(r, ctx);
    if (build == NULL) {
        goto failed;
    }

    if (since) {
        build->claimed = 1;
        build->since = *since;
        ngx_http_vod_load_index(vmcf->zone, build);
    }

    rc = ngx_http_vod_thread_run(r, ngx_http_vod_build_work,
                                 ngx_http_vod_build_done, build,
                                 ngx_http_vod_build_resume);
    if (rc == NGX_OK) {
        return NGX_DONE;
    }

failed:

    ngx_http_vod_zone_leave(vmcf->zone);

    if (since) {
        ngx_http_vod_zone_release(vmcf->zone, &ctx->id, *since);
    }

    ngx_http_vod_wake(vmcf->zone, &ctx->id);

    if (rc == NGX_BUSY) {
        return ngx_http_vod_unavailable(r);
    }

    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_http_vod_build_t *
ngx_http_vod_create_build(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    ngx_pool_cleanup_t    *cln;
    ngx_http_vod_build_t  *build;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_vod_build_t));
    if (cln == NULL) {
        return NULL;
    }

    build = cln->data;
    ngx_memzero(build, sizeof(ngx_http_vod_build_t));

    cln->handler = ngx_http_vod_build_cleanup;

    build->ctx = ctx;
    build->conf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);
    build->fd = ctx->fd;
    build->id = ctx->id;
    build->cuts = ctx->cuts;

    ctx->build = build;

    return build;
}


static void
ngx_http_vod_build_cleanup(void *data)
{
    ngx_http_vod_build_t *build = data;

    free(build->index);
    free(build->timeline);

    build->index = NULL;
    build->timeline = NULL;
}


void
ngx_http_vod_index_free(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->build) {
        ngx_http_vod_build_cleanup(ctx->build);
    }
}


ngx_int_t
ngx_http_vod_build_get(ngx_http_vod_build_t *build, ngx_uint_t type,
    uint64_t offset, void *dst, size_t len)
{
    u_char    *data;
    uint64_t   size;

    if (type == NGX_HTTP_VOD_INDEX) {
        data = build->index;
        size = build->index_len;

    } else {
        data = build->timeline;
        size = build->timeline_len;
    }

    if (data == NULL || offset > size || len > size - offset) {
        return NGX_DECLINED;
    }

    ngx_memcpy(dst, data + offset, len);

    return NGX_OK;
}


/* another segment duration of a known file needs no libavformat */

static void
ngx_http_vod_load_index(ngx_http_vod_zone_t *zone,
    ngx_http_vod_build_t *build)
{
    ngx_http_vod_key_t   key;
    ngx_http_vod_meta_t  meta;

    ngx_http_vod_zone_key(&key, &build->id, NGX_HTTP_VOD_INDEX, 0);

    if (ngx_http_vod_zone_find(zone, &key, &meta) != NGX_OK) {
        return;
    }

    build->index = malloc(meta.len);
    if (build->index == NULL) {
        return;
    }

    build->index_len = meta.len;

    if (ngx_http_vod_zone_get(zone, &key, 0, build->index, meta.len)
        != NGX_OK)
    {
        free(build->index);
        build->index = NULL;
    }
}


/* in a thread */

static void
ngx_http_vod_build_work(void *data)
{
    ngx_http_vod_build_t *build = data;

    struct stat              st;
    ngx_http_vod_suspect_t  *suspect;

    suspect = ngx_http_vod_quarantine_begin(&build->id, 0);

    if (build->index == NULL) {
        build->err.code = ngx_http_vod_build_index(build);
    }

    if (build->err.code == VOD_OK) {
        build->err.code = ngx_http_vod_build_timeline(build);
    }

    ngx_http_vod_quarantine_end(suspect);

    if (fstat(build->fd, &st) == 0) {
        ngx_http_vod_file_id(&build->seen, &st);
        build->changed = (memcmp(&build->seen, &build->id, sizeof(build->id))
                          != 0);
    }
}


static int
ngx_http_vod_build_index(ngx_http_vod_build_t *build)
{
    int              rc;
    vod_av_source_t  source;

    memset(&source, 0, sizeof(source));

    source.read = ngx_http_vod_source_read;
    source.data = &build->fd;
    source.size = build->id.size;

    build->indexed = 1;

    rc = vod_av_index(&source, &build->conf->limits, &build->index,
                      &build->index_len, &build->err);

    build->bytes_read = source.bytes_read;

    return rc;
}


static int
ngx_http_vod_build_timeline(ngx_http_vod_build_t *build)
{
    void               *p;
    uint64_t            room;
    vod_timeline_in_t   in;

    in.target = build->cuts.target;
    in.file_size = build->id.size;
    in.mtime_sec = build->id.mtime_sec;
    in.mtime_nsec = build->id.mtime_nsec;
    in.grid = build->cuts.grid;
    in.from = build->cuts.from;
    in.to = build->cuts.to;

    room = vod_timeline_bound(build->index, &in);

    build->timeline = malloc(room);
    if (build->timeline == NULL) {
        return vod_fail(&build->err, VOD_NOMEM,
                        "no memory for a timeline of %llu bytes",
                        (unsigned long long) room);
    }

    build->timeline_len = vod_timeline_build(build->index, &in,
                                             build->timeline, room,
                                             &build->err);
    if (build->timeline_len == 0) {
        return build->err.code;
    }

    p = realloc(build->timeline, build->timeline_len);

    if (p) {
        build->timeline = p;
    }

    return ngx_http_vod_build_segments(build);
}


/* a playlist is rendered in the event loop: it is not to have any length */

static int
ngx_http_vod_build_segments(ngx_http_vod_build_t *build)
{
    ngx_uint_t                   i, max;
    const vod_track_t           *t;
    const vod_timeline_t        *timeline;
    const vod_timeline_track_t  *tt;

    timeline = build->timeline;
    tt = vod_timeline_tracks(timeline);
    max = build->conf->max_segments;

    for (i = 0; i < timeline->n_tracks; i++) {

        if (tt[i].n_segments > max) {
            t = vod_index_tracks(build->index);

            return vod_fail(&build->err, VOD_LIMIT,
                            "track %u would have %u segments of %u ms, more "
                            "than the %u allowed (vod_max_segments), ask for "
                            "a longer vod_segment_duration",
                            t[i].source_id, tt[i].n_segments,
                            timeline->target, (unsigned) max);
        }
    }

    return VOD_OK;
}


int64_t
ngx_http_vod_source_read(void *data, void *buf, uint64_t len, uint64_t offset,
    int *sys_err)
{
    ngx_fd_t *fd = data;

    ssize_t   n;
    uint64_t  done;

    for (done = 0; done < len; done += n) {

        n = pread(*fd, (u_char *) buf + done, len - done,
                  offset + done);

        if (n == -1 && errno == EINTR) {
            n = 0;
            continue;
        }

        if (n == -1) {
            *sys_err = errno;
            return -1;
        }

        if (n == 0) {
            break;
        }
    }

    return done;
}


/* in the event loop again, perhaps without a client */

static void
ngx_http_vod_build_done(ngx_http_request_t *r, void *data)
{
    ngx_http_vod_build_t *build = data;

    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    build->done = 1;

    if (build->indexed) {
        ngx_http_vod_zone_count(vmcf->zone, builds);
        ngx_http_vod_count_read(r, build->bytes_read);
    }

    ngx_http_vod_metrics_build(r, build->indexed, &build->err);

    switch (build->err.code) {

    case VOD_OK:

        if (build->indexed) {
            ngx_http_vod_log_notes(r, build);
        }

        ngx_http_vod_store(r, build);
        break;

    case VOD_UNSUPPORTED:
    case VOD_DAMAGED:
    case VOD_LIMIT:

        if (!build->changed) {
            ngx_http_vod_store_failure(vmcf->zone, build, build->err.code,
                                       build->err.text);
        }

        /* fall through */

    default:
        ngx_http_vod_zone_count(vmcf->zone, failures);
        break;
    }

    ngx_http_vod_zone_leave(vmcf->zone);

    if (build->claimed) {
        ngx_http_vod_zone_release(vmcf->zone, &build->id, build->since);
    }

    ngx_http_vod_wake(vmcf->zone, &build->id);
}


static void
ngx_http_vod_store(ngx_http_request_t *r, ngx_http_vod_build_t *build)
{
    size_t                     size;
    ngx_http_vod_key_t         key;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_meta_t        meta;
    ngx_http_vod_zone_t       *zone;
    ngx_http_vod_main_conf_t  *vmcf;

    ctx = build->ctx;
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);
    zone = vmcf->zone;

    ctx->cache = NGX_HTTP_VOD_CACHE_UNCACHED;

    if (build->changed) {
        return;
    }

    if (ngx_http_vod_zone_fits(zone, build->index_len, build->timeline_len,
                               &size)
        != NGX_OK)
    {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "index of \"%V\" not cached: zone \"%V\" has no room "
                      "for %uL bytes, you may want to increase vod_zone "
                      "to %uzk",
                      &ctx->path, &zone->shm_zone->shm.name,
                      build->index_len + build->timeline_len, size / 1024);

        ngx_http_vod_store_failure(zone, build, NGX_HTTP_VOD_TOO_LARGE, "");
        return;
    }

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    ngx_http_vod_zone_key(&key, &build->id, NGX_HTTP_VOD_INDEX, 0);
    meta.len = build->index_len;

    if (ngx_http_vod_zone_put(zone, &key, &meta, build->index) != NGX_OK) {
        return;
    }

    ngx_http_vod_zone_key(&key, &build->id, NGX_HTTP_VOD_TIMELINE,
                          ngx_http_vod_cuts(&build->cuts));
    meta.len = build->timeline_len;

    if (ngx_http_vod_zone_put(zone, &key, &meta, build->timeline) != NGX_OK) {
        return;
    }

    ctx->cache = NGX_HTTP_VOD_CACHE_MISS;
}


static void
ngx_http_vod_store_failure(ngx_http_vod_zone_t *zone,
    ngx_http_vod_build_t *build, int code, const char *text)
{
    ngx_http_vod_key_t      key;
    ngx_http_vod_meta_t     meta;
    ngx_http_vod_failure_t  failure;

    ngx_memzero(&failure, sizeof(ngx_http_vod_failure_t));
    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    failure.code = code;
    ngx_cpystrn((u_char *) failure.text, (u_char *) text, VOD_ERR_TEXT);

    ngx_http_vod_zone_key(&key, &build->id, NGX_HTTP_VOD_FAILURE,
                          ngx_http_vod_cuts(&build->cuts));
    key.number = zone->limits;
    meta.len = sizeof(ngx_http_vod_failure_t);

    /* without room the next request finds out for itself */
    (void) ngx_http_vod_zone_put(zone, &key, &meta, &failure);
}


static void
ngx_http_vod_log_notes(ngx_http_request_t *r, ngx_http_vod_build_t *build)
{
    u_char              *p, *last, *end;
    ngx_str_t            line;
    vod_index_t         *index;
    ngx_http_vod_ctx_t  *ctx;

    ctx = build->ctx;
    index = build->index;

    p = (u_char *) build->index + index->notes_off;
    last = p + index->notes_len;

    for ( /* void */ ; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, LF);
        if (end == NULL) {
            end = last;
        }

        line.data = p;
        line.len = end - p;

        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "\"%V\" vod: %V", &ctx->path, &line);
    }
}


static void
ngx_http_vod_build_resume(ngx_http_request_t *r)
{
    ngx_int_t              rc;
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_build_t  *build;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    build = ctx->build;

    if (!build->changed && build->err.code == VOD_OK) {
        ngx_http_vod_resume(r);
        return;
    }

    if (build->changed) {
        rc = ngx_http_vod_changed(r, &build->seen);

        if (rc == NGX_OK) {
            ctx->build = NULL;

            ngx_http_vod_build_cleanup(build);
            ngx_http_vod_resume(r);
            return;
        }

    } else {
        rc = ngx_http_vod_fail(r, build->err.code, build->err.text);
    }

    if (rc == NGX_ABORT || rc == NGX_AGAIN) {
        /* of a member of an asset, which goes on without it */

        ctx->build = NULL;

        ngx_http_vod_build_cleanup(build);
        ngx_http_vod_resume(r);
        return;
    }

    ngx_http_finalize_request(r, rc);
}
