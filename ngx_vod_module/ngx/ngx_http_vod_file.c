/*
 * From the URI to an open file and its identity.
 */

#include "ngx_http_vod_asset.h"


static ngx_int_t ngx_http_vod_map(ngx_http_request_t *r, ngx_str_t *path,
    size_t *root);
static ngx_int_t ngx_http_vod_open_asset(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx, ngx_open_file_info_t *of, size_t root);
static ngx_int_t ngx_http_vod_open_failed(ngx_http_request_t *r,
    ngx_str_t *path, ngx_open_file_info_t *of);
#ifdef O_DIRECT
static ngx_int_t ngx_http_vod_reopen(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx, ngx_pool_t *pool);
#endif
static ngx_int_t ngx_http_vod_identify(ngx_http_request_t *r,
    ngx_http_vod_ctx_t *ctx);


ngx_int_t
ngx_http_vod_open(ngx_http_request_t *r)
{
    size_t                root;
    ngx_int_t             rc;
    ngx_http_vod_ctx_t   *ctx;
    ngx_open_file_info_t  of;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_map(r, &ctx->path, &root);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_open_path(r, &of, r->pool);

    if (rc == NGX_DECLINED) {
        return ngx_http_vod_open_failed(r, &ctx->path, &of);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    r->root_tested = !r->error_page;

    return ngx_http_vod_open_asset(r, ctx, &of, root);
}


/* a folder and a descriptor are of several files */

static ngx_int_t
ngx_http_vod_open_asset(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_open_file_info_t *of, size_t root)
{
    ngx_uint_t                kind;
    ngx_http_vod_loc_conf_t  *vlcf;

    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    if (of->is_dir && vlcf->max_members > 1) {
        kind = NGX_HTTP_VOD_FOLDER;

    } else if (!of->is_file) {
        ngx_http_vod_open_refuse(r, &ctx->path, of->is_dir);
        return NGX_HTTP_NOT_FOUND;

    } else if (vlcf->max_members > 1
               && ctx->path.len > sizeof(".json") - 1
               && ngx_strncasecmp(ctx->path.data + ctx->path.len
                                  - (sizeof(".json") - 1),
                                  (u_char *) ".json", sizeof(".json") - 1)
                  == 0)
    {
        kind = NGX_HTTP_VOD_DESCRIPTOR;

    } else {
        return NGX_OK;
    }

    return (ngx_http_vod_asset_begin(r, kind, root) == NGX_OK)
           ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


void
ngx_http_vod_open_refuse(ngx_http_request_t *r, ngx_str_t *path,
    ngx_uint_t is_dir)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!is_dir) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" is not a regular file", path);

    } else if (clcf->log_not_found) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" is a directory", path);
    }
}


