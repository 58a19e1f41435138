#include "tap.h"

#include "vod_err.h"


int
main(void)
{
    char       longer[2 * VOD_ERR_TEXT];
    vod_err_t  err;

    is_int(vod_fail(&err, VOD_DAMAGED, "track %u: %s", 3, "cut"), VOD_DAMAGED,
           "the code comes back");
    is_int(err.code, VOD_DAMAGED, "and is kept");
    is_str(err.text, "track 3: cut", "with the reason");

    is_int(vod_fail(NULL, VOD_LIMIT, "nobody asks for %s", "it"), VOD_LIMIT,
           "without a place for it the code comes back too");

    vod_fail(&err, VOD_IO, "a\nb\rc\td\x1b[1m\x7f");
    is_str(err.text, "a?b?c?d?[1m?", "one line, nothing a terminal obeys");

    vod_fail(&err, VOD_IO, "%s", "na\xc3\xafve");
    is_str(err.text, "na\xc3\xafve", "UTF-8 stays");

    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';

    vod_fail(&err, VOD_IO, "%s", longer);
    is_int(strlen(err.text), VOD_ERR_TEXT - 1, "a long reason is cut");
    ok(strspn(err.text, "x") == VOD_ERR_TEXT - 1, "and what is left is right");

    vod_fail(&err, VOD_IO, "%s", "");
    is_str(err.text, "", "no reason is one too");

    return done_testing();
}
