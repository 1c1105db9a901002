// Package result is the schema amgpu/v1: what one measuring command left behind,
// how it is journalled while measuring, folded into one file and read back. It
// imports the standard library only; every reader of results starts here.
package result

import "time"

// Schema is the name and major version written into every file.
const Schema = "amgpu/v1"

// Result is one document: base units throughout (seconds, bytes, operations).
type Result struct {
	Schema      string    `json:"schema"`
	Created     time.Time `json:"created"`
	Tool        Tool      `json:"tool"`
	Command     []string  `json:"command"`
	Host        Host      `json:"host"`
	Fingerprint string    `json:"fingerprint"`
	Noise       *Noise    `json:"noise,omitempty"`
	Devices     []Device  `json:"devices"`
	Plan        Plan      `json:"plan"`
	Trials      []Trial   `json:"trials"`
	Summary     []Summary `json:"summary"`
	Laws        []Law     `json:"laws"`
	Warnings    []Warning `json:"warnings"`
}

// Tool identifies the program that measured.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
}

// Host is the machine that measured.
type Host struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Kernel    string `json:"kernel,omitempty"`
	CPU       string `json:"cpu,omitempty"`
	Cores     int    `json:"cores"`
	Memory    int64  `json:"memory,omitempty"` // bytes
	Container string `json:"container,omitempty"`
	Loader    string `json:"loader,omitempty"` // Vulkan loader version
	Layers    string `json:"layers,omitempty"` // layers active while measuring
}

// Noise is this machine's noise floor from A/A runs.
type Noise struct {
	Phi float64 `json:"phi"` // relative
	// Comparisons is how many A/A differences Q95, the 95 % quantile of their
	// sizes, comes from. Detectable is the smallest change that a comparison on this
	// machine can show, 0: not known; Launches the fewest of a row compared.
	Comparisons int     `json:"comparisons,omitempty"`
	Q95         float64 `json:"q95,omitempty"`
	Detectable  float64 `json:"detectable,omitempty"`
	Launches    int     `json:"launches,omitempty"`
}

// Device is one device of the pool.
type Device struct {
	Index      int      `json:"index"`
	Name       string   `json:"name"`
	UUID       string   `json:"uuid"`
	PCI        string   `json:"pci"`    // empty: the driver reports none
	Type       string   `json:"type"`   // discrete, integrated, virtual, cpu, other
	Driver     string   `json:"driver"` // driver name and version
	API        string   `json:"api"`
	VendorID   uint32   `json:"vendor_id"`
	DeviceID   uint32   `json:"device_id"`
	NUMA       int      `json:"numa"` // -1: unknown
	Memory     int64    `json:"memory"`
	Software   bool     `json:"software"`
	Subgroup   int      `json:"subgroup,omitempty"`
	Timestamps bool     `json:"timestamps"`
	Queue      string   `json:"queue,omitempty"`
	Features   []string `json:"features,omitempty"`
	// Cache is the size of the last-level cache in bytes and Peak what the device
	// can do at most; empty where not known.
	Cache int64 `json:"cache,omitempty"`
	Peak  *Peak `json:"peak,omitempty"`
}

// Peak is the most a device can do; 0: not known.
type Peak struct {
	BytesPerSecond float64 `json:"bytes_per_second,omitempty"`
	Flops          float64 `json:"flops,omitempty"` // per second
}

// Plan is what was to be measured, in which order.
type Plan struct {
	Seed      uint64           `json:"seed"`
	Preset    string           `json:"preset"`
	Launches  int              `json:"launches"`
	Counts    []int            `json:"counts"`
	Modes     []string         `json:"modes"`
	Subsets   string           `json:"subsets"`
	Strategy  string           `json:"strategy"`
	Precision float64          `json:"precision,omitempty"`
	Samples   int              `json:"samples,omitempty"`  // most samples per launch
	MaxTime   float64          `json:"max_time,omitempty"` // seconds per launch
	Order     []PlannedCell    `json:"order,omitempty"`
	Params    map[string]int64 `json:"params,omitempty"`
	Input     string           `json:"input,omitempty"`  // file that workloads read
	Shader    string           `json:"shader,omitempty"` // hex sha256 of the user's own kernel
}

// PlannedCell is one launch in the order it was planned, complete enough to be
// planned again from the file.
type PlannedCell struct {
	Key
	Count   int   `json:"count"`
	Devices []int `json:"devices"`
	Block   int   `json:"block"`
	Launch  int   `json:"launch"`
	Total   int64 `json:"total"` // size over all devices
}

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

