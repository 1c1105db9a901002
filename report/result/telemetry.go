package result

import "time"

// Telemetry is what the devices' sensors said during a run.
type Telemetry struct {
	Origin   time.Time `json:"origin"`   // zero of all times below
	Interval float64   `json:"interval"` // seconds between readings, once old ones were merged
	Cost     float64   `json:"cost"`     // seconds that the longest reading of all devices took
	Devices  []Track   `json:"devices"`  // those that have sensors
}

// Track is the readings of one device.
type Track struct {
	Index  int    `json:"index"`  // in Result.Devices
	Source string `json:"source"` // nvml, amdgpu, xe
	// Idle is the mean power in watts before measuring, while nothing ran.
	Idle    *float64  `json:"idle,omitempty"`
	Seconds []float64 `json:"seconds"` // of each reading, from Origin on the monotonic clock
	// Values holds, by quantity, one value a reading; null: not read. A quantity
	// without a sensor is absent. sm_clock, memory_clock (Hz), power (W), energy (J
	// since the driver was loaded), temperature (degrees Celsius), utilization,
	// memory_utilization (0 to 1), memory_used (bytes), pcie_sent, pcie_received,
	// nvlink_sent, nvlink_received (bytes since the driver was loaded), memory_errors
	// (uncorrected, since then), xid_errors (since the sensors were opened).
	Values map[string][]*float64 `json:"values"`
	// Throttle lists when the clock was held down, and why; not known where null.
	Throttle []Throttling `json:"throttle"`
}

// Throttling is a stretch of readings with the same reasons.
type Throttling struct {
	Start   float64  `json:"start"` // seconds from Origin
	End     float64  `json:"end"`
	Reasons []string `json:"reasons"`
}

// Energy is what a launch drew while its samples were taken.
type Energy struct {
	Joules  float64 `json:"joules"`  // of one iteration, over all devices
	Seconds float64 `json:"seconds"` // between the two readings of the counters
}
