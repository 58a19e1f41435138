#include <string.h>

#include "vod_args.h"
#include "vod_choice.h"


/* the longest value of an edge, percent-encoding undone */
#define VOD_ARGS_EDGE  32


static int vod_args_hex(char c);
static int vod_args_char(const char *s, size_t n, size_t *at);
static size_t vod_args_decode(const char *s, size_t n, char *out,
    size_t room);
static int vod_args_edge(const vod_arg_t *arg, int64_t *us, vod_err_t *err);
static int vod_args_tracks(const vod_arg_t *arg, char *room,
    vod_args_t *args, vod_err_t *err);
static void vod_args_seconds(vod_wr_t *wr, const char *name, int64_t us);
static void vod_args_write(vod_wr_t *wr, const char *s, size_t n,
    const char *plain, int encoded);


int
vod_args_next(const char *query, size_t len, size_t *at, vod_arg_t *arg)
{
    const char  *end;

    while (*at < len && query[*at] == '&') {
        (*at)++;
    }

    if (*at == len) {
        return 0;
    }

    arg->text = query + *at;

    end = memchr(arg->text, '&', len - *at);
    arg->len = end ? (size_t) (end - arg->text) : len - *at;

    *at += arg->len;

    end = memchr(arg->text, '=', arg->len);
    arg->name_len = end ? (size_t) (end - arg->text) : arg->len;

    arg->value = arg->text + arg->name_len + (end != NULL);
    arg->value_len = arg->len - arg->name_len - (end != NULL);

    return 1;
}


int
vod_args_named(const vod_arg_t *arg, const char *name, size_t n)
{
    int     c;
    size_t  at, i;

    at = 0;

    for (i = 0; i < n; i++) {

        c = vod_args_char(arg->text, arg->name_len, &at);

        if (c == -1 || c != (unsigned char) name[i]) {
            return 0;
        }
    }

    return at == arg->name_len;
}


int
vod_args_ours(const vod_arg_t *arg)
{
    return vod_args_named(arg, "from", 4) || vod_args_named(arg, "to", 2)
           || vod_args_named(arg, "tracks", 6);
}


int
vod_args_parse(const char *query, size_t len, char *room, vod_args_t *args,
    vod_err_t *err)
{
    int        rc;
    size_t     at;
    int64_t    from, to;
    vod_arg_t  arg;

    memset(args, 0, sizeof(vod_args_t));

    at = 0;
    from = -1;
    to = -1;
    rc = VOD_OK;

    while (rc == VOD_OK && vod_args_next(query, len, &at, &arg)) {

        if (vod_args_named(&arg, "from", 4)) {
            rc = vod_args_edge(&arg, &from, err);

        } else if (vod_args_named(&arg, "to", 2)) {
            rc = vod_args_edge(&arg, &to, err);

        } else if (vod_args_named(&arg, "tracks", 6)) {
            rc = vod_args_tracks(&arg, room, args, err);
        }
    }

    if (rc != VOD_OK) {
        return rc;
    }

    args->from = (from == -1) ? 0 : from;
    args->to = (to == -1) ? INT64_MAX : to;

    if (args->from >= args->to) {
        return vod_fail(err, VOD_RANGE, "argument \"to\" is not behind "
                        "\"from\"");
    }

    return VOD_OK;
}


int
vod_args_write_clip(vod_wr_t *wr, int64_t from, int64_t to)
{
    if (from) {
        vod_args_seconds(wr, "from=", from);
    }

    if (to != INT64_MAX) {
        vod_args_seconds(wr, from ? "&to=" : "to=", to);
    }

    return from || to != INT64_MAX;
}


void
vod_args_write_query(vod_wr_t *wr, const char *s, size_t n)
{
    vod_args_write(wr, s, n, "-._~!$&'()*+,;=:@/?[]", 1);
}


void
vod_args_write_path(vod_wr_t *wr, const char *s, size_t n)
{
    vod_args_write(wr, s, n, "-._~!$&'()*+,;=:@/", 0);
}


static int
vod_args_hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c |= 0x20;

    return (c >= 'a' && c <= 'f') ? c - 'a' + 10 : -1;
}


/* the character at *at, which moves on; -1 at the end, and of a wrong escape */

