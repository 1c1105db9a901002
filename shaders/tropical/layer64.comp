#version 460
// A layer of a tropical network as tropical/layer, in tiles of 64x64, for products that make
// few tiles of 128x128: four times as many work-groups. Exact like it: the same bits.
// Bindings: 0 y (vec4, written), rows of the launch, stride `outputs`
//           1 x (vec4, read), rows of the launch, stride `inputs`
//           2 W (vec4, read), `inputs` rows, stride `outputs`
//           3 bias (vec4, read), `outputs`
// Push:     header, inputs, outputs: multiples of 4.
// Constant: 2 FUSED: 0 leaves the bias to tropical/bias.
// Grid:     a tile per work-group of 256, 4x4 an invocation; steps of 16 inputs go through
//           shared memory, two buffers (16 KiB), the next one loaded before one is computed.
// Work: 2 flop a pair (one add, one maximum), 64*64*16 pairs and 8 KiB read a step.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const uint FUSED = 1u;
layout(set = 0, binding = 0, std430) writeonly buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 2, std430) readonly buffer W { vec4 weights[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { vec4 bias[]; };
PUSH(4, uint inputs; uint outputs;)

const uint TILE = 64u, STEP = 16u, ROW = TILE / 4u; // of a step in shared memory
shared vec4 sa[2u * STEP * ROW];
shared vec4 sb[2u * STEP * ROW];

// Past an edge a valid element is repeated, the same of both sides: it changes no maximum.
uint quad_of(uint k) { return min(k, push.inputs - 4u); }

vec4 load_x(uint row0, uint k) {
    uint tid = gl_LocalInvocationIndex, row = min(row0 + (tid >> 2), push.count - 1u);
    return x[(push.off[1] + row * push.inputs + quad_of(k + 4u * (tid & 3u))) / 4u];
}

vec4 load_w(uint col0, uint k) {
    uint tid = gl_LocalInvocationIndex, at = k + (tid >> 4);
    at = at < push.inputs ? at : push.inputs - 4u + (at & 3u);
    return weights[(push.off[2] + at * push.outputs + min(col0 + 4u * (tid & 15u), push.outputs - 4u)) / 4u];
}

// Rows are exchanged by k (xor), so that the stores of a transposed quad meet no bank twice.
void put(uint base, vec4 left, vec4 right) {
    uint tid = gl_LocalInvocationIndex, quad = tid & 3u, row = (tid >> 2) ^ (quad * 8u);
    [[unroll]] for (uint e = 0u; e < 4u; e++) sa[base + (4u * quad + e) * ROW + row / 4u][row & 3u] = left[e];
    sb[base + (tid >> 4) * ROW + (tid & 15u)] = right;
}

void main() {
    uint across = (push.outputs + TILE - 1u) / TILE, group = group_index();
    uint row0 = group / across * TILE, col0 = group % across * TILE;
    if (row0 >= push.count) return; // the whole work-group
    uint tid = gl_LocalInvocationIndex, tx = tid & 15u, ty = tid >> 4, base = 0u;
    vec4 acc[4];
    [[unroll]] for (uint i = 0u; i < 4u; i++) acc[i] = vec4(uintBitsToFloat(0xFF800000u));
    vec4 left = load_x(row0, 0u), right = load_w(col0, 0u);
    for (uint k = 0u; k < push.inputs; k += STEP) {
        put(base, left, right);
        barrier();
        if (k + STEP < push.inputs) {
            left = load_x(row0, k + STEP);
            right = load_w(col0, k + STEP);
        }
        [[unroll]] for (uint s = 0u; s < STEP; s++) {
            vec4 p = sa[base + s * ROW + (ty ^ ((s >> 2) * 2u))], u = sb[base + s * ROW + tx];
            [[unroll]] for (uint i = 0u; i < 4u; i++) acc[i] = max(acc[i], p[i] + u);
        }
        base ^= STEP * ROW;
    }
    uint col = col0 + 4u * tx;
    if (col >= push.outputs) return;
    vec4 b = bias[(push.off[3] + col) / 4u];
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint row = row0 + 4u * ty + i;
        if (row < push.count) y[(push.off[0] + row * push.outputs + col) / 4u] = FUSED == 0u ? acc[i] : max(acc[i], b);
    }
}
