package enumerative

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// grassmannian is a request for classes on Gr(k,n), all subsets.
func grassmannian(k, n int64, classes ...int64) suites.Build {
	b := suitetest.Build(schubert{}, binomial(n, k), 1)
	b.Params["k"], b.Params["n"] = k, n
	for i, c := range classes {
		b.Params[[]string{"class1", "class2", "class3"}[i]] = c
	}
	return b
}

// TestGoldenNumbers compares known numbers with Pieri's rule and with localisation. The last
// ones were counted by tableaux: weights of one class added to the shapes of the other.
func TestGoldenNumbers(t *testing.T) {
	for _, c := range []struct {
		k, n    int64
		classes []int64
		want    uint64
	}{
		{2, 4, nil, 2}, {2, 5, nil, 5}, {3, 6, nil, 42}, {3, 7, nil, 462}, {4, 8, nil, 24024},
		{3, 6, []int64{21, 21, 21}, 2}, {3, 7, []int64{21, 21, 321}, 2}, // c(321; 21,21): 321 is its own dual
		{2, 4, []int64{2, 2}, 1}, {2, 4, []int64{2, 11}, 0},
		{3, 6, []int64{1}, 42}, // one factor written out
		{3, 7, []int64{21, 3}, 30}, {4, 8, []int64{321, 21}, 272}, {4, 8, []int64{432, 21, 21}, 4},
	} {
		b := grassmannian(c.k, c.n, c.classes...)
		x, err := intersect(b)
		if err != nil {
			t.Fatal(err)
		}
		pieri, local := x.number(), x.sum(0, x.size)
		if pieri != c.want || local != c.want {
			t.Errorf("Gr(%d,%d) %v: Pieri %d, localisation %d, expected %d", c.k, c.n, c.classes, pieri, local, c.want)
		}
	}
}

// A power of sigma_1 below the dimension gives 0.
func TestWrongDegreeGivesZero(t *testing.T) {
	b := grassmannian(3, 7)
	b.Params["power"] = 11
	x, _ := intersect(b)
	if got := x.sum(0, x.size); got != 0 || x.number() != 0 {
		t.Errorf("%d and %d", got, x.number())
	}
}

// TestDuality: a class and its dual meet in one point, a class and another one's dual in
// none; by localisation.
func TestDuality(t *testing.T) {
	classes := []int64{3, 21, 111} // degree 3 in Gr(3,6)
	duals := []int64{330, 321, 222}
	for i, c := range classes {
		for j, d := range duals {
			for d%10 == 0 {
				d /= 10
			}
			x, err := intersect(grassmannian(3, 6, c, d))
			if err != nil {
				t.Fatal(err)
			}
			want := uint64(0)
			if i == j {
				want = 1
			}
			if got := x.sum(0, x.size); got != want || x.number() != want {
				t.Errorf("%d with %d: %d and %d, expected %d", c, d, got, x.number(), want)
			}
		}
	}
}

// TestRandomProducts compares localisation with Pieri's rule on random classes.
func TestRandomProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	nonzero := 0
	for products := 0; products < 60; {
		k := 2 + rng.Int64N(3)
		n := k + 2 + rng.Int64N(3)
		random := func() int64 {
			a := 1 + rng.Int64N(n-k)
			b := rng.Int64N(a + 1)
			if b == 0 {
				return a
			}
			return 10*a + b
		}
		x, err := intersect(grassmannian(k, n, random(), random(), random()))
		if err != nil { // above the dimension
			continue
		}
		products++
		local, pieri := x.sum(0, x.size), x.number()
		if local != pieri {
			t.Errorf("Gr(%d,%d) %v: localisation %d, Pieri %d", k, n, x.classes, local, pieri)
		}
		if pieri != 0 {
			nonzero++
		}
	}
	if nonzero < 20 {
		t.Errorf("only %d of 60 products differ from 0", nonzero)
	}
}

// TestUnitCountsMontgomeryFactors follows the kernel's products in the order it makes them.
func TestUnitCountsMontgomeryFactors(t *testing.T) {
	lift := inverse((1 << 32) % prime)
	product := func(a, b uint64) uint64 { return mul(mul(a, b), lift) }
	raise := func(base uint64, e int64) uint64 {
		y := base
		for range e - 1 {
			y = product(y, base)
		}
		return y
	}
	x, err := intersect(grassmannian(3, 7, 21, 3))
	if err != nil {
		t.Fatal(err)
	}
	members := []int64{5, 3, 0}
	inside, outside, above := uint64(1), uint64(1), raise(1+4+6, x.power)
	table := make([]uint32, x.n*(x.k+2))
	x.tables()(0, 0, table)
	for a, i := range members { // falling
		outside = product(outside, uint64(table[x.n*(x.k+1)+i]))
		differences := uint64(1)
		for _, j := range members[:a] {
			differences *= uint64(j - i)
		}
		if a > 0 { // one group of up to four
			inside = product(inside, differences)
		}
	}
	for _, p := range x.classes {
		h := make([]uint64, 12)
		h[0] = 1
		for _, i := range members {
			for d := 1; d < len(h); d++ {
				h[d] = (h[d] + product(uint64(i+1), h[d-1])) % prime
			}
		}
		three := partition{p.part(0), p.part(1), p.part(2)}
		s := uint64(0)
		three.determinant(func(degrees []int64, sign int) {
			term := product(product(h[degrees[0]], h[degrees[1]]), h[degrees[2]])
			if sign < 0 {
				term = sub(0, term)
			}
			s = (s + term) % prime
		})
		above = product(above, s)
	}
	got := product(product(above, product(product(inside, inside), outside)), x.unit())
	index := int64(0)
	for i, m := range members {
		index += binomial(m, int64(len(members)-i))
	}
	if want := x.sum(index, index+1); got != want {
		t.Errorf("%d, expected %d", got, want)
	}
}

