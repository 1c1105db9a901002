package comm

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestTreeOrder uses numbers whose sum depends on the order.
func TestTreeOrder(t *testing.T) {
	stream := suites.Stream{Seed: 11}
	x := make([]float32, 8)
	for i := range x {
		x[i] = stream.F32(int64(i), -1e6, 1e6)
	}
	for n, want := range map[int]float32{
		1: x[0],
		2: x[0] + x[1],
		3: (x[0] + x[1]) + x[2],
		5: ((x[0] + x[1]) + (x[2] + x[3])) + x[4],
		6: ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]),
		7: ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]),
		8: ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])),
	} {
		if got := tree(program.Sum, x[:n]); got != want {
			t.Errorf("%d ranks: %v, want %v", n, got, want)
		}
	}
	if tree(program.Min, []float32{3, -2, 5}) != -2 || tree(program.Max, []float32{3, -2, 5}) != 5 {
		t.Error("minimum or maximum is wrong")
	}
}

func TestBuildShapes(t *testing.T) {
	for _, n := range []int64{1, 3, 10007, 1 << 28} {
		for _, count := range []int{1, 2, 3, 8} {
			for _, b := range []suites.Build{suitetest.Build(allreduce{}, n, count), suitetest.Weak(allreduce{}, n, count)} {
				p, err := allreduce{}.Build(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := suitetest.Invariants(p, count); err != nil {
					t.Errorf("n %d on %d: %v", n, count, err)
				}
				if a, _ := p.Array("in"); a.Units != n {
					t.Errorf("n %d on %d: %d elements per device", n, count, a.Units)
				}
				if !p.CountDependent {
					t.Error("digests of different counts would be compared")
				}
			}
		}
	}
}

// TestWorkIsBusBandwidth: 2(N-1)/N of the bytes, the bytes themselves on one device.
func TestWorkIsBusBandwidth(t *testing.T) {
	for count, factor := range map[int]float64{1: 1, 2: 1, 4: 1.5, 8: 1.75} {
		p, err := allreduce{}.Build(suitetest.Build(allreduce{}, 1000, count))
		if err != nil {
			t.Fatal(err)
		}
		if p.Work != 4000*factor {
			t.Errorf("%d devices: work %v", count, p.Work)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(*suites.Build)
		want   string
	}{
		{func(b *suites.Build) { b.Size = 0 }, "above 0"},
		{func(b *suites.Build) { b.Params["op"] = 3 }, "choose 0 (sum)"},
		{func(b *suites.Build) { b.Algorithm = "ring" }, "two-shot or one-shot"},
	} {
		b := suitetest.Build(allreduce{}, 10, 2)
		c.change(&b)
		if _, err := (allreduce{}).Build(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	b := suitetest.Build(allreduce{}, 10, 2)
	b.Algorithm = ""
	p, err := allreduce{}.Build(b)
	if err != nil || p.Steps[0].(program.AllReduce).Algorithm != "two-shot" {
		t.Errorf("no algorithm: %v", err)
	}
}

func TestVerify(t *testing.T) {
	for _, n := range []int64{5, 3000, 100003} {
		const count = 3
		b := suitetest.Build(allreduce{}, n, count)
		p, err := allreduce{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, n)
		for i := range words {
			x := make([]float32, count)
			for r := range x {
				x[r] = suites.Stream{Seed: b.Seed, Workload: 41, Array: idIn + uint32(r)<<16}.F32(int64(i), lo, hi)
			}
			words[i] = math.Float32bits((x[0] + x[1]) + x[2])
		}
		m := suitetest.Memory{Arrays: map[string][]uint32{"out": words}}
		for _, full := range []bool{true, false} {
			check := &suites.Check{Build: b, Program: p, Full: full, Out: m}
			out, err := allreduce{}.Verify(check)
			if err != nil || out.Wrong != "" || out.Checked < min(count*n, suites.MinSampled) {
				t.Fatalf("n %d full %v: %v %+v", n, full, err, out)
			}
			bad := append([]uint32(nil), words...)
			bad[n-1] ^= 1
			check.Out = suitetest.Memory{Arrays: m.Arrays, Local: map[string]map[int][]uint32{"out": {2: bad}}}
			if out, err = (allreduce{}).Verify(check); err != nil || !strings.Contains(out.Wrong, "device 2") {
				t.Errorf("n %d full %v: a flipped bit on device 2: %v %q", n, full, err, out.Wrong)
			}
		}
	}
}
