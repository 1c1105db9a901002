package cmd

import (
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

func TestPresetChoice(t *testing.T) {
	base := measureFlags{formats: "text", strategy: "equal", transport: "auto", roof: "auto", residency: "resident", cache: "hot"}
	for _, c := range []struct {
		ids    []string
		preset string
		want   string
		n      int
	}{
		{nil, "", "quick", 4},
		{nil, "release", "release", 4},
		{[]string{"memory/triad"}, "", "default", 1},
		{[]string{"memory/triad", "memory/triad"}, "quick", "quick", 1},
	} {
		m := base
		m.preset = c.preset
		o, err := m.options(c.ids)
		if err != nil || o.presetName != c.want || len(o.workloads) != c.n {
			t.Errorf("%v, preset %q: %+v, %v", c.ids, c.preset, o, err)
		}
	}
}

func TestApply(t *testing.T) {
	m := measureFlags{formats: "text", strategy: "balanced", transport: "auto", roof: "auto", residency: "resident", cache: "hot", launches: 5, samples: 7, precision: "2%", maxTime: "300ms"}
	o, err := m.options([]string{"memory/triad"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := scale.FindPreset("default", true)
	p = o.apply(p)
	r := p.Rules
	if p.Launches != 5 || r.MaxSamples != 7 || r.MinSamples != 7 || r.Precision != 0.02 || r.MaxTime != 0.3 || r.WarmCap != 1 || o.division.Name() != "equal" {
		t.Errorf("%+v", p)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

func TestDefaultSizes(t *testing.T) {
	o, err := measureFlags{formats: "text", strategy: "equal", transport: "auto", roof: "auto", residency: "resident", cache: "hot"}.options([]string{"memory/triad"})
	if err != nil {
		t.Fatal(err)
	}
	for software, want := range map[bool]string{true: "S", false: "M"} {
		items, err := o.items(software)
		if err != nil || items[0].Size.Label != want {
			t.Errorf("software %v: %+v, %v", software, items, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a := []result.Device{gpuA, gpuB}
	other := gpuB
	other.Driver = "newer"
	if fingerprint(a) != fingerprint([]result.Device{gpuB, gpuA}) {
		t.Error("the order of equal devices matters")
	}
	if fingerprint(a) == fingerprint([]result.Device{gpuA, other}) || fingerprint(a) == fingerprint(a[:1]) {
		t.Error("another driver or number of devices has the same fingerprint")
	}
}

func TestBothStatesAreRows(t *testing.T) {
	o, err := measureFlags{formats: "text", strategy: "equal", transport: "auto", roof: "auto", residency: "both", cache: "hot,cold"}.options([]string{"memory/triad"})
	if err != nil || len(o.residencies) != 2 || len(o.caches) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := (measureFlags{formats: "text", strategy: "equal", transport: "auto", roof: "auto", residency: "none", cache: "hot"}).options([]string{"memory/triad"}); err == nil {
		t.Error("an unknown residency")
	}
	if _, err := (measureFlags{formats: "text", strategy: "equal", transport: "auto", roof: "best", residency: "resident", cache: "hot"}).options([]string{"memory/triad"}); err == nil {
		t.Error("an unknown rule for roofs")
	}
}
