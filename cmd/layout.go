package cmd

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/program"
)

// arrayJSON is an array of a workload's program at size S on one device.
type arrayJSON struct {
	Name   string `json:"name"`
	Units  int64  `json:"units"`
	Stride int64  `json:"stride"` // elements of 32 bits in a unit
	Elem   string `json:"elem"`
	Layout string `json:"layout"`
	Halo   int64  `json:"halo,omitempty"`
	Output bool   `json:"output,omitempty"`
}

// layoutNames say where the units of an array live.
var layoutNames = map[program.Layout]string{program.Split: "divided", program.Replicated: "on every device", program.Local: "of each device"}

// arraysOf are the arrays that a workload has at size S with its defaults.
func arraysOf(w suites.Workload) ([]arrayJSON, error) {
	info := w.Info()
	b := suites.Build{
		Size: info.Sizes.S, Base: info.Sizes.S, Label: "S", Count: 1, Seed: 1, Params: map[string]int64{}, Divide: equally(1),
	}
	for _, p := range info.Params {
		b.Params[p.Name] = p.Default
	}
	if len(info.Splits) > 0 {
		b.Split = info.Splits[0]
	}
	if len(info.Algorithms) > 0 {
		b.Algorithm = info.Algorithms[0]
	}
	p, err := w.Build(b)
	if err != nil {
		return nil, fmt.Errorf("arrays of %s: %w", info.ID, err)
	}
	out := []arrayJSON{}
	for _, a := range p.Arrays {
		elem := "f32"
		if a.Elem == program.U32 {
			elem = "u32"
		}
		out = append(out, arrayJSON{Name: a.Name, Units: a.Units, Stride: a.Stride, Elem: elem, Layout: layoutNames[a.Layout], Halo: a.Halo, Output: a.Output})
	}
	return out, nil
}

// text is the array in words.
func (a arrayJSON) text() string {
	text := fmt.Sprintf("%s %d x %d %s, %s", a.Name, a.Units, a.Stride, a.Elem, a.Layout)
	if a.Halo > 0 {
		text += fmt.Sprintf(", a halo of %d", a.Halo)
	}
	if a.Output {
		text += ", output"
	}
	return text
}

// layoutText is the layout of a workload's data: what the parts of a unit are, and the
// arrays.
func (w workloadJSON) layoutText() []string {
	var lines []string
	if w.Layout != "" {
		lines = append(lines, w.Layout)
	}
	texts := make([]string, len(w.Arrays))
	for i, a := range w.Arrays {
		texts[i] = a.text()
	}
	return append(lines, "at size S, units x elements: "+strings.Join(texts, "; "))
}
