/*
 * Bounded writer: binary boxes and text into a caller's buffer.
 *
 * With start == NULL nothing is stored and the length is measured, so every
 * producer can be run twice: measure, allocate, write.  Running out of room
 * sets overflow, which stays set; len goes on counting what was asked for.
 */

#ifndef _VOD_WR_H_INCLUDED_
#define _VOD_WR_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>


typedef struct {
    uint8_t   *start;
    uint64_t   size;            /* room in bytes */
    uint64_t   len;             /* bytes asked for so far */
    int        overflow;
} vod_wr_t;


/* start may be NULL to measure (size is then ignored) */
void vod_wr_init(vod_wr_t *wr, void *start, uint64_t size);

/*
 * Room for n bytes at the end, which the caller fills in whole, or NULL where
 * there is nothing to fill in (measuring, or no room: overflow is set).  The
 * bytes count either way.
 */
uint8_t *vod_wr_reserve(vod_wr_t *wr, uint64_t n);

void vod_wr_bytes(vod_wr_t *wr, const void *data, uint64_t n);
void vod_wr_zero(vod_wr_t *wr, uint64_t n);

/* big-endian */
void vod_wr_u8(vod_wr_t *wr, uint8_t v);
void vod_wr_u16(vod_wr_t *wr, uint16_t v);
void vod_wr_u24(vod_wr_t *wr, uint32_t v);
void vod_wr_u32(vod_wr_t *wr, uint32_t v);
void vod_wr_u64(vod_wr_t *wr, uint64_t v);

/* overwrites 4 bytes at offset at, which must have been written already */
void vod_wr_patch32(vod_wr_t *wr, uint64_t at, uint32_t v);

/*
 * Box header with the size left open (ISO/IEC 14496-12, 4.2); the mark
 * returned is given to vod_wr_box_end(), which patches the size.  A full
 * box also writes version and flags.
 */
uint64_t vod_wr_box(vod_wr_t *wr, uint32_t type);
uint64_t vod_wr_full_box(vod_wr_t *wr, uint32_t type, uint8_t version,
    uint32_t flags);
void vod_wr_box_end(vod_wr_t *wr, uint64_t mark);

/* text: a C string; printf; an unsigned decimal without printf's cost */
void vod_wr_str(vod_wr_t *wr, const char *s);
void vod_wr_dec(vod_wr_t *wr, uint64_t v);
void vod_wr_fmt(vod_wr_t *wr, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* v microseconds (or any millionths) as "S.UUUUUU" */
void vod_wr_micro(vod_wr_t *wr, uint64_t v);

/*
 * Text of other people inside an attribute: XML attribute or element
 * content (escaped, bytes that are no valid UTF-8 or no XML 1.0 character
 * become '?'); HLS quoted-string (RFC 8216bis 4.2: no LF, CR or '"'; they
 * become ' ' and '\'').
 */
void vod_wr_xml(vod_wr_t *wr, const char *s, uint64_t n);
void vod_wr_quoted(vod_wr_t *wr, const char *s, uint64_t n);

/*
 * Bytes of the well-formed UTF-8 sequence at data (Unicode 3.9, table 3-7;
 * len > 0 bytes are there), or 0.
 */
unsigned vod_wr_sequence(const void *data, uint64_t len);

#endif /* _VOD_WR_H_INCLUDED_ */
