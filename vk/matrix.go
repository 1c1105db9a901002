package vk

import (
	"fmt"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// Matrix is a product of matrices that invocations make together: A of M x K by B of
// K x N, added to C. Components are named as in float16, bfloat16, sint8.
type Matrix struct {
	M, N, K         int
	A, B, C, Result string
	Saturating      bool   // integers stop at their bounds
	Scope           string // subgroup or workgroup: who makes it together
	// Flexible: M, N and K are what the sizes of a kernel's own choice are multiples of,
	// in work-groups of Invocations where the scope is one.
	Flexible    bool
	Invocations int
}

// String is the matrix in one word, such as 16x16x16:float16,float16,float32:subgroup.
func (m Matrix) String() string {
	sizes := fmt.Sprintf("%dx%dx%d", m.M, m.N, m.K)
	if m.Flexible {
		sizes = "multiples-of-" + sizes
	}
	text := fmt.Sprintf("%s:%s,%s,%s:%s", sizes, m.A, m.B, m.Result, m.Scope)
	if m.Invocations > 0 {
		text += fmt.Sprintf("-of-%d", m.Invocations)
	}
	return text
}

func newMatrix(m raw.InfoMatrix) Matrix {
	return Matrix{
		M: int(m.M), N: int(m.N), K: int(m.K),
		A: component(m.A), B: component(m.B), C: component(m.C), Result: component(m.Result),
		Saturating: m.Saturating, Scope: scope(m.Scope), Flexible: m.Flexible, Invocations: int(m.Invocations),
	}
}

// component names a VkComponentTypeKHR; the numbers are those of the Vulkan registry.
func component(t uint32) string {
	names := []string{"float16", "float32", "float64", "sint8", "sint16", "sint32", "sint64", "uint8", "uint16", "uint32", "uint64"}
	const bfloat16 = 1000141000
	switch {
	case t < uint32(len(names)):
		return names[t]
	case t == bfloat16:
		return "bfloat16"
	}
	return fmt.Sprintf("component-%d", t)
}

// scope names a VkScopeKHR.
func scope(s uint32) string {
	switch s {
	case 2:
		return "workgroup"
	case 3:
		return "subgroup"
	}
	return fmt.Sprintf("scope-%d", s)
}
