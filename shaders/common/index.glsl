// Linear work-group and invocation numbers. The engine folds a long grid into two
// dimensions (65535 work-groups a dimension) and may launch a few surplus groups:
// every kernel takes its position from here and compares it with its count.

// The number of this work-group in the folded grid.
uint group_index() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// The number of this invocation in a grid of one-dimensional work-groups. A macro,
// because in a function that precedes the layout declaration the compiler takes the
// size of a work-group for 1.
#define invocation_index() (group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x)

// The 64-bit sum (lo, hi) + i, low word first: global indices pass 2^32.
uvec2 index_add(uint lo, uint hi, uint i) {
    uint carry;
    uint sum = uaddCarry(lo, i, carry);
    return uvec2(sum, hi + carry);
}
