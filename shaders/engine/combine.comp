#version 460
// Combines n operands element by element in rank order along the tree
// ((x0+x1)+(x2+x3))..., leftovers merged from the right: n = 7 gives (0123)+((45)+6).
//
// Bindings: 0 src (uint words, read): n slots; 1 dst (uint words, written).
// Push:     count    elements to combine
//           off_src  element offset of slot 0; slot: elements between slots
//           off_dst  element offset of the result
//           n        operands, 1 to 64
//           op       0 sum, 1 minimum, 2 maximum; elem: 0 f32, 1 u32
//           average  1: divide the sum by n (f32 rounded to nearest; u32 rounded down)
// Grid:     one element per invocation.
// Cost:     n-1 operations, 4(n+1) bytes per element.
#include "common/index.glsl"
#include "common/reduce.glsl"
#include "common/divide.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Src { uint src[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Dst { uint dst[]; };
layout(push_constant) uniform Push {
    uint count, off_src, slot, off_dst;
    uint n, op, elem, average;
} push;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    // A binary counter: level k holds a complete subtree of 2^k operands while bit k of
    // the number of operands taken is set.
    uint level[7];
    for (uint j = 0u; j < push.n; j++) {
        uint v = src[push.off_src + j * push.slot + i];
        uint k = 0u;
        for (; ((j >> k) & 1u) == 1u; k++) v = reduce_words(level[k], v, push.op, push.elem);
        level[k] = v;
    }
    uint total = 0u;
    bool any = false;
    for (uint k = 0u; k < 7u; k++) {
        if (((push.n >> k) & 1u) == 0u) continue;
        total = any ? reduce_words(level[k], total, push.op, push.elem) : level[k];
        any = true;
    }
    if (push.average == 1u && push.op == 0u) {
        total = push.elem == 1u ? total / push.n
                                : floatBitsToUint(divide_small(uintBitsToFloat(total), push.n));
    }
    dst[push.off_dst + i] = total;
}
