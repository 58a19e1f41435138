/*
 * What is to be sent.  A segment is computed from its own cells and rows; for
 * the rest (playlists, MPD, headers) see ngx_http_vod_text.c.
 */

#include "ngx_http_vod_demux.h"
#include "ngx_http_vod_text.h"

#include "../core/vod_box.h"
#include "../core/vod_index.h"
#include "../core/vod_timeline.h"


/* a segment of subtitles that is no longer than this is kept in the zone */
#define NGX_HTTP_VOD_SUBTITLES  65536


static ngx_int_t ngx_http_vod_answer_segment(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_answer_rows(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, ngx_http_vod_answer_t *answer);
static void ngx_http_vod_keep_subtitles(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer);
static ngx_int_t ngx_http_vod_find_segment(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment);
static ngx_int_t ngx_http_vod_find_track(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment);
static ngx_int_t ngx_http_vod_plan_segment(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, vod_sample_t *samples,
    ngx_http_vod_answer_t *answer);
static void ngx_http_vod_set_type(ngx_http_vod_answer_t *answer,
    vod_uri_t *uri);


ngx_int_t
ngx_http_vod_answer(ngx_http_request_t *r, ngx_http_vod_answer_t *answer)
{
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    ngx_http_vod_set_type(answer, &ctx->uri);

    if (ctx->uri.segment) {
        return ngx_http_vod_answer_segment(r, answer);
    }

    return ngx_http_vod_answer_text(r, answer);
}


static ngx_int_t
ngx_http_vod_answer_segment(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer)
{
    ngx_int_t                rc;
    ngx_http_vod_ctx_t      *ctx;
    ngx_http_vod_key_t       key;
    ngx_http_vod_segment_t   segment;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    if (ctx->demux) {
        ngx_http_vod_demux_answer(ctx->demux, answer);

        if (ctx->uri.kind == VOD_TEXT) {
            ngx_http_vod_keep_subtitles(r, answer);
        }

        return NGX_OK;
    }

    if (ctx->uri.kind == VOD_TEXT && ctx->build == NULL) {
        ngx_http_vod_text_key(r, &key);

        rc = ngx_http_vod_copy_text(r, &key, answer);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    rc = ngx_http_vod_find_segment(r, &segment);
    if (rc != NGX_OK) {
        return rc;
    }

    if (segment.track.flags & VOD_TRACK_DEMUX) {
        rc = ngx_http_vod_demux_find(r, &segment, answer);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    return ngx_http_vod_answer_rows(r, &segment, answer);
}


static ngx_int_t
ngx_http_vod_answer_rows(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, ngx_http_vod_answer_t *answer)
{
    int           code;
    u_char       *rows;
    uint32_t      n;
    uint64_t      len;
    ngx_int_t     rc;
    vod_err_t     err;
    vod_cell_t   *cells;
    vod_track_t  *track;
    vod_sample_t *samples;

    track = &segment->track;
    cells = segment->cells;

    len = vod_segment_bytes(track, &cells[0], &cells[1]);
    n = vod_segment_most(track, &cells[0], &cells[1]);

    /* one piece for samples and rows, given back when the runs are known */

    samples = ngx_http_vod_scratch(r, n * sizeof(vod_sample_t) + len);
    if (samples == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rows = (u_char *) &samples[n];

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX,
                           track->rows_off + cells[0].cursor.row, rows, len);

    if (rc == NGX_OK) {
        code = vod_segment_rows(track, &cells[0], &cells[1], rows, len,
                                samples, &n, &err);

        if (code != VOD_OK) {
            rc = ngx_http_vod_fail(r, VOD_INTERNAL, err.text);

        } else if (track->flags & VOD_TRACK_DEMUX) {
            rc = ngx_http_vod_demux(r, segment, samples, n);

        } else {
            rc = ngx_http_vod_plan_segment(r, segment, samples, answer);
        }
    }

    ngx_http_vod_scratch_free(r, samples);

    return rc;
}


/* what has been made of a long file for one is there for all workers */

static void
ngx_http_vod_keep_subtitles(ngx_http_request_t *r,
    ngx_http_vod_answer_t *answer)
{
    u_char                    *p;
    vod_timeline_t             timeline;
    ngx_http_vod_key_t         key;
    ngx_http_vod_meta_t        meta;
    ngx_http_vod_main_conf_t  *vmcf;

    if (answer->length > NGX_HTTP_VOD_SUBTITLES
        || ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE, 0, &timeline,
                             sizeof(vod_timeline_t)) != NGX_OK)
    {
        return;
    }

    /* without room it is made again */

    p = ngx_pnalloc(r->pool, answer->length);
    if (p == NULL) {
        return;
    }

    /* WebVTT has nothing before it */

    if (answer->head_len) {
        ngx_memcpy(p, answer->head, answer->head_len);
    }

    ngx_memcpy(p + answer->head_len, answer->body, answer->body_len);

    ngx_http_vod_text_key(r, &key);

    ngx_memzero(&meta, sizeof(ngx_http_vod_meta_t));

    meta.len = answer->length;
    meta.etag = answer->etag;
    ngx_memcpy(meta.token, timeline.token, VOD_TOKEN_LEN);

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    (void) ngx_http_vod_zone_put(vmcf->zone, &key, &meta, p);
}


static ngx_int_t
ngx_http_vod_find_segment(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment)
{
    ngx_int_t            rc;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE, 0, &segment->timeline,
                           sizeof(vod_timeline_t));
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_find_track(r, segment);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_test_token(r, segment->timeline.token);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE,
                           sizeof(vod_timeline_t)
                           + segment->track.ordinal
                             * sizeof(vod_timeline_track_t),
                           &segment->cut, sizeof(vod_timeline_track_t));
    if (rc != NGX_OK) {
        return rc;
    }

    if (ctx->uri.segment > segment->cut.n_segments) {
        return NGX_HTTP_NOT_FOUND;
    }

    segment->etag = vod_timeline_etag(&segment->timeline, ctx->uri.what,
                                      segment->track.ordinal,
                                      ctx->uri.segment);

    return ngx_http_vod_read(r, NGX_HTTP_VOD_TIMELINE,
                             segment->cut.cells_off
                             + (ctx->uri.segment - 1) * sizeof(vod_cell_t),
                             segment->cells, 2 * sizeof(vod_cell_t));
}


