/*
 * What the URLs in playlists and manifests are made of, beyond an asset's own
 * names.
 *
 * They are relative as a rule: a media playlist names "3-<token>.m4s", the
 * multivariant playlist "v1/index.m3u8".  With a base all of them are
 * absolute, with args all of them have that query.
 */

#ifndef _VOD_LINKS_H_INCLUDED_
#define _VOD_LINKS_H_INCLUDED_

#include <stddef.h>

#include "vod_wr.h"


typedef struct {
    const char  *base;          /* URL of the asset with a slash at its end */
    size_t       base_len;      /* 0 = URLs are relative */
    const char  *args;          /* a query without "?", in URL encoding */
    size_t       args_len;      /* 0 = none */
} vod_links_t;


/*
 * What stands before and behind a name in a playlist, be it a line or a
 * quoted-string (RFC 8216bis, 4.2); links may be NULL.  LF and CR, which a URL
 * cannot hold, become spaces, '"' an apostrophe.
 */
void vod_links_base(vod_wr_t *wr, const vod_links_t *links);
void vod_links_args(vod_wr_t *wr, const vod_links_t *links);

/*
 * The query in an attribute of SegmentTemplate: escaped for XML, and "$", which
 * begins an identifier there, doubled (23009-1, 5.3.9.4.4).
 */
void vod_links_template_args(vod_wr_t *wr, const vod_links_t *links);

#endif /* _VOD_LINKS_H_INCLUDED_ */
