/* languages: normalising, mdhd codes, names */

#include "tap.h"

#include "vod_lang.h"


static void
test_normalise(void)
{
    char      out[16];
    unsigned  i;

    static const char  *cases[][2] = {
        { "eng", "en" }, { "en", "en" }, { "EN", "en" }, { "ENG", "en" },
        { "ger", "de" }, { "deu", "de" }, { "fre", "fr" }, { "fra", "fr" },
        { "chi", "zh" }, { "zho", "zh" }, { "dut", "nl" }, { "nld", "nl" },
        { "tib", "bo" }, { "mao", "mi" }, { "wel", "cy" }, { "slo", "sk" },
        { "pt-BR", "pt-br" }, { "por-br", "pt-br" }, { "en_US", "en-us" },
        { "zh-Hant-TW", "zh-hant-tw" }, { "es-419", "es-419" },
        { "sl-rozaj", "sl-rozaj" }, { "de-1996", "de-1996" },
        { "zh-yue", "zh-yue" }, { "en-x-abc", "en-x-abc" },
        { "en-u-ca-abc", "en-u-ca-abc" }, { "fil", "fil" }, { "yue", "yue" },
        { "qaa", "qaa" }, { "mul", "mul" }, { "zxx", "zxx" },

        /* withdrawn */
        { "iw", "he" }, { "in", "id" }, { "scr", "hr" }, { "mo-md", "ro-md" },

        /* no tags */
        { "", "und" }, { "und", "und" }, { "e", "und" }, { "english", "und" },
        { "en-", "und" }, { "-en", "und" }, { "en--us", "und" },
        { "en us", "und" }, { "12", "und" }, { "e1", "und" },
        { "en-x", "und" }, { "en-u", "und" }, { "en-u-x-a", "und" },
        { "en-us-us", "und" }, { "en-123456789", "und" }, { "```", "und" },
        { "x-abc", "und" }, { "en\"", "und" }, { "\xff\xff\xff", "und" },

        /* longer than the room: whole subtags go */
        { "zh-hant-tw-x-abcdef", "zh-hant-tw" },
        { "de-a-bcdefgh-ij", "de-a-bcdefgh-ij" },
        { "deu-a-bcdefgh-ij", "de-a-bcdefgh-ij" },
        { "fil-a-bcdefgh-ij", "fil-a-bcdefgh" },
        { "en-gb-scotland-fonipa", "en-gb-scotland" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(out, '#', sizeof(out));
        vod_lang_normalise(cases[i][0], strlen(cases[i][0]), out,
                           sizeof(out));
        is_str(out, cases[i][1], "\"%s\"", cases[i][0]);
    }

    vod_lang_normalise("en\0us", 5, out, sizeof(out));
    is_str(out, "en", "a zero byte ends the input");

    vod_lang_normalise("deutsch", 2, out, sizeof(out));
    is_str(out, "de", "and so does its length");

    vod_lang_normalise("aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-"
                       "aaaaaaaa-aaaaaaaa", 71, out, sizeof(out));
    is_str(out, "und", "a tag beyond all bounds");

    memset(out, '#', sizeof(out));
    vod_lang_normalise("en-us", 5, out, 4);
    is_str(out, "en", "room for a language alone");
    is_int(out[4], '#', "nothing is written beyond the room");
}


static void
test_mdhd(void)
{
    char      out[4];
    unsigned  i;

    static const char  *cases[][2] = {
        { "en", "eng" }, { "de", "deu" }, { "fr-ca", "fra" },
        { "zh-hant", "zho" }, { "fil", "fil" }, { "yue-hk", "yue" },
        { "gsw", "gsw" }, { "bo", "bod" }, { "und", "und" }, { "", "und" },
        { "qq", "und" }, { "qaa", "qaa" }, { "12a", "und" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        vod_lang_mdhd(cases[i][0], out);
        is_str(out, cases[i][1], "mdhd of \"%s\"", cases[i][0]);
    }
}


/* every language there and back: two letters, three, and three again */

static void
test_round_trip(void)
{
    char      two[4], three[4], back[16];
    unsigned  n, wrong, unnamed;

    n = wrong = unnamed = 0;

    for (two[0] = 'a'; two[0] <= 'z'; two[0]++) {
        for (two[1] = 'a'; two[1] <= 'z'; two[1]++) {

            two[2] = '\0';
            vod_lang_mdhd(two, three);

            if (strcmp(three, "und") == 0) {
                continue;
            }

            vod_lang_normalise(three, 3, back, sizeof(back));

            n++;
            wrong += (strcmp(back, two) != 0);
            unnamed += (vod_lang_name(two) == NULL);
        }
    }

    is_int(n, 185, "languages of two letters: 184, and Serbo-Croatian");
    is_int(wrong, 0, "that do not come back");
    is_int(unnamed, 0, "without a name");
}


static void
test_names(void)
{
    is_str(vod_lang_name("en"), "English", "en");
    is_str(vod_lang_name("pt-br"), "Portuguese", "pt-br");
    is_str(vod_lang_name("eng"), "English", "eng");
    is_str(vod_lang_name("ger"), "German", "ger");
    is_str(vod_lang_name("nb"), "Norwegian Bokm\xc3\xa5l", "UTF-8");
    is_str(vod_lang_name("yue"), "Cantonese", "three letters only");
    is_str(vod_lang_name("und"), NULL, "und has none");
    is_str(vod_lang_name(""), NULL, "nor has nothing");
    is_str(vod_lang_name("qaa"), NULL, "nor has a private code");
}


int
main(void)
{
    test_normalise();
    test_mdhd();
    test_round_trip();
    test_names();

    return done_testing();
}
