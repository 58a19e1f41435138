/*
 * The nginx room: configuration, request context, and the functions its files
 * share.  In the order of a request: handler, file, index (zone, thread),
 * answer, send (gather).
 */

#ifndef _NGX_HTTP_VOD_MODULE_H_INCLUDED_
#define _NGX_HTTP_VOD_MODULE_H_INCLUDED_

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "../av/vod_av.h"
#include "../core/vod_err.h"
#include "../core/vod_links.h"
#include "../core/vod_segment.h"
#include "../core/vod_uri.h"


#if !(NGX_THREADS)
#error "ngx_http_vod_module needs nginx built with --with-threads"
#endif


#define NGX_HTTP_VOD_VERSION  "0.1.0"


typedef struct ngx_http_vod_zone_s  ngx_http_vod_zone_t;
typedef struct ngx_http_vod_send_s  ngx_http_vod_send_t;
typedef struct ngx_http_vod_work_s  ngx_http_vod_work_t;
typedef struct ngx_http_vod_build_s  ngx_http_vod_build_t;
typedef struct ngx_http_vod_wait_s  ngx_http_vod_wait_t;
typedef struct ngx_http_vod_gzip_s  ngx_http_vod_gzip_t;
typedef struct ngx_http_vod_demux_s  ngx_http_vod_demux_t;
typedef struct ngx_http_vod_answer_s  ngx_http_vod_answer_t;
typedef struct ngx_http_vod_suspect_s  ngx_http_vod_suspect_t;
typedef struct ngx_http_vod_asset_s  ngx_http_vod_asset_t;


typedef struct {
    ngx_http_vod_zone_t  *zone;         /* NULL: nothing here asks for it */
    size_t                zone_size;
    size_t                segment_memory;
    size_t                max_index_size;
    ngx_int_t             max_samples;
    ngx_int_t             max_tracks;
    ngx_int_t             max_segments; /* of a track */
    ngx_int_t             max_builds;   /* at a time, in all workers */
    ngx_int_t             max_waiting;  /* likewise */
    ngx_msec_t            index_timeout;
    ngx_msec_t            quarantine;   /* the longest of all locations */
    vod_av_limits_t       limits;       /* of them, what vod_av.h asks for */
    void                 *metrics;      /* metrics.c's own, shared */
    ngx_uint_t            used;         /* a location has "vod" or the status */
} ngx_http_vod_main_conf_t;


typedef struct {
    ngx_flag_t            enable;
    ngx_msec_t            segment_duration;
    ngx_int_t             max_members;  /* of an asset */
    ngx_flag_t            mmap;
    ngx_msec_t            quarantine;   /* 0: of no file */
    ngx_thread_pool_t    *thread_pool;  /* "default", where "aio" names none */
    ngx_uint_t            forward;      /* NGX_HTTP_VOD_FORWARD_* */
    ngx_array_t          *forward_args; /* of ngx_str_t, those that are named */
    ngx_http_complex_value_t *base_url; /* NULL: none */
} ngx_http_vod_loc_conf_t;


/* which arguments are carried into the URLs of playlists */
#define NGX_HTTP_VOD_FORWARD_OFF    0
#define NGX_HTTP_VOD_FORWARD_ON     1
#define NGX_HTTP_VOD_FORWARD_NAMED  2


/* which bytes these are; see HAZARDS: never the path */
typedef struct {
    uint64_t              dev;
    uint64_t              ino;
    uint64_t              size;
    int64_t               mtime_sec;
    uint64_t              mtime_nsec;
} ngx_http_vod_file_id_t;


/* what decides where a file is cut */
typedef struct {
    uint32_t              target;       /* segment duration, ms */
    const void           *grid;         /* timeline of another file, NULL */
    uint64_t              grid_etag;    /* of that, 0: its own */
    int64_t               from;         /* of presentation time, us: */
    int64_t               to;           /* 0 to INT64_MAX is the whole file */
} ngx_http_vod_cuts_t;


