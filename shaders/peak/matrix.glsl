// Rate of matrix units (VK_KHR_cooperative_matrix) with all operands in registers: eight
// independent sums a subgroup, C += A B and C += A' B in turns, with A' nearly -A, so that
// sums stay small whole numbers.
//
// Bindings: 0 sums (uvec4, written), 32 matrices of M x N a unit, by rows; 1 operands (uvec4,
//           read), the whole array of sets: A and A' of two pairs by rows, four B by columns.
//           A unit is a work-group of four subgroups.
// Push:     header, repeat, sets.
// Constants: 1, 2, 3 M, N and K of a product.
// Types:    NUMBER of A and B, SUM of C; BYTES and SUM_BYTES their sizes.
// Grid:     one work-group of 128 per unit, subgroups of 32.
// Cost:     512 M N K repeat operations per unit.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 128) in;
layout(constant_id = 1) const uint M = 16u;
layout(constant_id = 2) const uint N = 16u;
layout(constant_id = 3) const uint K = 16u;
layout(set = 0, binding = 0, std430) writeonly restrict buffer S { uvec4 sums[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer O { uvec4 operands[]; };
PUSH(2, uint repeat; uint sets;)

const uint SUBGROUPS = 4u;
const uint LINE = K * BYTES / 16u;     // of a row of A, a column of B
const uint LINE_C = N * SUM_BYTES / 16u;
const uint SET = 4u * (M + N) * LINE;

void main() {
    uint unit = group_index();
    if (unit >= push.count) return; // the whole work-group
    uint from = push.off[1] / 4u + SET * (((push.first_lo + unit) * SUBGROUPS + gl_SubgroupID) % push.sets);
    coopmat<NUMBER, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a[4];
    coopmat<NUMBER, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b[4];
    coopmat<SUM, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> c[8];
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        coopMatLoad(a[i], operands, from + i * M * LINE, LINE, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        coopMatLoad(b[i], operands, from + (4u * M + i * N) * LINE, LINE, gl_CooperativeMatrixLayoutColumnMajor);
    [[unroll]] for (uint i = 0u; i < 8u; i++)
        c[i] = coopmat<SUM, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(SUM(0));

    for (uint k = 0u; k < push.repeat; k++) {
        [[unroll]] for (uint step = 0u; step < 8u; step++) {
            [[unroll]] for (uint i = 0u; i < 8u; i++)
                c[i] = coopMatMulAdd(a[(step & 1u) * 2u + i / 4u], b[i & 3u], c[i]);
        }
    }

    uint to = push.off[0] / 4u + (unit * SUBGROUPS + gl_SubgroupID) * 8u * M * LINE_C;
    [[unroll]] for (uint i = 0u; i < 8u; i++)
        coopMatStore(c[i], sums, to + i * M * LINE_C, LINE_C, gl_CooperativeMatrixLayoutRowMajor);
}
