package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/result"
)

// roofVersion changes when what is remembered does.
const roofVersion = 1

// roofBook remembers the roofs that were measured on devices, from one command to the
// next: by device with its driver, and by what measured them.
type roofBook struct {
	path  string // empty: nowhere
	notes struct {
		Version int                               `json:"version"`
		Devices map[string]map[string]result.Roof `json:"devices"`
	}
}

// openRoofs reads the book of the cache folder; one that is missing, damaged or of
// another version counts as empty.
func openRoofs(dir string) *roofBook {
	b := &roofBook{}
	if dir != "" {
		b.path = filepath.Join(dir, "roofs.json")
		if data, err := os.ReadFile(b.path); err == nil {
			_ = json.Unmarshal(data, &b.notes) // damaged: measured anew when asked
		}
	}
	if b.notes.Version != roofVersion || b.notes.Devices == nil {
		b.notes.Version, b.notes.Devices = roofVersion, map[string]map[string]result.Roof{}
	}
	return b
}

// cardID names a card with its driver: another driver has other roofs.
func cardID(d result.Device) string {
	return strings.Join([]string{d.PCI, d.UUID, d.Name, d.Driver, d.API}, "|")
}

// of are the remembered roofs of a device, for each name the highest.
func (b *roofBook) of(d result.Device) []result.Roof {
	best := map[string]result.Roof{}
	for _, r := range b.notes.Devices[cardID(d)] {
		if r.Value > best[r.Name].Value && r.Elsewhere != nil {
			best[r.Name] = r
		}
	}
	var out []result.Roof
	for _, r := range best {
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y result.Roof) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// learn notes a measured roof. A later measurement by the same workload takes its place.
func (b *roofBook) learn(d result.Device, r result.Roof, when time.Time) {
	when = when.UTC().Truncate(time.Second)
	r.Measured, r.Elsewhere = true, &when
	id := cardID(d)
	if b.notes.Devices[id] == nil {
		b.notes.Devices[id] = map[string]result.Roof{}
	}
	b.notes.Devices[id][r.Name+" by "+r.Source] = r
}

// save writes the book. Not to remember is no failure of what was measured.
func (b *roofBook) save() {
	if b.path == "" {
		return
	}
	if data, err := json.MarshalIndent(b.notes, "", " "); err == nil {
		_ = report.WriteFile(b.path, append(data, '\n'))
	}
}

// remember gives the devices of a result the roofs known from elsewhere.
func (b *roofBook) remember(res *result.Result, rule string) {
	if rule == roofNone {
		return
	}
	for i := range res.Devices {
		res.Devices[i].Roofs = b.of(res.Devices[i])
	}
}

// note keeps what the rows of a result measured.
func (b *roofBook) note(res *result.Result, rule string) {
	if rule == roofNone {
		return
	}
	learnt := false
	for _, d := range res.Devices {
		for _, r := range d.Roofs {
			if r.Measured && r.Elsewhere == nil {
				b.learn(d, r, res.Created)
				learnt = true
			}
		}
	}
	if learnt {
		b.save()
	}
}

// roofless says what to do where rows could be held against measured roofs, but none is known
// for any; empty: nothing.
func roofless(res *result.Result) string {
	if res.Plan.Roof == roofNone || slices.ContainsFunc(res.Summary, func(r result.Summary) bool { return r.Roof != nil }) {
		return ""
	}
	if !slices.ContainsFunc(res.Trials, func(t result.Trial) bool {
		return t.Status == result.OK && t.Residency == "resident" && t.Arithmetic != result.NoArithmetic && (t.Flops > 0 || t.Bytes > 0)
	}) {
		return ""
	}
	return "no roof to hold these rows against was measured on their devices: --roof measured does it before the sweep, `amgpu run 'peak/*' 'memory/*' --preset quick` once for later commands"
}