typedef struct {
    ngx_http_request_t   *request;
    vod_uri_t             uri;
    ngx_http_vod_cuts_t   cuts;
    ngx_str_t             tracks;       /* chosen, core/vod_choice.h */
    vod_links_t           links;        /* around the URLs of an answer */

    ngx_str_t             path;         /* of the media file, 0-terminated */
    ngx_fd_t              fd;           /* the request pool closes it */
    ngx_http_vod_file_id_t id;
    unsigned              directio:1;   /* file is larger than "directio" */
    unsigned              changed:1;    /* it did, since we opened it */
    unsigned              own:1;        /* the answer is for this request
                                           alone, and not kept */
    unsigned              alone:1;      /* no sidecars: this is known */

    ngx_http_vod_asset_t *asset;        /* of several files; NULL: of one */
    ngx_http_vod_build_t *build;        /* index made by this request */
    ngx_http_vod_wait_t  *wait;         /* while another makes it */
    ngx_http_vod_work_t  *work;         /* thread.c's own */
    ngx_http_vod_send_t  *send;         /* body being sent; send.c's own */
    ngx_http_vod_gzip_t  *gzip;         /* compressed in a thread */
    ngx_http_vod_demux_t *demux;        /* segment made in a thread */
    ngx_http_vod_answer_t *text;        /* gzip.c's own */

    ngx_uint_t            attempts;     /* to have the index */
    ngx_uint_t            cache;        /* NGX_HTTP_VOD_CACHE_* */
    ngx_uint_t            error;        /* NGX_HTTP_VOD_ERROR_* */
    off_t                 read_bytes;   /* read from the source by us */
    ngx_msec_t            first;        /* when the header was sent, since
                                           the request began */
    ngx_msec_t            index_start;  /* to be waited for, ngx_current_msec */
    ngx_msec_t            index_time;   /* how long it was */
    unsigned              answered:1;   /* first is known */
    unsigned              index_waited:1;       /* index_start is known */
    unsigned              index_done:1;         /* index_time is known */
} ngx_http_vod_ctx_t;


#define NGX_HTTP_VOD_CACHE_NONE      0
#define NGX_HTTP_VOD_CACHE_HIT       1  /* all came from the zone */
#define NGX_HTTP_VOD_CACHE_MISS      2  /* this request built the index */
#define NGX_HTTP_VOD_CACHE_WAIT      3  /* it waited for another's build */
#define NGX_HTTP_VOD_CACHE_UNCACHED  4  /* built, but the zone has no room */


/*
 * What went wrong: $vod_error and a label of the status.  The names are for
 * people's dashboards, and do not change.
 */
#define NGX_HTTP_VOD_ERROR_NONE            0
#define NGX_HTTP_VOD_ERROR_NOT_FOUND       1
#define NGX_HTTP_VOD_ERROR_FORBIDDEN       2
#define NGX_HTTP_VOD_ERROR_METHOD          3
#define NGX_HTTP_VOD_ERROR_RANGE           4
#define NGX_HTTP_VOD_ERROR_CLOSED          5
#define NGX_HTTP_VOD_ERROR_UNSUPPORTED     6
#define NGX_HTTP_VOD_ERROR_DAMAGED         7
#define NGX_HTTP_VOD_ERROR_LIMIT           8
#define NGX_HTTP_VOD_ERROR_LIMIT_INDEX     9
#define NGX_HTTP_VOD_ERROR_LIMIT_SAMPLES   10
#define NGX_HTTP_VOD_ERROR_LIMIT_TRACKS    11
#define NGX_HTTP_VOD_ERROR_LIMIT_SEGMENTS  12
#define NGX_HTTP_VOD_ERROR_QUARANTINED     13
#define NGX_HTTP_VOD_ERROR_TIMEOUT         14
#define NGX_HTTP_VOD_ERROR_BUSY            15
#define NGX_HTTP_VOD_ERROR_CHANGED         16
#define NGX_HTTP_VOD_ERROR_IO              17
#define NGX_HTTP_VOD_ERROR_MEMORY          18
#define NGX_HTTP_VOD_ERROR_INTERNAL        19
#define NGX_HTTP_VOD_ERROR_ARGUMENTS       20
#define NGX_HTTP_VOD_ERRORS                21


/*
 * What is to be sent: bytes in memory, then runs of the file.  Memory lives as
 * long as the request.
 */
struct ngx_http_vod_answer_s {
    ngx_str_t             type;
    uint64_t              etag;
    u_char               *head;
    size_t                head_len;
    u_char               *body;         /* more memory behind head, no runs */
    size_t                body_len;
    vod_run_t            *runs;         /* source 0 */
    ngx_uint_t            nruns;
    off_t                 length;       /* of all */
    unsigned              kept:1;       /* a text that the zone has */
    unsigned              gzip:1;       /* head is the gzip form of a text */
    unsigned              vary:1;       /* Accept-Encoding decides on that */
    unsigned              passed:1;     /* gzip.c's own */
};


extern ngx_module_t  ngx_http_vod_module;


/* ngx_http_vod_handler.c: the request, top to bottom */
ngx_int_t ngx_http_vod_handler(ngx_http_request_t *r);


