#version 460
// dual/functions where the driver may fuse and reorder, as kernels do that are judged by their
// errors alone.
// Bindings, push constants, grid, cost: as dual/functions.

#define AM_PRECISE
#include "dual/functions.glsl"
