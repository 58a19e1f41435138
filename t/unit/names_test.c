#include "tap.h"

#include "vod_choice.h"
#include "vod_index.h"
#include "vod_names.h"


typedef struct {
    const char  *name;
    const char  *stem;          /* NULL: a folder */
    unsigned     kind;
    const char  *lang;
    uint32_t     roles;
    int          is_default;
    const char  *label;         /* NULL: none */
} names_case_t;


static names_case_t  cases[] = {
    { "film.en.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.vtt", "film", VOD_TEXT, "", 0, 0, NULL },
    { "film.en.sdh.srt", "film", VOD_TEXT, "en", VOD_ROLE_HEARING, 0, NULL },
    { "film.fr.forced.srt", "film", VOD_TEXT, "fr", VOD_ROLE_FORCED, 0,
      NULL },
    { "film.forced.fr.srt", "film", VOD_TEXT, "fr", VOD_ROLE_FORCED, 0,
      NULL },
    { "film.fr.foreign.ass", "film", VOD_TEXT, "fr", VOD_ROLE_FORCED, 0,
      NULL },
    { "film.de.m4a", "film", VOD_AUDIO, "de", 0, 0, NULL },
    { "film.en.commentary.m4a", "film", VOD_AUDIO, "en",
      VOD_ROLE_COMMENTARY, 0, NULL },
    { "film.en.ad.ac3", "film", VOD_AUDIO, "en", VOD_ROLE_DESCRIPTION, 0,
      NULL },
    { "film.en.description.aac", "film", VOD_AUDIO, "en",
      VOD_ROLE_DESCRIPTION, 0, NULL },
    { "film.en.default.srt", "film", VOD_TEXT, "en", 0, 1, NULL },
    { "film.en.default.cc.webvtt", "film", VOD_TEXT, "en",
      VOD_ROLE_HEARING, 1, NULL },
    { "film.original.ja.flac", "film", VOD_AUDIO, "ja", VOD_ROLE_ORIGINAL,
      0, NULL },
    { "film.dub.de.mka", "film", VOD_AUDIO, "de", VOD_ROLE_DUB, 0, NULL },

    /* languages as people write them */
    { "film.ger.srt", "film", VOD_TEXT, "de", 0, 0, NULL },
    { "film.deu.srt", "film", VOD_TEXT, "de", 0, 0, NULL },
    { "film.pt-BR.srt", "film", VOD_TEXT, "pt-br", 0, 0, NULL },
    { "film.zh_Hans.srt", "film", VOD_TEXT, "zh-hans", 0, 0, NULL },
    { "film.es-419.srt", "film", VOD_TEXT, "es-419", 0, 0, NULL },
    { "film.ca-AD.srt", "film", VOD_TEXT, "ca-ad", 0, 0, NULL },
    { "film.English.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.GERMAN.SDH.SRT", "film", VOD_TEXT, "de", VOD_ROLE_HEARING, 0,
      NULL },
    { "film.hi.srt", "film", VOD_TEXT, "hi", 0, 0, NULL },
    { "film.en.hi.srt", "film", VOD_TEXT, "en", VOD_ROLE_HEARING, 0, NULL },
    { "film.en-forced.srt", "film", VOD_TEXT, "en", VOD_ROLE_FORCED, 0,
      NULL },
    { "film.pt-br_sdh.srt", "film", VOD_TEXT, "pt-br", VOD_ROLE_HEARING, 0,
      NULL },
    { "film.is.en.srt", "film", VOD_TEXT, "en", 0, 0, NULL },

    /* what is none of ours is for people, of sound and text */
    { "film.en.Director's cut.srt", "film", VOD_TEXT, "en", 0, 0,
      "Director's cut" },
    { "film.2.srt", "film", VOD_TEXT, "", 0, 0, "2" },
    { "film.xq.srt", "film", VOD_TEXT, "", 0, 0, "xq" },
    { "film.a.b.srt", "film", VOD_TEXT, "", 0, 0, "a" },
    { "film.1080p.mp4", "film", VOD_VIDEO, "", 0, 0, NULL },
    { "film.en.mp4", "film", VOD_VIDEO, "en", 0, 0, NULL },
    { "film..srt", "film", VOD_TEXT, "", 0, 0, NULL },
    { "film...en..srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.caf\xc3\xa9.srt", "film", VOD_TEXT, "en", 0, 0,
      "caf\xc3\xa9" },
    { "film.en.\xf0\x9f\x8e\xac.srt", "film", VOD_TEXT, "en", 0, 0,
      "\xf0\x9f\x8e\xac" },

    /* no UTF-8, or not to be shown */
    { "film.en.caf\xe9.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.x\ny.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.\xc0\xaf.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.\xed\xa0\x80.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.\xf4\x90\x80\x80.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.\xc2\x85.srt", "film", VOD_TEXT, "en", 0, 0, NULL },
    { "film.en.\xe2\x82.srt", "film", VOD_TEXT, "en", 0, 0, NULL },

    /* the stem has dots, too, and whatever a name may have */
    { "a.b.en.srt", "a.b", VOD_TEXT, "en", 0, 0, NULL },
    { "en.de.srt", "en", VOD_TEXT, "de", 0, 0, NULL },
    { "\xff.de.srt", "\xff", VOD_TEXT, "de", 0, 0, NULL },

    /* not ours */
    { "film2.en.srt", "film", 0, "", 0, 0, NULL },
    { "film", "film", 0, "", 0, 0, NULL },
    { "film.", "film", 0, "", 0, 0, NULL },
    { "film.txt", "film", 0, "", 0, 0, NULL },
    { "film.en.srt.bak", "film", 0, "", 0, 0, NULL },
    { "filmsrt", "film", 0, "", 0, 0, NULL },
    { "Film.srt", "film", 0, "", 0, 0, NULL },
    { ".film.srt", ".film", 0, "", 0, 0, NULL },
    { "srt", "srt", 0, "", 0, 0, NULL },
    { "film.srt", "film.srt", 0, "", 0, 0, NULL },
    { "film.json", "film", 0, "", 0, 0, NULL },
    { "", "film", 0, "", 0, 0, NULL },
    { ".srt", "", 0, "", 0, 0, NULL },

    /* in a folder the stem may be anything */
    { "asset.en.vtt", NULL, VOD_TEXT, "en", 0, 0, NULL },
    { "asset.en.sdh.srt", NULL, VOD_TEXT, "en", VOD_ROLE_HEARING, 0, NULL },
    { "asset.fr.forced.srt", NULL, VOD_TEXT, "fr", VOD_ROLE_FORCED, 0,
      NULL },
    { "en.vtt", NULL, VOD_TEXT, "en", 0, 0, NULL },
    { "fr.forced.srt", NULL, VOD_TEXT, "fr", VOD_ROLE_FORCED, 0, NULL },
    { "de.m4a", NULL, VOD_AUDIO, "de", 0, 0, NULL },
    { "720.mp4", NULL, VOD_VIDEO, "", 0, 0, NULL },
    { "it.mp4", NULL, VOD_VIDEO, "", 0, 0, NULL },
    { "english.srt", NULL, VOD_TEXT, "en", 0, 0, NULL },
    { "music.mp3", NULL, VOD_AUDIO, "", 0, 0, NULL },
    { "it.cut.srt", NULL, VOD_TEXT, "", 0, 0, NULL },
    { "This.Is.It.2019.1080p.en.Fansub.srt", NULL, VOD_TEXT, "en", 0, 0,
      "Fansub" },
    { "Film.2019.srt", NULL, VOD_TEXT, "", 0, 0, NULL },
    { ".en.srt", NULL, 0, "", 0, 0, NULL },
    { "README", NULL, 0, "", 0, 0, NULL },
};


