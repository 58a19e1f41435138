/*
 * Private to vod_codec*.c and vod_config*.c: what a sequence parameter set
 * of H.264 or H.265 says.
 */

#ifndef _VOD_SPS_H_INCLUDED_
#define _VOD_SPS_H_INCLUDED_

#include "vod_bits.h"
#include "vod_rd.h"


/* the first part of vui_parameters(); 0 in den or colour = nothing said */
typedef struct {
    uint32_t  sar_num, sar_den;
    unsigned  colour;           /* 1 = the four below are set */
    unsigned  primaries, transfer, matrix, full_range;
} vod_vui_t;

typedef struct {
    int        whole;           /* read to the end of what is kept here */
    unsigned   profile;         /* profile_idc; constraints and level as in */
    unsigned   compatible;      /* avcC */
    unsigned   level;
    unsigned   chroma;          /* chroma_format_idc */
    unsigned   planes;          /* separate_colour_plane_flag */
    unsigned   depth;           /* bits of luma; 0 = not read */
    unsigned   depth_chroma;
    uint32_t   width, height;   /* of what is shown, luma samples */
    int        reorder;         /* max_num_reorder_frames; -1 = not said */
    vod_vui_t  vui;
} vod_avc_sps_t;

typedef struct {
    unsigned   space, tier, profile, level;
    uint32_t   compatible;      /* general_profile_compatibility_flags */
    uint64_t   constraints;     /* the 48 bits behind them */
} vod_hevc_ptl_t;

typedef struct {
    int             whole;
    vod_hevc_ptl_t  ptl;
    unsigned        sub_layers; /* sps_max_sub_layers_minus1 */
    unsigned        nested;     /* sps_temporal_id_nesting_flag */
    unsigned        chroma, depth, depth_chroma;
    uint32_t        width, height;
    int             reorder;    /* sps_max_num_reorder_pics of all layers */
    unsigned        segmentation;   /* min_spatial_segmentation_idc */
    vod_vui_t       vui;
} vod_hevc_sps_t;


/*
 * nal is the whole NAL unit, header included.  What stands before the place
 * where it is cut off or makes no sense is filled in, the rest is 0 and
 * whole is not set.
 */
void vod_avc_sps_read(vod_avc_sps_t *sps, vod_rd_t nal);
void vod_hevc_sps_read(vod_hevc_sps_t *sps, vod_rd_t nal);

/* profile_tier_level(1, sub_layers) (23008-2, 7.3.3) */
void vod_hevc_ptl_read(vod_hevc_ptl_t *ptl, vod_bits_t *bits,
    unsigned sub_layers);

/* profiles whose set says the chroma format (14496-10, 7.3.2.1.1) */
int vod_avc_high(unsigned profile);

/* first part of vui_parameters() (14496-10 E.1.1 and 23008-2 E.2.1) */
void vod_vui_read(vod_vui_t *vui, vod_bits_t *bits);

#endif /* _VOD_SPS_H_INCLUDED_ */
