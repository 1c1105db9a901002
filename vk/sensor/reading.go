// Package sensor reads what GPUs say about themselves while they work: clocks,
// power, energy, temperature, load, memory, throttle reasons and bytes moved. NVIDIA
// cards are read through NVML, whose library is opened at run time; AMD and Intel
// cards through sysfs. A machine, card or driver that has none of this has no
// sensors; that is never an error, and an absent value is absent, not zero.
package sensor

import "time"

// Quantity is one thing a sensor measures.
type Quantity int

// Quantities, in base units. Counters run since the driver was loaded; only their
// differences mean anything.
const (
	SMClock           Quantity = iota // Hz, of the compute units
	MemoryClock                       // Hz
	Power                             // W
	Energy                            // J, counter
	Temperature                       // degrees Celsius
	Utilization                       // share of the last period in which a kernel ran, 0 to 1
	MemoryUtilization                 // the same of memory reads and writes
	MemoryUsed                        // bytes
	PCIeSent                          // bytes, counter
	PCIeReceived                      // bytes, counter
	NVLinkSent                        // bytes over all links, counter
	NVLinkReceived                    // bytes over all links, counter
	MemoryErrors                      // uncorrected ECC errors, counter
	XidErrors                         // critical errors that the driver reported since the sensors were opened, counter
	quantities
)

// nature says how two readings of a quantity become one.
type nature int

const (
	level   nature = iota // the mean of both
	counter               // the later one
)

var described = [quantities]struct {
	name, unit string
	nature     nature
}{
	SMClock:           {"sm_clock", "Hz", level},
	MemoryClock:       {"memory_clock", "Hz", level},
	Power:             {"power", "W", level},
	Energy:            {"energy", "J", counter},
	Temperature:       {"temperature", "Cel", level},
	Utilization:       {"utilization", "1", level},
	MemoryUtilization: {"memory_utilization", "1", level},
	MemoryUsed:        {"memory_used", "B", level},
	PCIeSent:          {"pcie_sent", "B", counter},
	PCIeReceived:      {"pcie_received", "B", counter},
	NVLinkSent:        {"nvlink_sent", "B", counter},
	NVLinkReceived:    {"nvlink_received", "B", counter},
	MemoryErrors:      {"memory_errors", "1", counter},
	XidErrors:         {"xid_errors", "1", counter},
}

// Quantities lists all of them.
func Quantities() []Quantity {
	all := make([]Quantity, quantities)
	for i := range all {
		all[i] = Quantity(i)
	}
	return all
}

// String is the name under which a quantity is stored.
func (q Quantity) String() string { return described[q].name }

// Unit is a quantity's unit, in UCUM's case-sensitive code.
func (q Quantity) Unit() string { return described[q].unit }

// Only is a set of quantities and the throttle reasons, to read no more than needed.
type Only uint32

// Sets of quantities. A clock reading is what is taken between samples: two calls
// into the driver. Energy is not among them: on an H200 it took as long as both.
const (
	Everything Only = 1<<(quantities+1) - 1
	Throttling Only = 1 << quantities
	ClockOnly       = Throttling | 1<<SMClock
	HeatOnly   Only = 1 << Temperature
	EnergyOnly Only = 1 << Energy
	ErrorsOnly Only = 1 << MemoryErrors
)

func (o Only) has(q Quantity) bool { return o&(1<<q) != 0 }

// Reading is what the sensors of one device said at one moment.
type Reading struct {
	At       time.Time // when reading began; carries Go's monotonic clock
	values   [quantities]float64
	known    Only
	throttle Throttle
}

// Value returns a quantity; false: this device has no such sensor.
func (r *Reading) Value(q Quantity) (float64, bool) { return r.values[q], r.known.has(q) }

// Throttle returns the reasons for which the clock is held down now; false: not known.
func (r *Reading) Throttle() (Throttle, bool) { return r.throttle, r.known&Throttling != 0 }

// Empty tells whether nothing was read.
func (r *Reading) Empty() bool { return r.known == 0 }

func (r *Reading) set(q Quantity, value float64) {
	r.values[q] = value
	r.known |= 1 << q
}

func (r *Reading) setThrottle(t Throttle) {
	r.throttle = t
	r.known |= Throttling
}

// merged is one reading in place of two successive ones: levels are averaged,
// counters end where the later one does, reasons add up.
func merged(a, b *Reading) Reading {
	out := Reading{At: a.At.Add(b.At.Sub(a.At) / 2), known: a.known | b.known, throttle: a.throttle | b.throttle}
	for q := range quantities {
		x, hasX := a.Value(q)
		y, hasY := b.Value(q)
		switch {
		case hasX && hasY && described[q].nature == level:
			out.values[q] = (x + y) / 2
		case hasY:
			out.values[q] = y
		default:
			out.values[q] = x
		}
	}
	return out
}
