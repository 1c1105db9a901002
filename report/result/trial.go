package result

import "time"

// Key names what was measured; rows of two results with equal keys and counts
// are the same row.
type Key struct {
	Workload  string `json:"workload"`
	Mode      string `json:"mode"` // strong, weak, solo
	Size      Size   `json:"size"`
	Strategy  string `json:"strategy"`
	Split     string `json:"split"`
	Transport string `json:"transport"`
	Algorithm string `json:"algorithm"`
	Residency string `json:"residency"`
	Cache     string `json:"cache"`
}

// Size is the problem size: the label asked for and N in the workload's size
// unit. In weak mode Label and N are those of one GPU, so that all counts of a
// series share one key; Trial.Total holds the grown size, and files hold both.
type Size struct {
	Label  string `json:"label"`
	N      int64  `json:"n"`
	PerGPU int64  `json:"per_gpu,omitempty"` // in files only, of weak rows
}

// Statuses of a trial and of a summary row.
const (
	OK          = "ok"
	Unsupported = "unsupported"
	Skipped     = "skipped"
	WrongResult = "wrong-result"
	DeviceLost  = "device-lost"
	Degraded    = "degraded"
	Throttled   = "throttled"
	AbovePeak   = "above-peak"
)

// Sides of a self-test: the same thing measured twice.
const (
	SideA = "A"
	SideB = "B"
)

// Trial is one launch of one cell: fresh device state, warm-up, samples, check.
type Trial struct {
	Key
	Count    int    `json:"count"`
	Devices  []int  `json:"devices"` // indexes into Result.Devices
	Launch   int    `json:"launch"`
	Block    int    `json:"block"`
	Side     string `json:"side,omitempty"` // SideA or SideB in a self-test
	Status   string `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Verified bool   `json:"verified"`
	Check    *Check `json:"check,omitempty"`
	Digest   string `json:"digest"`
	// CountDependent says that the outputs may differ between counts (class D0 is
	// not promised), so that digests are compared within one count only.
	CountDependent bool `json:"count_dependent,omitempty"`
	// Shaders is the hex sha256 over the names and SPIR-V hashes of the built-in
	// shaders that computed it; empty: an own kernel (Plan.Shader), or not known.
	Shaders string `json:"shaders,omitempty"`
	// Constants are the tunables of the workload, by name; empty: it has none.
	Constants []Constant `json:"constants,omitempty"`
	// Variant names the kernel of a workload that has several, chosen by what all devices offer.
	Variant string `json:"variant,omitempty"`
	Total   int64  `json:"total"`         // size over all devices
	Via     string `json:"via,omitempty"` // transport really used; empty: nothing was communicated
	// Shares is units per device; of a division by stages what each has of the work, in any unit.
	Shares []int64 `json:"shares,omitempty"`
	// Staged says that devices do different things, so that their rates compare with nothing.
	Staged bool `json:"staged,omitempty"`
	// Division is how the work was divided and what was expected of that; nil: not recorded.
	Division *Division `json:"division,omitempty"`
	// Decision is how long dividing takes; of the first launch of a row on several devices only.
	Decision *Decision `json:"decision,omitempty"`
	// Samples are seconds of one iteration (wall, gate open to last device
	// done), each the mean over Reps iterations run back to back.
	Samples []float64 `json:"samples"`
	// Invalid lists the samples that are no evidence, with what happened.
	Invalid []InvalidSample `json:"invalid,omitempty"`
	Reps    int             `json:"reps,omitempty"`
	Work    Work            `json:"work"`
	Flops   float64         `json:"flops,omitempty"` // of one iteration, nominal
	Bytes   float64         `json:"bytes,omitempty"` // of one iteration, compulsory
	// Arithmetic names the roof that the operations in Flops are held against; empty:
	// fp32. Roof names the roof that this row measures; empty: none.
	Arithmetic string `json:"arithmetic,omitempty"`
	Roof       string `json:"roof,omitempty"`
	// Resident is the memory of the arrays on the device that holds most: the
	// working set of one iteration, bytes; 0: not known.
	Resident int64 `json:"resident,omitempty"`
	// Replicated is what the arrays would take of every device if each held all of them,
	// bytes: naive replication, against which HighWater is a saving; 0: not known.
	Replicated int64 `json:"replicated,omitempty"`
	// Memory is what was in use of each device's memory after the samples, in the order of
	// Devices; empty: not known, as on software devices without a memory pool.
	Memory []MemoryUse `json:"memory,omitempty"`
	// HighWater is the most memory that buffers took of each device, bytes, in the order
	// of Devices; empty: not known.
	HighWater []int64 `json:"high_water,omitempty"`
	// Times holds, per sample, what the device clocks saw; empty without usable timestamps.
	Times Times  `json:"times,omitzero"`
	Spans []Span `json:"spans,omitempty"` // of the median sample
	// Outcome is what was computed, for reports to draw; nil: not recorded.
	Outcome *Outcome `json:"outcome,omitempty"`
	// Clocks are the median shader clocks of the devices while sampling, in Hz and in
	// the order of Devices; empty where not known.
	Clocks    []float64 `json:"clocks,omitempty"`
	Energy    *Energy   `json:"energy,omitempty"`     // nil: no device counts it
	EmptyGate float64   `json:"empty_gate,omitempty"` // seconds of an empty step on the team
	// Granularity is the least time that the timestamps of each device tell apart, in
	// seconds and in the order of Devices; of a device without usable ones that of the
	// host's clock. Empty: not known.
	Granularity []float64 `json:"granularity,omitempty"`
	// ClockError is the most that the clocks of the team's ranks may have been apart while
	// samples were taken, seconds; 0: one process.
	ClockError float64   `json:"clock_error,omitempty"`
	Warmup     Warmup    `json:"warmup"`
	Stop       string    `json:"stop,omitempty"` // precision, max-samples, max-time, interrupted
	Started    time.Time `json:"started"`
	Warnings   []Warning `json:"warnings,omitempty"`
}

// Work is the nominal work of one iteration and its unit (flop, B, cell, ...).
type Work struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Issued is the work really done, halos and recomputation included; 0: not known.
	Issued float64 `json:"issued,omitempty"`
}

// MemoryUse is what is in use of a device's memory and the most that may be, in bytes: of
// a memory pool that was asked for what buffers took, else what the driver says of this process (VK_EXT_memory_budget).
type MemoryUse struct {
	Used   int64 `json:"used"`
	Budget int64 `json:"budget"`
}

// Unchecked says that a check was made of nothing: the workload has no reference, so
// that at most launches were compared with each other.
func (t *Trial) Unchecked() bool { return !t.Verified && t.Check != nil && t.Check.Checked == 0 }

// Check is the outcome of the comparison with the reference.
type Check struct {
	Class     string  `json:"class"`
	Checked   int64   `json:"checked"`
	Full      bool    `json:"full"`
	Worst     float64 `json:"worst"` // share of the tolerance used by the worst output
	SelfCheck string  `json:"self_check,omitempty"`
}

// Warmup is how a launch reached its steady rate.
type Warmup struct {
	Samples int     `json:"samples"`
	Seconds float64 `json:"seconds"`
	Steady  bool    `json:"steady"`
}

// SpanKinds are what devices do in a span.
var SpanKinds = []string{"compute", "transfer", "wait", "host"}

// Span is one stretch on one device, seconds from gate open.
type Span struct {
	Device int     `json:"device"`
	Kind   string  `json:"kind"` // compute, transfer, wait, host
	Label  string  `json:"label,omitempty"`
	Start  float64 `json:"start"`
	End    float64 `json:"end"`
}
