package result

// Kinds of spans. During a wait a device had nothing to do until others or a copy were
// done; during host it was the host that had to do something first.
const (
	KindCompute  = "compute"
	KindTransfer = "transfer"
	KindWait     = "wait"
	KindHost     = "host"
)

// Path is the critical path of one launch of a row: what its end waited for, from one
// span to the one before. The launch is the one in the middle of those with spans, the
// spans are those of its median sample.
type Path struct {
	Launch  int     `json:"launch"`
	Block   int     `json:"block"`
	Seconds float64 `json:"seconds"` // its length
	// Covered is which part of the sample the spans are of, from its beginning; 0: not known.
	Covered    float64    `json:"covered,omitempty"`
	Parts      []PathPart `json:"parts"` // the largest first; the shares add up to 1
	Bottleneck Bottleneck `json:"bottleneck"`
}

// PathPart is the share of a path that spans of a kind have, of compute and transfer on
// one device.
type PathPart struct {
	Kind   string  `json:"kind"`             // compute, transfer, host, wait
	Device *int    `json:"device,omitempty"` // index into Result.Devices
	Share  float64 `json:"share"`
}

// Bottleneck is the kind that most of a path consists of.
type Bottleneck struct {
	Kind  string  `json:"kind"`
	Share float64 `json:"share"` // of the path
	// Device has more than half of that and is what the others wait for: Waiting is by how
	// much of the time they wait longer than it does, on average. null: there is none.
	Device  *int    `json:"device,omitempty"`
	Waiting float64 `json:"waiting,omitempty"`
}

// Add counts a share of the path.
func (p *Path) Add(kind string, device int, share float64) {
	var of *int
	if kind != KindHost && kind != KindWait {
		of = &device
	}
	for i := range p.Parts {
		x := &p.Parts[i]
		if x.Kind == kind && (of == nil || *x.Device == device) {
			x.Share += share
			return
		}
	}
	p.Parts = append(p.Parts, PathPart{kind, of, share})
}

// Share is that of a kind, over all devices.
func (p *Path) Share(kind string) float64 {
	sum := 0.0
	for _, x := range p.Parts {
		if x.Kind == kind {
			sum += x.Share
		}
	}
	return sum
}
