/*
 * Shared by the files that write playlists, and by no other.
 */

#ifndef _VOD_HLS_WRITE_H_INCLUDED_
#define _VOD_HLS_WRITE_H_INCLUDED_

#include "vod_hls.h"
#include "vod_rendition.h"


/* GROUP-ID of text */
#define VOD_HLS_SUBTITLES  "subs"


/* what is referred to while a multivariant playlist is written */
typedef struct {
    vod_wr_t                     *wr;
    const vod_links_t            *links;
    vod_renditions_t              r;

    /* the group that is written of, NULL = none */
    const vod_rendition_group_t  *group;
    uint64_t                      peak, average;    /* the highest in it */
    uint64_t                      text_peak, text_average;
    unsigned                      n_codecs;
    uint16_t                      audio[VOD_RENDITION_TRACKS];
    uint16_t                      codecs[VOD_RENDITION_TRACKS];
} vod_hls_master_t;


/* vod_hls_master.c: the URL of a track's playlist */
void vod_hls_child(const vod_hls_master_t *m, unsigned ordinal,
    const char *name);

/*
 * vod_hls_tags.c: EXT-X-MEDIA (4.4.6.1) of each member of the group, of all
 * text.
 */
void vod_hls_audio_tags(const vod_hls_master_t *m);
void vod_hls_text_tags(const vod_hls_master_t *m);

#endif /* _VOD_HLS_WRITE_H_INCLUDED_ */
