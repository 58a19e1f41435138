#include <string.h>

#include "vod_codec_int.h"


/* more than any decoder configuration needs; an index carries it whole */
#define VOD_ENTRY_MAX  (4 * 1024 * 1024)


/* what is left out, by name; the rest is named by its four characters */
static const struct {
    char  type[5];
    char  name[23];
    char  profile;              /* CMAF has a profile for it */
} vod_codecs[] = {
    { "s263", "H.263", 0 },
    { "h263", "H.263", 0 },
    { "jpeg", "JPEG", 0 },
    { "mjpa", "Motion JPEG", 0 },
    { "mjpb", "Motion JPEG", 0 },
    { "apch", "Apple ProRes", 0 },
    { "apcn", "Apple ProRes", 0 },
    { "apcs", "Apple ProRes", 0 },
    { "apco", "Apple ProRes", 0 },
    { "ap4h", "Apple ProRes", 0 },
    { "ap4x", "Apple ProRes", 0 },
    { "AVdn", "DNxHD", 0 },
    { "AVdh", "DNxHR", 0 },
    { "CFHD", "CineForm", 0 },
    { "vvc1", "VVC", 1 },
    { "vvi1", "VVC", 1 },
    { "evc1", "EVC", 0 },
    { "vc-1", "VC-1", 0 },
    { "png ", "PNG", 0 },
    { "rle ", "QuickTime Animation", 0 },
    { "SVQ1", "Sorenson", 0 },
    { "SVQ3", "Sorenson", 0 },
    { "cvid", "Cinepak", 0 },
    { "samr", "AMR", 0 },
    { "sawb", "AMR-WB", 0 },
    { "sawp", "AMR-WB+", 0 },
    { "sqcp", "QCELP", 0 },
    { "Qclp", "QCELP", 0 },
    { "sevc", "EVRC", 0 },
    { "dtsx", "DTS-UHD", 1 },
    { "dtsy", "DTS-UHD", 1 },
    { "mlpa", "Dolby TrueHD", 0 },
    { "ac-4", "AC-4", 1 },
    { "mha1", "MPEG-H", 1 },
    { "mhm1", "MPEG-H", 1 },
    { "sowt", "PCM", 0 },
    { "twos", "PCM", 0 },
    { "lpcm", "PCM", 0 },
    { "ipcm", "PCM", 0 },
    { "fpcm", "PCM", 0 },
    { "in24", "PCM", 0 },
    { "in32", "PCM", 0 },
    { "fl32", "PCM", 0 },
    { "fl64", "PCM", 0 },
    { "raw ", "PCM", 0 },
    { "NONE", "PCM", 0 },
    { "ulaw", "mu-law", 0 },
    { "alaw", "A-law", 0 },
    { "ima4", "ADPCM", 0 },
    { "QDM2", "QDesign", 0 },
    { "spex", "Speex", 0 }
};


static int vod_entry_subtitle(uint32_t type);
static const char *vod_entry_mp4v(unsigned oti);


int
vod_codec_entry(vod_track_t *track, const uint8_t *entry, uint64_t len,
    vod_wr_t *out, vod_err_t *err)
{
    char          text[5];
    vod_rd_t      rd, body;
    vod_entry_t   e;
    vod_rd_box_t  box;

    vod_rd_init(&rd, entry, len);

    if (vod_rd_box(&rd, &box) != 1) {
        return vod_fail(err, VOD_DAMAGED, "the sample entry is cut off");
    }

    memset(&e, 0, sizeof(vod_entry_t));

    e.type = box.type;
    e.fixed = box.body;
    e.track = track;
    e.err = err;

    if (vod_rd_left(&box.body) > VOD_ENTRY_MAX) {
        return vod_fail(err, VOD_LIMIT,
                        "the sample entry %s has %llu bytes, the limit is %d",
                        vod_entry_fourcc(e.type, text),
                        (unsigned long long) vod_rd_left(&box.body),
                        VOD_ENTRY_MAX);
    }

    body = box.body;

    switch (track->kind) {

    case VOD_VIDEO:
        vod_rd_skip(&body, 78);
        e.children = body;
        return vod_codec_video(&e, out);

    case VOD_AUDIO:
        vod_rd_skip(&body, 28);
        e.children = body;
        return vod_codec_audio(&e, out);
    }

    return vod_entry_unsupported(&e);
}


