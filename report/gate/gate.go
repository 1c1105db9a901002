package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

// Defaults of measurement.md 4.1.
const (
	DefaultThreshold = 0.05
	DefaultPoints    = 0.03
)

// Options are what the gate was asked for; zero values are the defaults.
type Options struct {
	Threshold    float64 // relative change of times that matters; overrides the rules'
	Across       string  // one of Fields: compare across it on purpose
	Strict       bool    // inconclusive fails
	AllowMissing bool    // rows that only one side has do not fail
	Rules        *Rules
	// Confirmed says that a confirmation is part of the plan, so that the level of
	// one look is alpha/3; Confirm holds its launches, once there are any.
	Confirmed bool
	Confirm   *Alternated
}

// Run compares fresh with the occasions of the baseline (none: limits only) and
// checks the limits of the rules. Errors are of kind ErrRequest.
func Run(base []*result.Result, fresh *result.Result, o Options) (*Report, error) {
	g := &gate{o: o, fresh: rowsOf(fresh), level: alpha, looks: 1, out: &Report{Rows: []Row{}, Warnings: []result.Warning{}, Properties: properties(fresh)}}
	if g.o.Rules == nil {
		g.o.Rules = &Rules{}
	}
	plain := g.fresh
	if o.Confirmed {
		g.looks, g.level = ConfirmLooks, alpha/ConfirmLooks
	}
	g.out.Looks = g.looks
	if o.Confirm != nil {
		if len(base) != 1 {
			return nil, fmt.Errorf("%w: a confirmation needs one baseline, there are %d", ErrRequest, len(base))
		}
		g.turns, g.files = turns(o.Confirm), [2]*occasion{rowsOf(base[0]), plain}
		base = []*result.Result{merge(base[0], o.Confirm.Base)}
		g.fresh = rowsOf(merge(fresh, o.Confirm.New))
	}
	g.addOccasions(base)
	if err := g.settle(fresh); err != nil {
		return nil, err
	}
	if o.Strict && g.itself() {
		return nil, fmt.Errorf("%w: the new result is its own baseline, which shows nothing; name an earlier result", ErrRequest)
	}
	if len(base) > 0 {
		g.compare()
		g.judge()
	} else {
		g.failures()
	}
	g.fresh = plain // limits are on the new result as it was measured
	g.limits()
	g.unverified()
	g.out.finish(o.Strict)
	return g.out, nil
}

// gate is one run.
type gate struct {
	o     Options
	bases []*occasion
	fresh *occasion
	out   *Report
	level float64 // alpha of one look
	looks int     // planned
	// Of a confirmation: both sides as they were, and measured in turns.
	files, turns [2]*occasion
}

// occasion is the rows of one result.
type occasion struct {
	res   *result.Result
	rows  []stat.Row
	index map[identity]int
}

// identity is what makes rows of two results the same row.
type identity struct {
	result.Key
	count, device int
}

func identityOf(r *stat.Row) identity { return identity{r.Key, r.Count, r.Device} }

func rowsOf(res *result.Result) *occasion {
	oc := &occasion{res: res, rows: stat.Rows(res), index: map[identity]int{}}
	for i := range oc.rows {
		oc.index[identityOf(&oc.rows[i])] = i
	}
	return oc
}

// find is the row, unless it was not there to be measured.
func (oc *occasion) find(id identity) (s *side, absent string) {
	i, ok := oc.index[id]
	if !ok {
		return nil, "no such row"
	}
	r := &oc.rows[i]
	switch r.Status {
	case result.Unsupported, result.Skipped:
		return nil, strings.TrimSuffix(r.Status+": "+r.Reason, ": ")
	}
	return &side{oc.res, r}, ""
}

// addOccasions takes each occasion once: a copied file is no second observation.
func (g *gate) addOccasions(base []*result.Result) {
	for i, res := range base {
		if slices.ContainsFunc(base[:i], func(b *result.Result) bool { return sameOccasion(b, res) }) {
			g.out.warn("duplicate_occasion", fmt.Sprintf("the measurement of %s is in the baseline twice; it counts once", res.Created.Format("2006-01-02 15:04:05")))
			continue
		}
		if sameOccasion(res, g.fresh.res) {
			if g.o.Confirm == nil && len(base) > 1 {
				g.out.warn("same_measurement", "the new result is also in the baseline: left out there")
				continue
			}
			g.out.warn("same_measurement", "the new result is also in the baseline: it is compared with itself")
		}
		g.bases = append(g.bases, rowsOf(res))
		g.out.Seeds = append(g.out.Seeds, res.Plan.Seed)
	}
	g.out.Seeds = append(g.out.Seeds, g.fresh.res.Plan.Seed)
	g.out.Occasions = len(g.bases)
}

