#include <string.h>

#include "vod_config_int.h"


/* nal_unit_type (23008-2, table 7-1) */
#define VOD_HEVC_BLA       16
#define VOD_HEVC_RSV_IRAP  23
#define VOD_HEVC_VCL       31
#define VOD_HEVC_VPS       32
#define VOD_HEVC_SPS       33
#define VOD_HEVC_PPS       34

#define VOD_HEVC_SETS      (7ull << VOD_HEVC_VPS)


static int vod_hevc_whole(const vod_sets_t *sets);
static uint32_t vod_hevc_entry_type(const vod_config_t *in,
    const vod_sets_t *sets);
static void vod_hevc_sum(const vod_sets_t *sets, vod_hevc_sps_t *sum,
    unsigned *layers, unsigned *parallelism);
static void vod_hevc_add_layer(vod_hevc_ptl_t *sum,
    const vod_hevc_ptl_t *ptl);
static unsigned vod_hevc_parallelism(vod_rd_t nal);
static void vod_hevc_write(vod_wr_t *out, const vod_sets_t *sets,
    unsigned size);


static const vod_sets_form_t  vod_hevc_form = {
    "H.265", "hvcC", 1, VOD_CONVERT_ANNEXB_HEVC, VOD_HEVC_SETS,
    vod_hevc_record, vod_hevc_whole
};


int
vod_config_hevc(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err)
{
    int             rc, record;
    uint64_t        mark;
    unsigned        size;
    vod_rd_t        nal;
    vod_sets_t      sets;
    vod_hevc_sps_t  sps;

    rc = vod_sets_find(&vod_hevc_form, in, &sets, &size, &record, convert,
                       err);
    if (rc != VOD_OK) {
        return rc;
    }

    memset(&sps, 0, sizeof(vod_hevc_sps_t));

    if (vod_sets_first(&sets, VOD_HEVC_SPS, &nal)) {

        vod_hevc_sps_read(&sps, nal);

        if (sps.width == 0 && (!record || in->width == 0)) {
            return vod_fail(err, VOD_DAMAGED, "H.265 with a sequence "
                            "parameter set that makes no sense");
        }
    }

    mark = vod_config_visual(in, out, vod_hevc_entry_type(in, &sets),
                             sps.width, sps.height);

    if (record) {
        vod_config_box(out, vod_fourcc('h', 'v', 'c', 'C'), in->config,
                       in->config_len);
    } else {
        vod_hevc_write(out, &sets, size);
    }

    return vod_config_visual_end(in, out, mark, err);
}


static int
vod_hevc_whole(const vod_sets_t *sets)
{
    return vod_sets_count(sets, VOD_HEVC_VPS)
           && vod_sets_count(sets, VOD_HEVC_SPS)
           && vod_sets_count(sets, VOD_HEVC_PPS);
}


/*
 * Dolby Vision whose base layer no other decoder can show (no compatibility,
 * as in profile 5) has an entry of its own.
 */

static uint32_t
vod_hevc_entry_type(const vod_config_t *in, const vod_sets_t *sets)
{
    if (in->dovi && (in->dovi[4] >> 4) == 0) {
        return vod_hevc_whole(sets) ? vod_fourcc('d', 'v', 'h', '1')
                                    : vod_fourcc('d', 'v', 'h', 'e');
    }

    return vod_hevc_whole(sets) ? vod_fourcc('h', 'v', 'c', '1')
                                : vod_fourcc('h', 'e', 'v', '1');
}


/* HEVCDecoderConfigurationRecord (14496-15, 8.3.3.1) */

int
vod_hevc_record(vod_sets_t *sets, vod_rd_t body, unsigned *size)
{
    vod_rd_t  set;
    unsigned  n, type, arrays, version;

    version = vod_rd_u8(&body);
    vod_rd_skip(&body, 20);
    *size = (vod_rd_u8(&body) & 3) + 1;

    for (arrays = vod_rd_u8(&body); arrays && !body.failed; arrays--) {

        type = vod_rd_u8(&body) & 0x3f;

        for (n = vod_rd_u16(&body); n && !body.failed; n--) {

            set = vod_rd_sub(&body, vod_rd_u16(&body));

            if (vod_rd_left(&set) && sets->n < VOD_SETS_MAX
                && type >= VOD_HEVC_VPS && type <= VOD_HEVC_PPS)
            {
                sets->set[sets->n] = set;
                sets->type[sets->n++] = (uint8_t) type;
            }
        }
    }

    return body.failed || version > 1 || *size == 3 ? VOD_DAMAGED : VOD_OK;
}