func TestUnrankingWalksAllSubsets(t *testing.T) {
	members, walked := make([]int64, 3), []int64{0, 1, 2}
	for i := range binomial(8, 3) {
		unrank(members, i)
		for j := range members {
			if members[j] != walked[j] {
				t.Fatalf("subset %d: %v, walked to %v", i, members, walked)
			}
		}
		next(walked)
	}
}

func TestProgramsAreValid(t *testing.T) {
	for _, w := range []suites.Workload{schubert{}, chow{}} {
		for _, size := range []int64{1, 2, 255, 257, 15504, 15503, 65537, 30045015, 1251677700} {
			for _, count := range []int{1, 2, 3, 7} {
				for _, b := range []suites.Build{suitetest.Build(w, size, count), suitetest.Weak(w, size, count), suitetest.Uneven(suitetest.Build(w, size, count))} {
					p, err := w.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, size %d, count %d: %v", w.Info().ID, size, count, err)
					}
					if p.Work != float64(b.Size) {
						t.Errorf("work %v of size %d", p.Work, b.Size)
					}
				}
			}
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	cases := []suites.Build{suitetest.Build(schubert{}, 0, 1), grassmannian(3, 6, 12), grassmannian(3, 6, 4), grassmannian(2, 6, 111), grassmannian(5, 5), grassmannian(20, 40), grassmannian(2, 4, 22, 1)}
	for i, b := range cases {
		b.Size = max(b.Size, 0)
		if i > 0 {
			b.Size = 10
		}
		if _, err := (schubert{}).Build(b); err == nil || !strings.Contains(err.Error(), "enumerative/schubert") {
			t.Errorf("case %d: %v", i, err)
		}
	}
	if _, err := (chow{}).Build(suitetest.Build(chow{}, 0, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("no classes: %v", err)
	}
}

// outputs are those of correct devices.
func outputs(t *testing.T, b suites.Build) suitetest.Memory {
	t.Helper()
	x, err := intersect(b)
	if err != nil {
		t.Fatal(err)
	}
	var partials []uint32
	total := []uint32{0, 0}
	for u := range x.chunks {
		first := min(u*x.stride, x.size)
		s := x.sum(first, min(first+x.stride, x.size))
		partials = append(partials, uint32(s&0xFFFF), uint32(s>>16))
		total[0] += uint32(s & 0xFFFF)
		total[1] += uint32(s >> 16)
	}
	return suitetest.Memory{Arrays: map[string][]uint32{"partials": partials, "total": total}}
}

func TestSchubertVerify(t *testing.T) {
	for _, size := range []int64{1, 56, 100, 5000, 15504, 2 * 15504} {
		b := suitetest.Build(schubert{}, size, 2)
		b.Base = min(size, 15504)
		p, err := (schubert{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		out := outputs(t, b)
		for _, full := range []bool{true, false} {
			c := &suites.Check{Build: b, Program: p, Full: full, Out: out}
			got, err := schubert{}.Verify(c)
			if err != nil || got.Wrong != "" || got.Checked < 500 {
				t.Errorf("size %d: %+v, %v", size, got, err)
			}
			if size%15504 == 0 && !strings.Contains(got.SelfCheck, "hook") {
				t.Errorf("size %d: self-check %q", size, got.SelfCheck)
			}
			off := out
			off.Local = map[string]map[int][]uint32{"total": {1: {out.Arrays["total"][0] ^ 1, out.Arrays["total"][1]}}}
			c.Out = off
			if got, err := (schubert{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "total") {
				t.Errorf("size %d misses a wrong total: %+v, %v", size, got, err)
			}
		}
		out.Arrays["partials"][0] ^= 1
		c := &suites.Check{Build: b, Program: p, Out: out}
		if got, err := (schubert{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, "partials[0]") {
			t.Errorf("size %d misses a wrong partial: %+v, %v", size, got, err)
		}
	}
}

func TestChowVerify(t *testing.T) {
	for _, bezout := range []int64{0, 1} {
		for _, n := range []int64{1, 3, 4, 7, 15} {
			b := suitetest.Build(chow{}, 257, 2)
			b.Params["n"], b.Params["bezout"] = n, bezout
			p, err := chow{}.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			words := device(b, n, bezout == 1)
			c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: map[string][]uint32{"C": words}}}
			if got, err := (chow{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != int64(len(words)) {
				t.Errorf("n %d: %+v, %v", n, got, err)
			}
			words[len(words)-1] ^= 1
			if got, err := (chow{}).Verify(c); err != nil || got.Wrong == "" {
				t.Errorf("n %d misses a wrong word: %+v, %v", n, got, err)
			}
		}
	}
}

// device multiplies classes term by term, and hypersurfaces one after the other.
func device(b suites.Build, n int64, bezout bool) []uint32 {
	words := classWords(n)
	in := func(s program.Source, i int64) uint64 {
		return uint64(suites.Stream{Seed: b.Seed, Workload: chowNumber, Array: s.ID}.Word(i) % prime)
	}
	var out []uint32
	for i := range b.Size {
		c := make([]uint64, words)
		if bezout {
			c[0] = 1
			for f := range n {
				for j := n; j > 0; j-- {
					c[j] = mul(c[j-1], in(chowA, i*words+f))
				}
				c[0] = 0
			}
		} else {
			for k := range n + 1 {
				for j := range k + 1 {
					c[k] += mul(in(chowA, i*words+j), in(chowB, i*words+k-j))
				}
				c[k] %= prime
			}
		}
		for _, x := range c {
			out = append(out, uint32(x))
		}
	}
	return out
}
