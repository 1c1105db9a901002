#version 460
// zk/rows: products of three sparse matrices of R1CS with the vector of variables, three
// entries a row, over Goldilocks. Variable 0 is the constant 1; the third entry of C
// stands in its column.
//
// Bindings: 0 readonly uvec4 columns (2 a row: 3 of A, 3 of B, 2 of C),
//           1 readonly uvec4 coefficients (4 a row, in that order, low word first),
//           2 readonly uvec2 variables (all), 3 uvec2 closing (third coefficient of C),
//           4 writeonly uvec2 a, 5 b, 6 c, 7 residual a b - c (of all, 1 a row)
// Push:     header; log_n1, log_n2, log_rows (rows a unit), constraints (rows from there
//           on are zero; row k1 + n1 k2 lies at k1 n2 + k2)
// Constant: 1 CLOSE: 1 = writes closing so that a b = c and nothing else
// Work: 8 products a row; 96 B and 8 scattered variables read, 32 B written.
#include "common/index.glsl"
#include "common/push.glsl"
#include "zk/goldilocks.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint CLOSE = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Columns { uvec4 columns[]; };
layout(set = 0, binding = 1, std430) readonly buffer Coefficients { uvec4 coefficients[]; };
layout(set = 0, binding = 2, std430) readonly buffer Variables { uvec2 variables[]; };
layout(set = 0, binding = 3, std430) buffer Closing { uvec2 closing[]; };
layout(set = 0, binding = 4, std430) writeonly buffer OutA { uvec2 out_a[]; };
layout(set = 0, binding = 5, std430) writeonly buffer OutB { uvec2 out_b[]; };
layout(set = 0, binding = 6, std430) writeonly buffer OutC { uvec2 out_c[]; };
layout(set = 0, binding = 7, std430) writeonly buffer Residual { uvec2 residual[]; };
PUSH(8, uint log_n1; uint log_n2; uint log_rows; uint constraints;)

uvec2 term(uint column, uvec2 coefficient) {
    uvec2 z = column == 0u ? uvec2(1u, 0u) : variables[push.off[2] / 2u + column];
    return f_canonical(f_mul(coefficient, z));
}

void main() {
    uint t = invocation_index();
    if (t >> push.log_rows >= push.count) return;
    uint at = push.off[0] / 4u + 2u * t, from = push.off[1] / 4u + 4u * t;
    uvec4 p = columns[at], q = columns[at + 1u];
    uvec4 v0 = coefficients[from], v1 = coefficients[from + 1u], v2 = coefficients[from + 2u], v3 = coefficients[from + 3u];
    uvec2 a = f_canonical(f_add(f_add(term(p.x, v0.xy), term(p.y, v0.zw)), term(p.z, v1.xy)));
    uvec2 b = f_canonical(f_add(f_add(term(p.w, v1.zw), term(q.x, v2.xy)), term(q.y, v2.zw)));
    uvec2 c = f_canonical(f_add(term(q.z, v3.xy), term(q.w, v3.zw)));
    uvec2 product = f_mul(a, b);
    if (CLOSE != 0u) {
        closing[push.off[3] / 2u + t] = f_canonical(f_sub(product, c));
        return;
    }
    c = f_canonical(f_add(closing[push.off[3] / 2u + t], c));
    // The row's index: units hold whole residues mod n1, rows of one side by side.
    uint stored = (push.first_lo << push.log_rows) + t;
    uint row = (stored >> push.log_n2) + ((stored & ((1u << push.log_n2) - 1u)) << push.log_n1);
    if (row >= push.constraints) {
        a = uvec2(0u);
        b = a;
        c = a;
        product = a;
    }
    out_a[push.off[4] / 2u + t] = a;
    out_b[push.off[5] / 2u + t] = b;
    out_c[push.off[6] / 2u + t] = c;
    residual[push.off[7] / 2u + t] = f_canonical(f_sub(product, c));
}
