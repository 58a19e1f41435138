/*
 * ISO BMFF and QuickTime files, read by ourselves, without libavformat, which
 * would take longer for it, and byte by byte: where moov is, the tracks'
 * headers, edit lists, sample entries byte for byte, sample tables.  All of
 * it stays inside one bounded copy of moov; nothing is allocated by what a
 * table claims.
 */

#ifndef _VOD_MP4_H_INCLUDED_
#define _VOD_MP4_H_INCLUDED_

#include "../core/vod_index.h"
#include "../core/vod_rd.h"
#include "vod_edit.h"
#include "vod_notes.h"
#include "vod_source.h"


#define VOD_MP4_NAME  256       /* longest track name kept, bytes */
#define VOD_MP4_WHY   VOD_ERR_TEXT
#define VOD_MP4_NOTE  (VOD_ERR_TEXT + 96)

/* composition offsets beyond this are garbage (libavformat's bound too) */
#define VOD_MP4_MAX_CTS  (1 << 28)


struct vod_frag_track_s;


typedef struct {
    uint32_t        id;         /* track_ID; the trak's number where it has
                                   none */
    uint32_t        handler;    /* component subtype of hdlr, or 0 */
    uint32_t        fourcc;     /* of the sample entry used, or 0 */
    unsigned        kind;       /* VOD_VIDEO, VOD_AUDIO, VOD_TEXT; 0 = none */
    int             enabled;
    uint32_t        timescale;
    int32_t         matrix[9];  /* tkhd's, movie's applied */
    uint32_t        width, height;          /* 16.16 */
    char            lang[64];   /* BCP 47 or ISO 639-2, or "" */
    char            name[VOD_MP4_NAME];     /* UTF-8, or "" */
    uint32_t        roles;      /* VOD_ROLE_* */

    vod_rd_t        tref;       /* body, empty when absent */
    vod_rd_t        elst;
    vod_rd_t        ctts;
    vod_rd_t        stts;
    vod_rd_t        stss;
    vod_rd_t        stsc;
    vod_rd_t        chunks;     /* stco or co64 */
    int             far;        /* co64 */
    const uint8_t  *sizes;      /* of stsz or stz2, size_bits each */
    unsigned        size_bits;  /* 32, 16, 8, 4; 0 = all are of ... */
    uint32_t        size;
    int             single;     /* sound counted in single samples, of
                                   which a packet holds many */
    vod_rd_t        stsd;
    vod_rd_t        dref;
    uint32_t        description;        /* number of the entry used, from 1 */
    const uint8_t  *entry;      /* the sample entry box */
    uint64_t        entry_len;
    uint32_t        n_samples;  /* in moov that have a size and a chunk */
    uint32_t        missing;    /* that are claimed and have not */

    struct vod_frag_track_s  *frag;     /* its fragments, or NULL; see
                                           vod_frag.h */

    int             code;       /* VOD_OK, or why it is left out */
    char            why[VOD_MP4_WHY];
} vod_mp4_track_t;


typedef struct {
    vod_source_t     *source;
    uint8_t          *moov;     /* its body, from malloc() */
    uint64_t          moov_len;
    int               compressed;           /* came out of a cmov box */
    int               ftyp;     /* there was one */
    int               quicktime;            /* major brand, or no ftyp */
    uint32_t          movie_timescale;
    int32_t           matrix[9];
    vod_mp4_track_t  *tracks;   /* n_tracks, from malloc() */
    uint32_t          n_tracks;
    uint64_t          file_size;

    int               fragmented;
    vod_rd_t          mvex;     /* body, empty when absent */
    uint64_t          moof;     /* offset of the first one; 0 = none */
    char              note[VOD_MP4_NOTE];   /* what was not read, or "" */
} vod_mp4_t;


/*
 * Finds and reads moov, and the fragments behind it where there are any, and
 * describes every track.  A track that
 * cannot be carried has code and why set.
 * Errors are those of vod_av_index().  vod_mp4_close() in any case.
 */
int vod_mp4_open(vod_mp4_t *mp4, vod_source_t *s,
    const vod_av_limits_t *limits, vod_err_t *err);

