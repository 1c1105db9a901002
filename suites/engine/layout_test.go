package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/suites/program"
)

// divide is an equal division for tests.
func divide(units int64, n int) []program.Share {
	shares := make([]program.Share, n)
	var at int64
	for i := range shares {
		size := units / int64(n)
		if int64(i) < units%int64(n) {
			size++
		}
		shares[i] = program.Share{Lo: at, Hi: at + size}
		at += size
	}
	return shares
}

func TestOwnersWrap(t *testing.T) {
	shares := divide(10, 3) // 4 3 3
	for _, tc := range []struct {
		lo, hi int64
		wrap   bool
		want   []ownedRun
	}{
		{-2, 0, true, []ownedRun{{2, 8, 0, 2}}},
		{-2, 0, false, nil},
		{9, 12, true, []ownedRun{{2, 9, 0, 1}, {0, 0, 1, 2}}},
		{9, 12, false, []ownedRun{{2, 9, 0, 1}}},
		{3, 8, false, []ownedRun{{0, 3, 0, 1}, {1, 4, 1, 3}, {2, 7, 4, 1}}},
		{-12, -9, true, []ownedRun{{2, 8, 0, 2}, {0, 0, 2, 1}}},
	} {
		got := owners(shares, 10, tc.lo, tc.hi, tc.wrap)
		if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(ownedRun{})); d != "" {
			t.Errorf("owners [%d,%d) wrap %v: %s", tc.lo, tc.hi, tc.wrap, d)
		}
	}
}

func TestPiecesCoverAndRespectCuts(t *testing.T) {
	a := &program.Array{Layout: program.Replicated, Units: 1000, Stride: 1 << 20, CutAt: 100}
	e := extentOf(a, program.Share{})
	out, ok := e.pieces(3 << 30)
	if !ok {
		t.Fatal("an array of 4 GiB must fit buffers of 3 GiB in several pieces")
	}
	var at int64
	for i, p := range out {
		if p.first != at || p.units*e.unitBytes > 3<<30 {
			t.Errorf("piece %d: %+v", i, p)
		}
		if i < len(out)-1 && p.units%100 != 0 {
			t.Errorf("piece %d of %d units is not cut at a multiple of 100", i, p.units)
		}
		at += p.units
	}
	if at != 1000 {
		t.Errorf("pieces cover %d of 1000 units", at)
	}
	if _, ok := e.pieces(1 << 20); ok {
		t.Error("a limit below one cut must be refused")
	}
}

// TestCutProperties cuts random launches and checks cover, alignment and limits.
func TestCutProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		stride := 1 + rng.Int64N(300)
		units := 1 + rng.Int64N(5000)
		halo := rng.Int64N(4)
		align := 1 + rng.Int64N(8)
		share := program.Share{Lo: 100, Hi: 100 + units}
		split := &program.Array{Name: "a", Layout: program.Split, Units: units + 200, Stride: stride, Halo: halo}
		local := &program.Array{Name: "b", Layout: program.Local, Units: units, Stride: 1}
		limit := (2*halo+align+rng.Int64N(500))*stride*wordBytes + offsetAlign
		ba := []boundArray{
			{bind: program.Binding{Array: "a", Before: halo, After: halo}, ext: extentOf(split, share)},
			{bind: program.Binding{Array: "b"}, ext: extentOf(local, share)},
		}
		for i := range ba {
			ba[i].pieces, _ = ba[i].ext.pieces(1 << 40)
		}
		most := rng.Int64N(1000)
		parts, blocked, ok := cut(ba, 0, units, align, most, limit)
		if !ok {
			t.Fatalf("cut refused because of %s: stride %d halo %d align %d limit %d", blocked, stride, halo, align, limit)
		}
		at := int64(0)
		for i, p := range parts {
			if p.Lo != at || p.Len() <= 0 {
				t.Fatalf("part %d is %+v, expected to start at %d", i, p, at)
			}
			if i < len(parts)-1 && p.Len()%align != 0 {
				t.Fatalf("part %d of %d units is not a multiple of %d", i, p.Len(), align)
			}
			if most > align && p.Len() > most {
				t.Fatalf("part of %d units above the limit %d", p.Len(), most)
			}
			for _, b := range ba {
				if !b.fits(p.Lo, p.Len(), limit) {
					t.Fatalf("part %+v does not fit %s", p, b.bind.Array)
				}
			}
			at = p.Hi
		}
		if at != units {
			t.Fatalf("parts cover %d of %d units", at, units)
		}
	}
}

