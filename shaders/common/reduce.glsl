// The operators of a reduction on 32-bit words.
//
// op: 0 sum, 1 minimum, 2 maximum; elem: 0 f32, 1 u32.
uint reduce_words(uint x, uint y, uint op, uint elem) {
    if (elem == 1u) {
        if (op == 0u) return x + y;
        return op == 1u ? min(x, y) : max(x, y);
    }
    float fx = uintBitsToFloat(x);
    float fy = uintBitsToFloat(y);
    if (op == 0u) {
        precise float sum = fx + fy;
        return floatBitsToUint(sum);
    }
    // Selecting words keeps the bits of what is chosen.
    bool second = op == 1u ? fy < fx : fy > fx;
    return second ? y : x;
}
