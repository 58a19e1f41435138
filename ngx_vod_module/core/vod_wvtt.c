#include <inttypes.h>
#include <string.h>

#include "vod_rd.h"
#include "vod_vtt.h"
#include "vod_wvtt.h"


#define VOD_WVTT_NONE  0xffffffffu      /* end of the list of active cues */


typedef struct {
    vod_cue_t  *cues;
    uint32_t    n, at;          /* at: the first that has not begun */
    uint32_t    head, tail;     /* of those that are active, in order */
    int64_t     time, until;    /* of the sample */
} vod_wvtt_t;


static void
vod_wvtt_box(vod_wr_t *wr, uint32_t type, const void *data, uint64_t len)
{
    uint64_t  mark;

    mark = vod_wr_box(wr, type);
    vod_wr_bytes(wr, data, len);
    vod_wr_box_end(wr, mark);
}


/* WVTTSampleEntry with its WebVTTConfigurationBox: the file's own header */

void
vod_wvtt_entry(vod_wr_t *wr, const char *header, size_t len)
{
    uint64_t  entry, mark;
    vod_wr_t  measure;

    entry = vod_wr_box(wr, vod_fourcc('w', 'v', 't', 't'));
    vod_wr_zero(wr, 6);
    vod_wr_u16(wr, 1);                      /* data_reference_index */

    mark = vod_wr_box(wr, vod_fourcc('v', 't', 't', 'C'));

    vod_wr_init(&measure, NULL, 0);
    vod_vtt_header(&measure, header, len);

    vod_wr_str(wr, measure.len ? "WEBVTT\n\n" : "WEBVTT\n");
    vod_vtt_header(wr, header, len);

    vod_wr_box_end(wr, mark);
    vod_wr_box_end(wr, entry);
}


/*
 * What joins the parts of a cue that was cut: a number that comes out the same
 * in every segment, whatever else the segment holds.
 */

static uint32_t
vod_wvtt_source(const vod_cue_t *cue)
{
    int64_t   times[2];
    uint64_t  hash;

    times[0] = cue->start;
    times[1] = cue->end;

    hash = vod_hash64(0, times, sizeof(times));
    hash = vod_hash64(hash, cue->text, cue->text_len);

    return (uint32_t) hash & 0x7fffffff;
}


/* a time within the text ("<00:00:01.000>") is that of the file */

static int
vod_wvtt_timed(const vod_cue_t *cue)
{
    const char  *p, *end;

    for (p = cue->text, end = p + cue->text_len; end - p > 1; p++) {
        if (*p == '<' && p[1] >= '0' && p[1] <= '9') {
            return 1;
        }
    }

    return 0;
}


/*
 * VTTCueBox: source, identifier, time, settings, payload.  The source is said
 * of those that are cut, the time where the text has times within.
 */

static void
vod_wvtt_cue(vod_wr_t *wr, const vod_cue_t *cue, int64_t time, int64_t until)
{
    int       cut;
    char      text[VOD_TEXT_TIME];
    uint64_t  mark, box;

    cut = (cue->start < time || cue->end > until);

    mark = vod_wr_box(wr, vod_fourcc('v', 't', 't', 'c'));

    if (cut) {
        box = vod_wr_box(wr, vod_fourcc('v', 's', 'i', 'd'));
        vod_wr_u32(wr, vod_wvtt_source(cue));
        vod_wr_box_end(wr, box);
    }

    if (cue->id_len) {
        vod_wvtt_box(wr, vod_fourcc('i', 'd', 'e', 'n'), cue->id,
                     cue->id_len);
    }

    if (cut && vod_wvtt_timed(cue)) {
        vod_wvtt_box(wr, vod_fourcc('c', 't', 'i', 'm'), text,
                     vod_text_time(time, text));
    }

    if (cue->settings_len) {
        vod_wvtt_box(wr, vod_fourcc('s', 't', 't', 'g'), cue->settings,
                     cue->settings_len);
    }

    vod_wvtt_box(wr, vod_fourcc('p', 'a', 'y', 'l'), cue->text,
                 cue->text_len);

    vod_wr_box_end(wr, mark);
}


