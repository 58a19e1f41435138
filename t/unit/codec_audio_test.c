/* what audio sample entries say, and what is written of them */

#include "entries.h"
#include "entry.h"


static entry_t  e;


static void
test_made_by_ffmpeg(void)
{
    unsigned  i;

    static const struct {
        const uint8_t  *entry;
        size_t          len;
        const char     *codec;
        unsigned        rate, channels, cicp, dolby;
    } cases[] = {
        { entry_aac, sizeof(entry_aac), "mp4a.40.2", 48000, 2, 2, 0 },
        { entry_aac_mov, sizeof(entry_aac_mov), "mp4a.40.2", 48000, 6, 6, 0 },
        { entry_aac_quad, sizeof(entry_aac_quad), "mp4a.40.2",
          48000, 4, 0, 0 },
        { entry_mp3, sizeof(entry_mp3), "mp4a.6B", 48000, 2, 2, 0 },
        { entry_mp3_mov, sizeof(entry_mp3_mov), "mp4a.6B", 48000, 1, 1, 0 },
        { entry_opus, sizeof(entry_opus), "Opus", 48000, 6, 6, 0 },
        { entry_ac3, sizeof(entry_ac3), "ac-3", 48000, 6, 6, 0xf801 },
        { entry_ac3_mov, sizeof(entry_ac3_mov), "ac-3",
          48000, 2, 2, 0xa000 },
        { entry_eac3, sizeof(entry_eac3), "ec-3", 48000, 6, 6, 0xf801 },
        { entry_flac, sizeof(entry_flac), "fLaC", 96000, 1, 1, 0 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        entry_run(&e, VOD_AUDIO, cases[i].entry, cases[i].len);

        is_int(e.rc, VOD_OK, "%s: %s", cases[i].codec, e.err.text);
        is_str(e.track.codec, cases[i].codec, "codec string");
        is_int(e.track.sample_rate, cases[i].rate, "sample rate");
        is_int(e.track.channels, cases[i].channels, "channels");
        is_int(e.track.channel_layout, cases[i].cicp, "layout");
        is_int(e.track.dolby_layout, cases[i].dolby, "Dolby's layout");
    }

    is_int(e.track.bit_depth, 24, "bit depth of FLAC");
}


static void
test_carried(void)
{
    int  at;

    entry_run(&e, VOD_AUDIO, entry_opus, sizeof(entry_opus));
    is_int(e.len, sizeof(entry_opus), "Opus keeps its length");
    is_mem(e.out, entry_opus, sizeof(entry_opus), "and its bytes");

    entry_run(&e, VOD_AUDIO, entry_eac3, sizeof(entry_eac3));
    is_mem(e.out, entry_eac3, sizeof(entry_eac3), "E-AC-3 with btrt");

    entry_run(&e, VOD_AUDIO, entry_flac, sizeof(entry_flac));
    at = entry_find(&e, "dfLa");
    is_mem(e.out + at - 4, entry_flac + at - 4, sizeof(entry_flac) - at + 4,
           "dfLa and what follows");
    is_mem(e.out + 32, "\0\0\0\0", 4, "a rate of 96 kHz has no place in it");

    entry_run(&e, VOD_AUDIO, entry_aac, sizeof(entry_aac));
    is_mem(e.out, entry_aac, 4 - 1, "AAC");
    at = entry_find(&e, "esds");
    is_int(at, 40, "esds is the first box");
    is_mem(e.out + at, "esds\0\0\0\0\003\034\0\0\0\004\024\100\025", 17,
           "ES_ID 0, no flags, object type 0x40, audio stream");
    ok(entry_find(&e, "btrt") > 0, "btrt is carried");
}


static void
test_quicktime(void)
{
    int       at;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    entry_run(&e, VOD_AUDIO, entry_aac_mov, sizeof(entry_aac_mov));
    is_mem(e.out + 8, "\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0\0\0\006\0\020", 20,
           "version 0, six channels, 16 bits");
    is_int(entry_find(&e, "wave"), -1, "no wave");
    is_int(entry_find(&e, "chan"), -1, "no chan");
    is_int(entry_find(&e, "esds"), 40, "esds as a direct child");
    is_int(e.len, 36 + 12 + 2 + 3 + 2 + 13 + 2 + 5 + 3, "and nothing else");

    entry_run(&e, VOD_AUDIO, entry_ac3_mov, sizeof(entry_ac3_mov));
    is_int(entry_find(&e, "wave"), -1, "AC-3: no wave");
    is_mem(e.out + 36, "\0\0\0\013dac3", 8, "dac3 as a direct child");
    is_int(e.len, 36 + 11, "and nothing else");

    entry_run(&e, VOD_AUDIO, entry_mp3_mov, sizeof(entry_mp3_mov));
    is_mem(e.out + 4, "mp4a", 4, "MP3 becomes mp4a");
    at = entry_find(&e, "esds");
    ok(at > 0, "with an esds");
    is_int(e.out[at + 15], 0x6b, "of object type 0x6B");

    /* version 2: 44100.0 Hz as a double, two channels */

    entry_audio(&wr, buf, "mp4a", 2, 3, 1);
    vod_wr_u32(&wr, 72);
    vod_wr_u64(&wr, 0x40e5888000000000ULL);
    vod_wr_u32(&wr, 2);
    vod_wr_u32(&wr, 0x7f000000);
    vod_wr_zero(&wr, 16);
    entry_esds(&wr, 0x40, "1210");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.track.codec, "mp4a.40.2", "version 2: %s", e.err.text);
    is_mem(e.out + 16, "\0\0\0\0\0\0\0\0\0\002\0\020\0\0\0\0\254\104\0\0", 20,
           "written as version 0, 2 channels, 16 bits, 44100 Hz");

    /* AudioSampleEntryV1 of 14496-12 has no more fields but may have srat */

    entry_audio(&wr, buf, "mp4a", 1, 2, 1);
    entry_box(&wr, "srat", "00000000 00017700");
    entry_esds(&wr, 0x40, "1010");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.track.codec, "mp4a.40.2", "AudioSampleEntryV1: %s", e.err.text);
    is_int(e.track.sample_rate, 96000, "its rate");
    is_int(entry_find(&e, "srat"), -1, "version 0 has no srat");
}


