/* what goes into MP4 as its maker defined it: ALAC, DTS */

#include <string.h>

#include "vod_codec_int.h"


/* channels of DTS: bits of its ChannelLayout that stand for two */
#define VOD_DTS_PAIRS  0xae66u


/* ALACSpecificConfig, behind version and flags */

int
vod_codec_alac(vod_entry_t *e, vod_rd_t body)
{
    vod_track_t  *track;

    /* channels 3 and more begin with the centre; 8 have two more in front */

    static const uint8_t  layouts[] = { 0, 1, 2, 3, 4, 5, 6, 11, 7 };

    track = e->track;

    vod_rd_skip(&body, 4 + 4 + 1);          /* frameLength, version */
    track->bit_depth = vod_rd_u8(&body);
    vod_rd_skip(&body, 3);
    track->channels = vod_rd_u8(&body);
    vod_rd_skip(&body, 2 + 4 + 4);          /* runs, sizes, bit rate */
    track->sample_rate = vod_rd_u32(&body);

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    track->channel_layout = track->channels < sizeof(layouts)
                            ? layouts[track->channels] : 0;

    memcpy(track->codec, "alac", 5);

    return VOD_OK;
}


/*
 * DTSSpecificBox (ETSI TS 102 114, E.2.2.3).  The codec string is the
 * entry's name (E.3); what the layout leaves open the entry's count says.
 */

int
vod_codec_dts(vod_entry_t *e, vod_rd_t body)
{
    char          type[5];
    vod_rd_t      rd;
    unsigned      i, layout;
    vod_track_t  *track;

    static const struct {
        uint16_t  layout;
        uint16_t  cicp;
    } layouts[] = {
        { 0x01, 1 }, { 0x02, 2 }, { 0x03, 3 }, { 0x13, 4 }, { 0x07, 5 },
        { 0x0f, 6 }, { 0x12, 9 }, { 0x06, 10 }, { 0x1f, 11 }, { 0x4f, 12 },
        { 0x20f, 7 }
    };

    track = e->track;

    track->sample_rate = vod_rd_u32(&body);
    vod_rd_skip(&body, 4 + 4);              /* bit rates */
    track->bit_depth = vod_rd_u8(&body);
    vod_rd_skip(&body, 4);
    layout = vod_rd_u16(&body);
    vod_rd_skip(&body, 1);

    if (body.failed) {
        return vod_entry_damaged(e, "is cut off");
    }

    rd = e->fixed;
    vod_rd_skip(&rd, 16);
    track->channels = vod_rd_u16(&rd);

    if (layout) {
        for (track->channels = 0, i = 0; i < 16; i++) {
            if (layout & (1u << i)) {
                track->channels += (VOD_DTS_PAIRS & (1u << i)) ? 2 : 1;
            }
        }
    }

    for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        if (layouts[i].layout == layout) {
            track->channel_layout = layouts[i].cicp;
        }
    }

    (void) vod_entry_fourcc(e->type, type);
    memcpy(track->codec, type, 5);

    return VOD_OK;
}
