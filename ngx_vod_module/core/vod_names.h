/*
 * What the names of files say that stand beside each other: "film.mp4",
 * "film.en.sdh.srt", "film.de.m4a".
 *
 * A name is split at its dots: what is before the first one (or the stem, the
 * name of the film without its ending), words, and the ending, which says
 * what the file is.  A word is a language (a BCP 47 tag, an ISO 639-2 code, an
 * English name: "pt-BR", "ger", "German"), one of those that say what the
 * track is for, or a label for people.  Of two languages the last one counts.
 * "hi" is Hindi where no language has come before it, else what people mean
 * who write "film.en.hi.srt": for the hard of hearing.
 */

#ifndef _VOD_NAMES_H_INCLUDED_
#define _VOD_NAMES_H_INCLUDED_

#include <stddef.h>
#include <stdint.h>


typedef struct {
    unsigned     kind;          /* VOD_VIDEO, VOD_AUDIO, VOD_TEXT: what such
                                   files mostly hold; 0: not one of ours */
    char         lang[16];      /* BCP 47 in lower case, "" = not said */
    uint32_t     roles;         /* VOD_ROLE_*, 0 = not said */
    int          is_default;    /* 1: the name says so */
    const char  *label;         /* within name, UTF-8: the first word that is
                                   none of ours, without a stem of those
                                   behind the language; NULL: none, video */
    size_t       label_len;
} vod_name_t;


/*
 * Reads a file's name (len bytes, no folder).  With a stem the name must begin
 * with it and a dot; without one (NULL, 0), as in a folder that is an asset,
 * all before the first dot is the stem, and is a language itself where the
 * file is of sound or text and all words behind it are ours ("en.vtt",
 * "fr.forced.srt").  Returns out->kind, 0 where the ending is none of a media
 * file, the stem is another, or the name begins with a dot.
 */
unsigned vod_names_parse(const char *name, size_t len, const char *stem,
    size_t stem_len, vod_name_t *out);

/* the name of a file without its ending: bytes of it */
size_t vod_names_stem(const char *name, size_t len);

#endif /* _VOD_NAMES_H_INCLUDED_ */
