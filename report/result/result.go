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
	// Job is what the ranks of an MPI job share; nil: one process measured, on Host.
	Job     *Job     `json:"job,omitempty"`
	Devices []Device `json:"devices"`
	// Links are those between the devices, Telemetry what their sensors said.
	Links     []Link     `json:"links,omitempty"`
	Telemetry *Telemetry `json:"telemetry,omitempty"`
	// Health lists the devices on which something failed.
	Health []Health `json:"health,omitempty"`
	// Tuning are the searches for constants that the command made.
	Tuning  []Tuning  `json:"tuning,omitempty"`
	Plan    Plan      `json:"plan"`
	Trials  []Trial   `json:"trials"`
	Summary []Summary `json:"summary"`
	Laws    []Law     `json:"laws"`
	// Forecasts are predictions of a cost model beyond the nodes measured.
	Forecasts []Forecast `json:"forecasts,omitempty"`
	Warnings  []Warning  `json:"warnings"`
}

// Tool identifies the program that measured.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
}

// Host is the machine that measured, in a job that of rank 0.
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
	// Roofs are its ceilings in a roofline plot.
	Roofs []Roof `json:"roofs,omitempty"`
	// PowerLimit in watts and ECC are how the device is set; absent where not known.
	PowerLimit float64 `json:"power_limit,omitempty"`
	ECC        *bool   `json:"ecc,omitempty"`
	// Node and Rank are where it is in an MPI job; empty and nil without one.
	Node string `json:"node,omitempty"`
	Rank *int   `json:"rank,omitempty"`
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
	Nodes     []int            `json:"nodes,omitempty"` // counts of whole nodes among them, in a job
	Modes     []string         `json:"modes"`
	Subsets   string           `json:"subsets"`
	Strategy  string           `json:"strategy"`
	Precision float64          `json:"precision,omitempty"`
	Samples   int              `json:"samples,omitempty"`  // most samples per launch
	MaxTime   float64          `json:"max_time,omitempty"` // seconds per launch
	Order     []PlannedCell    `json:"order,omitempty"`
	SelfTest  bool             `json:"self_test,omitempty"` // A/A: every row on both sides
	Params    map[string]int64 `json:"params,omitempty"`
	Input     string           `json:"input,omitempty"`  // file that workloads read
	Shader    string           `json:"shader,omitempty"` // hex sha256 of the user's own kernel
	Roof      string           `json:"roof,omitempty"`   // where roofs come from: auto (empty), measured, none
}

// PlannedCell is one launch in the order it was planned, complete enough to be
// planned again from the file.
type PlannedCell struct {
	Key
	Count   int    `json:"count"`
	Devices []int  `json:"devices"`
	Block   int    `json:"block"`
	Launch  int    `json:"launch"`
	Side    string `json:"side,omitempty"` // of a self-test
	Total   int64  `json:"total"`          // size over all devices
	// Constants are those that are not the default of the class of device.
	Constants []Constant `json:"constants,omitempty"`
}
