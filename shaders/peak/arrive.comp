#version 460
// What is read of data that came from the host: one word of every 4 KiB, at a place that
// looks random.
//
// Bindings: 0 found (uint, written), one a unit; 1 x (uint, read), 1024 a unit.
// Push:     header.
// Grid:     one unit per invocation.
// Cost:     8 bytes per unit.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer F { uint found[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uint x[]; };
PUSH(2, )

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uint place = (push.first_lo + i) * 0x9E3779B1u >> 22;
    found[push.off[0] + i] = x[push.off[1] + i * 1024u + place];
}
