package scale

import (
	"slices"

	"github.com/amgpu/amgpu/report/result"
)

// Fault is what went wrong on a device and may go right the next time: a call that
// failed, work that did not end in time.
type Fault struct {
	Device int   // Device.Index of the pool, the one to blame; -1: not known which
	Beside []int // others of the pool on which something failed at the same time
	Err    error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// health is what a sweep knows of its devices.
type health struct {
	order []int // Device.Index, of the pool
	state map[int]*result.Health
	vain  map[string]bool // rows that failed on every try without a device being to blame
}

func newHealth(pool []result.Device) *health {
	h := &health{state: map[int]*result.Health{}, vain: map[string]bool{}}
	for _, d := range pool {
		h.order = append(h.order, d.Index)
		h.state[d.Index] = &result.Health{Device: d.Index}
	}
	return h
}

// failed counts an error of a device; unknown devices are nobody's.
func (h *health) failed(device int, why string) {
	if s := h.state[device]; s != nil {
		s.Errors++
		s.Last = why
	}
}

// reported counts errors that the driver of a device reported by itself.
func (h *health) reported(device, n int, text string) {
	s := h.state[device]
	if s == nil {
		return
	}
	s.Xids += n
	if s.Errors == 0 {
		s.Last = text
	}
}

// exclude takes a device out for the rest of the sweep.
func (h *health) exclude(device int) bool {
	s := h.state[device]
	if s == nil {
		return false
	}
	s.Out = true
	return true
}

// lost lists the devices of a team that are out.
func (h *health) lost(team []int) []int {
	var out []int
	for _, d := range team {
		if s := h.state[d]; s != nil && s.Out {
			out = append(out, d)
		}
	}
	return out
}

// fit lists the devices of the pool that are not out.
func (h *health) fit() []int {
	return slices.DeleteFunc(slices.Clone(h.order), func(d int) bool { return h.state[d].Out })
}

// stead is a team in place of one of which devices are out: the others of it and, in
// the pool's order, as many more as there are.
func (h *health) stead(team []int) []int {
	fit := h.fit()
	out := slices.DeleteFunc(slices.Clone(team), func(d int) bool { return !slices.Contains(fit, d) })
	for _, d := range fit {
		if len(out) < len(team) && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return slices.Index(h.order, a) - slices.Index(h.order, b) })
	return out
}

// report lists the devices that had errors.
func (h *health) report() []result.Health {
	var out []result.Health
	for _, d := range h.order {
		if s := h.state[d]; s.Errors > 0 || s.Xids > 0 || s.Out {
			out = append(out, *s)
		}
	}
	return out
}
