/*
 * Segments made in memory: see the header.
 *
 *   request -> ref -> made       a ref is the request's, until its pool goes
 *   task ------------> made      the task's own, until done()
 *
 * A made segment is found by file and ETag as long as it is of use: while it
 * is being made, while it is sent, and afterwards until others need its room.
 */

#include "ngx_http_vod_demux.h"
#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_zone.h"

#include "../av/vod_av.h"
#include "../core/vod_box.h"


/* of the memory there is, so much is kept for requests to come: 1/4 */
#define NGX_HTTP_VOD_DEMUX_KEPT  4


typedef struct {
    ngx_rbtree_node_t        node;      /* key: etag */
    ngx_queue_t              queue;     /* the worker's, last used first */
    ngx_queue_t              refs;      /* requests that have it, or wait */
    ngx_http_vod_file_id_t   id;
    uint64_t                 size;      /* what is counted for it, bytes */
    unsigned                 listed:1;  /* is found */
    unsigned                 done:1;
    unsigned                 changed:1; /* the file did, meanwhile */

    /* the result, code is VOD_OK where all is well */
    vod_av_segment_t         segment;
    u_char                  *head;
    size_t                   head_len;
    ngx_http_vod_file_id_t   seen;      /* when it was done */
    vod_err_t                err;
} ngx_http_vod_made_t;


struct ngx_http_vod_demux_s {
    ngx_queue_t              queue;     /* made->refs */
    ngx_http_vod_made_t     *made;
    ngx_http_request_t      *request;
    ngx_event_t              event;
    unsigned                 waits:1;   /* and has no task of its own */
};


/* in the pool of the request that makes it, which outlives the task */
typedef struct {
    ngx_http_vod_made_t     *made;
    ngx_fd_t                 fd;
    vod_av_source_t          source;
    vod_av_limits_t          limits;
    vod_av_segment_in_t      in;
    vod_track_t              track;
    vod_cell_t               cells[2];
    char                     container[sizeof(((vod_index_t *) 0)->container)
                                       + 1];
} ngx_http_vod_demux_task_t;


static ngx_http_vod_made_t *ngx_http_vod_demux_lookup(
    ngx_http_vod_file_id_t *id, uint64_t etag);
static void ngx_http_vod_demux_unlist(ngx_http_vod_made_t *made);
static ngx_http_vod_demux_t *ngx_http_vod_demux_ref(ngx_http_request_t *r,
    ngx_http_vod_made_t *made);
static void ngx_http_vod_demux_unref(void *data);
static ngx_http_vod_made_t *ngx_http_vod_demux_create(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment);
static ngx_int_t ngx_http_vod_demux_room(ngx_http_request_t *r,
    uint64_t size);
static void ngx_http_vod_demux_trim(uint64_t max);
static void ngx_http_vod_demux_free(ngx_http_vod_made_t *made);
static ngx_http_vod_demux_task_t *ngx_http_vod_demux_task(
    ngx_http_request_t *r, ngx_http_vod_segment_t *segment,
    vod_sample_t *rows, ngx_uint_t n, ngx_http_vod_made_t *made);
static void ngx_http_vod_demux_work(void *data);
static int ngx_http_vod_demux_header(ngx_http_vod_demux_task_t *task);
static void ngx_http_vod_demux_done(ngx_http_request_t *r, void *data);
static void ngx_http_vod_demux_woken(ngx_event_t *ev);
static void ngx_http_vod_demux_resume(ngx_http_request_t *r);


/* a worker's own */
static ngx_rbtree_t       ngx_http_vod_demux_tree;
static ngx_rbtree_node_t  ngx_http_vod_demux_sentinel;
static ngx_queue_t        ngx_http_vod_demux_list;
static uint64_t           ngx_http_vod_demux_size;  /* of all of them */
static uint64_t           ngx_http_vod_demux_idle;  /* of those nobody has */


void
ngx_http_vod_demux_init_process(void)
{
    ngx_rbtree_init(&ngx_http_vod_demux_tree, &ngx_http_vod_demux_sentinel,
                    ngx_rbtree_insert_value);
    ngx_queue_init(&ngx_http_vod_demux_list);
}


