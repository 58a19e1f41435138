/*
 * Runs a fuzz target once over each file named, without a fuzzer.
 */

#include "fuzz.h"


int
main(int argc, char **argv)
{
    int       i;
    long      size;
    FILE     *f;
    uint8_t  *data;

    for (i = 1; i < argc; i++) {
        f = fopen(argv[i], "rb");

        if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
            perror(argv[i]);
            return 1;
        }

        rewind(f);
        data = malloc(size ? (size_t) size : 1);

        if (data == NULL || fread(data, 1, (size_t) size, f) != (size_t) size)
        {
            perror(argv[i]);
            return 1;
        }

        (void) fclose(f);

        fprintf(stderr, "%s\n", argv[i]);
        (void) LLVMFuzzerTestOneInput(data, (size_t) size);

        free(data);
    }

    printf("%d inputs\n", argc - 1);

    return 0;
}
