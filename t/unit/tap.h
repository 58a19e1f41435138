/*
 * Test Anything Protocol for the unit tests: one program, one line a test.
 *
 *     int
 *     main(void)
 *     {
 *         ok(len > 0, "the index of %s has a length", name);
 *         is_int(len, 42, "its length");
 *         is_str(text, "en", "its language");
 *
 *         return done_testing();
 *     }
 *
 * A failed test shows where it stands and what was found; the program then
 * ends with a status other than zero.
 */

#ifndef _TAP_H_INCLUDED_
#define _TAP_H_INCLUDED_

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>


static int  tap_run;
static int  tap_failed;


#define ok(cond, ...)                                                         \
    tap_ok((cond) ? 1 : 0, __FILE__, __LINE__, __VA_ARGS__)

/* any two integers of up to 64 bits */
#define is_int(got, expected, ...)                                            \
    tap_is_int((long long) (got), (long long) (expected), __FILE__,           \
               __LINE__, __VA_ARGS__)

/* two C strings, either may be NULL */
#define is_str(got, expected, ...)                                            \
    tap_is_str((got), (expected), __FILE__, __LINE__, __VA_ARGS__)

/* two pieces of memory of the same length, shown in hex where they differ */
#define is_mem(got, expected, len, ...)                                       \
    tap_is_mem((got), (expected), (len), __FILE__, __LINE__, __VA_ARGS__)


static inline int
tap_line(int good, const char *file, int line, const char *fmt, va_list args)
{
    tap_run++;

    printf("%sok %d - ", good ? "" : "not ", tap_run);
    vprintf(fmt, args);
    printf("\n");

    if (!good) {
        tap_failed++;
        printf("#   failed at %s line %d\n", file, line);
    }

    fflush(stdout);

    return good;
}


#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static inline int
tap_ok(int good, const char *file, int line, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    tap_line(good, file, line, fmt, args);
    va_end(args);

    return good;
}


#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static inline int
tap_is_int(long long got, long long expected, const char *file, int line,
    const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    tap_line(got == expected, file, line, fmt, args);
    va_end(args);

    if (got != expected) {
        printf("#   got %lld, expected %lld\n", got, expected);
    }

    return got == expected;
}


#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static inline int
tap_is_str(const char *got, const char *expected, const char *file, int line,
    const char *fmt, ...)
{
    int      good;
    va_list  args;

    good = (got && expected) ? strcmp(got, expected) == 0 : got == expected;

    va_start(args, fmt);
    tap_line(good, file, line, fmt, args);
    va_end(args);

    if (!good) {
        printf("#   got '%s'\n#   expected '%s'\n", got ? got : "(null)",
               expected ? expected : "(null)");
    }

    return good;
}


static inline void
tap_hex(const char *what, const void *data, size_t len)
{
    size_t          i;
    const uint8_t  *p;

    printf("#   %s", what);

    for (i = 0, p = data; i < len; i++) {
        printf(" %02x", p[i]);
    }

    printf("\n");
}


#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
static inline int
tap_is_mem(const void *got, const void *expected, size_t len,
    const char *file, int line, const char *fmt, ...)
{
    int      good;
    va_list  args;

    good = (memcmp(got, expected, len) == 0);

    va_start(args, fmt);
    tap_line(good, file, line, fmt, args);
    va_end(args);

    if (!good) {
        tap_hex("got     ", got, len);
        tap_hex("expected", expected, len);
    }

    return good;
}


/* prints the plan; the status main() returns */
static inline int
done_testing(void)
{
    printf("1..%d\n", tap_run);

    if (tap_failed) {
        printf("# %d of %d failed\n", tap_failed, tap_run);
    }

    return tap_failed || tap_run == 0;
}


/*
 * Numbers for random inputs, the same in every run: xorshift64* from a seed
 * that is not 0.
 */
static inline uint64_t
tap_rand(uint64_t *seed)
{
    uint64_t  x;

    x = *seed;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *seed = x;

    return x * 0x2545f4914f6cdd1dULL;
}

#endif /* _TAP_H_INCLUDED_ */
