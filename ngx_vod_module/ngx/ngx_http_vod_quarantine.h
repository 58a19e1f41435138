/*
 * Files that end workers.  What a thread does with a media file stands in the
 * zone while it does it: when the process has died in between, others see in
 * whose hands which file was.
 *
 * A thread that faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) says so
 * itself in its last moment: that file is guilty at once, and what the other
 * threads of the process did is not held against theirs.  A process that is
 * gone without a word (kill -9, the kernel's killer of those that take too
 * much memory, a stack that overflows) leaves a suspicion against what each
 * of its threads did.  That is tried once more; success clears it, a second
 * death within the time of vod_quarantine makes the file guilty.  A process
 * that ends as it is told to waits for its threads, and leaves nothing.
 *
 * A file is known by its identity: one that is replaced is another.
 */

#ifndef _NGX_HTTP_VOD_QUARANTINE_H_INCLUDED_
#define _NGX_HTTP_VOD_QUARANTINE_H_INCLUDED_

#include "ngx_http_vod_module.h"


/* what a thread of a process has in hand, or what is known of a file */
struct ngx_http_vod_suspect_s {
    ngx_atomic_t            owner;      /* pid; 0: free; or ..._RECORD */
    pthread_t               thread;
    ngx_http_vod_file_id_t  file;
    uint64_t                segment;    /* its ETag, 0: the index */
    ngx_msec_t              since;      /* of the task, then of the death */
    uint16_t                valid;      /* the above is filled in */
    uint16_t                signo;      /* of the fault, or 0 */
    uint16_t                deaths;
    uint16_t                guilty;
};

#define NGX_HTTP_VOD_SUSPECT_RECORD  ((ngx_atomic_uint_t) -1)


/*
 * Takes memory for the table from the zone, whose lock is held or not needed
 * yet: the same each time, and what stands there is kept.  NGX_ERROR: no
 * room.
 */
ngx_int_t ngx_http_vod_quarantine_layout(ngx_http_vod_zone_t *zone);

/* a new zone's table is empty */
void ngx_http_vod_quarantine_clear(ngx_http_vod_zone_t *zone);

/* to be called as the module's init_process and exit_process */
ngx_int_t ngx_http_vod_quarantine_init_process(ngx_http_vod_zone_t *zone,
    ngx_log_t *log);
void ngx_http_vod_quarantine_exit_process(void);

/*
 * Around what a thread does with a file, in that thread; segment is the ETag
 * of the one that it makes, or 0.  NULL: the table is full, and the task goes
 * on without; end() takes that, too.
 */
ngx_http_vod_suspect_t *ngx_http_vod_quarantine_begin(
    ngx_http_vod_file_id_t *file, uint64_t segment);
void ngx_http_vod_quarantine_end(ngx_http_vod_suspect_t *suspect);

/* Finds who has died with a file in hand.  The zone's lock is held. */
void ngx_http_vod_quarantine_judge(ngx_http_vod_zone_t *zone);

/*
 * Whether the request's file may be touched: NGX_OK, or the status to answer
 * with (why has been logged).  This costs nothing while there is no record.
 * look() looks for the dead before, for those who do not take the lock.
 */
ngx_int_t ngx_http_vod_quarantine(ngx_http_request_t *r);
ngx_int_t ngx_http_vod_quarantine_look(ngx_http_request_t *r);

/* files that are refused now, where it is for longest.  No lock is needed. */
ngx_uint_t ngx_http_vod_quarantined(ngx_http_vod_zone_t *zone);


#endif /* _NGX_HTTP_VOD_QUARANTINE_H_INCLUDED_ */