/*
 * Takes in the cues that have begun, lets go of those that have ended, and says
 * how long the set stays as it is.
 */

static void
vod_wvtt_active(vod_wvtt_t *w)
{
    uint32_t   i, *link;
    vod_cue_t *cue;

    for ( /* void */ ; w->at < w->n; w->at++) {
        cue = &w->cues[w->at];

        if (cue->start > w->time) {
            w->until = cue->start < w->until ? cue->start : w->until;
            break;
        }

        cue->next = VOD_WVTT_NONE;

        if (w->head == VOD_WVTT_NONE) {
            w->head = w->at;

        } else {
            w->cues[w->tail].next = w->at;
        }

        w->tail = w->at;
    }

    w->tail = VOD_WVTT_NONE;

    for (link = &w->head; *link != VOD_WVTT_NONE; /* void */) {
        i = *link;
        cue = &w->cues[i];

        if (cue->end <= w->time) {
            *link = cue->next;
            continue;
        }

        w->until = cue->end < w->until ? cue->end : w->until;
        w->tail = i;
        link = &cue->next;
    }
}


static int
vod_wvtt_sample(vod_wvtt_t *w, uint64_t limit, uint64_t base, vod_wr_t *wr)
{
    uint32_t  i;

    if (w->head == VOD_WVTT_NONE) {
        vod_wvtt_box(wr, vod_fourcc('v', 't', 't', 'e'), NULL, 0);
    }

    for (i = w->head; i != VOD_WVTT_NONE; i = w->cues[i].next) {

        vod_wvtt_cue(wr, &w->cues[i], w->time, w->until);

        if (wr->len - base > limit) {
            return VOD_LIMIT;
        }
    }

    return wr->len - base > limit ? VOD_LIMIT : VOD_OK;
}


int
vod_wvtt_samples(vod_cue_t *cues, uint32_t n, int64_t start, int64_t end,
    uint64_t limit, vod_wr_t *wr, vod_sample_t *samples, uint64_t room,
    uint32_t *n_samples, vod_err_t *err)
{
    uint64_t     base, at;
    vod_wvtt_t   w;

    if (start >= end || (uint64_t) end - (uint64_t) start > UINT32_MAX) {
        return vod_fail(err, VOD_LIMIT, "a text segment from %" PRId64
                        " to %" PRId64 " ms does not fit its sample",
                        start, end);
    }

    if (limit > UINT32_MAX) {
        limit = UINT32_MAX;
    }

    memset(&w, 0, sizeof(vod_wvtt_t));
    w.cues = cues;
    w.n = n;
    w.head = VOD_WVTT_NONE;

    base = wr->len;
    *n_samples = 0;

    for (w.time = start; w.time < end; w.time = w.until) {

        at = wr->len - base;

        w.until = end;
        vod_wvtt_active(&w);

        if (vod_wvtt_sample(&w, limit, base, wr) != VOD_OK) {
            return vod_fail(err, VOD_LIMIT, "subtitles from %" PRId64 " to %"
                            PRId64 " ms come to more than %" PRIu64
                            " bytes: there are too many at the same time",
                            start, end, limit);
        }

        if (samples) {

            if (*n_samples >= room) {
                return vod_fail(err, VOD_NOMEM, "no room for more than %"
                                PRIu64 " text samples", room);
            }

            samples[*n_samples].pos = at;
            samples[*n_samples].size = (uint32_t) (wr->len - base - at);
            samples[*n_samples].dur = (uint32_t) (w.until - w.time);
            samples[*n_samples].cts = 0;
            samples[*n_samples].key = 1;
        }

        (*n_samples)++;
    }

    return wr->overflow
           ? vod_fail(err, VOD_NOMEM, "no room for %" PRIu64 " bytes of text",
                      wr->len - base)
           : VOD_OK;
}
