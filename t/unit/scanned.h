/*
 * Files as sources of av/, from a path or from memory, and walks over
 * folders: for the tests of the demuxer and the scan.
 */

#ifndef _SCANNED_H_INCLUDED_
#define _SCANNED_H_INCLUDED_

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vod_demux.h"


typedef struct {
    uint8_t   *data;
    uint64_t   size;
} bytes_t;


static inline int64_t
bytes_read(void *data, void *buf, uint64_t len, uint64_t offset, int *sys_err)
{
    bytes_t   *b = data;
    uint64_t   n;

    (void) sys_err;

    if (offset >= b->size) {
        return 0;
    }

    n = b->size - offset;
    n = (n < len) ? n : len;
    memcpy(buf, b->data + offset, n);

    return (int64_t) n;
}


static inline void
bytes_source(vod_av_source_t *src, bytes_t *b)
{
    memset(src, 0, sizeof(*src));
    src->read = bytes_read;
    src->data = b;
    src->size = b->size;
}


/* the whole file, or nothing where it is larger than 16 MiB */
static inline int
bytes_load(bytes_t *b, const char *path)
{
    FILE         *f;
    struct stat   st;

    b->data = NULL;
    b->size = 0;

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    if (fstat(fileno(f), &st) == 0 && st.st_size > 0
        && st.st_size <= (16 << 20))
    {
        b->data = malloc((size_t) st.st_size);
        b->size = fread(b->data, 1, (size_t) st.st_size, f);
    }

    fclose(f);

    return b->size != 0;
}


/* what vod_av_index() would take it for, NULL = not demuxed */
static inline const char *
bytes_container(const bytes_t *b)
{
    vod_err_t    err;
    const char  *container;

    (void) vod_demux_probe(b->data, b->size < 32768 ? b->size : 32768,
                           &container, &err);

    return container;
}


static inline void
each_file(const char *path, void (*check)(const char *path))
{
    int              i, n;
    char             sub[4096];
    struct stat      st;
    struct dirent  **e;

    n = scandir(path, &e, NULL, alphasort);

    for (i = 0; i < n; i++) {

        if (e[i]->d_name[0] != '.'
            && snprintf(sub, sizeof(sub), "%s/%s", path, e[i]->d_name)
               < (int) sizeof(sub)
            && stat(sub, &st) == 0)
        {
            if (S_ISDIR(st.st_mode)) {
                each_file(sub, check);

            } else if (S_ISREG(st.st_mode)) {
                check(sub);
            }
        }

        free(e[i]);
    }

    if (n >= 0) {
        free(e);
    }
}


/* the files named, or all of VOD_FIXTURES and VOD_MEDIA */
static inline void
all_files(int argc, char **argv, void (*check)(const char *path))
{
    int          i;
    const char  *dir[2];

    for (i = 1; i < argc; i++) {
        check(argv[i]);
    }

    dir[0] = getenv("VOD_FIXTURES");
    dir[1] = getenv("VOD_MEDIA");

    for (i = 0; i < 2 && argc == 1; i++) {
        if (dir[i] && dir[i][0]) {
            each_file(dir[i], check);
        }
    }
}

#endif /* _SCANNED_H_INCLUDED_ */
