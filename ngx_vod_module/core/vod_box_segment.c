#include <string.h>

#include "vod_box.h"
#include "vod_rd.h"


/*
 * sample_flags (ISO/IEC 14496-12, 8.8.3.1): sample_depends_on = 2 (no other
 * sample) for a sync sample; 1 and sample_is_non_sync_sample for the rest.
 */
#define VOD_BOX_SYNC           0x02000000u
#define VOD_BOX_NON_SYNC       0x01010000u

/* tf_flags (8.8.7) */
#define VOD_TFHD_DURATION      0x000008u
#define VOD_TFHD_SIZE          0x000010u
#define VOD_TFHD_FLAGS         0x000020u
#define VOD_TFHD_BASE_IS_MOOF  0x020000u

/* tr_flags (8.8.8) */
#define VOD_TRUN_DATA_OFFSET   0x000001u
#define VOD_TRUN_FIRST_FLAGS   0x000004u
#define VOD_TRUN_DURATION      0x000100u
#define VOD_TRUN_SIZE          0x000200u
#define VOD_TRUN_FLAGS         0x000400u
#define VOD_TRUN_CTS           0x000800u

#define VOD_STYP_LEN           24
#define VOD_MFHD_LEN           16
#define VOD_TFDT_LEN           20


/* which optional fields the boxes have, and how long that makes them */
typedef struct {
    uint32_t  tfhd_flags;
    uint32_t  trun_flags;
    uint32_t  tfhd;             /* bytes */
    uint32_t  mdat;             /* bytes of the header: 8 or 16 */
    uint64_t  trun;             /* bytes */
    uint64_t  moof;             /* bytes */
    uint64_t  len;              /* bytes, from styp to mdat's header */
} vod_box_shape_t;


static uint8_t *vod_box_styp(uint8_t *p);
static uint8_t *vod_box_tfhd(uint8_t *p, const vod_box_shape_t *shape,
    const vod_box_measure_t *m, uint32_t track_id);
static uint8_t *vod_box_trun(uint8_t *p, const vod_box_shape_t *shape,
    const vod_box_measure_t *m, unsigned kind, const vod_sample_t *samples);
static uint8_t *vod_box_mdat(uint8_t *p, const vod_box_shape_t *shape,
    uint64_t payload);


static inline uint8_t *
vod_box_put32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t) (v >> 24);
    p[1] = (uint8_t) (v >> 16);
    p[2] = (uint8_t) (v >> 8);
    p[3] = (uint8_t) v;

    return p + 4;
}


static inline uint8_t *
vod_box_put64(uint8_t *p, uint64_t v)
{
    return vod_box_put32(vod_box_put32(p, (uint32_t) (v >> 32)),
                         (uint32_t) v);
}


static inline uint8_t *
vod_box_put_head(uint8_t *p, uint64_t size, uint32_t type)
{
    return vod_box_put32(vod_box_put32(p, (uint32_t) size), type);
}


static inline uint32_t
vod_box_sample_flags(const vod_sample_t *s, unsigned kind)
{
    return (s->key || kind == VOD_TEXT) ? VOD_BOX_SYNC : VOD_BOX_NON_SYNC;
}


static inline void
vod_box_measure_one(vod_box_measure_t *m, const vod_sample_t *s,
    unsigned kind)
{
    uint32_t  flags;

    flags = vod_box_sample_flags(s, kind);

    if (m->n == 0) {
        m->first_size = s->size;
        m->first_dur = s->dur;
        m->first_flags = flags;
        m->rest_flags = flags;

    } else if (m->n == 1) {
        m->rest_flags = flags;

    } else {
        m->flags_differ |= flags ^ m->rest_flags;
    }

    m->sizes_differ |= s->size ^ m->first_size;
    m->durs_differ |= s->dur ^ m->first_dur;
    m->cts_any |= (uint32_t) s->cts;

    m->payload += s->size;
    m->n++;
}


