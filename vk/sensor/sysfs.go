package sensor

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// path is a path below the root.
func (s System) path(parts ...string) string {
	return filepath.Join(append([]string{"/", s.Root, "sys"}, parts...)...)
}

// pciPath is the folder of a PCI device.
func (s System) pciPath(pci string) string {
	return s.path("bus/pci/devices", strings.ToLower(pci))
}

// text reads a small file without its final newline, or "".
func text(parts ...string) string {
	raw, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// number reads a file that holds one number.
func number(parts ...string) (float64, bool) {
	v, err := strconv.ParseFloat(text(parts...), 64)
	return v, err == nil
}

// gauge is a quantity that one of several files holds; value = number x scale. A file may be there
// and refuse to be read, for ever or while the card sleeps: the first that held a number counts,
// and from then on no other, as counters differ.
type gauge struct {
	quantity Quantity
	paths    []string
	scale    float64
	chosen   atomic.Int32 // of paths, from 1; 0: none has held a number yet
}

func (g *gauge) read() (float64, bool) {
	if at := g.chosen.Load(); at > 0 {
		return number(g.paths[at-1])
	}
	for i, path := range g.paths {
		if v, ok := number(path); ok {
			g.chosen.Store(int32(i + 1))
			return v, true
		}
	}
	return 0, false
}

// files is a card whose driver describes it in sysfs.
type files struct {
	driver string
	dir    string // of the PCI device
	gauges []*gauge
	extra  func(only Only, r *Reading) // what is not one number in a file; may be nil
}

func (f *files) name() string { return f.driver }

func (f *files) read(only Only, r *Reading) {
	for _, g := range f.gauges {
		if !only.has(g.quantity) {
			continue
		}
		if v, ok := g.read(); ok {
			r.set(g.quantity, v*g.scale)
		}
	}
	if f.extra != nil {
		f.extra(only, r)
	}
}

// add takes those of several files that exist.
func (f *files) add(q Quantity, scale float64, paths ...string) {
	paths = slices.DeleteFunc(paths, func(p string) bool {
		_, err := os.Stat(p)
		return p == "" || err != nil
	})
	if len(paths) > 0 {
		f.gauges = append(f.gauges, &gauge{quantity: q, paths: paths, scale: scale})
	}
}

// sysfs finds the sensors of a card by its kernel driver; nil: none known.
func (s System) sysfs(pci string) source {
	if pci == "" {
		return nil
	}
	dir := s.pciPath(pci)
	link, err := os.Readlink(filepath.Join(dir, "driver"))
	if err != nil {
		return nil
	}
	var f *files
	switch filepath.Base(link) {
	case "amdgpu":
		f = amdgpu(dir)
	case "xe":
		f = xe(dir)
	}
	if f == nil || len(f.gauges) == 0 && f.extra == nil {
		return nil
	}
	return f
}

// monitors lists the hwmon folders of a device.
func monitors(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "hwmon", "hwmon*")) // the pattern is valid
	return found
}

// labelled finds the hwmon input whose label is one of those given, the first label
// first: "energy", "card" finds energyN_input where energyN_label says card.
func labelled(monitor, kind string, labels ...string) string {
	found, _ := filepath.Glob(filepath.Join(monitor, kind+"*_label"))
	for _, want := range labels {
		for _, f := range found {
			if text(f) == want {
				return strings.TrimSuffix(f, "_label") + "_input"
			}
		}
	}
	return ""
}
