#include <inttypes.h>
#include <string.h>

#include "vod_cues_int.h"


/* so many entries at the end may lead nowhere: the file was cut */
#define VOD_CUES_BACK  8


static void vod_cues_forget(vod_cues_build_t *b);
static int vod_cues_last(vod_cues_build_t *b, vod_err_t *err);
static int vod_cues_rest(vod_cues_build_t *b, int *end, vod_err_t *err);
static void vod_cues_told(vod_cues_build_t *b);
static int vod_cues_ended(vod_cues_build_t *b, vod_cues_track_t *t,
    vod_err_t *err);
static int vod_cues_there(vod_cues_build_t *b, vod_cues_track_t *t,
    uint32_t i, vod_err_t *err);


/*
 * The end of each track.  Where what follows the last entry is too much to
 * read, the tracks that are there go on to the end that the file tells.
 * What has no packet there has ended before.
 */
int
vod_cues_tail(vod_cues_build_t *b, vod_err_t *err)
{
    int                rc, end;
    uint32_t           i;
    vod_cues_track_t  *t;

    if (b->whole) {
        return VOD_OK;
    }

    rc = vod_cues_last(b, err);

    if (rc == VOD_OK) {
        rc = vod_cues_rest(b, &end, err);
    }

    if (rc == VOD_OK && !end) {
        vod_cues_told(b);
    }

    for (i = 0; rc == VOD_OK && i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out == VOD_OK && t->last == VOD_NO_TIME) {
            rc = vod_cues_ended(b, t, err);
        }
    }

    return rc;
}


static void
vod_cues_forget(vod_cues_build_t *b)
{
    uint32_t  i;

    vod_cues_part(b);

    for (i = 0; i < b->n; i++) {
        b->tracks[i].last = VOD_NO_TIME;
        memset(&b->tracks[i].end, 0, sizeof(vod_cues_end_t));
    }
}


/* goes to the last entry that leads to a key frame; those behind it go */
static int
vod_cues_last(vod_cues_build_t *b, vod_err_t *err)
{
    int       rc, leads;
    uint32_t  tried;

    for (tried = 0; tried < VOD_CUES_BACK; tried++) {

        vod_cues_forget(b);

        rc = vod_cues_at(b, b->ref->n_cues - 1, &leads, err);

        if (rc != VOD_OK || leads) {
            return rc;
        }

        if (b->ref->n_cues == 2) {
            break;
        }

        b->ref->n_cues--;
    }

    return vod_fail(err, VOD_NOT_FOUND, "the last entries of its key frame"
                    " index lead to no key frames, remux the file");
}


/* reads on to the end; *end tells whether that is it, or too far */
static int
vod_cues_rest(vod_cues_build_t *b, int *end, vod_err_t *err)
{
    int                rc;
    uint64_t           start;
    vod_cues_track_t  *t;

    *end = 0;
    start = b->source->src->bytes_read;

    do {
        rc = vod_cues_packet(b, &t, err);

        if (rc == VOD_END || rc == VOD_DAMAGED) {
            *end = 1;
            return VOD_OK;
        }

    } while (rc == VOD_OK
             && b->source->src->bytes_read - start < VOD_CUES_TAIL);

    return rc;
}


/* those that were seen last until the file ends */
static void
vod_cues_told(vod_cues_build_t *b)
{
    int64_t            end, last;
    uint32_t           i;
    vod_cues_track_t  *t;

    end = vod_demux_duration(b->demux);

    for (i = 0; i < b->n; i++) {
        t = &b->tracks[i];

        if (t->out != VOD_OK || t->last == VOD_NO_TIME) {
            continue;
        }

        last = vod_cues_us(t, t->last);

        if (end > last && end - last < VOD_CUES_APART) {
            memset(&t->end, 0, sizeof(vod_cues_end_t));
            t->end.dur = vod_cues_ticks(t, end) - t->last;
        }
    }
}


/* the last entry behind which it has a packet, by halves */
static int
vod_cues_ended(vod_cues_build_t *b, vod_cues_track_t *t, vod_err_t *err)
{
    int             rc;
    int64_t         last;
    uint32_t        low, high, mid;
    vod_cues_end_t  end;

    low = 0;
    high = b->ref->n_cues - 1;
    last = t->first;
    memset(&end, 0, sizeof(vod_cues_end_t));

    while (high - low > 1
           && b->source->src->bytes_read < VOD_CUES_ALL)
    {
        mid = low + (high - low) / 2;

        rc = vod_cues_there(b, t, mid, err);
        if (rc != VOD_OK) {
            return rc;
        }

        if (t->last == VOD_NO_TIME) {
            high = mid;
            continue;
        }

        low = mid;
        end = (t->last >= last) ? t->end : end;
        last = (t->last >= last) ? t->last : last;
    }

    t->last = last;
    t->end = end;

    return VOD_OK;
}


/* reads from an entry to the next one: t->last is of what was there */
static int
vod_cues_there(vod_cues_build_t *b, vod_cues_track_t *t, uint32_t i,
    vod_err_t *err)
{
    int                rc, leads;
    uint64_t           start;
    vod_key_t         *next;
    vod_cues_track_t  *other;

    t->last = VOD_NO_TIME;
    next = &b->ref->cues[i + 1];
    start = b->source->src->bytes_read;

    rc = vod_cues_at(b, i, &leads, err);

    while (rc == VOD_OK
           && b->source->src->bytes_read - start < VOD_CUES_PROBE)
    {
        rc = vod_cues_packet(b, &other, err);

        if (rc == VOD_OK && other == b->ref && b->packet.key
            && b->packet.pts >= next->time)
        {
            break;
        }
    }

    return (rc == VOD_END || rc == VOD_DAMAGED) ? VOD_OK : rc;
}
