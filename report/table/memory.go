package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// leastSaved is the share of memory from which on a saving is worth a sentence.
const leastSaved = 0.05

// memories is the sentence under a series on what memory its rows took; none where no
// budget is known and nothing is saved against replication.
func memories(rows []result.Summary) []string {
	worth := func(r result.Summary) bool {
		m := r.Memory
		return m != nil && (m.Used != nil || m.Saved != nil && *m.Saved >= leastSaved)
	}
	if !slices.ContainsFunc(rows, worth) {
		return nil
	}
	var parts []string
	for _, r := range rows {
		if r.Memory != nil {
			parts = append(parts, fmt.Sprintf("%s %s", rowName(r), Memory(r.Memory)))
		}
	}
	return []string{"memory per GPU: " + strings.Join(parts, "; ")}
}

// Memory is the most memory that a row took of a device, in words: 4.1 GiB, 5.2 % of its
// budget, 49 % less than with every array on every GPU.
func Memory(m *result.Memory) string {
	text := Bytes(m.Peak)
	if u := m.Used; u != nil {
		text += fmt.Sprintf(", %.1f", 100*u.Least)
		if fmt.Sprintf("%.1f", 100*u.Least) != fmt.Sprintf("%.1f", 100*u.Most) {
			text += fmt.Sprintf(" to %.1f", 100*u.Most)
		}
		text += " % of its budget"
	}
	if m.Saved != nil && *m.Saved >= leastSaved {
		text += fmt.Sprintf(", %.0f %% less than with every array on every GPU", 100**m.Saved)
	}
	return text
}

// rowName tells the rows of a series apart: by count, or where each is of one device
// alone by that.
func rowName(r result.Summary) string {
	if r.Mode == "solo" && len(r.Teams) == 1 && len(r.Teams[0]) == 1 {
		return fmt.Sprintf("GPU %d alone", r.Teams[0][0])
	}
	return fmt.Sprintf("N=%d", r.Count)
}
