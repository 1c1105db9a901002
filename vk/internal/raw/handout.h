#ifndef AMGPU_HANDOUT_H
#define AMGPU_HANDOUT_H

#include "raw.h"

// Most command buffers of one batch.
enum { RAW_HAND_MOST = 1100 };
int32_t raw_hand(raw_device *d, const uint64_t *commands, uint32_t n, int gated, uint64_t *ticket);
int32_t raw_hand_wait(raw_device *d, uint64_t ticket, uint64_t timeout_ns, int poll);
int32_t raw_gate(raw_device **d, uint32_t n, int64_t *opened, int64_t *signalled, uint32_t *failed);
#endif
