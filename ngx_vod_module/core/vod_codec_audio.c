#include <string.h>

#include "vod_codec_int.h"


/* AudioSampleEntry (14496-12, 12.2.3) and what QuickTime puts behind it */
#define VOD_SOUND_FIXED  28
#define VOD_SOUND_V1     16
#define VOD_SOUND_V2     36


/* fields of the entry to write, and where its configuration comes from */
typedef struct {
    unsigned    version;
    unsigned    channels;
    unsigned    bits;
    uint32_t    rate;           /* Hz */
    int         wave;           /* the configuration stood in 'wave' */
    vod_rd_t    config;
    vod_esds_t  esds;
} vod_sound_t;


static uint32_t vod_sound_config_type(uint32_t type);
static int vod_sound_fixed(vod_entry_t *e, vod_sound_t *sound);
static int vod_sound_quicktime(const vod_rd_t *children);
static void vod_sound_version2(vod_entry_t *e, vod_sound_t *sound);
static int vod_sound_config(vod_entry_t *e, vod_sound_t *sound);
static int vod_sound_mp4a(vod_entry_t *e, vod_sound_t *sound);
static const char *vod_sound_object(unsigned oti);
static int vod_sound_mp3(vod_entry_t *e, vod_sound_t *sound);
static void vod_sound_write(vod_entry_t *e, const vod_sound_t *sound,
    vod_wr_t *out);
static void vod_sound_write_children(vod_entry_t *e, const vod_sound_t *sound,
    vod_wr_t *out);


int
vod_codec_audio(vod_entry_t *e, vod_wr_t *out)
{
    int           rc;
    vod_rd_t      body;
    vod_sound_t   sound;
    vod_track_t  *track;

    track = e->track;

    track->sample_rate = 0;
    track->channels = 0;
    track->channel_layout = 0;
    track->dolby_layout = 0;
    track->joc = 0;
    track->bit_depth = 0;
    memset(track->codec, 0, sizeof(track->codec));
    memset(track->supplemental, 0, sizeof(track->supplemental));
    memset(&sound, 0, sizeof(vod_sound_t));

    e->config = vod_sound_config_type(e->type);
    if (e->config == 0) {
        return vod_entry_unsupported(e);
    }

    rc = vod_sound_fixed(e, &sound);
    if (rc != VOD_OK) {
        return rc;
    }

    if (vod_entry_child(&e->children, vod_fourcc('s', 'i', 'n', 'f'), &body)) {
        return vod_fail(e->err, VOD_UNSUPPORTED, "encrypted (sinf)");
    }

    rc = vod_sound_config(e, &sound);
    if (rc != VOD_OK) {
        return rc;
    }

    if (track->sample_rate == 0 || track->channels == 0) {
        return vod_fail(e->err, VOD_DAMAGED,
                        "the sample entry says %u channels at %u Hz",
                        (unsigned) track->channels,
                        (unsigned) track->sample_rate);
    }

    track->fourcc = e->type;
    vod_sound_write(e, &sound, out);

    return VOD_OK;
}


static uint32_t
vod_sound_config_type(uint32_t type)
{
    switch (type) {

    case vod_fourcc('m', 'p', '4', 'a'):
    case vod_fourcc('.', 'm', 'p', '3'):
    case vod_fourcc('m', 's', 0, 0x55):
        return vod_fourcc('e', 's', 'd', 's');

    case vod_fourcc('O', 'p', 'u', 's'):
        return vod_fourcc('d', 'O', 'p', 's');

    case vod_fourcc('f', 'L', 'a', 'C'):
        return vod_fourcc('d', 'f', 'L', 'a');

    case vod_fourcc('a', 'c', '-', '3'):
        return vod_fourcc('d', 'a', 'c', '3');

    case vod_fourcc('e', 'c', '-', '3'):
        return vod_fourcc('d', 'e', 'c', '3');

    case vod_fourcc('a', 'l', 'a', 'c'):
        return vod_fourcc('a', 'l', 'a', 'c');

    case vod_fourcc('d', 't', 's', 'c'):
    case vod_fourcc('d', 't', 's', 'e'):
    case vod_fourcc('d', 't', 's', 'h'):
    case vod_fourcc('d', 't', 's', 'l'):
        return vod_fourcc('d', 'd', 't', 's');
    }

    return 0;
}


