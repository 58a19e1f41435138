/*
 * Sound MP4 and QuickTime files, in every layout, and what is read of their
 * headers.
 */

#include <zlib.h>

#include "vod_av.h"
#include "movie.h"
#include "tap.h"


static void
check_samples(const char *what)
{
    int64_t       pts;
    uint64_t      data;
    vod_sample_t  s;

    data = (uint64_t) (movie_box("mdat", 0) - movie);
    data += (memcmp(movie + data - 8, "\0\0\0\1", 4) == 0) ? 8 : 0;

    is_int(movie_tracks(), 2, "%s: tracks", what);

    if (movie_tracks() != 2) {
        printf("# %s\n", movie_err.text);
        return;
    }

    is_int(movie_track(0)->n_samples, 10, "%s: video samples", what);
    is_int(movie_track(1)->n_samples, 20, "%s: audio samples", what);

    s = movie_sample(0, 0, &pts);
    is_int(s.pos, data, "%s: first sample's place", what);
    is_int(s.size, 100, "%s: first sample's size", what);
    is_int(s.key, 1, "%s: first sample is sync", what);
    is_int(pts, 0, "%s: first sample's time", what);

    s = movie_sample(0, 5, &pts);
    is_int(s.key, 1, "%s: sixth sample is sync", what);
    is_int(pts, 5 * 512 + 512, "%s: sixth sample's time", what);

    s = movie_sample(0, 9, &pts);
    is_int(s.pos, data + movie_chunk(1, 1) + 106 + 107 + 108,
           "%s: last sample's place", what);
    is_int(s.dur, 500, "%s: last sample's duration", what);
    is_int(s.key, 0, "%s: last sample is no sync sample", what);
    is_int(pts, 8 * 512, "%s: last sample's time", what);

    s = movie_sample(1, 10, &pts);
    is_int(s.pos, data + movie_chunk(0, 1), "%s: second chunk of audio",
           what);
    is_int(pts, 10240, "%s: its time", what);
}


static void
layouts(void)
{
    movie_opt_t  o;

    movie_make(NULL);
    is_int(movie_open(), VOD_OK, "moov first");
    check_samples("moov first");
    is_str(movie_notes(), "", "no notes");
    ok(movie_read_bytes < 4096, "headers and moov are all that is read");
    is_str(((vod_index_t *) movie_index)->container, "mp4", "container");

    memset(&o, 0, sizeof(o));
    o.moov_last = 1;
    movie_make(&o);
    is_int(movie_open(), VOD_OK, "moov last");
    check_samples("moov last");

    o.wide = 1;
    movie_make(&o);
    is_int(movie_open(), VOD_OK, "64-bit");
    check_samples("64-bit");

    memset(&o, 0, sizeof(o));
    o.open_mdat = 1;
    movie_make(&o);
    is_int(movie_open(), VOD_OK, "mdat to the end");
    check_samples("mdat to the end");

    memset(&o, 0, sizeof(o));
    o.no_ftyp = 1;
    movie_make(&o);
    is_int(movie_open(), VOD_OK, "no ftyp");
    check_samples("no ftyp");
    is_str(((vod_index_t *) movie_index)->container, "mov", "container");

    /* what follows may be padding, or no box at all */

    movie_make(NULL);
    memset(movie + movie_len, 0, 64);
    movie_len += 64;
    is_int(movie_open(), VOD_OK, "zeros behind");

    movie_make(NULL);
    memset(movie + movie_len, 0xff, 64);
    movie_len += 64;
    is_int(movie_open(), VOD_OK, "junk behind");
}


/* the movie's moov, which is last, as a compressed one */
static void
compress_moov(const char *method, uint32_t claim)
{
    uLongf    len;
    uint8_t  *moov;
    uint64_t  size;
    vod_wr_t  wr;
    uint64_t  box, cmov;

    static uint8_t  packed[MOVIE_ROOM];

    moov = movie_box("moov", 0) - 8;
    size = (uint64_t) (movie + movie_len - moov);
    len = sizeof(packed);
    (void) compress2(packed, &len, moov, size, 9);

    vod_wr_init(&wr, moov, MOVIE_ROOM - (uint64_t) (moov - movie));
    box = vod_wr_box(&wr, MOVIE_TYPE("moov"));
    cmov = vod_wr_box(&wr, MOVIE_TYPE("cmov"));
    vod_wr_u32(&wr, 12);
    vod_wr_bytes(&wr, "dcom", 4);
    vod_wr_bytes(&wr, method, 4);
    vod_wr_u32(&wr, (uint32_t) len + 12);
    vod_wr_bytes(&wr, "cmvd", 4);
    vod_wr_u32(&wr, claim ? claim : (uint32_t) size);
    vod_wr_bytes(&wr, packed, len);
    vod_wr_box_end(&wr, cmov);
    vod_wr_box_end(&wr, box);
    movie_len = (uint64_t) (moov - movie) + wr.len;
}


