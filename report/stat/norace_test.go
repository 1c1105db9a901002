//go:build !race

package stat

const slowdown = 1
