#include <stdlib.h>

#include "tap.h"

#include "vod_descriptor.h"
#include "vod_index.h"


#define ONE(clip)  "{\"sequences\":[{\"clips\":[{" clip "}]}]}"
#define SEQ(seq)   "{\"sequences\":[{" seq ",\"clips\":[{\"path\":\"/a\"}]}]}"


typedef struct {
    const char  *json;
    const char  *reason;
} wrong_t;


static const wrong_t  wrong[] = {
    { "", "the descriptor is no JSON: line 1, column 0" },
    { "x", "the descriptor is no JSON: line 1, column 1" },
    { "{\"sequences\":[}", "the descriptor is no JSON: line 1, column 15" },
    { "{\n\"a\":1,\n\"a\":2}", "the descriptor is no JSON: line 3, column 3: "
      "duplicate object key" },
    { "{} {}", "the descriptor is no JSON" },
    { "{\"a\":\"\\u0000\"}", "the descriptor is no JSON" },
    { "{\"a\":\"\xff\"}", "the descriptor is no JSON" },
    { "{\"a\":1e999}", "the descriptor is no JSON" },
    { "{\"a\":99999999999999999999}", "the descriptor is no JSON" },
    { "[]", "the descriptor is an array, not an object" },

    { "{}", "sequences is not there" },
    { "{\"sequences\":[]}", "sequences is empty" },
    { "{\"sequences\":{}}", "sequences is an object, not an array" },
    { "{\"sequences\":null}", "sequences is null, not an array" },
    { "{\"sequences\":[1]}", "sequences[0] is an integer, not an object" },
    { "{\"sequences\":[{}]}", "sequences[0].clips is not there" },
    { "{\"sequences\":[{\"clips\":[]}]}",
      "sequences[0].clips has 0 of them: a sequence is one file" },
    { "{\"sequences\":[{\"clips\":[{\"path\":\"/a\"},{\"path\":\"/b\"}]}]}",
      "sequences[0].clips has 2 of them: a sequence is one file" },
    { "{\"sequences\":[{\"clips\":[\"/a\"]}]}",
      "sequences[0].clips[0] is a string, not an object" },

    { ONE(""), "sequences[0].clips[0].path is not there" },
    { ONE("\"path\":1"),
      "sequences[0].clips[0].path is an integer, not a string" },
    { ONE("\"path\":null"),
      "sequences[0].clips[0].path is null, not a string" },
    { ONE("\"path\":\"\""), "sequences[0].clips[0].path is empty" },
    { ONE("\"path\":\"/a\\nb\""),
      "sequences[0].clips[0].path has a control character in it" },
    { ONE("\"path\":\"/a/../../etc/passwd\""),
      "sequences[0].clips[0].path is \"/a/../../etc/passwd\": \"..\" is not "
      "followed" },
    { ONE("\"path\":\"..\""),
      "sequences[0].clips[0].path is \"..\": \"..\" is not followed" },
    { ONE("\"path\":\"../a\""),
      "sequences[0].clips[0].path is \"../a\": \"..\" is not followed" },
    { ONE("\"path\":\"/a/..\""),
      "sequences[0].clips[0].path is \"/a/..\": \"..\" is not followed" },
    { ONE("\"path\":\"/a\",\"type\":\"concat\""),
      "sequences[0].clips[0].type is \"concat\", only \"source\" is played" },
    { ONE("\"path\":\"/a\",\"sourceType\":\"http\""),
      "sequences[0].clips[0].sourceType is \"http\", only \"file\" is "
      "played" },
    { ONE("\"path\":\"/a\",\"tracks\":\"v1-\""),
      "sequences[0].clips[0].tracks is \"v1-\", not as \"v1-a1\"" },
    { ONE("\"path\":\"/a\",\"tracks\":[]"),
      "sequences[0].clips[0].tracks is an array, not a string" },
    { ONE("\"path\":\"/a\",\"clipFrom\":-1"),
      "sequences[0].clips[0].clipFrom is -1, not from 0 to" },
    { ONE("\"path\":\"/a\",\"clipFrom\":1.5"),
      "sequences[0].clips[0].clipFrom is a fraction, not an integer" },
    { ONE("\"path\":\"/a\",\"clipFrom\":\"1\""),
      "sequences[0].clips[0].clipFrom is a string, not an integer" },
    { ONE("\"path\":\"/a\",\"clipTo\":0"),
      "sequences[0].clips[0].clipTo is 0, not from 1 to" },
    { ONE("\"path\":\"/a\",\"clipTo\":1000000000001"),
      "sequences[0].clips[0].clipTo is 1000000000001, not from 1 to "
      "1000000000000" },
    { ONE("\"path\":\"/a\",\"clipFrom\":5,\"clipTo\":5"),
      "sequences[0].clips[0].clipTo is 5, not behind clipFrom, 5" },
    { "{\"clipFrom\":6,\"clipTo\":5,"
      "\"sequences\":[{\"clips\":[{\"path\":\"/a\"}]}]}",
      "clipTo is 5, not behind clipFrom, 6" },
    { "{\"clipFrom\":6,\"sequences\":"
      "[{\"clips\":[{\"path\":\"/a\",\"clipTo\":9}]}]}",
      "clipFrom stands beside that of clips: say one of them" },
    { "{\"sequences\":[{\"clips\":[{\"path\":\"/a\",\"clipFrom\":1}]},"
      "{\"clips\":[{\"path\":\"/b\",\"clipFrom\":2}]}]}",
      "sequences[1].clips[0].clipFrom is not that of sequences[0]: an asset "
      "is one clip" },
    { "{\"sequences\":[{\"clips\":[{\"path\":\"/a\",\"clipTo\":1}]},"
      "{\"clips\":[{\"path\":\"/b\"}]}]}",
      "sequences[1].clips[0].clipTo is not that of sequences[0]: an asset "
      "is one clip" },

    { SEQ("\"language\":7"),
      "sequences[0].language is an integer, not a string" },
    { SEQ("\"language\":\"klingon!\""),
      "sequences[0].language is \"klingon!\", which is no tag of a "
      "language" },
    { SEQ("\"label\":{}"), "sequences[0].label is an object, not a string" },
    { SEQ("\"label\":\"a\\u001bb\""),
      "sequences[0].label has a control character in it" },
    { SEQ("\"default\":1"),
      "sequences[0].default is an integer, not true or false" },
    { SEQ("\"bitrate\":1"),
      "sequences[0].bitrate is an integer, not an object" },
    { SEQ("\"bitrate\":{\"v\":0}"),
      "sequences[0].bitrate.v is 0, not from 1 to" },
    { SEQ("\"bitrate\":{\"a\":true}"),
      "sequences[0].bitrate.a is true, not an integer" },
    { SEQ("\"roles\":\"forced\""),
      "sequences[0].roles is a string, not an array" },
    { SEQ("\"roles\":[\"main\",\"x\"]"),
      "sequences[0].roles[1] is none of main" },
    { SEQ("\"roles\":[false]"), "sequences[0].roles[0] is none of main" },
    { "{\"playlistType\":\"live\","
      "\"sequences\":[{\"clips\":[{\"path\":\"/a\"}]}]}",
      "playlistType is \"live\", only \"vod\" is played" },
};


