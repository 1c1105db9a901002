package sensor

import (
	"fmt"
	"os"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Process is a program that holds a GPU.
type Process struct {
	PID     int    // in the namespace of the driver
	Name    string // empty: not known
	Memory  uint64 // bytes on the device; 0: not known
	Compute bool   // it computes; else it draws, as a desktop does
}

// String names a process for a message.
func (p Process) String() string {
	out := fmt.Sprintf("process %d", p.PID)
	if p.Name != "" {
		out += " (" + p.Name + ")"
	}
	return out
}

// Processes lists the programs that hold a device, as far as the driver tells: from
// inside a container it often tells nothing. Other vendors' drivers are not asked.
func (d *Device) Processes() []Process {
	if d.card == nil {
		return nil
	}
	var out []Process
	seen := map[int]bool{}
	for _, kind := range []struct {
		function string
		compute  bool
		list     func() ([]nvml.ProcessInfo, nvml.Return)
	}{
		{"nvmlDeviceGetComputeRunningProcesses", true, d.card.GetComputeRunningProcesses},
		{"nvmlDeviceGetGraphicsRunningProcesses", false, d.card.GetGraphicsRunningProcesses},
	} {
		if !d.card.lib.Has(kind.function) {
			continue
		}
		found, code := kind.list()
		if code != nvml.SUCCESS {
			continue
		}
		for _, p := range found {
			if seen[int(p.Pid)] {
				continue
			}
			seen[int(p.Pid)] = true
			process := Process{PID: int(p.Pid), Name: programName(int(p.Pid)), Compute: kind.compute}
			if p.UsedGpuMemory != ^uint64(0) { // NVML_VALUE_NOT_AVAILABLE
				process.Memory = p.UsedGpuMemory
			}
			out = append(out, process)
		}
	}
	return out
}

// programName reads a process's command name.
func programName(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Census is the processes that held any GPU at one moment. It keeps NVML open until it
// is closed: starting it anew can take a second on a machine without other clients.
type Census struct {
	pids map[int]bool
	lib  *nvmlLibrary
}

// Census lists the processes now. It is taken before this process opens a device:
// inside a container the driver knows this process by a number that os.Getpid does
// not return, so that what was there before is the only proof of being another one.
func (s System) Census() *Census {
	c := &Census{pids: map[int]bool{}}
	c.lib, _ = openNVML(s.nvml)
	if c.lib == nil {
		return c
	}
	for _, card := range c.lib.cards {
		for _, p := range (&Device{card: card}).Processes() {
			c.pids[p.PID] = true
		}
	}
	return c
}

// Others returns the processes that hold a device now and already were there.
func (c *Census) Others(d *Device) []Process {
	var out []Process
	for _, p := range d.Processes() {
		if c.pids[p.PID] && p.PID != os.Getpid() {
			out = append(out, p)
		}
	}
	return out
}

// Close lets go of NVML.
func (c *Census) Close() {
	if c != nil {
		c.lib.close()
	}
}
