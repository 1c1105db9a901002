#version 460
#extension GL_EXT_control_flow_attributes : require
// The canonical tree over chunks of float64, which are added; stride, off and count are in
// such elements: engine/tree.glsl.
#define ELEMENT double
#define BYTES 8u
#define COMBINE(x, y) sum(x, y)
double sum(double x, double y) {
    precise double s = x + y;
    return s;
}
#include "engine/tree.glsl"
