#version 460
// A step of the optimizer of pinn/train, on every device alike. OPTIMIZER 0 is
// theta -= rate g, 1 is Adam (Kingma, Ba 2015) with beta 0.9, 0.999 and epsilon 1e-8.
//
// Bindings: 0 gradient (read); 1 clock (read): step, 1 - beta1^step, 1 - beta2^step, rate;
//           2 theta (read and written), 3 what it was before (written), 4 theta with the
//           hidden matrices transposed (written), 5 the moments m and v (read and written)
// Push:     header; total (elements of theta), width, hidden (element at which the hidden
//           layers begin), layers (of them, a matrix of width^2 and a bias each)
// Constant: 1 OPTIMIZER
// Grid:     an invocation an element.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint OPTIMIZER = 1u;
layout(set = 0, binding = 0, std430) readonly restrict buffer Gradient { float gradient[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer Clock { float clock[]; };
layout(set = 0, binding = 2, std430) restrict buffer Theta { float theta[]; };
layout(set = 0, binding = 3, std430) writeonly restrict buffer Before { float before[]; };
layout(set = 0, binding = 4, std430) writeonly restrict buffer Transposed { float transposed[]; };
layout(set = 0, binding = 5, std430) restrict buffer Moments { vec2 moments[]; };
PUSH(6, uint total; uint width; uint hidden; uint layers;)

void main() {
    uint i = invocation_index();
    if (i >= push.total) return;
    float rate = clock[push.off[1] + 3u];
    float g = gradient[push.off[0] + i], x = theta[push.off[2] + i];
    before[push.off[3] + i] = x;
    if (OPTIMIZER == 0u) x -= rate * g;
    else {
        uint at = push.off[5] / 2u + i;
        vec2 m = moments[at];
        m.x = 0.9 * m.x + 0.1 * g;
        m.y = 0.999 * m.y + 0.001 * g * g;
        moments[at] = m;
        float first = clock[push.off[1] + 1u], second = clock[push.off[1] + 2u];
        x -= rate * (m.x / first) / (sqrt(m.y / second) + 1e-8);
    }
    theta[push.off[2] + i] = x;
    uint to = i;
    if (i >= push.hidden) {
        uint block = push.width * (push.width + 1u);
        uint layer = (i - push.hidden) / block, e = (i - push.hidden) % block;
        if (layer < push.layers && e < push.width * push.width) {
            to = push.hidden + layer * block + e % push.width * push.width + e / push.width;
        }
    }
    transposed[push.off[4] + to] = x;
}
