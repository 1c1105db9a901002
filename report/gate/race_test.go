//go:build long && race

package gate

// slowdown is what the race detector costs.
const slowdown = 8
