#version 460
// hash/sha256: SHA-256 of messages of one length, one invocation a message.
//
// Bindings: 0 digests (uvec4, written; 2 a message), 1 messages (uvec4, read): WORDS
//           words a unit, each the big-endian value of four bytes.
// Push:     header.
// Constants: 0 local size; 1 WORDS: words of a message, a multiple of 4; 2 EACH: messages of an
//           invocation, a local size apart.
// Cost:     WORDS / 16 + 1 compressions of about 2200 operations ; a block of
//           padding alone has 1500.
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/sha256.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 16u;
layout(constant_id = 2) const uint EACH = 1u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Dst { uvec4 dst[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Src { uvec4 src[]; };
PUSH(2, )

// Four words of the padded message from word w on: message, then 0x80000000 and zeros.
#define PADDED(w) ((w) < WORDS ? src[at + (w) / 4u] : (w) == WORDS ? uvec4(0x80000000u, 0u, 0u, 0u) : uvec4(0u))

void hash(uint i) {
    uint at = push.off[1] / 4u + i * (WORDS / 4u);
    Digest d = sha_init();
    const uint whole = WORDS / 16u; // blocks of message alone
    for (uint b = 0u; b < whole; b++) {
        uint p = at + 4u * b;
        uvec4 x = src[p], y = src[p + 1u], z = src[p + 2u], w = src[p + 3u];
        d = sha_block(d, x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w, w.x, w.y, w.z, w.w);
    }
    // What is left of the message, the mark and the length: at most 12 + 1 + 2 words.
    const uint rest = WORDS % 16u;
    const uint first = 16u * whole;
    if (rest == 0u) {
        d = sha_block(d, 0x80000000u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 32u * WORDS);
    } else {
        uvec4 x = src[at + first / 4u], y = PADDED(first + 4u), z = PADDED(first + 8u);
        if (rest == 12u) {
            d = sha_block(d, x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w, 0x80000000u, 0u, 0u, 32u * WORDS);
        } else {
            d = sha_block(d, x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w, 0u, 0u, 0u, 32u * WORDS);
        }
    }
    uint to = push.off[0] / 4u + 2u * i;
    dst[to] = uvec4(d.a, d.b, d.c, d.d);
    dst[to + 1u] = uvec4(d.e, d.f, d.g, d.h);
}

void main() {
    uint first = group_index() * EACH * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    for (uint e = 0u; e < EACH; e++) {
        uint i = first + e * gl_WorkGroupSize.x;
        if (i < push.count) hash(i);
    }
}
