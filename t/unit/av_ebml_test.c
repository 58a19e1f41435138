/*
 * Where a Matroska file ends by its own words.
 */

#include "vod_ebml.h"
#include "tap.h"


#define END(name, expected, ...)                                              \
    do {                                                                      \
        static const uint8_t  head[] = { __VA_ARGS__ };                       \
        is_int(vod_ebml_segment_end(head, sizeof(head)), expected, name);     \
    } while (0)


int
main(void)
{
    unsigned  i;

    static const uint8_t  whole[] = {
        0x1a, 0x45, 0xdf, 0xa3, 0x82, 1, 2, 0xec, 0x81, 0,
        0x18, 0x53, 0x80, 0x67, 0x01, 0, 0, 0, 0, 0, 1, 0
    };

    END("a size of one byte", 17, 0x1a, 0x45, 0xdf, 0xa3, 0x80,
        0x18, 0x53, 0x80, 0x67, 0x87, 1);
    END("all ones of one byte are unknown", 0, 0x1a, 0x45, 0xdf, 0xa3, 0x80,
        0x18, 0x53, 0x80, 0x67, 0xff);
    END("all ones of eight", 0, 0x1a, 0x45, 0xdf, 0xa3, 0x80,
        0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255);
    END("not quite all ones", 17 + 0xfffffffffffffe, 0x1a, 0x45, 0xdf, 0xa3,
        0x80, 0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255,
        254, 0);
    END("a first element that goes on behind the head", 0,
        0x1a, 0x45, 0xdf, 0xa3, 0x84, 1, 2);
    END("no marker of a size", 0, 0x1a, 0x45, 0xdf, 0xa3, 0x00);
    END("no marker of an ID", 0, 0x0a, 0x80);

    is_int(vod_ebml_segment_end(whole, sizeof(whole)), 22 + 256,
           "behind a header and a Void");

    for (i = 0; i < sizeof(whole); i++) {
        is_int(vod_ebml_segment_end(whole, i), 0, "cut at %u", i);
    }

    return done_testing();
}
