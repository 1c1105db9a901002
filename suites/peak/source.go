package peak

import (
	"math"
	"strings"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// word returns the words that a source makes, by element index.
func word(c *suites.Check, s program.Source) func(int64) uint32 {
	stream := suites.Stream{Seed: c.Build.Seed, Workload: number, Array: s.ID}
	switch s.Kind {
	case program.PhiloxF32:
		return func(i int64) uint32 { return math.Float32bits(stream.F32(i, s.A, s.B)) }
	case program.PhiloxRaw:
		return stream.Word
	}
	return func(int64) uint32 { return s.Word }
}

func raw(id uint32) program.Source { return program.Source{Kind: program.PhiloxRaw, ID: id} }

// cutClass separates the class of a tolerance from what is said of it.
func cutClass(tolerance string) (class, rest string, ok bool) { return strings.Cut(tolerance, " ") }

// pick is CHAINS_WORD of the shaders: the start of chain j.
func pick(x []uint32, j int) uint32 { return x[j&3] ^ uint32(j)*0x9E3779B9 }
