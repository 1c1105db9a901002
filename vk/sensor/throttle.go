package sensor

import "strings"

// Throttle is a set of reasons for which a device's clock is lower than it could
// be. The bits are those of NVML's clocks event reasons (nvml.h); the drivers of
// other vendors are translated.
type Throttle uint64

// Reasons.
const (
	Idle             Throttle = 1 << 0 // nothing to do
	UserClocks       Throttle = 1 << 1 // clocks set by the user
	PowerCap         Throttle = 1 << 2 // at its power limit
	HardwareSlowdown Throttle = 1 << 3 // clocks halved or worse by hardware
	SyncBoost        Throttle = 1 << 4 // kept at the clock of a slower GPU of its group
	ThermalSoftware  Throttle = 1 << 5 // driver's temperature limit
	ThermalHardware  Throttle = 1 << 6 // hardware's temperature limit
	PowerBrake       Throttle = 1 << 7 // the machine's power supply asked for it
	DisplayClocks    Throttle = 1 << 8
	BoardLimit       Throttle = 1 << 9
	Reliability      Throttle = 1 << 10 // voltage limit
)

var reasonNames = []string{"idle", "user-clocks", "power-cap", "hardware-slowdown", "sync-boost",
	"thermal", "thermal-hardware", "power-brake", "display-clocks", "board-limit", "reliability"}

// Spoils are the reasons that make a sample invalid: the device was disturbed from
// outside the work itself. A power cap is not among them: under heavy load it is the
// steady state of a healthy card, and its cost is what the clock factor shows.
const Spoils = HardwareSlowdown | ThermalSoftware | ThermalHardware | PowerBrake

// Names lists the reasons, lowest bit first.
func (t Throttle) Names() []string {
	var out []string
	for i, name := range reasonNames {
		if t&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// String joins the names.
func (t Throttle) String() string { return strings.Join(t.Names(), "+") }