// itself tells whether all there is to compare with is the new result. Launches measured
// in turns are new whatever the files hold.
func (g *gate) itself() bool {
	return len(g.bases) > 0 && g.o.Confirm == nil &&
		!slices.ContainsFunc(g.bases, func(oc *occasion) bool { return !sameOccasion(oc.res, g.fresh.res) })
}

func sameOccasion(a, b *result.Result) bool {
	if !a.Created.Equal(b.Created) || len(a.Trials) != len(b.Trials) {
		return false
	}
	for i := range a.Trials {
		if a.Trials[i].Key != b.Trials[i].Key || !slices.Equal(a.Trials[i].Samples, b.Trials[i].Samples) {
			return false
		}
	}
	return true
}

// settle finds the noise floor and refuses thresholds below twice of it.
func (g *gate) settle(fresh *result.Result) error {
	g.out.Phi = leastPhi
	for _, res := range append([]*result.Result{fresh}, results(g.bases)...) {
		if n := res.Noise; n != nil && !math.IsNaN(n.Phi) && !math.IsInf(n.Phi, 0) {
			g.out.Phi = max(g.out.Phi, n.Phi)
		}
	}
	g.out.Threshold = cmp.Or(g.o.Threshold, g.o.Rules.Threshold, DefaultThreshold)
	if len(g.bases) == 0 {
		return nil // only limits
	}
	wrong := slices.ContainsFunc(g.fresh.rows, func(r stat.Row) bool { return r.Status == result.WrongResult || r.Status == result.DeviceLost })
	check := func(what string, v float64) error {
		if v >= 2*g.out.Phi-1e-12 {
			return nil
		}
		if wrong { // worth more than a refusal: no threshold is needed to see it
			g.out.warn("noisy_machine", fmt.Sprintf("the %s %s is less than twice the noise floor %s of this machine: times are compared at %s", what, percent(v), percent(g.out.Phi), percent(2*g.out.Phi)))
			g.out.Threshold = max(g.out.Threshold, 2*g.out.Phi)
			return nil
		}
		advice := "measure on a quieter machine"
		if 2*g.out.Phi < 1 { // thresholds end there
			advice = fmt.Sprintf("use %s or more, or %s", percent(2*g.out.Phi), advice)
		}
		return fmt.Errorf("%w: the %s %s is less than twice the noise floor phi = %s of this machine; %s", ErrRequest, what, percent(v), percent(g.out.Phi), advice)
	}
	if err := check("threshold", g.out.Threshold); err != nil {
		return err
	}
	if g.compares(Efficiency) {
		if err := check("threshold for efficiency (points)", g.points()); err != nil {
			return err
		}
	}
	for _, r := range g.o.Rules.Rows {
		if r.Threshold > 0 {
			if err := check("threshold of the rule for "+r.Workload, r.Threshold); err != nil {
				return err
			}
		}
	}
	return nil
}

func results(all []*occasion) []*result.Result {
	var out []*result.Result
	for _, oc := range all {
		out = append(out, oc.res)
	}
	return out
}

func (g *gate) points() float64 { return cmp.Or(g.o.Rules.Points, DefaultPoints) }

// compares tells whether a metric is compared; times are unless the rules say
// otherwise. Efficiency is on demand: a faster single device lowers it.
func (g *gate) compares(metric string) bool {
	if len(g.o.Rules.Metrics) == 0 {
		return metric == Time
	}
	return slices.Contains(g.o.Rules.Metrics, metric)
}

// threshold is the relative change that matters for a row: the last rule that
// names one, then the command line's or the rules' own.
func (g *gate) threshold(id identity) float64 {
	out := g.out.Threshold
	for _, r := range g.o.Rules.Rows {
		if r.Threshold > 0 && r.matches(id) {
			out = r.Threshold
		}
	}
	return out
}

// percent prints a fraction as a percentage.
func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }
