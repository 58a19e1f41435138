#include <string.h>

#include "vod_rd.h"
#include "vod_wvtt.h"


#define VOD_WVTT_BACK  64               /* cues that one may go on from */


int
vod_wvtt_header(const uint8_t *entry, uint64_t len, const char **header,
    size_t *header_len, vod_err_t *err)
{
    uint64_t        n;
    vod_rd_t        rd;
    const char     *p, *lf;
    vod_rd_box_t    box;

    vod_rd_init(&rd, entry, len);

    /* the entry's own header, reserved and data_reference_index */

    vod_rd_skip(&rd, 8 + 8);

    while (vod_rd_box(&rd, &box) == 1) {

        if (box.type != vod_fourcc('v', 't', 't', 'C')) {
            continue;
        }

        p = (const char *) box.body.pos;
        n = vod_rd_left(&box.body);

        while (n && p[n - 1] == '\0') {
            n--;
        }

        lf = n ? memchr(p, '\n', (size_t) n) : NULL;

        *header = lf ? lf + 1 : "";
        *header_len = lf ? (size_t) (p + n - *header) : 0;

        return VOD_OK;
    }

    return vod_fail(err, VOD_DAMAGED, "its wvtt sample entry has no vttC");
}


static void
vod_wvtt_parts(vod_rd_t rd, vod_cue_t *cue)
{
    const char    *data;
    vod_rd_box_t   box;

    while (vod_rd_box(&rd, &box) == 1) {

        data = (const char *) box.body.pos;

        switch (box.type) {

        case vod_fourcc('i', 'd', 'e', 'n'):
            cue->id = data;
            cue->id_len = (size_t) vod_rd_left(&box.body);
            break;

        case vod_fourcc('s', 't', 't', 'g'):
            cue->settings = data;
            cue->settings_len = (size_t) vod_rd_left(&box.body);
            break;

        case vod_fourcc('p', 'a', 'y', 'l'):
            cue->text = data;
            cue->text_len = (size_t) vod_rd_left(&box.body);
            break;

        case vod_fourcc('v', 's', 'i', 'd'):
            cue->source = vod_rd_u32(&box.body);
            break;
        }
    }
}


int
vod_wvtt_next(const uint8_t *sample, size_t len, size_t *at, vod_cue_t *cue)
{
    int            rc;
    vod_rd_t       rd;
    vod_rd_box_t   box;

    vod_rd_init(&rd, sample, len);
    vod_rd_skip(&rd, *at);

    for ( ;; ) {
        rc = vod_rd_box(&rd, &box);
        *at = len - (size_t) vod_rd_left(&rd);

        if (rc != 1) {
            return rc;
        }

        if (box.type == vod_fourcc('v', 't', 't', 'c')) {

            memset(cue, 0, sizeof(vod_cue_t));
            cue->format = VOD_TEXT_VTT;
            cue->source = VOD_TEXT_NO_SOURCE;

            vod_wvtt_parts(box.body, cue);

            return 1;
        }
    }
}


static int
vod_wvtt_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}


static int
vod_wvtt_goes_on(const vod_cue_t *a, const vod_cue_t *b)
{
    return a->end == b->start && a->source == b->source
           && vod_wvtt_same(a->text, a->text_len, b->text, b->text_len)
           && vod_wvtt_same(a->settings, a->settings_len, b->settings,
                            b->settings_len)
           && vod_wvtt_same(a->id, a->id_len, b->id, b->id_len);
}


uint32_t
vod_wvtt_join(vod_cue_t *cues, uint32_t n)
{
    uint32_t  i, k, back, left;

    for (i = 0, left = 0; i < n; i++) {

        back = left < VOD_WVTT_BACK ? left : VOD_WVTT_BACK;

        for (k = 1; k <= back; k++) {
            if (vod_wvtt_goes_on(&cues[left - k], &cues[i])) {
                break;
            }
        }

        if (k <= back) {
            cues[left - k].end = cues[i].end;

        } else {
            cues[left++] = cues[i];
        }
    }

    return left;
}
