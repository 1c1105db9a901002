//go:build long && !race

package stat

const slowdown = 1
