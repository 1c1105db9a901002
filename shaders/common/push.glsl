// The push constants of a workload kernel: the header that the engine writes, then
// the workload's own words.
//
//   push.count        units in this launch
//   push.first_lo/hi  global index of its first unit
//   push.off[b]       element offset inside binding b of the bound window; a
//                     multiple of the array's stride, so off/4 serves a vec4 view
//                     wherever the stride is a multiple of 4
//
// Use: PUSH(2,) with no words of its own, or PUSH(3, uint width; float scale;)
#define PUSH(bindings, words)      \
    layout(push_constant) uniform Push { \
        uint count;                \
        uint first_lo;             \
        uint first_hi;             \
        uint off[bindings];        \
        words                      \
    } push;
