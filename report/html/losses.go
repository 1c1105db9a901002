package html

import (
	"fmt"
	"math"
	"strconv"

	"github.com/amgpu/amgpu/report/table"
)

// bars are those of a workload's rows, at one scale. The ideal is at the same place in
// all: left of it is what is kept and lost, right of it what is gained by factors above 1.
type bars struct {
	Rows  []loss
	Ideal float64 // how much is left of it: 1, or more where more than all is lost
	whole float64 // with the largest gain
}

// loss is the bar of one row.
type loss struct {
	Label        string
	Kept         float64 // all less the losses, plus the gains: the efficiency by mean times
	Median       float64 // the efficiency of the table, by medians, where it differs; else 0
	Blank        float64 // before the bar begins
	Left         float64 // of all, once the losses are taken away
	Lost, Gained []table.Cause
}

// leastShown is the smallest share that is.
const leastShown = 0.0005

// lossBars are the bars of the attributed rows of some sections.
func lossBars(sections []table.Section) bars {
	b := bars{Ideal: 1}
	gained := 0.0
	for _, s := range sections {
		for _, r := range s.Rows {
			if r.Summary.Lost == nil {
				continue
			}
			l := loss{Label: fmt.Sprintf("%s, %s", table.Clean(s.Key.Mode), gpus(r.Summary.Count)), Kept: 1}
			lost, gain := 0.0, 0.0
			for _, c := range table.Causes(r.Summary.Lost) {
				l.Kept -= c.Loss
				switch {
				case c.Loss >= leastShown:
					l.Lost = append(l.Lost, c)
					lost += c.Loss
				case c.Loss <= -leastShown:
					l.Gained = append([]table.Cause{{Name: c.Name, Loss: -c.Loss}}, l.Gained...) // the largest first
					gain -= c.Loss
				}
			}
			if e := r.Summary.Efficiency; e != nil && math.Abs(e.Value-l.Kept) >= 0.005 {
				l.Median = e.Value
			}
			l.Left = max(0, 1-lost)
			b.Ideal, gained = max(b.Ideal, lost), max(gained, gain)
			l.Blank = -max(1, lost) // and the ideal, once it is known
			b.Rows = append(b.Rows, l)
		}
	}
	for i := range b.Rows {
		b.Rows[i].Blank += b.Ideal
	}
	b.whole = b.Ideal + gained
	return b
}

// Beyond tells whether anything is gained.
func (b bars) Beyond() bool { return b.whole > b.Ideal }

// Width is a share's width in percent of the widest bar.
func (b bars) Width(share float64) string {
	return strconv.FormatFloat(100*share/b.whole, 'f', 2, 64)
}
