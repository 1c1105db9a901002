package result

// Constant is the value that a tunable of a workload had, such as a work-group size.
type Constant struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	From  string `json:"from"` // one of the From constants
}

// Where constants come from.
const (
	FromDefault = "default" // of the class of device
	FromTuned   = "tuned"   // found by a search on a device of this model and driver
	FromGiven   = "given"   // by a flag
)

// Tuning is one search for the fastest constants of a workload.
type Tuning struct {
	Workload string `json:"workload"`
	Split    string `json:"split,omitempty"`
	Size     Size   `json:"size"`
	Device   int    `json:"device"` // index into Result.Devices: the one searched on
	// Candidates are in the order in which they were tried, the defaults first.
	Candidates []Candidate `json:"candidates"`
	// Gain is the time of the defaults over that of the fastest candidate, from Launches
	// more launches of each in turn; absent: nothing was faster at first sight.
	Gain     *Value `json:"gain,omitempty"`
	Launches int    `json:"launches,omitempty"`
	// Winner holds the constants that were kept; absent: the defaults stay.
	Winner  map[string]int64 `json:"winner,omitempty"`
	Verdict string           `json:"verdict"` // in words, with the reason
}

// Candidate is one set of constants.
type Candidate struct {
	Constants map[string]int64 `json:"constants"`
	Status    string           `json:"status"` // of a trial
	Reason    string           `json:"reason,omitempty"`
	Time      *Median          `json:"time,omitempty"` // of an iteration; absent: none was usable
}
