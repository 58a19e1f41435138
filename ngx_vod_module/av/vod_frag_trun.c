#include <inttypes.h>
#include <stdlib.h>

#include "vod_frag.h"


#define VOD_FRAG_NON_SYNC    0x00010000     /* 8.8.3.1 */
#define VOD_FRAG_DEPENDS(f)  (((f) >> 24 & 3) == 1)

/* trun, 8.8.8 */
#define VOD_TRUN_OFFSET      0x000001
#define VOD_TRUN_FIRST       0x000004
#define VOD_TRUN_DURATION    0x000100
#define VOD_TRUN_SIZE        0x000200
#define VOD_TRUN_FLAGS       0x000400
#define VOD_TRUN_CTS         0x000800


/* one trun, its fields as they come */
typedef struct {
    uint32_t        flags;
    uint32_t        n;
    uint32_t        first;              /* flags of the first sample */
    unsigned        width;              /* bytes a sample */
    const uint8_t  *row;
} vod_frag_trun_t;


static int vod_frag_claim(vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    const vod_frag_trun_t *trun, vod_err_t *err);
static int vod_frag_rows(vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    const vod_frag_trun_t *trun, vod_err_t *err);
static void *vod_frag_grow(void *old, uint64_t n, uint32_t *room,
    size_t size);


/* 14496-12, 8.8.8 */
int
vod_frag_trun(vod_frag_moof_t *m, const vod_frag_traf_t *traf, vod_rd_t rd,
    vod_err_t *err)
{
    int              rc;
    int32_t          offset;
    uint32_t         bit;
    vod_frag_trun_t  trun;

    vod_rd_skip(&rd, 1);
    trun.flags = vod_rd_u24(&rd);
    trun.n = vod_rd_u32(&rd);
    trun.first = traf->def.flags;

    /* without an offset the data goes on where the run before ended */

    if (trun.flags & VOD_TRUN_OFFSET) {
        offset = (int32_t) vod_rd_u32(&rd);
        m->next = traf->base + (uint64_t) (int64_t) offset;
    }

    if (trun.flags & VOD_TRUN_FIRST) {
        trun.first = vod_rd_u32(&rd);
    }

    trun.width = 0;

    for (bit = VOD_TRUN_DURATION; bit <= VOD_TRUN_CTS; bit <<= 1) {
        trun.width += (trun.flags & bit) ? 4 : 0;
    }

    if (rd.failed || (uint64_t) trun.n * trun.width > vod_rd_left(&rd)) {
        return vod_fail(err, VOD_DAMAGED, "a trun box of track %u claims %u"
                        " samples and is too short for them", traf->id,
                        trun.n);
    }

    if (trun.n == 0) {
        return VOD_OK;
    }

    trun.row = rd.pos;

    rc = vod_frag_claim(m, traf, &trun, err);

    return (rc == VOD_OK) ? vod_frag_rows(m, traf, &trun, err) : rc;
}


/* before memory is spent on a number that stands alone */
static int
vod_frag_claim(vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    const vod_frag_trun_t *trun, vod_err_t *err)
{
    uint64_t  size;

    size = traf->def.size;

    if (trun->width == 0 && trun->n > 1
        && (size == 0 || trun->n > m->mp4->file_size / size))
    {
        return vod_fail(err, VOD_DAMAGED, "a trun box of track %u claims %u"
                        " samples of %" PRIu64 " bytes in a file of %" PRIu64,
                        traf->id, trun->n, size, m->mp4->file_size);
    }

    if (traf->t == NULL) {
        return VOD_OK;
    }

    if (trun->n > m->left) {
        return vod_fail(err, VOD_LIMIT, "its fragments hold more samples than"
                        " the %" PRIu64 " allowed (vod_max_samples; %u more"
                        " at offset %" PRIu64 "), cut the file into shorter"
                        " ones", m->max, trun->n, m->pos);
    }

    m->left -= trun->n;

    return vod_frag_reserve(traf->t->frag, trun->n, err);
}


