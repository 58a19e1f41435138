#include <inttypes.h>

#include "vod_mp4.h"


/*
 * Durations are unsigned (14496-12, 8.6.1.2), but some writers correct the
 * decoding times by one that is below 0; none means more than 2^28 ticks.
 */
#define VOD_MP4_NEGATIVE(dur)  ((dur) > UINT32_MAX - VOD_MP4_MAX_CTS)


static void vod_mp4_places(const vod_mp4_track_t *t, vod_sample_t *samples);
static const uint8_t *vod_mp4_chunk(const vod_mp4_track_t *t,
    vod_sample_t *samples, uint32_t first, uint32_t n, uint64_t pos,
    const uint8_t *sizes);
static void vod_mp4_durations(const vod_mp4_track_t *t,
    vod_sample_t *samples, int *repaired);
static int vod_mp4_corrections(vod_sample_t *samples, uint32_t n);
static int vod_mp4_offsets(const vod_mp4_track_t *t, vod_sample_t *samples,
    vod_err_t *err);
static void vod_mp4_keys(const vod_mp4_track_t *t, vod_sample_t *samples);


int
vod_mp4_samples(const vod_mp4_track_t *t, vod_sample_t *samples,
    int *repaired, vod_err_t *err)
{
    int  rc;

    *repaired = 0;

    if (t->n_samples == 0) {
        return VOD_OK;
    }

    if (t->single) {
        return vod_fail(err, VOD_UNSUPPORTED, "its sound is counted in single"
                        " samples, not in packets, re-encode it");
    }

    vod_mp4_places(t, samples);

    rc = vod_mp4_offsets(t, samples, err);
    if (rc != VOD_OK) {
        return rc;
    }

    vod_mp4_durations(t, samples, repaired);
    vod_mp4_keys(t, samples);

    return VOD_OK;
}


/* 14496-12, 8.7.3 to 8.7.5; vod_mp4_stbl() has checked the order of stsc and
   that the chunks hold n_samples */
static void
vod_mp4_places(const vod_mp4_track_t *t, vod_sample_t *samples)
{
    vod_rd_t        stsc, chunks;
    uint32_t        i, n, chunk, next, per;
    uint64_t        pos;
    const uint8_t  *sizes;

    stsc = t->stsc;
    chunks = t->chunks;
    sizes = t->sizes;
    vod_rd_skip(&stsc, 12);
    vod_rd_skip(&chunks, 8);
    next = 1;
    per = 0;

    for (i = 0, chunk = 1; i < t->n_samples; i += n, chunk++) {

        if (chunk == next) {
            per = vod_rd_u32(&stsc);
            vod_rd_skip(&stsc, 4);
            next = vod_rd_left(&stsc) ? vod_rd_u32(&stsc) : 0;
        }

        pos = t->far ? vod_rd_u64(&chunks) : vod_rd_u32(&chunks);
        n = (per < t->n_samples - i) ? per : t->n_samples - i;

        sizes = vod_mp4_chunk(t, samples, i, n, pos, sizes);
    }
}


/* n samples in a row from pos on; where the sizes go on, which count from
   first in a table of 4 bits each */
static const uint8_t *
vod_mp4_chunk(const vod_mp4_track_t *t, vod_sample_t *samples, uint32_t first,
    uint32_t n, uint64_t pos, const uint8_t *sizes)
{
    uint32_t       size;
    vod_sample_t  *s, *end;

    s = samples + first;

    for (end = s + n; s < end; s++, first++) {

        switch (t->size_bits) {

        case 32:
            size = (uint32_t) sizes[0] << 24 | (uint32_t) sizes[1] << 16
                   | (uint32_t) sizes[2] << 8 | sizes[3];
            sizes += 4;
            break;

        case 16:
            size = (uint32_t) sizes[0] << 8 | sizes[1];
            sizes += 2;
            break;

        case 8:
            size = *sizes++;
            break;

        case 4:
            size = (first & 1) ? *sizes++ & 0x0fu : *sizes >> 4;
            break;

        default:
            size = t->size;
        }

        s->pos = pos;
        s->size = size;

        /* a place beyond 2^63 stays beyond every file's end */

        pos = (pos > INT64_MAX) ? pos : pos + size;
    }

    return sizes;
}


