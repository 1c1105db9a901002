#version 460
// combine.glsl, four elements at a time: all offsets and lengths are multiples of four.
#define WORD uvec4
#define EACH(f, a, b) uvec4(f((a).x, (b).x), f((a).y, (b).y), f((a).z, (b).z), f((a).w, (b).w))
#include "engine/combine.glsl"