// Trial is one launch of one cell: fresh device state, warm-up, samples, check.
type Trial struct {
	Key
	Count    int    `json:"count"`
	Devices  []int  `json:"devices"` // indexes into Result.Devices
	Launch   int    `json:"launch"`
	Block    int    `json:"block"`
	Status   string `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Verified bool   `json:"verified"`
	Check    *Check `json:"check,omitempty"`
	Digest   string `json:"digest"`
	// CountDependent says that the outputs may differ between counts (class D0 is
	// not promised), so that digests are compared within one count only.
	CountDependent bool    `json:"count_dependent,omitempty"`
	Total          int64   `json:"total"`            // size over all devices
	Via            string  `json:"via,omitempty"`    // transport really used; empty: nothing was communicated
	Shares         []int64 `json:"shares,omitempty"` // units per device
	// Samples are seconds of one iteration (wall, gate open to last device
	// done), each the mean over Reps iterations run back to back.
	Samples []float64 `json:"samples"`
	Reps    int       `json:"reps,omitempty"`
	Work    Work      `json:"work"`
	Flops   float64   `json:"flops,omitempty"` // of one iteration, nominal
	Bytes   float64   `json:"bytes,omitempty"` // of one iteration, compulsory
	// Resident is the memory of the arrays on the device that holds most: the
	// working set of one iteration, bytes; 0: not known.
	Resident int64 `json:"resident,omitempty"`
	// Times holds, per sample, what the device clocks saw; empty without usable timestamps.
	Times     []SampleTimes `json:"times,omitempty"`
	Spans     []Span        `json:"spans,omitempty"`      // of the median sample
	EmptyGate float64       `json:"empty_gate,omitempty"` // seconds of an empty step on the team
	Warmup    Warmup        `json:"warmup"`
	Stop      string        `json:"stop,omitempty"` // precision, max-samples, max-time, interrupted
	Started   time.Time     `json:"started"`
	Warnings  []Warning     `json:"warnings,omitempty"`
}

// Work is the nominal work of one iteration and its unit (flop, B, cell, ...).
type Work struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Issued is the work really done, halos and recomputation included; 0: not known.
	Issued float64 `json:"issued,omitempty"`
}

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

// SampleTimes are sums over one sample, in seconds of one iteration.
type SampleTimes struct {
	// Compute and Transfer per device: union of compute intervals, and copy
	// intervals not hidden behind compute.
	Compute  []float64 `json:"compute"`
	Transfer []float64 `json:"transfer"`
	// Critical is the sum over phases of the largest compute time of a device;
	// Device the same for compute plus exposed transfer (measurement.md 3.3).
	Critical float64 `json:"critical"`
	Device   float64 `json:"device"`
	Skew     float64 `json:"skew,omitempty"` // start skew, seconds per sample; 0 = not known
}

// Span is one stretch on one device, seconds from gate open.
type Span struct {
	Device int     `json:"device"`
	Kind   string  `json:"kind"` // compute, transfer, wait
	Label  string  `json:"label,omitempty"`
	Start  float64 `json:"start"`
	End    float64 `json:"end"`
}

// Value is an estimate with its 95 % interval; Low and High are null when no
// interval can be given.
type Value struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Unit  string   `json:"unit,omitempty"`
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
	Samples    int     `json:"samples"`
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
	// Bound is the best efficiency an equal split can reach on unequal devices;
	// null when the devices are alike (measurement.md S9).
	Bound    *float64  `json:"bound"`
	Spread   *Spread   `json:"spread,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
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
	Count      int    `json:"count"`
	Law        string `json:"law,omitempty"` // usl, amdahl, gustafson
	Reason     string `json:"reason,omitempty"`
	Rate       *Value `json:"rate"` // null also for series without a unit of work
	Speedup    *Value `json:"speedup"`
	Efficiency *Value `json:"efficiency"`
}

// Point is a value at one count.
type Point struct {
	Count int `json:"count"`
	Value
}

// Fit is a one-parameter law; Reason says why when it is not identifiable.
type Fit struct {
	Identifiable bool     `json:"identifiable"`
	Reason       string   `json:"reason,omitempty"`
	Value        *float64 `json:"value"`
	Low          *float64 `json:"low"`
	High         *float64 `json:"high"`
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
