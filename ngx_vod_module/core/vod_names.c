#include <string.h>

#include "vod_index.h"
#include "vod_lang.h"
#include "vod_lang_table.h"
#include "vod_names.h"


/* longer than any of ours, English names of languages included */
#define VOD_NAMES_WORD     64

/* what a word is */
#define VOD_NAMES_NONE     0
#define VOD_NAMES_ROLE     1
#define VOD_NAMES_LANG     2

/* bit of is_default among the roles of the table below */
#define VOD_NAMES_DEFAULT  0x80000000u


static const struct {
    char      name[8];
    unsigned  kind;
} vod_names_endings[] = {
    { "3gp", VOD_VIDEO },
    { "aac", VOD_AUDIO },
    { "ac3", VOD_AUDIO },
    { "ass", VOD_TEXT },
    { "cmfa", VOD_AUDIO },
    { "cmfv", VOD_VIDEO },
    { "eac3", VOD_AUDIO },
    { "ec3", VOD_AUDIO },
    { "f4v", VOD_VIDEO },
    { "flac", VOD_AUDIO },
    { "flv", VOD_VIDEO },
    { "isma", VOD_AUDIO },
    { "ismv", VOD_VIDEO },
    { "m2ts", VOD_VIDEO },
    { "m4a", VOD_AUDIO },
    { "m4v", VOD_VIDEO },
    { "mka", VOD_AUDIO },
    { "mkv", VOD_VIDEO },
    { "mov", VOD_VIDEO },
    { "mp3", VOD_AUDIO },
    { "mp4", VOD_VIDEO },
    { "mts", VOD_VIDEO },
    { "oga", VOD_AUDIO },
    { "ogg", VOD_AUDIO },
    { "ogv", VOD_VIDEO },
    { "opus", VOD_AUDIO },
    { "srt", VOD_TEXT },
    { "ssa", VOD_TEXT },
    { "ts", VOD_VIDEO },
    { "vtt", VOD_TEXT },
    { "weba", VOD_AUDIO },
    { "webm", VOD_VIDEO },
    { "webvtt", VOD_TEXT }
};


static const struct {
    char      word[20];
    uint32_t  roles;
} vod_names_roles[] = {
    { "ad", VOD_ROLE_DESCRIPTION },
    { "audiodescription", VOD_ROLE_DESCRIPTION },
    { "cc", VOD_ROLE_HEARING },
    { "commentary", VOD_ROLE_COMMENTARY },
    { "default", VOD_NAMES_DEFAULT },
    { "described", VOD_ROLE_DESCRIPTION },
    { "description", VOD_ROLE_DESCRIPTION },
    { "descriptive", VOD_ROLE_DESCRIPTION },
    { "dub", VOD_ROLE_DUB },
    { "dubbed", VOD_ROLE_DUB },
    { "forced", VOD_ROLE_FORCED },
    { "foreign", VOD_ROLE_FORCED },
    { "original", VOD_ROLE_ORIGINAL },
    { "sdh", VOD_ROLE_HEARING }
};


static int vod_names_words(const char *name, size_t at, size_t end, int stem,
    vod_name_t *out);
static unsigned vod_names_kind(const char *name, size_t len);
static void vod_names_label(const char *word, size_t len, int stem,
    vod_name_t *out);
static int vod_names_word(const char *word, size_t len, vod_name_t *out);
static int vod_names_one(const char *word, size_t len, vod_name_t *out);
static int vod_names_role(const char *word, size_t len, vod_name_t *out);
static int vod_names_language(const char *lower, size_t len,
    vod_name_t *out);
static size_t vod_names_lower(const char *word, size_t len, char *lower);
static int vod_names_utf8(const char *text, size_t len);
static size_t vod_names_last(const char *text, size_t len, char c);


