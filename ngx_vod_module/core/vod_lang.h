/*
 * Languages: from what files carry to BCP 47 (RFC 5646) and back.
 */

#ifndef _VOD_LANG_H_INCLUDED_
#define _VOD_LANG_H_INCLUDED_

#include <stddef.h>


/*
 * Normalises a language tag or an ISO 639-2 code (n bytes) to BCP 47 in
 * lower case: "eng" -> "en", "ger" -> "de", "pt-BR" -> "pt-br"; anything
 * that is no well-formed tag (RFC 5646, 2.1), or "", -> "und".  '_' passes
 * for '-'.  out has size bytes, >= 4, and is terminated; a longer tag loses
 * subtags from its end.  in may end early with a zero byte.
 */
void vod_lang_normalise(const char *in, size_t n, char *out, size_t size);

/*
 * The three-letter code for mdhd (14496-12, 8.4.2): ISO 639-2/T, a language
 * subtag that has three letters as it is, "und" where there is none; out has
 * 4 bytes.  tag as vod_lang_normalise() leaves it.
 */
void vod_lang_mdhd(const char *tag, char out[4]);

/*
 * An English name of the language for a player's menu: "English", UTF-8, or
 * NULL where the table has none ("und").  Region and script are not in it.
 * tag as vod_lang_normalise() leaves it.
 */
const char *vod_lang_name(const char *tag);

#endif /* _VOD_LANG_H_INCLUDED_ */
