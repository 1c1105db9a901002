//go:build long && race

package report_test

// slowdown is what the race detector costs.
const slowdown = 8
