#version 460
// Compares what arrived over a link with what was sent. Words [lo,hi) must be
// those of the sender's pattern, moved by shift; words from begin to lo and from
// hi to end must still be the sentinel.
//
// Bindings: 0 data (uint words, read)
//           1 result (4 words, updated): wrong words; the first of them; how many
//             of them are still the sentinel; unused. Before: 0, ~0, 0, 0.
// Push:     begin, end, lo, hi, shift, seed, sentinel
// Grid:     one word of [begin,end) per invocation.
// Cost:     about 25 integer operations and 4 bytes per word.
#include "common/index.glsl"
#include "common/pattern.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Data { uint data[]; };
layout(set = 0, binding = 1, std430) restrict buffer Result { uint wrong, first, untouched, unused; };
layout(push_constant) uniform Push { uint begin, end, lo, hi, shift, seed, sentinel; } push;

void main() {
    uint i = push.begin + invocation_index();
    if (i >= push.end) return;
    bool inside = i >= push.lo && i < push.hi;
    uint want = inside ? pattern(push.seed, i + push.shift) : push.sentinel;
    if (data[i] == want) return;
    atomicAdd(wrong, 1u);
    atomicMin(first, i);
    if (data[i] == push.sentinel) atomicAdd(untouched, 1u);
}
