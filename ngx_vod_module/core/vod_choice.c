#include "vod_choice.h"
#include "vod_index.h"


static size_t vod_choice_item(const char *text, size_t len, unsigned *kind,
    uint32_t *number);


int
vod_choice_valid(const char *text, size_t len)
{
    size_t    n;
    unsigned  kind;
    uint32_t  number;

    for ( ;; ) {

        n = vod_choice_item(text, len, &kind, &number);

        if (n == 0) {
            return 0;
        }

        if (n == len) {
            return 1;
        }

        if (text[n] != ',' && text[n] != '-') {
            return 0;
        }

        text += n + 1;
        len -= n + 1;
    }
}


int
vod_choice_has(const char *text, size_t len, unsigned kind, uint32_t number)
{
    size_t    n;
    unsigned  found;
    uint32_t  chosen;

    if (len == 0) {
        return 1;
    }

    for ( ;; ) {

        n = vod_choice_item(text, len, &found, &chosen);

        if (n == 0) {
            return 0;
        }

        if (found == kind && (chosen == 0 || chosen == number)) {
            return 1;
        }

        if (n >= len) {
            return 0;
        }

        text += n + 1;
        len -= n + 1;
    }
}


/* the item at text: its bytes, or 0; number is 0 where it has none */

static size_t
vod_choice_item(const char *text, size_t len, unsigned *kind,
    uint32_t *number)
{
    size_t    i;
    uint64_t  n;

    if (len == 0) {
        return 0;
    }

    switch (text[0]) {

    case 'v':
        *kind = VOD_VIDEO;
        break;

    case 'a':
        *kind = VOD_AUDIO;
        break;

    case 's':
        *kind = VOD_TEXT;
        break;

    default:
        return 0;
    }

    n = 0;

    for (i = 1; i < len && text[i] >= '0' && text[i] <= '9'; i++) {

        n = n * 10 + (uint64_t) (text[i] - '0');

        /* tracks count from 1, without a zero in front */

        if (n == 0 || n > UINT32_MAX) {
            return 0;
        }
    }

    *number = (uint32_t) n;

    return i;
}
