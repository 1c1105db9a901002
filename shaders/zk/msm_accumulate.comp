#version 460
// zk/msm_accumulate: sums of the points in each bucket. Everything is in the included file.
#include "zk/msm_accumulate.glsl"
