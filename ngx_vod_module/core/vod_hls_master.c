#include "vod_hls.h"
#include "vod_rendition.h"


/* what is referred to while a multivariant playlist is written */
typedef struct {
    vod_wr_t                    *wr;
    const void                  *index;
    const vod_track_t           *tracks;
    const vod_timeline_track_t  *times;
    const vod_links_t           *links;
    vod_rendition_audio_t        audio;
} vod_hls_master_t;


static void vod_hls_media_tags(const vod_hls_master_t *m,
    const vod_rendition_group_t *g);
static void vod_hls_variant(const vod_hls_master_t *m,
    const vod_track_t *video, const vod_rendition_group_t *g);
static void vod_hls_bandwidth(const vod_hls_master_t *m,
    const vod_track_t *video, const vod_rendition_group_t *g);
static void vod_hls_codecs(const vod_hls_master_t *m,
    const vod_track_t *video, const vod_rendition_group_t *g);
static void vod_hls_iframe_variant(const vod_hls_master_t *m,
    const vod_track_t *video);
static void vod_hls_child(const vod_hls_master_t *m, unsigned ordinal,
    const char *name);
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
    unsigned          g, i, n, videos;
    vod_hls_master_t  m;

    m.wr = wr;
    m.index = index;
    m.tracks = vod_index_tracks(index);
    m.times = vod_timeline_tracks(timeline);
    m.links = links;

    vod_rendition_audio(&m.audio, index);

    n = vod_rendition_count(index);

    for (videos = 0, i = 0; i < n; i++) {
        videos += m.tracks[i].kind == VOD_VIDEO;
    }

    vod_wr_str(wr, "#EXTM3U\n"
                   "#EXT-X-INDEPENDENT-SEGMENTS\n");

    for (g = 0; g < m.audio.n_groups; g++) {
        if (videos || m.audio.groups[g].n > 1) {
            vod_hls_media_tags(&m, &m.audio.groups[g]);
        }
    }

    /*
     * The first variant is where many players start: the group that most
     * devices decode stands before the others.
     */

    for (g = 0; videos == 0 && g < m.audio.n_groups; g++) {
        vod_hls_variant(&m, NULL, &m.audio.groups[g]);
    }

    for (g = 0; videos && (g == 0 || g < m.audio.n_groups); g++) {
        for (i = 0; i < n; i++) {
            if (m.tracks[i].kind == VOD_VIDEO) {
                vod_hls_variant(&m, &m.tracks[i], m.audio.n_groups
                                                  ? &m.audio.groups[g]
                                                  : NULL);
            }
        }
    }

    for (i = 0; i < n; i++) {
        if (m.times[i].key_duration) {
            vod_hls_iframe_variant(&m, &m.tracks[i]);
        }
    }
}