/*
 * ngx_http_vod_file.c: fills in path, fd, id, directio of the context.
 * NGX_OK, or the status to answer with (what is wrong has been logged).
 */
ngx_int_t ngx_http_vod_open(ngx_http_request_t *r);

/*
 * The same of ctx->path alone; what is open goes with the pool.  NGX_OK: it is
 * there, open where it is a file; NGX_DECLINED: of->err and of->failed say
 * why not (nothing has been logged); else the status.
 */
ngx_int_t ngx_http_vod_open_path(ngx_http_request_t *r,
    ngx_open_file_info_t *of, ngx_pool_t *pool);

/* the status for who cannot open something */
ngx_int_t ngx_http_vod_open_status(ngx_err_t err);

/* logs that it is none of ours: a folder, or no file at all */
void ngx_http_vod_open_refuse(ngx_http_request_t *r, ngx_str_t *path,
    ngx_uint_t is_dir);

void ngx_http_vod_file_id(ngx_http_vod_file_id_t *id, ngx_file_info_t *fi);
void ngx_http_vod_folder_id(ngx_http_vod_file_id_t *id, ngx_file_info_t *fi);


/*
 * ngx_http_vod_index.c: after this, ngx_http_vod_read() finds the index and
 * the timeline.  NGX_OK: they are there, or may be, ask again.  NGX_DONE:
 * somebody is building them, resume(r) follows (as after a thread task).
 * Else the status to answer with.
 */
ngx_int_t ngx_http_vod_index(ngx_http_request_t *r);

/*
 * Copies len bytes at offset of the request's index or timeline (type:
 * NGX_HTTP_VOD_INDEX, NGX_HTTP_VOD_TIMELINE), from the zone or from what the
 * request has built itself.  NGX_DECLINED: it is not there (any more), or
 * not that long.
 */
ngx_int_t ngx_http_vod_read(ngx_http_request_t *r, ngx_uint_t type,
    uint64_t offset, void *dst, size_t len);

/*
 * A build of this file is over: requests of this process that wait for it go
 * on, and the first that waits for a place.
 */
void ngx_http_vod_wake(ngx_http_vod_zone_t *zone, ngx_http_vod_file_id_t *id);


/*
 * ngx_http_vod_build.c: posts the task that makes index and timeline; since
 * is our claim in the zone, released when it is done, or NULL.  A place for
 * builds has been taken, and is given back then.  NGX_DONE, or the status to
 * answer with.
 */
ngx_int_t ngx_http_vod_build(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx,
    ngx_msec_t *since);

/* as ngx_http_vod_read(), from the build's own memory */
ngx_int_t ngx_http_vod_build_get(ngx_http_vod_build_t *build, ngx_uint_t type,
    uint64_t offset, void *dst, size_t len);

/* read of a vod_av_source_t, whose data is an ngx_fd_t */
int64_t ngx_http_vod_source_read(void *data, void *buf, uint64_t len,
    uint64_t offset, int *sys_err);

/* gives that memory back, where the request has built something */
void ngx_http_vod_index_free(ngx_http_request_t *r);


/*
 * ngx_http_vod_handler.c again: the answer and what it needs, once more.
 * run() returns what a content handler returns, resume() finalizes the request
 * with that, when its index was waited for.
 */
ngx_int_t ngx_http_vod_run(ngx_http_request_t *r);
void ngx_http_vod_resume(ngx_http_request_t *r);

/*
 * Logs why the file, or the request, cannot be served (code: VOD_*, or this)
 * and returns the status to answer with.
 */
#define NGX_HTTP_VOD_QUARANTINED  2

ngx_int_t ngx_http_vod_fail(ngx_http_request_t *r, int code,
    const char *text);

#define NGX_HTTP_VOD_UNPROCESSABLE  422

/* 503 with Retry-After */
ngx_int_t ngx_http_vod_unavailable(ngx_http_request_t *r);

/*
 * The file is no longer what was opened, but what seen says.  NGX_OK: to be
 * done once more, for that; else (logged) the status to answer with.
 */
ngx_int_t ngx_http_vod_changed(ngx_http_request_t *r,
    ngx_http_vod_file_id_t *seen);


/*
 * ngx_http_vod_answer.c: what is to be sent, from index and timeline.
 * NGX_OK; NGX_DECLINED where they are not at hand; NGX_HTTP_VOD_NO_TRACK where
 * the file has no track of this number; else the status.
 */
#define NGX_HTTP_VOD_NO_TRACK  NGX_ABORT

ngx_int_t ngx_http_vod_answer(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);


