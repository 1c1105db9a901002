//go:build long && !race

package gate

const slowdown = 1
