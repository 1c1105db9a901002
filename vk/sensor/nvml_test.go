package sensor

import (
	"os"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

const uuid = "a1b2c3d4-0000-1111-2222-333344445555"

func openFake(t *testing.T, f *fakeNVML, ids ...Identity) *Set {
	t.Helper()
	set := System{Root: t.TempDir(), nvml: f}.Open(ids)
	t.Cleanup(func() {
		set.Close()
		if f.open != 0 {
			t.Errorf("NVML is left open %d times", f.open)
		}
	})
	return set
}

func TestNVMLReadings(t *testing.T) {
	f := &fakeNVML{cards: []*fakeCard{
		{uuid: "GPU-ffffffff-0000-1111-2222-333344445555", bus: 0x19, lost: true},
		{uuid: "GPU-" + strings.ToUpper(uuid), bus: 0x3b, clock: 1980, energy: 1500, errors: 3, reasons: uint64(PowerCap)},
		{uuid: "GPU-other", bus: 0x5d, noEnergy: true, fieldError: true},
	}}
	set := openFake(t, f, Identity{UUID: uuid, PCI: "0000:99:00.0"}, Identity{UUID: "none", PCI: "00000000:5D:00.0"}, Identity{PCI: "0000:19:00.0"})
	if !strings.Contains(set.Note, "device 0") {
		t.Errorf("the lost card is not mentioned: %q", set.Note)
	}
	r := set.Devices[0].Read(Everything)
	expect(t, r, map[Quantity]float64{SMClock: 1980e6, MemoryClock: 2619e6, Power: 699.5, Energy: 1.5, Temperature: 61,
		Utilization: 0.97, MemoryUtilization: 0.12, MemoryUsed: 3 << 30, PCIeSent: 197, NVLinkSent: 5 * 1024, NVLinkReceived: 139 * 1024, MemoryErrors: 3, XidErrors: 0})
	if reasons, ok := r.Throttle(); !ok || reasons != PowerCap || reasons&Spoils != 0 {
		t.Errorf("throttle %v known %v", reasons, ok)
	}
	expect(t, set.Devices[1].Read(Everything), map[Quantity]float64{SMClock: 0, MemoryClock: 2619e6, Power: 699.5, Temperature: 61,
		Utilization: 0.97, MemoryUtilization: 0.12, MemoryUsed: 3 << 30})
	expect(t, set.Devices[2].Read(Everything), nil)
	if p := set.Devices[0].Policy(); p.PowerLimit != 700 || p.ECC == nil || !*p.ECC {
		t.Errorf("policy %+v", p)
	}
	expect(t, set.Devices[0].Read(ClockOnly), map[Quantity]float64{SMClock: 1980e6})
	expect(t, set.Devices[0].Read(ClockOnly|EnergyOnly), map[Quantity]float64{SMClock: 1980e6, Energy: 1.5})
}

// A function that an old library lacks is never called.
func TestOldLibrary(t *testing.T) {
	f := &fakeNVML{cards: []*fakeCard{{uuid: "GPU-" + uuid, bus: 1, clock: 1410, reasons: uint64(ThermalSoftware), links: []uint32{0}}}, lacks: map[string]bool{
		"nvmlDeviceGetCurrentClocksEventReasons": true, "nvmlDeviceGetFieldValues": true, "nvmlDeviceGetTotalEnergyConsumption": true,
		"nvmlDeviceGetUtilizationRates": true, "nvmlDeviceGetComputeRunningProcesses": true, "nvmlDeviceGetTopologyCommonAncestor": true,
		"nvmlDeviceGetNvLinkState": true, "nvmlDeviceGetEnforcedPowerLimit": true, "nvmlDeviceGetEccMode": true, "nvmlDeviceGetSupportedEventTypes": true,
	}}
	set := openFake(t, f, Identity{UUID: uuid})
	r := set.Devices[0].Read(Everything)
	expect(t, r, map[Quantity]float64{SMClock: 1410e6, MemoryClock: 2619e6, Power: 699.5, Temperature: 61, MemoryUsed: 3 << 30, MemoryErrors: 0})
	if reasons, _ := r.Throttle(); reasons.String() != "sync-boost+thermal" {
		t.Errorf("throttle %v: the function of before is not asked", reasons)
	}
	if p := set.Devices[0].Policy(); p != (Policy{}) {
		t.Errorf("policy %+v", p)
	}
	if w := set.Wire(0, 0); w.NVLink != nil || w.Distance != "" {
		t.Errorf("wire %+v", w)
	}
}

func TestNVMLThatDoesNotStart(t *testing.T) {
	set := openFake(t, &fakeNVML{broken: true}, Identity{UUID: uuid})
	if set.Any() || !strings.Contains(set.Note, "does not start") {
		t.Errorf("any %v, note %q", set.Any(), set.Note)
	}
}

func TestProcesses(t *testing.T) {
	mine := uint32(os.Getpid())
	card := &fakeCard{uuid: "GPU-" + uuid,
		processes: []nvml.ProcessInfo{{Pid: mine, UsedGpuMemory: 1 << 20}, {Pid: 4000000, UsedGpuMemory: ^uint64(0)}},
		drawing:   []nvml.ProcessInfo{{Pid: 4000000}, {Pid: 4000001, UsedGpuMemory: 7}}}
	f := &fakeNVML{cards: []*fakeCard{card}}
	census := System{nvml: f}.Census()
	set := openFake(t, f, Identity{UUID: uuid})
	before := set.Devices[0].Processes()
	if len(before) != 3 || before[0].Name == "" || before[1].Memory != 0 || !before[1].Compute || before[2].Compute || before[2].Memory != 7 {
		t.Errorf("processes %+v", before)
	}
	card.drawing = append(card.drawing[1:], nvml.ProcessInfo{Pid: 4000002}) // this process, seen from outside its container
	others := census.Others(set.Devices[0])
	census.Close()
	if len(others) != 2 || others[0].PID != 4000000 || others[1].PID != 4000001 {
		t.Errorf("others %+v", others)
	}
}

func TestCensusWithoutNVML(t *testing.T) {
	c := System{nvml: absent{}}.Census()
	defer c.Close()
	if others := c.Others(&Device{}); len(others) != 0 {
		t.Errorf("others %+v", others)
	}
}