static void
compressed_fails(int code, const char *words)
{
    is_int(movie_open(), code, "%s", words);
    ok(strstr(movie_err.text, words) != NULL, "%s: the reason", words);
}


static void
compressed(void)
{
    movie_opt_t  o;

    memset(&o, 0, sizeof(o));
    o.moov_last = 1;

    movie_make(&o);
    compress_moov("zlib", 0);
    is_int(movie_open(), VOD_OK, "compressed moov");
    check_samples("compressed moov");
    is_str(movie_notes(), "", "compressed moov: no note");

    movie_make(&o);
    compress_moov("bzip", 0);
    compressed_fails(VOD_UNSUPPORTED, "compressed with bzip, not zlib");

    movie_make(&o);
    compress_moov("zlib", 1000);
    compressed_fails(VOD_DAMAGED, "does not come to 1000 bytes");

    movie_make(&o);
    compress_moov("zlib", 100000000);
    compressed_fails(VOD_DAMAGED, "claims 100000000 bytes in");

    movie_make(&o);
    compress_moov("zlib", 0x80000000);
    compressed_fails(VOD_LIMIT, "2147483648 bytes, more than the");

    movie_make(&o);
    compress_moov("zlib", 0);
    movie_box("cmvd", 0)[10] ^= 0x55;
    compressed_fails(VOD_DAMAGED, "does not come to");

    movie_make(&o);
    compress_moov("zlib", 0);
    memcpy(movie_box("cmvd", 0) - 4, "free", 4);
    compressed_fails(VOD_DAMAGED, "lacks dcom or cmvd");

    movie_make(&o);
    compress_moov("zlib", 0);
    compress_moov("zlib", 0);
    compressed_fails(VOD_DAMAGED, "compressed once more");
}


static void
headers(void)
{
    int64_t             pts;
    vod_sample_t        s;
    const vod_track_t  *t;

    movie_make(NULL);
    movie_open();

    t = movie_track(0);
    is_int(t->kind, VOD_VIDEO, "video");
    is_int(t->source_id, 7, "track_ID");
    is_int(t->timescale, 12800, "timescale");
    is_int(t->tkhd_width, 160 << 16, "width of the track");
    is_int(t->flags, VOD_TRACK_DEFAULT, "enabled, not all sync");
    is_int(t->matrix[4], 0x10000, "matrix");
    is_int(t->media_time, 512, "media time of the edit list");
    is_str(t->lang, "und", "no language");
    is_int(t->name_len, 0, "a handler's name is no name");

    t = movie_track(1);
    is_int(t->kind, VOD_AUDIO, "audio");
    is_int(t->source_id, 9, "track_ID");
    is_int(t->flags, VOD_TRACK_ALL_SYNC, "not enabled, all sync");

    /* without stss every sample is a sync sample */

    memcpy(movie_box("stss", 0) - 4, "skip", 4);
    is_int(movie_open(), VOD_OK, "no stss");
    s = movie_sample(0, 9, &pts);
    is_int(s.key, 1, "no stss: all are sync samples");

    /* the movie's matrix is applied: here a quarter turn */

    movie_make(NULL);
    movie_u32(movie_box("mvhd", 0) + 36, 0);
    movie_u32(movie_box("mvhd", 0) + 40, 0x10000);
    movie_u32(movie_box("mvhd", 0) + 48, 0xffff0000);
    movie_u32(movie_box("mvhd", 0) + 52, 0);
    is_int(movie_open(), VOD_OK, "movie matrix");
    t = movie_track(0);
    is_int(t->matrix[0], 0, "movie matrix: a");
    is_int(t->matrix[1], 0x10000, "movie matrix: b");
    is_int(t->matrix[3], -0x10000, "movie matrix: c");
    is_int(t->matrix[4], 0, "movie matrix: d");
}