static int
vod_args_char(const char *s, size_t n, size_t *at)
{
    int  high, low;

    if (*at >= n) {
        return -1;
    }

    if (s[*at] != '%') {
        return (unsigned char) s[(*at)++];
    }

    if (n - *at < 3) {
        return -1;
    }

    high = vod_args_hex(s[*at + 1]);
    low = vod_args_hex(s[*at + 2]);

    if (high == -1 || low == -1) {
        return -1;
    }

    *at += 3;

    return high * 16 + low;
}


/* bytes of the decoded text, or room + 1 where it does not fit, or is wrong */

static size_t
vod_args_decode(const char *s, size_t n, char *out, size_t room)
{
    int     c;
    size_t  at, len;

    at = 0;
    len = 0;

    while (at < n) {

        c = vod_args_char(s, n, &at);

        if (c == -1 || len == room) {
            return room + 1;
        }

        out[len++] = (char) c;
    }

    return len;
}


/* of a fraction the millionths count */

static int
vod_args_edge(const vod_arg_t *arg, int64_t *us, vod_err_t *err)
{
    char     text[VOD_ARGS_EDGE];
    size_t   i, n, dot;
    int64_t  unit, value;

    if (*us != -1) {
        return vod_fail(err, VOD_RANGE, "argument \"%.*s\" is there twice",
                        (int) arg->name_len, arg->text);
    }

    n = vod_args_decode(arg->value, arg->value_len, text, sizeof(text));

    if (n == 0 || n > sizeof(text) || text[0] == '.' || text[n - 1] == '.') {
        goto wrong;
    }

    value = 0;
    unit = 1000000;
    dot = n;

    for (i = 0; i < n; i++) {

        if (text[i] == '.' && dot == n) {
            dot = i;
            continue;
        }

        if (text[i] < '0' || text[i] > '9') {
            goto wrong;
        }

        if (dot == n) {
            value = value * 10 + (text[i] - '0') * unit;

            if (value >= VOD_ARGS_SECONDS * unit) {
                goto wrong;
            }

        } else {
            unit /= 10;
            value += (text[i] - '0') * unit;
        }
    }

    *us = value;

    return VOD_OK;

wrong:

    return vod_fail(err, VOD_RANGE, "argument \"%.*s\" is \"%.*s\", not "
                    "seconds as in \"12.5\"", (int) arg->name_len, arg->text,
                    (int) (arg->value_len < VOD_ARGS_EDGE ? arg->value_len
                                                          : VOD_ARGS_EDGE),
                    arg->value);
}


static int
vod_args_tracks(const vod_arg_t *arg, char *room, vod_args_t *args,
    vod_err_t *err)
{
    size_t  n;

    if (args->tracks) {
        return vod_fail(err, VOD_RANGE, "argument \"tracks\" is there twice");
    }

    n = vod_args_decode(arg->value, arg->value_len, room, arg->value_len);

    if (n > arg->value_len || !vod_choice_valid(room, n)) {
        return vod_fail(err, VOD_RANGE, "argument \"tracks\" is \"%.*s\", not "
                        "as \"v1,a2\"", (int) (arg->value_len < VOD_ARGS_EDGE
                                               ? arg->value_len
                                               : VOD_ARGS_EDGE), arg->value);
    }

    args->tracks = room;
    args->tracks_len = n;

    return VOD_OK;
}


static void
vod_args_seconds(vod_wr_t *wr, const char *name, int64_t us)
{
    int      digits;
    int64_t  part;

    vod_wr_str(wr, name);
    vod_wr_dec(wr, (uint64_t) (us / 1000000));

    part = us % 1000000;

    if (part == 0) {
        return;
    }

    for (digits = 6; part % 10 == 0; digits--) {
        part /= 10;
    }

    vod_wr_fmt(wr, ".%0*lld", digits, (long long) part);
}


/* what is in plain stays; so do escapes, where it is encoded already */

static void
vod_args_write(vod_wr_t *wr, const char *s, size_t n, const char *plain,
    int encoded)
{
    char                c;
    size_t              i, at;
    static const char   hex[] = "0123456789ABCDEF";

    for (i = 0; i < n; i++) {

        c = s[i];
        at = i;

        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
            || (c != '\0' && strchr(plain, c) != NULL)
            || (c == '%' && encoded && vod_args_char(s, n, &at) != -1))
        {
            vod_wr_u8(wr, (uint8_t) c);
            continue;
        }

        vod_wr_u8(wr, '%');
        vod_wr_u8(wr, (uint8_t) hex[(uint8_t) c >> 4]);
        vod_wr_u8(wr, (uint8_t) hex[(uint8_t) c & 15]);
    }
}
