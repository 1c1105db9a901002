// Threads that open the start gate of a device each, so that all begin at once: one thread
// alone takes 5 to 9 us a signal on NVIDIA GPUs, one device after the other.
#ifndef AMGPU_OPENERS_H
#define AMGPU_OPENERS_H

#include "raw.h"

typedef struct raw_openers raw_openers;

// A parked thread for each of n devices. NULL: the system has none. All functions take NULL.
raw_openers *raw_openers_new(raw_device **devices, uint32_t n);
uint32_t raw_openers_count(const raw_openers *o);
// From wake to park the threads spin. 0: not all woke up, and none is of use.
int raw_openers_wake(raw_openers *o);
void raw_openers_park(raw_openers *o);
// Has thread i signal the go semaphore of its device with a value.
void raw_openers_signal(raw_openers *o, uint32_t i, uint64_t value);
// Waits for the signal of thread i: its result, and when it was given.
VkResult raw_openers_signalled(raw_openers *o, uint32_t i, int64_t *at);
void raw_openers_free(raw_openers *o);
#endif
