package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
)

// Four GPUs: two with NVLink, one of which lost a lane pair of its slot, and a fourth
// that cannot be reached.
func machineOfFour() devicesJSON {
	value := func(x float64) *float64 { return &x }
	yes, one := true, 1
	doc := devicesJSON{}
	for i := range 4 {
		d := deviceJSON{Status: "usable"}
		d.Index, d.Name, d.PCI, d.NUMA = i, "GPU X", "0000:0"+string(rune('1'+i))+":00.0", 0
		d.Socket, d.PCIe, d.MaxPCIe = &one, &result.PCIeLink{Generation: 5, Width: 16}, &result.PCIeLink{Generation: 5, Width: 16}
		doc.Devices = append(doc.Devices, d)
	}
	doc.Devices[2].PCIe = &result.PCIeLink{Generation: 5, Width: 8}
	for from := range 4 {
		for to := range 4 {
			if from == to {
				continue
			}
			l := result.Link{From: from, To: to, Kind: "PHB", SameNUMA: &yes, Transport: "host", Verified: true, Bandwidth: value(25e9), Latency: value(20e-6)}
			switch {
			case from+to == 1:
				l.Kind, l.Transport, l.Bandwidth, l.BothWays = "NV18", "cuda", value(380e9), value(700e9)
				l.NVLink = &result.NVLink{Version: "4.0", Links: 18, Switched: true, Bandwidth: 478e9}
			case to == 3 || from == 3:
				l = result.Link{From: from, To: to, Kind: "SYS", Reason: "wrong data"}
			case from == 2:
				l.Bandwidth, l.Slow, l.Typical = value(12e9), true, value(25e9)
			}
			doc.Links = append(doc.Links, l)
		}
	}
	return doc
}

func TestTopologyText(t *testing.T) {
	var out bytes.Buffer
	doc := machineOfFour()
	if err := doc.printTopology(&out, false, streams{}); err != nil {
		t.Fatal(err)
	}
	const want = `      GPU0  GPU1  GPU2  GPU3  NUMA  SOCKET  PCIE               PCI           NAME
GPU0  X     NV18  PHB   SYS   0     1       gen5 x16           0000:01:00.0  GPU X
GPU1  NV18  X     PHB   SYS   0     1       gen5 x16           0000:02:00.0  GPU X
GPU2  PHB   PHB   X     SYS   0     1       gen5 x8 (max x16)  0000:03:00.0  GPU X
GPU3  SYS   SYS   SYS   X     0     1       gen5 x16           0000:04:00.0  GPU X

  NV#   # NVLinks
  PHB   a PCIe host bridge, that is the CPU
  SYS   the interconnect between NUMA nodes

bandwidth one way, GB/s, and transport
from \ to  GPU0         GPU1         GPU2        GPU3
GPU0       -            380.00 cuda  25.00 host  none
GPU1       380.00 cuda  -            25.00 host  none
GPU2       12.00 host!  12.00 host!  -           none
GPU3       none         none         none        -

bandwidth both ways at once, GB/s in sum
from \ to  GPU0    GPU1    GPU2  GPU3
GPU0       -       700.00  -     -
GPU1       700.00  -       -     -
GPU2       -       -       -     -
GPU3       -       -       -     -

latency of 4 bytes, us
from \ to  GPU0  GPU1  GPU2  GPU3
GPU0       -     20.0  20.0  -
GPU1       20.0  -     20.0  -
GPU2       20.0  20.0  -     -
GPU3       -     -     -     -

NV18: 18 NVLinks 4.0 through NVSwitch, nominal 478 GB/s one way
no link 0 -> 3: wrong data
no link 1 -> 3: wrong data
slow link 2 -> 0: 12.00 GB/s, 48 % of the 25.00 GB/s that PHB links have here
slow link 2 -> 1: 12.00 GB/s, 48 % of the 25.00 GB/s that PHB links have here
no link 2 -> 3: wrong data
no link 3 -> 0: wrong data
no link 3 -> 1: wrong data
no link 3 -> 2: wrong data
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The listing names slow links too.
func TestSlowLinkInTheListing(t *testing.T) {
	var out bytes.Buffer
	doc := machineOfFour()
	if err := doc.print(&out, false, streams{}); err != nil {
		t.Fatal(err)
	}
	if want := "link 2 -> 0  host  verified, 12.00 GB/s, 20.0 us, PHB, slow: 12.00 GB/s, 48 % of"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// Without a device there is no table, not even its heading.
func TestTopologyOfNothing(t *testing.T) {
	var out bytes.Buffer
	doc := devicesJSON{Problems: machineOfFour().Problems}
	if err := doc.printTopology(&out, false, streams{}); err != nil || out.String() != "no usable device, so there are no links\n" {
		t.Errorf("%v, %q", err, &out)
	}
}

// A transport that was passed over is named with the links it was meant for.
func TestPassedOver(t *testing.T) {
	var doc devicesJSON
	for from := range 3 {
		for to := range 3 {
			if from == to {
				continue
			}
			l := result.Link{From: from, To: to, Transport: "staging", Verified: true, Excluded: []string{"transport cuda: no"}}
			if from == 0 || to == 0 {
				l.Excluded = append(l.Excluded, "transport host: wrong data")
			}
			doc.Links = append(doc.Links, l)
		}
	}
	var b strings.Builder
	doc.remarks(&b)
	want := "\npassed over on all links: transport cuda: no\npassed over on 0 -> 1, 0 -> 2, 1 -> 0, 2 -> 0: transport host: wrong data\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
