#include <inttypes.h>
#include <string.h>

#include "vod_frag.h"


/* tfhd, 8.8.7 */
#define VOD_TFHD_BASE        0x000001
#define VOD_TFHD_DESCRIPTION 0x000002
#define VOD_TFHD_DURATION    0x000008
#define VOD_TFHD_SIZE        0x000010
#define VOD_TFHD_FLAGS       0x000020
#define VOD_TFHD_MOOF_BASE   0x020000


static int vod_frag_traf(vod_frag_moof_t *m, vod_rd_t body, vod_err_t *err);
static int vod_frag_traf_boxes(vod_frag_moof_t *m, vod_frag_traf_t *traf,
    vod_rd_t body, vod_err_t *err);
static int vod_frag_tfhd(vod_frag_moof_t *m, vod_frag_traf_t *traf,
    vod_rd_t rd, vod_err_t *err);
static int vod_frag_tfdt(vod_frag_traf_t *traf, vod_rd_t rd, vod_err_t *err);
static void vod_frag_tfxd(vod_frag_traf_t *traf, vod_rd_t rd);
static void vod_frag_base(const vod_frag_moof_t *m, vod_frag_traf_t *traf,
    vod_rd_t body);
static int vod_frag_fits(const vod_frag_moof_t *m,
    const vod_frag_traf_t *traf, vod_rd_t body, uint64_t base);


/* 14496-12, 8.8.4; the sequence number (mfhd) says nothing that counts */
int
vod_frag_moof(vod_frag_moof_t *m, vod_rd_t body, vod_err_t *err)
{
    int           rc, mfhd;
    vod_rd_box_t  box;

    mfhd = 0;

    while ((rc = vod_rd_box(&body, &box)) == 1) {

        if (box.type == vod_fourcc('m', 'f', 'h', 'd') && mfhd++) {
            return vod_fail(err, VOD_DAMAGED, "moof holds two mfhd boxes");
        }

        if (box.type == vod_fourcc('t', 'r', 'a', 'f')) {
            rc = vod_frag_traf(m, box.body, err);
            if (rc != VOD_OK) {
                return rc;
            }
        }
    }

    if (rc < 0) {
        return vod_fail(err, VOD_DAMAGED, "a box in moof is larger than moof"
                        " itself");
    }

    return VOD_OK;
}


/* 14496-12, 8.8.6 */
static int
vod_frag_traf(vod_frag_moof_t *m, vod_rd_t body, vod_err_t *err)
{
    int                rc;
    uint32_t           first;
    vod_rd_box_t       box;
    vod_frag_run_t    *run;
    vod_frag_traf_t    traf;
    vod_frag_track_t  *f;

    rc = vod_frag_traf_boxes(m, &traf, body, err);
    if (rc != VOD_OK) {
        return rc;
    }

    f = traf.t ? traf.t->frag : NULL;
    first = traf.t ? f->n : 0;

    if (traf.implicit && m->next != m->pos) {
        vod_frag_base(m, &traf, body);
    }

    m->next = traf.base;

    while (vod_rd_box(&body, &box) == 1) {
        if (box.type == vod_fourcc('t', 'r', 'u', 'n')) {
            rc = vod_frag_trun(m, &traf, box.body, err);
            if (rc != VOD_OK) {
                return rc;
            }
        }
    }

    if (traf.t == NULL || f->n == first) {
        return VOD_OK;
    }

    if (f->description == 0) {
        f->description = traf.def.description;

    } else if (f->description != traf.def.description) {
        (void) vod_mp4_entry_like(traf.t, f->description,
                                  traf.def.description, &f->like,
                                  "the fragment at offset", m->pos);
    }

    run = &f->runs[f->n_runs++];
    run->dts = traf.dts;
    run->smooth = traf.smooth;
    run->timed = traf.timed;
    run->first = first;
    run->n = f->n - first;

    for (run->span = 0; first < f->n; first++) {
        run->span += f->samples[first].dur;
    }

    return VOD_OK;
}


/* what stands once in a traf; then the truns can be read as they come */
static int
vod_frag_traf_boxes(vod_frag_moof_t *m, vod_frag_traf_t *traf, vod_rd_t body,
    vod_err_t *err)
{
    int           rc, tfhd, tfdt;
    vod_rd_box_t  box;

    tfhd = 0;
    tfdt = 0;
    memset(traf, 0, sizeof(vod_frag_traf_t));
    traf->dts = -1;

    while ((rc = vod_rd_box(&body, &box)) == 1) {

        rc = VOD_OK;

        switch (box.type) {

        case vod_fourcc('t', 'f', 'h', 'd'):
            rc = tfhd++ ? VOD_DAMAGED
                        : vod_frag_tfhd(m, traf, box.body, err);
            break;

        case vod_fourcc('t', 'f', 'd', 't'):
            rc = tfdt++ ? VOD_DAMAGED : vod_frag_tfdt(traf, box.body, err);
            break;

        case vod_fourcc('u', 'u', 'i', 'd'):
            vod_frag_tfxd(traf, box.body);
            break;
        }

        if (tfhd > 1 || tfdt > 1) {
            return vod_fail(err, VOD_DAMAGED, "a traf holds two %s boxes",
                            tfhd > 1 ? "tfhd" : "tfdt");
        }

        if (rc != VOD_OK) {
            return rc;
        }
    }

    if (rc < 0) {
        return vod_fail(err, VOD_DAMAGED, "a box in traf is larger than traf"
                        " itself");
    }

    if (tfhd == 0) {
        return vod_fail(err, VOD_DAMAGED, "a traf has no tfhd box");
    }

    return VOD_OK;
}


