/*
 * The files that a descriptor names, and whether those of a table are what
 * they were.  Runs in a thread, as ngx_http_vod_folder.c does.
 */

#include "ngx_http_vod_asset.h"

#include "../av/vod_descriptor.h"


static char *ngx_http_vod_list_load(ngx_http_vod_list_t *list, size_t *len);
static void ngx_http_vod_list_sets(ngx_http_vod_list_t *list,
    vod_descriptor_t *descriptor);
static void ngx_http_vod_list_set(ngx_http_vod_list_t *list,
    ngx_http_vod_member_t *m, vod_descriptor_member_t *from);
static void ngx_http_vod_list_id(ngx_http_vod_list_t *list,
    ngx_http_vod_table_t *table, ngx_http_vod_member_t *m,
    ngx_http_vod_file_id_t *id);


int
ngx_http_vod_list_same(ngx_http_vod_list_t *list)
{
    uint32_t                i;
    struct stat             st;
    ngx_http_vod_file_id_t  id;
    ngx_http_vod_member_t  *m;

    if (list->kind != NGX_HTTP_VOD_DESCRIPTOR) {

        if (stat(list->base, &st) == -1) {
            return 0;
        }

        ngx_http_vod_folder_id(&id, &st);

        if (memcmp(&id, &list->folder, sizeof(id)) != 0) {
            return 0;
        }
    }

    m = ngx_http_vod_members(list->table);

    for (i = 0; i < list->table->n; i++, m++) {
        ngx_http_vod_list_id(list, list->table, m, &id);

        if (memcmp(&id, &m->id, sizeof(id)) != 0) {
            return 0;
        }
    }

    return 1;
}


/* all 0 where there is no such file */

static void
ngx_http_vod_list_id(ngx_http_vod_list_t *list, ngx_http_vod_table_t *table,
    ngx_http_vod_member_t *m, ngx_http_vod_file_id_t *id)
{
    char         path[VOD_DESCRIPTOR_PATH * 2 + NGX_HTTP_VOD_NAME];
    size_t       len;
    struct stat  st;

    memset(id, 0, sizeof(ngx_http_vod_file_id_t));

    len = strlen(list->base);

    if (len + 1 + m->path_len >= sizeof(path)) {
        return;
    }

    memcpy(path, list->base, len);
    path[len++] = '/';
    memcpy(path + len, (char *) table + m->path, m->path_len);
    path[len + m->path_len] = '\0';

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        ngx_http_vod_file_id(id, &st);
    }
}


/* numbers in names by their value; below 0, 0, above 0 as strcmp() */

int
ngx_http_vod_list_natural(const char *a, const char *b)
{
    size_t  n, k;

    for ( ;; ) {

        while (*a && *a == *b && !(*a >= '0' && *a <= '9')) {
            a++;
            b++;
        }

        if (!(*a >= '0' && *a <= '9') || !(*b >= '0' && *b <= '9')) {
            return (int) (unsigned char) *a - (int) (unsigned char) *b;
        }

        a += strspn(a, "0");
        b += strspn(b, "0");

        n = strspn(a, "0123456789");
        k = strspn(b, "0123456789");

        if (n != k) {
            return n < k ? -1 : 1;
        }

        for ( /* void */ ; n; n--, a++, b++) {
            if (*a != *b) {
                return *a < *b ? -1 : 1;
            }
        }
    }
}


void
ngx_http_vod_list_descriptor(ngx_http_vod_list_t *list)
{
    char              *json;
    size_t             len;
    vod_descriptor_t   descriptor;

    json = ngx_http_vod_list_load(list, &len);
    if (json == NULL) {
        return;
    }

    if (vod_descriptor_parse(json, len, &descriptor, &list->err) == VOD_OK) {

        if (descriptor.n_members > list->max) {
            (void) vod_fail(&list->err, VOD_LIMIT,
                            "the descriptor has %lu sequences, more than the "
                            "%lu allowed (vod_max_members)",
                            (unsigned long) descriptor.n_members,
                            (unsigned long) list->max);

        } else {
            ngx_http_vod_list_sets(list, &descriptor);
        }

        vod_descriptor_free(&descriptor);
    }

    free(json);
}


