// Combines n operands element by element in rank order along the tree
// ((x0+x1)+(x2+x3))..., leftovers merged from the right: n = 7 gives (0123)+((45)+6).
// One operand lies in a buffer of its own, the others in slots at one distance.
// WORD is uint or uvec4; EACH(f) applies f to the components x and y of two.
//
// Bindings: 0 own (WORD, read), 1 slots (WORD, read), 2 dst (WORD, written; may be
//           either of the others, at the same elements).
// Spec:     1 n, operands, 2 to 64; 2 op: 0 sum, 1 minimum, 2 maximum; 3 elem: 0 f32, 1 u32
// Push:     count      WORDs to combine
//           off_own, off_slots, off_dst  where they begin, in WORDs
//           stride     WORDs between slots
//           own        which operand binding 0 is
//           skip       WORDs more between the slots before and after its place in order
//           divisor    above 0: divide a sum by it (f32 rounded to nearest; u32 rounded down)
// Grid:     one WORD per invocation.
// Cost:     n-1 operations, 4(n+1) bytes per element.
#include "common/index.glsl"
#include "common/reduce.glsl"
#include "common/divide.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint n = 2u;
layout(constant_id = 2) const uint op = 0u;
layout(constant_id = 3) const uint elem = 0u;
layout(set = 0, binding = 0, std430) readonly buffer Own { WORD own[]; };
layout(set = 0, binding = 1, std430) readonly buffer Slots { WORD slots[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Dst { WORD dst[]; };
layout(push_constant) uniform Push { uint count, off_own, off_slots, off_dst, stride, own, skip, divisor; } push;

uint reduce1(uint x, uint y) { return reduce_words(x, y, op, elem); }
uint divide1(uint x, uint y) {
    return elem == 1u ? x / y : floatBitsToUint(divide_small(uintBitsToFloat(x), y));
}

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    WORD mine = own[push.off_own + i];
    // A binary counter: level k holds a complete subtree of 2^k operands while bit k of
    // the number of operands taken is set.
    WORD level[7];
    uint at = push.off_slots + i;
    for (uint j = 0u; j < n; j++) {
        WORD v = mine;
        if (j == push.own) {
            if (j > 0u) at += push.skip;
        } else {
            v = slots[at];
            at += push.stride;
        }
        uint k = 0u;
        for (; ((j >> k) & 1u) == 1u; k++) v = EACH(reduce1, level[k], v);
        level[k] = v;
    }
    WORD total = WORD(0u);
    bool any = false;
    for (uint k = 0u; k < 7u; k++) {
        if (((n >> k) & 1u) == 0u) continue;
        total = any ? EACH(reduce1, level[k], total) : level[k];
        any = true;
    }
    if (push.divisor > 0u && op == 0u) total = EACH(divide1, total, WORD(push.divisor));
    dst[push.off_dst + i] = total;
}
