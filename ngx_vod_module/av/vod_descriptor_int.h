/*
 * Fields of a descriptor, by type, and what is said of wrong ones.  Private to
 * vod_descriptor*.c.
 */

#ifndef _VOD_DESCRIPTOR_INT_H_INCLUDED_
#define _VOD_DESCRIPTOR_INT_H_INCLUDED_

#include <jansson.h>

#include "vod_descriptor.h"


/* bytes of the list of fields that mean nothing, and of where a field is */
#define VOD_DESCRIPTOR_IGNORED  512
#define VOD_DESCRIPTOR_WHERE    64


/* an object of the descriptor, for those who read its fields */
typedef struct {
    json_t      *object;
    char         where[VOD_DESCRIPTOR_WHERE];   /* "sequences[1].clips[0]." */
    const char  *group;         /* the same of all of them: "sequences[]." */
    char        *ignored;       /* VOD_DESCRIPTOR_IGNORED bytes */
    vod_err_t   *err;
} vod_descriptor_part_t;


/*
 * Each reads the field key where it is there, and leaves the result as it is
 * where it is not.  VOD_OK, or VOD_DAMAGED where it is wrong.  json null is
 * wrong, too.
 */

/* not empty; without control characters, which JSON can escape */
int vod_descriptor_string(const vod_descriptor_part_t *part, const char *key,
    const char **s, size_t *len);

/* an integer from min to max */
int vod_descriptor_integer(const vod_descriptor_part_t *part,
    const char *key, int64_t min, int64_t max, int64_t *n);

int vod_descriptor_flag(const vod_descriptor_part_t *part, const char *key,
    int *flag);

/* a field of JSON_OBJECT or JSON_ARRAY; NULL where it is not there */
int vod_descriptor_json(const vod_descriptor_part_t *part, const char *key,
    json_type type, json_t **json);

/* "an object"; of a value, for what is said of a wrong one */
const char *vod_descriptor_type(const json_t *json);

/* notes the fields that are not in known (n names) */
void vod_descriptor_ignore(const vod_descriptor_part_t *part,
    const char *const *known, unsigned n);

#endif /* _VOD_DESCRIPTOR_INT_H_INCLUDED_ */
