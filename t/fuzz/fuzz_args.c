/*
 * Arguments: what is taken for a clip is one, and is the same when it is
 * written and read again; what goes into URLs has nothing in it that ends
 * them.
 */

#include "fuzz.h"

#include "vod_args.h"
#include "vod_choice.h"


static void
fuzz_clip(const vod_args_t *args)
{
    char        text[64], room[64];
    vod_wr_t    wr;
    vod_err_t   err;
    vod_args_t  again;

    vod_wr_init(&wr, text, sizeof(text));
    (void) vod_args_write_clip(&wr, args->from, args->to);
    fuzz_must(!wr.overflow);

    fuzz_must(vod_args_parse(text, wr.len, room, &again, &err) == VOD_OK);
    fuzz_must(again.from == args->from && again.to == args->to);
}


static void
fuzz_write(void (*write)(vod_wr_t *wr, const char *s, size_t n),
    const char *s, size_t n)
{
    char      *text;
    uint64_t   i;
    vod_wr_t   wr;

    text = malloc(3 * n + 1);
    fuzz_must(text != NULL);

    vod_wr_init(&wr, text, 3 * n);
    write(&wr, s, n);
    fuzz_must(!wr.overflow && wr.len >= n);

    for (i = 0; i < wr.len; i++) {
        fuzz_must(text[i] > 0x20 && text[i] < 0x7f);
        fuzz_must(strchr("\"<>\\^`{|}#", text[i]) == NULL);
        fuzz_must(text[i] != '%' || wr.len - i > 2);
    }

    free(text);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int          rc;
    char        *query, *room;
    size_t       at, n;
    vod_err_t    err;
    vod_arg_t    arg;
    vod_args_t   args;

    query = (char *) fuzz_copy(data, size);
    room = malloc(size ? size : 1);
    fuzz_must(room != NULL);

    rc = vod_args_parse(query, size, room, &args, &err);

    if (rc == VOD_OK) {
        fuzz_must(args.from >= 0 && args.from < args.to);
        fuzz_must(args.tracks_len == 0
                  || vod_choice_valid(args.tracks, args.tracks_len));
        fuzz_clip(&args);

    } else {
        fuzz_must(rc == VOD_RANGE && err.text[0]);
    }

    for (at = 0, n = 0; vod_args_next(query, size, &at, &arg); n++) {
        fuzz_must(arg.text >= query && arg.len > 0
                  && arg.text + arg.len <= query + size);
        fuzz_must(arg.name_len <= arg.len);
        fuzz_must(arg.value + arg.value_len == arg.text + arg.len);
    }

    fuzz_must(n <= size);

    fuzz_write(vod_args_write_query, query, size);
    fuzz_write(vod_args_write_path, query, size);

    free(room);
    free(query);

    return 0;
}