static inline uint32_t
vod_frag_field(const uint8_t **p)
{
    uint32_t  v;

    v = (uint32_t) (*p)[0] << 24 | (uint32_t) (*p)[1] << 16
        | (uint32_t) (*p)[2] << 8 | (*p)[3];
    *p += 4;

    return v;
}


/* sizes are 32-bit and at most 2^32: no sum of them reaches 2^64 */
static int
vod_frag_rows(vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    const vod_frag_trun_t *trun, vod_err_t *err)
{
    int                bad;
    uint64_t           pos;
    uint32_t           i, flags;
    vod_sample_t       s, *out;
    const uint8_t     *p;
    vod_frag_track_t  *f;

    if (traf->t && m->next > VOD_FRAG_MAX) {
        return vod_fail(err, VOD_DAMAGED, "the data of track %u lies at offset"
                        " %" PRId64, traf->id, (int64_t) m->next);
    }

    f = traf->t ? traf->t->frag : NULL;
    out = f ? f->samples + f->n : NULL;
    p = trun->row;
    pos = m->next;
    bad = 0;

    for (i = 0; i < trun->n; i++) {
        s.dur = (trun->flags & VOD_TRUN_DURATION) ? vod_frag_field(&p)
                                                  : traf->def.duration;
        s.size = (trun->flags & VOD_TRUN_SIZE) ? vod_frag_field(&p)
                                               : traf->def.size;
        flags = (trun->flags & VOD_TRUN_FLAGS) ? vod_frag_field(&p)
                                               : traf->def.flags;

        if (i == 0 && (trun->flags & VOD_TRUN_FIRST)) {
            flags = trun->first;
        }

        /* signed in version 0 too, the way it is written */

        s.cts = (trun->flags & VOD_TRUN_CTS) ? (int32_t) vod_frag_field(&p)
                                             : 0;
        s.pos = pos;
        pos += s.size;

        if (out == NULL) {
            continue;
        }

        bad |= (s.dur > INT32_MAX || s.cts >= VOD_MP4_MAX_CTS
                || s.cts <= -VOD_MP4_MAX_CTS);

        s.key = !((flags & VOD_FRAG_NON_SYNC) || VOD_FRAG_DEPENDS(flags));
        *out++ = s;
    }

    m->low = (m->next < m->low) ? m->next : m->low;
    m->high = (pos > m->high) ? pos : m->high;
    m->next = pos;

    if (out == NULL) {
        return VOD_OK;
    }

    if (bad) {
        return vod_fail(err, VOD_DAMAGED, "a sample of track %u has a duration"
                        " or composition offset that is no time", traf->id);
    }

    f->n += trun->n;
    f->data_end = (pos > f->data_end) ? pos : f->data_end;

    return VOD_OK;
}


int
vod_frag_reserve(vod_frag_track_t *f, uint32_t n, vod_err_t *err)
{
    void  *p;

    p = vod_frag_grow(f->samples, (uint64_t) f->n + n, &f->room,
                      sizeof(vod_sample_t));
    f->samples = p ? p : f->samples;

    if (p) {
        p = vod_frag_grow(f->runs, (uint64_t) f->n_runs + 1, &f->run_room,
                          sizeof(vod_frag_run_t));
        f->runs = p ? p : f->runs;
    }

    if (p == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u samples",
                        f->n + n);
    }

    return VOD_OK;
}


static void *
vod_frag_grow(void *old, uint64_t n, uint32_t *room, size_t size)
{
    void      *p;
    uint64_t   want;

    if (n <= *room) {
        return old;
    }

    want = (uint64_t) *room * 2;
    want = (want < 64) ? 64 : want;
    want = (want < n) ? n : want;

    if (want > UINT32_MAX) {
        return NULL;
    }

    p = realloc(old, want * size);

    if (p) {
        *room = (uint32_t) want;
    }

    return p;
}
