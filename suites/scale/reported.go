package scale

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// XidCode marks trials of devices whose driver reported a critical error.
const XidCode = "xid"

// Reported is a critical error that a driver found by itself and reported by number,
// whether or not a call failed.
type Reported struct {
	Device int // Device.Index of the pool
	Xid    uint64
}

// ask returns what was reported of a team since it was asked last.
func (s *Sweep) ask(team []int) []Reported {
	if s.Reported == nil {
		return nil
	}
	return s.Reported(team)
}

// mark notes in a trial what was reported of its devices: early before its launch, for
// which it is no less valid, late while it ran, which voids its samples: into which of
// them an error fell is not known.
func (s *Sweep) mark(t *result.Trial, early, late []Reported) {
	for _, text := range s.told(early) {
		t.Warnings = append(t.Warnings, result.Warning{Code: XidCode, Text: text + ", reported before the launch began"})
	}
	for _, text := range s.told(late) {
		t.Warnings = append(t.Warnings, result.Warning{Code: XidCode, Text: text + ", reported during the launch: NVIDIA's list of Xid errors says what it is"})
		t.Void(result.InvalidDevice, text)
	}
}

// told counts reports and puts them into words, one text a device.
func (s *Sweep) told(list []Reported) (out []string) {
	numbers := map[int][]uint64{}
	var order []int
	for _, r := range list {
		if numbers[r.Device] == nil {
			order = append(order, r.Device)
		}
		numbers[r.Device] = append(numbers[r.Device], r.Xid)
	}
	for _, device := range order {
		text := XidText(numbers[device]) + fmt.Sprintf(" on device %d", device)
		s.health.reported(device, len(numbers[device]), text)
		out = append(out, text)
	}
	return out
}

// mostNumbers is how many different numbers a text lists.
const mostNumbers = 8

// XidText names errors by number, each once with how often it came: "Xid 48, 63 (3 times)".
func XidText(numbers []uint64) string {
	times := map[uint64]int{}
	var order []uint64
	for _, n := range numbers {
		if times[n]++; times[n] == 1 {
			order = append(order, n)
		}
	}
	more := ""
	if n := len(order) - mostNumbers; n > 0 {
		order, more = order[:mostNumbers], fmt.Sprintf(" and %d more", n)
	}
	var words []string
	for _, n := range order {
		text := fmt.Sprint(n)
		if times[n] > 1 {
			text += fmt.Sprintf(" (%d times)", times[n])
		}
		words = append(words, text)
	}
	return "Xid " + strings.Join(words, ", ") + more
}

// reportsOf are the warnings of a trial that is begun again which say what was reported
// of its devices.
func reportsOf(t *result.Trial) []result.Warning {
	return slices.DeleteFunc(slices.Clone(t.Warnings), func(w result.Warning) bool { return w.Code != XidCode })
}
