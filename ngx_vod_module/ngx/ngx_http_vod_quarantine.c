/*
 * Files that end workers: see the header.
 *
 * The table is an array in the zone, beside its objects, and stays what it is
 * when the zone starts empty: a process that died with the lock held may have
 * died of a file.  Entries are taken and given back by threads without the
 * lock; what dead processes have left is judged with it.
 *
 *   free -> pid       a thread has the file in hand
 *   pid -> free       it is done
 *   pid -> RECORD     the process has died: a suspicion, or guilt
 *   RECORD -> free    its time is over, or a suspicion has been cleared
 */

#include "ngx_http_vod_quarantine.h"
#include "ngx_http_vod_object.h"

#include <pthread.h>
#include <signal.h>


/* pages of the table at most; the first one is for any zone */
#define NGX_HTTP_VOD_SUSPECT_PAGES  16

/* and another one for so many pages of the zone: 8M of them */
#define NGX_HTTP_VOD_SUSPECT_ZONE   2048


static void ngx_http_vod_quarantine_clear_file(
    ngx_http_vod_suspect_t *suspect);
static void ngx_http_vod_quarantine_convict(ngx_http_vod_zone_t *zone,
    ngx_http_vod_suspect_t *suspect);
static ngx_http_vod_suspect_t *ngx_http_vod_quarantine_record(
    ngx_http_vod_shared_t *sh, ngx_http_vod_suspect_t *suspect);
static ngx_uint_t ngx_http_vod_quarantine_guilty(
    ngx_http_vod_suspect_t *suspect, ngx_msec_t time);
static void ngx_http_vod_quarantine_blame(ngx_http_vod_shared_t *sh,
    int signo);
static void ngx_http_vod_quarantine_signal(int signo, siginfo_t *si,
    void *uc);


/* as the event loop and threads see it; nothing is noted where sh is NULL */
static ngx_http_vod_shared_t  *ngx_http_vod_quarantine_sh;

