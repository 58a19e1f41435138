#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_choice.h"
#include "../core/vod_index.h"
#include "../core/vod_lang.h"
#include "vod_descriptor_int.h"


/* milliseconds of a clip's edges: so that they fit as microseconds */
#define VOD_DESCRIPTOR_TIME  1000000000000

/* bit/s */
#define VOD_DESCRIPTOR_RATE  1000000000000


/* what a descriptor's pointers point into */
typedef struct {
    json_t                   *root;
    char                      ignored[VOD_DESCRIPTOR_IGNORED];
    vod_descriptor_member_t   members[];
} vod_descriptor_memory_t;

/* a clip's edges as they are said, milliseconds; -1 = not said */
typedef struct {
    int64_t  from, to;
} vod_descriptor_clip_t;


static const struct {
    char      name[12];
    uint32_t  role;
} vod_descriptor_roles[] = {
    { "main", VOD_ROLE_MAIN },
    { "commentary", VOD_ROLE_COMMENTARY },
    { "description", VOD_ROLE_DESCRIPTION },
    { "hearing", VOD_ROLE_HEARING },
    { "forced", VOD_ROLE_FORCED },
    { "original", VOD_ROLE_ORIGINAL },
    { "dub", VOD_ROLE_DUB }
};

#define vod_descriptor_n(table)  (sizeof(table) / sizeof(table[0]))


static json_t *vod_descriptor_load(const char *json, size_t len,
    vod_err_t *err);
static int vod_descriptor_set(json_t *root, vod_descriptor_t *out,
    vod_err_t *err);
static char *vod_descriptor_memory(json_t *root, size_t n,
    vod_descriptor_t *out);
static int vod_descriptor_members(vod_descriptor_part_t *set,
    json_t *sequences, vod_descriptor_t *out, vod_descriptor_clip_t *clip);
static int vod_descriptor_sequence(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member, json_t **clip);
static int vod_descriptor_about(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member);
static int vod_descriptor_bitrate(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member);
static int vod_descriptor_clip(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member, vod_descriptor_clip_t *clip);
static int vod_descriptor_path(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member);
static int vod_descriptor_is(vod_descriptor_part_t *part, const char *key,
    const char *only);
static int vod_descriptor_edges(vod_descriptor_part_t *part,
    vod_descriptor_clip_t *clip);
static int vod_descriptor_element(vod_descriptor_part_t *part,
    json_t *element);


int
vod_descriptor_parse(const char *json, size_t len, vod_descriptor_t *out,
    vod_err_t *err)
{
    int      rc;
    json_t  *root;

    memset(out, 0, sizeof(vod_descriptor_t));

    root = vod_descriptor_load(json, len, err);

    if (root == NULL) {
        return err->code;
    }

    rc = vod_descriptor_set(root, out, err);

    if (out->memory == NULL) {
        json_decref(root);

    } else if (rc != VOD_OK) {
        vod_descriptor_free(out);
    }

    return rc;
}


void
vod_descriptor_free(vod_descriptor_t *descriptor)
{
    vod_descriptor_memory_t  *memory;

    memory = descriptor->memory;

    if (memory) {
        json_decref(memory->root);
        free(memory);
    }

    memset(descriptor, 0, sizeof(vod_descriptor_t));
}


static json_t *
vod_descriptor_load(const char *json, size_t len, vod_err_t *err)
{
    json_t        *root;
    json_error_t   why;

    if (len > VOD_DESCRIPTOR_MAX) {
        (void) vod_fail(err, VOD_LIMIT, "a descriptor of %llu bytes: %d are "
                        "read", (unsigned long long) len, VOD_DESCRIPTOR_MAX);
        return NULL;
    }

    /* what editors of another system put in front */

    if (len >= 3 && memcmp(json, "\xef\xbb\xbf", 3) == 0) {
        json += 3;
        len -= 3;
    }

    root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &why);

    if (root == NULL) {

        if (json_error_code(&why) == json_error_out_of_memory) {
            (void) vod_fail(err, VOD_NOMEM, "no memory for a descriptor");

        } else {
            (void) vod_fail(err, VOD_DAMAGED, "the descriptor is no JSON: "
                            "line %d, column %d: %s", why.line, why.column,
                            why.text);
        }

        return NULL;
    }

    if (!json_is_object(root)) {
        (void) vod_fail(err, VOD_DAMAGED, "the descriptor is %s, not an "
                        "object", vod_descriptor_type(root));
        json_decref(root);
        return NULL;
    }

    return root;
}


