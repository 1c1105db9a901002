package cmd

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// entry is a device as it can be chosen.
type entry struct {
	result.Device
	duplicateOf int   // index of the entry it shares a card with, or -1
	err         error // why it cannot be used, or nil
}

func (e entry) String() string {
	text := fmt.Sprintf("%d %s", e.Index, e.Name)
	if e.PCI != "" {
		return text + " (" + e.PCI + ")"
	}
	return text + " (" + e.UUID + ")"
}

var (
	pciPattern  = regexp.MustCompile(`^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}(\.[0-7])?$`)
	uuidPattern = regexp.MustCompile(`^[0-9a-f-]{4,36}$`)
)

// matches tells whether a selector names the device: its index, PCI address,
// a UUID prefix of at least 4 digits, or a glob over its name.
func matches(selector string, d result.Device) bool {
	sel := strings.ToLower(selector)
	if n, err := strconv.Atoi(sel); err == nil && len(sel) < 4 {
		return n == d.Index
	}
	pci := strings.ToLower(d.PCI)
	if pciPattern.MatchString(sel) && pci != "" {
		full := sel
		if strings.Count(sel, ":") == 1 {
			full = "0000:" + sel
		}
		return pci == full || !strings.Contains(sel, ".") && strings.HasPrefix(pci, full+".")
	}
	plain := strings.ReplaceAll(strings.ToLower(d.UUID), "-", "")
	if uuidPattern.MatchString(sel) && strings.HasPrefix(plain, strings.ReplaceAll(sel, "-", "")) {
		return true
	}
	ok, err := path.Match(sel, strings.ToLower(d.Name))
	return ok && err == nil
}

// choose keeps the devices that any of the selectors names; a selector that
// names none is an error that lists what there is.
func choose(from []entry, selectors []string, source string) ([]entry, error) {
	keep := map[int]bool{}
	for _, sel := range selectors {
		found := false
		for _, e := range from {
			if matches(sel, e.Device) {
				keep[e.Index], found = true, true
			}
		}
		if !found {
			return nil, usage("%s %q matches no device; there are: %s. Use an index, a PCI address, a UUID prefix or a name such as '*H100*'", source, sel, names(from))
		}
	}
	return slices.DeleteFunc(slices.Clone(from), func(e entry) bool { return !keep[e.Index] }), nil
}

func names(entries []entry) string {
	if len(entries) == 0 {
		return "none"
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
}

// selection says which devices make the pool.
type selection struct {
	visible  []string // AMGPU_VISIBLE_DEVICES
	devices  []string
	exclude  []string
	max      int  // 0: no limit
	allowCPU bool // CPU drivers may be used
}

// pick applies a selection; the result keeps the order of all.
func (s selection) pick(all []entry) ([]entry, error) {
	seen := all
	var err error
	if len(s.visible) > 0 {
		if seen, err = choose(all, s.visible, "AMGPU_VISIBLE_DEVICES"); err != nil {
			return nil, err
		}
	}
	pool, err := s.candidates(seen)
	if err != nil {
		return nil, err
	}
	if len(s.exclude) > 0 {
		out, err := choose(seen, s.exclude, "--exclude")
		if err != nil {
			return nil, err
		}
		pool = slices.DeleteFunc(pool, func(e entry) bool {
			return slices.ContainsFunc(out, func(x entry) bool { return x.Index == e.Index })
		})
	}
	if len(pool) == 0 {
		return nil, s.noGPU(seen)
	}
	if s.max > 0 && len(pool) > s.max {
		pool = pool[:s.max]
	}
	return pool, nil
}

// candidates are the devices named by --device, or by default all discrete
// GPUs, else the integrated ones, else virtual ones, else allowed CPU drivers.
func (s selection) candidates(seen []entry) ([]entry, error) {
	if len(s.devices) > 0 {
		pool, err := choose(seen, s.devices, "--device")
		if err != nil {
			return nil, err
		}
		for _, e := range pool {
			switch {
			case e.err != nil:
				return nil, &exitError{code: codeNoGPU, err: fmt.Errorf("device %s cannot be used: %w", e, e.err)}
			case e.Software && !s.allowCPU:
				return nil, usage("device %s is a CPU driver: add --allow-cpu to measure it all the same", e)
			case slices.ContainsFunc(pool, func(x entry) bool { return x.Index == e.duplicateOf }):
				return nil, usage("devices %d and %d are the same card under two drivers: choose one of them", e.duplicateOf, e.Index)
			}
		}
		return pool, nil
	}
	for _, class := range []string{"discrete", "integrated", "virtual", "other", "cpu"} {
		var pool []entry
		for _, e := range seen {
			if e.Type == class && e.err == nil && e.duplicateOf < 0 && (s.allowCPU || !e.Software) {
				pool = append(pool, e)
			}
		}
		if len(pool) > 0 {
			return pool, nil
		}
	}
	return nil, nil
}

// noGPU says why the pool is empty.
func (s selection) noGPU(seen []entry) error {
	text, hint := "no usable GPU", softwareHint
	var cpu, failed []entry
	for _, e := range seen {
		switch {
		case e.err != nil:
			failed = append(failed, e)
		case e.Software && !s.allowCPU:
			cpu = append(cpu, e)
		}
	}
	switch {
	case len(failed) > 0:
		text += fmt.Sprintf(": %s: %v", failed[0], failed[0].err)
	case len(cpu) > 0:
		text += ", only CPU drivers (" + names(cpu) + "), which are never used silently"
		hint = "`--software 2` makes two software devices, --allow-cpu admits these; `amgpu devices` explains what was found"
	case len(s.devices)+len(s.exclude)+len(s.visible) > 0:
		text += " is left by --device, --exclude and AMGPU_VISIBLE_DEVICES"
		hint = "exclude fewer of: " + names(seen)
	}
	return &exitError{code: codeNoGPU, err: errors.New(text), hint: hint}
}
