#include <string.h>

#include "vod_text_int.h"


/*
 * WebVTT, 6.1 "WebVTT parser algorithm": what stands in front of the first
 * block with an arrow in its first two lines, and behind the lines that the
 * signature's goes on in.
 */

void
vod_text_vtt_open(vod_text_reader_t *reader)
{
    unsigned           n;
    const char        *pos, *block, *start;
    vod_text_piece_t   line;

    pos = reader->pos;
    (void) vod_text_line(&pos, reader->end, &line);

    for (start = pos; vod_text_line(&pos, reader->end, &line); start = pos) {

        if (vod_text_arrow(&line)) {
            pos = start;
            break;
        }

        if (vod_text_len(&line) == 0) {
            break;
        }
    }

    reader->header = pos;

    for (block = pos, n = 0, start = pos;
         vod_text_line(&pos, reader->end, &line);
         start = pos)
    {
        n = vod_text_len(&line) ? n + 1 : 0;

        if (n == 0) {
            block = pos;
        }

        if (vod_text_arrow(&line)) {
            pos = (n <= 2) ? block : start;
            break;
        }
    }

    reader->header_len = (size_t) (pos - reader->header);
    reader->pos = pos;
}


/* "collect WebVTT cue timings and settings" */

static int
vod_text_vtt_times(const vod_text_piece_t *line, vod_cue_t *cue)
{
    const char        *p;
    vod_text_piece_t   settings;

    p = line->start;

    while (p < line->end && vod_text_space(*p)) {
        p++;
    }

    if (!vod_text_clock(&p, line->end, 1, &cue->start)) {
        return 0;
    }

    while (p < line->end && vod_text_space(*p)) {
        p++;
    }

    if (line->end - p < 3 || memcmp(p, "-->", 3) != 0) {
        return 0;
    }

    p += 3;

    while (p < line->end && vod_text_space(*p)) {
        p++;
    }

    if (!vod_text_clock(&p, line->end, 1, &cue->end)) {
        return 0;
    }

    settings.start = p;
    settings.end = line->end;

    vod_text_trim(&settings);

    cue->settings = settings.start;
    cue->settings_len = vod_text_len(&settings);

    return 1;
}


/*
 * "collect a WebVTT block": of a cue the times are in the first line, or in the
 * second behind its identifier; an arrow further down begins another block.
 * 1 a cue, -1 a damaged one, 0 something else (a comment, a late style).
 */

static int
vod_text_vtt_block(vod_text_reader_t *reader, vod_cue_t *cue)
{
    int                rc;
    unsigned           n;
    const char        *start;
    vod_text_piece_t   line;

    rc = 0;

    for (n = 1, start = reader->pos;
         vod_text_line(&reader->pos, reader->end, &line);
         n++, start = reader->pos)
    {
        if (vod_text_arrow(&line)) {

            if (rc || n > 2) {
                reader->pos = start;
                break;
            }

            rc = vod_text_vtt_times(&line, cue) ? 1 : -1;

            cue->text = reader->pos;
            cue->text_len = 0;
            continue;
        }

        if (vod_text_len(&line) == 0) {
            break;
        }

        if (rc) {
            cue->text_len = (size_t) (line.end - cue->text);

        } else if (n == 1) {
            cue->id = line.start;
            cue->id_len = vod_text_len(&line);
        }
    }

    return rc;
}


int
vod_text_vtt_next(vod_text_reader_t *reader, vod_cue_t *cue)
{
    int  rc;

    while (reader->pos < reader->end) {

        rc = vod_text_vtt_block(reader, cue);

        if (rc) {
            return rc;
        }

        vod_text_cue_init(reader, cue);
    }

    return 0;
}
