package sensor

import (
	"path/filepath"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Policy is what a device's owner has set that decides how fast it may be.
type Policy struct {
	PowerLimit float64 // W; 0: not known
	ECC        *bool   // error correction of its memory; nil: not known
}

// Policy reads the settings of a device: those of NVML, or of amdgpu its power cap.
func (d *Device) Policy() Policy {
	var p Policy
	switch from := d.from.(type) {
	case *card:
		if from.lib.Has("nvmlDeviceGetEnforcedPowerLimit") {
			if milliwatts, code := from.GetEnforcedPowerLimit(); code == nvml.SUCCESS {
				p.PowerLimit = float64(milliwatts) * 1e-3
			}
		}
		if from.lib.Has("nvmlDeviceGetEccMode") {
			if mode, _, code := from.GetEccMode(); code == nvml.SUCCESS {
				on := mode == nvml.FEATURE_ENABLED
				p.ECC = &on
			}
		}
	case *files:
		for _, m := range monitors(from.dir) {
			if microwatts, ok := number(filepath.Join(m, "power1_cap")); ok {
				p.PowerLimit = microwatts * 1e-6
			}
		}
	}
	return p
}
