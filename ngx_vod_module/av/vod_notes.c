#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vod_notes.h"


#define VOD_NOTES_LINE  512     /* longest line */
#define VOD_NOTES_TAIL  64      /* kept free for vod_notes_close() */


void
vod_notes_add(vod_notes_t *notes, const char *fmt, ...)
{
    char     line[VOD_NOTES_LINE], *p;
    size_t   len;
    va_list  args;

    va_start(args, fmt);
    (void) vsnprintf(line, sizeof(line) - 1, fmt, args);
    va_end(args);

    for (p = line; *p; p++) {
        if ((unsigned char) *p < 0x20 || *p == 0x7f) {
            *p = '?';
        }
    }

    *p++ = '\n';
    len = (size_t) (p - line);

    if (len > sizeof(notes->text) - VOD_NOTES_TAIL - notes->len) {
        notes->dropped++;
        return;
    }

    memcpy(notes->text + notes->len, line, len);
    notes->len += (uint32_t) len;
}


void
vod_notes_close(vod_notes_t *notes)
{
    if (notes->dropped) {
        notes->len += (uint32_t) sprintf(notes->text + notes->len,
                                         "and %u more\n", notes->dropped);
        notes->dropped = 0;
    }
}
