#version 460
// Notes the loss of a step of pinn/train and moves the clock of the optimizer.
//
// Bindings: 0 gradient (vec4, read), whose vec4 at element `at` are the losses; 1 clock
//           (read and written): step (uint), 1 - beta1^step, 1 - beta2^step, learning rate;
//           2 curve (vec4, written): the losses before every step.
// Push:     header; at, steps (length of the curve), decay (of the learning rate a step)
// Grid:     one invocation.
#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Gradient { vec4 gradient[]; };
layout(set = 0, binding = 1, std430) restrict buffer Clock { float clock[]; };
layout(set = 0, binding = 2, std430) writeonly restrict buffer Curve { vec4 curve[]; };
PUSH(3, uint at; uint steps; float decay;)

void main() {
    if (gl_LocalInvocationIndex != 0u || group_index() != 0u) return;
    uint at = push.off[1];
    uint step = floatBitsToUint(clock[at]);
    curve[push.off[2] / 4u + step % push.steps] = gradient[(push.off[0] + push.at) / 4u];
    // 1 - 0.9^t and 1 - 0.999^t, which as differences would be of 0.999 as rounded.
    precise float first = 0.9 * clock[at + 1u] + 0.1, second = 0.999 * clock[at + 2u] + 0.001;
    clock[at] = uintBitsToFloat(step + 1u);
    clock[at + 1u] = first;
    clock[at + 2u] = second;
    if (step > 0u) {
        precise float rate = clock[at + 3u] * push.decay;
        clock[at + 3u] = rate;
    }
}
