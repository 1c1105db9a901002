package gate

import (
	"fmt"
	"strings"

	"github.com/amgpu/amgpu/report/result"
)

// Unverified is the code of the warning for rows with launches whose outputs were
// never checked, and of the reason why such a row is inconclusive under Strict.
const Unverified = "unverified"

// unverified warns of rows that rest on launches without a check: their times may be
// those of something else. Under Strict they pass no gate: what would be same,
// improved or met is inconclusive; what fails, fails as before.
func (g *gate) unverified() {
	for i := range g.out.Rows {
		row := &g.out.Rows[i]
		switch row.Verdict {
		case Same, Improved, Regressed, Inconclusive, Met, Unmet:
		default:
			continue
		}
		var said []string
		if s, absent := g.fresh.find(row.id); absent == "" {
			said = append(said, s.unchecked("the new result")...)
		}
		if row.compared {
			for _, oc := range g.bases {
				if s, absent := oc.find(row.id); absent == "" {
					said = append(said, s.unchecked("the baseline")...)
				}
			}
		}
		if len(said) == 0 {
			continue
		}
		text := strings.Join(said, ", ") + " were not verified: nothing shows that they computed the right thing"
		row.warn(Unverified, text)
		if g.o.Strict && (row.Verdict == Same || row.Verdict == Improved || row.Verdict == Met) {
			row.Reason = fmt.Sprintf("%s; without a check it would be %s", text, row.Verdict)
			row.Verdict, row.Code = Inconclusive, Unverified
		}
	}
}

// unchecked counts the launches of a side that have times and no check.
func (s *side) unchecked(whose string) []string {
	n, all := 0, 0
	for _, t := range s.row.Trials {
		if (t.Status != result.OK && t.Status != result.Throttled) || len(t.Samples) == 0 {
			continue
		}
		if all++; !t.Verified {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d launches of %s", n, all, whose)}
}