static void
vod_box_shape(vod_box_shape_t *shape, const vod_box_measure_t *m,
    uint64_t payload)
{
    uint32_t  row;

    shape->tfhd_flags = VOD_TFHD_BASE_IS_MOOF;
    shape->trun_flags = VOD_TRUN_DATA_OFFSET;
    shape->tfhd = 16;
    shape->trun = 20;
    row = 0;

    if (m->durs_differ) {
        shape->trun_flags |= VOD_TRUN_DURATION;
        row += 4;

    } else {
        shape->tfhd_flags |= VOD_TFHD_DURATION;
        shape->tfhd += 4;
    }

    if (m->sizes_differ) {
        shape->trun_flags |= VOD_TRUN_SIZE;
        row += 4;

    } else {
        shape->tfhd_flags |= VOD_TFHD_SIZE;
        shape->tfhd += 4;
    }

    if (m->flags_differ) {
        shape->trun_flags |= VOD_TRUN_FLAGS;
        row += 4;

    } else {
        shape->tfhd_flags |= VOD_TFHD_FLAGS;
        shape->tfhd += 4;

        if (m->first_flags != m->rest_flags) {
            shape->trun_flags |= VOD_TRUN_FIRST_FLAGS;
            shape->trun += 4;
        }
    }

    if (m->cts_any) {
        shape->trun_flags |= VOD_TRUN_CTS;
        row += 4;
    }

    shape->trun += (uint64_t) row * m->n;
    shape->moof = 8 + VOD_MFHD_LEN + 8 + shape->tfhd + VOD_TFDT_LEN
                  + shape->trun;

    /* a size of 32 bits counts the header itself */
    shape->mdat = payload > UINT32_MAX - 8 ? 16 : 8;

    shape->len = VOD_STYP_LEN + shape->moof + shape->mdat;
}


void
vod_box_measure_init(vod_box_measure_t *m)
{
    memset(m, 0, sizeof(vod_box_measure_t));
}


void
vod_box_measure_add(vod_box_measure_t *m, const vod_sample_t *s,
    unsigned kind)
{
    vod_box_measure_one(m, s, kind);
}


void
vod_box_measure_join(vod_box_measure_t *m, const vod_box_measure_t *more)
{
    if (m->n == 0 || more->n == 0) {
        *m = more->n ? *more : *m;
        return;
    }

    if (m->n == 1) {
        m->rest_flags = more->first_flags;
    }

    m->flags_differ |= more->first_flags ^ m->rest_flags;

    if (more->n > 1) {
        m->flags_differ |= more->rest_flags ^ m->rest_flags;
    }

    m->flags_differ |= more->flags_differ;
    m->sizes_differ |= more->sizes_differ | (more->first_size ^ m->first_size);
    m->durs_differ |= more->durs_differ | (more->first_dur ^ m->first_dur);
    m->cts_any |= more->cts_any;

    m->payload += more->payload;
    m->n += more->n;
}


uint32_t
vod_box_measure_len(const vod_box_measure_t *m)
{
    vod_box_shape_t  shape;

    vod_box_shape(&shape, m, m->payload);

    if (shape.len > VOD_BOX_HEADER_MAX) {
        return UINT32_MAX;
    }

    return (uint32_t) shape.len;
}


