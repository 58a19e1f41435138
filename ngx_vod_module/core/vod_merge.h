/*
 * An asset of several files, or a choice of one's tracks: what their
 * manifests have to know, brought together.
 *
 * vod_merge() makes one index and one timeline of those of all members, from
 * which the writers of the multivariant playlist and of the MPD write.  The
 * index has no rows and no notes; a track in it says with which number it
 * stands in URLs.  The timeline's tracks have their own cells, rates and
 * tokens.  Headers, media playlists and segments come from the members' own.
 *
 * Members have to be cut by one grid (vod_timeline_in_t), so that they have
 * one playlist time.  A track without a segment (a clip's) is left out.
 */

#ifndef _VOD_MERGE_H_INCLUDED_
#define _VOD_MERGE_H_INCLUDED_

#include "vod_timeline.h"


/* a member; pointers are the caller's, NULL where nothing is to be changed */
typedef struct {
    const void     *index;      /* may end before the notes */
    const void     *timeline;   /* whole */

    uint32_t        first[4];   /* by kind, VOD_VIDEO ...: so many tracks of
                                   it stand before this member's; a track's
                                   number in URLs follows from it and from its
                                   number in the file */
    const uint8_t  *hide;       /* a byte a track: 1 = it is not listed */

    /* instead of what the file says, for all of its tracks */
    const char     *lang;       /* BCP 47, lower case */
    const char     *name;       /* UTF-8, name_len bytes */
    uint64_t        name_len;
    int64_t         roles;      /* VOD_ROLE_*; -1 = as the file says */
    int             is_default; /* 1, 0; -1 = as the file says */
} vod_merge_part_t;


/* room for index and timeline, in bytes; n > 0 */
void vod_merge_bound(const vod_merge_part_t *parts, unsigned n,
    uint64_t *index_room, uint64_t *timeline_room);

/*
 * Writes both, each 8-byte aligned and with the room that vod_merge_bound()
 * said.  Their lengths are in their headers.
 *
 * The merged etag covers those of all parts and all that is said of them, the
 * merged token follows from it.  The asset ends with the listed track that
 * ends last; origin is the earliest member's, longest segments and the clip's
 * end are the largest of all members'; reference is that of the first listed
 * track that is one.
 *
 * VOD_OK; VOD_LIMIT where there are more than 65,535 tracks or, in all,
 * VOD_MERGE_CELLS segments; VOD_RANGE where no track is left.
 */
int vod_merge(const vod_merge_part_t *parts, unsigned n, void *index,
    void *timeline, vod_err_t *err);

/* segments of all members' listed tracks: 300 MiB of cells */
#define VOD_MERGE_CELLS  (4 * VOD_TIMELINE_CELLS)

#endif /* _VOD_MERGE_H_INCLUDED_ */
