//go:build mpi

#include "post.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// MPICH's MPI_STATUSES_IGNORE is an address that gcc takes for an array of no length.
#pragma GCC diagnostic ignored "-Wstringop-overflow"

// How long an engine that is stopped waits for what is under way.
enum { MOMENT_NS = 200000000 };
// Tags: frames, clock readings there and back, and from FIRST on parcels by channel and lane.
// MPI promises tags up to 32767, and most have many more.
enum { FRAME = 1, PING = 2, PONG = 3, FIRST = 16, LANES = 64, FEWEST = 32767 };
static uint32_t channels = (FEWEST - FIRST) / LANES;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Frames on their way out.
typedef struct letter {
    struct letter *next;
    MPI_Request request;
    unsigned char bytes[];
} letter;
static letter *outbox;

// The frame that is coming in.
static struct {
    MPI_Request request;
    void *bytes;
    int from, size;
} inbox = {.request = MPI_REQUEST_NULL};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Open MPI puts handlers of its own behind signals that Go's runtime needs.
static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

int32_t post_init(int32_t *rank, int32_t *size) {
    struct sigaction before[SIGNALS];
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], NULL, &before[i]);
    int provided = 0, r = 0, n = 0;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
    if (code) return code;
    if (provided < MPI_THREAD_SERIALIZED) return POST_THREADS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if ((code = MPI_Comm_rank(MPI_COMM_WORLD, &r)) || (code = MPI_Comm_size(MPI_COMM_WORLD, &n))) return code;
    int *most = NULL, found = 0;
    if ((code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found))) return code;
    if (found && *most > FEWEST) channels = (uint32_t)(*most - FIRST) / LANES;
    *rank = r;
    *size = n;
    return 0;
}

// Frees the frames that have left.
static void reap(void) {
    for (letter **at = &outbox; *at;) {
        letter *l = *at;
        int gone = 0;
        if (MPI_Test(&l->request, &gone, MPI_STATUS_IGNORE)) gone = 1; // it never will
        if (gone) {
            *at = l->next;
            free(l);
        } else {
            at = &l->next;
        }
    }
}

