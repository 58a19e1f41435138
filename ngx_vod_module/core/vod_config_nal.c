#include <string.h>

#include "vod_config_int.h"


static const uint8_t *vod_nal_start_code(const uint8_t *p,
    const uint8_t *end);
static int vod_nal_dropped(const vod_rd_t *nal, int hevc,
    const vod_sets_t *sets);


void
vod_nal_init(vod_nal_rd_t *rd, const uint8_t *data, uint64_t len,
    unsigned size)
{
    rd->pos = data;
    rd->end = data + len;
    rd->size = size;
    rd->damaged = 0;

    if (size == 0) {

        /* nothing but zeros may stand before the first one */

        while (rd->pos < rd->end && *rd->pos == 0) {
            rd->pos++;
        }

        if (rd->pos == rd->end || *rd->pos != 1 || rd->pos - data < 2) {
            rd->damaged = (rd->pos != rd->end);
            rd->pos = rd->end;
            return;
        }

        rd->pos++;
    }
}


int
vod_nal_next(vod_nal_rd_t *rd, vod_rd_t *nal)
{
    uint64_t        len;
    unsigned        i;
    const uint8_t  *next;

    while (rd->pos < rd->end && !rd->damaged) {

        if (rd->size) {

            if ((uint64_t) (rd->end - rd->pos) < rd->size) {
                rd->damaged = 1;
                return 0;
            }

            for (len = 0, i = 0; i < rd->size; i++) {
                len = (len << 8) | *rd->pos++;
            }

            if (len > (uint64_t) (rd->end - rd->pos)) {
                rd->damaged = 1;
                return 0;
            }

            vod_rd_init(nal, rd->pos, len);
            rd->pos += len;

        } else {
            next = vod_nal_start_code(rd->pos, rd->end);
            vod_rd_init(nal, rd->pos, (uint64_t) (next - rd->pos));

            /* 3 bytes of a start code, or nothing */

            rd->pos = next < rd->end ? next + 3 : next;

            /* zeros in front of a start code are no part of a unit (B.1) */

            while (nal->end > nal->pos && nal->end[-1] == 0) {
                nal->end--;
            }
        }

        if (nal->end > nal->pos) {
            return 1;
        }
    }

    return 0;
}


/* the next 00 00 01, or the end */

static const uint8_t *
vod_nal_start_code(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 3) {

        if (p[2] > 1) {
            p += 3;

        } else if (p[2] == 1) {

            if (p[0] == 0 && p[1] == 0) {
                return p;
            }

            p += 3;

        } else {
            p++;
        }
    }

    return end;
}


int
vod_nal_annexb(const uint8_t *data, uint64_t len)
{
    return data && len >= 4 && data[0] == 0 && data[1] == 0
           && (data[2] == 1 || (data[2] == 0 && data[3] == 1));
}


unsigned
vod_nal_type(const vod_rd_t *nal, int hevc)
{
    return hevc ? (nal->pos[0] >> 1) & 0x3f : nal->pos[0] & 0x1f;
}


int
vod_sets_add(vod_sets_t *sets, const uint8_t *data, uint64_t len,
    unsigned size, int hevc, uint64_t mask, vod_err_t *err)
{
    unsigned      i, type;
    vod_rd_t      nal;
    vod_nal_rd_t  rd;

    vod_nal_init(&rd, data, len, size);

    while (vod_nal_next(&rd, &nal)) {

        type = vod_nal_type(&nal, hevc);

        if (!(mask >> type & 1)) {
            continue;
        }

        for (i = 0; i < sets->n; i++) {
            if (vod_rd_left(&sets->set[i]) == vod_rd_left(&nal)
                && memcmp(sets->set[i].pos, nal.pos, vod_rd_left(&nal)) == 0)
            {
                break;
            }
        }

        if (i < sets->n) {
            continue;
        }

        if (i == VOD_SETS_MAX || vod_rd_left(&nal) > UINT16_MAX) {
            return vod_fail(err, VOD_LIMIT, "more than %d parameter sets, or "
                            "one of more than 65535 bytes", VOD_SETS_MAX);
        }

        sets->set[i] = nal;
        sets->type[i] = (uint8_t) type;
        sets->n++;
    }

    return rd.damaged ? VOD_DAMAGED : VOD_OK;
}


unsigned
vod_sets_count(const vod_sets_t *sets, unsigned type)
{
    unsigned  i, n;

    for (n = 0, i = 0; i < sets->n; i++) {
        n += (sets->type[i] == type);
    }

    return n;
}


