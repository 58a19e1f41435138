#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vod_frag.h"


#define VOD_FRAG_MAX_BOXES  (1 << 22)   /* of the top level */
#define VOD_FRAG_HEAD       16          /* bytes of a header, at most */


/* where the reading of the file stands */
typedef struct {
    vod_mp4_t              *mp4;
    vod_source_t           *source;
    const vod_av_limits_t  *limits;
    uint8_t                *buf;        /* a moof and the header behind it */
    uint64_t                room;
    uint8_t                 head[VOD_FRAG_HEAD];
    uint64_t                head_len;   /* bytes of it that are read */
    uint64_t                pos;        /* of the box */
    uint64_t                size;
    uint64_t                header;     /* bytes of its header */
    uint32_t                type;
    uint32_t                whole;      /* fragments */
    int                     end;
    char                    why[VOD_ERR_TEXT];  /* ... before the file's end */
} vod_frag_scan_t;


static int vod_frag_tracks(vod_mp4_t *mp4, vod_err_t *err);
static int vod_frag_trex(vod_mp4_t *mp4, vod_rd_t rd, vod_err_t *err);
static int vod_frag_scan(vod_frag_scan_t *scan, vod_err_t *err);
static int vod_frag_header(vod_frag_scan_t *scan, vod_err_t *err);
static int vod_frag_box(vod_frag_scan_t *scan, vod_err_t *err);
static int vod_frag_fragment(vod_frag_scan_t *scan, vod_err_t *err);
static int vod_frag_load(vod_frag_scan_t *scan, vod_rd_t *body,
    vod_err_t *err);
static void vod_frag_mdat(const vod_frag_scan_t *scan, vod_frag_moof_t *m);
static void vod_frag_there(vod_frag_scan_t *scan);
static void vod_frag_stop(vod_frag_scan_t *scan, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
static void vod_frag_keep(vod_mp4_t *mp4, int whole);
static uint64_t vod_frag_count(const vod_mp4_t *mp4, int moov);
static int vod_frag_result(vod_frag_scan_t *scan, vod_err_t *err);
static void vod_frag_entries(vod_mp4_t *mp4);


int
vod_frag_read(vod_mp4_t *mp4, vod_source_t *s, const vod_av_limits_t *limits,
    vod_err_t *err)
{
    int              rc;
    vod_frag_scan_t  scan;

    rc = vod_frag_tracks(mp4, err);
    if (rc != VOD_OK) {
        return rc;
    }

    memset(&scan, 0, sizeof(vod_frag_scan_t));
    scan.mp4 = mp4;
    scan.source = s;
    scan.limits = limits;
    scan.pos = mp4->moof;
    scan.end = (mp4->moof == 0);

    rc = vod_frag_scan(&scan, err);

    if (rc == VOD_OK) {
        rc = vod_frag_result(&scan, err);
    }

    free(scan.buf);

    return rc;
}


/* 14496-12, 8.8.1: mvex holds a trex for each track */
static int
vod_frag_tracks(vod_mp4_t *mp4, vod_err_t *err)
{
    int            rc;
    uint32_t       i;
    vod_rd_t       rd;
    vod_rd_box_t   box;

    for (i = 0; i < mp4->n_tracks; i++) {
        mp4->tracks[i].frag = calloc(1, sizeof(vod_frag_track_t));

        if (mp4->tracks[i].frag == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for %u tracks",
                            mp4->n_tracks);
        }

        mp4->tracks[i].frag->trex.description = 1;
    }

    rd = mp4->mvex;

    while ((rc = vod_rd_box(&rd, &box)) == 1) {
        if (box.type == vod_fourcc('t', 'r', 'e', 'x')) {
            rc = vod_frag_trex(mp4, box.body, err);
            if (rc != VOD_OK) {
                return rc;
            }
        }
    }

    if (rc < 0) {
        return vod_fail(err, VOD_DAMAGED, "a box in mvex is larger than mvex"
                        " itself, remux the file");
    }

    return VOD_OK;
}


