// Minimum and maximum of two floats as a comparison and a selection. Unlike min() and
// max() the result is the same bits on every driver for zeros of both signs, and a
// NaN in y is passed over: y is chosen only when it is strictly beyond x.

float ordered_min(float x, float y) { return y < x ? y : x; }
float ordered_max(float x, float y) { return y > x ? y : x; }
vec4 ordered_min(vec4 x, vec4 y) { return mix(x, y, lessThan(y, x)); }
vec4 ordered_max(vec4 x, vec4 y) { return mix(x, y, greaterThan(y, x)); }
