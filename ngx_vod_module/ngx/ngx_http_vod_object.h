/*
 * What the files of the zone share: ngx_http_vod_zone.c (finding and
 * storing), ngx_http_vod_object.c (the memory of an object),
 * ngx_http_vod_claim.c (who builds what).  All but lock() are called with the
 * zone's lock held.
 */

#ifndef _NGX_HTTP_VOD_OBJECT_H_INCLUDED_
#define _NGX_HTTP_VOD_OBJECT_H_INCLUDED_

#include "ngx_http_vod_zone.h"


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


#define ngx_http_vod_object_age(object)                                       \
    ((ngx_msec_int_t) (ngx_current_msec - (object)->since))


/* ngx_http_vod_zone.c */

void ngx_http_vod_zone_lock(ngx_http_vod_zone_t *zone);
void ngx_http_vod_zone_unlock(ngx_http_vod_zone_t *zone);

/* the object with this key, or NULL */
ngx_http_vod_object_t *ngx_http_vod_zone_lookup(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key);

/* the same, and makes it the most recently used; not for pending objects */
ngx_http_vod_object_t *ngx_http_vod_zone_use(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key);

/* from now on the object is found */
void ngx_http_vod_zone_publish(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object);


/* ngx_http_vod_object.c */

/*
 * A pending object with room for the directory of len bytes, or NULL: no
 * room, whatever else would be given up for it.
 */
ngx_http_vod_object_t *ngx_http_vod_object_begin(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key, uint64_t len);

/*
 * Copies meta.len bytes in, opening the lock for others now and then.
 * NGX_DECLINED: no room.  NGX_ABORT: the zone was started empty meanwhile,
 * and the object is gone with it.
 */
ngx_int_t ngx_http_vod_object_fill(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object, const u_char *src);

void ngx_http_vod_object_copy_out(ngx_http_vod_object_t *object,
    uint64_t offset, u_char *dst, size_t len);

/* takes it out of bucket and queue, and frees all that it has */
void ngx_http_vod_object_remove(ngx_http_vod_zone_t *zone,
    ngx_http_vod_object_t *object);

/* whole pages that len bytes take */
ngx_uint_t ngx_http_vod_object_pages(uint64_t len);


/* ngx_http_vod_claim.c */

/* frees what dead processes have left pending; looks at the oldest only */
void ngx_http_vod_zone_reap(ngx_http_vod_zone_t *zone);

#endif /* _NGX_HTTP_VOD_OBJECT_H_INCLUDED_ */