static int
vod_sound_fixed(vod_entry_t *e, vod_sound_t *sound)
{
    vod_rd_t  rd, body;

    rd = e->fixed;

    vod_rd_skip(&rd, 8);
    sound->version = vod_rd_u16(&rd);
    vod_rd_skip(&rd, 6);
    sound->channels = vod_rd_u16(&rd);
    sound->bits = vod_rd_u16(&rd);
    vod_rd_skip(&rd, 4);
    sound->rate = vod_rd_u32(&rd) >> 16;

    if (rd.failed) {
        return vod_fail(e->err, VOD_DAMAGED, "the sample entry is cut off");
    }

    if (sound->version == 1 && vod_sound_quicktime(&e->children)) {
        vod_rd_skip(&e->children, VOD_SOUND_V1);

    } else if (sound->version == 2) {
        vod_sound_version2(e, sound);
    }

    /* AudioSampleEntryV1 (12.2.3) keeps rates of more than 16 bits here */

    if (vod_entry_child(&e->children, vod_fourcc('s', 'r', 'a', 't'), &body)) {
        vod_rd_skip(&body, 4);
        sound->rate = vod_rd_u32(&body);
    }

    if (e->children.failed) {
        return vod_fail(e->err, VOD_DAMAGED, "the sample entry is cut off");
    }

    return VOD_OK;
}


/*
 * Version 1 means two things: a QuickTime sound description with 16 more
 * bytes, or the AudioSampleEntryV1 of 14496-12, which has none.  Those bytes
 * begin with a number of samples and one of bytes, not with a box.
 */

static int
vod_sound_quicktime(const vod_rd_t *children)
{
    char          text[5];
    vod_rd_t      rd;
    vod_rd_box_t  box;

    rd = *children;

    return vod_rd_box(&rd, &box) != 1
           || strchr(vod_entry_fourcc(box.type, text), '?') != NULL;
}


/* QuickTime File Format, Sound Sample Description (Version 2) */

static void
vod_sound_version2(vod_entry_t *e, vod_sound_t *sound)
{
    double    rate;
    uint64_t  bits;
    uint32_t  size, channels;

    size = vod_rd_u32(&e->children);        /* sizeOfStructOnly */
    bits = vod_rd_u64(&e->children);
    channels = vod_rd_u32(&e->children);
    vod_rd_skip(&e->children, VOD_SOUND_V2 - 16);

    memcpy(&rate, &bits, sizeof(rate));

    sound->rate = (rate >= 1 && rate <= 1e6) ? (uint32_t) rate : 0;
    sound->channels = channels <= UINT16_MAX ? channels : 0;
    sound->bits = 16;

    /* the size counts from the entry's own */

    if (size > 8 + VOD_SOUND_FIXED + VOD_SOUND_V2) {
        vod_rd_skip(&e->children,
                    size - (8 + VOD_SOUND_FIXED + VOD_SOUND_V2));
    }
}


static int
vod_sound_config(vod_entry_t *e, vod_sound_t *sound)
{
    vod_rd_t  wave;

    if (!vod_entry_child(&e->children, e->config, &sound->config)) {

        /* QuickTime nests it */

        if (vod_entry_child(&e->children, vod_fourcc('w', 'a', 'v', 'e'),
                            &wave)
            && vod_entry_child(&wave, e->config, &sound->config))
        {
            sound->wave = 1;

        } else if (e->type == vod_fourcc('.', 'm', 'p', '3')
                   || e->type == vod_fourcc('m', 's', 0, 0x55))
        {
            return vod_sound_mp3(e, sound);

        } else {
            return vod_entry_damaged(e, "is missing");
        }
    }

    switch (e->config) {

    case vod_fourcc('e', 's', 'd', 's'):
        if (e->type != vod_fourcc('m', 'p', '4', 'a')) {
            return vod_sound_mp3(e, sound);
        }

        return vod_sound_mp4a(e, sound);

    case vod_fourcc('d', 'O', 'p', 's'):
        return vod_codec_opus(e, sound->config);

    case vod_fourcc('d', 'f', 'L', 'a'):
        return vod_codec_flac(e, sound->config);

    case vod_fourcc('d', 'a', 'c', '3'):
        return vod_codec_ac3(e, sound->config);

    case vod_fourcc('a', 'l', 'a', 'c'):
        return vod_codec_alac(e, sound->config);

    case vod_fourcc('d', 'd', 't', 's'):
        return vod_codec_dts(e, sound->config);
    }

    return vod_codec_eac3(e, sound->config);
}


