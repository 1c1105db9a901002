#version 460
// Rate of the dot product of four signed bytes with accumulation: sixteen chains
// x = dot(x, a) + b an invocation, x, a and b words of four bytes, modulo 2^32.
//
// Bindings: 0 sums (uint, written), 1 x (uvec4, read), 2 a, 3 b (uint, read); a unit is
//           one invocation.
// Push:     header, repeat.
// Grid:     one unit per invocation.
// Cost:     2048 repeat operations per unit (four products and four additions a step).
#extension GL_EXT_spirv_intrinsics : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "peak/chains.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uint sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X { uvec4 x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer A { uint va[]; };
layout(set = 0, binding = 3, std430) readonly restrict buffer B { uint vb[]; };
PUSH(4, uint repeat;)

// OpSDot on words of four bytes: capabilities DotProductInput4x8BitPacked and
// DotProduct, format PackedVectorFormat4x8Bit (0). The compiler has no name for it.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int dot_bytes(int p, int q, spirv_literal int format);

#define START(v, j) int v = int(CHAINS_WORD(s, j));
#define STEP(v, j) v = dot_bytes(v, a, 0) + b;
#define ADD(v, j) sum = sum * 3u + uint(v);

void main() {
    uint i = invocation_index();
    if (i >= push.count) return;
    uvec4 s = x[push.off[1] / 4u + i];
    int a = int(va[push.off[2] + i]), b = int(vb[push.off[3] + i]);
    CHAINS_EACH(START)
    for (uint k = 0u; k < push.repeat; k++) { CHAINS_16(CHAINS_EACH(STEP)) }
    uint sum = 0u;
    CHAINS_EACH(ADD)
    sums[push.off[0] + i] = sum;
}
