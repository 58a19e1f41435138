/*
 * From samples to both manifests: what HLS and DASH say of one timeline must
 * agree (core/vod_index.h, vod_timeline.h, vod_hls.h, vod_dash.h).
 */

#include "manifest.h"
#include "tap.h"
#include "vod_dash.h"
#include "vod_hls.h"


#define MAX_SAMPLES  20000


typedef struct {
    vod_sample_t  *samples;
    uint32_t       n;
    uint64_t       size;        /* of the file so far */
    uint64_t       seed;
} source_t;


/* seconds of video with key frames 0.5 to 5 s apart and B-frames */
static void
video(source_t *s, uint32_t timescale, uint32_t dur, unsigned seconds)
{
    uint32_t       i, key;
    vod_sample_t  *p;

    s->n = (uint32_t) ((uint64_t) seconds * timescale / dur);
    key = 0;

    for (i = 0; i < s->n; i++) {

        p = &s->samples[i];

        p->key = (i == key);

        if (p->key) {
            key += 1 + (uint32_t) ((timescale / 2 + tap_rand(&s->seed)
                                    % (timescale * 9 / 2)) / dur);
        }

        p->pos = s->size;
        p->size = 500 + (uint32_t) (tap_rand(&s->seed) % 40000);
        p->dur = dur;
        p->cts = (int32_t) (p->key ? dur : i % 2 ? 2 * dur : 0);

        s->size += p->size;
    }
}


static void
audio(source_t *s, uint32_t timescale, uint32_t dur, unsigned seconds)
{
    uint32_t       i;
    vod_sample_t  *p;

    s->n = (uint32_t) ((uint64_t) seconds * timescale / dur);

    for (i = 0; i < s->n; i++) {
        p = &s->samples[i];

        p->key = 1;
        p->pos = s->size;
        p->size = 200 + (uint32_t) (tap_rand(&s->seed) % 300);
        p->dur = dur;
        p->cts = 0;

        s->size += p->size;
    }
}


/* index and timeline of what is in the sources, or an end of the test */
static void
assemble(asset_t *asset, vod_index_track_t *tracks, unsigned n, uint64_t size,
    uint32_t target)
{
    uint64_t           room;
    vod_err_t          err;
    vod_index_in_t     in;
    vod_timeline_in_t  at;

    memset(&in, 0, sizeof(in));
    in.file_size = size;
    in.container = "test";
    in.tracks = tracks;
    in.n_tracks = n;

    room = vod_index_bound(&in);
    asset->index = malloc(room);

    if (vod_index_write(&in, asset->index, room, &err) == 0) {
        printf("Bail out! index: %s\n", err.text);
        exit(1);
    }

    memset(&at, 0, sizeof(at));
    at.target = target;
    at.file_size = size;
    at.to = INT64_MAX;

    asset->links = NULL;

    room = vod_timeline_bound(asset->index, &at);
    asset->timeline = malloc(room);

    if (vod_timeline_build(asset->index, &at, asset->timeline, room, &err)
        == 0)
    {
        printf("Bail out! timeline: %s\n", err.text);
        exit(1);
    }
}


/* number of segments, longest and sum of EXTINF in microseconds */
typedef struct {
    unsigned   n;
    long long  longest, sum;
} spans_t;


static spans_t
hls_spans(const char *text)
{
    spans_t      s;
    long long    us;
    const char  *p;

    memset(&s, 0, sizeof(s));

    for (p = text; (p = strstr(p, "#EXTINF:")) != NULL; p++) {
        us = (long long) (strtod(p + 8, NULL) * 1e6 + 0.5);

        s.n++;
        s.sum += us;
        s.longest = us > s.longest ? us : s.longest;
    }

    return s;
}


/* the same of the n-th SegmentTimeline, in ticks; @t counts to the sum */
static spans_t
dash_spans(const char *text, unsigned n)
{
    spans_t      s;
    long long    d, r;
    const char  *p, *end, *q;

    memset(&s, 0, sizeof(s));

    for (p = text; n--; p++) {
        p = strstr(p, "<SegmentTimeline>");
    }

    end = strstr(p, "</SegmentTimeline>");

    for (q = p; (q = strstr(q, "<S ")) != NULL && q < end; q++) {
        const char  *close = strchr(q, '>');
        const char  *rp = strstr(q, " r=\"");
        const char  *tp = strstr(q, " t=\"");

        d = strtoll(strstr(q, " d=\"") + 4, NULL, 10);
        r = rp && rp < close ? strtoll(rp + 4, NULL, 10) : 0;

        if (tp && tp < close) {
            s.sum += strtoll(tp + 4, NULL, 10);
        }

        s.n += (unsigned) (r + 1);
        s.sum += d * (r + 1);
        s.longest = d > s.longest ? d : s.longest;
    }

    return s;
}


