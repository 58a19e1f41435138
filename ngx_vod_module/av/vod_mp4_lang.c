#include <string.h>

#include "vod_mp4.h"


/*
 * Macintosh's language codes (QuickTime File Format, "Language Code
 * Values"), as tags of BCP 47; "" = not assigned.
 */
static const char  vod_mp4_mac[][4] = {
    "en", "fr", "de", "it", "nl", "sv", "es", "da", "pt", "no",
    "he", "ja", "ar", "fi", "el", "is", "mt", "tr", "hr", "zh",
    "ur", "hi", "th", "ko", "lt", "pl", "hu", "et", "lv", "se",
    "fo", "fa", "ru", "zh", "nl", "ga", "sq", "ro", "cs", "sk",
    "sl", "yi", "sr", "mk", "bg", "uk", "be", "uz", "kk", "az",
    "az", "hy", "ka", "ro", "ky", "tg", "tk", "mn", "mn", "ps",
    "ku", "ks", "sd", "bo", "ne", "sa", "mr", "bn", "as", "gu",
    "pa", "or", "ml", "kn", "ta", "te", "si", "my", "km", "lo",
    "vi", "id", "tl", "ms", "ms", "am", "ti", "om", "so", "sw",
    "rw", "rn", "ny", "mg", "eo", "", "", "", "", "",
    "", "", "", "", "", "", "", "", "", "",
    "", "", "", "", "", "", "", "", "", "",
    "", "", "", "", "", "", "", "", "cy", "eu",
    "ca", "la", "qu", "gn", "ay", "tt", "ug", "dz", "jv", "su",
    "gl", "af", "br", "iu", "gd", "gv", "ga", "to", "grc", "kl",
    "az", "nn"
};


void
vod_mp4_lang(unsigned code, char out[4])
{
    int  i;

    memset(out, 0, 4);

    if (code < sizeof(vod_mp4_mac) / sizeof(vod_mp4_mac[0])) {
        memcpy(out, vod_mp4_mac[code], 4);
        return;
    }

    /* three letters of 5 bits; a code below is none */

    for (i = 0; code >= 0x400 && code < 0x7fff && i < 3; i++) {
        out[i] = (char) (0x60 + (code >> (10 - 5 * i) & 0x1f));
    }
}
