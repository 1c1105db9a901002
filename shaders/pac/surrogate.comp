#version 460
// pac/surrogate.glsl for signals of up to 2048 samples: 16 KiB of shared memory.
// Bindings, push, grid and cost: there.

#define LONGEST 2048u
#include "pac/surrogate.glsl"
