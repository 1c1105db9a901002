// A libcuda.so.1 for tests without a GPU. Four devices with the UUIDs 1, 2, 3 and
// 4 in the first byte; device 4 maps no memory and nobody reaches device 3.
// Memory is host memory behind a memfd, which other processes can import; copies are done when their event is asked
// for the second time, so that they are under way in between.
//
// FAKECUDA_FAIL   name of a call that fails with error 999
// FAKECUDA_NTH    which of these calls fails, from 1, and no other; not set: all
// FAKECUDA_LOSE   copies report success and move nothing
// FAKECUDA_MS     copies take that many milliseconds
// FAKECUDA_MEET   the start of a copy waits until so many threads are starting one, for at
//                 most five seconds; else it fails with error 999
// FAKECUDA_FAIL_STREAM  0 or 1: starts on such streams, see FAKECUDA_LAG, fail
// FAKECUDA_LAG    N:MS: the start of a copy takes MS milliseconds on streams that were
//                 made first (N 0) or second (N 1) of two
// FAKECUDA_ALL    there are eight devices, all of which map memory and reach each other
// FAKECUDA_ONLY   number of the only device that this process is shown, from 0
// FAKECUDA_HEADER 32 hexadecimal digits: memfds begin with a page that holds the header of
//                 Mesa's os_memory_fd.c with that UUID, so that lavapipe imports them
// FAKECUDA_LOG    file that gets a line "name result" for every call of interest
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static atomic_int met_before; // calls of FAKECUDA_FAIL

static int note(const char *name) {
    const char *fail = getenv("FAKECUDA_FAIL"), *nth = getenv("FAKECUDA_NTH"), *log = getenv("FAKECUDA_LOG");
    int r = fail && strcmp(fail, name) == 0 ? 999 : 0;
    if (r && nth && *nth && atomic_fetch_add(&met_before, 1) + 1 != atoi(nth)) r = 0;
    if (log && *log) {
        FILE *f = fopen(log, "a");
        if (f) {
            fprintf(f, "%s %d\n", name, r);
            fclose(f);
        }
    }
    return r;
}
#define NOTE(name)            \
    do {                      \
        int r_ = note(name);  \
        if (r_) return r_;    \
    } while (0)

typedef unsigned long long ptr;
typedef struct stream { struct { ptr dst, src; size_t size; } copies[4096]; int count, number; } stream;
typedef struct event { stream *s; int asked, end; double at; } event;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int is_set(const char *name) {
    const char *v = getenv(name);
    return v && *v;
}
// Where the bytes begin in a memfd.
static off_t skip(void) { return is_set("FAKECUDA_HEADER") ? 4096 : 0; }

int cuInit(unsigned flags) { (void)flags; NOTE("cuInit"); return 0; }
int cuGetErrorName(int r, const char **text) {
    *text = r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_UNKNOWN";
    return r == 2 || r == 999 ? 0 : 1;
}
int cuDeviceGetCount(int *n) {
    NOTE("cuDeviceGetCount");
    *n = is_set("FAKECUDA_ONLY") ? 1 : is_set("FAKECUDA_ALL") ? 8 : 4;
    return 0;
}
int cuDeviceGet(int *d, int i) { NOTE("cuDeviceGet"); *d = 100 + (is_set("FAKECUDA_ONLY") ? atoi(getenv("FAKECUDA_ONLY")) : i); return 0; }
int cuDeviceGetUuid(void *u, int d) { NOTE("cuDeviceGetUuid"); memset(u, 0, 16); *(unsigned char *)u = (unsigned char)(d - 99); return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { NOTE("cuDeviceGetAttribute"); *v = (a == 102 || a == 103) && (d != 103 || is_set("FAKECUDA_ALL")); return 0; }
int cuDeviceCanAccessPeer(int *can, int d, int peer) { NOTE("cuDeviceCanAccessPeer"); *can = d != peer && ((d != 102 && peer != 102) || is_set("FAKECUDA_ALL")); return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { NOTE("cuDevicePrimaryCtxRetain"); *c = (void *)(intptr_t)d; return 0; }
int cuCtxSetCurrent(void *c) { (void)c; NOTE("cuCtxSetCurrent"); return 0; }

int cuMemGetAllocationGranularity(size_t *g, const void *p, int o) { (void)p, (void)o; NOTE("cuMemGetAllocationGranularity"); *g = 1 << 16; return 0; }
int cuMemCreate(ptr *h, size_t size, const void *p, ptr flags) {
    (void)p, (void)flags;
    if (size > (size_t)1 << 40) return 2;
    NOTE("cuMemCreate");
    int fd = memfd_create("fakecuda", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size + skip()) != 0) return 2;
    if (skip()) {
        struct { size_t size, offset; unsigned char uuid[16]; } head = {size + 4096, 4096, {0}};
        for (int i = 0; i < 16; i++) sscanf(getenv("FAKECUDA_HEADER") + 2 * i, "%2hhx", &head.uuid[i]);
        // At the begin for who imports it; who frees it finds that by the offset before the bytes.
        if (pwrite(fd, &head, sizeof head, 0) != sizeof head || pwrite(fd, &head.offset, sizeof head.offset, 4096 - sizeof head.offset) != sizeof head.offset) return 2;
    }
    *h = (ptr)fd;
    return 0;
}
int cuMemRelease(ptr h) { close((int)h); NOTE("cuMemRelease"); return 0; }
int cuMemAddressReserve(ptr *at, size_t size, size_t a, ptr hint, ptr flags) {
    (void)a, (void)hint, (void)flags;
    NOTE("cuMemAddressReserve");
    void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *at = (ptr)p;
    return p == MAP_FAILED ? 2 : 0;
}
int cuMemAddressFree(ptr at, size_t size) { munmap((void *)at, size); NOTE("cuMemAddressFree"); return 0; }
int cuMemMap(ptr at, size_t size, size_t off, ptr h, ptr flags) {
    (void)off, (void)flags;
    NOTE("cuMemMap");
    return mmap((void *)at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)h, skip()) == MAP_FAILED ? 2 : 0;
}
int cuMemUnmap(ptr at, size_t size) { (void)at, (void)size; NOTE("cuMemUnmap"); return 0; }
int cuMemSetAccess(ptr at, size_t size, const int *list, size_t n) {
    (void)list, (void)n;
    NOTE("cuMemSetAccess");
    return mprotect((void *)at, size, PROT_READ | PROT_WRITE) ? 999 : 0;
}
int cuMemExportToShareableHandle(int *fd, ptr h, int type, ptr flags) {
    (void)type, (void)flags;
    NOTE("cuMemExportToShareableHandle");
    *fd = dup((int)h);
    return *fd < 0 ? 999 : 0;
}

