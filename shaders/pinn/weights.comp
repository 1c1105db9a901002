#version 460
// flags: -O0
// The gradient of a hidden layer's weights over each chunk of points: the sum over points
// and channels of a_c zb_c^T, a_c behind the tanh of the layer before, zb_c adjoints of the
// layer's z; and of its bias, the sum of zb_0. Points one after the other, channels inside.
//
// Bindings: 0 z of the layer before (vec4, read), 1 adjoints (vec4, read): chunks of `chunk`
//           points of C channels of `width`; 2 partials (vec4, written): a unit is the
//           gradient of a chunk, the layer's from element `at` on, W then b.
// Push:     header; width (a multiple of 4), chunk, at, stride (of a unit of partials),
//           tiles (of NT vec4 of a line)
// Constants: 1 DIN; 2 NT, at most 25; 3 RT, rows of invocations: ceil(NT / 5)
// Grid:     tiles^2 work-groups a chunk; an invocation has 20 rows by 4 columns.
// Cost:     2 C width^2 operations a point.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 2) const uint NT = 25u;
layout(constant_id = 3) const uint RT = 5u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Adjoint { vec4 adjoint[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Partials { vec4 partials[]; };
PUSH(3, uint width; uint chunk; uint at; uint stride; uint tiles;)

const uint BLOCKS = 5u;               // vec4 of rows of an invocation
const uint ROWS = RT * BLOCKS;        // vec4 of rows of a tile, up to four of them idle
const uint LINE = ROWS + NT;
const uint PAIR = 2u;                 // points of a shared tile

shared vec4 lines[PAIR * C * LINE]; // rows, then columns, of each point and channel

void main() {
    uint line = push.width / 4u, group = group_index(), t = gl_LocalInvocationIndex;
    uint tiles = push.tiles * push.tiles;
    uint unit = group / tiles, tile = group % tiles;
    if (unit >= push.count) return; // the whole work-group
    uint row0 = tile / push.tiles * NT, column0 = tile % push.tiles * NT;

    // An invocation loads all channels of one vec4 of one point.
    uint of = t / (2u * NT), v = t % (2u * NT); // the point, and rows or columns
    bool columns = v >= NT;
    uint where = columns ? v - NT : v;
    uint global = (columns ? column0 : row0) + where;
    bool loads = of < PAIR;
    uint from = push.off[columns ? 1 : 0] / 4u + (unit * push.chunk + of) * C * line + global;
    vec4 next[MOST];

    uint tn = t % NT, tr = t / NT;
    bool busy = tr < RT;
    tr = min(tr, RT - 1u);
    vec4 sums[4u * BLOCKS], bias = vec4(0.0);
    [[unroll]] for (uint i = 0u; i < 4u * BLOCKS; i++) sums[i] = vec4(0.0);
    for (uint i = t; i < PAIR * C * LINE; i += gl_WorkGroupSize.x) lines[i] = vec4(0.0); // idle rows stay zero
    barrier();

    [[unroll]] for (uint c = 0u; c < MOST; c++) next[c] = vec4(0.0);
    for (uint point = 0u;; point += PAIR) {
        if (point == 0u) {
            bool live = loads && of < push.chunk && global < line;
            [[unroll]] for (uint c = 0u; c < C; c++) {
                if (live) next[c] = columns ? adjoint[from + c * line] : z[from + c * line];
            }
        }
        if (loads) {
            vec4 a[MOST];
            if (columns) a = next;
            else jets_forward(next, a);
            uint to = of * C * LINE + (columns ? ROWS : 0u) + where;
            [[unroll]] for (uint c = 0u; c < C; c++) lines[to + c * LINE] = a[c];
        }
        barrier();
        bool more = point + PAIR < push.chunk;
        if (more) {
            from += PAIR * C * line;
            bool live = loads && point + PAIR + of < push.chunk && global < line;
            [[unroll]] for (uint c = 0u; c < C; c++) {
                next[c] = vec4(0.0);
                if (live) next[c] = columns ? adjoint[from + c * line] : z[from + c * line];
            }
        }
        [[unroll]] for (uint r = 0u; r < PAIR * C; r++) {
            vec4 b = lines[r * LINE + ROWS + tn];
            if (r % C == 0u) bias += b;
            [[unroll]] for (uint j = 0u; j < BLOCKS; j++) {
                vec4 a = lines[r * LINE + tr * BLOCKS + j];
                sums[4u * j] += a.x * b;
                sums[4u * j + 1u] += a.y * b;
                sums[4u * j + 2u] += a.z * b;
                sums[4u * j + 3u] += a.w * b;
            }
        }
        if (!more) break;
        barrier();
    }

    uint column = column0 + tn;
    if (!busy || column >= line) return;
    uint to = (push.off[2] + unit * push.stride + push.at) / 4u + column;
    [[unroll]] for (uint j = 0u; j < BLOCKS; j++) {
        uint row = tr * BLOCKS + j;
        if (row < NT && row0 + row < line) {
            [[unroll]] for (uint i = 0u; i < 4u; i++) partials[to + (4u * (row0 + row) + i) * line] = sums[4u * j + i];
        }
    }
    if (tr == 0u && row0 == 0u) partials[to + push.width * line] = bias;
}
