/* the CMAF header of a track: order of boxes, and what stands in them */

#include <stdlib.h>

#include "tap.h"

#include "vod_box.h"
#include "vod_rd.h"


#define MOOV  "moov(mvhd trak(tkhd "
#define STBL  " dinf(dref(url )) stbl(stsd(test) stts stsc stsz stco)))) "


static const uint8_t  entry[] = "\0\0\0\014testwxyz";

static uint8_t   out[4096];
static uint64_t  len;
static char      text[1024];


/* boxes as text: "ftyp moov(mvhd trak(...))" */

static void
tree(vod_rd_t rd, int top)
{
    int           first;
    char          type[5];
    size_t        n;
    unsigned      i;
    vod_rd_box_t  box;

    static const struct {
        char      type[5];
        unsigned  skip;         /* bytes before the child boxes */
    } containers[] = {
        { "moov", 0 }, { "trak", 0 }, { "edts", 0 }, { "mdia", 0 },
        { "minf", 0 }, { "dinf", 0 }, { "dref", 8 }, { "stbl", 0 },
        { "stsd", 8 }, { "mvex", 0 }
    };

    for (first = 1; vod_rd_box(&rd, &box) == 1; first = 0) {

        for (i = 0; i < 4; i++) {
            type[i] = (char) (box.type >> (24 - 8 * i));
        }

        type[4] = '\0';
        n = strlen(text);
        snprintf(text + n, sizeof(text) - n, "%s%s", first ? "" : " ", type);

        for (i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
            if (memcmp(containers[i].type, type, 4) == 0) {
                vod_rd_skip(&box.body, containers[i].skip);
                strcat(text, "(");
                tree(box.body, 0);
                strcat(text, ")");
            }
        }
    }

    if (rd.failed || vod_rd_left(&rd)) {
        strcat(text, top ? " trailing bytes" : "!");
    }
}


static void
write_init(const vod_track_t *track, const char *name)
{
    vod_rd_t  rd;
    vod_wr_t  wr;

    vod_wr_init(&wr, NULL, 0);
    vod_box_init(&wr, track, entry, name);
    len = wr.len;

    memset(out, 0xee, sizeof(out));
    vod_wr_init(&wr, out, len);
    vod_box_init(&wr, track, entry, name);
    ok(!wr.overflow && wr.len == len, "what is written is what was measured");

    text[0] = '\0';
    vod_rd_init(&rd, out, len);
    tree(rd, 1);
}


/* content of the only box of this type, version and flags included */

static const uint8_t *
find(const char *type)
{
    uint64_t  i;

    for (i = 4; i + 4 <= len; i++) {
        if (memcmp(out + i, type, 4) == 0) {
            return out + i + 4;
        }
    }

    return NULL;
}


static uint64_t
uint_at(const char *type, unsigned at, unsigned n)
{
    uint64_t        v;
    const uint8_t  *p;

    p = find(type);

    for (v = 0; p && n; n--) {
        v = (v << 8) | p[at++];
    }

    return v;
}


static void
track_init(vod_track_t *track, unsigned kind)
{
    memset(track, 0, sizeof(vod_track_t));

    track->kind = (uint8_t) kind;
    track->ordinal = 4;
    track->timescale = 90000;
    track->entry_len = 12;
    track->end_pts = 180000;
    strcpy(track->lang, "und");
}


