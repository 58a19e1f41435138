/*
 * Joining very many fragments: a recording whose clock was set back leaves
 * each of those behind out, which has to cost no more than to look at it.
 */

#include <stdlib.h>
#include <unistd.h>

#include "../../ngx_vod_module/av/vod_frag.h"
#include "tap.h"


#define RUNS     300000u        /* of two samples */
#define SECONDS  60             /* moving all that follow takes many more */


static vod_frag_track_t  frag;


/* run i begins at dts(i) and has two samples of 10 ticks, sizes 2i, 2i + 1 */
static void
make(uint32_t n, int64_t (*dts)(uint32_t i))
{
    uint32_t  i;

    memset(&frag, 0, sizeof(frag));
    frag.samples = calloc(2 * n, sizeof(vod_sample_t));
    frag.runs = calloc(n, sizeof(vod_frag_run_t));
    frag.room = frag.n = 2 * n;
    frag.run_room = frag.n_runs = n;

    for (i = 0; i < 2 * n; i++) {
        frag.samples[i].size = i;
        frag.samples[i].dur = 10;
        frag.samples[i].key = 1;
    }

    for (i = 0; i < n; i++) {
        frag.runs[i].dts = dts(i);
        frag.runs[i].span = 20;
        frag.runs[i].first = 2 * i;
        frag.runs[i].n = 2;
    }
}


static void
clear(void)
{
    free(frag.samples);
    free(frag.runs);
}


static int
join(vod_notes_t *notes)
{
    int        rc;
    int64_t    dts;
    vod_err_t  err;

    memset(notes, 0, sizeof(vod_notes_t));

    rc = vod_frag_join(&frag, NULL, 0, "track 1", &dts, notes, &err);

    if (rc != VOD_OK) {
        printf("# %s\n", err.text);
    }

    return rc;
}


static int64_t
always_zero(uint32_t i)
{
    (void) i;

    return 0;
}


/* every second one is at 5, where others are */
static int64_t
every_second(uint32_t i)
{
    return i == 0 ? 0 : i % 2 ? 20 * (int64_t) i : 5;
}


int
main(void)
{
    uint32_t     i;
    unsigned     wrong;
    vod_notes_t  notes;

    (void) alarm(SECONDS);

    make(RUNS, always_zero);
    is_int(join(&notes), VOD_OK, "%u fragments at one time", RUNS);
    is_int(frag.n_runs, 1, "one is left");
    is_int(frag.n, 2, "and its samples");
    ok(strstr(notes.text, "299999 fragments go back"), "the note counts them");
    clear();

    make(RUNS, every_second);
    is_int(join(&notes), VOD_OK, "every second one goes back");
    is_int(frag.n_runs, 1 + RUNS / 2, "the others are left");
    is_int(frag.n, 2 + RUNS, "and their samples");

    for (i = 1, wrong = 0; i < frag.n_runs; i++) {
        wrong += frag.runs[i].first != 2 * i
                 || frag.runs[i].dts != 20 * (int64_t) (2 * i - 1)
                 || frag.samples[2 * i].size != 2 * (2 * i - 1)
                 || frag.samples[2 * i + 1].size != 2 * (2 * i - 1) + 1
                 || frag.samples[2 * i].dur != 10
                 || (i + 1 < frag.n_runs
                     && frag.samples[2 * i + 1].dur != 30);
    }

    is_int(wrong, 0, "each with its samples, and lasting to the next");
    clear();

    return done_testing();
}
