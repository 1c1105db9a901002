// Correctly rounded division of a float by a small whole number. Vulkan allows f32
// division 2.5 ULP, which would make an average differ between drivers.

// x / n for 1 <= n <= 128, rounded to nearest even. Falls back to the driver's division
// for infinities, NaN and where x or the quotient is subnormal.
float divide_small(float x, uint n) {
    uint bits = floatBitsToUint(x);
    int exponent = int((bits >> 23) & 0xFFu);
    if (exponent == 255 || exponent < 10) return x / float(n);
    uint mantissa = (bits & 0x007FFFFFu) | 0x00800000u;
    uint scaled = mantissa << 8; // 32 bits: the quotient keeps at least 25
    uint q = scaled / n;
    bool sticky = scaled - q * n != 0u;
    int shift = findMSB(q) - 23; // 1 to 8 bits below the last place of the result
    uint half_ulp = 1u << (shift - 1);
    uint low = q & ((half_ulp << 1) - 1u);
    q >>= shift;
    if (low > half_ulp || (low == half_ulp && (sticky || (q & 1u) == 1u))) q++;
    // A carry out of the mantissa moves into the exponent as it should.
    int e = exponent - 8 + shift;
    return uintBitsToFloat((bits & 0x80000000u) | ((uint(e) << 23) + (q - 0x00800000u)));
}
