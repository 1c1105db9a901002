#version 460
// flags: -O0
// Several leapfrog steps of the two-dimensional wave equation in one pass over memory:
//   u+ = 2u - u- + l2 (up + down + left + right - 4u), u = 0 outside the grid.
// A work-group goes down a strip of columns. Beside the row that it has just loaded it
// keeps three rows of every time level in registers: level j is one row behind level j-1,
// so each loaded row completes one row of all STEPS levels. Invocations pass the ends of
// their four cells through shared memory, all levels behind one barrier a row.
//
// Bindings: 0 u, 1 u- (vec4, read), 2 u after STEPS steps, 3 the level before it (vec4,
//           written); a unit is a row of `pitch` floats, of 0 and 1 also STEPS rows before
//           the first unit and behind the last one.
// Push:     header; pitch (a multiple of 4), width (cells of a row that are in the grid),
//           height (rows of the grid), l2 (float), rows (of an invocation), across (strips
//           side by side), strip (vec4 that a strip makes)
// Constant: 1 STEPS, 1 to 8.
// Cost:     9 operations per cell and step, 16 bytes per cell and pass; a strip computes
//           STEPS cells more at each side, and 2 STEPS rows more.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEPS = 4u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Now { vec4 now[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Before { vec4 before[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Next { vec4 next[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Last { vec4 last[]; };
PUSH(4, uint pitch; uint width; uint height; float l2; uint rows; uint across; uint strip;)

const uint MOST = 8u;
const uint LANES = 128u;
const uint SIDE = (STEPS + 3u) / 4u; // vec4 computed beside a strip

// The first and last cell of every invocation's newest row: by parity of the row, by level.
shared vec2 ends[2u * STEPS * LANES];

void main() {
    uint group = group_index();
    uint t = gl_LocalInvocationIndex;
    uint first = group / push.across * push.rows; // row of the launch
    if (first >= push.count) return; // the whole work-group
    uint rows = min(push.rows, push.count - first);
    int column = int((group % push.across) * push.strip + t) - int(SIDE); // in vec4
    uint line = push.pitch / 4u;
    bool inside = column >= 0 && column < int(line) && t < push.strip + 2u * SIDE;
    bool makes = inside && t >= SIDE && t < SIDE + push.strip;
    bvec4 cells = bvec4(false);
    if (inside) cells = lessThan(uvec4(column * 4) + uvec4(0u, 1u, 2u, 3u), uvec4(push.width));
    uint global = push.first_lo + first - STEPS; // row of the grid of the first row loaded

    vec4 a[MOST], b[MOST], c[MOST]; // rows of level j, c the newest
    [[unroll]] for (uint j = 0u; j < STEPS; j++) a[j] = b[j] = c[j] = vec4(0.0);
    uint at0 = push.off[0] / 4u + first * line + uint(column);
    uint at1 = push.off[1] / 4u + first * line + uint(column);
    uint to2 = push.off[2] / 4u + first * line + uint(column);
    uint to3 = push.off[3] / 4u + first * line + uint(column);
    vec4 older = vec4(0.0), old = vec4(0.0), u = vec4(0.0), um = vec4(0.0);
    if (inside) {
        u = now[at0];
        um = before[at1];
    }
    for (uint i = 0u; i < STEPS; i++) ends[i * LANES + t] = vec2(0.0);
    uint left = max(t, 1u) - 1u, right = min(t + 1u, LANES - 1u);
    uint total = rows + 2u * STEPS;
    barrier();
    for (uint i = 0u; i < total; i++) {
        uint from = (i & 1u) * STEPS * LANES, into = (STEPS - (i & 1u) * STEPS) * LANES;
        older = old;
        old = um;
        a[0] = b[0];
        b[0] = c[0];
        c[0] = u;
        if (inside && i + 1u < total) { // ahead of its use
            at0 += line;
            at1 += line;
            u = now[at0];
            um = before[at1];
        }
        ends[into + t] = vec2(c[0].x, c[0].w);
        [[unroll]] for (uint j = 1u; j <= STEPS; j++) {
            // Row i-j of level j.
            vec4 m = b[j - 1u];
            float l = ends[from + (j - 1u) * LANES + left].y, r = ends[from + (j - 1u) * LANES + right].x;
            precise vec4 vertical = a[j - 1u] + c[j - 1u];
            precise vec4 horizontal = vec4(l, m.xyz) + vec4(m.yzw, r);
            precise vec4 sum = vertical + horizontal;
            precise vec4 lap = fma(vec4(-4.0), m, sum);  // 4m is exact: fused or not the same
            precise vec4 drift = fma(vec4(2.0), m, j == 1u ? -older : -a[j - 2u]);
            precise vec4 change = push.l2 * lap;
            precise vec4 v = drift + change;
            bool row = global + i - j < push.height; // negative rows are large
            v = mix(vec4(0.0), v, bvec4(row && cells.x, row && cells.y, row && cells.z, row && cells.w));
            if (j < STEPS) {
                a[j] = b[j];
                b[j] = c[j];
                c[j] = v;
                ends[into + j * LANES + t] = vec2(v.x, v.w);
            } else if (makes && i >= 2u * STEPS) {
                next[to2] = v;
                last[to3] = m;
                to2 += line;
                to3 += line;
            }
        }
        barrier();
    }
}
