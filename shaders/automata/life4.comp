// automata/life4: one step of Conway's Life (B3/S23) on a torus, 32 cells a word,
// cell x of a row in bit x%32 of word x/32. Each invocation makes ROWS times four words
// below each other (rows of a multiple of four words).
//
// Bindings: 0 readonly uint/uvec4 src, rows first-1 .. first+count (window with one row
//           before and after), 1 writeonly uvec4 dst, rows first .. first+count-1
// Push:     header; words (a row, a multiple of 4), log_cols (log2 of the columns of four words
//           that one work-group covers)
// Constant: 1 ROWS (default 4)
// Work: about 20 word operations and 8 B (compulsory) per word of 32 cells. A
// work-group covers 2^log_cols columns x (256 >> log_cols)*ROWS rows.
#version 460
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#define CELLS uvec4
#include "automata/life.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROWS = 4u;

layout(set = 0, binding = 0, std430) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 0, std430) readonly buffer Src4 { uvec4 src4[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uvec4 dst[]; };
PUSH(2, uint words; uint log_cols;)

Row load(uint row, uint before, uint col, uint after) {
    uint at = push.off[0] + row * push.words;
    uvec4 m = src4[at / 4u + col];
    uint b = src[at + before], a = src[at + after];
    uvec4 carry_in = uvec4(b, m.xyz) >> 31, carry_out = uvec4(m.yzw, a) << 31;
    return row_sum((m << 1) | carry_in, m, (m >> 1) | carry_out);
}

void main() {
    uint width = push.words / 4u;
    uint cols = 1u << push.log_cols;
    uint across = (width + cols - 1u) >> push.log_cols;
    uint group = group_index();
    uint block = group / across;
    uint tid = gl_LocalInvocationIndex;
    uint col = (group - block * across) * cols + (tid & (cols - 1u));
    uint row = (block * (gl_WorkGroupSize.x >> push.log_cols) + (tid >> push.log_cols)) * ROWS;
    if (col >= width || row >= push.count) return;

    uint before = (col == 0u ? push.words : col * 4u) - 1u; // the word left of this column
    uint after = col + 1u == width ? 0u : (col + 1u) * 4u;
    Row up = load(row, before, col, after);
    Row mid = load(row + 1u, before, col, after);
    [[unroll]] for (uint k = 0u; k < ROWS; k++) {
        // Rows past the end repeat the last one of the window and are not stored.
        Row down = load(min(row + k + 2u, push.count + 1u), before, col, after);
        CELLS cells = next_cells(up, mid, down);
        if (row + k < push.count) dst[push.off[1] / 4u + (row + k) * width + col] = cells;
        up = mid;
        mid = down;
    }
}
