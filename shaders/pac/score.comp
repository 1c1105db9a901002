#version 460
// z-scores against the surrogates, z = (MI - mean) / sd, sd that of the population: the
// chunks' means and M2 are merged by Chan's formula in the order of the chunks. No spread
// gives 0.
// Bindings: 0 z (float, written), 1 partials (vec2), 2 mi (float).
// Push:     header, values (per unit; whole: in all), chunks, chunk (permutations),
//           permutations, step (partials from chunk to chunk), near (partials from one value
//           to the next), whole (a launch has one unit).
// Grid:     one value per invocation.
// Cost:     12 flop and 8 bytes per value and chunk.

#include "common/index.glsl"
#include "common/push.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Z { float z[]; };
layout(set = 0, binding = 1, std430) readonly restrict buffer P { vec2 partials[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer R { float mi[]; };

PUSH(3, uint values; uint chunks; uint chunk; uint permutations; uint step; uint near; uint whole;)

void main() {
    uint i = invocation_index();
    if (i >= (push.whole != 0u ? push.values : push.count * push.values)) return;
    uint from = push.off[1] / 2u + i * push.near;
    float n = 0.0, mean = 0.0, m2 = 0.0;
    for (uint c = 0u; c < push.chunks; c++) {
        vec2 part = partials[from + c * push.step];
        float k = float(min(push.chunk, push.permutations - c * push.chunk));
        float d = part.x - mean, sum = n + k;
        mean += d * (k / sum);
        m2 += part.y + d * d * (n * k / sum);
        n = sum;
    }
    float spread = sqrt(m2 / n);
    z[push.off[0] + i] = spread > 0.0 ? (mi[push.off[2] + i] - mean) / spread : 0.0;
}
