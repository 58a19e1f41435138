#include <string.h>

#include "vod_box.h"
#include "vod_lang.h"
#include "vod_rd.h"


static void vod_box_mvhd(vod_wr_t *wr, const vod_track_t *track);
static void vod_box_trak(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry, const char *name);
static void vod_box_tkhd(vod_wr_t *wr, const vod_track_t *track);
static void vod_box_edts(vod_wr_t *wr, const vod_track_t *track);
static void vod_box_mdia(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry, const char *name);
static void vod_box_mdhd(vod_wr_t *wr, const vod_track_t *track);
static void vod_box_hdlr(vod_wr_t *wr, const vod_track_t *track,
    const char *name);
static void vod_box_elng(vod_wr_t *wr, const vod_track_t *track);
static void vod_box_minf(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry);
static void vod_box_stbl(vod_wr_t *wr, const vod_track_t *track,
    const uint8_t *entry);
static void vod_box_mvex(vod_wr_t *wr, const vod_track_t *track);


static const int32_t  vod_box_unity[9] = {
    0x00010000, 0, 0,
    0, 0x00010000, 0,
    0, 0, 0x40000000
};

static const int32_t  vod_box_no_matrix[9];


/*
 * Durations are 0 throughout (RFC 8216bis 3.1.2, ISO/IEC 23000-19 7.5.4):
 * the samples come in fragments.  How long they are together is in mehd.
 */

void
vod_box_init(vod_wr_t *wr, const vod_track_t *track, const uint8_t *entry,
    const char *name)
{
    uint64_t  mark;

    mark = vod_wr_box(wr, vod_fourcc('f', 't', 'y', 'p'));
    vod_wr_u32(wr, vod_fourcc('i', 's', 'o', '6'));
    vod_wr_u32(wr, 0);
    vod_wr_u32(wr, vod_fourcc('i', 's', 'o', '6'));
    vod_wr_u32(wr, vod_fourcc('c', 'm', 'f', 'c'));
    vod_wr_u32(wr, vod_fourcc('d', 'a', 's', 'h'));

    /* WebVTT tracks have a brand of their own (23000-19, 11.2) */

    if (track->fourcc == vod_fourcc('w', 'v', 't', 't')) {
        vod_wr_u32(wr, vod_fourcc('c', 'w', 'v', 't'));
    }

    vod_wr_box_end(wr, mark);

    mark = vod_wr_box(wr, vod_fourcc('m', 'o', 'o', 'v'));
    vod_box_mvhd(wr, track);
    vod_box_trak(wr, track, entry, name);
    vod_box_mvex(wr, track);
    vod_wr_box_end(wr, mark);
}


static void
vod_box_matrix(vod_wr_t *wr, const int32_t *matrix)
{
    unsigned  i;

    for (i = 0; i < 9; i++) {
        vod_wr_u32(wr, (uint32_t) matrix[i]);
    }
}


static void
vod_box_mvhd(vod_wr_t *wr, const vod_track_t *track)
{
    uint64_t  mark;

    mark = vod_wr_full_box(wr, vod_fourcc('m', 'v', 'h', 'd'), 0, 0);

    vod_wr_u32(wr, 0);                      /* creation_time */
    vod_wr_u32(wr, 0);                      /* modification_time */
    vod_wr_u32(wr, track->timescale);
    vod_wr_u32(wr, 0);                      /* duration */
    vod_wr_u32(wr, 0x00010000);             /* rate */
    vod_wr_u16(wr, 0x0100);                 /* volume */
    vod_wr_zero(wr, 10);
    vod_box_matrix(wr, vod_box_unity);
    vod_wr_zero(wr, 24);                    /* pre_defined */
    vod_wr_u32(wr, track->ordinal + 2);     /* next_track_ID */

    vod_wr_box_end(wr, mark);
}


static void
vod_box_trak(vod_wr_t *wr, const vod_track_t *track, const uint8_t *entry,
    const char *name)
{
    uint64_t  mark;

    mark = vod_wr_box(wr, vod_fourcc('t', 'r', 'a', 'k'));

    vod_box_tkhd(wr, track);

    if (track->media_time) {
        vod_box_edts(wr, track);
    }

    vod_box_mdia(wr, track, entry, name);

    vod_wr_box_end(wr, mark);
}


