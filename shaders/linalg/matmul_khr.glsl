// C = A B by cooperative matrices of a subgroup (VK_KHR_cooperative_matrix): tiles of A and
// B lie in shared memory, rows skewed by 16 bytes, fragments are loaded from there; the next
// tile is loaded to registers before the arithmetic of this one. With STAGED all fragments of
// a tile are in registers before its arithmetic, beside which the next one is stored. All tiles are whole: rows
// are a multiple of HEIGHT, n of WIDTH, kn and k0 of DEEP.
// Bindings, push words, constants and which product: linalg/matmul.glsl. B is stored by
// columns with TRANSPOSED_B.
//
// Types:  NUMBER of A and B, SUM of C; EACH numbers of A or B in 16 bytes, FRAGMENT_K terms in
//         a fragment of 16 x 16.
// Tile:   HEIGHT x WIDTH x DEEP by THREADS invocations in subgroups of 32, which make
//         SUB_HEIGHT x SUB_WIDTH each.
// Constant: 6 ADD: add of the push words once more.
// Grid:   ceil(rows / HEIGHT) * ceil(n / WIDTH) work-groups for count rows or for each product.
// Cost:   2 kn operations per output; A is read n/WIDTH times, B rows/HEIGHT times.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#define QUAD uvec4
#define VEC4 SUM
#include "common/index.glsl"
#include "common/push.glsl"
#include "linalg/matmul.glsl"

layout(constant_id = 6) const uint ADD = 0u;

const uint ROW_A = DEEP / EACH;   // loads of 16 bytes in a row of a tile
const uint LINE_A = ROW_A + 1u;   // with the skew
const uint LOADS_A = HEIGHT * ROW_A / THREADS;
#ifdef TRANSPOSED_B
const uint ROWS_B = WIDTH, ROW_B = DEEP / EACH;
#else
const uint ROWS_B = DEEP, ROW_B = WIDTH / EACH;
#endif
const uint LINE_B = ROW_B + 1u;
const uint LOADS_B = ROWS_B * ROW_B / THREADS;
const uint ACROSS = WIDTH / SUB_WIDTH; // subgroups side by side
const uint HIGH = SUB_HEIGHT / 16u, WIDE = SUB_WIDTH / 16u;

shared uvec4 tile_a[HEIGHT * LINE_A];
shared uvec4 tile_b[ROWS_B * LINE_B];

const uint STEPS = DEEP / FRAGMENT_K;

// The next tile from the buffers to registers, and from there to shared memory.
#define LOAD_NEXT                                                                                   \
    [[unroll]] for (uint j = 0u; j < LOADS_A; j++) next_a[j] = va[pa + j * DOWN_A * lda];           \
    [[unroll]] for (uint j = 0u; j < LOADS_B; j++) next_b[j] = vb[pb + j * DOWN_B * ldb];
#define STORE_NEXT                                                                                  \
    [[unroll]] for (uint j = 0u; j < LOADS_A; j++) tile_a[sa + j * DOWN_A * LINE_A] = next_a[j];    \
    [[unroll]] for (uint j = 0u; j < LOADS_B; j++) tile_b[sb + j * DOWN_B * LINE_B] = next_b[j];
#define ADVANCE    \
    pa += ROW_A;   \
    pb += step_b;

// Fragment i of the subgroup's rows, j of its columns, at term k of the tile.
#define LOAD_A(into, i, k) \
    coopMatLoad(into, tile_a, (row + 16u * (i)) * LINE_A + (k) / EACH, LINE_A, gl_CooperativeMatrixLayoutRowMajor);
#ifdef TRANSPOSED_B
#define LOAD_B(into, j, k) \
    coopMatLoad(into, tile_b, (column + 16u * (j)) * LINE_B + (k) / EACH, LINE_B, gl_CooperativeMatrixLayoutColumnMajor);
#else
#define LOAD_B(into, j, k) \
    coopMatLoad(into, tile_b, (k) * LINE_B + (column + 16u * (j)) / EACH, LINE_B, gl_CooperativeMatrixLayoutRowMajor);
#endif