ngx_int_t
ngx_http_vod_demux_find(ngx_http_request_t *r, ngx_http_vod_segment_t *segment,
    ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_http_vod_made_t   *made;
    ngx_http_vod_demux_t  *demux;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    made = ngx_http_vod_demux_lookup(&ctx->id, segment->etag);
    if (made == NULL) {
        return NGX_DECLINED;
    }

    demux = ngx_http_vod_demux_ref(r, made);
    if (demux == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_queue_remove(&made->queue);
    ngx_queue_insert_head(&ngx_http_vod_demux_list, &made->queue);

    if (made->done) {
        ngx_http_vod_demux_answer(demux, answer);
        return NGX_OK;
    }

    demux->waits = 1;

    r->write_event_handler = ngx_http_request_empty_handler;
    r->main->count++;

    ngx_http_vod_watch_client(r);

    return NGX_DONE;
}


ngx_int_t
ngx_http_vod_demux(ngx_http_request_t *r, ngx_http_vod_segment_t *segment,
    vod_sample_t *rows, ngx_uint_t n)
{
    ngx_int_t                   rc;
    ngx_http_vod_ctx_t         *ctx;
    ngx_http_vod_made_t        *made;
    ngx_http_vod_demux_task_t  *task;

    rc = ngx_http_vod_quarantine_look(r);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_demux_room(r, segment->cells[0].header
                                    + segment->cells[0].payload);
    if (rc != NGX_OK) {
        return rc;
    }

    made = ngx_http_vod_demux_create(r, segment);
    if (made == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = NGX_ERROR;

    task = ngx_http_vod_demux_task(r, segment, rows, n, made);

    if (task) {
        rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, segment->track.entry_off,
                               (void *) task->in.entry,
                               segment->track.entry_len);
    }

    if (rc == NGX_OK && ngx_http_vod_demux_ref(r, made) == NULL) {
        rc = NGX_ERROR;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_vod_thread_run(r, ngx_http_vod_demux_work,
                                     ngx_http_vod_demux_done, task,
                                     ngx_http_vod_demux_resume);
    }

    if (rc == NGX_OK) {
        return NGX_DONE;
    }

    /* nobody else has seen it yet */

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    ctx->demux = NULL;

    made->done = 1;
    ngx_http_vod_demux_unlist(made);

    if (ngx_queue_empty(&made->refs)) {
        ngx_http_vod_demux_free(made);
    }

    if (rc == NGX_BUSY) {
        return ngx_http_vod_unavailable(r);
    }

    return (rc == NGX_DECLINED) ? rc : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


void
ngx_http_vod_demux_answer(ngx_http_vod_demux_t *demux,
    ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_made_t  *made;

    made = demux->made;

    answer->etag = made->node.key;
    answer->head = made->head;
    answer->head_len = made->head_len;
    answer->body = made->segment.payload;
    answer->body_len = made->segment.len;
    answer->length = answer->head_len + answer->body_len;
}


static ngx_http_vod_made_t *
ngx_http_vod_demux_lookup(ngx_http_vod_file_id_t *id, uint64_t etag)
{
    ngx_rbtree_node_t    *node;
    ngx_http_vod_made_t  *made;

    node = ngx_http_vod_demux_tree.root;

    while (node != &ngx_http_vod_demux_sentinel) {

        if (etag < node->key) {
            node = node->left;
            continue;
        }

        made = ngx_rbtree_data(node, ngx_http_vod_made_t, node);

        if (etag == node->key
            && ngx_memcmp(&made->id, id, sizeof(ngx_http_vod_file_id_t)) == 0)
        {
            return made;
        }

        /* a copy of the file has the same ETags */

        node = node->right;
    }

    return NULL;
}


static void
ngx_http_vod_demux_unlist(ngx_http_vod_made_t *made)
{
    made->listed = 0;

    ngx_rbtree_delete(&ngx_http_vod_demux_tree, &made->node);
    ngx_queue_remove(&made->queue);
}


static ngx_http_vod_demux_t *
ngx_http_vod_demux_ref(ngx_http_request_t *r, ngx_http_vod_made_t *made)
{
    ngx_http_vod_ctx_t    *ctx;
    ngx_pool_cleanup_t    *cln;
    ngx_http_vod_demux_t  *demux;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_vod_demux_t));
    if (cln == NULL) {
        return NULL;
    }

    demux = cln->data;
    ngx_memzero(demux, sizeof(ngx_http_vod_demux_t));

    demux->made = made;
    demux->request = r;
    demux->event.handler = ngx_http_vod_demux_woken;
    demux->event.data = demux;
    demux->event.log = r->connection->log;

    cln->handler = ngx_http_vod_demux_unref;

    if (made->done && ngx_queue_empty(&made->refs)) {
        ngx_http_vod_demux_idle -= made->size;
    }

    ngx_queue_insert_tail(&made->refs, &demux->queue);

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    ctx->demux = demux;

    return demux;
}


