/*
 * A keep-alive HTTP/1.1 load generator for one server on this machine.
 *
 *   client [options] HOST PORT URLS
 *
 *   -c N   connections (1)                -n N   requests in all
 *   -t S   seconds                        -w N   requests of warm-up first
 *   -r N   random order, seed N           -l N   bytes a second a connection
 *   -i S   seconds of rest between two requests of a connection
 *   -p     print "ready" once every connection has an answer, go on at a
 *          byte on standard input
 *
 * URLS holds a path a line, and behind a space, where it is known, the
 * length of the body: any other length is an error.  Prints one JSON object.
 * Latencies are from the last byte of the request handed to the kernel to the
 * last byte of the body, in microseconds.
 *
 * Bodies are counted and thrown away in the kernel (recv() with MSG_TRUNC), so
 * that on a small machine the client takes as little as it can from the
 * server that is measured.
 */

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>


#define HEAD_MAX   8192
#define DRAIN      (1024 * 1024)
#define TICK_MS    10           /* of limited readers */
#define STUCK_NS   (60 * INT64_C(1000000000))


typedef struct {
    char      *request;
    size_t     len;
    int64_t    body;            /* -1: unknown */
} url_t;


typedef struct {
    int        fd;
    int        busy;            /* a request is on its way */
    int        paused;          /* out of the event set: over its rate */
    size_t     head_len;
    char       head[HEAD_MAX];
    int64_t    left;            /* of the body; -1: head not complete */
    int64_t    started;         /* ns */
    int64_t    rest_until;
    double     allowance;       /* bytes, where a rate is set */
    int        status;
    const url_t *url;
} conn_t;


static struct {
    const char  *host;
    int          port;
    unsigned     connections;
    uint64_t     requests;
    double       seconds;
    uint64_t     warmup;
    int          random;
    uint64_t     seed;
    double       rate;
    double       rest;
    int          pause;
} opt = { .connections = 1 };

static url_t     *urls;
static size_t     n_urls, next_url;
static conn_t    *conns;
static int        ep;
static uint64_t   sent, done, errors, shed, refused, bytes;
static uint64_t   answered;     /* of warm-up too */
static int        counting;
static uint32_t  *lat;          /* 100 ns */
static size_t     n_lat, cap_lat;
static int64_t    begin_ns, end_ns, last_ns;


static void die(const char *what);
static int64_t now_ns(void);
static void options(int argc, char **argv);
static void read_urls(const char *path);
static const url_t *pick(void);
static void conn_open(conn_t *c);
static void conn_next(conn_t *c);
static void conn_read(conn_t *c);
static int conn_head(conn_t *c);
static void conn_done(conn_t *c);
static void conn_failed(conn_t *c, const char *why);
static void conn_watch(conn_t *c, int on);
static void tick(int64_t now, int64_t passed);
static void loop(void);
static void run_warmup(void);
static void keep(int64_t ns);
static void report(void);


int
main(int argc, char **argv)
{
    unsigned       i;
    struct rlimit  rl;

    options(argc, argv);

    rl.rlim_cur = rl.rlim_max = opt.connections + 64;
    if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < rl.rlim_max) {
        rl.rlim_cur = rl.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &rl);
    }

    ep = epoll_create1(0);
    if (ep == -1) {
        die("epoll_create1");
    }

    conns = calloc(opt.connections, sizeof(conn_t));
    if (conns == NULL) {
        die("calloc");
    }

    for (i = 0; i < opt.connections; i++) {
        conns[i].fd = -1;
    }

    run_warmup();

    counting = 1;
    sent = 0;
    begin_ns = now_ns();
    end_ns = opt.seconds > 0 ? begin_ns + (int64_t) (opt.seconds * 1e9)
                             : INT64_MAX;

    for (i = 0; i < opt.connections; i++) {
        conn_next(&conns[i]);
    }

    loop();
    report();

    return 0;
}


static void
die(const char *what)
{
    fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
    exit(2);
}