void main() {
    Place p = place(HEIGHT, WIDTH);
    if (p.row >= p.rows) return; // the whole work-group
    uint t = gl_LocalInvocationID.x;

    // Where this invocation's loads begin; the next are THREADS / ROW rows further down.
    uint lda = push.lda / EACH;
    uint pa = (p.a + push.k0) / EACH + (p.row + t / ROW_A) * lda + t % ROW_A;
    uint sa = t / ROW_A * LINE_A + t % ROW_A;
    const uint DOWN_A = THREADS / ROW_A, DOWN_B = THREADS / ROW_B;
#ifdef TRANSPOSED_B
    uint ldb = lda, step_b = ROW_B;
    uint pb = (p.b + push.k0) / EACH + (p.column + t / ROW_B) * ldb + t % ROW_B;
#else
    uint ldb = push.n / EACH, step_b = DEEP * ldb;
    uint pb = (p.b + p.column) / EACH + t / ROW_B * ldb + t % ROW_B;
#endif
    uint sb = t / ROW_B * LINE_B + t % ROW_B;

    // The subgroup's part of the tile.
    uint row = gl_SubgroupID / ACROSS * SUB_HEIGHT;
    uint column = gl_SubgroupID % ACROSS * SUB_WIDTH;
    uint pc = p.c + (p.row + row) * push.n + p.column + column;

    coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c[HIGH][WIDE];
    [[unroll]] for (uint i = 0u; i < HIGH; i++) {
        [[unroll]] for (uint j = 0u; j < WIDE; j++) {
            c[i][j] = coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(SUM(0));
            if (ADD > 0u) coopMatLoad(c[i][j], vc, pc + 16u * (i * push.n + j), push.n, gl_CooperativeMatrixLayoutRowMajor);
        }
    }

    uvec4 next_a[LOADS_A], next_b[LOADS_B];
    LOAD_NEXT
#ifdef STAGED
    STORE_NEXT
    uint left = p.kn / DEEP;
    if (left > 1u) {
        ADVANCE
        LOAD_NEXT
    }
    for (;;) {
        barrier();
        coopmat<NUMBER, gl_ScopeSubgroup, 16, FRAGMENT_K, gl_MatrixUseA> a[STEPS][HIGH];
        coopmat<NUMBER, gl_ScopeSubgroup, FRAGMENT_K, 16, gl_MatrixUseB> b[STEPS][WIDE];
        [[unroll]] for (uint k = 0u; k < STEPS; k++) {
            [[unroll]] for (uint i = 0u; i < HIGH; i++) LOAD_A(a[k][i], i, k * FRAGMENT_K)
            [[unroll]] for (uint j = 0u; j < WIDE; j++) LOAD_B(b[k][j], j, k * FRAGMENT_K)
        }
        left--;
        if (left > 0u) {
            barrier();
            STORE_NEXT
            if (left > 1u) {
                ADVANCE
                LOAD_NEXT
            }
        }
        [[unroll]] for (uint k = 0u; k < STEPS; k++) {
            [[unroll]] for (uint j = 0u; j < WIDE; j++) {
                [[unroll]] for (uint i = 0u; i < HIGH; i++) c[i][j] = coopMatMulAdd(a[k][i], b[k][j], c[i][j]);
            }
        }
        if (left == 0u) break;
    }
#else
    for (uint left = p.kn / DEEP;;) {
        STORE_NEXT
        barrier();

        left--;
        if (left > 0u) {
            ADVANCE
            LOAD_NEXT
        }

        [[unroll]] for (uint k = 0u; k < DEEP; k += FRAGMENT_K) {
            coopmat<NUMBER, gl_ScopeSubgroup, 16, FRAGMENT_K, gl_MatrixUseA> a[HIGH];
            [[unroll]] for (uint i = 0u; i < HIGH; i++) LOAD_A(a[i], i, k)
            [[unroll]] for (uint j = 0u; j < WIDE; j++) {
                coopmat<NUMBER, gl_ScopeSubgroup, FRAGMENT_K, 16, gl_MatrixUseB> b;
                LOAD_B(b, j, k)
                [[unroll]] for (uint i = 0u; i < HIGH; i++) c[i][j] = coopMatMulAdd(a[i], b, c[i][j]);
            }
        }
        if (left == 0u) break;
        barrier();
    }
#endif

    [[unroll]] for (uint i = 0u; i < HIGH; i++) {
        [[unroll]] for (uint j = 0u; j < WIDE; j++)
            coopMatStore(c[i][j], vc, pc + 16u * (i * push.n + j), push.n, gl_CooperativeMatrixLayoutRowMajor);
    }
}
