/*
 * Languages by code, private to vod_lang.c: every ISO 639-1 code with its
 * ISO 639-2 codes, then some languages that have three letters only.
 */

#ifndef _VOD_LANG_TABLE_H_INCLUDED_
#define _VOD_LANG_TABLE_H_INCLUDED_


typedef struct {
    char  two[3];               /* ISO 639-1, or "" */
    char  three[4];             /* ISO 639-2/T, or 639-3 */
    char  biblio[4];            /* ISO 639-2/B where it is another, or "" */
    char  name[24];             /* English, UTF-8 */
} vod_lang_t;


extern const vod_lang_t  vod_lang_table[];
extern const unsigned    vod_lang_table_len;

#endif /* _VOD_LANG_TABLE_H_INCLUDED_ */