unsigned
vod_names_parse(const char *name, size_t len, const char *stem,
    size_t stem_len, vod_name_t *out)
{
    int       ours;
    size_t    at, end;
    unsigned  kind;

    memset(out, 0, sizeof(vod_name_t));

    if (len == 0 || name[0] == '.') {
        return 0;
    }

    end = vod_names_last(name, len, '.');

    if (end == len) {
        return 0;
    }

    kind = vod_names_kind(name + end + 1, len - end - 1);

    if (kind == 0) {
        return 0;
    }

    if (stem == NULL) {
        at = (size_t) ((const char *) memchr(name, '.', len) - name);

    } else {
        at = stem_len;

        if (at == 0 || at > end || memcmp(name, stem, at) != 0
            || name[at] != '.')
        {
            return 0;
        }
    }

    ours = vod_names_words(name, at, end, stem != NULL, out);

    if (kind == VOD_VIDEO) {
        out->label = NULL;
    }

    if (stem == NULL && ours && kind != VOD_VIDEO && out->lang[0] == '\0') {
        (void) vod_names_word(name, at, out);
    }

    out->kind = kind;

    return kind;
}


size_t
vod_names_stem(const char *name, size_t len)
{
    size_t  n;

    n = vod_names_last(name, len, '.');

    /* a dot in front hides a file, and is no ending's */

    return n == 0 ? len : n;
}


/* those between the dots at and end; whether all are ours */

static int
vod_names_words(const char *name, size_t at, size_t end, int stem,
    vod_name_t *out)
{
    int     ours;
    size_t  n;

    ours = 1;

    while (at < end) {

        at++;
        n = at;

        while (at < end && name[at] != '.') {
            at++;
        }

        switch (vod_names_word(name + n, at - n, out)) {

        case VOD_NAMES_NONE:
            ours = 0;
            vod_names_label(name + n, at - n, stem, out);
            break;

        case VOD_NAMES_LANG:
            if (!stem) {
                out->label = NULL;
            }
        }
    }

    return ours;
}


static unsigned
vod_names_kind(const char *name, size_t len)
{
    char      lower[VOD_NAMES_WORD];
    unsigned  i;

    if (vod_names_lower(name, len, lower) == 0) {
        return 0;
    }

    for (i = 0; i < sizeof(vod_names_endings) / sizeof(vod_names_endings[0]);
         i++)
    {
        if (strcmp(lower, vod_names_endings[i].name) == 0) {
            return vod_names_endings[i].kind;
        }
    }

    return 0;
}


/*
 * The first one is kept.  Where the stem is not known, words before the
 * language are the film's title, or how it was made.
 */

static void
vod_names_label(const char *word, size_t len, int stem, vod_name_t *out)
{
    if (out->label || (!stem && out->lang[0] == '\0')
        || !vod_names_utf8(word, len))
    {
        return;
    }

    out->label = word;
    out->label_len = len;
}


/*
 * A word that is ours; also "en-forced", which would be a well-formed tag:
 * what says what a track is for is no variant of a language.
 */

static int
vod_names_word(const char *word, size_t len, vod_name_t *out)
{
    int         what;
    size_t      dash, under;
    vod_name_t  parts;

    dash = vod_names_last(word, len, '-');
    under = vod_names_last(word, len, '_');

    if (under < len && (dash == len || under > dash)) {
        dash = under;
    }

    /* of two letters it is a country: "ca-AD" */

    if (dash && dash < len && len - dash - 1 > 2) {

        parts = *out;
        what = vod_names_one(word, dash, &parts);

        if (what != VOD_NAMES_NONE
            && vod_names_role(word + dash + 1, len - dash - 1, &parts))
        {
            *out = parts;
            return what;
        }
    }

    return vod_names_one(word, len, out);
}


