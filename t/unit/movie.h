/*
 * A small MP4 in memory for the tests of av/: one video track (10 samples,
 * offsets, an edit list) and one audio track (20 samples), every container
 * with a spare 'free' box that a test may turn into something else.
 */

#ifndef _MOVIE_H_INCLUDED_
#define _MOVIE_H_INCLUDED_

#include <errno.h>
#include <stdlib.h>

#include "../../ngx_vod_module/av/vod_av.h"
#include "../../ngx_vod_module/core/vod_index.h"
#include "../../ngx_vod_module/core/vod_rd.h"
#include "../../ngx_vod_module/core/vod_wr.h"


#define MOVIE_ROOM  16384

#define MOVIE_VIDEO  10         /* samples */
#define MOVIE_AUDIO  20


typedef struct {
    int          moov_last;
    int          wide;          /* 64-bit box sizes and chunk offsets */
    int          open_mdat;     /* its size is 0 */
    int          no_ftyp;
    const char  *hdlr;          /* name in hdlr; NULL = "SoundHandler" */
    int          pascal;        /* as a counted string */
    const char  *udta;          /* box type in udta of the audio track */
    const char  *title;         /* its text */
    const char  *elng;
    int          twice;         /* every sample entry stands there twice */
    unsigned     lang;          /* mdhd; 0 = packed "und" */
} movie_opt_t;


static uint8_t          movie[MOVIE_ROOM];
static uint64_t         movie_len;
static uint64_t         movie_fail_at;      /* reads from here on fail */
static uint64_t         movie_short_at;     /* reads end here */
static vod_av_limits_t  movie_limits;
static uint64_t         movie_read_bytes;
static vod_err_t        movie_err;
static void            *movie_index;


static const uint8_t  movie_avc1[] = {
    0x00, 0x00, 0x00, 0x9c, 0x61, 0x76, 0x63, 0x31, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x00, 0x78,
    0x00, 0x48, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18,
    0xff, 0xff, 0x00, 0x00, 0x00, 0x36, 0x61, 0x76, 0x63, 0x43, 0x01, 0x64,
    0x00, 0x0b, 0xff, 0xe1, 0x00, 0x19, 0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9,
    0x42, 0x84, 0x7e, 0x5c, 0x04, 0x40, 0x00, 0x00, 0x03, 0x00, 0x40, 0x00,
    0x00, 0x0c, 0x83, 0xc5, 0x0a, 0x65, 0x80, 0x01, 0x00, 0x06, 0x68, 0xeb,
    0xe3, 0xcb, 0x22, 0xc0, 0xfd, 0xf8, 0xf8, 0x00, 0x00, 0x00, 0x00, 0x10,
    0x70, 0x61, 0x73, 0x70, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01
};

static const uint8_t  movie_mp4a[] = {
    0x00, 0x00, 0x00, 0x5a, 0x6d, 0x70, 0x34, 0x61, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x02, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0xbb, 0x80, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x36, 0x65, 0x73, 0x64, 0x73, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x80, 0x80, 0x80, 0x25, 0x00, 0x02, 0x00, 0x04, 0x80, 0x80, 0x80,
    0x17, 0x40, 0x15, 0x00, 0x00, 0x00, 0x00, 0x01, 0xf4, 0x00, 0x00, 0x01,
    0xf3, 0xfa, 0x05, 0x80, 0x80, 0x80, 0x05, 0x11, 0x90, 0x56, 0xe5, 0x00,
    0x06, 0x80, 0x80, 0x80, 0x01, 0x02
};


#define MOVIE_TYPE(s)                                                         \
    vod_fourcc((uint8_t) (s)[0], (uint8_t) (s)[1], (uint8_t) (s)[2],          \
               (uint8_t) (s)[3])


/* two chunks a track: video 6 + 4 samples, audio 10 + 10, in turn */

static uint32_t
movie_size(int video, unsigned i)
{
    return video ? 100 + i : 20 + i % 3;
}


static uint64_t
movie_chunk(int video, unsigned chunk)
{
    int       v;
    unsigned  c, i;
    uint64_t  at;

    for (c = 0, at = 0; c < 2; c++) {
        for (v = 1; v >= 0; v--) {
            if (c == chunk && v == video) {
                return at;
            }

            for (i = v ? c * 6 : c * 10; i < (v ? 6 + c * 4 : 10 + c * 10);
                 i++)
            {
                at += movie_size(v, i);
            }
        }
    }

    return at;
}


