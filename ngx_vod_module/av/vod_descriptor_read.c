#include <stdio.h>
#include <string.h>

#include "vod_descriptor_int.h"


#define VOD_DESCRIPTOR_MORE  ", ..."


static int vod_descriptor_wrong(const vod_descriptor_part_t *part,
    const char *key, const json_t *json, const char *what);
static void vod_descriptor_note(char *ignored, const char *group,
    const char *key);


int
vod_descriptor_string(const vod_descriptor_part_t *part, const char *key,
    const char **s, size_t *len)
{
    size_t       i, n;
    json_t      *json;
    const char  *text;

    json = json_object_get(part->object, key);

    if (json == NULL) {
        return VOD_OK;
    }

    if (!json_is_string(json)) {
        return vod_descriptor_wrong(part, key, json, "a string");
    }

    text = json_string_value(json);
    n = json_string_length(json);

    if (n == 0) {
        return vod_fail(part->err, VOD_DAMAGED, "%s%s is empty", part->where,
                        key);
    }

    for (i = 0; i < n; i++) {
        if ((unsigned char) text[i] < 0x20 || text[i] == 0x7f) {
            return vod_fail(part->err, VOD_DAMAGED,
                            "%s%s has a control character in it",
                            part->where, key);
        }
    }

    *s = text;
    *len = n;

    return VOD_OK;
}


int
vod_descriptor_integer(const vod_descriptor_part_t *part, const char *key,
    int64_t min, int64_t max, int64_t *n)
{
    json_t   *json;
    int64_t   value;

    json = json_object_get(part->object, key);

    if (json == NULL) {
        return VOD_OK;
    }

    if (!json_is_integer(json)) {
        return vod_descriptor_wrong(part, key, json, "an integer");
    }

    value = json_integer_value(json);

    if (value < min || value > max) {
        return vod_fail(part->err, VOD_DAMAGED,
                        "%s%s is %lld, not from %lld to %lld", part->where,
                        key, (long long) value, (long long) min,
                        (long long) max);
    }

    *n = value;

    return VOD_OK;
}


int
vod_descriptor_flag(const vod_descriptor_part_t *part, const char *key,
    int *flag)
{
    json_t  *json;

    json = json_object_get(part->object, key);

    if (json == NULL) {
        return VOD_OK;
    }

    if (!json_is_true(json) && !json_is_false(json)) {
        return vod_descriptor_wrong(part, key, json, "true or false");
    }

    *flag = json_is_true(json);

    return VOD_OK;
}


int
vod_descriptor_json(const vod_descriptor_part_t *part, const char *key,
    json_type type, json_t **json)
{
    *json = json_object_get(part->object, key);

    if (*json && json_typeof(*json) != type) {
        return vod_descriptor_wrong(part, key, *json, type == JSON_OBJECT
                                    ? "an object" : "an array");
    }

    return VOD_OK;
}


const char *
vod_descriptor_type(const json_t *json)
{
    switch (json_typeof(json)) {

    case JSON_OBJECT:
        return "an object";

    case JSON_ARRAY:
        return "an array";

    case JSON_STRING:
        return "a string";

    case JSON_INTEGER:
        return "an integer";

    case JSON_REAL:
        return "a fraction";

    case JSON_TRUE:
        return "true";

    case JSON_FALSE:
        return "false";

    default: /* JSON_NULL */
        return "null";
    }
}


static int
vod_descriptor_wrong(const vod_descriptor_part_t *part, const char *key,
    const json_t *json, const char *what)
{
    return vod_fail(part->err, VOD_DAMAGED, "%s%s is %s, not %s",
                    part->where, key, vod_descriptor_type(json), what);
}


void
vod_descriptor_ignore(const vod_descriptor_part_t *part,
    const char *const *known, unsigned n)
{
    void        *iter;
    unsigned     i;
    const char  *key;

    for (iter = json_object_iter(part->object); iter;
         iter = json_object_iter_next(part->object, iter))
    {
        key = json_object_iter_key(iter);

        for (i = 0; i < n && strcmp(known[i], key) != 0; i++) {
            /* void */
        }

        if (i == n) {
            vod_descriptor_note(part->ignored, part->group, key);
        }
    }
}


/* a list with a bound: each once, whatever number of objects has it */

static void
vod_descriptor_note(char *ignored, const char *group, const char *key)
{
    int     n;
    char    field[VOD_DESCRIPTOR_IGNORED];
    char   *p;
    size_t  used, len, part;

    n = snprintf(field, sizeof(field), "%s%s", group, key[0] ? key : "\"\"");
    len = (size_t) n;
    used = strlen(ignored);

    for (p = ignored; *p; p += part + strspn(p + part, ", ")) {

        part = strcspn(p, ",");

        if (part == len && memcmp(p, field, len) == 0) {
            return;
        }
    }

    /* the room of what says that there are more is always left */

    if (used + 2 + len + sizeof(VOD_DESCRIPTOR_MORE) > VOD_DESCRIPTOR_IGNORED)
    {
        len = strlen(VOD_DESCRIPTOR_MORE);

        if (used < len
            || strcmp(ignored + used - len, VOD_DESCRIPTOR_MORE) != 0)
        {
            strcpy(ignored + used, &VOD_DESCRIPTOR_MORE[used ? 0 : 2]);
        }

        return;
    }

    (void) snprintf(ignored + used, VOD_DESCRIPTOR_IGNORED - used, "%s%s",
                    used ? ", " : "", field);
}
