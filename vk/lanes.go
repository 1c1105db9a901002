package vk

import (
	"fmt"
	"slices"

	"github.com/amgpu/amgpu/vk/internal/raw"
)

// lanes are the queues that a schedule drives, and what they run: first the devices', then
// the second ones of those devices that have work beside.
type lanes struct {
	queues        []*raw.Device
	owner         []int    // by lane: its device in the team
	counts, tails []uint32 // by phase and lane
	commands      []uint64

	devices []*Device
	seen    map[*Commands]bool
}

// layOut finds the lanes of a schedule and checks what they run.
func layOut(devices []*Device, phases []Phase) (*lanes, error) {
	l := &lanes{devices: devices, seen: map[*Commands]bool{}}
	for i, d := range devices {
		if d == nil || d.raw == nil || slices.Contains(devices[:i], d) {
			return nil, fmt.Errorf("schedule: device %d of the team is closed or in it twice", i)
		}
		l.queues, l.owner = append(l.queues, d.raw), append(l.owner, i)
	}
	for i, d := range devices {
		if slices.ContainsFunc(phases, func(p Phase) bool { return len(of(p.Beside, i)) > 0 }) {
			l.queues, l.owner = append(l.queues, d.raw.Beside()), append(l.owner, i)
		}
	}
	waits := make([]bool, len(devices)) // for a phase that ends behind a tail
	for p, ph := range phases {
		if most := max(len(ph.Submissions), len(ph.Tails), len(ph.Beside)); most > len(devices) {
			return nil, fmt.Errorf("schedule: phase %d has work for %d devices of a team of %d", p, most, len(devices))
		}
		for lane, i := range l.owner {
			var err error
			if lane >= len(devices) {
				err = l.add(p, i, true, of(ph.Beside, i), nil)
			} else {
				list, tail := of(ph.Submissions, i), of(ph.Tails, i)
				waits[i] = len(tail) > 0 || waits[i] && len(list) == 0
				err = l.add(p, i, false, list, tail)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if i := slices.Index(waits, true); i >= 0 {
		return nil, fmt.Errorf("schedule: no phase ends after the last tail of %s", devices[i].name)
	}
	return l, nil
}

func of(lists [][]*Commands, i int) []*Commands {
	if i < len(lists) {
		return lists[i]
	}
	return nil
}

// add appends what a lane of device i runs in a phase.
func (l *lanes) add(phase, i int, beside bool, list, tail []*Commands) error {
	d := l.devices[i]
	if len(tail) > 0 && len(list) == 0 {
		return fmt.Errorf("schedule: phase %d has a tail on %s and nothing before it", phase, d.name)
	}
	l.counts, l.tails = append(l.counts, uint32(len(list)+len(tail))), append(l.tails, uint32(len(tail)))
	for _, c := range slices.Concat(list, tail) {
		if c == nil || c.device != d || beside != (c.queue != d.raw) {
			return fmt.Errorf("schedule: phase %d holds commands that are closed, not of %s or of its other queue", phase, d.name)
		}
		if l.seen[c] { // phases are queued ahead, and a command buffer may be queued once
			return fmt.Errorf("schedule: phase %d holds commands of %s that are in the schedule already: record them again", phase, d.name)
		}
		l.seen[c] = true
		l.commands = append(l.commands, uint64(c.raw))
	}
	return nil
}
