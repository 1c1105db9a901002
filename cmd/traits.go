package cmd

import (
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/sensor"
)

// traits are what a device's score is made of. Vulkan tells no core count: published
// flops stand for it, and a card that is not known has none.
func traits(i *vk.Info) partition.Traits {
	t := partition.Traits{Type: i.Type, Backend: "vulkan"}
	for _, h := range i.Heaps {
		if h.DeviceLocal {
			t.Memory = max(t.Memory, float64(h.Size))
		}
	}
	if c, ok := i.Capability(); ok {
		t.Flops = c.Flops
	}
	return t
}

// scoreJSON is what `devices --json` says of a device's worth before anything is
// measured; decisions use measured rates as soon as they exist.
type scoreJSON struct {
	Score    float64  `json:"score"`    // SuperVM, 22 to 98
	Capacity float64  `json:"capacity"` // "capacity (gocuda)": shown, never used
	Load     *float64 `json:"load"`     // 0 to 1; null: no sensor says
	Free     int64    `json:"free"`     // bytes that may be taken now
	// Operations are 1e9 flops or bytes a second times what is free of the device; null
	// where its peaks are not known.
	Operations *operationsJSON `json:"operations"`
}

type operationsJSON struct {
	Matrix    float64 `json:"matrix"`
	Memory    float64 `json:"memory"`
	Other     float64 `json:"other"`
	Available bool    `json:"available"` // healthy and less than 0.9 in use
}

// selectionJSON is what the origins' rules would choose among the usable devices.
type selectionJSON struct {
	Best *int `json:"best"` // largest score x (1 - load); null: no device
	// Optimal is the device for an operation on so many bytes; null: no device has the memory
	// free, or no peaks are known.
	Optimal []optimalJSON `json:"optimal"`
	Worth   []worthJSON   `json:"worth"` // how many GPUs a size is worth
}

type worthJSON struct {
	Size  int64  `json:"size"`
	Count int    `json:"count"`
	Route string `json:"route"`
}

type optimalJSON struct {
	Bytes  int64 `json:"bytes"`
	Matrix *int  `json:"matrix"`
	Memory *int  `json:"memory"`
	Other  *int  `json:"other"`
}

// optimalBytes are the sizes of which `devices --json` names the device.
var optimalBytes = []int64{1 << 30, 16 << 30, 64 << 30}

// optimal names the devices for operations on so many bytes.
func optimal(bytes int64, devices []deviceJSON) optimalJSON {
	find := func(score func(*operationsJSON) float64) *int {
		list := make([]partition.Candidate, len(devices))
		for i, d := range devices {
			if o := d.Score.Operations; d.Status == "usable" && o != nil {
				list[i] = partition.Candidate{Score: score(o), Available: o.Available, Free: d.Score.Free}
			}
		}
		if at := partition.Optimal(bytes, list); at >= 0 {
			return &devices[at].Index
		}
		return nil
	}
	return optimalJSON{
		Bytes:  bytes,
		Matrix: find(func(o *operationsJSON) float64 { return o.Matrix }),
		Memory: find(func(o *operationsJSON) float64 { return o.Memory }),
		Other:  find(func(o *operationsJSON) float64 { return o.Other }),
	}
}

// worthSizes are where SuperVM's rule changes its answer.
var worthSizes = []int64{1, 20_000, 30_000, 40_000}

// scoreOf scores a device; load is negative where it is not known.
func scoreOf(a *vk.Adapter, healthy bool, load float64) scoreJSON {
	t := traits(a.Info())
	s := scoreJSON{Free: engine.Free(a, 1)}
	if load >= 0 {
		s.Load = &load
	}
	load = max(load, 0)
	s.Score, s.Capacity = partition.Score(t), partition.Capacity(t, load)
	if c, ok := a.Info().Capability(); ok {
		o := &operationsJSON{}
		o.Matrix, o.Available = partition.OperationScore(partition.Matrix, c.Flops, c.BytesPerSecond, load, healthy)
		o.Memory, _ = partition.OperationScore(partition.MemoryBound, c.Flops, c.BytesPerSecond, load, healthy)
		o.Other, _ = partition.OperationScore(partition.Mixed, c.Flops, c.BytesPerSecond, load, healthy)
		s.Operations = o
	}
	return s
}

// loadOf is what a sensor says others use of a device; negative: nobody says.
func loadOf(s *sensor.Device) float64 {
	r := s.Read(1 << sensor.Utilization)
	if v, ok := r.Value(sensor.Utilization); ok {
		return v
	}
	return -1
}

// selected applies the rules to the usable devices of a list.
func selected(devices []deviceJSON) selectionJSON {
	out := selectionJSON{Worth: []worthJSON{}, Optimal: []optimalJSON{}}
	for _, bytes := range optimalBytes {
		out.Optimal = append(out.Optimal, optimal(bytes, devices))
	}
	var usable []partition.Device
	var index []int
	gpus := 0
	for _, d := range devices {
		if d.Status != "usable" {
			continue
		}
		x := partition.Device{Score: d.Score.Score}
		if d.Score.Load != nil {
			x.Load = *d.Score.Load
		}
		usable, index = append(usable, x), append(index, d.Index)
		if !d.Software {
			gpus++
		}
	}
	if at := partition.Best(usable); at >= 0 {
		out.Best = &index[at]
	}
	for _, size := range worthSizes {
		out.Worth = append(out.Worth, worthJSON{size, partition.WorthIt(size, gpus), partition.Route(size, gpus)})
	}
	return out
}
