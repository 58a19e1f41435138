#include <string.h>

#include "vod_dash.h"
#include "vod_dash_write.h"


#define VOD_DASH_NS                                                           \
    "urn:mpeg:dash:schema:mpd:2011"

/*
 * isoff-live is the profile of SegmentTemplate (8.4), for static
 * presentations too; cmaf (8.12) says that Representations are CMAF tracks
 * and asks for the structural brand in @containerProfiles.
 */
#define VOD_DASH_PROFILES                                                     \
    "urn:mpeg:dash:profile:isoff-live:2011,"                                  \
    "urn:mpeg:dash:profile:cmaf:2019"


static void vod_dash_begin(vod_dash_t *d);
static void vod_dash_header(vod_dash_t *d);
static void vod_dash_set(vod_dash_t *d, unsigned first, unsigned id);
static void vod_dash_video_set(vod_dash_t *d, unsigned first);
static void vod_dash_set_elements(vod_dash_t *d, unsigned first);
static void vod_dash_roles(vod_dash_t *d, unsigned first);
static void vod_dash_role(vod_wr_t *wr, const char *value);
static void vod_dash_label(vod_dash_t *d, unsigned first);
static int vod_dash_is_main(vod_dash_t *d, unsigned first);


void
vod_dash_mpd(vod_wr_t *wr, const void *index, const void *timeline,
    const vod_links_t *links)
{
    unsigned    i, id;
    vod_dash_t  d;

    d.wr = wr;
    d.index = index;
    d.tracks = vod_index_tracks(index);
    d.tl = timeline;
    d.times = vod_timeline_tracks(timeline);
    d.links = links;

    vod_renditions(&d.r, index, timeline);
    vod_rendition_sets(&d.r, d.set);
    d.n = d.r.n;

    vod_dash_begin(&d);
    vod_dash_header(&d);

    for (id = 0, i = 0; i < d.n; i++) {
        if (d.set[i] == i) {
            vod_dash_set(&d, i, ++id);
        }
    }

    vod_wr_str(wr, " </Period>\n"
                   "</MPD>\n");
}


/*
 * The Period begins where the asset does, or where the clip does: the segment
 * in which it begins may have begun before, and a player shows of it what is
 * in the Period (23009-1, 5.3.9.6.1).
 */
static void
vod_dash_begin(vod_dash_t *d)
{
    uint64_t  origin;

    origin = d->tl->origin;

    if (d->tl->from > 0 && (uint64_t) d->tl->from > origin) {
        d->begin = d->tl->from;
        d->begin_timescale = 1000000;
        origin = (uint64_t) d->tl->from;

    } else {
        d->begin = d->tl->origin_ticks;
        d->begin_timescale = d->tl->origin_timescale;
    }

    d->duration = d->tl->duration;

    if (d->tl->to > 0) {
        d->duration = (uint64_t) d->tl->to > origin
                      ? (uint64_t) d->tl->to - origin : 0;
    }
}


static void
vod_dash_header(vod_dash_t *d)
{
    unsigned  i, scte;

    for (scte = 0, i = 0; i < d->n; i++) {
        scte |= d->tracks[i].supplemental[0] != '\0';
    }

    vod_wr_str(d->wr, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<MPD xmlns=\"" VOD_DASH_NS "\"");

    if (scte) {
        vod_wr_str(d->wr,
                   " xmlns:scte214=\"urn:scte:dash:scte214-extensions\"");
    }

    vod_wr_str(d->wr, " profiles=\"" VOD_DASH_PROFILES "\" type=\"static\"");

    vod_dash_duration(d->wr, "mediaPresentationDuration", d->duration);
    vod_dash_duration(d->wr, "minBufferTime",
                      (uint64_t) d->tl->target * 1000);
    vod_dash_duration(d->wr, "maxSegmentDuration",
                      (uint64_t) d->tl->max_segment * 1000);

    vod_wr_str(d->wr, ">\n");

    if (d->links && d->links->base_len) {
        vod_wr_str(d->wr, " <BaseURL>");
        vod_wr_xml(d->wr, d->links->base, d->links->base_len);
        vod_wr_str(d->wr, "</BaseURL>\n");
    }

    vod_wr_str(d->wr, " <Period id=\"1\" start=\"PT0S\"");
    vod_dash_duration(d->wr, "duration", d->duration);
    vod_wr_str(d->wr, ">\n");
}