static void
ngx_http_vod_demux_unref(void *data)
{
    ngx_http_vod_demux_t *demux = data;

    ngx_http_vod_made_t        *made;
    ngx_http_vod_main_conf_t   *vmcf;

    made = demux->made;

    if (made == NULL) {
        return;
    }

    demux->made = NULL;
    demux->waits = 0;

    if (demux->event.posted) {
        ngx_delete_posted_event(&demux->event);
    }

    ngx_queue_remove(&demux->queue);

    if (!made->done || !ngx_queue_empty(&made->refs)) {
        return;
    }

    if (!made->listed) {
        ngx_http_vod_demux_free(made);
        return;
    }

    vmcf = ngx_http_get_module_main_conf(demux->request, ngx_http_vod_module);

    ngx_http_vod_demux_idle += made->size;
    ngx_http_vod_demux_trim(vmcf->segment_memory / NGX_HTTP_VOD_DEMUX_KEPT);
}


static ngx_http_vod_made_t *
ngx_http_vod_demux_create(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment)
{
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_made_t  *made;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    made = ngx_calloc(sizeof(ngx_http_vod_made_t), r->connection->log);
    if (made == NULL) {
        return NULL;
    }

    ngx_queue_init(&made->refs);

    made->id = ctx->id;
    made->node.key = segment->etag;
    made->size = segment->cells[0].header + segment->cells[0].payload;
    made->listed = 1;

    ngx_rbtree_insert(&ngx_http_vod_demux_tree, &made->node);
    ngx_queue_insert_head(&ngx_http_vod_demux_list, &made->queue);
    ngx_http_vod_demux_size += made->size;

    return made;
}


/* what is sent, or made, to slow clients is held: not without a bound */

static ngx_int_t
ngx_http_vod_demux_room(ngx_http_request_t *r, uint64_t size)
{
    uint64_t                   used;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    used = ngx_http_vod_demux_size - ngx_http_vod_demux_idle;

    /* one segment has room in any case */

    if (used && used + size > vmcf->segment_memory) {
        ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"%V\" vod: no room for a segment of %uL bytes beside "
                      "%uL that are being sent (vod_segment_memory %uz)",
                      &ctx->path, size, used, vmcf->segment_memory);

        return ngx_http_vod_unavailable(r);
    }

    ngx_http_vod_demux_trim(used + size > vmcf->segment_memory ? 0
                            : vmcf->segment_memory - used - size);

    return NGX_OK;
}


/* gives up what nobody has, so that it is no more than max bytes */

static void
ngx_http_vod_demux_trim(uint64_t max)
{
    ngx_queue_t          *q, *prev;
    ngx_http_vod_made_t  *made;

    for (q = ngx_queue_last(&ngx_http_vod_demux_list);
         q != ngx_queue_sentinel(&ngx_http_vod_demux_list)
         && ngx_http_vod_demux_idle > max;
         q = prev)
    {
        prev = ngx_queue_prev(q);
        made = ngx_queue_data(q, ngx_http_vod_made_t, queue);

        if (made->done && ngx_queue_empty(&made->refs)) {
            ngx_http_vod_demux_unlist(made);
            ngx_http_vod_demux_idle -= made->size;
            ngx_http_vod_demux_free(made);
        }
    }
}


static void
ngx_http_vod_demux_free(ngx_http_vod_made_t *made)
{
    ngx_http_vod_demux_size -= made->size;

    vod_av_segment_free(&made->segment);
    free(made->head);

    ngx_free(made);
}


static ngx_http_vod_demux_task_t *
ngx_http_vod_demux_task(ngx_http_request_t *r, ngx_http_vod_segment_t *segment,
    vod_sample_t *rows, ngx_uint_t n, ngx_http_vod_made_t *made)
{
    size_t                      size;
    vod_sample_t               *copy;
    ngx_http_vod_ctx_t         *ctx;
    ngx_http_vod_main_conf_t   *vmcf;
    ngx_http_vod_demux_task_t  *task;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    size = sizeof(ngx_http_vod_demux_task_t) + n * sizeof(vod_sample_t);

    task = ngx_pcalloc(r->pool, size + segment->track.entry_len);
    if (task == NULL) {
        return NULL;
    }

    copy = (vod_sample_t *) (task + 1);
    ngx_memcpy(copy, rows, n * sizeof(vod_sample_t));

    task->made = made;
    task->fd = ctx->fd;
    task->limits = vmcf->limits;
    task->track = segment->track;
    task->cells[0] = segment->cells[0];
    task->cells[1] = segment->cells[1];

    ngx_memcpy(task->container, segment->index.container,
               sizeof(segment->index.container));

    task->source.read = ngx_http_vod_source_read;
    task->source.data = &task->fd;
    task->source.size = ctx->id.size;

    task->in.container = task->container;
    task->in.track = &task->track;
    task->in.entry = (u_char *) (copy + n);
    task->in.cell = &task->cells[0];
    task->in.next = &task->cells[1];
    task->in.number = ctx->uri.segment;
    task->in.n_segments = segment->cut.n_segments;
    task->in.rows = copy;
    task->in.n_rows = n;
    task->in.vtt = (ctx->uri.what == VOD_URI_TEXT);

    return task;
}