/* an empty box of this type that a test may fill: 120 bytes of zero */
static inline void
movie_spare(vod_wr_t *wr)
{
    uint64_t  box;

    box = vod_wr_box(wr, MOVIE_TYPE("free"));
    vod_wr_zero(wr, 120);
    vod_wr_box_end(wr, box);
}


static inline void
movie_stbl(vod_wr_t *wr, const movie_opt_t *o, int video, uint64_t data)
{
    uint64_t  stbl, box;
    unsigned  i, n;

    n = video ? MOVIE_VIDEO : MOVIE_AUDIO;
    stbl = vod_wr_box(wr, MOVIE_TYPE("stbl"));

    box = vod_wr_full_box(wr, MOVIE_TYPE("stsd"), 0, 0);
    vod_wr_u32(wr, o->twice ? 2 : 1);
    for (i = 0; i <= (unsigned) o->twice; i++) {
        vod_wr_bytes(wr, video ? movie_avc1 : movie_mp4a,
                     video ? sizeof(movie_avc1) : sizeof(movie_mp4a));
    }
    vod_wr_box_end(wr, box);

    box = vod_wr_full_box(wr, MOVIE_TYPE("stts"), 0, 0);
    vod_wr_u32(wr, 2);
    vod_wr_u32(wr, n - 1);
    vod_wr_u32(wr, video ? 512 : 1024);
    vod_wr_u32(wr, 1);
    vod_wr_u32(wr, video ? 500 : 1000);
    vod_wr_box_end(wr, box);

    if (video) {
        box = vod_wr_full_box(wr, MOVIE_TYPE("stss"), 0, 0);
        vod_wr_u32(wr, 2);
        vod_wr_u32(wr, 1);
        vod_wr_u32(wr, 6);
        vod_wr_box_end(wr, box);

        box = vod_wr_full_box(wr, MOVIE_TYPE("ctts"), 0, 0);
        vod_wr_u32(wr, 3);
        vod_wr_u32(wr, 1);
        vod_wr_u32(wr, 512);
        vod_wr_u32(wr, 8);
        vod_wr_u32(wr, 1024);
        vod_wr_u32(wr, 1);
        vod_wr_u32(wr, 0);
        vod_wr_box_end(wr, box);
    }

    box = vod_wr_full_box(wr, MOVIE_TYPE("stsc"), 0, 0);
    vod_wr_u32(wr, 2);
    vod_wr_u32(wr, 1);
    vod_wr_u32(wr, video ? 6 : 10);
    vod_wr_u32(wr, 1);
    vod_wr_u32(wr, 2);
    vod_wr_u32(wr, video ? 4 : 10);
    vod_wr_u32(wr, 1);
    vod_wr_box_end(wr, box);

    box = vod_wr_full_box(wr, MOVIE_TYPE("stsz"), 0, 0);
    vod_wr_u32(wr, 0);
    vod_wr_u32(wr, n);
    for (i = 0; i < n; i++) {
        vod_wr_u32(wr, movie_size(video, i));
    }
    vod_wr_box_end(wr, box);

    box = vod_wr_full_box(wr, MOVIE_TYPE(o->wide ? "co64" : "stco"), 0, 0);
    vod_wr_u32(wr, 2);
    for (i = 0; i < 2; i++) {
        if (o->wide) {
            vod_wr_u32(wr, 0);
        }
        vod_wr_u32(wr, (uint32_t) (data + movie_chunk(video, i)));
    }
    vod_wr_box_end(wr, box);

    movie_spare(wr);
    vod_wr_box_end(wr, stbl);
}


