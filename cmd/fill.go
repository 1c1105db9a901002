package cmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
)

// fillSize is the size that fills the devices' memory.
const fillSize = "fill"

// fillShare is the share of a device's memory budget that is in use then: the middle of
// the 85 to 95 % of the Amari design.
const fillShare = 0.9

// fillSizes gives items of the size `fill` the largest size of which every device of the pool
// holds its part. In strong mode that is a part of the smallest count, else (weak mode, devices
// each alone) all of what one device has. Where chunks are handed out every device holds all of them.
func fillSizes(items []scale.Item, c scale.Config, pool []*vk.Adapter, memory uint64, dynamic bool) error {
	count := 1
	switch {
	case len(c.Counts) == 0:
	case !slices.ContainsFunc(c.Modes, func(m string) bool { return m != scale.Strong }):
		if !dynamic {
			count = slices.Min(c.Counts)
		}
	case dynamic && slices.Max(c.Counts) > 1 && slices.ContainsFunc(items, func(x scale.Item) bool { return x.Size.Label == fillSize }):
		return usage("--size fill: with --strategy dynamic every device holds all arrays, which grow with the count in weak mode: use --mode strong or another strategy")
	}
	var room *space
	for i := range items {
		if items[i].Size.Label != fillSize {
			continue
		}
		if room == nil {
			var err error
			if room, err = fillRoom(pool, memory); err != nil {
				return err
			}
		}
		f := filling{item: items[i], count: count, limits: engine.PoolLimits(pool)}
		n, err := f.largest(room)
		if err != nil {
			return err
		}
		items[i].Size.N = n
	}
	return nil
}

// space is what arrays may take of each device.
type space struct {
	bytes int64
	limit string // what it is taken from, in words
	pool  bool   // a memory pool that the user set
}

// fillRoom is the space that the device with the least has: what else is taken of the
// budget counts, too, and small buffers have a block of their own.
func fillRoom(pool []*vk.Adapter, memory uint64) (*space, error) {
	if memory > 0 {
		return &space{roomIn(float64(memory), 0), "--memory-pool is " + mib(int64(memory)), true}, nil
	}
	var least *space
	for _, a := range pool {
		i := a.Info()
		if i.Software() {
			return nil, usage("--size fill: software devices take their memory from the host: say with --memory-pool how much of it to fill, such as 1GiB")
		}
		var size, budget, used uint64
		for _, h := range a.Heaps() {
			if h.DeviceLocal && h.BudgetKnown && h.Size > size {
				size, budget, used = h.Size, h.Budget, h.Usage
			}
		}
		if size == 0 {
			return nil, usage("--size fill: device %d, %s, does not tell its memory budget (VK_EXT_memory_budget): say with --memory-pool how much of its memory to fill", i.Index, i.Name)
		}
		if have := roomIn(float64(budget), float64(used)); least == nil || have < least.bytes {
			least = &space{bytes: have, limit: fmt.Sprintf("device %d, %s, has a memory budget of %s, of which %s are in use", i.Index, i.Name, mib(int64(budget)), mib(int64(used)))}
		}
	}
	return least, nil
}

// roomIn is what arrays may take of a budget, in bytes.
func roomIn(budget, used float64) int64 {
	return max(int64(fillShare*budget-used)-vk.BlockBytes, 0)
}

// poolFor is the least memory pool of which arrays may take so many bytes, in whole MiB.
func poolFor(need int64) int64 {
	return int64(math.Ceil(float64(need+vk.BlockBytes) / fillShare / (1 << 20)))
}

func mib(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', -1, 64) + " MiB"
}

// tooSmall says that not even size S fits, and why.
func (s *space) tooSmall(id string, need int64) error {
	text := fmt.Sprintf("--size fill: %s needs %d MiB of each device at its smallest size, S, and there are %d MiB for it: %s, fill uses %g %% of that, and %d MiB are kept for small buffers",
		id, (need+1<<20-1)>>20, s.bytes>>20, s.limit, 100*fillShare, vk.BlockBytes>>20)
	if s.pool {
		return usage("%s: use --memory-pool %dMiB or more, or give the --size as a number", text, poolFor(need))
	}
	return usage("%s: end what else uses this memory, choose other devices, or give the --size as a number", text)
}

// filling searches the size of one workload.
type filling struct {
	item   scale.Item
	count  int
	limits suites.Limits
}

// finest is the share of a size to which the largest is searched: not all sizes of a
// workload exist, and those of coarse steps more often do.
const finest = 256

// fillTime bounds the search: few workloads make their inputs as they build a program.
const fillTime = 30 * time.Second

// largest is the largest size found whose arrays fit the space of each device: size S
// is doubled while it fits, then ever smaller parts are added.
func (f filling) largest(s *space) (int64, error) {
	room := s.bytes
	info := f.item.Workload.Info()
	n := info.Sizes.S
	need, err := f.need(n)
	if err != nil {
		return 0, usage("--size fill: %s: %w", info.ID, err)
	}
	if need > room {
		return 0, s.tooSmall(info.ID, need)
	}
	begun := time.Now()
	late := func() bool { return time.Since(begun) > fillTime }
	fits := func(n int64) bool {
		if late() {
			return false
		}
		need, err := f.need(n)
		return err == nil && need <= room
	}
	for n <= 1<<61 && fits(2*n) {
		n *= 2
	}
	for step := n / 2; step >= max(n/finest, 1); step /= 2 {
		if fits(n + step) {
			n += step
		}
	}
	if late() {
		return 0, usage("--size fill: %s makes its inputs as it is built, which takes too long to search: size %d needs less than the %d MiB to be filled, larger ones have to be given", info.ID, n, room>>20)
	}
	return n, nil
}

// need is what the arrays of a size take of the device that holds most.
func (f filling) need(n int64) (int64, error) {
	p, err := f.item.Workload.Build(suites.Build{
		Size: n, Base: n, Label: fillSize, Count: f.count, Seed: 1, Params: f.item.Params, Split: f.item.Split, Algorithm: f.item.Algorithm,
		Limits: f.limits, Divide: equally(f.count),
	})
	if err != nil {
		return 0, err
	}
	var most int64
	for i := range p.Shares {
		most = max(most, engine.Need(p, i))
	}
	return most, nil
}
