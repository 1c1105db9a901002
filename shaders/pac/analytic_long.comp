#version 460
// pac/analytic.glsl for signals of up to 4096 samples: 32 KiB of shared memory.
// Bindings, push, grid and cost: there.

#define PLANE 4096u
#include "pac/analytic.glsl"
