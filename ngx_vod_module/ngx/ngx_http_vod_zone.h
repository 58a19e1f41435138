/*
 * The shared zone: what all workers know of media files, and the counters.
 *
 * An object is a run of bytes with a key, kept in blocks of one page each (the
 * last one smaller), so that a zone that has been used for months needs no
 * pages in a row:
 *
 *   object -> dirs[] -> blocks[512] -> bytes        (pages of 4096 bytes)
 *
 * so byte n is reached in three steps whatever the size.  An object is never
 * changed once it can be found; the least recently used one goes first.
 *
 * All functions take the zone's lock themselves and hold it for at most 64
 * KiB of copying (and what making room costs); an object that is copied in
 * several holds may be gone in between: NGX_DECLINED then.  What a key says
 * determines the bytes, so an object that went and came back is the same.
 *
 * A process that dies with the lock held (the master then opens it) leaves
 * the zone marked; whoever takes the lock next starts it empty.
 */

#ifndef _NGX_HTTP_VOD_ZONE_H_INCLUDED_
#define _NGX_HTTP_VOD_ZONE_H_INCLUDED_

#include "ngx_http_vod_module.h"


#define NGX_HTTP_VOD_INDEX      1
#define NGX_HTTP_VOD_TIMELINE   2   /* + cuts */
#define NGX_HTTP_VOD_TEXT       3   /* + cuts, what, kind, number, encoding,
                                       of subtitles the segment */
#define NGX_HTTP_VOD_FAILURE    4   /* + cuts; ngx_http_vod_failure_t */
#define NGX_HTTP_VOD_BUILD      5   /* no bytes: somebody is making an index */
#define NGX_HTTP_VOD_TABLE      6   /* + what, cuts: ngx_http_vod_asset.h */


typedef struct {
    ngx_http_vod_file_id_t  file;
    uint64_t                cuts;       /* ngx_http_vod_cuts() */
    uint32_t                type;       /* NGX_HTTP_VOD_INDEX ... */
    uint32_t                what;       /* VOD_URI_* */
    uint32_t                kind;       /* of the track, 0 without one */
    uint32_t                number;
    uint32_t                encoding;   /* 0, or NGX_HTTP_VOD_GZIP */
    uint32_t                segment;    /* 0 without one */
} ngx_http_vod_key_t;                   /* compared as bytes: no padding */

/* a gzip form of no bytes says that the plain one is no longer */
#define NGX_HTTP_VOD_GZIP       1


/* what is known of an object besides its bytes; TEXT alone fills it in */
typedef struct {
    uint64_t                len;
    uint64_t                etag;
    u_char                  token[VOD_TOKEN_LEN];
    uint32_t                zero;
} ngx_http_vod_meta_t;


/*
 * Why a file has no index in the zone.  code is one of VOD_*, or
 * NGX_HTTP_VOD_TOO_LARGE: it is sound, but the zone has no room.
 */
#define NGX_HTTP_VOD_TOO_LARGE  1

typedef struct {
    int                     code;
    char                    text[VOD_ERR_TEXT];
} ngx_http_vod_failure_t;


/*
 * Gauges of one process, written by its event loop alone: a process that
 * dies takes its share with it.
 */
typedef struct {
    ngx_pid_t               pid;
    uint32_t                in_flight;
    uint32_t                waiting;
    uint32_t                building;   /* places for builds that it has */
} ngx_http_vod_gauges_t;


typedef struct {
    ngx_atomic_t            builds;     /* by libavformat, in vain or not */
    ngx_atomic_t            hits;       /* answers from the zone */
    ngx_atomic_t            misses;     /* answers that had to be built */
    ngx_atomic_t            waits;      /* of these, by another request */
    ngx_atomic_t            failures;   /* builds without a result */
    ngx_atomic_t            uncached;   /* answers whose build found no room */
    ngx_atomic_t            evictions;
    ngx_atomic_t            shed;       /* requests sent away with 503 */
    ngx_atomic_t            read_bytes; /* of sources, by us */
    ngx_atomic_t            requests[VOD_URI_KINDS];    /* by VOD_URI_* */
    ngx_atomic_t            slots;      /* of gauges that were ever used */
    ngx_http_vod_gauges_t   gauges[NGX_MAX_PROCESSES];
} ngx_http_vod_counters_t;


/* the part in shared memory */
typedef struct {
    ngx_http_vod_counters_t  counters;

    ngx_atomic_t            locked;     /* set while the lock is held */
    ngx_uint_t              generation; /* how often it was started empty */
    ngx_uint_t              capacity;   /* pages, when empty */
    ngx_uint_t              entries;
    ngx_queue_t             lru;        /* most recently used first */
    ngx_queue_t             pending;    /* builds, and objects being written;
                                           oldest first */
    ngx_uint_t              mask;
    ngx_queue_t            *buckets;

    ngx_http_vod_suspect_t *suspects;   /* ngx_http_vod_quarantine.c's own */
    ngx_uint_t              nsuspects;
    ngx_atomic_t            records;    /* of them, not of living processes */
} ngx_http_vod_shared_t;


