#version 460
// automata/life: one step of Conway's Life (B3/S23) on a torus, 32 cells a word,
// cell x of a row in bit x%32 of word x/32.
//
// Each invocation makes ROWS words below each other in one column. A row's three
// horizontal neighbours are added once (two bit planes) and used for three
// outputs. With c the count of all nine cells, a cell lives if c = 3, or if c = 4
// and it was alive.
//
// Bindings: 0 readonly uint src, rows first-1 .. first+count (window with one row
//           before and after), 1 writeonly uint dst, rows first .. first+count-1
// Push:     header; words (a row), log_cols (log2 of the columns one work-group covers)
// Constant: 1 ROWS a invocation makes (default 4)
// Work: about 20 word operations and 8 B (compulsory) per word of 32 cells. A
// work-group covers 2^log_cols columns x (256 >> log_cols)*ROWS rows.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROWS = 4u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uint dst[]; };
PUSH(2, uint words; uint log_cols;)

// One row around one word: the cells, and the sum of each cell with its left and
// right neighbour as bit planes one and two.
struct Row { uint cells, one, two; };

Row load(uint row, uint left, uint mid, uint right) {
    uint at = push.off[0] + row * push.words;
    uint m = src[at + mid];
    uint l = (m << 1) | (src[at + left] >> 31);
    uint r = (m >> 1) | (src[at + right] << 31);
    return Row(m, l ^ m ^ r, (l & m) | (l & r) | (m & r));
}

uint next(Row up, Row mid, Row down) {
    uint p0 = up.one ^ mid.one ^ down.one; // push.count, bit 0
    uint k0 = (up.one & mid.one) | (up.one & down.one) | (mid.one & down.one);
    uint x = up.two ^ mid.two ^ down.two;
    uint y = (up.two & mid.two) | (up.two & down.two) | (mid.two & down.two);
    uint t0 = x ^ k0;       // (push.count - p0)/2, bit 0
    uint t1 = y ^ (x & k0); // bit 1; a carry out means 4, which both bits show as 0
    return (p0 & t0 & ~t1) | (mid.cells & ~p0 & ~t0 & t1);
}

void main() {
    uint cols = 1u << push.log_cols;
    uint across = (push.words + cols - 1u) >> push.log_cols;
    uint group = group_index();
    uint block = group / across;
    uint tid = gl_LocalInvocationIndex;
    uint col = (group - block * across) * cols + (tid & (cols - 1u));
    uint row = (block * (gl_WorkGroupSize.x >> push.log_cols) + (tid >> push.log_cols)) * ROWS;
    if (col >= push.words || row >= push.count) return;

    uint left = col == 0u ? push.words - 1u : col - 1u;
    uint right = col + 1u == push.words ? 0u : col + 1u;
    Row up = load(row, left, col, right);
    Row mid = load(row + 1u, left, col, right);
    [[unroll]] for (uint k = 0u; k < ROWS; k++) {
        // Rows past the end repeat the last one of the window and are not stored.
        Row down = load(min(row + k + 2u, push.count + 1u), left, col, right);
        uint cells = next(up, mid, down);
        if (row + k < push.count) dst[push.off[1] + (row + k) * push.words + col] = cells;
        up = mid;
        mid = down;
    }
}
