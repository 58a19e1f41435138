#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/vod_lang.h"
#include "vod_subs.h"


static void vod_subs_add(vod_index_track_t *out, uint64_t pos, int64_t dur);
static uint32_t vod_subs_sort(vod_subs_packet_t *packets, uint32_t n,
    int64_t origin);
static int vod_subs_cmp(const void *a, const void *b);


int
vod_subs_stream(const vod_demux_stream_t *st, vod_err_t *err)
{
    if (st->pictures) {
        return vod_fail(err, VOD_UNSUPPORTED, "its subtitles are pictures and"
                        " no text, which no player takes, put them beside the"
                        " file as text");
    }

    return vod_fail(err, VOD_UNSUPPORTED, "text of this kind is not packaged,"
                    " put it beside the file as WebVTT");
}


int
vod_subs_demux_track(vod_index_track_t *out, uint32_t stream,
    const vod_demux_stream_t *st, vod_err_t *err)
{
    vod_track_t        *track;
    vod_text_reader_t   reader;

    track = &out->track;

    track->source_id = st->id;
    track->stream = stream;
    track->roles = st->roles;
    track->flags = VOD_TRACK_SPARSE;
    track->flags |= st->enabled ? VOD_TRACK_DEFAULT : 0;

    vod_lang_normalise(st->lang, strlen(st->lang), track->lang,
                       sizeof(track->lang));

    out->name = st->name;
    out->name_len = strlen(st->name);

    vod_text_open(&reader, st->text, (const char *) st->config.config,
                  (size_t) st->config.config_len);

    return vod_subs_track(out, vod_subs_convert(st->text, 0), reader.header,
                          reader.header_len, err);
}


void
vod_subs_span(const vod_demux_stream_t *st, const vod_packet_t *packet,
    int64_t *start, int64_t *end)
{
    int64_t  time, dur;

    time = (packet->pts != VOD_NO_TIME) ? packet->pts : packet->dts;
    dur = packet->dur;

    if (dur > (int64_t) st->timescale * (UINT32_MAX / 1000)) {
        dur = (int64_t) st->timescale * (UINT32_MAX / 1000);
    }

    *start = vod_subs_ms(time, st->timescale);
    *end = (dur > 0) ? vod_subs_ms(time + dur, st->timescale)
                     : *start + VOD_SUBS_UNSAID;

    *end = (*end > *start) ? *end : *start + 1;
}


/*
 * A row from where a cue begins to where the next one does, and one of nothing
 * where none is shown.  Packets lie in the file in the order of their times, or
 * nearly so; what is shown in a row lies behind the least place of all of it.
 */
int
vod_subs_rows(vod_index_track_t *out, vod_subs_packet_t *packets, uint32_t n,
    uint64_t nothing, int64_t origin, vod_err_t *err)
{
    int64_t        end, most;
    uint32_t       i, k, first;
    vod_sample_t  *rows;

    n = vod_subs_sort(packets, n, origin);

    if (n == 0) {
        return vod_fail(err, VOD_DAMAGED, "it shows nothing");
    }

    rows = calloc((size_t) n * 2, sizeof(vod_sample_t));
    if (rows == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u rows", n);
    }

    out->samples = rows;
    out->track.first_dts = (uint64_t) packets[0].start;
    most = 0;

    for (i = 0, first = 0; i < n; i = k) {

        for (k = i; k < n && packets[k].start == packets[i].start; k++) {
            most = (packets[k].end > most) ? packets[k].end : most;
            rows[out->n_samples].size += packets[k].size;
        }

        while (first < i && packets[first].end <= packets[i].start) {
            first++;
        }

        end = (k == n || packets[k].start > most) ? most : packets[k].start;
        vod_subs_add(out, packets[first].pos, end - packets[i].start);

        if (k < n && packets[k].start > most) {

            if (packets[k].start - most > UINT32_MAX) {
                return vod_fail(err, VOD_DAMAGED, "it shows nothing for %"
                                PRId64 " s, remux the file",
                                (packets[k].start - most) / 1000);
            }

            vod_subs_add(out, nothing, packets[k].start - most);
        }
    }

    return VOD_OK;
}


static void
vod_subs_add(vod_index_track_t *out, uint64_t pos, int64_t dur)
{
    vod_sample_t  *row;

    row = (vod_sample_t *) &out->samples[out->n_samples++];
    row->pos = pos;
    row->dur = (uint32_t) dur;
    row->key = 1;
}


/*
 * Those that are shown, on the output timeline, in order; ends are those up to
 * which they are looked for, and no place is behind that of a later one.
 */
static uint32_t
vod_subs_sort(vod_subs_packet_t *packets, uint32_t n, int64_t origin)
{
    uint32_t            i, kept;
    vod_subs_packet_t  *p;

    for (i = 0, kept = 0; i < n; i++) {
        p = &packets[kept];
        *p = packets[i];

        p->start += origin;
        p->end += origin;
        p->start = (p->start > 0) ? p->start : 0;

        if (p->end - p->start > VOD_SUBS_BEFORE) {
            p->end = p->start + VOD_SUBS_BEFORE;
        }

        kept += (p->end > p->start);
    }

    qsort(packets, kept, sizeof(vod_subs_packet_t), vod_subs_cmp);

    for (i = kept; i > 1; i--) {
        p = &packets[i - 2];
        p->pos = (p[1].pos < p->pos) ? p[1].pos : p->pos;
    }

    return kept;
}


static int
vod_subs_cmp(const void *a, const void *b)
{
    const vod_subs_packet_t  *x = a, *y = b;

    if (x->start != y->start) {
        return (x->start < y->start) ? -1 : 1;
    }

    return (x->pos > y->pos) - (x->pos < y->pos);
}
