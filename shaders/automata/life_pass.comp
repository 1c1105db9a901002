// automata/life_pass: STEPS steps of Conway's Life (B3/S23) on a torus in one pass over
// memory, 32 cells a word as in automata/life. A work-group holds a tile of 64 words by 64
// rows in registers, 16 rows an invocation, and shows it to its neighbours through shared
// memory (16 KiB) after every step. What is wrong at the edges of the tile moves in by one
// row and one cell a step: STEPS rows above and below and one word either side are made
// again by the neighbouring tiles.
//
// Bindings: 0 readonly uint src, rows first-STEPS .. first+count+STEPS-1 (window with STEPS
//           rows before and after), 1 writeonly uint dst, rows first .. first+count-1
// Push:     header; words (a row)
// Constant: 1 STEPS (at most 31)
// Work: STEPS times about 20 word operations and 8 B (compulsory) per word of 32 cells. A
// work-group covers 62 words x (64 - 2 STEPS) rows.
#version 460
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#define CELLS uint
#include "automata/life.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint STEPS = 4u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uint dst[]; };
PUSH(2, uint words;)

const uint EDGE = 64u, INNER = EDGE - 2u, ROWS = 16u;
shared uint tile[EDGE * EDGE];

// The words left and right of column col in a row; beyond the tile any will do.
uint before(uint row, uint col) { return tile[row * EDGE + max(col, 1u) - 1u]; }
uint after(uint row, uint col) { return tile[row * EDGE + min(col + 1u, EDGE - 1u)]; }

Row sums(uint row, uint col, uint m) {
    return row_sum((m << 1) | (before(row, col) >> 31), m, (m >> 1) | (after(row, col) << 31));
}

void main() {
    uint across = (push.words + INNER - 1u) / INNER;
    uint group = group_index(), block = group / across, left = (group - block * across) * INNER;
    uint first = block * (EDGE - 2u * STEPS); // of the rows of the window
    if (first >= push.count) return; // the whole work-group
    uint col = gl_LocalInvocationIndex & (EDGE - 1u), top = gl_LocalInvocationIndex / EDGE * ROWS;
    uint column = (left + col + push.words - 1u) % push.words;

    uint cells[ROWS];
    [[unroll]] for (uint k = 0u; k < ROWS; k++) {
        // Rows past the window repeat its last one and reach no row that is stored.
        uint row = min(first + top + k, push.count + 2u * STEPS - 1u);
        cells[k] = src[push.off[0] + row * push.words + column];
    }
    for (uint step = 0u; step < STEPS; step++) {
        barrier();
        [[unroll]] for (uint k = 0u; k < ROWS; k++) tile[(top + k) * EDGE + col] = cells[k];
        barrier();
        uint above = max(top, 1u) - 1u, below = min(top + ROWS, EDGE - 1u);
        Row up = sums(above, col, tile[above * EDGE + col]);
        Row mid = sums(top, col, cells[0]);
        [[unroll]] for (uint k = 0u; k < ROWS; k++) {
            Row down;
            if (k + 1u < ROWS) down = sums(top + k + 1u, col, cells[k + 1u]);
            else down = sums(below, col, tile[below * EDGE + col]);
            cells[k] = next_cells(up, mid, down);
            up = mid;
            mid = down;
        }
    }
    if (col == 0u || col > INNER || left + col > push.words) return;
    [[unroll]] for (uint k = 0u; k < ROWS; k++) {
        uint row = top + k;
        if (row >= STEPS && row < EDGE - STEPS && first + row - STEPS < push.count) {
            dst[push.off[1] + (first + row - STEPS) * push.words + column] = cells[k];
        }
    }
}
