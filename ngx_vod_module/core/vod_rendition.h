/*
 * What a player chooses between: the tracks of an index as HLS renditions and
 * groups and as DASH adaptation sets, and what both manifests say of a
 * picture.
 *
 * Members of audio.  Tracks that are the same thing to a listener in another
 * encoding are one member: the first English AAC track and the first English
 * AC-3 track, stereo and 5.1, the second of each, and so on; but main audio,
 * commentary and description never are.  A file does not say so; its
 * order within one language, role, codec family and layout does.
 *
 * In an asset of several files (vod_merge.h) that order is counted in each.
 * Tracks of two files that agree in all of it and in their name are one sound
 * at two rates: HLS lists the richer, DASH both.  Of unknown language they are
 * so only where both files have video: two renditions of a film have the
 * same sound, two files of sound alone are there because they differ.
 *
 * Members of text.  Each track is one; but of tracks of two files that agree
 * in language, role and name, the first alone is listed.
 *
 * Audio groups.  One for each codec family and within it for stereo, surround
 * and JOC, those that most devices play first.  A group holds a track for
 * each member: its own, or else that of the nearest group before it, or else
 * one of its family.  So all groups have the same members
 * (RFC 8216bis, 4.4.6.2.1) unless a member exists only in families that
 * fewer devices decode; it is then missing from the groups before: a group
 * that mixed it in could not be played at all where its codec is unknown,
 * as every codec of a group must be listed for the whole variant.  A group
 * of the same tracks as one before is left out.
 *
 * Tracks without a segment (of a clip, vod_timeline.h) are not there.
 */

#ifndef _VOD_RENDITION_H_INCLUDED_
#define _VOD_RENDITION_H_INCLUDED_

#include <stddef.h>

#include "vod_timeline.h"
#include "vod_wr.h"


/*
 * Tracks beyond these are not listed in manifests: 1,024 files of four.  What
 * is made for each is on the stack, 36 bytes.
 */
#define VOD_RENDITION_TRACKS  4096
#define VOD_RENDITION_FAMILIES  9
#define VOD_RENDITION_LAYOUTS   3       /* stereo, surround, JOC */
#define VOD_RENDITION_GROUPS                                                  \
    (VOD_RENDITION_FAMILIES * VOD_RENDITION_LAYOUTS)

/* no track, no member */
#define VOD_RENDITION_NONE    0xffff

/* bytes of a name that are shown */
#define VOD_RENDITION_NAME    240


typedef struct {
    uint64_t  name_hash;        /* of its name as written */
    uint64_t  base_hash;        /* of that without a suffix */
    uint16_t  track;            /* ordinal of its first track in the file */
    uint16_t  suffix;           /* " (2)" ... where names clash; 0 = none */
    uint8_t   is_default;       /* at most one of a kind */
    uint8_t   autoselect;
    uint8_t   same_name;        /* its tracks all have the same name */
    uint8_t   roles;            /* VOD_ROLE_*, of all its tracks */
} vod_rendition_member_t;

typedef struct {
    const char  *id;            /* GROUP-ID, with layout behind it */
    const char  *layout;
    uint64_t     hash;          /* of its tracks */
    unsigned     rank;          /* vod_rendition_rank() */
    unsigned     n;             /* members present */
    unsigned     preferred;     /* member with DEFAULT=YES */
} vod_rendition_group_t;

typedef struct {
    const void                  *index;
    const vod_track_t           *tracks;
    const vod_timeline_track_t  *times;
    unsigned                     n;         /* tracks looked at */

    /* members[0 .. n_audio) are audio, [n_audio .. n_members) text */
    unsigned                     n_audio, n_members;
    unsigned                     n_groups;
    vod_rendition_group_t        groups[VOD_RENDITION_GROUPS];
    vod_rendition_member_t       members[VOD_RENDITION_TRACKS];

    /* by ordinal: VOD_RENDITION_NONE where a track has no member */
    uint16_t                     member_of[VOD_RENDITION_TRACKS];
} vod_renditions_t;


/*
 * Finds members and groups of an index (rows are not read; cells neither).
 * Members are in the order in which they are to be listed: by language in file
 * order, within a language the default first and then from general to
 * specific (HLS Authoring Specification, 9.17): commentary, description,
 * SDH and forced text last.
 */
void vod_renditions(vod_renditions_t *r, const void *index,
    const void *timeline);

