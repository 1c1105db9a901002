#version 460
// flags: -O0
// The gradient of a hidden layer's weights over each chunk of points: the sum over points
// and channels of a_c zb_c^T, a_c behind the tanh of the layer before, zb_c adjoints of the
// layer's z; and of its bias, the sum of zb_0. Points one after the other, channels inside; while
// one is multiplied the next is on its way, in as few registers as invocations allow.
//
// Bindings: 0 z of the layer before (vec2, read), 1 adjoints (vec2, read): chunks of `chunk`
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
layout(set = 0, binding = 0, std430) readonly restrict buffer Z { vec2 z[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Adjoint { vec2 adjoint[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Partials { vec4 partials[]; };
PUSH(3, uint width; uint chunk; uint at; uint stride; uint tiles;)

const uint BLOCKS = 5u;               // vec4 of rows of an invocation
const uint ROWS = RT * BLOCKS;        // vec4 of rows of a tile, up to four of them idle
const uint LINE = ROWS + NT;
const uint POINT = C * LINE;

shared vec4 lines[2u * POINT]; // of two points in turn, every channel: rows, then columns

void main() {
    uint line = push.width / 4u, group = group_index(), t = gl_LocalInvocationIndex;
    uint tiles = push.tiles * push.tiles;
    uint unit = group / tiles, tile = group % tiles;
    if (unit >= push.count) return; // the whole work-group
    uint row0 = tile / push.tiles * NT, column0 = tile % push.tiles * NT;

    // An invocation loads all channels of half a vec4.
    bool columns = t >= 2u * NT;
    uint where = columns ? t - 2u * NT : t;
    uint global = 2u * (columns ? column0 : row0) + where;
    bool loads = t < 4u * NT && global < 2u * line;
    uint from = push.off[columns ? 1 : 0] / 2u + unit * push.chunk * C * 2u * line + global;
    vec2 next[MOST];

    uint tn = t % NT, tr = t / NT;
    bool busy = tr < RT;
    tr = min(tr, RT - 1u);
    vec4 sums[4u * BLOCKS], bias = vec4(0.0);
    [[unroll]] for (uint i = 0u; i < 4u * BLOCKS; i++) sums[i] = vec4(0.0);
    for (uint i = t; i < 2u * POINT; i += gl_WorkGroupSize.x) lines[i] = vec4(0.0); // idle rows stay zero
    barrier();

    [[unroll]] for (uint c = 0u; c < MOST; c++) next[c] = vec2(0.0);
    if (loads) [[unroll]] for (uint c = 0u; c < C; c++) next[c] = columns ? adjoint[from + c * 2u * line] : z[from + c * 2u * line];
    uint buf = 0u;
    for (uint point = 0u; point < push.chunk; point++) {
        if (loads) {
            vec2 a[MOST];
            if (columns) a = next;
            else jets_forward(next, a);
            uint to = buf + (columns ? ROWS : 0u) + where / 2u;
            [[unroll]] for (uint c = 0u; c < C; c++) {
                if ((where & 1u) == 0u) lines[to + c * LINE].xy = a[c];
                else lines[to + c * LINE].zw = a[c];
            }
        }
        barrier();
        if (loads && point + 1u < push.chunk) {
            from += C * 2u * line;
            [[unroll]] for (uint c = 0u; c < C; c++) next[c] = columns ? adjoint[from + c * 2u * line] : z[from + c * 2u * line];
        }
        [[unroll]] for (uint r = 0u; r < C; r++) {
            vec4 b = lines[buf + r * LINE + ROWS + tn];
            if (r == 0u) bias += b;
            [[unroll]] for (uint j = 0u; j < BLOCKS; j++) {
                vec4 a = lines[buf + r * LINE + tr * BLOCKS + j];
                sums[4u * j] += a.x * b;
                sums[4u * j + 1u] += a.y * b;
                sums[4u * j + 2u] += a.z * b;
                sums[4u * j + 3u] += a.w * b;
            }
        }
        buf = POINT - buf;
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
