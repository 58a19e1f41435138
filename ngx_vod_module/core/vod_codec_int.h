/*
 * Private to vod_codec*.c: one sample entry on its way through.
 */

#ifndef _VOD_CODEC_INT_H_INCLUDED_
#define _VOD_CODEC_INT_H_INCLUDED_

#include "vod_bits.h"
#include "vod_codec.h"
#include "vod_rd.h"
#include "vod_sps.h"


/* colour as code points of ISO/IEC 23091-2; 2 is "unspecified" */
#define VOD_COLOUR_UNSPECIFIED  2
#define VOD_COLOUR_PQ           16
#define VOD_COLOUR_HLG          18


typedef struct {
    uint32_t      type;         /* of the entry; of the one to write */
    uint32_t      config;       /* type of the decoder configuration box */
    vod_rd_t      fixed;        /* fields before the child boxes */
    vod_rd_t      children;
    vod_track_t  *track;
    vod_err_t    *err;

    unsigned      colour;       /* 0 = nothing said yet */
    unsigned      primaries, transfer, matrix, full_range;
} vod_entry_t;


/* ---- vod_codec.c: what all entries have in common */

/* the first child box of this type: 1 and its content, or 0 */
int vod_entry_child(const vod_rd_t *children, uint32_t type, vod_rd_t *body);

/* writes one box */
void vod_entry_box(vod_wr_t *out, uint32_t type, const vod_rd_t *body);

/* VOD_UNSUPPORTED with a reason that names the codec of this entry */
int vod_entry_unsupported(vod_entry_t *e);

/* VOD_DAMAGED: the entry's configuration box, and what is wrong with it */
int vod_entry_damaged(vod_entry_t *e, const char *what);

/* four characters as text, what is not printable as '?'; returns text */
const char *vod_entry_fourcc(uint32_t type, char text[5]);


/* ---- vod_codec_video.c */

int vod_codec_video(vod_entry_t *e, vod_wr_t *out);

/* colour and pixel aspect ratio from the stream, where no box said it */
void vod_video_colour(vod_entry_t *e, unsigned primaries, unsigned transfer,
    unsigned matrix, unsigned full_range);

/* colour is known and not BT.709 in limited range */
int vod_video_colour_special(const vod_entry_t *e);

void vod_video_sar(vod_entry_t *e, uint32_t num, uint32_t den);

/* the same from a sequence parameter set */
void vod_video_vui(vod_entry_t *e, const vod_vui_t *vui);


/*
 * ---- a codec each: body is the content of the configuration box e->config;
 * they fill in the codec string and what the configuration says, and may
 * change e->type.
 */

int vod_codec_avc(vod_entry_t *e, vod_rd_t body);           /* avcC */
int vod_codec_hevc(vod_entry_t *e, vod_rd_t body);          /* hvcC */
int vod_codec_av1(vod_entry_t *e, vod_rd_t body);           /* av1C */
int vod_codec_vp9(vod_entry_t *e, vod_rd_t body);           /* vpcC */
int vod_codec_mp4v(vod_entry_t *e, vod_rd_t body);          /* esds */


/* ---- vod_codec_mp4v.c: what headers of MPEG-4 Part 2 say (14496-2, 6.2) */

typedef struct {
    unsigned  level;            /* profile_level_indication, 0 = not there */
    uint32_t  width, height;    /* 0 = no layer was there */
    uint32_t  sar_num, sar_den;
    unsigned  low_delay;        /* no pictures of both directions */
    int       picture;          /* vop_coding_type, 0 = intra; -1 = none */
    uint64_t  headers;          /* bytes before the first picture or group */
} vod_m4v_t;

void vod_m4v_read(vod_m4v_t *m4v, const uint8_t *data, uint64_t len);


/* ---- vod_av1_obu.c */

#define VOD_OBU_SEQUENCE_HEADER     1
#define VOD_OBU_TEMPORAL_DELIMITER  2
#define VOD_OBU_FRAME_HEADER        3
#define VOD_OBU_METADATA            5
#define VOD_OBU_FRAME               6

typedef struct {
    unsigned  profile, level, tier;     /* of the first operating point */
    unsigned  reduced;                  /* reduced_still_picture_header */
    unsigned  high, twelve, mono;       /* as in av1C */
    unsigned  sub_x, sub_y, position;
    unsigned  primaries, transfer, matrix, full_range;
    uint32_t  width, height;
} vod_av1_sequence_t;

