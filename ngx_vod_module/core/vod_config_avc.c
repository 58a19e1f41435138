#include <string.h>

#include "vod_config_int.h"


/* nal_unit_type (14496-10, table 7-1) */
#define VOD_AVC_SLICE    1
#define VOD_AVC_IDR      5
#define VOD_AVC_SPS      7
#define VOD_AVC_PPS      8
#define VOD_AVC_SPS_EXT  13

#define VOD_AVC_SETS     ((1u << VOD_AVC_SPS) | (1u << VOD_AVC_PPS)           \
                          | (1u << VOD_AVC_SPS_EXT))


static int vod_avc_whole(const vod_sets_t *sets);
static void vod_avc_write(vod_wr_t *out, const vod_sets_t *sets,
    unsigned size);
static void vod_avc_write_sets(vod_wr_t *out, const vod_sets_t *sets,
    unsigned type, unsigned marker);


static const vod_sets_form_t  vod_avc_form = {
    "H.264", "avcC", 0, VOD_CONVERT_ANNEXB_AVC, VOD_AVC_SETS, vod_avc_record,
    vod_avc_whole
};


int
vod_config_avc(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    int            rc, record;
    uint64_t       mark;
    uint32_t       type;
    unsigned       size;
    vod_rd_t       nal;
    vod_sets_t     sets;
    vod_avc_sps_t  sps;

    rc = vod_sets_find(&vod_avc_form, in, &sets, &size, &record, convert, err);
    if (rc != VOD_OK) {
        return rc;
    }

    memset(&sps, 0, sizeof(vod_avc_sps_t));

    if (vod_sets_first(&sets, VOD_AVC_SPS, &nal)) {

        vod_avc_sps_read(&sps, nal);

        if (vod_rd_left(&nal) < 4 || (sps.width == 0 && in->width == 0)) {
            return vod_fail(err, VOD_DAMAGED, "H.264 with a sequence "
                            "parameter set that makes no sense");
        }
    }

    /* a record without sets means that the samples have them */

    type = vod_avc_whole(&sets) ? vod_fourcc('a', 'v', 'c', '1')
                                : vod_fourcc('a', 'v', 'c', '3');

    mark = vod_config_visual(in, out, type, sps.width, sps.height);

    if (record) {
        vod_config_box(out, vod_fourcc('a', 'v', 'c', 'C'), in->config,
                       in->config_len);
    } else {
        vod_avc_write(out, &sets, size);
    }

    return vod_config_visual_end(in, out, mark, err);
}


static int
vod_avc_whole(const vod_sets_t *sets)
{
    return vod_sets_count(sets, VOD_AVC_SPS)
           && vod_sets_count(sets, VOD_AVC_PPS);
}


/* AVCDecoderConfigurationRecord (14496-15, 5.3.3.1) */

int
vod_avc_record(vod_sets_t *sets, vod_rd_t body, unsigned *size)
{
    int       i;
    vod_rd_t  set;
    unsigned  n, version;

    version = vod_rd_u8(&body);
    vod_rd_skip(&body, 3);
    *size = (vod_rd_u8(&body) & 3) + 1;

    for (i = 0; i < 2; i++) {

        n = vod_rd_u8(&body);
        n = i ? n : n & 0x1f;

        for ( /* void */ ; n && !body.failed; n--) {

            set = vod_rd_sub(&body, vod_rd_u16(&body));

            if (vod_rd_left(&set) && sets->n < VOD_SETS_MAX) {
                sets->set[sets->n] = set;
                sets->type[sets->n++] = i ? VOD_AVC_PPS : VOD_AVC_SPS;
            }
        }
    }

    return body.failed || version != 1 || *size == 3 ? VOD_DAMAGED : VOD_OK;
}


static void
vod_avc_write(vod_wr_t *out, const vod_sets_t *sets, unsigned size)
{
    uint64_t       mark;
    vod_rd_t       nal;
    vod_avc_sps_t  sps;

    (void) vod_sets_first(sets, VOD_AVC_SPS, &nal);
    vod_avc_sps_read(&sps, nal);

    mark = vod_wr_box(out, vod_fourcc('a', 'v', 'c', 'C'));

    vod_wr_u8(out, 1);
    vod_wr_u8(out, (uint8_t) sps.profile);
    vod_wr_u8(out, (uint8_t) sps.compatible);
    vod_wr_u8(out, (uint8_t) sps.level);
    vod_wr_u8(out, (uint8_t) (0xfc | (size - 1)));

    vod_avc_write_sets(out, sets, VOD_AVC_SPS, 0xe0);
    vod_avc_write_sets(out, sets, VOD_AVC_PPS, 0);

    if (vod_avc_high(sps.profile) && sps.depth) {
        vod_wr_u8(out, (uint8_t) (0xfc | sps.chroma));
        vod_wr_u8(out, (uint8_t) (0xf8 | (sps.depth - 8)));
        vod_wr_u8(out, (uint8_t) (0xf8 | (sps.depth_chroma - 8)));
        vod_avc_write_sets(out, sets, VOD_AVC_SPS_EXT, 0);
    }

    vod_wr_box_end(out, mark);
}


/* their number and they; an SPS has five bits for it */

static void
vod_avc_write_sets(vod_wr_t *out, const vod_sets_t *sets, unsigned type,
    unsigned marker)
{
    unsigned  i, n, most;

    most = type == VOD_AVC_SPS ? 31 : VOD_SETS_MAX;
    n = vod_sets_count(sets, type);
    n = n < most ? n : most;

    vod_wr_u8(out, (uint8_t) (marker | n));

    for (i = 0; i < sets->n && n; i++) {
        if (sets->type[i] == type) {
            vod_wr_u16(out, (uint16_t) vod_rd_left(&sets->set[i]));
            vod_wr_bytes(out, sets->set[i].pos, vod_rd_left(&sets->set[i]));
            n--;
        }
    }
}


int
vod_avc_reorder(const vod_rd_t *body)
{
    int            reorder;
    unsigned       i, size;
    vod_sets_t     sets;
    vod_avc_sps_t  sps;

    sets.n = 0;

    if (vod_avc_record(&sets, *body, &size) != VOD_OK) {
        return -1;
    }

    reorder = -1;

    for (i = 0; i < sets.n; i++) {

        if (sets.type[i] != VOD_AVC_SPS) {
            continue;
        }

        vod_avc_sps_read(&sps, sets.set[i]);

        if (sps.reorder < 0) {
            return -1;
        }

        reorder = sps.reorder > reorder ? sps.reorder : reorder;
    }

    return reorder;
}


/*
 * An access unit whose slices are of an IDR picture (14496-15, 5.3.5).  How
 * many bytes a length has is not told: the first size by which the sample
 * ends with its last unit is taken.
 */

int
vod_avc_sync(const uint8_t *sample, uint64_t size)
{
    int           sync;
    unsigned      i, type;
    vod_rd_t      nal;
    vod_nal_rd_t  rd;

    static const uint8_t  sizes[] = { 4, 2, 1 };

    for (i = 0; i < sizeof(sizes); i++) {

        vod_nal_init(&rd, sample, size, sizes[i]);
        sync = -1;

        while (vod_nal_next(&rd, &nal)) {

            type = vod_nal_type(&nal, 0);

            if (sync < 0 && type >= VOD_AVC_SLICE && type <= VOD_AVC_IDR) {
                sync = (type == VOD_AVC_IDR);
            }
        }

        if (!rd.damaged && sync >= 0) {
            return sync;
        }
    }

    return -1;
}
