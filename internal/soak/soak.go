// Package soak holds tests that repeat for minutes, behind the build tag soak:
// `make soak`.
package soak