static int
vod_descriptor_set(json_t *root, vod_descriptor_t *out, vod_err_t *err)
{
    size_t                       n;
    json_t                      *sequences;
    vod_descriptor_clip_t        whole, clip;
    vod_descriptor_part_t        set;
    static const char *const     known[] = {
        "clipFrom", "clipTo", "playlistType", "sequences"
    };

    memset(&set, 0, sizeof(vod_descriptor_part_t));
    set.object = root;
    set.group = "";
    set.err = err;

    clip.from = -1;
    clip.to = -1;

    if (vod_descriptor_json(&set, "sequences", JSON_ARRAY, &sequences)
        != VOD_OK)
    {
        return err->code;
    }

    n = json_array_size(sequences);

    if (n == 0) {
        return vod_fail(err, VOD_DAMAGED, "sequences %s", sequences
                        ? "is empty" : "is not there");
    }

    set.ignored = vod_descriptor_memory(root, n, out);

    if (set.ignored == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a descriptor");
    }

    vod_descriptor_ignore(&set, known, vod_descriptor_n(known));

    if (vod_descriptor_is(&set, "playlistType", "vod") != VOD_OK
        || vod_descriptor_edges(&set, &whole) != VOD_OK
        || vod_descriptor_members(&set, sequences, out, &clip) != VOD_OK)
    {
        return err->code;
    }

    if (whole.from != -1 || whole.to != -1) {

        if (clip.from != -1 || clip.to != -1) {
            return vod_fail(err, VOD_DAMAGED, "%s stands beside that of "
                            "clips: say one of them",
                            whole.from != -1 ? "clipFrom" : "clipTo");
        }

        clip = whole;
    }

    out->from = (clip.from == -1) ? 0 : clip.from * 1000;
    out->to = (clip.to == -1) ? INT64_MAX : clip.to * 1000;

    return VOD_OK;
}


/* room for n members; where the list of what means nothing is to be put */

static char *
vod_descriptor_memory(json_t *root, size_t n, vod_descriptor_t *out)
{
    vod_descriptor_memory_t  *memory;

    memory = calloc(1, sizeof(vod_descriptor_memory_t)
                       + n * sizeof(vod_descriptor_member_t));
    if (memory == NULL) {
        return NULL;
    }

    memory->root = root;

    out->memory = memory;
    out->members = memory->members;
    out->n_members = (uint32_t) n;
    out->ignored = memory->ignored;

    return memory->ignored;
}


static int
vod_descriptor_members(vod_descriptor_part_t *set, json_t *sequences,
    vod_descriptor_t *out, vod_descriptor_clip_t *clip)
{
    uint32_t                i;
    json_t                 *json;
    vod_descriptor_clip_t   this;
    vod_descriptor_part_t   part;

    part = *set;
    json = NULL;

    for (i = 0; i < out->n_members; i++) {

        (void) snprintf(part.where, sizeof(part.where), "sequences[%u]",
                        (unsigned) i);
        part.group = "sequences[].";

        if (vod_descriptor_element(&part, json_array_get(sequences, i))
                != VOD_OK
            || vod_descriptor_sequence(&part, &out->members[i], &json)
               != VOD_OK)
        {
            return part.err->code;
        }

        (void) snprintf(part.where, sizeof(part.where),
                        "sequences[%u].clips[0]", (unsigned) i);
        part.group = "sequences[].clips[].";

        if (vod_descriptor_element(&part, json) != VOD_OK
            || vod_descriptor_clip(&part, &out->members[i], &this) != VOD_OK)
        {
            return part.err->code;
        }

        if (i == 0) {
            *clip = this;
        }

        if (this.from != clip->from || this.to != clip->to) {
            return vod_fail(part.err, VOD_DAMAGED, "%s%s is not that of "
                            "sequences[0]: an asset is one clip", part.where,
                            this.from != clip->from ? "clipFrom" : "clipTo");
        }
    }

    return VOD_OK;
}


