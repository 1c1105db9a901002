#version 460
// Buffers whose elements are no plain scalars: vec3 lies 16 bytes apart, a structure and a
// matrix as far as they are long, an array behind other members begins after them.
layout(local_size_x = 64) in;
struct Body { vec3 place; float mass; float charge; };
layout(set = 0, binding = 0, std430) readonly buffer Places { vec3 places[]; };
layout(set = 0, binding = 1, std430) buffer Bodies { Body bodies[]; };
layout(set = 0, binding = 2, std430) buffer List { uint count; uint spare; float items[]; };
layout(set = 0, binding = 3, std430) readonly buffer Table { float table[5]; };
layout(set = 0, binding = 4, std430) writeonly buffer Matrices { mat4 matrices[]; };
layout(push_constant) uniform Push { uint n; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    bodies[i].mass += places[i].z * table[i % 5];
    items[i] = float(count);
    matrices[i] = mat4(1.0);
}
