#include "tap.h"

#include "vod_args.h"


typedef struct {
    const char  *query;
    int64_t      from, to;
    const char  *tracks;        /* NULL: all */
} good_t;

typedef struct {
    const char  *query;
    const char  *reason;
} wrong_t;


static const good_t  good[] = {
    { "", 0, INT64_MAX, NULL },
    { "x=1&y", 0, INT64_MAX, NULL },
    { "from=1", 1000000, INT64_MAX, NULL },
    { "to=1", 0, 1000000, NULL },
    { "from=0", 0, INT64_MAX, NULL },
    { "from=12.5&to=90", 12500000, 90000000, NULL },
    { "to=90&from=12.5", 12500000, 90000000, NULL },
    { "&&from=1&&to=2&&", 1000000, 2000000, NULL },
    { "from=007.250000", 7250000, INT64_MAX, NULL },
    { "from=0.000001", 1, INT64_MAX, NULL },
    { "from=0.0000019", 1, INT64_MAX, NULL },
    { "from=1.23456789012345678901", 1234567, INT64_MAX, NULL },
    { "from=999999999.999999", 999999999999999, INT64_MAX, NULL },
    { "from=000000000000000000000001", 1000000, INT64_MAX, NULL },

    /* percent-encoded, in name and value */
    { "fr%6Fm=1%2e5", 1500000, INT64_MAX, NULL },
    { "%66%72%6F%6D=%31", 1000000, INT64_MAX, NULL },
    { "tracks=v1%2Ca2", 0, INT64_MAX, "v1,a2" },
    { "tracks=v1-a1", 0, INT64_MAX, "v1-a1" },
    { "tracks=v&from=2", 2000000, INT64_MAX, "v" },

    /* none of ours */
    { "From=1&FROM=2&from1=x&fro=y&%66rom%00=1", 0, INT64_MAX, NULL },
    { "from%=1&%from=1&from%2=1", 0, INT64_MAX, NULL },
    { "=1&=", 0, INT64_MAX, NULL },
};


static const wrong_t  wrong[] = {
    { "from", "argument \"from\" is \"\", not seconds as in \"12.5\"" },
    { "from=", "argument \"from\" is \"\"" },
    { "from=1e999", "argument \"from\" is \"1e999\"" },
    { "from=nan", "argument \"from\" is \"nan\"" },
    { "from=inf", "argument \"from\" is \"inf\"" },
    { "from=-1", "argument \"from\" is \"-1\"" },
    { "from=+1", "argument \"from\" is \"+1\"" },
    { "from=0x10", "argument \"from\" is \"0x10\"" },
    { "from=1,5", "argument \"from\" is \"1,5\"" },
    { "from=.5", "argument \"from\" is \".5\"" },
    { "from=5.", "argument \"from\" is \"5.\"" },
    { "from=.", "argument \"from\" is \".\"" },
    { "from=1.2.3", "argument \"from\" is \"1.2.3\"" },
    { "from=1%201", "argument \"from\" is \"1%201\"" },
    { "from=1%00", "argument \"from\" is \"1%00\"" },
    { "from=%", "argument \"from\" is \"%\"" },
    { "from=%3", "argument \"from\" is \"%3\"" },
    { "from=%zz", "argument \"from\" is \"%zz\"" },
    { "from=1=2", "argument \"from\" is \"1=2\"" },
    { "from=12345678901234567890",
      "argument \"from\" is \"12345678901234567890\"" },
    { "from=1000000000", "argument \"from\" is \"1000000000\"" },
    { "to=18446744073709551617",
      "argument \"to\" is \"18446744073709551617\"" },
    { "from=0000000000000000000000000000000000000000001",
      "argument \"from\" is \"00000000000000000000000000000000\", not" },
    { "from=1&from=1", "argument \"from\" is there twice" },
    { "to=1&x=1&t%6f=2", "argument \"t%6f\" is there twice" },
    { "from=2&to=2", "argument \"to\" is not behind \"from\"" },
    { "from=3&to=2", "argument \"to\" is not behind \"from\"" },
    { "to=0", "argument \"to\" is not behind \"from\"" },
    { "tracks=", "argument \"tracks\" is \"\", not as \"v1,a2\"" },
    { "tracks", "argument \"tracks\" is \"\"" },
    { "tracks=v1,x1", "argument \"tracks\" is \"v1,x1\"" },
    { "tracks=v1%2", "argument \"tracks\" is \"v1%2\"" },
    { "tracks=v1&tracks=v1", "argument \"tracks\" is there twice" },
    { "from=a\nb", "argument \"from\" is \"a?b\"" },
};


