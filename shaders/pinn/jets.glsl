// The jets of pinn/train: what a point carries through the network. A point has C = 1 +
// 2 DIN channels, the value and the first and the unmixed second derivative with respect
// to each of the DIN coordinates (space, then time). Of a hidden layer are kept a = tanh z
// in the value's channel and z's derivatives in the others.
//
// s1 = 1 - a^2, s2 = -2 a s1, s3 = s1 (6 a^2 - 2) are the derivatives of tanh at z.

layout(constant_id = 1) const uint DIN = 3u;
const uint C = 1u + 2u * DIN;
const uint MOST = 7u; // largest C

// The channels behind tanh: a_x = s1 z_x, a_xx = s1 z_xx + s2 z_x^2; T is float or a vector of
// neurons.
#define JETS_FORWARD(T) \
    void jets_forward(in T z[MOST], out T a[MOST]) { \
        T s1 = 1.0 - z[0] * z[0], s2 = -2.0 * z[0] * s1; \
        a[0] = z[0]; \
        [[unroll]] for (uint i = 1u; i <= DIN; i++) { \
            a[i] = s1 * z[i]; \
            a[i + DIN] = s1 * z[i + DIN] + s2 * z[i] * z[i]; \
        } \
    }
JETS_FORWARD(float)
JETS_FORWARD(vec2)
JETS_FORWARD(vec4)

// From the adjoints of the channels behind tanh to those before it, in place.
void jets_backward(in vec4 z[MOST], inout vec4 b[MOST]) {
    vec4 a = z[0], s1 = 1.0 - a * a, s2 = -2.0 * a * s1, s3 = s1 * (6.0 * a * a - 2.0);
    vec4 value = s1 * b[0];
    [[unroll]] for (uint i = 1u; i <= DIN; i++) {
        vec4 x = z[i], bx = b[i], bxx = b[i + DIN];
        value += s2 * x * bx + (s2 * z[i + DIN] + s3 * x * x) * bxx;
        b[i] = s1 * bx + 2.0 * s2 * x * bxx;
        b[i + DIN] = s1 * bxx;
    }
    b[0] = value;
}
