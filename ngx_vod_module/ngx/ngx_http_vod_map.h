/*
 * Mappings of media files, shared by the requests of a worker, and what
 * keeps them from hurting it: which pages can be touched without waiting,
 * and how a fault that cannot be served ends a copy and not the worker.
 *
 * A mapping is known by the file's identity, covers the whole file and is
 * read-only.  One that nobody has used for a minute goes, so that a deleted
 * file's blocks come back.  Only the event loop calls these.
 */

#ifndef _NGX_HTTP_VOD_MAP_H_INCLUDED_
#define _NGX_HTTP_VOD_MAP_H_INCLUDED_

#include "ngx_http_vod_module.h"


typedef struct ngx_http_vod_map_s  ngx_http_vod_map_t;


/* to be called as the module's init_process and exit_process */
ngx_int_t ngx_http_vod_map_init_process(ngx_cycle_t *cycle);
void ngx_http_vod_map_exit_process(ngx_cycle_t *cycle);

/*
 * The mapping of the file that id names and fd has open; close() gives it
 * back.  NULL: cannot be mapped, the caller reads instead.
 */
ngx_http_vod_map_t *ngx_http_vod_map_open(ngx_http_vod_file_id_t *id,
    ngx_fd_t fd, ngx_log_t *log);
void ngx_http_vod_map_close(ngx_http_vod_map_t *map);

/* the file is no longer what it was: nobody else gets this mapping */
void ngx_http_vod_map_drop(ngx_http_vod_map_t *map);

/*
 * Whether the bytes can be touched without waiting for the disk.  NGX_OK:
 * all of them; NGX_AGAIN: not all; NGX_DECLINED: the kernel does not tell.
 */
ngx_int_t ngx_http_vod_map_resident(ngx_http_vod_map_t *map, uint64_t offset,
    uint64_t len);

/*
 * Copies size bytes of consecutive runs, the first skip bytes of *run left
 * out, to dst.  NGX_ERROR: a page could not be had (the file was truncated,
 * or its disk failed); dst then holds nothing of use.
 */
ngx_int_t ngx_http_vod_map_copy(ngx_http_vod_map_t *map, vod_run_t *run,
    uint64_t skip, u_char *dst, size_t size);


#endif /* _NGX_HTTP_VOD_MAP_H_INCLUDED_ */
