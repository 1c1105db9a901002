package sensor

import (
	"path/filepath"
	"strconv"
	"strings"
)

// amdgpu describes a card of the amdgpu driver. The files are those of
// Documentation/gpu/amdgpu/thermal.rst of the Linux kernel. pcie_bw is not read:
// each reading of it lasts a second.
func amdgpu(dir string) *files {
	f := &files{driver: "amdgpu", dir: dir}
	for _, m := range monitors(dir) {
		f.add(SMClock, 1, labelled(m, "freq", "sclk"), filepath.Join(m, "freq1_input"))
		f.add(MemoryClock, 1, labelled(m, "freq", "mclk"))
		f.add(Power, 1e-6, filepath.Join(m, "power1_average"), filepath.Join(m, "power1_input"))
		f.add(Energy, 1e-6, filepath.Join(m, "energy1_input"))
		f.add(Temperature, 1e-3, labelled(m, "temp", "junction", "edge"), filepath.Join(m, "temp1_input"))
	}
	f.add(Utilization, 0.01, filepath.Join(dir, "gpu_busy_percent"))
	f.add(MemoryUtilization, 0.01, filepath.Join(dir, "mem_busy_percent"))
	f.add(MemoryUsed, 1, filepath.Join(dir, "mem_info_vram_used"))
	// Cards of data centres have no freq files; their levels are listed instead.
	f.extra = func(only Only, r *Reading) {
		for q, file := range map[Quantity]string{SMClock: "pp_dpm_sclk", MemoryClock: "pp_dpm_mclk"} {
			if _, known := r.Value(q); known || !only.has(q) {
				continue
			}
			if mhz, ok := currentLevel(text(dir, file)); ok {
				r.set(q, mhz*1e6)
			}
		}
	}
	return f
}

// currentLevel finds the level in use, such as "1: 1700Mhz *", in MHz.
func currentLevel(list string) (mhz float64, ok bool) {
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[len(fields)-1] != "*" {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSuffix(strings.ToLower(fields[1]), "mhz"), 64)
		return v, err == nil
	}
	return 0, false
}
