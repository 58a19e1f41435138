/*
 * A sample entry made of what a container says, from copies of their own
 * size, so that a sanitizer sees what lies beyond them.
 */

#ifndef _CONFIG_MADE_H_INCLUDED_
#define _CONFIG_MADE_H_INCLUDED_

#include "vod_config.h"

#include "entry.h"


#define MADE_VISUAL  86         /* bytes of an entry before its child boxes */
#define MADE_SOUND   36

typedef struct {
    int        rc;
    unsigned   convert;
    uint8_t    out[ENTRY_MAX];
    uint64_t   len;
    uint64_t   measured;
    vod_err_t  err;
} made_t;


static inline uint8_t *
made_copy(const uint8_t *data, uint64_t len)
{
    uint8_t  *copy;

    copy = malloc(len ? len : 1);

    if (len) {
        memcpy(copy, data, len);
    }

    return copy;
}


static inline void
made_run(made_t *made, const vod_config_t *in)
{
    uint8_t      *config, *sample;
    vod_wr_t      wr;
    unsigned      convert;
    vod_config_t  copy;

    config = made_copy(in->config, in->config_len);
    sample = made_copy(in->sample, in->sample_len);

    copy = *in;
    copy.config = in->config ? config : NULL;
    copy.sample = in->sample ? sample : NULL;

    memset(made, 0, sizeof(made_t));

    vod_wr_init(&wr, NULL, 0);
    (void) vod_config_entry(&copy, &wr, &convert, NULL);
    made->measured = wr.len;

    vod_wr_init(&wr, made->out, sizeof(made->out));
    made->rc = vod_config_entry(&copy, &wr, &made->convert, &made->err);
    made->len = wr.len;

    free(config);
    free(sample);
}


static inline int
made_is_video(vod_codec_id_t codec)
{
    return codec < VOD_CODEC_AAC;
}


/* the child box of an entry, without size and type: 1, or 0 */
static inline int
made_child(const made_t *made, vod_codec_id_t codec, const char *type,
    vod_rd_t *body)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    vod_rd_init(&rd, made->out, made->len);
    vod_rd_skip(&rd, made_is_video(codec) ? MADE_VISUAL : MADE_SOUND);

    while (vod_rd_box(&rd, &box) == 1) {
        if (box.type == entry_type(type)) {
            *body = box.body;
            return 1;
        }
    }

    return 0;
}

#endif /* _CONFIG_MADE_H_INCLUDED_ */
