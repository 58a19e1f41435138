/*
 * Fragments behind the small MP4 of movie.h, box by box, for the tests of
 * fragmented files.  Track 7 is video at 12800 Hz, track 9 audio at 48000 Hz.
 */

#ifndef _FRAGMENTS_H_INCLUDED_
#define _FRAGMENTS_H_INCLUDED_

#include "movie.h"


#define FRAG_SYNC      0x02000000u      /* depends on no other */
#define FRAG_NOT_SYNC  0x01010000u

#define TFHD_BASE         0x000001
#define TFHD_DESCRIPTION  0x000002
#define TFHD_DURATION     0x000008
#define TFHD_SIZE         0x000010
#define TFHD_FLAGS        0x000020
#define TFHD_EMPTY        0x010000
#define TFHD_MOOF         0x020000

#define TRUN_OFFSET    0x001
#define TRUN_FIRST     0x004
#define TRUN_DURATION  0x100
#define TRUN_SIZE      0x200
#define TRUN_FLAGS     0x400
#define TRUN_CTS       0x800


static vod_wr_t  frag_wr;
static uint64_t  frag_moof, frag_traf;
static uint64_t  frag_fix[16];          /* data offsets: mdat's body + value */
static unsigned  frag_fixes;
static uint64_t  frag_data;             /* body of the mdat, in the file */
static movie_opt_t  frag_movie;


/*
 * The movie with mvex in moov: with the samples of moov, or with empty
 * tables; trex of both tracks says 1, 512 or 1024 ticks, 10 bytes, sync.
 */
static inline void
frag_header(int samples)
{
    unsigned  i, k;
    uint8_t  *at;
    vod_wr_t  wr;
    uint64_t  box;

    static const char *const  tables[] = {
        "stts", "ctts", "stss", "stsc", "stco"
    };

    movie_make(&frag_movie);

    at = movie_box("free", 9);
    memcpy(at - 4, "mvex", 4);
    vod_wr_init(&wr, at, 120);

    for (i = 0; i < 2; i++) {
        box = vod_wr_full_box(&wr, MOVIE_TYPE("trex"), 0, 0);
        vod_wr_u32(&wr, i ? 9 : 7);
        vod_wr_u32(&wr, 1);
        vod_wr_u32(&wr, i ? 1024 : 512);
        vod_wr_u32(&wr, 10);
        vod_wr_u32(&wr, FRAG_SYNC);
        vod_wr_box_end(&wr, box);
    }

    vod_wr_u32(&wr, (uint32_t) (120 - wr.len));
    vod_wr_u32(&wr, MOVIE_TYPE("free"));

    /* times as they are */

    memcpy(movie_box("edts", 0) - 4, "free", 4);

    if (!samples) {
        for (i = 0; i < 5; i++) {
            for (k = 0; (at = movie_box(tables[i], k)) != NULL; k++) {
                movie_u32(at + 4, 0);
            }
        }

        movie_u32(movie_box("stsz", 0) + 8, 0);
        movie_u32(movie_box("stsz", 1) + 8, 0);
    }
}


static inline void
moof_begin(void)
{
    uint64_t  box;

    vod_wr_init(&frag_wr, movie + movie_len, MOVIE_ROOM - movie_len);
    frag_fixes = 0;
    frag_moof = vod_wr_box(&frag_wr, MOVIE_TYPE("moof"));
    box = vod_wr_full_box(&frag_wr, MOVIE_TYPE("mfhd"), 0, 0);
    vod_wr_u32(&frag_wr, 1);
    vod_wr_box_end(&frag_wr, box);
}


static inline void
put_box(const char *type, uint8_t version, uint32_t flags,
    const uint32_t *words, unsigned n)
{
    uint64_t  box;

    box = vod_wr_full_box(&frag_wr, MOVIE_TYPE(type), version, flags);

    for ( /* void */ ; n; n--) {
        vod_wr_u32(&frag_wr, *words++);
    }

    vod_wr_box_end(&frag_wr, box);
}

#define put(type, version, flags, ...)                                        \
    put_box(type, version, flags, (const uint32_t[]) { __VA_ARGS__ },         \
            sizeof((const uint32_t[]) { __VA_ARGS__ }) / sizeof(uint32_t))


/* a traf with its tfhd; fields after the ID as the flags say */
#define traf_begin(flags, ...)                                                \
    frag_traf = vod_wr_box(&frag_wr, MOVIE_TYPE("traf"));                     \
    put("tfhd", 0, flags, __VA_ARGS__)

#define traf_end()  vod_wr_box_end(&frag_wr, frag_traf)

#define tfdt(t)  put("tfdt", 0, 0, (uint32_t) (t))


/* with TRUN_OFFSET the first word is counted from the mdat's body */
static inline void
trun_box(uint8_t version, uint32_t flags, const uint32_t *words, unsigned n)
{
    if (flags & TRUN_OFFSET) {
        frag_fix[frag_fixes++] = frag_wr.len + 16;
    }

    put_box("trun", version, flags, words, n);
}

#define trun(version, flags, ...)                                             \
    trun_box(version, flags, (const uint32_t[]) { __VA_ARGS__ },              \
             sizeof((const uint32_t[]) { __VA_ARGS__ }) / sizeof(uint32_t))


/* moof, and an mdat of so many bytes */
static inline void
moof_end(uint32_t payload)
{
    uint8_t   *at;
    uint32_t   i, v;

    vod_wr_box_end(&frag_wr, frag_moof);
    frag_data = movie_len + frag_wr.len + 8;

    for (i = 0; i < frag_fixes; i++) {
        at = movie + movie_len + frag_fix[i];
        v = (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16
            | (uint32_t) at[2] << 8 | at[3];
        movie_u32(at, v + (uint32_t) frag_wr.len + 8);
    }

    vod_wr_u32(&frag_wr, payload + 8);
    vod_wr_u32(&frag_wr, MOVIE_TYPE("mdat"));

    for (i = 0; i < payload; i++) {
        vod_wr_u8(&frag_wr, (uint8_t) i);
    }

    movie_len += frag_wr.len;
}


/* any other box of the top level */
static inline void
top_box(const char *type, uint32_t payload)
{
    uint32_t  i;
    vod_wr_t  wr;

    vod_wr_init(&wr, movie + movie_len, MOVIE_ROOM - movie_len);
    vod_wr_u32(&wr, payload + 8);
    vod_wr_u32(&wr, MOVIE_TYPE(type));

    for (i = 0; i < payload; i++) {
        vod_wr_u8(&wr, 0xa5);
    }

    movie_len += wr.len;
}


/* 5 video samples and 4 audio samples of 10 bytes, by trex alone */
static inline void
plain_fragment(uint32_t video, uint32_t audio)
{
    moof_begin();
    traf_begin(TFHD_MOOF, 7);
    tfdt(video);
    trun(0, TRUN_OFFSET, 5, 0);
    traf_end();
    traf_begin(TFHD_MOOF, 9);
    tfdt(audio);
    trun(0, TRUN_OFFSET, 4, 50);
    traf_end();
    moof_end(90);
}

#endif /* _FRAGMENTS_H_INCLUDED_ */