func TestCutRefusesWhatCannotFit(t *testing.T) {
	a := &program.Array{Name: "wide", Layout: program.Split, Units: 4, Stride: 1000}
	ba := []boundArray{{ext: extentOf(a, program.Share{Hi: 4}), bind: program.Binding{Array: "wide"}}}
	ba[0].pieces, _ = ba[0].ext.pieces(1 << 40)
	if _, blocked, ok := cut(ba, 0, 4, 1, 0, 3999); ok || blocked != "wide" {
		t.Errorf("a unit of 4000 bytes in a binding of 3999: blocked %q, ok %v", blocked, ok)
	}
}

// TestSubtreesMatchTree checks against a direct simulation of engine/tree that
// local reductions plus the exchanged roots give the root of the canonical tree: for 1 to
// 16 devices, up to 257 chunks and around powers of two, however they are divided.
func TestSubtreesMatchTree(t *testing.T) {
	totals := []int64{511, 512, 513, 1023, 1024, 1025}
	for total := int64(1); total <= 257; total++ {
		totals = append(totals, total)
	}
	for _, total := range totals {
		trees := numbered{}
		want := trees.simulate(leaves(total), func(lo, hi int64) bool { return true })
		for n := 1; n <= 16; n++ {
			for _, shares := range [][]program.Share{divide(total, n), lopsided(total, n)} {
				merged := make([]int, total)
				inside := func(lo, hi int64) bool {
					return slices.ContainsFunc(shares, func(s program.Share) bool { return s.Lo <= lo && hi <= s.Hi })
				}
				own := trees.simulate(leaves(total), inside)
				for _, s := range shares {
					roots := subtrees(s.Lo, s.Hi, total)
					for _, r := range roots {
						merged[r] = own[r]
					}
					if fewest := fewestRoots(s, total); len(roots) != fewest {
						t.Fatalf("%v of %d chunks: %d roots, want %d", s, total, len(roots), fewest)
					}
				}
				got := trees.simulate(merged, func(lo, hi int64) bool { return !inside(lo, hi) })
				if got[0] != want[0] {
					t.Fatalf("%d chunks divided as %v: another tree than the canonical one", total, shares)
				}
			}
		}
	}
}

// fewestRoots is how many chunks of a share are left when all pairs that lie in it are combined.
func fewestRoots(share program.Share, total int64) int {
	left := int(share.Len())
	for s := int64(1); s < total; s *= 2 {
		for i := int64(0); i+s < total; i += 2 * s {
			if share.Lo <= i && min(i+2*s, total) <= share.Hi {
				left--
			}
		}
	}
	return left
}

// lopsided divides total into shares of very different lengths, some of them empty.
func lopsided(total int64, n int) []program.Share {
	out := make([]program.Share, n)
	var at int64
	for d := range out {
		end := at + (total-at)*int64(d%4)/5
		if d == n-1 {
			end = total
		}
		out[d] = program.Share{Lo: at, Hi: end}
		at = end
	}
	return out
}

// leaves numbers chunks from 1 on; 0 is nothing at all.
func leaves(n int64) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// numbered gives every pair of trees a number of its own.
type numbered map[[2]int]int

func (m numbered) simulate(p []int, selected func(lo, hi int64) bool) []int {
	const first = 1 << 20 // above all leaves
	c := int64(len(p))
	for s := int64(1); s < c; s *= 2 {
		for i := int64(0); i+s < c; i += 2 * s {
			if selected(i, min(i+2*s, c)) {
				key := [2]int{p[i], p[i+s]}
				if m[key] == 0 {
					m[key] = first + len(m)
				}
				p[i] = m[key]
			}
		}
	}
	return p
}

func TestGridCoversAndFolds(t *testing.T) {
	for _, groups := range []int64{1, 2, 65535, 65536, 65537, 1 << 20, 1<<31 - 1} {
		g := grid(groups)
		all := int64(g[0]) * int64(g[1]) * int64(g[2])
		if all < groups || all-groups >= int64(g[1]) || g[0] > maxGroups || g[1] > maxGroups {
			t.Errorf("%d groups fold to %v", groups, g)
		}
	}
}