int
vod_entry_child(const vod_rd_t *children, uint32_t type, vod_rd_t *body)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    rd = *children;

    while (vod_rd_box(&rd, &box) == 1) {
        if (box.type == type) {
            *body = box.body;
            return 1;
        }
    }

    return 0;
}


void
vod_entry_box(vod_wr_t *out, uint32_t type, const vod_rd_t *body)
{
    uint64_t  mark;

    mark = vod_wr_box(out, type);
    vod_wr_bytes(out, body->pos, vod_rd_left(body));
    vod_wr_box_end(out, mark);
}


const char *
vod_entry_fourcc(uint32_t type, char text[5])
{
    unsigned  i;

    for (i = 0; i < 4; i++) {
        text[i] = (char) (type >> (24 - 8 * i));

        if (text[i] < 0x20 || text[i] > 0x7e) {
            text[i] = '?';
        }
    }

    text[4] = '\0';

    return text;
}


int
vod_entry_damaged(vod_entry_t *e, const char *what)
{
    char  type[5], config[5];

    return vod_fail(e->err, VOD_DAMAGED, "sample entry %s: %s %s",
                    vod_entry_fourcc(e->type, type),
                    vod_entry_fourcc(e->config, config), what);
}


int
vod_entry_unsupported(vod_entry_t *e)
{
    char         type[5];
    unsigned     i;
    vod_rd_t     body;
    vod_esds_t   esds;
    const char  *kind;

    kind = e->track->kind == VOD_VIDEO ? "video" : "audio";
    (void) vod_entry_fourcc(e->type, type);

    switch (e->type) {

    case vod_fourcc('e', 'n', 'c', 'v'):
    case vod_fourcc('e', 'n', 'c', 'a'):
    case vod_fourcc('e', 'n', 'c', 't'):
    case vod_fourcc('d', 'r', 'm', 'i'):
    case vod_fourcc('d', 'r', 'm', 's'):
        return vod_fail(e->err, VOD_UNSUPPORTED, "encrypted (%s)", type);
    }

    if (e->track->kind == VOD_TEXT) {
        return vod_fail(e->err, VOD_UNSUPPORTED, "%s track of type %s",
                        vod_entry_subtitle(e->type) ? "subtitle" : "data",
                        type);
    }

    if (e->type == vod_fourcc('m', 'p', '4', 'v')
        && vod_entry_child(&e->children, vod_fourcc('e', 's', 'd', 's'), &body)
        && vod_esds_read(&esds, body) && esds.oti != VOD_OTI_MPEG4_VIDEO)
    {
        return vod_fail(e->err, VOD_UNSUPPORTED,
                        "%s video (mp4v with object type 0x%02X) is in no "
                        "CMAF media profile", vod_entry_mp4v(esds.oti),
                        (unsigned) esds.oti);
    }

    for (i = 0; i < sizeof(vod_codecs) / sizeof(vod_codecs[0]); i++) {
        if (memcmp(vod_codecs[i].type, type, 4) == 0) {
            return vod_fail(e->err, VOD_UNSUPPORTED, "%s %s is %s",
                            vod_codecs[i].name, kind,
                            vod_codecs[i].profile
                            ? "not supported"
                            : "in no CMAF media profile");
        }
    }

    return vod_fail(e->err, VOD_UNSUPPORTED,
                    "%s of type %s is in no CMAF media profile", kind, type);
}


static int
vod_entry_subtitle(uint32_t type)
{
    switch (type) {

    case vod_fourcc('t', 'x', '3', 'g'):
    case vod_fourcc('t', 'e', 'x', 't'):
    case vod_fourcc('w', 'v', 't', 't'):
    case vod_fourcc('s', 't', 'p', 'p'):
    case vod_fourcc('s', 'b', 't', 't'):
    case vod_fourcc('c', '6', '0', '8'):
    case vod_fourcc('c', '7', '0', '8'):
    case vod_fourcc('m', 'p', '4', 's'):
        return 1;
    }

    return 0;
}


/* objectTypeIndication of ISO/IEC 14496-1, 7.2.6.6 */

static const char *
vod_entry_mp4v(unsigned oti)
{
    if (oti >= 0x60 && oti <= 0x65) {
        return "MPEG-2";
    }

    return oti == 0x6a ? "MPEG-1" : oti == 0x6c ? "JPEG" : "unknown";
}
