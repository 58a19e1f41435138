/*
 * Runs the benches: see micro.h.
 *
 *   micro [-b PATTERN] [-n OPERATIONS | -t MS] [-s SAMPLES] CLIP
 *
 * PATTERN is part of a bench's name.  With -n each bench runs so many
 * operations, and the line tells counts where count.c is linked in (COUNT);
 * with -t as many as take about so long, and the line tells the time.
 */

#define _POSIX_C_SOURCE 200809L

#include "micro.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#ifdef COUNT
#include "../count.h"
#endif


const char        *micro_clip;
volatile uint64_t  micro_sink;


void
micro_need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "micro: %s\n", what);
        exit(1);
    }
}


static int64_t
now_ns(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (int64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


#ifdef COUNT

static void
run_counted(const micro_t *m, uint64_t n)
{
    count_t  before, after;

    before = *vod_counts;
    m->run(n);
    after = *vod_counts;

#define per_op(field)  ((double) (after.field - before.field) / (double) n)

    printf("Benchmark%s-1 \t%8" PRIu64 "\t%12.1f B/op\t%8.2f allocs/op"
           "\t%12.1f copied-B/op\t%8.2f copies/op\t%8.2f syscalls/op\n",
           m->name, n, per_op(alloc_bytes), per_op(allocs), per_op(copied),
           per_op(copies), per_op(syscalls));
}

#else

static void
run_timed(const micro_t *m, int64_t want)
{
    int64_t   t;
    uint64_t  n;

    for (n = 1; ; n *= 2) {
        t = now_ns();
        m->run(n);
        t = now_ns() - t;

        if (t > want / 4) {
            break;
        }
    }

    n = (uint64_t) ((double) n * (double) want / (double) t) + 1;

    t = now_ns();
    m->run(n);
    t = now_ns() - t;

    printf("Benchmark%s-1 \t%8" PRIu64 "\t%12.1f ns/op\n", m->name, n,
           (double) t / (double) n);
}

#endif


int
main(int argc, char **argv)
{
    int             c;
    long            n, ms, samples, i;
    size_t          g;
    const char     *pattern;
    const micro_t  *m;

    static const micro_t *const  groups[] = {
        micro_wire, micro_message, micro_request, micro_index
    };

    pattern = "";
    n = 20;
    ms = 200;
    samples = 1;

    while ((c = getopt(argc, argv, "b:n:t:s:")) != -1) {

        switch (c) {
        case 'b': pattern = optarg; break;
        case 'n': n = atol(optarg); break;
        case 't': ms = atol(optarg); break;
        case 's': samples = atol(optarg); break;
        default: return 2;
        }
    }

    micro_need(optind + 1 == argc && n > 0 && ms > 0,
               "usage: micro [-b PATTERN] [-n N | -t MS] [-s N] CLIP");
    micro_clip = argv[optind];

    for (g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
        for (m = groups[g]; m->name; m++) {

            if (strstr(m->name, pattern) == NULL) {
                continue;
            }

            m->run(1);          /* what is made once */

            for (i = 0; i < samples; i++) {
#ifdef COUNT
                run_counted(m, (uint64_t) n);
#else
                run_timed(m, ms * 1000000);
#endif
                (void) fflush(stdout);
            }
        }
    }

    (void) now_ns;

    return 0;
}