static ngx_int_t
ngx_http_vod_find_track(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment)
{
    ngx_int_t            rc;
    ngx_uint_t           i, number;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX, 0, &segment->index,
                           sizeof(vod_index_t));
    if (rc != NGX_OK) {
        return rc;
    }

    number = ctx->uri.number;

    for (i = 0; i < segment->index.n_tracks; i++) {

        rc = ngx_http_vod_read(r, NGX_HTTP_VOD_INDEX,
                               sizeof(vod_index_t) + i * sizeof(vod_track_t),
                               &segment->track, sizeof(vod_track_t));
        if (rc != NGX_OK) {
            return rc;
        }

        if (segment->track.kind == ctx->uri.kind && --number == 0) {
            return NGX_OK;
        }
    }

    return NGX_HTTP_VOD_NO_TRACK;
}


static ngx_int_t
ngx_http_vod_plan_segment(ngx_http_request_t *r,
    ngx_http_vod_segment_t *segment, vod_sample_t *samples,
    ngx_http_vod_answer_t *answer)
{
    uint64_t             payload;
    vod_wr_t             wr;
    vod_cell_t          *cell;
    ngx_uint_t           i, n;
    ngx_http_vod_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);

    cell = &segment->cells[0];
    n = segment->cells[1].cursor.sample - cell->cursor.sample;

    answer->runs = ngx_http_vod_block(r, n * sizeof(vod_run_t)
                                         + cell->header);
    if (answer->runs == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    answer->head = (u_char *) &answer->runs[n];
    answer->head_len = cell->header;

    vod_wr_init(&wr, answer->head, answer->head_len);

    vod_box_segment(&wr, segment->track.ordinal + 1, segment->track.kind,
                    ctx->uri.segment, cell->cursor.dts, samples, n,
                    cell->payload);

    answer->nruns = vod_segment_runs(samples, n, answer->runs);

    for (i = 0, payload = 0; i < answer->nruns; i++) {
        payload += answer->runs[i].len;
    }

    if (wr.overflow || wr.len != cell->header || payload != cell->payload) {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "segment %uL of \"%V\" is %uL+%uL bytes, "
                      "expected %uD+%uL",
                      ctx->uri.segment, &ctx->path, wr.len, payload,
                      cell->header, cell->payload);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    answer->length = wr.len + payload;
    answer->etag = segment->etag;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http vod segment:%uL samples:%ui runs:%ui bytes:%O",
                   ctx->uri.segment, n, answer->nruns, answer->length);

    return NGX_OK;
}

static void
ngx_http_vod_set_type(ngx_http_vod_answer_t *answer, vod_uri_t *uri)
{
    switch (uri->what) {

    case VOD_URI_MASTER:
    case VOD_URI_MEDIA:
    case VOD_URI_IFRAMES:
        ngx_str_set(&answer->type, "application/vnd.apple.mpegurl");
        break;

    case VOD_URI_MANIFEST:
        ngx_str_set(&answer->type, "application/dash+xml");
        break;

    case VOD_URI_TEXT:
        ngx_str_set(&answer->type, "text/vtt");
        break;

    default:
        if (uri->kind == VOD_VIDEO) {
            ngx_str_set(&answer->type, "video/mp4");

        } else if (uri->kind == VOD_AUDIO) {
            ngx_str_set(&answer->type, "audio/mp4");

        } else {
            ngx_str_set(&answer->type, "application/mp4");
        }

        break;
    }
}
