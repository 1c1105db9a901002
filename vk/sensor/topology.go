package sensor

import (
	"fmt"
	"slices"
)

// Distances over PCIe between two devices, nearest first, named as by
// `nvidia-smi topo -m`.
const (
	SameBoard = "INT"  // two GPUs on one board
	OneSwitch = "PIX"  // at most one PCIe switch between them
	Switches  = "PXB"  // several switches, no host bridge
	HostRoot  = "PHB"  // a host bridge, that is the CPU
	SameNode  = "NODE" // several host bridges of one NUMA node
	OtherNode = "SYS"  // the interconnect between NUMA nodes
)

// Wire is how two devices are connected, without anything having been measured.
// Absent parts are zero, empty or nil: not known.
type Wire struct {
	Distance   string  // over PCIe: one of the distances above
	NVLink     *NVLink // nil: none, or no NVML
	PCIe       PCIe    // narrowest link on the way that both do not share
	SameNUMA   *bool
	SameSocket *bool
}

// NVLink is the links between two GPUs, direct or through switches.
type NVLink struct {
	Version   string  // "4.0"; empty: not known
	Links     int     // active
	Switched  bool    // through NVSwitch, which all GPUs share
	Bandwidth float64 // nominal bytes per second one way over all links; 0: not known
}

// PCIe is a link of the bus as it is trained now: idle GPUs lower their generation.
type PCIe struct {
	Generation, Width int // 0: not known
}

// laneRate is the nominal rate of one lane by generation, bytes per second one way,
// after line coding (PCI Express Base Specification: 8b/10b, from 3 on 128b/130b,
// from 6 on flits).
var laneRate = map[int]float64{1: 250e6, 2: 500e6, 3: 984.6e6, 4: 1969.2e6, 5: 3938.5e6, 6: 7563e6}

// Bandwidth is nominal bytes per second one way; 0: not known.
func (p PCIe) Bandwidth() float64 { return laneRate[p.Generation] * float64(p.Width) }

// String is such as "gen5 x16".
func (p PCIe) String() string {
	if p.Generation == 0 || p.Width == 0 {
		return ""
	}
	return fmt.Sprintf("gen%d x%d", p.Generation, p.Width)
}

// Kind is the word for a wire in a matrix: NV18 for 18 NVLinks, else the distance.
func (w Wire) Kind() string {
	if w.NVLink != nil && w.NVLink.Links > 0 {
		return fmt.Sprintf("NV%d", w.NVLink.Links)
	}
	return w.Distance
}

// Place is where a device sits.
type Place struct {
	NUMA, Socket int // -1: not known
	PCIe         PCIe
	MaxPCIe      PCIe // what device and slot could train
}

// Place looks up where a device sits, from sysfs.
func (s *Set) Place(i int) Place {
	return s.system.place(s.Devices[i].PCI)
}

// Wire finds how devices i and j are connected: from NVML where both are known to
// it, completed from sysfs.
func (s *Set) Wire(i, j int) Wire {
	a, b := s.Devices[i], s.Devices[j]
	w := s.system.wire(a.PCI, b.PCI)
	if a.card == nil || b.card == nil {
		return w
	}
	if d := commonAncestor(a.card, b.card); d != "" {
		w.Distance = d
	}
	w.NVLink = nvlink(a.card, b.card)
	return w
}

// Rated is a measured link for the search of slow ones.
type Rated struct {
	Kind      string  // equal for links that should be equally fast
	Bandwidth float64 // bytes per second; 0: not measured
}

// slowBelow is the share of the median of its kind below which a link is slow. Equal
// links differ by a few percent; one that lost lanes or a generation by half.
const slowBelow = 0.8

// Slow returns, for links that should be as fast as others of their kind and are not,
// the median bandwidth of that kind; 0 for all others. A kind with one link has
// nothing to compare.
func Slow(links []Rated) []float64 {
	byKind := map[string][]float64{}
	for _, l := range links {
		if l.Kind != "" && l.Bandwidth > 0 {
			byKind[l.Kind] = append(byKind[l.Kind], l.Bandwidth)
		}
	}
	for _, rates := range byKind {
		slices.Sort(rates)
	}
	out := make([]float64, len(links))
	for i, l := range links {
		rates := byKind[l.Kind]
		if len(rates) < 2 || l.Bandwidth <= 0 {
			continue
		}
		median := (rates[(len(rates)-1)/2] + rates[len(rates)/2]) / 2
		if l.Bandwidth < slowBelow*median {
			out[i] = median
		}
	}
	return out
}
