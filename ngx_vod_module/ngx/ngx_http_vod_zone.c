/*
 * The shared zone: objects found by key, in blocks, least recently used out
 * first; and who is building what.  See ngx_http_vod_zone.h.
 */

#include "ngx_http_vod_zone.h"


/* pointers in a page of them */
#define NGX_HTTP_VOD_DIR          (ngx_pagesize / sizeof(u_char *))

/* bytes copied in one hold of the lock */
#define NGX_HTTP_VOD_HOLD         65536

/* a build that is older than this is taken over, ms */
#define NGX_HTTP_VOD_BUILD_LIMIT  60000

/* a process is not suspected of being dead before this, ms */
#define NGX_HTTP_VOD_REAP_AFTER   1000


typedef struct {
    ngx_queue_t           bucket;
    ngx_queue_t           queue;        /* lru or pending */
    ngx_http_vod_key_t    key;
    ngx_http_vod_meta_t   meta;
    u_char             ***dirs;
    ngx_uint_t            ndirs;        /* allocated so far */
    ngx_uint_t            nblocks;      /* allocated so far */
    ngx_msec_t            since;        /* monotonic, the same everywhere */
    ngx_pid_t             pid;          /* of a pending object's process */
    ngx_uint_t            found;        /* stands in its bucket */
} ngx_http_vod_object_t;


static ngx_int_t ngx_http_vod_zone_layout(ngx_http_vod_zone_t *zone);
static void ngx_http_vod_zone_lock(ngx_http_vod_zone_t *zone);
static void ngx_http_vod_zone_unlock(ngx_http_vod_zone_t *zone);
static ngx_http_vod_object_t *ngx_http_vod_zone_lookup(
    ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key);
static ngx_http_vod_object_t *ngx_http_vod_zone_use(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key);
static void ngx_http_vod_zone_copy_out(ngx_http_vod_object_t *object,
    uint64_t offset, u_char *dst, size_t len);
static ngx_int_t ngx_http_vod_zone_fill(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src);
static ngx_int_t ngx_http_vod_zone_add_block(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src);
static ngx_http_vod_object_t *ngx_http_vod_zone_begin(
    ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key, uint64_t len);
static void ngx_http_vod_zone_publish(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object);
static void *ngx_http_vod_zone_alloc(ngx_http_vod_zone_t *zone, size_t size,
    ngx_http_vod_file_id_t *keep);
static ngx_http_vod_object_t *ngx_http_vod_zone_oldest(
    ngx_http_vod_zone_t *zone, ngx_http_vod_file_id_t *keep);
static void ngx_http_vod_zone_remove(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object);
static void ngx_http_vod_zone_reap(ngx_http_vod_zone_t *zone);
static ngx_uint_t ngx_http_vod_zone_claim_build(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_msec_t *since);
static ngx_uint_t ngx_http_vod_zone_alive(ngx_http_vod_object_t *object);
static ngx_uint_t ngx_http_vod_zone_pages(uint64_t len);


#define ngx_http_vod_zone_bucket(zone, key)                                   \
    (&(zone)->sh->buckets[ngx_murmur_hash2((u_char *) (key),                  \
                                           sizeof(ngx_http_vod_key_t))        \
                          & (zone)->sh->mask])

#define ngx_http_vod_zone_age(object)                                         \
    ((ngx_msec_int_t) (ngx_current_msec - (object)->since))


ngx_int_t
ngx_http_vod_zone_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_http_vod_zone_t  *ozone = data;

    ngx_http_vod_zone_t  *zone;

    zone = shm_zone->data;

    zone->shm_zone = shm_zone;
    zone->shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (ozone) {
        /* reload: all that is known stays known */
        zone->sh = ozone->sh;
        return NGX_OK;
    }

    if (shm_zone->shm.exists) {
        zone->sh = zone->shpool->data;
        return NGX_OK;
    }

    if (ngx_http_vod_zone_layout(zone) != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "zone \"%V\" of %uz bytes is too small, "
                      "you may want to increase vod_zone",
                      &shm_zone->shm.name, shm_zone->shm.size);
        return NGX_ERROR;
    }

    ngx_memzero(&zone->sh->counters, sizeof(ngx_http_vod_counters_t));
    zone->sh->generation = 0;
    zone->sh->locked = 0;

    return NGX_OK;
}


