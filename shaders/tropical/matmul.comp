#version 460
// tropical/matmul: C_ij = max_k (A_ik + B_kj), the max-plus matrix product, of
// the launch's rows of A and C and one block of k. Exact: the sum is rounded
// once and max is associative, so neither tiling nor blocking changes a bit.
//
// 128x128 outputs a work-group of 256, 8x8 an invocation as 2x2 blocks of 4x4.
// Steps of 16 k go through shared memory, two buffers (32 KiB), A transposed; the
// next step is loaded to registers before the current one is computed, one barrier
// a step. Columns of A's tile are exchanged by k (xor swizzle) so that transposed
// stores meet no bank twice. Indices past an edge repeat a valid element (the same
// pair again does not change a maximum) and outputs past an edge are not stored.
// Work-groups go through bands of 8 row tiles so that their operands stay in cache.
//
// Bindings: 0 readonly float/vec4 A, rows of the launch, row stride `stride`
//           1 readonly float/vec4 B, rows k0 .. k0+depth-1, row stride `cols`
//           2 float/vec4 C, rows of the launch, row stride `cols`
// Push:     header; stride (columns of A), k0, depth, cols, keep (1: C already
//           holds the maximum over earlier blocks)
// Constant: 1 VEC: stride, k0, depth and cols are multiples of 4: 16-byte accesses
// Work: 2 flop a pair (one add, one max), 128*128*16 pairs and 16 KiB read a step.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in; // written for 256
layout(constant_id = 1) const uint VEC = 0u;

layout(set = 0, binding = 0, std430) readonly buffer A1 { float a1[]; };
layout(set = 0, binding = 0, std430) readonly buffer A4 { vec4 a4[]; };
layout(set = 0, binding = 1, std430) readonly buffer B1 { float b1[]; };
layout(set = 0, binding = 1, std430) readonly buffer B4 { vec4 b4[]; };
layout(set = 0, binding = 2, std430) buffer C1 { float c1[]; };
layout(set = 0, binding = 2, std430) buffer C4 { vec4 c4[]; };
PUSH(3, uint stride; uint k0; uint depth; uint cols; uint keep;)

const uint TILE = 128u, STEP = 16u, BAND = 8u;
shared vec4 sa[2u * STEP * TILE / 4u]; // [buffer][k][row/4, swizzled]
shared vec4 sb[2u * STEP * TILE / 4u]; // [buffer][k][column/4]

// The k to read for step position k: itself, or a valid one past the end.
uint clamp_k(uint k) {
    if (VEC != 0u) return k < push.depth ? k : push.depth - 4u + (k & 3u);
    return min(k, push.depth - 1u);
}

// Four elements of A along k.
vec4 load_a(uint row, uint k) {
    uint at = push.off[0] + min(row, push.count - 1u) * push.stride + push.k0;
    if (VEC != 0u) return a4[(at + clamp_k(k)) / 4u];
    return vec4(a1[at + clamp_k(k)], a1[at + clamp_k(k + 1u)], a1[at + clamp_k(k + 2u)], a1[at + clamp_k(k + 3u)]);
}

// Four elements of B along a row.
vec4 load_b(uint k, uint col) {
    uint at = push.off[1] + clamp_k(k) * push.cols;
    if (VEC != 0u) return b4[(at + min(col, push.cols - 4u)) / 4u];
    uint last = push.cols - 1u;
    return vec4(b1[at + min(col, last)], b1[at + min(col + 1u, last)], b1[at + min(col + 2u, last)], b1[at + min(col + 3u, last)]);
}

void put_a(uint base, uint row, uint quad, vec4 v) {
    uint r = row ^ (quad * 8u);
    uint at = base + quad * TILE + r / 4u; // quad*4 rows of TILE/4 vec4
    sa[at][r & 3u] = v.x;
    sa[at + TILE / 4u][r & 3u] = v.y;
    sa[at + TILE / 2u][r & 3u] = v.z;
    sa[at + 3u * TILE / 4u][r & 3u] = v.w;
}