/* EXT-X-MEDIA (4.4.6.1) of each member of a group */
static void
vod_hls_media_tags(const vod_hls_master_t *m, const vod_rendition_group_t *g)
{
    vod_wr_t                      *wr;
    unsigned                       i;
    const vod_track_t             *track;
    const vod_rendition_member_t  *member;

    wr = m->wr;

    for (i = 0; i < m->audio.n_members; i++) {

        if (g->tracks[i] == VOD_RENDITION_NONE) {
            continue;
        }

        member = &m->audio.members[i];
        track = &m->tracks[g->tracks[i]];

        vod_wr_str(wr, "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"");
        vod_wr_str(wr, g->id);
        vod_wr_str(wr, g->layout);
        vod_wr_str(wr, "\",LANGUAGE=\"");
        vod_wr_quoted(wr, track->lang,
                      vod_rendition_field(track->lang, sizeof(track->lang)));
        vod_wr_str(wr, "\",NAME=\"");
        vod_rendition_member_name(wr, &m->audio, i);

        if (g->preferred == i) {
            vod_wr_str(wr, "\",DEFAULT=YES,AUTOSELECT=YES");

        } else {
            vod_wr_str(wr, member->autoselect
                           ? "\",DEFAULT=NO,AUTOSELECT=YES"
                           : "\",DEFAULT=NO,AUTOSELECT=NO");
        }

        /* HLS Authoring Specification, 2.12; RFC 8216bis, 4.4.6.1 */

        if (member->roles & VOD_ROLE_DESCRIPTION) {
            vod_wr_str(wr, ",CHARACTERISTICS="
                           "\"public.accessibility.describes-video\"");

        } else if (member->roles & VOD_ROLE_HEARING) {
            vod_wr_str(wr, ",CHARACTERISTICS=\"public.accessibility."
                           "enhances-speech-intelligibility\"");
        }

        if (track->joc) {
            vod_wr_str(wr, ",CHANNELS=\"");
            vod_wr_dec(wr, track->joc);
            vod_wr_str(wr, "/JOC\"");

        } else if (track->channels) {
            vod_wr_str(wr, ",CHANNELS=\"");
            vod_wr_dec(wr, track->channels);
            vod_wr_str(wr, "\"");
        }

        vod_wr_str(wr, ",URI=\"");
        vod_hls_child(m, track->ordinal, "/index.m3u8");
        vod_wr_str(wr, "\"\n");
    }
}


/*
 * EXT-X-STREAM-INF (4.4.6.2) of a video track with a group (or none), or of
 * a group alone: its URI is then the default member's.
 */
static void
vod_hls_variant(const vod_hls_master_t *m, const vod_track_t *video,
    const vod_rendition_group_t *g)
{
    vod_wr_t  *wr;

    wr = m->wr;

    vod_wr_str(wr, "#EXT-X-STREAM-INF:");
    vod_hls_bandwidth(m, video, g);
    vod_hls_codecs(m, video, g);

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

    vod_wr_str(wr, ",CLOSED-CAPTIONS=NONE\n");

    vod_hls_child(m, video ? video->ordinal : g->tracks[g->preferred],
                  "/index.m3u8");
    vod_wr_str(wr, "\n");
}


/* EXT-X-I-FRAME-STREAM-INF (4.4.6.3): the picture alone, without a rate */
static void
vod_hls_iframe_variant(const vod_hls_master_t *m, const vod_track_t *video)
{
    const vod_timeline_track_t  *t;

    t = &m->times[video->ordinal];

    vod_wr_str(m->wr, "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=");
    vod_wr_dec(m->wr, t->key_peak);
    vod_wr_str(m->wr, ",AVERAGE-BANDWIDTH=");
    vod_wr_dec(m->wr, t->key_average);
    vod_hls_codecs(m, video, NULL);
    vod_hls_picture(m->wr, video);
    vod_hls_range(m->wr, video);
    vod_wr_str(m->wr, ",URI=\"");
    vod_hls_child(m, video->ordinal, "/iframes.m3u8");
    vod_wr_str(m->wr, "\"\n");
}


/* the URL of a track's playlist */
static void
vod_hls_child(const vod_hls_master_t *m, unsigned ordinal, const char *name)
{
    vod_links_base(m->wr, m->links);
    vod_rendition_url(m->wr, m->index, ordinal);
    vod_wr_str(m->wr, name);
    vod_links_args(m->wr, m->links);
}


/*
 * The largest sum over combinations that can be played: the video with the
 * worst member of its group.
 */
static void
vod_hls_bandwidth(const vod_hls_master_t *m, const vod_track_t *video,
    const vod_rendition_group_t *g)
{
    unsigned                     i;
    uint64_t                     peak, average;
    const vod_timeline_track_t  *t;

    peak = 0;
    average = 0;

    for (i = 0; g && i < m->audio.n_members; i++) {

        if (g->tracks[i] == VOD_RENDITION_NONE) {
            continue;
        }

        t = &m->times[g->tracks[i]];

        peak = t->peak > peak ? t->peak : peak;
        average = t->average > average ? t->average : average;
    }

    if (video) {
        peak += m->times[video->ordinal].peak;
        average += m->times[video->ordinal].average;
    }

    vod_wr_str(m->wr, "BANDWIDTH=");
    vod_wr_dec(m->wr, peak);
    vod_wr_str(m->wr, ",AVERAGE-BANDWIDTH=");
    vod_wr_dec(m->wr, average);
}


/* every format of every rendition of the variant, each once */
static void
vod_hls_codecs(const vod_hls_master_t *m, const vod_track_t *video,
    const vod_rendition_group_t *g)
{
    int                 first;
    unsigned            i, j;
    const vod_track_t  *a;

    vod_wr_str(m->wr, ",CODECS=\"");
    first = 1;

    if (video) {
        vod_wr_quoted(m->wr, video->codec,
                      vod_rendition_field(video->codec,
                                          sizeof(video->codec)));
        first = 0;
    }

    for (i = 0; g && i < m->audio.n_members; i++) {

        if (g->tracks[i] == VOD_RENDITION_NONE) {
            continue;
        }

        a = &m->tracks[g->tracks[i]];

        for (j = 0; j < i; j++) {
            if (g->tracks[j] != VOD_RENDITION_NONE
                && vod_rendition_same_codec(&m->tracks[g->tracks[j]], a))
            {
                break;
            }
        }

        if (j < i) {
            continue;
        }

        if (!first) {
            vod_wr_str(m->wr, ",");
        }

        vod_wr_quoted(m->wr, a->codec,
                      vod_rendition_field(a->codec, sizeof(a->codec)));
        first = 0;
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
