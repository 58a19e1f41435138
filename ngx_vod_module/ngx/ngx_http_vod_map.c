/*
 * Mappings of media files: see the header.
 */

#include "ngx_http_vod_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>


/*
 * Kept by a worker at most: a quarter of the mappings that Linux allows a
 * process (vm.max_map_count, 65530), and bytes, of 128 TB of addresses.
 */
#define NGX_HTTP_VOD_MAPS         16384
#define NGX_HTTP_VOD_MAPS_BYTES   ((uint64_t) 32 << 40)

#define NGX_HTTP_VOD_MAP_BUCKETS  4096
#define NGX_HTTP_VOD_MAP_IDLE     60     /* seconds */

/* so many go at once, others after a pause of so many ms */
#define NGX_HTTP_VOD_MAP_IDLE_STEP   32
#define NGX_HTTP_VOD_MAP_IDLE_PAUSE  10

/* a look at page tables is made in pieces of this many pages */
#define NGX_HTTP_VOD_MAP_PAGES    512

/*
 * Bytes that memory has been asked for before they are copied, and of a run
 * at most: the processor itself foresees the rest of a long one.
 */
#define NGX_HTTP_VOD_MAP_AHEAD    2048
#define NGX_HTTP_VOD_MAP_AHEAD_RUN  1024
#define NGX_HTTP_VOD_MAP_LINE     64


/* what runs between sigsetjmp() and siglongjmp() keeps its own variables */
#if (__GNUC__ || __clang__)
#define ngx_http_vod_noinline  __attribute__((noinline))
#else
#define ngx_http_vod_noinline
#endif


struct ngx_http_vod_map_s {
    ngx_queue_t             queue;      /* of all, last used first */
    ngx_http_vod_map_t     *next;       /* of the bucket */
    ngx_http_vod_file_id_t  id;
    u_char                 *start;
    size_t                  size;
    ngx_uint_t              refs;       /* requests, and one while kept */
    time_t                  used;
    unsigned                kept:1;
    unsigned                owned:1;    /* mincore() tells us the truth */
};


/* the copy going on; faults inside of the mapping end it */
typedef struct {
    volatile sig_atomic_t   active;
    pthread_t               thread;
    u_char                 *start;
    u_char                 *end;
    sigjmp_buf              env;
} ngx_http_vod_map_guard_t;


static ngx_http_vod_map_t *ngx_http_vod_map_find(ngx_http_vod_file_id_t *id);
static void ngx_http_vod_map_room(uint64_t size);
static ngx_http_vod_map_t *ngx_http_vod_map_create(ngx_http_vod_file_id_t *id,
    ngx_fd_t fd, ngx_log_t *log);
static ngx_uint_t ngx_http_vod_map_owned(ngx_fd_t fd);
static ngx_http_vod_map_t **ngx_http_vod_map_bucket(
    ngx_http_vod_file_id_t *id);
static void ngx_http_vod_map_unref(ngx_http_vod_map_t *map);
static void ngx_http_vod_map_idle(ngx_event_t *ev);
static ngx_int_t ngx_http_vod_map_in_cache(u_char *p, size_t len);
static ngx_int_t ngx_http_vod_map_in_tables(u_char *p, size_t len);
static ngx_http_vod_noinline void ngx_http_vod_map_runs(u_char *base,
    vod_run_t *run, uint64_t skip, u_char *dst, size_t size);
static ngx_inline void ngx_http_vod_map_prefetch(u_char *p, uint64_t len);
static void ngx_http_vod_map_sigbus(int signo, siginfo_t *si, void *uc);


/* a worker's own */
static ngx_queue_t               ngx_http_vod_maps;
static ngx_uint_t                ngx_http_vod_nmaps;
static uint64_t                  ngx_http_vod_maps_bytes;
static ngx_http_vod_map_t       *ngx_http_vod_map_table[
                                                  NGX_HTTP_VOD_MAP_BUCKETS];
static ngx_event_t               ngx_http_vod_map_event;
static ngx_connection_t          ngx_http_vod_map_dummy;
static ngx_http_vod_map_guard_t  ngx_http_vod_map_guard;
static struct sigaction          ngx_http_vod_map_old_sigbus;
static ngx_fd_t                  ngx_http_vod_map_pagemap = NGX_INVALID_FILE;


