#version 460
// flags: -O0
// The end of pinn/train: the network's output and its derivatives at every point, what each
// point adds to the loss, and from there back to the adjoints of the last hidden layer; the
// gradient of the output's weights and the loss of each chunk.
//   class 0: r = u_tt - sum u_xx in the domain;  1: u on the boundary;
//   2: u - u0 and u_t at t = 0, u0 = product of sin(pi x);  3: none, fills a chunk
//
// Bindings: 0 points (vec4, read): coordinates, class; 1 theta (vec4, read): weights of the
//           output, then its bias, from element `at` on; 2 z of the last layer (vec4, read),
//           3 its adjoints (vec4, written); 4 partials (vec4, written): a unit is the
//           gradient of a chunk, behind the output's one vec4 of losses: residual, boundary,
//           initial value, initial velocity.
// Push:     header; width (a multiple of 4), chunk, at, stride (of a unit of partials);
//           share of a point in each mean; weights of the four losses
// Constants: 1 DIN; 2 LANES of a point: 32 or 64, not below width / 4
// Grid:     a work-group a chunk; 256 / LANES points at a time, sums in their order.
// Cost:     about 40 C operations and 2 C values moved per neuron.
#extension GL_EXT_control_flow_attributes : require
#include "common/index.glsl"
#include "common/push.glsl"
#include "common/fmath.glsl"
#include "pinn/jets.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const uint LANES = 32u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Points { vec4 points[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Theta { vec4 theta[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Z { vec4 z[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Adjoint { vec4 adjoint[]; };
layout(set = 0, binding = 4, std430) writeonly restrict buffer Partials { vec4 partials[]; };
PUSH(5, uint width; uint chunk; uint at; uint stride; float share_pde; float share_bc; float share_ic;
        float pde; float bc; float ic; float velocity;)

const uint GROUPS = 256u / LANES;
const uint LINE = LANES + 1u;

shared float part[GROUPS * MOST * LINE]; // of the dot products; at the end of the weights' gradient
shared float outputs[GROUPS * MOST];
shared vec4 losses[GROUPS];

void main() {
    uint unit = group_index();
    if (unit >= push.count) return; // the whole work-group
    uint t = gl_LocalInvocationIndex, group = t / LANES, lane = t % LANES;
    uint line = push.width / 4u;
    uint weights = (push.off[1] + push.at) / 4u;
    bool busy = lane < line;
    vec4 w = busy ? theta[weights + lane] : vec4(0.0);
    float bias = theta[weights + line].x;
    vec4 gradient = vec4(0.0), loss = vec4(0.0);
    float gradient_bias = 0.0;

    for (uint first = 0u; first < push.chunk; first += GROUPS) {
        bool live = first + group < push.chunk;
        uint point = unit * push.chunk + first + group;
        vec4 kept[MOST], a[MOST], b[MOST];
        [[unroll]] for (uint c = 0u; c < C; c++) kept[c] = vec4(0.0);
        if (busy && live) {
            [[unroll]] for (uint c = 0u; c < C; c++) kept[c] = z[push.off[2] / 4u + (point * C + c) * line + lane];
        }
        jets_forward(kept, a);
        [[unroll]] for (uint c = 0u; c < C; c++) part[(group * C + c) * LINE + lane] = dot(a[c], w);
        barrier();
        if (t < GROUPS * C) {
            float sum = 0.0;
            for (uint i = 0u; i < line; i++) sum += part[t * LINE + i];
            outputs[t] = sum;
        }
        barrier();
        if (live) {
            float u[MOST], seed[MOST];
            [[unroll]] for (uint c = 0u; c < C; c++) {
                u[c] = outputs[group * C + c];
                seed[c] = 0.0;
            }
            u[0] += bias;
            vec4 at = points[push.off[0] / 4u + point];
            if (at.w == 0.0) {
                float r = u[2u * DIN];
                [[unroll]] for (uint i = 1u; i < DIN; i++) r -= u[DIN + i];
                loss.x += r * r * push.share_pde;
                float s = 2.0 * push.pde * push.share_pde * r;
                [[unroll]] for (uint i = 1u; i < DIN; i++) seed[DIN + i] = -s;
                seed[2u * DIN] = s;
            } else if (at.w == 1.0) {
                loss.y += u[0] * u[0] * push.share_bc;
                seed[0] = 2.0 * push.bc * push.share_bc * u[0];
            } else if (at.w == 2.0) {
                float u0 = am_sin(3.14159274 * at.x);
                if (DIN > 2u) u0 *= am_sin(3.14159274 * at.y);
                float d = u[0] - u0, v = u[DIN];
                loss.z += d * d * push.share_ic;
                loss.w += v * v * push.share_ic;
                seed[0] = 2.0 * push.ic * push.share_ic * d;
                seed[DIN] = 2.0 * push.velocity * push.share_ic * v;
            }
            gradient_bias += seed[0];
            [[unroll]] for (uint c = 0u; c < C; c++) {
                b[c] = seed[c] * w;
                gradient += seed[c] * a[c];
            }
            if (busy) {
                jets_backward(kept, b);
                [[unroll]] for (uint c = 0u; c < C; c++) adjoint[push.off[3] / 4u + (point * C + c) * line + lane] = b[c];
            }
        }
    }

    barrier();
    [[unroll]] for (uint i = 0u; i < 4u; i++) part[(group * 4u + i) * LINE + lane] = gradient[i];
    if (lane == 0u) {
        losses[group] = loss;
        outputs[group] = gradient_bias;
    }
    barrier();
    if (group > 0u) return;
    uint to = (push.off[4] + unit * push.stride + push.at) / 4u;
    vec4 sum = vec4(0.0);
    for (uint g = 0u; g < GROUPS; g++) {
        [[unroll]] for (uint i = 0u; i < 4u; i++) sum[i] += part[(g * 4u + i) * LINE + lane];
    }
    if (busy) partials[to + lane] = sum;
    if (lane == 0u) {
        float b0 = 0.0;
        vec4 all = vec4(0.0);
        for (uint g = 0u; g < GROUPS; g++) {
            b0 += outputs[g];
            all += losses[g];
        }
        partials[to + line] = vec4(b0, 0.0, 0.0, 0.0);
        partials[to + line + 1u] = all;
    }
}
