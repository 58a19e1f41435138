/*
 * Segments whose payload does not lie in the file as it is sent.  A thread
 * task has it made (vod_av_segment()); header and payload are sent from
 * memory.
 *
 * A worker makes a segment once for all requests that want it at a time, and
 * keeps the last ones for those to come.  What is being sent and what is kept
 * is bounded together, by vod_segment_memory.
 */

#ifndef _NGX_HTTP_VOD_DEMUX_H_INCLUDED_
#define _NGX_HTTP_VOD_DEMUX_H_INCLUDED_

#include "ngx_http_vod_module.h"

#include "../core/vod_index.h"
#include "../core/vod_timeline.h"


/* all that is read for a segment but its rows */
typedef struct {
    vod_index_t             index;
    vod_timeline_t          timeline;
    vod_timeline_track_t    cut;        /* the track in the timeline */
    vod_track_t             track;
    vod_cell_t              cells[2];   /* the segment's, and the next */
    uint64_t                etag;
} ngx_http_vod_segment_t;


/*
 * A segment that is there already, or being made.  NGX_OK: answer is filled
 * in, it lives as long as the request; NGX_DONE: the request is resumed when
 * it is made; NGX_DECLINED: this request has to make it; else the status.
 */
ngx_int_t ngx_http_vod_demux_find(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, ngx_http_vod_answer_t *answer);

/*
 * Makes it: rows (n of them) are those between the cells, decoded.  All that
 * is needed is copied.  NGX_DONE: the request is resumed, with ctx->demux set;
 * NGX_DECLINED: the index has gone; else the status.
 */
ngx_int_t ngx_http_vod_demux(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, vod_sample_t *rows, ngx_uint_t n);

/* to be called as the module's init_process does */
void ngx_http_vod_demux_init_process(void);

/* for a request that has been resumed */
void ngx_http_vod_demux_answer(ngx_http_vod_demux_t *demux,
    ngx_http_vod_answer_t *answer);


#endif /* _NGX_HTTP_VOD_DEMUX_H_INCLUDED_ */
