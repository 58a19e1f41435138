/*
 * Playlists, MPD and headers of tracks whose names, languages, roles and times
 * are anybody's, with a query that is.
 */

#include "answers.h"


#define TRACKS   6
#define SAMPLES  24


typedef struct {
    uint8_t       kind, timescale, n, flags, first;
    uint8_t       name_len, lang_len, codec_len;
    vod_sample_t  samples[SAMPLES];
    char          name[256], lang[16], codec[64];
} source_t;


static const uint32_t  timescales[] = {
    1, 1000, 25, 48000, 90000, 10000000, 0xffffffff, 44100
};


/* codec strings are ours, never a file's: only names and languages are text */
static const char *const  codecs[] = {
    "avc1.64001f", "hvc1.1.6.L93.B0", "mp4a.40.2", "ac-3", "ec-3", "opus"
};


static void
source(source_t *s, const uint8_t **data, size_t *size)
{
    uint8_t   b[8];
    unsigned  i;

    fuzz_take(data, size, s, 8);

    s->n = (uint8_t) (1 + s->n % SAMPLES);

    fuzz_take(data, size, s->name, s->name_len);
    fuzz_take(data, size, s->lang, s->lang_len % sizeof(s->lang));

    for (i = 0; i < s->n; i++) {
        fuzz_take(data, size, b, sizeof(b));

        s->samples[i].key = b[0] & 1;
        s->samples[i].size = b[1];
        s->samples[i].dur = b[2] | (uint32_t) b[3] << (b[0] >> 2 & 15);
        s->samples[i].cts = (int32_t) (b[4] | (uint32_t) b[5] << 8);
        s->samples[i].pos = b[6] | (uint32_t) b[7] << 8;
    }
}


static void
track(vod_index_track_t *in, const source_t *s)
{
    vod_track_t  *t;

    memset(in, 0, sizeof(*in));
    t = &in->track;

    t->kind = (s->kind & 1) ? (s->kind & 8) ? VOD_TEXT : VOD_AUDIO
                            : VOD_VIDEO;
    t->timescale = timescales[s->timescale % 8];
    t->first_dts = (uint64_t) s->first << (s->flags >> 4);
    t->media_time = s->flags & 15;
    t->part = s->flags & 3;
    t->roles = s->lang_len;
    t->flags = (s->kind & 2) ? VOD_TRACK_DEFAULT : 0;
    t->sar_num = 1 + (s->kind >> 4);
    t->sar_den = 1 + (s->kind >> 2 & 3);
    t->width = 1 + s->first;
    t->height = 1 + s->timescale;
    t->channels = 1 + (s->first & 7);
    t->sample_rate = 1 + s->first;
    t->matrix[0] = t->matrix[4] = 0x10000;
    t->matrix[8] = 0x40000000;

    memcpy(t->lang, s->lang, sizeof(t->lang));
    strcpy(t->codec, codecs[s->codec_len % 6]);

    in->entry = (const uint8_t *) "\0\0\0\10free";
    in->entry_len = 8;
    in->name = s->name;
    in->name_len = s->name_len;
    in->samples = s->samples;
    in->n_samples = s->n;
}


static void
index_and_answers(const vod_index_in_t *in)
{
    void               *index, *tl;
    uint64_t            room;
    vod_err_t           err;
    vod_timeline_in_t   at;

    room = vod_index_bound(in);
    index = malloc(room);
    fuzz_must(index != NULL);

    memset(&at, 0, sizeof(at));
    at.target = 1000;
    at.to = INT64_MAX;

    if (vod_index_write(in, index, room, &err)) {
        room = vod_timeline_bound(index, &at);
        tl = (room < 1 << 24) ? malloc(room) : NULL;

        if (tl && vod_timeline_build(index, &at, tl, room, &err)) {
            answer_all(index, tl);
        }

        free(tl);
    }

    free(index);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t            n;
    unsigned           i;
    vod_links_t        links;
    vod_index_in_t     in;
    vod_index_track_t  tracks[TRACKS];
    static source_t    sources[TRACKS];

    memset(sources, 0, sizeof(sources));
    fuzz_take(&data, &size, &n, 1);

    memset(&in, 0, sizeof(in));
    in.file_size = 1 << 20;
    in.container = "fuzz";
    in.tracks = tracks;
    in.n_tracks = 1 + n % TRACKS;

    for (i = 0; i < in.n_tracks; i++) {
        source(&sources[i], &data, &size);
        track(&tracks[i], &sources[i]);
    }

    /* a query, too, may be anything */

    memset(&links, 0, sizeof(links));
    links.args = sources[0].name;
    links.args_len = n & 64 ? sources[0].name_len : 0;
    answer_links = &links;

    index_and_answers(&in);

    return 0;
}
