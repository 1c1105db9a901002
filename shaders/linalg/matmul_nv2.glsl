// C = A B by one cooperative matrix of the whole work-group (VK_NV_cooperative_matrix2): for
// every DEEP terms a slice of A and one of B straight from the buffers, and one multiply-add.
// The driver unrolls the loop and makes loads and arithmetic overlap. All tiles are whole:
// rows are a multiple of HEIGHT, n of WIDTH, kn of DEEP, and whatever offsets there are, of 128.
// Bindings, push words, constants and which product: linalg/matmul.glsl. B is stored by
// columns with TRANSPOSED_B.
//
// Types:    NUMBER of A and B, SUM of C.
// Constants: 3 LDA, 4 N, 5 KN, 6 ADD: lda, n, kn and add of the push words once more, as
//           constants, which is up to 14 % faster on an H100.
// Grid:     ceil(rows / HEIGHT) * ceil(n / WIDTH) work-groups of 256 invocations.
// Cost:     2 kn operations per output; A is read n/WIDTH times, B rows/HEIGHT times.
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#define QUAD NUMBER
#define VEC4 SUM
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

layout(constant_id = 3) const uint LDA = 128u;
layout(constant_id = 4) const uint N = 256u;
layout(constant_id = 5) const uint KN = 128u;
layout(constant_id = 6) const uint ADD = 0u;

// No bound is checked, so that of the rows does not matter.
const uint ROWS = 1u << 20;

// Tells the compiler that an offset is aligned.
uint aligned(uint offset) { return offset & ~127u; }

void main() {
    Place p = place(HEIGHT, WIDTH);
    if (p.row >= p.rows) return; // the whole work-group

    tensorLayoutNV<2> whole_a = createTensorLayoutNV(2);
    tensorLayoutNV<2> whole_b = createTensorLayoutNV(2);
    tensorLayoutNV<2> whole_c = createTensorLayoutNV(2);
    whole_a = setTensorLayoutDimensionNV(whole_a, ROWS, LDA);
    whole_c = setTensorLayoutDimensionNV(whole_c, ROWS, N);
    uint pa = aligned(p.a + push.k0), pc = aligned(p.c);
#ifdef TRANSPOSED_B
    whole_b = setTensorLayoutDimensionNV(whole_b, ROWS, LDA);
    tensorViewNV<2, false, 1, 0> turned = createTensorViewNV(2, false, 1, 0);
    uint pb = aligned(p.b + push.k0);
#else
    whole_b = setTensorLayoutDimensionNV(whole_b, ROWS, N);
    uint pb = aligned(p.b);
#endif

    coopmat<SUM, gl_ScopeWorkgroup, HEIGHT, WIDTH, gl_MatrixUseAccumulator> c =
        coopmat<SUM, gl_ScopeWorkgroup, HEIGHT, WIDTH, gl_MatrixUseAccumulator>(SUM(0));
    if (ADD > 0u) coopMatLoadTensorNV(c, vc, pc, sliceTensorLayoutNV(whole_c, p.row, HEIGHT, p.column, WIDTH));

    for (uint k = 0u; k < KN; k += DEEP) {
        coopmat<NUMBER, gl_ScopeWorkgroup, HEIGHT, DEEP, gl_MatrixUseA> a;
        coopmat<NUMBER, gl_ScopeWorkgroup, DEEP, WIDTH, gl_MatrixUseB> b;
        coopMatLoadTensorNV(a, va, pa, sliceTensorLayoutNV(whole_a, p.row, HEIGHT, k, DEEP));
#ifdef TRANSPOSED_B
        coopMatLoadTensorNV(b, vb, pb, sliceTensorLayoutNV(whole_b, p.column, WIDTH, k, DEEP), turned);
#else
        coopMatLoadTensorNV(b, vb, pb, sliceTensorLayoutNV(whole_b, k, DEEP, p.column, WIDTH));
#endif
        c = coopMatMulAdd(a, b, c);
    }
    coopMatStoreTensorNV(c, vc, pc, sliceTensorLayoutNV(whole_c, p.row, HEIGHT, p.column, WIDTH));
}
