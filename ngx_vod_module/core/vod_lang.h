/*
 * Languages: from what files carry to BCP 47 (RFC 5646) and back.
 */

#ifndef _VOD_LANG_H_INCLUDED_
#define _VOD_LANG_H_INCLUDED_

#include <stddef.h>


/*
 * Normalises a language tag or an ISO 639-2 code (n bytes) to BCP 47 in
 * lower case: "eng" -> "en", "ger" -> "de", "pt-BR" -> "pt-br"; anything
 * that is no well-formed tag, or "", -> "und".  out has size bytes, >= 4.
 */
void vod_lang_normalise(const char *in, size_t n, char *out, size_t size);

/*
 * The three-letter ISO 639-2/T code for mdhd (14496-12, 8.4.2), "und" where
 * there is none; out has 4 bytes.
 */
void vod_lang_mdhd(const char *tag, char out[4]);

/*
 * An English name for a player's menu: "English", or NULL where the table has
 * none.
 */
const char *vod_lang_name(const char *tag);

#endif /* _VOD_LANG_H_INCLUDED_ */
