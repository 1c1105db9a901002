// Combines the partials of canonical chunks along the canonical tree: for s = 1, 2, 4, ...
// below C, chunk i (a multiple of 2s) absorbs chunk i+s. A device first does the pairs
// wholly inside its own share (mode 0); when the partials are together, every device does
// the pairs inside no share (mode 1). The two cover every pair once, so chunk 0 ends with
// the same bits for every division.
//
// Bindings: 0 p (ELEMENT, read and written): C chunks of `stride` elements, of which this
//             keeps the roots of what it combined;
//           1 bounds (uint, read): the n+1 chunk boundaries of the shares;
//           2 x (ELEMENT, read): the chunks of share d, which mode 0 combines; it may be p;
//           3 result (ELEMENT, written): chunk 0, where no pair is left: n is 1 or mode 1.
// Push:     C, stride, off (element offset of chunk 0 in p)
//           op, elem  of COMBINE(x, y)
//           mode  0 the pairs inside share d, 1 the pairs inside no share
//           d, n  this share, number of shares
//           count element columns from off on
//           from  element offset in x of the first chunk of share d
//           to    element offset in result of column off
// Grid:     one work-group per 32 element columns, whose elements of a chunk lie together;
//           per column where there are fewer than 32; per 256, each an invocation's own,
//           where there are 16384 or more and C is at most 16.
// Cost:     C-1 operations and about 4 C bytes per column. Chunks are combined in shared memory,
//           16 KiB of them at a time; what is left after that, and columns of an invocation's
//           own, in the buffer.
#include "common/index.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) coherent buffer Partials { ELEMENT p[]; };
layout(set = 0, binding = 1, std430) readonly buffer Bounds { uint bounds[]; };
layout(set = 0, binding = 2, std430) readonly buffer Share { ELEMENT x[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Result { ELEMENT result[]; };
layout(push_constant) uniform Push { uint chunks, stride, off, op, elem, mode, d, n, count, from, to; } push;

const uint CAPACITY = 16384u / BYTES; // what every device has
shared ELEMENT tile[CAPACITY];
const uint FLIGHT = 8u;

// Whether the chunks [lo,hi) lie wholly inside share j.
bool inside(uint lo, uint hi, uint j) { return bounds[j] <= lo && hi <= bounds[j + 1u]; }

bool selected(uint lo, uint hi) {
    if (push.n == 1u) return true; // mode 0
    if (push.mode == 0u) return inside(lo, hi, push.d);
    for (uint j = 0u; j < push.n; j++) {
        if (inside(lo, hi, j)) return false;
    }
    return true;
}

// Whether a pair inside the chunks [lo,hi) may be selected.
bool touched(uint lo, uint hi) {
    if (push.mode == 0u) return lo < bounds[push.d + 1u] && bounds[push.d] < hi;
    return selected(lo, hi);
}

// Brings the chunks [lo,hi) of those held to shared memory, FLIGHT loads of an invocation
// together; element is the one of the chunk `at`.
#define LOAD(element)                                                                      \
    for (uint i = lo + lane; live && i < hi; i += FLIGHT * lanes) {                        \
        ELEMENT v[FLIGHT];                                                                 \
        [[unroll]] for (uint j = 0u; j < FLIGHT; j++) {                                    \
            uint at = min(i + j * lanes, hi - 1u);                                         \
            v[j] = element;                                                                \
        }                                                                                  \
        [[unroll]] for (uint j = 0u; j < FLIGHT; j++) {                                    \
            if (i + j * lanes < hi) tile[(i + j * lanes) * columns + within] = v[j];       \
        }                                                                                  \
    }

void main() {
    uint columns = push.stride < 32u ? 1u : push.stride < 16384u || push.chunks > 16u ? 32u : gl_WorkGroupSize.x;
    uint within = gl_LocalInvocationID.x % columns;
    uint column = group_index() * columns + within;
    bool live = column < push.count;
    uint base = push.off + column;
    uint lane = gl_LocalInvocationID.x / columns, lanes = gl_WorkGroupSize.x / columns;
    uint together = lanes > 1u ? CAPACITY / columns : 1u; // a power of two
    uint own = bounds[push.d], own_end = bounds[push.d + 1u];

    for (uint i = own; together == 1u && push.mode == 0u && live && i < own_end; i++)
        p[base + i * push.stride] = x[push.from + push.off + column + (i - own) * push.stride];
    for (uint first = 0u; together > 1u && first < push.chunks; first += together) {
        uint held = min(together, push.chunks - first);
        if (!touched(first, first + held)) continue; // the whole work-group
        uint lo = 0u, hi = held;
        if (push.mode == 0u) {
            lo = max(own, first) - first;
            hi = min(own_end - first, held);
        }
        if (push.mode == 0u) LOAD(x[push.from + push.off + column + (first + at - own) * push.stride])
        else LOAD(p[base + (first + at) * push.stride])
        barrier();
        for (uint s = 1u; s < held; s <<= 1) {
            for (uint i = lane * 2u * s; live && i + s < held; i += lanes * 2u * s) {
                if (!selected(first + i, first + min(i + 2u * s, held))) continue;
                uint at = i * columns + within;
                tile[at] = COMBINE(tile[at], tile[at + s * columns]);
            }
            barrier();
        }
        // What another chunk has absorbed is not needed any more.
        if (push.n == 1u) hi = min(hi, 1u); // the first has absorbed all
        for (uint i = lo + lane; live && i < hi; i += lanes) {
            uint low = i & (0u - i);
            if (i == 0u || !selected(first + i - low, first + min(i + low, held))) p[base + (first + i) * push.stride] = tile[i * columns + within];
        }
        memoryBarrierBuffer();
        barrier();
    }

    for (uint s = together; s < push.chunks; s <<= 1) {
        for (uint i = lane * 2u * s; live && i + s < push.chunks; i += lanes * 2u * s) {
            if (!selected(i, min(i + 2u * s, push.chunks))) continue;
            uint at = base + i * push.stride;
            p[at] = COMBINE(p[at], p[at + s * push.stride]);
        }
        if (lanes > 1u) {
            memoryBarrierBuffer();
            barrier();
        }
    }
    if ((push.n == 1u || push.mode == 1u) && live && lane == 0u) result[push.to + column] = p[base];
}
