/*
 * Filling one window, from a mapping or by reads: see the header.
 */

#include "ngx_http_vod_gather.h"

#include <sys/mman.h>
#include <sys/uio.h>


/* free windows of either size that a worker keeps */
#define NGX_HTTP_VOD_WINDOWS  4

/*
 * What the event loop may spend on looking whether a window is in memory, in
 * pages looked at; a look costs as much as so many pages do.  So runs nearer
 * to each other are looked at together, and where a window's runs lie farther
 * apart than that, all over the file, a thread reads them.
 */
#define NGX_HTTP_VOD_LOOK_PAGES  8192
#define NGX_HTTP_VOD_LOOK_COST   16

/* and in reads, each of them a system call */
#define NGX_HTTP_VOD_LOOK_READS  1024

/*
 * Where page tables do not tell, one byte in so many is read to see whether
 * the page cache has it: the least that Linux reads ahead of a first read.
 */
#define NGX_HTTP_VOD_PROBE_STEP  (16 * 1024)

/* the kernel is asked for so much of the file behind a window just read */
#define NGX_HTTP_VOD_READ_AHEAD      (1024 * 1024)

/* runs nearer to each other are asked for together */
#define NGX_HTTP_VOD_READ_AHEAD_GAP  (32 * 1024)


typedef struct ngx_http_vod_spare_s  ngx_http_vod_spare_t;

/* a free window's own first bytes */
struct ngx_http_vod_spare_s {
    ngx_http_vod_spare_t  *next;
};


typedef struct {
    ngx_http_vod_spare_t  *first;
    ngx_uint_t             n;
} ngx_http_vod_spares_t;


static ngx_int_t ngx_http_vod_gather_map(ngx_http_vod_gather_t *gather);
static ngx_int_t ngx_http_vod_gather_resident(ngx_http_vod_gather_t *gather);
static ngx_int_t ngx_http_vod_gather_look(ngx_http_vod_gather_t *gather,
    uint64_t from, uint64_t to, ngx_uint_t *left);
static ngx_int_t ngx_http_vod_gather_probe(ngx_http_vod_gather_t *gather);
static ngx_int_t ngx_http_vod_gather_nowait(ngx_http_vod_gather_t *gather);
static void ngx_http_vod_gather_done(ngx_http_vod_gather_t *gather,
    size_t n);
static void ngx_http_vod_gather_ahead(ngx_http_vod_gather_t *gather);
static ssize_t ngx_http_vod_read_nowait(ngx_fd_t fd, u_char *buf,
    size_t size, uint64_t offset);
static ngx_http_vod_spares_t *ngx_http_vod_window_spares(
    ngx_http_vod_window_t *window);


/* a worker's own, small and large */
static ngx_http_vod_spares_t  ngx_http_vod_spares[2];


ngx_int_t
ngx_http_vod_gather(ngx_http_vod_gather_t *gather)
{
    if (gather->map) {
        return ngx_http_vod_gather_map(gather);
    }

    return ngx_http_vod_gather_nowait(gather);
}


static ngx_int_t
ngx_http_vod_gather_map(ngx_http_vod_gather_t *gather)
{
    ngx_int_t  rc;

    rc = ngx_http_vod_gather_resident(gather);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_vod_gather_probe(gather);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_vod_map_copy(gather->map, gather->run, gather->skip,
                              gather->dst, gather->size)
        != NGX_OK)
    {
        /* a plain read will tell what is wrong */

        ngx_http_vod_map_drop(gather->map);
        ngx_http_vod_map_close(gather->map);
        gather->map = NULL;

        return NGX_AGAIN;
    }

    ngx_http_vod_gather_done(gather, gather->size);

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_gather_resident(ngx_http_vod_gather_t *gather)
{
    size_t      size;
    uint64_t    first, from, to, len, skip;
    ngx_int_t   rc;
    vod_run_t  *run;
    ngx_uint_t  left;

    skip = gather->skip;
    size = gather->size;

    from = gather->run->offset + skip;
    to = from;
    left = NGX_HTTP_VOD_LOOK_PAGES;

    for (run = gather->run; size; run++) {
        first = run->offset + skip;
        len = ngx_min(run->len - skip, size);

        if (first < from
            || first > to + NGX_HTTP_VOD_LOOK_COST * ngx_pagesize)
        {
            rc = ngx_http_vod_gather_look(gather, from, to, &left);
            if (rc != NGX_OK) {
                return rc;
            }

            from = first;
            to = first;
        }

        to = ngx_max(to, first + len);

        size -= len;
        skip = 0;
    }

    return ngx_http_vod_gather_look(gather, from, to, &left);
}


