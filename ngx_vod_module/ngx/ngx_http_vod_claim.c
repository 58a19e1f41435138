/*
 * One builder for all workers: a pending object without bytes says which
 * process makes the index of a file, and since when.
 */

#include "ngx_http_vod_object.h"
#include "ngx_http_vod_quarantine.h"


/* a build that is older than so many times vod_index_timeout is taken over */
#define NGX_HTTP_VOD_BUILD_LIMIT  2

/* a process is not suspected of being dead before this, ms */
#define NGX_HTTP_VOD_REAP_AFTER   1000


static ngx_uint_t ngx_http_vod_zone_claim_build(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_msec_t *since);
static ngx_uint_t ngx_http_vod_zone_alive(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object);


ngx_uint_t
ngx_http_vod_zone_claim(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, uint64_t cuts, ngx_msec_t *since,
    ngx_http_vod_failure_t *failure)
{
    ngx_uint_t              claim;
    ngx_http_vod_key_t      index, timeline, key;
    ngx_http_vod_object_t  *object;

    ngx_http_vod_zone_key(&index, file, NGX_HTTP_VOD_INDEX, 0);
    ngx_http_vod_zone_key(&timeline, file, NGX_HTTP_VOD_TIMELINE, cuts);
    ngx_http_vod_zone_key(&key, file, NGX_HTTP_VOD_FAILURE, cuts);
    key.number = zone->limits;

    ngx_http_vod_zone_lock(zone);

    ngx_http_vod_zone_reap(zone);

    object = ngx_http_vod_zone_use(zone, &key);

    if (ngx_http_vod_zone_lookup(zone, &index)
        && ngx_http_vod_zone_lookup(zone, &timeline))
    {
        claim = NGX_HTTP_VOD_CLAIM_READY;

    } else if (object) {
        ngx_http_vod_object_copy_out(object, 0, (u_char *) failure,
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

    if (object && ngx_http_vod_zone_alive(zone, object)) {
        return NGX_HTTP_VOD_CLAIM_BUSY;
    }

    /* who had it may have died of it: the caller asks, before it builds */

    ngx_http_vod_quarantine_judge(zone);

    if (object) {
        ngx_http_vod_object_remove(zone, object);
    }

    object = ngx_http_vod_object_begin(zone, &key, 0);

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
        ngx_http_vod_object_remove(zone, object);
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

    building = object && ngx_http_vod_zone_alive(zone, object);

    ngx_http_vod_zone_unlock(zone);

    return building;
}


static ngx_uint_t
ngx_http_vod_zone_alive(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object)
{
    ngx_msec_int_t  age;

    age = ngx_http_vod_object_age(object);

    if (age > (ngx_msec_int_t) zone->index_timeout * NGX_HTTP_VOD_BUILD_LIMIT)
    {
        return 0;
    }

    return object->pid == ngx_pid
           || kill(object->pid, 0) == 0
           || ngx_errno != ESRCH;
}


void
ngx_http_vod_zone_reap(ngx_http_vod_zone_t *zone)
{
    ngx_queue_t            *q;
    ngx_http_vod_object_t  *object;

    while (!ngx_queue_empty(&zone->sh->pending)) {

        q = ngx_queue_head(&zone->sh->pending);
        object = ngx_queue_data(q, ngx_http_vod_object_t, queue);

        if (object->pid == ngx_pid
            || ngx_http_vod_object_age(object) < NGX_HTTP_VOD_REAP_AFTER
            || kill(object->pid, 0) == 0
            || ngx_errno != ESRCH)
        {
            return;
        }

        ngx_http_vod_object_remove(zone, object);
    }
}
