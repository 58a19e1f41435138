/*
 * Names of files, and choices of tracks: the first line is a stem, the second
 * a name.
 */

#include "fuzz.h"

#include "vod_choice.h"
#include "vod_index.h"
#include "vod_names.h"


static void
fuzz_name(const char *name, size_t len, const char *stem, size_t stem_len)
{
    unsigned    kind;
    vod_name_t  out;

    kind = vod_names_parse(name, len, stem, stem_len, &out);

    fuzz_must(kind == out.kind && kind <= VOD_TEXT);
    fuzz_must(memchr(out.lang, '\0', sizeof(out.lang)) != NULL);
    fuzz_must(out.label == NULL || kind == VOD_AUDIO || kind == VOD_TEXT);

    if (out.label) {
        fuzz_must(out.label >= name && out.label_len > 0
                  && out.label + out.label_len < name + len);
    }

    if (kind && stem) {
        fuzz_must(len > stem_len && memcmp(name, stem, stem_len) == 0);
    }

    fuzz_must(vod_names_stem(name, len) <= len);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char     *stem, *name;
    size_t    n;
    uint32_t  i;

    for (n = 0; n < size && data[n] != '\n'; n++) {
        /* void */
    }

    stem = (char *) fuzz_copy(data, n);

    if (n < size) {
        data += n + 1;
        size -= n + 1;

    } else {
        size = 0;
    }

    name = (char *) fuzz_copy(data, size);

    fuzz_name(name, size, stem, n);
    fuzz_name(name, size, NULL, 0);

    if (vod_choice_valid(name, size)) {
        fuzz_must(size > 0);

        for (i = 1; i < 4; i++) {
            (void) vod_choice_has(name, size, VOD_VIDEO, i);
            (void) vod_choice_has(name, size, VOD_TEXT, UINT32_MAX);
        }
    }

    free(name);
    free(stem);

    return 0;
}
