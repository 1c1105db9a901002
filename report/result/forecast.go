package result

// Forecast is what a cost model expects of a row on more nodes than were measured: a
// prediction, never a measurement. Where the model cannot say, Reason says why and the
// values are null.
type Forecast struct {
	Key
	Nodes   int    `json:"nodes"`
	Count   int    `json:"count"` // devices
	Reason  string `json:"reason,omitempty"`
	Seconds *Value `json:"seconds"` // of one iteration
	// Efficiency is relative to one device.
	Efficiency *Value `json:"efficiency"`
	// Parts make up the seconds.
	Parts *ForecastParts `json:"parts,omitempty"`
	// Wall names the first part that takes longer than the computation on the way from one
	// node to Nodes, and WallNodes on how many; empty: none does.
	Wall      string `json:"wall,omitempty"`
	WallNodes int    `json:"wall_nodes,omitempty"`
	Basis     string `json:"basis,omitempty"` // where the costs come from
}

// ForecastParts are seconds of one iteration.
type ForecastParts struct {
	Compute float64 `json:"compute"`        // of the work divided evenly
	Idle    float64 `json:"idle,omitempty"` // for which the largest share makes the others wait
	Latency float64 `json:"latency"`        // of hand-overs
	Inside  float64 `json:"inside"`         // bytes within a node
	Between float64 `json:"between"`        // bytes between nodes
}
