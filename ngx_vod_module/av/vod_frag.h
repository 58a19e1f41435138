/*
 * Fragmented files (ISO/IEC 14496-12, 8.8): the samples that movie fragments
 * add to the tracks of moov.
 *
 * Only headers of boxes and whole moof boxes are read, one after the other,
 * in the order of the file: sidx and mfra are hints that a file need not
 * keep, and payload says nothing about samples.  A fragment counts when all
 * of it is in the file; the first one that is cut, or contradicts itself,
 * ends the reading, so that a file still being written plays up to its last
 * whole fragment.  Where one points beyond the file's end though its own mdat
 * is there, only the track it does so for ends.
 */

#ifndef _VOD_FRAG_H_INCLUDED_
#define _VOD_FRAG_H_INCLUDED_

#include "vod_mp4.h"


/* no time and no offset is larger */
#define VOD_FRAG_MAX  ((uint64_t) 1 << 60)


/* what a trex or a tfhd says for samples that do not say it themselves */
typedef struct {
    uint32_t  description;      /* number of the sample entry, from 1 */
    uint32_t  duration;
    uint32_t  size;
    uint32_t  flags;            /* 8.8.3.1 */
} vod_frag_defaults_t;


/* samples of one traf, which follow one another in time */
typedef struct {
    int64_t   dts;              /* of the first, in ticks; -1 = where the run
                                   before it ends, or ... */
    int64_t   smooth;           /* its presentation time by tfxd */
    int       timed;            /* smooth is said */
    uint64_t  span;             /* sum of their durations */
    uint32_t  first;            /* its number in the track, from 0 */
    uint32_t  n;                /* > 0 */
} vod_frag_run_t;


/* one track's share of all fragments */
typedef struct vod_frag_track_s {
    vod_frag_defaults_t   trex;
    int                   known;        /* trex was there */
    uint32_t              description;  /* the one used; 0 = none yet */
    uint64_t              like;         /* others, see vod_mp4_entry_like() */

    vod_sample_t         *samples;
    uint32_t              n, room;
    vod_frag_run_t       *runs;
    uint32_t              n_runs, run_room;

    uint32_t              whole, whole_runs;    /* of whole fragments */
    uint64_t              data_end;     /* of the fragment being read */
    int                   from_moof;    /* offsets count from there, though
                                           no flag says so */
    uint64_t              lost;         /* moof from which on its data is not
                                           in the file; 0 = all is there */
} vod_frag_track_t;


/*
 * Reads the fragments from mp4->moof on into a vod_frag_track_t for each
 * track (t->frag), with the sample entry they use in t->entry; a track they
 * say nothing of has code and why set, unless moov has samples of it.  What
 * was not read, mp4->note says.
 *
 * VOD_OK; VOD_DAMAGED where not one fragment is whole and moov has no sample
 * either; VOD_LIMIT, VOD_NOMEM, VOD_IO.
 */
int vod_frag_read(vod_mp4_t *mp4, vod_source_t *s,
    const vod_av_limits_t *limits, vod_err_t *err);

void vod_frag_free(vod_frag_track_t *f);

/*
 * Puts samples[0..n), those of moov, in front of f's, and gives the last
 * sample of each run the duration that reaches to the next one: the decoding
 * times of the fragments hold.  Fragments that are not in the order of their
 * times are sorted where that leaves no overlap.  Of those without tfdt, the
 * time of Smooth Streaming's tfxd counts where it is off by more than a
 * sample; the first one's is 0 where it is below.  Else one that begins too
 * early cuts the decoding times, not the presentation times, of the one
 * before it, and one that goes back behind its begin is left out.  All of
 * this becomes notes that begin with what.  *dts is the first sample's.
 *
 * VOD_OK; VOD_DAMAGED where a gap is longer than a duration can be; VOD_NOMEM.
 */
int vod_frag_join(vod_frag_track_t *f, const vod_sample_t *samples,
    uint32_t n, const char *what, int64_t *dts, vod_notes_t *notes,
    vod_err_t *err);


/*
 * Parts of vod_frag_read().
 */

typedef struct {
    vod_mp4_t        *mp4;
    uint64_t          pos;      /* of moof in the file */
    uint64_t          next;     /* where data goes on, without being said */
    uint64_t          mdat, mdat_end;   /* payload of the box behind; 0 = it
                                           is no mdat */
    uint64_t          low, high;        /* the data of a traf */
    uint64_t          left;     /* samples that may still be taken */
    uint64_t          max;      /* samples allowed, for the reason */
} vod_frag_moof_t;

/* what a traf says but for its truns */
typedef struct {
    vod_mp4_track_t      *t;            /* NULL where its data is not wanted */
    uint32_t              id;
    vod_frag_defaults_t   def;
    uint64_t              base;         /* offsets in the file count from */
    int                   implicit;     /* base is no flag's */
    int64_t               dts;          /* -1 = not said */
    int64_t               smooth;       /* by tfxd, if timed */
    int                   timed;
} vod_frag_traf_t;

/*
 * The body of a moof (vod_frag_moof.c).  VOD_DAMAGED with the reason: then
 * some of its samples may have been taken and have to be given back.
 */
int vod_frag_moof(vod_frag_moof_t *m, vod_rd_t body, vod_err_t *err);

/*
 * The body of a trun (vod_frag_trun.c): its samples go to traf->t, or nowhere
 * where that is NULL; m->next, low and high move.  VOD_OK, VOD_DAMAGED,
 * VOD_LIMIT, VOD_NOMEM.
 */
int vod_frag_trun(vod_frag_moof_t *m, const vod_frag_traf_t *traf,
    vod_rd_t rd, vod_err_t *err);

/* room for n more samples and one more run: VOD_OK or VOD_NOMEM */
int vod_frag_reserve(vod_frag_track_t *f, uint32_t n, vod_err_t *err);

#endif /* _VOD_FRAG_H_INCLUDED_ */
