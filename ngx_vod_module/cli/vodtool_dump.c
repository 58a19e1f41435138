#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vodtool.h"

#include "../core/vod_config.h"


static void vodtool_dump_track(const vodtool_t *vt, const vod_track_t *t);
static void vodtool_dump_demux(const vod_track_t *t);
static void vodtool_dump_picture(const vod_track_t *t);
static void vodtool_dump_samples(const vodtool_t *vt, const vod_track_t *t);


int
vodtool_dump(vodtool_t *vt)
{
    unsigned               i;
    const char            *notes, *end, *lf;
    const vod_index_t     *index = vt->index;
    const vod_timeline_t  *tl = vt->timeline;

    printf("file      %s, %" PRIu64 " bytes, %" PRIu64 " read to index it\n",
           index->container, index->file_size, vt->source.bytes_read);

    printf("index     %" PRIu64 " bytes, %" PRIu64 " samples, %.2f bytes a"
           " sample, hash %016" PRIx64 "\n", index->len, index->n_samples,
           (double) index->len / (double) index->n_samples, index->hash);

    printf("timeline  %" PRIu64 " bytes, token %s, origin %.6f s, duration"
           " %.6f s, target %.3f s, longest %.3f s\n", tl->len, tl->token,
           (double) tl->origin / 1e6, (double) tl->duration / 1e6,
           tl->target / 1e3, tl->max_segment / 1e3);

    if (tl->to) {
        printf("clip      from %.6f s to %.6f s\n", (double) tl->from / 1e6,
               (double) tl->to / 1e6);
    }

    if (tl->off_grid) {
        printf("grid      is missed by its video\n");
    }

    if (index->origin) {
        printf("origin    %.6f s of the file's own time\n",
               (double) index->origin / 1e6);
    }

    for (i = 0; i < index->n_tracks; i++) {
        vodtool_dump_track(vt, vod_index_tracks(index) + i);
    }

    notes = (const char *) vt->index + index->notes_off;
    end = notes + index->notes_len;

    while (notes < end) {
        lf = memchr(notes, '\n', (size_t) (end - notes));
        lf = lf ? lf : end;
        printf("note      %.*s\n", (int) (lf - notes), notes);
        notes = lf + 1;
    }

    return VODTOOL_OK;
}


static void
vodtool_dump_track(const vodtool_t *vt, const vod_track_t *t)
{
    int                          sign;
    const char                  *base = vt->index;
    const vod_timeline_track_t  *tt;

    tt = vod_timeline_tracks(vt->timeline) + t->ordinal;
    sign = (t->kind == VOD_VIDEO) ? 'v' : (t->kind == VOD_AUDIO) ? 'a' : 's';

    printf("\ntrack %c%u  ID %u, %s%s%s, %u %s, %" PRIu64 " bytes%s%s\n",
           sign, vod_index_number(vod_index_tracks(base), t->ordinal),
           t->source_id, t->codec, t->supplemental[0] ? " / " : "",
           t->supplemental, t->n_samples,
           (t->flags & VOD_TRACK_SPARSE) ? "cuts" : "samples", t->payload,
           (t->flags & VOD_TRACK_DEFAULT) ? "" : ", disabled",
           (t->flags & VOD_TRACK_ALL_SYNC) ? ", all sync" : "");

    printf("          language %s, name \"%.*s\"\n", t->lang,
           (int) t->name_len, base + t->name_off);

    printf("          timescale %u, first dts %" PRIu64 ", media time %" PRIu64
           ", presented %" PRId64 " to %" PRId64 ", duration %" PRIu64
           " (%.6f s)\n", t->timescale, t->first_dts, t->media_time,
           t->first_pts, t->end_pts, t->duration,
           (double) t->duration / t->timescale);

    if (t->flags & VOD_TRACK_DEMUX) {
        vodtool_dump_demux(t);
    }

    if (t->kind == VOD_VIDEO) {
        vodtool_dump_picture(t);

    } else if (t->kind == VOD_AUDIO) {
        printf("          %u Hz, %u channels, layout %u, Dolby layout 0x%04x,"
               " JOC %u\n", t->sample_rate, t->channels, t->channel_layout,
               t->dolby_layout, t->joc);
    }

    printf("          rows %" PRIu64 " bytes, sample entry %" PRIu64
           " bytes\n", t->rows_len, t->entry_len);

    printf("          %u segments, %" PRIu64 " bytes, peak %" PRIu64
           " bit/s, average %" PRIu64 " bit/s, DASH %" PRIu64 " bit/s\n",
           tt->n_segments, tt->bytes, tt->peak, tt->average, tt->bandwidth);

    if (vt->verbose) {
        vodtool_dump_samples(vt, t);
    }
}


