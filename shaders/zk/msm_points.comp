#version 460
// zk/msm_points: multiples of the curve's generator as affine points, from three tables of
// 512 and an inversion by Fermat.
//
// Bindings: 0 readonly uvec4 table (entry 512 k + d is d 512^k G, 4 a point),
//           1 readonly uint multiples (bit 31: sign), 2 writeonly uvec4 points (4 each)
// Push:     header; lo (first unit of the share), each (points a unit), points (of the device)
// Work: 3 mixed additions and 381 products (q - 2 has 254 bits, half of them set) a point.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/bn254.glsl"
#include "zk/bn254_madd.glsl"

layout(local_size_x = 64, local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) readonly buffer Table { uvec4 table[]; };
layout(set = 0, binding = 1, std430) readonly buffer Multiples { uint multiples[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Points { uvec4 points[]; };
PUSH(3, uint lo; uint each; uint points;)

// Bit k of q - 2.
bool exponent_bit(uint k) {
    uvec4 part = k < 128u ? Q_LO - uvec4(2u, 0u, 0u, 0u) : Q_HI;
    return (part[(k >> 5) & 3u] >> (k & 31u) & 1u) != 0u;
}

void main() {
    uint t = invocation_index(), i = (push.first_lo - push.lo) * push.each + t;
    if (t >= push.count * push.each || i >= push.points) return;
    uint multiple = multiples[push.off[1] + i];
    Point p = INFINITY;
    [[dont_unroll]] for (uint k = 0u; k < 3u; k++) {
        uint at = push.off[0] / 4u + 4u * (512u * k + ((multiple >> (9u * k)) & 511u));
        p = point_madd(p, LOAD_AFFINE(table, at));
    }
    // 1/z by squares and products in turn, then x/z^2 and y/z^3; 0 for z = 0.
    Fe inverse = p.z;
    [[dont_unroll]] for (uint turn = 2u; turn < 512u; turn++) {
        Fe a = inverse, b = inverse;
        if (turn < 508u) {
            if ((turn & 1u) != 0u) {
                b = p.z;
                if (!exponent_bit(253u - turn / 2u)) continue;
            }
        } else if (turn == 509u) {
            a = p.x;
        } else if (turn == 510u) {
            b = p.z;
        } else if (turn == 511u) {
            a = p.y;
        }
        if (turn == 508u) p.z = inverse;
        Fe m = fe_mul(a, b);
        if (turn == 509u) p.x = m;
        else if (turn == 511u) p.y = m;
        else inverse = m;
    }
    if (multiple >> 31 != 0u) p.y = fe_sub(FE_ZERO, p.y); // q - 0 would be no reduced value
    uint at = push.off[2] / 4u + 4u * i;
    points[at] = p.x.lo;
    points[at + 1u] = p.x.hi;
    points[at + 2u] = p.y.lo;
    points[at + 3u] = p.y.hi;
}
