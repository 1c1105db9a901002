#version 460
// A layer that keeps which input won, as tropical/winners, in tiles of 64x64. The same bits.
// Bindings: 0 y (vec4, written), rows of the launch, stride `outputs`
//           1 x (vec4, read), rows of the launch, stride `inputs`
//           2 W (float/vec4, read), `inputs` rows, stride `outputs`
//           3 bias (vec4, read), `outputs`
//           4 winner (uvec4, written), rows of the launch, stride `outputs`
// Push:     header, inputs, outputs: multiples of 4.
// Grid:     a tile per work-group.
// Work: 2 flop a pair (one add, one maximum), a comparison and a selection for each BLOCK of
//       them, and again BLOCK additions for each output to find the winner.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X { vec4 x4[]; };
layout(set = 0, binding = 2, std430) readonly buffer W1 { float w1[]; };
layout(set = 0, binding = 2, std430) readonly buffer W4 { vec4 w4[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { vec4 bias[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Winner { uvec4 winner[]; };
PUSH(5, uint inputs; uint outputs;)

#define WINNERS
#include "tropical/layer64.glsl"

// The greatest sum of a block for column col of a row, and the lowest input that has it.
float search(uint block, uint row, uint col, out uint input_of) {
    float best = uintBitsToFloat(0xFF800000u);
    input_of = block;
    [[unroll]] for (uint b = 0u; b < BLOCK; b += 4u) {
        uint k = quad_of(block + b); // the last ones again win nothing
        vec4 x = x4[(X_BASE + row * X_STRIDE + k) / 4u];
        [[unroll]] for (uint e = 0u; e < 4u; e++) {
            precise float sum = x[e] + w1[W_BASE + (k + e) * push.outputs + col];
            if (sum > best) {
                best = sum;
                input_of = k + e;
            }
        }
    }
    return best;
}

void layer_end(uvec4 block, uint row, uint col) {
    vec4 b = bias[(push.off[3] + col) / 4u];
    vec4 v;
    uvec4 arg;
    [[unroll]] for (uint e = 0u; e < 4u; e++) {
        uint input_of;
        float sum = search(block[e], row, col + e, input_of);
        bool join = b[e] > sum;
        v[e] = join ? b[e] : sum;
        arg[e] = join ? push.inputs : input_of;
    }
    y[(push.off[0] + row * push.outputs + col) / 4u] = v;
    winner[(push.off[4] + row * push.outputs + col) / 4u] = arg;
}

void main() { layer(); }
