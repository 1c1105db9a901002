package network

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestKMedoidsBuild(t *testing.T) {
	for _, n := range []int64{2, 3, 7, 8, 255, 256, 257, 500, 1009} {
		for _, count := range []int{1, 2, 3, 7} {
			for _, k := range []int64{1, 16, 1024} {
				b := suitetest.Build(kmedoids{}, n, count)
				b.Params["k"] = k
				for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
					p, err := (kmedoids{}).Build(b)
					if err == nil {
						err = suitetest.Invariants(p, count)
					}
					if err != nil {
						t.Fatalf("%d nodes, %d devices: %v", n, count, err)
					}
				}
			}
		}
	}
	for _, n := range []int64{0, 1, maxClustered + 1} {
		if _, err := (kmedoids{}).Build(suitetest.Build(kmedoids{}, n, 1)); err == nil || !strings.Contains(err.Error(), "choose 2 to") {
			t.Errorf("%d nodes: %v does not say what to choose", n, err)
		}
	}
	if got := (kmedoids{}).WeakSize(1000, 4); got != 2000 {
		t.Errorf("four times the pairs of 1000 nodes have %d", got)
	}
}

// onLine is the matrix of distances of places on a line, in rows of four times something.
func onLine(c *clustering, places []float32) []float32 {
	c.n, c.pitch = int64(len(places)), (int64(len(places))+3)/4*4
	out := make([]float32, c.n*c.pitch)
	for i, p := range places {
		for j, q := range places {
			out[int64(i)*c.pitch+int64(j)] = float32(math.Abs(float64(p - q)))
		}
	}
	return out
}

func TestClusters(t *testing.T) {
	for _, x := range []struct {
		places  []float32
		k       int64
		medoids []uint32
		nearest []uint32
	}{
		{[]float32{0, 1, 2, 10, 11, 12, 50, 51, 52}, 3, []uint32{1, 4, 7}, []uint32{0, 0, 0, 1, 1, 1, 2, 2, 2}},
		{[]float32{0, 1, 2, 3}, 1, []uint32{1}, []uint32{0, 0, 0, 0}},    // 1 and 2 cost the same
		{[]float32{5, 5, 5, 5}, 2, []uint32{0, 2}, []uint32{0, 0, 0, 0}}, // nobody is nearest to the second one: it stays
		{[]float32{4, 7}, 2, []uint32{0, 1}, []uint32{0, 1}},
	} {
		c := clustering{k: x.k, steps: 6}
		matrix := onLine(&c, x.places)
		if s := c.run(matrix); !slices.Equal(s.medoids, x.medoids) || !slices.Equal(s.nearest, x.nearest) {
			t.Errorf("%v: medoids %v, nearest %v", x.places, s.medoids, s.nearest)
		}
	}
}

// clustered holds what devices should leave, by the reference, from rounded distances.
func clustered(t *testing.T, b suites.Build) (clustering, map[string][]uint32) {
	t.Helper()
	c, err := clusteringOf(b)
	if err != nil {
		t.Fatal(err)
	}
	stream := suites.Stream{Seed: b.Seed, Workload: kmedoidsNumber, Array: idPosition}
	matrix := make([]float32, c.n*c.pitch)
	for i := range c.n {
		for j := range c.n {
			matrix[i*c.pitch+j] = float32(distanceOf(stream, i, j))
		}
	}
	c.steps--
	before := c.run(matrix)
	c.steps++
	after := c.run(matrix)
	bits := func(x []float32) (out []uint32) {
		for _, v := range x {
			out = append(out, math.Float32bits(v))
		}
		return out
	}
	return c, map[string][]uint32{"D": bits(matrix), "nearest": after.nearest, "cost": bits(after.cost), "medoids": after.medoids, "before": before.medoids}
}

// TestKMedoidsDescend: the sum of distances to the nearest medoids never grows.
func TestKMedoidsDescend(t *testing.T) {
	b := suitetest.Build(kmedoids{}, 300, 1)
	last := math.Inf(1)
	for steps := int64(1); steps < 8; steps++ {
		b.Params["steps"] = steps
		c, arrays := clustered(t, b)
		sum := 0.0
		for i, a := range arrays["nearest"] {
			sum += float64(math.Float32frombits(arrays["D"][int64(i)*c.pitch+int64(arrays["before"][a])]))
		}
		if sum > last*(1+1e-6) {
			t.Errorf("after %d steps the sum is %v, before it was %v", steps, sum, last)
		}
		last = sum
	}
}

func TestKMedoidsVerify(t *testing.T) {
	for _, n := range []int64{2, 37, 256} {
		b := suitetest.Build(kmedoids{}, n, 2)
		p, err := (kmedoids{}).Build(b)
		if err != nil {
			t.Fatal(err)
		}
		c, arrays := clustered(t, b)
		for _, full := range []bool{true, false} {
			check := &suites.Check{Build: b, Program: p, Full: full, Out: suitetest.Memory{Arrays: arrays}}
			if got, err := (kmedoids{}).Verify(check); err != nil || got.Wrong != "" || got.Checked < n {
				t.Fatalf("%d nodes: %+v, %v", n, got, err)
			}
			// The first and the last row are in every sample.
			for array, at := range map[string]int64{"D": (c.n-1)*c.pitch + 0, "nearest": 0, "cost": c.n - 1, "medoids": c.k - 1, "before": 0} {
				old := arrays[array][at]
				arrays[array][at] ^= 1 << 12
				if got, err := (kmedoids{}).Verify(check); err != nil || got.Wrong == "" {
					t.Errorf("%d nodes, full %v: a wrong word of %s passes: %v", n, full, array, err)
				}
				arrays[array][at] = old
			}
		}
	}
}
