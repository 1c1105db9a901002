package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/shaders"
	"github.com/amgpu/amgpu/suites/program"
)

// ShadersOf is the hex sha256 over the names and SPIR-V hashes of the built-in shaders
// that a program runs, in the order of their names: two results with the same were
// computed by the same kernels. Empty where it runs none.
func ShadersOf(p *program.Program) string {
	var lines []string
	for _, k := range p.Kernels {
		if k.Module != nil {
			continue // the user's own: its hash is in the plan
		}
		if _, hash, err := shaders.Load(k.Shader); err == nil { // else no kernel was made of it either
			lines = append(lines, fmt.Sprintf("%s %s\n", k.Shader, hash))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range slices.Compact(lines) {
		h.Write([]byte(line)) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}
