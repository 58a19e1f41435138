/*
 * Memory that a worker keeps and its requests borrow: see the header.  A
 * request pool takes what is longer than a page from the heap each time.
 */

#include "ngx_http_vod_module.h"


/*
 * Kept for scratch: samples and rows of 6 s with 120 frames a second take a
 * fifth of it.
 */
#define NGX_HTTP_VOD_SCRATCH_MAX  (128 * 1024)

/*
 * Runs and header of 6 s with 60 frames a second fit into a block.  As many
 * are kept as requests are often answered at once.
 */
#define NGX_HTTP_VOD_BLOCK_SIZE  (16 * 1024)
#define NGX_HTTP_VOD_BLOCKS      64


typedef struct ngx_http_vod_block_s  ngx_http_vod_block_t;

/* a free block's own first bytes */
struct ngx_http_vod_block_s {
    ngx_http_vod_block_t  *next;
};


static void ngx_http_vod_block_free(void *data);


/* a worker's own */
static u_char                *ngx_http_vod_scratch_start;
static size_t                 ngx_http_vod_scratch_size;
static ngx_http_vod_block_t  *ngx_http_vod_blocks;
static ngx_uint_t             ngx_http_vod_nblocks;


void *
ngx_http_vod_scratch(ngx_http_request_t *r, size_t size)
{
    u_char  *p;

    if (size > NGX_HTTP_VOD_SCRATCH_MAX) {
        return ngx_palloc(r->pool, size);
    }

    if (size > ngx_http_vod_scratch_size) {
        size = ngx_align(size, ngx_pagesize);

        p = ngx_alloc(size, r->connection->log);
        if (p == NULL) {
            return NULL;
        }

        if (ngx_http_vod_scratch_start) {
            ngx_free(ngx_http_vod_scratch_start);
        }

        ngx_http_vod_scratch_start = p;
        ngx_http_vod_scratch_size = size;
    }

    return ngx_http_vod_scratch_start;
}


void
ngx_http_vod_scratch_free(ngx_http_request_t *r, void *p)
{
    if (p != ngx_http_vod_scratch_start) {
        (void) ngx_pfree(r->pool, p);
    }
}


void *
ngx_http_vod_block(ngx_http_request_t *r, size_t size)
{
    ngx_pool_cleanup_t    *cln;
    ngx_http_vod_block_t  *block;

    if (size > NGX_HTTP_VOD_BLOCK_SIZE) {
        return ngx_palloc(r->pool, size);
    }

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    block = ngx_http_vod_blocks;

    if (block) {
        ngx_http_vod_blocks = block->next;
        ngx_http_vod_nblocks--;

    } else {
        block = ngx_alloc(NGX_HTTP_VOD_BLOCK_SIZE, r->connection->log);
        if (block == NULL) {
            return NULL;
        }
    }

    cln->handler = ngx_http_vod_block_free;
    cln->data = block;

    return block;
}


static void
ngx_http_vod_block_free(void *data)
{
    ngx_http_vod_block_t *block = data;

    if (ngx_http_vod_nblocks == NGX_HTTP_VOD_BLOCKS) {
        ngx_free(block);
        return;
    }

    block->next = ngx_http_vod_blocks;
    ngx_http_vod_blocks = block;
    ngx_http_vod_nblocks++;
}
