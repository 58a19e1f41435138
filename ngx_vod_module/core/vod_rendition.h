/*
 * What a player chooses between: the tracks of an index as HLS audio groups
 * and as DASH adaptation sets, and what both manifests say of a picture.
 *
 * Audio members.  Tracks that are the same thing to a listener in another
 * encoding are one member: the first English AAC track and the first English
 * AC-3 track, stereo and 5.1, the second of each, and so on; but main audio,
 * commentary and description never are.  A file does not say so; its
 * order within one language, role, codec family and layout does.
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
 */

#ifndef _VOD_RENDITION_H_INCLUDED_
#define _VOD_RENDITION_H_INCLUDED_

#include <stddef.h>

#include "vod_index.h"
#include "vod_wr.h"


/* tracks beyond these are not listed in manifests; av/ makes far fewer */
#define VOD_RENDITION_TRACKS  256
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
    uint16_t  track;            /* ordinal of its first track in the file */
    uint16_t  suffix;           /* " (2)" ... where names clash; 0 = none */
    uint8_t   is_default;       /* at most one */
    uint8_t   autoselect;
    uint8_t   same_name;        /* its tracks all have the same name */
    uint8_t   roles;            /* VOD_ROLE_*, of all its tracks */
} vod_rendition_member_t;

typedef struct {
    const char  *id;            /* GROUP-ID, with layout behind it */
    const char  *layout;
    unsigned     n;             /* members present */
    unsigned     preferred;     /* member with DEFAULT=YES */
    uint16_t     tracks[VOD_RENDITION_TRACKS];  /* ordinal, of each member */
} vod_rendition_group_t;

typedef struct {
    const void              *index;
    unsigned                 n_members;
    unsigned                 n_groups;
    vod_rendition_member_t   members[VOD_RENDITION_TRACKS];
    vod_rendition_group_t    groups[VOD_RENDITION_GROUPS];
    uint16_t                 member_of[VOD_RENDITION_TRACKS]; /* of ordinal */
} vod_rendition_audio_t;


/*
 * Finds members and groups of an index (rows are not read).  Members are in
 * the order in which they are to be listed: by language in file order,
 * within a language the default first and commentary and description last
 * (HLS Authoring Specification, 9.17: from general to specific).
 */
void vod_rendition_audio(vod_rendition_audio_t *audio, const void *index);

/*
 * Used by it (vod_rendition_group.c): groups from members; which group a
 * track is for, numbered in the order in which they are listed.
 */
void vod_rendition_groups(vod_rendition_audio_t *audio);
unsigned vod_rendition_rank(const vod_track_t *track);

/* a member's NAME, for a quoted-string; no two members have the same */
void vod_rendition_member_name(vod_wr_t *wr,
    const vod_rendition_audio_t *audio, unsigned member);

/*
 * The name a track has in the file, cut to VOD_RENDITION_NAME bytes at the
 * edge of a character, outer spaces dropped; *len is 0 where it has none.
 */
const char *vod_rendition_name(const void *index, const vod_track_t *track,
    uint64_t *len);

/*
 * What tells one listener's track from another's: VOD_ROLE_COMMENTARY,
 * VOD_ROLE_DESCRIPTION, VOD_ROLE_HEARING.  Where the file has no roles at all,
 * by the words "commentary", "audio description" or "descri(bed|ptive)" in
 * its name, which is all that most files have.
 */
unsigned vod_rendition_purpose(const void *index, const vod_track_t *track);

/* 1 where two tracks have the same; two without a name have the same name */
int vod_rendition_same_lang(const vod_track_t *a, const vod_track_t *b);
int vod_rendition_same_codec(const vod_track_t *a, const vod_track_t *b);
int vod_rendition_same_name(const void *index, const vod_track_t *a,
    const vod_track_t *b);

/* tracks of an index that manifests list: VOD_RENDITION_TRACKS at most */
unsigned vod_rendition_count(const void *index);


/*
 * Adaptation sets: set[ordinal] becomes the ordinal of the first track of
 * its set.  Tracks share one where a player may switch between them at any
 * segment (ISO/IEC 23000-19, 7.3.4.1): same kind, language and codec; same
 * aspect ratio and transfer function of video; same name, channels and
 * sampling rate of audio; and the same segment boundaries.  Audio tracks of
 * unknown language have a set each: they may well be in different ones.
 */
void vod_rendition_sets(uint16_t set[VOD_RENDITION_TRACKS],
    const void *index, const void *timeline);


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