static const struct {
    const char  *asc;
    const char  *what;
    unsigned     oti;
    const char  *codec;
    unsigned     rate, channels, cicp;
} aac_cases[] = {
    { "1210", "LC", 0x40, "mp4a.40.2", 44100, 2, 2 },
    { "1210", "MPEG-2 LC", 0x67, "mp4a.67", 44100, 2, 2 },
    { "0a10", "Main", 0x40, "mp4a.40.1", 44100, 2, 2 },
    { "1208", "mono", 0x40, "mp4a.40.2", 44100, 1, 1 },
    { "11b8", "7.1, front", 0x40, "mp4a.40.2", 48000, 8, 7 },
    { "11e0", "7.1, back", 0x40, "mp4a.40.2", 48000, 8, 12 },
    { "11d8", "6.1", 0x40, "mp4a.40.2", 48000, 7, 11 },
    { "1780181c90", "a rate of 24 bits", 0x40, "mp4a.40.2", 12345, 2, 2 },
    { "2b920800", "HE, hierarchical", 0x40, "mp4a.40.5", 44100, 2, 2 },
    { "eb8a0800", "HEv2, hierarchical", 0x40, "mp4a.40.29",
      44100, 2, 2 },
    { "139056e5a0", "HE, backward compatible", 0x40, "mp4a.40.5",
      44100, 2, 2 },
    { "138856e5a54880", "HEv2, backward compatible", 0x40, "mp4a.40.29",
      44100, 2, 2 },
    { "121056e500", "the extension says no SBR", 0x40, "mp4a.40.2",
      44100, 2, 2 },
    { "f9482421", "xHE", 0x40, "mp4a.40.42", 44100, 1, 1 },
    { "f8ec4180", "ELD with SBR at twice the rate", 0x40,
      "mp4a.40.39", 48000, 2, 2 },
};


