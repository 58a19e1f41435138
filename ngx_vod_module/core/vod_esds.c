#include "vod_codec_int.h"


/* class tags (ISO/IEC 14496-1, 7.2.2.1) */
#define VOD_TAG_ES              0x03
#define VOD_TAG_DECODER_CONFIG  0x04
#define VOD_TAG_DECODER_INFO    0x05
#define VOD_TAG_SL_CONFIG       0x06

/* streamType (7.2.6.6) */
#define VOD_STREAM_VISUAL       0x04
#define VOD_STREAM_AUDIO        0x05


static void vod_esds_tag(vod_wr_t *out, unsigned tag, uint64_t len);


/*
 * Next descriptor: its tag and a reader over its content.  Returns 0 at the
 * end.  Lengths that promise more than there is are met in the wild; the
 * parent's end counts then.
 */

static int
vod_esds_next(vod_rd_t *rd, unsigned *tag, vod_rd_t *body)
{
    uint8_t   byte;
    uint64_t  len;
    unsigned  i;

    if (rd->failed || vod_rd_left(rd) < 2) {
        return 0;
    }

    *tag = vod_rd_u8(rd);
    len = 0;

    for (i = 0; i < 4; i++) {
        byte = vod_rd_u8(rd);
        len = (len << 7) | (byte & 0x7f);

        if (!(byte & 0x80)) {
            break;
        }
    }

    if (rd->failed) {
        return 0;
    }

    *body = vod_rd_sub(rd, len < vod_rd_left(rd) ? len : vod_rd_left(rd));

    return 1;
}


static int
vod_esds_find(vod_rd_t rd, unsigned tag, vod_rd_t *body)
{
    unsigned  found;

    while (vod_esds_next(&rd, &found, body)) {
        if (found == tag) {
            return 1;
        }
    }

    return 0;
}


int
vod_esds_read(vod_esds_t *esds, vod_rd_t body)
{
    vod_rd_skip(&body, 4);                  /* version, flags */

    return vod_esds_descriptors(esds, body);
}


int
vod_esds_descriptors(vod_esds_t *esds, vod_rd_t body)
{
    uint8_t   flags;
    vod_rd_t  es, config, info;

    if (!vod_esds_find(body, VOD_TAG_ES, &es)) {

        /* QuickTime files with no more than the decoder's part exist */

        es = body;

    } else {
        vod_rd_skip(&es, 2);                /* ES_ID */
        flags = vod_rd_u8(&es);

        if (flags & 0x80) {
            vod_rd_skip(&es, 2);            /* dependsOn_ES_ID */
        }

        if (flags & 0x40) {
            vod_rd_skip(&es, vod_rd_u8(&es));
        }

        if (flags & 0x20) {
            vod_rd_skip(&es, 2);            /* OCR_ES_Id */
        }
    }

    if (!vod_esds_find(es, VOD_TAG_DECODER_CONFIG, &config)) {
        return 0;
    }

    esds->oti = vod_rd_u8(&config);
    vod_rd_skip(&config, 1);                /* streamType, upStream */
    esds->buffer = vod_rd_u24(&config);
    esds->max_rate = vod_rd_u32(&config);
    esds->avg_rate = vod_rd_u32(&config);

    if (config.failed) {
        return 0;
    }

    esds->visual = 0;
    esds->info = NULL;
    esds->info_len = 0;

    if (vod_esds_find(config, VOD_TAG_DECODER_INFO, &info)) {
        esds->info = info.pos;
        esds->info_len = vod_rd_left(&info);
    }

    return 1;
}


/* bytes of a descriptor with len bytes of content */

static uint64_t
vod_esds_len(uint64_t len)
{
    return len + (len < 0x80 ? 2 : 5);
}


void
vod_esds_write(vod_wr_t *out, const vod_esds_t *esds)
{
    uint64_t  mark, info, config;

    info = esds->info_len ? vod_esds_len(esds->info_len) : 0;
    config = 13 + info;

    mark = vod_wr_full_box(out, vod_fourcc('e', 's', 'd', 's'), 0, 0);

    vod_esds_tag(out, VOD_TAG_ES, 3 + vod_esds_len(config) + 3);
    vod_wr_u16(out, 0);                     /* ES_ID */
    vod_wr_u8(out, 0);                      /* flags, streamPriority */

    vod_esds_tag(out, VOD_TAG_DECODER_CONFIG, config);
    vod_wr_u8(out, esds->oti);
    vod_wr_u8(out, (esds->visual ? VOD_STREAM_VISUAL : VOD_STREAM_AUDIO) << 2
                   | 0x01);
    vod_wr_u24(out, esds->buffer);
    vod_wr_u32(out, esds->max_rate);
    vod_wr_u32(out, esds->avg_rate);

    if (esds->info_len) {
        vod_esds_tag(out, VOD_TAG_DECODER_INFO, esds->info_len);
        vod_wr_bytes(out, esds->info, esds->info_len);
    }

    vod_esds_tag(out, VOD_TAG_SL_CONFIG, 1);
    vod_wr_u8(out, 0x02);                   /* predefined: MP4 file */

    vod_wr_box_end(out, mark);
}


static void
vod_esds_tag(vod_wr_t *out, unsigned tag, uint64_t len)
{
    vod_wr_u8(out, (uint8_t) tag);

    if (len >= 0x80) {
        vod_wr_u8(out, (uint8_t) (0x80 | ((len >> 21) & 0x7f)));
        vod_wr_u8(out, (uint8_t) (0x80 | ((len >> 14) & 0x7f)));
        vod_wr_u8(out, (uint8_t) (0x80 | ((len >> 7) & 0x7f)));
    }

    vod_wr_u8(out, (uint8_t) (len & 0x7f));
}
