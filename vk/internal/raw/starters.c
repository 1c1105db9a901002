#include "starters.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

// How long a run waits for its starters to wake up, which takes microseconds unless there
// are no cores for them, and the end of a schedule for one
// that is in a call of its engine, which may not block.
static const int64_t WAKE_NS = 1000000000, HANG_NS = 2000000000;

typedef struct starter {
    raw_starters *all;
    uint32_t device;
    pthread_t thread;
    _Atomic(raw_batch *) job;
    atomic_int awake;
} starter;

struct raw_starters {
    starter *list;
    uint32_t count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int running, over;
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void *serve(void *argument) {
    starter *me = argument;
    raw_starters *s = me->all;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!atomic_load(&s->running) && !atomic_load(&s->over)) pthread_cond_wait(&s->changed, &s->lock);
        pthread_mutex_unlock(&s->lock);
        if (atomic_load(&s->over)) return NULL;
        atomic_store(&me->awake, 1);
        while (atomic_load_explicit(&s->running, memory_order_relaxed)) {
            raw_batch *b = atomic_load_explicit(&me->job, memory_order_acquire);
            if (b) {
                raw_batch_start(b);
                atomic_store_explicit(&me->job, NULL, memory_order_release);
            } else relax();
        }
        atomic_store(&me->awake, 0);
        // What was posted at the last moment is started all the same: it counts as under way.
        raw_batch *b = atomic_load(&me->job);
        if (b) {
            raw_batch_start(b);
            atomic_store(&me->job, NULL);
        }
    }
}

raw_starters *raw_starters_new(const uint32_t *devices, uint32_t n) {
    raw_starters *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->list = calloc(n, sizeof *s->list);
    if (!s->list || pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s->list);
        free(s);
        return NULL;
    }
    pthread_cond_init(&s->changed, NULL);
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; s->count < n; s->count++) {
        starter *x = &s->list[s->count];
        x->all = s;
        x->device = devices[s->count];
        if (pthread_create(&x->thread, NULL, serve, x) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s;
}

uint32_t raw_starters_count(const raw_starters *s) { return s ? s->count : 0; }

static void announce(raw_starters *s, atomic_int *what, int value) {
    pthread_mutex_lock(&s->lock);
    atomic_store(what, value);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void raw_starters_wake(raw_starters *s) {
    if (!s) return;
    announce(s, &s->running, 1);
    int64_t until = raw_now() + WAKE_NS;
    for (uint32_t i = 0; i < s->count; i++)
        while (!atomic_load(&s->list[i].awake) && raw_now() < until) relax();
}

void raw_starters_park(raw_starters *s) {
    if (s) atomic_store(&s->running, 0);
}

int raw_starters_post(raw_starters *s, raw_batch *b) {
    for (uint32_t i = 0; s && i < s->count; i++) {
        starter *x = &s->list[i];
        if (x->device != b->engine.device) continue;
        if (atomic_load_explicit(&x->job, memory_order_acquire)) return RAW_NOT_NOW;
        if (!atomic_load_explicit(&x->awake, memory_order_relaxed)) return RAW_NOBODY;
        atomic_store_explicit(&x->job, b, memory_order_release);
        return RAW_TAKEN;
    }
    return RAW_NOBODY;
}

int raw_starters_free(raw_starters *s) {
    if (!s) return 1;
    atomic_store(&s->running, 0);
    announce(s, &s->over, 1);
    int64_t until = raw_now() + HANG_NS;
    int ended = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        while (atomic_load(&s->list[i].job) && raw_now() < until) relax();
        if (atomic_load(&s->list[i].job)) {
            pthread_detach(s->list[i].thread);
            ended = 0;
        } else pthread_join(s->list[i].thread, NULL);
    }
    if (!ended) return 0;
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->list);
    free(s);
    return 1;
}
