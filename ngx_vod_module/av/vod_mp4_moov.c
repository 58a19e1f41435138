#include <stdlib.h>
#include <string.h>

#include "vod_mp4.h"
#include "vod_subs.h"


static int vod_mp4_mvhd(vod_mp4_t *mp4, vod_rd_t rd, vod_err_t *err);
static int vod_mp4_tracks(vod_mp4_t *mp4, uint32_t n,
    const vod_av_limits_t *limits, vod_err_t *err);
static int vod_mp4_sum(vod_mp4_t *mp4, const vod_av_limits_t *limits,
    vod_err_t *err);


static const int32_t  vod_mp4_identity[9] = {
    0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000
};


int
vod_mp4_moov(vod_mp4_t *mp4, const vod_av_limits_t *limits, vod_err_t *err)
{
    int           rc, mvhd;
    uint32_t      n;
    vod_rd_t      rd;
    vod_rd_box_t  box;

    memcpy(mp4->matrix, vod_mp4_identity, sizeof(mp4->matrix));

    mvhd = 0;
    n = 0;

    vod_rd_init(&rd, mp4->moov, mp4->moov_len);

    while ((rc = vod_rd_box(&rd, &box)) == 1) {

        switch (box.type) {

        case vod_fourcc('m', 'v', 'h', 'd'):
            if (mvhd++) {
                return vod_fail(err, VOD_DAMAGED, "moov holds two mvhd boxes,"
                                " remux the file");
            }

            rc = vod_mp4_mvhd(mp4, box.body, err);
            if (rc != VOD_OK) {
                return rc;
            }

            break;

        case vod_fourcc('t', 'r', 'a', 'k'):
            n++;
            break;

        case vod_fourcc('c', 'm', 'o', 'v'):
            if (mp4->compressed) {
                return vod_fail(err, VOD_DAMAGED, "its compressed moov is"
                                " compressed once more, remux the file");
            }

            rc = vod_mp4_cmov(mp4, box.body, limits, err);
            mp4->fragmented = 0;
            memset(&mp4->mvex, 0, sizeof(mp4->mvex));

            return (rc == VOD_OK) ? vod_mp4_moov(mp4, limits, err) : rc;

        case vod_fourcc('m', 'v', 'e', 'x'):
            if (mp4->mvex.pos) {
                return vod_fail(err, VOD_DAMAGED, "moov holds two mvex boxes,"
                                " remux the file");
            }

            mp4->fragmented = 1;
            mp4->mvex = box.body;
            break;
        }
    }

    if (rc < 0) {
        return vod_fail(err, VOD_DAMAGED, "a box in moov is larger than moov"
                        " itself, remux the file");
    }

    return vod_mp4_tracks(mp4, n, limits, err);
}


/* 14496-12, 8.2.2 */
static int
vod_mp4_mvhd(vod_mp4_t *mp4, vod_rd_t rd, vod_err_t *err)
{
    int      i;
    uint8_t  version;

    version = vod_rd_u8(&rd);
    vod_rd_skip(&rd, 3);
    vod_rd_skip(&rd, version == 1 ? 16 : 8);
    mp4->movie_timescale = vod_rd_u32(&rd);
    vod_rd_skip(&rd, version == 1 ? 8 : 4);
    vod_rd_skip(&rd, 4 + 2 + 2 + 8);    /* rate, volume, reserved */

    for (i = 0; i < 9; i++) {
        mp4->matrix[i] = (int32_t) vod_rd_u32(&rd);
    }

    if (rd.failed) {
        return vod_fail(err, VOD_DAMAGED, "its mvhd box is too short, remux"
                        " the file");
    }

    return VOD_OK;
}


static int
vod_mp4_tracks(vod_mp4_t *mp4, uint32_t n, const vod_av_limits_t *limits,
    vod_err_t *err)
{
    vod_rd_t          rd;
    vod_rd_box_t      box;
    vod_mp4_track_t  *t;

    if (n == 0) {
        return vod_fail(err, VOD_UNSUPPORTED, "it holds no track, name a file"
                        " with video or audio");
    }

    if (n > limits->max_tracks) {
        return vod_fail(err, VOD_LIMIT, "it holds %u tracks, more than the %u"
                        " allowed (vod_max_tracks), remux it with fewer", n,
                        limits->max_tracks);
    }

    mp4->tracks = calloc(n, sizeof(vod_mp4_track_t));
    if (mp4->tracks == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for %u tracks", n);
    }

    vod_rd_init(&rd, mp4->moov, mp4->moov_len);

    while (vod_rd_box(&rd, &box) == 1) {

        if (box.type != vod_fourcc('t', 'r', 'a', 'k')) {
            continue;
        }

        t = &mp4->tracks[mp4->n_tracks++];
        t->id = mp4->n_tracks;
        memcpy(t->matrix, vod_mp4_identity, sizeof(t->matrix));

        vod_mp4_trak(mp4, t, box.body);
    }

    vod_subs_mp4_chapters(mp4);

    return vod_mp4_sum(mp4, limits, err);
}


/* single samples of sound, as of PCM, are never served: they do not count */
static int
vod_mp4_sum(vod_mp4_t *mp4, const vod_av_limits_t *limits, vod_err_t *err)
{
    uint32_t  i;
    uint64_t  sum;

    for (i = 0, sum = 0; i < mp4->n_tracks; i++) {
        if (mp4->tracks[i].code == VOD_OK && !mp4->tracks[i].single) {
            sum += mp4->tracks[i].n_samples;
        }
    }

    if (sum > limits->max_samples) {
        return vod_fail(err, VOD_LIMIT, "its tracks hold %llu samples, more"
                        " than the %llu allowed (vod_max_samples), cut the"
                        " file into shorter ones", (unsigned long long) sum,
                        (unsigned long long) limits->max_samples);
    }

    return VOD_OK;
}