int
vod_sets_first(const vod_sets_t *sets, unsigned type, vod_rd_t *set)
{
    unsigned  i;

    for (i = 0; i < sets->n; i++) {
        if (sets->type[i] == type) {
            *set = sets->set[i];
            return 1;
        }
    }

    return 0;
}


/*
 * Parameter sets that differ from the entry's stay in the sample.  An avc1 or
 * hvc1 entry does not speak of such (14496-15, 5.3.3.2 and 8.4.1), but
 * decoders take them, as a transport stream's do; avc3 and hev1, which do, are
 * what players of HLS refuse.
 */

int
vod_nal_convert(int hevc, const uint8_t *entry, uint64_t entry_len,
    const uint8_t *in, uint64_t size, uint8_t *out, uint64_t *len)
{
    int           rc;
    uint64_t      n, left;
    unsigned      unused;
    vod_rd_t      nal, body;
    vod_sets_t    sets;
    vod_nal_rd_t  rd;

    sets.n = 0;

    if (vod_config_child(entry, entry_len,
                         hevc ? vod_fourcc('h', 'v', 'c', 'C')
                              : vod_fourcc('a', 'v', 'c', 'C'), &body))
    {
        rc = hevc ? vod_hevc_record(&sets, body, &unused)
                  : vod_avc_record(&sets, body, &unused);

        if (rc != VOD_OK) {
            return VOD_DAMAGED;
        }
    }

    vod_nal_init(&rd, in, size, 0);

    n = 0;

    while (vod_nal_next(&rd, &nal)) {

        if (vod_nal_dropped(&nal, hevc, &sets)) {
            continue;
        }

        left = vod_rd_left(&nal);

        if (left > UINT32_MAX) {
            return VOD_DAMAGED;
        }

        if (out) {
            out[n] = (uint8_t) (left >> 24);
            out[n + 1] = (uint8_t) (left >> 16);
            out[n + 2] = (uint8_t) (left >> 8);
            out[n + 3] = (uint8_t) left;
            memcpy(out + n + 4, nal.pos, left);
        }

        n += 4 + left;
    }

    *len = n;

    return rd.damaged ? VOD_DAMAGED : VOD_OK;
}


static int
vod_nal_dropped(const vod_rd_t *nal, int hevc, const vod_sets_t *sets)
{
    unsigned  i, type;

    type = vod_nal_type(nal, hevc);

    /* access unit delimiter, filler data */

    if (hevc ? type == 35 || type == 38 : type == 9 || type == 12) {
        return 1;
    }

    for (i = 0; i < sets->n; i++) {
        if (sets->type[i] == type
            && vod_rd_left(&sets->set[i]) == vod_rd_left(nal)
            && memcmp(sets->set[i].pos, nal->pos, vod_rd_left(nal)) == 0)
        {
            return 1;
        }
    }

    return 0;
}


int
vod_sets_find(const vod_sets_form_t *form, const vod_config_t *in,
    vod_sets_t *sets, unsigned *size, int *record, unsigned *convert,
    vod_err_t *err)
{
    int       rc, annexb;
    vod_rd_t  body;

    sets->n = 0;
    *size = 4;
    *record = 0;
    annexb = vod_nal_annexb(in->config, in->config_len);

    if (annexb) {
        rc = vod_sets_add(sets, in->config, in->config_len, 0, form->hevc,
                          form->mask, err);

        if (rc != VOD_OK) {
            return rc == VOD_LIMIT ? rc
                   : vod_fail(err, rc, "%s with a configuration that is "
                              "neither %s nor start codes", form->name,
                              form->record_name);
        }

    } else if (in->config && in->config_len) {

        vod_rd_init(&body, in->config, in->config_len);

        if (form->record(sets, body, size) != VOD_OK) {
            return vod_fail(err, VOD_DAMAGED, "%s with an %s that is cut off, "
                            "or of a version that is not 1", form->name,
                            form->record_name);
        }

        *record = 1;

    } else {
        annexb = 1;
    }

    *convert = annexb ? form->convert : VOD_CONVERT_NONE;

    if (form->whole(sets)) {
        return VOD_OK;
    }

    if (in->sample && in->sample_len) {
        rc = vod_sets_add(sets, in->sample, in->sample_len, annexb ? 0 : *size,
                          form->hevc, form->mask, err);

        if (rc == VOD_LIMIT) {
            return rc;
        }

        if (form->whole(sets)) {
            *record = 0;
            return VOD_OK;
        }
    }

    return *record ? VOD_OK
           : vod_fail(err, VOD_DAMAGED, "%s with no parameter sets in its "
                      "configuration nor in its first sync sample",
                      form->name);
}
