/*
 * The files of an asset: of a folder, or beside a media file.  Runs in a
 * thread, where a disk may be waited for; those that a descriptor names are
 * found by ngx_http_vod_sets.c.
 *
 * A folder is known by its modification time, of which a kernel has one for
 * some milliseconds: one that has just been changed is listed a little later,
 * so that no change can hide behind it.
 */

#include "ngx_http_vod_asset.h"

#include "../core/vod_names.h"

#include <dirent.h>


/* entries of a folder that are looked at */
#define NGX_HTTP_VOD_ENTRIES  65536

/* longest that kernels keep one time, ns */
#define NGX_HTTP_VOD_TICK     20000000


typedef struct {
    size_t                  name;       /* where among the names */
    size_t                  len;
    vod_name_t              parsed;     /* its label: likewise */
    size_t                  label;
    ngx_http_vod_file_id_t  id;
} ngx_http_vod_entry_t;


/* of a folder, while it is listed */
typedef struct {
    ngx_http_vod_entry_t   *entries;
    size_t                  n, room;
    char                   *names;      /* each ends in a NUL */
    size_t                  bytes, size;
    size_t                  seen;       /* entries of any kind */
    size_t                  strange;
} ngx_http_vod_found_t;


static void ngx_http_vod_list_folder(ngx_http_vod_list_t *list);
static int ngx_http_vod_list_once(ngx_http_vod_list_t *list, int fd,
    ngx_http_vod_found_t *found);
static void ngx_http_vod_list_rest(ngx_http_vod_file_id_t *id);
static int ngx_http_vod_list_read(ngx_http_vod_list_t *list, DIR *dir,
    ngx_http_vod_found_t *found);
static int ngx_http_vod_list_entry(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found, const char *name);
static int ngx_http_vod_list_wanted(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found, const char *name, vod_name_t *parsed);
static void ngx_http_vod_list_stat(int fd, ngx_http_vod_found_t *found);
static void ngx_http_vod_list_table(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found);
static void ngx_http_vod_list_member(ngx_http_vod_table_t *table,
    ngx_http_vod_member_t *m, ngx_http_vod_found_t *found,
    ngx_http_vod_entry_t *entry);


/* of whom qsort() compares entries */
static __thread const char  *ngx_http_vod_list_names;


void
ngx_http_vod_list(void *data)
{
    ngx_http_vod_list_t *list = data;

    if (list->table) {
        list->same = ngx_http_vod_list_same(list);

        if (list->same) {
            return;
        }

        free(list->table);
        list->table = NULL;
    }

    if (list->kind == NGX_HTTP_VOD_DESCRIPTOR) {
        ngx_http_vod_list_descriptor(list);

    } else {
        ngx_http_vod_list_folder(list);
    }
}


