#version 460
// One function of common/fmath.glsl or common/near.glsl on every element: what the tests of
// their errors run.
// Bindings: 0 y (float, written), 1 x (float, read).
// Push:     header, function (0 sin, 1 cos, 2 exp, 3 log, 4 tanh, 5 atan, 6 rcp,
//           7 tanh_near, 8 exp_near of fmath.glsl; 9 ln_near, 10 exp_near of near.glsl).
// Grid:     one element per invocation.
// Cost:     up to 60 operations and 8 bytes per element.

#include "dual/functions.glsl"
