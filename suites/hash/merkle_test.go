package hash

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestGoldenRoots: leaf i is i as four big-endian bytes, then zeros.
func TestGoldenRoots(t *testing.T) {
	for _, c := range []struct {
		n            int
		raw, rfc6962 string
	}{
		{1, strings.Repeat("00", 32), "7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9"},
		{2, "8860b1848e82659a8f8dd96561a670004b51648b517aadc8fcc4a6823c802799", "935e316fe993807a73edc30805bafc3cf9baa770de49bd93271468084cab8281"},
		{3, "47779d7bf6cfa2292550fe24fdf9220a52b32e4798a2d33551b6eb6fa1a7ca44", "bcf68d0b71899bcf06e9aa439be683bd2e32e2d295ff1c58f4d95e469b6e31fa"},
		{1000, "56431daa26b51271f9da7ea5bd73e243de21fc0578cb3ca0df0765d4628bb4e5", "f9de29bcbb5c8db7bb754fa982afd9664261e43dc25a0ddad6e4415700ac000b"},
		{1024, "153951142fa3134e7010b4014dab9dff793e13a378d3dc7f83430133a7503830", "951fb6f03771a6e0e129a17ea0c9687f5d9a4e9e39fe431020111334378d7b79"},
	} {
		for raw, want := range map[bool]string{true: c.raw, false: c.rfc6962} {
			level := make([]node, c.n)
			for i := range level {
				binary.BigEndian.PutUint32(level[i][:], uint32(i))
				level[i] = leafHash(level[i], raw)
			}
			if got := rootOf(level, raw); hex.EncodeToString(got[:]) != want {
				t.Errorf("n %d raw %v: root %x, want %s", c.n, raw, got, want)
			}
		}
	}
}

// TestRawIsAmbiguous: the reason why raw is not the default.
func TestRawIsAmbiguous(t *testing.T) {
	for _, raw := range []bool{true, false} {
		three, four := make([]node, 3), make([]node, 4)
		for i := range four {
			x := node{31: byte(min(i, 2))}
			four[i] = leafHash(x, raw)
			if i < 3 {
				three[i] = leafHash(x, raw)
			}
		}
		if same := rootOf(three, raw) == rootOf(four, raw); same != raw {
			t.Errorf("raw %v: [a,b,c] and [a,b,c,c] have the same root: %v", raw, same)
		}
	}
}