void
ngx_http_vod_zone_init_process(ngx_http_vod_zone_t *zone)
{
    ngx_memzero(ngx_http_vod_zone_gauges(zone),
                sizeof(ngx_http_vod_gauges_t));
}


/*
 * The first allocations of an empty slab pool, in an order and of sizes that
 * never change: laid out anew, everything but the objects is where it was,
 * and the counters go on.
 */

static ngx_int_t
ngx_http_vod_zone_layout(ngx_http_vod_zone_t *zone)
{
    ngx_uint_t              i, n;
    ngx_queue_t            *buckets;
    ngx_slab_pool_t        *shpool;
    ngx_http_vod_shared_t  *sh;

    shpool = zone->shpool;

    /* a full zone is its usual state */
    shpool->log_nomem = 0;

    sh = ngx_slab_alloc_locked(shpool, sizeof(ngx_http_vod_shared_t));
    if (sh == NULL) {
        return NGX_ERROR;
    }

    for (n = 64; n < shpool->pfree / 4; n *= 2) { /* void */ }

    buckets = ngx_slab_alloc_locked(shpool, n * sizeof(ngx_queue_t));
    if (buckets == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {
        ngx_queue_init(&buckets[i]);
    }

    ngx_queue_init(&sh->lru);
    ngx_queue_init(&sh->pending);

    sh->buckets = buckets;
    sh->mask = n - 1;
    sh->entries = 0;
    sh->capacity = shpool->pfree;

    shpool->data = sh;
    zone->sh = sh;

    return NGX_OK;
}


static void
ngx_http_vod_zone_lock(ngx_http_vod_zone_t *zone)
{
    ngx_http_vod_shared_t  *sh;

    ngx_shmtx_lock(&zone->shpool->mutex);

    sh = zone->sh;

    if (sh->locked) {
        /* its owner died with queues and slab pages in any state */

        ngx_slab_init(zone->shpool);

        if (ngx_http_vod_zone_layout(zone) == NGX_OK && zone->sh == sh) {
            sh->generation++;
            zone->restarted = 1;
        }
    }

    sh->locked = 1;

    ngx_memory_barrier();
}


static void
ngx_http_vod_zone_unlock(ngx_http_vod_zone_t *zone)
{
    ngx_memory_barrier();

    zone->sh->locked = 0;

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (zone->restarted) {
        zone->restarted = 0;

        ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0,
                      "zone \"%V\" starts empty: "
                      "a process died while it was changing it",
                      &zone->shm_zone->shm.name);
    }
}


void
ngx_http_vod_zone_key(ngx_http_vod_key_t *key, ngx_http_vod_file_id_t *file,
    ngx_uint_t type, ngx_uint_t target)
{
    ngx_memzero(key, sizeof(ngx_http_vod_key_t));

    key->file = *file;
    key->type = type;
    key->target = target;
}


ngx_int_t
ngx_http_vod_zone_find(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    ngx_http_vod_meta_t *meta)
{
    ngx_int_t               rc;
    ngx_http_vod_object_t  *object;

    rc = NGX_DECLINED;

    ngx_http_vod_zone_lock(zone);

    object = ngx_http_vod_zone_use(zone, key);

    if (object) {
        *meta = object->meta;
        rc = NGX_OK;
    }

    ngx_http_vod_zone_unlock(zone);

    return rc;
}


ngx_int_t
ngx_http_vod_zone_get(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    uint64_t offset, void *dst, size_t len)
{
    size_t                  n;
    u_char                 *p;
    ngx_http_vod_object_t  *object;

    p = dst;

    do {
        n = ngx_min(len, NGX_HTTP_VOD_HOLD);

        ngx_http_vod_zone_lock(zone);

        object = ngx_http_vod_zone_use(zone, key);

        if (object == NULL
            || offset > object->meta.len
            || n > object->meta.len - offset)
        {
            ngx_http_vod_zone_unlock(zone);
            return NGX_DECLINED;
        }

        ngx_http_vod_zone_copy_out(object, offset, p, n);

        ngx_http_vod_zone_unlock(zone);

        p += n;
        offset += n;
        len -= n;

    } while (len);

    return NGX_OK;
}


