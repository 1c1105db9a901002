package peak

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// multiplied are the sums that a device leaves which adds every product to its sum at once,
// rounding that to the type of the sum.
func multiplied(m matrix, b suites.Build, unit int64, steps int) []uint32 {
	rows, columns, terms := m.shape(b)
	var out []uint32
	var half uint32
	n := 0
	for s := range int64(matrixSubgroups) {
		set := m.operands(b, (unit*matrixSubgroups+s)%matrixSets)
		a := func(which, row, k int64) float64 { return m.read(set[which*rows*terms+row*terms+k]) }
		col := func(which, column, k int64) float64 {
			return m.read(set[4*rows*terms+which*columns*terms+column*terms+k])
		}
		for i := range int64(matrixSums) {
			for row := range rows {
				for column := range columns {
					whole, float := int64(0), float32(0)
					for step := range steps {
						sum := 0.0
						for k := range terms {
							sum += a(int64(step%2)*2+i/4, row, k) * col(i%4, column, k)
						}
						whole += int64(sum)
						float += float32(sum)
					}
					switch {
					case m.sum == 2 && n%2 == 0:
						half = halfOf(int(whole))
					case m.sum == 2:
						out = append(out, half|halfOf(int(whole))<<16)
					case m.exact:
						out = append(out, uint32(whole))
					default:
						out = append(out, math.Float32bits(float))
					}
					n++
				}
			}
		}
	}
	return out
}

func TestMatricesAreCheckedStepForStep(t *testing.T) {
	n := 0
	for _, w := range suites.All() {
		m, ok := w.(matrix)
		if !ok {
			continue
		}
		n++
		b := suitetest.Build(w, 2, 1)
		b.Params["repeat"], b.Params["n"] = 2, 8
		p, err := w.Build(b)
		if err == nil {
			err = suitetest.Invariants(p, 1)
		}
		if err != nil {
			t.Fatal(m.info.ID, err)
		}
		if want := 2.0 * 2 * 16 * 8 * float64(32/m.bytes) * 8 * 8 * 4 * 2; p.Work != want {
			t.Errorf("%s counts %g operations, expected %g", m.info.ID, p.Work, want)
		}
		c := &suites.Check{Build: b, Program: p, Full: true}
		all := func(steps int) suitetest.Memory {
			return suitetest.Memory{Arrays: map[string][]uint32{"sums": append(multiplied(m, b, 0, steps), multiplied(m, b, 1, steps)...)}}
		}
		c.Out = all(16)
		if got, err := w.Verify(c); err != nil || got.Wrong != "" || got.Checked != 2*4*8*16*8 {
			t.Errorf("%s: %+v, %v", m.info.ID, got, err)
		}
		c.Out = all(14)
		if got, err := w.Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "sums[") {
			t.Errorf("%s: two steps too few pass: %+v, %v", m.info.ID, got, err)
		}
		// What the device gets is what the reference reads.
		words := make([]uint32, p.Arrays[1].Stride)
		p.Arrays[1].Source.Make(0, 3*int64(len(words)), words)
		for e, bits := range m.operands(b, 3) {
			shift := 8 * m.bytes * (int64(e) % (4 / m.bytes))
			if got := words[int64(e)*m.bytes/4] >> shift & (1<<(8*m.bytes) - 1); got != bits {
				t.Fatalf("%s: element %d of a set is %x, expected %x", m.info.ID, e, got, bits)
			}
		}
	}
	if n != 5 {
		t.Errorf("%d pairs of types", n)
	}
}

func TestMatrixShapes(t *testing.T) {
	w, err := suites.Find("peak/matrix-fp16")
	if err != nil {
		t.Fatal(err)
	}
	m := w.(matrix)
	offer := func(rows, columns, terms int64) program.Matrix {
		return program.Matrix{M: rows, N: columns, K: terms, A: "float16", Sum: "float32"}
	}
	for _, x := range []struct {
		offers []program.Matrix
		params map[string]int64
		want   [3]int64
	}{
		{nil, nil, [3]int64{16, 16, 16}},
		{[]program.Matrix{offer(16, 8, 8), offer(16, 16, 16), offer(64, 64, 64)}, nil, [3]int64{16, 16, 16}},
		{[]program.Matrix{offer(8, 8, 16), offer(8, 16, 16), {M: 32, N: 32, K: 32, A: "sint8", Sum: "sint32"}}, nil, [3]int64{8, 16, 16}},
		{[]program.Matrix{offer(16, 16, 16), offer(16, 8, 16)}, map[string]int64{"n": 8}, [3]int64{16, 8, 16}},
	} {
		b := suitetest.Build(w, 4, 1)
		b.Limits.Matrices = x.offers
		for name, v := range x.params {
			b.Params[name] = v
		}
		rows, columns, terms := m.shape(b)
		p, err := w.Build(b)
		if got := [3]int64{rows, columns, terms}; got != x.want || err != nil {
			t.Fatalf("%v of %v: %v, %v", got, x.offers, x.want, err)
		}
		if k := p.Kernels[0].Matrix; k.M != rows || k.N != columns || k.K != terms || k.Invocations != 0 {
			t.Errorf("the kernel needs %+v", k)
		}
	}
}

func TestMatrixBuildRefuses(t *testing.T) {
	w, err := suites.Find("peak/matrix-fp16")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]int64{"k": 12, "n": 10} {
		b := suitetest.Build(w, 4, 1)
		b.Params[name] = v
		if _, err := w.Build(b); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("%s=%d: %v", name, v, err)
		}
	}
	for _, size := range []int64{0, 1<<24 + 1} {
		if _, err := w.Build(suitetest.Build(w, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

func TestHalves(t *testing.T) {
	for v, bits := range map[int]uint32{0: 0, 1: 0x3c00, -2: 0xc000, 3: 0x4200, 2048: 0x6800, -1023: 0xe3fe} {
		if halfOf(v) != bits || halfValue(bits) != float64(v) {
			t.Errorf("%d: %#x and %g", v, halfOf(v), halfValue(bits))
		}
	}
	if halfValue(0x3555) != 0.333251953125 || brainValue(0x3e80) != 0.25 {
		t.Error("values of 16 bits")
	}
	// The largest sums of float16 are whole numbers that it holds.
	w, err := suites.Find("peak/matrix-fp16-fp16")
	if err != nil {
		t.Fatal(err)
	}
	repeat := w.Info().Params[0].Max
	if most := repeat*matrixSteps/2 + 2*16*2; most > 2048 {
		t.Errorf("sums reach %d", most)
	}
}
