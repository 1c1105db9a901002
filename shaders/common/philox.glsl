// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11), the twin of suites.Philox and
// suites.Stream.

uvec4 philox(uvec4 ctr, uvec2 key) {
    for (int round = 0; round < 10; round++) {
        uint hi0, lo0, hi1, lo1;
        umulExtended(0xD2511F53u, ctr.x, hi0, lo0);
        umulExtended(0xCD9E8D57u, ctr.z, hi1, lo1);
        ctr = uvec4(hi1 ^ ctr.y ^ key.x, lo1, hi0 ^ ctr.w ^ key.y, lo0);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return ctr;
}

// The raw word of one element: index and seed are 64-bit, low word first.
uint stream_word(uvec2 index, uint array, uint workload, uvec2 seed) {
    return philox(uvec4(index, array, workload), seed).x;
}

// The word as float32 in [lo,hi): lo + (hi-lo)*u with u = (word>>8)*2^-24, product and
// sum each rounded, so that the CPU reproduces it bit for bit.
float stream_f32(uint word, float lo, float hi) {
    precise float u = float(word >> 8) * 5.9604644775390625e-8;
    precise float scaled = (hi - lo) * u;
    precise float value = lo + scaled;
    return value;
}