static ngx_int_t
ngx_http_vod_gather_look(ngx_http_vod_gather_t *gather, uint64_t from,
    uint64_t to, ngx_uint_t *left)
{
    uint64_t  cost;

    cost = (to - from) / ngx_pagesize + NGX_HTTP_VOD_LOOK_COST;

    if (cost > *left) {
        return NGX_AGAIN;
    }

    *left -= cost;

    return ngx_http_vod_map_resident(gather->map, from, to - from);
}


static ngx_int_t
ngx_http_vod_gather_probe(ngx_http_vod_gather_t *gather)
{
    size_t      size;
    u_char      byte;
    uint64_t    from, to, known, len, skip;
    vod_run_t  *run;
    ngx_uint_t  left;

    known = 0;
    left = NGX_HTTP_VOD_LOOK_READS;
    skip = gather->skip;
    size = gather->size;

    for (run = gather->run; size; run++) {
        len = ngx_min(run->len - skip, size);
        from = run->offset + skip;
        to = from + len;

        /* runs that go backwards are looked at on their own */

        if (from + NGX_HTTP_VOD_PROBE_STEP > known && from < known) {
            from = known;
        }

        while (from < to) {
            if (left-- == 0
                || ngx_http_vod_read_nowait(gather->fd, &byte, 1, from) != 1)
            {
                return NGX_AGAIN;
            }

            from += NGX_HTTP_VOD_PROBE_STEP
                    - from % NGX_HTTP_VOD_PROBE_STEP;
            known = from;
        }

        size -= len;
        skip = 0;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_vod_gather_nowait(ngx_http_vod_gather_t *gather)
{
    size_t      size;
    ssize_t     n;
    ngx_uint_t  left;

    left = NGX_HTTP_VOD_LOOK_READS;

    while (gather->size) {

        if (left-- == 0) {
            return NGX_AGAIN;
        }

        size = ngx_min(gather->run->len - gather->skip, gather->size);

        n = ngx_http_vod_read_nowait(gather->fd, gather->dst, size,
                                     gather->run->offset + gather->skip);

        if (n == NGX_ERROR) {

            /* not cached, or a kernel or file system that does not say */

            return NGX_AGAIN;
        }

        if (n == 0) {
            gather->eof = 1;
            return NGX_ERROR;
        }

        ngx_http_vod_gather_done(gather, n);
    }

    return NGX_OK;
}


static void
ngx_http_vod_gather_done(ngx_http_vod_gather_t *gather, size_t n)
{
    uint64_t  len;

    gather->dst += n;
    gather->size -= n;

    while (n) {
        len = ngx_min(gather->run->len - gather->skip, n);

        gather->skip += len;
        n -= len;

        if (gather->skip == gather->run->len) {
            gather->run++;
            gather->skip = 0;
        }
    }
}


void
ngx_http_vod_gather_read(void *data)
{
    ngx_http_vod_gather_t *gather = data;

    size_t   size;
    ssize_t  n;

    while (gather->size) {
        size = ngx_min(gather->run->len - gather->skip, gather->size);

        n = pread(gather->fd, gather->dst, size,
                  (off_t) (gather->run->offset + gather->skip));

        if (n == -1) {
            if (ngx_errno == NGX_EINTR) {
                continue;
            }

            gather->err = ngx_errno;
            return;
        }

        if (n == 0) {
            gather->eof = 1;
            return;
        }

        ngx_http_vod_gather_done(gather, n);
    }

    ngx_http_vod_gather_ahead(gather);
}


/*
 * One task a segment and not one a window: by the time this window has been
 * sent the next is in memory.
 */

static void
ngx_http_vod_gather_ahead(ngx_http_vod_gather_t *gather)
{
#if (NGX_HAVE_POSIX_FADVISE)

    uint64_t    from, to, left, end;
    vod_run_t  *run;

    run = gather->run;

    if (run == gather->end) {
        return;
    }

    from = run->offset + gather->skip;
    to = from;
    left = NGX_HTTP_VOD_READ_AHEAD;

    for ( /* void */ ; run < gather->end; run++) {
        end = run->offset + run->len;

        if (run->offset > to + NGX_HTTP_VOD_READ_AHEAD_GAP
            || run->offset < from)
        {
            (void) posix_fadvise(gather->fd, from, to - from,
                                 POSIX_FADV_WILLNEED);
            left -= ngx_min(left, to - from);
            from = run->offset;
            to = from;
        }

        to = ngx_max(to, end);

        if (to - from >= left) {
            to = from + left;
            break;
        }
    }

    if (to > from) {
        (void) posix_fadvise(gather->fd, from, to - from,
                             POSIX_FADV_WILLNEED);
    }

#endif
}


static ssize_t
ngx_http_vod_read_nowait(ngx_fd_t fd, u_char *buf, size_t size,
    uint64_t offset)
{
#if defined(RWF_NOWAIT)

    struct iovec  iov;

    iov.iov_base = buf;
    iov.iov_len = size;

    return preadv2(fd, &iov, 1, (off_t) offset, RWF_NOWAIT);

#else

    return NGX_ERROR;

#endif
}


ngx_int_t
ngx_http_vod_window_alloc(ngx_http_vod_window_t *window, size_t size,
    ngx_log_t *log)
{
    void                   *p;
    ngx_http_vod_spare_t   *spare;
    ngx_http_vod_spares_t  *spares;

    size = (size > NGX_HTTP_VOD_WINDOW_SMALL) ? NGX_HTTP_VOD_WINDOW_LARGE
                                              : NGX_HTTP_VOD_WINDOW_SMALL;

    if (window->start && window->size == size) {
        return NGX_OK;
    }

    ngx_http_vod_window_free(window);

    window->size = size;

    spares = ngx_http_vod_window_spares(window);
    spare = spares->first;

    if (spare) {
        spares->first = spare->next;
        spares->n--;

        window->start = (u_char *) spare;
        return NGX_OK;
    }

    /* not the heap: what a thousand slow clients held is to go back */

    p = mmap(NULL, window->size, PROT_READ|PROT_WRITE,
             MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno,
                      "mmap() of %uz bytes failed", window->size);
        return NGX_ERROR;
    }

    window->start = p;

    return NGX_OK;
}


void
ngx_http_vod_window_free(ngx_http_vod_window_t *window)
{
    ngx_http_vod_spare_t   *spare;
    ngx_http_vod_spares_t  *spares;

    if (window->start == NULL) {
        return;
    }

    spares = ngx_http_vod_window_spares(window);

    if (spares->n < NGX_HTTP_VOD_WINDOWS) {
        spare = (ngx_http_vod_spare_t *) (void *) window->start;

        spare->next = spares->first;
        spares->first = spare;
        spares->n++;

    } else if (munmap(window->start, window->size) == -1) {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      "munmap(%p, %uz) failed", window->start, window->size);
    }

    window->start = NULL;
}


static ngx_http_vod_spares_t *
ngx_http_vod_window_spares(ngx_http_vod_window_t *window)
{
    return &ngx_http_vod_spares[window->size == NGX_HTTP_VOD_WINDOW_LARGE];
}