static int64_t
now_ns(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (int64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


static void
options(int argc, char **argv)
{
    int  c;

    while ((c = getopt(argc, argv, "c:n:t:w:r:l:i:p")) != -1) {

        switch (c) {
        case 'c': opt.connections = (unsigned) atoi(optarg); break;
        case 'n': opt.requests = strtoull(optarg, NULL, 10); break;
        case 't': opt.seconds = atof(optarg); break;
        case 'w': opt.warmup = strtoull(optarg, NULL, 10); break;
        case 'r': opt.random = 1; opt.seed = strtoull(optarg, NULL, 10); break;
        case 'l': opt.rate = atof(optarg); break;
        case 'i': opt.rest = atof(optarg); break;
        case 'p': opt.pause = 1; break;
        default: exit(2);
        }
    }

    if (argc - optind != 3 || opt.connections == 0
        || (opt.requests == 0 && opt.seconds <= 0))
    {
        fputs("usage: client -c N (-n N | -t S) [-w N] [-r SEED] [-l RATE] "
              "[-i S] [-p] HOST PORT URLS\n", stderr);
        exit(2);
    }

    opt.host = argv[optind];
    opt.port = atoi(argv[optind + 1]);
    read_urls(argv[optind + 2]);
}


static void
read_urls(const char *path)
{
    FILE   *f;
    char    line[4096], *space;
    url_t  *u;
    size_t  room;

    f = fopen(path, "r");
    if (f == NULL) {
        die(path);
    }

    for (room = 0; fgets(line, sizeof(line), f); n_urls++) {

        line[strcspn(line, "\n")] = '\0';

        if (n_urls == room) {
            room = room ? room * 2 : 64;
            urls = realloc(urls, room * sizeof(url_t));
            if (urls == NULL) {
                die("realloc");
            }
        }

        u = &urls[n_urls];
        space = strchr(line, ' ');
        u->body = -1;

        if (space) {
            *space = '\0';
            u->body = strtoll(space + 1, NULL, 10);
        }

        u->len = (size_t) asprintf(&u->request,
                                   "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n",
                                   line, opt.host);
    }

    (void) fclose(f);

    if (n_urls == 0) {
        fprintf(stderr, "client: no URL in %s\n", path);
        exit(2);
    }
}


/* xorshift64*: the same seed asks for the same segments */

static const url_t *
pick(void)
{
    if (!opt.random) {
        return &urls[next_url++ % n_urls];
    }

    opt.seed += (opt.seed == 0);
    opt.seed ^= opt.seed >> 12;
    opt.seed ^= opt.seed << 25;
    opt.seed ^= opt.seed >> 27;

    return &urls[(opt.seed * UINT64_C(0x2545f4914f6cdd1d) >> 32) % n_urls];
}


static void
conn_open(conn_t *c)
{
    int                 one;
    struct sockaddr_in  sa;
    struct epoll_event  ev;

    memset(&sa, 0, sizeof(sa));
    sa.sin_family = AF_INET;
    sa.sin_port = htons((uint16_t) opt.port);

    if (inet_pton(AF_INET, opt.host, &sa.sin_addr) != 1) {
        fprintf(stderr, "client: \"%s\" is not an IPv4 address\n", opt.host);
        exit(2);
    }

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (c->fd == -1 || connect(c->fd, (void *) &sa, sizeof(sa)) == -1) {
        if (errno == ECONNREFUSED && done == 0 && answered == 0) {
            die("connect");
        }
        refused++;
        if (c->fd != -1) {
            (void) close(c->fd);
            c->fd = -1;
        }
        return;
    }

    one = 1;
    (void) setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void) fcntl(c->fd, F_SETFL, O_NONBLOCK);

    c->busy = 0;
    c->paused = 0;
    ev.events = EPOLLIN;
    ev.data.ptr = c;

    if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev) == -1) {
        die("epoll_ctl");
    }
}


static void
conn_watch(conn_t *c, int on)
{
    struct epoll_event  ev;

    c->paused = !on;
    ev.events = on ? EPOLLIN : 0;
    ev.data.ptr = c;

    (void) epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &ev);
}


