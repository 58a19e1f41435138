/*
 * A task posted and taken back.  The only file that touches r->aio and
 * r->main->blocked:
 *
 *   post    blocked++, aio = 1, count++; the write handler is wake()
 *   task    runs in a thread; it knows its data and nothing else
 *   back    event loop: aio = 0, blocked--, done(), then the write handler,
 *           which is wake() -> resume(), or nginx's own where the request
 *           has been terminated in the meantime
 *
 * count keeps the request, blocked keeps its termination from freeing it.
 */

#include "ngx_http_vod_metrics.h"


struct ngx_http_vod_work_s {
    ngx_http_request_t      *request;
    ngx_thread_task_t       *task;
    ngx_http_vod_work_pt     work;
    ngx_http_vod_done_pt     done;
    ngx_http_vod_resume_pt   resume;
    void                    *data;

    /* microseconds of one clock */
    uint64_t                 posted;
    uint64_t                 begun;
    uint64_t                 ended;
};


static ngx_http_vod_work_t *ngx_http_vod_thread_work(ngx_http_request_t *r);
static ngx_thread_pool_t *ngx_http_vod_thread_pool(ngx_http_request_t *r);
static void ngx_http_vod_thread_handler(void *data, ngx_log_t *log);
static void ngx_http_vod_thread_event_handler(ngx_event_t *ev);
static void ngx_http_vod_thread_wake(ngx_http_request_t *r);
static uint64_t ngx_http_vod_thread_clock(void);


/* as nginx's own: a task that takes longer is an alert, ms */
#define NGX_HTTP_VOD_THREAD_TIMEOUT  60000


ngx_int_t
ngx_http_vod_thread_post(ngx_http_request_t *r, ngx_http_vod_work_pt work,
    void *data, ngx_http_vod_resume_pt resume)
{
    return ngx_http_vod_thread_run(r, work, NULL, data, resume);
}


ngx_int_t
ngx_http_vod_thread_run(ngx_http_request_t *r, ngx_http_vod_work_pt work,
    ngx_http_vod_done_pt done, void *data, ngx_http_vod_resume_pt resume)
{
    ngx_thread_pool_t    *tp;
    ngx_thread_task_t    *task;
    ngx_http_vod_work_t  *w;

    if (r->aio) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "vod thread task while another one is running");
        return NGX_ERROR;
    }

    w = ngx_http_vod_thread_work(r);
    if (w == NULL) {
        return NGX_ERROR;
    }

    tp = ngx_http_vod_thread_pool(r);
    if (tp == NULL) {
        return NGX_ERROR;
    }

    w->work = work;
    w->done = done;
    w->resume = resume;
    w->data = data;
    w->posted = ngx_http_vod_thread_clock();

    task = w->task;

    task->ctx = w;
    task->handler = ngx_http_vod_thread_handler;
    task->event.data = w;
    task->event.handler = ngx_http_vod_thread_event_handler;
    task->event.log = r->connection->log;

    if (ngx_thread_task_post(tp, task) != NGX_OK) {
        return NGX_BUSY;
    }

    ngx_add_timer(&task->event, NGX_HTTP_VOD_THREAD_TIMEOUT);

    r->main->blocked++;
    r->main->count++;
    r->aio = 1;

    r->write_event_handler = ngx_http_vod_thread_wake;
    ngx_http_vod_watch_client(r);

    return NGX_OK;
}


/* one for all tasks of a request, which follow each other */

static ngx_http_vod_work_t *
ngx_http_vod_thread_work(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t   *ctx;
    ngx_http_vod_work_t  *w;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->work) {
        return ctx->work;
    }

    w = ngx_palloc(r->pool, sizeof(ngx_http_vod_work_t));
    if (w == NULL) {
        return NULL;
    }

    w->request = r;

    w->task = ngx_thread_task_alloc(r->pool, 0);
    if (w->task == NULL) {
        return NULL;
    }

    ctx->work = w;

    return w;
}


static ngx_thread_pool_t *
ngx_http_vod_thread_pool(ngx_http_request_t *r)
{
    ngx_str_t                  name;
    ngx_thread_pool_t         *tp;
    ngx_http_vod_loc_conf_t   *vlcf;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->aio != NGX_HTTP_AIO_THREADS) {
        vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);
        return vlcf->thread_pool;
    }

    if (clcf->thread_pool) {
        return clcf->thread_pool;
    }

    if (ngx_http_complex_value(r, clcf->thread_pool_value, &name) != NGX_OK) {
        return NULL;
    }

    tp = ngx_thread_pool_get((ngx_cycle_t *) ngx_cycle, &name);

    if (tp == NULL) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "thread pool \"%V\" not found", &name);
    }

    return tp;
}


/* in a thread */

static void
ngx_http_vod_thread_handler(void *data, ngx_log_t *log)
{
    ngx_http_vod_work_t *w = data;

    w->begun = ngx_http_vod_thread_clock();

    w->work(w->data);

    w->ended = ngx_http_vod_thread_clock();
}


/* finer than nginx's time, which stands still in a thread: no system call */

static uint64_t
ngx_http_vod_thread_clock(void)
{
    struct timespec  ts;

    if (clock_gettime(CLOCK_MONOTONIC, &ts) == -1) {
        return 0;
    }

    return (uint64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}


uint64_t
ngx_http_vod_thread_spent(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    return ctx->work->ended - ctx->work->begun;
}


/* in the event loop again */

static void
ngx_http_vod_thread_event_handler(ngx_event_t *ev)
{
    ngx_connection_t     *c;
    ngx_http_request_t   *r;
    ngx_http_vod_work_t  *w;

    w = ev->data;
    r = w->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (ev->timedout) {
        /* still running: it comes back, or nothing can be done about it */
        ngx_log_error(NGX_LOG_ALERT, c->log, 0,
                      "vod thread task takes too long");
        ev->timedout = 0;
        return;
    }

    if (ev->timer_set) {
        ngx_del_timer(ev);
    }

    ngx_http_vod_metrics_wait(w->begun - w->posted);

    r->main->blocked--;
    r->aio = 0;

    if (w->done) {
        w->done(r, w->data);
    }

#if (nginx_version >= 1025004)

    if (r->main->terminated) {
        c->write->handler(c->write);
        return;
    }

#endif

    r->write_event_handler(r);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_vod_thread_wake(ngx_http_request_t *r)
{
    ngx_http_vod_ctx_t  *ctx;

    if (r->aio) {
        /* the socket became writable, which is of no interest now */
        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;
    ngx_http_vod_unwatch_client(r);

    if (r->connection->error) {
        ngx_http_finalize_request(r, NGX_ERROR);
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ctx->work->resume(r);
}


void
ngx_http_vod_watch_client(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    if (r->discard_body) {
        /* the rest of its body is being read */
        return;
    }

    r->read_event_handler = ngx_http_test_reading;

    rev = r->connection->read;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);

    } else {
        /* what fails here shows up when the answer is sent */
        (void) ngx_handle_read_event(rev, 0);
    }
}


void
ngx_http_vod_unwatch_client(ngx_http_request_t *r)
{
    if (!r->discard_body) {
        r->read_event_handler = ngx_http_block_reading;
    }
}
