#include <string.h>

#include "vod_links.h"


void
vod_links_base(vod_wr_t *wr, const vod_links_t *links)
{
    if (links && links->base_len) {
        vod_wr_quoted(wr, links->base, links->base_len);
    }
}


void
vod_links_args(vod_wr_t *wr, const vod_links_t *links)
{
    if (links && links->args_len) {
        vod_wr_str(wr, "?");
        vod_wr_quoted(wr, links->args, links->args_len);
    }
}


void
vod_links_template_args(vod_wr_t *wr, const vod_links_t *links)
{
    size_t       n;
    const char  *p, *end, *dollar;

    if (links == NULL || links->args_len == 0) {
        return;
    }

    vod_wr_str(wr, "?");

    p = links->args;
    end = p + links->args_len;

    while (p < end) {
        dollar = memchr(p, '$', (size_t) (end - p));
        n = (size_t) ((dollar ? dollar + 1 : end) - p);

        vod_wr_xml(wr, p, n);

        if (dollar) {
            vod_wr_str(wr, "$");
        }

        p += n;
    }
}