/* the part of each process */
struct ngx_http_vod_zone_s {
    ngx_http_vod_shared_t  *sh;
    ngx_slab_pool_t        *shpool;
    ngx_shm_zone_t         *shm_zone;
    ngx_uint_t              restarted;  /* to be logged after unlocking */
    ngx_queue_t             waits;      /* requests waiting in this process */
    ngx_uint_t              limits;     /* a hash of those configured */
    ngx_msec_t              index_timeout;
    ngx_msec_t              quarantine; /* where it is longest */
};


/* bytes copied in one hold of the lock */
#define NGX_HTTP_VOD_HOLD  65536


/* init of the ngx_shm_zone_t, whose data is the ngx_http_vod_zone_t */
ngx_int_t ngx_http_vod_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* at the start of a process: its gauges begin at zero */
void ngx_http_vod_zone_init_process(ngx_http_vod_zone_t *zone);

#define ngx_http_vod_zone_gauges(zone)                                        \
    (&(zone)->sh->counters.gauges[ngx_process_slot])

#define ngx_http_vod_zone_count(zone, counter)                                \
    (void) ngx_atomic_fetch_add(&(zone)->sh->counters.counter, 1)

void ngx_http_vod_zone_key(ngx_http_vod_key_t *key,
    ngx_http_vod_file_id_t *file, ngx_uint_t type, uint64_t cuts);

/* what a key says of cuts: the target alone where nothing else bears on them */
uint64_t ngx_http_vod_cuts(ngx_http_vod_cuts_t *cuts);

/* NGX_OK with meta filled in, or NGX_DECLINED */
ngx_int_t ngx_http_vod_zone_find(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key, ngx_http_vod_meta_t *meta);

/* copies len bytes at offset; NGX_OK, or NGX_DECLINED: not all is there */
ngx_int_t ngx_http_vod_zone_get(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key, uint64_t offset, void *dst, size_t len);

/*
 * Stores a copy of meta->len bytes, unless it is there already, at the cost
 * of the least recently used objects, but never of this file's index or
 * timelines.  NGX_DECLINED: no room.
 */
ngx_int_t ngx_http_vod_zone_put(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key, ngx_http_vod_meta_t *meta, const void *data);

/* the same; NGX_BUSY: it was there already */
ngx_int_t ngx_http_vod_zone_add(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key, ngx_http_vod_meta_t *meta, const void *data);

/* takes an object out, if it is there */
void ngx_http_vod_zone_drop(ngx_http_vod_zone_t *zone,
    ngx_http_vod_key_t *key);

/*
 * Whether objects of these lengths fit an otherwise empty zone together.  If
 * not, *size is the zone's size they ask for.
 */
ngx_int_t ngx_http_vod_zone_fits(ngx_http_vod_zone_t *zone, uint64_t len1,
    uint64_t len2, size_t *size);

/*
 * One builder for all workers.  claim() answers, under one lock:
 */
#define NGX_HTTP_VOD_CLAIM_READY   0    /* index and timeline are there */
#define NGX_HTTP_VOD_CLAIM_MINE    1    /* build, then release() with *since */
#define NGX_HTTP_VOD_CLAIM_BUSY    2    /* a living process builds */
#define NGX_HTTP_VOD_CLAIM_FAILED  3    /* *failure says why */
#define NGX_HTTP_VOD_CLAIM_ALONE   4    /* build, the zone has no part in it */

ngx_uint_t ngx_http_vod_zone_claim(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, uint64_t cuts, ngx_msec_t *since,
    ngx_http_vod_failure_t *failure);

void ngx_http_vod_zone_release(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file, ngx_msec_t since);

/* whether a living process builds the index of this file */
ngx_uint_t ngx_http_vod_zone_building(ngx_http_vod_zone_t *zone,
    ngx_http_vod_file_id_t *file);

/* for the status */
typedef struct {
    size_t                  size;
    ngx_uint_t              entries;
    ngx_uint_t              pages;      /* for objects, in all */
    ngx_uint_t              free_pages;
    ngx_uint_t              restarts;   /* it was started empty */
    ngx_uint_t              in_flight;
    ngx_uint_t              waiting;
    ngx_uint_t              building;
    ngx_uint_t              quarantined;    /* files */
} ngx_http_vod_zone_stat_t;

void ngx_http_vod_zone_stat(ngx_http_vod_zone_t *zone,
    ngx_http_vod_zone_stat_t *stat);

ngx_uint_t ngx_http_vod_zone_waiting(ngx_http_vod_zone_t *zone);

/*
 * Places for builds: enter() takes one where fewer than max are taken in all
 * living processes, and says whether; leave() gives it back.
 */
ngx_uint_t ngx_http_vod_zone_enter(ngx_http_vod_zone_t *zone, ngx_uint_t max);
void ngx_http_vod_zone_leave(ngx_http_vod_zone_t *zone);

/* whether there is none */
ngx_uint_t ngx_http_vod_zone_full(ngx_http_vod_zone_t *zone, ngx_uint_t max);

#endif /* _NGX_HTTP_VOD_ZONE_H_INCLUDED_ */