/* parsed from memory of its own size: reads beyond the end are seen */

static int
parse(const char *json, size_t len, vod_descriptor_t *out, vod_err_t *err)
{
    int    rc;
    char  *copy;

    copy = malloc(len ? len : 1);

    if (len) {
        memcpy(copy, json, len);
    }

    memset(out, 0xff, sizeof(vod_descriptor_t));
    memset(err, 0, sizeof(vod_err_t));

    rc = vod_descriptor_parse(copy, len, out, err);

    free(copy);

    return rc;
}


static void
test_wrong(const wrong_t *w)
{
    vod_err_t         err;
    vod_descriptor_t  out;

    is_int(parse(w->json, strlen(w->json), &out, &err), VOD_DAMAGED,
           "damaged: %s", w->reason);

    ok(strncmp(err.text, w->reason, strlen(w->reason)) == 0,
       "... it says so: %s", err.text);
    ok(out.memory == NULL, "... nothing is to be freed");
}


static void
test_whole(void)
{
    vod_err_t                 err;
    vod_descriptor_t          out;
    vod_descriptor_member_t  *m;
    static const char         json[] =
        "\xef\xbb\xbf{ \"id\": \"x\", \"playlistType\": \"vod\","
        " \"discontinuity\": false,"
        " \"sequences\": ["
        "  { \"id\": \"1\", \"language\": \"eng\", \"label\": \"Fran\\u00e7ais"
        "\", \"default\": true, \"bitrate\": { \"v\": 2000000, \"a\": 128000,"
        "   \"x\": 1 },"
        "   \"clips\": [ { \"type\": \"source\", \"path\": \"/a.mp4\","
        "    \"tracks\": \"v1-a1\", \"clipFrom\": 1000, \"clipTo\": 61000 } ] "
        "},"
        "  { \"id\": \"2\", \"language\": \"pt-BR\", \"default\": false,"
        "   \"roles\": [ \"forced\", \"dub\" ],"
        "   \"clips\": [ { \"path\": \"b..c/d.srt\", \"id\": 5,"
        "    \"sourceType\": \"file\", \"clipFrom\": 1000, \"clipTo\": 61000 }"
        " ] } ] }";

    is_int(parse(json, sizeof(json) - 1, &out, &err), VOD_OK,
           "a descriptor: %s", err.text);

    is_int(out.n_members, 2, "... it has two members");
    is_int(out.from, 1000000, "... from 1 s");
    is_int(out.to, 61000000, "... to 61 s");
    ok(strstr(out.ignored, "sequences[].id") != NULL,
       "... ignored: %s", out.ignored);
    ok(strstr(out.ignored, "sequences[].clips[].id") != NULL,
       "... of clips, too");
    ok(strstr(out.ignored, "sequences[].bitrate.x") != NULL,
       "... and of rates");
    ok(strstr(out.ignored, "discontinuity") != NULL, "... and of the set");
    is_int(strlen(out.ignored),
           strlen("id, discontinuity, sequences[].id, sequences[].bitrate.x, "
                  "sequences[].clips[].id"), "... each once");

    m = &out.members[0];
    is_str(m->path, "/a.mp4", "the first: its path");
    is_int(m->path_len, 6, "... in bytes");
    is_str(m->lang, "en", "... its language");
    is_str(m->label, "Fran\xc3\xa7" "ais", "... its label");
    is_int(m->label_len, 9, "... in bytes");
    is_str(m->tracks, "v1-a1", "... its tracks");
    is_int(m->tracks_len, 5, "... in bytes");
    is_int(m->is_default, 1, "... it is the default");
    is_int(m->roles, 0, "... without roles");
    is_int(m->bitrate[0], 2000000, "... its rate of video");
    is_int(m->bitrate[1], 128000, "... its rate of audio");

    m = &out.members[1];
    is_str(m->path, "b..c/d.srt", "the second: its path");
    is_str(m->lang, "pt-br", "... its language");
    ok(m->label == NULL && m->tracks == NULL, "... no label, all tracks");
    is_int(m->is_default, 0, "... it is not the default");
    is_int(m->roles, VOD_ROLE_FORCED | VOD_ROLE_DUB, "... its roles");
    is_int(m->bitrate[0] + m->bitrate[1], 0, "... no rates");

    vod_descriptor_free(&out);
    ok(out.memory == NULL && out.members == NULL, "freed");
    vod_descriptor_free(&out);
}