static void
conn_next(conn_t *c)
{
    if (c->busy || (opt.requests && counting && sent >= opt.requests)
        || (!counting && sent >= opt.warmup))
    {
        return;
    }

    if (counting && now_ns() >= end_ns) {
        return;
    }

    if (c->fd == -1) {
        conn_open(c);
        if (c->fd == -1) {
            errors++;
            sent++;
            answered += !counting;
            c->rest_until = now_ns() + 100000000;
            return;
        }
    }

    c->url = pick();
    c->busy = 1;
    c->left = -1;
    c->head_len = 0;
    c->status = 0;
    sent++;

    /* a request fits any socket buffer */

    if (send(c->fd, c->url->request, c->url->len, MSG_NOSIGNAL)
        != (ssize_t) c->url->len)
    {
        conn_failed(c, "send");
        return;
    }

    c->started = now_ns();
}


static void
conn_read(conn_t *c)
{
    size_t   want;
    ssize_t  n;

    while (c->busy) {

        if (c->left < 0) {
            n = recv(c->fd, c->head + c->head_len,
                     HEAD_MAX - 1 - c->head_len, 0);

        } else {
            want = c->left < DRAIN ? (size_t) c->left : DRAIN;

            if (opt.rate > 0) {
                if (c->allowance < 1) {
                    conn_watch(c, 0);
                    return;
                }
                if ((double) want > c->allowance) {
                    want = (size_t) c->allowance;
                }
            }

            n = recv(c->fd, NULL, want, MSG_TRUNC);
        }

        if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }

        if (n <= 0) {
            conn_failed(c, n == 0 ? "closed" : strerror(errno));
            return;
        }

        if (counting) {
            bytes += (uint64_t) n;
        }

        if (opt.rate > 0) {
            c->allowance -= (double) n;
        }

        if (c->left < 0) {
            c->head_len += (size_t) n;
            if (conn_head(c) == -1) {
                conn_failed(c, "bad head");
                return;
            }

        } else {
            c->left -= n;
        }

        if (c->left == 0) {
            conn_done(c);
        }
    }
}


/* -1: not HTTP as we know it; 0: more, or known now */

static int
conn_head(conn_t *c)
{
    char     *end, *p;
    int64_t   len;

    c->head[c->head_len] = '\0';
    end = strstr(c->head, "\r\n\r\n");

    if (end == NULL) {
        return c->head_len < HEAD_MAX - 1 ? 0 : -1;
    }

    if (sscanf(c->head, "HTTP/1.1 %d", &c->status) != 1) {
        return -1;
    }

    len = -1;
    for (p = c->head; p < end; p = strstr(p, "\r\n") + 2) {
        if (strncasecmp(p, "Content-Length:", 15) == 0) {
            len = strtoll(p + 15, NULL, 10);
        }
    }

    if (len < 0) {
        return -1;
    }

    if (c->status == 200 && c->url->body >= 0 && len != c->url->body) {
        return -1;
    }

    /* what of the body came with the head */

    c->left = len - (int64_t) (c->head + c->head_len - (end + 4));

    return c->left < 0 ? -1 : 0;
}


static void
conn_done(conn_t *c)
{
    int64_t  now;

    now = now_ns();
    c->busy = 0;
    answered++;

    if (counting) {
        done++;
        last_ns = now;

        if (c->status == 200 || c->status == 206) {
            keep(now - c->started);

        } else {
            if (errors++ < 3) {
                fprintf(stderr, "client: %d for %.*s\n", c->status,
                        (int) strcspn(c->url->request, "\r"),
                        c->url->request);
            }
            shed += (c->status == 503);
        }
    }

    if (opt.rest > 0) {
        c->rest_until = now + (int64_t) (opt.rest * 1e9);
        return;
    }

    conn_next(c);
}


static void
conn_failed(conn_t *c, const char *why)
{
    if (errors++ < 3) {
        fprintf(stderr, "client: %s: %.*s\n", why,
                (int) strcspn(c->url->request, "\r"), c->url->request);
    }

    answered += !counting;

    (void) close(c->fd);
    c->fd = -1;
    c->busy = 0;

    /* a server that fails every time is not asked in a circle */

    c->rest_until = now_ns() + 100000000;
}


/* those who rest, and those who read at a rate */

