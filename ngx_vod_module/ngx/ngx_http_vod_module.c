/*
 * Table of contents: directives, contexts, the module; configuration made,
 * merged, checked.  A request begins in ngx_http_vod_handler.c.
 */

#include "ngx_http_vod_module.h"
#include "ngx_http_vod_args.h"
#include "ngx_http_vod_demux.h"
#include "ngx_http_vod_gzip.h"
#include "ngx_http_vod_map.h"
#include "ngx_http_vod_metrics.h"
#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_zone.h"


#define NGX_HTTP_VOD_ZONE_SIZE       (64 * 1024 * 1024)

/* pages of the smallest zone: 128k; half of them are for the first index */
#define NGX_HTTP_VOD_ZONE_PAGES      32

#define NGX_HTTP_VOD_SEGMENT_MEMORY  (256 * 1024 * 1024)
#define NGX_HTTP_VOD_MAX_INDEX_SIZE  (128 * 1024 * 1024)
#define NGX_HTTP_VOD_MAX_SAMPLES     16777216
#define NGX_HTTP_VOD_MAX_TRACKS      64
#define NGX_HTTP_VOD_MAX_SEGMENTS    65536
#define NGX_HTTP_VOD_MAX_BUILDS      16
#define NGX_HTTP_VOD_MAX_WAITING     4096
#define NGX_HTTP_VOD_INDEX_TIMEOUT   30000
#define NGX_HTTP_VOD_QUARANTINE      300000
#define NGX_HTTP_VOD_MAX_MEMBERS     1024