static int
vod_names_one(const char *word, size_t len, vod_name_t *out)
{
    char  lower[VOD_NAMES_WORD];

    if (vod_names_lower(word, len, lower) == 0) {
        return VOD_NAMES_NONE;
    }

    if (strcmp(lower, "hi") == 0 && out->lang[0]) {
        out->roles |= VOD_ROLE_HEARING;
        return VOD_NAMES_ROLE;
    }

    if (vod_names_role(word, len, out)) {
        return VOD_NAMES_ROLE;
    }

    return vod_names_language(lower, len, out) ? VOD_NAMES_LANG
                                               : VOD_NAMES_NONE;
}


static int
vod_names_role(const char *word, size_t len, vod_name_t *out)
{
    char      lower[VOD_NAMES_WORD];
    unsigned  i;

    if (vod_names_lower(word, len, lower) == 0) {
        return 0;
    }

    for (i = 0; i < sizeof(vod_names_roles) / sizeof(vod_names_roles[0]); i++)
    {
        if (strcmp(lower, vod_names_roles[i].word) != 0) {
            continue;
        }

        if (vod_names_roles[i].roles == VOD_NAMES_DEFAULT) {
            out->is_default = 1;

        } else {
            out->roles |= vod_names_roles[i].roles;
        }

        return 1;
    }

    return 0;
}


/*
 * A tag whose language is known, or a language's name in English.  The last
 * one counts: before it, "is" and "it" may be of the title.
 */

static int
vod_names_language(const char *lower, size_t len, vod_name_t *out)
{
    char         tag[sizeof(out->lang)], name[VOD_NAMES_WORD];
    unsigned     i;
    const char  *two;

    vod_lang_normalise(lower, len, tag, sizeof(tag));

    if (vod_lang_name(tag)) {
        strcpy(out->lang, tag);
        return 1;
    }

    for (i = 0; i < vod_lang_table_len; i++) {

        (void) vod_names_lower(vod_lang_table[i].name,
                               strlen(vod_lang_table[i].name), name);

        if (strcmp(lower, name) == 0) {
            two = vod_lang_table[i].two;
            strcpy(out->lang, two[0] ? two : vod_lang_table[i].three);
            return 1;
        }
    }

    return 0;
}


/* in lower case and terminated; 0 where it is empty, or none of our words */

static size_t
vod_names_lower(const char *word, size_t len, char *lower)
{
    char    c;
    size_t  i;

    if (len == 0 || len >= VOD_NAMES_WORD) {
        lower[0] = '\0';
        return 0;
    }

    for (i = 0; i < len; i++) {

        c = word[i];

        if (c == '\0') {
            lower[0] = '\0';
            return 0;
        }

        lower[i] = (char) ((c >= 'A' && c <= 'Z') ? (c | 0x20) : c);
    }

    lower[len] = '\0';

    return len;
}


/*
 * Whether it can be shown: UTF-8 (RFC 3629) of at least one character, none
 * of them a control character.
 */

static int
vod_names_utf8(const char *text, size_t len)
{
    size_t         i, more;
    uint32_t       c, least;
    const uint8_t *p;

    p = (const uint8_t *) text;

    for (i = 0; i < len; i++) {

        c = p[i];

        if (c < 0x80) {

            if (c < 0x20 || c == 0x7f) {
                return 0;
            }

            continue;
        }

        more = (c >= 0xf0) ? 3 : (c >= 0xe0) ? 2 : 1;
        least = (more == 3) ? 0x10000 : (more == 2) ? 0x800 : 0x80;

        if (c < 0xc2 || c > 0xf4 || len - i <= more) {
            return 0;
        }

        for (c &= 0x3fu >> more; more; more--) {

            i++;

            if ((p[i] & 0xc0) != 0x80) {
                return 0;
            }

            c = (c << 6) | (p[i] & 0x3fu);
        }

        if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)
            || c < 0xa0)
        {
            return 0;
        }
    }

    return len != 0;
}


/* where c stands last, or len */

static size_t
vod_names_last(const char *text, size_t len, char c)
{
    size_t  i;

    for (i = len; i; i--) {
        if (text[i - 1] == c) {
            return i - 1;
        }
    }

    return len;
}
