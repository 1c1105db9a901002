//go:build long

package engine_test

const extent = all