static void
vod_box_tkhd(vod_wr_t *wr, const vod_track_t *track)
{
    int             visual;
    uint64_t        mark;
    const int32_t  *matrix;

    visual = (track->kind == VOD_VIDEO);
    matrix = track->matrix;

    if (!visual || memcmp(matrix, vod_box_no_matrix, sizeof(track->matrix))
                   == 0)
    {
        matrix = vod_box_unity;
    }

    /* track_enabled, track_in_movie, track_in_preview */

    mark = vod_wr_full_box(wr, vod_fourcc('t', 'k', 'h', 'd'), 0, 7);

    vod_wr_u32(wr, 0);                      /* creation_time */
    vod_wr_u32(wr, 0);                      /* modification_time */
    vod_wr_u32(wr, track->ordinal + 1);     /* track_ID */
    vod_wr_u32(wr, 0);
    vod_wr_u32(wr, 0);                      /* duration */
    vod_wr_zero(wr, 8);
    vod_wr_u16(wr, 0);                      /* layer */
    vod_wr_u16(wr, 0);                      /* alternate_group */
    vod_wr_u16(wr, track->kind == VOD_AUDIO ? 0x0100 : 0);  /* volume */
    vod_wr_u16(wr, 0);
    vod_box_matrix(wr, matrix);
    vod_wr_u32(wr, visual ? track->tkhd_width : 0);
    vod_wr_u32(wr, visual ? track->tkhd_height : 0);

    vod_wr_box_end(wr, mark);
}


/* one entry, segment_duration 0, rate 1.0 (23000-19, 7.5.13) */

static void
vod_box_edts(vod_wr_t *wr, const vod_track_t *track)
{
    int       wide;
    uint64_t  mark, elst;

    wide = (track->media_time > INT32_MAX);

    mark = vod_wr_box(wr, vod_fourcc('e', 'd', 't', 's'));
    elst = vod_wr_full_box(wr, vod_fourcc('e', 'l', 's', 't'), wide ? 1 : 0,
                           0);

    vod_wr_u32(wr, 1);                      /* entry_count */

    if (wide) {
        vod_wr_u64(wr, 0);
        vod_wr_u64(wr, track->media_time);

    } else {
        vod_wr_u32(wr, 0);
        vod_wr_u32(wr, (uint32_t) track->media_time);
    }

    vod_wr_u32(wr, 0x00010000);             /* media_rate */

    vod_wr_box_end(wr, elst);
    vod_wr_box_end(wr, mark);
}


static void
vod_box_mdia(vod_wr_t *wr, const vod_track_t *track, const uint8_t *entry,
    const char *name)
{
    uint64_t  mark;

    mark = vod_wr_box(wr, vod_fourcc('m', 'd', 'i', 'a'));

    vod_box_mdhd(wr, track);
    vod_box_hdlr(wr, track, name);
    vod_box_elng(wr, track);
    vod_box_minf(wr, track, entry);

    vod_wr_box_end(wr, mark);
}


static void
vod_box_mdhd(vod_wr_t *wr, const vod_track_t *track)
{
    char      code[4];
    uint64_t  mark;

    vod_lang_mdhd(track->lang, code);

    mark = vod_wr_full_box(wr, vod_fourcc('m', 'd', 'h', 'd'), 0, 0);

    vod_wr_u32(wr, 0);                      /* creation_time */
    vod_wr_u32(wr, 0);                      /* modification_time */
    vod_wr_u32(wr, track->timescale);
    vod_wr_u32(wr, 0);                      /* duration */

    /* three letters of five bits, 'a' is 1 */

    vod_wr_u16(wr, (uint16_t) (((code[0] - 0x60) & 0x1f) << 10
                               | ((code[1] - 0x60) & 0x1f) << 5
                               | ((code[2] - 0x60) & 0x1f)));
    vod_wr_u16(wr, 0);                      /* pre_defined */

    vod_wr_box_end(wr, mark);
}


static uint32_t
vod_box_handler(const vod_track_t *track)
{
    switch (track->kind) {

    case VOD_VIDEO:
        return vod_fourcc('v', 'i', 'd', 'e');

    case VOD_AUDIO:
        return vod_fourcc('s', 'o', 'u', 'n');
    }

    /* 14496-30: TTML is 'subt' with sthd, WebVTT 'text' with nmhd */

    if (track->fourcc == vod_fourcc('s', 't', 'p', 'p')) {
        return vod_fourcc('s', 'u', 'b', 't');
    }

    return vod_fourcc('t', 'e', 'x', 't');
}


static void
vod_box_hdlr(vod_wr_t *wr, const vod_track_t *track, const char *name)
{
    uint64_t     mark, len;
    const char  *zero;

    mark = vod_wr_full_box(wr, vod_fourcc('h', 'd', 'l', 'r'), 0, 0);

    vod_wr_u32(wr, 0);                      /* pre_defined */
    vod_wr_u32(wr, vod_box_handler(track));
    vod_wr_zero(wr, 12);

    /* the box ends the name with a zero: one inside would cut it short */

    len = track->name_len;

    if (len) {
        zero = memchr(name, 0, (size_t) len);
        len = zero ? (uint64_t) (zero - name) : len;

        vod_wr_bytes(wr, name, len);
    }

    vod_wr_u8(wr, 0);

    vod_wr_box_end(wr, mark);
}


/* a tag that says more than mdhd's three letters (14496-12, 8.4.6) */

