package result

// Roof is one ceiling of a device for the roofline of a report: a rate of
// arithmetic (Unit flop/s) or of a memory (Unit B/s). A device without roofs is
// drawn with those of its Peak.
type Roof struct {
	Name     string  `json:"name"` // such as fp32, fp16 matrix, memory, L2
	Unit     string  `json:"unit"` // flop/s or B/s
	Value    float64 `json:"value"`
	Measured bool    `json:"measured,omitempty"` // else nominal
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
	Steps  []int64 `json:"steps"` // ascending, 0: before the first step
	Losses []Loss  `json:"losses"`
}

// Loss is one term of the loss, or their sum, at each of Training.Steps; null: not
// a number there.
type Loss struct {
	Name   string     `json:"name"` // such as total, residual, boundary
	Values []*float64 `json:"values"`
}
