package enumerative

import (
	"fmt"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

func init() { suites.Register(kontsevich{}) }

type kontsevich struct{}

// mostDegrees is what the kernel has room for.
const mostDegrees = 2048

func (kontsevich) Info() suites.Info {
	return suites.Info{
		ID: "enumerative/kontsevich", Number: 29,
		Doc: "Numbers of rational plane curves of degree d through 3d-1 points (Gromov-Witten invariants of the plane), modulo 2013265921. " +
			"A chain: every degree needs all before it, so one work-group makes the table, the same on every device",
		Source:        "Amari; Kontsevich's recursion",
		Formula:       "N_1 = 1, N_d = sum over a+b = d of N_a N_b (a^2 b^2 C(3d-4, 3a-2) - a^3 b C(3d-4, 3a-1))",
		Sizes:         suites.Sizes{S: 64, M: 512, L: mostDegrees},
		SizeUnit:      "degrees",
		WorkUnit:      "term",
		Flops:         "19 per term: two modular multiplications and an addition",
		Arithmetic:    "int32",
		Bytes:         "16 per degree",
		Splits:        []string{"none"},
		Communication: "none: not divided, efficiency on N devices is 1/N",
		Tolerance:     "E0, D0",
		Weak:          "degrees as on one device",
	}
}

// WeakSize is that of one device.
func (kontsevich) WeakSize(n int64, _ int) int64 { return n }

func (kontsevich) Build(b suites.Build) (*program.Program, error) {
	if b.Size < 1 || b.Size > mostDegrees {
		return nil, fmt.Errorf("enumerative/kontsevich: %d degrees: choose 1 to %d", b.Size, mostDegrees)
	}
	table := func(name string, stride int64) program.Array {
		return program.Array{Name: name, Elem: program.U32, Layout: program.Local, Units: 1, Stride: stride}
	}
	out, in := table("N", b.Size), table("tables", 3*b.Size)
	out.Output = true
	in.Source = program.Source{Kind: program.Made, Make: func(_ int, first int64, into []uint32) { copy(into, factors(b.Size)[first:]) }}
	n := float64(b.Size)
	p := &program.Program{
		Units: 1, Shares: b.Divide(1, 1),
		Arrays:  []program.Array{out, in},
		Kernels: []program.Kernel{{Name: "main", Shader: "enumerative/kontsevich"}},
		Work:    n * (n + 1) / 2, Bytes: 16 * n,
	}
	p.Flops = (2*mulOps + 3) * p.Work
	d := program.Dispatch{Label: "recursion", Kernel: "main", Bind: []program.Binding{
		{Array: "N", Access: program.Write, Window: program.Whole}, {Array: "tables", Access: program.Read, Window: program.Whole},
	}}
	for range p.Shares {
		d.On = append(d.On, program.Launch{Units: 1, Push: []uint32{uint32(b.Size)}})
	}
	p.Steps = []program.Step{d}
	return p, nil
}

// factors are the kernel's tables: with i = 1/2 for the first degree, else
// 1/((3d-1)(3d-2)(3d-3)), and r = 2^32, i d^2 r^2, i d (3d-1) r^2 and i (3d-1)! r.
func factors(degrees int64) (all []uint32) {
	radix, square := radixPower(1), radixPower(2)
	f := uint64(1)
	for d := uint64(1); d <= uint64(degrees); d++ {
		if d > 1 {
			f = mul(mul(f, 3*d-3), mul(3*d-2, 3*d-1))
		} else {
			f = 2
		}
		i := inverse(2)
		if d > 1 {
			i = inverse(mul(3*d-3, mul(3*d-2, 3*d-1)))
		}
		all = append(all, uint32(mul(mul(i, d*d), square)), uint32(mul(mul(i, d*(3*d-1)), square)), uint32(mul(mul(i, f), radix)))
	}
	return all
}

// curves is the table by Kontsevich's recursion as it stands, with binomials.
func curves(degrees int64) []uint64 {
	most := 3*degrees + 1
	factorials, inverses := make([]uint64, most), make([]uint64, most)
	factorials[0], inverses[0] = 1, 1
	for i := int64(1); i < most; i++ {
		factorials[i] = mul(factorials[i-1], uint64(i))
		inverses[i] = mul(inverses[i-1], inverse(uint64(i)))
	}
	choose := func(n, k int64) uint64 { return mul(factorials[n], mul(inverses[k], inverses[n-k])) }
	n := make([]uint64, degrees+1)
	n[1] = 1
	for d := int64(2); d <= degrees; d++ {
		for a := int64(1); a < d; a++ {
			b := d - a
			ab := mul(uint64(a), uint64(b))
			both := mul(mul(ab, ab), choose(3*d-4, 3*a-2))
			other := mul(mul(ab, uint64(a*a)), choose(3*d-4, 3*a-1))
			n[d] = (n[d] + mul(mul(n[a], n[b]), sub(both, other))) % prime
		}
	}
	return n[1:]
}

// Verify compares the table of every device with the recursion in its form with binomials,
// and the first numbers with what Kontsevich published.
func (kontsevich) Verify(c *suites.Check) (suites.Outcome, error) {
	var t suites.Tally
	want := curves(c.Build.Size)
	for d := range c.Program.Shares {
		got, err := c.Out.LocalWords("N", d, 0, c.Build.Size)
		if err != nil {
			return suites.Outcome{}, err
		}
		for i, w := range got {
			t.Bits("N", int64(i), w, uint32(want[i]))
		}
		for i, n := range [...]uint64{1, 1, 12, 620, 87304, 26312976} {
			if i < len(got) {
				t.Identity("published numbers", int64(i)+1, float64(got[i]), float64(n), 0)
			}
		}
	}
	return t.Outcome("E0", "1, 1, 12, 620, 87304, 26312976 curves of degrees 1 to 6"), nil
}
