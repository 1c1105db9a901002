package cmd

import (
	"slices"
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
	room := int64(-1)
	for i := range items {
		if items[i].Size.Label != fillSize {
			continue
		}
		if room < 0 {
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

// fillRoom is what arrays may take of each device, in bytes: what else is taken of the budget
// counts, too, and small buffers have a block of their own.
func fillRoom(pool []*vk.Adapter, memory uint64) (int64, error) {
	room := int64(-1)
	for _, a := range pool {
		budget, used := float64(memory), 0.0
		if memory == 0 {
			if a.Info().Software() {
				return 0, usage("--size fill: software devices take their memory from the host: say with --memory-pool how much of it to fill, such as 1GiB")
			}
			var size uint64
			for _, h := range a.Heaps() {
				if h.DeviceLocal && h.BudgetKnown && h.Size > size {
					size, budget, used = h.Size, float64(h.Budget), float64(h.Usage)
				}
			}
			if size == 0 {
				return 0, usage("--size fill: device %d, %s, does not tell its memory budget (VK_EXT_memory_budget): say with --memory-pool how much of its memory to fill", a.Info().Index, a.Info().Name)
			}
		}
		have := max(int64(fillShare*budget-used)-vk.BlockBytes, 0)
		if room < 0 || have < room {
			room = have
		}
	}
	return room, nil
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

// largest is the largest size found whose arrays take at most room of each device: size S
// is doubled while it fits, then ever smaller parts are added.
func (f filling) largest(room int64) (int64, error) {
	info := f.item.Workload.Info()
	n := info.Sizes.S
	need, err := f.need(n)
	if err != nil {
		return 0, usage("--size fill: %s: %w", info.ID, err)
	}
	if need > room {
		return 0, usage("--size fill: %s takes %d MiB of each device at size S and %d MiB are to be filled: choose a smaller --size or a larger --memory-pool", info.ID, need>>20, room>>20)
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
