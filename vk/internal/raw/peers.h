// The conductor's view of the peer copies of a schedule.
#ifndef AMGPU_PEERS_H
#define AMGPU_PEERS_H

#include "raw.h"

typedef struct raw_peers raw_peers;

raw_peers *raw_peers_new(void);
void raw_peers_free(raw_peers *p);
// Phases in ascending order. 0: no memory.
int raw_peers_add(raw_peers *p, uint32_t phase, const raw_engine *e, uint64_t mask, uint64_t touched, const uint64_t *copies, uint32_t n);
// Gives the engine of every device a starter, a thread that starts its copies, where
// there are several; returns how many there are. Before the first run, after all copies.
uint32_t raw_peers_hire(raw_peers *p);

// A run begins and ends: in between starters spin.
void raw_peers_rewind(raw_peers *p);
void raw_peers_rest(raw_peers *p);
// The copies of the next phase are due; returns how many engines have some.
uint32_t raw_peers_begin(raw_peers *p, uint32_t phase);
// Starts what may start now that the devices of the mask are through, and looks
// once at what was started. *left: engines not done yet. An error code is the
// engine's, with the call and the device it belongs to.
int32_t raw_peers_advance(raw_peers *p, uint64_t through, uint32_t *left, int32_t *call, uint32_t *device);
// Whether an engine of a device is not through the phase yet, and which one: the rest waits for
// other processes.
int raw_peers_late(const raw_peers *p, uint32_t *device);
// Whether copies that were started are still under way, and the devices they touch.
int raw_peers_busy(raw_peers *p, uint64_t *touched);

#endif
