#version 460
// combine.glsl, one element at a time: for whatever is not aligned.
#define WORD uint
#define EACH(f, x, y) f(x, y)
#include "engine/combine.glsl"