/*
 * What the record says of all sets together (8.3.3.1.3): the highest level,
 * the flags that all have.
 */

static void
vod_hevc_sum(const vod_sets_t *sets, vod_hevc_sps_t *sum, unsigned *layers,
    unsigned *parallelism)
{
    unsigned        i, n, kinds;
    vod_bits_t      bits;
    vod_hevc_sps_t  sps;
    vod_hevc_ptl_t  ptl;

    memset(sum, 0, sizeof(vod_hevc_sps_t));
    sum->ptl.compatible = UINT32_MAX;
    sum->ptl.constraints = (1ull << 48) - 1;
    sum->segmentation = 4096;

    *layers = 0;
    kinds = 0;                              /* of parallelism, a bit each */

    for (i = 0; i < sets->n; i++) {

        switch (sets->type[i]) {

        case VOD_HEVC_VPS:
            vod_bits_init(&bits, sets->set[i].pos,
                          vod_rd_left(&sets->set[i]), 1);
            vod_bits_skip(&bits, 16 + 12);
            n = vod_bits_get(&bits, 3);     /* vps_max_sub_layers_minus1 */
            vod_bits_skip(&bits, 1 + 16);
            vod_hevc_ptl_read(&ptl, &bits, n);

            if (!bits.failed) {
                *layers = n + 1 > *layers ? n + 1 : *layers;
                vod_hevc_add_layer(&sum->ptl, &ptl);
            }

            break;

        case VOD_HEVC_SPS:
            vod_hevc_sps_read(&sps, sets->set[i]);
            vod_hevc_add_layer(&sum->ptl, &sps.ptl);

            n = sps.sub_layers + 1;
            *layers = n > *layers ? n : *layers;

            if (sps.segmentation < sum->segmentation) {
                sum->segmentation = sps.segmentation;
            }

            sum->nested = sps.nested;
            sum->chroma = sps.chroma;
            sum->depth = sps.depth;
            sum->depth_chroma = sps.depth_chroma;
            break;

        case VOD_HEVC_PPS:
            kinds |= 1u << vod_hevc_parallelism(sets->set[i]);
        }
    }

    *parallelism = sum->segmentation == 0 ? 0
                   : kinds == 2 ? 1 : kinds == 4 ? 2 : kinds == 8 ? 3 : 0;
}


static void
vod_hevc_add_layer(vod_hevc_ptl_t *sum, const vod_hevc_ptl_t *ptl)
{
    sum->space = ptl->space;

    if (ptl->tier > sum->tier) {
        sum->level = ptl->level;

    } else if (ptl->tier == sum->tier && ptl->level > sum->level) {
        sum->level = ptl->level;
    }

    sum->tier = ptl->tier > sum->tier ? ptl->tier : sum->tier;
    sum->profile = ptl->profile > sum->profile ? ptl->profile : sum->profile;
    sum->compatible &= ptl->compatible;
    sum->constraints &= ptl->constraints;
}


/* parallelismType of one pic_parameter_set_rbsp() (23008-2, 7.3.2.3.1) */

static unsigned
vod_hevc_parallelism(vod_rd_t nal)
{
    unsigned    tiles, entropy;
    vod_bits_t  bits;

    vod_bits_init(&bits, nal.pos, vod_rd_left(&nal), 1);

    vod_bits_skip(&bits, 16);
    (void) vod_bits_ue(&bits);              /* its id, that of the SPS */
    (void) vod_bits_ue(&bits);
    vod_bits_skip(&bits, 1 + 1 + 3 + 1 + 1);
    (void) vod_bits_ue(&bits);              /* reference pictures */
    (void) vod_bits_ue(&bits);
    (void) vod_bits_se(&bits);
    vod_bits_skip(&bits, 2);

    if (vod_bits_get(&bits, 1)) {           /* cu_qp_delta_enabled_flag */
        (void) vod_bits_ue(&bits);
    }

    (void) vod_bits_se(&bits);
    (void) vod_bits_se(&bits);
    vod_bits_skip(&bits, 4);

    tiles = vod_bits_get(&bits, 1);
    entropy = vod_bits_get(&bits, 1);

    if (bits.failed) {
        return 0;
    }

    return tiles && entropy ? 0 : entropy ? 3 : tiles ? 2 : 1;
}


