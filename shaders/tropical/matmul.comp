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

// The invocation's share of a step: eight elements of A and of B in two halves. With
// VEC a half is four elements along a row of memory, else four of one column, so
// that neighbouring invocations read neighbouring words either way.
vec4 load_a(uint row0, uint k, uint part) {
    uint tid = gl_LocalInvocationIndex;
    if (VEC != 0u) {
        uint row = min(row0 + (tid >> 2) + 64u * part, push.count - 1u);
        return a4[(push.off[0] + row * push.stride + push.k0 + clamp_k(k + 4u * (tid & 3u))) / 4u];
    }
    uint at = push.off[0] + push.k0 + clamp_k(k + (tid & 15u));
    vec4 v;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        v[i] = a1[at + min(row0 + (tid >> 4) + 64u * part + 16u * i, push.count - 1u) * push.stride];
    }
    return v;
}

vec4 load_b(uint k, uint col0, uint part) {
    uint tid = gl_LocalInvocationIndex;
    if (VEC != 0u) {
        uint at = push.off[1] + clamp_k(k + (tid >> 5) + 8u * part) * push.cols;
        return b4[(at + min(col0 + 4u * (tid & 31u), push.cols - 4u)) / 4u];
    }
    uint at = push.off[1] + min(col0 + (tid & 127u), push.cols - 1u);
    vec4 v;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        v[i] = b1[at + clamp_k(k + (tid >> 7) + 8u * part + 2u * i) * push.cols];
    }
    return v;
}

void put_a(uint base, uint part, vec4 v) {
    uint tid = gl_LocalInvocationIndex;
    if (VEC != 0u) {
        uint quad = tid & 3u, row = ((tid >> 2) + 64u * part) ^ (quad * 8u);
        uint at = base + quad * TILE + row / 4u; // quad*4 rows of TILE/4 vec4
        sa[at][row & 3u] = v.x;
        sa[at + TILE / 4u][row & 3u] = v.y;
        sa[at + TILE / 2u][row & 3u] = v.z;
        sa[at + 3u * TILE / 4u][row & 3u] = v.w;
        return;
    }
    uint k = tid & 15u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint row = ((tid >> 4) + 64u * part + 16u * i) ^ ((k >> 2) * 8u);
        sa[base + k * (TILE / 4u) + row / 4u][row & 3u] = v[i];
    }
}

void put_b(uint base, uint part, vec4 v) {
    uint tid = gl_LocalInvocationIndex;
    if (VEC != 0u) {
        sb[base + ((tid >> 5) + 8u * part) * (TILE / 4u) + (tid & 31u)] = v;
        return;
    }
    uint col = tid & 127u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        sb[base + ((tid >> 7) + 8u * part + 2u * i) * (TILE / 4u) + col / 4u][col & 3u] = v[i];
    }
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

    const float none = uintBitsToFloat(0xFF800000u); // -infinity, the semiring's zero
    vec4 acc[16]; // row r: columns 4*tx.. in acc[2r], 64+4*tx.. in acc[2r+1]
    [[unroll]] for (uint i = 0u; i < 16u; i++) acc[i] = vec4(none);

    vec4 la0 = load_a(row0, 0u, 0u), la1 = load_a(row0, 0u, 1u);
    vec4 lb0 = load_b(0u, col0, 0u), lb1 = load_b(0u, col0, 1u);
    uint buf = 0u;
    for (uint k = 0u; k < push.depth; k += STEP) {
        uint base = buf * (STEP * TILE / 4u);
        put_a(base, 0u, la0);
        put_a(base, 1u, la1);
        put_b(base, 0u, lb0);
        put_b(base, 1u, lb1);
        barrier();
        if (k + STEP < push.depth) {
            la0 = load_a(row0, k + STEP, 0u);
            la1 = load_a(row0, k + STEP, 1u);
            lb0 = load_b(k + STEP, col0, 0u);
            lb1 = load_b(k + STEP, col0, 1u);
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
