/*
 * What is asked: the tail of a URI that names one answer of an asset.
 */

#ifndef _VOD_URI_H_INCLUDED_
#define _VOD_URI_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>


#define VOD_URI_NONE      0     /* not one of ours: 404 */
#define VOD_URI_MASTER    1     /* <asset>/master.m3u8 */
#define VOD_URI_MANIFEST  2     /* <asset>/manifest.mpd */
#define VOD_URI_MEDIA     3     /* <asset>/<track>/index.m3u8 */
#define VOD_URI_INIT      4     /* <asset>/<track>/init[-<token>].mp4 */
#define VOD_URI_SEGMENT   5     /* <asset>/<track>/<n>[-<token>].m4s */
#define VOD_URI_IFRAMES   6     /* <asset>/<track>/iframes.m3u8 */
#define VOD_URI_TEXT      7     /* <asset>/s<k>/<n>[-<token>].vtt */

#define VOD_URI_KINDS     8     /* how many there are, VOD_URI_NONE too */

#define VOD_TOKEN_LEN     12


typedef struct {
    unsigned     what;          /* VOD_URI_* */
    size_t       asset_len;     /* bytes of the URI that name the asset,
                                   without the slash behind them */
    unsigned     kind;          /* VOD_VIDEO ...; 0 without a track */
    uint32_t     number;        /* of the track among its kind, from 1 */
    uint64_t     segment;       /* from 1; 0 = none */
    const char  *token;         /* VOD_TOKEN_LEN bytes within the URI, NULL */
} vod_uri_t;


/*
 * Parses a decoded, normalised URI path of len bytes.  Numbers have no
 * leading zero and fit 32 bits.  Returns uri->what.
 */
unsigned vod_uri_parse(vod_uri_t *uri, const char *path, size_t len);

/*
 * "master", "manifest", "media", "init", "segment", "iframes", "text", "other"
 */
const char *vod_uri_kind(unsigned what);

#endif /* _VOD_URI_H_INCLUDED_ */