/* 14496-12, 8.8.3 */
static int
vod_frag_trex(vod_mp4_t *mp4, vod_rd_t rd, vod_err_t *err)
{
    uint32_t           id, i;
    vod_frag_track_t  *f;

    vod_rd_skip(&rd, 4);
    id = vod_rd_u32(&rd);

    for (i = 0; i < mp4->n_tracks && mp4->tracks[i].id != id; i++) {
        /* void */
    }

    if (i == mp4->n_tracks) {
        return VOD_OK;
    }

    f = mp4->tracks[i].frag;

    if (f->known++) {
        return vod_fail(err, VOD_DAMAGED, "mvex holds two trex boxes for"
                        " track %u, remux the file", id);
    }

    f->trex.description = vod_rd_u32(&rd);
    f->trex.duration = vod_rd_u32(&rd);
    f->trex.size = vod_rd_u32(&rd);
    f->trex.flags = vod_rd_u32(&rd);

    if (rd.failed) {
        return vod_fail(err, VOD_DAMAGED, "the trex box of track %u is too"
                        " short, remux the file", id);
    }

    return VOD_OK;
}


static int
vod_frag_scan(vod_frag_scan_t *scan, vod_err_t *err)
{
    int       rc;
    uint32_t  n;

    for (n = 0; !scan->end; n++) {

        if (n == VOD_FRAG_MAX_BOXES) {
            return vod_fail(err, VOD_LIMIT, "it holds more than %u boxes up to"
                            " offset %" PRIu64 ", cut the file into shorter"
                            " ones or write longer fragments", n, scan->pos);
        }

        rc = vod_frag_header(scan, err);

        if (rc == VOD_OK && !scan->end) {
            rc = vod_frag_box(scan, err);
        }

        if (rc != VOD_OK) {
            return rc;
        }

        scan->pos += scan->size;
    }

    return VOD_OK;
}


static int
vod_frag_header(vod_frag_scan_t *scan, vod_err_t *err)
{
    int       rc;
    vod_rd_t  rd;
    uint64_t  left;

    left = scan->mp4->file_size - scan->pos;

    if (left < 8) {
        scan->end = 1;
        return VOD_OK;
    }

    if (scan->head_len == 0) {
        scan->head_len = (left < VOD_FRAG_HEAD) ? left : VOD_FRAG_HEAD;

        rc = vod_source_read(scan->source, scan->head, scan->head_len,
                             scan->pos, err);
        if (rc != VOD_OK) {
            return rc;
        }
    }

    vod_rd_init(&rd, scan->head, scan->head_len);
    scan->head_len = 0;
    scan->size = vod_rd_u32(&rd);
    scan->type = vod_rd_u32(&rd);
    scan->header = 8;

    if (scan->size == 1) {
        scan->size = vod_rd_u64(&rd);
        scan->header = 16;

    } else if (scan->size == 0) {
        scan->size = left;
    }

    if (rd.failed || scan->size < scan->header || scan->type == 0) {
        vod_frag_stop(scan, "there is no box at offset %" PRIu64, scan->pos);
    }

    return VOD_OK;
}


static int
vod_frag_box(vod_frag_scan_t *scan, vod_err_t *err)
{
    uint64_t  left;

    left = scan->mp4->file_size - scan->pos;

    if (scan->type == vod_fourcc('m', 'o', 'o', 'v')) {
        return vod_fail(err, VOD_DAMAGED, "it has two moov boxes, the second"
                        " at offset %" PRIu64 ", remux the file", scan->pos);
    }

    if (scan->size > left) {
        scan->end = 1;
        scan->size = left;
    }

    if (scan->type != vod_fourcc('m', 'o', 'o', 'f')) {
        return VOD_OK;
    }

    if (scan->end) {
        vod_frag_stop(scan, "the file ends inside the moof box at offset %"
                      PRIu64, scan->pos);
        return VOD_OK;
    }

    return vod_frag_fragment(scan, err);
}


