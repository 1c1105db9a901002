#include "openers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

// How long a run waits for its openers to wake up, which takes microseconds where there
// are cores for them.
static const int64_t WAKE_NS = 20000000;

typedef struct opener {
    raw_openers *all;
    raw_device *device;
    pthread_t thread;
    uint64_t value;
    int64_t at;
    VkResult result;
    atomic_int asked, awake;
    char apart[64]; // from the cache line of the next one
} opener;

struct raw_openers {
    opener *list;
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

static void give(opener *me) {
    VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = me->device->go, .value = me->value};
    me->result = me->device->SignalSemaphore(me->device->handle, &info);
    me->at = raw_now();
    atomic_store_explicit(&me->asked, 0, memory_order_release);
}

static void *serve(void *argument) {
    opener *me = argument;
    raw_openers *o = me->all;
    for (;;) {
        pthread_mutex_lock(&o->lock);
        while (!atomic_load(&o->running) && !atomic_load(&o->over)) pthread_cond_wait(&o->changed, &o->lock);
        pthread_mutex_unlock(&o->lock);
        if (atomic_load(&o->over)) return NULL;
        atomic_store(&me->awake, 1);
        while (atomic_load_explicit(&o->running, memory_order_relaxed)) {
            if (atomic_load_explicit(&me->asked, memory_order_acquire)) give(me);
            else relax();
        }
        if (atomic_load(&me->asked)) give(me); // asked at the last moment
        atomic_store(&me->awake, 0);
    }
}

raw_openers *raw_openers_new(raw_device **devices, uint32_t n) {
    raw_openers *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->list = calloc(n, sizeof *o->list);
    if (!o->list || pthread_mutex_init(&o->lock, NULL) != 0) {
        free(o->list);
        free(o);
        return NULL;
    }
    pthread_cond_init(&o->changed, NULL);
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; o->count < n; o->count++) {
        opener *x = &o->list[o->count];
        x->all = o;
        x->device = devices[o->count];
        if (pthread_create(&x->thread, NULL, serve, x) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (o->count == n) return o;
    raw_openers_free(o);
    return NULL;
}

uint32_t raw_openers_count(const raw_openers *o) { return o ? o->count : 0; }

static void announce(raw_openers *o, atomic_int *what) {
    pthread_mutex_lock(&o->lock);
    atomic_store(what, 1);
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

int raw_openers_wake(raw_openers *o) {
    if (!o) return 0;
    announce(o, &o->running);
    int64_t until = raw_now() + WAKE_NS;
    for (uint32_t i = 0; i < o->count; i++)
        while (!atomic_load(&o->list[i].awake)) {
            if (raw_now() > until) {
                raw_openers_park(o);
                return 0;
            }
            relax();
        }
    return 1;
}

void raw_openers_park(raw_openers *o) {
    if (o) atomic_store(&o->running, 0);
}

void raw_openers_signal(raw_openers *o, uint32_t i, uint64_t value) {
    o->list[i].value = value;
    atomic_store_explicit(&o->list[i].asked, 1, memory_order_release);
}

VkResult raw_openers_signalled(raw_openers *o, uint32_t i, int64_t *at) {
    opener *x = &o->list[i];
    while (atomic_load_explicit(&x->asked, memory_order_acquire)) relax();
    *at = x->at;
    return x->result;
}

void raw_openers_free(raw_openers *o) {
    if (!o) return;
    atomic_store(&o->running, 0);
    announce(o, &o->over);
    for (uint32_t i = 0; i < o->count; i++) pthread_join(o->list[i].thread, NULL);
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    free(o->list);
    free(o);
}