/* in a thread */

static void
ngx_http_vod_demux_work(void *data)
{
    ngx_http_vod_demux_task_t *task = data;

    struct stat              st;
    ngx_http_vod_made_t     *made;
    ngx_http_vod_suspect_t  *suspect;

    made = task->made;

    suspect = ngx_http_vod_quarantine_begin(&made->id, made->node.key);

    made->err.code = vod_av_segment(&task->source, &task->limits, &task->in,
                                    &made->segment, &made->err);

    if (made->err.code == VOD_OK && !task->in.vtt) {
        made->err.code = ngx_http_vod_demux_header(task);
    }

    ngx_http_vod_quarantine_end(suspect);

    if (fstat(task->fd, &st) == 0) {
        ngx_http_vod_file_id(&made->seen, &st);
        made->changed = (memcmp(&made->seen, &made->id, sizeof(made->id))
                         != 0);
    }
}


static int
ngx_http_vod_demux_header(ngx_http_vod_demux_task_t *task)
{
    vod_wr_t              wr;
    ngx_uint_t            i;
    vod_av_segment_t     *segment;
    ngx_http_vod_made_t  *made;

    made = task->made;
    segment = &made->segment;

    vod_wr_init(&wr, NULL, 0);

    for (i = 0; i < 2; i++) {
        vod_box_segment(&wr, task->track.ordinal + 1, task->track.kind,
                        task->in.number, segment->dts, segment->samples,
                        segment->n, segment->len);

        if (i == 1) {
            break;
        }

        made->head_len = wr.len;

        made->head = malloc(made->head_len);
        if (made->head == NULL) {
            return vod_fail(&made->err, VOD_NOMEM,
                            "no memory for a header of %llu bytes",
                            (unsigned long long) wr.len);
        }

        vod_wr_init(&wr, made->head, made->head_len);
    }

    if (wr.overflow || wr.len != made->head_len) {
        return vod_fail(&made->err, VOD_INTERNAL, "the header of segment %llu "
                        "is %llu bytes, expected %llu",
                        (unsigned long long) task->in.number,
                        (unsigned long long) wr.len,
                        (unsigned long long) made->head_len);
    }

    return VOD_OK;
}


/* in the event loop again, perhaps without a client */

static void
ngx_http_vod_demux_done(ngx_http_request_t *r, void *data)
{
    ngx_http_vod_demux_task_t *task = data;

    ngx_queue_t           *q;
    ngx_http_vod_made_t   *made;
    ngx_http_vod_demux_t  *demux;

    made = task->made;

    ngx_http_vod_count_read(r, task->source.bytes_read);

    made->done = 1;

    /* samples and payload are one piece */

    ngx_http_vod_demux_size -= made->size;
    made->size = sizeof(ngx_http_vod_made_t) + made->head_len
                 + made->segment.n * sizeof(vod_sample_t) + made->segment.len;
    ngx_http_vod_demux_size += made->size;

    if (made->changed || made->err.code != VOD_OK) {
        ngx_http_vod_demux_unlist(made);
    }

    for (q = ngx_queue_head(&made->refs);
         q != ngx_queue_sentinel(&made->refs);
         q = ngx_queue_next(q))
    {
        demux = ngx_queue_data(q, ngx_http_vod_demux_t, queue);

        if (demux->waits) {
            ngx_post_event(&demux->event, &ngx_posted_events);
        }
    }
}


static void
ngx_http_vod_demux_woken(ngx_event_t *ev)
{
    ngx_connection_t      *c;
    ngx_http_request_t    *r;
    ngx_http_vod_demux_t  *demux;

    demux = ev->data;
    r = demux->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    demux->waits = 0;

    ngx_http_vod_unwatch_client(r);

    if (c->error) {
        ngx_http_finalize_request(r, NGX_ERROR);

    } else {
        ngx_http_vod_demux_resume(r);
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_vod_demux_resume(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_made_t  *made;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    made = ctx->demux->made;

    if (!made->changed && made->err.code == VOD_OK) {
        ngx_http_vod_resume(r);
        return;
    }

    if (made->changed) {
        rc = ngx_http_vod_changed(r, &made->seen);

        if (rc == NGX_OK) {
            ngx_http_vod_demux_unref(ctx->demux);
            ctx->demux = NULL;

            ngx_http_vod_resume(r);
            return;
        }

    } else {
        rc = ngx_http_vod_fail(r, made->err.code, made->err.text);
    }

    ngx_http_finalize_request(r, rc);
}
