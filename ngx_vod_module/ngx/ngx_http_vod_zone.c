/*
 * The shared zone: objects found by key, least recently used out first.  See
 * ngx_http_vod_zone.h.
 */

#include "ngx_http_vod_object.h"
#include "ngx_http_vod_quarantine.h"

#include "../core/vod_index.h"


static ngx_int_t ngx_http_vod_zone_layout(ngx_http_vod_zone_t *zone);
static void ngx_http_vod_zone_sum(ngx_http_vod_zone_t *zone,
    ngx_http_vod_gauges_t *sum);


#define ngx_http_vod_zone_bucket(zone, key)                                   \
    (&(zone)->sh->buckets[ngx_murmur_hash2((u_char *) (key),                  \
                                           sizeof(ngx_http_vod_key_t))        \
                          & (zone)->sh->mask])


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
    ngx_http_vod_quarantine_clear(zone);
    zone->sh->generation = 0;
    zone->sh->locked = 0;

    return NGX_OK;
}


void
ngx_http_vod_zone_init_process(ngx_http_vod_zone_t *zone)
{
    ngx_http_vod_gauges_t    *gauges;
    ngx_http_vod_counters_t  *counters;

    counters = &zone->sh->counters;
    gauges = ngx_http_vod_zone_gauges(zone);

    ngx_http_vod_zone_lock(zone);

    ngx_memzero(gauges, sizeof(ngx_http_vod_gauges_t));
    gauges->pid = ngx_pid;

    if (counters->slots <= (ngx_atomic_uint_t) ngx_process_slot) {
        counters->slots = ngx_process_slot + 1;
    }

    ngx_http_vod_zone_unlock(zone);
}


/*
 * The first allocations of an empty slab pool, in an order and of sizes that
 * never change: laid out anew, everything but the objects is where it was,
 * and the counters go on, as does the table of what processes have in hand.
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

    shpool->data = sh;
    zone->sh = sh;

    if (ngx_http_vod_quarantine_layout(zone) != NGX_OK) {
        return NGX_ERROR;
    }

    sh->capacity = shpool->pfree;

    return NGX_OK;
}


void
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


void
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
    ngx_uint_t type, uint64_t cuts)
{
    ngx_memzero(key, sizeof(ngx_http_vod_key_t));

    key->file = *file;
    key->type = type;
    key->cuts = cuts;
}


uint64_t
ngx_http_vod_cuts(ngx_http_vod_cuts_t *cuts)
{
    uint64_t  parts[4];

    if (cuts->grid_etag == 0 && cuts->from == 0 && cuts->to == INT64_MAX) {
        return cuts->target;
    }

    parts[0] = cuts->target;
    parts[1] = cuts->grid_etag;
    parts[2] = cuts->from;
    parts[3] = cuts->to;

    /* no target has this bit */

    return vod_hash64(0, parts, sizeof(parts)) | (uint64_t) 1 << 63;
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

        ngx_http_vod_object_copy_out(object, offset, p, n);

        ngx_http_vod_zone_unlock(zone);

        p += n;
        offset += n;
        len -= n;

    } while (len);

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_zone_put(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
    ngx_http_vod_meta_t *meta, const void *data)
{
    ngx_int_t  rc;

    rc = ngx_http_vod_zone_add(zone, key, meta, data);

    return (rc == NGX_BUSY) ? NGX_OK : rc;
}


ngx_int_t
ngx_http_vod_zone_add(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key,
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
        return NGX_BUSY;
    }

    object = ngx_http_vod_object_begin(zone, key, meta->len);

    if (object == NULL) {
        ngx_http_vod_zone_unlock(zone);
        return NGX_DECLINED;
    }

    object->meta = *meta;

    rc = ngx_http_vod_object_fill(zone, object, data);

    if (rc == NGX_OK && ngx_http_vod_zone_lookup(zone, key)) {
        ngx_http_vod_object_remove(zone, object);
        rc = NGX_BUSY;

    } else if (rc == NGX_OK) {
        ngx_queue_remove(&object->queue);
        ngx_queue_insert_head(&zone->sh->lru, &object->queue);

        ngx_http_vod_zone_publish(zone, object);

    } else if (rc != NGX_ABORT) {
        ngx_http_vod_object_remove(zone, object);
    }

    ngx_http_vod_zone_unlock(zone);

    return (rc == NGX_OK || rc == NGX_BUSY) ? rc : NGX_DECLINED;
}


