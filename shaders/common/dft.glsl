// One pass of a discrete Fourier transform over any field: many transforms of R = 2^LOG_R
// points, each down a column of its own, C columns to a work-group. Included by a shader
// after the field, which defines FIELD and its arithmetic.
//
// A pass is a step of Stockham's form of the four-step algorithm: out of the sum over
// the digit of the index that a column runs through, then a twiddle factor, with the
// result put where the digits come out in natural order. Where a column's points lie is
// a map: by shifts inside a unit, or through the table of places of the blocks of an
// all-to-all.
//
// Bindings: 0 readonly FIELD input, 1 writeonly FIELD output,
//           2 readonly FIELD roots: 512 powers of the root of order 512, then 2^HALF
//             powers of the root w of the whole transform, then powers of w^(2^HALF),
//           3 readonly uint places (of blocks of units, for maps 1 and 2)
// Push:     header; column (added to a unit's columns), in_stride and out_stride
//           (elements a unit), lo (first unit of the share), width (elements in a row
//           of the blocks), limit (indices from there on are zero), scale (2 words)
// Work: LOG_R/2 butterflies a point, each 1 product and 2 sums; every point is read and
// written once, with an exchange through shared memory between rounds of butterflies of up
// to 8 points (16 where the field knows those roots: FIELD_SIXTEENTHS). 8 or 16 points an
// invocation, by its number of invocations.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 128, local_size_x_id = 0) in;
layout(constant_id = 1) const uint LOG_R = 9u;   // points of a transform, 1 to 9
layout(constant_id = 2) const uint LOG_C = 2u;   // columns a work-group, 2 to 7; LOG_R + LOG_C <= 11
layout(constant_id = 3) const uint IN_MAP = 0u;  // 0 shifts, 1 rows of blocks, 2 columns of blocks
layout(constant_id = 4) const uint OUT_MAP = 0u;
layout(constant_id = 5) const uint IN_STAGED = 0u;  // 1: points of a column lie side by side
layout(constant_id = 6) const uint OUT_STAGED = 0u;
layout(constant_id = 7) const uint TWIDDLE = 0u; // 0 none, 1 on outputs, 2 on inputs
layout(constant_id = 8) const uint INVERSE = 0u;
layout(constant_id = 9) const uint FINISH = 0u;  // 1: outputs canonical; 2: and scaled before
layout(constant_id = 10) const uint LOG_K = 0u;  // columns a unit
layout(constant_id = 11) const uint CUT = 31u;   // a unit's column k is number
layout(constant_id = 12) const uint WIDE = 31u;  // ((k >> CUT) << WIDE) + push.column + (k mod 2^CUT)
layout(constant_id = 13) const uint IN_A = 31u;  // map 0: ((number >> A) << S) + (number mod 2^A) + (row << RS)
layout(constant_id = 14) const uint IN_S = 0u;
layout(constant_id = 15) const uint IN_RS = 0u;
layout(constant_id = 16) const uint OUT_A = 31u;
layout(constant_id = 17) const uint OUT_S = 0u;
layout(constant_id = 18) const uint OUT_RS = 0u;
layout(constant_id = 19) const uint TW_UNIT = 0u; // exponent: (unit*TW_UNIT + (number >> TW_A)) * row << TW_S
layout(constant_id = 20) const uint TW_A = 0u;
layout(constant_id = 21) const uint TW_S = 0u;
layout(constant_id = 22) const uint LOG_C1 = 0u;  // rows of the blocks' matrix a unit
layout(constant_id = 23) const uint LOG_BH = 0u;  // units in a step of the row, map 2
layout(constant_id = 24) const uint HALF = 1u;
layout(constant_id = 25) const uint LIMITED = 0u; // 1: index (row << LIM_R) + unit*LIM_U + (number << LIM_P) is kept below limit
layout(constant_id = 26) const uint LIM_R = 0u;
layout(constant_id = 27) const uint LIM_U = 0u;
layout(constant_id = 28) const uint LIM_P = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Src { FIELD src[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Dst { FIELD dst[]; };
layout(set = 0, binding = 2, std430) readonly buffer Roots { FIELD roots[]; };
layout(set = 0, binding = 3, std430) readonly buffer Places { uint places[]; };
PUSH(4, uint column; uint in_stride; uint out_stride; uint lo; uint width; uint limit; uint scale0; uint scale1;)

const uint LANES = gl_WorkGroupSize.x;
const uint TABLE = 9u; // log2 of the powers of the small root
const uint R = 1u << LOG_R;
const uint C = 1u << LOG_C;
const uint EACH = R * C / LANES; // points an invocation, at most 16
const uint ROOMY = LOG_C < 5u ? 5u - LOG_C : 0u; // log2 of rows in 32 banks
const bool BACKWARDS = INVERSE != 0u;

// Rounds: FIRST binary digits, then NEXT, and 3 once more where those do not cover LOG_R.
#ifdef FIELD_SIXTEENTHS
const bool WIDER = EACH == 16u && LOG_R >= 4u && LOG_R <= 8u;
#else
const bool WIDER = false;
#endif
const uint NEXT = WIDER ? 4u : 3u;
const uint FIRST = LOG_R % NEXT == 0u ? NEXT : LOG_R % NEXT;
const uint LAST = LOG_R > FIRST ? NEXT : FIRST;

SHARED_FIELD(R * C)

// Where (row, column) of the tile lies: shuffled so that neither neighbouring rows, nor
// neighbouring columns, nor rows at a distance of eight meet in one bank.
uint tile(uint row, uint col) {
    uint c = col ^ ((row >> ROOMY) & (min(C, 32u) - 1u));
    return ((row ^ ((row >> 3) & 3u)) << LOG_C) + c;
}

// A column of the launch: its unit in the launch, its place among the unit's columns,
// and its number there.
struct Column { uint unit, k, number; };

Column column_of(uint g) {
    uint k = g & ((1u << LOG_K) - 1u);
    return Column(g >> LOG_K, k, ((k >> CUT) << WIDE) + push.column + (k & ((1u << CUT) - 1u)));
}

uint by_rows(Column c, uint row) {
    uint unit = push.first_lo - push.lo + c.unit;
    return places[push.off[3] + (row >> LOG_C1)] + (row & ((1u << LOG_C1) - 1u)) * push.width + (unit << LOG_K) + c.k;
}

uint by_columns(Column c, uint row) {
    uint unit = push.first_lo - push.lo + c.unit;
    uint high = c.k >> CUT;
    uint line = (unit << LOG_C1) + (high >> LOG_BH);
    return places[push.off[3] + (row << LOG_BH) + (high & ((1u << LOG_BH) - 1u))] + line * push.width + (c.k & ((1u << CUT) - 1u));
}

uint in_at(Column c, uint row) {
    if (IN_MAP == 1u) return by_rows(c, row);
    if (IN_MAP == 2u) return by_columns(c, row);
    return c.unit * push.in_stride + ((c.number >> IN_A) << IN_S) + (c.number & ((1u << IN_A) - 1u)) + (row << IN_RS);
}

uint out_at(Column c, uint row) {
    if (OUT_MAP == 1u) return by_rows(c, row);
    if (OUT_MAP == 2u) return by_columns(c, row);
    return c.unit * push.out_stride + ((c.number >> OUT_A) << OUT_S) + (c.number & ((1u << OUT_A) - 1u)) + (row << OUT_RS);
}

FIELD fetch(Column c, uint row) {
    if (LIMITED != 0u && (row << LIM_R) + (push.first_lo + c.unit) * LIM_U + (c.number << LIM_P) >= push.limit) return FIELD_ZERO;
    return src[push.off[0] / FIELD_WORDS + in_at(c, row)];
}

FIELD root(uint e) {
    uint at = push.off[2] / FIELD_WORDS + (1u << TABLE);
    return f_mul(roots[at + (e & ((1u << HALF) - 1u))], roots[at + (1u << HALF) + (e >> HALF)]);
}

FIELD v[16]; // points of this invocation: 16/2^a butterflies of 2^a each

// The butterfly's place among those of its column, for butterfly b of the invocation.
uint spot(uint b) { return (gl_LocalInvocationIndex >> LOG_C) + b * (LANES >> LOG_C); }

void cross2(uint i, uint j) {
    FIELD b = f_canonical(v[j]), a = v[i];
    v[i] = f_add(a, b);
    v[j] = f_sub(a, b);
}

void factor2(uint i, uint j) {
    FIELD b = f_canonical(v[j]), a = v[i];
    v[i] = f_add_factor(a, b);
    v[j] = f_sub_factor(a, b);
}

// Transforms of 2^a points in natural order, decimated in frequency; what they leave is
// good for a factor only.
void butterfly4(uint i, uint i0, uint i1, uint i2, uint i3) {
    FIELD d = f_turn2(v[i + i1], v[i + i3], BACKWARDS);
    FIELD c = f_add(v[i + i1], f_canonical(v[i + i3]));
    cross2(i + i0, i + i2);
    FIELD y0 = v[i + i0], y1 = v[i + i2];
    d = f_canonical(d);
    c = f_canonical(c);
    v[i + i0] = f_add_factor(y0, c);
    v[i + i1] = f_add_factor(y1, d);
    v[i + i2] = f_sub_factor(y0, c);
    v[i + i3] = f_sub_factor(y1, d);
}

void butterfly8(uint i) {
    FIELD t1 = f_turn1(v[i + 1u], v[i + 5u], BACKWARDS);
    FIELD t2 = f_turn2(v[i + 2u], v[i + 6u], BACKWARDS);
    FIELD t3 = f_turn3(v[i + 3u], v[i + 7u], BACKWARDS);
    v[i + 1u] = f_add(v[i + 1u], f_canonical(v[i + 5u]));
    v[i + 2u] = f_add(v[i + 2u], f_canonical(v[i + 6u]));
    v[i + 3u] = f_add(v[i + 3u], f_canonical(v[i + 7u]));
    cross2(i, i + 4u);
    v[i + 5u] = t1;
    v[i + 6u] = t2;
    v[i + 7u] = t3;
    butterfly4(i, 0u, 1u, 2u, 3u); // the even outputs
    butterfly4(i, 4u, 5u, 6u, 7u); // the odd ones
    FIELD x1 = v[i + 1u], x2 = v[i + 2u], x3 = v[i + 3u];
    v[i + 1u] = v[i + 4u];
    v[i + 2u] = x1;
    v[i + 3u] = v[i + 5u];
    v[i + 4u] = x2;
    v[i + 5u] = v[i + 6u];
    v[i + 6u] = x3;
}

#ifdef FIELD_SIXTEENTHS
void swap(uint i, uint j) {
    FIELD x = v[i];
    v[i] = v[j];
    v[j] = x;
}

// Four by four: columns j of rows k, the factors exp(-2 pi i j k / 16), then rows.
void butterfly16() {
    butterfly4(0u, 0u, 4u, 8u, 12u);
    butterfly4(1u, 0u, 4u, 8u, 12u);
    butterfly4(2u, 0u, 4u, 8u, 12u);
    butterfly4(3u, 0u, 4u, 8u, 12u);
    v[5u] = f_sixteenth(v[5u], 1u, BACKWARDS);
    v[6u] = f_sixteenth(v[6u], 2u, BACKWARDS);
    v[7u] = f_sixteenth(v[7u], 3u, BACKWARDS);
    v[9u] = f_sixteenth(v[9u], 2u, BACKWARDS);
    v[10u] = f_sixteenth(v[10u], 4u, BACKWARDS);
    v[11u] = f_sixteenth(v[11u], 6u, BACKWARDS);
    v[13u] = f_sixteenth(v[13u], 3u, BACKWARDS);
    v[14u] = f_sixteenth(v[14u], 6u, BACKWARDS);
    v[15u] = f_sixteenth(v[15u], 9u, BACKWARDS);
    butterfly4(0u, 0u, 1u, 2u, 3u);
    butterfly4(4u, 0u, 1u, 2u, 3u);
    butterfly4(8u, 0u, 1u, 2u, 3u);
    butterfly4(12u, 0u, 1u, 2u, 3u);
    swap(1u, 4u);
    swap(2u, 8u);
    swap(3u, 12u);
    swap(6u, 9u);
    swap(7u, 13u);
    swap(11u, 14u);
}
#endif

void transform(uint a) {
#ifdef FIELD_SIXTEENTHS
    if (a == 4u) {
        butterfly16();
        return;
    }
#endif
    if (a == 3u) {
        butterfly8(0u);
        if (EACH > 8u) butterfly8(8u);
    } else if (a == 2u) {
        [[unroll]] for (uint i = 0u; i < 16u; i += 4u)
            if (i < EACH) butterfly4(i, 0u, 1u, 2u, 3u);
    } else {
        [[unroll]] for (uint i = 0u; i < 16u; i += 2u)
            if (i < EACH) factor2(i, i + 1u);
    }
}

// The twiddle factors inside a tile, after stages of 2^done points.
void turn(uint a, uint done) {
    [[unroll]] for (uint j = 0u; j < 16u; j++) {
        uint e = j & ((1u << a) - 1u), p = spot(j >> a) >> done;
        if (j < EACH) v[j] = e == 0u ? f_settle(v[j]) : f_mul(v[j], roots[push.off[2] / FIELD_WORDS + ((p * e) << (done + TABLE - LOG_R))]);
    }
}

void write_tile(uint a, uint done, uint col) {
    [[unroll]] for (uint j = 0u; j < 16u; j++) {
        uint s = spot(j >> a), e = j & ((1u << a) - 1u);
        uint row = ((((s >> done) << a) + e) << done) + (s & ((1u << done) - 1u));
        if (j < EACH) SHARED_PUT(tile(row, col), v[j])
    }
}

void read_tile(uint a, uint col) {
    [[unroll]] for (uint j = 0u; j < 16u; j++) {
        uint s = spot(j >> a), e = j & ((1u << a) - 1u);
        uint low = LOG_R >= a + 5u ? 0u : LOG_R >= a + 4u ? e & 1u : e; // what tile shuffles by
        uint at = tile((low << (LOG_R - a)) + s, col) + ((e - low) << (LOG_R - a + LOG_C));
        if (j < EACH) v[j] = SHARED_GET(at);
    }
}

// The factors w^(number * row) of a column, for the rows e 2^(LOG_R-a) + spot: a power
// of the row's step each. Where products are rounded none is made of more than three.
void twiddle(uint a, Column c) {
    uint n = (push.first_lo + c.unit) * TW_UNIT + (c.number >> TW_A);
    uint stride = (n << (LOG_R - a)) << TW_S;
    FIELD step = root(stride);
#ifdef FIELD_ROUNDED
    FIELD step2 = root(a > 1u ? 2u * stride : 0u), step4 = root(a > 2u ? 4u * stride : 0u), step8 = root(a > 3u ? 8u * stride : 0u);
#endif
    [[unroll]] for (uint b = 0u; b < 8u; b++) {
        if ((b << a) >= EACH) continue;
        FIELD w = root((n * spot(b)) << TW_S);
#ifdef FIELD_ROUNDED
        FIELD top = w, high = w, even = w; // of the bit of 8 of e, and that of 4, and that of 2
#endif
        [[unroll]] for (uint e = 0u; e < 16u; e++) {
            if (e >= 1u << a) continue;
#ifdef FIELD_ROUNDED
            if (e == 8u) even = high = top = f_mul(w, step8);
            if ((e & 7u) == 4u) even = high = f_mul(top, step4);
            if ((e & 3u) == 2u) even = f_mul(high, step2);
            v[(b << a) + e] = f_mul(v[(b << a) + e], (e & 1u) == 0u ? even : f_mul(even, step));
#else
            if (e > 0u) w = f_mul(w, step);
            v[(b << a) + e] = f_mul(v[(b << a) + e], w);
#endif
        }
    }
}

void main() {
    uint t = gl_LocalInvocationIndex;
    uint first = group_index() << LOG_C, columns = push.count << LOG_K;
    uint col = t & (C - 1u);
    Column own = column_of(first + col);
    bool valid = first + col < columns;
    if (IN_STAGED != 0u) {
        [[unroll]] for (uint i = 0u; i < 16u; i++) { // all on their way before the first is stored
            uint e = i * LANES + t, g = first + (e >> LOG_R);
            if (i < EACH && g < columns) v[i] = fetch(column_of(g), e & (R - 1u));
        }
        [[unroll]] for (uint i = 0u; i < 16u; i++) {
            uint e = i * LANES + t;
            if (i < EACH) SHARED_PUT(tile(e & (R - 1u), e >> LOG_R), v[i])
        }
        barrier();
        read_tile(FIRST, col);
        barrier();
    } else if (valid) {
        [[unroll]] for (uint j = 0u; j < 16u; j++)
            if (j < EACH) v[j] = fetch(own, ((j & ((1u << FIRST) - 1u)) << (LOG_R - FIRST)) + spot(j >> FIRST));
    }
    if (TWIDDLE == 2u && valid) twiddle(FIRST, own);

    transform(FIRST);
    if (LOG_R > FIRST) {
        turn(FIRST, 0u);
        write_tile(FIRST, 0u, col);
        barrier();
        read_tile(NEXT, col);
        transform(NEXT);
    }
    if (LOG_R > FIRST + NEXT) { // then NEXT is 3
        turn(3u, FIRST);
        barrier();
        write_tile(3u, FIRST, col);
        barrier();
        read_tile(3u, col);
        transform(3u);
    }

    if (TWIDDLE == 1u && valid) twiddle(LAST, own);
    else [[unroll]] for (uint j = 0u; j < 16u; j++)
        if (j < EACH) v[j] = FINISH == 2u ? f_mul(v[j], PUSHED_SCALE) : f_settle(v[j]);
    if (FINISH != 0u) [[unroll]] for (uint j = 0u; j < 16u; j++)
        if (j < EACH) v[j] = f_canonical(v[j]);
    uint to = push.off[1] / FIELD_WORDS;
    if (OUT_STAGED != 0u) {
        barrier();
        write_tile(LAST, LOG_R - LAST, col);
        barrier();
        [[unroll]] for (uint i = 0u; i < 16u; i++) {
            uint e = i * LANES + t, g = first + (e >> LOG_R);
            if (i < EACH && g < columns) dst[to + out_at(column_of(g), e & (R - 1u))] = SHARED_GET(tile(e & (R - 1u), e >> LOG_R));
        }
    } else if (valid) {
        [[unroll]] for (uint j = 0u; j < 16u; j++)
            if (j < EACH) dst[to + out_at(own, ((j & ((1u << LAST) - 1u)) << (LOG_R - LAST)) + spot(j >> LAST))] = v[j];
    }
}
