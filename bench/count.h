/*
 * Counts of what a process asks of the heap, of memory copies, and of the
 * kernel.  Deterministic, unlike time.
 *
 * count.c is linked into a bench program, or loaded into nginx with
 * LD_PRELOAD.  With VOD_BENCH_COUNT=file in the environment the counters live
 * in that file (count_t), shared by all processes that are forked later.
 */

#ifndef _COUNT_H_INCLUDED_
#define _COUNT_H_INCLUDED_

#include <stdint.h>


/* system calls that a request may make, by the C library's name */
#define COUNT_CALLS(X)                                                        \
    X(read) X(pread64) X(readv) X(preadv64v2) X(recv) X(write) X(writev)      \
    X(sendfile64) X(send) X(sendmsg) X(open64) X(openat64) X(close) X(fstat64)\
    X(fstatat64) X(stat64) X(mmap64) X(munmap) X(mincore) X(madvise)          \
    X(posix_fadvise64) X(epoll_wait) X(epoll_ctl) X(accept4) X(setsockopt)    \
    X(getsockopt) X(shutdown) X(ioctl) X(fcntl64) X(lseek64)


typedef struct {
    uint64_t  allocs;           /* malloc, calloc, realloc, memalign */
    uint64_t  alloc_bytes;      /* asked for */
    uint64_t  frees;
    uint64_t  copies;           /* memcpy, memmove and kin, as calls */
    uint64_t  copied;           /* bytes of these */
    uint64_t  syscalls;
#define X(name)  uint64_t  name;
    COUNT_CALLS(X)
#undef X
} count_t;

/* never NULL */
extern count_t *vod_counts;

#endif /* _COUNT_H_INCLUDED_ */
