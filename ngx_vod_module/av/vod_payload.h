/*
 * A segment of a demuxed track while it is made; the door is vod_av.h.
 */

#ifndef _VOD_PAYLOAD_H_INCLUDED_
#define _VOD_PAYLOAD_H_INCLUDED_

#include "vod_demux.h"
#include "vod_payload_time.h"


typedef struct {
    vod_source_t                source;
    uint64_t                    max;        /* bytes it may have */
    const vod_av_segment_in_t  *in;
    vod_demux_t                *demux;
    vod_packet_t                packet;     /* the one read last */

    uint8_t                    *mem;        /* payload so far */
    uint64_t                    len;
    uint64_t                    room;

    vod_sample_t               *samples;    /* those of the payload */
    uint32_t                    n;
} vod_payload_t;


/*
 * The next packet of any stream into p->packet.  Results of
 * vod_demux_read(); VOD_TIMEOUT when the time is over.
 */
int vod_payload_read(vod_payload_t *p, vod_err_t *err);

/* whether it is of the track */
#define vod_payload_ours(p)                                                   \
    ((p)->packet.stream == (p)->in->track->stream)

/*
 * Appends the packet, converted, to the payload; *size is what it has there.
 * VOD_OK; VOD_LIMIT beyond p->max; VOD_DAMAGED; VOD_NOMEM.
 */
int vod_payload_append(vod_payload_t *p, uint32_t *size, vod_err_t *err);

/*
 * Fill in payload and samples (from malloc()) of a track whose samples are
 * in->rows, and of one of which only the cuts are known; *dts is that of the
 * first sample.  p is open, nothing has been read.
 */
int vod_payload_rows(vod_payload_t *p, uint64_t *dts, vod_err_t *err);
int vod_payload_sparse(vod_payload_t *p, uint64_t *dts, vod_err_t *err);

#endif /* _VOD_PAYLOAD_H_INCLUDED_ */
