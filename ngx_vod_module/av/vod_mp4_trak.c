#include <stdlib.h>
#include <string.h>

#include "vod_mp4.h"
#include "vod_subs.h"


/* children of trak, mdia and minf that are read */
enum { TKHD, EDTS, MDIA, TREF, UDTA, N_TRAK };
enum { MDHD, HDLR, ELNG, MINF, N_MDIA };
enum { DINF, STBL, N_MINF };


static void vod_mp4_tkhd(const vod_mp4_t *mp4, vod_mp4_track_t *t,
    vod_rd_t rd);
static int vod_mp4_mdia(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body);
static int vod_mp4_minf(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body);
static int vod_mp4_mdhd(vod_mp4_track_t *t, vod_rd_t rd);
static int vod_mp4_kind(vod_mp4_track_t *t);
static void vod_mp4_edts(vod_mp4_track_t *t, vod_rd_t body);


void
vod_mp4_trak(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body)
{
    vod_err_t        err;
    vod_mp4_child_t  c[N_TRAK] = {
        [TKHD] = vod_mp4_child('t', 'k', 'h', 'd'),
        [EDTS] = vod_mp4_child('e', 'd', 't', 's'),
        [MDIA] = vod_mp4_child('m', 'd', 'i', 'a'),
        [TREF] = vod_mp4_child('t', 'r', 'e', 'f'),
        [UDTA] = vod_mp4_child('u', 'd', 't', 'a'),
    };

    if (vod_mp4_children(body, "trak", c, N_TRAK, &err) != VOD_OK) {
        vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
        return;
    }

    if (c[TKHD].found) {
        vod_mp4_tkhd(mp4, t, c[TKHD].body);
    }

    if (!c[MDIA].found) {
        vod_mp4_leave_out(t, VOD_DAMAGED, "it has no mdia box, remux the"
                          " file");
        return;
    }

    if (c[UDTA].found) {
        vod_mp4_name(t, c[UDTA].body);
        vod_mp4_kinds(t, c[UDTA].body);
    }

    t->tref = c[TREF].body;

    if (c[EDTS].found) {
        vod_mp4_edts(t, c[EDTS].body);
    }

    if (t->code == VOD_OK) {
        (void) vod_mp4_mdia(mp4, t, c[MDIA].body);
    }
}


/* 14496-12, 8.3.2 */
static void
vod_mp4_tkhd(const vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t rd)
{
    int       i, j, k;
    int32_t   m[9];
    int64_t   sum;
    uint8_t   version;
    uint32_t  flags, id;

    static const int  shift[3] = { 16, 16, 30 };

    version = vod_rd_u8(&rd);
    flags = vod_rd_u24(&rd);
    vod_rd_skip(&rd, version == 1 ? 16 : 8);
    id = vod_rd_u32(&rd);
    vod_rd_skip(&rd, version == 1 ? 12 : 8);
    vod_rd_skip(&rd, 8 + 2 + 2 + 2 + 2);

    for (i = 0; i < 9; i++) {
        m[i] = (int32_t) vod_rd_u32(&rd);
    }

    t->width = vod_rd_u32(&rd);
    t->height = vod_rd_u32(&rd);

    if (rd.failed) {
        vod_mp4_leave_out(t, VOD_DAMAGED, "its tkhd box is too short, remux"
                          " the file");
        return;
    }

    t->enabled = flags & 1;

    if (id) {
        t->id = id;
    }

    /* the movie's matrix applies behind the track's (6.2.2); the output has
       only the track's */

    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            for (k = 0, sum = 0; k < 3; k++) {
                sum += ((int64_t) m[3 * i + k] * mp4->matrix[3 * k + j])
                       >> shift[k];
            }

            t->matrix[3 * i + j] = (int32_t) sum;
        }
    }
}


static int
vod_mp4_mdia(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body)
{
    vod_err_t        err;
    vod_mp4_child_t  c[N_MDIA] = {
        [MDHD] = vod_mp4_child('m', 'd', 'h', 'd'),
        [HDLR] = vod_mp4_child('h', 'd', 'l', 'r'),
        [ELNG] = vod_mp4_child('e', 'l', 'n', 'g'),
        [MINF] = vod_mp4_child('m', 'i', 'n', 'f'),
    };

    if (vod_mp4_children(body, "mdia", c, N_MDIA, &err) != VOD_OK) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
    }

    if (!c[MDHD].found || !c[HDLR].found || !c[MINF].found) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its mdia box lacks %s,"
                                 " remux the file", !c[MDHD].found ? "mdhd"
                                 : !c[HDLR].found ? "hdlr" : "minf");
    }

    vod_mp4_hdlr(t, c[HDLR].body);

    if (c[ELNG].found) {
        vod_rd_skip(&c[ELNG].body, 4);

        if (vod_rd_left(&c[ELNG].body) < sizeof(t->lang)) {
            memcpy(t->lang, c[ELNG].body.pos, vod_rd_left(&c[ELNG].body));
        }
    }

    (void) vod_mp4_minf(mp4, t, c[MINF].body);

    /* what it is counts before whether its tables hold */

    if (vod_mp4_kind(t) != VOD_OK || t->code != VOD_OK) {
        return t->code;
    }

    return vod_mp4_mdhd(t, c[MDHD].body);
}


