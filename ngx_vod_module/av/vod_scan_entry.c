#include <stdlib.h>
#include <string.h>

#include "../core/vod_codec.h"
#include "vod_scan_int.h"


static int
vod_scan_config(const vod_config_t *config, uint8_t **out, uint64_t *len,
    unsigned *convert, vod_err_t *err)
{
    int       rc;
    vod_wr_t  wr;

    vod_wr_init(&wr, NULL, 0);

    rc = vod_config_entry(config, &wr, convert, err);
    if (rc != VOD_OK) {
        return rc;
    }

    *len = wr.len;
    *out = malloc(wr.len ? wr.len : 1);
    if (*out == NULL) {
        return vod_fail(err, VOD_NOMEM, "no memory for a sample entry");
    }

    vod_wr_init(&wr, *out, *len);

    return vod_config_entry(config, &wr, convert, err);
}


int
vod_scan_entry(vod_track_t *track, const vod_config_t *config,
    uint8_t **entry, uint64_t *len, unsigned *convert, vod_err_t *err)
{
    int        rc;
    uint8_t   *in;
    uint64_t   in_len;
    vod_wr_t   wr;

    *entry = NULL;
    in = NULL;
    vod_wr_init(&wr, NULL, 0);

    rc = vod_scan_config(config, &in, &in_len, convert, err);

    if (rc == VOD_OK) {
        rc = vod_codec_entry(track, in, in_len, &wr, err);
    }

    if (rc == VOD_OK) {
        *len = wr.len;
        *entry = malloc(wr.len ? wr.len : 1);

        vod_wr_init(&wr, *entry, *entry ? *len : 0);

        rc = *entry ? vod_codec_entry(track, in, in_len, &wr, err)
                    : vod_fail(err, VOD_NOMEM, "no memory for a sample"
                               " entry");
    }

    free(in);

    if (rc != VOD_OK) {
        free(*entry);
        *entry = NULL;
        return rc;
    }

    vod_codec_first_sample(track, config->sample, config->sample_len);

    if (track->kind == VOD_VIDEO && track->sar_den) {
        track->tkhd_width = (uint32_t) (((uint64_t) track->width << 16)
                                        * track->sar_num / track->sar_den);
        track->tkhd_height = track->height << 16;
    }

    return VOD_OK;
}
