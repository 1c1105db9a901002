package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// assign settles which of its devices each rank owns. Ranks of one machine that see the same
// GPUs share them out among themselves in the order of their numbers; GPUs that some of
// them see and others do not belong to those who do. A GPU that two ranks would own is an
// error. Software devices are their process's own.
func assign(all []Description) ([][]int, error) {
	own := make([][]int, len(all))
	for rank, d := range all {
		if d.Problem != "" {
			return nil, &NoDeviceError{rank, d.Node, d.Problem, d.Code, d.Hint}
		}
		same, place := alike(all, rank)
		var gpus []int
		for i, dev := range d.Devices {
			if dev.Software {
				own[rank] = append(own[rank], i)
			} else {
				gpus = append(gpus, i)
			}
		}
		if len(gpus) == 0 {
			continue
		}
		if len(gpus) < len(same) {
			return nil, fmt.Errorf("%s GPU of %s for ranks %s: start fewer ranks there, one for each GPU or one for all", count(len(gpus)), d.Node, numbers(same))
		}
		lo, hi := place*len(gpus)/len(same), (place+1)*len(gpus)/len(same)
		own[rank] = append(own[rank], gpus[lo:hi]...)
	}
	return own, claimedOnce(all, own)
}

func count(n int) string {
	if n == 1 {
		return "one"
	}
	return fmt.Sprint(n)
}

// machine is what tells the machine of a rank from others: its boot, which containers with names
// of their own have in common, else the node's name.
func (d *Description) machine() string {
	if boot, _, ok := strings.Cut(d.Space, " "); ok {
		return boot
	}
	return d.Node
}

// alike lists the ranks of one machine that see the same GPUs as rank does, and its place
// among them.
func alike(all []Description, rank int) (same []int, place int) {
	for other, d := range all {
		if d.machine() == all[rank].machine() && slices.Equal(cards(d), cards(all[rank])) {
			if other == rank {
				place = len(same)
			}
			same = append(same, other)
		}
	}
	return same, place
}

func cards(d Description) []string {
	var out []string
	for _, dev := range d.Devices {
		if !dev.Software {
			out = append(out, card(dev))
		}
	}
	return out
}

// card is what tells one GPU of a node from another.
func card(d result.Device) string { return d.PCI + " " + d.UUID }

// claimedOnce refuses a GPU that two ranks own.
func claimedOnce(all []Description, own [][]int) error {
	owner := map[string]int{}
	for rank, list := range own {
		for _, i := range list {
			d := all[rank].Devices[i]
			if d.Software {
				continue
			}
			key := all[rank].machine() + " " + card(d)
			if first, taken := owner[key]; taken {
				return fmt.Errorf("%s (pci %s, uuid %s) of %s belongs to rank %d and to rank %d: let their visible devices be equal, so that they are shared out, or have none in common", d.Name, d.PCI, d.UUID, all[rank].Node, first, rank)
			}
			owner[key] = rank
		}
	}
	return nil
}

func numbers(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", ")
}
