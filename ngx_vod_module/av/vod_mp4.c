#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vod_frag.h"


#define VOD_MP4_MAX_BOXES  4096     /* headers looked at in the file */


/* where the search through the top level stands */
typedef struct {
    uint64_t  pos;
    uint64_t  moov;             /* offset of the body */
    uint64_t  moov_len;
    int       found;            /* moov */
    int       meta;             /* of a still image */
    uint32_t  cut_type;         /* box the file ends in, or 0 */
    uint64_t  cut_size;
} vod_mp4_scan_t;


static int vod_mp4_scan(vod_mp4_t *mp4, vod_source_t *s,
    vod_mp4_scan_t *scan, vod_err_t *err);
static int vod_mp4_scan_box(vod_mp4_t *mp4, vod_source_t *s,
    vod_mp4_scan_t *scan, uint32_t type, uint64_t header, uint64_t size,
    vod_err_t *err);
static int vod_mp4_scan_failed(const vod_mp4_t *mp4,
    const vod_mp4_scan_t *scan, vod_err_t *err);
static int vod_mp4_ftyp(vod_mp4_t *mp4, vod_source_t *s, uint64_t pos,
    uint64_t size, vod_err_t *err);


int
vod_mp4_open(vod_mp4_t *mp4, vod_source_t *s, const vod_av_limits_t *limits,
    vod_err_t *err)
{
    int             rc;
    vod_mp4_scan_t  scan;

    memset(mp4, 0, sizeof(vod_mp4_t));
    mp4->source = s;
    mp4->file_size = s->src->size;
    mp4->quicktime = 1;

    rc = vod_mp4_scan(mp4, s, &scan, err);
    if (rc != VOD_OK) {
        return rc;
    }

    if (scan.moov_len > limits->max_moov) {
        return vod_fail(err, VOD_LIMIT, "its moov box has %" PRIu64 " bytes,"
                        " more than the %" PRIu64 " allowed"
                        " (vod_max_index_size), cut the file into shorter"
                        " ones", scan.moov_len,
                        limits->max_moov);
    }

    mp4->moov = malloc(scan.moov_len ? scan.moov_len : 1);
    if (mp4->moov == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a moov box of %" PRIu64
                        " bytes", scan.moov_len);
    }

    mp4->moov_len = scan.moov_len;

    rc = vod_source_read(s, mp4->moov, scan.moov_len, scan.moov, err);
    if (rc != VOD_OK) {
        return rc;
    }

    rc = vod_mp4_moov(mp4, limits, err);

    if (rc == VOD_OK && mp4->fragmented) {
        rc = vod_frag_read(mp4, s, limits, err);
    }

    return rc;
}


void
vod_mp4_close(vod_mp4_t *mp4)
{
    uint32_t  i;

    for (i = 0; i < mp4->n_tracks; i++) {
        vod_frag_free(mp4->tracks[i].frag);
    }

    free(mp4->moov);
    free(mp4->tracks);
    mp4->moov = NULL;
    mp4->tracks = NULL;
    mp4->n_tracks = 0;
}


/* headers only, to the end or to the first fragment: a second moov may come
   late */
static int
vod_mp4_scan(vod_mp4_t *mp4, vod_source_t *s, vod_mp4_scan_t *scan,
    vod_err_t *err)
{
    int       rc;
    uint8_t   head[16];
    vod_rd_t  rd;
    uint64_t  left, size, header;
    uint32_t  type, n;

    memset(scan, 0, sizeof(vod_mp4_scan_t));

    for (n = 0; n < VOD_MP4_MAX_BOXES; n++) {

        left = mp4->file_size - scan->pos;
        if (left < 8) {
            break;
        }

        header = (left < sizeof(head)) ? left : sizeof(head);

        rc = vod_source_read(s, head, header, scan->pos, err);
        if (rc != VOD_OK) {
            return rc;
        }

        vod_rd_init(&rd, head, header);
        size = vod_rd_u32(&rd);
        type = vod_rd_u32(&rd);
        header = 8;

        if (size == 1) {
            size = vod_rd_u64(&rd);
            header = 16;

        } else if (size == 0) {
            size = left;
        }

        if (rd.failed || size < header || type == 0) {
            break;
        }

        rc = vod_mp4_scan_box(mp4, s, scan, type, header, size, err);
        if (rc != VOD_OK) {
            return rc;
        }

        if (mp4->moof) {
            break;
        }

        if (size > left) {
            scan->cut_type = type;
            scan->cut_size = size;
            break;
        }

        scan->pos += size;
    }

    return scan->found ? VOD_OK : vod_mp4_scan_failed(mp4, scan, err);
}


