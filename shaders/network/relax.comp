#version 460
// Min-plus product: c_ij = min over k of (a_ik + b_kj), and of c_ij itself with KEEP. Exact:
// sums of integers below 2^24 and minima of them do not round.
//
// Tiles of 128 x 128 outputs, 8 x 8 an invocation as 2 x 2 blocks of 4 x 4, steps of 16
// through shared memory (16 KiB); the next step is loaded before this one is computed.
//
// Bindings: 0 c (vec4), a unit is 64 rows of `pitch` floats; 1 a (float, read), 64 rows of
//           `lead` floats a unit; 2 b (vec4, read), depth rows of `pitch` floats
// Push:     header; pitch (a multiple of 128), lead, depth (a multiple of 16)
// Constant: 1 KEEP
// Grid:     pitch / 128 work-groups for every two units; the local size is fixed.
// Cost:     2 operations for each k of an output.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint KEEP = 1u;
layout(set = 0, binding = 0, std430) restrict buffer C { vec4 c[]; };
layout(set = 0, binding = 1, std430) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 2, std430) readonly buffer B { vec4 b[]; };
PUSH(3, uint pitch; uint lead; uint depth;)

const uint TILE = 128u, STEP = 16u;
shared float rows[STEP * TILE];        // [k][row]
shared vec4 columns[STEP * TILE / 4u]; // [k][column / 4]

void main() {
    uint across = push.pitch / TILE;
    uint r0 = group_index() / across * TILE, c0 = group_index() % across * TILE;
    uint height = push.count * 64u;
    if (r0 >= height) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    uint x = t & 15u, y = t >> 4;
    // What an invocation loads of a step: eight elements of row t / 2, and two vec4 of
    // columns. A row beyond the last repeats it.
    uint row = t >> 1, k8 = (t & 1u) * 8u;
    uint at_a = (push.off[1] + min(r0 + row, height - 1u) * push.lead + k8) / 4u;
    uint at_b = (push.off[2] + (t >> 5) * push.pitch + c0) / 4u + (t & 31u);
    uint line = push.pitch / 4u;
    vec4 next_a[2], next_b[2];
    [[unroll]] for (uint i = 0u; i < 2u; i++) {
        next_a[i] = a[at_a + i];
        next_b[i] = b[at_b + 8u * i * line];
    }
    float inf = uintBitsToFloat(0x7F800000u);
    vec4 best[8][2];
    [[unroll]] for (uint r = 0u; r < 8u; r++) best[r][0] = best[r][1] = vec4(inf);
    for (uint k0 = 0u; k0 < push.depth; k0 += STEP) {
        [[unroll]] for (uint i = 0u; i < 2u; i++) {
            [[unroll]] for (uint j = 0u; j < 4u; j++) rows[(k8 + 4u * i + j) * TILE + row] = next_a[i][j];
            columns[((t >> 5) + 8u * i) * (TILE / 4u) + (t & 31u)] = next_b[i];
        }
        barrier();
        if (k0 + STEP < push.depth) {
            at_a += STEP / 4u;
            at_b += STEP * line;
            [[unroll]] for (uint i = 0u; i < 2u; i++) {
                next_a[i] = a[at_a + i];
                next_b[i] = b[at_b + 8u * i * line];
            }
        }
        [[unroll]] for (uint k = 0u; k < STEP; k++) {
            vec4 b0 = columns[k * (TILE / 4u) + x], b1 = columns[k * (TILE / 4u) + 16u + x];
            [[unroll]] for (uint r = 0u; r < 8u; r++) {
                float e = rows[k * TILE + 4u * y + (r & 3u) + (r >> 2) * 64u];
                best[r][0] = min(best[r][0], e + b0);
                best[r][1] = min(best[r][1], e + b1);
            }
        }
        barrier();
    }
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint i = r0 + 4u * y + (r & 3u) + (r >> 2) * 64u;
        if (i < height) {
            [[unroll]] for (uint part = 0u; part < 2u; part++) {
                uint at = (push.off[0] + i * push.pitch + c0) / 4u + 16u * part + x;
                vec4 v = best[r][part];
                if (KEEP != 0u) v = ordered_min(c[at], v);
                c[at] = v;
            }
        }
    }
}
