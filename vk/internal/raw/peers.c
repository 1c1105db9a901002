// Peer copies of a schedule: what a copy engine outside Vulkan does between two
// phases. Everything is polled from the conductor's thread.
#include "peers.h"

#include <stdlib.h>
#include <string.h>

// One engine's copies in one phase.
typedef struct batch {
    raw_engine engine;
    uint32_t phase, count;
    uint64_t mask;    // devices that must be through the phase
    uint64_t *copies; // triples
    enum { WAITING, UNDER_WAY, OVER } state;
} batch;

struct raw_peers {
    batch *batches; // by phase
    uint32_t count, room;
    uint32_t first, last; // of the phase in progress: [first, last)
};

raw_peers *raw_peers_new(void) { return calloc(1, sizeof(raw_peers)); }

void raw_peers_free(raw_peers *p) {
    if (!p) return;
    for (uint32_t i = 0; i < p->count; i++) free(p->batches[i].copies);
    free(p->batches);
    free(p);
}

int raw_peers_add(raw_peers *p, uint32_t phase, const raw_engine *e, uint64_t mask, const uint64_t *copies, uint32_t n) {
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 16;
        batch *more = realloc(p->batches, room * sizeof *more);
        if (!more) return 0;
        p->batches = more;
        p->room = room;
    }
    batch *b = &p->batches[p->count];
    *b = (batch){.engine = *e, .phase = phase, .count = n, .mask = mask, .copies = malloc((size_t)n * 3 * sizeof *copies)};
    if (!b->copies) return 0;
    memcpy(b->copies, copies, (size_t)n * 3 * sizeof *copies);
    p->count++;
    return 1;
}

void raw_peers_rewind(raw_peers *p) { p->first = p->last = 0; }

uint32_t raw_peers_begin(raw_peers *p, uint32_t phase) {
    p->first = p->last;
    while (p->last < p->count && p->batches[p->last].phase == phase) p->batches[p->last++].state = WAITING;
    return p->last - p->first;
}

int32_t raw_peers_advance(raw_peers *p, uint64_t through, uint32_t *left, int32_t *call, uint32_t *device) {
    *left = 0;
    for (uint32_t i = p->first; i < p->last; i++) {
        batch *b = &p->batches[i];
        if (b->state == OVER) continue;
        *device = b->engine.device;
        if (b->state == WAITING && (b->mask & ~through) == 0) {
            *call = RAW_CALL_PEER_START;
            // Part of the copies may be under way even after an error.
            b->state = UNDER_WAY;
            int32_t r = b->engine.start(b->engine.context, b->copies, b->count);
            if (r != 0) return r;
        } else if (b->state == UNDER_WAY) {
            *call = RAW_CALL_PEER_POLL;
            int32_t r = b->engine.poll(b->engine.context);
            if (r != 0 && r != RAW_UNDER_WAY) return r;
            if (r == 0) b->state = OVER;
        }
        *left += b->state != OVER;
    }
    return 0;
}

int raw_peers_busy(raw_peers *p) {
    int busy = 0;
    for (uint32_t i = p->first; i < p->last; i++) {
        batch *b = &p->batches[i];
        // An engine that reports an error is as done as it will ever be.
        if (b->state == UNDER_WAY && b->engine.poll(b->engine.context) != RAW_UNDER_WAY) b->state = OVER;
        busy |= b->state == UNDER_WAY;
    }
    return busy;
}
