/*
 * A descriptor: whatever it says, what comes out is within the bounds that
 * the header names.
 */

#include "fuzz.h"

#include "vod_choice.h"
#include "vod_descriptor.h"


static void
fuzz_member(const vod_descriptor_member_t *m)
{
    fuzz_must(m->path && m->path_len > 0
              && m->path_len <= VOD_DESCRIPTOR_PATH
              && strlen(m->path) == m->path_len);
    fuzz_must(strcmp(m->path, "..") != 0 && strncmp(m->path, "../", 3) != 0
              && strstr(m->path, "/../") == NULL);
    fuzz_must(m->path_len < 3
              || strcmp(m->path + m->path_len - 3, "/..") != 0);

    fuzz_must(memchr(m->lang, '\0', sizeof(m->lang)) != NULL);
    fuzz_must(m->label == NULL || strlen(m->label) == m->label_len);
    fuzz_must(m->tracks == NULL
              || vod_choice_valid(m->tracks, m->tracks_len));
    fuzz_must(m->is_default >= -1 && m->is_default <= 1);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                rc;
    char              *json;
    uint32_t           i;
    vod_err_t          err;
    vod_descriptor_t   out;

    json = (char *) fuzz_copy(data, size);

    rc = vod_descriptor_parse(json, size, &out, &err);

    free(json);

    if (rc != VOD_OK) {
        fuzz_must(rc == VOD_DAMAGED || rc == VOD_LIMIT);
        fuzz_must(err.code == rc && err.text[0]);
        fuzz_must(out.memory == NULL);
        return 0;
    }

    fuzz_must(out.n_members > 0);
    fuzz_must(out.from >= 0 && out.from < out.to);
    fuzz_must(strlen(out.ignored) < 512);

    for (i = 0; i < out.n_members; i++) {
        fuzz_member(&out.members[i]);
    }

    vod_descriptor_free(&out);

    return 0;
}