static inline void
movie_mdia(vod_wr_t *wr, const movie_opt_t *o, int video, uint64_t data)
{
    uint64_t     mdia, minf, dinf, box, url;
    const char  *name;

    mdia = vod_wr_box(wr, MOVIE_TYPE("mdia"));

    box = vod_wr_full_box(wr, MOVIE_TYPE("mdhd"), 0, 0);
    vod_wr_zero(wr, 8);
    vod_wr_u32(wr, video ? 12800 : 48000);
    vod_wr_u32(wr, 0);
    vod_wr_u16(wr, (uint16_t) (!video && o->lang ? o->lang : 0x55c4));
    vod_wr_u16(wr, 0);
    vod_wr_box_end(wr, box);

    box = vod_wr_full_box(wr, MOVIE_TYPE("hdlr"), 0, 0);
    vod_wr_u32(wr, o->pascal ? MOVIE_TYPE("mhlr") : 0);
    vod_wr_u32(wr, MOVIE_TYPE(video ? "vide" : "soun"));
    vod_wr_zero(wr, 12);
    name = video ? "VideoHandler" : o->hdlr ? o->hdlr : "SoundHandler";
    if (o->pascal) {
        vod_wr_u8(wr, (uint8_t) strlen(name));
    }
    vod_wr_bytes(wr, name, strlen(name) + !o->pascal);
    vod_wr_box_end(wr, box);

    if (o->elng && !video) {
        box = vod_wr_full_box(wr, MOVIE_TYPE("elng"), 0, 0);
        vod_wr_bytes(wr, o->elng, strlen(o->elng) + 1);
        vod_wr_box_end(wr, box);
    }

    minf = vod_wr_box(wr, MOVIE_TYPE("minf"));
    dinf = vod_wr_box(wr, MOVIE_TYPE("dinf"));
    box = vod_wr_full_box(wr, MOVIE_TYPE("dref"), 0, 0);
    vod_wr_u32(wr, 1);
    url = vod_wr_full_box(wr, MOVIE_TYPE("url "), 0, 1);
    vod_wr_bytes(wr, "file:///etc/passwd", 19);
    vod_wr_box_end(wr, url);
    vod_wr_box_end(wr, box);
    vod_wr_box_end(wr, dinf);
    movie_stbl(wr, o, video, data);
    movie_spare(wr);
    vod_wr_box_end(wr, minf);

    movie_spare(wr);
    vod_wr_box_end(wr, mdia);
}


static inline void
movie_matrix(vod_wr_t *wr)
{
    unsigned  i;

    for (i = 0; i < 9; i++) {
        vod_wr_u32(wr, i == 8 ? 0x40000000 : i % 4 == 0 ? 0x10000 : 0);
    }
}


static inline void
movie_trak(vod_wr_t *wr, const movie_opt_t *o, int video, uint64_t data)
{
    uint64_t  trak, edts, box;

    trak = vod_wr_box(wr, MOVIE_TYPE("trak"));

    box = vod_wr_full_box(wr, MOVIE_TYPE("tkhd"), 0, video ? 3 : 2);
    vod_wr_zero(wr, 8);
    vod_wr_u32(wr, video ? 7 : 9);
    vod_wr_zero(wr, 4 + 4 + 8 + 8);
    movie_matrix(wr);
    vod_wr_u32(wr, video ? 160 << 16 : 0);
    vod_wr_u32(wr, video ? 120 << 16 : 0);
    vod_wr_box_end(wr, box);

    if (video) {
        edts = vod_wr_box(wr, MOVIE_TYPE("edts"));
        box = vod_wr_full_box(wr, MOVIE_TYPE("elst"), 0, 0);
        vod_wr_u32(wr, 1);
        vod_wr_u32(wr, 400);
        vod_wr_u32(wr, 512);
        vod_wr_u32(wr, 0x10000);
        vod_wr_box_end(wr, box);
        vod_wr_box_end(wr, edts);
    }

    if (o->udta && !video) {
        edts = vod_wr_box(wr, MOVIE_TYPE("udta"));
        box = vod_wr_box(wr, MOVIE_TYPE(o->udta));
        if (strcmp(o->udta, "titl") == 0) {
            vod_wr_u32(wr, 0);
            vod_wr_u16(wr, 0x15c7);
        } else if (strcmp(o->udta, "\251nam") == 0) {
            vod_wr_u16(wr, (uint16_t) strlen(o->title));
            vod_wr_u16(wr, 0);
        }
        vod_wr_bytes(wr, o->title, strlen(o->title));
        vod_wr_box_end(wr, box);
        vod_wr_box_end(wr, edts);
    }

    movie_mdia(wr, o, video, data);
    movie_spare(wr);
    vod_wr_box_end(wr, trak);
}


static inline void
movie_moov(vod_wr_t *wr, const movie_opt_t *o, uint64_t data)
{
    uint64_t  moov, box;

    moov = vod_wr_box(wr, MOVIE_TYPE("moov"));

    box = vod_wr_full_box(wr, MOVIE_TYPE("mvhd"), 0, 0);
    vod_wr_zero(wr, 8);
    vod_wr_u32(wr, 1000);
    vod_wr_u32(wr, 400);
    vod_wr_zero(wr, 16);
    movie_matrix(wr);
    vod_wr_zero(wr, 24);
    vod_wr_u32(wr, 10);
    vod_wr_box_end(wr, box);

    movie_trak(wr, o, 1, data);
    movie_trak(wr, o, 0, data);
    movie_spare(wr);
    vod_wr_box_end(wr, moov);
}


