#include "vod_dash_write.h"


void
vod_dash_descriptor(vod_wr_t *wr, unsigned indent, const char *element,
    const char *scheme)
{
    vod_wr_bytes(wr, "    ", indent);
    vod_wr_str(wr, "<");
    vod_wr_str(wr, element);
    vod_wr_str(wr, " schemeIdUri=\"");
    vod_wr_str(wr, scheme);
    vod_wr_str(wr, "\"");
}


void
vod_dash_rate(vod_wr_t *wr, const char *attribute, const vod_track_t *track)
{
    uint32_t  num, den;

    if (track->fps_num == 0 || track->fps_den == 0) {
        return;
    }

    vod_rendition_reduce(track->fps_num, track->fps_den, &num, &den);

    vod_wr_str(wr, " ");
    vod_wr_str(wr, attribute);
    vod_wr_str(wr, "=\"");
    vod_wr_dec(wr, num);

    if (den != 1) {
        vod_wr_str(wr, "/");
        vod_wr_dec(wr, den);
    }

    vod_wr_str(wr, "\"");
}


void
vod_dash_ratio(vod_wr_t *wr, const char *attribute, uint32_t num,
    uint32_t den)
{
    vod_wr_str(wr, " ");
    vod_wr_str(wr, attribute);
    vod_wr_str(wr, "=\"");
    vod_wr_dec(wr, num);
    vod_wr_str(wr, ":");
    vod_wr_dec(wr, den);
    vod_wr_str(wr, "\"");
}


void
vod_dash_number(vod_wr_t *wr, const char *attribute, uint64_t v)
{
    vod_wr_str(wr, " ");
    vod_wr_str(wr, attribute);
    vod_wr_str(wr, "=\"");
    vod_wr_dec(wr, v);
    vod_wr_str(wr, "\"");
}


void
vod_dash_field(vod_wr_t *wr, const char *attribute, const char *field,
    size_t size)
{
    vod_wr_str(wr, " ");
    vod_wr_str(wr, attribute);
    vod_wr_str(wr, "=\"");
    vod_wr_xml(wr, field, vod_rendition_field(field, size));
    vod_wr_str(wr, "\"");
}


void
vod_dash_duration(vod_wr_t *wr, const char *attribute, uint64_t us)
{
    vod_wr_str(wr, " ");
    vod_wr_str(wr, attribute);
    vod_wr_str(wr, "=\"PT");

    if (us % 1000000) {
        vod_wr_micro(wr, us);

    } else {
        vod_wr_dec(wr, us / 1000000);
    }

    vod_wr_str(wr, "S\"");
}
