/*
 * Result codes, and the reason that travels with them.
 *
 * A function that can fail takes a vod_err_t and returns one of the codes
 * below.  On failure the text says what was found and what to change, ready
 * to stand in a log line after the file's name; it never names a function.
 */

#ifndef _VOD_ERR_H_INCLUDED_
#define _VOD_ERR_H_INCLUDED_

#include <stdarg.h>


#define VOD_OK            0
#define VOD_NOT_FOUND    -1     /* track or segment out of range       -> 404 */
#define VOD_UNSUPPORTED  -2     /* sound media that CMAF cannot carry  -> 422 */
#define VOD_DAMAGED      -3     /* truncated, contradictory, not media -> 422 */
#define VOD_LIMIT        -4     /* one of our limits was exceeded      -> 422 */
#define VOD_NOMEM        -5     /* allocation failed, buffer too small -> 500 */
#define VOD_IO           -6     /* the system refused a read           -> 500 */
#define VOD_INTERNAL     -7     /* our own invariant is broken         -> 500 */
#define VOD_TIMEOUT      -8     /* it took too long, this time         -> 503 */
#define VOD_RANGE        -9     /* a clip that has nothing in it       -> 400 */

#define VOD_ERR_TEXT     320


typedef struct {
    int   code;
    char  text[VOD_ERR_TEXT];
} vod_err_t;


/*
 * Stores code and the formatted reason (cut at VOD_ERR_TEXT - 1 bytes,
 * control characters replaced by '?') and returns code.  err may be NULL.
 */
int vod_fail(vod_err_t *err, int code, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* the analyzer of clang-tidy sees one file: what vod_fail() returns is told */
#ifdef __clang_analyzer__
#define vod_fail(err, code, ...)                                              \
    ((void) (vod_fail)(err, code, __VA_ARGS__), (code))
#endif

#endif /* _VOD_ERR_H_INCLUDED_ */
