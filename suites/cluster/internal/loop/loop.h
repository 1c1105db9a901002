// A post office within one process: parcels between numbered ends, matched in the order in
// which they were given to it, as MPI matches messages of one pair and tag.
#ifndef AMGPU_LOOP_H
#define AMGPU_LOOP_H

#include <stdint.h>

typedef struct loop_hub loop_hub;
typedef struct loop_end loop_end;

enum { LOOP_UNDER_WAY = -1, LOOP_STOPPED = 1, LOOP_LENGTH = 2, LOOP_MEMORY = 3 };

loop_hub *loop_hub_new(void);
void loop_hub_free(loop_hub *h);
// An end of rank in a channel; parcels stay within their channel.
loop_end *loop_end_new(loop_hub *h, uint32_t rank, uint32_t channel);
void loop_end_free(loop_end *e);
void loop_end_stop(loop_end *e);
// The two functions of a copy engine (vk.CopyEngine): triples (address, peer << 1 | send, bytes).
int32_t loop_start(void *end, const uint64_t *triples, uint32_t n);
int32_t loop_poll(void *end);

#endif
