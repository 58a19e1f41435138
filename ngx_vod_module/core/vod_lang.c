#include <string.h>

#include "vod_lang.h"
#include "vod_lang_table.h"


/* RFC 5646 asks to accept 35 bytes; more than this is no tag of a track */
#define VOD_LANG_MAX  64


/* codes that were withdrawn, and what stands for them now */
static const struct {
    char  old[4];
    char  now[3];
} vod_lang_old[] = {
    { "in", "id" },
    { "iw", "he" },
    { "ji", "yi" },
    { "jw", "jv" },
    { "mo", "ro" },
    { "mol", "ro" },
    { "scc", "sr" },
    { "scr", "hr" }
};


static size_t vod_lang_tag(const char *in, size_t n, char *tag);
static size_t vod_lang_well_formed(const char *tag, size_t n);
static int vod_lang_subtag(const char *s, size_t n, unsigned *state);
static size_t vod_lang_count(const char *s, size_t n, char first, char last);
static const vod_lang_t *vod_lang_lookup(const char *code, size_t n);
static size_t vod_lang_primary(const char *tag);


void
vod_lang_normalise(const char *in, size_t n, char *out, size_t size)
{
    char               tag[VOD_LANG_MAX];
    size_t             len, primary, head;
    unsigned           i;
    const char        *code;
    const vod_lang_t  *lang;

    len = vod_lang_tag(in, n, tag);

    if (vod_lang_well_formed(tag, len) == 0) {
        memcpy(out, "und", 4);
        return;
    }

    primary = vod_lang_primary(tag);
    code = tag;

    for (i = 0; i < sizeof(vod_lang_old) / sizeof(vod_lang_old[0]); i++) {
        if (strlen(vod_lang_old[i].old) == primary
            && memcmp(vod_lang_old[i].old, tag, primary) == 0)
        {
            code = vod_lang_old[i].now;
        }
    }

    if (code == tag) {

        /* the shortest code is the one to use (RFC 5646, 2.2.1) */

        lang = vod_lang_lookup(tag, primary);

        if (lang && lang->two[0]) {
            code = lang->two;
        }
    }

    head = (code == tag) ? primary : 2;

    if (head >= size) {
        memcpy(out, "und", 4);
        return;
    }

    memcpy(out, code, head);

    /* a tag that does not fit loses subtags from its end (RFC 5646, 4.4.2) */

    while (len - primary + head >= size) {
        do {
            len--;
        } while (tag[len] != '-' || tag[len - 2] == '-');
    }

    memcpy(out + head, tag + primary, len - primary);
    out[len - primary + head] = '\0';
}


void
vod_lang_mdhd(const char *tag, char out[4])
{
    size_t             n;
    const vod_lang_t  *lang;

    n = vod_lang_primary(tag);
    lang = vod_lang_lookup(tag, n);

    if (lang) {
        memcpy(out, lang->three, 4);
        return;
    }

    if (n == 3 && strspn(tag, "abcdefghijklmnopqrstuvwxyz") == 3) {
        memcpy(out, tag, 3);
        out[3] = '\0';
        return;
    }

    memcpy(out, "und", 4);
}


const char *
vod_lang_name(const char *tag)
{
    const vod_lang_t  *lang;

    lang = vod_lang_lookup(tag, vod_lang_primary(tag));

    return lang ? lang->name : NULL;
}


/* the input in lower case, '_' taken for '-'; returns its length or 0 */

static size_t
vod_lang_tag(const char *in, size_t n, char *tag)
{
    char    c;
    size_t  i;

    if (n >= VOD_LANG_MAX) {
        return 0;
    }

    for (i = 0; i < n && in[i]; i++) {

        c = in[i];

        if (c >= 'A' && c <= 'Z') {
            c = (char) (c | 0x20);

        } else if (c == '_') {
            c = '-';
        }

        tag[i] = c;
    }

    tag[i] = '\0';

    return i;
}


/*
 * RFC 5646, 2.1 "langtag", without grandfathered tags and without those that
 * are private as a whole.  Returns n or 0.
 */

static size_t
vod_lang_well_formed(const char *tag, size_t n)
{
    size_t    i, from;
    unsigned  state;

    state = 0;
    from = 0;

    for (i = 0; i <= n; i++) {

        if (i < n && tag[i] != '-') {
            continue;
        }

        if (!vod_lang_subtag(tag + from, i - from, &state)) {
            return 0;
        }

        from = i + 1;
    }

    /* a singleton announces at least one subtag */

    return (state == 6 || state == 8) ? 0 : n;
}


/*
 * state: what may come next: 0 the language; 1 extlang, script, region or
 * variant; 3 region or variant; 4 variant; 5, 6 in an extension (6: nothing
 * in it yet); 7, 8 the same in private use.
 */

static int
vod_lang_subtag(const char *s, size_t n, unsigned *state)
{
    size_t  alpha, digit;

    alpha = vod_lang_count(s, n, 'a', 'z');
    digit = vod_lang_count(s, n, '0', '9');

    if (n == 0 || n > 8 || alpha + digit != n) {
        return 0;
    }

    if (*state == 0) {

        /* languages of 4 to 8 letters are reserved or not registered */

        *state = 1;
        return n >= 2 && n <= 3 && alpha == n;
    }

    if (*state >= 7) {
        *state = 7;
        return 1;
    }

    if (n == 1) {

        if (*state == 6) {
            return 0;
        }

        *state = (s[0] == 'x') ? 8 : 6;
        return 1;
    }

    if (*state >= 5) {
        *state = 5;
        return 1;
    }

    if (*state == 1 && n == 3 && alpha == 3) {
        return 1;
    }

    if (*state == 1 && n == 4 && alpha == 4) {
        *state = 3;
        return 1;
    }

    if (*state <= 3 && ((n == 2 && alpha == 2) || (n == 3 && digit == 3))) {
        *state = 4;
        return 1;
    }

    *state = 4;

    return n >= 5 || (n == 4 && s[0] <= '9');
}


static size_t
vod_lang_count(const char *s, size_t n, char first, char last)
{
    size_t  i, count;

    for (i = 0, count = 0; i < n; i++) {
        count += (s[i] >= first && s[i] <= last);
    }

    return count;
}


static size_t
vod_lang_primary(const char *tag)
{
    return strcspn(tag, "-");
}


static const vod_lang_t *
vod_lang_lookup(const char *code, size_t n)
{
    unsigned           i;
    const vod_lang_t  *lang;

    for (i = 0; i < vod_lang_table_len; i++) {

        lang = &vod_lang_table[i];

        if ((n == 2 && memcmp(lang->two, code, 2) == 0)
            || (n == 3 && (memcmp(lang->three, code, 3) == 0
                           || memcmp(lang->biblio, code, 3) == 0)))
        {
            return lang;
        }
    }

    return NULL;
}
