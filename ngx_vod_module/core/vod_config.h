/*
 * From what other containers know of a codec to a sample entry of ISO BMFF,
 * and the payload's form as that entry wants it.
 *
 * Matroska, transport streams, FLV, Ogg and bare streams have a codec's
 * name, some bytes of configuration (or none, and parameter sets or headers
 * within the samples), and properties on the side.  vod_config_entry() makes
 * of that the sample entry that an MP4 file would have had; it then goes the
 * way of all sample entries, vod_codec_entry() (vod_codec.h), which says
 * what CMAF can carry.
 */

#ifndef _VOD_CONFIG_H_INCLUDED_
#define _VOD_CONFIG_H_INCLUDED_

#include "vod_index.h"
#include "vod_wr.h"


typedef enum {
    VOD_CODEC_NONE = 0,
    VOD_CODEC_AVC,
    VOD_CODEC_HEVC,
    VOD_CODEC_AV1,
    VOD_CODEC_VP8,
    VOD_CODEC_VP9,
    VOD_CODEC_MPEG4,            /* part 2 */
    VOD_CODEC_MPEG2,
    VOD_CODEC_AAC,              /* all object types, xHE-AAC included */
    VOD_CODEC_AC3,
    VOD_CODEC_EAC3,
    VOD_CODEC_DTS,
    VOD_CODEC_OPUS,
    VOD_CODEC_FLAC,
    VOD_CODEC_ALAC,
    VOD_CODEC_MP3,              /* layers 1 to 3 */
    VOD_CODEC_VORBIS
} vod_codec_id_t;


/* the payload's form in the source; NONE is the one of ISO BMFF */
#define VOD_CONVERT_NONE    0
#define VOD_CONVERT_ANNEXB_AVC   1     /* start codes; H.264 */
#define VOD_CONVERT_ANNEXB_HEVC  2     /* start codes; H.265 */
#define VOD_CONVERT_ADTS    3          /* one ADTS frame, header and all */
#define VOD_CONVERT_OBU     4          /* AV1 with temporal delimiters */


typedef struct {
    vod_codec_id_t  codec;
    const uint8_t  *config;     /* as the container has it: avcC, hvcC, av1C
                                   or Annex B parameter sets,
                                   AudioSpecificConfig,
                                   OpusHead, STREAMINFO (34 bytes, or from
                                   "fLaC" on), ALAC's cookie, esds content; or
                                   nothing */
    uint64_t        config_len;
    const uint8_t  *sample;     /* the first sync sample as the container has
                                   it; or nothing */
    uint64_t        sample_len;

    /* what the container says beside; 0 = nothing */
    uint32_t        width, height;
    uint32_t        sar_num, sar_den;
    uint32_t        sample_rate, channels, bits;    /* of the decoded sound
                                   where that is known (Matroska's
                                   OutputSamplingFrequency): so are SBR and
                                   PS found that the configuration hides */
    uint8_t         primaries, transfer, matrix;    /* 23091-2; 2 is 0 here */
    uint8_t         range;      /* 1 = full */
    const uint8_t  *dovi;       /* body of dvcC/dvvC, 24 bytes; or NULL */
    const uint8_t  *mdcv;       /* body of mdcv, 24 bytes; or NULL */
    const uint8_t  *clli;       /* body of clli, 4 bytes; or NULL */
} vod_config_t;


/*
 * Writes the sample entry box, for vod_codec_entry() to read, and sets
 * *convert to what the payload needs.  Where config is missing or is no
 * configuration of ISO BMFF, it is made from the sample (parameter sets of
 * H.264/H.265, sequence header of AV1, frame header of VP8/VP9, ADTS, AC-3,
 * E-AC-3, DTS, MP3, headers of MPEG-4 Part 2).  A record whose parameter sets
 * are in the samples is completed from the sample.
 *
 * VOD_OK; VOD_UNSUPPORTED naming a codec that ISO BMFF or CMAF does not
 * carry; VOD_DAMAGED where config and sample do not suffice or contradict
 * themselves; VOD_LIMIT for more than 64 parameter sets, or one of more than
 * 65535 bytes.  out may measure; on failure nothing was written.
 */
int vod_config_entry(const vod_config_t *in, vod_wr_t *out,
    unsigned *convert, vod_err_t *err);

/* most bytes vod_config_convert() makes of a sample of this size */
uint64_t vod_config_bound(unsigned convert, uint64_t size);

/*
 * The sample as ISO BMFF has it, written to out, which has room for
 * vod_config_bound() bytes (NULL: measured only); *len is its length.
 * Access unit delimiters and filler go (14496-15, 4.3.1 and 8.3.1), and
 * the parameter sets that the entry's configuration record holds byte for
 * byte; entry is the box vod_codec_entry() wrote.  Deterministic: the same
 * bytes for the same sample, whatever came before.
 * VOD_OK; VOD_DAMAGED where the sample is not of that form (ADTS: not one
 * whole frame), and where entry holds a record that is damaged.
 */
int vod_config_convert(unsigned convert, const uint8_t *entry,
    uint64_t entry_len, const uint8_t *in, uint64_t size, uint8_t *out,
    uint64_t *len);

/*
 * Duration of one audio frame in samples at *rate (which is set), from its
 * own header or the entry's configuration; 0 where that is not known.
 */
uint32_t vod_config_frame(vod_codec_id_t codec, const uint8_t *entry,
    uint64_t entry_len, const uint8_t *sample, uint64_t size,
    uint32_t *rate);

/*
 * How many frames pictures may be presented later than decoded, from the
 * entry's configuration; -1 where it does not say.  H.264 and H.265:
 * max_num_reorder_frames, sps_max_num_reorder_pics; 0 where only the profile
 * or the order of pictures says so.  MPEG-4 Part 2: 1, or 0 with low_delay.
 * AV1, VP8, VP9: 0, they are stored in the order of presentation.
 */
int vod_config_reorder(const uint8_t *entry, uint64_t entry_len);

/*
 * 1 where a sample (as ISO BMFF has it) is a sync sample by its own bytes, 0
 * where it is none, -1 where it cannot be told (14496-15, 14496-12 8.6.2):
 * so of AAC, which may be USAC, where not every frame is one.
 */
int vod_config_sync(vod_codec_id_t codec, const uint8_t *sample,
    uint64_t size);

/* "H.264", "Vorbis", ...: for reasons */
const char *vod_config_name(vod_codec_id_t codec);

#endif /* _VOD_CONFIG_H_INCLUDED_ */
