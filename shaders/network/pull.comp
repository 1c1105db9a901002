#version 460
// One step of an iteration over a graph by rows: every node adds up what its neighbours
// sent.
//   MODE 0, PageRank:  x' = teleport + spread * mass[0] + damping * sum of sent[j]
//   MODE 1, diffusion: x' = (1 - damping) x + damping * scale * (scale * x + sum of sent[j])
// An invocation makes a row. The rows of a block of 256 lie as jagged diagonals, longest first
// (suites/network/diagonals.go): neighbouring invocations have about equally many edges and read
// neighbouring words, and as the sources of a row are sorted they go through the nodes side by side.
//
// Bindings: 0 next (float, written), `chunk` a unit; 1 x (float, read), likewise
//           2 scale (float, read), likewise: see network/start
//           3 sent (float, read), all nodes and a zero behind the last
//           4 sent next (float, written), `chunk` a unit
//           5 rows (uint, read), `chunk` a unit: row of the block, and 256 times its groups
//           6 blocks (uvec2, read), chunk/256 a unit: first group, first diagonal
//           7 starts (uint, read): first groups of the diagonals of this device's blocks
//           8 edges (uvec4, read): the groups of this device's rows
//           9 mass (float, read)
//          10 partials (float, written), two a unit: the sum of x' (MODE 0: where scale is
//             0) and of |x' - x|
// Push:     header; n (nodes), chunk (rows of a unit, a multiple of 256), base (group of
//           the first edge in binding 8), list (first diagonal in binding 7), damping, teleport, spread
// Constant: 1 MODE; 2 STRETCH: groups of a row that are added up by themselves, an even number,
//             where rows are longer: what rounding leaves does not grow with them, and no loop
//             of a driver becomes too long. 0: no row is.
// Grid:     a work-group per unit; the local size is fixed, it would change the bits.
// Cost:     2 flop and 8 bytes an edge, 12 bytes or more a row.
#include "common/index.glsl"
#include "common/push.glsl"
#include "network/sums.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint MODE = 0u;
layout(constant_id = 2) const uint STRETCH = 0u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer Next { float next[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer State { float x[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Scale { float scale[]; };
layout(set = 0, binding = 3, std430) readonly buffer Sent { float sent[]; };
layout(set = 0, binding = 4, std430) writeonly buffer SentNext { float sent_next[]; };
layout(set = 0, binding = 5, std430) readonly restrict buffer Rows { uint rows[]; };
layout(set = 0, binding = 6, std430) readonly restrict buffer Blocks { uint blocks[]; };
layout(set = 0, binding = 7, std430) readonly restrict buffer Starts { uint starts[]; };
layout(set = 0, binding = 8, std430) readonly restrict buffer Edges { uvec4 edges[]; };
layout(set = 0, binding = 9, std430) readonly restrict buffer Mass { float mass[]; };
layout(set = 0, binding = 10, std430) writeonly restrict buffer Partials { float partials[]; };
PUSH(11, uint n; uint chunk; uint base; uint list; float damping; float teleport; float spread;)

shared float came_in[256]; // by row of the block

float plus(float p, float q) {
    precise float sum = p + q;
    return sum;
}

float times(float p, float q) {
    precise float product = p * q;
    return product;
}

// What four sources sent.
float came(uvec4 e) {
    uint at = push.off[3];
    return plus(plus(sent[at + e.x], sent[at + e.y]), plus(sent[at + e.z], sent[at + e.w]));
}

// The sum over so many groups of edges of the row at a position, from one on: two are added up
// while the next two are on their way.
float stretch(uint from, uint groups, uint at, uint list) {
    float s = 0.0;
    uint pairs = groups & ~1u;
    if (pairs > from) {
        uvec4 e = edges[at + starts[list + from]], f = edges[at + starts[list + from + 1u]];
        for (uint g = from + 2u; g < pairs; g += 2u) {
            uvec4 next_e = edges[at + starts[list + g]], next_f = edges[at + starts[list + g + 1u]];
            s = plus(plus(s, came(e)), came(f));
            e = next_e;
            f = next_f;
        }
        s = plus(plus(s, came(e)), came(f));
    }
    return pairs < groups ? plus(s, came(edges[at + starts[list + pairs]])) : s;
}

// The sum over all groups of a row: what adding a stretch loses is added in the end (Knuth's
// two-sum).
float walk(uint groups, uint at, uint list) {
    if (STRETCH == 0u) return stretch(0u, groups, at, list);
    float sum = stretch(0u, min(groups, STRETCH), at, list), lost = 0.0;
    for (uint from = STRETCH; from < groups; from += STRETCH) {
        float s = stretch(from, min(groups, from + STRETCH), at, list);
        precise float t = sum + s;
        precise float z = t - sum;
        precise float low = (sum - (t - z)) + (s - z);
        lost = plus(lost, low);
        sum = t;
    }
    return plus(sum, lost);
}

void main() {
    uint u = group_index();
    if (u >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;
    float everywhere = MODE == 0u ? plus(push.teleport, times(push.spread, mass[push.off[9]])) : 0.0;
    uint left = push.n - min((push.first_lo + u) * push.chunk, push.n); // rows that exist
    vec2 mine = vec2(0.0);
    for (uint first = 0u; first < push.chunk; first += 256u) {
        uint row = rows[push.off[5] + u * push.chunk + first + t];
        uint block = push.off[6] + 2u * (u * (push.chunk / 256u) + first / 256u);
        came_in[row & 255u] = walk(row >> 8, push.off[8] / 4u + blocks[block] - push.base + t, push.off[7] + blocks[block + 1u] - push.list);
        barrier();
        float sum = came_in[t]; // in the order of rows: whole lines are read and written
        barrier();
        uint k = first + t, i = u * push.chunk + k;
        float v = 0.0, out_ = 0.0;
        if (k < left) {
            float w = scale[push.off[2] + i], old = x[push.off[1] + i];
            if (MODE == 0u) {
                v = plus(everywhere, times(push.damping, sum));
            } else {
                float mean = times(w, plus(times(w, old), sum));
                v = plus(times(1.0 - push.damping, old), times(push.damping, mean));
            }
            out_ = times(v, w);
            mine = sums_added(mine, vec2(MODE != 0u || w == 0.0 ? v : 0.0, abs(v - old)));
        }
        next[push.off[0] + i] = v;
        sent_next[push.off[4] + i] = out_;
    }
    vec2 sum = group_sum(mine);
    if (t == 0u) {
        partials[push.off[10] + 2u * u] = sum.x;
        partials[push.off[10] + 2u * u + 1u] = sum.y;
    }
}