static int
vod_descriptor_sequence(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member, json_t **clip)
{
    size_t                       n;
    json_t                      *clips;
    static const char *const     known[] = {
        "bitrate", "clips", "default", "label", "language", "roles"
    };

    vod_descriptor_ignore(part, known, vod_descriptor_n(known));

    if (vod_descriptor_about(part, member) != VOD_OK
        || vod_descriptor_bitrate(part, member) != VOD_OK
        || vod_descriptor_json(part, "clips", JSON_ARRAY, &clips) != VOD_OK)
    {
        return part->err->code;
    }

    n = json_array_size(clips);

    if (clips == NULL) {
        return vod_fail(part->err, VOD_DAMAGED, "%sclips is not there",
                        part->where);
    }

    if (n != 1) {
        return vod_fail(part->err, VOD_DAMAGED, "%sclips has %llu of them: a "
                        "sequence is one file", part->where,
                        (unsigned long long) n);
    }

    *clip = json_array_get(clips, 0);

    return VOD_OK;
}


/* what is said of a member instead of what its file says */

static int
vod_descriptor_about(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member)
{
    size_t       i, j, len;
    json_t      *roles;
    const char  *text;

    text = NULL;
    len = 0;
    member->is_default = -1;

    if (vod_descriptor_string(part, "language", &text, &len) != VOD_OK
        || vod_descriptor_string(part, "label", &member->label,
                                 &member->label_len) != VOD_OK
        || vod_descriptor_flag(part, "default", &member->is_default) != VOD_OK
        || vod_descriptor_json(part, "roles", JSON_ARRAY, &roles) != VOD_OK)
    {
        return part->err->code;
    }

    if (text) {
        vod_lang_normalise(text, len, member->lang, sizeof(member->lang));

        if (strcmp(member->lang, "und") == 0 && strcmp(text, "und") != 0) {
            return vod_fail(part->err, VOD_DAMAGED, "%slanguage is \"%.64s\", "
                            "which is no tag of a language", part->where,
                            text);
        }
    }

    for (i = 0; i < json_array_size(roles); i++) {

        text = json_string_value(json_array_get(roles, i));

        for (j = 0; j < vod_descriptor_n(vod_descriptor_roles); j++) {
            if (text && strcmp(text, vod_descriptor_roles[j].name) == 0) {
                member->roles |= vod_descriptor_roles[j].role;
                break;
            }
        }

        if (j == vod_descriptor_n(vod_descriptor_roles)) {
            return vod_fail(part->err, VOD_DAMAGED,
                            "%sroles[%llu] is none of main, commentary, "
                            "description, hearing, forced, original, dub",
                            part->where, (unsigned long long) i);
        }
    }

    return VOD_OK;
}


static int
vod_descriptor_bitrate(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member)
{
    int64_t                      video, audio;
    json_t                      *json;
    vod_descriptor_part_t        rates;
    static const char *const     known[] = { "a", "v" };

    if (vod_descriptor_json(part, "bitrate", JSON_OBJECT, &json) != VOD_OK) {
        return part->err->code;
    }

    if (json == NULL) {
        return VOD_OK;
    }

    rates = *part;
    rates.object = json;
    rates.group = "sequences[].bitrate.";
    (void) snprintf(rates.where, sizeof(rates.where), "%.40sbitrate.",
                    part->where);

    vod_descriptor_ignore(&rates, known, vod_descriptor_n(known));

    video = 0;
    audio = 0;

    if (vod_descriptor_integer(&rates, "v", 1, VOD_DESCRIPTOR_RATE, &video)
            != VOD_OK
        || vod_descriptor_integer(&rates, "a", 1, VOD_DESCRIPTOR_RATE, &audio)
           != VOD_OK)
    {
        return part->err->code;
    }

    member->bitrate[0] = (uint64_t) video;
    member->bitrate[1] = (uint64_t) audio;

    return VOD_OK;
}