static int
vod_frag_fragment(vod_frag_scan_t *scan, vod_err_t *err)
{
    int              rc;
    vod_rd_t         body;
    vod_frag_moof_t  m;

    rc = vod_frag_load(scan, &body, err);
    if (rc != VOD_OK) {
        return rc;
    }

    m.mp4 = scan->mp4;
    m.pos = scan->pos;
    m.next = scan->pos;
    m.low = 0;
    m.high = 0;
    vod_frag_mdat(scan, &m);
    m.max = scan->limits->max_samples;
    m.left = vod_frag_count(scan->mp4, 1) + vod_frag_count(scan->mp4, 0);
    m.left = (m.left < m.max) ? m.max - m.left : 0;

    rc = vod_frag_moof(&m, body, err);

    if (rc == VOD_DAMAGED) {
        vod_frag_stop(scan, "in the fragment at offset %" PRIu64 " %s",
                      scan->pos, err->text);
        rc = VOD_OK;

    } else if (rc == VOD_OK) {
        vod_frag_there(scan);
    }

    vod_frag_keep(scan->mp4, !scan->end);
    scan->whole += !scan->end;

    return rc;
}


/* the body of a moof; with it comes the header of the box behind */
static int
vod_frag_load(vod_frag_scan_t *scan, vod_rd_t *body, vod_err_t *err)
{
    int       rc;
    uint8_t  *buf;
    uint64_t  len, more, left;

    len = scan->size - scan->header;

    if (len > scan->limits->max_moov) {
        return vod_fail(err, VOD_LIMIT, "its moof box at offset %" PRIu64
                        " has %" PRIu64 " bytes, more than the %" PRIu64
                        " allowed (vod_max_index_size), write shorter"
                        " fragments", scan->pos, len,
                        scan->limits->max_moov);
    }

    left = scan->mp4->file_size - scan->pos - scan->size;
    more = (left < VOD_FRAG_HEAD) ? left : VOD_FRAG_HEAD;

    if (len + more > scan->room) {
        buf = realloc(scan->buf, 2 * (len + more));
        if (buf == NULL) {
            return vod_fail(err, VOD_NOMEM, "no memory for a moof box of %"
                            PRIu64 " bytes", len);
        }

        scan->buf = buf;
        scan->room = 2 * (len + more);
    }

    if (len + more) {
        rc = vod_source_read(scan->source, scan->buf, len + more,
                             scan->pos + scan->header, err);
        if (rc != VOD_OK) {
            return rc;
        }

        memcpy(scan->head, scan->buf + len, more);
    }

    scan->head_len = (more < 8) ? 0 : more;
    vod_rd_init(body, scan->buf, len);

    return VOD_OK;
}


/* the payload behind a moof, as far as it is one mdat */
static void
vod_frag_mdat(const vod_frag_scan_t *scan, vod_frag_moof_t *m)
{
    uint64_t  size, header;
    vod_rd_t  rd;

    vod_rd_init(&rd, scan->head, scan->head_len);
    size = vod_rd_u32(&rd);
    header = (size == 1) ? 16 : 8;

    m->mdat = 0;
    m->mdat_end = 0;

    if (vod_rd_u32(&rd) != vod_fourcc('m', 'd', 'a', 't')) {
        return;
    }

    size = (size == 1) ? vod_rd_u64(&rd) : size;
    m->mdat = scan->pos + scan->size + header;

    m->mdat_end = (rd.failed || size < header
                   || size > scan->mp4->file_size - (m->mdat - header))
                  ? scan->mp4->file_size : m->mdat - header + size;
}


/* whether the data of a fragment is in the file */
static void
vod_frag_there(vod_frag_scan_t *scan)
{
    uint32_t           i;
    uint64_t           end, left, size;
    vod_rd_t           rd;
    vod_frag_track_t  *f;

    end = scan->mp4->file_size;

    for (i = 0; i < scan->mp4->n_tracks; i++) {
        f = scan->mp4->tracks[i].frag;
        end = (f->data_end > end) ? f->data_end : end;
    }

    if (end == scan->mp4->file_size) {
        return;
    }

    /* the box behind, its mdat, tells which of the two is wrong */

    left = scan->mp4->file_size - scan->pos - scan->size;
    vod_rd_init(&rd, scan->head, scan->head_len);
    size = vod_rd_u32(&rd);
    vod_rd_skip(&rd, 4);
    size = (size == 1) ? vod_rd_u64(&rd) : size;

    if (rd.failed || size == 0 || size > left) {
        vod_frag_stop(scan, "the file ends inside the fragment at offset %"
                      PRIu64 " (%" PRIu64 " of %" PRIu64 " bytes are there)",
                      scan->pos, scan->mp4->file_size - scan->pos,
                      end - scan->pos);
        return;
    }

    for (i = 0; i < scan->mp4->n_tracks; i++) {
        f = scan->mp4->tracks[i].frag;

        if (f->data_end > scan->mp4->file_size) {
            f->lost = scan->pos;
            f->n = f->whole;
            f->n_runs = f->whole_runs;
        }
    }
}