static void
test_edges(void)
{
    vod_err_t         err;
    vod_descriptor_t  out;
    const char       *json;

    json = ONE("\"path\":\"/a\"");
    is_int(parse(json, strlen(json), &out, &err), VOD_OK, "no clip");
    is_int(out.from, 0, "... from the beginning");
    ok(out.to == INT64_MAX, "... to the end");
    is_str(out.ignored, "", "... nothing is ignored");
    is_int(out.members[0].is_default, -1, "... default is not said");
    is_str(out.members[0].lang, "", "... nor is the language");
    vod_descriptor_free(&out);

    json = "{\"clipFrom\":0,\"clipTo\":1000000000000,"
           "\"sequences\":[{\"clips\":[{\"path\":\"/a\"}]}]}";
    is_int(parse(json, strlen(json), &out, &err), VOD_OK,
           "a clip of the whole set");
    is_int(out.from, 0, "... from the beginning");
    is_int(out.to, 1000000000000000, "... to what is said");
    vod_descriptor_free(&out);

    json = SEQ("\"language\":\"und\"");
    is_int(parse(json, strlen(json), &out, &err), VOD_OK, "und is a tag");
    is_str(out.members[0].lang, "und", "... as it is");
    vod_descriptor_free(&out);
}


static void
test_many(void)
{
    char              *json, *p, *end;
    size_t             room;
    unsigned           i;
    vod_err_t          err;
    vod_descriptor_t   out;

    room = VOD_DESCRIPTOR_MAX + 1;
    json = malloc(room);
    p = json + sprintf(json, "{\"sequences\":[");

    for (i = 0; i < 1000; i++) {
        p += sprintf(p, "%s{\"clips\":[{\"path\":\"/%u.mp4\"}],\"%s%u\":1}",
                     i ? "," : "", i, "unknown", i);
    }

    p += sprintf(p, "]}");

    is_int(parse(json, (size_t) (p - json), &out, &err), VOD_OK,
           "1,000 members");
    is_int(out.n_members, 1000, "... they are there");
    is_str(out.members[999].path, "/999.mp4", "... the last is the last");
    ok(strlen(out.ignored) < 512, "... the list of 1,000 fields is short");
    end = out.ignored ? strrchr(out.ignored, ',') : NULL;
    is_str(end, ", ...", "... and says that there are more");
    vod_descriptor_free(&out);

    memset(p, ' ', room - (size_t) (p - json));

    is_int(parse(json, room - 1, &out, &err), VOD_OK, "of 1 MiB");
    vod_descriptor_free(&out);

    is_int(parse(json, room, &out, &err), VOD_LIMIT, "a byte more");
    is_str(err.text, "a descriptor of 1048577 bytes: 1048576 are read",
           "... it says so");

    memset(json, '[', room);
    is_int(parse(json, room - 1, &out, &err), VOD_DAMAGED,
           "arrays in arrays: %s", err.text);

    /* the first of the fields alone is longer than the list */

    p = json + sprintf(json, "{\"sequences\":[{\"clips\":[{\"path\":\"/a\"}]}"
                       "],\"");
    memset(p, 'k', 600);
    p += 600;
    p += sprintf(p, "\":1}");

    is_int(parse(json, (size_t) (p - json), &out, &err), VOD_OK,
           "a name of 600 bytes");
    is_str(out.ignored, "...", "... is not in the list");
    vod_descriptor_free(&out);

    /* names of nothing, and names within names */

    strcpy(json, "{\"ab\":1,\"\":1,\"b\":1,\"a\":1,\"sequences\":[{\"\":1,"
           "\"clips\":[{\"path\":\"/a\"}]},{\"\":1,"
           "\"clips\":[{\"path\":\"/a\",\", \":1}]}]}");

    is_int(parse(json, strlen(json), &out, &err), VOD_OK, "odd names");
    is_str(out.ignored, "ab, \"\", b, a, sequences[].\"\", "
           "sequences[].clips[]., ", "... each is in the list");
    vod_descriptor_free(&out);

    /* a path that is as long as one may be, and one more */

    for (i = 0; i < 2; i++) {
        p = json + sprintf(json, "{\"sequences\":[{\"clips\":[{\"path\":\"");
        memset(p, 'p', VOD_DESCRIPTOR_PATH + i);
        p += VOD_DESCRIPTOR_PATH + i;
        p += sprintf(p, "\"}]}]}");

        is_int(parse(json, (size_t) (p - json), &out, &err),
               i ? VOD_DAMAGED : VOD_OK, "a path of %u bytes",
               VOD_DESCRIPTOR_PATH + i);

        if (i == 0) {
            vod_descriptor_free(&out);
        }
    }

    is_str(err.text, "sequences[0].clips[0].path has 4097 bytes, more than "
           "4096", "... it says so");

    free(json);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        test_wrong(&wrong[i]);
    }

    test_whole();
    test_edges();
    test_many();

    return done_testing();
}