/*
 * ngx_http_vod_thread.c: the only place that touches blocked and aio.
 *
 * Posts work(data) to the location's thread pool; work() uses nothing but
 * data.  When it has run, resume(r) is called in the event loop, through
 * r->write_event_handler, with the request's reference given back: it ends
 * with ngx_http_finalize_request() exactly once, as a write event handler
 * does.  data must live until then: allocate it in the request pool, or free
 * it in a pool cleanup.  One task in flight per request.
 *
 * NGX_OK: posted, the caller returns NGX_DONE to nginx.  NGX_BUSY: the
 * pool's queue is full.  NGX_ERROR: no memory.
 */
typedef void (*ngx_http_vod_work_pt)(void *data);
typedef void (*ngx_http_vod_resume_pt)(ngx_http_request_t *r);

ngx_int_t ngx_http_vod_thread_post(ngx_http_request_t *r,
    ngx_http_vod_work_pt work, void *data, ngx_http_vod_resume_pt resume);

/*
 * The same with done(r, data), called in the event loop as soon as the task
 * is back and before resume, also where the client has left and resume will
 * never be called.  It may use the request's pool and log, and leaves the
 * request alone otherwise.
 */
typedef void (*ngx_http_vod_done_pt)(ngx_http_request_t *r, void *data);

ngx_int_t ngx_http_vod_thread_run(ngx_http_request_t *r,
    ngx_http_vod_work_pt work, ngx_http_vod_done_pt done, void *data,
    ngx_http_vod_resume_pt resume);

/* how long the request's last task has run, without its wait; microseconds */
uint64_t ngx_http_vod_thread_spent(ngx_http_request_t *r);

/*
 * While a request waits without a task: have the client's leaving noticed,
 * and the contrary.
 */
void ngx_http_vod_watch_client(ngx_http_request_t *r);
void ngx_http_vod_unwatch_client(ngx_http_request_t *r);


/*
 * ngx_http_vod_memory.c: memory of the worker that requests borrow.
 *
 * Scratch is one piece: nobody asks for it again before it has been given
 * back, in the same call from the event loop.  A block is the request's
 * until its pool is destroyed.  Both are of any alignment, and from the
 * request pool where they are larger than what is kept; NULL: no memory.
 */
void *ngx_http_vod_scratch(ngx_http_request_t *r, size_t size);
void ngx_http_vod_scratch_free(ngx_http_request_t *r, void *p);
void *ngx_http_vod_block(ngx_http_request_t *r, size_t size);


/*
 * ngx_http_vod_send.c: header and body.  Status 200 (filters make 206, 304,
 * 412, 416 of it), type, length, ETag, Last-Modified, ranges; then head and
 * runs: long runs as file buffers, short ones gathered window by window as
 * the socket drains.  Returns what a content handler returns, NGX_DONE where
 * it goes on by itself (the request's reference is then its own).
 */
ngx_int_t ngx_http_vod_send(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);


/* bytes read from the source by us, for the context and the status */
void ngx_http_vod_count_read(ngx_http_request_t *r, off_t bytes);

/*
 * ngx_http_vod_metrics.c: counts a build that is over, and its time where the
 * file was indexed.  The request's last task is the build's.
 */
void ngx_http_vod_metrics_build(ngx_http_request_t *r, ngx_uint_t indexed,
    vod_err_t *err);

/* since the request began, ms */
ngx_msec_t ngx_http_vod_elapsed(ngx_http_request_t *r);

/* what went wrong with it, NGX_HTTP_VOD_ERROR_*; ctx may be NULL */
ngx_uint_t ngx_http_vod_error(ngx_http_request_t *r, ngx_http_vod_ctx_t *ctx);

/* of VOD_* and its reason; of a status that is answered for no other reason */
ngx_uint_t ngx_http_vod_error_of(int code, const char *text);
ngx_uint_t ngx_http_vod_error_of_status(ngx_uint_t status);

/* static text */
const char *ngx_http_vod_error_name(ngx_uint_t error);

/* ngx_http_vod_handler.c: also where an error page has taken over */
ngx_http_vod_ctx_t *ngx_http_vod_get_ctx(ngx_http_request_t *r);

/* ngx_http_vod_status.c: the handler of "vod_status" */
ngx_int_t ngx_http_vod_status_handler(ngx_http_request_t *r);

/* ngx_http_vod_variables.c: at preconfiguration */
ngx_int_t ngx_http_vod_add_variables(ngx_conf_t *cf);


#endif /* _NGX_HTTP_VOD_MODULE_H_INCLUDED_ */
