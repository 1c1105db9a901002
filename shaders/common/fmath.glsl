// Elementary functions in float32 from additions and multiplications alone, which every
// driver rounds correctly: the same bits on every device, and within 2 ULP of the exact
// value. Vulkan's own allow 2^-11 for sin and 4096 ULP for atan.
// The twins in Go, step by step: suites/fmath.go and fmath_trig.go. Errors are measured in
// suites/fmath_test.go, on the host and on two drivers.
//
//   am_rcp(d)            1/d for 2^-100 <= |d| <= 2^100
//   am_sin, am_cos(x)    |x| < 8192; error 2 ULP + 2^-35, below |x| = 4 2 ULP
//   am_sincos(x, s, c)   both at little more than the price of one
//   am_exp(x)            0 where e^x is below 2^-126, infinity above the largest float
//   am_log(x)            -infinity for 0 <= x < 2^-126, NaN below
//   am_tanh, am_atan(x)  all x
//   am_exp_near(x)       -87 < x < 88
//   am_log_normal(x)     2^-126 <= x, finite
//   am_tanh_near(x)      |x| < 0.625
// A kernel that is judged by its errors alone may define AM_PRECISE as nothing before it
// includes this file: the driver then fuses, which is faster, within the same 2 ULP, and gives
// bits of its own. What stays precise are the exact steps of a reduction: a driver that takes
// n out of n * high + n * low loses what the two parts are for (Mesa's: 770 ULP of sin).
// Results for NaN are undefined. Operations: rcp 15, sin or cos 30, sincos 36, exp 25,
// log 45, tanh 12 below 0.55, else 60, atan 50.

#ifndef AM_PRECISE
#define AM_PRECISE precise
#endif

// Three steps of Newton from a guess made of the exponent, 12 % off at most.
float am_rcp(float d) {
    uint bits = floatBitsToUint(d) & 0x7FFFFFFFu;
    AM_PRECISE float a = uintBitsToFloat(bits);
    AM_PRECISE float y = uintBitsToFloat(0x7EF311C7u - bits);
    AM_PRECISE float e = 1.0 - a * y;
    y = y + y * e;
    e = 1.0 - a * y;
    y = y + y * e;
    e = 1.0 - a * y;
    y = y + y * e;
    return uintBitsToFloat(floatBitsToUint(y) | (floatBitsToUint(d) & 0x80000000u));
}

// Reduction by pi/2 in three parts, Taylor series to r^9 and r^10 on |r| <= pi/4.
void am_sincos(float x, out float sine, out float cosine) {
    AM_PRECISE float n = floor(x * 0.636619747 + 0.5);
    precise float most = (x - n * 1.5703125) - n * 0.000483751297;
    AM_PRECISE float r = most - n * 7.54979013e-08;
    AM_PRECISE float z = r * r;
    AM_PRECISE float ps = ((2.75573188e-06 * z + -0.000198412701) * z + 0.00833333377) * z + -0.166666672;
    AM_PRECISE float pc = ((-2.75573200e-07 * z + 2.48015876e-05) * z + -0.00138888892) * z + 0.0416666679;
    AM_PRECISE float s = (ps * z) * r + r;
    AM_PRECISE float c = 1.0 - (z * 0.5 - (z * z) * pc);
    uint quadrant = uint(int(n));
    bool odd = (quadrant & 1u) != 0u;
    float swapped_s = odd ? c : s;
    float swapped_c = odd ? s : c;
    sine = uintBitsToFloat(floatBitsToUint(swapped_s) ^ ((quadrant << 30) & 0x80000000u));
    cosine = uintBitsToFloat(floatBitsToUint(swapped_c) ^ (((quadrant + 1u) << 30) & 0x80000000u));
}

float am_sin(float x) {
    float s, c;
    am_sincos(x, s, c);
    return s;
}

float am_cos(float x) {
    float s, c;
    am_sincos(x, s, c);
    return c;
}

float am_pow2(int n) { return uintBitsToFloat(uint(n + 127) << 23); }

// n = round(x / ln 2), ln 2 in two parts, Taylor series to r^7: e^x = y 2^n.
float am_exp_parts(float x, out int exponent) {
    AM_PRECISE float n = floor(x * 1.44269502 + 0.5);
    precise float most = x - n * 0.693359375;
    AM_PRECISE float r = most - n * -0.000212194442;
    AM_PRECISE float p = ((((0.000198412701 * r + 0.00138888892) * r + 0.00833333377) * r + 0.0416666679) * r + 0.166666672) * r + 0.5;
    AM_PRECISE float y = ((r * r) * p + r) + 1.0;
    exponent = int(n);
    return y;
}

