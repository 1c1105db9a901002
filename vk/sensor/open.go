package sensor

import (
	"strings"
	"time"
)

// Identity names a device as Vulkan reports it.
type Identity struct {
	UUID string // with hyphens
	PCI  string // "0000:01:00.0", or empty: no sensor can be matched by address
}

// System is the machine to look at. The zero value is this one.
type System struct {
	Root string  // prefix of every path below /sys, for tests
	nvml library // nil: the installed one
}

// source reads the sensors of one card.
type source interface {
	name() string
	read(only Only, r *Reading)
}

// Device is the sensors of one Vulkan device. A device without any is usable: it
// reads nothing.
type Device struct {
	Identity
	from source
	card *card // NVML's handle, nil elsewhere
}

// Source names what is read: nvml, amdgpu, xe, or empty.
func (d *Device) Source() string {
	if d.from == nil {
		return ""
	}
	return d.from.name()
}

// Read asks the sensors for the quantities wanted. What a device does not have, or
// what fails now, is absent from the reading.
func (d *Device) Read(only Only) Reading {
	r := Reading{At: time.Now()}
	if d.from != nil {
		d.from.read(only, &r)
	}
	return r
}

// Set is the sensors of some devices, in the order of their identities.
type Set struct {
	Devices []*Device
	Note    string // why NVML is not used; empty when it is
	system  System
	lib     *nvmlLibrary
}

// Open finds the sensors of devices. It never fails: what has none reads nothing.
func (s System) Open(ids []Identity) *Set {
	set := &Set{system: s}
	set.lib, set.Note = openNVML(s.nvml)
	for _, id := range ids {
		d := &Device{Identity: id}
		if d.card = set.lib.find(id); d.card != nil {
			d.from = d.card
			d.card.listen()
		} else {
			d.from = s.sysfs(id.PCI)
		}
		set.Devices = append(set.Devices, d)
	}
	return set
}

// None is a set for n devices that have no sensors.
func None(n int) *Set {
	set := &Set{}
	for range n {
		set.Devices = append(set.Devices, &Device{})
	}
	return set
}

// Cost is the time that one reading of all devices takes, the median of three. They
// are apart, as readings between samples are: NVML answers from memory what it was
// asked a moment ago.
func (s *Set) Cost(only Only) time.Duration {
	var list []float64
	for range 3 {
		time.Sleep(20 * time.Millisecond)
		started := time.Now()
		for _, d := range s.Devices {
			d.Read(only)
		}
		list = append(list, time.Since(started).Seconds())
	}
	return time.Duration(median(list) * float64(time.Second))
}

// Any tells whether at least one device has sensors.
func (s *Set) Any() bool {
	for _, d := range s.Devices {
		if d.from != nil {
			return true
		}
	}
	return false
}

// Close lets go of NVML. The set must not be read afterwards.
func (s *Set) Close() {
	if s == nil {
		return
	}
	for _, d := range s.Devices {
		if d.card != nil {
			d.card.xids.deafen()
		}
	}
	s.lib.close()
}

// samePCI compares addresses, whose domain some sources print with 4 and some with
// 8 digits.
func samePCI(a, b string) bool {
	return a != "" && strings.EqualFold(trimDomain(a), trimDomain(b))
}

func trimDomain(pci string) string {
	if domain, rest, ok := strings.Cut(pci, ":"); ok && strings.Contains(rest, ":") {
		return strings.TrimLeft(domain, "0") + ":" + rest
	}
	return pci
}
