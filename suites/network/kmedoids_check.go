package network

import (
	"math"

	"github.com/amgpu/amgpu/suites"
)

// fullClustering bounds the pairs times steps of a reference from the first step on.
const fullClustering = 1 << 25

// Verify compares sampled rows of distances with 64 bits, and computes anew from the rows
// that were read their nearest medoid and their cost in the last step, and from all costs the
// medoids; of small problems all steps from the first one on, given the distances.
func (kmedoids) Verify(check *suites.Check) (suites.Outcome, error) {
	c, err := clusteringOf(check.Build)
	if err != nil {
		return suites.Outcome{}, err
	}
	words := map[string][]uint32{}
	for array, n := range map[string]int64{"nearest": c.n, "cost": c.n, "medoids": c.k, "before": c.k} {
		if words[array], err = check.Out.LocalWords(array, 0, 0, n); err != nil {
			return suites.Outcome{}, err
		}
	}
	s := state{nearest: words["nearest"], cost: asFloats(words["cost"]), medoids: words["before"]}
	stream := suites.Stream{Seed: check.Build.Seed, Workload: kmedoidsNumber, Array: idPosition}
	var all suites.Tally
	for i, m := range s.medoids {
		if int64(m) >= c.n {
			all.Bits("before", int64(i), m, 0)
			return all.Outcome("E0", "each medoid is a node"), nil
		}
	}
	rows, err := check.EachUnit("D", c.n, func(i int64, got []uint32, t *suites.Tally) {
		for j := range c.n {
			d := distanceOf(stream, i, j)
			t.Near("D", i*c.pitch+j, got[j], d, 10*suites.U*d)
		}
		row := asFloats(got)
		t.Bits("nearest", i, s.nearest[i], s.closest(row))
		t.Bits("cost", i, words["cost"][i], math.Float32bits(s.within(i, row)))
	})
	if err != nil {
		return suites.Outcome{}, err
	}
	all.Add(rows)
	for i, m := range s.next() {
		all.Bits("medoids", int64(i), words["medoids"][i], m)
	}
	self := "each medoid has the least cost of its cluster"
	if all.Wrong == "" && c.n*c.n*c.steps <= fullClustering {
		matrix, err := check.Out.Words("D", 0, c.n*c.pitch)
		if err != nil {
			return suites.Outcome{}, err
		}
		for i, m := range c.run(asFloats(matrix)).medoids {
			all.Bits("medoids after all steps", int64(i), words["medoids"][i], m)
		}
		self += ", after all steps from the first one on"
	}
	return all.Outcome("E0", self), nil
}

// distanceOf is the distance between two nodes in 64 bits.
func distanceOf(s suites.Stream, i, j int64) float64 {
	sum := 0.0
	for k := range int64(3) {
		d := float64(s.F32(4*i+k, places.A, places.B)) - float64(s.F32(4*j+k, places.A, places.B))
		sum += d * d
	}
	return math.Sqrt(sum)
}

// state is a clustering in progress.
type state struct {
	nearest []uint32
	cost    []float32
	medoids []uint32
}

// closest is the nearest medoid of a node with that row of distances.
func (s state) closest(row []float32) (best uint32) {
	for c, m := range s.medoids {
		if row[m] < row[s.medoids[best]] {
			best = uint32(c)
		}
	}
	return best
}

// within is the cost of node i, added in the order of the kernel.
func (s state) within(i int64, row []float32) float32 {
	var sums [256]float32
	for j, a := range s.nearest {
		if a == s.nearest[i] {
			sums[j/4%256] += row[j]
		}
	}
	for width := 128; width > 0; width /= 2 {
		for t := range width {
			sums[t] += sums[t+width]
		}
	}
	return sums[0]
}

// next is the node of least cost of every cluster.
func (s state) next() []uint32 {
	out := append([]uint32(nil), s.medoids...)
	found := make([]bool, len(out))
	for i, c := range s.nearest {
		if int(c) < len(out) && (!found[c] || s.cost[i] < s.cost[out[c]]) {
			out[c], found[c] = uint32(i), true
		}
	}
	return out
}

// run makes all steps from the first medoids on.
func (c clustering) run(matrix []float32) state {
	s := state{nearest: make([]uint32, c.n), cost: make([]float32, c.n)}
	for m := range c.k {
		s.medoids = append(s.medoids, uint32(m*c.n/c.k))
	}
	row := func(i int64) []float32 { return matrix[i*c.pitch : i*c.pitch+c.n] }
	for range c.steps {
		for i := range c.n {
			s.nearest[i] = s.closest(row(i))
		}
		suites.Spread(c.n, func(lo, hi int64, _ *suites.Tally) {
			for i := lo; i < hi; i++ {
				s.cost[i] = s.within(i, row(i))
			}
		})
		s.medoids = s.next()
	}
	return s
}
