package own

import (
	"fmt"
	"slices"
)

// base are the capabilities of every Vulkan 1.3 device, as far as compute shaders
// without images use them.
var base = []uint32{
	0, 1, // Matrix, Shader
	25, 28, 29, 30, // array indexing: uniform, sampled, storage buffer
	50,                     // ImageQuery
	61, 62, 63, 64, 65, 66, // subgroups: basic, vote, arithmetic, ballot, shuffle
	67, 68, // clustered, quad
	4423, 4431, // subgroup ballot and vote of the older extensions
}

// features names what other capabilities need: the features of `amgpu devices`, or
// for those that amgpu never switches on their own name.
var features = map[uint32]string{
	9: "float16", 10: "float64", 11: "int64", 12: "int64-atomics", 22: "int16", 39: "int8",
	4433: "storage16", 4434: "uniform-storage16", 4435: "push-constant16",
	4448: "storage8", 4449: "uniform-storage8", 4450: "push-constant8",
	4441: "variable-pointers-storage-buffer", 4442: "variable-pointers",
	4464: "denorm-preserve", 4465: "denorm-flush-to-zero", 4466: "signed-zero-inf-nan-preserve",
	4467: "rounding-mode-rte", 4468: "rounding-mode-rtz",
	5055: "shader-clock", 5116: "bfloat16", 5345: "vulkan-memory-model", 5346: "vulkan-memory-model-device-scope",
	5347: "buffer-device-address", 5297: "subgroup-partitioned",
	6016: "integer-dot-product", 6017: "integer-dot-product", 6018: "integer-dot-product", 6019: "integer-dot-product",
	6022: "cooperative-matrix", 5357: "cooperative-matrix-nv", 4472: "ray-query", 4478: "ray-traversal", 4479: "ray-tracing", 6033: "float32-atomics", 6034: "float64-atomics",
	5612: "float32-atomic-min-max", 5613: "float64-atomic-min-max",
}

// needs turns a module's capabilities into features, sorted. Modules for other APIs
// are refused.
func needs(capabilities []uint32) ([]string, error) {
	const addresses, kernel = 4, 6
	var out []string
	for _, c := range capabilities {
		switch name, known := features[c]; {
		case c == addresses || c == kernel:
			return nil, bad("capability %d: the module is for OpenCL; compile for Vulkan", c)
		case slices.Contains(base, c):
		case known:
			out = append(out, name)
		default:
			out = append(out, fmt.Sprintf("spirv-capability-%d", c))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