static void
test_aac(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    for (i = 0; i < sizeof(aac_cases) / sizeof(aac_cases[0]); i++) {

        entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
        entry_esds(&wr, aac_cases[i].oti, aac_cases[i].asc);
        entry_end(&e, VOD_AUDIO, &wr);

        is_str(e.track.codec, aac_cases[i].codec, "%s %s", aac_cases[i].what,
               e.err.text);
        is_int(e.track.sample_rate, aac_cases[i].rate, "rate");
        is_int(e.track.channels, aac_cases[i].channels, "channels");
        is_int(e.track.channel_layout, aac_cases[i].cicp, "layout");
    }

    entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
    entry_esds(&wr, 0x40, "1248");
    entry_end(&e, VOD_AUDIO, &wr);
    is_int(e.rc, VOD_DAMAGED, "channelConfiguration 9 is reserved");

    entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
    entry_esds(&wr, 0x40, "12");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.err.text, "sample entry mp4a: esds holds an AudioSpecificConfig "
           "that is cut off", "one byte");

    entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
    entry_esds(&wr, 0x40, "");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.err.text, "sample entry mp4a: esds holds no AudioSpecificConfig",
           "none");

    entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
    entry_esds(&wr, 0x40, "f88a00");
    entry_end(&e, VOD_AUDIO, &wr);
    is_int(e.rc, VOD_UNSUPPORTED, "%s", e.err.text);
}


static void
test_esds(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    static const char  *esds[] = {
        /* lengths of four bytes */
        "00000000 0380808022 0001 00 0480808014 40150018000001f4000001e000 "
        "0580808002 1210 0680808001 02",
        /* all that may stand before the decoder's part */
        "00000000 031f 0001 e0 0002 03616263 0007 0411 "
        "40150018000001f4000001e000 0502 1210 060102",
        /* lengths that promise more than there is */
        "00000000 0340 0001 00 0430 40150018000001f4000001e000 0502 1210",
    };

    for (i = 0; i < sizeof(esds) / sizeof(esds[0]); i++) {

        entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
        entry_box(&wr, "esds", esds[i]);
        entry_end(&e, VOD_AUDIO, &wr);

        is_str(e.track.codec, "mp4a.40.2", "esds %u %s", i, e.err.text);
        is_int(e.len, 36 + 39, "its length");
        is_mem(e.out + 36,
               "\0\0\0\047esds\0\0\0\0\003\031\0\0\0\004\021\100\025"
               "\0\030\0\0\001\364\0\0\001\340\0\005\002\022\020\006\001\002",
               39, "as CMAF wants it");
    }

    entry_audio(&wr, buf, "mp4a", 0, 2, 44100);
    entry_box(&wr, "esds", "00000000 0303 0001 00");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.err.text, "sample entry mp4a: esds holds no decoder "
           "configuration", "an empty descriptor");
}


