/*
 * A module for nginx that measures from the inside of a worker what cannot be
 * seen from outside.  Built and loaded by the benchmarks alone.
 *
 *   vod_bench_timer FILE;
 *
 *       A timer of 1 ms in each worker: how much later than asked for its
 *       handler runs, as a histogram in FILE.<number of the worker>.
 *
 *   vod_bench_zone FILE SIZE [MS];
 *
 *       The module's shared zone on its own, in one worker: operations of put,
 *       get hit, get miss and get range, in Go's benchmark text format, into
 *       FILE.  Without MS, counts (count.c is then to be preloaded); with it,
 *       times of benches of that length.
 */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <dlfcn.h>
#include <sys/mman.h>

#include "ngx_http_vod_zone.h"

#include "../count.h"


/* eight buckets for each power of two of nanoseconds */
#define BENCH_BUCKETS  512

#define BENCH_LARGE    (1024 * 1024)    /* as a long file's index */
#define BENCH_SMALL    2500             /* as the rows of a segment */
#define BENCH_FILES    64


typedef struct {
    uint64_t                    n;
    uint64_t                    max;    /* ns */
    uint64_t                    bucket[BENCH_BUCKETS];
} bench_histogram_t;


typedef struct {
    ngx_str_t                   timer;
    ngx_str_t                   zone_file;
    ngx_msec_t                  zone_ms;
    ngx_http_vod_zone_t        *zone;
} bench_conf_t;


typedef struct {
    ngx_http_vod_zone_t        *zone;
    u_char                     *data;
    ngx_uint_t                  i;
} bench_zone_t;


typedef struct {
    const char                 *name;
    void                      (*run)(bench_zone_t *bz);
} bench_case_t;


static void *bench_create_conf(ngx_conf_t *cf);
static char *bench_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static ngx_int_t bench_init_process(ngx_cycle_t *cycle);
static ngx_int_t bench_timer_start(ngx_cycle_t *cycle, ngx_str_t *file);
static void bench_timer_handler(ngx_event_t *ev);
static void bench_zone_run(bench_conf_t *conf);
static void bench_zone_case(FILE *out, const bench_case_t *c,
    bench_zone_t *bz, ngx_msec_t ms);
static void bench_key(ngx_http_vod_key_t *key, ngx_uint_t n, ngx_uint_t type);
static void bench_put(bench_zone_t *bz);
static void bench_put_text(bench_zone_t *bz);
static void bench_get_hit(bench_zone_t *bz);
static void bench_get_miss(bench_zone_t *bz);
static void bench_get_range(bench_zone_t *bz);
static void bench_find(bench_zone_t *bz);


static const bench_case_t  bench_cases[] = {
    { "ZonePut1MiB", bench_put },
    { "ZonePutText", bench_put_text },
    { "ZoneFind", bench_find },
    { "ZoneGetHitText", bench_get_hit },
    { "ZoneGetMiss", bench_get_miss },
    { "ZoneGetRange", bench_get_range },
    { NULL, NULL }
};