static char *
ngx_http_vod_list_load(ngx_http_vod_list_t *list, size_t *len)
{
    int       err;
    char     *json;
    int64_t   n;

    if (list->self.size > VOD_DESCRIPTOR_MAX) {
        (void) vod_fail(&list->err, VOD_LIMIT,
                        "the descriptor has %llu bytes, more than the %d "
                        "that one may have",
                        (unsigned long long) list->self.size,
                        VOD_DESCRIPTOR_MAX);
        return NULL;
    }

    json = malloc(list->self.size + 1);
    if (json == NULL) {
        (void) vod_fail(&list->err, VOD_NOMEM, "no memory for a descriptor");
        return NULL;
    }

    n = ngx_http_vod_source_read(&list->fd, json, list->self.size, 0, &err);

    if (n == -1) {
        (void) vod_fail(&list->err, VOD_IO, "the descriptor cannot be read: "
                        "%s", strerror(err));
        free(json);
        return NULL;
    }

    *len = n;

    return json;
}


static void
ngx_http_vod_list_sets(ngx_http_vod_list_t *list,
    vod_descriptor_t *descriptor)
{
    size_t                    bytes;
    uint32_t                  i;
    ngx_http_vod_table_t     *table;
    ngx_http_vod_member_t    *m;
    vod_descriptor_member_t  *from;

    for (i = 0, bytes = 0; i < descriptor->n_members; i++) {
        from = &descriptor->members[i];
        bytes += list->name.len + 1 + from->path_len + from->label_len
                 + from->tracks_len;
    }

    table = ngx_http_vod_table_create(descriptor->n_members, bytes);

    if (descriptor->ignored[0]) {
        list->ignored = strdup(descriptor->ignored);
    }

    if (table == NULL || (descriptor->ignored[0] && list->ignored == NULL)) {
        (void) vod_fail(&list->err, VOD_NOMEM, "no memory for a descriptor");
        free(table);
        return;
    }

    table->from = descriptor->from;
    table->to = descriptor->to;

    list->table = table;

    m = ngx_http_vod_members(table);

    for (i = 0; i < descriptor->n_members; i++, m++) {
        ngx_http_vod_list_set(list, m, &descriptor->members[i]);
        ngx_http_vod_list_id(list, table, m, &m->id);
    }
}


/* a path that begins with a slash is below the root, else below the folder */

static void
ngx_http_vod_list_set(ngx_http_vod_list_t *list, ngx_http_vod_member_t *m,
    vod_descriptor_member_t *from)
{
    size_t                 len;
    const char            *path;
    ngx_http_vod_table_t  *table;

    table = list->table;

    path = from->path;
    len = from->path_len;

    m->path = table->len;

    if (path[0] != '/' && list->name.len) {
        (void) ngx_http_vod_table_add(table, list->name.data,
                                      list->name.len);
        (void) ngx_http_vod_table_add(table, "/", 1);
    }

    while (len && path[0] == '/') {
        path++;
        len--;
    }

    (void) ngx_http_vod_table_add(table, path, len);

    m->path_len = table->len - m->path;

    m->roles = from->roles ? (int64_t) from->roles : -1;
    m->is_default = from->is_default;

    memcpy(m->lang, from->lang, sizeof(m->lang));

    if (from->label_len) {
        m->label_len = from->label_len;
        m->label = ngx_http_vod_table_add(table, from->label,
                                          from->label_len);
    }

    if (from->tracks_len) {
        m->tracks_len = from->tracks_len;
        m->tracks = ngx_http_vod_table_add(table, from->tracks,
                                           from->tracks_len);
    }
}
