/*
 * What the parts of vodtool share.
 */

#ifndef _VODTOOL_H_INCLUDED_
#define _VODTOOL_H_INCLUDED_

#include <sys/stat.h>

#include "../av/vod_av.h"
#include "../core/vod_box.h"
#include "../core/vod_dash.h"
#include "../core/vod_hls.h"
#include "../core/vod_segment.h"
#include "../core/vod_uri.h"


/* exit status */
#define VODTOOL_OK         0
#define VODTOOL_FAILED     1
#define VODTOOL_USAGE      2
#define VODTOOL_NOT_FOUND  3

/* of check */
#define VODTOOL_EXACT      0
#define VODTOOL_PARTLY     1
#define VODTOOL_REFUSED    2


typedef struct vodtool_s  vodtool_t;

struct vodtool_s {
    int             (*run)(vodtool_t *vt);
    const char       *path;
    char            **paths;        /* check: all of them */
    int               n_paths;
    const char       *track;
    uint64_t          number;
    uint32_t          target;       /* ms */
    int64_t           from, to;     /* clip, microseconds */
    const char       *grid;         /* path of the reference, or NULL */
    int               verbose;
    int               fd;
    struct stat       st;
    vod_av_source_t   source;
    void             *index;
    void             *timeline;
    vod_err_t         err;
};


/* opens path, makes its index and its timeline; VODTOOL_OK, or
   VODTOOL_FAILED with err set */
int vodtool_load(vodtool_t *vt);

/* lets go of what vodtool_load() made, whatever it came to */
void vodtool_close(vodtool_t *vt);

/* read of vt->source, whose data is vt */
int64_t vodtool_read(void *data, void *buf, uint64_t len, uint64_t offset,
    int *sys_err);

/* "v1" to the track's ordinal, or -1 with err set */
int vodtool_track(vodtool_t *vt, const char *name);

/* to standard output; VODTOOL_OK, or VODTOOL_FAILED with err set */
int vodtool_put(vodtool_t *vt, const void *data, uint64_t len);

/* writes a segment (vodtool_segment.c) */
int vodtool_segment(vodtool_t *vt);
int vodtool_vtt(vodtool_t *vt);

/* VODTOOL_OK; VODTOOL_FAILED where nothing of it can be played by itself */
int vodtool_played(vodtool_t *vt);

/* prints what becomes of each file (vodtool_check.c); the worst of them */
int vodtool_check(vodtool_t *vt);

/* prints the index (vodtool_dump.c); with verbose, every sample */
int vodtool_dump(vodtool_t *vt);

#endif /* _VODTOOL_H_INCLUDED_ */