static const char *
name_of(const movie_opt_t *o)
{
    static char         name[256];
    const vod_track_t  *t;

    movie_make(o);

    if (movie_open() != VOD_OK || movie_tracks() != 2) {
        return movie_err.text;
    }

    t = movie_track(1);
    memcpy(name, (const char *) movie_index + t->name_off, t->name_len);
    name[t->name_len] = '\0';

    return name;
}


static void
names(void)
{
    char         text[300];
    movie_opt_t  o;

    memset(&o, 0, sizeof(o));

    o.hdlr = "Commentary";
    is_str(name_of(&o), "Commentary", "hdlr");
    o.pascal = 1;
    is_str(name_of(&o), "Commentary", "hdlr, counted string");
    o.hdlr = "Core Media Audio";
    is_str(name_of(&o), "", "Apple's component name");

    memset(&o, 0, sizeof(o));
    o.udta = "name";
    o.title = "Director's cut";
    is_str(name_of(&o), "Director's cut", "udta/name");
    o.hdlr = "Commentary";
    is_str(name_of(&o), "Director's cut", "udta/name before hdlr");
    o.udta = "titl";
    o.title = "\xd0\x9c\xd0\xb8\xd1\x80";
    is_str(name_of(&o), "\xd0\x9c\xd0\xb8\xd1\x80", "udta/titl, UTF-8");
    o.udta = "\251nam";
    is_str(name_of(&o), "\xd0\x9c\xd0\xb8\xd1\x80", "QuickTime's name");
    o.title = "caf\xe9";
    is_str(name_of(&o), "Commentary", "not UTF-8: not taken");
    o.title = "\xc0\xaf";
    is_str(name_of(&o), "Commentary", "overlong UTF-8: not taken");
    o.title = "\xed\xa0\x80";
    is_str(name_of(&o), "Commentary", "a surrogate: not taken");
    o.title = "a\nb";
    is_str(name_of(&o), "Commentary", "a control character: not taken");
    o.udta = "name";
    o.title = "";
    is_str(name_of(&o), "Commentary", "empty: not taken");

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    o.title = text;
    is_str(name_of(&o), "Commentary", "too long: not taken");
}


/* stz2 (14496-12, 8.7.3.3): sizes of 4, 8 and 16 bits */
static void
compact(void)
{
    unsigned      bits, i;
    uint8_t      *at;
    uint64_t      data;
    int64_t       pts;
    vod_sample_t  s;

    for (bits = 4; bits <= 16; bits *= 2) {
        movie_make(NULL);
        memcpy(movie_box("stsz", 1) - 4, "skip", 4);
        at = movie_box("free", 5);
        memcpy(at - 4, "stz2", 4);
        movie_u32(at + 4, bits);
        movie_u32(at + 8, 20);

        for (i = 0; i < 20; i++) {
            if (bits == 4) {
                at[12 + i / 2] |= (uint8_t) (i % 11 << (i & 1 ? 0 : 4));
            } else {
                at[12 + (i + 1) * bits / 8 - 1] = (uint8_t) (i % 11);
            }
        }

        is_int(movie_open(), VOD_OK, "sizes of %u bits", bits);
        data = (uint64_t) (movie_box("mdat", 0) - movie);
        s = movie_sample(1, 10, &pts);
        is_int(s.pos, data + movie_chunk(0, 1), "%u bits: second chunk",
               bits);
        is_int(s.size, 10, "%u bits: size", bits);
        s = movie_sample(1, 12, &pts);
        is_int(s.pos, data + movie_chunk(0, 1) + 10, "%u bits: third there",
               bits);
        is_int(s.size, 1, "%u bits: its size", bits);
    }
}


/* the frame's header says that the sound is mono, at 44100 Hz */
static void
mp3(void)
{
    uint8_t  *data;

    movie_make(NULL);
    movie_box("esds", 0)[17] = 0x6b;
    data = movie_box("mdat", 0) + movie_chunk(0, 0);
    memcpy(data, "\377\373\220\304", 4);

    is_int(movie_open(), VOD_OK, "MP3");
    is_str(movie_track(1)->codec, "mp4a.6B", "MP3: codec");
    is_int(movie_track(1)->channels, 1, "MP3: channels of its first frame");
    is_int(movie_track(1)->sample_rate, 44100, "MP3: rate of it");

    data[0] = 0;
    is_int(movie_open(), VOD_OK, "MP3 without a header");
    is_int(movie_track(1)->channels, 2, "MP3 without a header: the entry's");

    movie_fail_at = (uint64_t) (data - movie) + 2;
    is_int(movie_open(), VOD_IO, "MP3 that cannot be read");
}


