/*
 * Matroska files made byte by byte (RFC 9559), in memory, with holes: what
 * was not written reads as zeros, so that a file may be as long as it likes.
 *
 *     mk_begin();
 *     mk_tracks(...);
 *     mk_cluster(0);
 *     mk_block(1, 0, MK_KEY, data, len, 0);
 *     mk_end();
 */

#ifndef _MATROSKA_H_INCLUDED_
#define _MATROSKA_H_INCLUDED_

#include <stdlib.h>

#include "vod_av.h"
#include "tap.h"


#define MK_KEY  0x80

#define MK_MAX_CUES  65536


typedef struct {
    uint64_t  pos;              /* in the file */
    uint64_t  at;               /* in mk_bytes */
    uint64_t  len;
} mk_extent_t;


typedef struct {
    uint64_t  time;
    uint32_t  track;
    uint64_t  pos;              /* in the file */
} mk_cue_t;


static uint8_t      *mk_bytes;
static uint64_t      mk_len, mk_room;
static mk_extent_t  *mk_extents;
static uint64_t      mk_n, mk_extents_room;
static uint64_t      mk_pos;            /* where the next byte goes */
static uint64_t      mk_segment;        /* of the segment's content */
static uint64_t      mk_seek;           /* of the Cues' place, to be put */
static uint64_t      mk_open;           /* of the open cluster, or 0 */
static uint64_t      mk_at_cluster;
static mk_cue_t      mk_cue_list[MK_MAX_CUES];
static uint32_t      mk_n_cues;


static inline void
mk_put(const void *data, uint64_t len)
{
    mk_extent_t  *e;

    if (mk_len + len > mk_room) {
        mk_room = (mk_len + len) * 2;
        mk_bytes = realloc(mk_bytes, mk_room);
    }

    memcpy(mk_bytes + mk_len, data, len);

    e = mk_n ? &mk_extents[mk_n - 1] : NULL;

    if (e == NULL || e->pos + e->len != mk_pos) {
        if (mk_n == mk_extents_room) {
            mk_extents_room = mk_extents_room ? mk_extents_room * 2 : 1024;
            mk_extents = realloc(mk_extents,
                                 mk_extents_room * sizeof(mk_extent_t));
        }

        e = &mk_extents[mk_n++];
        e->pos = mk_pos;
        e->at = mk_len;
        e->len = 0;
    }

    e->len += len;
    mk_len += len;
    mk_pos += len;
}


static inline void
mk_uint(uint64_t v, unsigned n)
{
    uint8_t   p[8];
    unsigned  i;

    for (i = 0; i < n; i++) {
        p[i] = (uint8_t) (v >> (8 * (n - 1 - i)));
    }

    mk_put(p, n);
}


/* an element's ID, as it is written */
static inline void
mk_id(uint32_t id)
{
    mk_uint(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1);
}


/* its size, in 8 bytes */
static inline void
mk_size(uint64_t n)
{
    mk_uint(n | (uint64_t) 1 << 56, 8);
}


static inline void
mk_element(uint32_t id, const void *data, uint64_t len)
{
    mk_id(id);
    mk_size(len);
    mk_put(data, len);
}


static inline void
mk_number(uint32_t id, uint64_t v)
{
    mk_id(id);
    mk_size(8);
    mk_uint(v, 8);
}


static inline void
mk_text(uint32_t id, const char *text)
{
    mk_element(id, text, strlen(text));
}


static inline void
mk_float(uint32_t id, double v)
{
    uint64_t  bits;

    memcpy(&bits, &v, sizeof(bits));
    mk_number(id, bits);
}


/* the bytes at pos, which were written, for those that come late */
static inline uint8_t *
mk_find(uint64_t pos)
{
    uint64_t  low, high, mid;

    low = 0;
    high = mk_n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (mk_extents[mid].pos + mk_extents[mid].len > pos) {
            high = mid;

        } else {
            low = mid + 1;
        }
    }

    return mk_bytes + mk_extents[low].at + (pos - mk_extents[low].pos);
}


static inline void
mk_patch(uint64_t pos, uint64_t v)
{
    unsigned  i;
    uint8_t  *p;

    p = mk_find(pos);

    for (i = 0; i < 8; i++) {
        p[i] = (uint8_t) (v >> (8 * (7 - i)));
    }
}


/* an element whose size comes with mk_close() */
static inline uint64_t
mk_begin_element(uint32_t id)
{
    mk_id(id);
    mk_size(0);

    return mk_pos;
}


static inline void
mk_close(uint64_t start)
{
    mk_patch(start - 8, (mk_pos - start) | (uint64_t) 1 << 56);
}


/* so many bytes of zeros that no one stores */
static inline void
mk_hole(uint64_t len)
{
    mk_pos += len;
}


static inline void
mk_void(uint64_t len)
{
    mk_id(0xec);
    mk_size(len);
    mk_hole(len);
}