ngx_int_t
ngx_http_vod_map_init_process(ngx_cycle_t *cycle)
{
    struct sigaction  sa;

    if (ngx_http_vod_maps.next == NULL) {
        ngx_queue_init(&ngx_http_vod_maps);
    }

    ngx_http_vod_map_dummy.fd = (ngx_socket_t) -1;

    ngx_http_vod_map_event.handler = ngx_http_vod_map_idle;
    ngx_http_vod_map_event.data = &ngx_http_vod_map_dummy;
    ngx_http_vod_map_event.log = cycle->log;
    ngx_http_vod_map_event.cancelable = 1;

    /* not there in a chroot, or hidden: reads of one byte tell as well */

    if (ngx_http_vod_map_pagemap == NGX_INVALID_FILE) {
        ngx_http_vod_map_pagemap = open("/proc/self/pagemap",
                                        O_RDONLY|O_CLOEXEC);
    }

    ngx_memzero(&sa, sizeof(struct sigaction));
    sa.sa_sigaction = ngx_http_vod_map_sigbus;
    sa.sa_flags = SA_SIGINFO|SA_NODEFER;
    sigemptyset(&sa.sa_mask);

    if (sigaction(SIGBUS, NULL, &ngx_http_vod_map_old_sigbus) == 0
        && (ngx_http_vod_map_old_sigbus.sa_flags & SA_SIGINFO)
        && ngx_http_vod_map_old_sigbus.sa_sigaction
           == ngx_http_vod_map_sigbus)
    {
        /* "master_process off" and a reload */
        ngx_http_vod_map_old_sigbus.sa_flags = 0;
        ngx_http_vod_map_old_sigbus.sa_handler = SIG_DFL;
        return NGX_OK;
    }

    if (sigaction(SIGBUS, &sa, &ngx_http_vod_map_old_sigbus) == -1) {
        ngx_log_error(NGX_LOG_ALERT, cycle->log, ngx_errno,
                      "sigaction(SIGBUS) failed");
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_http_vod_map_exit_process(ngx_cycle_t *cycle)
{
    ngx_queue_t  *q;

    if (ngx_http_vod_maps.next == NULL) {
        return;
    }

    while (!ngx_queue_empty(&ngx_http_vod_maps)) {
        q = ngx_queue_head(&ngx_http_vod_maps);
        ngx_http_vod_map_drop(ngx_queue_data(q, ngx_http_vod_map_t, queue));
    }
}


ngx_http_vod_map_t *
ngx_http_vod_map_open(ngx_http_vod_file_id_t *id, ngx_fd_t fd, ngx_log_t *log)
{
    ngx_http_vod_map_t  *map;

    if (ngx_http_vod_maps.next == NULL) {
        return NULL;
    }

    map = ngx_http_vod_map_find(id);

    if (map == NULL) {
        ngx_http_vod_map_room(id->size);

        map = ngx_http_vod_map_create(id, fd, log);
        if (map == NULL) {
            return NULL;
        }

    } else {
        ngx_queue_remove(&map->queue);
        ngx_queue_insert_head(&ngx_http_vod_maps, &map->queue);
    }

    map->used = ngx_time();
    map->refs++;

    return map;
}


static ngx_http_vod_map_t *
ngx_http_vod_map_find(ngx_http_vod_file_id_t *id)
{
    ngx_http_vod_map_t  *map;

    for (map = *ngx_http_vod_map_bucket(id); map; map = map->next) {

        if (map->id.ino == id->ino
            && map->id.dev == id->dev
            && map->id.size == id->size
            && map->id.mtime_sec == id->mtime_sec
            && map->id.mtime_nsec == id->mtime_nsec)
        {
            return map;
        }
    }

    return NULL;
}


/* the mappings that have not been used for longest go */

static void
ngx_http_vod_map_room(uint64_t size)
{
    ngx_queue_t  *q;

    while (!ngx_queue_empty(&ngx_http_vod_maps)
           && (ngx_http_vod_nmaps >= NGX_HTTP_VOD_MAPS
               || ngx_http_vod_maps_bytes + size > NGX_HTTP_VOD_MAPS_BYTES))
    {
        q = ngx_queue_last(&ngx_http_vod_maps);
        ngx_http_vod_map_drop(ngx_queue_data(q, ngx_http_vod_map_t, queue));
    }
}


static ngx_http_vod_map_t *
ngx_http_vod_map_create(ngx_http_vod_file_id_t *id, ngx_fd_t fd,
    ngx_log_t *log)
{
    void                *p;
    ngx_http_vod_map_t  *map, **bucket;

    /* where addresses are scarce, files are read */

    if (sizeof(void *) < 8 || id->size == 0) {
        return NULL;
    }

    map = ngx_calloc(sizeof(ngx_http_vod_map_t), log);
    if (map == NULL) {
        return NULL;
    }

    p = mmap(NULL, (size_t) id->size, PROT_READ, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED) {
        ngx_log_error(NGX_LOG_INFO, log, ngx_errno,
                      "mmap() of %uL bytes failed, reading instead",
                      id->size);
        ngx_free(map);
        return NULL;
    }

    map->id = *id;
    map->start = p;
    map->size = (size_t) id->size;
    map->owned = ngx_http_vod_map_owned(fd);
    map->kept = 1;
    map->refs = 1;

    bucket = ngx_http_vod_map_bucket(id);
    map->next = *bucket;
    *bucket = map;

    ngx_queue_insert_head(&ngx_http_vod_maps, &map->queue);
    ngx_http_vod_nmaps++;
    ngx_http_vod_maps_bytes += id->size;

    if (!ngx_http_vod_map_event.timer_set) {
        ngx_add_timer(&ngx_http_vod_map_event,
                      NGX_HTTP_VOD_MAP_IDLE * 1000 / 2);
    }

    return map;
}


/*
 * Since Linux 5.2 mincore() calls all pages of a file resident unless the
 * process owns the file, is privileged, or may write to it.
 */

static ngx_uint_t
ngx_http_vod_map_owned(ngx_fd_t fd)
{
    ngx_file_info_t  fi;

    if (geteuid() == 0) {
        return 1;
    }

    return ngx_fd_info(fd, &fi) != NGX_FILE_ERROR && fi.st_uid == geteuid();
}


static ngx_http_vod_map_t **
ngx_http_vod_map_bucket(ngx_http_vod_file_id_t *id)
{
    return &ngx_http_vod_map_table[(id->ino ^ id->dev)
                                   % NGX_HTTP_VOD_MAP_BUCKETS];
}


void
ngx_http_vod_map_drop(ngx_http_vod_map_t *map)
{
    ngx_http_vod_map_t  **p;

    if (!map->kept) {
        return;
    }

    for (p = ngx_http_vod_map_bucket(&map->id); *p != map; p = &(*p)->next) {
        /* void */
    }

    *p = map->next;

    ngx_queue_remove(&map->queue);
    ngx_http_vod_nmaps--;
    ngx_http_vod_maps_bytes -= map->size;

    map->kept = 0;

    ngx_http_vod_map_unref(map);
}


void
ngx_http_vod_map_close(ngx_http_vod_map_t *map)
{
    ngx_http_vod_map_unref(map);
}


static void
ngx_http_vod_map_unref(ngx_http_vod_map_t *map)
{
    if (--map->refs) {
        return;
    }

    if (munmap(map->start, map->size) == -1) {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      "munmap(%p, %uz) failed", map->start, map->size);
    }

    ngx_free(map);
}


static void
ngx_http_vod_map_idle(ngx_event_t *ev)
{
    ngx_uint_t           n;
    ngx_queue_t         *q;
    ngx_http_vod_map_t  *map;

    for (n = 0; !ngx_queue_empty(&ngx_http_vod_maps); n++) {

        if (n == NGX_HTTP_VOD_MAP_IDLE_STEP) {
            ngx_add_timer(ev, NGX_HTTP_VOD_MAP_IDLE_PAUSE);
            return;
        }

        q = ngx_queue_last(&ngx_http_vod_maps);
        map = ngx_queue_data(q, ngx_http_vod_map_t, queue);

        /* one that was dropped is no longer in the queue:
           NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        if (ngx_time() - map->used < NGX_HTTP_VOD_MAP_IDLE) {
            ngx_add_timer(ev, NGX_HTTP_VOD_MAP_IDLE * 1000 / 2);
            return;
        }

        ngx_http_vod_map_drop(map);
    }
}


ngx_int_t
ngx_http_vod_map_resident(ngx_http_vod_map_t *map, uint64_t offset,
    uint64_t len)
{
    size_t     n, shift;
    u_char    *p, *end;
    ngx_int_t  rc;

    if (offset > map->size || len > map->size - offset) {
        return NGX_DECLINED;
    }

    shift = (size_t) offset & (ngx_pagesize - 1);
    p = map->start + offset - shift;
    end = map->start + offset + len;

    while (p < end) {
        n = ngx_min((size_t) (end - p),
                    NGX_HTTP_VOD_MAP_PAGES * ngx_pagesize);

        rc = map->owned ? ngx_http_vod_map_in_cache(p, n)
                        : ngx_http_vod_map_in_tables(p, n);

        if (rc != NGX_OK) {
            return rc;
        }

        p += n;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_map_in_cache(u_char *p, size_t len)
{
    size_t  i, n;
    u_char  vec[NGX_HTTP_VOD_MAP_PAGES];

    if (mincore(p, len, vec) == -1) {
        return NGX_DECLINED;
    }

    n = (len + ngx_pagesize - 1) / ngx_pagesize;

    for (i = 0; i < n; i++) {
        if (!(vec[i] & 1)) {
            return NGX_AGAIN;
        }
    }

    return NGX_OK;
}


/*
 * A page that is in this process's page tables is in memory, whoever owns
 * the file; one that is not there may still be in the page cache.
 */

static ngx_int_t
ngx_http_vod_map_in_tables(u_char *p, size_t len)
{
    off_t     offset;
    size_t    i, n;
    uint64_t  entries[NGX_HTTP_VOD_MAP_PAGES];

    if (ngx_http_vod_map_pagemap == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    n = (len + ngx_pagesize - 1) / ngx_pagesize;
    offset = (off_t) ((uintptr_t) p / ngx_pagesize * sizeof(uint64_t));

    if (pread(ngx_http_vod_map_pagemap, entries, n * sizeof(uint64_t), offset)
        != (ssize_t) (n * sizeof(uint64_t)))
    {
        return NGX_DECLINED;
    }

    for (i = 0; i < n; i++) {
        if (!(entries[i] >> 63)) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_vod_map_copy(ngx_http_vod_map_t *map, vod_run_t *run, uint64_t skip,
    u_char *dst, size_t size)
{
    ngx_http_vod_map_guard_t  *guard;

    guard = &ngx_http_vod_map_guard;

    guard->thread = pthread_self();
    guard->start = map->start;
    guard->end = map->start + map->size;

    /* the handler does not block the signal: no mask to save */

    if (sigsetjmp(guard->env, 0) != 0) {
        return NGX_ERROR;
    }

    guard->active = 1;

    ngx_http_vod_map_runs(map->start, run, skip, dst, size);

    guard->active = 0;

    return NGX_OK;
}


/*
 * Short runs far apart miss the caches and the TLB once each: asking for
 * the next few before they are copied halves the cost of the copy.
 */

static ngx_http_vod_noinline void
ngx_http_vod_map_runs(u_char *base, vod_run_t *run, uint64_t skip,
    u_char *dst, size_t size)
{
    size_t      n;
    uint64_t    asked;      /* bytes of the window before *ahead */
    vod_run_t  *ahead;

    ahead = run + 1;
    asked = run->len - skip;

    for ( ;; ) {
        n = (size_t) ngx_min(run->len - skip, size);

        while (asked < size && asked < n + NGX_HTTP_VOD_MAP_AHEAD) {
            ngx_http_vod_map_prefetch(base + ahead->offset, ahead->len);
            asked += ahead->len;
            ahead++;
        }

        dst = ngx_cpymem(dst, base + run->offset + skip, n);
        asked -= n;
        size -= n;

        if (size == 0) {
            return;
        }

        run++;
        skip = 0;
    }
}


static ngx_inline void
ngx_http_vod_map_prefetch(u_char *p, uint64_t len)
{
#if (__GNUC__ || __clang__)
    u_char  *end;

    end = p + ngx_min(len, NGX_HTTP_VOD_MAP_AHEAD_RUN);

    for ( /* void */ ; p < end; p += NGX_HTTP_VOD_MAP_LINE) {
        __builtin_prefetch(p);
    }
#endif
}


/*
 * A fault of the copy going on jumps out of it: a page of zeros put under
 * the fault would stay there for the next request.  Any other is what it
 * was before this handler: the instruction faults again, or the signal,
 * when somebody sent it, is raised again.
 */

static void
ngx_http_vod_map_sigbus(int signo, siginfo_t *si, void *uc)
{
    u_char                    *p;
    ngx_http_vod_map_guard_t  *guard;

    guard = &ngx_http_vod_map_guard;
    p = si->si_addr;

    if (guard->active
        && si->si_code > 0
        && pthread_equal(pthread_self(), guard->thread)
        && p >= guard->start && p < guard->end)
    {
        guard->active = 0;
        siglongjmp(guard->env, 1);
    }

    (void) sigaction(signo, &ngx_http_vod_map_old_sigbus, NULL);

    if (si->si_code <= 0) {
        (void) raise(signo);
    }
}
