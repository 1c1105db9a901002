#version 460
// hash/keccak256: Keccak-256 (rate 136 bytes, padding 0x01 .. 0x80, not SHA-3's 0x06) of
// messages of one length, one invocation a message.
//
// Bindings: 0 digests (uvec4, written; 2 a message), 1 messages (uvec2, read): WORDS
//           words a unit, little-endian.
// Push:     header.
// Constants: 0 local size; 1 WORDS: words of a message, a multiple of 4; 2 EACH: messages of an
//           invocation, a local size apart.
// Cost:     24 rounds of about 150 operations on 64 bits for each 136 bytes begun.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/keccak.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 16u;
layout(constant_id = 2) const uint EACH = 1u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Dst { uvec4 dst[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Src { uvec2 src[]; };
PUSH(2, )

const uint LANES = WORDS / 2u; // of a message; a block has 17

// Lane l of the block that begins at lane `first`, with the padding.
#define ABSORB(a, l) \
    if (first + l < LANES) a ^= src[at + first + l]; \
    else if (first + l == LANES) a.x ^= 1u;

void hash(uint i) {
    uint at = push.off[1] / 2u + i * LANES;
    uvec2 a00 = uvec2(0u), a10 = uvec2(0u), a20 = uvec2(0u), a30 = uvec2(0u), a40 = uvec2(0u);
    uvec2 a01 = uvec2(0u), a11 = uvec2(0u), a21 = uvec2(0u), a31 = uvec2(0u), a41 = uvec2(0u);
    uvec2 a02 = uvec2(0u), a12 = uvec2(0u), a22 = uvec2(0u), a32 = uvec2(0u), a42 = uvec2(0u);
    uvec2 a03 = uvec2(0u), a13 = uvec2(0u), a23 = uvec2(0u), a33 = uvec2(0u), a43 = uvec2(0u);
    uvec2 a04 = uvec2(0u), a14 = uvec2(0u), a24 = uvec2(0u), a34 = uvec2(0u), a44 = uvec2(0u);
    for (uint first = 0u; first <= LANES; first += 17u) {
        ABSORB(a00, 0u)
        ABSORB(a10, 1u)
        ABSORB(a20, 2u)
        ABSORB(a30, 3u)
        ABSORB(a40, 4u)
        ABSORB(a01, 5u)
        ABSORB(a11, 6u)
        ABSORB(a21, 7u)
        ABSORB(a31, 8u)
        ABSORB(a41, 9u)
        ABSORB(a02, 10u)
        ABSORB(a12, 11u)
        ABSORB(a22, 12u)
        ABSORB(a32, 13u)
        ABSORB(a42, 14u)
        ABSORB(a03, 15u)
        ABSORB(a13, 16u)
        if (first + 17u > LANES) a13.y ^= 0x80000000u; // the last byte of the last block
        for (uint round = 0u; round < 24u; round++) KECCAK_ROUND(round)
    }
    uint to = push.off[0] / 4u + 2u * i;
    dst[to] = uvec4(a00, a10);
    dst[to + 1u] = uvec4(a20, a30);
}

void main() {
    uint first = group_index() * EACH * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    for (uint e = 0u; e < EACH; e++) {
        uint i = first + e * gl_WorkGroupSize.x;
        if (i < push.count) hash(i);
    }
}