static void
vod_dash_set(vod_dash_t *d, unsigned first, unsigned id)
{
    unsigned            i;
    const vod_track_t  *track;

    track = &d->tracks[first];

    vod_wr_str(d->wr, "  <AdaptationSet");
    vod_dash_number(d->wr, "id", id);

    if (strcmp(track->lang, "und") != 0 || track->kind != VOD_VIDEO) {
        vod_dash_field(d->wr, "lang", track->lang, sizeof(track->lang));
    }

    if (track->kind == VOD_VIDEO) {
        vod_wr_str(d->wr, " contentType=\"video\" mimeType=\"video/mp4\"");
        vod_dash_video_set(d, first);

    } else if (track->kind == VOD_AUDIO) {
        vod_wr_str(d->wr, " contentType=\"audio\" mimeType=\"audio/mp4\"");

    } else {
        vod_wr_str(d->wr, " contentType=\"text\""
                          " mimeType=\"application/mp4\"");
    }

    vod_wr_str(d->wr, " containerProfiles=\"cmfc\" startWithSAP=\"1\""
                      " segmentAlignment=\"true\">\n");

    vod_dash_set_elements(d, first);

    for (i = first; i < d->n; i++) {
        if (d->set[i] == first) {
            vod_dash_representation(d, &d->tracks[i]);
        }
    }

    vod_wr_str(d->wr, "  </AdaptationSet>\n");
}


static void
vod_dash_video_set(vod_dash_t *d, unsigned first)
{
    unsigned                 i;
    uint32_t                 width, height;
    const vod_track_t       *t, *fastest;
    vod_rendition_picture_t  pic;

    width = 0;
    height = 0;
    fastest = &d->tracks[first];

    for (i = first; i < d->n; i++) {

        if (d->set[i] != first) {
            continue;
        }

        t = &d->tracks[i];

        vod_rendition_picture(&pic, t);

        width = pic.width > width ? pic.width : width;
        height = pic.height > height ? pic.height : height;

        if ((uint64_t) t->fps_num * fastest->fps_den
            > (uint64_t) fastest->fps_num * t->fps_den)
        {
            fastest = t;
        }
    }

    vod_rendition_picture(&pic, &d->tracks[first]);

    vod_dash_ratio(d->wr, "par", pic.par_num, pic.par_den);
    vod_dash_number(d->wr, "maxWidth", width);
    vod_dash_number(d->wr, "maxHeight", height);
    vod_dash_rate(d->wr, "maxFrameRate", fastest);
}


/*
 * HDR is a SupplementalProperty, not an EssentialProperty: a client that
 * does not know the descriptor would have to ignore the set, which is often
 * the only picture of the asset, while many map it to what they can show.
 */
static void
vod_dash_set_elements(vod_dash_t *d, unsigned first)
{
    const vod_track_t  *track;

    track = &d->tracks[first];

    if (track->kind == VOD_VIDEO && track->video_range != VOD_RANGE_SDR) {
        vod_dash_descriptor(d->wr, 3, "SupplementalProperty",
                            "urn:mpeg:mpegB:cicp:TransferCharacteristics");
        vod_dash_number(d->wr, "value",
                        track->video_range == VOD_RANGE_PQ ? 16 : 18);
        vod_wr_str(d->wr, "/>\n");
    }

    vod_dash_label(d, first);
    vod_dash_roles(d, first);
}


/*
 * Accessibility (23009-1, 5.8.4.3; the scheme is that of TV-Anytime's table
 * of audio purposes, which players know and DVB uses of subtitles too), then
 * Role (5.8.5.5).  SDH are captions, other text is subtitles.
 */
