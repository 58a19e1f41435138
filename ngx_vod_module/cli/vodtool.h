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


typedef struct vodtool_s  vodtool_t;

struct vodtool_s {
    int             (*run)(vodtool_t *vt);
    const char       *path;
    const char       *track;
    uint64_t          number;
    uint32_t          target;       /* ms */
    int               verbose;
    int               fd;
    struct stat       st;
    vod_av_source_t   source;
    void             *index;
    void             *timeline;
    vod_err_t         err;
};


/* prints the index (vodtool_dump.c); with verbose, every sample */
int vodtool_dump(vodtool_t *vt);

#endif /* _VODTOOL_H_INCLUDED_ */