float am_exp_near(float x) {
    int exponent;
    AM_PRECISE float y = am_exp_parts(x, exponent);
    AM_PRECISE float scaled = y * am_pow2(exponent);
    return scaled;
}

// Scaling in two exact steps reaches the largest float.
float am_exp(float x) {
    const float most = 88.7228317, least = -87.3365402;
    int exponent;
    AM_PRECISE float y = am_exp_parts(clamp(x, least, most), exponent);
    int half_exponent = exponent >> 1;
    AM_PRECISE float scaled = (y * am_pow2(half_exponent)) * am_pow2(exponent - half_exponent);
    return x > most ? uintBitsToFloat(0x7F800000u) : x < least ? 0.0 : scaled;
}

// x = 2^e m with sqrt(1/2) <= m < sqrt 2, f = m-1, s = f/(2+f):
// log m = f - f^2/2 + s (f^2/2 + 2 (s^2/3 + s^4/5 + s^6/7 + s^8/9)).
float am_log_normal(float x) {
    const uint sqrt_half = 0x3F3504F3u;
    uint bits = floatBitsToUint(x) - sqrt_half;
    AM_PRECISE float e = float(int(bits) >> 23);
    AM_PRECISE float f = uintBitsToFloat((bits & 0x007FFFFFu) + sqrt_half) - 1.0;
    AM_PRECISE float s = f * am_rcp(f + 2.0);
    AM_PRECISE float z = s * s;
    AM_PRECISE float f2 = (f * f) * 0.5;
    AM_PRECISE float tail = z * (((0.222222224 * z + 0.285714298) * z + 0.400000006) * z + 0.666666687);
    AM_PRECISE float low = e * -0.000212194442 + s * (f2 + tail);
    AM_PRECISE float y = (f - (f2 - low)) + e * 0.693359375;
    return y;
}

float am_log(float x) {
    uint word = floatBitsToUint(x);
    if (word < 0x00800000u || word == 0x80000000u) return uintBitsToFloat(0xFF800000u);
    if (word > 0x80000000u) return uintBitsToFloat(0x7FC00000u);
    return word >= 0x7F800000u ? x : am_log_normal(x);
}

// tanh for |x| < 0.625: the polynomial of Cephes' tanhf.
float am_tanh_near(float x) {
    AM_PRECISE float z = x * x;
    AM_PRECISE float p = (((-0.00570498873 * z + 0.0206390880) * z + -0.0537397154) * z + 0.133314416) * z + -0.333332807;
    AM_PRECISE float y = (p * z) * x + x;
    return y;
}

// 1 - 2/(e^2x + 1) from 0.55 on.
float am_tanh(float x) {
    AM_PRECISE float a = abs(x);
    if (a < 0.55) return am_tanh_near(x);
    AM_PRECISE float y = 1.0;
    if (a < 9.0109) {
        AM_PRECISE float e = am_exp(2.0 * a) + 1.0;
        y = 1.0 - 2.0 * am_rcp(e);
    }
    return uintBitsToFloat(floatBitsToUint(y) | (floatBitsToUint(x) & 0x80000000u));
}

// |x| or its inverse is p/q <= 1; with the tangent c of 0, 20 or 40 degrees the series
// to t^9 serves t = (p - c q)/(q + c p), |t| <= 0.18.
float am_atan(float x) {
    AM_PRECISE float a = min(abs(x), 1152921504606846976.0);
    bool inverse = a > 1.0;
    AM_PRECISE float p = inverse ? 1.0 : a;
    AM_PRECISE float q = inverse ? a : 1.0;
    AM_PRECISE float first = 0.176326975 * q, second = 0.577350259 * q;
    float c = p > second ? 0.838505983 : p > first ? 0.363672674 : 0.0;
    float angle = p > second ? 0.697783232 : p > first ? 0.348803073 : 0.0;
    AM_PRECISE float above = p - c * q;
    AM_PRECISE float below = q + c * p;
    AM_PRECISE float t = above * am_rcp(below);
    AM_PRECISE float z = t * t;
    AM_PRECISE float series = (((0.111111112 * z + -0.142857149) * z + 0.200000003) * z + -0.333333343) * z;
    AM_PRECISE float y = angle + (series * t + t);
    AM_PRECISE float rest = 1.57079637 - (y + 4.37113883e-08);
    return uintBitsToFloat(floatBitsToUint(inverse ? rest : y) | (floatBitsToUint(x) & 0x80000000u));
}
