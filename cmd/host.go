package cmd

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/diagnose"
)

// hostFacts describes this machine; what cannot be read stays empty.
func hostFacts(loader, layers string) result.Host {
	h := result.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(),
		Container: diagnose.System{}.Container(), Loader: loader, Layers: layers}
	var u unix.Utsname
	if err := unix.Uname(&u); err == nil {
		h.Kernel = unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
	}
	if name := osRelease(); name != "" {
		h.OS += " (" + name + ")"
	}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return h
	}
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 {
		h.CPU = cpus[0].ModelName
	}
	if mem, err := proc.Meminfo(); err == nil && mem.MemTotalBytes != nil {
		h.Memory = int64(*mem.MemTotalBytes)
	}
	return h
}

func osRelease() string {
	raw, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(v, `"`)
		}
	}
	return ""
}

// hostLoad warns when other programs compete for the CPUs.
func hostLoad() []result.Warning {
	const limit = 10 // percent, average of 10 s
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	psi, err := proc.PSIStatsForResource("cpu")
	if err != nil || psi.Some == nil || psi.Some.Avg10 <= limit {
		return nil
	}
	return []result.Warning{{Code: "host-load",
		Text: fmt.Sprintf("CPU pressure was %.0f %% before measuring: other programs compete for the processors", psi.Some.Avg10)}}
}

// fingerprint condenses what must be equal for two results to be comparable: model and
// number of the devices, driver and API, software or not, and in a job how they lie on
// nodes.
func fingerprint(devices []result.Device) string {
	fields := models(devices)
	if layout := layoutOf(devices); layout != "" {
		fields = append(fields, "nodes "+layout)
	}
	return condensed(fields)
}

func models(devices []result.Device) []string {
	var fields []string
	for _, d := range devices {
		fields = append(fields, fmt.Sprintf("%04x:%04x %s %s software=%v", d.VendorID, d.DeviceID, d.Driver, d.API, d.Software))
	}
	slices.Sort(fields)
	return fields
}

func condensed(fields []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(fields, "\n"))))[:32]
}
