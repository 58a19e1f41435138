#include <string.h>

#include "vod_subs.h"
#include "vod_track.h"


int
vod_subs_mp4(vod_mp4_track_t *t)
{
    char  name[5];

    vod_mp4_fourcc(t->fourcc, name);

    switch (t->fourcc) {

    case vod_fourcc('t', 'x', '3', 'g'):
    case vod_fourcc('w', 'v', 't', 't'):
        t->kind = VOD_TEXT;
        return VOD_OK;

    case vod_fourcc('s', 't', 'p', 'p'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "TTML (stpp) is not"
                                 " packaged, put it beside the file as"
                                 " WebVTT");

    case vod_fourcc('c', '6', '0', '8'):
    case vod_fourcc('c', '7', '0', '8'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "closed captions in a"
                                 " track of their own (%s) are not packaged,"
                                 " put them beside the file as WebVTT", name);

    case vod_fourcc('m', 'p', '4', 's'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "its subtitles are"
                                 " pictures, which no player takes, put them"
                                 " beside the file as text");

    case vod_fourcc('t', 'e', 'x', 't'):
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "QuickTime text, as of"
                                 " chapters, is no subtitles");

    default:
        return vod_mp4_leave_out(t, VOD_UNSUPPORTED, "its text (%s) is not"
                                 " packaged, put it beside the file as"
                                 " WebVTT", name);
    }
}


/* QuickTime's tref chap: track_IDs (14496-12, 8.3.3, has the box) */
void
vod_subs_mp4_chapters(vod_mp4_t *mp4)
{
    uint32_t      i, k, id;
    vod_rd_t      tref;
    vod_rd_box_t  box;

    for (i = 0; i < mp4->n_tracks; i++) {

        tref = mp4->tracks[i].tref;

        while (vod_rd_box(&tref, &box) == 1) {

            if (box.type != vod_fourcc('c', 'h', 'a', 'p')) {
                continue;
            }

            while (vod_rd_left(&box.body) >= 4) {
                id = vod_rd_u32(&box.body);

                for (k = 0; k < mp4->n_tracks; k++) {
                    if (mp4->tracks[k].id == id
                        && mp4->tracks[k].kind == VOD_TEXT
                        && mp4->tracks[k].code == VOD_OK)
                    {
                        (void) vod_mp4_leave_out(&mp4->tracks[k],
                                   VOD_UNSUPPORTED, "its text are chapters,"
                                   " and no subtitles");
                    }
                }
            }
        }
    }
}


int
vod_subs_mp4_entry(vod_index_track_t *out, const vod_mp4_track_t *t,
    vod_err_t *err)
{
    size_t             len;
    const char        *header;
    vod_text_reader_t  reader;

    if (t->fourcc == vod_fourcc('w', 'v', 't', 't')) {

        if (vod_wvtt_header(t->entry, t->entry_len, &header, &len, err)
            != VOD_OK)
        {
            return err->code;
        }

        return vod_subs_track(out, vod_subs_convert(VOD_SUBS_WVTT, 0), header,
                              len, err);
    }

    vod_text_open(&reader, VOD_TEXT_TX3G, (const char *) t->entry,
                  (size_t) t->entry_len);

    if (reader.forced) {
        out->track.roles |= VOD_ROLE_FORCED;
    }

    return vod_subs_track(out, vod_subs_convert(VOD_TEXT_TX3G,
                                                (uint32_t) reader.style),
                          NULL, 0, err);
}


/*
 * Rows follow each other; what comes to less than a millisecond goes, and so
 * does what lies before 0.
 */
int
vod_subs_mp4_rows(vod_index_track_t *out, uint32_t timescale, vod_err_t *err)
{
    int64_t        time, start, end, last;
    uint32_t       i, n;
    vod_sample_t  *rows;

    rows = (vod_sample_t *) out->samples;
    time = (int64_t) out->track.first_dts - (int64_t) out->track.media_time;
    last = -1;
    n = 0;

    for (i = 0; i < out->n_samples; i++) {

        start = vod_subs_ms(time + rows[i].cts, timescale);
        end = vod_subs_ms(time + rows[i].cts + rows[i].dur, timescale);
        time += rows[i].dur;

        start = (last >= 0) ? last : (start > 0) ? start : 0;

        if (end <= start || end - start > UINT32_MAX) {
            continue;
        }

        if (n == 0) {
            out->track.first_dts = (uint64_t) start;
        }

        rows[n] = rows[i];
        rows[n].dur = (uint32_t) (end - start);
        rows[n].cts = 0;
        rows[n].key = 1;
        n++;

        last = end;
    }

    if (n == 0) {
        return vod_fail(err, VOD_UNSUPPORTED, "it shows nothing");
    }

    out->n_samples = n;
    out->track.media_time = 0;

    return VOD_OK;
}