int cuMemImportFromShareableHandle(ptr *h, void *fd, int type) {
    (void)type;
    NOTE("cuMemImportFromShareableHandle");
    int own = dup((int)(intptr_t)fd);
    *h = (ptr)own;
    return own < 0 ? 999 : 0;
}

static atomic_int streams, starting, met;
int cuStreamCreate(stream **s, unsigned flags) {
    (void)flags;
    NOTE("cuStreamCreate");
    *s = calloc(1, sizeof **s);
    (*s)->number = atomic_fetch_add(&streams, 1);
    return 0;
}
int cuStreamDestroy_v2(stream *s) { free(s); NOTE("cuStreamDestroy"); return 0; }
int cuEventCreate(event **e, unsigned flags) { (void)flags; NOTE("cuEventCreate"); *e = calloc(1, sizeof **e); return 0; }
int cuEventDestroy_v2(event *e) { free(e); NOTE("cuEventDestroy"); return 0; }
int cuEventRecord(event *e, stream *s) { NOTE("cuEventRecord"); *e = (event){s, 0, s->count, now_ms()}; return 0; }
// Waits until threads start copies side by side: all of them see the same round.
static int meet(void) {
    const char *want = getenv("FAKECUDA_MEET");
    if (!want || !*want) return 0;
    int n = atoi(want), round = atomic_load(&met);
    double until = now_ms() + 1000;
    if (atomic_fetch_add(&starting, 1) + 1 == n) {
        atomic_store(&starting, 0);
        atomic_fetch_add(&met, 1);
        return 0;
    }
    while (atomic_load(&met) == round)
        if (now_ms() > until) {
            atomic_fetch_sub(&starting, 1);
            return 999;
        }
    return 0;
}
static void lag(const stream *s) {
    const char *which = getenv("FAKECUDA_LAG"), *colon = which ? strchr(which, ':') : NULL;
    if (colon && atoi(which) == s->number % 2) usleep((unsigned)(1000 * atof(colon + 1)));
}
int cuMemcpyDtoDAsync_v2(ptr dst, ptr src, size_t size, stream *s) {
    NOTE("cuMemcpyDtoDAsync");
    if (meet() != 0) return 999;
    lag(s);
    const char *bad = getenv("FAKECUDA_FAIL_STREAM");
    if (bad && *bad && atoi(bad) == s->number % 2) return 999;
    if (s->count == 4096) return 2;
    s->copies[s->count].dst = dst;
    s->copies[s->count].src = src;
    s->copies[s->count++].size = size;
    return 0;
}
// FAKECUDA_LATE=K:MS: copies of every fourth stream, from number K on, happen this much later.
static double late(const stream *s) {
    const char *which = getenv("FAKECUDA_LATE"), *colon = which ? strchr(which, ':') : NULL;
    return colon && atoi(which) == s->number % 4 ? atof(colon + 1) : 0;
}
int cuEventQuery(event *e) {
    NOTE("cuEventQuery");
    if (!e->s) return 0;
    const char *ms = getenv("FAKECUDA_MS");
    if (e->asked++ == 0 || (ms && *ms && now_ms() - e->at < atof(ms)) || now_ms() - e->at < late(e->s)) return 600;
    int lose = getenv("FAKECUDA_LOSE") != NULL && *getenv("FAKECUDA_LOSE");
    for (int i = 0; i < e->end && !lose; i++) memcpy((void *)e->s->copies[i].dst, (void *)e->s->copies[i].src, e->s->copies[i].size);
    e->s->count = 0;
    e->s = NULL;
    return 0;
}
