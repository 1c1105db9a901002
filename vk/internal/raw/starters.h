// Threads that start the copies of one engine each, so that the engines of all devices
// get going at once: one thread alone would take several microseconds for every copy.
#ifndef AMGPU_STARTERS_H
#define AMGPU_STARTERS_H

#include "raw.h"

#include <stdatomic.h>

// One engine's copies in one phase.
typedef struct raw_batch {
    raw_engine engine;
    uint32_t phase, count;
    uint64_t mask;    // lanes that must be through the phase
    uint64_t touched; // devices whose memory it uses
    uint64_t *copies; // triples
    int32_t result;   // of the start
    atomic_int state;
} raw_batch;

void raw_batch_start(raw_batch *b);

typedef struct raw_starters raw_starters;

// A parked thread for each device; those that there is no thread for have none. All
// functions take NULL.
raw_starters *raw_starters_new(const uint32_t *devices, uint32_t n);
uint32_t raw_starters_count(const raw_starters *s);
// From wake to park the threads spin, waiting for batches.
void raw_starters_wake(raw_starters *s);
void raw_starters_park(raw_starters *s);
// Gives a batch to the starter of its engine's device, which calls raw_batch_start.
enum { RAW_TAKEN, RAW_NOT_NOW, RAW_NOBODY };
int raw_starters_post(raw_starters *s, raw_batch *b);
// Ends the threads. 0: one of them hangs in a call of its engine; it is left, with all
// that it uses.
int raw_starters_free(raw_starters *s);
#endif