static int
vod_mp4_minf(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body)
{
    vod_err_t        err;
    vod_mp4_child_t  c[N_MINF] = {
        [DINF] = vod_mp4_child('d', 'i', 'n', 'f'),
        [STBL] = vod_mp4_child('s', 't', 'b', 'l'),
    };
    vod_mp4_child_t  dref = vod_mp4_child('d', 'r', 'e', 'f');

    if (vod_mp4_children(body, "minf", c, N_MINF, &err) != VOD_OK) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
    }

    if (c[DINF].found) {
        if (vod_mp4_children(c[DINF].body, "dinf", &dref, 1, &err)
            != VOD_OK)
        {
            return vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
        }
    }

    if (!c[STBL].found) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "it has no stbl box, remux"
                                 " the file");
    }

    t->dref = dref.body;

    return vod_mp4_stbl(mp4, t, c[STBL].body);
}


/* 14496-12, 8.4.2; an extended language (8.4.6) goes before its own */
static int
vod_mp4_mdhd(vod_mp4_track_t *t, vod_rd_t rd)
{
    uint8_t   version;
    unsigned  lang;

    version = vod_rd_u8(&rd);
    vod_rd_skip(&rd, 3);
    vod_rd_skip(&rd, version == 1 ? 16 : 8);
    t->timescale = vod_rd_u32(&rd);
    vod_rd_skip(&rd, version == 1 ? 8 : 4);
    lang = vod_rd_u16(&rd);
    vod_rd_skip(&rd, 2);

    if (t->lang[0] == '\0') {
        vod_mp4_lang(lang, t->lang);
    }

    if (rd.failed) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its mdhd box is too short,"
                                 " remux the file");
    }

    if (t->timescale == 0 || t->timescale > INT32_MAX) {
        return vod_mp4_leave_out(t, VOD_DAMAGED, "its timescale is %u, remux"
                                 " the file", t->timescale);
    }

    return VOD_OK;
}


static int
vod_mp4_kind(vod_mp4_track_t *t)
{
    switch (t->handler) {

    case vod_fourcc('v', 'i', 'd', 'e'):
        t->kind = VOD_VIDEO;
        return VOD_OK;

    case vod_fourcc('s', 'o', 'u', 'n'):
        t->kind = VOD_AUDIO;
        return VOD_OK;

    case vod_fourcc('t', 'e', 'x', 't'):
    case vod_fourcc('s', 'b', 't', 'l'):
    case vod_fourcc('s', 'u', 'b', 't'):
    case vod_fourcc('c', 'l', 'c', 'p'):
    case vod_fourcc('s', 'u', 'b', 'p'):
        return vod_subs_mp4(t);

    case vod_fourcc('t', 'm', 'c', 'd'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "a timecode track is"
                                 " nothing to play");

    case vod_fourcc('h', 'i', 'n', 't'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "a hint track is for"
                                 " RTP servers");

    case vod_fourcc('a', 'u', 'x', 'v'):
    case vod_fourcc('p', 'i', 'c', 't'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "auxiliary pictures are"
                                 " not for playback of their own");

    default:
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "it is neither video nor"
                                 " audio");
    }
}


static void
vod_mp4_edts(vod_mp4_track_t *t, vod_rd_t body)
{
    vod_err_t        err;
    vod_mp4_child_t  c = vod_mp4_child('e', 'l', 's', 't');

    if (vod_mp4_children(body, "edts", &c, 1, &err) != VOD_OK) {
        vod_mp4_leave_out(t, VOD_DAMAGED, "%s", err.text);
        return;
    }

    t->elst = c.body;
}


/* 14496-12, 8.6.6 */
int
vod_mp4_edits(const vod_mp4_track_t *t, vod_edit_entry_t **entries,
    uint32_t *n, vod_err_t *err)
{
    uint8_t   version;
    uint32_t  i, count;
    vod_rd_t  rd;

    *entries = NULL;
    *n = 0;

    rd = t->elst;

    if (vod_rd_left(&rd) == 0) {
        return VOD_OK;
    }

    version = vod_rd_u8(&rd);
    vod_rd_skip(&rd, 3);
    count = vod_rd_u32(&rd);

    if (rd.failed || count > vod_rd_left(&rd) / (version == 1 ? 20 : 12)) {
        return vod_fail(err, VOD_DAMAGED, "its edit list claims %u entries"
                        " and is too short for them, remux the file", count);
    }

    if (count == 0) {
        return VOD_OK;
    }

    *entries = malloc(count * sizeof(vod_edit_entry_t));
    if (*entries == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u edits", count);
    }

    for (i = 0; i < count; i++) {

        if (version == 1) {
            (*entries)[i].duration = vod_rd_u64(&rd);
            (*entries)[i].media_time = (int64_t) vod_rd_u64(&rd);

        } else {
            (*entries)[i].duration = vod_rd_u32(&rd);
            (*entries)[i].media_time = (int32_t) vod_rd_u32(&rd);
        }

        (*entries)[i].rate = (int32_t) vod_rd_u32(&rd);
    }

    *n = count;

    return VOD_OK;
}
