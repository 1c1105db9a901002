package sensor

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func TestDistances(t *testing.T) {
	s := tree(t, "sockets")
	ids := []string{"0000:15:00.0", "0000:16:00.0", "0000:19:00.0", "0000:35:00.0", "0000:45:00.0", "0000:8a:00.0", "0000:bb:00.0", ""}
	var list []Identity
	for _, id := range ids {
		list = append(list, Identity{PCI: id})
	}
	set := s.Open(list)
	defer set.Close()
	for _, c := range []struct {
		a, b int
		want string
	}{{0, 1, OneSwitch}, {0, 2, Switches}, {1, 2, Switches}, {0, 3, HostRoot}, {0, 4, SameNode}, {3, 4, SameNode}, {0, 5, OtherNode}, {4, 5, OtherNode}, {0, 6, ""}, {0, 7, ""}} {
		for _, pair := range [][2]int{{c.a, c.b}, {c.b, c.a}} {
			if got := set.Wire(pair[0], pair[1]); got.Distance != c.want || got.Kind() != c.want {
				t.Errorf("%s to %s: %q, want %q", ids[pair[0]], ids[pair[1]], got.Distance, c.want)
			}
		}
	}
	near, far, unknown := set.Wire(0, 1), set.Wire(0, 5), set.Wire(0, 6)
	if near.SameNUMA == nil || !*near.SameNUMA || near.SameSocket == nil || !*near.SameSocket {
		t.Errorf("near %+v", near)
	}
	if far.SameNUMA == nil || *far.SameNUMA || far.SameSocket == nil || *far.SameSocket {
		t.Errorf("far %+v", far)
	}
	if unknown.SameNUMA != nil || unknown.SameSocket != nil {
		t.Errorf("unknown %+v", unknown)
	}
	if got := near.PCIe; got != (PCIe{4, 16}) {
		t.Errorf("the slower end decides: %+v", got)
	}
	if p := set.Place(5); p.NUMA != 1 || p.Socket != 1 {
		t.Errorf("place %+v", p)
	}
	if p := set.Place(7); p != (Place{NUMA: -1, Socket: -1}) {
		t.Errorf("place of nothing %+v", p)
	}
}

func TestPCIe(t *testing.T) {
	s := tree(t, "amdgpu")
	set := s.Open([]Identity{{PCI: "0000:03:00.0"}, {PCI: "0000:04:00.0"}})
	defer set.Close()
	w := set.Wire(0, 1)
	if w.Distance != OneSwitch || w.PCIe.String() != "gen3 x8" || w.SameNUMA != nil || w.SameSocket == nil || !*w.SameSocket {
		t.Errorf("wire %+v", w)
	}
	if p := set.Place(0); p.MaxPCIe != (PCIe{3, 16}) || p.Socket != 0 || p.NUMA != -1 {
		t.Errorf("place %+v", p)
	}
	for text, want := range map[string]PCIe{"2.5 GT/s PCIe": {1, 4}, "64.0 GT/s PCIe": {6, 4}, "Unknown": {}, "": {}} {
		if got := pcie(text, "4"); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := (PCIe{5, 16}).Bandwidth(); got < 63.0e9 || got > 63.1e9 {
		t.Errorf("gen5 x16 is %g B/s", got)
	}
}

func TestNVLink(t *testing.T) {
	cards := []*fakeCard{
		{uuid: "GPU-0", bus: 1, links: []uint32{0, 0, 0, down}, level: nvml.TOPOLOGY_SYSTEM},
		{uuid: "GPU-1", bus: 2, links: []uint32{0, 0}, level: nvml.TOPOLOGY_SYSTEM},
		{uuid: "GPU-2", bus: 3, links: []uint32{4, down, 4, 5}, level: nvml.TOPOLOGY_HOSTBRIDGE},
		{uuid: "GPU-3", bus: 4, links: []uint32{3, 3}, level: nvml.TOPOLOGY_NODE},
		{uuid: "GPU-4", bus: 5, links: []uint32{0}, p2p: nvml.P2P_STATUS_NOT_SUPPORTED, level: nvml.TOPOLOGY_SINGLE},
	}
	var ids []Identity
	for _, c := range cards {
		ids = append(ids, Identity{UUID: c.uuid[4:]})
	}
	set := openFake(t, &fakeNVML{cards: cards}, ids...)
	for _, c := range []struct {
		a, b int
		kind string
		want *NVLink
	}{
		{0, 1, "NV2", &NVLink{"4.0", 2, true, 2 * 26562e6}},
		{1, 0, "NV2", &NVLink{"4.0", 2, true, 2 * 26562e6}},
		{2, 3, "NV2", &NVLink{"4.0", 2, false, 2 * 26562e6}},
		{3, 0, SameNode, nil},  // one switched, one direct to another GPU
		{4, 0, OneSwitch, nil}, // the switch does not join them
	} {
		w := set.Wire(c.a, c.b)
		if w.Kind() != c.kind || (w.NVLink == nil) != (c.want == nil) || c.want != nil && *w.NVLink != *c.want {
			t.Errorf("%d to %d: %s %+v, want %s %+v", c.a, c.b, w.Kind(), w.NVLink, c.kind, c.want)
		}
	}
}

func TestSlow(t *testing.T) {
	links := []Rated{{"NV18", 380e9}, {"NV18", 378e9}, {"NV18", 290e9}, {"NV18", 0}, {"SYS", 20e9}, {"SYS", 20e9}, {"PIX", 1e9}, {"", 1}, {"", 9}}
	got := Slow(links)
	for i, v := range got {
		if want := i == 2; (v > 0) != want {
			t.Errorf("link %d %+v: slow against %g, want %v", i, links[i], v, want)
		}
	}
	if got[2] != 378e9 {
		t.Errorf("median %g", got[2])
	}
}

// NVLink makes the kind, the distance over PCIe is kept beside it.
func TestVirtualMachine(t *testing.T) {
	s := tree(t, "h200")
	card := func(bus uint32) *fakeCard {
		return &fakeCard{uuid: "GPU-" + string(rune('a'+bus)), links: make([]uint32, 18), level: nvml.TOPOLOGY_HOSTBRIDGE}
	}
	s.nvml = &fakeNVML{cards: []*fakeCard{card(6), card(7)}}
	set := s.Open([]Identity{{UUID: "g", PCI: "0000:00:06.0"}, {UUID: "h", PCI: "0000:00:07.0"}})
	defer set.Close()
	w := set.Wire(0, 1)
	if w.Kind() != "NV18" || w.Distance != HostRoot || w.PCIe != (PCIe{5, 16}) || w.SameNUMA != nil || w.SameSocket == nil || !*w.SameSocket {
		t.Errorf("wire %+v", w)
	}
	if got := s.wire("0000:00:06.0", "0000:00:07.0"); got.Distance != HostRoot || got.Kind() != HostRoot {
		t.Errorf("without NVML %+v", got)
	}
}
