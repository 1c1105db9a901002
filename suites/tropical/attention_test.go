package tropical

import (
	"math"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// TestAttendByHand: the largest single component decides, the lowest key on ties.
func TestAttendByHand(t *testing.T) {
	keys := []float32{1, 0, 5, -9, 0, 5, 5, 0}
	for _, c := range []struct {
		query  []float32
		winner int64
		best   float32
	}{
		{[]float32{0, 0}, 1, 5}, {[]float32{0, 1}, 2, 6}, {[]float32{-9, 0}, 2, 5}, {[]float32{2, 2}, 1, 7},
	} {
		if winner, best := attend(c.query, keys); winner != c.winner || best != c.best {
			t.Errorf("query %v: key %d with %v, expected %d with %v", c.query, winner, best, c.winner, c.best)
		}
	}
}

// TestAttendIsAProduct: scores are the max-plus product of queries and transposed keys.
func TestAttendIsAProduct(t *testing.T) {
	const queries, keys, dim = 11, 37, 5
	s := suites.Stream{Seed: 8}
	q, k := vector(s, 0, queries*dim), vector(s, 1000, keys*dim)
	turned := make([]float32, dim*keys)
	for i := range keys {
		for d := range dim {
			turned[d*keys+i] = k[i*dim+d]
		}
	}
	scores := multiply(q, turned, queries, dim, keys, false)
	for i := range queries {
		winner, best := attend(q[i*dim:(i+1)*dim], k)
		for j, x := range scores[i*keys : (i+1)*keys] {
			if x > best || x == best && int64(j) < winner || int64(j) == winner && x != best {
				t.Errorf("query %d: key %d with %v, key %d has %v", i, winner, best, j, x)
			}
		}
	}
}

func TestAttention(t *testing.T) {
	for _, size := range []int64{1, 7, 127, 129, 300} {
		for _, dim := range []int64{1, 5, 64} {
			b := suitetest.Build(attention{}, size, 3)
			b.Params["dim"] = dim
			for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
				p, err := (attention{}).Build(b)
				if err == nil {
					err = suitetest.Invariants(p, 3)
				}
				if err != nil {
					t.Fatalf("size %d, dim %d: %v", size, dim, err)
				}
				stream := func(id uint32) suites.Stream {
					return suites.Stream{Seed: b.Seed, Workload: attentionNumber, Array: id}
				}
				out := map[string][]uint32{}
				keys, values := vector(stream(idKey), 0, size*dim), vector(stream(idValue), 0, size*dim)
				for q := range size {
					k, _ := attend(vector(stream(idQuery), q*dim, dim), keys)
					out["winner"] = append(out["winner"], uint32(k))
					for _, x := range values[k*dim : (k+1)*dim] {
						out["out"] = append(out["out"], math.Float32bits(x))
					}
				}
				c := &suites.Check{Build: b, Program: p, Full: true, Out: suitetest.Memory{Arrays: out}}
				if got, err := (attention{}).Verify(c); err != nil || got.Wrong != "" || got.Checked != size*(dim+1) {
					t.Errorf("size %d, dim %d: %+v, %v", size, dim, got, err)
				}
				for name := range out {
					out[name][size-1] ^= 1
					if got, err := (attention{}).Verify(c); err != nil || !strings.HasPrefix(got.Wrong, name+"[") {
						t.Errorf("size %d, dim %d: a wrong %s passes: %+v, %v", size, dim, name, got, err)
					}
					out[name][size-1] ^= 1
				}
			}
		}
	}
	for _, size := range []int64{0, 1 << 24} {
		if _, err := (attention{}).Build(suitetest.Build(attention{}, size, 1)); err == nil || !strings.Contains(err.Error(), "choose") {
			t.Errorf("size %d: %v", size, err)
		}
	}
	if p, err := (attention{}).Build(suitetest.Weak(attention{}, 100, 3)); err != nil || p.Units != 300 || p.Arrays[3].Units != 100 {
		t.Errorf("weak growth: %v", err)
	}
}
