// Frames, parcels and clocks between the ranks of an MPI job. Calls may come from several
// threads; one lock orders them, as not every MPI is built for more.
#ifndef AMGPU_POST_H
#define AMGPU_POST_H

#include <stdint.h>

typedef struct post_end post_end;

enum { POST_UNDER_WAY = -1, POST_STOPPED = -2, POST_MEMORY = -3, POST_LATE = -4, POST_THREADS = -5 };

// All return 0 or a code: one of the above or MPI's (post_explain).
int32_t post_init(int32_t *rank, int32_t *size);
int32_t post_finalize(void);
void post_abort(int32_t code);
void post_explain(int32_t code, char *text, uint32_t room);
// Name and version of the library.
void post_library(char *text, uint32_t room);

// Queues a frame, a copy of the bytes.
int32_t post_send(int32_t to, const void *bytes, uint32_t size);
// Looks once for a frame: *bytes is NULL, or the frame, to be freed with free().
int32_t post_receive(int32_t *from, void **bytes, uint32_t *size);

// n round trips: nanoseconds of CLOCK_MONOTONIC_RAW at their begin, there, and at their end.
int32_t post_ping(int32_t to, uint32_t n, int64_t *began, int64_t *there, int64_t *over, int64_t most);
int32_t post_pong(int32_t from, uint32_t n, int64_t most);

// What carries the parcels of one channel, as a copy engine: triples (address,
// rank << 1 | send, bytes).
post_end *post_open(uint32_t channel);
void post_stop(post_end *e);
void post_close(post_end *e);
int32_t post_start(void *end, const uint64_t *triples, uint32_t n);
int32_t post_poll(void *end);

#endif
