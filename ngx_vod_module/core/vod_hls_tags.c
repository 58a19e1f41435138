#include "vod_hls_write.h"


static void vod_hls_rendition(const vod_hls_master_t *m, unsigned member,
    unsigned ordinal);


void
vod_hls_audio_tags(const vod_hls_master_t *m)
{
    vod_wr_t           *wr;
    unsigned            i, roles;
    const vod_track_t  *track;

    wr = m->wr;

    for (i = 0; i < m->r.n_audio; i++) {

        if (m->audio[i] == VOD_RENDITION_NONE) {
            continue;
        }

        track = &m->r.tracks[m->audio[i]];
        roles = m->r.members[i].roles;

        vod_wr_str(wr, "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"");
        vod_wr_str(wr, m->group->id);
        vod_wr_str(wr, m->group->layout);

        vod_hls_rendition(m, i, track->ordinal);

        /* HLS Authoring Specification, 2.12; RFC 8216bis, 4.4.6.1 */

        if (roles & VOD_ROLE_DESCRIPTION) {
            vod_wr_str(wr, ",CHARACTERISTICS="
                           "\"public.accessibility.describes-video\"");

        } else if (roles & VOD_ROLE_HEARING) {
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
 * One group, which all variants have.  What is forced, and what is SDH, is
 * said in the words of HLS Authoring Specification, 4.5 and 5.11.
 */
void
vod_hls_text_tags(const vod_hls_master_t *m)
{
    vod_wr_t  *wr;
    unsigned   i, roles;

    wr = m->wr;

    for (i = m->r.n_audio; i < m->r.n_members; i++) {

        roles = m->r.members[i].roles;

        vod_wr_str(wr, "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\""
                       VOD_HLS_SUBTITLES);

        vod_hls_rendition(m, i, m->r.members[i].track);

        if (roles & VOD_ROLE_FORCED) {
            vod_wr_str(wr, ",FORCED=YES");
        }

        if (roles & VOD_ROLE_HEARING) {
            vod_wr_str(wr, ",CHARACTERISTICS="
                           "\"public.accessibility.transcribes-spoken-dialog,"
                           "public.accessibility.describes-music-and-sound\"");
        }

        vod_wr_str(wr, ",URI=\"");
        vod_hls_child(m, m->r.members[i].track, "/index.m3u8");
        vod_wr_str(wr, "\"\n");
    }
}


/* behind GROUP-ID: what all kinds have */
static void
vod_hls_rendition(const vod_hls_master_t *m, unsigned member,
    unsigned ordinal)
{
    vod_wr_t           *wr;
    unsigned            is_default;
    const vod_track_t  *track;

    wr = m->wr;
    track = &m->r.tracks[ordinal];

    is_default = member < m->r.n_audio ? m->group->preferred == member
                                       : m->r.members[member].is_default;

    vod_wr_str(wr, "\",LANGUAGE=\"");
    vod_wr_quoted(wr, track->lang,
                  vod_rendition_field(track->lang, sizeof(track->lang)));
    vod_wr_str(wr, "\",NAME=\"");
    vod_rendition_member_name(wr, &m->r, member);

    vod_wr_str(wr, is_default ? "\",DEFAULT=YES,AUTOSELECT=YES"
                   : m->r.members[member].autoselect
                   ? "\",DEFAULT=NO,AUTOSELECT=YES"
                   : "\",DEFAULT=NO,AUTOSELECT=NO");
}
