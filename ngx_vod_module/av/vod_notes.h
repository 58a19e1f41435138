/*
 * The lines that travel with an index: what was left out, what was repaired.
 */

#ifndef _VOD_NOTES_H_INCLUDED_
#define _VOD_NOTES_H_INCLUDED_

#include <stdint.h>

#include "../core/vod_err.h"


/* a hostile file must not fill a log: later lines are dropped, and counted */
#define VOD_NOTES_ROOM  8192


typedef struct {
    char      text[VOD_NOTES_ROOM];
    uint32_t  len;
    uint32_t  dropped;
} vod_notes_t;


/* appends one line; control characters become '?', an LF is added */
void vod_notes_add(vod_notes_t *notes, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* says how many lines found no room; called once, at the end */
void vod_notes_close(vod_notes_t *notes);

#endif /* _VOD_NOTES_H_INCLUDED_ */