static void
vodtool_dump_demux(const vod_track_t *t)
{
    const char  *form;

    static const char *const  texts[] = {
        "text", "WebVTT", "SRT", "ASS", "tx3g", "wvtt"
    };

    if (t->kind == VOD_TEXT) {
        form = texts[(t->convert & 0xff) % 6];

        printf("          read%s, stream %u, from %s, origin %" PRId64
               " ms\n", (t->flags & VOD_TRACK_SPARSE) ? " behind cuts" : "",
               t->stream, form, t->origin);
        return;
    }

    switch (t->convert) {

    case VOD_CONVERT_NONE:
        form = "as they are";
        break;

    case VOD_CONVERT_ANNEXB_AVC:
    case VOD_CONVERT_ANNEXB_HEVC:
        form = "from start codes";
        break;

    case VOD_CONVERT_ADTS:
        form = "from ADTS frames";
        break;

    default:
        form = "converted";
    }

    printf("          demuxed%s, stream %u, samples %s, origin %" PRId64
           " ticks\n", (t->flags & VOD_TRACK_SPARSE) ? " by key frame index"
           : "", t->stream, form, t->origin);
}


static void
vodtool_dump_picture(const vod_track_t *t)
{
    static const char  *const  range[] = { "SDR", "PQ", "HLG" };

    printf("          %ux%u, pixels %u:%u, at most %u/%u pictures/s, %s, %u"
           " bits, shown as %.2fx%.2f\n", t->width, t->height, t->sar_num,
           t->sar_den, t->fps_num, t->fps_den,
           t->video_range < 3 ? range[t->video_range] : "?", t->bit_depth,
           t->tkhd_width / 65536.0, t->tkhd_height / 65536.0);

    if (t->matrix[0] != 0x10000 || t->matrix[1] || t->matrix[2]
        || t->matrix[3] || t->matrix[4] != 0x10000 || t->matrix[5]
        || t->matrix[6] || t->matrix[7] || t->matrix[8] != 0x40000000)
    {
        printf("          matrix %g %g %g %g, translation %g %g\n",
               t->matrix[0] / 65536.0, t->matrix[1] / 65536.0,
               t->matrix[3] / 65536.0, t->matrix[4] / 65536.0,
               t->matrix[6] / 65536.0, t->matrix[7] / 65536.0);
    }
}


static void
vodtool_dump_samples(const vodtool_t *vt, const vod_track_t *t)
{
    uint32_t        i;
    uint64_t        dts;
    const uint8_t  *base = vt->index;
    vod_cursor_t    cur;
    vod_sample_t    s;

    memset(&cur, 0, sizeof(vod_cursor_t));
    cur.dts = t->first_dts;

    printf("          number dts pts duration position size\n");

    for (i = 0; i < t->n_samples; i++) {
        dts = cur.dts;

        if (vod_row_read(&cur, base + t->rows_off, 0, t->rows_len, &s)
            != VOD_OK)
        {
            printf("          row of sample %u is damaged\n", i);
            return;
        }

        printf("          %u %" PRIu64 " %" PRId64 " %u %" PRIu64 " %u%s\n",
               i + 1, dts, (int64_t) dts + s.cts - (int64_t) t->media_time,
               s.dur, s.pos, s.size, s.key ? " sync" : "");
    }
}