void put_c(uint row, uint col, vec4 v) {
    if (row >= push.count) return;
    uint at = push.off[2] + row * push.cols + col;
    if (VEC != 0u) {
        if (col >= push.cols) return;
        if (push.keep != 0u) v = max(v, c4[at / 4u]);
        c4[at / 4u] = v;
        return;
    }
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        if (col + i < push.cols) c1[at + i] = push.keep != 0u ? max(v[i], c1[at + i]) : v[i];
    }
}

void product(uint row0, uint col0) {
    uint tid = gl_LocalInvocationIndex;
    uint tx = tid & 15u, ty = tid >> 4;
    uint ar = tid >> 2, aq = tid & 3u;  // A: rows ar and ar+64, k from 4*aq
    uint bk = tid >> 5, bc = tid & 31u; // B: rows bk and bk+8, columns from 4*bc

    const float none = uintBitsToFloat(0xFF800000u); // -infinity, the semiring's zero
    vec4 acc[16]; // row r: columns 4*tx.. in acc[2r], 64+4*tx.. in acc[2r+1]
    [[unroll]] for (uint i = 0u; i < 16u; i++) acc[i] = vec4(none);

    vec4 la0 = load_a(row0 + ar, 4u * aq), la1 = load_a(row0 + ar + 64u, 4u * aq);
    vec4 lb0 = load_b(bk, col0 + 4u * bc), lb1 = load_b(bk + 8u, col0 + 4u * bc);
    uint buf = 0u;
    for (uint k = 0u; k < push.depth; k += STEP) {
        uint base = buf * (STEP * TILE / 4u);
        put_a(base, ar, aq, la0);
        put_a(base, ar + 64u, aq, la1);
        sb[base + bk * 32u + bc] = lb0;
        sb[base + (bk + 8u) * 32u + bc] = lb1;
        barrier();
        if (k + STEP < push.depth) {
            uint kn = k + STEP;
            la0 = load_a(row0 + ar, kn + 4u * aq);
            la1 = load_a(row0 + ar + 64u, kn + 4u * aq);
            lb0 = load_b(kn + bk, col0 + 4u * bc);
            lb1 = load_b(kn + bk + 8u, col0 + 4u * bc);
        }
        [[unroll]] for (uint s = 0u; s < STEP; s++) {
            uint ra = base + s * 32u + (ty ^ ((s >> 2) * 2u));
            vec4 p = sa[ra], q = sa[ra + 16u];
            uint rb = base + s * 32u + tx;
            vec4 u = sb[rb], v = sb[rb + 16u];
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                acc[2u * i] = max(acc[2u * i], p[i] + u);
                acc[2u * i + 1u] = max(acc[2u * i + 1u], p[i] + v);
                acc[2u * i + 8u] = max(acc[2u * i + 8u], q[i] + u);
                acc[2u * i + 9u] = max(acc[2u * i + 9u], q[i] + v);
            }
        }
        buf ^= 1u;
    }
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        put_c(row0 + 4u * ty + i, col0 + 4u * tx, acc[2u * i]);
        put_c(row0 + 4u * ty + i, col0 + 4u * tx + 64u, acc[2u * i + 1u]);
        put_c(row0 + 4u * ty + i + 64u, col0 + 4u * tx, acc[2u * i + 8u]);
        put_c(row0 + 4u * ty + i + 64u, col0 + 4u * tx + 64u, acc[2u * i + 9u]);
    }
}

void main() {
    uint across = (push.cols + TILE - 1u) / TILE, down = (push.count + TILE - 1u) / TILE;
    uint group = group_index();
    uint band = group / (BAND * across);
    uint in_band = group - band * BAND * across;
    uint rows = band * BAND < down ? min(BAND, down - band * BAND) : 0u;
    // Surplus groups (the grid is folded to two dimensions) leave as a whole.
    if (group < across * down) product((band * BAND + in_band % rows) * TILE, in_band / rows * TILE);
}