static void
test_name(const names_case_t *c)
{
    char        label[64];
    vod_name_t  name;

    memset(&name, 0xff, sizeof(name));

    is_int(vod_names_parse(c->name, strlen(c->name), c->stem,
                           c->stem ? strlen(c->stem) : 0, &name),
           c->kind, "'%s': kind", c->name);

    is_int(name.kind, c->kind, "'%s': the same in the result", c->name);
    is_str(name.lang, c->lang, "'%s': language", c->name);
    is_int(name.roles, c->roles, "'%s': roles", c->name);
    is_int(name.is_default, c->is_default, "'%s': default", c->name);

    if (name.label) {
        snprintf(label, sizeof(label), "%.*s", (int) name.label_len,
                 name.label);
    }

    is_str(name.label ? label : NULL, c->label, "'%s': label", c->name);
}


static void
test_long(void)
{
    char        text[512];
    vod_name_t  name;

    /* a word that is longer than any of ours, and a tag that is */

    memset(text, 'e', sizeof(text));
    memcpy(text, "film.", 5);
    memcpy(text + 400, ".en.srt", 7);

    is_int(vod_names_parse(text, 407, "film", 4, &name), VOD_TEXT,
           "a word of 395 bytes");
    is_str(name.lang, "en", "... the language behind it");
    is_int(name.label_len, 395, "... it is the label");

    memcpy(text, "film.en-aaaaaaaa-bbbbbbbb-cccccccc.srt", 38);

    is_int(vod_names_parse(text, 38, "film", 4, &name), VOD_TEXT,
           "a tag of 29 bytes");
    is_str(name.lang, "en-aaaaaaaa", "... loses subtags from its end");

    is_int(vod_names_parse("film.e\0n.srt", 12, "film", 4, &name), VOD_TEXT,
           "a NUL in a word");
    is_str(name.lang, "", "... which is no language");
    ok(name.label == NULL, "... and no label");
}