static ngx_http_vod_object_t *
ngx_http_vod_zone_lookup(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key)
{
    ngx_queue_t            *q, *bucket;
    ngx_http_vod_object_t  *object;

    bucket = ngx_http_vod_zone_bucket(zone, key);

    for (q = ngx_queue_head(bucket);
         q != ngx_queue_sentinel(bucket);
         q = ngx_queue_next(q))
    {
        object = ngx_queue_data(q, ngx_http_vod_object_t, bucket);

        if (ngx_memcmp(&object->key, key, sizeof(ngx_http_vod_key_t)) == 0) {
            return object;
        }
    }

    return NULL;
}


/* finds an object that is not pending, and makes it the most recently used */

static ngx_http_vod_object_t *
ngx_http_vod_zone_use(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key)
{
    ngx_http_vod_object_t  *object;

    object = ngx_http_vod_zone_lookup(zone, key);

    if (object && ngx_queue_head(&zone->sh->lru) != &object->queue) {
        ngx_queue_remove(&object->queue);
        ngx_queue_insert_head(&zone->sh->lru, &object->queue);
    }

    return object;
}


static void
ngx_http_vod_zone_copy_out(ngx_http_vod_object_t *object, uint64_t offset,
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


ngx_int_t
ngx_http_vod_zone_put(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    ngx_http_vod_meta_t *meta, const void *data)
{
    ngx_int_t               rc;
    ngx_http_vod_object_t  *object;

    if (ngx_http_vod_zone_fits(zone, meta->len, 0, NULL) != NGX_OK) {
        /* not worth emptying the zone for */
        return NGX_DECLINED;
    }

    ngx_http_vod_zone_lock(zone);

    ngx_http_vod_zone_reap(zone);

    if (ngx_http_vod_zone_lookup(zone, key)) {
        ngx_http_vod_zone_unlock(zone);
        return NGX_OK;
    }

    object = ngx_http_vod_zone_begin(zone, key, meta->len);

    if (object == NULL) {
        ngx_http_vod_zone_unlock(zone);
        return NGX_DECLINED;
    }

    object->meta = *meta;

    rc = ngx_http_vod_zone_fill(zone, object, data);

    if (rc == NGX_OK && ngx_http_vod_zone_lookup(zone, key) == NULL) {
        ngx_queue_remove(&object->queue);
        ngx_queue_insert_head(&zone->sh->lru, &object->queue);

        ngx_http_vod_zone_publish(zone, object);

    } else if (rc != NGX_ABORT) {
        ngx_http_vod_zone_remove(zone, object);
    }

    ngx_http_vod_zone_unlock(zone);

    return (rc == NGX_OK) ? NGX_OK : NGX_DECLINED;
}


/*
 * Opens the lock for others now and then.  NGX_ABORT: the zone was started
 * empty meanwhile, and the object with it.
 */

static ngx_int_t
ngx_http_vod_zone_fill(ngx_http_vod_zone_t *zone,
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

        if (ngx_http_vod_zone_add_block(zone, object, src + done) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_zone_add_block(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src)
{
    size_t        size;
    u_char       *p, **dir;
    uint64_t      left;
    ngx_uint_t    n;

    left = object->meta.len - (uint64_t) object->nblocks * ngx_pagesize;
    n = object->nblocks % NGX_HTTP_VOD_DIR;

    if (n == 0) {
        size = ngx_min((left + ngx_pagesize - 1) / ngx_pagesize,
                       NGX_HTTP_VOD_DIR);

        dir = ngx_http_vod_zone_alloc(zone, size * sizeof(u_char *),
                                      &object->key.file);
        if (dir == NULL) {
            return NGX_DECLINED;
        }

        object->dirs[object->ndirs++] = dir;
    }

    size = ngx_min(left, ngx_pagesize);

    p = ngx_http_vod_zone_alloc(zone, size, &object->key.file);
    if (p == NULL) {
        return NGX_DECLINED;
    }

    ngx_memcpy(p, src, size);

    object->dirs[object->ndirs - 1][n] = p;
    object->nblocks++;

    return NGX_OK;
}


/*
 * An object without bytes among the pending ones, where it is found again if
 * this process dies.
 */

static ngx_http_vod_object_t *
ngx_http_vod_zone_begin(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    uint64_t len)
{
    uint64_t                n;
    ngx_http_vod_object_t  *object;

    object = ngx_http_vod_zone_alloc(zone, sizeof(ngx_http_vod_object_t),
                                     &key->file);
    if (object == NULL) {
        return NULL;
    }

    ngx_memzero(object, sizeof(ngx_http_vod_object_t));

    if (len) {
        n = (len + ngx_pagesize - 1) / ngx_pagesize;
        n = (n + NGX_HTTP_VOD_DIR - 1) / NGX_HTTP_VOD_DIR;

        object->dirs = ngx_http_vod_zone_alloc(zone, n * sizeof(u_char **),
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


static void
ngx_http_vod_zone_publish(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object)
{
    ngx_queue_t  *bucket;

    bucket = ngx_http_vod_zone_bucket(zone, &object->key);

    ngx_queue_insert_head(bucket, &object->bucket);

    object->found = 1;
    zone->sh->entries++;
}


/* makes room, but not by giving up what the file in hand is served from */

static void *
ngx_http_vod_zone_alloc(ngx_http_vod_zone_t *zone, size_t size,
    ngx_http_vod_file_id_t *keep)
{
    void                   *p;
    ngx_http_vod_object_t  *object;

    for ( ;; ) {
        p = ngx_slab_alloc_locked(zone->shpool, size);
        if (p) {
            return p;
        }

        object = ngx_http_vod_zone_oldest(zone, keep);
        if (object == NULL) {
            return NULL;
        }

        ngx_http_vod_zone_remove(zone, object);
        ngx_http_vod_zone_count(zone, evictions);
    }
}


static ngx_http_vod_object_t *
ngx_http_vod_zone_oldest(ngx_http_vod_zone_t *zone,
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


static void
ngx_http_vod_zone_remove(ngx_http_vod_zone_t *zone,
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


ngx_int_t
ngx_http_vod_zone_fits(ngx_http_vod_zone_t *zone, uint64_t len1,
    uint64_t len2, size_t *size)
{
    ngx_uint_t  n, capacity;

    capacity = zone->sh->capacity;

    n = ngx_http_vod_zone_pages(len1) + ngx_http_vod_zone_pages(len2);

    if (n == 0 || n + 2 <= capacity) {
        return NGX_OK;
    }

    if (size) {
        /* what nginx and we take for ourselves, and some playlists */
        n += zone->shm_zone->shm.size / ngx_pagesize - capacity;
        n += n / 8 + 16;

        *size = ngx_align(n * ngx_pagesize, 65536);
    }

    return NGX_DECLINED;
}


/* whole pages; what is smaller than half a page shares one */

static ngx_uint_t
ngx_http_vod_zone_pages(uint64_t len)
{
    uint64_t  n;

    if (len <= ngx_pagesize / 2) {
        return 0;
    }

    n = (len + ngx_pagesize - 1) / ngx_pagesize;

    return n + (n + NGX_HTTP_VOD_DIR - 1) / NGX_HTTP_VOD_DIR;
}


ngx_uint_t
ngx_http_vod_zone_claim(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_uint_t target, ngx_msec_t *since,
    ngx_http_vod_failure_t *failure)
{
    ngx_uint_t              claim;
    ngx_http_vod_key_t      index, timeline, key;
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_key(&index, file, NGX_HTTP_VOD_INDEX, 0);
    ngx_http_vod_zone_key(&timeline, file, NGX_HTTP_VOD_TIMELINE, target);
    ngx_http_vod_zone_key(&key, file, NGX_HTTP_VOD_FAILURE, target);

    ngx_http_vod_zone_lock(zone);

    ngx_http_vod_zone_reap(zone);

    object = ngx_http_vod_zone_use(zone, &key);

    if (ngx_http_vod_zone_lookup(zone, &index)
        && ngx_http_vod_zone_lookup(zone, &timeline))
    {
        claim = NGX_HTTP_VOD_CLAIM_READY;

    } else if (object) {
        ngx_http_vod_zone_copy_out(object, 0, (u_char *) failure,
                                   sizeof(ngx_http_vod_failure_t));

        claim = (failure->code == NGX_HTTP_VOD_TOO_LARGE)
                ? NGX_HTTP_VOD_CLAIM_ALONE : NGX_HTTP_VOD_CLAIM_FAILED;

    } else {
        claim = ngx_http_vod_zone_claim_build(zone, file, since);
    }

    ngx_http_vod_zone_unlock(zone);

    return claim;
}


static ngx_uint_t
ngx_http_vod_zone_claim_build(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_msec_t *since)
{
    ngx_http_vod_key_t      key;
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_key(&key, file, NGX_HTTP_VOD_BUILD, 0);

    object = ngx_http_vod_zone_lookup(zone, &key);

    if (object && ngx_http_vod_zone_alive(object)) {
        return NGX_HTTP_VOD_CLAIM_BUSY;
    }

    if (object) {
        ngx_http_vod_zone_remove(zone, object);
    }

    object = ngx_http_vod_zone_begin(zone, &key, 0);

    if (object == NULL) {
        return NGX_HTTP_VOD_CLAIM_ALONE;
    }

    ngx_http_vod_zone_publish(zone, object);

    *since = object->since;

    return NGX_HTTP_VOD_CLAIM_MINE;
}


void
ngx_http_vod_zone_release(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_msec_t since)
{
    ngx_http_vod_key_t      key;
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_key(&key, file, NGX_HTTP_VOD_BUILD, 0);

    ngx_http_vod_zone_lock(zone);

    object = ngx_http_vod_zone_lookup(zone, &key);

    /* one that took too long may have been taken over */

    if (object && object->pid == ngx_pid && object->since == since) {
        ngx_http_vod_zone_remove(zone, object);
    }

    ngx_http_vod_zone_unlock(zone);
}


ngx_uint_t
ngx_http_vod_zone_building(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file)
{
    ngx_uint_t              building;
    ngx_http_vod_key_t      key;
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_key(&key, file, NGX_HTTP_VOD_BUILD, 0);

    ngx_http_vod_zone_lock(zone);

    object = ngx_http_vod_zone_lookup(zone, &key);

    building = object && ngx_http_vod_zone_alive(object);

    ngx_http_vod_zone_unlock(zone);

    return building;
}


static ngx_uint_t
ngx_http_vod_zone_alive(ngx_http_vod_object_t *object)
{
    ngx_msec_int_t  age;

    age = ngx_http_vod_zone_age(object);

    if (age > NGX_HTTP_VOD_BUILD_LIMIT) {
        return 0;
    }

    return object->pid == ngx_pid
           || kill(object->pid, 0) == 0
           || ngx_errno != ESRCH;
}


/* what dead processes have left pending; looks at the oldest only */

static void
ngx_http_vod_zone_reap(ngx_http_vod_zone_t *zone)
{
    ngx_queue_t            *q;
    ngx_http_vod_object_t  *object;

    while (!ngx_queue_empty(&zone->sh->pending)) {

        q = ngx_queue_head(&zone->sh->pending);
        object = ngx_queue_data(q, ngx_http_vod_object_t, queue);

        if (object->pid == ngx_pid
            || ngx_http_vod_zone_age(object) < NGX_HTTP_VOD_REAP_AFTER
            || kill(object->pid, 0) == 0
            || ngx_errno != ESRCH)
        {
            return;
        }

        ngx_http_vod_zone_remove(zone, object);
    }
}


void
ngx_http_vod_zone_stat(ngx_http_vod_zone_t *zone,
    ngx_http_vod_zone_stat_t *stat)
{
    ngx_uint_t  i;

    ngx_memzero(stat, sizeof(ngx_http_vod_zone_stat_t));

    stat->size = zone->shm_zone->shm.size;

    for (i = 0; i < NGX_MAX_PROCESSES; i++) {
        stat->in_flight += zone->sh->counters.gauges[i].in_flight;
    }

    stat->waiting = ngx_http_vod_zone_waiting(zone);

    ngx_http_vod_zone_lock(zone);

    stat->entries = zone->sh->entries;
    stat->free_pages = zone->shpool->pfree;

    ngx_http_vod_zone_unlock(zone);
}


ngx_uint_t
ngx_http_vod_zone_waiting(ngx_http_vod_zone_t *zone)
{
    ngx_uint_t  i, n;

    for (i = 0, n = 0; i < NGX_MAX_PROCESSES; i++) {
        n += zone->sh->counters.gauges[i].waiting;
    }

    return n;
}