static ngx_command_t  bench_commands[] = {

    { ngx_string("vod_bench_timer"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_str_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(bench_conf_t, timer),
      NULL },

    { ngx_string("vod_bench_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE23,
      bench_zone,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t  bench_ctx = {
    NULL,                          /* preconfiguration */
    NULL,                          /* postconfiguration */
    bench_create_conf,             /* create main configuration */
    NULL,                          /* init main configuration */
    NULL,                          /* create server configuration */
    NULL,                          /* merge server configuration */
    NULL,                          /* create location configuration */
    NULL                           /* merge location configuration */
};


ngx_module_t  ngx_http_vod_bench_module = {
    NGX_MODULE_V1,
    &bench_ctx,
    bench_commands,
    NGX_HTTP_MODULE,
    NULL,                          /* init master */
    NULL,                          /* init module */
    bench_init_process,            /* init process */
    NULL,                          /* init thread */
    NULL,                          /* exit thread */
    NULL,                          /* exit process */
    NULL,                          /* exit master */
    NGX_MODULE_V1_PADDING
};


/* what nginx looks for in a dynamic module */

ngx_module_t  *ngx_modules[] = { &ngx_http_vod_bench_module, NULL };
char          *ngx_module_names[] = { "ngx_http_vod_bench_module", NULL };
char          *ngx_module_order[] = { NULL };


/* the zone's own files are linked in; they know the module by this name, and
   refuse a request by this function: there is none here */
ngx_module_t  ngx_http_vod_module;

ngx_int_t
ngx_http_vod_fail(ngx_http_request_t *r, int code, const char *text)
{
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static bench_histogram_t  *bench_histogram;
static ngx_event_t         bench_event;
static ngx_connection_t    bench_dummy;
static uint64_t            bench_due;


static uint64_t
bench_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


static void *
bench_create_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(bench_conf_t));
}


static char *
bench_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    bench_conf_t *bcf = conf;

    ssize_t          size;
    ngx_str_t       *value;
    ngx_shm_zone_t  *shm_zone;

    static ngx_str_t  name = ngx_string("vod_bench");

    value = cf->args->elts;

    size = ngx_parse_size(&value[2]);
    bcf->zone_file = value[1];
    bcf->zone_ms = (cf->args->nelts > 3)
                   ? (ngx_msec_t) ngx_atoi(value[3].data, value[3].len) : 0;

    bcf->zone = ngx_pcalloc(cf->pool, sizeof(ngx_http_vod_zone_t));
    if (size == NGX_ERROR || bcf->zone == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_queue_init(&bcf->zone->waits);

    shm_zone = ngx_shared_memory_add(cf, &name, size,
                                     &ngx_http_vod_bench_module);
    if (shm_zone == NULL) {
        return NGX_CONF_ERROR;
    }

    shm_zone->init = ngx_http_vod_zone_init;
    shm_zone->data = bcf->zone;

    return NGX_CONF_OK;
}


static ngx_int_t
bench_init_process(ngx_cycle_t *cycle)
{
    bench_conf_t  *conf;

    conf = ngx_http_cycle_get_module_main_conf(cycle,
                                               ngx_http_vod_bench_module);
    if (conf == NULL) {
        return NGX_OK;
    }

    if (conf->zone && ngx_worker == 0) {
        bench_zone_run(conf);
    }

    return conf->timer.len ? bench_timer_start(cycle, &conf->timer) : NGX_OK;
}


static ngx_int_t
bench_timer_start(ngx_cycle_t *cycle, ngx_str_t *file)
{
    void      *p;
    u_char     name[NGX_MAX_PATH];
    ngx_fd_t   fd;

    *ngx_snprintf(name, NGX_MAX_PATH - 1, "%V.%ui", file, ngx_worker) = '\0';

    fd = open((char *) name, O_RDWR|O_CREAT, 0600);

    if (fd == -1 || ftruncate(fd, sizeof(bench_histogram_t)) == -1) {
        return NGX_ERROR;
    }

    p = mmap(NULL, sizeof(bench_histogram_t), PROT_READ|PROT_WRITE,
             MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        return NGX_ERROR;
    }

    (void) ngx_close_file(fd);

    bench_histogram = p;
    bench_dummy.fd = (ngx_socket_t) -1;
    bench_event.handler = bench_timer_handler;
    bench_event.data = &bench_dummy;
    bench_event.log = cycle->log;
    bench_event.cancelable = 1;

    bench_due = bench_now() + 1000000;
    ngx_add_timer(&bench_event, 1);

    return NGX_OK;
}


static void
bench_timer_handler(ngx_event_t *ev)
{
    uint64_t    now, late;
    ngx_uint_t  b, shift;

    now = bench_now();
    late = (now > bench_due) ? now - bench_due : 0;

    for (shift = 0; (late >> shift) >= 16; shift++) { /* void */ }
    b = shift * 8 + (ngx_uint_t) (late >> shift);

    bench_histogram->bucket[ngx_min(b, BENCH_BUCKETS - 1)]++;
    bench_histogram->n++;
    bench_histogram->max = ngx_max(bench_histogram->max, late);

    bench_due = bench_now() + 1000000;
    ngx_add_timer(ev, 1);
}


static void
bench_zone_run(bench_conf_t *conf)
{
    FILE                *out;
    ngx_uint_t           n;
    bench_zone_t         bz;
    ngx_http_vod_key_t   key;
    ngx_http_vod_meta_t  meta;
    const bench_case_t  *c;

    bz.zone = conf->zone;
    bz.i = 0;
    bz.data = calloc(1, BENCH_LARGE);
    out = fopen((char *) conf->zone_file.data, "w");

    if (out == NULL || bz.data == NULL) {
        return;
    }

    /* what is there to be found */

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    for (n = 0; n < BENCH_FILES; n++) {
        bench_key(&key, n, NGX_HTTP_VOD_TEXT);
        meta.len = BENCH_SMALL;
        (void) ngx_http_vod_zone_put(bz.zone, &key, &meta, bz.data);
    }

    bench_key(&key, 0, NGX_HTTP_VOD_INDEX);
    meta.len = BENCH_LARGE;
    (void) ngx_http_vod_zone_put(bz.zone, &key, &meta, bz.data);

    for (c = bench_cases; c->name; c++) {
        bench_zone_case(out, c, &bz, conf->zone_ms);
    }

    fprintf(out, "done\n");
    (void) fclose(out);
    free(bz.data);
}


static void
bench_zone_case(FILE *out, const bench_case_t *c, bench_zone_t *bz,
    ngx_msec_t ms)
{
    count_t    before, **counts;
    uint64_t   start, n, passed;

    c->run(bz);

    if (ms) {
        start = bench_now();

        for (n = 0, passed = 0; passed < ms * 1000000; n++) {
            c->run(bz);
            passed = bench_now() - start;
        }

        fprintf(out, "Benchmark%s-1 \t%8lu\t%12.1f ns/op\n", c->name,
                (unsigned long) n, (double) passed / (double) n);
        return;
    }

    counts = dlsym(RTLD_DEFAULT, "vod_counts");
    if (counts == NULL) {
        return;
    }

    before = **counts;

    for (n = 0; n < 20; n++) {
        c->run(bz);
    }

#define per_op(field)                                                         \
    ((double) ((*counts)->field - before.field) / (double) n)

    fprintf(out, "Benchmark%s-1 \t%8lu\t%12.1f B/op\t%8.2f allocs/op"
                 "\t%12.1f copied-B/op\t%8.2f copies/op\t%8.2f syscalls/op\n",
            c->name, (unsigned long) n, per_op(alloc_bytes), per_op(allocs),
            per_op(copied), per_op(copies), per_op(syscalls));
}


static void
bench_key(ngx_http_vod_key_t *key, ngx_uint_t n, ngx_uint_t type)
{
    ngx_http_vod_file_id_t  id;

    ngx_memzero(&id, sizeof(ngx_http_vod_file_id_t));
    id.ino = n;

    ngx_http_vod_zone_key(key, &id, type, 0);
}


/* a new object each time, at the cost of an old one */

static void
bench_put_new(bench_zone_t *bz, ngx_uint_t type, size_t len)
{
    ngx_http_vod_key_t   key;
    ngx_http_vod_meta_t  meta;

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));
    meta.len = len;

    bench_key(&key, 1000 + bz->i++, type);
    (void) ngx_http_vod_zone_put(bz->zone, &key, &meta, bz->data);

    /* what the others look for stays the most recently used */

    bench_key(&key, 0, NGX_HTTP_VOD_INDEX);
    (void) ngx_http_vod_zone_find(bz->zone, &key, &meta);
    bench_key(&key, 1, NGX_HTTP_VOD_TEXT);
    (void) ngx_http_vod_zone_find(bz->zone, &key, &meta);
}


static void
bench_put(bench_zone_t *bz)
{
    bench_put_new(bz, NGX_HTTP_VOD_INDEX, BENCH_LARGE);
}


static void
bench_put_text(bench_zone_t *bz)
{
    bench_put_new(bz, NGX_HTTP_VOD_TEXT, BENCH_SMALL);
}


static void
bench_get(bench_zone_t *bz, ngx_uint_t file, ngx_uint_t type, uint64_t offset,
    ngx_int_t want)
{
    ngx_http_vod_key_t  key;

    bench_key(&key, file, type);

    if (ngx_http_vod_zone_get(bz->zone, &key, offset, bz->data, BENCH_SMALL)
        != want)
    {
        ngx_log_error(NGX_LOG_EMERG, ngx_cycle->log, 0,
                      "vod bench: the zone does not hold what it should");
        exit(1);
    }
}


static void
bench_get_hit(bench_zone_t *bz)
{
    bench_get(bz, 1, NGX_HTTP_VOD_TEXT, 0, NGX_OK);
}


static void
bench_get_miss(bench_zone_t *bz)
{
    bench_get(bz, 999, NGX_HTTP_VOD_TEXT, 0, NGX_DECLINED);
}


/* rows anywhere in a large object */

static void
bench_get_range(bench_zone_t *bz)
{
    bench_get(bz, 0, NGX_HTTP_VOD_INDEX,
              (uint64_t) (bz->i++ * 7919) % (BENCH_LARGE - BENCH_SMALL),
              NGX_OK);
}


static void
bench_find(bench_zone_t *bz)
{
    ngx_http_vod_key_t   key;
    ngx_http_vod_meta_t  meta;

    bench_key(&key, 1, NGX_HTTP_VOD_TEXT);
    (void) ngx_http_vod_zone_find(bz->zone, &key, &meta);
}
