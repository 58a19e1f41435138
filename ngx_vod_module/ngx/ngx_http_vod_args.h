/*
 * Arguments of a request, and what playlists put around the URLs in them.
 */

#ifndef _NGX_HTTP_VOD_ARGS_H_INCLUDED_
#define _NGX_HTTP_VOD_ARGS_H_INCLUDED_

#include "ngx_http_vod_module.h"


/*
 * Reads the query: fills in cuts.from, cuts.to and tracks of the context; for
 * an answer with URLs in it links, too, and own where no other request has the
 * same.  NGX_OK, or the status to answer with; why it is 400 has been logged.
 */
ngx_int_t ngx_http_vod_args(ngx_http_request_t *r);

/*
 * A hash of seed and of what links and tracks say, seed itself where they say
 * nothing: for the ETag, and the key, of an answer with URLs.
 */
uint64_t ngx_http_vod_linked(ngx_http_request_t *r, uint64_t seed);

/* setters of the directives */
char *ngx_http_vod_forward_args(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_vod_base_url(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


#endif /* _NGX_HTTP_VOD_ARGS_H_INCLUDED_ */