static const int               ngx_http_vod_quarantine_signals[] =
    { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

#define NGX_HTTP_VOD_QUARANTINE_SIGNALS                                       \
    (sizeof(ngx_http_vod_quarantine_signals) / sizeof(int))

static struct sigaction        ngx_http_vod_quarantine_old[
                                             NGX_HTTP_VOD_QUARANTINE_SIGNALS];


#define ngx_http_vod_quarantine_free(suspect, owned)                          \
    ngx_atomic_cmp_set(&(suspect)->owner, (ngx_atomic_uint_t) (owned), 0)

#define ngx_http_vod_quarantine_same(a, b)                                    \
    (ngx_memcmp(&(a)->file, &(b)->file, sizeof(ngx_http_vod_file_id_t)) == 0  \
     && (a)->segment == (b)->segment)

#define ngx_http_vod_quarantine_age(suspect)                                  \
    ((ngx_msec_int_t) (ngx_current_msec - (suspect)->since))


ngx_int_t
ngx_http_vod_quarantine_layout(ngx_http_vod_zone_t *zone)
{
    size_t                  size;
    ngx_uint_t              pages;
    ngx_http_vod_shared_t  *sh;

    sh = zone->sh;

    pages = 1 + zone->shpool->pfree / NGX_HTTP_VOD_SUSPECT_ZONE;
    size = ngx_min(pages, NGX_HTTP_VOD_SUSPECT_PAGES) * ngx_pagesize;

    sh->suspects = ngx_slab_alloc_locked(zone->shpool, size);
    if (sh->suspects == NULL) {
        return NGX_ERROR;
    }

    sh->nsuspects = size / sizeof(ngx_http_vod_suspect_t);

    return NGX_OK;
}


void
ngx_http_vod_quarantine_clear(ngx_http_vod_zone_t *zone)
{
    ngx_memzero(zone->sh->suspects,
                zone->sh->nsuspects * sizeof(ngx_http_vod_suspect_t));
    zone->sh->records = 0;
}


ngx_int_t
ngx_http_vod_quarantine_init_process(ngx_http_vod_zone_t *zone,
    ngx_log_t *log)
{
    ngx_uint_t               i;
    struct sigaction         sa;
    ngx_http_vod_shared_t   *sh;

    /* "master_process off" and a reload: the signals are ours already */

    sh = ngx_http_vod_quarantine_sh;
    ngx_http_vod_quarantine_sh = zone->sh;

    /* perhaps this process stands in for one that has died */

    ngx_http_vod_zone_lock(zone);
    ngx_http_vod_quarantine_judge(zone);
    ngx_http_vod_zone_unlock(zone);

    if (sh) {
        return NGX_OK;
    }

    ngx_memzero(&sa, sizeof(struct sigaction));
    sa.sa_sigaction = ngx_http_vod_quarantine_signal;
    sa.sa_flags = SA_SIGINFO|SA_ONSTACK;
    sigemptyset(&sa.sa_mask);

    for (i = 0; i < NGX_HTTP_VOD_QUARANTINE_SIGNALS; i++) {

        if (sigaction(ngx_http_vod_quarantine_signals[i], &sa,
                      &ngx_http_vod_quarantine_old[i])
            == -1)
        {
            ngx_log_error(NGX_LOG_ALERT, log, ngx_errno,
                          "sigaction(%d) failed",
                          ngx_http_vod_quarantine_signals[i]);
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* whatever comes now, it is no file's fault */

void
ngx_http_vod_quarantine_exit_process(void)
{
    ngx_uint_t              i;
    ngx_http_vod_shared_t  *sh;

    sh = ngx_http_vod_quarantine_sh;
    ngx_http_vod_quarantine_sh = NULL;

    if (sh == NULL) {
        return;
    }

    for (i = 0; i < sh->nsuspects; i++) {
        (void) ngx_http_vod_quarantine_free(&sh->suspects[i], ngx_pid);
    }
}


/* in a thread */

ngx_http_vod_suspect_t *
ngx_http_vod_quarantine_begin(ngx_http_vod_file_id_t *file, uint64_t segment)
{
    sigset_t                 set;
    ngx_uint_t               i;
    ngx_http_vod_shared_t   *sh;
    ngx_http_vod_suspect_t  *suspect;

    sh = ngx_http_vod_quarantine_sh;

    if (sh == NULL) {
        return NULL;
    }

    /*
     * nginx's pools block it in their threads, and since glibc 2.41 abort()
     * ends a process then without asking the handler.
     */

    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    (void) pthread_sigmask(SIG_UNBLOCK, &set, NULL);

    for (i = 0; i < sh->nsuspects; i++) {
        suspect = &sh->suspects[i];

        if (suspect->owner != 0
            || !ngx_atomic_cmp_set(&suspect->owner, 0, ngx_pid))
        {
            continue;
        }

        suspect->valid = 0;

        suspect->thread = pthread_self();
        suspect->file = *file;
        suspect->segment = segment;
        suspect->since = ngx_current_msec;
        suspect->signo = 0;
        suspect->deaths = 0;
        suspect->guilty = 0;

        ngx_memory_barrier();

        suspect->valid = 1;

        return suspect;
    }

    return NULL;
}


/* in a thread */

void
ngx_http_vod_quarantine_end(ngx_http_vod_suspect_t *suspect)
{
    if (suspect == NULL) {
        return;
    }

    ngx_http_vod_quarantine_clear_file(suspect);

    /* a process that ends has given back all of them, and others have them */

    (void) ngx_http_vod_quarantine_free(suspect, ngx_pid);
}


/* what has been done without harm was not what ended another process */

static void
ngx_http_vod_quarantine_clear_file(ngx_http_vod_suspect_t *suspect)
{
    ngx_http_vod_shared_t   *sh;
    ngx_http_vod_suspect_t  *record;

    sh = ngx_http_vod_quarantine_sh;

    if (sh == NULL || sh->records == 0) {
        return;
    }

    record = ngx_http_vod_quarantine_record(sh, suspect);

    if (record
        && !record->guilty
        && ngx_http_vod_quarantine_free(record, NGX_HTTP_VOD_SUSPECT_RECORD))
    {
        (void) ngx_atomic_fetch_add(&sh->records, -1);
    }
}


void
ngx_http_vod_quarantine_judge(ngx_http_vod_zone_t *zone)
{
    ngx_uint_t               i;
    ngx_atomic_uint_t        owner;
    ngx_http_vod_shared_t   *sh;
    ngx_http_vod_suspect_t  *suspect;

    sh = zone->sh;

    for (i = 0; i < sh->nsuspects; i++) {

        suspect = &sh->suspects[i];
        owner = suspect->owner;

        if (owner == NGX_HTTP_VOD_SUSPECT_RECORD) {

            if (ngx_http_vod_quarantine_age(suspect)
                >= (ngx_msec_int_t) zone->quarantine
                && ngx_http_vod_quarantine_free(suspect, owner))
            {
                (void) ngx_atomic_fetch_add(&sh->records, -1);
            }

            continue;
        }

        if (owner == 0
            || (ngx_pid_t) owner == ngx_pid
            || kill((ngx_pid_t) owner, 0) == 0
            || ngx_errno != ESRCH)
        {
            continue;
        }

        if (suspect->valid && zone->quarantine) {
            ngx_http_vod_quarantine_convict(zone, suspect);

        } else {
            suspect->owner = 0;
        }
    }
}


static void
ngx_http_vod_quarantine_convict(ngx_http_vod_zone_t *zone,
    ngx_http_vod_suspect_t *suspect)
{
    ngx_http_vod_suspect_t  *record;

    record = ngx_http_vod_quarantine_record(zone->sh, suspect);

    if (record == NULL) {
        suspect->since = ngx_current_msec;
        suspect->deaths = 1;
        suspect->guilty = (suspect->signo != 0);

        ngx_memory_barrier();

        suspect->owner = NGX_HTTP_VOD_SUSPECT_RECORD;
        (void) ngx_atomic_fetch_add(&zone->sh->records, 1);
        return;
    }

    /* all workers killed together are one death; what came later is another */

    if (suspect->signo
        || (ngx_msec_int_t) (suspect->since - record->since) >= 0)
    {
        record->signo = suspect->signo;
        record->since = ngx_current_msec;
        record->deaths++;

        ngx_memory_barrier();

        record->guilty = 1;
    }

    suspect->owner = 0;
}


static ngx_http_vod_suspect_t *
ngx_http_vod_quarantine_record(ngx_http_vod_shared_t *sh,
    ngx_http_vod_suspect_t *suspect)
{
    ngx_uint_t               i;
    ngx_http_vod_suspect_t  *record;

    for (i = 0; i < sh->nsuspects; i++) {
        record = &sh->suspects[i];

        if (record->owner == NGX_HTTP_VOD_SUSPECT_RECORD
            && ngx_http_vod_quarantine_same(record, suspect))
        {
            return record;
        }
    }

    return NULL;
}


static ngx_uint_t
ngx_http_vod_quarantine_guilty(ngx_http_vod_suspect_t *suspect,
    ngx_msec_t time)
{
    return suspect->owner == NGX_HTTP_VOD_SUSPECT_RECORD
           && suspect->guilty
           && ngx_http_vod_quarantine_age(suspect) < (ngx_msec_int_t) time;
}


ngx_int_t
ngx_http_vod_quarantine(ngx_http_request_t *r)
{
    u_char                     text[VOD_ERR_TEXT], *p;
    ngx_uint_t                 i;
    ngx_http_vod_ctx_t        *ctx;
    ngx_http_vod_shared_t     *sh;
    ngx_http_vod_suspect_t    *suspect;
    ngx_http_vod_loc_conf_t   *vlcf;
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);
    sh = vmcf->zone->sh;

    if (sh->records == 0) {
        return NGX_OK;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_vod_module);
    vlcf = ngx_http_get_module_loc_conf(r, ngx_http_vod_module);

    for (i = 0; i < sh->nsuspects; i++) {
        suspect = &sh->suspects[i];

        if (ngx_http_vod_quarantine_guilty(suspect, vlcf->quarantine)
            && ngx_memcmp(&suspect->file, &ctx->id,
                          sizeof(ngx_http_vod_file_id_t)) == 0)
        {
            break;
        }
    }

    if (i == sh->nsuspects) {
        return NGX_OK;
    }

    p = ngx_slprintf(text, text + VOD_ERR_TEXT - 1,
                     suspect->signo ? "a worker process ended on signal %ui"
                                    : "%ui worker processes ended",
                     (ngx_uint_t) (suspect->signo ? suspect->signo
                                                  : suspect->deaths));
    p = ngx_slprintf(p, text + VOD_ERR_TEXT - 1,
                     " while %s, it is refused for %i more seconds "
                     "(vod_quarantine)%Z",
                     suspect->segment ? "a segment was made from this file"
                                      : "this file was indexed",
                     (ngx_int_t) (vlcf->quarantine
                                  - ngx_http_vod_quarantine_age(suspect)
                                  + 999) / 1000);
    *p = '\0';

    return ngx_http_vod_fail(r, NGX_HTTP_VOD_QUARANTINED, (char *) text);
}


ngx_int_t
ngx_http_vod_quarantine_look(ngx_http_request_t *r)
{
    ngx_http_vod_main_conf_t  *vmcf;

    vmcf = ngx_http_get_module_main_conf(r, ngx_http_vod_module);

    ngx_http_vod_zone_lock(vmcf->zone);
    ngx_http_vod_quarantine_judge(vmcf->zone);
    ngx_http_vod_zone_unlock(vmcf->zone);

    return ngx_http_vod_quarantine(r);
}


ngx_uint_t
ngx_http_vod_quarantined(ngx_http_vod_zone_t *zone)
{
    ngx_uint_t              i, n;
    ngx_http_vod_shared_t  *sh;

    sh = zone->sh;

    for (i = 0, n = 0; sh->records && i < sh->nsuspects; i++) {
        n += ngx_http_vod_quarantine_guilty(&sh->suspects[i],
                                            zone->quarantine);
    }

    return n;
}


/* where the thread has no file in hand, all of the process stay suspected */

static void
ngx_http_vod_quarantine_blame(ngx_http_vod_shared_t *sh, int signo)
{
    ngx_uint_t               i;
    ngx_http_vod_suspect_t  *suspect, *mine;

    mine = NULL;

    for (i = 0; i < sh->nsuspects; i++) {
        suspect = &sh->suspects[i];

        if (suspect->owner == (ngx_atomic_uint_t) ngx_pid
            && suspect->valid
            && pthread_equal(suspect->thread, pthread_self()))
        {
            suspect->signo = signo;
            mine = suspect;
            break;
        }
    }

    for (i = 0; mine && i < sh->nsuspects; i++) {

        if (&sh->suspects[i] != mine) {
            (void) ngx_http_vod_quarantine_free(&sh->suspects[i], ngx_pid);
        }
    }
}


/*
 * The last moment of a thread.  A signal that another process has sent is no
 * fault.  Then it does what it would have done without us.
 */

static void
ngx_http_vod_quarantine_signal(int signo, siginfo_t *si, void *uc)
{
    ngx_uint_t              i;
    ngx_http_vod_shared_t  *sh;

    sh = ngx_http_vod_quarantine_sh;

    if (sh && (si->si_code > 0 || si->si_pid == ngx_pid)) {
        ngx_http_vod_quarantine_sh = NULL;
        ngx_http_vod_quarantine_blame(sh, signo);
    }

    for (i = 0; ngx_http_vod_quarantine_signals[i] != signo; i++) {
        /* void */
    }

    (void) sigaction(signo, &ngx_http_vod_quarantine_old[i], NULL);

    if (si->si_code <= 0) {
        (void) raise(signo);
    }
}