static void
test_good(const good_t *g)
{
    char        room[128], tracks[128];
    vod_err_t   err;
    vod_args_t  args;

    memset(&args, 0xff, sizeof(args));

    is_int(vod_args_parse(g->query, strlen(g->query), room, &args, &err),
           VOD_OK, "'%s'", g->query);
    is_int(args.from, g->from, "... from");
    is_int(args.to, g->to, "... to");

    snprintf(tracks, sizeof(tracks), "%.*s", (int) args.tracks_len,
             args.tracks_len ? args.tracks : "");

    is_str(tracks, g->tracks ? g->tracks : "", "... tracks");
}


static void
test_wrong(const wrong_t *w)
{
    char        room[128];
    vod_err_t   err;
    vod_args_t  args;

    is_int(vod_args_parse(w->query, strlen(w->query), room, &args, &err),
           VOD_RANGE, "'%s'", w->query);
    ok(strncmp(err.text, w->reason, strlen(w->reason)) == 0, "... %s",
       err.text);
}


static void
is_clip(int64_t from, int64_t to, const char *expected)
{
    char      text[64];
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text) - 1);

    is_int(vod_args_write_clip(&wr, from, to), expected[0] != '\0',
           "%lld to %lld", (long long) from, (long long) to);

    text[wr.len] = '\0';
    is_str(text, expected, "... is '%s'", expected);
}


static void
is_written(void (*write)(vod_wr_t *wr, const char *s, size_t n),
    const char *s, size_t n, const char *expected)
{
    char      text[256];
    vod_wr_t  wr;

    vod_wr_init(&wr, text, sizeof(text) - 1);
    write(&wr, s, n);
    text[wr.len] = '\0';

    is_str(text, expected, "%s is written as '%s'",
           write == vod_args_write_path ? "a path" : "a query", expected);
}


static void
test_next(void)
{
    size_t       at;
    vod_arg_t    arg;
    const char  *query;

    query = "&a=b=c&&d&=e&";
    at = 0;

    ok(vod_args_next(query, strlen(query), &at, &arg), "the first");
    is_int(arg.len, 5, "... of 5 bytes");
    is_int(arg.name_len, 1, "... its name");
    ok(arg.value_len == 3 && memcmp(arg.value, "b=c", 3) == 0,
       "... its value");
    ok(vod_args_named(&arg, "a", 1), "... it is called a");
    ok(!vod_args_named(&arg, "ab", 2), "... not ab");
    ok(!vod_args_named(&arg, "", 0), "... not nothing");

    ok(vod_args_next(query, strlen(query), &at, &arg), "the second");
    ok(vod_args_named(&arg, "d", 1), "... it is called d");
    is_int(arg.value_len, 0, "... without a value");

    ok(vod_args_next(query, strlen(query), &at, &arg), "the third");
    is_int(arg.name_len, 0, "... without a name");
    ok(vod_args_named(&arg, "", 0), "... it is called nothing");

    ok(!vod_args_next(query, strlen(query), &at, &arg), "the end");
    ok(!vod_args_next(query, strlen(query), &at, &arg), "... again");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        test_good(&good[i]);
    }

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        test_wrong(&wrong[i]);
    }

    test_next();

    is_clip(0, INT64_MAX, "");
    is_clip(1000000, INT64_MAX, "from=1");
    is_clip(0, 1500000, "to=1.5");
    is_clip(1, 12000010, "from=0.000001&to=12.00001");
    is_clip(999999999999999, 1000000000000000,
            "from=999999999.999999&to=1000000000");

    is_written(vod_args_write_query, "a=b&c=%41?/", 11, "a=b&c=%41?/");
    is_written(vod_args_write_query, "\"<>{}\\^`|# \n\x7f\xc3\xa9", 15,
               "%22%3C%3E%7B%7D%5C%5E%60%7C%23%20%0A%7F%C3%A9");
    is_written(vod_args_write_query, "100%&%4&%zz&%4g", 15,
               "100%25&%254&%25zz&%254g");
    is_written(vod_args_write_query, "a\0b", 3, "a%00b");
    is_written(vod_args_write_query, "https://x.example:80/a'$b", 25,
               "https://x.example:80/a'$b");
    is_written(vod_args_write_query, "[::1]", 5, "[::1]");
    is_written(vod_args_write_path, "/a b/100%?#.mp4", 15,
               "/a%20b/100%25%3F%23.mp4");
    is_written(vod_args_write_path, "/%41;=", 6, "/%2541;=");

    return done_testing();
}