static void
test_video(void)
{
    unsigned     i;
    vod_track_t  track;

    static const int32_t  matrix[9] = {
        0, 0x10000, 0, -0x10000, 0, 0, 0x1680000, 0, 0x40000000
    };

    track_init(&track, VOD_VIDEO);
    track.tkhd_width = 640u << 16;
    track.tkhd_height = 360u << 16;
    memcpy(track.matrix, matrix, sizeof(matrix));

    write_init(&track, NULL);

    is_str(text, "ftyp " MOOV "mdia(mdhd hdlr minf(vmhd" STBL
           "mvex(mehd trex))", "boxes of video");

    is_mem(out, "\0\0\0\034ftypiso6\0\0\0\0iso6cmfcdash", 28, "ftyp");
    is_int(uint_at("mvhd", 12, 4), 90000, "mvhd: timescale");
    is_int(uint_at("mvhd", 16, 4), 0, "mvhd: duration");
    is_int(uint_at("mvhd", 20, 4), 0x10000, "mvhd: rate");
    is_int(uint_at("mvhd", 24, 2), 0x100, "mvhd: volume");
    is_int(uint_at("mvhd", 36, 4), 0x10000, "mvhd: unity matrix");
    is_int(uint_at("mvhd", 96, 4), 6, "mvhd: next_track_ID");

    is_int(uint_at("tkhd", 0, 4), 7, "tkhd: flags");
    is_int(uint_at("tkhd", 12, 4), 5, "tkhd: track_ID is ordinal + 1");
    is_int(uint_at("tkhd", 20, 4), 0, "tkhd: duration");
    is_int(uint_at("tkhd", 36, 2), 0, "tkhd: no volume");

    for (i = 0; i < 9; i++) {
        is_int(uint_at("tkhd", 40 + 4 * i, 4), (uint32_t) matrix[i],
               "tkhd: matrix[%u]", i);
    }

    is_int(uint_at("tkhd", 76, 4), 640u << 16, "tkhd: width");
    is_int(uint_at("tkhd", 80, 4), 360u << 16, "tkhd: height");

    is_int(uint_at("mdhd", 12, 4), 90000, "mdhd: timescale");
    is_int(uint_at("mdhd", 16, 4), 0, "mdhd: duration");
    is_int(uint_at("mdhd", 20, 2), 0x55c4, "mdhd: und");
    is_int(uint_at("hdlr", 8, 4), vod_fourcc('v', 'i', 'd', 'e'), "hdlr");
    is_int(uint_at("hdlr", 24, 1), 0, "hdlr: no name");
    is_int(uint_at("vmhd", 0, 4), 1, "vmhd: flags");
    is_int(uint_at("dref", 4, 4), 1, "dref: one entry");
    is_int(uint_at("url ", 0, 4), 1, "url: self-contained");
    is_int(uint_at("stsd", 4, 4), 1, "stsd: one entry");
    is_mem(find("stsd") + 8, entry, 12, "stsd: the entry itself");
    is_int(uint_at("stts", 4, 4), 0, "stts: empty");
    is_int(uint_at("stsz", 8, 4), 0, "stsz: empty");

    is_int(uint_at("mehd", 0, 4), 0, "mehd: version 0");
    is_int(uint_at("mehd", 4, 4), 180000, "mehd: presentation duration");
    is_int(uint_at("trex", 4, 4), 5, "trex: track_ID");
    is_int(uint_at("trex", 8, 4), 1, "trex: sample_description_index");
    is_int(uint_at("trex", 20, 4), 0, "trex: no flags");

    memset(track.matrix, 0, sizeof(track.matrix));
    write_init(&track, NULL);
    is_int(uint_at("tkhd", 40, 4), 0x10000, "no matrix is unity");
    is_int(uint_at("tkhd", 72, 4), 0x40000000, "its last number");
}


