package sensor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAMDGPU(t *testing.T) {
	s := tree(t, "amdgpu")
	set := s.Open([]Identity{{PCI: "0000:03:00.0"}, {PCI: "0000:04:00.0"}})
	defer set.Close()
	if got := set.Devices[0].Source(); got != "amdgpu" {
		t.Fatalf("source %q", got)
	}
	expect(t, set.Devices[0].Read(Everything), map[Quantity]float64{
		SMClock: 851e6, MemoryClock: 167e6, Power: 14, Temperature: 41, Utilization: 0.04, MemoryUsed: 1490378752,
	})
	expect(t, set.Devices[1].Read(Everything), map[Quantity]float64{SMClock: 1700e6, Power: 300})
	expect(t, set.Devices[1].Read(HeatOnly), nil)
	if a, b := set.Devices[0].Policy(), set.Devices[1].Policy(); a != (Policy{PowerLimit: 220}) || b != (Policy{}) {
		t.Errorf("policies %+v and %+v", a, b)
	}
	r := set.Devices[0].Read(Everything)
	if _, ok := r.Throttle(); ok {
		t.Error("throttle reasons where the driver tells none")
	}
}

func TestXe(t *testing.T) {
	s := tree(t, "xe")
	set := s.Open([]Identity{{PCI: "0000:03:00.0"}})
	defer set.Close()
	r := set.Devices[0].Read(Everything)
	expect(t, r, map[Quantity]float64{SMClock: 2400e6, Energy: 123.456789, Temperature: 52})
	if reasons, ok := r.Throttle(); !ok || reasons != PowerCap {
		t.Errorf("throttle %v known %v", reasons, ok)
	}
	clock := set.Devices[0].Read(1 << SMClock)
	expect(t, clock, map[Quantity]float64{SMClock: 2400e6})
}

// A sensor that goes away, as when the card sleeps, is absent from then on.
func TestVanishedSensorIsAbsent(t *testing.T) {
	s := tree(t, "xe")
	set := s.Open([]Identity{{PCI: "0000:03:00.0"}})
	defer set.Close()
	if err := os.RemoveAll(filepath.Join(s.pciPath("0000:03:00.0"), "hwmon")); err != nil {
		t.Fatal(err)
	}
	expect(t, set.Devices[0].Read(Everything), map[Quantity]float64{SMClock: 2400e6})
}

// A card that sleeps when its sensors are looked for has them all the same: a file that is there
// and cannot be read has no value until it can. Of several files the first that held a number
// counts, and no other afterwards.
func TestSleepingCard(t *testing.T) {
	s := tree(t, "amdgpu")
	monitor := monitors(s.pciPath("0000:03:00.0"))[0]
	average, input := filepath.Join(monitor, "power1_average"), filepath.Join(monitor, "power1_input")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(average, "")
	write(input, "")
	set := s.Open([]Identity{{PCI: "0000:03:00.0"}})
	defer set.Close()
	power := func() (float64, bool) {
		r := set.Devices[0].Read(1 << Power)
		return r.Value(Power)
	}
	if v, ok := power(); ok {
		t.Errorf("asleep: %g W", v)
	}
	write(input, "50000000\n")
	if v, ok := power(); !ok || v != 50 {
		t.Errorf("awake: %g W, %v", v, ok)
	}
	write(average, "40000000\n")
	if v, ok := power(); !ok || v != 50 {
		t.Errorf("another file: %g W, %v", v, ok)
	}
	write(input, "")
	if v, ok := power(); ok {
		t.Errorf("asleep again: %g W", v)
	}
}

func TestNoSensors(t *testing.T) {
	s := tree(t, "xe")
	set := s.Open([]Identity{{}, {PCI: "0000:77:00.0"}, {PCI: "0000:00:01.0"}})
	defer set.Close()
	if set.Any() {
		t.Error("sensors where there are none")
	}
	for _, d := range set.Devices {
		r := d.Read(Everything)
		if !r.Empty() || d.Source() != "" || len(d.Processes()) != 0 || d.Policy() != (Policy{}) || r.At.IsZero() {
			t.Errorf("device %+v reads %+v", d.Identity, r)
		}
	}
	if set.Note == "" {
		t.Error("no reason why NVML is absent")
	}
}

// This machine's own library, which may be absent: opening must not fail, and a
// device unknown to it has no sensors.
func TestInstalledLibrary(t *testing.T) {
	set := System{Root: t.TempDir()}.Open([]Identity{{UUID: "0", PCI: "ffff:ff:1f.0"}})
	defer set.Close()
	if set.Any() {
		t.Errorf("sensors of a device that does not exist: %+v", set.Devices[0])
	}
}
