#include <string.h>

#include "vod_text_int.h"
#include "vod_vtt.h"


/* "STYLE" or "REGION", and blanks at most (WebVTT, 6.1) */

static int
vod_vtt_wanted(vod_text_piece_t line)
{
    size_t  n;

    n = vod_text_len(&line);

    if (n >= 5 && memcmp(line.start, "STYLE", 5) == 0) {
        line.start += 5;

    } else if (n >= 6 && memcmp(line.start, "REGION", 6) == 0) {
        line.start += 6;

    } else {
        return 0;
    }

    vod_text_trim(&line);

    return line.start == line.end;
}


/* a block ends with an empty line, or before an arrow, which it may not hold */

void
vod_vtt_header(vod_wr_t *wr, const char *header, size_t len)
{
    int                first, wanted;
    const char        *pos, *end;
    vod_text_piece_t   line;

    pos = len ? header : "";
    end = pos + len;
    first = 1;
    wanted = 0;

    while (vod_text_line(&pos, end, &line)) {

        if (vod_text_len(&line) == 0 || vod_text_arrow(&line)) {

            if (wanted) {
                vod_wr_u8(wr, '\n');
            }

            first = 1;
            wanted = 0;
            continue;
        }

        if (first) {
            wanted = vod_vtt_wanted(line);
            first = 0;
        }

        if (wanted) {
            vod_text_clean(wr, line.start, vod_text_len(&line));
            vod_wr_u8(wr, '\n');
        }
    }

    if (wanted) {
        vod_wr_u8(wr, '\n');
    }
}


static void
vod_vtt_time(vod_wr_t *wr, int64_t ms)
{
    char  text[VOD_TEXT_TIME];

    vod_wr_bytes(wr, text, vod_text_time(ms, text));
}


void
vod_vtt_write(vod_wr_t *wr, const char *header, size_t header_len,
    const vod_cue_t *cues, uint32_t n)
{
    uint32_t          i;
    const vod_cue_t  *cue;

    /*
     * Time 0 of ours is time 0 of the media, fragmented MP4, too, whose
     * decode times MPEGTS is then compared with (RFC 8216bis, 3.1.4).
     */

    vod_wr_str(wr, "WEBVTT\n"
                   "X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n");

    vod_vtt_header(wr, header, header_len);

    for (i = 0; i < n; i++) {
        cue = &cues[i];

        if (cue->id_len) {
            vod_wr_bytes(wr, cue->id, cue->id_len);
            vod_wr_u8(wr, '\n');
        }

        vod_vtt_time(wr, cue->start);
        vod_wr_str(wr, " --> ");
        vod_vtt_time(wr, cue->end);

        if (cue->settings_len) {
            vod_wr_u8(wr, ' ');
            vod_wr_bytes(wr, cue->settings, cue->settings_len);
        }

        vod_wr_u8(wr, '\n');
        vod_wr_bytes(wr, cue->text, cue->text_len);
        vod_wr_str(wr, "\n\n");
    }
}
