//go:build long && !race

package report_test

const slowdown = 1
