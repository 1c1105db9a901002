#version 460
// pac/surrogate.glsl for signals of up to 4096 samples: 32 KiB of shared memory.
// Bindings, push, grid and cost: there.

#define LONGEST 4096u
#include "pac/surrogate.glsl"
