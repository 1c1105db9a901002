#version 460
// A layer of a tropical network as tropical/layer, in tiles of 64x64, for products that make
// few tiles of 128x128: four times as many work-groups. Exact like it: the same bits.
// Bindings: 0 y (vec4, written), rows of the launch, stride `outputs`
//           1 x (vec4, read), rows of the launch, stride `inputs`
//           2 W (vec4, read), `inputs` rows, stride `outputs`
//           3 bias (vec4, read), `outputs`
// Push:     header, inputs, outputs: multiples of 4.
// Constant: 2 FUSED: 0 leaves the bias to tropical/bias.
// Grid:     a tile per work-group.
// Work: 2 flop a pair (one add, one maximum), 64*64*16 pairs and 8 KiB read a step.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const uint FUSED = 1u;
layout(set = 0, binding = 0, std430) writeonly buffer Y { vec4 y[]; };
layout(set = 0, binding = 1, std430) readonly buffer X { vec4 x4[]; };
layout(set = 0, binding = 2, std430) readonly buffer W { vec4 w4[]; };
layout(set = 0, binding = 3, std430) readonly buffer Bias { vec4 bias[]; };
PUSH(4, uint inputs; uint outputs;)

#include "tropical/layer64.glsl"

void layer_end(vec4 v, uint row, uint col) {
    vec4 b = bias[(push.off[3] + col) / 4u];
    y[(push.off[0] + row * push.outputs + col) / 4u] = FUSED == 0u ? v : max(v, b);
}

void main() { layer(); }
