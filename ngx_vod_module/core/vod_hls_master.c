#include "vod_hls_write.h"


static void vod_hls_group(vod_hls_master_t *m,
    const vod_rendition_group_t *g);
static void vod_hls_text_rates(vod_hls_master_t *m);
static void vod_hls_variant(const vod_hls_master_t *m,
    const vod_track_t *video);
static void vod_hls_bandwidth(const vod_hls_master_t *m,
    const vod_track_t *video);
static void vod_hls_codecs(const vod_hls_master_t *m,
    const vod_track_t *video, int audio);
static void vod_hls_iframe_variant(const vod_hls_master_t *m,
    const vod_track_t *video);
static void vod_hls_picture(vod_wr_t *wr, const vod_track_t *video);
static void vod_hls_frame_rate(vod_wr_t *wr, const vod_track_t *video);
static void vod_hls_range(vod_wr_t *wr, const vod_track_t *video);


/*
 * No tag here needs a version above 1, so EXT-X-VERSION is left out: clients
 * refuse what they do not know (RFC 8216bis, 8).
 */
void
vod_hls_master(vod_wr_t *wr, const void *index, const void *timeline,
    const vod_links_t *links)
{
    unsigned          g, i, videos;
    uint16_t          video[VOD_RENDITION_TRACKS];
    vod_hls_master_t  m;

    m.wr = wr;
    m.links = links;

    vod_renditions(&m.r, index, timeline);
    videos = vod_rendition_variants(&m.r, video);

    vod_wr_str(wr, "#EXTM3U\n"
                   "#EXT-X-INDEPENDENT-SEGMENTS\n");

    for (g = 0; g < m.r.n_groups; g++) {
        if (videos || m.r.groups[g].n > 1) {
            vod_hls_group(&m, &m.r.groups[g]);
            vod_hls_audio_tags(&m);
        }
    }

    vod_hls_text_tags(&m);
    vod_hls_text_rates(&m);

    /*
     * The first variant is where many players start: the group that most
     * devices decode stands before the others.
     */

    for (g = 0; g == 0 || g < m.r.n_groups; g++) {

        vod_hls_group(&m, m.r.n_groups ? &m.r.groups[g] : NULL);

        for (i = 0; i < videos; i++) {
            vod_hls_variant(&m, &m.r.tracks[video[i]]);
        }

        if (videos == 0 && m.group) {
            vod_hls_variant(&m, NULL);
        }
    }

    for (i = 0; i < videos; i++) {
        if (m.r.times[video[i]].key_duration) {
            vod_hls_iframe_variant(&m, &m.r.tracks[video[i]]);
        }
    }
}


/*
 * Makes a group (or none) the one that is written of: its tracks, the highest
 * of their rates, the formats among them, each once.
 */
static void
vod_hls_group(vod_hls_master_t *m, const vod_rendition_group_t *g)
{
    unsigned                     i, j;
    const vod_timeline_track_t  *t;

    m->group = g;
    m->peak = 0;
    m->average = 0;
    m->n_codecs = 0;

    if (g == NULL) {
        return;
    }

    vod_rendition_group_tracks(&m->r, g->rank, m->audio);

    for (i = 0; i < m->r.n_audio; i++) {

        if (m->audio[i] == VOD_RENDITION_NONE) {
            continue;
        }

        t = &m->r.times[m->audio[i]];

        m->peak = t->peak > m->peak ? t->peak : m->peak;
        m->average = t->average > m->average ? t->average : m->average;

        for (j = 0; j < m->n_codecs; j++) {
            if (vod_rendition_same_codec(&m->r.tracks[m->codecs[j]],
                                         &m->r.tracks[m->audio[i]]))
            {
                break;
            }
        }

        if (j == m->n_codecs) {
            m->codecs[m->n_codecs++] = m->audio[i];
        }
    }
}


/* the highest of text, which every variant has */
static void
vod_hls_text_rates(vod_hls_master_t *m)
{
    unsigned                     i;
    const vod_timeline_track_t  *t;

    m->text_peak = 0;
    m->text_average = 0;

    for (i = m->r.n_audio; i < m->r.n_members; i++) {
        t = &m->r.times[m->r.members[i].track];

        m->text_peak = t->peak > m->text_peak ? t->peak : m->text_peak;
        m->text_average = t->average > m->text_average ? t->average
                                                       : m->text_average;
    }
}


/*
 * EXT-X-STREAM-INF (4.4.6.2) of a video track with the group (or none), or of
 * the group alone: its URI is then the default member's.
 */
static void
vod_hls_variant(const vod_hls_master_t *m, const vod_track_t *video)
{
    vod_wr_t                     *wr;
    const vod_rendition_group_t  *g;

    wr = m->wr;
    g = m->group;

    vod_wr_str(wr, "#EXT-X-STREAM-INF:");
    vod_hls_bandwidth(m, video);
    vod_hls_codecs(m, video, 1);

    if (video) {
        vod_hls_picture(wr, video);
        vod_hls_frame_rate(wr, video);
        vod_hls_range(wr, video);
    }

    if (g && (video || g->n > 1)) {
        vod_wr_str(wr, ",AUDIO=\"");
        vod_wr_str(wr, g->id);
        vod_wr_str(wr, g->layout);
        vod_wr_str(wr, "\"");
    }

    if (m->r.n_members > m->r.n_audio) {
        vod_wr_str(wr, ",SUBTITLES=\"" VOD_HLS_SUBTITLES "\"");
    }

    vod_wr_str(wr, ",CLOSED-CAPTIONS=NONE\n");

    vod_hls_child(m, video ? video->ordinal : m->audio[g->preferred],
                  "/index.m3u8");
    vod_wr_str(wr, "\n");
}


