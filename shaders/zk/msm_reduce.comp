#version 460
// zk/msm_reduce: weighted sums of segments of buckets. Everything is in the included file.
#include "zk/msm_reduce.glsl"
