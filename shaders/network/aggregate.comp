#version 460
// Aggregation of a graph convolution: z_i = s_i (s_i h_i + sum over edges j->i of s_j h_j),
// s = 1/sqrt(1 + in-degree), that is Ahat h with Ahat = D^-1/2 (A + I) D^-1/2.
// 32 invocations share a row, four features each.
//
// Bindings: 0 z (vec4, written), a unit is CHUNK rows of `features` floats
//           1 h (vec4, read), all nodes; 2 s (float, read), all nodes, 0 behind the last
//           3 ptr (uint, read), CHUNK + 1 a unit; 4 edges (uvec4, read), this device's rows
// Push:     header; n (nodes), features (a multiple of 4), base (group of the first edge in
//           binding 4)
// Grid:     CHUNK / 8 work-groups a unit, 8 rows each.
// Cost:     2 flop and up to 4 bytes per edge and feature. Rows beyond n are 0.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer H { vec4 h[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer S { float s[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer Ptr { uint ptr[]; };
layout(set = 0, binding = 4, std430) readonly restrict buffer Edges { uvec4 edges[]; };
PUSH(5, uint n; uint features; uint base;)

const uint CHUNK = 128u;

vec4 term(uint j, uint width, uint v) { return s[push.off[2] + j] * h[push.off[1] / 4u + j * width + v]; }

void main() {
    uint group = group_index();
    uint u = group / (CHUNK / 8u);
    if (u >= push.count) return;
    uint k = group % (CHUNK / 8u) * 8u + gl_LocalInvocationID.x / 32u; // row of the unit
    uint i = (push.first_lo + u) * CHUNK + k;
    uint width = push.features / 4u;
    uint p = push.off[3] + u * (CHUNK + 1u) + k;
    uint first = 0u, end = 0u;
    if (i < push.n) {
        first = ptr[p] - push.base;
        end = ptr[p + 1u] - push.base;
    }
    for (uint v = gl_LocalInvocationID.x % 32u; v < width; v += 32u) {
        vec4 sum = vec4(0.0);
        if (i < push.n) {
            sum = term(i, width, v);
            for (uint g = first; g < end; g++) {
                uvec4 e = edges[push.off[4] / 4u + g];
                precise vec4 near = (term(min(e.x, push.n), width, v) + term(min(e.y, push.n), width, v))
                    + (term(min(e.z, push.n), width, v) + term(min(e.w, push.n), width, v));
                precise vec4 next = sum + near;
                sum = next;
            }
            sum *= s[push.off[2] + i];
        }
        z[push.off[0] / 4u + (u * CHUNK + k) * width + v] = sum;
    }
}
