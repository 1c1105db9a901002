package result

// Value is an estimate with its 95 % interval; Low and High are null when no
// interval can be given.
type Value struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Unit  string   `json:"unit,omitempty"`
	// Method is StudentT where the interval assumes a distribution, as launches are too
	// few for one that does not; empty otherwise.
	Method string `json:"method,omitempty"`
}

// StudentT is the method of an interval that no verdict may rest on.
const StudentT = "student-t"

// Firm is the interval that a verdict may rest on: none where it assumes a distribution.
func (v *Value) Firm() (low, high *float64) {
	if v == nil || v.Method != "" {
		return nil, nil
	}
	return v.Low, v.High
}

// Median is a median time in seconds with its interval.
type Median struct {
	Median float64  `json:"median"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
}

// Summary is one row: a cell over all its launches. It is stored for people and
// scripts; report and gate recompute it from the trials.
type Summary struct {
	Key
	Count      int     `json:"count"`
	Status     string  `json:"status"`
	Reason     string  `json:"reason,omitempty"`
	Verified   bool    `json:"verified"`
	Launches   int     `json:"launches"`
	Samples    int     `json:"samples"` // valid ones
	Total      int64   `json:"total"`
	Seconds    *Median `json:"seconds"`
	Rate       *Value  `json:"rate"`
	Speedup    *Value  `json:"speedup"`
	Efficiency *Value  `json:"efficiency"`
	Basis      string  `json:"basis,omitempty"` // launches, or "within launch" (quick): no verdict may rest on it
	Lost       *Lost   `json:"lost"`
	// Factors are what Lost is made from; null without usable device times.
	Factors *Factors `json:"factors,omitempty"`
	// Teams are the device sets (indexes into Result.Devices) the row was measured
	// on, in the order first used. A solo row has one team of one device.
	Teams [][]int `json:"teams,omitempty"`
	// Base is the count that speedup and efficiency are relative to; 0: none.
	Base int `json:"base,omitempty"`
	// Bound is the best efficiency that the division can reach: of an equal split on
	// unequal devices (measurement.md S9), or of the stages of a pipeline by their
	// operations, where Staged; null when nothing of the kind limits it.
	Bound *float64 `json:"bound"`
	// Staged says that the devices are stages of a pipeline.
	Staged bool    `json:"staged,omitempty"`
	Spread *Spread `json:"spread,omitempty"`
	// Balance is how evenly the devices were busy; null for one device.
	Balance *Balance `json:"balance,omitempty"`
	// Path is what the row's end waited for; null without spans.
	Path *Path `json:"path,omitempty"`
	// Memory is what the row took of its devices' memory; null: not known.
	Memory *Memory `json:"memory,omitempty"`
	// Invalid counts the samples left out, by reason; Clock is the median over
	// launches of the devices' mean shader clock in Hz, null if not known.
	Invalid []InvalidCount `json:"invalid,omitempty"`
	Clock   *float64       `json:"clock,omitempty"`
	// Roof is what share of the measured roof of its devices the row reached; null where
	// the roof is not known.
	Roof *RoofShare `json:"roof,omitempty"`
	// Energy is joules per unit of work, EnergyEfficiency those at the base over those
	// here; null without energy counters.
	Energy           *Value    `json:"energy,omitempty"`
	EnergyEfficiency *Value    `json:"energy_efficiency,omitempty"`
	Warnings         []Warning `json:"warnings,omitempty"`
}

// Spread describes all samples of a row, in seconds except IQR.
type Spread struct {
	IQR float64  `json:"iqr"` // interquartile range over the median
	Min float64  `json:"min"`
	P95 *float64 `json:"p95"` // from 40 samples on
	P99 *float64 `json:"p99"` // from 200 samples on
}

// Lost splits 1 - efficiency into causes; a null cause could not be attributed.
// The causes that are not null add up to 1 - efficiency of the mean times.
// With Clock (or Work) null, Rate contains it: then it is the computation scaling.
type Lost struct {
	Imbalance     *float64 `json:"imbalance"`
	Serialization *float64 `json:"serialization"`
	Transfer      *float64 `json:"transfer"`
	Orchestration *float64 `json:"orchestration"`
	Clock         *float64 `json:"clock"`
	Work          *float64 `json:"work"`
	Rate          *float64 `json:"rate"`
}

// Factors split the efficiency of one row (measurement.md 3.3), with bootstrap
// intervals over launches. Parallel is LoadBalance x Serialization x Transfer x
// Orchestration; Global is Parallel x Computation, and Global over that of the
// base row is the efficiency of the mean times. A null factor is not known; what
// it stands for is then part of the next known one (Serialization of Transfer,
// Work and Clock of Rate).
type Factors struct {
	LoadBalance   *Value `json:"load_balance"`
	Serialization *Value `json:"serialization"`
	Transfer      *Value `json:"transfer"`
	Orchestration *Value `json:"orchestration"`
	Parallel      *Value `json:"parallel"`
	Work          *Value `json:"work"`
	Clock         *Value `json:"clock"`
	Rate          *Value `json:"rate"`
	Computation   *Value `json:"computation"`
	Global        *Value `json:"global"`
	// HiddenTransfer is the share of the wall time in which a device copied while
	// it computed; null: not known.
	HiddenTransfer *float64 `json:"hidden_transfer"`
}

// Law holds the scaling laws of one series.
type Law struct {
	Key
	KarpFlatt []Point `json:"karp_flatt"`
	Amdahl    *Fit    `json:"amdahl"`
	Gustafson *Fit    `json:"gustafson"`
	USL       *USL    `json:"usl"`
	Counts    []int   `json:"counts,omitempty"` // counts with a usable rate
	// Descriptive: the devices are unequal, so the laws describe and do not explain.
	Descriptive bool `json:"descriptive,omitempty"`
	// Predictions are what was asked for beyond the counts measured.
	Predictions []Prediction `json:"predictions,omitempty"`
	Warnings    []Warning    `json:"warnings,omitempty"`
}

// Prediction is what an identified law expects at a count. Where no law can say,
// Reason says why and the values are null.
type Prediction struct {
	Count  int    `json:"count"`
	Law    string `json:"law,omitempty"` // usl, amdahl, gustafson
	Reason string `json:"reason,omitempty"`
	// Cut names what the law cannot exceed, where an interval would and ends there.
	Cut        string `json:"cut,omitempty"`
	Rate       *Value `json:"rate"` // null also for series without a unit of work
	Speedup    *Value `json:"speedup"`
	Efficiency *Value `json:"efficiency"`
}

// Point is a value at one count.
type Point struct {
	Count int `json:"count"`
	Value
}

// Bounds of a law's parameter that a fit ended on.
const (
	OnLower = "lower"
	OnUpper = "upper"
)

// Fit is a one-parameter law; Reason says why when it is not identifiable. Where the
// fit ends on a bound of the parameter, Bound names it, and only the end of the
// interval on the other side is given: a one-sided bound.
type Fit struct {
	Identifiable bool     `json:"identifiable"`
	Reason       string   `json:"reason,omitempty"`
	Value        *float64 `json:"value"`
	Low          *float64 `json:"low"`
	High         *float64 `json:"high"`
	Bound        string   `json:"bound,omitempty"` // lower, upper
}

// USL is the universal scalability law.
type USL struct {
	Identifiable bool     `json:"identifiable"`
	Reason       string   `json:"reason,omitempty"`
	Sigma        *float64 `json:"sigma"`
	Kappa        *float64 `json:"kappa"`
	Gamma        *float64 `json:"gamma"`
	// 95 % bounds of Sigma and Kappa, and the count of the largest throughput
	// (null unless the lower bound of Kappa is above 0).
	SigmaLow  *float64 `json:"sigma_low,omitempty"`
	SigmaHigh *float64 `json:"sigma_high,omitempty"`
	KappaLow  *float64 `json:"kappa_low,omitempty"`
	KappaHigh *float64 `json:"kappa_high,omitempty"`
	Peak      *Value   `json:"peak,omitempty"`
	// SigmaBound and KappaBound name the bound that a parameter ends on: lower, upper.
	SigmaBound string `json:"sigma_bound,omitempty"`
	KappaBound string `json:"kappa_bound,omitempty"`
	// Standard errors; ResidualSE only where every count weighs the same.
	SigmaSE    *float64 `json:"sigma_se,omitempty"`
	KappaSE    *float64 `json:"kappa_se,omitempty"`
	GammaSE    *float64 `json:"gamma_se,omitempty"`
	ResidualSE *float64 `json:"residual_se,omitempty"`
	// Limit is the rate that contention alone allows, gamma/sigma. KappaZero is the
	// share of bootstrap refits with kappa = 0, LackOfFit the p-value of the F test
	// of the residual against the error between launches.
	Limit     *float64 `json:"limit,omitempty"`
	KappaZero *float64 `json:"kappa_zero,omitempty"`
	LackOfFit *float64 `json:"lack_of_fit,omitempty"`
}

// Warning is a doubt as data.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}