static void
vod_hevc_write(vod_wr_t *out, const vod_sets_t *sets, unsigned size)
{
    uint64_t         mark;
    unsigned         i, type, layers, parallelism;
    vod_hevc_sps_t   sum;

    vod_hevc_sum(sets, &sum, &layers, &parallelism);

    mark = vod_wr_box(out, vod_fourcc('h', 'v', 'c', 'C'));

    vod_wr_u8(out, 1);
    vod_wr_u8(out, (uint8_t) (sum.ptl.space << 6 | sum.ptl.tier << 5
                              | sum.ptl.profile));
    vod_wr_u32(out, sum.ptl.compatible);
    vod_wr_u16(out, (uint16_t) (sum.ptl.constraints >> 32));
    vod_wr_u32(out, (uint32_t) sum.ptl.constraints);
    vod_wr_u8(out, (uint8_t) sum.ptl.level);
    vod_wr_u16(out, (uint16_t) (0xf000 | (sum.segmentation & 0xfff)));
    vod_wr_u8(out, (uint8_t) (0xfc | parallelism));
    vod_wr_u8(out, (uint8_t) (0xfc | sum.chroma));
    vod_wr_u8(out, (uint8_t) (0xf8 | ((sum.depth - 8) & 7)));
    vod_wr_u8(out, (uint8_t) (0xf8 | ((sum.depth_chroma - 8) & 7)));
    vod_wr_u16(out, 0);                     /* avgFrameRate */
    vod_wr_u8(out, (uint8_t) ((layers & 7) << 3 | sum.nested << 2
                              | (size - 1)));
    vod_wr_u8(out, 3);

    /* array_completeness: as an entry hvc1 has it */

    for (type = VOD_HEVC_VPS; type <= VOD_HEVC_PPS; type++) {

        vod_wr_u8(out, (uint8_t) (0x80 | type));
        vod_wr_u16(out, (uint16_t) vod_sets_count(sets, type));

        for (i = 0; i < sets->n; i++) {
            if (sets->type[i] == type) {
                vod_wr_u16(out, (uint16_t) vod_rd_left(&sets->set[i]));
                vod_wr_bytes(out, sets->set[i].pos,
                             vod_rd_left(&sets->set[i]));
            }
        }
    }

    vod_wr_box_end(out, mark);
}


int
vod_hevc_reorder(const vod_rd_t *body)
{
    int             reorder;
    unsigned        i, size;
    vod_sets_t      sets;
    vod_hevc_sps_t  sps;

    sets.n = 0;

    if (vod_hevc_record(&sets, *body, &size) != VOD_OK) {
        return -1;
    }

    reorder = -1;

    for (i = 0; i < sets.n; i++) {

        if (sets.type[i] != VOD_HEVC_SPS) {
            continue;
        }

        vod_hevc_sps_read(&sps, sets.set[i]);

        if (sps.reorder < 0) {
            return -1;
        }

        reorder = sps.reorder > reorder ? sps.reorder : reorder;
    }

    return reorder;
}


/* an access unit of an IDR, CRA or BLA picture (14496-15, 8.3.4) */

int
vod_hevc_sync(const uint8_t *sample, uint64_t size)
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

            type = vod_nal_type(&nal, 1);

            if (sync < 0 && type <= VOD_HEVC_VCL) {
                sync = type >= VOD_HEVC_BLA && type <= VOD_HEVC_RSV_IRAP;
            }
        }

        if (!rd.damaged && sync >= 0) {
            return sync;
        }
    }

    return -1;
}