func treeFor(t *testing.T, n, raw int64) tree {
	t.Helper()
	b := suitetest.Build(merkle{}, n, 1)
	b.Params["raw"] = raw
	tr, err := treeOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestSubtrees(t *testing.T) {
	for n, want := range map[int64]struct {
		shift int
		units int64
	}{
		1: {0, 1}, 255: {0, 255}, 511: {1, 256}, 777: {1, 389}, 1000: {1, 500}, 1 << 22: {14, 256},
		1 << 28: {20, 256}, 1<<22 + 1: {14, 257}, maxLeaves: {20, 1024},
	} {
		tr := treeFor(t, n, 0)
		if tr.shift != want.shift || tr.units() != want.units {
			t.Errorf("n %d: %d subtrees of 2^%d", n, tr.units(), tr.shift)
		}
	}
}

// TestSubtreesMakeTheTree: promotion and duplication inside ragged subtrees agree
// with the whole tree, for every number of leaves.
func TestSubtreesMakeTheTree(t *testing.T) {
	leaves := suites.Stream{Seed: 3, Workload: 30, Array: idLeaves}
	for _, raw := range []int64{0, 1} {
		for n := int64(1); n < 2200; n += 1 + n/7 {
			tr := treeFor(t, n, raw)
			var roots, level []node
			for u := range tr.units() {
				roots = append(roots, tr.subtree(leaves, u))
			}
			for i := range n {
				level = append(level, leafHash(leaf(leaves, i), raw == 1))
			}
			if got, want := rootOf(roots, raw == 1), rootOf(level, raw == 1); got != want {
				t.Fatalf("n %d raw %d: root %x by subtrees, %x at once", n, raw, got, want)
			}
		}
	}
}

func TestBuildShapes(t *testing.T) {
	for _, n := range []int64{1, 2, 255, 777, 1000, 5001, 1 << 22, 1 << 28} {
		for _, count := range []int{1, 2, 3, 8} {
			for _, b := range []suites.Build{suitetest.Build(merkle{}, n, count), suitetest.Uneven(suitetest.Build(merkle{}, n, count))} {
				p, err := merkle{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := suitetest.Invariants(p, count); err != nil {
					t.Errorf("n %d on %d: %v", n, count, err)
				}
			}
		}
	}
}

// TestLevelsAreDisjoint: the levels kept in one array do not overlap and fit.
func TestLevelsAreDisjoint(t *testing.T) {
	tr := treeFor(t, 1<<22, 0)
	end := int64(0)
	for level := 1; level < tr.shift; level++ {
		if tr.base(level) != end {
			t.Errorf("level %d starts at %d, the one below ends at %d", level, tr.base(level), end)
		}
		end = tr.base(level) + 1<<(tr.shift-level)
	}
	if end > 1<<tr.shift {
		t.Errorf("levels take %d of %d nodes", end, 1<<tr.shift)
	}
}

func TestCompressions(t *testing.T) {
	// rfc6962 on 3 leaves: 3 + 2*2; raw: (2 + 1) nodes of 2.
	if got := treeFor(t, 3, 0).compressions(); got != 7 {
		t.Errorf("rfc6962: %v", got)
	}
	if got := treeFor(t, 3, 1).compressions(); got != 6 {
		t.Errorf("raw: %v", got)
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, n := range []int64{0, maxLeaves + 1} {
		if _, err := (merkle{}).Build(suitetest.Build(merkle{}, n, 1)); err == nil || !strings.Contains(err.Error(), "choose 1 to 1073741824") {
			t.Errorf("%d leaves: error %v", n, err)
		}
	}
	b := suitetest.Build(merkle{}, 1<<22, 1)
	b.Limits.BindingBytes = 1 << 18
	if _, err := (merkle{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose fewer leaves") {
		t.Errorf("small bindings: error %v", err)
	}
}

// emulate runs the program's steps on the CPU, node by node, from its push words.
func emulate(t *testing.T, tr tree, p *program.Program, seed uint64) suitetest.Memory {
	t.Helper()
	leaves := suites.Stream{Seed: seed, Workload: 30, Array: idLeaves}
	m := suitetest.Memory{Arrays: map[string][]uint32{}}
	for _, a := range p.Arrays {
		m.Arrays[a.Name] = make([]uint32, a.Units*a.Stride)
	}
	put := func(array string, i int64, x node) {
		for k := range hashWords {
			m.Arrays[array][i*hashWords+int64(k)] = word(x, k)
		}
	}
	get := func(array string, i int64) node { return toNode(m.Arrays[array][i*hashWords : (i+1)*hashWords]) }
	join := func(l node, r func() node, both bool) node {
		switch {
		case both:
			return parent(l, r(), tr.raw)
		case tr.raw:
			return parent(l, l, true)
		}
		return l
	}
	for _, s := range p.Steps {
		d, ok := s.(program.Dispatch)
		if !ok {
			continue
		}
		for dev, share := range p.Shares {
			push := d.On[dev].Push
			for u := share.Lo; u < share.Hi; u++ {
				switch d.Kernel {
				case "leaf":
					shift, dstShift, base, n, pair := push[0], push[1], push[2], int64(push[3]), push[4]
					for i := range int64(1) << (shift - pair) {
						g := (u<<(shift-pair) | i) << pair
						if g >= n {
							continue
						}
						x := leafHash(leaf(leaves, g), tr.raw)
						if pair == 1 {
							x = join(x, func() node { return leafHash(leaf(leaves, g+1), tr.raw) }, g+1 < n)
						}
						put(d.Bind[1].Array, u<<dstShift+int64(base)+i, x)
					}
				case "node":
					for i := range int64(1) << push[0] {
						child := (u<<push[0] | i) * 2
						if child >= int64(push[5]) {
							continue
						}
						at := u<<push[1] + int64(push[2]) + 2*i
						x := join(get(d.Bind[0].Array, at), func() node { return get(d.Bind[0].Array, at+1) }, child+1 < int64(push[5]))
						put(d.Bind[1].Array, u<<push[3]+int64(push[4])+i, x)
					}
				}
			}
		}
	}
	var roots []node
	for u := range tr.units() {
		roots = append(roots, get("roots", u))
	}
	put("root", 0, rootOf(roots, tr.raw))
	return m
}

func TestVerify(t *testing.T) {
	for _, raw := range []int64{0, 1} {
		for _, n := range []int64{1, 200, 777, 5001} {
			t.Run(fmt.Sprintf("n %d raw %d", n, raw), func(t *testing.T) {
				b := suitetest.Build(merkle{}, n, 3)
				b.Params["raw"] = raw
				p, err := merkle{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				tr := treeFor(t, n, raw)
				m := emulate(t, tr, p, b.Seed)
				for _, full := range []bool{true, false} {
					check := &suites.Check{Build: b, Program: p, Full: full, Out: m}
					out, err := merkle{}.Verify(check)
					if err != nil || out.Wrong != "" {
						t.Fatalf("full %v: %v %s", full, err, out.Wrong)
					}
					for _, array := range []string{"roots", "root"} {
						last := len(m.Arrays[array]) - 1
						m.Arrays[array][last] ^= 4
						if out, err = (merkle{}).Verify(check); err != nil || out.Wrong == "" {
							t.Errorf("full %v: a flipped bit of %s passed: %v", full, array, err)
						}
						m.Arrays[array][last] ^= 4
					}
				}
			})
		}
	}
}

// TestVerifySeesOneDevice: a wrong root on the last device only is wrong.
func TestVerifySeesOneDevice(t *testing.T) {
	b := suitetest.Build(merkle{}, 777, 3)
	p, err := merkle{}.Build(b)
	if err != nil {
		t.Fatal(err)
	}
	m := emulate(t, treeFor(t, 777, 0), p, b.Seed)
	bad := append([]uint32(nil), m.Arrays["root"]...)
	bad[3]++
	m.Local = map[string]map[int][]uint32{"root": {2: bad}}
	out, err := merkle{}.Verify(&suites.Check{Build: b, Program: p, Full: true, Out: m})
	if err != nil || !strings.Contains(out.Wrong, "device 2") {
		t.Errorf("%v %q", err, out.Wrong)
	}
}