ngx_int_t
ngx_http_vod_open_path(ngx_http_request_t *r, ngx_open_file_info_t *of,
    ngx_pool_t *pool)
{
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http vod file: \"%V\"", &ctx->path);

    ngx_memzero(of, sizeof(ngx_open_file_info_t));

    of->read_ahead = clcf->read_ahead;
    of->valid = clcf->open_file_cache_valid;
    of->min_uses = clcf->open_file_cache_min_uses;
    of->errors = clcf->open_file_cache_errors;
    of->events = clcf->open_file_cache_events;

    /* what is read for the index is worth being in the page cache */
    of->directio = NGX_MAX_OFF_T_VALUE;

    if (ngx_http_set_disable_symlinks(r, clcf, &ctx->path, of) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_open_cached_file(clcf->open_file_cache, &ctx->path, of, pool)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (!of->is_file) {
        return NGX_OK;
    }

    ctx->fd = of->fd;
    ctx->directio = (of->size >= clcf->directio);

#ifdef O_DIRECT

    /* by another location with "directio", through the open file cache */

    if (of->is_directio && ngx_http_vod_reopen(r, ctx, pool) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

#endif

    return ngx_http_vod_identify(r, ctx);
}


/*
 * The whole URI is mapped, so that root, alias and their variables mean what
 * they mean elsewhere, and the part that is no file is cut from the path.  A
 * regex location's alias may name the file without that part.
 */

static ngx_int_t
ngx_http_vod_map(ngx_http_request_t *r, ngx_str_t *path, size_t *root)
{
    size_t               tail;
    u_char              *last;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    last = ngx_http_map_uri_to_path(r, path, root, 0);
    if (last == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    path->len = last - path->data;
    tail = r->uri.len - ctx->uri.asset_len;

    if (path->len >= tail
        && ngx_memcmp(last - tail, r->uri.data + ctx->uri.asset_len, tail)
           == 0)
    {
        path->len -= tail;
        path->data[path->len] = '\0';
    }

    if (path->len == 0) {
        return NGX_HTTP_NOT_FOUND;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_open_failed(ngx_http_request_t *r, ngx_str_t *path,
    ngx_open_file_info_t *of)
{
    ngx_int_t                  rc;
    ngx_uint_t                 level;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    rc = ngx_http_vod_open_status(of->err);
    level = (rc == NGX_HTTP_INTERNAL_SERVER_ERROR) ? NGX_LOG_CRIT
                                                   : NGX_LOG_ERR;

    if (of->err && (rc != NGX_HTTP_NOT_FOUND || clcf->log_not_found)) {
        ngx_log_error(level, r->connection->log, of->err,
                      "%s \"%V\" failed", of->failed, path);
    }

    return rc;
}


ngx_int_t
ngx_http_vod_open_status(ngx_err_t err)
{
    switch (err) {

    case NGX_ENOENT:
    case NGX_ENOTDIR:
    case NGX_ENAMETOOLONG:

    /* a socket, or a device without hardware: no regular files either */
    case ENXIO:
    case ENODEV:

        return NGX_HTTP_NOT_FOUND;

    case NGX_EACCES:
#if (NGX_HAVE_OPENAT)
    case NGX_EMLINK:
    case NGX_ELOOP:
#endif

        return NGX_HTTP_FORBIDDEN;

    default:

        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


#ifdef O_DIRECT

/*
 * A descriptor opened for direct transfer takes aligned reads only, and is
 * not ours to change: the file is opened once more, by a name that cannot
 * have come to mean another one.
 */

static ngx_int_t
ngx_http_vod_reopen(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_pool_t *pool)
{
    ngx_fd_t                  fd;
    ngx_pool_cleanup_t       *cln;
    ngx_pool_cleanup_file_t  *clnf;
    u_char                    name[sizeof("/proc/self/fd/") + NGX_INT_T_LEN];

    cln = ngx_pool_cleanup_add(pool, sizeof(ngx_pool_cleanup_file_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(name, "/proc/self/fd/%d%Z", ctx->fd);

    fd = open((char *) name, O_RDONLY|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, ngx_errno,
                      "open() of \"%V\" without direct transfer failed",
                      &ctx->path);
        return NGX_ERROR;
    }

    cln->handler = ngx_pool_cleanup_file;

    clnf = cln->data;
    clnf->fd = fd;
    clnf->name = ctx->path.data;
    clnf->log = pool->log;

    ctx->fd = fd;

    return NGX_OK;
}

#endif


/* open_file_cache knows neither device nor nanoseconds */

static ngx_int_t
ngx_http_vod_identify(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx)
{
    ngx_file_info_t  fi;

    if (ngx_fd_info(ctx->fd, &fi) == NGX_FILE_ERROR) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, ngx_errno,
                      ngx_fd_info_n " \"%V\" failed", &ctx->path);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_vod_file_id(&ctx->id, &fi);

    return NGX_OK;
}


/* the size of a folder is none of its own */

void
ngx_http_vod_folder_id(ngx_http_vod_file_id_t *id, ngx_file_info_t *fi)
{
    ngx_http_vod_file_id(id, fi);
    id->size = 0;
}


void
ngx_http_vod_file_id(ngx_http_vod_file_id_t *id, ngx_file_info_t *fi)
{
    id->dev = fi->st_dev;
    id->ino = fi->st_ino;
    id->size = fi->st_size;
    id->mtime_sec = fi->st_mtime;

#if (NGX_DARWIN || __FreeBSD__ || __NetBSD__)
    id->mtime_nsec = fi->st_mtimespec.tv_nsec;
#else
    id->mtime_nsec = fi->st_mtim.tv_nsec;
#endif
}