static long long
attribute(const char *text, const char *name)
{
    const char  *p;

    p = strstr(text, name);

    return p ? (long long) (strtod(p + strlen(name), NULL) * 1e6 + 0.5) : -1;
}


static void
agree(const asset_t *asset, const char *what)
{
    char                        *master, *mpd, *media;
    unsigned                     i, bad;
    spans_t                      h, d;
    long long                    ts, target, end;
    const vod_track_t           *t;
    const vod_timeline_t        *tl;
    const vod_timeline_track_t  *tt;

    t = vod_index_tracks(asset->index);
    tl = (const vod_timeline_t *) asset->timeline;
    tt = vod_timeline_tracks(tl);

    master = asset_text(asset, vod_hls_master, NULL, 0);
    mpd = asset_text(asset, vod_dash_mpd, NULL, 0);

    for (bad = 0, i = 0; i < tl->n_tracks; i++) {

        media = asset_text(asset, NULL, vod_hls_media, i);

        h = hls_spans(media);
        d = dash_spans(mpd, i + 1);
        ts = t[i].timescale;
        target = strtoll(strstr(media, "TARGETDURATION:") + 15, NULL, 10);
        end = vod_ticks_us(t[i].end_pts, t[i].timescale);

        if (h.n != tt[i].n_segments || d.n != h.n) {
            printf("# track %u: %u and %u segments\n", i, h.n, d.n);
            bad++;
        }

        if (h.sum != end - (long long) tl->origin || d.sum != t[i].end_pts) {
            printf("# track %u: ends %lld us, %lld ticks\n", i, h.sum, d.sum);
            bad++;
        }

        if ((h.longest + 500000) / 1000000 > target) {
            printf("# track %u: EXTINF %lld us\n", i, h.longest);
            bad++;
        }

        if (vod_ticks_us(d.longest, (uint32_t) ts)
            > attribute(mpd, "maxSegmentDuration=\"PT"))
        {
            printf("# track %u: S %lld ticks\n", i, d.longest);
            bad++;
        }

        if ((uint64_t) attribute(mpd, "mediaPresentationDuration=\"PT")
            < (uint64_t) h.sum)
        {
            printf("# track %u: longer than the presentation\n", i);
            bad++;
        }

        free(media);
    }

    is_int(bad, 0, "%s: segments, spans, ends agree", what);
    is_int(attribute(mpd, "minBufferTime=\"PT"), (long long) tl->target * 1000,
           "%s: minBufferTime is that of the rates", what);

    free(master);
    free(mpd);
}


int
main(void)
{
    asset_t            asset;
    asset_track_t      v, a;
    source_t           sv, sa;
    unsigned           i;
    char               what[64];
    vod_index_track_t  in[3];
    static const uint32_t  targets[] = { 1000, 2000, 6000, 10000 };

    memset(&sv, 0, sizeof(sv));
    sv.seed = 3;
    sv.samples = malloc(MAX_SAMPLES * sizeof(vod_sample_t));
    sa = sv;
    sa.samples = malloc(MAX_SAMPLES * sizeof(vod_sample_t));

    v = asset_avc();
    v.track.timescale = 30000;
    a = asset_aac("en", NULL);
    a.track.timescale = 44100;

    memset(in, 0, sizeof(in));
    in[0].track = v.track;
    in[0].entry = (const uint8_t *) "\0\0\0\010avc1";
    in[0].entry_len = 8;
    in[1].track = a.track;
    in[1].entry = (const uint8_t *) "\0\0\0\010mp4a";
    in[1].entry_len = 8;
    in[1].name = "Stereo";
    in[1].name_len = 6;

    video(&sv, 30000, 1001, 97);
    sa.size = sv.size;
    audio(&sa, 44100, 1024, 96);

    in[0].samples = sv.samples;
    in[0].n_samples = sv.n;
    in[1].samples = sa.samples;
    in[1].n_samples = sa.n;
    in[2] = in[1];
    in[2].track.media_time = 2112;

    for (i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {

        in[0].track.media_time = 0;
        in[0].track.first_dts = 0;
        in[1].track.first_dts = 0;

        assemble(&asset, in, 3, sa.size, targets[i]);
        snprintf(what, sizeof(what), "target %u ms", targets[i]);
        agree(&asset, what);
        asset_free(&asset);

        assemble(&asset, in + 1, 2, sa.size, targets[i]);
        snprintf(what, sizeof(what), "target %u ms, audio only", targets[i]);
        agree(&asset, what);
        asset_free(&asset);

        in[0].track.first_dts = 45001;
        in[1].track.first_dts = 22051;

        assemble(&asset, in, 2, sa.size, targets[i]);
        snprintf(what, sizeof(what), "target %u ms, late", targets[i]);
        agree(&asset, what);
        asset_free(&asset);
    }

    free(sv.samples);
    free(sa.samples);

    return done_testing();
}