static int
vod_frag_tfhd(vod_frag_moof_t *m, vod_frag_traf_t *traf, vod_rd_t rd,
    vod_err_t *err)
{
    uint32_t    flags, i;
    vod_mp4_t  *mp4;

    static const vod_frag_defaults_t  none = { 1, 0, 0, 0 };

    mp4 = m->mp4;

    vod_rd_skip(&rd, 1);
    flags = vod_rd_u24(&rd);
    traf->id = vod_rd_u32(&rd);
    traf->def = none;

    for (i = 0; i < mp4->n_tracks; i++) {
        if (mp4->tracks[i].id == traf->id) {
            traf->t = &mp4->tracks[i];
            traf->def = traf->t->frag->trex;
            break;
        }
    }

    if (traf->t
        && (traf->t->code != VOD_OK || traf->t->frag->lost))
    {
        traf->t = NULL;
    }

    traf->base = (flags & VOD_TFHD_BASE) ? vod_rd_u64(&rd)
                 : (flags & VOD_TFHD_MOOF_BASE) ? m->pos : m->next;
    traf->implicit = !(flags & (VOD_TFHD_BASE | VOD_TFHD_MOOF_BASE));

    if (flags & VOD_TFHD_DESCRIPTION) {
        traf->def.description = vod_rd_u32(&rd);
    }

    if (flags & VOD_TFHD_DURATION) {
        traf->def.duration = vod_rd_u32(&rd);
    }

    if (flags & VOD_TFHD_SIZE) {
        traf->def.size = vod_rd_u32(&rd);
    }

    if (flags & VOD_TFHD_FLAGS) {
        traf->def.flags = vod_rd_u32(&rd);
    }

    if (rd.failed) {
        return vod_fail(err, VOD_DAMAGED, "a tfhd box is too short");
    }

    return VOD_OK;
}


/* 14496-12, 8.8.12 */
static int
vod_frag_tfdt(vod_frag_traf_t *traf, vod_rd_t rd, vod_err_t *err)
{
    uint8_t   version;
    uint64_t  dts;

    version = vod_rd_u8(&rd);
    vod_rd_skip(&rd, 3);
    dts = (version == 1) ? vod_rd_u64(&rd) : vod_rd_u32(&rd);

    if (rd.failed || dts > VOD_FRAG_MAX) {
        return vod_fail(err, VOD_DAMAGED, "a tfdt box is too short or holds"
                        " no time (%" PRIu64 ")", dts);
    }

    traf->dts = (int64_t) dts;

    return VOD_OK;
}


/* Smooth Streaming's time of a fragment (MS-SSTR, 2.2.4.4) */
static void
vod_frag_tfxd(vod_frag_traf_t *traf, vod_rd_t rd)
{
    uint8_t         version;
    int64_t         time;
    const uint8_t  *id;

    static const uint8_t  tfxd[16] = {
        0x6d, 0x1d, 0x9b, 0x05, 0x42, 0xd5, 0x44, 0xe6,
        0x80, 0xe2, 0x14, 0x1d, 0xaf, 0xf7, 0x57, 0xb2
    };

    id = vod_rd_bytes(&rd, sizeof(tfxd));

    if (id == NULL || memcmp(id, tfxd, sizeof(tfxd)) != 0) {
        return;
    }

    version = vod_rd_u8(&rd);
    vod_rd_skip(&rd, 3);
    time = (version == 1) ? (int64_t) vod_rd_u64(&rd)
                          : (int64_t) vod_rd_u32(&rd);

    if (!rd.failed && time > -(int64_t) VOD_FRAG_MAX
        && time < (int64_t) VOD_FRAG_MAX)
    {
        traf->smooth = time;
        traf->timed = 1;
    }
}


/*
 * 8.8.7: without a flag the data of a traf that is not the first counts from
 * where that of the one before ended.  There are writers that mean moof, as
 * players do that know nothing else: it is moof where the data would lie
 * outside the mdat behind else, and does not then.
 */
static void
vod_frag_base(const vod_frag_moof_t *m, vod_frag_traf_t *traf, vod_rd_t body)
{
    if (m->mdat == 0
        || vod_frag_fits(m, traf, body, traf->base)
        || !vod_frag_fits(m, traf, body, m->pos))
    {
        return;
    }

    traf->base = m->pos;

    if (traf->t) {
        traf->t->frag->from_moof = 1;
    }
}


/* nothing is taken */
static int
vod_frag_fits(const vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    vod_rd_t body, uint64_t base)
{
    vod_err_t        err;
    vod_rd_box_t     box;
    vod_frag_moof_t  look;
    vod_frag_traf_t  from;

    look = *m;
    look.low = UINT64_MAX;
    look.high = 0;
    look.next = base;

    from = *traf;
    from.t = NULL;
    from.base = base;

    while (vod_rd_box(&body, &box) == 1) {
        if (box.type == vod_fourcc('t', 'r', 'u', 'n')
            && vod_frag_trun(&look, &from, box.body, &err) != VOD_OK)
        {
            return 0;
        }
    }

    return look.high == 0 || (look.low >= m->mdat && look.high <= m->mdat_end);
}
