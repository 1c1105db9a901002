package own

import (
	"path/filepath"
	"strings"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// types are the element types by name with their size in bytes.
var types = map[string]int64{
	"i8": 1, "u8": 1, "f16": 2, "i16": 2, "u16": 2, "f32": 4, "i32": 4, "u32": 4, "f64": 8, "i64": 8, "u64": 8,
}

// Kernel is a description as its YAML file gives it, checked on its own.
type Kernel struct {
	Name     string
	Entry    string
	Sizes    suites.Sizes
	Rows     bool  // divided by rows of Width elements, else by elements
	Width    int64 // 1 for elements
	Halo     int64 // units on either side of a share that its kernel reads
	Wrap     bool  // the ends of a divided binding are neighbours
	Multiple int64 // every share is a multiple of this many units
	Groups   [3]*expr
	Bindings []Binding // by number
	Push     []Push
	Spec     []SpecValue
	Flops    *expr // per unit; nil: none given
	Bytes    *expr
	// Unchecked says that there is no expected output: only equality between
	// counts is checked.
	Unchecked bool

	path string // of the description, for errors
}

// Binding is one storage buffer.
type Binding struct {
	Number int
	Type   string
	Count  *expr // elements on a device with n units
	Access string
	Fill   string // philox, iota, zero, constant, file; empty: undefined
	Value  float64
	Low    float64 // philox of floats: range [Low,High)
	High   float64
	Mod    uint32 // philox of integers: below Mod, 0: all
	File   string

	Expect     *expr
	ExpectFile string
	Tolerance  float64 // in units of 2^-24 of the expression's magnitude

	valued bool // Value is given
	line   int  // of the description
}

// Push is one push-constant value.
type Push struct {
	Name, Type string
	Value      *expr
}

// SpecValue sets a specialization constant.
type SpecValue struct {
	ID    uint32
	Name  string
	Type  string
	Value float64
}

// The values of `access` and `fill`.
var (
	accesses = map[string]program.Access{"read": program.Read, "write": program.Write, "read_write": program.ReadWrite}
	fills    = []string{"philox", "iota", "zero", "constant", "file"}
)

// written says whether the kernel changes the binding.
func (b *Binding) written() bool { return b.Access != "read" }

// checked says whether the binding has an expected output.
func (b *Binding) checked() bool { return b.Expect != nil || b.ExpectFile != "" }

func (b *Binding) float() bool { return strings.HasPrefix(b.Type, "f") }

// binding returns the binding of that number.
func (k *Kernel) binding(number int) *Binding {
	for i := range k.Bindings {
		if k.Bindings[i].Number == number {
			return &k.Bindings[i]
		}
	}
	return nil
}

// constants are the names that hold whatever the share is: shape, work-group size
// and named specialization constants.
func (k *Kernel) constants(size [3]uint32) map[string]float64 {
	out := map[string]float64{
		"width": float64(k.Width), "halo": float64(k.Halo),
		"local_x": float64(size[0]), "local_y": float64(size[1]), "local_z": float64(size[2]),
	}
	for _, s := range k.Spec {
		if s.Name != "" {
			out[s.Name] = s.Value
		}
	}
	return out
}

// sizeNames are what expressions of sizes, work-groups and push values may use.
func (k *Kernel) sizeNames() []string {
	return append(keys(k.constants([3]uint32{})), "n", "first", "total")
}

// defaultName makes a name for a description that gives none.
func defaultName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return strings.TrimSuffix(name, ".kernel")
}

// fitName turns a file's name into the second half of a workload's.
func fitName(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	if out = strings.Trim(out, "-"); out == "" {
		return "kernel"
	}
	return out[:min(len(out), 40)]
}
