// A 128x128 tile of a tropical product by a work-group of 256, 8x8 an invocation as 2x2
// blocks of 4x4: rows 4 ty.. and 64 + 4 ty.., columns 4 tx.. and 64 + 4 tx.. for
// invocation 16 ty + tx. Steps of 16 k go through shared memory, two buffers (32 KiB); the
// next step is loaded to registers before the current one is computed, one barrier a step.
// Exact: a sum is rounded once, and minimum and maximum do not depend on the order.
//
// The shader defines before it includes this file:
//   VEC, MIN            constants: 16-byte accesses; min-plus instead of max-plus
//   DEPTH               number of k
//   A_F1, A_F4, A_NEAR, A_BASE, A_STRIDE, A_COUNT, and the same for B (operand.glsl)
//   ARGMAX, optionally  tile() also finds the k that wins, the lowest on ties
//   UNROLL, optionally  constant: how many steps of k are unrolled, which divides 16 (else all)

const uint TILE = 128u, STEP = 16u;

shared vec4 sa[2u * STEP * TILE / 4u];
shared vec4 sb[2u * STEP * TILE / 4u];

// With MIN operands are negated on the way, the minimum is the negated maximum: exact, and
// one inner loop for both. Results are to be negated then.
float none() { return uintBitsToFloat(0xFF800000u); }
vec4 signed(vec4 v) { return MIN != 0u ? -v : v; }

// The k to read for step position k: past the end a valid one, the same for both operands
// and no later than the last. An operand read along k with 16 bytes has whole quads of k.
uint clamp_k(uint k) {
    if (VEC != 0u && (A_NEAR || B_NEAR)) return k < DEPTH ? k : DEPTH - 4u + (k & 3u);
    return min(k, DEPTH - 1u);
}

#define OP_F1 A_F1
#define OP_F4 A_F4
#define OP_SHARED sa
#define OP_LOAD load_a
#define OP_PUT put_a
#define OP_NEAR (A_NEAR)
#define OP_BASE (A_BASE)
#define OP_STRIDE (A_STRIDE)
#define OP_COUNT (A_COUNT)
#include "tropical/operand.glsl"

#define OP_F1 B_F1
#define OP_F4 B_F4
#define OP_SHARED sb
#define OP_LOAD load_b
#define OP_PUT put_b
#define OP_NEAR (B_NEAR)
#define OP_BASE (B_BASE)
#define OP_STRIDE (B_STRIDE)
#define OP_COUNT (B_COUNT)
#include "tropical/operand.glsl"

#ifdef ARGMAX
// Only a greater sum wins: an earlier k stays on a tie.
void weigh(inout vec4 acc, inout uvec4 arg, float p, vec4 u, uint k) {
    vec4 sum = p + u;
    bvec4 wins = greaterThan(sum, acc);
    acc = mix(acc, sum, wins);
    arg = mix(arg, uvec4(k), wins);
}
#define WEIGH(i, p, u) weigh(acc[i], arg[i], p, u, k + s)
#define STEPS(s) [[dont_unroll]] for (uint s = 0u; s < STEP; s++) // a step is long enough, and sixteen take drivers minutes
#define TILE_RESULT inout vec4 acc[16], inout uvec4 arg[16]
#else
#define WEIGH(i, p, u) acc[i] = max(acc[i], (p) + (u))
#ifdef UNROLL
#define STEPS(s) for (uint turn = 0u; turn < STEP; turn += UNROLL) [[unroll]] for (uint s = turn; s < turn + UNROLL; s++)
#else
#define STEPS(s) [[unroll]] for (uint s = 0u; s < STEP; s++)
#endif
#define TILE_RESULT inout vec4 acc[16]
#endif

// Adds the pairs of all k to acc: row r of the invocation has columns 4 tx.. in acc[2r] and
// 64 + 4 tx.. in acc[2r+1].
void tile(uint row0, uint col0, TILE_RESULT) {
    uint tid = gl_LocalInvocationIndex, tx = tid & 15u, ty = tid >> 4;
    vec4 la0 = signed(load_a(row0, 0u, 0u)), la1 = signed(load_a(row0, 0u, 1u));
    vec4 lb0 = signed(load_b(col0, 0u, 0u)), lb1 = signed(load_b(col0, 0u, 1u));
    uint buf = 0u;
    for (uint k = 0u; k < DEPTH; k += STEP) {
        uint base = buf * (STEP * TILE / 4u);
        put_a(base, 0u, la0);
        put_a(base, 1u, la1);
        put_b(base, 0u, lb0);
        put_b(base, 1u, lb1);
        barrier();
        if (k + STEP < DEPTH) {
            la0 = signed(load_a(row0, k + STEP, 0u));
            la1 = signed(load_a(row0, k + STEP, 1u));
            lb0 = signed(load_b(col0, k + STEP, 0u));
            lb1 = signed(load_b(col0, k + STEP, 1u));
        }
        STEPS(s) {
            uint ra = base + s * 32u + (A_NEAR ? ty ^ ((s >> 2) * 2u) : ty);
            uint rb = base + s * 32u + (B_NEAR ? tx ^ ((s >> 2) * 2u) : tx);
            vec4 p = sa[ra], q = sa[ra + 16u];
            vec4 u = sb[rb], v = sb[rb + 16u];
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                WEIGH(2u * i, p[i], u);
                WEIGH(2u * i + 1u, p[i], v);
                WEIGH(2u * i + 8u, q[i], u);
                WEIGH(2u * i + 9u, q[i], v);
            }
        }
        buf ^= 1u;
    }
}