void vod_mp4_close(vod_mp4_t *mp4);

/* 1 where these first bytes of a file are those of an ISO BMFF or QuickTime
   file beyond doubt */
int vod_mp4_probe(const uint8_t *head, uint64_t len);

/* leaves a track out, with the reason; returns code */
int vod_mp4_leave_out(vod_mp4_track_t *t, int code, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* "avc1" into out, bytes that are not printable as '.' */
void vod_mp4_fourcc(uint32_t fourcc, char out[5]);


/*
 * Parts of vod_mp4_open().
 */

/* moov's copy: tracks from its boxes (vod_mp4_moov.c) */
int vod_mp4_moov(vod_mp4_t *mp4, const vod_av_limits_t *limits,
    vod_err_t *err);

/*
 * Inflates the moov inside this cmov box, which is in mp4->moov, and puts it
 * in its place: nothing that pointed there holds (vod_mp4_cmov.c).
 */
int vod_mp4_cmov(vod_mp4_t *mp4, vod_rd_t body,
    const vod_av_limits_t *limits, vod_err_t *err);

/* what one trak says beside its samples (vod_mp4_trak.c) */
void vod_mp4_trak(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body);

/* what it is and is called: handler and name, of hdlr and of udta; the one
   in udta is taken first (vod_mp4_name.c) */
void vod_mp4_hdlr(vod_mp4_track_t *t, vod_rd_t hdlr);
void vod_mp4_name(vod_mp4_track_t *t, vod_rd_t udta);

/* what it is for, of udta (vod_mp4_kind.c) */
void vod_mp4_kinds(vod_mp4_track_t *t, vod_rd_t udta);

/* checks its sample tables (vod_mp4_stbl.c) */
int vod_mp4_stbl(vod_mp4_t *mp4, vod_mp4_track_t *t, vod_rd_t body);

/*
 * Takes the sample entry with this number for the track's: VOD_OK, or left
 * out because it is not there or its data is in another file.
 */
int vod_mp4_entry(vod_mp4_track_t *t, uint32_t description);

/*
 * Whether a decoder that was set up by the entry used takes the samples of
 * the other one, too: VOD_OK, or left out with what differs, and where the
 * other is first used ("chunk" 7).  checked has a bit for each that is known
 * to do, from 0.
 */
int vod_mp4_entry_like(vod_mp4_track_t *t, uint32_t used, uint32_t other,
    uint64_t *checked, const char *where, uint64_t at);


/* mdhd's language: packed letters or Macintosh's code; "" = none, or not
   said */
void vod_mp4_lang(unsigned code, char out[4]);


/*
 * Children of a container.  Those wanted are found; a second one of a kind
 * is an error.
 */
typedef struct {
    uint32_t  type;
    vod_rd_t  body;
    int       found;
} vod_mp4_child_t;

#define vod_mp4_child(a, b, c, d)                                             \
    { .type = vod_fourcc(a, b, c, d) }

/* VOD_OK, or VOD_DAMAGED with the reason in err */
int vod_mp4_children(vod_rd_t body, const char *parent,
    vod_mp4_child_t *want, unsigned n, vod_err_t *err);


/*
 * The n_samples samples of moov, in decoding order: where they are, their
 * sizes, durations, composition offsets, and which are sync samples.  A
 * position may lie beyond the file's end.  Durations below 0 become *repaired.
 * VOD_OK; VOD_DAMAGED with the reason where an offset is none;
 * VOD_UNSUPPORTED where samples are no packets.
 */
int vod_mp4_samples(const vod_mp4_track_t *t, vod_sample_t *samples,
    int *repaired, vod_err_t *err);

/*
 * The edit list's entries (8.6.6), from malloc() (NULL when there are none):
 * VOD_OK, VOD_DAMAGED, VOD_NOMEM.
 */
int vod_mp4_edits(const vod_mp4_track_t *t, vod_edit_entry_t **entries,
    uint32_t *n, vod_err_t *err);

#endif /* _VOD_MP4_H_INCLUDED_ */
