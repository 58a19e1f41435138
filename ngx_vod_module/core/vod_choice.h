/*
 * A choice of tracks as text: "v1,a2", "v1-a1", "v,a2,s".
 *
 * Each item is the name of a track as URLs have it, a kind (v, a, s) with the
 * number among its kind from 1, or a kind alone: all of these.  What is not
 * named is not chosen.  The text itself is the choice: it has no limit of its
 * own, and nothing is allocated.
 */

#ifndef _VOD_CHOICE_H_INCLUDED_
#define _VOD_CHOICE_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>


/*
 * Whether the text is one: items parted by ',' or '-', at least one, numbers
 * from 1 that fit 32 bits, no leading zero.  1 or 0.
 */
int vod_choice_valid(const char *text, size_t len);

/*
 * Whether a track is chosen: kind VOD_VIDEO, VOD_AUDIO or VOD_TEXT, its
 * number among them from 1.  text must be valid; of no bytes it has all.
 */
int vod_choice_has(const char *text, size_t len, unsigned kind,
    uint32_t number);

#endif /* _VOD_CHOICE_H_INCLUDED_ */
