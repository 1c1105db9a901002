#version 460
// Fills a range of words from a source: a constant, Philox or the element index.
// The result is that of suites.Stream and program.Source, bit for bit.
//
// Bindings: 0 dst (uint words, written).
// Push:     count      elements to write
//           off        element offset inside the binding
//           idx_lo/hi  global index of the first element
//           kind       0 constant, 1 Philox raw, 2 Philox f32, 3 Philox mod, 4 iota, 5 Philox bits
//           a, b       f32: bounds [a,b) as bits; constant: a = word; mod: a = modulus;
//                      bits: word & a | b where the index is even
//           array, workload, seed_lo, seed_hi  the Philox counter and key
//           elem       0 f32, 1 u32 (matters to iota only)
//           c, d       bits: word & c | d where the index is odd
// Grid:     one element per invocation.
// Cost:     about 80 integer operations and 4 bytes per element.
#include "common/index.glsl"
#include "common/philox.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Dst { uint dst[]; };
layout(push_constant) uniform Push {
    uint count, off, idx_lo, idx_hi;
    uint kind, a, b;
    uint array, workload, seed_lo, seed_hi;
    uint elem;
    uint c, d;
} push;

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec2 index = index_add(push.idx_lo, push.idx_hi, i);
    uint word = push.a;
    if (push.kind == 4u) {
        word = push.elem == 0u ? floatBitsToUint(float(index.x)) : index.x;
    } else if (push.kind != 0u) {
        word = stream_word(index, push.array, push.workload, uvec2(push.seed_lo, push.seed_hi));
        if (push.kind == 2u) {
            word = floatBitsToUint(stream_f32(word, uintBitsToFloat(push.a), uintBitsToFloat(push.b)));
        } else if (push.kind == 3u) {
            word %= push.a;
        } else if (push.kind == 5u) {
            bool odd = (index.x & 1u) != 0u;
            word = word & (odd ? push.c : push.a) | (odd ? push.d : push.b);
        }
    }
    dst[push.off + i] = word;
}
