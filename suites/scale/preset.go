package scale

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/suites/measure"
)

// Preset is a sampling budget.
type Preset struct {
	Name     string
	Launches int           // per cell
	Rules    measure.Rules // within a launch
	Idle     time.Duration // between launches, so that devices cool down
	Solo     bool          // extra solo rows when the GPUs differ
}

// PresetNames lists the presets.
var PresetNames = []string{"quick", "default", "release"}

// QuickSet is measured when no workload is named: one workload for each of no
// communication, broadcast, halo and all-gather.
var QuickSet = []string{"memory/triad", "linalg/matmul", "automata/life", "relativity/nbody"}

// FindPreset returns a preset; software: a CPU driver is in the pool.
func FindPreset(name string, software bool) (Preset, error) {
	if !slices.Contains(PresetNames, name) {
		return Preset{}, fmt.Errorf("unknown preset %q: use %s", name, strings.Join(PresetNames, ", "))
	}
	if name == "quick" {
		return Preset{Name: name, Launches: 3, Rules: measure.Quick(software)}, nil
	}
	p := Preset{Name: name, Launches: 7, Rules: measure.Defaults(software), Solo: true}
	if name == "release" {
		p.Launches = 10
	}
	if !software { // CPU devices do not cool down by waiting
		p.Idle = 5 * time.Second
	}
	return p, nil
}
