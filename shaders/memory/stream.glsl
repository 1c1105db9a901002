// How a kernel that makes every element from those at the same place goes through its
// units of four floats: an invocation makes VECTORS accesses of WIDTH floats, a local size
// apart, and issues all loads before the first store; a work-group takes TURNS such blocks
// one behind the other. What is computed does not depend on any of them.
//
// The shader defines before it includes this file:
//   T1, T2, T4      the element type as a scalar and as vectors
//   INPUTS          1 or 2
//   compute(x, y)   an output from its inputs, for all three types (x alone with INPUTS 1)
// Bindings: 0 output (written), 1 and 2 inputs (read).

layout(constant_id = 1) const uint VECTORS = 4u;
layout(constant_id = 2) const uint TURNS = 1u;
layout(constant_id = 3) const uint WIDTH = 4u;
const uint MOST = 8u; // VECTORS

layout(set = 0, binding = 0, std430) writeonly restrict buffer Out1 { T1 out1[]; };
layout(set = 0, binding = 0, std430) writeonly restrict buffer Out2 { T2 out2[]; };
layout(set = 0, binding = 0, std430) writeonly restrict buffer Out4 { T4 out4[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X1 { T1 x1[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X2 { T2 x2[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer X4 { T4 x4[]; };
#if INPUTS == 2
layout(set = 0, binding = 2, std430) readonly restrict buffer Y1 { T1 y1[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Y2 { T2 y2[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Y4 { T4 y4[]; };
#define OFFSET_Y (push.off[2])
#define SECOND(x) x
#define COMPUTE(x, y) compute(x, y)
#else
#define OFFSET_Y 0u
#define SECOND(x)
#define COMPUTE(x, y) compute(x)
#endif

#define STREAM(N, T, TO, X, Y)                                                    \
    uint count = push.count * (4u / N);                                           \
    uint at_to = push.off[0] / N, at_x = push.off[1] / N, at_y = OFFSET_Y / N;    \
    for (uint turn = 0u; turn < TURNS; turn++) {                                  \
        uint first = (group_index() * TURNS + turn) * (VECTORS * w);              \
        uint i = first + gl_LocalInvocationID.x;                                  \
        if (first + VECTORS * w <= count) {                                       \
            T x[MOST];                                                            \
            SECOND(T y[MOST];)                                                    \
            [[unroll]] for (uint j = 0u; j < VECTORS; j++) x[j] = X[at_x + i + j * w]; \
            SECOND([[unroll]] for (uint j = 0u; j < VECTORS; j++) y[j] = Y[at_y + i + j * w];) \
            [[unroll]] for (uint j = 0u; j < VECTORS; j++) TO[at_to + i + j * w] = COMPUTE(x[j], y[j]); \
        } else {                                                                  \
            for (uint j = 0u; j < VECTORS * w; j += w) {                          \
                if (i + j < count) TO[at_to + i + j] = COMPUTE(X[at_x + i + j], Y[at_y + i + j]); \
            }                                                                     \
        }                                                                         \
    }

void main() {
    const uint w = gl_WorkGroupSize.x;
    if (WIDTH == 4u) {
        STREAM(4u, T4, out4, x4, y4)
    } else if (WIDTH == 2u) {
        STREAM(2u, T2, out2, x2, y2)
    } else {
        STREAM(1u, T1, out1, x1, y1)
    }
}
