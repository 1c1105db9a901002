#version 460
// pac/analytic.glsl for signals of up to 2048 samples: 19 KiB of shared memory.
// Bindings, push, grid and cost: there.

#define PLANE 2432u
#include "pac/analytic.glsl"
