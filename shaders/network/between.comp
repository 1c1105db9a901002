#version 460
// For each node v the number of ordered pairs (s, t) of other nodes, s of a unit, that have a
// shortest path through it: D_sv + D_vt = D_st, finite. Sums below 2^24 are exact, and those
// above equal no distance.
//
// A work-group counts for 64 rows s and 16 nodes v, over all t in tiles of 128; an
// invocation holds 8 x 4 distances of a tile, and 16 counts of four each.
//
// Bindings: 0 counts (uint, written), a unit is `pitch` of them; 1 d (vec4, read), a unit is
//           64 rows of `pitch` floats; 2 whole (vec4, read), all rows
// Push:     header; n (nodes), pitch (a multiple of 128, at least n; what lies beyond n is
//           infinite)
// Grid:     pitch / 16 work-groups a unit; the local size is fixed.
// Cost:     2 operations and a conditional increment for each v of a pair. 28 KiB of shared
//           memory.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Counts { uint counts[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer D { vec4 d[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Whole { vec4 whole[]; };
PUSH(3, uint n; uint pitch;)

const uint ROWS = 64u, VIA = 16u, TILE = 128u;
shared vec4 to_via[ROWS * VIA / 4u]; // [s][v / 4]
shared vec4 from_via[VIA * TILE / 4u]; // [v][t / 4]
shared uint found[VIA * 256u]; // [v][invocation]

// The four elements of a row from column j on, with `other` in the one on the diagonal.
vec4 besides(vec4 x, uint row, uint j, float other) {
    return mix(x, vec4(other), equal(uvec4(j, j + 1u, j + 2u, j + 3u), uvec4(row)));
}

void main() {
    float infinite = uintBitsToFloat(0x7F800000u);
    uint line = push.pitch / 4u, blocks = push.pitch / VIA;
    uint unit = group_index() / blocks, v0 = group_index() % blocks * VIA;
    if (unit >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x, x = t & 31u, y = t >> 5;
    uint s0 = (push.first_lo + unit) * ROWS; // number of the first row
    uint rows_at = push.off[1] / 4u + unit * ROWS * line;
    // A node is no inner node of a path from or to itself: infinity equals no distance.
    uint r = t >> 2, k = v0 / 4u + (t & 3u);
    to_via[t] = besides(d[rows_at + r * line + k], s0 + r, 4u * k, infinite);

    uvec4 count[VIA];
    [[unroll]] for (uint v = 0u; v < VIA; v++) count[v] = uvec4(0u);
    for (uint t0 = 0u; t0 < line; t0 += TILE / 4u) {
        barrier(); // of the tile before
        [[unroll]] for (uint i = 0u; i < 2u; i++) {
            uint v = y + 8u * i;
            from_via[v * (TILE / 4u) + x] = besides(whole[push.off[2] / 4u + (v0 + v) * line + t0 + x], v0 + v, 4u * (t0 + x), infinite);
        }
        barrier();
        vec4 direct[8]; // -1, which no sum is, for a row to itself and where there is no path
        [[unroll]] for (uint i = 0u; i < 8u; i++) {
            vec4 e = d[rows_at + (8u * y + i) * line + t0 + x];
            e = mix(e, vec4(-1.0), equal(e, vec4(infinite)));
            direct[i] = besides(e, s0 + 8u * y + i, 4u * (t0 + x), -1.0);
        }
        [[unroll]] for (uint v = 0u; v < VIA; v++) {
            vec4 b = from_via[v * (TILE / 4u) + x];
            [[unroll]] for (uint i = 0u; i < 8u; i++)
                count[v] += uvec4(equal(to_via[(8u * y + i) * (VIA / 4u) + v / 4u][v & 3u] + b, direct[i]));
        }
    }
    [[unroll]] for (uint v = 0u; v < VIA; v++) found[v * 256u + t] = count[v].x + count[v].y + count[v].z + count[v].w;
    barrier();
    // Sixteen invocations a node, sixteen counts each, then a tree.
    uint sum = 0u, via = t >> 4;
    for (uint i = 0u; i < 16u; i++) sum += found[via * 256u + (t & 15u) + 16u * i];
    barrier();
    found[t] = sum;
    barrier();
    for (uint width = 8u; width > 0u; width >>= 1) {
        if ((t & 15u) < width) found[t] += found[t + width];
        barrier();
    }
    if (t < VIA) counts[push.off[0] + unit * push.pitch + v0 + t] = found[16u * t];
}
