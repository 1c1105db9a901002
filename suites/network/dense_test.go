package network

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestDenseBuild(t *testing.T) {
	for _, w := range []suites.Workload{distance{}, gnn{}} {
		for _, n := range []int64{2, 3, 127, 128, 129, 1009, 4096} {
			for _, count := range []int{1, 2, 3, 7} {
				for _, b := range []suites.Build{suitetest.Build(w, n, count), suitetest.Uneven(suitetest.Build(w, n, count)), suitetest.Weak(w, n, count)} {
					p, err := w.Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%s, %d nodes, %d devices: %v", w.Info().ID, n, count, err)
					}
				}
			}
		}
		for _, n := range []int64{0, -1, maxNodes + 1} {
			if _, err := w.Build(suitetest.Build(w, n, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
				t.Errorf("%s, %d nodes: %v does not say what to choose", w.Info().ID, n, err)
			}
		}
	}
	b := suitetest.Build(gnn{}, 100, 1)
	b.Params["features"] = 6
	if _, err := (gnn{}).Build(b); err == nil || !strings.Contains(err.Error(), "multiple of 4") {
		t.Errorf("six features: %v", err)
	}
}

// TestGNNWork: the nominal counts of a graph that can be counted by hand.
func TestGNNWork(t *testing.T) {
	b := suitetest.Build(gnn{}, 0, 1)
	b.Input = write(t, "edges", "0 1\n1 2\n2 0\n3 0\n")
	b.Params["features"] = 8
	p, err := (gnn{}).Build(b)
	if want := 2.*(4+4)*8 + 2*4*64; err != nil || p.Flops != want {
		t.Errorf("%v flop, expected %v, %v", p.Flops, want, err)
	}
}

func TestDistanceVerify(t *testing.T) {
	const n = 50
	b := suitetest.Build(distance{}, n, 2)
	p, err := (distance{}).Build(b)
	if err != nil {
		t.Fatal(err)
	}
	stream := suites.Stream{Seed: b.Seed, Workload: distanceNumber, Array: idPosition}
	arrays := map[string][]uint32{"D": make([]uint32, n*52), "closeness": make([]uint32, n)}
	for i := range int64(n) {
		sum := float32(0)
		for j := range int64(n) {
			square := float32(0)
			for k := range int64(3) {
				d := stream.F32(4*i+k, -1, 1) - stream.F32(4*j+k, -1, 1)
				square += d * d
			}
			d := float32(math.Sqrt(float64(square)))
			arrays["D"][i*52+j] = math.Float32bits(d)
			sum += d
		}
		arrays["closeness"][i] = math.Float32bits((n - 1) / sum)
	}
	c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: arrays}}
	got, err := (distance{}).Verify(c)
	if err != nil || got.Wrong != "" || got.Checked != n*n+n {
		t.Fatalf("%+v, %v", got, err)
	}
	for array, at := range map[string]int{"D": 49*52 + 3, "closeness": 7} {
		words := arrays[array]
		old := words[at]
		words[at] = math.Float32bits(math.Float32frombits(old) * 1.0001)
		if got, err := (distance{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, array) {
			t.Errorf("a wrong %s passes: %+v, %v", array, got, err)
		}
		words[at] = old
	}
}