static int
vod_mp4_scan_box(vod_mp4_t *mp4, vod_source_t *s, vod_mp4_scan_t *scan,
    uint32_t type, uint64_t header, uint64_t size, vod_err_t *err)
{
    uint64_t  left;

    left = mp4->file_size - scan->pos;

    switch (type) {

    case vod_fourcc('f', 't', 'y', 'p'):
        return vod_mp4_ftyp(mp4, s, scan->pos + header,
                            (size < left ? size : left) - header, err);

    case vod_fourcc('m', 'e', 't', 'a'):
        scan->meta = 1;
        return VOD_OK;

    case vod_fourcc('m', 'o', 'o', 'f'):
        if (scan->found) {
            mp4->fragmented = 1;
            mp4->moof = scan->pos;
            return VOD_OK;
        }

        return vod_fail(err, VOD_DAMAGED, "a media segment (moof at offset %"
                        PRIu64 ") without its header, name the whole file",
                        scan->pos);

    case vod_fourcc('m', 'o', 'o', 'v'):
        break;

    default:
        return VOD_OK;
    }

    if (scan->found) {
        return vod_fail(err, VOD_DAMAGED, "it has two moov boxes, the second"
                        " at offset %" PRIu64 ", remux the file", scan->pos);
    }

    if (size > left) {
        return vod_fail(err, VOD_DAMAGED, "the file ends inside its moov box"
                        " (%" PRIu64 " of %" PRIu64 " bytes are there), put"
                        " the whole file there", left, size);
    }

    scan->found = 1;
    scan->moov = scan->pos + header;
    scan->moov_len = size - header;

    return VOD_OK;
}


static int
vod_mp4_scan_failed(const vod_mp4_t *mp4, const vod_mp4_scan_t *scan,
    vod_err_t *err)
{
    char  name[5];

    if (scan->cut_type) {
        vod_mp4_fourcc(scan->cut_type, name);

        return vod_fail(err, VOD_DAMAGED, "the file ends inside its %s box"
                        " (%" PRIu64 " of %" PRIu64 " bytes are there) and"
                        " has no moov box before, put the whole file there",
                        name, mp4->file_size - scan->pos, scan->cut_size);
    }

    if (scan->meta) {
        return vod_fail(err, VOD_UNSUPPORTED, "a still image (HEIF or AVIF)"
                        " cannot be packaged, name a video or audio file");
    }

    return vod_fail(err, VOD_DAMAGED, "no moov box is found up to offset %"
                    PRIu64 " of %" PRIu64 ", the file is incomplete or"
                    " damaged: remux it", scan->pos, mp4->file_size);
}


/* the major brand */
static int
vod_mp4_ftyp(vod_mp4_t *mp4, vod_source_t *s, uint64_t pos, uint64_t size,
    vod_err_t *err)
{
    int      rc;
    uint8_t  brand[4];

    if (mp4->ftyp || size < sizeof(brand)) {
        return VOD_OK;
    }

    rc = vod_source_read(s, brand, sizeof(brand), pos, err);
    if (rc != VOD_OK) {
        return rc;
    }

    mp4->ftyp = 1;
    mp4->quicktime = memcmp(brand, "qt  ", 4) == 0;

    return VOD_OK;
}


int
vod_mp4_probe(const uint8_t *head, uint64_t len)
{
    vod_rd_t  rd;
    uint64_t  size;
    uint32_t  type;

    vod_rd_init(&rd, head, len);
    size = vod_rd_u32(&rd);
    type = vod_rd_u32(&rd);

    return !rd.failed && (size >= 8 || size == 1)
           && (type == vod_fourcc('f', 't', 'y', 'p')
               || type == vod_fourcc('m', 'o', 'o', 'v')
               || type == vod_fourcc('s', 't', 'y', 'p')
               || type == vod_fourcc('s', 'i', 'd', 'x')
               || type == vod_fourcc('m', 'o', 'o', 'f'));
}


int
vod_mp4_leave_out(vod_mp4_track_t *t, int code, const char *fmt, ...)
{
    va_list  args;

    t->code = code;

    va_start(args, fmt);
    (void) vsnprintf(t->why, sizeof(t->why), fmt, args);
    va_end(args);

    return code;
}


void
vod_mp4_fourcc(uint32_t fourcc, char out[5])
{
    int      i;
    uint8_t  c;

    for (i = 0; i < 4; i++) {
        c = (uint8_t) (fourcc >> (24 - 8 * i));
        out[i] = (char) ((c < 0x20 || c > 0x7e) ? '.' : c);
    }

    out[4] = '\0';
}


int
vod_mp4_children(vod_rd_t body, const char *parent, vod_mp4_child_t *want,
    unsigned n, vod_err_t *err)
{
    int           rc;
    char          name[5];
    unsigned      i;
    vod_rd_box_t  box;

    while ((rc = vod_rd_box(&body, &box)) == 1) {

        for (i = 0; i < n && want[i].type != box.type; i++) { /* void */ }

        if (i == n) {
            continue;
        }

        if (want[i].found++) {
            vod_mp4_fourcc(box.type, name);

            return vod_fail(err, VOD_DAMAGED, "%s holds two %s boxes, remux"
                            " the file", parent, name);
        }

        want[i].body = box.body;
    }

    if (rc < 0) {
        return vod_fail(err, VOD_DAMAGED, "a box in %s is larger than %s"
                        " itself, remux the file", parent, parent);
    }

    return VOD_OK;
}
