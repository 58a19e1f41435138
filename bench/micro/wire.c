/*
 * Wire primitives: bounded reader, writer, one box, one row.
 */

#include "micro.h"

#include <string.h>

#include "vod_rd.h"
#include "vod_wr.h"


#define VALUES  256             /* an operation is so many values */


static uint8_t  buf[VALUES * 8 + 64];


static void
read_u32(uint64_t n)
{
    int       i;
    uint64_t  sum;
    vod_rd_t  rd;

    for (sum = 0; n; n--) {
        vod_rd_init(&rd, buf, sizeof(buf));

        for (i = 0; i < VALUES; i++) {
            sum += vod_rd_u32(&rd);
        }
    }

    micro_sink += sum;
}


static void
write_u32(uint64_t n)
{
    int       i;
    vod_wr_t  wr;

    for (; n; n--) {
        vod_wr_init(&wr, buf, sizeof(buf));

        for (i = 0; i < VALUES; i++) {
            vod_wr_u32(&wr, (uint32_t) i);
        }

        micro_sink += wr.len;
    }
}


static void
write_decimal(uint64_t n)
{
    int       i;
    vod_wr_t  wr;

    for (; n; n--) {
        vod_wr_init(&wr, buf, sizeof(buf));

        for (i = 0; i < VALUES; i++) {
            vod_wr_dec(&wr, (uint64_t) i * 31);
        }

        micro_sink += wr.len;
    }
}


static void
write_box(uint64_t n)
{
    uint64_t  mark;
    vod_wr_t  wr;

    for (; n; n--) {
        vod_wr_init(&wr, buf, sizeof(buf));
        mark = vod_wr_full_box(&wr, vod_fourcc('t', 'f', 'd', 't'), 1, 0);
        vod_wr_u64(&wr, n);
        vod_wr_box_end(&wr, mark);
        micro_sink += wr.len;
    }
}


static void
read_box(uint64_t n)
{
    vod_rd_t      rd;
    vod_rd_box_t  box;

    static const uint8_t  bytes[20] = {
        0, 0, 0, 20, 't', 'f', 'd', 't', 1
    };

    for (; n; n--) {
        vod_rd_init(&rd, bytes, sizeof(bytes));
        micro_sink += (uint64_t) vod_rd_box(&rd, &box) + box.type;
    }
}


/* the rows of one video segment of 6 s */

static void
read_rows(uint64_t n)
{
    uint32_t              i;
    vod_cursor_t          cur;
    vod_sample_t          s;
    const uint8_t        *rows;
    const vod_cell_t     *cells;
    const micro_asset_t  *asset;

    asset = micro_asset(60);
    cells = vod_timeline_cells(asset->timeline,
                               &vod_timeline_tracks(asset->timeline)[0]);
    rows = (uint8_t *) asset->index
           + vod_index_tracks(asset->index)[0].rows_off;

    for (; n; n--) {
        cur = cells[1].cursor;

        for (i = cur.sample; i < cells[2].cursor.sample; i++) {
            micro_need(vod_row_read(&cur, rows, 0, cells[2].cursor.row, &s)
                       == VOD_OK, "rows");
            micro_sink += s.size;
        }
    }
}


static void
write_rows(uint64_t n)
{
    int           i;
    uint8_t      *p;
    vod_cursor_t  cur;
    vod_sample_t  s;

    for (; n; n--) {
        memset(&cur, 0, sizeof(cur));
        memset(&s, 0, sizeof(s));
        p = buf;

        for (i = 0; i < VALUES; i++) {
            s.size = 700 + (uint32_t) i;
            s.dur = 512;
            s.pos += s.size + 371;
            p += vod_row_write(&cur, &s, p);
        }

        micro_sink += (uint64_t) (p - buf);
    }
}


const micro_t  micro_wire[] = {
    { "WireReadU32x256", read_u32 },
    { "WireWriteU32x256", write_u32 },
    { "WireWriteDecimalx256", write_decimal },
    { "WireReadBox", read_box },
    { "WireWriteBox", write_box },
    { "WireReadRows6s", read_rows },
    { "WireWriteRowsx256", write_rows },
    { NULL, NULL }
};
