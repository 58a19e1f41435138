/*
 * Private to vod_config*.c.
 */

#ifndef _VOD_CONFIG_INT_H_INCLUDED_
#define _VOD_CONFIG_INT_H_INCLUDED_

#include "vod_bits.h"
#include "vod_codec_int.h"
#include "vod_config.h"
#include "vod_rd.h"


/* ---- vod_config.c: entries */

/*
 * The fixed part of a sample entry (14496-12, 12.1.3 and 12.2.3); what
 * belongs to the entry follows, and vod_config_end() closes it.  A picture's
 * size is that of the container, or else this one.
 */
uint64_t vod_config_visual(const vod_config_t *in, vod_wr_t *out,
    uint32_t type, uint32_t width, uint32_t height);
uint64_t vod_config_sound(vod_wr_t *out, uint32_t type, unsigned channels,
    unsigned bits, uint32_t rate);

/* an entry's end: with pasp, colr, mdcv, clli, dvcC where they are known */
int vod_config_visual_end(const vod_config_t *in, vod_wr_t *out,
    uint64_t mark, vod_err_t *err);

/* a box with this content */
void vod_config_box(vod_wr_t *out, uint32_t type, const void *data,
    uint64_t len);

/*
 * The content of an entry's child box of this type: 1 and its reader, or 0.
 * The fixed part is that of the entry's own type.
 */
int vod_config_child(const uint8_t *entry, uint64_t entry_len, uint32_t type,
    vod_rd_t *body);

/* type of an entry, 0 where it is none */
uint32_t vod_config_type(const uint8_t *entry, uint64_t entry_len);


/* ---- vod_config_nal.c: NAL units, of H.264 and H.265 */

typedef struct {
    const uint8_t  *pos;
    const uint8_t  *end;
    unsigned        size;       /* bytes of a length; 0 = start codes */
    int             damaged;
} vod_nal_rd_t;

void vod_nal_init(vod_nal_rd_t *rd, const uint8_t *data, uint64_t len,
    unsigned size);

/* the next unit that is not empty: 1, or 0 at the end, where damaged tells
   whether all was of that form */
int vod_nal_next(vod_nal_rd_t *rd, vod_rd_t *nal);

/* bytes begin like a stream with start codes (14496-10, B.1) */
int vod_nal_annexb(const uint8_t *data, uint64_t len);

/* parameter sets that were found, each once */
#define VOD_SETS_MAX  64

typedef struct {
    unsigned  n;
    vod_rd_t  set[VOD_SETS_MAX];
    uint8_t   type[VOD_SETS_MAX];
} vod_sets_t;

/*
 * Adds all units of types with a bit in mask; hevc tells how a type is
 * written.  VOD_OK; VOD_DAMAGED; VOD_LIMIT where there are too many.
 */
int vod_sets_add(vod_sets_t *sets, const uint8_t *data, uint64_t len,
    unsigned size, int hevc, uint64_t mask, vod_err_t *err);

unsigned vod_sets_count(const vod_sets_t *sets, unsigned type);

/* what differs between the two codecs */
typedef struct {
    const char  *name;          /* for reasons */
    const char  *record_name;
    int          hevc;
    unsigned     convert;       /* VOD_CONVERT_* of start codes */
    uint64_t     mask;          /* types of parameter sets */
    int        (*record)(vod_sets_t *sets, vod_rd_t body, unsigned *size);
    int        (*whole)(const vod_sets_t *sets);
} vod_sets_form_t;

/*
 * The parameter sets: of the record, which is carried whole then (*record);
 * of an Annex B configuration; of the sample.  size is that of the lengths.
 * VOD_OK; VOD_DAMAGED where there are none, or no such record; VOD_LIMIT.
 */
int vod_sets_find(const vod_sets_form_t *form, const vod_config_t *in,
    vod_sets_t *sets, unsigned *size, int *record, unsigned *convert,
    vod_err_t *err);

/* the first set of this type; 1, or 0 where there is none */
int vod_sets_first(const vod_sets_t *sets, unsigned type, vod_rd_t *set);

/* type of a unit of this codec */
unsigned vod_nal_type(const vod_rd_t *nal, int hevc);

int vod_nal_convert(int hevc, const uint8_t *entry, uint64_t entry_len,
    const uint8_t *in, uint64_t size, uint8_t *out, uint64_t *len);


/* ---- a codec each: writes the entry, sets *convert */

int vod_config_avc(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err);
int vod_config_hevc(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err);
int vod_config_av1(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err);
int vod_config_mp4v(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_vp8(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_vp9(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_aac(const vod_config_t *in, vod_wr_t *out, unsigned *convert,
    vod_err_t *err);
int vod_config_ac3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_eac3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_dts(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_opus(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_flac(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_alac(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);
int vod_config_mp3(const vod_config_t *in, vod_wr_t *out, vod_err_t *err);


/* ---- what a codec's file has for the others */

/* parameter sets of a configuration record; VOD_OK or VOD_DAMAGED */
int vod_avc_record(vod_sets_t *sets, vod_rd_t body, unsigned *size);
int vod_hevc_record(vod_sets_t *sets, vod_rd_t body, unsigned *size);

int vod_avc_reorder(const vod_rd_t *body);
int vod_hevc_reorder(const vod_rd_t *body);
int vod_m4v_reorder(const vod_rd_t *body);

int vod_avc_sync(const uint8_t *sample, uint64_t size);
int vod_hevc_sync(const uint8_t *sample, uint64_t size);
int vod_av1_sync(const uint8_t *sample, uint64_t size);
int vod_m4v_sync(const uint8_t *sample, uint64_t size);
int vod_vp9_sync(const uint8_t *sample, uint64_t size);

int vod_adts_convert(const uint8_t *in, uint64_t size, uint8_t *out,
    uint64_t *len);
int vod_obu_convert(const uint8_t *in, uint64_t size, uint8_t *out,
    uint64_t *len);

/* samples of a frame, and Hz in *rate; 0 where that cannot be told */
uint32_t vod_aac_frame(const uint8_t *entry, uint64_t entry_len,
    uint32_t *rate);
uint32_t vod_ac3_frame(const uint8_t *sample, uint64_t size, uint32_t *rate);
uint32_t vod_eac3_frame(const uint8_t *sample, uint64_t size,
    uint32_t *rate);
uint32_t vod_dts_frame(const uint8_t *sample, uint64_t size, uint32_t *rate);
uint32_t vod_opus_frame(const uint8_t *sample, uint64_t size,
    uint32_t *rate);
uint32_t vod_flac_frame(const uint8_t *entry, uint64_t entry_len,
    const uint8_t *sample, uint64_t size, uint32_t *rate);
uint32_t vod_alac_frame(const uint8_t *entry, uint64_t entry_len,
    const uint8_t *sample, uint64_t size, uint32_t *rate);
uint32_t vod_mp3_frame(const uint8_t *sample, uint64_t size, uint32_t *rate);

#endif /* _VOD_CONFIG_INT_H_INCLUDED_ */
