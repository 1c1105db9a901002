#version 460
// Intersection numbers on Gr(k,n) by torus localisation with weights u_i = i: for each
// chunk of k-subsets I of 1..n the sum modulo p of
//   (sum of u_I)^power s_1(u_I) s_2(u_I) s_3(u_I) / product over i in I, j not in I of (u_i - u_j)
// with Schur polynomials s as Jacobi-Trudi determinants, the same polynomials as quotients
// of alternants but without divisions.
//
// Bindings: 0 partials (uint, written), two per chunk: the sum's low 16 bits and the rest,
//             so that sums over chunks do not overflow;
//           1 tables (uint, read): row c, c < n, holds the binomials C(c,0) .. C(c,k); then
//             n words w_i 2^32 mod p.
// Push:     header; n, k, subsets (C(n,k), below 2^31), stride (subsets of a chunk), last
//           (the last chunk that is not empty), tail (subsets in it), power, unit: the power
//           of 2^32 mod p that undoes the factors Montgomery products have left, with the sign.
// Constant: 1, 2, 3: the partitions of three classes, parts of 4 bits from the lowest on, 0
//           for none.
// Grid:     one work-group of 256 per chunk. Subset number i is i modulo `subsets` in the
//           combinatorial number system; its members are kept in shared memory as bytes (5 KiB).
// Cost:     per subset a search of up to n steps for its members, k(k-1)/2 differences
//           multiplied by up to four in 32 bits, and about k + k^2/8 + k/4 + 2 log2(power) + 4
//           modular multiplications, per class 11 k + 12 more.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "enumerative/field.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint CLASS_A = 0u;
layout(constant_id = 2) const uint CLASS_B = 0u;
layout(constant_id = 3) const uint CLASS_C = 0u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Partials { uint partials[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Tables { uint tables[]; };
PUSH(2, uint n; uint k; uint subsets; uint stride; uint last; uint tail; uint power; uint unit;)

const uint WIDTH = 256u;
const uint MOST = 40u;    // n
const uint DEGREES = 12u; // complete polynomials h_0 .. h_11: a first part of 9 and two columns

shared uint table[MOST * 22u];
shared uint lists[MOST / 8u * WIDTH]; // members, falling, packed by four

// start * chunk mod subsets by doubling.
uint first_subset(uint chunk) {
    uint step = push.stride % push.subsets, at = 0u;
    for (; chunk > 0u; chunk >>= 1) {
        if ((chunk & 1u) == 1u) at = (at + step) % push.subsets;
        step = (step + step) % push.subsets;
    }
    return at;
}

// base^e, e >= 1, every product divided by 2^32.
uint raise(uint base, uint e) {
    uint y = base;
    for (int bit = findMSB(e) - 1; bit >= 0; bit--) {
        y = field_mul(y, y);
        if ((e >> bit & 1u) == 1u) y = field_mul(y, base);
    }
    return y;
}

uint product(uint a, uint b, uint c) { return field_mul(field_mul(a, b), c); }

#define PART(shape, i) int((shape) >> (4u * (i)) & 15u)
#define ENTRY(i, j) (PART(shape, i) + j - i < 0 ? 0u : h[PART(shape, i) + j - i])

uint schur(uint shape, uint h[DEGREES]) {
    uint plus = field_add(field_add(product(ENTRY(0, 0), ENTRY(1, 1), ENTRY(2, 2)),
                                    product(ENTRY(0, 1), ENTRY(1, 2), ENTRY(2, 0))),
                          product(ENTRY(0, 2), ENTRY(1, 0), ENTRY(2, 1)));
    uint minus = field_add(field_add(product(ENTRY(0, 2), ENTRY(1, 1), ENTRY(2, 0)),
                                     product(ENTRY(0, 1), ENTRY(1, 0), ENTRY(2, 2))),
                           product(ENTRY(0, 0), ENTRY(1, 2), ENTRY(2, 1)));
    return field_sub(plus, minus);
}

uint member(uint word, uint e) { return bitfieldExtract(word, int(8u * e), 8); }

uint contribution(uint index) {
    uint t = gl_LocalInvocationID.x, k = push.k;
    uint left = k, packed = 0u, sum = 0u;
    for (uint c = push.n; left > 0u;) {
        c--;
        uint below = table[c * (k + 1u) + left];
        if (index >= below) {
            index -= below;
            uint at = k - left--;
            sum += c + 1u;
            packed |= c << (8u * (at & 3u));
            if ((at & 3u) == 3u || left == 0u) {
                lists[(at >> 2) * WIDTH + t] = packed;
                packed = 0u;
            }
        }
    }

    // Differences to members before are positive and below 40: four of them fit in 32 bits.
    uint inside = 1u, outside = 1u, weights = push.n * (k + 1u);
    for (uint a = 0u; a < k; a++) {
        uint i = member(lists[(a >> 2) * WIDTH + t], a & 3u);
        outside = field_mul(outside, table[weights + i]);
        for (uint b = 0u; b < (a >> 2); b++) {
            uint four = lists[b * WIDTH + t];
            inside = field_mul(inside, (member(four, 0u) - i) * (member(four, 1u) - i) *
                                       ((member(four, 2u) - i) * (member(four, 3u) - i)));
        }
        uint rest = a & 3u;
        if (rest > 0u) {
            uint four = lists[(a >> 2) * WIDTH + t];
            uint some = member(four, 0u) - i;
            if (rest > 1u) some *= member(four, 1u) - i;
            if (rest > 2u) some *= member(four, 2u) - i;
            inside = field_mul(inside, some);
        }
    }
    uint below = field_mul(field_mul(inside, inside), outside);

    uint above = push.power > 0u ? raise(sum, push.power) : 1u;
    if (CLASS_A != 0u) {
        uint h[DEGREES];
        h[0] = 1u;
        [[unroll]] for (uint d = 1u; d < DEGREES; d++) h[d] = 0u;
        for (uint a = 0u; a < k; a++) {
            uint u = member(lists[(a >> 2) * WIDTH + t], a & 3u) + 1u;
            [[unroll]] for (uint d = 1u; d < DEGREES; d++) h[d] = field_add(h[d], field_mul(u, h[d - 1u]));
        }
        uint shapes[3] = uint[](CLASS_A, CLASS_B, CLASS_C);
        [[unroll]] for (uint c = 0u; c < 3u; c++) {
            if (shapes[c] != 0u) above = field_mul(above, schur(shapes[c], h));
        }
    }
    return field_mul(above, below);
}

void main() {
    uint chunk = group_index();
    if (chunk >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    for (uint i = t; i < push.n * (push.k + 2u); i += WIDTH) table[i] = tables[push.off[1] + i];
    barrier();

    uint global = push.first_lo + chunk;
    uint valid = global < push.last ? push.stride : global == push.last ? push.tail : 0u;
    uint at = (first_subset(global) + t) % push.subsets, step = WIDTH % push.subsets;
    uint sum = 0u;
    for (uint i = t; i < valid; i += WIDTH) {
        sum = field_add(sum, contribution(at));
        at += step;
        at = min(at, at - push.subsets); // which is large where it wraps
    }

    lists[t] = sum;
    for (uint half_width = WIDTH / 2u; half_width > 0u; half_width /= 2u) {
        barrier();
        if (t < half_width) lists[t] = field_add(lists[t], lists[t + half_width]);
    }
    if (t == 0u) {
        uint total = field_mul(lists[0], push.unit);
        partials[push.off[0] + 2u * chunk] = total & 0xFFFFu;
        partials[push.off[0] + 2u * chunk + 1u] = total >> 16;
    }
}
