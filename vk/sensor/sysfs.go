package sensor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// gauge is one file that holds a quantity; value = number x scale.
type gauge struct {
	quantity Quantity
	path     string
	scale    float64
}

// files is a card whose driver describes it in sysfs.
type files struct {
	driver string
	dir    string // of the PCI device
	gauges []gauge
	extra  func(only Only, r *Reading) // what is not one number in a file; may be nil
}

func (f *files) name() string { return f.driver }

func (f *files) read(only Only, r *Reading) {
	for _, g := range f.gauges {
		if !only.has(g.quantity) {
			continue
		}
		if v, ok := number(g.path); ok {
			r.set(g.quantity, v*g.scale)
		}
	}
	if f.extra != nil {
		f.extra(only, r)
	}
}

// add takes the first of several files that exists.
func (f *files) add(q Quantity, scale float64, paths ...string) {
	for _, p := range paths {
		if _, ok := number(p); ok {
			f.gauges = append(f.gauges, gauge{q, p, scale})
			return
		}
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
