#version 460
// One step of heat conduction on a grid: every cell moves towards the mean of its
// four neighbours. Buffer 0 has one more row above and below the share's own rows.
layout(local_size_x_id = 0, local_size_y = 1) in;
layout(constant_id = 1) const uint WIDTH = 64;
layout(set = 0, binding = 0, std430) readonly buffer Old { float old[]; };
layout(set = 0, binding = 1, std430) writeonly buffer New { float new[]; };
layout(push_constant) uniform Push { uint rows; float k; };

void main() {
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (col >= WIDTH || row >= rows) return;
    uint i = (row + 1) * WIDTH + col; // row + 1: past the halo row
    uint west = (row + 1) * WIDTH + (col + WIDTH - 1) % WIDTH;
    uint east = (row + 1) * WIDTH + (col + 1) % WIDTH;
    float around = (old[i - WIDTH] + old[i + WIDTH]) + (old[west] + old[east]);
    new[row * WIDTH + col] = old[i] + k * (around - 4.0 * old[i]);
}
