package engine

import (
	"math/rand/v2"
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
// local reductions plus the exchanged roots give the root of the canonical tree.
func TestSubtreesMatchTree(t *testing.T) {
	for total := int64(1); total <= 70; total++ {
		for n := 1; n <= 5; n++ {
			shares := divide(total, n)
			want := simulateTree(leaves(total), func(lo, hi int64) bool { return true })
			merged := make([]string, total)
			for _, s := range shares {
				own := simulateTree(leaves(total), func(lo, hi int64) bool { return s.Lo <= lo && hi <= s.Hi })
				for _, r := range subtrees(s.Lo, s.Hi, total) {
					merged[r] = own[r]
				}
			}
			got := simulateTree(merged, func(lo, hi int64) bool {
				for _, s := range shares {
					if s.Lo <= lo && hi <= s.Hi {
						return false
					}
				}
				return true
			})
			if got[0] != want[0] {
				t.Fatalf("%d chunks on %d devices: %s, want %s", total, n, got[0], want[0])
			}
		}
	}
}

func leaves(n int64) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = string(rune('A' + i))
	}
	return out
}

func simulateTree(p []string, selected func(lo, hi int64) bool) []string {
	c := int64(len(p))
	for s := int64(1); s < c; s *= 2 {
		for i := int64(0); i+s < c; i += 2 * s {
			if selected(i, min(i+2*s, c)) {
				p[i] = "(" + p[i] + p[i+s] + ")"
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
