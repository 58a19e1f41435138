/*
 * Assets of several files: a folder, a descriptor, a file with its sidecars.
 *
 * Nothing about one file changes: each has its own index and timeline, and a
 * track's header, playlist and segments are answered from those of the file
 * it is in.  What is new is the table: the files of an asset, and which
 * numbers their tracks have in URLs.  Playlist and MPD of the whole asset look
 * at all of them, and are rendered from what is merged of their indexes and
 * timelines (core/vod_merge.h).
 *
 *   find    the table in the zone.  A track's request goes on with the file
 *           that has it, at the cost of a few short copies
 *   list    a thread task: the files that there are; or, of a table that is
 *           to serve a whole playlist, whether they are what they were
 *   walk    each file's index, through the claims and builds of all files,
 *           one after the other; then the table goes to the zone
 *   parts   for a whole playlist that the zone does not have: the same again,
 *           and copies of heads of indexes and of timelines
 *
 * While this goes on the request's context is about one file after the other
 * (path, fd, id, cuts).  A file that fails is left out, with a line in the log
 * for each table.
 */

#ifndef _NGX_HTTP_VOD_ASSET_H_INCLUDED_
#define _NGX_HTTP_VOD_ASSET_H_INCLUDED_

#include "ngx_http_vod_zone.h"

#include "../core/vod_index.h"
#include "../core/vod_timeline.h"


#define NGX_HTTP_VOD_FOLDER      1
#define NGX_HTTP_VOD_SIDECARS    2      /* a media file, and those beside it */
#define NGX_HTTP_VOD_DESCRIPTOR  3


/* where an asset has got to */
#define NGX_HTTP_VOD_FIND        0
#define NGX_HTTP_VOD_LIST        1
#define NGX_HTTP_VOD_WALK        2
#define NGX_HTTP_VOD_READY       3


/*
 * The table, in one piece: this, the members, and the bytes of their paths,
 * labels and choices.
 */
typedef struct {
    uint64_t                len;        /* bytes of all */
    uint64_t                hash;       /* of the members and what follows */
    int64_t                 expires;    /* a time after which it is to be made
                                           anew; 0: never */
    int64_t                 mtime;      /* the latest of its files */
    int64_t                 from;       /* a descriptor's clip, microseconds; */
    int64_t                 to;         /* 0 to INT64_MAX: none */
    uint32_t                n;          /* members */
    uint32_t                reference;  /* the one whose cuts are the grid,
                                           from 1; 0: none */
    ngx_http_vod_file_id_t  grid;       /* its id */
    uint32_t                media;      /* tracks of video and audio, and */
    uint32_t                texts;
} ngx_http_vod_table_t;


typedef struct {
    ngx_http_vod_file_id_t  id;         /* all 0: there is no such file */
    uint32_t                path;       /* where in the table it stands, */
    uint32_t                path_len;   /* below the asset's base */
    uint32_t                label;
    uint32_t                label_len;  /* 0: as the file says */
    uint32_t                tracks;     /* core/vod_choice.h */
    uint32_t                tracks_len; /* 0: all */
    int64_t                 roles;      /* -1: as the file says */
    int32_t                 is_default; /* likewise -1 */
    char                    lang[16];   /* likewise "" */
    uint32_t                first[4];   /* by kind: how many tracks of others
                                           stand before its own, and */
    uint32_t                n[4];       /* how many it has */
    int32_t                 error;      /* VOD_*; it is left out */
    uint32_t                off_grid;
} ngx_http_vod_member_t;


#define ngx_http_vod_members(table)                                           \
    ((ngx_http_vod_member_t *) ((u_char *) (table)                            \
                                + sizeof(ngx_http_vod_table_t)))


/* what a thread is asked for: the files of an asset; memory is from malloc() */
typedef struct {
    ngx_uint_t              kind;       /* NGX_HTTP_VOD_FOLDER, ... */
    const char             *base;
    ngx_str_t               name;       /* as the asset's */
    ngx_fd_t                fd;         /* of a descriptor */
    ngx_http_vod_file_id_t  self;
    ngx_uint_t              max;        /* members */

    ngx_http_vod_file_id_t  folder;     /* as it was, and as it was listed */
    ngx_http_vod_table_t   *table;      /* to be looked at, or NULL; then what
                                           there is, no numbers yet */
    unsigned                looked:1;   /* there was a table */
    unsigned                same:1;     /* the files are what it says */
    unsigned                crowded:1;  /* too many entries for sidecars */
    ngx_uint_t              strange;    /* names left out */
    char                   *ignored;    /* fields of the descriptor, or NULL */
    ngx_err_t               sys_err;    /* the folder cannot be read */
    vod_err_t               err;
} ngx_http_vod_list_t;

