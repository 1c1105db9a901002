#version 460
// One stage of the product of tropical-dual-Clifford elements, of a pipeline or by itself:
// takes over the element in progress and adds its own part, 1 tropical, 2 dual, 3 Clifford.
//
// Bindings: 0 out (vec4, written), 1 in (vec4, read; not by stage 1), 2 x (vec4, read),
//             3 y (vec4, read): windows over one micro-batch of elements of 32 floats:
//             t[8], r[8], d[8], c[8]. in and out may be one array.
// Push:     header; start: the global index of the micro-batch's first launch, low word.
// Constants: 1 PART; 2 WINDOWS: 1 where the windows are of a micro-batch however the launch
//           is cut, 0 where they are of the launch.
// Grid:     one element per invocation.
// Cost:     120, 368 or 120 flop; 64, 128 or 64 bytes of operands and the 128 of the element
//           read and written.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/order.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint PART = 1u;
layout(constant_id = 2) const uint WINDOWS = 1u;
layout(set = 0, binding = 0, std430) buffer Out { vec4 result[]; };
layout(set = 0, binding = 1, std430) readonly buffer In { vec4 given[]; };
layout(set = 0, binding = 2, std430) readonly buffer X { vec4 x[]; };
layout(set = 0, binding = 3, std430) readonly buffer Y { vec4 y[]; };
PUSH(4, uint start;)

#include "fusion/parts.glsl"

void unpacked(vec4 lo, vec4 hi, out float m[8]) { m = float[8](lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w); }

#define LOAD(array, part, m) unpacked(array[at_##array + 2u * part], array[at_##array + 2u * part + 1u], m)
#define STORE(part, m) { \
    result[at_result + 2u * part] = vec4(m[0], m[1], m[2], m[3]); \
    result[at_result + 2u * part + 1u] = vec4(m[4], m[5], m[6], m[7]); }
#define PASS(part) { \
    result[at_result + 2u * part] = given[at_given + 2u * part]; \
    result[at_result + 2u * part + 1u] = given[at_given + 2u * part + 1u]; }

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    if (WINDOWS == 1u) i += push.first_lo - push.start; // a launch may have been cut
    uint at_result = push.off[0] / 4u + 8u * i, at_given = push.off[1] / 4u + 8u * i;
    uint at_x = push.off[2] / 4u + 8u * i, at_y = push.off[3] / 4u + 8u * i;
    float a[8], b[8], c[8];
    if (PART == 1u) {
        LOAD(x, 0u, a);
        LOAD(y, 0u, b);
        tropical_product(a, b, c);
        STORE(0u, c)
        // What later stages fill in.
        float none[8] = float[8](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        STORE(1u, none)
        STORE(2u, none)
        STORE(3u, none)
    } else if (PART == 2u) {
        float d[8], e[8];
        LOAD(x, 1u, a);
        LOAD(y, 1u, b);
        LOAD(x, 2u, d);
        LOAD(y, 2u, e);
        PASS(0u)
        clifford_product(a, b, c);
        STORE(1u, c)
        dual_product(a, d, b, e, c);
        STORE(2u, c)
        PASS(3u)
    } else {
        LOAD(x, 3u, a);
        LOAD(y, 3u, b);
        PASS(0u)
        PASS(1u)
        PASS(2u)
        clifford_product(a, b, c);
        STORE(3u, c)
    }
}
