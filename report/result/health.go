package result

// Health is what went wrong on a device while measuring.
type Health struct {
	Device int    `json:"device"` // index into Result.Devices
	Errors int    `json:"errors"` // failed tries
	Last   string `json:"last"`   // the last of them: call, device, step; else the last errors reported
	Out    bool   `json:"out"`    // it failed so often that the others took its work over
	// Xids are the critical errors that its driver reported by number (NVIDIA), whether or
	// not a try failed; 0: none, or they are not read.
	Xids int `json:"xids,omitempty"`
}
