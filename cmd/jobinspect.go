package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/vk/sensor"
)

// inspection is what a rank other than 0 tells of its devices before a command measures: how
// they are set, who else uses them, and why one cannot be used.
type inspection struct {
	Devices []result.Device // index, power limit and ECC
	Notes   []result.Warning
	Refused string // empty: none is
	Hint    string
}

// fewestCores is what a rank needs to answer the others while it conducts its devices.
const fewestCores = 2

// bound notes the ranks that their launcher has bound to fewer cores than they need. Open MPI
// binds to one where it starts two processes or fewer a node, Slurm where a task asks for no more.
func bound(ranks []cluster.Description) (out []result.Warning) {
	var list []string
	for _, d := range ranks {
		if d.Host.Cores > 0 && d.Host.Cores < fewestCores {
			list = append(list, fmt.Sprintf("%d on %s", d.Rank, d.Node))
		}
	}
	const shown = 4
	if n := len(list) - shown; n > 0 {
		list = append(list[:shown], fmt.Sprintf("%d more", n))
	}
	if list != nil {
		out = append(out, result.Warning{Code: "few-cores", Text: "these ranks may use one core only, which the devices and the messages between ranks take turns on: " +
			strings.Join(list, ", ") + "; start them with mpirun --bind-to none, or srun --cpus-per-task or --cpu-bind=none"})
	}
	return out
}

// strangers are the processes that hold a device and are no ranks of this job.
func (j *job) strangers(list []sensor.Process) []sensor.Process {
	if j == nil {
		return list
	}
	all := j.rank.Ranks()
	here := all[j.rank.Number()]
	return slices.DeleteFunc(list, func(p sensor.Process) bool {
		return slices.ContainsFunc(all, func(d cluster.Description) bool { return d.Node == here.Node && d.PID == p.PID })
	})
}

// inspected looks at the devices of this process by their sensors.
func (m *measurement) inspected() (out inspection) {
	adapters, pool := m.adapters, m.devices
	set := openSensors(adapters)
	defer set.Close()
	for i, d := range set.Devices {
		if adapters[i].Absent() || pool[i].Software {
			continue
		}
		p := d.Policy()
		out.Devices = append(out.Devices, result.Device{Index: i, PowerLimit: p.PowerLimit, ECC: p.ECC})
		notes, err := inUse(pool[i], m.job.strangers(m.watch.census.Others(d)), m.o.force)
		var exit *exitError
		if errors.As(err, &exit) && out.Refused == "" {
			out.Refused, out.Hint = err.Error(), exit.hint
		}
		out.Notes = append(out.Notes, notes...)
	}
	return out
}

// inspect asks all other ranks for their inspection. A device of which another process makes use
// ends the command as one of this process does.
func (m *measurement) inspect(ctx context.Context) error {
	if m.job == nil {
		return nil
	}
	m.notes = append(m.notes, bound(m.job.rank.Ranks())...)
	for rank := 1; rank < len(m.job.rank.Ranks()); rank++ {
		raw, err := m.job.rank.Describe(ctx, rank, aboutDevices, nil)
		if err != nil {
			return err
		}
		var there inspection
		if err := json.Unmarshal(raw, &there); err != nil {
			return fmt.Errorf("what rank %d tells of its devices: %w", rank, err)
		}
		if there.Refused != "" {
			return &exitError{code: codeNoGPU, err: fmt.Errorf("rank %d on %s: %s", rank, m.job.rank.Ranks()[rank].Node, there.Refused), hint: there.Hint}
		}
		for _, d := range there.Devices {
			if at := slices.IndexFunc(m.devices, func(p result.Device) bool { return p.Index == d.Index }); at >= 0 {
				m.devices[at].PowerLimit, m.devices[at].ECC = d.PowerLimit, d.ECC
			}
		}
		m.notes = append(m.notes, there.Notes...)
	}
	return nil
}
