/*
 * The descriptor: a JSON file that names the members of an asset, in the form
 * of media sets that deployments of other packagers have.
 *
 *   { "clipFrom": 0, "clipTo": 60000,
 *     "sequences": [
 *       { "language": "eng", "label": "English", "default": true,
 *         "bitrate": { "v": 2000000, "a": 128000 },
 *         "clips": [ { "type": "source", "path": "/film/720.mp4",
 *                      "tracks": "v1-a1", "clipFrom": 0, "clipTo": 60000 } ]
 *       } ] }
 *
 * "sequences" and each one's "clips" and "path" must be there; a sequence has
 * one clip.  "roles" of a sequence is ours: an array of "main", "commentary",
 * "description", "hearing", "forced", "original", "dub".  Times are
 * milliseconds; those of an asset are one and the same, wherever they stand.
 */

#ifndef _VOD_DESCRIPTOR_H_INCLUDED_
#define _VOD_DESCRIPTOR_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>

#include "../core/vod_err.h"


/* bytes of a descriptor: thousands of members have room */
#define VOD_DESCRIPTOR_MAX   (1024 * 1024)

/* bytes of a path in it */
#define VOD_DESCRIPTOR_PATH  4096


/* strings are terminated, have no NUL within, and live in the descriptor */
typedef struct {
    const char  *path;          /* as written, not empty, no ".." in it */
    size_t       path_len;
    char         lang[16];      /* BCP 47 in lower case; "" = not said */
    const char  *label;         /* UTF-8; NULL = not said */
    size_t       label_len;
    const char  *tracks;        /* of the file: core/vod_choice.h; NULL = all */
    size_t       tracks_len;
    int          is_default;    /* 1, 0; -1 = not said */
    uint32_t     roles;         /* VOD_ROLE_*, 0 = not said */
    uint64_t     bitrate[2];    /* of video, of audio, bit/s; 0 = not said */
} vod_descriptor_member_t;


typedef struct {
    vod_descriptor_member_t  *members;
    uint32_t                  n_members;    /* > 0 */
    int64_t                   from, to;     /* microseconds; 0, INT64_MAX:
                                               whole */
    const char               *ignored;      /* the fields that mean nothing
                                               here, for one line of the log:
                                               "cache, sequences[].id", "" =
                                               none */
    void                     *memory;       /* the parser's own */
} vod_descriptor_t;


/*
 * Parses len bytes.  VOD_OK, out to be freed by vod_descriptor_free(); or, with
 * nothing to be freed, VOD_DAMAGED (no JSON, or a field is wrong: the reason
 * names it, "sequences[1].clips[0].path"), VOD_LIMIT beyond
 * VOD_DESCRIPTOR_MAX, VOD_NOMEM.  err must be there.
 */
int vod_descriptor_parse(const char *json, size_t len, vod_descriptor_t *out,
    vod_err_t *err);

void vod_descriptor_free(vod_descriptor_t *descriptor);

#endif /* _VOD_DESCRIPTOR_H_INCLUDED_ */
