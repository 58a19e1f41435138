/*
 * The memory of an object: blocks of a page, and the directory that makes
 * each of them reachable in the same number of steps.
 */

#include "ngx_http_vod_object.h"


static ngx_int_t ngx_http_vod_object_add_block(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src);
static void *ngx_http_vod_object_alloc(ngx_http_vod_zone_t *zone, size_t size,
    ngx_http_vod_file_id_t *keep);
static ngx_http_vod_object_t *ngx_http_vod_object_oldest(
    ngx_http_vod_zone_t *zone, ngx_http_vod_file_id_t *keep);


/* pointers in a page of them */
#define NGX_HTTP_VOD_DIR  (ngx_pagesize / sizeof(u_char *))


/*
 * An object without bytes among the pending ones, where it is found again if
 * this process dies.
 */

ngx_http_vod_object_t *
ngx_http_vod_object_begin(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    uint64_t len)
{
    uint64_t                n;
    ngx_http_vod_object_t  *object;

    object = ngx_http_vod_object_alloc(zone, sizeof(ngx_http_vod_object_t),
                                       &key->file);
    if (object == NULL) {
        return NULL;
    }

    ngx_memzero(object, sizeof(ngx_http_vod_object_t));

    if (len) {
        n = (len + ngx_pagesize - 1) / ngx_pagesize;
        n = (n + NGX_HTTP_VOD_DIR - 1) / NGX_HTTP_VOD_DIR;

        object->dirs = ngx_http_vod_object_alloc(zone, n * sizeof(u_char **),
                                                 &key->file);
        if (object->dirs == NULL) {
            ngx_slab_free_locked(zone->shpool, object);
            return NULL;
        }
    }

    object->key = *key;
    object->pid = ngx_pid;
    object->since = ngx_current_msec;

    ngx_queue_insert_tail(&zone->sh->pending, &object->queue);

    return object;
}


ngx_int_t
ngx_http_vod_object_fill(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src)
{
    uint64_t    done, len;
    ngx_uint_t  generation;

    len = object->meta.len;
    generation = zone->sh->generation;

    for (done = 0; done < len; done += ngx_pagesize) {

        if (done && done % NGX_HTTP_VOD_HOLD == 0) {
            ngx_http_vod_zone_unlock(zone);
            ngx_http_vod_zone_lock(zone);

            if (zone->sh->generation != generation) {
                return NGX_ABORT;
            }
        }

        if (ngx_http_vod_object_add_block(zone, object, src + done) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_object_add_block(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src)
{
    size_t        size;
    u_char       *p, **dir;
    uint64_t      left;
    ngx_uint_t    n;

    left = object->meta.len - (uint64_t) object->nblocks * ngx_pagesize;

    /* ngx_pagesize is set once, and not to 0:
       NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    n = object->nblocks % NGX_HTTP_VOD_DIR;

    if (n == 0) {
        size = ngx_min((left + ngx_pagesize - 1) / ngx_pagesize,
                       NGX_HTTP_VOD_DIR);

        dir = ngx_http_vod_object_alloc(zone, size * sizeof(u_char *),
                                        &object->key.file);
        if (dir == NULL) {
            return NGX_DECLINED;
        }

        object->dirs[object->ndirs++] = dir;
    }

    size = ngx_min(left, ngx_pagesize);

    p = ngx_http_vod_object_alloc(zone, size, &object->key.file);
    if (p == NULL) {
        return NGX_DECLINED;
    }

    ngx_memcpy(p, src, size);

    object->dirs[object->ndirs - 1][n] = p;
    object->nblocks++;

    return NGX_OK;
}


/* makes room, but not by giving up what the file in hand is served from */

static void *
ngx_http_vod_object_alloc(ngx_http_vod_zone_t *zone, size_t size,
    ngx_http_vod_file_id_t *keep)
{
    void                   *p;
    ngx_http_vod_object_t  *object;

    for ( ;; ) {
        p = ngx_slab_alloc_locked(zone->shpool, size);
        if (p) {
            return p;
        }

        object = ngx_http_vod_object_oldest(zone, keep);
        if (object == NULL) {
            return NULL;
        }

        ngx_http_vod_object_remove(zone, object);
        ngx_http_vod_zone_count(zone, evictions);
    }
}


static ngx_http_vod_object_t *
ngx_http_vod_object_oldest(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *keep)
{
    ngx_queue_t            *q;
    ngx_http_vod_object_t  *object;

    for (q = ngx_queue_last(&zone->sh->lru);
         q != ngx_queue_sentinel(&zone->sh->lru);
         q = ngx_queue_prev(q))
    {
        object = ngx_queue_data(q, ngx_http_vod_object_t, queue);

        if ((object->key.type != NGX_HTTP_VOD_INDEX
             && object->key.type != NGX_HTTP_VOD_TIMELINE)
            || ngx_memcmp(&object->key.file, keep,
                          sizeof(ngx_http_vod_file_id_t))
               != 0)
        {
            return object;
        }
    }

    return NULL;
}


void
ngx_http_vod_object_copy_out(ngx_http_vod_object_t *object, uint64_t offset,
    u_char *dst, size_t len)
{
    size_t      n, skip;
    ngx_uint_t  block;

    block = offset / ngx_pagesize;
    skip = offset % ngx_pagesize;

    while (len) {
        n = ngx_min(len, ngx_pagesize - skip);

        dst = ngx_cpymem(dst, object->dirs[block / NGX_HTTP_VOD_DIR]
                                          [block % NGX_HTTP_VOD_DIR] + skip,
                         n);

        len -= n;
        skip = 0;
        block++;
    }
}


void
ngx_http_vod_object_remove(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object)
{
    ngx_uint_t  i;

    if (object->found) {
        ngx_queue_remove(&object->bucket);
        zone->sh->entries--;
    }

    ngx_queue_remove(&object->queue);

    for (i = 0; i < object->nblocks; i++) {
        ngx_slab_free_locked(zone->shpool,
                             object->dirs[i / NGX_HTTP_VOD_DIR]
                                         [i % NGX_HTTP_VOD_DIR]);
    }

    for (i = 0; i < object->ndirs; i++) {
        ngx_slab_free_locked(zone->shpool, object->dirs[i]);
    }

    if (object->dirs) {
        ngx_slab_free_locked(zone->shpool, object->dirs);
    }

    ngx_slab_free_locked(zone->shpool, object);
}


/* whole pages; what is smaller than half a page shares one */

ngx_uint_t
ngx_http_vod_object_pages(uint64_t len)
{
    uint64_t  n;

    if (len <= ngx_pagesize / 2) {
        return 0;
    }

    n = (len + ngx_pagesize - 1) / ngx_pagesize;

    return n + (n + NGX_HTTP_VOD_DIR - 1) / NGX_HTTP_VOD_DIR;
}
