// Package mpi is what amgpu calls of the system's MPI, by cgo: frames, parcels and clock
// readings between ranks. Nothing in it blocks for good: every wait is a test in a loop with
// an end. Its only part without the build tag mpi is this text, so that the ordinary binary
// knows nothing of MPI.
package mpi