void
ngx_http_vod_zone_drop(ngx_http_vod_zone_t *zone, ngx_http_vod_key_t *key)
{
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_lock(zone);

    object = ngx_http_vod_zone_lookup(zone, key);

    if (object) {
        ngx_http_vod_object_remove(zone, object);
    }

    ngx_http_vod_zone_unlock(zone);
}


ngx_http_vod_object_t *
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


ngx_http_vod_object_t *
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


void
ngx_http_vod_zone_publish(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object)
{
    ngx_queue_t  *bucket;

    bucket = ngx_http_vod_zone_bucket(zone, &object->key);

    ngx_queue_insert_head(bucket, &object->bucket);

    object->found = 1;
    zone->sh->entries++;
}


ngx_int_t
ngx_http_vod_zone_fits(ngx_http_vod_zone_t *zone, uint64_t len1,
    uint64_t len2, size_t *size)
{
    ngx_uint_t  n, capacity;

    capacity = zone->sh->capacity;

    n = ngx_http_vod_object_pages(len1) + ngx_http_vod_object_pages(len2);

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


void
ngx_http_vod_zone_stat(ngx_http_vod_zone_t *zone,
    ngx_http_vod_zone_stat_t *stat)
{
    ngx_http_vod_gauges_t  sum;

    ngx_memzero(stat, sizeof(ngx_http_vod_zone_stat_t));

    stat->size = zone->shm_zone->shm.size;

    ngx_http_vod_zone_sum(zone, &sum);

    stat->in_flight = sum.in_flight;
    stat->waiting = sum.waiting;
    stat->building = sum.building;
    stat->quarantined = ngx_http_vod_quarantined(zone);

    ngx_http_vod_zone_lock(zone);

    stat->entries = zone->sh->entries;
    stat->free_pages = zone->shpool->pfree;
    stat->pages = zone->sh->capacity;
    stat->restarts = zone->sh->generation;

    ngx_http_vod_zone_unlock(zone);
}


/* a process that was killed leaves its gauges until its slot is used again */

static void
ngx_http_vod_zone_sum(ngx_http_vod_zone_t *zone, ngx_http_vod_gauges_t *sum)
{
    ngx_uint_t              i;
    ngx_http_vod_gauges_t  *g;

    ngx_memzero(sum, sizeof(ngx_http_vod_gauges_t));

    for (i = 0; i < zone->sh->counters.slots; i++) {
        g = &zone->sh->counters.gauges[i];

        if (g->in_flight == 0 && g->waiting == 0 && g->building == 0) {
            continue;
        }

        if (g->pid != ngx_pid && kill(g->pid, 0) == -1
            && ngx_errno == ESRCH)
        {
            continue;
        }

        sum->in_flight += g->in_flight;
        sum->waiting += g->waiting;
        sum->building += g->building;
    }
}


ngx_uint_t
ngx_http_vod_zone_waiting(ngx_http_vod_zone_t *zone)
{
    ngx_http_vod_gauges_t  sum;

    ngx_http_vod_zone_sum(zone, &sum);

    return sum.waiting;
}


ngx_uint_t
ngx_http_vod_zone_enter(ngx_http_vod_zone_t *zone, ngx_uint_t max)
{
    ngx_uint_t             place;
    ngx_http_vod_gauges_t  sum;

    /* places are taken under the lock, so that no two take the last */

    ngx_http_vod_zone_lock(zone);

    ngx_http_vod_zone_sum(zone, &sum);

    place = (sum.building < max);

    if (place) {
        ngx_http_vod_zone_gauges(zone)->building++;
    }

    ngx_http_vod_zone_unlock(zone);

    return place;
}


void
ngx_http_vod_zone_leave(ngx_http_vod_zone_t *zone)
{
    ngx_http_vod_zone_gauges(zone)->building--;
}


ngx_uint_t
ngx_http_vod_zone_full(ngx_http_vod_zone_t *zone, ngx_uint_t max)
{
    ngx_http_vod_gauges_t  sum;

    ngx_http_vod_zone_sum(zone, &sum);

    return sum.building >= max;
}
