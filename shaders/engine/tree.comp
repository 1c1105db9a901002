#version 460
#extension GL_EXT_control_flow_attributes : require
// The canonical tree over chunks of 32-bit words: engine/tree.glsl.
// op: 0 sum, 1 minimum, 2 maximum; elem: 0 f32, 1 u32.
#include "common/reduce.glsl"
#define ELEMENT uint
#define BYTES 4u
#define COMBINE(x, y) reduce_words(x, y, push.op, push.elem)
#include "engine/tree.glsl"
