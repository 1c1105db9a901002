package sensor

import "path/filepath"

// xeReasons translates the reasons of the xe driver
// (drivers/gpu/drm/xe/xe_gt_throttle.c).
var xeReasons = map[string]Throttle{
	"reason_pl1": PowerCap, "reason_pl2": PowerCap, "reason_pl4": PowerCap,
	"reason_thermal": ThermalHardware, "reason_prochot": ThermalHardware,
	"reason_ratl": ThermalSoftware, "reason_vr_thermalert": ThermalHardware, "reason_vr_tdc": BoardLimit,
}

// xe describes a card of Intel's xe driver: clocks below tile0/gt0 and the hwmon of
// Documentation/ABI/testing/sysfs-driver-intel-xe-hwmon. It counts energy and does
// not report power.
func xe(dir string) *files {
	f := &files{driver: "xe", dir: dir}
	gt := filepath.Join(dir, "tile0", "gt0", "freq0")
	f.add(SMClock, 1e6, filepath.Join(gt, "act_freq"), filepath.Join(gt, "cur_freq"))
	for _, m := range monitors(dir) {
		f.add(Energy, 1e-6, labelled(m, "energy", "card", "pkg"), filepath.Join(m, "energy1_input"))
		f.add(Power, 1e-6, labelled(m, "power", "card", "pkg"))
		f.add(Temperature, 1e-3, labelled(m, "temp", "pkg", "vram"))
	}
	f.extra = func(only Only, r *Reading) {
		if only&Throttling == 0 {
			return
		}
		folder := filepath.Join(gt, "throttle")
		status, ok := number(folder, "status")
		if !ok {
			return
		}
		var reasons Throttle
		if status != 0 {
			for file, reason := range xeReasons {
				if v, ok := number(folder, file); ok && v != 0 {
					reasons |= reason
				}
			}
		}
		r.setThrottle(reasons)
	}
	return f
}