/* EXT-X-I-FRAME-STREAM-INF (4.4.6.3): the picture alone, without a rate */
static void
vod_hls_iframe_variant(const vod_hls_master_t *m, const vod_track_t *video)
{
    const vod_timeline_track_t  *t;

    t = &m->r.times[video->ordinal];

    vod_wr_str(m->wr, "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=");
    vod_wr_dec(m->wr, t->key_peak);
    vod_wr_str(m->wr, ",AVERAGE-BANDWIDTH=");
    vod_wr_dec(m->wr, t->key_average);
    vod_hls_codecs(m, video, 0);
    vod_hls_picture(m->wr, video);
    vod_hls_range(m->wr, video);
    vod_wr_str(m->wr, ",URI=\"");
    vod_hls_child(m, video->ordinal, "/iframes.m3u8");
    vod_wr_str(m->wr, "\"\n");
}


/* the URL of a track's playlist */
void
vod_hls_child(const vod_hls_master_t *m, unsigned ordinal, const char *name)
{
    vod_links_base(m->wr, m->links);
    vod_rendition_url(m->wr, m->r.index, ordinal);
    vod_wr_str(m->wr, name);
    vod_links_args(m->wr, m->links);
}


/*
 * The largest sum over combinations that can be played: the video with the
 * worst member of its group and the worst of text.
 */
static void
vod_hls_bandwidth(const vod_hls_master_t *m, const vod_track_t *video)
{
    uint64_t  peak, average;

    peak = m->peak + m->text_peak;
    average = m->average + m->text_average;

    if (video) {
        peak += m->r.times[video->ordinal].peak;
        average += m->r.times[video->ordinal].average;
    }

    vod_wr_str(m->wr, "BANDWIDTH=");
    vod_wr_dec(m->wr, peak);
    vod_wr_str(m->wr, ",AVERAGE-BANDWIDTH=");
    vod_wr_dec(m->wr, average);
}


/*
 * Every format of every rendition of the variant, each once.  WebVTT has
 * none: wvtt, which may be said of it (HLS Authoring Specification, 5.10), is
 * that of MP4, and there is none of that here.
 */
static void
vod_hls_codecs(const vod_hls_master_t *m, const vod_track_t *video, int audio)
{
    unsigned            i;
    const vod_track_t  *a;

    vod_wr_str(m->wr, ",CODECS=\"");

    if (video) {
        vod_wr_quoted(m->wr, video->codec,
                      vod_rendition_field(video->codec,
                                          sizeof(video->codec)));
    }

    for (i = 0; audio && i < m->n_codecs; i++) {

        if (video || i) {
            vod_wr_str(m->wr, ",");
        }

        a = &m->r.tracks[m->codecs[i]];

        vod_wr_quoted(m->wr, a->codec,
                      vod_rendition_field(a->codec, sizeof(a->codec)));
    }

    vod_wr_str(m->wr, "\"");
}


static void
vod_hls_picture(vod_wr_t *wr, const vod_track_t *video)
{
    size_t                   n;
    vod_rendition_picture_t  pic;

    n = vod_rendition_field(video->supplemental,
                            sizeof(video->supplemental));
    if (n) {
        vod_wr_str(wr, ",SUPPLEMENTAL-CODECS=\"");
        vod_wr_quoted(wr, video->supplemental, n);
        vod_wr_str(wr, "\"");
    }

    vod_rendition_picture(&pic, video);

    vod_wr_str(wr, ",RESOLUTION=");
    vod_wr_dec(wr, pic.square_width);
    vod_wr_str(wr, "x");
    vod_wr_dec(wr, pic.height);
}


static void
vod_hls_frame_rate(vod_wr_t *wr, const vod_track_t *video)
{
    uint64_t  rate;

    if (video->fps_num && video->fps_den) {
        rate = ((uint64_t) video->fps_num * 1000 + video->fps_den / 2)
               / video->fps_den;

        vod_wr_str(wr, ",FRAME-RATE=");
        vod_wr_dec(wr, rate / 1000);
        vod_wr_str(wr, ".");
        vod_wr_dec(wr, rate / 100 % 10);
        vod_wr_dec(wr, rate / 10 % 10);
        vod_wr_dec(wr, rate % 10);
    }
}


/*
 * Absence means SDR, but a variant without the attribute beside one that
 * is PQ or HLG breaks HLS Authoring Specification 9.16: written always.
 */
static void
vod_hls_range(vod_wr_t *wr, const vod_track_t *video)
{
    vod_wr_str(wr, video->video_range == VOD_RANGE_PQ ? ",VIDEO-RANGE=PQ"
                   : video->video_range == VOD_RANGE_HLG ? ",VIDEO-RANGE=HLG"
                   : ",VIDEO-RANGE=SDR");
}