int32_t post_finalize(void) {
    for (int tries = 0; tries < 1000; tries++) {
        pthread_mutex_lock(&lock);
        reap();
        int empty = !outbox;
        pthread_mutex_unlock(&lock);
        if (empty) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return MPI_Finalize();
}

void post_abort(int32_t code) { MPI_Abort(MPI_COMM_WORLD, code); }

void post_explain(int32_t code, char *text, uint32_t room) {
    char full[MPI_MAX_ERROR_STRING + 1] = "unknown error";
    int n = 0;
    if (code > 0) MPI_Error_string(code, full, &n);
    strncpy(text, full, room - 1);
    text[room - 1] = 0;
}

void post_library(char *text, uint32_t room) {
    char full[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int n = 0;
    MPI_Get_library_version(full, &n);
    full[strcspn(full, "\n\r")] = 0;
    strncpy(text, full, room - 1);
    text[room - 1] = 0;
}

int32_t post_send(int32_t to, const void *bytes, uint32_t size) {
    letter *l = malloc(sizeof *l + size);
    if (!l) return POST_MEMORY;
    memcpy(l->bytes, bytes, size);
    pthread_mutex_lock(&lock);
    int code = MPI_Isend(l->bytes, (int)size, MPI_BYTE, to, FRAME, MPI_COMM_WORLD, &l->request);
    if (code) {
        free(l);
    } else {
        l->next = outbox;
        outbox = l;
    }
    reap();
    pthread_mutex_unlock(&lock);
    return code;
}

// Begins to receive a frame that has been announced.
static int32_t accept_frame(void) {
    int announced = 0;
    MPI_Message message;
    MPI_Status status;
    int code = MPI_Improbe(MPI_ANY_SOURCE, FRAME, MPI_COMM_WORLD, &announced, &message, &status);
    if (code || !announced) return code;
    inbox.from = status.MPI_SOURCE;
    if ((code = MPI_Get_count(&status, MPI_BYTE, &inbox.size))) return code;
    inbox.bytes = malloc((size_t)inbox.size + 1);
    if (!inbox.bytes) return POST_MEMORY;
    return MPI_Imrecv(inbox.bytes, inbox.size, MPI_BYTE, &message, &inbox.request);
}

int32_t post_receive(int32_t *from, void **bytes, uint32_t *size) {
    int code = 0, there = 0;
    *bytes = NULL;
    pthread_mutex_lock(&lock);
    reap();
    if (inbox.request == MPI_REQUEST_NULL) code = accept_frame();
    if (!code && inbox.request != MPI_REQUEST_NULL && !(code = MPI_Test(&inbox.request, &there, MPI_STATUS_IGNORE)) && there) {
        *from = inbox.from;
        *bytes = inbox.bytes;
        *size = (uint32_t)inbox.size;
        inbox.bytes = NULL;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

// Waits for requests until a deadline.
static int32_t finish(MPI_Request *requests, int n, int64_t deadline) {
    for (unsigned spins = 0;; spins++) {
        int over = 0;
        pthread_mutex_lock(&lock);
        int code = MPI_Testall(n, requests, &over, MPI_STATUSES_IGNORE);
        pthread_mutex_unlock(&lock);
        if (code || over) return code;
        if (now() > deadline) return POST_LATE;
        if (spins > 1000) sched_yield();
    }
}

// What is read into after a time-out must stay.
typedef struct reading {
    int64_t out, in;
    MPI_Request requests[2];
} reading;

static int32_t exchange(reading *x, int peer, int out_tag, int in_tag, int64_t deadline) {
    pthread_mutex_lock(&lock);
    int code = 0;
    x->requests[0] = x->requests[1] = MPI_REQUEST_NULL;
    if (in_tag) code = MPI_Irecv(&x->in, 8, MPI_BYTE, peer, in_tag, MPI_COMM_WORLD, &x->requests[0]);
    if (!code && out_tag) code = MPI_Isend(&x->out, 8, MPI_BYTE, peer, out_tag, MPI_COMM_WORLD, &x->requests[1]);
    pthread_mutex_unlock(&lock);
    return code ? code : finish(x->requests, 2, deadline);
}

int32_t post_ping(int32_t to, uint32_t n, int64_t *began, int64_t *there, int64_t *over, int64_t most) {
    int64_t deadline = now() + most;
    reading *x = calloc(1, sizeof *x);
    if (!x) return POST_MEMORY;
    int32_t code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        began[i] = now();
        code = exchange(x, to, PING, PONG, deadline);
        over[i] = now();
        there[i] = x->in;
    }
    if (code != POST_LATE) free(x);
    return code;
}

int32_t post_pong(int32_t from, uint32_t n, int64_t most) {
    int64_t deadline = now() + most;
    reading *x = calloc(1, sizeof *x);
    if (!x) return POST_MEMORY;
    int32_t code = 0;
    for (uint32_t i = 0; i < n && !code; i++) {
        code = exchange(x, from, 0, PING, deadline);
        x->out = now();
        if (!code) code = exchange(x, from, PONG, 0, deadline);
    }
    if (code != POST_LATE) free(x);
    return code;
}

struct post_end {
    int tag;         // of lane 0
    int64_t stopped; // when; 0: it is not
    MPI_Request *requests;
    uint32_t open, room;
};

post_end *post_open(uint32_t channel) {
    post_end *e = calloc(1, sizeof *e);
    if (e) e->tag = FIRST + (int)(channel % channels) * LANES;
    return e;
}

void post_stop(post_end *e) {
    pthread_mutex_lock(&lock);
    e->stopped = now();
    for (uint32_t i = 0; i < e->open; i++) {
        // A receive can be cancelled; a send cannot, its memory must stay (post_close).
        if (e->requests[i] != MPI_REQUEST_NULL) MPI_Cancel(&e->requests[i]);
    }
    pthread_mutex_unlock(&lock);
}

void post_close(post_end *e) {
    if (!e) return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < e->open; i++) {
        if (e->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&e->requests[i]);
    }
    pthread_mutex_unlock(&lock);
    free(e->requests);
    free(e);
}

static int32_t give(post_end *e, const uint64_t *t) {
    if (e->open == e->room) {
        uint32_t room = e->room ? 2 * e->room : 16;
        MPI_Request *more = realloc(e->requests, room * sizeof *more);
        if (!more) return POST_MEMORY;
        e->requests = more;
        e->room = room;
    }
    MPI_Request *r = &e->requests[e->open];
    int peer = (int)((uint32_t)t[1] >> 1), tag = e->tag + (int)(t[1] >> 32) % LANES;
    int code = t[1] & 1 ? MPI_Isend((void *)t[0], (int)t[2], MPI_BYTE, peer, tag, MPI_COMM_WORLD, r)
                        : MPI_Irecv((void *)t[0], (int)t[2], MPI_BYTE, peer, tag, MPI_COMM_WORLD, r);
    if (!code) e->open++;
    return code;
}

int32_t post_start(void *end, const uint64_t *triples, uint32_t n) {
    post_end *e = end;
    pthread_mutex_lock(&lock);
    int32_t code = e->stopped ? POST_STOPPED : 0;
    for (uint32_t i = 0; i < n && !code; i++) code = give(e, triples + 3 * i);
    pthread_mutex_unlock(&lock);
    return code;
}

int32_t post_poll(void *end) {
    post_end *e = end;
    // Rather later than waiting for another thread.
    if (pthread_mutex_trylock(&lock)) return POST_UNDER_WAY;
    int over = 0;
    int32_t code = MPI_Testall((int)e->open, e->requests, &over, MPI_STATUSES_IGNORE);
    if (!code && over) e->open = 0;
    // What is half way through gets a moment to arrive, as its memory is freed next.
    if (e->stopped && (code || over || now() - e->stopped > MOMENT_NS)) code = POST_STOPPED;
    pthread_mutex_unlock(&lock);
    return code ? code : over ? 0 : POST_UNDER_WAY;
}
