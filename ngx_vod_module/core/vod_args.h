/*
 * Arguments of a request: the query of its URI (RFC 3986, 3.4) as name=value,
 * parted by '&', and what of it goes into the URLs of playlists.
 *
 * Three are ours: from and to, the edges of a clip in seconds ("90", "12.5"),
 * and tracks, a choice of tracks (vod_choice.h).
 */

#ifndef _VOD_ARGS_H_INCLUDED_
#define _VOD_ARGS_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>

#include "vod_err.h"
#include "vod_wr.h"


/* seconds of an edge are fewer: 31 years */
#define VOD_ARGS_SECONDS  1000000000


/* one argument, within the query, as it stands there */
typedef struct {
    const char  *text;          /* of name, '=' and value: len bytes */
    size_t       len;
    size_t       name_len;
    const char  *value;         /* behind '='; without one the end of text */
    size_t       value_len;
} vod_arg_t;

typedef struct {
    int64_t      from, to;      /* microseconds; 0, INT64_MAX: whole */
    const char  *tracks;        /* valid; of no bytes: all */
    size_t       tracks_len;
} vod_args_t;


/*
 * The next argument of a query of len bytes: 1, or 0 at the end.  *at begins
 * as 0 and is moved on.  Empty ones are passed over.
 */
int vod_args_next(const char *query, size_t len, size_t *at, vod_arg_t *arg);

/* whether an argument's name, percent-encoding undone, is name (n bytes) */
int vod_args_named(const vod_arg_t *arg, const char *name, size_t n);

/* whether it is one of our three */
int vod_args_ours(const vod_arg_t *arg);

/*
 * Reads ours.  room has len bytes, for tracks.  VOD_OK, or VOD_RANGE with the
 * reason: a value is wrong, is there twice, to is not behind from.
 */
int vod_args_parse(const char *query, size_t len, char *room,
    vod_args_t *args, vod_err_t *err);

/*
 * "from=12.5&to=90" as it goes into URLs, of equal clips the same; nothing
 * where it is none.  Returns whether something was written.
 */
int vod_args_write_clip(vod_wr_t *wr, int64_t from, int64_t to);

/*
 * Bytes of other people as part of a URL.  Of a query, or of a whole URL, what
 * may not stand there is percent-encoded and what is encoded stays so; of a
 * decoded path '%' and '?' are encoded, too.
 */
void vod_args_write_query(vod_wr_t *wr, const char *s, size_t n);
void vod_args_write_path(vod_wr_t *wr, const char *s, size_t n);

#endif /* _VOD_ARGS_H_INCLUDED_ */