/* longest path of a folder that holds assets, bytes */
#define NGX_HTTP_VOD_NAME  4096

/* ngx_http_vod_folder.c: for a thread */
void ngx_http_vod_list(void *data);

/* ngx_http_vod_sets.c, for it */
int ngx_http_vod_list_same(ngx_http_vod_list_t *list);
int ngx_http_vod_list_natural(const char *a, const char *b);
void ngx_http_vod_list_descriptor(ngx_http_vod_list_t *list);

/*
 * ngx_http_vod_table.c, for it: a table of n members whose strings need so
 * many bytes, NULL: no memory; a string into it, returning where it stands.
 */
ngx_http_vod_table_t *ngx_http_vod_table_create(ngx_uint_t n, size_t bytes);
uint32_t ngx_http_vod_table_add(ngx_http_vod_table_t *table,
    const void *string, size_t len);


typedef struct {
    void                   *index;      /* up to the rows; from malloc() */
    void                   *timeline;
} ngx_http_vod_part_t;


struct ngx_http_vod_asset_s {
    ngx_uint_t              kind;       /* NGX_HTTP_VOD_FOLDER, ... */
    ngx_uint_t              state;      /* NGX_HTTP_VOD_FIND, ... */
    ngx_uint_t              restarts;

    ngx_str_t               path;       /* of folder, descriptor, media file */
    ngx_str_t               base;       /* folder that members are below */
    ngx_str_t               name;       /* of the file with sidecars; of the
                                           folder of a descriptor, below base */
    ngx_http_vod_file_id_t  self;       /* of descriptor, or media file */
    ngx_http_vod_file_id_t  folder;
    ngx_fd_t                fd;         /* of self */
    vod_uri_t               uri;        /* as it was asked for */
    ngx_http_vod_cuts_t     cuts;

    ngx_http_vod_key_t      key;        /* of the table */
    ngx_http_vod_table_t   *table;      /* from malloc(); NULL: the zone's */
    ngx_http_vod_table_t    head;       /* of it */
    ngx_http_vod_list_t    *list;

    /* the member that the context is about, see ngx_http_vod_member.c */
    ngx_uint_t              member;     /* from 1, 0: none */
    ngx_http_vod_member_t   m;
    ngx_pool_t             *pool;       /* its path, and its file */
    vod_index_t             index;
    vod_timeline_t          timeline;
    void                   *grid;       /* from malloc(), or NULL */
    unsigned                numbering:1;    /* all of it is asked for */
    unsigned                walking:1;  /* its failure is not the request's */
    unsigned                for_grid:1; /* it is the reference, wanted for
                                           another's build */
    u_char                **reasons;    /* of those that are left out */

    ngx_uint_t              served;     /* has the track, from 1; 0: none */
    ngx_uint_t              next;       /* to be walked */
    ngx_uint_t              turn;       /* since the last pause */
    ngx_uint_t              busy;       /* no thread would list */
    ngx_uint_t              tries;      /* of a reference, with */
    uint32_t                reference;  /* the one before, and */
    uint32_t                off;        /* how many missed its cuts */
    ngx_event_t             pause;
    unsigned                paused:1;

    ngx_http_vod_part_t    *parts;      /* of each member, or NULL */
    uint64_t                bytes;      /* of them */
    void                   *index_all;  /* merged; from malloc(), or NULL */
    void                   *timeline_all;
};


/*
 * ngx_http_vod_asset.c: begins; what the context says is that of the folder,
 * descriptor or media file, of whose path root bytes are the location's.
 * NGX_OK; NGX_DECLINED: nothing stands beside the media file; else the status.
 */
ngx_int_t ngx_http_vod_asset_begin(ngx_http_request_t *r, ngx_uint_t kind,
    size_t root);

/*
 * Whether it is beside this media file that what is asked for has to be
 * looked for; then it has begun.  NGX_OK; NGX_DECLINED: no; else the status.
 */
ngx_int_t ngx_http_vod_asset_sidecars(ngx_http_request_t *r);

