package sensor

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pciRoute is the way from a host bridge to a device: "pci0000:16", bridges, device.
func (s System) pciRoute(pci string) []string {
	if pci == "" {
		return nil
	}
	target, err := filepath.EvalSymlinks(s.pciPath(pci))
	if err != nil {
		return nil
	}
	parts := strings.Split(target, string(filepath.Separator))
	i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "pci") && strings.Contains(p, ":") })
	if i < 0 {
		return nil
	}
	return parts[i:]
}

// wire compares the routes of two devices.
func (s System) wire(a, b string) Wire {
	var w Wire
	pa, pb := s.place(a), s.place(b)
	if pa.NUMA >= 0 && pb.NUMA >= 0 {
		same := pa.NUMA == pb.NUMA
		w.SameNUMA = &same
	}
	if pa.Socket >= 0 && pb.Socket >= 0 {
		same := pa.Socket == pb.Socket
		w.SameSocket = &same
	}
	ra, rb := s.pciRoute(a), s.pciRoute(b)
	if ra == nil || rb == nil {
		return w
	}
	shared := 0
	for shared < min(len(ra), len(rb)) && ra[shared] == rb[shared] {
		shared++
	}
	w.Distance = distance(len(ra)-shared, len(rb)-shared, shared, w.SameNUMA)
	w.PCIe = narrower(s.narrowest(ra, shared), s.narrowest(rb, shared))
	return w
}

// distance names how far apart two routes end that share a number of steps, host
// bridge included, and then take a and b steps of their own.
func distance(a, b, shared int, sameNUMA *bool) string {
	switch {
	case shared == 0 && sameNUMA != nil && !*sameNUMA:
		return OtherNode
	case shared == 0: // several host bridges; one node where the system names none
		return SameNode
	case shared == 1:
		return HostRoot
	case max(a, b) <= 2: // a port of the switch, and the device behind it
		return OneSwitch
	}
	return Switches
}

// narrowest is the slowest link of a route below its first steps.
func (s System) narrowest(route []string, skip int) (out PCIe) {
	for _, step := range route[max(skip, 1):] {
		out = narrower(out, s.trained(step))
	}
	return out
}

// narrower is the slower of two links, or the one that is known.
func narrower(a, b PCIe) PCIe {
	switch {
	case a.Bandwidth() == 0:
		return b
	case b.Bandwidth() == 0 || a.Bandwidth() <= b.Bandwidth():
		return a
	}
	return b
}

// trained is the link of a PCI device as it runs now.
func (s System) trained(pci string) PCIe {
	dir := s.pciPath(pci)
	return pcie(text(dir, "current_link_speed"), text(dir, "current_link_width"))
}

// transferRates are the speeds of the generations, GT/s.
var transferRates = map[float64]int{2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}

// pcie reads such as "32.0 GT/s PCIe" and "16".
func pcie(speed, width string) (out PCIe) {
	number, _, _ := strings.Cut(speed, " ")
	if rate, err := strconv.ParseFloat(number, 64); err == nil {
		out.Generation = transferRates[rate]
	}
	if lanes, err := strconv.Atoi(width); err == nil && lanes > 0 && lanes <= 32 { // 255: not known
		out.Width = lanes
	}
	if out.Generation == 0 || out.Width == 0 {
		return PCIe{}
	}
	return out
}

// place reads NUMA node, socket and link of a device.
func (s System) place(pci string) Place {
	p := Place{NUMA: -1, Socket: -1}
	if pci == "" {
		return p
	}
	dir := s.pciPath(pci)
	if node, ok := number(dir, "numa_node"); ok && node >= 0 {
		p.NUMA = int(node)
	}
	p.Socket = s.socket(text(dir, "local_cpulist"))
	p.PCIe = s.trained(pci)
	p.MaxPCIe = pcie(text(dir, "max_link_speed"), text(dir, "max_link_width"))
	return p
}

// socket is the one socket that all CPUs of a list such as "0-15,32-47" sit in, or -1.
// Without NUMA a device is near to all CPUs, which tells nothing when there are two.
func (s System) socket(list string) int {
	socket := -1
	for part := range strings.SplitSeq(list, ",") {
		first, last, _ := strings.Cut(part, "-")
		for _, cpu := range []string{first, last} { // a range does not cross sockets and come back
			if cpu == "" {
				continue
			}
			id, ok := number(s.path("devices/system/cpu", "cpu"+cpu, "topology/physical_package_id"))
			switch {
			case !ok:
				return -1
			case socket >= 0 && int(id) != socket:
				return -1
			}
			socket = int(id)
		}
	}
	return socket
}
