// A step from the `inputs` of a row to its `outputs` over the max-plus semiring as
// tropical/layer.glsl, in tiles of 64x64, four times as many: for products that make few
// tiles of 128x128, or that end after few inputs. Exact like it: the same bits.
// The shader declares the buffers x4 and w4, at bindings 1 and 2 unless it defines X_BASE,
// X_STRIDE and W_BASE, the push constants `inputs` and `outputs`, multiples of 4, and a
// work-group of 256 for every tile: 4x4 an invocation. Steps of 16 inputs go through shared
// memory, two buffers (16 KiB), the next one loaded before one is computed.
// With WINNERS, layer_end also gets the first of the BLOCK inputs among which the lowest that
// wins is: to note each winner would take a comparison and two selections a pair.

#ifndef X_BASE
#define X_BASE push.off[1]
#define X_STRIDE push.inputs
#define W_BASE push.off[2]
#endif

const uint TILE = 64u, STEP = 16u, ROW = TILE / 4u; // of a step in shared memory
shared vec4 sa[2u * STEP * ROW];
shared vec4 sb[2u * STEP * ROW];

// Past an edge a valid element is repeated, the same of both sides: it changes no maximum.
uint quad_of(uint k) { return min(k, push.inputs - 4u); }

vec4 load_x(uint row0, uint k) {
    uint tid = gl_LocalInvocationIndex, row = min(row0 + (tid >> 2), push.count - 1u);
    return x4[(X_BASE + row * X_STRIDE + quad_of(k + 4u * (tid & 3u))) / 4u];
}

vec4 load_w(uint col0, uint k) {
    uint tid = gl_LocalInvocationIndex, at = k + (tid >> 4);
    at = at < push.inputs ? at : push.inputs - 4u + (at & 3u);
    return w4[(W_BASE + at * push.outputs + min(col0 + 4u * (tid & 15u), push.outputs - 4u)) / 4u];
}

// Rows are exchanged by k (xor), so that the stores of a transposed quad meet no bank twice.
void put(uint base, vec4 left, vec4 right) {
    uint tid = gl_LocalInvocationIndex, quad = tid & 3u, row = (tid >> 2) ^ (quad * 8u);
    [[unroll]] for (uint e = 0u; e < 4u; e++) sa[base + (4u * quad + e) * ROW + row / 4u][row & 3u] = left[e];
    sb[base + (tid >> 4) * ROW + (tid & 15u)] = right;
}

#ifdef WINNERS
const uint BLOCK = 8u; // divides STEP
#endif

// What becomes of four neighbours from column col on of a row that exists.
#ifdef WINNERS
void layer_end(uvec4 block, uint row, uint col);
#else
void layer_end(vec4 v, uint row, uint col);
#endif

// The pairs of one input of a step.
void pairs(inout vec4 acc[4], uint base, uint s) {
    uint tx = gl_LocalInvocationIndex & 15u, ty = gl_LocalInvocationIndex >> 4;
    vec4 p = sa[base + s * ROW + (ty ^ ((s >> 2) * 2u))], u = sb[base + s * ROW + tx];
    [[unroll]] for (uint i = 0u; i < 4u; i++) acc[i] = max(acc[i], p[i] + u);
}

void layer() {
    uint across = (push.outputs + TILE - 1u) / TILE, group = group_index();
    uint row0 = group / across * TILE, col0 = group % across * TILE;
    if (row0 >= push.count) return; // the whole work-group
    uint tid = gl_LocalInvocationIndex, tx = tid & 15u, ty = tid >> 4, base = 0u;
    vec4 acc[4];
    [[unroll]] for (uint i = 0u; i < 4u; i++) acc[i] = vec4(uintBitsToFloat(0xFF800000u));
#ifdef WINNERS
    uvec4 block[4];
    [[unroll]] for (uint i = 0u; i < 4u; i++) block[i] = uvec4(0u);
#endif
    vec4 left = load_x(row0, 0u), right = load_w(col0, 0u);
    for (uint k = 0u; k < push.inputs; k += STEP) {
        put(base, left, right);
        barrier();
        if (k + STEP < push.inputs) {
            left = load_x(row0, k + STEP);
            right = load_w(col0, k + STEP);
        }
#ifdef WINNERS
        [[unroll]] for (uint b = 0u; b < STEP; b += BLOCK) {
            vec4 most[4];
            [[unroll]] for (uint i = 0u; i < 4u; i++) most[i] = vec4(uintBitsToFloat(0xFF800000u));
            [[unroll]] for (uint s = b; s < b + BLOCK; s++) pairs(most, base, s);
            [[unroll]] for (uint i = 0u; i < 4u; i++) { // an earlier block stays on a tie
                block[i] = mix(block[i], uvec4(k + b), greaterThan(most[i], acc[i]));
                acc[i] = max(acc[i], most[i]);
            }
        }
#else
        [[unroll]] for (uint s = 0u; s < STEP; s++) pairs(acc, base, s);
#endif
        base ^= STEP * ROW;
    }
    uint col = col0 + 4u * tx;
    if (col >= push.outputs) return;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint row = row0 + 4u * ty + i;
#ifdef WINNERS
        if (row < push.count) layer_end(block[i], row, col);
#else
        if (row < push.count) layer_end(acc[i], row, col);
#endif
    }
}
