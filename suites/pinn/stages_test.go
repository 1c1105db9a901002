package pinn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites/program"
	"github.com/amgpu/amgpu/suites/suitetest"
)

func TestLayersOf(t *testing.T) {
	for _, c := range []struct {
		stages, layers int64
		want           string
	}{
		{1, 4, "1-4 "}, {2, 4, "1-3 4-4 "}, {3, 4, "1-2 3-3 4-4 "}, {4, 4, "1-1 2-2 3-3 4-4 "},
		{1, 1, "1-1 "}, {2, 2, "1-1 2-2 "}, {3, 16, "1-6 7-11 12-16 "},
	} {
		got := ""
		for s := range c.stages {
			first, last := layersOf(s, c.stages, c.layers)
			got += fmt.Sprintf("%d-%d ", first, last)
		}
		if got != c.want {
			t.Errorf("%d layers over %d stages: %s, want %s", c.layers, c.stages, got, c.want)
		}
	}
}

// TestLoadsOfLayers: what a device has to do is its layers of its chunks, and all have
// together what one has alone; padding of the canonical tree is nobody's work.
func TestLoadsOfLayers(t *testing.T) {
	for _, c := range []struct {
		split string
		count int
		want  []int64
	}{
		{pipeline, 1, []int64{300 * (2*16 + 16*16 + 16)}},
		{pipeline, 2, []int64{300 * 2 * 16, 300 * (16*16 + 16)}},
		{pipeline, 3, []int64{300 * 2 * 16, 300 * (16*16 + 16), 0}},
		{hybrid, 4, []int64{150 * 2 * 16, 150 * 2 * 16, 150 * (16*16 + 16), 150 * (16*16 + 16)}},
		{hybrid, 3, []int64{100 * (2*16 + 16*16 + 16), 100 * (2*16 + 16*16 + 16), 100 * (2*16 + 16*16 + 16)}},
	} {
		b := suitetest.Build(train{}, 300, c.count)
		b.Split = c.split
		p, err := train{}.Build(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := p.Load(i); got != want {
				t.Errorf("%s on %d devices: device %d has %d, want %d", c.split, c.count, i, got, want)
			}
		}
	}
}

// TestStagesDoEverythingOnce: in every division by layers each layer of each chunk goes
// forward once and back once, on a device that was given what it reads before.
func TestStagesDoEverythingOnce(t *testing.T) {
	for _, split := range []string{pipeline, hybrid} {
		for count := 1; count <= 7; count++ {
			for _, layers := range []int64{1, 2, 4} {
				for _, batches := range []int64{1, 3, 256} {
					b := suitetest.Build(train{}, 300, count)
					b.Split, b.Params["layers"], b.Params["batches"] = split, layers, batches
					p, err := train{}.Build(b)
					if err != nil {
						t.Fatal(err)
					}
					l, _ := lessonOf(b)
					if err := doneOnce(l, p); err != nil {
						t.Errorf("%s of %d layers on %d devices, %d micro-batches: %v", split, layers, count, batches, err)
					}
				}
			}
		}
	}
}

// doneOnce follows a step through the arrays of the devices: a place of them holds the
// chunk and layer that was last written to it.
func doneOnce(l lesson, p *program.Program) error {
	type place struct {
		device int
		array  string
		unit   int64
	}
	type key struct {
		kernel       string
		chunk, layer int64
	}
	held := map[place]string{}
	done := map[key]int{}
	for _, st := range p.Steps[0].(program.Repeat).Body {
		switch st := st.(type) {
		case program.Send:
			for _, x := range st.Pairs {
				for u := range x.Units {
					held[place{x.To, st.Into, x.Into + u}] = held[place{x.From, st.Array, x.At + u}]
				}
			}
		case program.Dispatch:
			for d, on := range st.On {
				if on.Units == 0 || st.Kernel == "tick" || st.Kernel == "update" {
					continue
				}
				for u := on.First; u < on.First+on.Units; u++ {
					chunk := (p.Shares[d].Lo + u) % l.padded
					layer := int64(1)
					switch st.Kernel {
					case "forward", "weights", "backward":
						for layer = 2; on.Push[2] != uint32(l.layer(layer)); layer++ {
							continue
						}
					case "output":
						layer = l.layers
					}
					done[key{st.Kernel, chunk, layer}]++
					for i, bind := range st.Bind {
						at := place{d, bind.Array, u}
						what, from := layer, "z"
						switch st.Kernel + fmt.Sprint(i) {
						case "forward0", "weights0", "backward2":
							what = layer - 1
						case "output3", "weights1", "backward0", "first1":
							from = "b"
						case "backward3":
							what, from = layer-1, "b"
						}
						if !strings.HasPrefix(bind.Array, "z") && !strings.HasPrefix(bind.Array, "adjoint") {
							continue
						}
						name := fmt.Sprint(from, what, " of ", chunk)
						if bind.Access == program.Write {
							held[at] = name
						} else if held[at] != name {
							return fmt.Errorf("%s of layer %d, chunk %d, reads %q as %s", st.Kernel, layer, chunk, held[at], name)
						}
					}
				}
			}
		}
	}
	for u := range l.chunks {
		for layer := int64(1); layer <= l.layers; layer++ {
			kernels := []string{"forward", "weights", "backward"}
			if layer == 1 {
				kernels = []string{"input", "first"}
			}
			if layer == l.layers {
				kernels = append(kernels, "output")
			}
			for _, k := range kernels {
				if n := done[key{k, u, layer}]; n != 1 {
					return fmt.Errorf("%s of layer %d, chunk %d: %d times", k, layer, u, n)
				}
			}
		}
	}
	return nil
}

// TestStagesRefuse: aggregations that weigh devices want whole gradients.
func TestStagesRefuse(t *testing.T) {
	b := suitetest.Build(train{}, 300, 2)
	b.Split, b.Params["aggregation"] = hybrid, average
	if _, err := (train{}).Build(b); err == nil || !strings.Contains(err.Error(), "choose --param aggregation=0, or --split data") {
		t.Errorf("averaged hybrid: %v", err)
	}
}