static int
vod_descriptor_clip(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member, vod_descriptor_clip_t *clip)
{
    static const char *const     known[] = {
        "clipFrom", "clipTo", "path", "sourceType", "tracks", "type"
    };

    vod_descriptor_ignore(part, known, vod_descriptor_n(known));

    if (vod_descriptor_is(part, "type", "source") != VOD_OK
        || vod_descriptor_is(part, "sourceType", "file") != VOD_OK
        || vod_descriptor_path(part, member) != VOD_OK
        || vod_descriptor_string(part, "tracks", &member->tracks,
                                 &member->tracks_len) != VOD_OK
        || vod_descriptor_edges(part, clip) != VOD_OK)
    {
        return part->err->code;
    }

    if (member->tracks
        && !vod_choice_valid(member->tracks, member->tracks_len))
    {
        return vod_fail(part->err, VOD_DAMAGED, "%stracks is \"%.64s\", not "
                        "as \"v1-a1\"", part->where, member->tracks);
    }

    return VOD_OK;
}


static int
vod_descriptor_path(vod_descriptor_part_t *part,
    vod_descriptor_member_t *member)
{
    size_t       n;
    const char  *p;

    if (vod_descriptor_string(part, "path", &member->path, &member->path_len)
        != VOD_OK)
    {
        return part->err->code;
    }

    if (member->path == NULL) {
        return vod_fail(part->err, VOD_DAMAGED, "%spath is not there",
                        part->where);
    }

    if (member->path_len > VOD_DESCRIPTOR_PATH) {
        return vod_fail(part->err, VOD_DAMAGED, "%spath has %llu bytes, more "
                        "than %d", part->where,
                        (unsigned long long) member->path_len,
                        VOD_DESCRIPTOR_PATH);
    }

    for (p = member->path; *p; p += n + (p[n] == '/')) {

        n = strcspn(p, "/");

        if (n == 2 && p[0] == '.' && p[1] == '.') {
            return vod_fail(part->err, VOD_DAMAGED, "%spath is \"%.128s\": "
                            "\"..\" is not followed", part->where,
                            member->path);
        }
    }

    return VOD_OK;
}


/* a field that has but one meaning here */

static int
vod_descriptor_is(vod_descriptor_part_t *part, const char *key,
    const char *only)
{
    size_t       len;
    const char  *text;

    text = NULL;
    len = 0;

    if (vod_descriptor_string(part, key, &text, &len) != VOD_OK) {
        return part->err->code;
    }

    if (text && strcmp(text, only) != 0) {
        return vod_fail(part->err, VOD_DAMAGED, "%s%s is \"%.64s\", only "
                        "\"%s\" is played", part->where, key, text, only);
    }

    return VOD_OK;
}


static int
vod_descriptor_edges(vod_descriptor_part_t *part, vod_descriptor_clip_t *clip)
{
    clip->from = -1;
    clip->to = -1;

    if (vod_descriptor_integer(part, "clipFrom", 0, VOD_DESCRIPTOR_TIME,
                               &clip->from) != VOD_OK
        || vod_descriptor_integer(part, "clipTo", 1, VOD_DESCRIPTOR_TIME,
                                  &clip->to) != VOD_OK)
    {
        return part->err->code;
    }

    if (clip->to != -1 && clip->from >= clip->to) {
        return vod_fail(part->err, VOD_DAMAGED, "%sclipTo is %lld, not behind "
                        "clipFrom, %lld", part->where, (long long) clip->to,
                        (long long) clip->from);
    }

    return VOD_OK;
}


/* an element of an array as a part: where says which */

static int
vod_descriptor_element(vod_descriptor_part_t *part, json_t *element)
{
    if (!json_is_object(element)) {
        return vod_fail(part->err, VOD_DAMAGED, "%s is %s, not an object",
                        part->where, vod_descriptor_type(element));
    }

    part->object = element;
    strcat(part->where, ".");

    return VOD_OK;
}
