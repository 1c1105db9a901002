package cmd

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites"
	_ "github.com/amgpu/amgpu/suites/all"
	"github.com/amgpu/amgpu/suites/scale"
)

// TestFillFits: the size found fits, and twice the size does not or does not exist. Sizes
// that are fine enough fill what they may to within 1 %; those of zk/ntt are powers of two.
func TestFillFits(t *testing.T) {
	const room = 600 << 20
	for _, id := range []string{"memory/vector-add", "ga/product", "linalg/matmul", "automata/life", "hash/merkle", "comm/allreduce", "zk/ntt"} {
		w, err := suites.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		info := w.Info()
		item := scale.Item{Workload: w, Size: result.Size{Label: fillSize}, Params: map[string]int64{}}
		if len(info.Splits) > 0 {
			item.Split = info.Splits[0]
		}
		if len(info.Algorithms) > 0 {
			item.Algorithm = info.Algorithms[0]
		}
		for _, p := range info.Params {
			item.Params[p.Name] = p.Default
		}
		f := filling{item: item, count: 1, limits: suites.Limits{SharedBytes: 48 << 10, Invocations: 1024, SubgroupSize: 32, BindingBytes: 1 << 32}}
		n, err := f.largest(&space{bytes: room})
		if err != nil {
			t.Errorf("%s: %v", info.ID, err)
			continue
		}
		need, err := f.need(n)
		if err != nil || need > room {
			t.Errorf("%s: size %d takes %d of %d bytes, %v", info.ID, n, need, room, err)
		}
		if more, err := f.need(2 * n); err == nil && more <= room {
			t.Errorf("%s: size %d fits, and %d does, too", info.ID, n, 2*n)
		}
		if share := float64(need) / room; id != "zk/ntt" && share < .99 || id == "zk/ntt" && n&(n-1) != 0 {
			t.Errorf("%s: size %d fills %.3f of the room", info.ID, n, share)
		}
	}
}

// A pool that is too small is refused with what is needed; a pool of that fits.
func TestFillTooSmall(t *testing.T) {
	w, err := suites.Find("memory/triad")
	if err != nil {
		t.Fatal(err)
	}
	f := filling{item: scale.Item{Workload: w, Params: map[string]int64{}}, count: 1, limits: suites.Limits{SharedBytes: 48 << 10, Invocations: 1024, SubgroupSize: 32, BindingBytes: 1 << 32}}
	room, err := fillRoom(nil, 80<<20)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.largest(room)
	if err == nil || codeFor(err) != codeUsage || err.Error() != "--size fill: memory/triad needs 12 MiB of each device at its smallest size, S, and there are 8 MiB for it: --memory-pool is 80 MiB, fill uses 90 % of that, and 64 MiB are kept for small buffers: use --memory-pool 85MiB or more, or give the --size as a number" {
		t.Fatal(err)
	}
	for pool, fits := range map[uint64]bool{84: false, 85: true} {
		room, err := fillRoom(nil, pool<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.largest(room); (err == nil) != fits {
			t.Errorf("%d MiB: %v", pool, err)
		}
	}
}
