//go:build !long

package engine_test

// extent is how much of what workloads are crossed with is run: every workload with each
// mechanism once. With the tag long it is all of it.
const extent = each
