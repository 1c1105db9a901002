// How a work-group of 256 moves one operand of a tropical product from memory to shared
// memory: 128 rows (or columns) by STEP k, eight elements an invocation in two halves.
// Included once per operand, with these macros:
//   OP_F1, OP_F4        the buffer as float[] and vec4[]
//   OP_SHARED           vec4[2 * STEP * TILE / 4]: [buffer][k][row / 4]
//   OP_LOAD, OP_PUT     names of the functions
//   OP_NEAR             1: k runs along memory, rows are OP_STRIDE apart, transposed on
//                       the way; else rows run along memory and k are OP_STRIDE apart
//   OP_BASE, OP_COUNT   element of row 0, k 0; number of rows
// and VEC, clamp_k of tile.glsl. With VEC accesses are 16 bytes wide, else
// neighbouring invocations read neighbouring words. Transposed rows are exchanged by k
// (xor swizzle) so that their stores meet no bank twice. Indices past an edge repeat a valid
// element: the same pair again changes no extreme and no winner.

vec4 OP_LOAD(uint row0, uint k, uint part) {
    uint tid = gl_LocalInvocationIndex;
    if (OP_NEAR) {
        if (VEC != 0u) {
            uint row = min(row0 + (tid >> 2) + 64u * part, OP_COUNT - 1u);
            return OP_F4[(OP_BASE + row * OP_STRIDE + clamp_k(k + 4u * (tid & 3u))) / 4u];
        }
        uint at = OP_BASE + clamp_k(k + (tid & 15u));
        vec4 v;
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            v[i] = OP_F1[at + min(row0 + (tid >> 4) + 64u * part + 16u * i, OP_COUNT - 1u) * OP_STRIDE];
        }
        return v;
    }
    if (VEC != 0u) {
        uint at = OP_BASE + clamp_k(k + (tid >> 5) + 8u * part) * OP_STRIDE;
        return OP_F4[(at + min(row0 + 4u * (tid & 31u), OP_COUNT - 4u)) / 4u];
    }
    uint at = OP_BASE + min(row0 + (tid & 127u), OP_COUNT - 1u);
    vec4 v;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        v[i] = OP_F1[at + clamp_k(k + (tid >> 7) + 8u * part + 2u * i) * OP_STRIDE];
    }
    return v;
}

void OP_PUT(uint base, uint part, vec4 v) {
    uint tid = gl_LocalInvocationIndex;
    if (OP_NEAR) {
        if (VEC != 0u) {
            uint quad = tid & 3u, row = ((tid >> 2) + 64u * part) ^ (quad * 8u);
            uint at = base + quad * TILE + row / 4u; // quad*4 rows of TILE/4 vec4
            OP_SHARED[at][row & 3u] = v.x;
            OP_SHARED[at + TILE / 4u][row & 3u] = v.y;
            OP_SHARED[at + TILE / 2u][row & 3u] = v.z;
            OP_SHARED[at + 3u * TILE / 4u][row & 3u] = v.w;
            return;
        }
        uint k = tid & 15u;
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            uint row = ((tid >> 4) + 64u * part + 16u * i) ^ ((k >> 2) * 8u);
            OP_SHARED[base + k * (TILE / 4u) + row / 4u][row & 3u] = v[i];
        }
        return;
    }
    if (VEC != 0u) {
        OP_SHARED[base + ((tid >> 5) + 8u * part) * (TILE / 4u) + (tid & 31u)] = v;
        return;
    }
    uint col = tid & 127u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        OP_SHARED[base + ((tid >> 7) + 8u * part + 2u * i) * (TILE / 4u) + col / 4u][col & 3u] = v[i];
    }
}

#undef OP_F1
#undef OP_F4
#undef OP_SHARED
#undef OP_LOAD
#undef OP_PUT
#undef OP_NEAR
#undef OP_BASE
#undef OP_STRIDE
#undef OP_COUNT
