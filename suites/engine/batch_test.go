package engine

import (
	"context"
	"testing"

	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/ga"
	"github.com/amgpu/amgpu/suites/partition"
	_ "github.com/amgpu/amgpu/suites/tropical"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/vktest"
)

// handing launches a workload whose chunks are handed out on adapters.
func handing(t testing.TB, id string, size int64, adapters []*vk.Adapter, change func(*Spec)) *Session {
	t.Helper()
	w, err := suites.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	a, err := partition.LookupAssign("steal")
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Workload: w, Adapters: adapters, Transport: "auto", Dynamic: &Dynamic{Assign: a}}
	spec.Build = suites.Build{Size: size, Base: size, Count: len(adapters), Seed: 5, Params: map[string]int64{}, Limits: PoolLimits(adapters)}
	for _, p := range w.Info().Params {
		spec.Build.Params[p.Name] = p.Default
	}
	for range adapters {
		spec.Dynamic.Rates = append(spec.Dynamic.Rates, 1)
	}
	if change != nil {
		change(&spec)
	}
	s, err := Launch(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestBatchIsOneLaunch: however many chunks a batch holds, it is one dispatch of each
// kernel over all of them, also with launches that begin only at multiples of 128 rows.
func TestBatchIsOneLaunch(t *testing.T) {
	_, adapters := vktest.Team(t, "1")
	for _, c := range []struct {
		id   string
		size int64
	}{{"ga/product", 20_000}, {"tropical/matmul", 250}} {
		s := handing(t, c.id, c.size, adapters, nil)
		g := s.deal
		n := g.chunks.count
		if n < 16 {
			t.Fatalf("%s: %d chunks", c.id, n)
		}
		for k, r := range [][2]int{{0, 1}, {0, n}, {3, n - 2}, {n - 1, n}, {1, n}, {5, 9}} {
			lo, _ := g.chunks.bounds(r[0])
			_, hi := g.chunks.bounds(r[1] - 1)
			err := s.workers[0].do(func(*vk.Device) error {
				_, err := g.record(s, 0, k, lo, hi, false)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			launches := 0
			for _, op := range g.slots[0].ops {
				if op.Kind == vk.OpDispatch {
					launches++
					if op.Push[0] != uint32(hi-lo) || op.Push[1] != uint32(lo) {
						t.Errorf("%s, chunks %v: launch of %d units from %d, want %d from %d", c.id, r, op.Push[0], op.Push[1], hi-lo, lo)
					}
				}
			}
			if launches != len(g.what.pool) {
				t.Errorf("%s, chunks %v: %d launches for %d dispatches", c.id, r, launches, len(g.what.pool))
			}
		}
	}
}

// TestBatchOverPieces: where arrays are cut over several buffers a batch is cut as well,
// and the bits stay what they are.
func TestBatchOverPieces(t *testing.T) {
	_, adapters := vktest.Team(t, "2")
	digest := func(change func(*Spec)) string {
		s := handing(t, "ga/product", 20_000, adapters, change)
		v, err := s.Verify(context.Background(), true)
		if err != nil || v.Outcome.Wrong != "" {
			t.Fatal(v.Outcome.Wrong, err)
		}
		for _, reps := range []int{1, 7, 2} {
			if _, err := s.Sample(context.Background(), reps); err != nil {
				t.Fatal(err)
			}
		}
		if wrong, err := s.Confirm(context.Background()); wrong != "" || err != nil {
			t.Fatal(wrong, err)
		}
		return v.Digest
	}
	whole := digest(nil)
	if cut := digest(func(s *Spec) { s.testOnlyBindingLimit = 1 << 16 }); cut != whole {
		t.Errorf("digest %s, in whole arrays %s", cut, whole)
	}
}

// BenchmarkBatch is what handing out costs the host on lavapipe: recording a batch, and
// submitting it and seeing it done, of one small chunk and of all.
func BenchmarkBatch(b *testing.B) {
	_, adapters := vktest.Timed(b, "1")
	s := handing(b, "ga/product", 1<<14, adapters, nil)
	g := s.deal
	n := g.chunks.count
	on := func(f func(d *vk.Device) error) {
		b.Helper()
		if err := s.workers[0].do(f); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("record", func(b *testing.B) {
		on(func(*vk.Device) error {
			for k := 0; b.Loop(); k++ {
				lo, _ := g.chunks.bounds(k % n)
				if _, err := g.record(s, 0, k%n, lo, g.chunks.units, false); err != nil {
					return err
				}
			}
			return nil
		})
	})
	for _, chunks := range []int{1, n} {
		b.Run(map[bool]string{true: "hand-1", false: "hand-all"}[chunks == 1], func(b *testing.B) {
			on(func(d *vk.Device) error {
				_, hi := g.chunks.bounds(chunks - 1)
				for b.Loop() {
					if err := g.rec.queries[0].Reset(); err != nil {
						return err
					}
					c, err := g.record(s, 0, 0, 0, hi, false)
					if err != nil {
						return err
					}
					t, err := d.Hand([]*vk.Commands{c}, false)
					if err == nil {
						err = d.Await(context.Background(), t)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
