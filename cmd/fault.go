package cmd

import (
	"os"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/vk"
)

// checkFault refuses an AMGPU_FAULT for a device that is not in the pool: it would make
// nothing fail. In a job a rank counts what it sees, and the fault may be for another one.
func checkFault(r *rig, pool []*vk.Adapter, j *job) error {
	if err := engine.CheckFaultIn(pool); err != nil {
		return usage("%w", err)
	}
	if j != nil {
		return nil
	}
	for i, a := range r.adapters {
		if a.Faulted() && !slices.Contains(pool, a) {
			var there []string
			for _, p := range pool {
				there = append(there, r.entries[p.Info().Index].String())
			}
			return usage("%w=%s: device %s is not in the pool, which is: %s", vk.ErrFault, os.Getenv(vk.ErrFault.Error()), r.entries[i], strings.Join(there, ", "))
		}
	}
	return nil
}

// checkPlannedFault refuses an AMGPU_FAULT that changes nothing in the launches planned, as
// far as their plan tells.
func (m *measurement) checkPlannedFault() error {
	if m.job != nil || len(m.cells) == 0 {
		return nil
	}
	var transports []string // of launches in which something crosses a link
	for _, c := range m.cells {
		if c.Count > 1 && c.Transport != "none" && !slices.Contains(transports, c.Transport) {
			transports = append(transports, c.Transport)
		}
	}
	if err := engine.CheckFaultFor(m.adapters, transports, m.o.division.Strategy.Dynamic); err != nil {
		return usage("%w", err)
	}
	return nil
}

// unmetFault warns of an AMGPU_FAULT that changed nothing, so that nobody takes the run for
// one that survived it. In a job other ranks may have met it.
func unmetFault(r *rig, j *job) []result.Warning {
	text := os.Getenv(vk.ErrFault.Error())
	if text == "" || j != nil {
		return nil
	}
	why := engine.FaultUnmet()
	if why == "" {
		why = r.instance.FaultUnmet()
	}
	if why == "" {
		return nil
	}
	return []result.Warning{{Code: "fault-unmet", Text: vk.ErrFault.Error() + "=" + text + " made nothing fail: " + why}}
}
