#include <stdio.h>

#include "vod_err.h"


int
(vod_fail)(vod_err_t *err, int code, const char *fmt, ...)
{
    char    *p;
    va_list  args;

    if (err == NULL) {
        return code;
    }

    err->code = code;

    va_start(args, fmt);
    (void) vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);

    /* the reason may quote the file, and goes to a log: one line, no escape */

    for (p = err->text; *p; p++) {
        if ((unsigned char) *p < 0x20 || *p == 0x7f) {
            *p = '?';
        }
    }

    return code;
}