static int
vod_sound_mp4a(vod_entry_t *e, vod_sound_t *sound)
{
    vod_esds_t  *esds;

    esds = &sound->esds;

    if (!vod_esds_read(esds, sound->config)) {
        return vod_entry_damaged(e, "holds no decoder configuration");
    }

    if (esds->oti == VOD_OTI_AAC || (esds->oti >= VOD_OTI_AAC_MAIN
                                     && esds->oti <= VOD_OTI_AAC_SSR))
    {
        if (esds->info_len == 0) {
            return vod_entry_damaged(e, "holds no AudioSpecificConfig");
        }

        return vod_codec_aac(e, esds);
    }

    if (esds->oti == VOD_OTI_MPEG1_AUDIO || esds->oti == VOD_OTI_MPEG2_AUDIO) {
        return vod_sound_mp3(e, sound);
    }

    return vod_fail(e->err, VOD_UNSUPPORTED,
                    "%s audio (mp4a with object type 0x%02X) is not supported",
                    vod_sound_object(esds->oti), (unsigned) esds->oti);
}


/* registered at mp4ra.org */

static const char *
vod_sound_object(unsigned oti)
{
    switch (oti) {

    case 0xa5:
        return "AC-3";

    case 0xa6:
        return "E-AC-3";

    case 0xa9:
    case 0xaa:
    case 0xab:
    case 0xac:
        return "DTS";

    case 0xad:
        return "Opus";

    case 0xdd:
        return "Vorbis";

    case 0xe1:
        return "QCELP";
    }

    return "unknown";
}


/*
 * MP3 has no decoder configuration.  Object type 0x6B is that of MPEG-1, the
 * lower rates came with MPEG-2.
 */

static int
vod_sound_mp3(vod_entry_t *e, vod_sound_t *sound)
{
    vod_esds_t   *esds;
    vod_track_t  *track;

    track = e->track;
    esds = &sound->esds;

    if (e->type != vod_fourcc('m', 'p', '4', 'a')) {
        memset(esds, 0, sizeof(vod_esds_t));

        esds->oti = sound->rate < 32000 ? VOD_OTI_MPEG2_AUDIO
                                        : VOD_OTI_MPEG1_AUDIO;
        e->type = vod_fourcc('m', 'p', '4', 'a');
    }

    esds->info = NULL;
    esds->info_len = 0;

    memcpy(track->codec,
           esds->oti == VOD_OTI_MPEG1_AUDIO ? "mp4a.6B" : "mp4a.69", 8);

    track->sample_rate = sound->rate;
    track->channels = sound->channels;
    track->channel_layout = sound->channels <= 2 ? sound->channels : 0;

    return VOD_OK;
}


unsigned
vod_cicp_channels(unsigned config)
{
    static const uint8_t  channels[] = {
        0, 1, 2, 3, 4, 5, 6, 8, 2, 3, 4, 7, 8, 24, 8, 12, 10, 12, 14, 12, 14
    };

    return config < sizeof(channels) ? channels[config] : 0;
}


static void
vod_sound_write(vod_entry_t *e, const vod_sound_t *sound, vod_wr_t *out)
{
    uint32_t  rate;
    uint64_t  mark;
    unsigned  channels;

    /* QuickTime's count is of another meaning for compressed sound */

    channels = sound->version || sound->channels == 0 ? e->track->channels
                                                      : sound->channels;

    rate = sound->rate ? sound->rate : e->track->sample_rate;

    mark = vod_wr_box(out, e->type);

    vod_wr_zero(out, 6);
    vod_wr_u16(out, 1);                     /* data_reference_index */
    vod_wr_zero(out, 8);
    vod_wr_u16(out, (uint16_t) channels);
    vod_wr_u16(out, (uint16_t) (sound->bits ? sound->bits : 16));
    vod_wr_zero(out, 4);
    vod_wr_u32(out, rate <= UINT16_MAX ? rate << 16 : 0);

    vod_sound_write_children(e, sound, out);

    vod_wr_box_end(out, mark);
}


static void
vod_sound_write_children(vod_entry_t *e, const vod_sound_t *sound,
    vod_wr_t *out)
{
    int           config;
    vod_rd_t      rd;
    vod_rd_box_t  box;

    config = 0;

    if (e->config == vod_fourcc('e', 's', 'd', 's')) {
        vod_esds_write(out, &sound->esds);
        config = 1;

    } else if (sound->wave) {
        vod_entry_box(out, e->config, &sound->config);
        config = 1;
    }

    rd = e->children;

    while (vod_rd_box(&rd, &box) == 1) {

        switch (box.type) {

        case 0:
        case vod_fourcc('f', 'r', 'e', 'e'):
        case vod_fourcc('s', 'k', 'i', 'p'):
        case vod_fourcc('w', 'a', 'v', 'e'):
        case vod_fourcc('c', 'h', 'a', 'n'):
        case vod_fourcc('f', 'r', 'm', 'a'):
        case vod_fourcc('s', 'r', 'a', 't'):
            continue;
        }

        if (box.type == e->config && config++) {
            continue;
        }

        vod_entry_box(out, box.type, &box.body);
    }
}