static void
test_stem(void)
{
    is_int(vod_names_stem("film.mp4", 8), 4, "the stem of film.mp4");
    is_int(vod_names_stem("a.b.mp4", 7), 3, "that of a.b.mp4");
    is_int(vod_names_stem("film", 4), 4, "that of film");
    is_int(vod_names_stem(".film", 5), 5, "that of .film");
    is_int(vod_names_stem("film.", 5), 4, "that of film.");
    is_int(vod_names_stem("", 0), 0, "that of nothing");
}


static void
test_choice(void)
{
    size_t              i;
    const char         *text;
    static const char  *good[] = {
        "v1", "v", "a", "s", "v1,a2", "v1-a1", "v,a2,s3", "v4294967295",
        "v1,v1",
    };
    static const char  *wrong[] = {
        "", ",", "-", "v1,", ",v1", "v1,,a1", "v0", "v01", "x1", "V1",
        "1", "v1 ", " v1", "v1a1", "v1;a1", "v4294967296",
        "v99999999999999999999", "v-", "v1--a1", "v+1", "v1,a1x",
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(vod_choice_valid(good[i], strlen(good[i])), "'%s' is a choice",
           good[i]);
    }

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ok(!vod_choice_valid(wrong[i], strlen(wrong[i])), "'%s' is none",
           wrong[i]);
    }

    ok(!vod_choice_valid("v1\0,a1", 6), "nor is one with a NUL");

    text = "v2,a-s12";

    ok(vod_choice_has(text, 8, VOD_VIDEO, 2), "%s has v2", text);
    ok(!vod_choice_has(text, 8, VOD_VIDEO, 1), "... not v1");
    ok(!vod_choice_has(text, 8, VOD_VIDEO, 22), "... not v22");
    ok(vod_choice_has(text, 8, VOD_AUDIO, 1), "... a1");
    ok(vod_choice_has(text, 8, VOD_AUDIO, 4000000000u), "... any a");
    ok(vod_choice_has(text, 8, VOD_TEXT, 12), "... s12");
    ok(!vod_choice_has(text, 8, VOD_TEXT, 1), "... not s1");
    ok(vod_choice_has(text, 0, VOD_TEXT, 1), "no choice has all");
    ok(vod_choice_has(text, 3, VOD_VIDEO, 2)
       && !vod_choice_has(text, 3, VOD_AUDIO, 2),
       "nothing behind its end is read");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        test_name(&cases[i]);
    }

    test_long();
    test_stem();
    test_choice();

    return done_testing();
}
