#version 460
// The 64 columns of a block, copied out of the rows of a matrix, since those rows are
// written while the columns are read.
//
// Bindings: 0 column (vec4, written), a unit is 64 rows of 64 floats; 1 d (vec4, read), a
//           unit is 64 rows of `pitch` floats
// Push:     header; pitch, first (first column)
// Grid:     an invocation per vec4.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Column { vec4 column[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer D { vec4 d[]; };
PUSH(2, uint pitch; uint first;)

void main() {
    uint q = invocation_index();
    if (q >= push.count * 64u * 16u) return;
    column[push.off[0] / 4u + q] = d[(push.off[1] + q / 16u * push.pitch + push.first) / 4u + q % 16u];
}