static const char *
lang_of(const movie_opt_t *o)
{
    movie_make(o);

    if (movie_open() != VOD_OK || movie_tracks() != 2) {
        return movie_err.text;
    }

    return movie_track(1)->lang;
}


static void
languages(void)
{
    movie_opt_t  o;

    memset(&o, 0, sizeof(o));

    o.lang = ('d' - 0x60) << 10 | ('e' - 0x60) << 5 | ('u' - 0x60);
    is_str(lang_of(&o), "de", "packed language");
    o.elng = "pt-BR";
    is_str(lang_of(&o), "pt-br", "extended language before it");
    o.elng = "not a tag";
    is_str(lang_of(&o), "und", "an extended language that is none");
    o.elng = NULL;
    o.lang = 1;
    is_str(lang_of(&o), "fr", "Macintosh language");
    o.lang = 94;
    is_str(lang_of(&o), "eo", "Macintosh language 94");
    o.lang = 95;
    is_str(lang_of(&o), "und", "Macintosh language 95 is none");
    o.lang = 128;
    is_str(lang_of(&o), "cy", "Macintosh language 128");
    o.lang = 151;
    is_str(lang_of(&o), "nn", "Macintosh language 151");
    o.lang = 152;
    is_str(lang_of(&o), "und", "Macintosh language 152 is none");
    o.lang = 0x7fff;
    is_str(lang_of(&o), "und", "unspecified");
    o.lang = 0;
    is_str(lang_of(&o), "und", "undetermined");
}


static void
versions(void)
{
    int64_t   pts;
    uint8_t  *elst;

    /* offsets of version 1 are read as those of version 0: signed */

    movie_make(NULL);
    *movie_box("ctts", 0) = 1;
    movie_u32(movie_box("ctts", 0) + 28, (uint32_t) -512);
    is_int(movie_open(), VOD_OK, "ctts version 1");
    (void) movie_sample(0, 9, &pts);
    is_int(pts, 7 * 512, "ctts version 1: last offset is -512");

    *movie_box("ctts", 0) = 0;
    is_int(movie_open(), VOD_OK, "ctts version 0 with a negative offset");
    (void) movie_sample(0, 9, &pts);
    is_int(pts, 7 * 512, "ctts version 0: last offset is -512");

    /* the table may end early: the rest has no offset */

    movie_u32(movie_box("ctts", 0) + 4, 1);
    is_int(movie_open(), VOD_OK, "short ctts");
    (void) movie_sample(0, 1, &pts);
    is_int(pts, 0, "short ctts: no offset");

    /* an elst of version 1 needs room: in the spare box of trak */

    movie_make(NULL);
    memcpy(movie_box("edts", 0) - 4, "skip", 4);
    elst = movie_box("free", 4);
    memcpy(elst - 4, "edts", 4);
    movie_u32(elst, 120);
    memcpy(elst + 4, "elst", 4);
    elst[8] = 1;
    movie_u32(elst + 12, 2);
    memset(elst + 24, 0xff, 8);
    movie_u32(elst + 20, 250);
    movie_u32(elst + 32, 0x10000);
    movie_u32(elst + 40, 400);
    movie_u32(elst + 48, 512);
    movie_u32(elst + 52, 0x10000);
    is_int(movie_open(), VOD_OK, "elst version 1");
    (void) movie_sample(0, 0, &pts);
    is_int(pts, 3200, "elst version 1: a quarter of a second late");
    is_int(movie_track(0)->first_dts, 3200 - 512, "elst version 1: dts");
}


int
main(void)
{
    vod_av_init();
    vod_av_init();

    layouts();
    compressed();
    headers();
    names();
    languages();
    compact();
    mp3();
    versions();

    ok(strncmp(vod_av_version(), "libavformat ", 12) == 0, "%s",
       vod_av_version());

    free(movie_index);

    return done_testing();
}
