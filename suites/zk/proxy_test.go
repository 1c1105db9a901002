package zk

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestProxyBuild(t *testing.T) {
	for _, n := range []int64{1, 8, 9, 31, 1000, 1024, 1_000_000, 1 << 24} {
		for _, count := range []int{1, 2, 3, 8} {
			b := suitetest.Build(proxy{}, n, count)
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p, err := proxy{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := suitetest.Invariants(p, count); err != nil {
					t.Errorf("%d constraints on %d: %v", n, count, err)
				}
			}
		}
	}
	for _, n := range []int64{0, 1<<mostProxy + 1} {
		if _, err := (proxy{}).Build(suitetest.Build(proxy{}, n, 1)); err == nil || !strings.Contains(err.Error(), "choose 1 to 134217728") {
			t.Errorf("%d constraints: error %v", n, err)
		}
	}
}

// made holds what devices should leave, by the reference.
func made(t *testing.T, b suites.Build) suitetest.Memory {
	t.Helper()
	c, err := circuitOf(b)
	if err != nil {
		t.Fatal(err)
	}
	n := c.n()
	x, y := make([]uint64, n), make([]uint64, n)
	for i := range n {
		x[i], y[i] = c.row(b.Seed, i)
	}
	h := make([]uint32, 2*n)
	for j, v := range c.reference(x, y) {
		c.f.put(v, h[2*c.coefficient(int64(j)):])
	}
	m := suitetest.Memory{Arrays: map[string][]uint32{"h": h, "residual": make([]uint32, 2*n)}}
	words := func(x [32]byte) (out []uint32) {
		for i := 0; i < 32; i += 4 {
			out = append(out, binary.BigEndian.Uint32(x[i:]))
		}
		return out
	}
	var level [][32]byte
	each := int64(2) << c.perUnit()
	for u := range c.Units() {
		var leaves [][32]byte
		for at := u * each; at < (u+1)*each; at += leafWords {
			leaves = append(leaves, hashLeaf(h[at:at+leafWords]))
		}
		level = append(level, fold(leaves))
		m.Arrays["subtrees"] = append(m.Arrays["subtrees"], words(level[u])...)
	}
	m.Arrays["root"] = words(fold(level))
	return m
}

// TestProxyVerify: the reference's own results pass; one wrong bit anywhere does not.
func TestProxyVerify(t *testing.T) {
	for _, n := range []int64{1, 8, 100, 1000, 1024} {
		b := suitetest.Build(proxy{}, n, 2)
		p, err := proxy{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		m := made(t, b)
		for _, full := range []bool{true, false} {
			check := &suites.Check{Build: b, Program: p, Full: full, Out: m}
			out, err := proxy{}.Verify(check)
			if err != nil || out.Wrong != "" {
				t.Fatalf("%d: %v %s", n, err, out.Wrong)
			}
			for _, array := range []string{"h", "residual", "subtrees", "root"} {
				words := m.Arrays[array]
				words[len(words)-2] ^= 1
				if out, err := (proxy{}).Verify(check); err != nil || out.Wrong == "" {
					t.Errorf("%d, full %v: a wrong bit of %s passed: %v", n, full, array, err)
				}
				words[len(words)-2] ^= 1
			}
		}
	}
}

// TestQuotientSeesEveryCoefficient: the identity alone, without the comparison with the
// reference, sees a change of any coefficient of h and of a row.
func TestQuotientSeesEveryCoefficient(t *testing.T) {
	b := suitetest.Build(proxy{}, 61, 1)
	c, err := circuitOf(b)
	if err != nil {
		t.Fatal(err)
	}
	h := made(t, b).Arrays["h"]
	x, y := make([]uint64, c.n()), make([]uint64, c.n())
	for i := range c.n() {
		x[i], y[i] = c.row(b.Seed, i)
	}
	wrong := func() string {
		var all suites.Tally
		c.quotient(b.Seed, x, y, h, &all)
		return all.Wrong
	}
	if w := wrong(); w != "" {
		t.Fatal(w)
	}
	for i := range h {
		h[i] ^= 4
		if wrong() == "" {
			t.Errorf("a change of word %d of h passed", i)
		}
		h[i] ^= 4
	}
	for i := range x {
		x[i]++
		if i < 61 && wrong() == "" {
			t.Errorf("a change of row %d passed", i)
		}
		x[i]--
	}
}