static ngx_int_t ngx_http_vod_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_vod_init_process(ngx_cycle_t *cycle);
static void ngx_http_vod_exit_process(ngx_cycle_t *cycle);
static void *ngx_http_vod_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_vod_init_main_conf(ngx_conf_t *cf, void *conf);
static void *ngx_http_vod_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_vod_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_vod(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_vod_status(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_uint_t ngx_http_vod_limits(ngx_http_vod_main_conf_t *vmcf);
static char *ngx_http_vod_check_zone(ngx_conf_t *cf, void *post, void *data);
static char *ngx_http_vod_check_size(ngx_conf_t *cf, void *post, void *data);
static char *ngx_http_vod_check_timeout(ngx_conf_t *cf, void *post,
    void *data);
static char *ngx_http_vod_check_duration(ngx_conf_t *cf, void *post,
    void *data);


static ngx_conf_post_t  ngx_http_vod_zone_post = { ngx_http_vod_check_zone };

static ngx_conf_post_t  ngx_http_vod_duration_post =
    { ngx_http_vod_check_duration };

static ngx_conf_post_t  ngx_http_vod_size_post = { ngx_http_vod_check_size };

static ngx_conf_post_t  ngx_http_vod_timeout_post =
    { ngx_http_vod_check_timeout };

static ngx_conf_num_bounds_t  ngx_http_vod_samples_bounds =
    { ngx_conf_check_num_bounds, 1, 2147483647 };

static ngx_conf_num_bounds_t  ngx_http_vod_tracks_bounds =
    { ngx_conf_check_num_bounds, 1, 256 };

static ngx_conf_num_bounds_t  ngx_http_vod_segments_bounds =
    { ngx_conf_check_num_bounds, 1, VOD_TIMELINE_CELLS };

static ngx_conf_num_bounds_t  ngx_http_vod_builds_bounds =
    { ngx_conf_check_num_bounds, 1, 65536 };

static ngx_conf_num_bounds_t  ngx_http_vod_waiting_bounds =
    { ngx_conf_check_num_bounds, 0, 1048576 };

static ngx_conf_num_bounds_t  ngx_http_vod_members_bounds =
    { ngx_conf_check_num_bounds, 1, 65536 };


static ngx_command_t  ngx_http_vod_commands[] = {

    { ngx_string("vod"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_http_vod,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, enable),
      NULL },

    { ngx_string("vod_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, zone_size),
      &ngx_http_vod_zone_post },

    { ngx_string("vod_segment_memory"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, segment_memory),
      NULL },

    { ngx_string("vod_max_index_size"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_index_size),
      &ngx_http_vod_size_post },

    { ngx_string("vod_max_samples"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_samples),
      &ngx_http_vod_samples_bounds },

    { ngx_string("vod_max_tracks"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_tracks),
      &ngx_http_vod_tracks_bounds },

    { ngx_string("vod_max_segments"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_segments),
      &ngx_http_vod_segments_bounds },

    { ngx_string("vod_max_builds"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_builds),
      &ngx_http_vod_builds_bounds },

    { ngx_string("vod_max_waiting"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, max_waiting),
      &ngx_http_vod_waiting_bounds },

    { ngx_string("vod_index_timeout"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_vod_main_conf_t, index_timeout),
      &ngx_http_vod_timeout_post },

    { ngx_string("vod_segment_duration"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, segment_duration),
      &ngx_http_vod_duration_post },

    { ngx_string("vod_max_members"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, max_members),
      &ngx_http_vod_members_bounds },

    { ngx_string("vod_mmap"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, mmap),
      NULL },

    { ngx_string("vod_quarantine"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, quarantine),
      NULL },

    { ngx_string("vod_forward_args"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_vod_forward_args,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("vod_base_url"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_vod_base_url,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_vod_loc_conf_t, base_url),
      NULL },

    { ngx_string("vod_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_vod_status,
      0,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_vod_module_ctx = {
    ngx_http_vod_add_variables,         /* preconfiguration */
    ngx_http_vod_init,                  /* postconfiguration */

    ngx_http_vod_create_main_conf,      /* create main configuration */
    ngx_http_vod_init_main_conf,        /* init main configuration */

    NULL,                               /* create server configuration */
    NULL,                               /* merge server configuration */

    ngx_http_vod_create_loc_conf,       /* create location configuration */
    ngx_http_vod_merge_loc_conf         /* merge location configuration */
};


ngx_module_t  ngx_http_vod_module = {
    NGX_MODULE_V1,
    &ngx_http_vod_module_ctx,           /* module context */
    ngx_http_vod_commands,              /* module directives */
    NGX_HTTP_MODULE,                    /* module type */
    NULL,                               /* init master */
    NULL,                               /* init module */
    ngx_http_vod_init_process,          /* init process */
    NULL,                               /* init thread */
    NULL,                               /* exit thread */
    ngx_http_vod_exit_process,          /* exit process */
    NULL,                               /* exit master */
    NGX_MODULE_V1_PADDING
};


/* the zone, where somebody uses it */

static ngx_int_t
ngx_http_vod_init(ngx_conf_t *cf)
{
    ngx_str_t                  name = ngx_string("vod");
    ngx_shm_zone_t            *shm_zone;
    ngx_http_vod_zone_t       *zone;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_vod_module);

    if (!vmcf->used) {
        return NGX_OK;
    }

    zone = ngx_pcalloc(cf->pool, sizeof(ngx_http_vod_zone_t));
    if (zone == NULL) {
        return NGX_ERROR;
    }

    ngx_queue_init(&zone->waits);

    zone->limits = ngx_http_vod_limits(vmcf);
    zone->index_timeout = vmcf->index_timeout;
    zone->quarantine = vmcf->quarantine;

    shm_zone = ngx_shared_memory_add(cf, &name, vmcf->zone_size,
                                     &ngx_http_vod_module);
    if (shm_zone == NULL) {
        return NGX_ERROR;
    }

    shm_zone->init = ngx_http_vod_zone_init;
    shm_zone->data = zone;

    vmcf->zone = zone;

    ngx_http_vod_gzip_init();

    return ngx_http_vod_metrics_add(cf, vmcf);
}


static ngx_int_t
ngx_http_vod_init_process(ngx_cycle_t *cycle)
{
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_vod_module);

    if (vmcf && vmcf->zone) {
        ngx_http_vod_zone_init_process(vmcf->zone);
        ngx_http_vod_metrics_init_process(vmcf);
        ngx_http_vod_demux_init_process();
        vod_av_init();

        /* it knows faults that are none, and is asked first */

        if (ngx_http_vod_quarantine_init_process(vmcf->zone, cycle->log)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_vod_map_init_process(cycle);
    }

    return NGX_OK;
}


static void
ngx_http_vod_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_vod_quarantine_exit_process();
    ngx_http_vod_map_exit_process(cycle);
}


static void *
ngx_http_vod_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_vod_main_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_vod_main_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->zone = NULL;
     *     conf->quarantine = 0;
     *     conf->limits = { 0 };
     *     conf->metrics = NULL;
     *     conf->used = 0;
     */

    conf->zone_size = NGX_CONF_UNSET_SIZE;
    conf->segment_memory = NGX_CONF_UNSET_SIZE;
    conf->max_index_size = NGX_CONF_UNSET_SIZE;
    conf->max_samples = NGX_CONF_UNSET;
    conf->max_tracks = NGX_CONF_UNSET;
    conf->max_segments = NGX_CONF_UNSET;
    conf->max_builds = NGX_CONF_UNSET;
    conf->max_waiting = NGX_CONF_UNSET;
    conf->index_timeout = NGX_CONF_UNSET_MSEC;

    return conf;
}


static char *
ngx_http_vod_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_vod_main_conf_t *vmcf = conf;

    ngx_conf_init_size_value(vmcf->zone_size, NGX_HTTP_VOD_ZONE_SIZE);
    ngx_conf_init_size_value(vmcf->segment_memory,
                             NGX_HTTP_VOD_SEGMENT_MEMORY);
    ngx_conf_init_size_value(vmcf->max_index_size,
                             NGX_HTTP_VOD_MAX_INDEX_SIZE);
    ngx_conf_init_value(vmcf->max_samples, NGX_HTTP_VOD_MAX_SAMPLES);
    ngx_conf_init_value(vmcf->max_tracks, NGX_HTTP_VOD_MAX_TRACKS);
    ngx_conf_init_value(vmcf->max_segments, NGX_HTTP_VOD_MAX_SEGMENTS);
    ngx_conf_init_value(vmcf->max_builds, NGX_HTTP_VOD_MAX_BUILDS);
    ngx_conf_init_value(vmcf->max_waiting, NGX_HTTP_VOD_MAX_WAITING);
    ngx_conf_init_msec_value(vmcf->index_timeout, NGX_HTTP_VOD_INDEX_TIMEOUT);

    vmcf->limits.max_moov = vmcf->max_index_size;
    vmcf->limits.max_samples = vmcf->max_samples;
    vmcf->limits.max_tracks = vmcf->max_tracks;
    vmcf->limits.timeout = vmcf->index_timeout;

    return NGX_CONF_OK;
}


/*
 * What a file is refused for: a refusal is not remembered where other limits
 * are set, as by a reload.
 */

static ngx_uint_t
ngx_http_vod_limits(ngx_http_vod_main_conf_t *vmcf)
{
    uint64_t  limits[4];

    limits[0] = vmcf->max_index_size;
    limits[1] = vmcf->max_samples;
    limits[2] = vmcf->max_tracks;
    limits[3] = vmcf->max_segments;

    return ngx_murmur_hash2((u_char *) limits, sizeof(limits));
}


static void *
ngx_http_vod_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_vod_loc_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_vod_loc_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->thread_pool = NULL;
     *     conf->forward_args = NULL;
     *     conf->base_url = NULL;
     */

    conf->enable = NGX_CONF_UNSET;
    conf->segment_duration = NGX_CONF_UNSET_MSEC;
    conf->max_members = NGX_CONF_UNSET;
    conf->mmap = NGX_CONF_UNSET;
    conf->quarantine = NGX_CONF_UNSET_MSEC;
    conf->forward = NGX_CONF_UNSET_UINT;

    return conf;
}


static char *
ngx_http_vod_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_vod_loc_conf_t *prev = parent;
    ngx_http_vod_loc_conf_t *conf = child;

    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_vod_main_conf_t  *vmcf;

    ngx_conf_merge_value(conf->enable, prev->enable, 0);
    ngx_conf_merge_msec_value(conf->segment_duration, prev->segment_duration,
                              6000);
    ngx_conf_merge_value(conf->max_members, prev->max_members,
                         NGX_HTTP_VOD_MAX_MEMBERS);
    ngx_conf_merge_value(conf->mmap, prev->mmap, 1);
    ngx_conf_merge_msec_value(conf->quarantine, prev->quarantine,
                              NGX_HTTP_VOD_QUARANTINE);

    if (conf->forward == NGX_CONF_UNSET_UINT) {
        conf->forward_args = prev->forward_args;
    }

    ngx_conf_merge_uint_value(conf->forward, prev->forward,
                              NGX_HTTP_VOD_FORWARD_OFF);

    if (conf->base_url == NULL) {
        conf->base_url = prev->base_url;
    }

    if (!conf->enable) {
        return NGX_CONF_OK;
    }

    /* a location within ours is ours, unless it has a handler of its own */

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->handler == NULL) {
        clcf->handler = ngx_http_vod_handler;
    }

    /* where "aio threads" names a pool, no other is started for us */

    if (clcf->aio != NGX_HTTP_AIO_THREADS) {

        conf->thread_pool = ngx_thread_pool_add(cf, NULL);
        if (conf->thread_pool == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    vmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_vod_module);
    vmcf->used = 1;
    vmcf->quarantine = ngx_max(vmcf->quarantine, conf->quarantine);

    return NGX_CONF_OK;
}


static char *
ngx_http_vod(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_vod_loc_conf_t *vlcf = conf;

    char                      *rv;
    ngx_http_core_loc_conf_t  *clcf;

    rv = ngx_conf_set_flag_slot(cf, cmd, conf);

    if (rv == NGX_CONF_OK && vlcf->enable) {
        clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

        if (clcf->handler == ngx_http_vod_status_handler) {
            return "is incompatible with \"vod_status\"";
        }

        clcf->handler = ngx_http_vod_handler;
    }

    return rv;
}


static char *
ngx_http_vod_status(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_core_loc_conf_t  *clcf;
    ngx_http_vod_loc_conf_t   *vlcf;
    ngx_http_vod_main_conf_t  *vmcf;

    vlcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_vod_module);

    if (vlcf->enable == 1) {
        return "is incompatible with \"vod on\"";
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_vod_status_handler;

    vmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_vod_module);
    vmcf->used = 1;

    return NGX_CONF_OK;
}


static char *
ngx_http_vod_check_zone(ngx_conf_t *cf, void *post, void *data)
{
    size_t *sp = data;

    size_t  least;

    least = NGX_HTTP_VOD_ZONE_PAGES * ngx_pagesize;

    if (*sp < least) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"vod_zone\" of %uz bytes is too small, "
                           "it must be %uzk at least", *sp, least / 1024);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_vod_check_size(ngx_conf_t *cf, void *post, void *data)
{
    size_t *sp = data;

    if (*sp == 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"vod_max_index_size\" must not be 0");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_vod_check_timeout(ngx_conf_t *cf, void *post, void *data)
{
    ngx_msec_t *msp = data;

    if (*msp < 1000 || *msp > 600000) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"vod_index_timeout\" must be "
                           "between 1s and 10m");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_vod_check_duration(ngx_conf_t *cf, void *post, void *data)
{
    ngx_msec_t *msp = data;

    if (*msp < 1000 || *msp > 60000) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"vod_segment_duration\" must be "
                           "between 1s and 60s");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}