void
vod_box_segment(vod_wr_t *wr, uint32_t track_id, unsigned kind,
    uint32_t sequence, uint64_t dts, const vod_sample_t *samples, uint32_t n,
    uint64_t payload)
{
    uint8_t            *p;
    uint32_t            i;
    vod_box_shape_t     shape;
    vod_box_measure_t   m;

    vod_box_measure_init(&m);

    for (i = 0; i < n; i++) {
        vod_box_measure_one(&m, &samples[i], kind);
    }

    vod_box_shape(&shape, &m, payload);

    p = vod_wr_reserve(wr, shape.len);

    if (shape.len > VOD_BOX_HEADER_MAX) {
        wr->overflow = 1;
        return;
    }

    if (p == NULL) {
        return;
    }

    p = vod_box_styp(p);

    p = vod_box_put_head(p, shape.moof, vod_fourcc('m', 'o', 'o', 'f'));

    p = vod_box_put_head(p, VOD_MFHD_LEN, vod_fourcc('m', 'f', 'h', 'd'));
    p = vod_box_put32(p, 0);
    p = vod_box_put32(p, sequence);

    p = vod_box_put_head(p, 8 + shape.tfhd + VOD_TFDT_LEN + shape.trun,
                         vod_fourcc('t', 'r', 'a', 'f'));

    p = vod_box_tfhd(p, &shape, &m, track_id);

    p = vod_box_put_head(p, VOD_TFDT_LEN, vod_fourcc('t', 'f', 'd', 't'));
    p = vod_box_put32(p, 0x01000000);
    p = vod_box_put64(p, dts);

    p = vod_box_trun(p, &shape, &m, kind, samples);

    (void) vod_box_mdat(p, &shape, payload);
}


static uint8_t *
vod_box_styp(uint8_t *p)
{
    p = vod_box_put_head(p, VOD_STYP_LEN, vod_fourcc('s', 't', 'y', 'p'));
    p = vod_box_put32(p, vod_fourcc('m', 's', 'd', 'h'));
    p = vod_box_put32(p, 0);
    p = vod_box_put32(p, vod_fourcc('m', 's', 'd', 'h'));

    return vod_box_put32(p, vod_fourcc('c', 'm', 'f', 's'));
}


static uint8_t *
vod_box_tfhd(uint8_t *p, const vod_box_shape_t *shape,
    const vod_box_measure_t *m, uint32_t track_id)
{
    p = vod_box_put_head(p, shape->tfhd, vod_fourcc('t', 'f', 'h', 'd'));
    p = vod_box_put32(p, shape->tfhd_flags);
    p = vod_box_put32(p, track_id);

    if (shape->tfhd_flags & VOD_TFHD_DURATION) {
        p = vod_box_put32(p, m->first_dur);
    }

    if (shape->tfhd_flags & VOD_TFHD_SIZE) {
        p = vod_box_put32(p, m->first_size);
    }

    if (shape->tfhd_flags & VOD_TFHD_FLAGS) {
        p = vod_box_put32(p, m->rest_flags);
    }

    return p;
}


static uint8_t *
vod_box_trun(uint8_t *p, const vod_box_shape_t *shape,
    const vod_box_measure_t *m, unsigned kind, const vod_sample_t *samples)
{
    uint32_t             flags;
    const vod_sample_t  *s, *end;

    flags = shape->trun_flags;

    /* version 1: composition offsets are signed */

    p = vod_box_put_head(p, shape->trun, vod_fourcc('t', 'r', 'u', 'n'));
    p = vod_box_put32(p, 0x01000000 | flags);
    p = vod_box_put32(p, m->n);
    p = vod_box_put32(p, (uint32_t) (shape->moof + shape->mdat));

    if (flags & VOD_TRUN_FIRST_FLAGS) {
        p = vod_box_put32(p, m->first_flags);
    }

    for (s = samples, end = samples + m->n; s < end; s++) {

        if (flags & VOD_TRUN_DURATION) {
            p = vod_box_put32(p, s->dur);
        }

        if (flags & VOD_TRUN_SIZE) {
            p = vod_box_put32(p, s->size);
        }

        if (flags & VOD_TRUN_FLAGS) {
            p = vod_box_put32(p, vod_box_sample_flags(s, kind));
        }

        if (flags & VOD_TRUN_CTS) {
            p = vod_box_put32(p, (uint32_t) s->cts);
        }
    }

    return p;
}


static uint8_t *
vod_box_mdat(uint8_t *p, const vod_box_shape_t *shape, uint64_t payload)
{
    uint32_t  type;

    type = vod_fourcc('m', 'd', 'a', 't');

    if (shape->mdat == 8) {
        return vod_box_put_head(p, payload + 8, type);
    }

    p = vod_box_put_head(p, 1, type);

    return vod_box_put64(p, payload + 16);
}