static void
vod_box_elng(vod_wr_t *wr, const vod_track_t *track)
{
    char      code[4], tag[sizeof(track->lang)];
    uint64_t  mark;

    vod_lang_mdhd(track->lang, code);
    vod_lang_normalise(code, 3, tag, sizeof(tag));

    if (track->lang[0] == '\0' || strcmp(tag, track->lang) == 0) {
        return;
    }

    mark = vod_wr_full_box(wr, vod_fourcc('e', 'l', 'n', 'g'), 0, 0);
    vod_wr_bytes(wr, track->lang, strlen(track->lang) + 1);
    vod_wr_box_end(wr, mark);
}


static void
vod_box_minf(vod_wr_t *wr, const vod_track_t *track, const uint8_t *entry)
{
    uint64_t  mark, head, dref;

    mark = vod_wr_box(wr, vod_fourcc('m', 'i', 'n', 'f'));

    switch (vod_box_handler(track)) {

    case vod_fourcc('v', 'i', 'd', 'e'):
        head = vod_wr_full_box(wr, vod_fourcc('v', 'm', 'h', 'd'), 0, 1);
        vod_wr_zero(wr, 8);                 /* graphicsmode, opcolor */
        break;

    case vod_fourcc('s', 'o', 'u', 'n'):
        head = vod_wr_full_box(wr, vod_fourcc('s', 'm', 'h', 'd'), 0, 0);
        vod_wr_zero(wr, 4);                 /* balance, reserved */
        break;

    case vod_fourcc('s', 'u', 'b', 't'):
        head = vod_wr_full_box(wr, vod_fourcc('s', 't', 'h', 'd'), 0, 0);
        break;

    default:
        head = vod_wr_full_box(wr, vod_fourcc('n', 'm', 'h', 'd'), 0, 0);
    }

    vod_wr_box_end(wr, head);

    head = vod_wr_box(wr, vod_fourcc('d', 'i', 'n', 'f'));
    dref = vod_wr_full_box(wr, vod_fourcc('d', 'r', 'e', 'f'), 0, 0);
    vod_wr_u32(wr, 1);                      /* entry_count */

    /* flags 1: the media is in this file */

    vod_wr_box_end(wr, vod_wr_full_box(wr, vod_fourcc('u', 'r', 'l', ' '), 0,
                                       1));
    vod_wr_box_end(wr, dref);
    vod_wr_box_end(wr, head);

    vod_box_stbl(wr, track, entry);

    vod_wr_box_end(wr, mark);
}


static void
vod_box_stbl(vod_wr_t *wr, const vod_track_t *track, const uint8_t *entry)
{
    unsigned               i;
    uint64_t               mark, box;
    static const uint32_t  empty[] = {
        vod_fourcc('s', 't', 't', 's'),
        vod_fourcc('s', 't', 's', 'c'),
        vod_fourcc('s', 't', 's', 'z'),
        vod_fourcc('s', 't', 'c', 'o')
    };

    mark = vod_wr_box(wr, vod_fourcc('s', 't', 'b', 'l'));

    box = vod_wr_full_box(wr, vod_fourcc('s', 't', 's', 'd'), 0, 0);
    vod_wr_u32(wr, 1);                      /* entry_count */
    vod_wr_bytes(wr, entry, track->entry_len);
    vod_wr_box_end(wr, box);

    for (i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {

        box = vod_wr_full_box(wr, empty[i], 0, 0);

        if (empty[i] == vod_fourcc('s', 't', 's', 'z')) {
            vod_wr_u32(wr, 0);              /* sample_size */
        }

        vod_wr_u32(wr, 0);                  /* entry_count */
        vod_wr_box_end(wr, box);
    }

    vod_wr_box_end(wr, mark);
}


static void
vod_box_mvex(vod_wr_t *wr, const vod_track_t *track)
{
    int       wide;
    uint64_t  mark, box;

    mark = vod_wr_box(wr, vod_fourcc('m', 'v', 'e', 'x'));

    if (track->end_pts > 0) {

        /* 32 bits of ones would mean "unknown" */

        wide = (track->end_pts >= UINT32_MAX);

        box = vod_wr_full_box(wr, vod_fourcc('m', 'e', 'h', 'd'),
                              wide ? 1 : 0, 0);

        if (wide) {
            vod_wr_u64(wr, (uint64_t) track->end_pts);

        } else {
            vod_wr_u32(wr, (uint32_t) track->end_pts);
        }

        vod_wr_box_end(wr, box);
    }

    box = vod_wr_full_box(wr, vod_fourcc('t', 'r', 'e', 'x'), 0, 0);
    vod_wr_u32(wr, track->ordinal + 1);     /* track_ID */
    vod_wr_u32(wr, 1);                      /* sample_description_index */
    vod_wr_zero(wr, 12);                    /* duration, size, flags */
    vod_wr_box_end(wr, box);

    vod_wr_box_end(wr, mark);
}
