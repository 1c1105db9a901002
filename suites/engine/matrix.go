package engine

import (
	"strings"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/vk"
)

// matrices are the products of matrices that a device offers to kernels, in the words of a
// program: same types for A and B and for both ends of a sum, no saturation.
func matrices(info *vk.Info) []program.Matrix {
	var out []program.Matrix
	for _, m := range info.Matrices {
		fixed := m.Scope == "subgroup" && !m.Flexible
		if m.A != m.B || m.C != m.Result || m.Saturating || !fixed && m.Scope != "workgroup" {
			continue
		}
		out = append(out, program.Matrix{M: int64(m.M), N: int64(m.N), K: int64(m.K), A: m.A, Sum: m.C, Invocations: int64(m.Invocations)})
	}
	return out
}

// checkMatrix refuses a kernel whose matrices the device does not multiply.
func checkMatrix(info *vk.Info, k program.Kernel) error {
	if k.Matrix == nil || k.Matrix.In(matrices(info)) {
		return nil
	}
	offers := "none"
	if len(info.Matrices) > 0 {
		var list []string
		for _, m := range info.Matrices {
			list = append(list, m.String())
		}
		offers = strings.Join(list, " ")
	}
	m := *k.Matrix
	who := "a subgroup"
	if m.Invocations > 0 {
		who = "a work-group"
	}
	return unsupported("kernel %s multiplies matrices of %dx%dx%d %s with sums in %s by %s; %s offers %s", k.Shader, m.M, m.N, m.K, m.A, m.Sum, who, info.Name, offers)
}