static void
ngx_http_vod_list_folder(ngx_http_vod_list_t *list)
{
    int                   fd, again;
    ngx_http_vod_found_t  found;

    memset(&found, 0, sizeof(found));

    if (list->kind == NGX_HTTP_VOD_SIDECARS && list->max == 1) {
        ngx_http_vod_list_table(list, &found);
        return;
    }

    fd = open(list->base, O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    if (fd == -1) {
        list->sys_err = errno;
        return;
    }

    for (again = 0; again < 3; again++) {

        if (ngx_http_vod_list_once(list, fd, &found)) {
            break;
        }
    }

    if (list->sys_err == 0 && list->err.code == VOD_OK) {
        ngx_http_vod_list_stat(fd, &found);
        ngx_http_vod_list_table(list, &found);
    }

    list->strange = found.strange;

    free(found.entries);
    free(found.names);

    (void) close(fd);
}


/* 0: the folder was changed meanwhile */

static int
ngx_http_vod_list_once(ngx_http_vod_list_t *list, int fd,
    ngx_http_vod_found_t *found)
{
    int                     rc;
    DIR                    *dir;
    struct stat             st;
    ngx_http_vod_file_id_t  id;

    found->n = found->bytes = found->seen = found->strange = 0;

    if (fstat(fd, &st) == -1) {
        list->sys_err = errno;
        return 1;
    }

    ngx_http_vod_folder_id(&list->folder, &st);
    ngx_http_vod_list_rest(&list->folder);

    rc = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    dir = (rc == -1) ? NULL : fdopendir(rc);

    if (dir == NULL) {
        list->sys_err = errno;

        if (rc != -1) {
            (void) close(rc);
        }

        return 1;
    }

    /* the place in it is that of both, and not the first one again */
    rewinddir(dir);

    rc = ngx_http_vod_list_read(list, dir, found);

    (void) closedir(dir);

    if (rc != 0 || fstat(fd, &st) == -1) {
        return 1;
    }

    ngx_http_vod_folder_id(&id, &st);

    return memcmp(&id, &list->folder, sizeof(id)) == 0;
}


/* the folder's time is some milliseconds old, or the disk's clock another */

static void
ngx_http_vod_list_rest(ngx_http_vod_file_id_t *id)
{
    int64_t          age;
    struct timespec  ts;

    if (clock_gettime(CLOCK_REALTIME, &ts) == -1
        || ts.tv_sec < id->mtime_sec
        || ts.tv_sec - id->mtime_sec > 1)
    {
        return;
    }

    age = (ts.tv_sec - id->mtime_sec) * 1000000000
          + ts.tv_nsec - (int64_t) id->mtime_nsec;

    if (age < 0 || age >= NGX_HTTP_VOD_TICK) {
        return;
    }

    ts.tv_sec = 0;
    ts.tv_nsec = NGX_HTTP_VOD_TICK - age;

    (void) nanosleep(&ts, NULL);
}


/* -1 where something is wrong, or there are too many */

static int
ngx_http_vod_list_read(ngx_http_vod_list_t *list, DIR *dir,
    ngx_http_vod_found_t *found)
{
    struct dirent  *de;

    for ( ;; ) {
        errno = 0;
        de = readdir(dir);

        if (de == NULL) {
            list->sys_err = errno;
            break;
        }

        if (++found->seen > NGX_HTTP_VOD_ENTRIES) {

            if (list->kind == NGX_HTTP_VOD_FOLDER) {
                (void) vod_fail(&list->err, VOD_LIMIT,
                                "the folder has more than %u entries",
                                NGX_HTTP_VOD_ENTRIES);
                return -1;
            }

            list->crowded = 1;
            found->n = 0;
            break;
        }

        if (ngx_http_vod_list_entry(list, found, de->d_name) != 0) {
            return -1;
        }
    }

    if (found->n + (list->kind == NGX_HTTP_VOD_SIDECARS) > list->max) {
        (void) vod_fail(&list->err, VOD_LIMIT,
                        "the folder has %lu media files of this asset, more "
                        "than the %lu allowed (vod_max_members)",
                        (unsigned long) found->n, (unsigned long) list->max);
    }

    return (list->sys_err || list->err.code) ? -1 : 0;
}


static int
ngx_http_vod_list_entry(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found, const char *name)
{
    void                  *p;
    size_t                 len;
    vod_name_t             parsed;
    ngx_http_vod_entry_t  *entry;

    if (!ngx_http_vod_list_wanted(list, found, name, &parsed)) {
        return 0;
    }

    len = strlen(name);

    if (found->n == found->room) {
        found->room = found->room ? found->room * 2 : 64;

        p = realloc(found->entries, found->room * sizeof(*entry));
        if (p == NULL) {
            return vod_fail(&list->err, VOD_NOMEM, "no memory for a folder");
        }

        found->entries = p;
    }

    while (found->size - found->bytes < len + 1) {
        found->size = found->size ? found->size * 2 : 4096;

        p = realloc(found->names, found->size);
        if (p == NULL) {
            return vod_fail(&list->err, VOD_NOMEM, "no memory for a folder");
        }

        found->names = p;
    }

    memcpy(found->names + found->bytes, name, len + 1);

    entry = &found->entries[found->n++];

    memset(entry, 0, sizeof(*entry));

    entry->name = found->bytes;
    entry->len = len;
    entry->parsed = parsed;
    entry->label = parsed.label ? (size_t) (parsed.label - name) : 0;

    found->bytes += len + 1;

    return 0;
}


/*
 * Beside a film stand its texts and its sound.  A film whose name begins as
 * this one's is more often another film than another rendition.
 */

static int
ngx_http_vod_list_wanted(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found, const char *name, vod_name_t *parsed)
{
    size_t       len;
    const char  *p, *stem;

    len = strlen(name);

    if (list->kind == NGX_HTTP_VOD_FOLDER) {

        if (vod_names_parse(name, len, NULL, 0, parsed) == 0) {
            return 0;
        }

    } else {
        stem = (const char *) list->name.data;

        if (vod_names_parse(name, len, stem,
                            vod_names_stem(stem, list->name.len), parsed)
            == 0
            || parsed->kind == VOD_VIDEO
            || (len == list->name.len && memcmp(name, stem, len) == 0))
        {
            return 0;
        }
    }

    for (p = name; *p; p++) {

        if ((unsigned char) *p < 0x20 || *p == 0x7f) {
            found->strange++;
            return 0;
        }
    }

    return 1;
}


/* what is no file, or no longer there, is none of the asset's */

static void
ngx_http_vod_list_stat(int fd, ngx_http_vod_found_t *found)
{
    size_t                 i, n;
    struct stat            st;
    ngx_http_vod_entry_t  *entry;

    for (i = 0, n = 0; i < found->n; i++) {
        entry = &found->entries[i];

        if (fstatat(fd, found->names + entry->name, &st, 0) == -1
            || !S_ISREG(st.st_mode))
        {
            continue;
        }

        ngx_http_vod_file_id(&entry->id, &st);

        found->entries[n++] = *entry;
    }

    found->n = n;
}


/*
 * Pictures first, then sound, then text: the first film's cuts are those of
 * all.  Within these by name, with numbers by their value, so that 720p comes
 * before 1080p.
 */

static int
ngx_http_vod_list_compare(const void *one, const void *two)
{
    int                          rc;
    const ngx_http_vod_entry_t  *a, *b;

    a = one;
    b = two;

    if (a->parsed.kind != b->parsed.kind) {
        return a->parsed.kind < b->parsed.kind ? -1 : 1;
    }

    rc = ngx_http_vod_list_natural(ngx_http_vod_list_names + a->name,
                                   ngx_http_vod_list_names + b->name);

    return rc ? rc : strcmp(ngx_http_vod_list_names + a->name,
                            ngx_http_vod_list_names + b->name);
}


static void
ngx_http_vod_list_table(ngx_http_vod_list_t *list,
    ngx_http_vod_found_t *found)
{
    size_t                  i, bytes, self;
    ngx_http_vod_table_t   *table;
    ngx_http_vod_member_t  *m;

    if (found->n) {
        ngx_http_vod_list_names = found->names;
        qsort(found->entries, found->n, sizeof(ngx_http_vod_entry_t),
              ngx_http_vod_list_compare);
    }

    self = (list->kind == NGX_HTTP_VOD_SIDECARS);

    for (i = 0, bytes = self * list->name.len; i < found->n; i++) {
        bytes += found->entries[i].len + found->entries[i].parsed.label_len;
    }

    table = ngx_http_vod_table_create(self + found->n, bytes);
    if (table == NULL) {
        (void) vod_fail(&list->err, VOD_NOMEM, "no memory for a folder");
        return;
    }

    m = ngx_http_vod_members(table);

    if (self) {
        m->id = list->self;
        m->roles = -1;
        m->is_default = -1;
        m->path_len = list->name.len;
        m->path = ngx_http_vod_table_add(table, list->name.data,
                                         list->name.len);
        m++;
    }

    for (i = 0; i < found->n; i++) {
        ngx_http_vod_list_member(table, m++, found, &found->entries[i]);
    }

    list->table = table;
}


static void
ngx_http_vod_list_member(ngx_http_vod_table_t *table,
    ngx_http_vod_member_t *m, ngx_http_vod_found_t *found,
    ngx_http_vod_entry_t *entry)
{
    vod_name_t  *parsed;

    parsed = &entry->parsed;

    m->id = entry->id;
    m->roles = parsed->roles ? (int64_t) parsed->roles : -1;
    m->is_default = parsed->is_default ? 1 : -1;

    memcpy(m->lang, parsed->lang, sizeof(m->lang));

    m->path_len = entry->len;
    m->path = ngx_http_vod_table_add(table, found->names + entry->name,
                                     entry->len);

    if (parsed->label) {
        m->label_len = parsed->label_len;
        m->label = ngx_http_vod_table_add(table, found->names + entry->name
                                                 + entry->label,
                                          parsed->label_len);
    }
}
