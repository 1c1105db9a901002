package zk

import "github.com/amgpu/amgpu/suites"

const int64Feature = "int64" // of a device

// wide chooses the kernels in which products of words are taken in 64 bits.
var wide = suites.Tunable{Name: "wide", Doc: "1: products of words in 64 bits, for devices that have int64", Values: []int64{0, 1}, Default: 1,
	Else: []suites.ClassDefault{
		{Class: suites.Intel, Value: 0, Why: "some devices have no int64, and none multiplies 64 bits at once"},
		{Class: suites.Other, Value: 0, Why: "not all devices have int64"},
		{Class: suites.Software, Value: 0, Why: "SwiftShader has no int64"},
	}}

// isWide is the choice for a team. A device without the feature makes the row unsupported.
func isWide(b suites.Build) bool { return b.Tuned(wide) == 1 }
