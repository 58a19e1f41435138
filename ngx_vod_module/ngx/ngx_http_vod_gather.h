/*
 * Filling one window: consecutive bytes of an answer that lie scattered in
 * the file are brought together in a buffer of bounded size.
 */

#ifndef _NGX_HTTP_VOD_GATHER_H_INCLUDED_
#define _NGX_HTTP_VOD_GATHER_H_INCLUDED_

#include "ngx_http_vod_map.h"


/*
 * Bytes of a window.  Each costs a write to the socket, which is dearer than
 * the copy, so that a socket with room for it gets a large one.  One that
 * has to wait for its client gets small ones: there the window is memory
 * held, however slowly the client reads.
 */
#define NGX_HTTP_VOD_WINDOW_SMALL  (32 * 1024)
#define NGX_HTTP_VOD_WINDOW_LARGE  (256 * 1024)


typedef struct {
    u_char               *start;        /* NULL: none */
    size_t                size;
} ngx_http_vod_window_t;


typedef struct {
    ngx_fd_t              fd;           /* open for plain reads */
    ngx_http_vod_map_t   *map;          /* NULL: by reads */

    /* the next byte to be gathered; all three move on as it is done */
    vod_run_t            *run;
    uint64_t              skip;         /* bytes of *run that are done */
    u_char               *dst;
    size_t                size;         /* bytes still wanted */

    vod_run_t            *end;          /* of the answer's runs */

    /* what a failed read says */
    ngx_err_t             err;
    unsigned              eof:1;        /* the file is shorter than the runs */
} ngx_http_vod_gather_t;


/*
 * For the event loop: fills the window as far as that goes without waiting
 * for a disk.  NGX_OK: filled; NGX_AGAIN: ngx_http_vod_gather_read() is to
 * do the rest; NGX_ERROR: see err and eof.
 */
ngx_int_t ngx_http_vod_gather(ngx_http_vod_gather_t *gather);

/*
 * For a thread: reads the rest of the window, and has the kernel begin with
 * what follows.  It has failed if size is not 0 afterwards: see err and eof.
 */
void ngx_http_vod_gather_read(void *data);

/*
 * Memory of a window for size bytes: large or small as that asks for, the
 * one that is held where it is of that kind.  NGX_ERROR: no memory.  A few
 * free ones are kept for the next request.  Freeing none is nothing.
 */
ngx_int_t ngx_http_vod_window_alloc(ngx_http_vod_window_t *window,
    size_t size, ngx_log_t *log);
void ngx_http_vod_window_free(ngx_http_vod_window_t *window);


#endif /* _NGX_HTTP_VOD_GATHER_H_INCLUDED_ */
