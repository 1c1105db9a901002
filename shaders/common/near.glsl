// Logarithm and exponential in few instructions, for what is judged by its errors alone: 21
// and 16 where those of common/fmath.glsl, which promises bits, take 31 and 20.
// Errors over the ranges given, measured in suites/near_test.go on two drivers: ln 2 u |ln x| +
// 2^-25, exp 3 u relative.

// ln of a normal positive x: x = 2^e (1+f) with sqrt(1/2) <= 1+f < sqrt 2 and the polynomial
// of Cephes' logf; exactly 0 at 1, finite below the normal numbers.
float ln_near(float x) {
    const uint sqrt_half = 0x3F3504F3u;
    uint bits = floatBitsToUint(x) - sqrt_half;
    float e = float(int(bits) >> 23);
    float f = uintBitsToFloat((bits & 0x007FFFFFu) + sqrt_half) - 1.0;
    float z = f * f;
    float p = 0.070376836292;
    p = p * f + -0.11514610310;
    p = p * f + 0.11676998740;
    p = p * f + -0.12420140846;
    p = p * f + 0.14249322787;
    p = p * f + -0.16668057665;
    p = p * f + 0.20000714765;
    p = p * f + -0.24999993993;
    p = p * f + 0.33333331174;
    float y = f * (z * p) + e * -0.000212194442;
    return ((y - 0.5 * z) + f) + e * 0.693359375;
}

// e^x for -87 < x < 88: n = round(x / ln 2) from the low bits of a sum with 1.5 2^23, the
// polynomial of Cephes' expf, 2^n by addition to the exponent.
float exp_near(float x) {
    const float round_off = 12582912.0;
    precise float shifted = x * 1.44269502 + round_off;
    precise float n = shifted - round_off;
    // Exact, and precise: drivers that take n out of both products lose what the second is for.
    precise float most = x - n * 0.693359375;
    float r = most - n * -0.000212194442;
    float p = 0.00019875691500;
    p = p * r + 0.0013981999507;
    p = p * r + 0.0083334519073;
    p = p * r + 0.041665795894;
    p = p * r + 0.16666665459;
    p = p * r + 0.5;
    float y = (p * (r * r) + r) + 1.0;
    return uintBitsToFloat(floatBitsToUint(y) + (floatBitsToUint(shifted) << 23));
}