static void
test_dolby(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    static const struct {
        const char  *type, *box, *hex;
        unsigned     rate, channels, cicp, dolby, joc;
    } cases[] = {
        /* fscod, bsid 8, bsmod, acmod, lfeon, bit_rate_code */
        { "ac-3", "dac3", "100800", 48000, 1, 1, 0x4000, 0 },
        { "ac-3", "dac3", "501000", 44100, 2, 2, 0xa000, 0 },
        { "ac-3", "dac3", "102000", 48000, 3, 9, 0xa100, 0 },
        { "ac-3", "dac3", "102800", 48000, 4, 4, 0xe100, 0 },
        { "ac-3", "dac3", "103000", 48000, 4, 10, 0xb800, 0 },
        { "ac-3", "dac3", "143c00", 12000, 6, 6, 0xf801, 0 },

        /* one independent substream */
        { "ec-3", "dec3", "0600 200f00", 48000, 6, 6, 0xf801, 0 },

        /* with a dependent one that adds Lrs/Rrs; Lvh/Rvh; Cs and LFE2 */
        { "ec-3", "dec3", "0600 200f0202", 48000, 8, 12, 0xfa01, 0 },
        { "ec-3", "dec3", "0600 200f0240", 48000, 8, 14, 0xf811, 0 },
        { "ec-3", "dec3", "0600 200f0304", 48000, 8, 0, 0xf903, 0 },

        /* two programmes: the first is heard */
        { "ec-3", "dec3", "0601 200f00 200400", 48000, 6, 6, 0xf801, 0 },

        /* objects coded jointly, complexity 16 */
        { "ec-3", "dec3", "0600 200f00 0110", 48000, 6, 6, 0xf801, 16 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        entry_audio(&wr, buf, cases[i].type, 0, 2, 48000);
        entry_box(&wr, cases[i].box, cases[i].hex);
        entry_end(&e, VOD_AUDIO, &wr);

        is_str(e.track.codec, cases[i].type, "%s %s %s", cases[i].box,
               cases[i].hex, e.err.text);
        is_int(e.track.sample_rate, cases[i].rate, "rate");
        is_int(e.track.channels, cases[i].channels, "channels");
        is_int(e.track.channel_layout, cases[i].cicp, "layout");
        is_int(e.track.dolby_layout, cases[i].dolby, "Dolby's layout");
        is_int(e.track.joc, cases[i].joc, "joint object coding");
    }

    entry_audio(&wr, buf, "ac-3", 0, 2, 48000);
    entry_box(&wr, "dac3", "d01000");
    entry_end(&e, VOD_AUDIO, &wr);
    is_int(e.rc, VOD_DAMAGED, "a reserved rate");
}


static void
test_mp3_frame(void)
{
    entry_run(&e, VOD_AUDIO, entry_mp3, sizeof(entry_mp3));

    vod_codec_first_sample(&e.track, (const uint8_t *) "\377\373\224\304", 4);
    is_int(e.track.channels, 1, "mono, whatever the entry says");
    is_int(e.track.channel_layout, 1, "its layout");
    is_int(e.track.sample_rate, 48000, "its rate");

    vod_codec_first_sample(&e.track, (const uint8_t *) "\377\363\100\000", 4);
    is_int(e.track.channels, 2, "MPEG-2 stereo");
    is_int(e.track.sample_rate, 22050, "its rate");

    vod_codec_first_sample(&e.track, (const uint8_t *) "ID3\004", 4);
    is_int(e.track.channels, 2, "no header changes nothing");

    vod_codec_first_sample(&e.track, (const uint8_t *) "\377\373\224", 3);
    is_int(e.track.sample_rate, 22050, "three bytes change nothing");

    entry_run(&e, VOD_AUDIO, entry_aac, sizeof(entry_aac));
    vod_codec_first_sample(&e.track, (const uint8_t *) "\377\373\224\304", 4);
    is_int(e.track.channels, 2, "AAC is left alone");
}


static void
test_left_out(void)
{
    unsigned  i;
    uint8_t   buf[ENTRY_MAX];
    vod_wr_t  wr;

    static const struct {
        const char  *type;
        const char  *reason;
    } cases[] = {
        { "sowt", "PCM audio is in no CMAF media profile" },
        { "samr", "AMR audio is in no CMAF media profile" },
        { "dtsx", "DTS-UHD audio is not supported" },
        { "ac-4", "AC-4 audio is not supported" },
        { "enca", "encrypted (enca)" },
        { "\1\2\3\4", "audio of type ???? is in no CMAF media profile" },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        entry_audio(&wr, buf, cases[i].type, 0, 2, 48000);
        entry_end(&e, VOD_AUDIO, &wr);
        is_int(e.rc, VOD_UNSUPPORTED, "%s", cases[i].reason);
        is_str(e.err.text, cases[i].reason, "the reason");
    }

    entry_audio(&wr, buf, "mp4a", 0, 2, 48000);
    entry_esds(&wr, 0xa9, "00");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.err.text, "DTS audio (mp4a with object type 0xA9) is not "
           "supported", "mp4a is named by its object type");

    entry_audio(&wr, buf, "Opus", 0, 2, 48000);
    entry_box(&wr, "sinf", "");
    entry_end(&e, VOD_AUDIO, &wr);
    is_str(e.err.text, "encrypted (sinf)", "a sinf in a clear entry");

    entry_audio(&wr, buf, "Opus", 0, 2, 48000);
    entry_box(&wr, "dOps", "00 03 0138 0000bb80 0000 00");
    entry_end(&e, VOD_AUDIO, &wr);
    is_int(e.rc, VOD_DAMAGED, "Opus, family 0, three channels");

    entry_audio(&wr, buf, "fLaC", 0, 2, 48000);
    entry_box(&wr, "dfLa", "00000000 84000004 00000000");
    entry_end(&e, VOD_AUDIO, &wr);
    is_int(e.rc, VOD_DAMAGED, "FLAC without STREAMINFO");
}


int
main(void)
{
    test_made_by_ffmpeg();
    test_carried();
    test_quicktime();
    test_aac();
    test_esds();
    test_dolby();
    test_mp3_frame();
    test_left_out();

    return done_testing();
}
