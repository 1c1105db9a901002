#version 460
// One step of a cellular automaton whose cells are multivectors of Cl(3,0), eight floats in
// bitmask order, with the eight neighbours NW, N, NE, W, E, SW, S, SE.
//
// Bindings: 0 cells (vec4, read), a row of `width` cells a unit, with one row more on each
//           side; 1 next (vec4, written)
// Push:     header; width, height (rows of the whole board), theta, weight
// Constant: 1 RULE:   0 life, 1 rotor, 2 conservative, 3 geometric, 4 grade-preserving
//           2 BORDER: 0 periodic, 1 fixed at zero, 2 reflecting
// Grid:     an invocation per cell, work-groups in rows of `width` rounded up to 256 cells.
// Cost:     geometric 8 x 145 flop, the others 100 to 300; 64 bytes per cell.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "ga/cl30.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint RULE = 3u;
layout(constant_id = 2) const uint BORDER = 0u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Cells { vec4 cells[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Next { vec4 next[]; };
PUSH(2, uint width; uint height; float theta; float weight;)

struct Cell { vec4 lo, hi; };

float added(float p, float q) {
    precise float sum = p + q;
    return sum;
}

// The sum of squares, in a fixed order.
float square(vec4 v) {
    precise float s = (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    return s;
}

float norm(Cell c) { return sqrt(added(square(c.lo), square(c.hi))); }

// The components of one grade, the others 0. Bitmask order: 1 e1 e2 e12 e3 e13 e23 e123.
Cell grade(Cell c, uint g) {
    if (g == 0u) return Cell(vec4(c.lo.x, 0.0, 0.0, 0.0), vec4(0.0));
    if (g == 1u) return Cell(vec4(0.0, c.lo.y, c.lo.z, 0.0), vec4(c.hi.x, 0.0, 0.0, 0.0));
    if (g == 2u) return Cell(vec4(0.0, 0.0, 0.0, c.lo.w), vec4(0.0, c.hi.y, c.hi.z, 0.0));
    return Cell(vec4(0.0), vec4(0.0, 0.0, 0.0, c.hi.w));
}

// A cell of row r of the launch (-1 and count are the rows around it) and column c, which
// may lie one beyond the board.
Cell at(int r, int c) {
    int w = int(push.width);
    if (BORDER == 0u) {
        c = c < 0 ? w - 1 : c == w ? 0 : c;
    } else if (BORDER == 2u) {
        c = clamp(c, 0, w - 1);
        int row = int(push.first_lo) + r; // of the board
        r -= row < 0 ? row : row >= int(push.height) ? row - int(push.height) + 1 : 0;
    } else {
        int row = int(push.first_lo) + r;
        if (c < 0 || c == w || row < 0 || row >= int(push.height)) return Cell(vec4(0.0), vec4(0.0));
    }
    // The window of binding 0 begins one row above the launch, where off points.
    uint i = push.off[0] / 4u + (uint(r + 1) * push.width + uint(c)) * 2u;
    return Cell(cells[i], cells[i + 1u]);
}

Cell multiply(Cell a, Cell b) {
    float x[8] = float[8](a.lo.x, a.lo.y, a.lo.z, a.lo.w, a.hi.x, a.hi.y, a.hi.z, a.hi.w);
    float y[8] = float[8](b.lo.x, b.lo.y, b.lo.z, b.lo.w, b.hi.x, b.hi.y, b.hi.z, b.hi.w);
    float z[8];
    geometric_product(x, y, z);
    return Cell(vec4(z[0], z[1], z[2], z[3]), vec4(z[4], z[5], z[6], z[7]));
}

Cell scaled(Cell a, float s) {
    precise vec4 lo = a.lo * s;
    precise vec4 hi = a.hi * s;
    return Cell(lo, hi);
}

Cell sum(Cell a, Cell b) {
    precise vec4 lo = a.lo + b.lo;
    precise vec4 hi = a.hi + b.hi;
    return Cell(lo, hi);
}

void main() {
    uint groups = (push.width + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    uint group = group_index();
    uint r = group / groups, c = group % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (r >= push.count || c >= push.width) return;
    Cell own = at(int(r), int(c));
    float size = norm(own);
    Cell acc = Cell(vec4(0.0), vec4(0.0));
    if (RULE == 1u || RULE == 3u) acc = own;
    float squares = added(square(own.lo), square(own.hi));
    uint alive = 0u;
    [[dont_unroll]] for (uint k = 0u; k < 9u; k++) {
        if (k == 4u) continue;
        Cell n = at(int(r) + int(k / 3u) - 1, int(c) + int(k % 3u) - 1);
        if (RULE == 0u) {
            if (norm(n) > push.theta) alive++;
        } else if (RULE == 1u) {
            Cell b = grade(n, 2u);
            if (norm(b) > push.theta) acc = sum(acc, scaled(b, push.weight));
        } else if (RULE == 2u) {
            squares = added(squares, added(square(n.lo), square(n.hi)));
        } else if (RULE == 3u) {
            if (norm(n) > push.theta) {
                Cell p = multiply(acc, n);
                float l = norm(p);
                if (l > 0.0) acc = scaled(p, 1.0 / l);
            }
        } else {
            acc = sum(acc, n);
        }
    }
    Cell result = own;
    if (RULE == 0u) {
        bool lives = size > push.theta;
        if (lives ? alive != 2u && alive != 3u : alive != 3u) result = Cell(vec4(0.0), vec4(0.0));
        else if (!lives) result = Cell(vec4(1.0, 0.0, 0.0, 0.0), vec4(0.0));
    } else if (RULE == 1u) {
        result = acc;
    } else if (RULE == 2u) {
        result = size > 0.0 ? scaled(own, push.weight * sqrt(squares / 9.0) / size) : acc;
    } else if (RULE == 3u) {
        result = sum(scaled(own, 1.0 - push.weight), scaled(acc, push.weight));
    } else {
        uint g = 3u;
        if (norm(grade(own, 2u)) > push.theta) g = 2u;
        if (norm(grade(own, 1u)) > push.theta) g = 1u;
        if (norm(grade(own, 0u)) > push.theta) g = 0u;
        result = grade(acc, g);
    }
    uint to = push.off[1] / 4u + (r * push.width + c) * 2u;
    next[to] = result.lo;
    next[to + 1u] = result.hi;
}
