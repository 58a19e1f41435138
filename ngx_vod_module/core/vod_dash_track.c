#include <string.h>

#include "vod_dash_write.h"
#include "vod_rd.h"


static void vod_dash_video(vod_wr_t *wr, const vod_track_t *track);
static void vod_dash_supplemental(vod_wr_t *wr, const vod_track_t *track);
static void vod_dash_audio(vod_wr_t *wr, const vod_track_t *track);
static void vod_dash_channels(vod_wr_t *wr, const vod_track_t *track);
static void vod_dash_template(const vod_dash_t *d, const vod_track_t *track);
static void vod_dash_timeline(const vod_dash_t *d, const vod_track_t *track);
static void vod_dash_s(vod_wr_t *wr, uint64_t span, uint64_t repeat);
static uint64_t vod_dash_bandwidth(uint64_t bandwidth);
static uint64_t vod_dash_offset(const vod_dash_t *d, uint32_t timescale);


void
vod_dash_representation(const vod_dash_t *d, const vod_track_t *track)
{
    vod_wr_t  *wr;

    wr = d->wr;

    vod_wr_str(wr, "   <Representation id=\"");
    vod_rendition_url(wr, d->index, track->ordinal);
    vod_wr_str(wr, "\"");

    vod_dash_field(wr, "codecs", track->codec, sizeof(track->codec));
    vod_dash_number(wr, "bandwidth",
                    vod_dash_bandwidth(d->times[track->ordinal].bandwidth));

    if (track->kind == VOD_VIDEO) {
        vod_dash_video(wr, track);

    } else if (track->kind == VOD_AUDIO) {
        vod_dash_audio(wr, track);

    } else {
        vod_wr_str(wr, ">\n");
    }

    vod_dash_template(d, track);

    vod_wr_str(wr, "   </Representation>\n");
}


/* xs:unsignedInt, and a stream of nothing still has a rate */
static uint64_t
vod_dash_bandwidth(uint64_t bandwidth)
{
    return bandwidth == 0 ? 1
           : bandwidth > UINT32_MAX ? UINT32_MAX : bandwidth;
}


static void
vod_dash_video(vod_wr_t *wr, const vod_track_t *track)
{
    vod_rendition_picture_t  pic;

    vod_rendition_picture(&pic, track);

    vod_dash_number(wr, "width", pic.width);
    vod_dash_number(wr, "height", pic.height);
    vod_dash_ratio(wr, "sar", pic.sar_num, pic.sar_den);
    vod_dash_rate(wr, "frameRate", track);
    vod_dash_supplemental(wr, track);

    vod_wr_str(wr, ">\n");
}


/*
 * The first of SUPPLEMENTAL-CODECS, "codec/brand", as ANSI/SCTE 214-1 has it
 * in an MPD.
 */
static void
vod_dash_supplemental(vod_wr_t *wr, const vod_track_t *track)
{
    size_t       n;
    const char  *comma, *slash;

    n = vod_rendition_field(track->supplemental,
                            sizeof(track->supplemental));
    if (n == 0) {
        return;
    }

    comma = memchr(track->supplemental, ',', n);
    n = comma ? (size_t) (comma - track->supplemental) : n;

    slash = memchr(track->supplemental, '/', n);

    vod_dash_field(wr, "scte214:supplementalCodecs", track->supplemental,
                   slash ? (size_t) (slash - track->supplemental) : n);

    if (slash) {
        vod_dash_field(wr, "scte214:supplementalProfiles", slash + 1,
                       (size_t) (track->supplemental + n - slash - 1));
    }
}


static void
vod_dash_audio(vod_wr_t *wr, const vod_track_t *track)
{
    if (track->sample_rate) {
        vod_dash_number(wr, "audioSamplingRate", track->sample_rate);
    }

    vod_wr_str(wr, ">\n");

    vod_dash_channels(wr, track);

    if (track->joc) {
        vod_dash_descriptor(wr, 4, "SupplementalProperty",
                            "tag:dolby.com,2018:dash:EC3_ExtensionType:2018");
        vod_wr_str(wr, " value=\"JOC\"/>\n");

        vod_dash_descriptor(wr, 4, "SupplementalProperty",
                 "tag:dolby.com,2018:dash:EC3_ExtensionComplexityIndex:2018");
        vod_dash_number(wr, "value", track->joc);
        vod_wr_str(wr, "/>\n");
    }
}


/*
 * Dolby's scheme is a mask of speakers (ETSI TS 102 366, I.1.2.1); CICP's
 * value is an index into the table of ISO/IEC 23091-3, as is that of the old
 * urn:mpeg:dash:23003:3 scheme: neither is a count, so where only a count is
 * known there is nothing true to write, but for 1 and 2, which mean mono and
 * stereo where a channel count says them (ISO/IEC 14496-12, 12.2.3.3).
 */