/*
 * Until the context is about what the answer is made from: NGX_OK; NGX_DONE:
 * the request is resumed; else the status to answer with.
 */
ngx_int_t ngx_http_vod_asset(ngx_http_request_t *r);

/* whether that waits for indexes, and not only for a folder to be listed */
#define ngx_http_vod_asset_indexing(asset)                                    \
    ((asset) && (asset)->state == NGX_HTTP_VOD_WALK)

/* in place of ngx_http_vod_index(), once that is so */
ngx_int_t ngx_http_vod_asset_index(ngx_http_request_t *r);

/* the table holds no longer: to be found anew.  NGX_OK, or the status */
ngx_int_t ngx_http_vod_asset_restart(ngx_http_request_t *r);

/* nothing stands beside the file: it is no asset of several.  NGX_OK */
ngx_int_t ngx_http_vod_asset_alone(ngx_http_request_t *r);


/*
 * ngx_http_vod_listing.c: posts the task that lists the files, or, where
 * there is asset->table, sees whether it is true.  NGX_DONE or the status.
 */
ngx_int_t ngx_http_vod_asset_list(ngx_http_request_t *r);

/* when it is back: NGX_OK, the state is the next one, or there is a table */
ngx_int_t ngx_http_vod_asset_listed(ngx_http_request_t *r);


/* ngx_http_vod_table.c: the table in the zone */
void ngx_http_vod_table_key(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset);

/* bytes of asset->table, or of the zone's: NGX_OK, NGX_DECLINED */
ngx_int_t ngx_http_vod_table_read(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, uint64_t offset, void *dst, size_t len);

/*
 * asset->head.  NGX_DECLINED: there is no table, or an old one.  Where all is
 * set, all of it becomes asset->table; NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_vod_table_get(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, ngx_uint_t all);

/*
 * The member that has the track that was asked for, from 1; 0: none has.
 * NGX_OK, NGX_DECLINED, NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_vod_table_find(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset, ngx_uint_t *member);

/* to the zone: NGX_OK; NGX_BUSY: there is one; NGX_DECLINED: no room */
ngx_int_t ngx_http_vod_table_put(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset);

void ngx_http_vod_table_drop(ngx_http_request_t *r,
    ngx_http_vod_asset_t *asset);


/*
 * ngx_http_vod_member.c: index and timeline of a member (from 1), whose heads
 * asset->index and asset->timeline become.  NGX_OK; NGX_ABORT: it has failed;
 * NGX_AGAIN: the table holds no longer; NGX_DONE; else the status.
 */
ngx_int_t ngx_http_vod_member(ngx_http_request_t *r, ngx_uint_t member);

/* the context is about it, its file is open: as above */
ngx_int_t ngx_http_vod_member_open(ngx_http_request_t *r, ngx_uint_t member);

/* the context is about none */
void ngx_http_vod_member_leave(ngx_http_request_t *r);

/* whether a failure is that of the member in hand, and not the request's */
ngx_uint_t ngx_http_vod_member_fails(ngx_http_vod_ctx_t *ctx, int code);

/* it has failed: NGX_ABORT, NGX_AGAIN */
ngx_int_t ngx_http_vod_member_fail(ngx_http_request_t *r, int code,
    const char *text);


/*
 * ngx_http_vod_walk.c: all members, to number their tracks, or to have parts
 * of a whole playlist.  walk() is called until it is NGX_OK; then there is a
 * table, in the zone too, or there are the parts.  Else as above.
 */
ngx_int_t ngx_http_vod_walk_begin(ngx_http_request_t *r,
    ngx_uint_t numbering);
ngx_int_t ngx_http_vod_walk(ngx_http_request_t *r);
void ngx_http_vod_walk_cleanup(ngx_http_vod_asset_t *asset);

/* the request is resumed after so many ms; NGX_DONE */
ngx_int_t ngx_http_vod_asset_pause(ngx_http_request_t *r, ngx_msec_t time);

/*
 * ngx_http_vod_merged.c: index_all and timeline_all, once all parts are there.
 * NGX_OK or the status.
 */
ngx_int_t ngx_http_vod_merge(ngx_http_request_t *r);

void ngx_http_vod_merge_free(ngx_http_vod_asset_t *asset);


#endif /* _NGX_HTTP_VOD_ASSET_H_INCLUDED_ */