static void
vod_dash_roles(vod_dash_t *d, unsigned first)
{
    unsigned            i, main, purpose;
    const vod_track_t  *track;

    static const struct {
        unsigned     bit;
        const char  *value;
    } roles[] = {
        { VOD_ROLE_COMMENTARY, "commentary" },
        { VOD_ROLE_DESCRIPTION, "description" },
        { VOD_ROLE_HEARING, "enhanced-audio-intelligibility" },
        { VOD_ROLE_DUB, "dub" }
    };

    track = &d->tracks[first];
    main = vod_dash_is_main(d, first);
    purpose = 0;

    if (track->kind != VOD_VIDEO) {
        purpose = vod_rendition_purpose(d->index, track)
                  | (track->roles & VOD_ROLE_DUB);
    }

    if (purpose & (VOD_ROLE_DESCRIPTION | VOD_ROLE_HEARING)) {
        vod_dash_descriptor(d->wr, 3, "Accessibility",
                            "urn:tva:metadata:cs:AudioPurposeCS:2007");
        vod_dash_number(d->wr, "value",
                        purpose & VOD_ROLE_DESCRIPTION ? 1 : 2);
        vod_wr_str(d->wr, "/>\n");
    }

    if (main) {
        vod_dash_role(d->wr, "main");

    } else if (purpose == 0 && track->kind != VOD_TEXT) {
        vod_dash_role(d->wr, "alternate");
    }

    if (track->kind == VOD_TEXT) {
        vod_dash_role(d->wr, purpose & VOD_ROLE_HEARING ? "caption"
                                                        : "subtitle");

        if (purpose & VOD_ROLE_FORCED) {
            vod_dash_role(d->wr, "forced-subtitle");
        }

        purpose &= VOD_ROLE_COMMENTARY;
    }

    for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (purpose & roles[i].bit) {
            vod_dash_role(d->wr, roles[i].value);
        }
    }
}


static void
vod_dash_role(vod_wr_t *wr, const char *value)
{
    vod_dash_descriptor(wr, 3, "Role", "urn:mpeg:dash:role:2011");
    vod_wr_str(wr, " value=\"");
    vod_wr_str(wr, value);
    vod_wr_str(wr, "\"/>\n");
}


/*
 * The name that the tracks have in the file; where they have none and other
 * sets have the same language and codec, what a menu can tell them apart by,
 * which is for audio and text what HLS calls them.
 */
static void
vod_dash_label(vod_dash_t *d, unsigned first)
{
    int                 alike;
    unsigned            i;
    uint64_t            n;
    const char         *name;
    const vod_track_t  *track, *t;

    track = &d->tracks[first];
    name = vod_rendition_name(d->index, track, &n);
    alike = 0;

    for (i = 0; i < d->n; i++) {
        t = &d->tracks[i];

        if (d->set[i] == VOD_RENDITION_NONE) {
            continue;
        }

        if (d->set[i] != first) {
            alike |= t->kind == track->kind && t->fourcc == track->fourcc
                     && vod_rendition_same_lang(t, track);

        } else if (!vod_rendition_same_name(d->index, track, t)) {
            n = 0;
        }
    }

    if (n == 0 && !alike) {
        return;
    }

    vod_wr_str(d->wr, "   <Label>");

    if (n) {
        vod_wr_xml(d->wr, name, n);

    } else if (track->kind != VOD_VIDEO) {
        vod_rendition_member_name(d->wr, &d->r, d->r.member_of[first]);

    } else {
        vod_wr_str(d->wr, "Video ");
        vod_wr_dec(d->wr, vod_index_number(d->tracks, first));
    }

    vod_wr_str(d->wr, "</Label>\n");
}


/*
 * Main is the default of each kind, of text only what the source enables; of
 * audio, in all its encodings, so that a client that cannot decode the first
 * still finds it.
 */
static int
vod_dash_is_main(vod_dash_t *d, unsigned first)
{
    unsigned  i, main;

    if (d->tracks[first].kind != VOD_VIDEO) {

        for (i = first; i < d->n; i++) {
            if (d->set[i] == first
                && d->r.members[d->r.member_of[i]].is_default)
            {
                return 1;
            }
        }

        return 0;
    }

    main = VOD_RENDITION_NONE;

    for (i = 0; i < d->n; i++) {

        if (d->tracks[i].kind != VOD_VIDEO
            || d->set[i] == VOD_RENDITION_NONE)
        {
            continue;
        }

        if (d->tracks[i].flags & VOD_TRACK_DEFAULT) {
            main = i;
            break;
        }

        if (main == VOD_RENDITION_NONE) {
            main = i;
        }
    }

    return main != VOD_RENDITION_NONE && d->set[main] == first;
}
