/*
 * Counting heap, copies and system calls: see count.h.
 *
 * Stands in for the C library's own functions, which it calls under their
 * other names, or leaves out in favour of the system call.  Copies that the
 * compiler has put into the code itself, of a few bytes of known length, are
 * not seen; the kernel's own copies are not either.
 */

#define _GNU_SOURCE

#include "count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>


#define add(field, n)                                                         \
    __atomic_fetch_add(&vod_counts->field, n, __ATOMIC_RELAXED)
#define call(name)     (add(syscalls, 1), add(name, 1))


extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static count_t  own;
count_t        *vod_counts = &own;


__attribute__((constructor))
static void
count_init(void)
{
    int          fd;
    void        *p;
    const char  *path;

    path = getenv("VOD_BENCH_COUNT");
    if (path == NULL) {
        return;
    }

    fd = (int) syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    if (fd == -1 || syscall(SYS_ftruncate, fd, sizeof(count_t)) == -1) {
        _exit(70);
    }

    p = (void *) syscall(SYS_mmap, NULL, sizeof(count_t),
                         PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        _exit(70);
    }

    (void) syscall(SYS_close, fd);
    vod_counts = p;
}


static void *
alloc_counted(void *p, size_t size)
{
    add(allocs, 1);
    add(alloc_bytes, size);

    return p;
}


void *
malloc(size_t size)
{
    return alloc_counted(__libc_malloc(size), size);
}


void *
calloc(size_t n, size_t size)
{
    return alloc_counted(__libc_calloc(n, size), n * size);
}


void *
realloc(void *p, size_t size)
{
    return alloc_counted(__libc_realloc(p, size), size);
}


void *
memalign(size_t alignment, size_t size)
{
    return alloc_counted(__libc_memalign(alignment, size), size);
}


void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}


int
posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = memalign(alignment, size);

    return *p ? 0 : ENOMEM;
}


void
free(void *p)
{
    if (p) {
        add(frees, 1);
    }

    __libc_free(p);
}


/* ---- copies */

static inline void
forward(void *dst, const void *src, size_t n)
{
#if defined(__x86_64__)
    __asm__ volatile ("rep movsb" : "+D" (dst), "+S" (src), "+c" (n)
                      : : "memory");
#else
    unsigned char                 *d = dst;
    const volatile unsigned char  *s = src;

    while (n--) {
        *d++ = *s++;
    }
#endif
}


static inline void
copied(size_t n)
{
    add(copies, 1);
    add(copied, n);
}


void *
memcpy(void *dst, const void *src, size_t n)
{
    copied(n);
    forward(dst, src, n);

    return dst;
}


void *
mempcpy(void *dst, const void *src, size_t n)
{
    return (char *) memcpy(dst, src, n) + n;
}


void *
memmove(void *dst, const void *src, size_t n)
{
    unsigned char                 *d = dst;
    const volatile unsigned char  *s = src;

    copied(n);

    if ((uintptr_t) dst - (uintptr_t) src >= n) {
        forward(dst, src, n);
        return dst;
    }

    while (n--) {
        d[n] = s[n];
    }

    return dst;
}


void *__memcpy_chk(void *dst, const void *src, size_t n, size_t room);
void *__memmove_chk(void *dst, const void *src, size_t n, size_t room);


void *
__memcpy_chk(void *dst, const void *src, size_t n, size_t room)
{
    return n > room ? (abort(), dst) : memcpy(dst, src, n);
}


void *
__memmove_chk(void *dst, const void *src, size_t n, size_t room)
{
    return n > room ? (abort(), dst) : memmove(dst, src, n);
}


/* ---- system calls */

#define A(x)  ((long) (x))

