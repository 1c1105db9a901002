package result

// Division is how the units of a trial were divided, beyond Trial.Shares. Slices are in
// the order of Trial.Devices.
type Division struct {
	// Basis is where Rates come from: "solo rows" (rows of one device in the same sweep),
	// "solo rows of like devices" (of the same model, where one was not measured alone),
	// "calibration" (a short measurement before) or "score"; empty: nothing was needed.
	Basis string    `json:"basis,omitempty"`
	Rates []float64 `json:"rates,omitempty"` // units a second of each device alone; scores where Basis is that
	// Estimated is the time in seconds after which each device was expected to be done
	// with its share. What they took is in Trial.Times.
	Estimated []float64 `json:"estimated,omitempty"`
	// Hindsight says that Rates and Estimated were computed when the sweep was over, from
	// rows of one device that may have come later; false: they were known before the samples.
	Hindsight bool `json:"hindsight,omitempty"`

	// What follows is of the last sample of dynamic division.
	Assign     string    `json:"assign,omitempty"`      // rule by which chunks were handed out
	Chunks     int       `json:"chunks,omitempty"`      // there were
	ChunkUnits int64     `json:"chunk_units,omitempty"` // units of each, the last perhaps short
	Handed     []int64   `json:"handed,omitempty"`      // chunks computed by each device
	Batches    int       `json:"batches,omitempty"`     // in which they were handed out
	Steals     int       `json:"steals,omitempty"`
	Moved      int       `json:"moved,omitempty"`       // chunks stolen
	Decisions  []float64 `json:"decisions,omitempty"`   // seconds each device's thread spent on handing them out; processor time beside software devices
	ChunkError float64   `json:"chunk_error,omitempty"` // mean of |predicted - measured| / measured time of a batch
}
