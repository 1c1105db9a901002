#version 460
// Tropical attention: scores s_qk = max_d (Q_qd + K_kd), the winner k* = argmax_k s_qk with
// the lowest k on ties, out_q = V_k*. A work-group of 256 makes 128 queries: tile.glsl over
// 128 keys at a time, running winners in registers, then the 16 invocations of a row agree
// and the group copies rows of V. Exact, and the order does not matter.
// Bindings: 0 out (float, written), a row per query, stride `dim`
//           1 winner (uint, written), one per query
//           2 Q (float/vec4, read), rows of the launch, stride `dim`
//           3 K (float/vec4, read), `keys` rows, stride `dim`
//           4 V (float, read), `keys` rows, stride `dim`
// Push:     header, dim, keys.
// Constant: 1 VEC: dim is a multiple of 4: 16-byte accesses.
// Work: 2 flop per query, key and component; K is read once per 128 queries, from cache.

#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint VEC = 0u;

layout(set = 0, binding = 0, std430) writeonly buffer Out { float y[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Winner { uint winner[]; };
layout(set = 0, binding = 2, std430) readonly buffer Q1 { float q1[]; };
layout(set = 0, binding = 2, std430) readonly buffer Q4 { vec4 q4[]; };
layout(set = 0, binding = 3, std430) readonly buffer K1 { float k1[]; };
layout(set = 0, binding = 3, std430) readonly buffer K4 { vec4 k4[]; };
layout(set = 0, binding = 4, std430) readonly buffer V1 { float v1[]; };

PUSH(5, uint dim; uint keys;)

#define MIN 0u
#define DEPTH push.dim
#define A_F1 q1
#define A_F4 q4
#define A_NEAR true
#define A_BASE push.off[2]
#define A_STRIDE push.dim
#define A_COUNT push.count
#define B_F1 k1
#define B_F4 k4
#define B_NEAR true
#define B_BASE push.off[3]
#define B_STRIDE push.dim
#define B_COUNT push.keys
#include "tropical/tile.glsl"

// Keys come in rising order, and past the end the last one repeats: only more wins.
void weigh_key(inout float best, inout uint arg, float score, uint key) {
    bool wins = score > best;
    best = wins ? score : best;
    arg = wins ? key : arg;
}

void weigh_keys(inout float best, inout uint arg, vec4 near, vec4 far, uint key) {
    [[unroll]] for (uint i = 0u; i < 4u; i++) weigh_key(best, arg, near[i], key + i);
    [[unroll]] for (uint i = 0u; i < 4u; i++) weigh_key(best, arg, far[i], key + 64u + i);
}

void main() {
    uint query0 = group_index() * TILE;
    if (query0 >= push.count) return; // the whole work-group
    uint tid = gl_LocalInvocationIndex, tx = tid & 15u, ty = tid >> 4;
    float best[8];
    uint arg[8];
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        best[r] = none();
        arg[r] = 0u;
    }
    for (uint key0 = 0u; key0 < push.keys; key0 += TILE) {
        barrier(); // the last step of the tile before was read
        vec4 acc[16];
        [[unroll]] for (uint i = 0u; i < 16u; i++) acc[i] = vec4(none());
        tile(query0, key0, acc);
        [[unroll]] for (uint r = 0u; r < 8u; r++) weigh_keys(best[r], arg[r], acc[2u * r], acc[2u * r + 1u], key0 + 4u * tx);
    }
    // Row r of the invocation: 4 ty + r, or 64 + 4 ty + r - 4. Scores and keys of a row lie
    // next to each other, 16 of each.
    barrier();
    [[unroll]] for (uint r = 0u; r < 8u; r++) {
        uint at = (4u * ty + (r & 3u) + 64u * (r >> 2)) * 16u + tx;
        sa[at / 4u][at & 3u] = best[r];
        sb[at / 4u][at & 3u] = float(arg[r]); // exact: at most 2^24 keys
    }
    barrier();
    uint key = 0u;
    if (tid < TILE) {
        float top = none();
        key = 0xFFFFFFFFu;
        for (uint i = 0u; i < 16u; i++) {
            uint at = tid * 16u + i;
            float score = sa[at / 4u][at & 3u];
            uint candidate = uint(sb[at / 4u][at & 3u]);
            if (score > top || (score == top && candidate < key)) {
                top = score;
                key = candidate;
            }
        }
    }
    barrier();
    if (tid < TILE) {
        sa[tid].x = float(key);
        if (query0 + tid < push.count) winner[push.off[1] + query0 + tid] = key;
    }
    barrier();
    uint rows = min(TILE, push.count - query0), all = rows * push.dim;
    for (uint i = tid; i < all; i += 256u) {
        uint row = i / push.dim, d = i - row * push.dim;
        y[push.off[0] + query0 * push.dim + i] = v1[push.off[4] + uint(sa[row].x) * push.dim + d];
    }
}
