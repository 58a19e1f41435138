#include <string.h>

#include "vod_text_int.h"


/*
 * SubRip was never written down.  What programs write: a counter, a line
 * "00:00:01,500 --> 00:00:04,000", lines of text, an empty line.  What is
 * found: counters and empty lines that are missing or stand within the text,
 * full stops for commas, hours left out, shorter arrows, coordinates behind the
 * times.  So the lines with times divide the file, and nothing else does.
 */

int
vod_text_srt_times(const vod_text_piece_t *line, int64_t *start,
    int64_t *end)
{
    const char  *p, *last, *dash;

    p = line->start;
    last = line->end;

    while (p < last && vod_text_space(*p)) {
        p++;
    }

    if (p == last || (!vod_text_digit(*p) && *p != '-')) {
        return 0;
    }

    if (vod_text_clock(&p, last, 0, start)) {

        while (p < last && vod_text_space(*p)) {
            p++;
        }

        for (dash = p; p < last && *p == '-'; p++) { /* void */ }

        if (p > dash && p < last && *p == '>') {
            p++;

            while (p < last && vod_text_space(*p)) {
                p++;
            }

            if (vod_text_clock(&p, last, 0, end)) {
                return 1;
            }
        }
    }

    return vod_text_arrow(line) ? -1 : 0;
}


static int
vod_text_srt_counter(const vod_text_piece_t *line)
{
    const char        *p;
    vod_text_piece_t   word;

    word = *line;
    vod_text_trim(&word);

    for (p = word.start; p < word.end; p++) {
        if (!vod_text_digit(*p)) {
            return 0;
        }
    }

    return p > word.start;
}


/*
 * The text goes up to the next line with times, without the counter right
 * before it.  What of it are empty lines at the end is nothing that is seen:
 * vod_text_cue() leaves it out.
 */

static void
vod_text_srt_text(vod_text_reader_t *reader, vod_cue_t *cue)
{
    int                times, counter;
    int64_t            start, end;
    const char        *at, *before, *last;
    vod_text_piece_t   line;

    cue->text = reader->pos;
    last = reader->pos;
    before = reader->pos;
    counter = 0;
    times = 0;

    for (at = reader->pos;
         vod_text_line(&reader->pos, reader->end, &line);
         at = reader->pos)
    {
        times = vod_text_srt_times(&line, &start, &end);

        if (times) {
            reader->pos = at;
            break;
        }

        before = last;
        last = line.end;
        counter = vod_text_srt_counter(&line);
    }

    cue->text_len = (size_t) ((times && counter ? before : last) - cue->text);
}


int
vod_text_srt_next(vod_text_reader_t *reader, vod_cue_t *cue)
{
    int                rc;
    vod_text_piece_t   line;

    while (vod_text_line(&reader->pos, reader->end, &line)) {

        rc = vod_text_srt_times(&line, &cue->start, &cue->end);

        if (rc) {
            vod_text_srt_text(reader, cue);
            return rc;
        }
    }

    return 0;
}