/* fills in movie and movie_len */
static inline void
movie_make(const movie_opt_t *o)
{
    static const movie_opt_t  none;
    uint64_t                  payload, data, box;
    vod_wr_t                  wr;

    o = o ? o : &none;
    payload = movie_chunk(0, 2);

    vod_wr_init(&wr, NULL, 0);
    movie_moov(&wr, o, 0);

    data = (o->no_ftyp ? 0 : 20) + 128 + (o->moov_last ? 0 : wr.len)
           + (o->wide ? 16 : 8);

    vod_wr_init(&wr, movie, sizeof(movie));

    if (!o->no_ftyp) {
        box = vod_wr_box(&wr, MOVIE_TYPE("ftyp"));
        vod_wr_bytes(&wr, o->pascal ? "qt  \0\0\0\0qt  "
                                    : "isom\0\0\0\0isom", 12);
        vod_wr_box_end(&wr, box);
    }

    movie_spare(&wr);

    if (!o->moov_last) {
        movie_moov(&wr, o, data);
    }

    vod_wr_u32(&wr, o->open_mdat ? 0 : o->wide ? 1 : (uint32_t) payload + 8);
    vod_wr_u32(&wr, MOVIE_TYPE("mdat"));
    if (o->wide) {
        vod_wr_u64(&wr, payload + 16);
    }
    for (box = 0; box < payload; box++) {
        vod_wr_u8(&wr, (uint8_t) box);
    }

    if (o->moov_last) {
        movie_moov(&wr, o, data);
    }

    movie_len = wr.len;
    movie_fail_at = UINT64_MAX;
    movie_short_at = UINT64_MAX;
    memset(&movie_limits, 0, sizeof(movie_limits));
}


/* body of the nth box of this type, from 0, or NULL */
static inline uint8_t *
movie_box(const char *type, unsigned nth)
{
    uint64_t  i;

    for (i = 4; i + 4 <= movie_len; i++) {
        if (memcmp(movie + i, type, 4) == 0 && nth-- == 0) {
            return movie + i + 4;
        }
    }

    return NULL;
}


static inline void
movie_u32(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t) (v >> 24);
    at[1] = (uint8_t) (v >> 16);
    at[2] = (uint8_t) (v >> 8);
    at[3] = (uint8_t) v;
}


static inline int64_t
movie_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    uint64_t  end;

    (void) data;

    if (offset + len > movie_fail_at) {
        *sys_err = EIO;
        return -1;
    }

    end = movie_len < movie_short_at ? movie_len : movie_short_at;

    if (offset >= end) {
        return 0;
    }

    len = (len < end - offset) ? len : end - offset;
    memcpy(buf, movie + offset, len);

    return (int64_t) len;
}


/* indexes it; the result code; movie_index, movie_err */
static inline int
movie_open(void)
{
    int              rc;
    uint64_t         len;
    vod_av_source_t  src;

    src.read = movie_read;
    src.data = NULL;
    src.size = movie_len;
    src.bytes_read = 0;
    movie_err.text[0] = '\0';

    free(movie_index);
    movie_index = NULL;

    rc = vod_av_index(&src, &movie_limits, &movie_index, &len, &movie_err);
    movie_read_bytes = src.bytes_read;

    return rc;
}


/* the notes of the index, as one string */
static inline const char *
movie_notes(void)
{
    static char         text[8192];
    const vod_index_t  *index;

    text[0] = '\0';
    index = movie_index;

    if (index && index->notes_len < sizeof(text)) {
        memcpy(text, (const char *) movie_index + index->notes_off,
               index->notes_len);
        text[index->notes_len] = '\0';
    }

    return text;
}


static inline unsigned
movie_tracks(void)
{
    const vod_index_t  *index;

    index = movie_index;

    return index ? index->n_tracks : 0;
}


static inline const vod_track_t *
movie_track(unsigned i)
{
    return vod_index_tracks(movie_index) + i;
}


/* sample i of track k, with its dts */
static inline vod_sample_t
movie_sample(unsigned k, unsigned i, int64_t *pts)
{
    int64_t             dts;
    vod_sample_t        s;
    vod_cursor_t        cur;
    const vod_track_t  *t;

    t = movie_track(k);
    memset(&cur, 0, sizeof(cur));
    memset(&s, 0, sizeof(s));
    dts = (int64_t) t->first_dts;

    do {
        dts += s.dur;
        if (vod_row_read(&cur, (const uint8_t *) movie_index + t->rows_off, 0,
                         t->rows_len, &s) != VOD_OK)
        {
            *pts = INT64_MIN;
            return s;
        }
    } while (i--);

    *pts = dts + s.cts - (int64_t) t->media_time;

    return s;
}

#endif /* _MOVIE_H_INCLUDED_ */