static void
tick(int64_t now, int64_t passed)
{
    unsigned  i;
    double    room;
    conn_t   *c;

    for (i = 0; i < opt.connections; i++) {
        c = &conns[i];

        if (!c->busy && c->rest_until && now >= c->rest_until) {
            c->rest_until = 0;
            conn_next(c);
        }

        if (c->busy && now - c->started > STUCK_NS && opt.rate <= 0) {
            conn_failed(c, "stuck");
        }

        if (opt.rate > 0 && c->fd != -1) {
            room = opt.rate / 4;
            c->allowance += opt.rate * (double) passed / 1e9;
            c->allowance = c->allowance > room ? room : c->allowance;

            if (c->paused) {
                conn_watch(c, 1);
            }
        }
    }
}


static void
loop(void)
{
    int                 i, n, timed, active;
    unsigned            k;
    int64_t             now, before;
    struct epoll_event  ev[256];

    timed = opt.rate > 0 || opt.rest > 0;
    before = now_ns();

    for ( ;; ) {
        n = epoll_wait(ep, ev, 256, timed ? TICK_MS : 100);

        for (i = 0; i < n; i++) {
            conn_read(ev[i].data.ptr);
        }

        now = now_ns();

        if (now - before >= (timed ? TICK_MS : 100) * INT64_C(1000000)) {
            tick(now, now - before);
            before = now;
        }

        if (counting && now >= end_ns) {

            /* requests under way are neither counted nor errors */

            break;
        }

        if (counting && opt.requests && sent >= opt.requests) {
            for (k = 0, active = 0; k < opt.connections; k++) {
                active |= conns[k].busy;
            }
            if (!active) {
                break;
            }
        }

        if (!counting && answered >= opt.warmup) {
            break;
        }
    }
}


static void
run_warmup(void)
{
    char      byte;
    unsigned  i;
    uint64_t  want;

    for (i = 0; i < opt.connections; i++) {
        conn_open(&conns[i]);
    }

    want = opt.warmup;

    if (opt.pause && want < opt.connections) {
        opt.warmup = want = opt.connections;
    }

    if (want) {
        for (i = 0; i < opt.connections; i++) {
            conn_next(&conns[i]);
        }
        loop();
    }

    if (opt.pause) {
        puts("ready");
        (void) fflush(stdout);
        if (read(0, &byte, 1) == -1) {
            die("standard input");
        }
    }

    errors = refused = 0;
    next_url = 0;
}


static void
keep(int64_t ns)
{
    if (n_lat == cap_lat) {
        cap_lat = cap_lat ? cap_lat * 2 : 65536;
        lat = realloc(lat, cap_lat * sizeof(uint32_t));
        if (lat == NULL) {
            die("realloc");
        }
    }

    ns /= 100;
    lat[n_lat++] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t) ns;
}


static int
compare(const void *a, const void *b)
{
    uint32_t  x = *(const uint32_t *) a, y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}


static double
quantile(double q)
{
    return n_lat ? lat[(size_t) (q * (double) (n_lat - 1) + 0.5)] / 10.0 : 0;
}


static void
report(void)
{
    size_t         i;
    double         sum, seconds;
    struct rusage  ru;

    if (n_lat) {
        qsort(lat, n_lat, sizeof(uint32_t), compare);
    }

    for (i = 0, sum = 0; i < n_lat; i++) {
        sum += lat[i] / 10.0;
    }

    seconds = (double) (((opt.seconds > 0 && now_ns() >= end_ns)
                         ? end_ns : last_ns) - begin_ns) / 1e9;
    if (seconds <= 0) {
        seconds = 1e-9;
    }

    (void) getrusage(RUSAGE_SELF, &ru);

    printf("{\"requests\": %" PRIu64 ", \"errors\": %" PRIu64
           ", \"shed\": %" PRIu64 ", \"refused\": %" PRIu64
           ", \"bytes\": %" PRIu64 ", \"seconds\": %.6f, "
           "\"rps\": %.1f, \"mib_s\": %.2f, ",
           done, errors, shed, refused, bytes, seconds,
           (double) n_lat / seconds,
           (double) bytes / seconds / 1048576);

    printf("\"avg\": %.1f, \"p50\": %.1f, \"p90\": %.1f, \"p95\": %.1f, "
           "\"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f, "
           "\"client_cpu\": %.3f}\n",
           n_lat ? sum / (double) n_lat : 0, quantile(0.5), quantile(0.9),
           quantile(0.95), quantile(0.99), quantile(0.999), quantile(1),
           (double) (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec)
           + (double) (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6);
}