static void
vod_dash_channels(vod_wr_t *wr, const vod_track_t *track)
{
    uint32_t  cicp;

    cicp = track->channel_layout;

    if (cicp == 0 && track->channels <= 2) {
        cicp = track->channels;
    }

    if (track->dolby_layout
        && (track->fourcc == vod_fourcc('a', 'c', '-', '3')
            || track->fourcc == vod_fourcc('e', 'c', '-', '3')))
    {
        vod_dash_descriptor(wr, 4, "AudioChannelConfiguration",
                  "tag:dolby.com,2014:dash:audio_channel_configuration:2011");
        vod_wr_fmt(wr, " value=\"%04X\"/>\n",
                   (unsigned) (track->dolby_layout & 0xffff));

    } else if (cicp) {
        vod_dash_descriptor(wr, 4, "AudioChannelConfiguration",
                            "urn:mpeg:mpegB:cicp:ChannelConfiguration");
        vod_dash_number(wr, "value", cicp);
        vod_wr_str(wr, "/>\n");
    }
}


static void
vod_dash_template(const vod_dash_t *d, const vod_track_t *track)
{
    size_t       n;
    vod_wr_t    *wr;
    const char  *token;

    wr = d->wr;
    token = d->times[track->ordinal].token;
    n = vod_rendition_field(token, sizeof(d->times->token));

    vod_wr_str(wr, "    <SegmentTemplate");
    vod_dash_number(wr, "timescale", track->timescale);

    if (d->begin > 0 && d->begin_timescale) {
        vod_dash_number(wr, "presentationTimeOffset",
                        vod_dash_offset(d, track->timescale));
    }

    vod_wr_str(wr, " startNumber=\"1\" initialization=\"");
    vod_rendition_url(wr, d->index, track->ordinal);
    vod_wr_str(wr, "/init-");
    vod_wr_bytes(wr, token, n);
    vod_wr_str(wr, ".mp4");
    vod_links_template_args(wr, d->links);
    vod_wr_str(wr, "\" media=\"");
    vod_rendition_url(wr, d->index, track->ordinal);
    vod_wr_str(wr, "/$Number$-");
    vod_wr_bytes(wr, token, n);
    vod_wr_str(wr, ".m4s");
    vod_links_template_args(wr, d->links);
    vod_wr_str(wr, "\">\n");

    vod_dash_timeline(d, track);

    vod_wr_str(wr, "    </SegmentTemplate>\n");
}


/* where the Period begins, in ticks of a track, nearest */
static uint64_t
vod_dash_offset(const vod_dash_t *d, uint32_t timescale)
{
    uint64_t  whole, part;

    whole = (uint64_t) d->begin / d->begin_timescale;
    part = (uint64_t) d->begin % d->begin_timescale;

    return whole * timescale
           + (part * timescale + d->begin_timescale / 2) / d->begin_timescale;
}


/*
 * Every segment spans from its earliest presentation time to that of the
 * next, so the timeline has no gap and needs one @t.  What is presented
 * before 0 (priming) is not counted.
 */
static void
vod_dash_timeline(const vod_dash_t *d, const vod_track_t *track)
{
    int64_t                      start, end;
    uint32_t                     i;
    uint64_t                     span, repeat, before;
    const vod_cell_t            *cell;
    const vod_timeline_track_t  *t;

    t = &d->times[track->ordinal];
    cell = vod_timeline_cells(d->tl, t);

    start = cell[0].start > 0 ? cell[0].start : 0;

    vod_wr_str(d->wr, "     <SegmentTimeline>\n"
                      "      <S");
    vod_dash_number(d->wr, "t", (uint64_t) start);

    before = 0;
    repeat = 0;

    for (i = 0; i < t->n_segments; i++) {

        end = cell[i + 1].start > start ? cell[i + 1].start : start;
        span = (uint64_t) (end - start);
        start = end;

        if (i && span == before) {
            repeat++;
            continue;
        }

        if (i) {
            vod_dash_s(d->wr, before, repeat);
            vod_wr_str(d->wr, "      <S");
        }

        before = span;
        repeat = 0;
    }

    vod_dash_s(d->wr, before, repeat);

    vod_wr_str(d->wr, "     </SegmentTimeline>\n");
}


/* the end of an S element */
static void
vod_dash_s(vod_wr_t *wr, uint64_t span, uint64_t repeat)
{
    vod_dash_number(wr, "d", span);

    if (repeat) {
        vod_dash_number(wr, "r", repeat);
    }

    vod_wr_str(wr, "/>\n");
}
