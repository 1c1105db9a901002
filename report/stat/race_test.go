//go:build long && race

package stat

// slowdown is what the race detector costs.
const slowdown = 8
