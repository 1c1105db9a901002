package sensor

import (
	"fmt"
	"strings"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// library is what is used of NVML itself; tests put their own in its place.
type library interface {
	Init() nvml.Return
	Shutdown() nvml.Return
	DeviceGetCount() (int, nvml.Return)
	DeviceGetHandleByIndex(int) (nvml.Device, nvml.Return)
	EventSetCreate() (nvml.EventSet, nvml.Return)
	// Has tells whether the installed library exports a function. Calling one that
	// it lacks would end the process, because it is bound when it is first called.
	Has(function string) bool
}

// installed is the library of this machine.
type installed struct {
	nvml.Interface
	mu  sync.Mutex
	has map[string]bool // by function, once asked
}

func (l *installed) Has(function string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	has, asked := l.has[function]
	if !asked {
		has = l.Extensions().LookupSymbol(function) == nil
		l.has[function] = has
	}
	return has
}

// nvmlLibrary is the opened library with its cards.
type nvmlLibrary struct {
	library
	cards []*card
}

// card is one GPU of NVML.
type card struct {
	nvml.Device
	lib       *nvmlLibrary
	uuid, pci string
	xids      xids
}

// openNVML starts NVML and lists its cards. note says why there is none.
func openNVML(l library) (lib *nvmlLibrary, note string) {
	if l == nil {
		l = &installed{Interface: nvml.New(), has: map[string]bool{}}
	}
	switch code := l.Init(); code {
	case nvml.SUCCESS:
	case nvml.ERROR_LIBRARY_NOT_FOUND:
		return nil, "libnvidia-ml.so.1 is not installed"
	default:
		return nil, fmt.Sprintf("NVML does not start: %s", code.Error())
	}
	lib = &nvmlLibrary{library: l}
	count, code := l.DeviceGetCount()
	if code != nvml.SUCCESS {
		lib.close()
		return nil, fmt.Sprintf("NVML lists no devices: %s", code.Error())
	}
	for i := range count {
		d, code := l.DeviceGetHandleByIndex(i)
		if code != nvml.SUCCESS { // a card that fell off the bus hides no other
			note = fmt.Sprintf("NVML cannot open its device %d: %s", i, code.Error())
			continue
		}
		c := &card{Device: d, lib: lib}
		if c.uuid, code = d.GetUUID(); code != nvml.SUCCESS {
			c.uuid = ""
		}
		if p, code := d.GetPciInfo(); code == nvml.SUCCESS {
			c.pci = fmt.Sprintf("%04x:%02x:%02x.0", p.Domain, p.Bus, p.Device)
		}
		lib.cards = append(lib.cards, c)
	}
	return lib, note
}

func (l *nvmlLibrary) close() {
	if l != nil {
		_ = l.Shutdown() // nothing is left to do where it fails
	}
}

// find returns the card of a Vulkan device: by UUID, which both APIs report alike,
// else by PCI address; nil without one.
func (l *nvmlLibrary) find(id Identity) *card {
	if l == nil {
		return nil
	}
	for _, c := range l.cards {
		if id.UUID != "" && strings.EqualFold(strings.TrimPrefix(c.uuid, "GPU-"), id.UUID) {
			return c
		}
	}
	for _, c := range l.cards {
		if samePCI(c.pci, id.PCI) {
			return c
		}
	}
	return nil
}
