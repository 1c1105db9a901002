package result

import "time"

// Roof is one ceiling of a device: a rate of arithmetic (Unit flop/s or op/s) or of a
// memory (Unit B/s). Rows are held against the measured ones; a device without roofs is
// drawn with those of its Peak.
type Roof struct {
	Name     string  `json:"name"` // such as fp32, int32, memory, L2
	Unit     string  `json:"unit"` // flop/s, op/s or B/s
	Value    float64 `json:"value"`
	Measured bool    `json:"measured,omitempty"` // else nominal
	// Source is what measured it, such as peak/fp32 M; Elsewhere says that this was not
	// in this result, and when.
	Source    string     `json:"source,omitempty"`
	Elsewhere *time.Time `json:"elsewhere,omitempty"`
}

// Names of the roofs of memories; those of arithmetic are the words of Trial.Arithmetic.
const (
	RoofMemory = "memory"
	RoofL2     = "L2"
)

// What Trial.Arithmetic says beside the names of roofs.
const (
	DefaultArithmetic = "fp32" // of trials that name none
	NoArithmetic      = "none" // no roof is one for its operations
)

// RoofShare holds a row against the measured roofs of its devices.
type RoofShare struct {
	// Value is the share of the rate that the lowest roof allows; its interval is that
	// of the time, the roof taken as it is.
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// Roof names the lowest roof, Rate is its sum over the devices in Unit.
	Roof string  `json:"roof"`
	Rate float64 `json:"rate"`
	Unit string  `json:"unit"`
}

// Outcome is what a launch computed, for people to look at: reports draw it and no
// statistic rests on it. One launch of a row is enough to hold it.
type Outcome struct {
	Comodulogram *Comodulogram `json:"comodulogram,omitempty"`
	Training     *Training     `json:"training,omitempty"`
}

// Comodulogram is the phase-amplitude coupling of one signal over pairs of bands.
type Comodulogram struct {
	Measure   string    `json:"measure"`   // such as modulation index (Tort)
	Phase     []float64 `json:"phase"`     // centres of the bands that give the phase, Hz, ascending
	Amplitude []float64 `json:"amplitude"` // centres of those that give the amplitude, Hz, ascending
	// Values holds a row per amplitude band with one value per phase band; null: not
	// computed, as where the bands overlap.
	Values [][]*float64 `json:"values"`
	Signal string       `json:"signal,omitempty"` // which one is shown
}

// Training is the loss over the steps of a training.
type Training struct {
	Steps    []int64   `json:"steps"` // ascending, 0: before the first step
	Losses   []Loss    `json:"losses"`
	Measures []Measure `json:"measures,omitempty"` // of what was learnt in the end
}

// Measure is a number by name, such as the error of a solution; null: not a number.
type Measure struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
}

// Loss is one term of the loss, or their sum, at each of Training.Steps; null: not
// a number there.
type Loss struct {
	Name   string     `json:"name"` // such as total, residual, boundary
	Values []*float64 `json:"values"`
}