static void
test_audio(void)
{
    vod_track_t  track;

    track_init(&track, VOD_AUDIO);
    track.media_time = 1024;
    track.name_len = 10;
    track.tkhd_width = 1;
    strcpy(track.lang, "pt-br");

    write_init(&track, "Commentary, and what is not its name");

    is_str(text, "ftyp " MOOV "edts(elst) mdia(mdhd hdlr elng minf(smhd" STBL
           "mvex(mehd trex))", "boxes of audio with an edit list");

    is_int(uint_at("tkhd", 36, 2), 0x100, "tkhd: volume 1.0");
    is_int(uint_at("tkhd", 40, 4), 0x10000, "tkhd: unity matrix");
    is_int(uint_at("tkhd", 76, 4), 0, "tkhd: no width");
    is_int(uint_at("elst", 0, 4), 0, "elst: version 0");
    is_int(uint_at("elst", 4, 4), 1, "elst: one entry");
    is_int(uint_at("elst", 8, 4), 0, "elst: segment_duration");
    is_int(uint_at("elst", 12, 4), 1024, "elst: media_time");
    is_int(uint_at("elst", 16, 4), 0x10000, "elst: rate");
    is_int(uint_at("hdlr", 8, 4), vod_fourcc('s', 'o', 'u', 'n'), "hdlr");
    is_mem(find("hdlr") + 24, "Commentary", 11, "hdlr: its name");
    is_int(uint_at("mdhd", 20, 2), ('p' - 96) << 10 | ('o' - 96) << 5
           | ('r' - 96), "mdhd: por");
    is_mem(find("elng"), "\0\0\0\0pt-br", 10, "elng: the whole tag");

    strcpy(track.lang, "pt");
    track.media_time = 0x7fffffff;
    write_init(&track, "A\0Commentary");
    ok(find("elng") == NULL, "no elng where mdhd says it all");
    is_int(uint_at("elst", 0, 4), 0, "elst: 31 bits are version 0");
    is_mem(find("hdlr") + 24, "A\0\0\0", 4, "a name ends at a zero byte");

    track.media_time = 0x80000000u;
    write_init(&track, "Commentary");
    is_int(uint_at("elst", 0, 4), 0x01000000, "elst: 32 bits are version 1");
    is_int(uint_at("elst", 8, 8), 0, "elst: segment_duration");
    is_int(uint_at("elst", 16, 8), 0x80000000u, "elst: media_time");
    is_int(uint_at("elst", 24, 4), 0x10000, "elst: rate");

    track.end_pts = 0xffffffffLL;
    write_init(&track, "Commentary");
    is_int(uint_at("mehd", 0, 4), 0x01000000, "mehd: version 1");
    is_int(uint_at("mehd", 4, 8), 0xffffffffLL, "mehd: duration");

    track.end_pts = 0;
    write_init(&track, "Commentary");
    ok(find("mehd") == NULL, "no mehd without a duration");
}


static void
test_text(void)
{
    vod_track_t  track;

    track_init(&track, VOD_TEXT);
    track.fourcc = vod_fourcc('s', 't', 'p', 'p');
    write_init(&track, NULL);
    is_str(text, "ftyp " MOOV "mdia(mdhd hdlr minf(sthd" STBL
           "mvex(mehd trex))", "boxes of TTML");
    is_int(uint_at("hdlr", 8, 4), vod_fourcc('s', 'u', 'b', 't'), "hdlr");
    is_mem(out, "\0\0\0\034ftyp", 8, "no brand of its own");

    track.fourcc = vod_fourcc('w', 'v', 't', 't');
    write_init(&track, NULL);
    is_str(text, "ftyp " MOOV "mdia(mdhd hdlr minf(nmhd" STBL
           "mvex(mehd trex))", "boxes of WebVTT");
    is_int(uint_at("hdlr", 8, 4), vod_fourcc('t', 'e', 'x', 't'), "hdlr");
    is_int(uint_at("nmhd", 0, 4), 0, "nmhd: version and flags alone");
    is_mem(out, "\0\0\0\040ftypiso6\0\0\0\0iso6cmfcdashcwvt", 32,
           "the brand of WebVTT");
    is_int(uint_at("tkhd", 36, 2), 0, "tkhd: no volume");
    is_int(uint_at("tkhd", 76, 4), 0, "tkhd: no width");
    is_int(uint_at("tkhd", 80, 4), 0, "tkhd: no height");
}


int
main(void)
{
    test_video();
    test_audio();
    test_text();

    return done_testing();
}
