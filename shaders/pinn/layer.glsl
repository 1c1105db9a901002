// The product of pinn/forward and pinn/backward: rows (point, channel) of `width` times a
// square matrix. A work-group makes PX pairs of points by NT vec4 of columns; an invocation
// has two points, all channels, four columns, so that what follows the product sees all
// channels of a neuron. One set of shared buffers, DEPTH deep; the next tile is loaded to
// registers before the arithmetic of this one. Registers decide how many work-groups share a
// processor: of what is on its way an invocation holds all channels of one neuron of a point.
//
// Constants: 1 DIN; 2 NT, 3 PX: columns and pairs of points of a work-group of LANES
//            invocations (constant 0), NT * PX of them busy; 4 DEPTH

layout(constant_id = 0) const uint LANES = 128u;
layout(constant_id = 2) const uint NT = 25u;
layout(constant_id = 3) const uint PX = 5u;
layout(constant_id = 4) const uint DEPTH = 20u;

const uint TILE = 2u * PX;             // points
const uint LINE = 2u * TILE + 1u;      // vec4 of one k of the shared rows, one to spare the banks
const uint TASKS_A = (TILE * DEPTH + LANES - 1u) / LANES;
const uint TASKS_B = (DEPTH * NT + LANES - 1u) / LANES;

shared vec4 rows_a[DEPTH * LINE]; // k outermost, two vec4 a point
shared vec4 rows_b[DEPTH * NT];

float next_a[TASKS_A * MOST];
vec4 next_b[TASKS_B];

// Loads the tile at column k0 of the rows and row k0 of the matrix: `from` is the vec4 of
// the first point's first channel, `matrix` that of the matrix, points the rest of them.
void load_tile(uint from, uint matrix, uint column0, uint k0, uint points, uint line) {
    uint t = gl_LocalInvocationIndex;
    [[unroll]] for (uint j = 0u; j < TASKS_A; j++) {
        uint task = t + j * LANES;
        uint point = task / DEPTH, k = task % DEPTH;
        bool live = point < min(TILE, points) && k0 + k < 4u * line;
        uint at = 4u * (from + point * C * line) + k0 + k;
        [[unroll]] for (uint c = 0u; c < C; c++) next_a[j * MOST + c] = live ? source[at + 4u * c * line] : 0.0;
    }
    [[unroll]] for (uint j = 0u; j < TASKS_B; j++) {
        uint task = t + j * LANES;
        uint k = task / NT, n = task % NT;
        bool live = k < DEPTH && k0 + k < 4u * line && column0 + n < line;
        next_b[j] = live ? theta[matrix + (k0 + k) * line + column0 + n] : vec4(0.0);
    }
}

void store_tile(bool jets) {
    uint t = gl_LocalInvocationIndex;
    [[unroll]] for (uint j = 0u; j < TASKS_A; j++) {
        uint task = t + j * LANES;
        uint point = task / DEPTH, k = task % DEPTH;
        if (point < TILE) {
            float z[MOST], a[MOST];
            [[unroll]] for (uint c = 0u; c < MOST; c++) z[c] = a[c] = 0.0;
            [[unroll]] for (uint c = 0u; c < C; c++) z[c] = next_a[j * MOST + c];
            if (jets) jets_forward(z, a);
            else a = z;
            uint at = k * LINE + point * 2u;
            rows_a[at] = vec4(a[0], a[1], a[2], a[3]);
            rows_a[at + 1u] = vec4(a[4], a[5], a[6], 0.0);
        }
    }
    [[unroll]] for (uint j = 0u; j < TASKS_B; j++) {
        uint task = t + j * LANES;
        if (task < DEPTH * NT) rows_b[task] = next_b[j];
    }
}

// The product for points p and p + PX of the tile and columns 4n..4n+3 of the work-group.
void multiply(uint p, uint n, inout vec4 first[8], inout vec4 second[8]) {
    [[unroll]] for (uint k = 0u; k < DEPTH; k++) {
        vec4 b = rows_b[k * NT + n];
        uint at = k * LINE + 2u * p;
        vec4 x = rows_a[at], y = rows_a[at + 1u];
        first[0] += x.x * b;
        first[1] += x.y * b;
        first[2] += x.z * b;
        first[3] += x.w * b;
        first[4] += y.x * b;
        if (C > 5u) {
            first[5] += y.y * b;
            first[6] += y.z * b;
        }
        x = rows_a[at + 2u * PX];
        y = rows_a[at + 2u * PX + 1u];
        second[0] += x.x * b;
        second[1] += x.y * b;
        second[2] += x.z * b;
        second[3] += x.w * b;
        second[4] += y.x * b;
        if (C > 5u) {
            second[5] += y.y * b;
            second[6] += y.z * b;
        }
    }
}

// The whole product of a work-group's tile.
void product(bool jets, uint from, uint matrix, uint column0, uint points, uint line, uint p, uint n,
             out vec4 first[8], out vec4 second[8]) {
    [[unroll]] for (uint c = 0u; c < 8u; c++) first[c] = second[c] = vec4(0.0);
    load_tile(from, matrix, column0, 0u, points, line);
    for (uint k0 = 0u; k0 < 4u * line; k0 += DEPTH) {
        store_tile(jets);
        barrier();
        if (k0 + DEPTH < 4u * line) load_tile(from, matrix, column0, k0 + DEPTH, points, line);
        multiply(p, n, first, second);
        barrier();
    }
}
