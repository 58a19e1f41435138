/*
 * What the fuzz targets share.  A target is one function of libFuzzer's form;
 * built with replay.c it is a program that runs over committed files, built
 * with -fsanitize=fuzzer it looks for new ones ("make fuzz").
 */

#ifndef _FUZZ_H_INCLUDED_
#define _FUZZ_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* what must hold of any input; a sanitizer alone would not see it */
#define fuzz_must(cond)                                                       \
    do {                                                                      \
        if (!(cond)) {                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__,           \
                    __LINE__, #cond);                                         \
            abort();                                                          \
        }                                                                     \
    } while (0)


/* bytes of their own size: whatever is read beyond them is seen */
static inline uint8_t *
fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t  *p;

    p = malloc(size ? size : 1);
    fuzz_must(p != NULL);

    if (size) {
        memcpy(p, data, size);
    }

    return p;
}


/* takes n bytes off the front of an input; zeros where it is too short */
static inline void
fuzz_take(const uint8_t **data, size_t *size, void *out, size_t n)
{
    size_t  have;

    have = (*size < n) ? *size : n;
    memset(out, 0, n);

    if (have) {
        memcpy(out, *data, have);
    }

    *data += have;
    *size -= have;
}

#endif /* _FUZZ_H_INCLUDED_ */