/* nothing behind here is read */
static void
vod_frag_stop(vod_frag_scan_t *scan, const char *fmt, ...)
{
    va_list  args;

    scan->end = 1;

    va_start(args, fmt);
    (void) vsnprintf(scan->why, sizeof(scan->why), fmt, args);
    va_end(args);
}


/* the samples of the last fragment, whole or not */
static void
vod_frag_keep(vod_mp4_t *mp4, int whole)
{
    uint32_t           i;
    vod_frag_track_t  *f;

    for (i = 0; i < mp4->n_tracks; i++) {
        f = mp4->tracks[i].frag;
        f->data_end = 0;

        if (whole) {
            f->whole = f->n;
            f->whole_runs = f->n_runs;

        } else {
            f->n = f->whole;
            f->n_runs = f->whole_runs;
        }
    }
}


/* samples of the tracks not left out */
static uint64_t
vod_frag_count(const vod_mp4_t *mp4, int moov)
{
    uint32_t  i;
    uint64_t  sum;

    for (i = 0, sum = 0; i < mp4->n_tracks; i++) {
        if (mp4->tracks[i].code == VOD_OK) {
            sum += moov ? mp4->tracks[i].n_samples : mp4->tracks[i].frag->n;
        }
    }

    return sum;
}


static int
vod_frag_result(vod_frag_scan_t *scan, vod_err_t *err)
{
    vod_mp4_t  *mp4;

    mp4 = scan->mp4;

    if (scan->whole == 0 && vod_frag_count(mp4, 1) == 0) {

        if (scan->why[0] == '\0') {
            return vod_fail(err, VOD_DAMAGED, "a header without fragments (an"
                            " initialization segment), name the whole file");
        }

        return vod_fail(err, VOD_DAMAGED, "%s, and there is no whole fragment"
                        " before it, put the whole file there", scan->why);
    }

    if (scan->why[0]) {
        (void) snprintf(mp4->note, sizeof(mp4->note), "%s: what is before it"
                        " (%u fragments) is served, put the whole file there",
                        scan->why, scan->whole);
    }

    vod_frag_entries(mp4);

    return VOD_OK;
}


static void
vod_frag_entries(vod_mp4_t *mp4)
{
    uint32_t          i;
    uint64_t          none;
    vod_mp4_track_t  *t;

    for (i = 0; i < mp4->n_tracks; i++) {
        t = &mp4->tracks[i];
        none = 0;

        if (t->code != VOD_OK) {
            continue;
        }

        if (t->n_samples == 0 && t->frag->n == 0) {
            if (t->frag->lost) {
                vod_mp4_leave_out(t, VOD_DAMAGED, "the data of its fragment"
                                  " at offset %" PRIu64 " lies beyond the end"
                                  " of the file (%" PRIu64 " bytes), put the"
                                  " whole file there", t->frag->lost,
                                  mp4->file_size);

            } else {
                vod_mp4_leave_out(t, VOD_DAMAGED, "it holds no sample");
            }

            continue;
        }

        if (t->n_samples && t->frag->n
            && t->frag->description != t->description
            && vod_mp4_entry_like(t, t->description, t->frag->description,
                                  &none, "sample", t->n_samples + 1ull)
               != VOD_OK)
        {
            continue;
        }

        if (t->frag->n) {
            vod_mp4_entry(t, t->frag->description);
        }
    }
}


void
vod_frag_free(vod_frag_track_t *f)
{
    if (f) {
        free(f->samples);
        free(f->runs);
        free(f);
    }
}
