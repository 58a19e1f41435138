/*
 * The little of EBML (RFC 8794) that libavformat does not tell.
 */

#ifndef _VOD_EBML_H_INCLUDED_
#define _VOD_EBML_H_INCLUDED_

#include "../core/vod_rd.h"


/*
 * Where the first Segment of a Matroska file ends by its own size (RFC 9559,
 * 5.1), bytes from the file's begin; head are its first bytes.  0 where it
 * does not say, or does not begin within head.
 */
uint64_t vod_ebml_segment_end(const uint8_t *head, uint64_t len);

#endif /* _VOD_EBML_H_INCLUDED_ */