#define wrap(result, name, args, number, ...)                                 \
    result name args;                                                         \
    result                                                                    \
    name args                                                                 \
    {                                                                         \
        call(name);                                                           \
        return (result) syscall(number, ##__VA_ARGS__);                       \
    }

wrap(ssize_t, read, (int fd, void *buf, size_t n), SYS_read, fd, buf, n)
wrap(ssize_t, pread64, (int fd, void *buf, size_t n, off64_t at),
    SYS_pread64, fd, buf, n, at)
wrap(ssize_t, readv, (int fd, const struct iovec *iov, int n), SYS_readv, fd,
    iov, A(n))
wrap(ssize_t, preadv64v2, (int fd, const struct iovec *iov, int n, off64_t at,
    int flags), SYS_preadv2, fd, iov, A(n), at, A(0), A(flags))
wrap(ssize_t, recv, (int fd, void *buf, size_t n, int flags), SYS_recvfrom,
    fd, buf, n, A(flags), A(0), A(0))
wrap(ssize_t, write, (int fd, const void *buf, size_t n), SYS_write, fd, buf,
    n)
wrap(ssize_t, writev, (int fd, const struct iovec *iov, int n), SYS_writev,
    fd, iov, A(n))
wrap(ssize_t, sendfile64, (int out, int in, off64_t *at, size_t n),
    SYS_sendfile, A(out), A(in), at, n)
wrap(ssize_t, send, (int fd, const void *buf, size_t n, int flags),
    SYS_sendto, fd, buf, n, A(flags), A(0), A(0))
wrap(ssize_t, sendmsg, (int fd, const void *msg, int flags), SYS_sendmsg, fd,
    msg, A(flags))
wrap(int, close, (int fd), SYS_close, fd)
wrap(int, fstat64, (int fd, void *st), SYS_fstat, fd, st)
wrap(int, fstatat64, (int fd, const char *path, void *st, int flags),
    SYS_newfstatat, fd, path, st, A(flags))
wrap(int, stat64, (const char *path, void *st), SYS_newfstatat, AT_FDCWD,
    path, st, A(0))
wrap(void *, mmap64, (void *p, size_t n, int prot, int flags, int fd,
    off64_t at), SYS_mmap, p, n, A(prot), A(flags), A(fd), at)
wrap(int, munmap, (void *p, size_t n), SYS_munmap, p, n)
wrap(int, mincore, (void *p, size_t n, unsigned char *vec), SYS_mincore, p, n,
    vec)
wrap(int, madvise, (void *p, size_t n, int advice), SYS_madvise, p, n,
    A(advice))
wrap(int, epoll_wait, (int fd, void *events, int n, int timeout),
    SYS_epoll_pwait, fd, events, A(n), A(timeout), A(0), A(8))
wrap(int, epoll_ctl, (int ep, int op, int fd, void *event), SYS_epoll_ctl, ep,
    A(op), A(fd), event)
wrap(int, accept4, (int fd, void *sa, void *len, int flags), SYS_accept4, fd,
    sa, len, A(flags))
wrap(int, setsockopt, (int fd, int level, int name, const void *value,
    unsigned len), SYS_setsockopt, fd, A(level), A(name), value, A(len))
wrap(int, getsockopt, (int fd, int level, int name, void *value, void *len),
    SYS_getsockopt, fd, A(level), A(name), value, len)
wrap(int, shutdown, (int fd, int how), SYS_shutdown, fd, A(how))
wrap(off64_t, lseek64, (int fd, off64_t at, int whence), SYS_lseek, fd, at,
    A(whence))

ssize_t pread(int fd, void *buf, size_t n, off_t at)
    __attribute__((alias("pread64")));
off_t lseek(int fd, off_t at, int whence) __attribute__((alias("lseek64")));

ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);


ssize_t
__pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room)
{
    return n > room ? (abort(), -1) : pread64(fd, buf, n, at);
}


ssize_t
__read_chk(int fd, void *buf, size_t n, size_t room)
{
    return n > room ? (abort(), -1) : read(fd, buf, n);
}


/* returns the error itself */

int posix_fadvise64(int fd, off64_t at, off64_t n, int advice);


int
posix_fadvise64(int fd, off64_t at, off64_t n, int advice)
{
    call(posix_fadvise64);
    return syscall(SYS_fadvise64, fd, at, n, A(advice)) == -1 ? errno : 0;
}


/* those with a last argument of any kind */

#define argument(last, type)                                                  \
    va_list  ap;                                                              \
    type     arg;                                                             \
                                                                              \
    va_start(ap, last);                                                       \
    arg = va_arg(ap, type);                                                   \
    va_end(ap)


int
open64(const char *path, int flags, ...)
{
    argument(flags, int);

    call(open64);
    return (int) syscall(SYS_openat, AT_FDCWD, path, A(flags), A(arg));
}


int
openat64(int fd, const char *path, int flags, ...)
{
    argument(flags, int);

    call(openat64);
    return (int) syscall(SYS_openat, fd, path, A(flags), A(arg));
}


int
ioctl(int fd, unsigned long request, ...)
{
    argument(request, void *);

    call(ioctl);
    return (int) syscall(SYS_ioctl, fd, request, arg);
}


int
fcntl64(int fd, int cmd, ...)
{
    argument(cmd, void *);

    call(fcntl64);
    return (int) syscall(SYS_fcntl, fd, A(cmd), arg);
}