/* 1 where a track is to be listed at all */
#define vod_rendition_listed(r, ordinal)                                      \
    ((r)->times[ordinal].n_segments > 0)

/*
 * Used by it (vod_rendition_group.c, vod_rendition_name.c): groups from
 * members; names that differ; which group a track is for, numbered in the
 * order in which they are listed.
 */
void vod_rendition_groups(vod_renditions_t *r);
void vod_rendition_names(vod_renditions_t *r);
unsigned vod_rendition_rank(const vod_track_t *track);

/* the tracks of a group: the ordinal of each audio member's, or none */
void vod_rendition_group_tracks(const vod_renditions_t *r, unsigned rank,
    uint16_t tracks[VOD_RENDITION_TRACKS]);

/* a member's NAME, for a quoted-string; no two of a kind have the same */
void vod_rendition_member_name(vod_wr_t *wr, const vod_renditions_t *r,
    unsigned member);

/*
 * The name a track has in the file, cut to VOD_RENDITION_NAME bytes at the
 * edge of a character, outer spaces dropped; *len is 0 where it has none.
 */
const char *vod_rendition_name(const void *index, const vod_track_t *track,
    uint64_t *len);

/*
 * What tells one track from another for who listens or reads:
 * VOD_ROLE_COMMENTARY, VOD_ROLE_DESCRIPTION, VOD_ROLE_HEARING, of text
 * VOD_ROLE_FORCED too.  Where the file has no roles at all, by words in its
 * name, which is all that most files have: "commentary", "audio description"
 * or "descri(bed|ptive)", of text "forced", "SDH", "hearing impaired", "hard of
 * hearing" or "closed caption".
 */
unsigned vod_rendition_purpose(const void *index, const vod_track_t *track);

/* 1 where two tracks have the same; two without a name have the same name */
int vod_rendition_same_lang(const vod_track_t *a, const vod_track_t *b);
int vod_rendition_same_codec(const vod_track_t *a, const vod_track_t *b);
int vod_rendition_same_name(const void *index, const vod_track_t *a,
    const vod_track_t *b);


/*
 * Video tracks in the order in which variants are listed; returns how many.
 * Players begin with the first: H.264 before what fewer devices decode, SDR
 * before HDR, those on the grid before others.  Of these the richest that has
 * no more than VOD_RENDITION_START on average comes first, or the poorest;
 * the others follow by their rate.  Of equal rates they are in file order.
 */
#define VOD_RENDITION_START  2000000    /* bit/s */

unsigned vod_rendition_variants(const vod_renditions_t *r,
    uint16_t order[VOD_RENDITION_TRACKS]);


/*
 * Adaptation sets: set[ordinal] becomes the ordinal of the first track of
 * its set, VOD_RENDITION_NONE where the track is not listed.  Tracks share one
 * where a player may switch between them at any segment (ISO/IEC 23000-19,
 * 7.3.4.1): same kind, language and codec; same aspect ratio and transfer
 * function of video; same name, channels and sampling rate of audio; and the
 * same segment boundaries, to the microsecond.  Audio tracks of unknown
 * language have a set each, unless they are one sound at two rates (above).
 * Text has a set for each member.
 */
void vod_rendition_sets(const vod_renditions_t *r,
    uint16_t set[VOD_RENDITION_TRACKS]);


/*
 * The picture as the viewer sees it: rotated by the track header's matrix
 * where that turns it by 90 or 270 degrees.  Pixel aspect ratio and picture
 * aspect ratio are in lowest terms.
 */
typedef struct {
    uint32_t  width, height;            /* samples */
    uint32_t  sar_num, sar_den;
    uint32_t  par_num, par_den;
    uint32_t  square_width;             /* width at square pixels, nearest */
} vod_rendition_picture_t;

void vod_rendition_picture(vod_rendition_picture_t *pic,
    const vod_track_t *track);


/* a ratio in lowest terms, rounded where that needs more than 32 bits; 1:1
   where one side is 0 */
void vod_rendition_reduce(uint64_t num, uint64_t den, uint32_t *out_num,
    uint32_t *out_den);

/* bytes of a fixed field that is 0-padded but may be full */
size_t vod_rendition_field(const char *field, size_t size);

/* "v1", "a2": the track's name in URLs */
void vod_rendition_url(vod_wr_t *wr, const void *index, unsigned ordinal);

#endif /* _VOD_RENDITION_H_INCLUDED_ */