/* up to the tracks; duration in ms */
static inline void
mk_begin(double duration)
{
    uint64_t  head, seek;

    free(mk_bytes);
    free(mk_extents);

    mk_bytes = NULL;
    mk_extents = NULL;
    mk_len = mk_room = mk_n = mk_extents_room = mk_pos = mk_open = 0;
    mk_n_cues = 0;

    head = mk_begin_element(0x1a45dfa3);
    mk_text(0x4282, "matroska");
    mk_number(0x4287, 4);
    mk_number(0x4285, 2);
    mk_close(head);

    mk_segment = mk_begin_element(0x18538067);

    head = mk_begin_element(0x114d9b74);
    seek = mk_begin_element(0x4dbb);
    mk_element(0x53ab, "\x1c\x53\xbb\x6b", 4);
    mk_number(0x53ac, 0);
    mk_seek = mk_pos - 8;
    mk_close(seek);
    mk_close(head);

    head = mk_begin_element(0x1549a966);
    mk_number(0x2ad7b1, 1000000);
    mk_text(0x4d80, "t");
    mk_text(0x5741, "t");

    if (duration > 0) {
        mk_float(0x4489, duration);
    }

    mk_close(head);
}


typedef struct {
    uint32_t     number, type;          /* 1 video, 2 audio, 17 text */
    const char  *codec;
    const void  *config;
    uint64_t     config_len;
    uint64_t     duration;              /* of a frame, ns, or 0 */
    uint64_t     delay;                 /* ns */
    uint32_t     width, height;
    double       rate;
    uint32_t     channels;
    const char  *lang, *name;
    int          optional;              /* not the default */
} mk_track_t;


static inline void
mk_tracks(const mk_track_t *t, unsigned n)
{
    uint64_t  all, entry, part;

    all = mk_begin_element(0x1654ae6b);

    for ( /* void */ ; n; n--, t++) {
        entry = mk_begin_element(0xae);

        mk_number(0xd7, t->number);
        mk_number(0x73c5, t->number);
        mk_number(0x83, t->type);
        mk_number(0x88, !t->optional);
        mk_text(0x86, t->codec);
        mk_text(0x22b59c, t->lang ? t->lang : "und");

        if (t->name) {
            mk_text(0x536e, t->name);
        }

        if (t->config) {
            mk_element(0x63a2, t->config, t->config_len);
        }

        if (t->duration) {
            mk_number(0x23e383, t->duration);
        }

        if (t->delay) {
            mk_number(0x56aa, t->delay);
        }

        if (t->type == 1) {
            part = mk_begin_element(0xe0);
            mk_number(0xb0, t->width);
            mk_number(0xba, t->height);
            mk_close(part);
        }

        if (t->type == 2) {
            part = mk_begin_element(0xe1);
            mk_float(0xb5, t->rate);
            mk_number(0x9f, t->channels);
            mk_close(part);
        }

        mk_close(entry);
    }

    mk_close(all);
}


static inline void
mk_cluster_end(void)
{
    if (mk_open) {
        mk_close(mk_open);
        mk_open = 0;
    }
}


static inline void
mk_cluster(uint64_t time)
{
    mk_cluster_end();

    mk_at_cluster = mk_pos;
    mk_open = mk_begin_element(0x1f43b675);
    mk_number(0xe7, time);
}


/* a SimpleBlock: data, and a hole of more bytes behind it */
static inline void
mk_block(uint32_t track, int time, unsigned flags, const void *data,
    uint64_t len, uint64_t hole)
{
    mk_id(0xa3);
    mk_size(4 + len + hole);
    mk_uint(0x80 | track, 1);
    mk_uint((uint16_t) time, 2);
    mk_uint(flags, 1);
    mk_put(data, len);
    mk_hole(hole);
}


/* an entry for the open cluster */
static inline void
mk_cue(uint32_t track, uint64_t time)
{
    mk_cue_t  *cue;

    if (mk_n_cues < MK_MAX_CUES) {
        cue = &mk_cue_list[mk_n_cues++];
        cue->time = time;
        cue->track = track;
        cue->pos = mk_at_cluster;
    }
}


/* Cues, if any, and the end */
static inline void
mk_end(void)
{
    uint32_t  i;
    uint64_t  all, point, place;

    mk_cluster_end();

    if (mk_n_cues) {
        mk_patch(mk_seek, mk_pos - mk_segment);
        all = mk_begin_element(0x1c53bb6b);

        for (i = 0; i < mk_n_cues; i++) {
            point = mk_begin_element(0xbb);
            mk_number(0xb3, mk_cue_list[i].time);
            place = mk_begin_element(0xb7);
            mk_number(0xf7, mk_cue_list[i].track);
            mk_number(0xf1, mk_cue_list[i].pos - mk_segment);
            mk_close(place);
            mk_close(point);
        }

        mk_close(all);
    }

    mk_close(mk_segment);
}


/* vod_av_source_t's */
static inline int64_t
mk_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    uint8_t            *out;
    uint64_t            low, high, mid, from, to, end;
    const mk_extent_t  *e;

    (void) data;
    (void) sys_err;

    end = offset + len < mk_pos ? offset + len : mk_pos;

    if (offset >= end) {
        return 0;
    }

    out = buf;
    memset(out, 0, end - offset);

    low = 0;
    high = mk_n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (mk_extents[mid].pos + mk_extents[mid].len > offset) {
            high = mid;

        } else {
            low = mid + 1;
        }
    }

    for ( /* void */ ; low < mk_n && mk_extents[low].pos < end; low++) {
        e = &mk_extents[low];
        from = e->pos > offset ? e->pos : offset;
        to = e->pos + e->len < end ? e->pos + e->len : end;
        memcpy(out + (from - offset), mk_bytes + e->at + (from - e->pos),
               to - from);
    }

    return (int64_t) (end - offset);
}

#endif /* _MATROSKA_H_INCLUDED_ */
