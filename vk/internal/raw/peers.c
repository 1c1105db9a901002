// Peer copies of a schedule: what a copy engine outside Vulkan does between two
// phases. Everything is polled from the conductor's thread; copies are started there
// or, where each engine has a starter, on threads of their own at the same time.
#include "peers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "starters.h"

enum { WAITING, POSTED, FAILED, UNDER_WAY, OVER };

struct raw_peers {
    raw_batch **batches; // by phase
    uint32_t count, room;
    uint32_t first, last; // of the phase in progress: [first, last)
    raw_starters *starters;
};

raw_peers *raw_peers_new(void) { return calloc(1, sizeof(raw_peers)); }

void raw_peers_free(raw_peers *p) {
    if (!p) return;
    // A starter that hangs in a call of its engine still uses its batch.
    if (raw_starters_free(p->starters)) {
        for (uint32_t i = 0; i < p->count; i++) {
            free(p->batches[i]->copies);
            free(p->batches[i]);
        }
    }
    free(p->batches);
    free(p);
}

int raw_peers_add(raw_peers *p, uint32_t phase, const raw_engine *e, uint64_t mask, uint64_t touched, const uint64_t *copies, uint32_t n) {
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 16;
        raw_batch **more = realloc(p->batches, room * sizeof *more);
        if (!more) return 0;
        p->batches = more;
        p->room = room;
    }
    raw_batch *b = calloc(1, sizeof *b);
    if (!b) return 0;
    *b = (raw_batch){.engine = *e, .phase = phase, .count = n, .mask = mask, .touched = touched, .copies = malloc((size_t)n * 3 * sizeof *copies)};
    if (!b->copies) {
        free(b);
        return 0;
    }
    memcpy(b->copies, copies, (size_t)n * 3 * sizeof *copies);
    p->batches[p->count++] = b;
    return 1;
}

uint32_t raw_peers_hire(raw_peers *p) {
    if (p->starters) return raw_starters_count(p->starters);
    uint32_t devices[64], n = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t k = 0;
        uint32_t device = p->batches[i]->engine.device;
        while (k < n && devices[k] != device) k++;
        // An engine of no device serves the conductor's thread only.
        if (k == n && device < 64) devices[n++] = device;
    }
    if (n > 1) p->starters = raw_starters_new(devices, n);
    return raw_starters_count(p->starters);
}

void raw_peers_rewind(raw_peers *p) {
    p->first = p->last = 0;
    raw_starters_wake(p->starters);
}

void raw_peers_rest(raw_peers *p) { raw_starters_park(p->starters); }

uint32_t raw_peers_begin(raw_peers *p, uint32_t phase) {
    p->first = p->last;
    while (p->last < p->count && p->batches[p->last]->phase == phase) atomic_store(&p->batches[p->last++]->state, WAITING);
    return p->last - p->first;
}

// Starts a batch: what it left in result is seen by whoever sees the state.
void raw_batch_start(raw_batch *b) {
    b->result = b->engine.start(b->engine.context, b->copies, b->count);
    atomic_store_explicit(&b->state, b->result == 0 ? UNDER_WAY : FAILED, memory_order_release);
}

int32_t raw_peers_advance(raw_peers *p, uint64_t through, uint32_t *left, int32_t *call, uint32_t *device) {
    *left = 0;
    for (uint32_t i = p->first; i < p->last; i++) {
        raw_batch *b = p->batches[i];
        *device = b->engine.device;
        if (atomic_load_explicit(&b->state, memory_order_acquire) == WAITING && (b->mask & ~through) == 0) {
            atomic_store_explicit(&b->state, POSTED, memory_order_relaxed);
            switch (raw_starters_post(p->starters, b)) {
            case RAW_NOT_NOW: // its starter is at another batch of the same engine
                atomic_store_explicit(&b->state, WAITING, memory_order_relaxed);
                break;
            case RAW_NOBODY:
                raw_batch_start(b);
                break;
            }
            if (atomic_load_explicit(&b->state, memory_order_acquire) == UNDER_WAY) { // it takes a while
                ++*left;
                continue;
            }
        }
        switch (atomic_load_explicit(&b->state, memory_order_acquire)) {
        case FAILED: // part of the copies may be under way even so
            atomic_store_explicit(&b->state, UNDER_WAY, memory_order_relaxed);
            *call = RAW_CALL_PEER_START;
            return b->result;
        case UNDER_WAY: {
            int32_t r = b->engine.poll(b->engine.context);
            if (r == 0) atomic_store_explicit(&b->state, OVER, memory_order_relaxed);
            else if (r != RAW_UNDER_WAY) {
                *call = RAW_CALL_PEER_POLL;
                return r;
            }
        }
        }
        *left += atomic_load_explicit(&b->state, memory_order_relaxed) != OVER;
    }
    return 0;
}

int raw_peers_late(const raw_peers *p, uint32_t *device) {
    for (uint32_t i = p->first; i < p->last; i++) {
        raw_batch *b = p->batches[i];
        if (b->engine.device < 64 && atomic_load_explicit(&b->state, memory_order_acquire) != OVER) {
            *device = b->engine.device;
            return 1;
        }
    }
    return 0;
}

int raw_peers_busy(raw_peers *p, uint64_t *touched) {
    int busy = 0;
    *touched = 0;
    for (uint32_t i = p->first; i < p->last; i++) {
        raw_batch *b = p->batches[i];
        int state = atomic_load_explicit(&b->state, memory_order_acquire);
        // An engine that reports an error is as done as it will ever be.
        if ((state == UNDER_WAY || state == FAILED) && b->engine.poll(b->engine.context) != RAW_UNDER_WAY)
            atomic_store_explicit(&b->state, OVER, memory_order_relaxed);
        else if (state != WAITING && state != OVER) {
            busy = 1;
            *touched |= b->touched;
        }
    }
    return busy;
}