/*
 * Next open bitstream unit (AV1 bitstream specification, 5.3) of a stream in
 * the low-overhead format; 0 at the end, and where rd->failed is set.  A unit
 * with no size of its own goes to the end.
 */
int vod_av1_obu(vod_rd_t *rd, unsigned *type, vod_rd_t *payload);

/* payload is that of a sequence header; 1, or 0 where it makes no sense */
int vod_av1_sequence_read(vod_av1_sequence_t *seq, vod_rd_t payload);


/* ---- vod_codec_vp9.c */

/* the level that a picture of this size asks for, in tenths */
unsigned vod_vp9_level(uint32_t width, uint32_t height);


/* ---- vod_codec_audio.c */

int vod_codec_audio(vod_entry_t *e, vod_wr_t *out);

int vod_codec_opus(vod_entry_t *e, vod_rd_t body);          /* dOps */
int vod_codec_flac(vod_entry_t *e, vod_rd_t body);          /* dfLa */
int vod_codec_ac3(vod_entry_t *e, vod_rd_t body);           /* dac3 */
int vod_codec_eac3(vod_entry_t *e, vod_rd_t body);          /* dec3 */

int vod_codec_alac(vod_entry_t *e, vod_rd_t body);          /* alac */
int vod_codec_dts(vod_entry_t *e, vod_rd_t body);           /* ddts */

/* channels of a CICP ChannelConfiguration (23091-3), 0 where unknown */
unsigned vod_cicp_channels(unsigned config);


/* ---- vod_esds.c: elementary stream descriptor (ISO/IEC 14496-1, 7.2.6) */

#define VOD_OTI_MPEG4_VIDEO  0x20
#define VOD_OTI_AAC          0x40       /* any audio of 14496-3 */
#define VOD_OTI_AAC_MAIN     0x66       /* 13818-7 */
#define VOD_OTI_AAC_SSR      0x68
#define VOD_OTI_MPEG2_AUDIO  0x69       /* 13818-3, in practice MP3 */
#define VOD_OTI_MPEG1_AUDIO  0x6b       /* 11172-3, in practice MP3 */

typedef struct {
    uint8_t         oti;        /* objectTypeIndication */
    uint8_t         visual;     /* the stream to write is no sound */
    uint32_t        buffer;     /* bufferSizeDB, 24 bits */
    uint32_t        max_rate;
    uint32_t        avg_rate;
    const uint8_t  *info;       /* DecoderSpecificInfo within the box */
    uint64_t        info_len;
} vod_esds_t;

/* body is that of the box, version and flags included; 1, or 0 if damaged */
int vod_esds_read(vod_esds_t *esds, vod_rd_t body);

/* the same of bare descriptors, without version and flags */
int vod_esds_descriptors(vod_esds_t *esds, vod_rd_t body);

/* the whole box as CMAF wants it (23000-19, 10.3.4.2.3): ES_ID 0, no flags */
void vod_esds_write(vod_wr_t *out, const vod_esds_t *esds);


/* ---- vod_codec_aac.c: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) */

#define VOD_AOT_LC    2
#define VOD_AOT_SBR   5
#define VOD_AOT_PS    29
#define VOD_AOT_USAC  42

typedef struct {
    unsigned  aot;              /* of the core */
    unsigned  config;           /* channelConfiguration, 0 = channels */
    unsigned  channels;
    unsigned  sbr, ps;
    uint32_t  rate;             /* of the core, Hz */
    uint32_t  sbr_rate;         /* of the output with SBR, Hz */
    unsigned  frame;            /* samples of a frame at rate; 0 = unknown */
} vod_asc_t;

/* where bits->failed is set behind it, the config is cut off */
void vod_asc_read(vod_asc_t *asc, vod_bits_t *bits);

int vod_codec_aac(vod_entry_t *e, const vod_esds_t *esds);


/* ---- vod_codec_mp3.c: a frame of MPEG audio (11172-3, 2.4.1.3) */

typedef struct {
    unsigned  layer;            /* 1 to 3 */
    unsigned  lower;            /* rates of 13818-3 and of MPEG-2.5 */
    unsigned  channels;
    unsigned  samples;          /* a frame has */
    uint32_t  rate;             /* Hz */
} vod_mpa_t;

/* 1, or 0 where no header stands at data */
int vod_mpa_read(vod_mpa_t *mpa, const uint8_t *data, uint64_t len);

#endif /* _VOD_CODEC_INT_H_INCLUDED_ */