/* 14496-12, 8.6.1.2; behind the table's end the last duration goes on */
static void
vod_mp4_durations(const vod_mp4_track_t *t, vod_sample_t *samples,
    int *repaired)
{
    uint32_t  i, n, count, dur, value;
    vod_rd_t  rd;

    rd = t->stts;
    vod_rd_skip(&rd, 8);
    dur = 0;

    for (i = 0; i < t->n_samples; /* void */ ) {

        if (vod_rd_left(&rd)) {
            count = vod_rd_u32(&rd);
            value = vod_rd_u32(&rd);
            dur = count ? value : dur;

        } else {
            count = UINT32_MAX;
        }

        *repaired |= (count && VOD_MP4_NEGATIVE(dur));

        n = t->n_samples - i;

        for (n = (count < n) ? count : n; n; n--) {
            samples[i++].dur = dur;
        }
    }

    if (*repaired && !vod_mp4_corrections(samples, t->n_samples)) {

        for (i = 0, dur = 1; i < t->n_samples; i++) {
            if (VOD_MP4_NEGATIVE(samples[i].dur)) {
                samples[i].dur = dur;
            }

            dur = samples[i].dur;
        }
    }
}


/*
 * Durations below 0 as corrections: each sample is presented when the sums
 * say, and decoded not later than any behind it.  1; or 0, and nothing has
 * changed, where times would be before the first sample's, or offsets
 * become none.  Presentation times are kept where libavformat spreads the
 * correction over the samples behind it.
 */
static int
vod_mp4_corrections(vod_sample_t *samples, uint32_t n)
{
    int64_t   t, most, offset;
    uint32_t  i, dur;

    /* the last one's says nothing about times */

    dur = samples[n - 1].dur;

    for (i = 0, t = 0, most = 0; i + 1 < n; i++) {
        t += VOD_MP4_NEGATIVE(samples[i].dur) ? (int32_t) samples[i].dur
                                              : (int64_t) samples[i].dur;
        most = (t > most) ? t : most;

        if (t < 0 || most - t >= VOD_MP4_MAX_CTS) {
            return 0;
        }
    }

    /* backwards: t is a sample's own time, most the least of those behind */

    for (most = t, i = n - 1; i-- > 0; /* void */ ) {
        t -= VOD_MP4_NEGATIVE(samples[i].dur) ? (int32_t) samples[i].dur
                                              : (int64_t) samples[i].dur;
        offset = (t > most) ? t - most : 0;
        samples[i].cts += (int32_t) offset;
        samples[i].dur = (uint32_t) (most - (t - offset));
        most = t - offset;
    }

    if (VOD_MP4_NEGATIVE(dur)) {
        samples[n - 1].dur = (n > 1) ? samples[n - 2].dur : 1;
    }

    return 1;
}


/* 14496-12, 8.6.1.3; version 0 is signed too, the way QuickTime writes it,
   and behind the table's end the offset is 0 */
static int
vod_mp4_offsets(const vod_mp4_track_t *t, vod_sample_t *samples,
    vod_err_t *err)
{
    int32_t   cts;
    uint32_t  i, n, count;
    vod_rd_t  rd;

    rd = t->ctts;
    vod_rd_skip(&rd, 8);

    for (i = 0; i < t->n_samples; /* void */ ) {

        if (!rd.failed && vod_rd_left(&rd)) {
            count = vod_rd_u32(&rd);
            cts = (int32_t) vod_rd_u32(&rd);

        } else {
            count = UINT32_MAX;
            cts = 0;
        }

        if (count && (cts >= VOD_MP4_MAX_CTS || cts <= -VOD_MP4_MAX_CTS)) {
            return vod_fail(err, VOD_DAMAGED, "sample %u has a composition"
                            " offset of %" PRId32 " ticks, which is no"
                            " offset, remux the file", i + 1, cts);
        }

        n = t->n_samples - i;

        for (n = (count < n) ? count : n; n; n--) {
            samples[i++].cts = cts;
        }
    }

    return VOD_OK;
}


/*
 * 14496-12, 8.6.2.  Without the table all are sync samples; of one that is
 * empty the first, so that playing can begin.  Some writers count from 0.
 */
static void
vod_mp4_keys(const vod_mp4_track_t *t, vod_sample_t *samples)
{
    int       all;
    vod_rd_t  rd;
    uint32_t  i, number, base;

    rd = t->stss;
    vod_rd_skip(&rd, 8);
    all = rd.failed || (vod_rd_left(&rd) == 0 && t->kind == VOD_AUDIO);

    for (i = 0; i < t->n_samples; i++) {
        samples[i].key = (uint32_t) all;
    }

    if (all) {
        return;
    }

    if (vod_rd_left(&rd) == 0) {
        samples[0].key = 1;
        return;
    }

    number = vod_rd_u32(&rd);
    base = (number != 0);

    do {
        if (number - base < t->n_samples) {
            samples[number - base].key = 1;
        }

        number = vod_rd_u32(&rd);

    } while (!rd.failed);
}
