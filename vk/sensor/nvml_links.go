package sensor

import (
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// commonAncestor is the distance over PCIe by NVML, or empty.
func commonAncestor(a, b *card) string {
	if !a.lib.Has("nvmlDeviceGetTopologyCommonAncestor") {
		return ""
	}
	level, code := a.GetTopologyCommonAncestor(b.Device)
	if code != nvml.SUCCESS {
		return ""
	}
	return map[nvml.GpuTopologyLevel]string{
		nvml.TOPOLOGY_INTERNAL: SameBoard, nvml.TOPOLOGY_SINGLE: OneSwitch, nvml.TOPOLOGY_MULTIPLE: Switches,
		nvml.TOPOLOGY_HOSTBRIDGE: HostRoot, nvml.TOPOLOGY_NODE: SameNode, nvml.TOPOLOGY_SYSTEM: OtherNode,
	}[level]
}

// port is one active NVLink of a card.
type port struct {
	link     int
	switched bool
	remote   string // PCI address of the GPU at the other end; empty behind a switch
}

// ports lists a card's active NVLinks.
func (c *card) ports() []port {
	var out []port
	if !c.lib.Has("nvmlDeviceGetNvLinkState") {
		return nil
	}
	for link := range nvml.NVLINK_MAX_LINKS {
		state, code := c.GetNvLinkState(link)
		if code != nvml.SUCCESS { // no such link, or no NVLink at all
			break
		}
		if state != nvml.FEATURE_ENABLED {
			continue
		}
		p := port{link: link}
		if c.lib.Has("nvmlDeviceGetNvLinkRemoteDeviceType") {
			kind, code := c.GetNvLinkRemoteDeviceType(link)
			p.switched = code == nvml.SUCCESS && kind == nvml.NVLINK_DEVICE_TYPE_SWITCH
		}
		if !p.switched && c.lib.Has("nvmlDeviceGetNvLinkRemotePciInfo_v2") {
			if r, code := c.GetNvLinkRemotePciInfo(link); code == nvml.SUCCESS {
				p.remote = fmt.Sprintf("%04x:%02x:%02x.0", r.Domain, r.Bus, r.Device)
			}
		}
		out = append(out, p)
	}
	return out
}

// nvlink describes the NVLinks between two cards: those that end at each other, else
// the switched ones of the card that has fewer; nil without any. The links behind a
// switch count only where the driver says that they carry peer access: not every
// partition of a switch is joined.
func nvlink(a, b *card) *NVLink {
	direct, switched := 0, 0
	var first *port
	mine := a.ports()
	for i, p := range mine {
		switch {
		case p.switched:
			switched++
		case samePCI(p.remote, b.pci):
			direct++
		default:
			continue
		}
		if first == nil {
			first = &mine[i]
		}
	}
	if direct > 0 {
		return a.describe(first.link, direct, false)
	}
	theirs := 0
	for _, p := range b.ports() {
		if p.switched {
			theirs++
		}
	}
	n := min(switched, theirs)
	if n == 0 || !joined(a, b) {
		return nil
	}
	return a.describe(first.link, n, true)
}

// joined asks whether two cards reach each other over NVLink; yes where the library
// is too old to ask.
func joined(a, b *card) bool {
	if !a.lib.Has("nvmlDeviceGetP2PStatus") {
		return true
	}
	status, code := a.GetP2PStatus(b.Device, nvml.P2P_CAPS_INDEX_NVLINK)
	return code != nvml.SUCCESS || status == nvml.P2P_STATUS_OK
}

// nvlinkVersions are the names of NVML's numbers (nvmlNvlinkVersion_t).
var nvlinkVersions = map[uint32]string{1: "1.0", 2: "2.0", 3: "2.2", 4: "3.0", 5: "3.1", 6: "4.0", 7: "5.0", 8: "6.0"}

func (c *card) describe(link, links int, switched bool) *NVLink {
	n := &NVLink{Links: links, Switched: switched}
	if c.lib.Has("nvmlDeviceGetNvLinkVersion") {
		if v, code := c.GetNvLinkVersion(link); code == nvml.SUCCESS {
			n.Version = nvlinkVersions[v]
		}
	}
	// MB/s of one link; newer cards answer the first question, older ones the second.
	speed := []nvml.FieldValue{{FieldId: nvml.FI_DEV_NVLINK_GET_SPEED, ScopeId: uint32(link)}, {FieldId: nvml.FI_DEV_NVLINK_SPEED_MBPS_COMMON}}
	if !c.lib.Has("nvmlDeviceGetFieldValues") || c.GetFieldValues(speed) != nvml.SUCCESS {
		return n
	}
	for _, f := range speed {
		if v, ok := fieldNumber(f); ok && v > 0 {
			n.Bandwidth = v * 1e6 * float64(links)
			break
		}
	}
	return n
}
