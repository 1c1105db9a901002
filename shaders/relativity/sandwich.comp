#version 460
// Lorentz transformations Y = R X rev(R) of multivectors of Cl(1,3), R one even element for
// all: a boost and a rotation.
//
// Bindings: 0 Y (vec4, written), 1 X (vec4, read); a unit is one multivector, 16 floats in
//           bitmask order.
// Push:     header; R[8], its even components (relativity/sta.glsl).
// Grid:     one multivector per invocation, work-groups of 256, which move their 1024 vec4
//           in order through shared memory (16 KiB), where neighbours meet no bank twice.
// Cost:     nominally two products of 496 flop, half of whose terms are zeros of R and not
//           computed, and 128 bytes per unit.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "relativity/sta.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { vec4 x[]; };
PUSH(2, float r[8];)

const uint WIDTH = 256u;
shared vec4 stage[4u * WIDTH];

uint stage_at(uint i) { return i ^ ((i >> 3) & 3u); }

void main() {
    uint t = gl_LocalInvocationID.x;
    uint base = group_index() * 4u * WIDTH, count = 4u * push.count; // in vec4
    if (base >= count) return; // the whole work-group
    // Invocations past the end load the last vec4 and store nothing.
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        stage[stage_at(t + j * WIDTH)] = x[push.off[1] / 4u + min(base + t + j * WIDTH, count - 1u)];
    barrier();
    float a[16], b[16];
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        vec4 v = stage[stage_at(4u * t + j)];
        a[4u * j] = v.x;
        a[4u * j + 1u] = v.y;
        a[4u * j + 2u] = v.z;
        a[4u * j + 3u] = v.w;
    }
    float r[8] = push.r;
    sta_left(r, a, b);
    sta_right_reversed(b, r, a);
    // An invocation overwrites only what it alone read.
    [[unroll]] for (uint j = 0u; j < 4u; j++)
        stage[stage_at(4u * t + j)] = vec4(a[4u * j], a[4u * j + 1u], a[4u * j + 2u], a[4u * j + 3u]);
    barrier();
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        uint i = base + t + j * WIDTH;
        if (i < count) y[push.off[0] / 4u + i] = stage[stage_at(t + j * WIDTH)];
    }
}
