/*
 * Loaded before nginx by t/lib/VodHeld.pm: system calls of the workers wait
 * or fail where a suite says so, so that what depends on time elsewhere
 * happens on demand.  A suite says so by files in the folder $VOD_HELD:
 *
 *   hold.NAME    a pread() of a file of this name waits while this is there;
 *                the pid of who waits is a line of "held.NAME"
 *   fail.NAME    it fails, with the error number that stands there
 *   crash.NAME   it raises the signal with that number, 11 by writing to nowhere
 *   touch.NAME   each pread() changes the file's modification time
 *   late.NAME    after it, an hour has passed for this thread
 *   open.NAME    an open() fails with that error number
 *   stat.NAME    an fstat() does
 *   cold         a read that must not wait finds nothing in the page cache
 *   resident     mincore() calls every page resident
 *   mmap         a mmap() of a file fails with that error number
 *   window       one of memory does
 *   hold.kill.PID  kill(PID, 0), with which a worker looks whether that one
 *                lives, waits as a pread() does
 *   clock        so many seconds are added to the clock of all processes
 *
 * NAME is the last part of the path.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>


#define PATH  4096

/* milliseconds: between two looks at "hold", and when it is given up */
#define LOOK   2
#define LIMIT  120000

/* the call that this one stands before */
#define NEXT(name)                                                            \
    static __typeof__(name)  *next;                                           \
    if (next == NULL) {                                                       \
        *(void **) (void *) &next = dlsym(RTLD_NEXT, #name);                  \
    }


static char          folder[PATH];
static volatile char *volatile  nowhere;
static __thread int  an_hour;


/* before nginx clears its environment */

static void __attribute__((constructor))
held_init(void)
{
    const char  *value;

    value = getenv("VOD_HELD");

    if (value && strlen(value) < PATH / 2) {
        strcpy(folder, value);
    }
}


static int
held_path(char *path, const char *what, const char *name)
{
    int  n;

    n = snprintf(path, PATH, "%s/%s%s%s", folder, what, name ? "." : "",
                 name ? name : "");

    return folder[0] && n > 0 && n < PATH;
}


/* the number in a file of the folder; -1: there is no such file */

static long
held_number(const char *what, const char *name)
{
    int      fd, err;
    long     value;
    char     path[PATH], text[32];
    ssize_t  n;

    err = errno;
    value = -1;

    if (held_path(path, what, name)) {
        fd = open(path, O_RDONLY|O_CLOEXEC);

        if (fd != -1) {
            n = read(fd, text, sizeof(text) - 1);
            text[n > 0 ? n : 0] = '\0';
            value = strtol(text, NULL, 10);
            (void) close(fd);
        }
    }

    errno = err;

    return value;
}


/* the error that a call is to fail with, or 0 */

static int
held_error(const char *what, const char *name)
{
    long  value;

    value = held_number(what, name);

    return (value > 0) ? (int) value : 0;
}


static void
held_wait(const char *name)
{
    int   fd, n, i;
    char  path[PATH], pid[32];

    if (held_number("hold", name) == -1) {
        return;
    }

    if (held_path(path, "held", name)) {
        fd = open(path, O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0666);

        if (fd != -1) {
            n = snprintf(pid, sizeof(pid), "%ld\n", (long) getpid());

            if (write(fd, pid, (size_t) n) != n) {
                abort();
            }

            (void) close(fd);
        }
    }

    for (i = 0; i < LIMIT / LOOK && held_number("hold", name) != -1; i++) {
        (void) usleep(LOOK * 1000);
    }
}


/* the last part of the path of an open file */

static const char *
held_name(int fd, char *path)
{
    int         err;
    char        link[64], *p;
    ssize_t     n;

    err = errno;

    (void) snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = folder[0] ? readlink(link, path, PATH - 1) : 0;
    path[n > 0 ? n : 0] = '\0';

    errno = err;

    p = strrchr(path, '/');

    return p ? p + 1 : path;
}


static void
held_crash(const char *name)
{
    long  signo;

    signo = held_number("crash", name);

    if (signo == SIGSEGV) {
        *nowhere = 1;
    }

    if (signo == SIGABRT) {
        abort();
    }

    if (signo > 0) {
        (void) raise((int) signo);
    }
}


static int
held_read(int fd)
{
    int              err;
    char             path[PATH];
    const char      *name;
    struct stat      st;
    struct timespec  times[2];

    name = held_name(fd, path);
    if (*name == '\0') {
        return 0;
    }

    held_wait(name);
    held_crash(name);

    err = held_error("fail", name);
    if (err) {
        errno = err;
        return -1;
    }

    if (held_number("touch", name) != -1 && fstat(fd, &st) == 0) {
        times[0] = st.st_mtim;
        times[1] = st.st_mtim;
        times[1].tv_sec++;
        (void) futimens(fd, times);
    }

    if (held_number("late", name) != -1) {
        an_hour = 3600;
    }

    return 0;
}


ssize_t
pread64(int fd, void *buf, size_t size, off64_t offset)
{
    NEXT(pread64)

    if (held_read(fd) != 0) {
        return -1;
    }

    return next(fd, buf, size, offset);
}


ssize_t
preadv64v2(int fd, const struct iovec *iov, int n, off64_t offset, int flags)
{
    NEXT(preadv64v2)

    if ((flags & RWF_NOWAIT) && held_number("cold", NULL) != -1) {
        errno = EAGAIN;
        return -1;
    }

    return next(fd, iov, n, offset, flags);
}


int
mincore(void *start, size_t len, unsigned char *pages)
{
    NEXT(mincore)

    if (held_number("resident", NULL) != -1) {
        memset(pages, 1, (len + 4095) / 4096);
        return 0;
    }

    return next(start, len, pages);
}


/* memory that is shared is a zone of nginx */

void *
mmap64(void *start, size_t len, int prot, int flags, int fd, off64_t offset)
{
    int  err;

    NEXT(mmap64)

    err = 0;

    if (fd != -1) {
        err = held_error("mmap", NULL);

    } else if (flags & MAP_PRIVATE) {
        err = held_error("window", NULL);
    }

    if (err) {
        errno = err;
        return MAP_FAILED;
    }

    return next(start, len, prot, flags, fd, offset);
}


int
open64(const char *path, int flags, ...)
{
    int          err;
    mode_t       mode;
    va_list      args;
    const char  *name;

    NEXT(open64)

    va_start(args, flags);
    mode = (flags & O_CREAT) ? va_arg(args, mode_t) : 0;
    va_end(args);

    name = strrchr(path, '/');
    err = name ? held_error("open", name + 1) : 0;

    if (err) {
        errno = err;
        return -1;
    }

    return next(path, flags, mode);
}


int
fstat64(int fd, struct stat64 *st)
{
    int          err;
    char         path[PATH];
    const char  *name;

    NEXT(fstat64)

    name = held_name(fd, path);
    err = *name ? held_error("stat", name) : 0;

    if (err) {
        errno = err;
        return -1;
    }

    return next(fd, st);
}


int
kill(pid_t pid, int signo)
{
    char  name[32];

    NEXT(kill)

    if (signo == 0) {
        (void) snprintf(name, sizeof(name), "kill.%d", (int) pid);
        held_wait(name);
    }

    return next(pid, signo);
}


int
clock_gettime(clockid_t id, struct timespec *now)
{
    int   rc;
    long  seconds;

    NEXT(clock_gettime)

    rc = next(id, now);

    if (rc == 0 && id != CLOCK_REALTIME) {
        seconds = held_number("clock", NULL);
        now->tv_sec += an_hour + (seconds > 0 ? seconds : 0);
    }

    return rc;
}
